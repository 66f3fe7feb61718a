#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/app/holds.h"

#define TTL 30000

static const struct shk_amount one_gpu = {"nvidia.com/gpu", 1};

static struct shk_hold hold(const char *uid, const char *tenant)
{
	return (struct shk_hold){
	    .uid = uid,
	    .tenant = tenant,
	    .domain = tenant,
	    .resources = {&one_gpu, 1},
	    .pool_node = "n1",
	    .pool_resource = "nvidia.com/gpu",
	};
}

static bool put(struct shk_holds *holds, const char *uid, int64_t now_ms)
{
	struct shk_hold made = hold(uid, "vision");

	return shk_holds_put(holds, &made, TTL, now_ms);
}

static void lives_for_its_time_and_no_longer(void **state)
{
	struct shk_holds *holds = shk_holds_new();

	(void)state;
	assert_true(put(holds, "u1", 0));
	assert_int_equal(shk_holds_count(holds, TTL - 1), 1);
	assert_int_equal(shk_holds_count(holds, TTL), 0);
	shk_holds_free(holds);
}

static void moves_and_is_not_prolonged(void **state)
{
	struct shk_holds *holds = shk_holds_new();
	struct shk_hold moved = hold("u1", "vision");
	const struct shk_hold *live;
	struct shk_arena arena;
	size_t n;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_true(put(holds, "u1", 0));
	moved.pool_node = "n2";
	assert_true(shk_holds_put(holds, &moved, TTL, TTL - 1));
	live = shk_holds_live(holds, TTL - 1, &arena, &n);
	assert_int_equal(n, 1);
	assert_string_equal(live[0].pool_node, "n2");
	assert_int_equal(shk_holds_count(holds, TTL), 0);
	shk_arena_fini(&arena);
	shk_holds_free(holds);
}

static void lapsed_gets_no_new_one_for_as_long_again(void **state)
{
	struct shk_holds *holds = shk_holds_new();

	(void)state;
	assert_true(put(holds, "u1", 0));
	assert_false(put(holds, "u1", TTL));
	shk_holds_refused(holds, "u1", TTL + 1); /* the mark stays */
	assert_false(put(holds, "u1", 2 * TTL - 1));
	assert_int_equal(shk_holds_count(holds, 2 * TTL - 1), 0);
	assert_true(put(holds, "u1", 2 * TTL));
	assert_int_equal(shk_holds_count(holds, 2 * TTL), 1);
	shk_holds_free(holds);
}

static void refused_and_bound_end_it(void **state)
{
	struct shk_holds *holds = shk_holds_new();

	(void)state;
	assert_true(put(holds, "u1", 0));
	shk_holds_refused(holds, "u1", 1);
	assert_int_equal(shk_holds_count(holds, 1), 0);
	assert_true(put(holds, "u1", 2));
	shk_holds_end(holds, "u1");
	shk_holds_end(holds, "never there");
	assert_int_equal(shk_holds_count(holds, 2), 0);
	shk_holds_free(holds);
}

static void is_capped_per_tenant_and_in_all(void **state)
{
	struct shk_holds *holds = shk_holds_new();
	char uid[32];
	char tenant[32];
	size_t n_tenants = SHK_HOLDS_MAX / SHK_HOLDS_PER_TENANT;

	(void)state;
	for (size_t t = 0; t <= n_tenants; t++) {
		(void)snprintf(tenant, sizeof tenant, "t%zu", t);
		for (size_t i = 0; i <= SHK_HOLDS_PER_TENANT; i++) {
			struct shk_hold made = hold(uid, tenant);

			(void)snprintf(uid, sizeof uid, "%zu-%zu", t, i);
			assert_int_equal(shk_holds_put(holds, &made, TTL, 0),
					 t < n_tenants && i < SHK_HOLDS_PER_TENANT);
		}
	}
	assert_int_equal(shk_holds_count(holds, 0), SHK_HOLDS_MAX);
	shk_holds_expire(holds, 2 * TTL);
	assert_true(put(holds, "u1", 2 * TTL));
	assert_int_equal(shk_holds_count(holds, 2 * TTL), 1);
	shk_holds_free(holds);
}

static void copies_are_sorted_and_whole(void **state)
{
	struct shk_holds *holds = shk_holds_new();
	const struct shk_hold *live;
	struct shk_arena arena;
	size_t n;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_true(put(holds, "u2", 0));
	assert_true(put(holds, "u3", 0));
	assert_true(put(holds, "u1", 0));
	live = shk_holds_live(holds, 0, &arena, &n);
	shk_holds_free(holds);
	assert_int_equal(n, 3);
	assert_string_equal(live[0].uid, "u1");
	assert_string_equal(live[2].uid, "u3");
	assert_string_equal(live[1].tenant, "vision");
	assert_string_equal(live[1].resources.items[0].resource, "nvidia.com/gpu");
	assert_int_equal(live[1].resources.items[0].count, 1);
	shk_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lives_for_its_time_and_no_longer),
	    cmocka_unit_test(moves_and_is_not_prolonged),
	    cmocka_unit_test(lapsed_gets_no_new_one_for_as_long_again),
	    cmocka_unit_test(refused_and_bound_end_it),
	    cmocka_unit_test(is_capped_per_tenant_and_in_all),
	    cmocka_unit_test(copies_are_sorted_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
