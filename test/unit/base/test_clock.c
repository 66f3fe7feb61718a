#include "shikiri/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void wall_is_the_time_of_day(void **state)
{
	int64_t before = time(NULL);
	int64_t wall = shk_clock_wall_s();

	(void)state;
	/* time() may lag behind by the kernel's tick */
	assert_in_range(wall - before + 1, 0, 3);
}

static void boot_never_runs_backwards(void **state)
{
	int64_t before = shk_clock_boot_us();

	(void)state;
	for (int i = 0; i < 10000; i++) {
		int64_t now = shk_clock_boot_us();

		assert_true(now >= before);
		before = now;
	}
}

static void boot_agrees_with_the_system(void **state)
{
	struct timespec pause = {.tv_nsec = 20000000};
	struct timespec up;
	int64_t start_ms = shk_clock_boot_ms();
	int64_t start_us = shk_clock_boot_us();

	(void)state;
	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &up), 0);
	assert_true(start_us / 1000 >= start_ms);
	assert_true((int64_t)up.tv_sec * 1000 + 1000 > start_ms);
	assert_int_equal(nanosleep(&pause, NULL), 0);
	assert_true(shk_clock_boot_ms() - start_ms >= 20);
	assert_true(shk_clock_boot_us() - start_us >= 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wall_is_the_time_of_day),
	    cmocka_unit_test(boot_never_runs_backwards),
	    cmocka_unit_test(boot_agrees_with_the_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
