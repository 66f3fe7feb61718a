#include "wire.h"

#include "shikiri/wire/value.h"

static void check_print(void (*print)(const struct shk_value *, struct shk_buf *),
			const struct shk_value *value, const char *expected)
{
	struct shk_buf out = {0};

	print(value, &out);
	assert_string_equal(out.data, expected);
	shk_buf_fini(&out);
}

static struct shk_value *parse(const char *text)
{
	struct shk_error err;
	struct shk_value *value = NULL;

	expect_ok(shk_value_parse(shk_sv(text), &shk_scan_document, &value, &err), &err, text);
	return value;
}

static struct shk_value *parse_yaml(const char *text)
{
	struct shk_error err;
	struct shk_value *value = NULL;

	expect_ok(shk_value_parse_yaml(shk_sv(text), &value, &err), &err, text);
	return value;
}

static void test_reading(void **state)
{
	struct shk_value *root =
	    parse("{\"z\":[1,\"two\",{\"k\":true}],\"a\":{\"b\":{\"c\":\"deep\"}},"
		  "\"n\":null,\"i\":-7,\"f\":false,\"r\":1.5}");
	const struct shk_value *list = shk_value_get(root, "z");
	const char *key = NULL;

	(void)state;
	assert_true(shk_value_is_object(root));
	assert_true(shk_value_is_array(list));
	assert_int_equal(shk_value_size(root), 6);
	assert_int_equal(shk_value_size(list), 3);
	assert_int_equal(shk_value_int(shk_value_at(list, 0), 0), 1);
	assert_string_equal(shk_value_string(shk_value_at(list, 1)), "two");
	assert_true(shk_value_bool(shk_value_path(shk_value_at(list, 2), "k"), false));
	assert_null(shk_value_at(list, 3));
	assert_string_equal(shk_value_string_at(root, "a.b.c"), "deep");
	assert_string_equal(shk_value_string_at(root, "a.b"), "");
	assert_string_equal(shk_value_string_at(root, "a.x.c"), "");
	assert_string_equal(shk_value_string_at(root, "z.k"), "");
	assert_int_equal(shk_value_int(shk_value_get(root, "i"), 5), -7);
	assert_int_equal(shk_value_int(shk_value_get(root, "r"), 5), 5);
	assert_int_equal(shk_value_int(shk_value_get(root, "none"), 5), 5);
	assert_false(shk_value_bool(shk_value_get(root, "f"), true));
	assert_true(shk_value_bool(shk_value_get(root, "i"), true));
	assert_null(shk_value_string(shk_value_get(root, "n")));
	assert_null(shk_value_get(root, ""));
	assert_null(shk_value_get(root, "zz"));
	assert_non_null(shk_value_member(root, 0, &key));
	assert_string_equal(key, "a");
	assert_non_null(shk_value_member(root, 5, &key));
	assert_string_equal(key, "z");
	assert_null(shk_value_member(root, 6, &key));
	assert_null(shk_value_member(list, 0, &key));
	shk_value_free(root);
}

static void test_absent_values_are_harmless(void **state)
{
	const char *key = NULL;

	(void)state;
	assert_null(shk_value_get(NULL, "a"));
	assert_null(shk_value_path(NULL, "a.b"));
	assert_null(shk_value_at(NULL, 0));
	assert_null(shk_value_member(NULL, 0, &key));
	assert_null(shk_value_string(NULL));
	assert_string_equal(shk_value_string_at(NULL, "a"), "");
	assert_int_equal(shk_value_size(NULL), 0);
	assert_int_equal(shk_value_int(NULL, 3), 3);
	assert_true(shk_value_bool(NULL, true));
	assert_false(shk_value_is_array(NULL));
	assert_false(shk_value_is_object(NULL));
	shk_value_free(NULL);
}

