/* Problems, ETags, flags and pages: what handlers build on, without a connection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "paging.h"

static void setup(struct shk_exchange *x)
{
	*x = (struct shk_exchange){.request_id = "r-1"};
	shk_arena_init(&x->arena, 0);
}

static void teardown(struct shk_exchange *x)
{
	shk_arena_fini(&x->arena);
	shk_buf_fini(&x->reply.body);
}

static void problems_are_complete(void **state)
{
	struct shk_exchange x;

	(void)state;
	setup(&x);
	shk_reply_problem(&x, SHK_PROBLEM_NOT_FOUND, "there is no tenant \"%s\"", "a");
	assert_int_equal(x.reply.status, 404);
	assert_string_equal(x.reply.type, "application/problem+json");
	assert_string_equal(x.reply.body.data,
			    "{\"type\":\"urn:shikiri:problem:not-found\","
			    "\"title\":\"There is no such object or path\",\"status\":404,"
			    "\"detail\":\"there is no tenant \\\"a\\\"\",\"code\":\"NotFound\","
			    "\"requestId\":\"r-1\"}");
	teardown(&x);
}

struct error_case {
	const char *pointer;
	enum shk_status status;
	unsigned http;
};

static void errors_become_problems(void **state)
{
	static const struct error_case cases[] = {
	    {"", SHK_E_INPUT, 400},
	    {"line 3", SHK_E_INPUT, 400},
	    {"/spec/quota", SHK_E_INPUT, 422},
	    {"document 2/spec", SHK_E_INPUT, 422},
	    {"", SHK_E_LIMIT, 413},
	    {"", SHK_E_NOT_FOUND, 404},
	    {"", SHK_E_CONFLICT, 409},
	    {"", SHK_E_BUSY, 503},
	    {"", SHK_E_UNAVAILABLE, 503},
	    {"", SHK_E_IO, 500},
	    {"", SHK_E_FULL, 500},
	    {"", SHK_E_CORRUPT, 500},
	    {"", SHK_E_CONFIG, 500},
	    {"", SHK_OK, 500},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct shk_exchange x;
		struct shk_error err = {.status = cases[i].status, .text = "why"};
		bool has_pointer = cases[i].pointer[0] != '\0';

		strncpy(err.pointer, cases[i].pointer, sizeof err.pointer - 1);
		setup(&x);
		shk_reply_error(&x, &err);
		assert_int_equal(x.reply.status, cases[i].http);
		assert_int_equal(strstr(x.reply.body.data, "\"errors\":[{\"pointer\":") != NULL,
				 has_pointer);
		assert_int_equal(x.reply.retry_after_s > 0, cases[i].http == 503);
		teardown(&x);
	}
}

static void stored_documents_have_an_etag(void **state)
{
	struct shk_exchange x;

	(void)state;
	setup(&x);
	shk_reply_etag(&x, 0);
	assert_null(x.reply.etag);
	shk_reply_etag(&x, 7);
	assert_string_equal(x.reply.etag, "\"7\"");
	teardown(&x);
}

static void media_types_are_told_apart(void **state)
{
	static const struct {
		const char *type;
		bool is_yaml;
	} cases[] = {
	    {"application/yaml", true},
	    {"Application/YAML; charset=utf-8", true},
	    {"text/yaml", true},
	    {"application/x-yaml", true},
	    {"application/yamlish", false},
	    {"application/json", false},
	    {"text/html, application/yaml", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct shk_header headers[] = {{"Content-Type", cases[i].type},
						     {"Accept", cases[i].type}};
		struct shk_exchange x;

		setup(&x);
		x.head.headers = headers;
		x.head.n_headers = 2;
		assert_int_equal(shk_exchange_is_yaml(&x), cases[i].is_yaml);
		assert_int_equal(shk_exchange_wants_yaml(&x), cases[i].is_yaml);
		teardown(&x);
	}
}

static void flags_are_true_or_false(void **state)
{
	static const struct {
		const char *text;
		bool is_fine;
		bool value;
	} cases[] = {{"true", true, true},
		     {"false", true, false},
		     {"", false, false},
		     {"1", false, false},
		     {"True", false, false}};
	struct shk_exchange x;
	bool value;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct shk_param param = {"prune", cases[i].text};

		setup(&x);
		x.query = &param;
		x.n_query = 1;
		assert_int_equal(shk_exchange_flag(&x, "prune", &value), cases[i].is_fine);
		if (cases[i].is_fine)
			assert_int_equal(value, cases[i].value);
		else
			assert_int_equal(x.reply.status, 400);
		assert_true(shk_exchange_flag(&x, "other", &value));
		assert_false(value);
		teardown(&x);
	}
}

/* Fills ret_names with the names of one page and returns the token of the next, "" at the end. */
static char *read_page(const char *limit, const char *token, char *ret_names, size_t size)
{
	static const char *const all[] = {"a", "b", "c", "d", "e"};
	const struct shk_param params[] = {{"limit", limit}, {"continue", token}};
	struct shk_exchange x;
	struct shk_page page;
	struct shk_json json;
	char *next;
	const char *at;

	setup(&x);
	x.query = params;
	x.n_query = 2;
	assert_true(shk_page_begin(&x, &page));
	shk_page_open(&x, &json);
	ret_names[0] = '\0';
	for (size_t i = 0; i < 5; i++) {
		if (!shk_page_takes(&page, all[i]))
			continue;
		shk_json_string(&json, NULL, all[i]);
		strncat(ret_names, all[i], size - strlen(ret_names) - 1);
	}
	shk_page_close(&x, &page, &json);
	at = strstr(x.reply.body.data, "\"continue\":\"") + strlen("\"continue\":\"");
	next = strndup(at, strcspn(at, "\""));
	teardown(&x);
	return next;
}

static void pages_follow_each_other(void **state)
{
	char names[16];
	char *token;
	char *next;

	(void)state;
	token = read_page("2", "", names, sizeof names);
	assert_string_equal(names, "ab");
	next = read_page("2", token, names, sizeof names);
	free(token);
	assert_string_equal(names, "cd");
	token = read_page("2", next, names, sizeof names);
	free(next);
	assert_string_equal(names, "e");
	assert_string_equal(token, "");
	free(token);
	token = read_page("5", "", names, sizeof names);
	assert_string_equal(names, "abcde");
	assert_string_equal(token, "");
	free(token);
}

static void bad_pages_are_refused(void **state)
{
	static const struct shk_param cases[] = {
	    {"limit", "0"},      {"limit", "1001"},   {"limit", "-1"},      {"limit", "many"},
	    {"limit", ""},       {"continue", "x"},   {"continue", "1"},    {"continue", "16"},
	    {"continue", "261"}, {"continue", "16g"}, {"continue", "1616"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct shk_exchange x;
		struct shk_page page;

		setup(&x);
		x.query = &cases[i];
		x.n_query = 1;
		assert_false(shk_page_begin(&x, &page));
		assert_int_equal(x.reply.status, 400);
		teardown(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(problems_are_complete),
	    cmocka_unit_test(errors_become_problems),
	    cmocka_unit_test(stored_documents_have_an_etag),
	    cmocka_unit_test(media_types_are_told_apart),
	    cmocka_unit_test(flags_are_true_or_false),
	    cmocka_unit_test(pages_follow_each_other),
	    cmocka_unit_test(bad_pages_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
