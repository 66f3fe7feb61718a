#include "shikiri/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "death.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void views(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		bool is_equal;
	} cases[] = {
	    {"", "", true},     {NULL, "", true},   {NULL, NULL, true},
	    {"a", "a", true},   {"a", "b", false},  {"a", "ab", false},
	    {"ab", "a", false}, {"a", NULL, false}, {"A", "a", false},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_sv a = shk_sv(cases[i].a);

		assert_int_equal(shk_sv_equals(a, shk_sv(cases[i].b)), cases[i].is_equal);
		assert_int_equal(shk_sv_is(a, cases[i].b), cases[i].is_equal);
	}
	assert_false(shk_sv_is((struct shk_sv){.data = "a\0b", .len = 3}, "a"));
	assert_true(shk_sv_is((struct shk_sv){.data = "abc", .len = 2}, "ab"));
}

static void strings_compare(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		bool is_equal;
	} cases[] = {
	    {NULL, NULL, true}, {NULL, "", false}, {"", NULL, false},  {"", "", true},
	    {"x", "x", true},   {"x", "y", false}, {"x", "xy", false},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		assert_int_equal(shk_str_equals(cases[i].a, cases[i].b), cases[i].is_equal);
}

static void starts_and_ends(void **state)
{
	static const struct {
		const char *text;
		const char *part;
		bool starts;
		bool ends;
	} cases[] = {
	    {"", "", true, true},       {"abc", "", true, true},    {"abc", "ab", true, false},
	    {"abc", "bc", false, true}, {"abc", "abc", true, true}, {"abc", "abcd", false, false},
	    {"", "a", false, false},    {"aba", "a", true, true},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		assert_int_equal(shk_str_starts(cases[i].text, cases[i].part), cases[i].starts);
		assert_int_equal(shk_str_ends(cases[i].text, cases[i].part), cases[i].ends);
	}
}

/* Published FNV-1a vectors: the values may never change, they order what users see. */
static void hash_is_fnv_1a(void **state)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} cases[] = {
	    {"", UINT64_C(0xcbf29ce484222325)},
	    {"a", UINT64_C(0xaf63dc4c8601ec8c)},
	    {"foobar", UINT64_C(0x85944171f73967e8)},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		assert_true(shk_str_hash(cases[i].text) == cases[i].hash);
		assert_true(shk_sv_hash(shk_sv(cases[i].text)) == cases[i].hash);
	}
	assert_true(shk_sv_hash((struct shk_sv){.data = "foobarbaz", .len = 6}) == cases[2].hash);
}

static void distances(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		unsigned distance;
	} cases[] = {
	    {"", "", 0},
	    {"", "a", 1},
	    {"", "12345678", 8},
	    {"", "123456789", 9},
	    {"a", "a", 0},
	    {"a", "b", 1},
	    {"kitten", "sitting", 3},
	    {"tenant", "tennant", 1},
	    {"weight", "wieght", 2},
	    {"abcdefgh", "ijklmnop", 8},
	    {"abcdefghi", "jklmnopqr", 9},
	    {"abcdefghijklmnop", "ijklmnopqrstuvwx", 9},
	    {"12345678abcdefgh", "abcdefgh", 8},
	    {"0abcdefghijklmnop", "abcdefghijklmnop1", 2},
	    {"minPriority", "maxPriority", 2},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		assert_int_equal(shk_str_distance(cases[i].a, cases[i].b), cases[i].distance);
		assert_int_equal(shk_str_distance(cases[i].b, cases[i].a), cases[i].distance);
	}
}

static size_t plain_distance(const char *a, const char *b)
{
	if (!*a || !*b)
		return strlen(a) + strlen(b);
	if (*a == *b)
		return plain_distance(a + 1, b + 1);

	size_t replaced = plain_distance(a + 1, b + 1);
	size_t removed = plain_distance(a + 1, b);
	size_t added = plain_distance(a, b + 1);
	size_t least = replaced < removed ? replaced : removed;

	return 1 + (least < added ? least : added);
}

/* Every pair of words of up to four letters out of two. */
static void distances_agree_with_the_definition(void **state)
{
	char words[31][5];
	size_t n = 0;

	(void)state;
	for (size_t len = 0; len <= 4; len++) {
		for (unsigned bits = 0; bits < 1U << len; bits++, n++) {
			memset(words[n], 0, sizeof words[n]);
			for (size_t i = 0; i < len; i++)
				words[n][i] = bits >> i & 1 ? 'b' : 'a';
		}
	}
	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++)
			assert_int_equal(shk_str_distance(words[a], words[b]),
					 plain_distance(words[a], words[b]));
	}
}

