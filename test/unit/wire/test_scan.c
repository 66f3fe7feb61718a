#include "wire.h"

#include "shikiri/wire/scan.h"

static const char *const cut_keys[] = {"managedFields", "images", NULL};

static const struct shk_scan_limits small = {
    .max_bytes = 64,
    .max_depth = 3,
    .max_depth_unread = 5,
    .max_tokens = 10,
    .cut_keys = cut_keys,
};

static const struct shk_scan_limits large = {
    .max_bytes = (size_t)64 << 20,
    .max_depth = 64,
    .max_depth_unread = 512,
    .max_tokens = 400000,
    .cut_keys = cut_keys,
};

static void test_accepts(void **state)
{
	static const char *const cases[] = {
	    "{}",
	    "[]",
	    " \t\r\n[ ] \n",
	    "null",
	    "true",
	    "false",
	    "0",
	    "-0",
	    "\"\"",
	    "1.5e-3",
	    "1E+9",
	    "9223372036854775807",
	    "-9223372036854775808",
	    "1e308",
	    "0e99999",
	    "1.7976931348623157e308",
	    "\"\\u0001\\uD83D\\uDE00\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
	    "\"gr\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80\x7F\"",
	    "{\"a\":{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}},\"b\":[]}",
	    "[1,[2,[3]],{\"x\":null}]",
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_error err;

		expect_ok(shk_scan(shk_sv(cases[i]), &large, NULL, &err), &err, cases[i]);
	}
}

static void test_refuses(void **state)
{
	static const struct {
		const char *text;
		const char *place;
		const char *words;
	} cases[] = {
	    {"", "line 1 column 1", "the text ends where a value belongs"},
	    {"  ", "line 1 column 3", "the text ends"},
	    {"nul", "line 1 column 1", "a value expected"},
	    {"True", "line 1 column 1", "a value expected"},
	    {"NaN", "line 1 column 1", "a value expected"},
	    {"'a'", "line 1 column 1", "a value expected"},
	    {"\xEF\xBB\xBF{}", "line 1 column 1", "a value expected"},
	    {"{} {}", "line 1 column 4", "the end of the text expected"},
	    {"[1,]", "line 1 column 4", "a value expected"},
	    {"[1 2]", "line 1 column 4", "',' or ']' expected"},
	    {"[1", "line 1 column 3", "the text ends where ',' or ']' belongs"},
	    {"{\"a\":1,}", "line 1 column 8", "a key in quotes expected"},
	    {"{a:1}", "line 1 column 2", "a key in quotes expected"},
	    {"{\"a\" 1}", "line 1 column 6", "':' expected"},
	    {"{\"a\":1 \"b\":2}", "line 1 column 8", "',' or '}' expected"},
	    {"{,}", "line 1 column 2", "a key in quotes expected"},
	    {"{\n \"a\":1,\n \"b\": x}", "line 3 column 7", "a value expected"},
	    {"\"abc", "line 1 column 1", "closing quote"},
	    {"\"a\nb\"", "line 1 column 1", "a control character"},
	    {"\"\\x\"", "line 1 column 1", "unknown escape"},
	    {"\"\\", "line 1 column 1", "unknown escape"},
	    {"\"\\u12\"", "line 1 column 1", "four hexadecimal digits"},
	    {"\"\\u12g4\"", "line 1 column 1", "four hexadecimal digits"},
	    {"\"\\u0000\"", "line 1 column 1", "\\u0000 is not allowed"},
	    {"{\"a\\u0000\":1}", "line 1 column 2", "\\u0000 is not allowed"},
	    {"\"\\uD800\"", "line 1 column 1", "half a surrogate pair"},
	    {"\"\\uDC00\"", "line 1 column 1", "half a surrogate pair"},
	    {"\"\\uD800\\u0041\"", "line 1 column 1", "half a surrogate pair"},
	    {"\"\\uD800xxxxxx\"", "line 1 column 1", "half a surrogate pair"},
	    {"\"\xFF\"", "line 1 column 1", "not valid UTF-8"},
	    {"\"\xC0\xAF\"", "line 1 column 1", "not valid UTF-8"},
	    {"\"\xE0\x80\x80\"", "line 1 column 1", "not valid UTF-8"},
	    {"\"\xED\xA0\x80\"", "line 1 column 1", "not valid UTF-8"},
	    {"\"\xF4\x90\x80\x80\"", "line 1 column 1", "not valid UTF-8"},
	    {"\"\xE2\x82\"", "line 1 column 1", "not valid UTF-8"},
	    {"\"\xE2\x82", "line 1 column 1", "not valid UTF-8"},
	    {"01", "line 1 column 1", "not a number"},
	    {"-", "line 1 column 1", "not a number"},
	    {"1.", "line 1 column 1", "not a number"},
	    {"1e", "line 1 column 1", "not a number"},
	    {"1e+", "line 1 column 1", "not a number"},
	    {"+1", "line 1 column 1", "a value expected"},
	    {".5", "line 1 column 1", "a value expected"},
	    {"9223372036854775808", "line 1 column 1", "more than 64 bits"},
	    {"-9223372036854775809", "line 1 column 1", "more than 64 bits"},
	    {"1e999", "line 1 column 1", "too large"},
	    {"{\"a\":1,\"b\":2,\"a\":3}", "line 1 column 14", "duplicate key \"a\""},
	    {"{\"a\":1,\"\\u0061\":3}", "line 1 column 8", "duplicate key \"a\""},
	    {"{\"\\u00fc\":1,\"\xC3\xBC\":3}", "line 1 column 13", "duplicate key"},
	    {"{\"x\":{\"a\":1,\"a\":2}}", "line 1 column 13", "duplicate key \"a\""},
	    {"{\"managedFields\":{\"a\":1,\"a\":2}}", "line 1 column 25", "duplicate key \"a\""},
	    {"{\"\":1,\"\":2}", "line 1 column 7", "duplicate key \"\""},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_error err = {0};
		enum shk_status status = shk_scan(shk_sv(cases[i].text), &large, NULL, &err);

		expect_error(status, &err, SHK_E_INPUT, cases[i].place, cases[i].words,
			     cases[i].text);
	}
}

