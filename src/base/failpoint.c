#include "shikiri/base/failpoint.h"

#ifdef SHK_FAILPOINTS

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void shk_failpoint(const char *name)
{
	static _Atomic long passed;
	/* Nobody changes the environment. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	const char *wanted = getenv("SHIKIRI_FAILPOINT");
	size_t len = strlen(name);
	long nth = 1;

	if (!wanted || strncmp(wanted, name, len) != 0 ||
	    (wanted[len] != '\0' && wanted[len] != ':'))
		return;
	if (wanted[len] == ':')
		nth = strtol(wanted + len + 1, NULL, 10);
	if (atomic_fetch_add(&passed, 1) + 1 == nth)
		(void)kill(getpid(), SIGKILL);
}

#endif
