#include "shikiri/base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void an_empty_map_finds_nothing(void **state)
{
	struct shk_arena arena = {0};
	struct shk_map map;
	uint32_t value = 7;

	(void)state;
	shk_map_init(&map, &arena, 0);
	assert_int_equal(map.n_slots, 0);
	assert_int_equal(arena.used, 0);
	assert_false(shk_map_find(&map, "a", &value));
	assert_false(shk_map_find_sv(&map, shk_sv(""), NULL));
	assert_int_equal(value, 7);
	shk_arena_fini(&arena);
}

static void a_key_is_added_once(void **state)
{
	struct shk_arena arena = {0};
	struct shk_map map;
	uint32_t value = 0;

	(void)state;
	shk_map_init(&map, &arena, 2);
	assert_true(shk_map_add(&map, "a", 1));
	assert_false(shk_map_add(&map, "a", 2));
	assert_int_equal(map.n, 1);
	assert_true(shk_map_find(&map, "a", &value));
	assert_int_equal(value, 1);
	assert_true(shk_map_find(&map, "a", NULL));
	assert_true(shk_map_add(&map, "", UINT32_MAX));
	assert_true(shk_map_find(&map, "", &value));
	assert_true(value == UINT32_MAX);
	shk_arena_fini(&arena);
}

static void many_keys(void **state)
{
	static const size_t expected[] = {0, 1, 6, 7, 100, 5000, 6000};
	enum { KEYS = 5000 };

	(void)state;
	for (size_t i = 0; i < N(expected); i++) {
		struct shk_arena arena = {0};
		struct shk_map map;
		size_t slots_at_first;

		shk_map_init(&map, &arena, expected[i]);
		slots_at_first = map.n_slots;
		for (uint32_t k = 0; k < KEYS; k++)
			assert_true(shk_map_add(&map, shk_arena_printf(&arena, "node-%u", k), k));
		assert_int_equal(map.n, KEYS);
		assert_int_equal(map.n_slots & (map.n_slots - 1), 0);
		if (expected[i] >= KEYS)
			assert_int_equal(map.n_slots, slots_at_first);
		for (uint32_t k = 0; k < 2 * KEYS; k++) {
			const char *key = shk_arena_printf(&arena, "node-%u", k);
			uint32_t value = UINT32_MAX;

			assert_int_equal(shk_map_find(&map, key, &value), k < KEYS);
			assert_true(value == (k < KEYS ? k : UINT32_MAX));
		}
		shk_arena_fini(&arena);
	}
}

static void views_match_whole_keys_only(void **state)
{
	struct shk_arena arena = {0};
	struct shk_map map;
	uint32_t value = 0;

	(void)state;
	shk_map_init(&map, &arena, 0);
	shk_map_add(&map, "node", 3);
	assert_true(shk_map_find_sv(&map, (struct shk_sv){.data = "node/x", .len = 4}, &value));
	assert_int_equal(value, 3);
	assert_false(shk_map_find_sv(&map, (struct shk_sv){.data = "node", .len = 3}, NULL));
	assert_false(shk_map_find_sv(&map, (struct shk_sv){.data = "node\0", .len = 5}, NULL));
	shk_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_empty_map_finds_nothing),
	    cmocka_unit_test(a_key_is_added_once),
	    cmocka_unit_test(many_keys),
	    cmocka_unit_test(views_match_whole_keys_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