static void test_limits(void **state)
{
	static const struct {
		const char *text;
		enum shk_status status;
		const char *words;
	} cases[] = {
	    {"[[[]]]", SHK_OK, ""},
	    {"[[[[]]]]", SHK_E_LIMIT, "nested more than 3 deep"},
	    {"{\"images\":[[[[]]]]}", SHK_OK, ""},
	    {"{\"images\":[[[[[]]]]]}", SHK_E_LIMIT, "nested more than 5 deep"},
	    {"[1,2,3,4,5,6,7,8,9]", SHK_OK, ""},
	    {"[1,2,3,4,5,6,7,8,9,10]", SHK_E_LIMIT, "more than 10 values and keys"},
	    {"{\"a\":1,\"b\":2,\"c\":3,\"d\":4}", SHK_OK, ""},
	    {"{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}", SHK_E_LIMIT, "more than 10 values"},
	    {"{\"images\":[1,2,3,4,5,6,7,8,9]}", SHK_E_LIMIT, "more than 10 values"},
	    {"[                                                              ]", SHK_OK, ""},
	    {"[                                                               ]", SHK_E_LIMIT,
	     "more than 64 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_error err = {0};
		enum shk_status status = shk_scan(shk_sv(cases[i].text), &small, NULL, &err);

		if (cases[i].status)
			expect_error(status, &err, cases[i].status, "", cases[i].words,
				     cases[i].text);
		else
			expect_ok(status, &err, cases[i].text);
	}
}

static void test_depth_of_a_thousand(void **state)
{
	static const struct {
		const char *before;
		size_t depth;
		enum shk_status status;
	} cases[] = {
	    {"[", 63, SHK_OK},
	    {"[", 64, SHK_E_LIMIT},
	    {"{\"managedFields\":", 511, SHK_OK},
	    {"{\"managedFields\":", 512, SHK_E_LIMIT},
	    {"[", 100000, SHK_E_LIMIT},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_buf text = {0};
		struct shk_error err;

		shk_buf_puts(&text, cases[i].before);
		repeat(&text, "[", cases[i].depth);
		repeat(&text, "]", cases[i].depth);
		shk_buf_puts(&text, cases[i].before[0] == '{' ? "}" : "]");
		assert_int_equal(shk_scan(buf_sv(&text), &large, NULL, &err), cases[i].status);
		shk_buf_fini(&text);
	}
}

static void test_cuts(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
	    {"{\"managedFields\":[1]}", "{}"},
	    {"{\"managedFields\":[1],\"a\":1}", "{\"a\":1}"},
	    {"{\"a\":1,\"managedFields\":[1]}", "{\"a\":1}"},
	    {"{\"a\":1,\"managedFields\":[1],\"b\":2}", "{\"a\":1,\"b\":2}"},
	    {"{\"managedFields\":[1],\"images\":{},\"b\":2}", "{\"b\":2}"},
	    {"{\"a\":1,\"managedFields\":[],\"images\":{},\"b\":2}", "{\"a\":1,\"b\":2}"},
	    {"{\"managedFields\":[],\"a\":1,\"images\":{}}", "{\"a\":1}"},
	    {"{\"managedFields\":[],\"a\":1,\"images\":{},\"b\":2}", "{\"a\":1,\"b\":2}"},
	    {"{ \"managedFields\" : [ 1 ] , \"a\" : 1 }", "{\"a\" : 1 }"},
	    {"[{\"images\":[]},{\"x\":{\"images\":[{\"images\":[]}],\"y\":1}}]",
	     "[{},{\"x\":{\"y\":1}}]"},
	    {"{\"labels\":{\"images\":\"x\",\"managedFields\":1}}",
	     "{\"labels\":{\"images\":\"x\",\"managedFields\":1}}"},
	    {"{\"managed\\u0046ields\":[1],\"a\":1}", "{\"a\":1}"},
	    {"  [1]  ", "[1]"},
	    {"\"images\"", "\"images\""},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_buf out = {0};
		struct shk_error err;

		expect_ok(shk_scan(shk_sv(cases[i].text), &large, &out, &err), &err, cases[i].text);
		assert_string_equal(out.data, cases[i].expected);
		shk_buf_fini(&out);
	}
}

