#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "guard.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool judge(const char *method, const struct shk_header *headers, size_t n,
		  struct shk_framing *framing, struct shk_refusal *refusal)
{
	const struct shk_head head = {.method = method,
				      .uri = "/",
				      .version = "HTTP/1.1",
				      .headers = headers,
				      .n_headers = n};

	*framing = (struct shk_framing){0};
	*refusal = (struct shk_refusal){0};
	return shk_guard_framing(&head, framing, refusal);
}

static void framing_accepts_one_length(void **state)
{
	const struct shk_header headers[] = {{"Host", "a"}, {"content-LENGTH", "17"}};
	struct shk_framing framing;
	struct shk_refusal refusal;

	(void)state;
	assert_true(judge("POST", headers, COUNT(headers), &framing, &refusal));
	assert_true(framing.has_length);
	assert_int_equal(framing.length, 17);
	assert_true(judge("GET", headers, 1, &framing, &refusal));
	assert_false(framing.has_length);
}

static void framing_saturates_huge_lengths(void **state)
{
	const struct shk_header headers[] = {{"Host", "a"},
					     {"Content-Length", "99999999999999999999"}};
	struct shk_framing framing;
	struct shk_refusal refusal;

	(void)state;
	assert_true(judge("POST", headers, COUNT(headers), &framing, &refusal));
	assert_true(framing.length == UINT64_MAX);
}

struct framing_case {
	struct shk_header headers[4];
	unsigned status;
};

