#include "shikiri/base/arena.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "death.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static bool is_zero(const unsigned char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (data[i] != 0)
			return false;
	}
	return true;
}

static unsigned char *take_and_dirty(struct shk_arena *arena, size_t size)
{
	unsigned char *data = shk_arena_alloc(arena, size);

	assert_non_null(data);
	assert_int_equal((uintptr_t)data % alignof(max_align_t), 0);
	assert_true(is_zero(data, size));
	memset(data, 0xA5, size);
	return data;
}

static void memory_is_aligned_zeroed_and_apart(void **state)
{
	static const size_t first_sizes[] = {0, 1, 16, 100, 4096, (size_t)1 << 20, (size_t)3 << 20};
	static const size_t sizes[] = {0,     1, 15,      16, 17, 1000,  5000,
				       70000, 1, 2000000, 1,  0,  900000};

	(void)state;
	for (size_t i = 0; i < N(first_sizes); i++) {
		struct shk_arena arena;
		unsigned char *taken[N(sizes)];

		shk_arena_init(&arena, first_sizes[i]);
		assert_null(arena.head);
		for (size_t k = 0; k < N(sizes); k++)
			taken[k] = take_and_dirty(&arena, sizes[k]);
		for (size_t k = 0; k < N(sizes); k++) {
			for (size_t byte = 0; byte < sizes[k]; byte++)
				assert_int_equal(taken[k][byte], 0xA5);
		}
		shk_arena_fini(&arena);
		assert_null(arena.head);
	}
}

static void small_requests_share_a_block(void **state)
{
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 64);
	take_and_dirty(&arena, 16);

	struct shk_arena_block *first = arena.head;

	take_and_dirty(&arena, 48);
	assert_ptr_equal(arena.head, first);
	take_and_dirty(&arena, 1);
	assert_ptr_not_equal(arena.head, first);

	struct shk_arena_block *second = arena.head;

	take_and_dirty(&arena, 112); /* 128 in all: the second block has doubled */
	assert_ptr_equal(arena.head, second);
	take_and_dirty(&arena, 100000);
	assert_ptr_equal(arena.head, second);
	shk_arena_fini(&arena);
}

static void blocks_stop_growing_at_a_mebibyte(void **state)
{
	const size_t mebibyte = (size_t)1 << 20;
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, mebibyte * 2 / 3);
	take_and_dirty(&arena, mebibyte / 2);
	take_and_dirty(&arena, mebibyte);

	struct shk_arena_block *full = arena.head;

	take_and_dirty(&arena, 1);
	assert_ptr_not_equal(arena.head, full);
	take_and_dirty(&arena, mebibyte - 16);

	struct shk_arena_block *full_again = arena.head;

	take_and_dirty(&arena, 1);
	assert_ptr_not_equal(arena.head, full_again);
	shk_arena_fini(&arena);
}

static void used_counts_what_was_handed_out(void **state)
{
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_int_equal(arena.used, 0);
	shk_arena_alloc(&arena, 1);
	assert_int_equal(arena.used, 16);
	shk_arena_alloc(&arena, 10000);
	assert_int_equal(arena.used, 10016);
	shk_arena_reset(&arena);
	assert_int_equal(arena.used, 0);
	shk_arena_alloc(&arena, 32);
	shk_arena_fini(&arena);
	assert_int_equal(arena.used, 0);
}

