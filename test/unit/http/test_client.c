#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "client.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct name_case {
	enum shk_client_name_kind kind;
	const char *text;
	size_t len;
	const char *accepted;
};

#define NAME(kind, text, accepted)                                                                 \
	{                                                                                          \
		SHK_CLIENT_NAME_##kind, text, sizeof(text) - 1, accepted                           \
	}

static bool is_named(const struct name_case *c)
{
	const struct shk_client_name name = {c->kind, {c->text, c->len}};

	return shk_client_is_named(&name, c->accepted);
}

static void equal_names_are_accepted(void **state)
{
	static const struct name_case cases[] = {
	    NAME(COMMON, "system:kube-scheduler", "system:kube-scheduler"),
	    NAME(DNS, "scheduler.kube-system.svc", "scheduler.kube-system.svc"),
	    NAME(DNS, "Scheduler.Example", "scheduler.eXample"),
	    NAME(DNS, "*.example", "*.example"),
	    NAME(URI, "spiffe://cluster/ns/kube-system", "spiffe://cluster/ns/kube-system"),
	    NAME(EMAIL, "ops@example.org", "ops@example.org"),
	    NAME(ADDRESS, "\x7f\x00\x00\x01", "127.0.0.1"),
	    NAME(ADDRESS, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", "::1"),
	    NAME(ADDRESS, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", "0:0:0:0:0:0:0:1"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (!is_named(&cases[i]))
			fail_msg("case %zu: %s", i, cases[i].accepted);
	}
}

static void other_names_are_not(void **state)
{
	static const struct name_case cases[] = {
	    NAME(COMMON, "system:kube-scheduler", "system:kube-schedule"),
	    NAME(COMMON, "system:kube-schedule", "system:kube-scheduler"),
	    NAME(COMMON, "System:kube-scheduler", "system:kube-scheduler"),
	    NAME(COMMON, "", ""),
	    NAME(COMMON, "\x7f\x00\x00\x01", "127.0.0.1"),
	    /* What a C string would end at. */
	    NAME(COMMON, "scheduler\0.evil.example", "scheduler"),
	    NAME(DNS, "scheduler\0.evil.example", "scheduler"),
	    NAME(DNS, "scheduler\0", "scheduler"),
	    NAME(DNS, "*.example", "scheduler.example"),
	    NAME(DNS, "example", "scheduler.example"),
	    NAME(DNS, "scheduler.example.", "scheduler.example"),
	    NAME(DNS, "", ""),
	    NAME(DNS, "127.0.0.1", "127.0.0.2"),
	    NAME(URI, "spiffe://cluster/a", "spiffe://CLUSTER/a"),
	    NAME(EMAIL, "Ops@example.org", "ops@example.org"),
	    NAME(ADDRESS, "\x7f\x00\x00\x01", "127.0.0.2"),
	    NAME(ADDRESS, "\x7f\x00\x00\x01", "scheduler"),
	    NAME(ADDRESS, "\x7f\x00\x00", "127.0.0.1"),
	    NAME(ADDRESS, "\x7f\x00\x00\x01\x00", "127.0.0.1"),
	    NAME(ADDRESS, "127.0.0.1", "127.0.0.1"),
	    NAME(ADDRESS, "", ""),
	    NAME(UNSET, "scheduler", "scheduler"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (is_named(&cases[i]))
			fail_msg("case %zu: %s", i, cases[i].accepted);
	}
}

static void nothing_stands_for_nobody(void **state)
{
	const enum shk_client_verdict zero = 0;

	(void)state;
	assert_string_equal(shk_client_verdict_name(zero), "none");
	assert_int_not_equal(zero, SHK_CLIENT_ADMITTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_names_are_accepted),
	    cmocka_unit_test(other_names_are_not),
	    cmocka_unit_test(nothing_stands_for_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