static void framing_refuses(void **state)
{
	static const struct framing_case cases[] = {
	    {{{"Content-Length", "1"}}, 400}, /* no Host */
	    {{{"Host", "a"}, {"Host", "a"}}, 400},
	    {{{"Host", "a"}, {"Content-Length", "5"}, {"Content-Length", "5"}}, 400},
	    {{{"Host", "a"}, {"Content-Length", "5"}, {"CONTENT-length", "6"}}, 400},
	    {{{"Host", "a"}, {"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}}, 400},
	    {{{"Host", "a"}, {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "x"}}, 400},
	    {{{"Host", "a"}, {"Transfer-Encoding", "Chunked"}}, 411},
	    {{{"Host", "a"}, {"Transfer-Encoding", "gzip"}}, 501},
	    {{{"Host", "a"}, {"Transfer-Encoding", "gzip, chunked"}}, 501},
	    {{{"Host", "a"}, {"Transfer-Encoding", ""}}, 501},
	    {{{"Host", "a"}, {"Authorization", "x"}, {"authorization", "x"}}, 400},
	    {{{"Host", "a"}, {"X ", "1"}}, 400},
	    {{{"Host", "a"}, {"", "1"}}, 400},
	    {{{"Host", "a"}, {"X\xc3\xa4", "1"}}, 400},
	    {{{"Host", "a"}, {"X", "a\rb"}}, 400},
	    {{{"Host", "a"}, {"Content-Length", ""}}, 400},
	    {{{"Host", "a"}, {"Content-Length", "5 "}}, 400},
	    {{{"Host", "a"}, {"Content-Length", "-5"}}, 400},
	    {{{"Host", "a"}, {"Content-Length", "5,5"}}, 400},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct shk_framing framing;
		struct shk_refusal refusal;
		size_t n = 0;

		while (n < COUNT(cases[i].headers) && cases[i].headers[n].name)
			n++;
		assert_false(judge("POST", cases[i].headers, n, &framing, &refusal));
		assert_int_equal(refusal.status, cases[i].status);
		assert_int_equal(refusal.why, SHK_REJECTED_FRAMING);
		assert_non_null(refusal.detail);
	}
}

static void framing_refuses_torn_heads(void **state)
{
	const struct shk_header host = {"Host", "a"};
	const struct shk_head head = {.method = "GET",
				      .uri = "/",
				      .version = "HTTP/1.1",
				      .headers = &host,
				      .n_headers = 1,
				      .is_torn = true};
	struct shk_framing framing;
	struct shk_refusal refusal;

	(void)state;
	assert_false(shk_guard_framing(&head, &framing, &refusal));
	assert_int_equal(refusal.status, 400);
}

static void framing_refuses_bodies_of_get(void **state)
{
	const struct shk_header headers[] = {{"Host", "a"}, {"Content-Length", "1"}};
	const struct shk_header none[] = {{"Host", "a"}, {"Content-Length", "0"}};
	struct shk_framing framing;
	struct shk_refusal refusal;

	(void)state;
	assert_false(judge("GET", headers, COUNT(headers), &framing, &refusal));
	assert_false(judge("HEAD", headers, COUNT(headers), &framing, &refusal));
	assert_true(judge("DELETE", headers, COUNT(headers), &framing, &refusal));
	assert_true(judge("GET", none, COUNT(none), &framing, &refusal));
}

static void framing_lets_http_1_0_go_without_host(void **state)
{
	const struct shk_head head = {.method = "GET", .uri = "/", .version = "HTTP/1.0"};
	struct shk_framing framing;
	struct shk_refusal refusal;

	(void)state;
	assert_true(shk_guard_framing(&head, &framing, &refusal));
}

struct path_case {
	const char *uri;
	const char *path; /* NULL: refused */
};

static void path_is_decoded_or_refused(void **state)
{
	static const struct path_case cases[] = {
	    {"/", "/"},
	    {"/a/b?c=/../d", "/a/b"},
	    {"/a%20b", "/a b"},
	    {"/a%3Ab%25", "/a:b%"},
	    {"/%c3%a4", "/\xc3\xa4"},
	    {"/a/", "/a/"},
	    {"/...", "/..."},
	    {"/.a", "/.a"},
	    {"/a..b", "/a..b"},
	    {"", NULL},
	    {"a", NULL},
	    {"*", NULL},
	    {"http://a/b", NULL},
	    {"//", NULL},
	    {"//a", NULL},
	    {"/a//b", NULL},
	    {"/.", NULL},
	    {"/..", NULL},
	    {"/a/..", NULL},
	    {"/a/./b", NULL},
	    {"/%2e", NULL},
	    {"/%2E%2e/x", NULL},
	    {"/a%2fb", NULL},
	    {"/a%2Fb", NULL},
	    {"/a%5cb", NULL},
	    {"/a%00", NULL},
	    {"/a%0a", NULL},
	    {"/a%7f", NULL},
	    {"/a%", NULL},
	    {"/a%4", NULL},
	    {"/a%4g", NULL},
	    {"/a%?4", NULL},
	    {"/a b", NULL},
	    {"/a\x01", NULL},
	    {"/a\xc3\xa4", NULL},
	    {"/a\\b", NULL},
	    {"/a#b", NULL},
	};
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct shk_refusal refusal = {0};
		const char *path = NULL;
		bool is_fine = shk_guard_path(cases[i].uri, &arena, &path, &refusal);

		assert_int_equal(is_fine, cases[i].path != NULL);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_int_equal(refusal.status, 400);
	}
	shk_arena_fini(&arena);
}

static void query_is_decoded(void **state)
{
	const struct shk_param *params;
	struct shk_refusal refusal;
	struct shk_arena arena;
	size_t n;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_true(
	    shk_guard_query("/a?x=1&verbose&&y=a%20b+c&z==&", &arena, &params, &n, &refusal));
	assert_int_equal(n, 4);
	assert_string_equal(params[0].name, "x");
	assert_string_equal(params[0].value, "1");
	assert_string_equal(params[1].name, "verbose");
	assert_string_equal(params[1].value, "");
	assert_string_equal(params[2].value, "a b c");
	assert_string_equal(params[3].value, "=");
	assert_true(shk_guard_query("/a", &arena, &params, &n, &refusal));
	assert_int_equal(n, 0);
	assert_true(shk_guard_query("/a?", &arena, &params, &n, &refusal));
	assert_int_equal(n, 0);
	shk_arena_fini(&arena);
}

static void query_is_refused(void **state)
{
	static const char *const uris[] = {"/?a=%00", "/?a=%",     "/?a=%4",   "/?a=%4&b=1",
					   "/?%0a=1", "/?a=1&a=1", "/?a&b&a=2"};
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	for (size_t i = 0; i < COUNT(uris); i++) {
		const struct shk_param *params;
		struct shk_refusal refusal = {0};
		size_t n;

		assert_false(shk_guard_query(uris[i], &arena, &params, &n, &refusal));
		assert_int_equal(refusal.status, 400);
	}
	shk_arena_fini(&arena);
}

static void query_has_a_limit(void **state)
{
	char uri[8 * (SHK_GUARD_MAX_PARAMS + 2)] = "/?";
	const struct shk_param *params;
	struct shk_refusal refusal;
	struct shk_arena arena;
	size_t len = 2;
	size_t n;

	(void)state;
	shk_arena_init(&arena, 0);
	for (int i = 0; i < SHK_GUARD_MAX_PARAMS; i++)
		len += (size_t)snprintf(uri + len, sizeof uri - len, "p%d&", i);
	assert_true(shk_guard_query(uri, &arena, &params, &n, &refusal));
	assert_int_equal(n, SHK_GUARD_MAX_PARAMS);
	(void)snprintf(uri + len, sizeof uri - len, "more");
	assert_false(shk_guard_query(uri, &arena, &params, &n, &refusal));
	shk_arena_fini(&arena);
}

static void request_ids_are_harmless(void **state)
{
	char longest[66];

	(void)state;
	memset(longest, 'a', sizeof longest);
	longest[65] = '\0';
	assert_false(shk_guard_is_request_id(longest));
	longest[64] = '\0';
	assert_true(shk_guard_is_request_id(longest));
	assert_true(shk_guard_is_request_id("A.b_c-9"));
	assert_false(shk_guard_is_request_id(""));
	assert_false(shk_guard_is_request_id("a b"));
	assert_false(shk_guard_is_request_id("a\"b"));
	assert_false(shk_guard_is_request_id("\xc3\xa4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(framing_accepts_one_length),
	    cmocka_unit_test(framing_saturates_huge_lengths),
	    cmocka_unit_test(framing_refuses),
	    cmocka_unit_test(framing_refuses_torn_heads),
	    cmocka_unit_test(framing_refuses_bodies_of_get),
	    cmocka_unit_test(framing_lets_http_1_0_go_without_host),
	    cmocka_unit_test(path_is_decoded_or_refused),
	    cmocka_unit_test(query_is_decoded),
	    cmocka_unit_test(query_is_refused),
	    cmocka_unit_test(query_has_a_limit),
	    cmocka_unit_test(request_ids_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