/* Each list of requests, then a reset: the block of the largest is the one that stays. */
static void reset_keeps_the_largest_block(void **state)
{
	static const size_t requests[][4] = {
	    {1},
	    {5000},
	    {1, 1, 50000, 1},
	    {50000, 1, 4096, 4096},
	    {1, 60000, 50000, 70000},
	    {4096, 4096, 4096, 4096},
	};

	(void)state;
	for (size_t i = 0; i < N(requests); i++) {
		struct shk_arena arena;
		size_t largest = 0;

		shk_arena_init(&arena, 0);
		for (size_t k = 0; k < 4; k++) {
			take_and_dirty(&arena, requests[i][k]);
			largest = requests[i][k] > largest ? requests[i][k] : largest;
		}
		shk_arena_reset(&arena);

		struct shk_arena_block *kept = arena.head;

		assert_non_null(kept);
		take_and_dirty(&arena, largest);
		assert_ptr_equal(arena.head, kept);
		take_and_dirty(&arena, 300000);
		shk_arena_reset(&arena);
		take_and_dirty(&arena, 300000);
		shk_arena_fini(&arena);
	}
}

static void zeroed_and_finished_arenas_work(void **state)
{
	struct shk_arena arena = {0};

	(void)state;
	shk_arena_fini(&arena);
	shk_arena_reset(&arena);
	assert_null(arena.head);
	take_and_dirty(&arena, 10);
	shk_arena_fini(&arena);
	take_and_dirty(&arena, 10);
	shk_arena_fini(&arena);
}

static void typed_helpers(void **state)
{
	struct shk_arena arena = {0};

	(void)state;

	int *one = SHK_NEW(&arena, int);
	uint64_t *many = SHK_NEW_ARRAY(&arena, 100, uint64_t);

	assert_int_equal(*one, 0);
	assert_true(is_zero((unsigned char *)many, 800));
	assert_non_null(SHK_NEW_ARRAY(&arena, 0, int));
	shk_arena_fini(&arena);
}

static void strings_are_copied(void **state)
{
	struct shk_arena arena = {0};
	char text[] = "text";

	(void)state;

	char *copy = shk_arena_strdup(&arena, text);
	char *part = shk_arena_strndup(&arena, text, 2);
	char *inner = shk_arena_strndup(&arena, "a\0b", 3);

	text[0] = 'T';
	assert_string_equal(copy, "text");
	assert_string_equal(part, "te");
	assert_memory_equal(inner, "a\0b", 4);
	assert_null(shk_arena_strdup(&arena, NULL));
	assert_string_equal(shk_arena_strndup(&arena, NULL, 0), "");
	assert_string_equal(shk_arena_printf(&arena, "%s-%d", "node", 7), "node-7");
	assert_string_equal(shk_arena_printf(&arena, "%s", ""), "");
	assert_int_equal(strlen(shk_arena_printf(&arena, "%09999d", 0)), 9999);
	shk_arena_fini(&arena);
}

/* Sizes that the compiler can't see through, or it would warn. */
static volatile size_t huge = SIZE_MAX / 2;

static void ask_too_much(void)
{
	struct shk_arena arena = {0};

	shk_arena_alloc(&arena, huge - 15);
}

static void ask_beyond_addresses(void)
{
	struct shk_arena arena = {0};

	shk_arena_alloc(&arena, huge + 1);
}

static void overflow_an_array(void)
{
	struct shk_arena arena = {0};

	shk_arena_array(&arena, huge, 3);
}

static void overflow_a_string(void)
{
	struct shk_arena arena = {0};

	shk_arena_strndup(&arena, "", huge * 2 + 1);
}

static void impossible_sizes_abort(void **state)
{
	(void)state;
	assert_true(dies(ask_too_much));
	assert_true(dies(ask_beyond_addresses));
	assert_true(dies(overflow_an_array));
	assert_true(dies(overflow_a_string));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_is_aligned_zeroed_and_apart),
	    cmocka_unit_test(small_requests_share_a_block),
	    cmocka_unit_test(blocks_stop_growing_at_a_mebibyte),
	    cmocka_unit_test(used_counts_what_was_handed_out),
	    cmocka_unit_test(reset_keeps_the_largest_block),
	    cmocka_unit_test(zeroed_and_finished_arenas_work),
	    cmocka_unit_test(typed_helpers),
	    cmocka_unit_test(strings_are_copied),
	    cmocka_unit_test(impossible_sizes_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
