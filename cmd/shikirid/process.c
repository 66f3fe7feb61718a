#include "process.h"

#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Request buffers are reused rather than mapped and unmapped each time: a first touch of a page
 * costs more than the request. */
static void setup_memory(void)
{
	/* No other thread runs yet. NOLINTBEGIN(concurrency-mt-unsafe) */
	(void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest that glibc accepts */
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
	(void)mallopt(M_ARENA_MAX, 4);
	/* NOLINTEND(concurrency-mt-unsafe) */
}

static void setup_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* refused: we serve with what there is */
}

/* Before any thread starts, so that all inherit the mask and only serve() gets signals. */
static void setup_signals(sigset_t *ret_signals)
{
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(ret_signals);
	(void)sigaddset(ret_signals, SIGTERM);
	(void)sigaddset(ret_signals, SIGINT);
	(void)sigaddset(ret_signals, SIGHUP);
	if (pthread_sigmask(SIG_BLOCK, ret_signals, NULL) != 0)
		abort();
}

void shikirid_setup_process(sigset_t *ret_signals)
{
	setup_memory();
	setup_descriptors();
	setup_signals(ret_signals);
}