static void test_canonical_form(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
	    {"{\"b\":1,\"a\":[ 1, 2 ],\"B\":{},\"\":null}",
	     "{\"\":null,\"B\":{},\"a\":[1,2],\"b\":1}"},
	    {"[]", "[]"},
	    {"{\"x\":\"\\u00fc\\n\"}", "{\"x\":\"\xC3\xBC\\n\"}"},
	    {"[true,false,-5,0.1,1e22,2.0,5e-324]",
	     "[true,false,-5,0.1,1e+22,2.0,4.94065645841247e-324]"},
	    {"\"s\"", "\"s\""},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_value *value = parse(cases[i].text);

		check_print(shk_value_print, value, cases[i].expected);
		shk_value_free(value);
	}
}

static void test_pretty_and_yaml(void **state)
{
	struct shk_value *value =
	    parse("{\"list\":[1,[],{\"a\":\"x y\",\"b\":{}},[2]],\"s\":\"yes\",\"t\":\"plain\","
		  "\"d\":\"2026-11-29\",\"e\":\"\",\"n\":null,\"1\":0.5,\"y\":\"y\"}");

	(void)state;
	check_print(shk_value_print_pretty, value,
		    "{\n  \"1\": 0.5,\n  \"d\": \"2026-11-29\",\n  \"e\": \"\",\n  \"list\": [\n"
		    "    1,\n    [],\n    {\n      \"a\": \"x y\",\n      \"b\": {}\n    },\n"
		    "    [\n      2\n    ]\n  ],\n  \"n\": null,\n  \"s\": \"yes\",\n"
		    "  \"t\": \"plain\",\n  \"y\": \"y\"\n}\n");
	check_print(shk_value_print_yaml, value,
		    "\"1\": 0.5\nd: \"2026-11-29\"\ne: \"\"\nlist:\n  - 1\n  - []\n"
		    "  - a: \"x y\"\n    b: {}\n  - - 2\n\"n\": null\ns: \"yes\"\nt: plain\n"
		    "\"y\": \"y\"\n");
	shk_value_free(value);
}

static void test_yaml_of_scalars(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {{"[]", "[]\n"}, {"{}", "{}\n"}, {"5", "5\n"}, {"\"a b\"", "\"a b\"\n"}};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_value *value = parse(cases[i].text);

		check_print(shk_value_print_yaml, value, cases[i].expected);
		shk_value_free(value);
	}
}

/* What is printed as YAML reads back as the same value. */
static void test_yaml_round_trip(void **state)
{
	static const char *const cases[] = {
	    "{\"a\":[1,{\"b\":[[],{},[1,[2,{\"c\":null}]]]},\"x\"],\"d\":{\"e\":{\"f\":\"~\"}}}",
	    "{\"on\":\"off\",\"null\":\"null\",\"0777\":\"0777\",\"<<\":\"=\",\"a: b\":\"- c #d\"}",
	    "{\"t\":\"line\\nline\\ttab \\\"q\\\" \\\\ \\u0001\\u00fc\",\"n\":-1.25,\"-\":\"1_0\"}",
	    "{\"\\u007f\":[\"\\u0080\\u0085\\u009f\\u00a0\",\"\\ud83d\\ude00\"]}",
	    "[\"\\u2027\\u2028\\u2029\\u202a\",\"\\ufefe\\ufeff\\uff00\"]",
	    "[\"\\ufffd\\ufffe\\uffff\"]",
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_value *value = parse(cases[i]);
		struct shk_buf expected = {0};
		struct shk_buf yaml = {0};

		shk_value_print(value, &expected);
		shk_value_print_yaml(value, &yaml);

		struct shk_value *back = parse_yaml(yaml.data);

		check_print(shk_value_print, shk_value_at(back, 0), expected.data);
		shk_value_free(back);
		shk_value_free(value);
		shk_buf_fini(&yaml);
		shk_buf_fini(&expected);
	}
}