static void nearest(void **state)
{
	static const char *const names[] = {"filter", "prioritize", "bind", "bond"};
	static const struct {
		const char *text;
		const char *nearest;
	} cases[] = {
	    {"filtre", "filter"},       {"bin", "bind"}, {"bund", "bind"},     {"bond", "bond"},
	    {"priority", "prioritize"}, {"pri", NULL},   {"preemption", NULL}, {"xxxter", "filter"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		const char *found = shk_str_nearest(cases[i].text, names, N(names));

		assert_true(shk_str_equals(found, cases[i].nearest));
	}
	assert_null(shk_str_nearest("a", NULL, 0));
}

static void sorting(void **state)
{
	const char *names[] = {"b", "", "ab", "a", "B"};
	static const char *const sorted[] = {"", "B", "a", "ab", "b"};

	(void)state;
	qsort(names, N(names), sizeof names[0], shk_str_compare);
	for (size_t i = 0; i < N(names); i++)
		assert_string_equal(names[i], sorted[i]);
}

static void buffer_grows_and_stays_terminated(void **state)
{
	struct shk_buf buf = {0};

	(void)state;
	shk_buf_fini(&buf);
	shk_buf_clear(&buf);
	assert_null(buf.data);
	shk_buf_add(&buf, NULL, 0);
	assert_string_equal(buf.data, "");
	shk_buf_puts(&buf, "ab");
	shk_buf_putc(&buf, 'c');
	shk_buf_printf(&buf, "%d%s", 1, "d");
	assert_string_equal(buf.data, "abc1d");
	assert_int_equal(buf.len, 5);
	shk_buf_add(&buf, "\0x", 2);
	assert_memory_equal(buf.data, "abc1d\0x", 8);

	char *memory = buf.data;

	shk_buf_clear(&buf);
	assert_ptr_equal(buf.data, memory);
	assert_string_equal(buf.data, "");
	assert_int_equal(buf.len, 0);
	shk_buf_fini(&buf);
	assert_null(buf.data);
	assert_int_equal(buf.cap, 0);
}

static void buffer_crosses_its_capacities(void **state)
{
	struct shk_buf buf = {0};

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		shk_buf_printf(&buf, "%03zu", i);
		assert_int_equal(buf.len, 3 * (i + 1));
		assert_int_equal(strlen(buf.data), buf.len);
		assert_true(buf.len < buf.cap);
	}
	assert_memory_equal(buf.data, "000001002", 9);
	assert_string_equal(buf.data + 2994, "998999");
	shk_buf_fini(&buf);
}

static void reserved_memory_does_not_move(void **state)
{
	struct shk_buf buf = {0};

	(void)state;
	shk_buf_reserve(&buf, 1000);
	assert_string_equal(buf.data, "");

	char *memory = buf.data;

	for (int i = 0; i < 1000; i++)
		shk_buf_putc(&buf, 'x');
	assert_ptr_equal(buf.data, memory);
	shk_buf_fini(&buf);
}

static volatile size_t huge = SIZE_MAX;

static void reserve_beyond_addresses(void)
{
	struct shk_buf buf = {0};

	shk_buf_reserve(&buf, huge);
}

static void reserve_too_much(void)
{
	struct shk_buf buf = {0};

	shk_buf_reserve(&buf, huge / 4 - 1);
}

static void impossible_sizes_abort(void **state)
{
	(void)state;
	assert_true(dies(reserve_beyond_addresses));
	assert_true(dies(reserve_too_much));
}

static void hex_digits_are_read_in_both_cases(void **state)
{
	(void)state;
	assert_int_equal(shk_hex_digit('0'), 0);
	assert_int_equal(shk_hex_digit('9'), 9);
	assert_int_equal(shk_hex_digit('a'), 10);
	assert_int_equal(shk_hex_digit('F'), 15);
	assert_int_equal(shk_hex_digit('g'), -1);
	assert_int_equal(shk_hex_digit('\0'), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hex_digits_are_read_in_both_cases),
	    cmocka_unit_test(views),
	    cmocka_unit_test(strings_compare),
	    cmocka_unit_test(starts_and_ends),
	    cmocka_unit_test(hash_is_fnv_1a),
	    cmocka_unit_test(distances),
	    cmocka_unit_test(distances_agree_with_the_definition),
	    cmocka_unit_test(nearest),
	    cmocka_unit_test(sorting),
	    cmocka_unit_test(buffer_grows_and_stays_terminated),
	    cmocka_unit_test(buffer_crosses_its_capacities),
	    cmocka_unit_test(reserved_memory_does_not_move),
	    cmocka_unit_test(impossible_sizes_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
