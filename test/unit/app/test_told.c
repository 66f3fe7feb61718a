#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../../src/app/schedulers.h"
#include "../../../src/app/told.h"

static void a_pod_hears_of_changes_only(void **state)
{
	struct shk_told *told = shk_told_new();

	(void)state;
	assert_true(shk_told_is_news(told, "u1", SHK_REASON_CARDS_BUSY));
	assert_false(shk_told_is_news(told, "u1", SHK_REASON_CARDS_BUSY));
	assert_true(shk_told_is_news(told, "u2", SHK_REASON_CARDS_BUSY));
	assert_true(shk_told_is_news(told, "u1", SHK_REASON_QUOTA_CEILING));
	assert_true(shk_told_is_news(told, "u1", SHK_REASON_CARDS_BUSY));
	shk_told_forget(told, "u1");
	shk_told_forget(told, "never told");
	assert_true(shk_told_is_news(told, "u1", SHK_REASON_CARDS_BUSY));
	assert_false(shk_told_is_news(told, "u2", SHK_REASON_CARDS_BUSY));
	shk_told_free(told);
}

static void without_room_nothing_is_told(void **state)
{
	struct shk_told *told = shk_told_new();
	char uid[16];
	int n = 0;

	(void)state;
	do {
		(void)snprintf(uid, sizeof uid, "u%d", n++);
	} while (n < 100000 && shk_told_is_news(told, uid, SHK_REASON_HELD));
	assert_in_range(n, 1000, 99999);
	assert_false(shk_told_is_news(told, uid, SHK_REASON_HELD));
	assert_true(shk_told_is_news(told, "u0", SHK_REASON_CARDS_BUSY)); /* it has its place */
	shk_told_forget(told, "u1");
	assert_true(shk_told_is_news(told, uid, SHK_REASON_HELD));
	shk_told_free(told);
}

static void everybody_is_ours_until_somebody_calls(void **state)
{
	struct shk_schedulers *schedulers = shk_schedulers_new();

	(void)state;
	assert_true(shk_schedulers_has(schedulers, "anybody"));
	shk_schedulers_learn(schedulers, NULL);
	assert_true(shk_schedulers_has(schedulers, "anybody"));
	shk_schedulers_learn(schedulers, "shikiri-scheduler");
	shk_schedulers_learn(schedulers, "shikiri-scheduler");
	assert_true(shk_schedulers_has(schedulers, "shikiri-scheduler"));
	assert_false(shk_schedulers_has(schedulers, "anybody"));
	assert_false(shk_schedulers_has(schedulers, NULL));
	shk_schedulers_free(schedulers);
}

static void names_are_bounded(void **state)
{
	struct shk_schedulers *schedulers = shk_schedulers_new();
	char name[300];

	(void)state;
	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof name, "s%d", i);
		shk_schedulers_learn(schedulers, name);
	}
	assert_true(shk_schedulers_has(schedulers, "s0"));
	assert_false(shk_schedulers_has(schedulers, "s99"));
	(void)snprintf(name, sizeof name, "%0299d", 0);
	shk_schedulers_learn(schedulers, name);
	assert_false(shk_schedulers_has(schedulers, name));
	shk_schedulers_free(schedulers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_pod_hears_of_changes_only),
	    cmocka_unit_test(without_room_nothing_is_told),
	    cmocka_unit_test(everybody_is_ours_until_somebody_calls),
	    cmocka_unit_test(names_are_bounded),
	};

	return cmocka_run_group_tests_name("told", tests, NULL, NULL);
}