static void test_yaml_scalars(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
	    {"a: null\nb: ~\nc:\nd: Null\ne: NULL\nf: nULL",
	     "{\"a\":null,\"b\":null,\"c\":null,\"d\":null,\"e\":null,\"f\":\"nULL\"}"},
	    {"[true, True, TRUE, yes, Yes, YES, on, On, ON]",
	     "[true,true,true,true,true,true,true,true,true]"},
	    {"[false, False, FALSE, no, No, NO, off, Off, OFF]",
	     "[false,false,false,false,false,false,false,false,false]"},
	    {"[y, Y, n, N, tRUE, yEs]", "[\"y\",\"Y\",\"n\",\"N\",\"tRUE\",\"yEs\"]"},
	    {"[0, -1, +12, 0x1F, 0o17, 0b101, 0777, -0x10, 1_000, 0x_ff]",
	     "[0,-1,12,31,15,5,511,-16,1000,255]"},
	    {"[.5, 1.5, 1e3, -2.5e-1, 1., 08, 1_0.5]", "[0.5,1.5,1000,-0.25,1,8,10.5]"},
	    {"[9223372036854775807, -9223372036854775808]",
	     "[9223372036854775807,-9223372036854775808]"},
	    {"[1e400, 0x, 0b2, 1.2.3, '-', 1e, --1, 12:30:45, 0xg]",
	     "[\"1e400\",\"0x\",\"0b2\",\"1.2.3\",\"-\",\"1e\",\"--1\",\"12:30:45\",\"0xg\"]"},
	    {"['1', \"true\", 'null', \"\", '']", "[\"1\",\"true\",\"null\",\"\",\"\"]"},
	    {"[2026-11-29, 2026-11-29T17:00:00Z, 1.0Gi, 100m, =, .]",
	     "[\"2026-11-29\",\"2026-11-29T17:00:00Z\",\"1.0Gi\",\"100m\",\"=\",\".\"]"},
	    {"a: |\n  x\n  y\nb: >\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\\n\"}"},
	    {"{yes: 1, 2: x, 'null': y}", "{\"2\":\"x\",\"null\":\"y\",\"yes\":1}"},
	    {"[1e22]", "[1e+22]"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_value *value = parse_yaml(cases[i].text);

		assert_int_equal(shk_value_size(value), 1);
		check_print(shk_value_print, shk_value_at(value, 0), cases[i].expected);
		shk_value_free(value);
	}
}

static void test_yaml_documents(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
	    {"", "[]"},
	    {"# only a comment\n", "[]"},
	    {"---\n---\na: 1\n---\n", "[{\"a\":1}]"},
	    {"a: 1\n---\nb: 2\n...\n---\n- c\n", "[{\"a\":1},{\"b\":2},[\"c\"]]"},
	    {"%YAML 1.1\n---\na: 1\n", "[{\"a\":1}]"},
	    {"{\"a\": 1}", "[{\"a\":1}]"},
	    {"[1]\n", "[[1]]"},
	    {"{a: 1}", "[{\"a\":1}]"},
	    {"\xEF\xBB\xBF"
	     "a: 1",
	     "[{\"a\":1}]"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_value *value = parse_yaml(cases[i].text);

		check_print(shk_value_print, value, cases[i].expected);
		shk_value_free(value);
	}
}

