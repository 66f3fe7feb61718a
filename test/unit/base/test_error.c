#include "shikiri/base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "death.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void fill_with(char *buf, size_t size, const char *unit)
{
	for (size_t i = 0; i + 1 < size; i++)
		buf[i] = unit[i % strlen(unit)];
	buf[size - 1] = '\0';
}

static void set_fills_text_and_clears_pointer(void **state)
{
	struct shk_error err = {.pointer = "/old", .text = "old"};

	(void)state;
	assert_int_equal(shk_error_set(&err, SHK_E_IO, "read %s: %d", "file", 5), SHK_E_IO);
	assert_int_equal(err.status, SHK_E_IO);
	assert_string_equal(err.text, "read file: 5");
	assert_string_equal(err.pointer, "");
}

static void at_keeps_the_place(void **state)
{
	struct shk_error err = {0};

	(void)state;
	assert_int_equal(shk_error_at(&err, SHK_E_INPUT, "/spec", "no %c", 'x'), SHK_E_INPUT);
	assert_string_equal(err.pointer, "/spec");
	assert_string_equal(err.text, "no x");
	assert_int_equal(shk_error_at(&err, SHK_E_LIMIT, NULL, "deep"), SHK_E_LIMIT);
	assert_string_equal(err.pointer, "");
}

static void arguments_may_be_the_error_itself(void **state)
{
	struct shk_error err = {.status = SHK_E_IO, .pointer = "/a", .text = "inner"};

	(void)state;
	shk_error_at(&err, SHK_E_INPUT, err.pointer, "outer (%s)", err.text);
	assert_string_equal(err.pointer, "/a");
	assert_string_equal(err.text, "outer (inner)");
	shk_error_wrap(&err, "%s", err.text);
	assert_string_equal(err.text, "outer (inner): outer (inner)");
	shk_error_under(&err, "%s", err.pointer);
	assert_string_equal(err.pointer, "/a/a");
}

static void wrap_and_under_prepend(void **state)
{
	struct shk_error err = {.status = SHK_E_BUSY, .pointer = "/name", .text = "taken"};

	(void)state;
	assert_int_equal(shk_error_wrap(&err, "bind %s", "pod"), SHK_E_BUSY);
	assert_string_equal(err.text, "bind pod: taken");
	assert_string_equal(err.pointer, "/name");
	assert_int_equal(shk_error_under(&err, "/items/%d", 3), SHK_E_BUSY);
	assert_string_equal(err.pointer, "/items/3/name");
	assert_string_equal(err.text, "bind pod: taken");
}

static void long_texts_lose_their_end(void **state)
{
	struct shk_error err = {0};
	char text[600];

	(void)state;
	fill_with(text, sizeof text, "x");
	shk_error_at(&err, SHK_E_INPUT, text, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	assert_int_equal(strlen(err.pointer), sizeof err.pointer - 1);
	shk_error_wrap(&err, "context");
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	assert_memory_equal(err.text, "context: xxx", 12);
	shk_error_under(&err, "/a/");
	assert_int_equal(strlen(err.pointer), sizeof err.pointer - 1);
	assert_memory_equal(err.pointer, "/a/xxx", 6);
	shk_error_wrap(&err, "%s", text);
	assert_memory_equal(err.text, text, sizeof err.text - 1);
	shk_error_under(&err, "%s", text);
	assert_memory_equal(err.pointer, text, sizeof err.pointer - 1);
}

/* The longest start of the text that fits and holds no torn sequence. */
static void check_cut(const char *unit, size_t offset)
{
	struct shk_error err = {0};
	char text[600];
	char printed[64];
	size_t whole = strlen(unit);

	fill_with(text, sizeof text, "x");
	fill_with(text + offset, sizeof text - offset, unit);
	shk_error_at(&err, SHK_E_INPUT, text, "%s", text);
	assert_int_equal((strlen(err.text) - offset) % whole, 0);
	assert_int_equal((strlen(err.pointer) - offset) % whole, 0);
	assert_true(strlen(err.text) + whole >= sizeof err.text);
	shk_error_wrap(&err, "x");
	assert_int_equal((strlen(err.text) - strlen("x: ") - offset) % whole, 0);

	shk_error_set(&err, SHK_E_INPUT, "%s", text);
	shk_error_print(&err, printed, sizeof printed);
	assert_int_equal((strlen(printed) - offset) % whole, 0);
	assert_true(strlen(printed) + whole >= sizeof printed);
}

static void cuts_never_tear_utf8(void **state)
{
	static const char *const units[] = {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};

	(void)state;
	for (size_t i = 0; i < N(units); i++) {
		for (size_t offset = 0; offset < 4; offset++)
			check_cut(units[i], offset);
	}
}

static void a_text_of_stray_tails_is_left_alone(void **state)
{
	struct shk_error err = {0};
	char text[600];

	(void)state;
	fill_with(text, sizeof text, "\x80");
	shk_error_set(&err, SHK_E_INPUT, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void print_joins_place_and_text(void **state)
{
	static const struct {
		const char *pointer;
		const char *text;
		size_t size;
		const char *expected;
	} cases[] = {
	    {"", "text", 64, "text"},
	    {"/a", "text", 64, "/a: text"},
	    {"/a", "text", 6, "/a: t"},
	    {"/a", "text", 1, ""},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_error err = {0};
		char buf[64];

		shk_error_at(&err, SHK_E_INPUT, cases[i].pointer, "%s", cases[i].text);
		assert_ptr_equal(shk_error_print(&err, buf, cases[i].size), buf);
		assert_string_equal(buf, cases[i].expected);
	}
}

static void set_ok(void)
{
	struct shk_error err = {0};

	shk_error_set(&err, SHK_OK, "fine");
}

static void ok_is_no_error(void **state)
{
	(void)state;
	assert_true(dies(set_ok));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(set_fills_text_and_clears_pointer),
	    cmocka_unit_test(at_keeps_the_place),
	    cmocka_unit_test(arguments_may_be_the_error_itself),
	    cmocka_unit_test(wrap_and_under_prepend),
	    cmocka_unit_test(long_texts_lose_their_end),
	    cmocka_unit_test(cuts_never_tear_utf8),
	    cmocka_unit_test(a_text_of_stray_tails_is_left_alone),
	    cmocka_unit_test(print_joins_place_and_text),
	    cmocka_unit_test(ok_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