static void test_out_is_appended_to(void **state)
{
	struct shk_buf out = {0};
	struct shk_error err;

	(void)state;
	shk_buf_puts(&out, "before:");
	expect_ok(shk_scan(shk_sv("{\"a\":[1,2]}"), &large, &out, &err), &err, "");
	assert_string_equal(out.data, "before:{\"a\":[1,2]}");
	shk_buf_fini(&out);
}

/* Objects of more keys than are compared one by one, nested, with the duplicate anywhere. */
static void test_many_keys(void **state)
{
	enum { MANY = 100000 };
	struct shk_scan_limits limits = large;
	static const struct {
		size_t first, second; /* positions that get the same key */
	} cases[] = {{MANY, MANY}, {0, MANY - 1}, {50000, 50001}, {31, 32}, {0, 33}};

	(void)state;
	limits.max_tokens = (size_t)10 * MANY;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_buf text = {0};
		struct shk_error err;

		shk_buf_puts(&text, "{\"outer\":{");
		for (size_t k = 0; k < MANY; k++) {
			size_t key = k == cases[i].second ? cases[i].first : k;

			shk_buf_printf(&text, "%s\"key-%zu\":{\"key-1\":%zu}", k > 0 ? "," : "",
				       key, k);
		}
		shk_buf_puts(&text, "},\"after\":1}");

		enum shk_status status = shk_scan(buf_sv(&text), &limits, NULL, &err);

		assert_int_equal(status, cases[i].first == MANY ? SHK_OK : SHK_E_INPUT);
		if (status)
			assert_non_null(strstr(err.text, "duplicate key \"key-"));
		shk_buf_fini(&text);
	}
}

static void test_400k_tokens(void **state)
{
	struct shk_buf text = {0};
	struct shk_error err;

	(void)state;
	shk_buf_puts(&text, "[0");
	repeat(&text, ",0", 399998);
	shk_buf_puts(&text, "]");
	assert_int_equal(shk_scan(buf_sv(&text), &shk_scan_extender, NULL, &err), SHK_OK);
	text.data[text.len - 1] = ',';
	shk_buf_puts(&text, "0]");
	expect_error(shk_scan(buf_sv(&text), &shk_scan_extender, NULL, &err), &err, SHK_E_LIMIT, "",
		     "more than 400000 values and keys", "400,001 tokens");
	shk_buf_fini(&text);
}

static void test_long_numbers(void **state)
{
	struct shk_buf text = {0};
	struct shk_error err;

	(void)state;
	shk_buf_puts(&text, "0.");
	repeat(&text, "1", 500);
	assert_int_equal(shk_scan(buf_sv(&text), &large, NULL, &err), SHK_OK);
	repeat(&text, "1", 500);
	expect_error(shk_scan(buf_sv(&text), &large, NULL, &err), &err, SHK_E_INPUT,
		     "line 1 column 1", "too long", "a number of 1,000 digits");
	shk_buf_fini(&text);
}

static void test_long_keys_are_cut_in_errors(void **state)
{
	struct shk_buf text = {0};
	struct shk_error err;

	(void)state;
	shk_buf_puts(&text, "{\"");
	repeat(&text, "\xC3\xBC", 100);
	shk_buf_puts(&text, "\":1,\"");
	repeat(&text, "\xC3\xBC", 100);
	shk_buf_puts(&text, "\":1}");
	assert_int_equal(shk_scan(buf_sv(&text), &large, NULL, &err), SHK_E_INPUT);
	assert_non_null(strstr(err.text, "\xC3\xBC...\""));
	shk_buf_fini(&text);
}

/* Every length of the small ones, every 37th of those with node objects. */
static void test_every_prefix_of_a_request(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(captures); i++) {
		struct shk_buf text = read_data(captures[i]);
		size_t step = text.len < 4096 ? 1 : 37;
		struct shk_error err;

		expect_ok(shk_scan(buf_sv(&text), &shk_scan_extender, NULL, &err), &err,
			  captures[i]);
		for (size_t len = 0; len < text.len; len += step) {
			struct shk_buf exact = {0}; /* so that reading past its end is noticed */

			shk_buf_add(&exact, text.data, len);
			assert_int_equal(shk_scan(buf_sv(&exact), &shk_scan_extender, NULL, &err),
					 SHK_E_INPUT);
			shk_buf_fini(&exact);
		}
		shk_buf_fini(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accepts),
	    cmocka_unit_test(test_refuses),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_depth_of_a_thousand),
	    cmocka_unit_test(test_cuts),
	    cmocka_unit_test(test_out_is_appended_to),
	    cmocka_unit_test(test_many_keys),
	    cmocka_unit_test(test_400k_tokens),
	    cmocka_unit_test(test_long_numbers),
	    cmocka_unit_test(test_long_keys_are_cut_in_errors),
	    cmocka_unit_test(test_every_prefix_of_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
