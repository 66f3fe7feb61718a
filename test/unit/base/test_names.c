#include "shikiri/base/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define X10  "xxxxxxxxxx"
#define X60  X10 X10 X10 X10 X10 X10
#define X250 X60 X60 X60 X60 X10

enum { LABEL = 1, SUBDOMAIN = 2, UID = 4, KEY = 8, VALUE = 16, NONE = 0 };

static const struct {
	const char *text;
	unsigned kinds;
} cases[] = {
    {"", VALUE},
    {"a", LABEL | SUBDOMAIN | UID | KEY | VALUE},
    {"0", LABEL | SUBDOMAIN | UID | KEY | VALUE},
    {"a-b", LABEL | SUBDOMAIN | UID | KEY | VALUE},
    {"a--0", LABEL | SUBDOMAIN | UID | KEY | VALUE},
    {"z9", LABEL | SUBDOMAIN | UID | KEY | VALUE},
    {"-", UID},
    {"-a", UID},
    {"a-", UID},
    {"A", UID | KEY | VALUE},
    {"aB", UID | KEY | VALUE},
    {"a_b", UID | KEY | VALUE},
    {"_a", UID},
    {"a_", UID},
    {".", UID},
    {".a", UID},
    {"a.", UID},
    {"a.b", SUBDOMAIN | UID | KEY | VALUE},
    {"a..b", UID | KEY | VALUE},
    {"a.-b", UID | KEY | VALUE},
    {"a-.b", UID | KEY | VALUE},
    {"a.B", UID | KEY | VALUE},
    {"a b", NONE},
    {" a", NONE},
    {"a\n", NONE},
    {"a\x7f", NONE},
    {"a\x1f", NONE},
    {"\xC3\xA9", NONE},
    {"a:b", UID},
    {"~!@#$%^&*()+={}[]|;'<>,?`", UID},
    {"a\"b", NONE},
    {"a\\b", NONE},
    {"a/b", KEY},
    {"example.com/A.b_c", KEY},
    {"example.com/", NONE},
    {"/b", NONE},
    {"/", NONE},
    {"a/b/c", NONE},
    {"A/b", NONE},
    {"a_b/c", NONE},
    {"a./c", NONE},
    {"a/-c", NONE},
    {"0e9d4b1c-6d1e-4d0a-8a8e-5d0b1f3c2a10", LABEL | SUBDOMAIN | UID | KEY | VALUE},
    {X60 "xxx", LABEL | SUBDOMAIN | UID | KEY | VALUE},
    {X60 "xxxx", SUBDOMAIN | UID},
    {X60 X60 "xxxxxxxx", SUBDOMAIN | UID},
    {X60 X60 "xxxxxxxxx", SUBDOMAIN},
    {X250 "xxx", SUBDOMAIN},
    {X250 "xxxx", NONE},
    {X250 "xxx/" X60 "xxx", KEY},
    {X250 "xxx/" X60 "xxxx", NONE},
    {X250 "xxxx/a", NONE},
};

static unsigned kinds_of(struct shk_sv text)
{
	return (shk_name_is_label(text) ? LABEL : 0U) |
	       (shk_name_is_subdomain(text) ? SUBDOMAIN : 0U) | (shk_name_is_uid(text) ? UID : 0U) |
	       (shk_name_is_label_key(text) ? KEY : 0U) |
	       (shk_name_is_label_value(text) ? VALUE : 0U);
}

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		if (kinds_of(shk_sv(cases[i].text)) != cases[i].kinds)
			print_error("\"%s\"\n", cases[i].text);
		assert_int_equal(kinds_of(shk_sv(cases[i].text)), cases[i].kinds);
	}
}

/* A terminator within the length is a byte like any other, and nothing beyond it is read. */
static void lengths_decide(void **state)
{
	(void)state;
	assert_int_equal(kinds_of((struct shk_sv){.data = "a\0b", .len = 3}), NONE);
	assert_int_equal(kinds_of((struct shk_sv){.data = "a\0", .len = 2}), NONE);
	assert_int_equal(kinds_of((struct shk_sv){.data = "\0", .len = 1}), NONE);
	assert_int_equal(kinds_of((struct shk_sv){.data = "a/", .len = 1}), kinds_of(shk_sv("a")));
	assert_int_equal(kinds_of((struct shk_sv){0}), VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names),
	    cmocka_unit_test(lengths_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