static void test_yaml_refuses(void **state)
{
	static const struct {
		const char *text;
		const char *place;
		const char *words;
	} cases[] = {
	    {"a: &x 1", "line 1", "anchors and aliases"},
	    {"a: 1\nb: *x", "line 2", "anchors and aliases"},
	    {"a: &x [1]", "line 1", "anchors and aliases"},
	    {"a: &x {b: 1}", "line 1", "anchors and aliases"},
	    {"a: !!str 1", "line 1", "tags"},
	    {"a: ! 1", "line 1", "tags"},
	    {"a: !x [1]", "line 1", "tags"},
	    {"a: !x {b: 1}", "line 1", "tags"},
	    {"a: 1\nb: 2\na: 3", "line 3", "duplicate key \"a\""},
	    {"a: 1\n\"\\u0061\": 3", "line 2", "duplicate key \"a\""},
	    {"<<: {a: 1}", "line 1", "merge keys"},
	    {"? [a]\n: 1", "line 1", "can't be a key"},
	    {"? {a: 1}\n: 1", "line 1", "can't be a key"},
	    {"~: 1", "line 1", "a key is missing"},
	    {"a: .inf", "line 1", "infinity"},
	    {"a: -.Inf", "line 1", "infinity"},
	    {"a: .nan", "line 1", "infinity"},
	    {"a: 9223372036854775808", "line 1", "more than 64 bits"},
	    {"a: \"x\\0y\"", "line 1", "NUL"},
	    {"a: [1", "line 2", "not valid YAML"},
	    {"a:\n\t- b", "line 2", "not valid YAML"},
	    {"\"\\ud800\"", "line 1", "not valid YAML"},
	    {"{\"a\":1,}", "line 1 column 8", "a key in quotes"},
	    {"{\"a\":1}\n---\n{\"a\":2}", "line 2 column 1", "the end of the text"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_error err = {0};
		struct shk_value *value;
		enum shk_status status = shk_value_parse_yaml(shk_sv(cases[i].text), &value, &err);

		expect_error(status, &err, SHK_E_INPUT, cases[i].place, cases[i].words,
			     cases[i].text);
	}
}

static void test_yaml_of_bad_bytes(void **state)
{
	static const char *const cases[] = {"a: \xFF", "a: \x01", "\xFF\xFE\x61\x00"};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_error err = {0};
		struct shk_value *value;

		assert_int_equal(shk_value_parse_yaml(shk_sv(cases[i]), &value, &err), SHK_E_INPUT);
		assert_non_null(strstr(err.text, "not valid YAML"));
	}
}

static void expect_limit(struct shk_buf *text, const char *words)
{
	struct shk_error err = {0};
	struct shk_value *value;

	assert_int_equal(shk_value_parse_yaml(buf_sv(text), &value, &err), SHK_E_LIMIT);
	assert_non_null(strstr(err.text, words));
	shk_buf_fini(text);
}

static void test_yaml_limits(void **state)
{
	struct shk_buf text = {0};

	(void)state;
	shk_buf_puts(&text, "a: ");
	repeat(&text, "[", 100000); /* 19 s with libyaml alone */
	expect_limit(&text, "nested more than 64 deep");
	shk_buf_puts(&text, "[a");
	repeat(&text, ",a", 400000);
	expect_limit(&text, "more than 400000 values and keys");
	repeat(&text, "# comment\n", 110000);
	expect_limit(&text, "more than 1048576 bytes");
}

static void test_deep_yaml_prints(void **state)
{
	struct shk_buf text = {0};
	struct shk_buf out = {0};
	struct shk_value *value;

	(void)state;
	shk_buf_puts(&text, "- ");
	repeat(&text, "[", 63);
	repeat(&text, "]", 63);
	value = parse_yaml(text.data);
	shk_value_print(value, &out);
	assert_int_equal(out.len, 2 * 65);
	shk_value_free(value);
	shk_buf_fini(&text);
	shk_buf_fini(&out);
}

static void test_json_errors_reach_the_caller(void **state)
{
	struct shk_error err = {0};
	struct shk_value *value;

	(void)state;
	expect_error(shk_value_parse(shk_sv("{\"a\":1"), &shk_scan_document, &value, &err), &err,
		     SHK_E_INPUT, "line 1 column 7", "the text ends", "truncated");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reading),
	    cmocka_unit_test(test_absent_values_are_harmless),
	    cmocka_unit_test(test_canonical_form),
	    cmocka_unit_test(test_pretty_and_yaml),
	    cmocka_unit_test(test_yaml_of_scalars),
	    cmocka_unit_test(test_yaml_round_trip),
	    cmocka_unit_test(test_yaml_scalars),
	    cmocka_unit_test(test_yaml_documents),
	    cmocka_unit_test(test_yaml_refuses),
	    cmocka_unit_test(test_yaml_of_bad_bytes),
	    cmocka_unit_test(test_yaml_limits),
	    cmocka_unit_test(test_deep_yaml_prints),
	    cmocka_unit_test(test_json_errors_reach_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
