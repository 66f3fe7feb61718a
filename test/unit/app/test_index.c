#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../src/app/index.h"

#define N 5000

static void put(struct shk_index *index, const char *name)
{
	struct shk_name_object *object = shk_name_object_new(name);

	shk_index_put(index, object->name, &object->head);
	shk_object_unref(&object->head);
}

static const char *name_of(int i, char *buf, size_t size)
{
	(void)snprintf(buf, size, "pod-%d", i);
	return buf;
}

static void finds_what_was_put(void **state)
{
	struct shk_index index = {0};
	char buf[32];

	(void)state;
	assert_null(shk_index_get(&index, "pod-1"));
	for (int i = 0; i < N; i++)
		put(&index, name_of(i, buf, sizeof buf));
	assert_int_equal(index.n, N);
	for (int i = 0; i < N; i++) {
		struct shk_name_object *object =
		    (struct shk_name_object *)shk_index_get(&index, name_of(i, buf, sizeof buf));

		assert_non_null(object);
		assert_string_equal(object->name, buf);
	}
	assert_null(shk_index_get(&index, "pod-5000"));
	shk_index_fini(&index);
	assert_int_equal(index.n, 0);
}

static void a_copy_keeps_what_it_had(void **state)
{
	struct shk_index index = {0};
	struct shk_index copy;
	char buf[32];

	(void)state;
	for (int i = 0; i < N; i++)
		put(&index, name_of(i, buf, sizeof buf));
	shk_index_copy(&copy, &index);
	for (int i = 0; i < N; i += 2)
		assert_true(shk_index_remove(&index, name_of(i, buf, sizeof buf)));
	put(&index, "new");
	assert_int_equal(copy.n, N);
	assert_int_equal(index.n, N / 2 + 1);
	assert_null(shk_index_get(&copy, "new"));
	for (int i = 0; i < N; i++) {
		(void)name_of(i, buf, sizeof buf);
		assert_non_null(shk_index_get(&copy, buf));
		assert_int_equal(shk_index_get(&index, buf) != NULL, i % 2 == 1);
	}
	shk_index_fini(&index);
	assert_non_null(shk_index_get(&copy, "pod-0"));
	shk_index_fini(&copy);
}

static void replaces_by_key(void **state)
{
	struct shk_index index = {0};
	struct shk_index copy;
	struct shk_object *first;

	(void)state;
	put(&index, "a");
	first = shk_index_get(&index, "a");
	shk_index_copy(&copy, &index);
	put(&index, "a");
	assert_int_equal(index.n, 1);
	assert_ptr_not_equal(shk_index_get(&index, "a"), first);
	assert_ptr_equal(shk_index_get(&copy, "a"), first);
	assert_false(shk_index_remove(&index, "b"));
	assert_true(shk_index_remove(&index, "a"));
	assert_int_equal(index.n, 0);
	shk_index_fini(&copy);
	shk_index_fini(&index);
}

/* Against an array, through many random changes with copies held and dropped. */
static void agrees_with_an_array(void **state)
{
	struct shk_index index = {0};
	struct shk_index held = {0};
	bool there[64] = {false};
	bool held_there[64] = {false};
	uint32_t seed = 1;
	char buf[32];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t at;

		seed = seed * 1664525 + 1013904223;
		at = (seed >> 8) % 64;
		(void)name_of((int)at, buf, sizeof buf);
		if ((seed >> 20) % 2)
			put(&index, buf);
		else
			assert_int_equal(shk_index_remove(&index, buf), there[at]);
		there[at] = (seed >> 20) % 2;
		if (i % 97 == 0) {
			shk_index_fini(&held);
			shk_index_copy(&held, &index);
			for (size_t j = 0; j < 64; j++)
				held_there[j] = there[j];
		}
		(void)name_of((int)((seed >> 14) % 64), buf, sizeof buf);
		assert_int_equal(shk_index_get(&held, buf) != NULL, held_there[(seed >> 14) % 64]);
	}
	shk_index_fini(&held);
	shk_index_fini(&index);
}

static void lists_all(void **state)
{
	struct shk_index index = {0};
	struct shk_arena arena;
	struct shk_object **all;

	(void)state;
	shk_arena_init(&arena, 0);
	put(&index, "a");
	put(&index, "b");
	all = shk_index_all(&index, &arena);
	assert_true(
	    (all[0] == shk_index_get(&index, "a") && all[1] == shk_index_get(&index, "b")) ||
	    (all[1] == shk_index_get(&index, "a") && all[0] == shk_index_get(&index, "b")));
	shk_index_fini(&index);
	shk_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_what_was_put), cmocka_unit_test(a_copy_keeps_what_it_had),
	    cmocka_unit_test(replaces_by_key),    cmocka_unit_test(agrees_with_an_array),
	    cmocka_unit_test(lists_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
