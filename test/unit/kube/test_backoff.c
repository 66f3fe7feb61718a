#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backoff.h"

/* The largest of many delays after so many failures in a row. */
static int64_t largest_after(unsigned failures)
{
	int64_t largest = 0;

	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct backoff backoff = {.random = seed};
		int64_t delay = 0;

		for (unsigned i = 0; i < failures; i++)
			delay = backoff_fail(&backoff, 1000 * (int64_t)i);
		assert_true(delay >= 0);
		largest = delay > largest ? delay : largest;
	}
	return largest;
}

static void test_bounds_double_up_to_30_s(void **state)
{
	static const int64_t bounds[] = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};

	(void)state;
	for (unsigned i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
		int64_t largest = largest_after(i + 1);

		assert_true(largest <= bounds[i]);
		assert_true(largest > bounds[i] * 9 / 10);
	}
	assert_true(largest_after(100) <= 30000);
}

static void test_two_minutes_of_health_forget(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct backoff backoff = {.random = seed};

		for (int i = 0; i < 10; i++)
			(void)backoff_fail(&backoff, i);
		assert_true(backoff_fail(&backoff, 9 + 120000) <= 800);
		assert_int_equal(backoff.failures, 1);
		(void)backoff_fail(&backoff, 9 + 120000 + 119999);
		assert_int_equal(backoff.failures, 2);
	}
}

static void test_random_reaches_both_ends(void **state)
{
	struct backoff backoff = {0};
	unsigned seen[3] = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int64_t value = backoff_random(&backoff, 5, 7);

		assert_in_range(value, 5, 7);
		seen[value - 5]++;
	}
	for (int i = 0; i < 3; i++)
		assert_true(seen[i] > 250);
}

static void test_a_seed_gives_one_sequence(void **state)
{
	struct backoff one = {.random = 42};
	struct backoff two = {.random = 42};

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(backoff_random(&one, 0, 1 << 30),
				 backoff_random(&two, 0, 1 << 30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bounds_double_up_to_30_s),
	    cmocka_unit_test(test_two_minutes_of_health_forget),
	    cmocka_unit_test(test_random_reaches_both_ends),
	    cmocka_unit_test(test_a_seed_gives_one_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
