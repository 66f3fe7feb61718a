#include "wire.h"

#include "shikiri/base/units.h"
#include "shikiri/wire/json.h"

static void check_text(struct shk_buf *out, const char *expected)
{
	assert_string_equal(out->data, expected);
	shk_buf_fini(out);
}

static void test_every_kind_of_value(void **state)
{
	struct shk_buf out = {0};
	struct shk_json json;

	(void)state;
	shk_json_begin(&json, &out);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "s", "text");
	shk_json_string(&json, "absent", NULL);
	shk_json_int(&json, "i", INT64_MIN);
	shk_json_bool(&json, "t", true);
	shk_json_bool(&json, "f", false);
	shk_json_null(&json, "n");
	shk_json_raw(&json, "r", "[1, 2]", 6);
	shk_json_array(&json, "a");
	shk_json_int(&json, NULL, 1);
	shk_json_array(&json, NULL);
	shk_json_array_end(&json);
	shk_json_object(&json, NULL);
	shk_json_object_end(&json);
	shk_json_array_end(&json);
	shk_json_parts(&json, "p", 2 * SHK_PARTS / 7);
	shk_json_parts_exact(&json, "e", SHK_PARTS / 2);
	shk_json_time(&json, "at", 0);
	shk_json_object_end(&json);
	check_text(&out, "{\"s\":\"text\",\"absent\":null,\"i\":-9223372036854775808,\"t\":true,"
			 "\"f\":false,\"n\":null,\"r\":[1, 2],\"a\":[1,[],{}],\"p\":\"0.286\","
			 "\"e\":\"0.5\",\"at\":\"1970-01-01T00:00:00Z\"}");
}

static void test_strings_are_escaped(void **state)
{
	static const struct {
		const char *value;
		const char *expected;
	} cases[] = {
	    {"", "\"\""},
	    {"plain", "\"plain\""},
	    {"\"\\/", "\"\\\"\\\\/\""},
	    {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
	    {"\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\""},
	    {"gr\xC3\xBC\xC3\x9F", "\"gr\xC3\xBC\xC3\x9F\""},
	    {"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\""},
	    {"a\xFFz", "\"a\xEF\xBF\xBDz\""},
	    {"\xC3", "\"\xEF\xBF\xBD\""},
	    {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
	    {"0123456789abcdef0123456789\"", "\"0123456789abcdef0123456789\\\"\""},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_buf out = {0};
		struct shk_json json;

		shk_json_begin(&json, &out);
		shk_json_string(&json, NULL, cases[i].value);
		check_text(&out, cases[i].expected);
	}
}

static void test_keys_are_escaped(void **state)
{
	struct shk_buf out = {0};
	struct shk_json json;

	(void)state;
	shk_json_begin(&json, &out);
	shk_json_object(&json, NULL);
	shk_json_int(&json, "a\"b", 1);
	shk_json_object_end(&json);
	check_text(&out, "{\"a\\\"b\":1}");
}

static void test_depth_of_64(void **state)
{
	struct shk_buf out = {0};
	struct shk_json json;

	(void)state;
	shk_json_begin(&json, &out);
	for (int i = 0; i < 64; i++)
		shk_json_array(&json, NULL);
	for (int i = 0; i < 64; i++) {
		shk_json_int(&json, NULL, i);
		shk_json_array_end(&json);
	}
	assert_int_equal(json.depth, 0);
	assert_non_null(strstr(out.data, "[0],1],2],3]"));
	shk_buf_fini(&out);
}

static void test_nothing_written_is_a_terminated_text(void **state)
{
	struct shk_buf out = {0};
	struct shk_json json;

	(void)state;
	shk_json_begin(&json, &out);
	check_text(&out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_kind_of_value),
	    cmocka_unit_test(test_strings_are_escaped),
	    cmocka_unit_test(test_keys_are_escaped),
	    cmocka_unit_test(test_depth_of_64),
	    cmocka_unit_test(test_nothing_written_is_a_terminated_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
