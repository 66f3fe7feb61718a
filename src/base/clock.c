#include "shikiri/base/clock.h"

#include <stdlib.h>
#include <time.h>

static struct timespec now(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time) != 0)
		abort();
	return time;
}

int64_t shk_clock_wall_s(void)
{
	return now(CLOCK_REALTIME).tv_sec;
}

int64_t shk_clock_boot_ms(void)
{
	return shk_clock_boot_us() / 1000;
}

/* Linux only, like the rest of what we run on: unlike CLOCK_MONOTONIC it counts suspended time,
 * so a deadline passes while a machine sleeps. */
int64_t shk_clock_boot_us(void)
{
	struct timespec time = now(CLOCK_BOOTTIME);

	return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}
