/* test_watch.c - lists and watches in pieces. */
#include "wire.h"

#include "shikiri/wire/cluster.h"
#include "shikiri/wire/watch.h"

/* Items one after the other, each in angle brackets. */
static enum shk_status collect(void *context, struct shk_sv item, struct shk_error *err)
{
	struct shk_buf *out = context;

	if (shk_sv_is(item, "\"stop\""))
		return shk_error_set(err, SHK_E_BUSY, "stopped");
	shk_buf_putc(out, '<');
	shk_buf_add(out, item.data, item.len);
	shk_buf_putc(out, '>');
	return SHK_OK;
}

struct reading {
	struct shk_buf items;
	struct shk_list_reader *reader;
	struct shk_list_end end;
	struct shk_error err;
};

static void reading_fini(struct reading *reading)
{
	shk_list_reader_free(reading->reader);
	shk_buf_fini(&reading->items);
}

/* In pieces of step bytes. */
static enum shk_status read_list(struct reading *reading, struct shk_sv text, size_t step)
{
	enum shk_status status = SHK_OK;

	*reading = (struct reading){0};
	reading->reader = shk_list_reader_new(collect, &reading->items);
	shk_buf_puts(&reading->items, "");
	for (size_t at = 0; !status && at < text.len; at += step) {
		size_t len = text.len - at < step ? text.len - at : step;
		char *piece = malloc(len); /* so that reading past its end is noticed */

		assert_non_null(piece);
		memcpy(piece, text.data + at, len);
		status = shk_list_reader_feed(reading->reader, (struct shk_sv){piece, len},
					      &reading->err);
		free(piece);
	}
	if (!status)
		status = shk_list_reader_end(reading->reader, &reading->end, &reading->err);
	return status;
}

static const size_t pieces[] = {1, 2, 3, 7, 63, 64, 65, 100, 1000, 1 << 20};

static void test_lists(void **state)
{
	static const struct {
		const char *text;
		const char *items;
		const char *version;
		const char *token;
	} cases[] = {
	    {"{\"items\":[],\"metadata\":{}}", "", "", ""},
	    {"{\"items\":null,\"metadata\":{\"resourceVersion\":\"9\"}}", "", "9", ""},
	    {"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"77\","
	     "\"continue\":\"abc\",\"remainingItemCount\":3},\"items\":[{\"a\":1},{\"b\":[{}]}]}\n",
	     "<{\"a\":1}><{\"b\":[{}]}>", "77", "abc"},
	    {" { \"items\" : [ {} , [ 1 , 2 ] , \"x\\\\\\\"]\" , 17 , null ] , "
	     "\"metadata\" : { \"resourceVersion\" : \"1\" } } ",
	     "<{}><[ 1 , 2 ]><\"x\\\\\\\"]\"><17><null>", "1", ""},
	    {"{\"it\\u0065ms\":[1],\"metadata\":{\"continue\":null},\"x\":{\"y\":[[]]}}", "<1>", "",
	     ""},
	    {"{\"items\":[{\"text\":\"{[}]\\\"{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\","
	     "\"more\":{\"and\":{\"more\":\"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\"}}}],"
	     "\"metadata\":{}}",
	     "<{\"text\":\"{[}]\\\"{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\","
	     "\"more\":{\"and\":{\"more\":\"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\"}}}>",
	     "", ""},
	};

	(void)state;
	for (size_t i = 0; i < N(cases) * N(pieces); i++) {
		size_t row = i / N(pieces);
		struct reading reading;

		expect_ok(read_list(&reading, shk_sv(cases[row].text), pieces[i % N(pieces)]),
			  &reading.err, cases[row].text);
		assert_string_equal(reading.items.data, cases[row].items);
		assert_string_equal(reading.end.resource_version, cases[row].version);
		assert_string_equal(reading.end.continue_token, cases[row].token);
		reading_fini(&reading);
	}
}

static void test_no_lists(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"", "", "ends too soon"},
	    {"[]", "", "not valid JSON"},
	    {"{}", "", "missing"},
	    {"{\"items\":[]}", "", "missing"},
	    {"{\"metadata\":{}}", "", "missing"},
	    {"{\"items\":[],\"metadata\":{}", "", "ends too soon"},
	    {"{\"items\":[],\"metadata\":{}}x", "", "not valid JSON"},
	    {"{\"items\":[],\"metadata\":{}}{", "", "not valid JSON"},
	    {"{\"items\":[,],\"metadata\":{}}", "", "not valid JSON"},
	    {"{\"items\":[1,],\"metadata\":{}}", "", "not valid JSON"},
	    {"{\"items\":[1 2],\"metadata\":{}}", "", "not valid JSON"},
	    {"{\"items\":[],}", "", "not valid JSON"},
	    {"{,\"items\":[]}", "", "not valid JSON"},
	    {"{\"items\" []}", "", "not valid JSON"},
	    {"{\"items\":}", "", "not valid JSON"},
	    {"{items:[]}", "", "not valid JSON"},
	    {"{\"items\":{}}", "/items", "not a list"},
	    {"{\"items\":[],\"items\":[]}", "", "twice"},
	    {"{\"items\":[],\"it\\u0065ms\":[]}", "", "twice"},
	    {"{\"metadata\":{\"continue\":1},\"items\":[]}", "/metadata/continue", "not a string"},
	    {"{\"metadata\":[],\"items\":[]}", "/metadata", "not an object"},
	    {"{\"metadata\":{\"a\":1,\"a\":1}}", "line 1 column 8", "duplicate key"},
	    {"{\"kind\":tru}", "line 1 column 1", "a value expected"},
	    {"{\"kind\":{]}", "line 1 column 2", "a key in quotes"},
	    {"{\"k\x01\":1}", "line 1 column 1", "control character"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases) * N(pieces); i++) {
		size_t row = i / N(pieces);
		struct reading reading;

		expect_error(read_list(&reading, shk_sv(cases[row].text), pieces[i % N(pieces)]),
			     &reading.err, SHK_E_INPUT, cases[row].pointer, cases[row].words,
			     cases[row].text);
		reading_fini(&reading);
	}
}

static void test_a_taker_ends_the_reading(void **state)
{
	struct reading reading;

	(void)state;
	expect_error(read_list(&reading, shk_sv("{\"items\":[1,\"stop\",2]"), 4), &reading.err,
		     SHK_E_BUSY, "", "stopped", "stop");
	assert_string_equal(reading.items.data, "<1>");
	reading_fini(&reading);
}

static void test_list_limits(void **state)
{
	static const struct {
		const char *before;
		const char *repeated;
		size_t n;
		const char *behind;
		const char *words; /* NULL: still fine */
	} cases[] = {
	    {"{\"metadata\":{\"continue\":\"", "x", SHK_LIST_MAX_CONTINUE, "\"},\"items\":[]}",
	     NULL},
	    {"{\"metadata\":{\"continue\":\"", "x", SHK_LIST_MAX_CONTINUE + 1, "\"},\"items\":[]}",
	     "more than 65536 bytes"},
	    {"{\"metadata\":{\"resourceVersion\":\"", "1", SHK_MAX_VERSION + 1, "\"},\"items\":[]}",
	     "more than 256 bytes"},
	    {"{\"items\":[\"", "x", SHK_LIST_MAX_OBJECT - 2, "\"],\"metadata\":{}}", NULL},
	    {"{\"items\":[\"", "x", SHK_LIST_MAX_OBJECT - 1, "\"],\"metadata\":{}}",
	     "more than 4194304 bytes"},
	    {"{\"items\":[0", ",1", SHK_LIST_MAX_ITEMS - 1, "],\"metadata\":{}}", NULL},
	    {"{\"items\":[0", ",1", SHK_LIST_MAX_ITEMS, "],\"metadata\":{}}",
	     "more than 1000000 items"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_buf text = {0};
		struct reading reading;

		shk_buf_puts(&text, cases[i].before);
		repeat(&text, cases[i].repeated, cases[i].n);
		shk_buf_puts(&text, cases[i].behind);

		enum shk_status status = read_list(&reading, buf_sv(&text), 16384);

		if (cases[i].words)
			expect_error(status, &reading.err, SHK_E_LIMIT, "", cases[i].words,
				     cases[i].words);
		else
			expect_ok(status, &reading.err, cases[i].before);
		reading_fini(&reading);
		shk_buf_fini(&text);
	}
}

static void test_too_many_members(void **state)
{
	struct shk_buf text = {0};
	struct reading reading;

	(void)state;
	for (int i = 0; i < 33; i++)
		shk_buf_printf(&text, "%c\"k%d\":0", i ? ',' : '{', i);
	expect_error(read_list(&reading, buf_sv(&text), 100), &reading.err, SHK_E_LIMIT, "",
		     "more than 32 members", "members");
	reading_fini(&reading);
	shk_buf_fini(&text);
}

/* --- lines ---------------------------------------------------------------------------------- */

static void test_lines(void **state)
{
	static const char text[] = "one\n\ntwo and more\nthe rest";

	(void)state;
	for (size_t step = 1; step < sizeof text; step++) {
		struct shk_lines lines = {0};
		struct shk_buf seen = {0};

		for (size_t at = 0; at < sizeof text - 1; at += step) {
			struct shk_sv bytes = {text + at, sizeof text - 1 - at};
			struct shk_sv line;

			bytes.len = bytes.len < step ? bytes.len : step;
			while (shk_lines_next(&lines, &bytes, &line))
				shk_buf_printf(&seen, "<%.*s>", (int)line.len,
					       line.len > 0 ? line.data : "");
		}
		assert_string_equal(seen.data, "<one><><two and more>");
		shk_buf_fini(&seen);
		shk_lines_fini(&lines);
	}
}

static void test_a_line_too_long_is_passed_over(void **state)
{
	struct shk_lines lines = {0};
	struct shk_buf text = {0};
	size_t lengths[3];
	size_t n = 0;

	(void)state;
	shk_buf_puts(&text, "a\n");
	repeat(&text, "x", SHK_LIST_MAX_OBJECT + 1025);
	shk_buf_puts(&text, "\nbc\n");
	for (size_t step = 100000; step <= text.len + 100000; step += text.len) {
		n = 0;
		for (size_t at = 0; at < text.len; at += step) {
			struct shk_sv bytes = {text.data + at, text.len - at};
			struct shk_sv line;

			bytes.len = bytes.len < step ? bytes.len : step;
			while (shk_lines_next(&lines, &bytes, &line)) {
				assert_true(n < N(lengths));
				lengths[n++] = line.len;
			}
		}
		assert_int_equal(n, 3);
		assert_int_equal(lengths[0], 1);
		assert_int_equal(lengths[1], 0);
		assert_int_equal(lengths[2], 2);
	}
	shk_buf_fini(&text);
	shk_lines_fini(&lines);
}

/* --- events --------------------------------------------------------------------------------- */

static void test_events(void **state)
{
	static const struct {
		const char *line;
		enum shk_event_type type;
		const char *object;
	} cases[] = {
	    {"{\"type\":\"ADDED\",\"object\":{\"a\":1}}", SHK_EVENT_ADDED, "{\"a\":1}"},
	    {"{\"object\": { } ,\"type\":\"MODIFIED\"}", SHK_EVENT_MODIFIED, "{ }"},
	    {" {\"x\":[1],\"type\":\"DELETED\",\"object\":{}} ", SHK_EVENT_DELETED, "{}"},
	    {"{\"type\":\"BOOKMARK\",\"object\":{}}\r", SHK_EVENT_BOOKMARK, "{}"},
	    {"{\"type\":\"\\u0045RROR\",\"object\":{}}", SHK_EVENT_ERROR, "{}"},
	    {"{\"type\":\"error\",\"object\":{}}", SHK_EVENT_UNKNOWN, "{}"},
	    {"{\"type\":\"\",\"object\":{}}", SHK_EVENT_UNKNOWN, "{}"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_event event;
		struct shk_error err;

		expect_ok(shk_event_read(shk_sv(cases[i].line), &event, &err), &err, cases[i].line);
		assert_int_equal(event.type, cases[i].type);
		assert_true(shk_sv_is(event.object, cases[i].object));
	}
}

static void test_no_events(void **state)
{
	static const struct {
		const char *line;
		const char *words;
	} cases[] = {
	    {"", "not an object"},
	    {"[]", "not an object"},
	    {"{}", "without type"},
	    {"{\"type\":\"ADDED\"}", "without type"},
	    {"{\"type\":1,\"object\":{}}", "without type"},
	    {"{\"type\":\"ADDED\",\"object\":[]}", "without type"},
	    {"{\"object\":{}}", "without type"},
	    {"{\"type\":\"ADDED\",\"object\":{}", "ends"},
	    {"{\"type\":\"ADDED\",\"object\":{}}}", "the end of the text"},
	    {"{\"type\":\"ADDED\",\"type\":\"ADDED\",\"object\":{}}", "duplicate key"},
	    {"{\"type\":\"ADDED\",\"object\":{\"managedFields\":[{\"a\":1,\"a\":2}]}}",
	     "duplicate key"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_event event;
		struct shk_error err;
		enum shk_status status = shk_event_read(shk_sv(cases[i].line), &event, &err);

		assert_int_equal(status, SHK_E_INPUT);
		if (!strstr(err.text, cases[i].words))
			fail_msg("%s: %s", cases[i].line, err.text);
	}
}

static void test_who_an_object_is(void **state)
{
	struct shk_arena arena = {0};
	struct shk_object_id id;
	struct shk_error err;

	(void)state;
	expect_ok(shk_object_id_read(shk_sv("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
					    "\"namespace\":\"n\",\"uid\":\"u\",\"labels\":7,"
					    "\"resourceVersion\":\"5\"},\"spec\":false}"),
				     &arena, &id, &err),
		  &err, "id");
	assert_string_equal(id.kind, "Pod");
	assert_string_equal(id.name, "p");
	assert_string_equal(id.namespace_, "n");
	assert_string_equal(id.uid, "u");
	assert_string_equal(id.resource_version, "5");
	expect_ok(shk_object_id_read(shk_sv("[{\"metadata\":{}}]"), &arena, &id, &err), &err,
		  "list");
	assert_null(id.kind);
	assert_null(id.name);
	assert_int_equal(shk_object_id_read(shk_sv("{"), &arena, &id, &err), SHK_E_INPUT);
	shk_arena_fini(&arena);
}

static void test_statuses(void **state)
{
	static const struct {
		const char *text;
		struct shk_api_status status;
	} cases[] = {
	    {"{}", {.reason = "", .message = "", .retry_after_s = -1}},
	    {"7", {.reason = "", .message = "", .retry_after_s = -1}},
	    {"{\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\",\"details\":{"
	     "\"retryAfterSeconds\":3}}",
	     {.code = 410, .reason = "Expired", .message = "too old", .retry_after_s = 3}},
	    {"{\"code\":504,\"details\":{\"causes\":[{\"reason\":\"x\"},7,"
	     "{\"reason\":\"ResourceVersionTooLarge\"}],\"retryAfterSeconds\":-5}}",
	     {.code = 504, .reason = "", .message = "", .is_too_large = true, .retry_after_s = -1}},
	    {"{\"code\":99999999999,\"reason\":1}",
	     {.reason = "", .message = "", .retry_after_s = -1}},
	};
	struct shk_arena arena = {0};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_api_status status;
		struct shk_error err;

		expect_ok(shk_api_status_read(shk_sv(cases[i].text), &arena, &status, &err), &err,
			  cases[i].text);
		assert_int_equal(status.code, cases[i].status.code);
		assert_string_equal(status.reason, cases[i].status.reason);
		assert_string_equal(status.message, cases[i].status.message);
		assert_int_equal(status.is_too_large, cases[i].status.is_too_large);
		assert_int_equal(status.retry_after_s, cases[i].status.retry_after_s);
	}
	shk_arena_fini(&arena);
}

static void test_mending(void **state)
{
	static const struct {
		const char *text;
		const char *mended; /* NULL: nothing to mend */
	} cases[] = {
	    {"", NULL},
	    {"\\", NULL},
	    {"\"\\u0001\\n\"", NULL},
	    {"\"\\\\u0000\"", NULL},
	    {"\"\\u000\"", NULL},
	    {"\"\\u0000\"", "\"\\uFFFD\""},
	    {"\"\\\\\\u0000a\\u0000\"", "\"\\\\\\uFFFDa\\uFFFD\""},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct shk_buf out = {0};
		bool is_mended = shk_json_mend(shk_sv(cases[i].text), &out);

		assert_int_equal(is_mended, cases[i].mended != NULL);
		if (is_mended)
			assert_string_equal(out.data, cases[i].mended);
		shk_buf_fini(&out);
	}
}

static void test_small_kinds(void **state)
{
	struct shk_arena arena = {0};
	struct shk_namespace namespace_;
	struct shk_priority_class class_;
	struct shk_error err;

	(void)state;
	expect_ok(shk_namespace_decode(shk_sv("{\"kind\":\"Namespace\",\"metadata\":{\"name\":"
					      "\"a\",\"labels\":{\"k\":\"v\"}}}"),
				       &arena, &namespace_, &err),
		  &err, "namespace");
	assert_string_equal(namespace_.name, "a");
	assert_int_equal(namespace_.labels.n, 1);
	expect_error(
	    shk_namespace_decode(shk_sv("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}"), &arena,
				 &namespace_, &err),
	    &err, SHK_E_INPUT, "/kind", "not Namespace", "another kind");
	expect_ok(
	    shk_priority_class_decode(shk_sv("{\"metadata\":{\"name\":\"high\"},\"value\":7}"),
				      &arena, &class_, &err),
	    &err, "class");
	assert_string_equal(class_.name, "high");
	assert_int_equal(class_.value, 7);
	expect_error(shk_priority_class_decode(shk_sv("{\"metadata\":{\"name\":\"high\"}}"), &arena,
					       &class_, &err),
		     &err, SHK_E_INPUT, "/value", "missing", "no value");
	shk_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_no_lists),
	    cmocka_unit_test(test_a_taker_ends_the_reading),
	    cmocka_unit_test(test_list_limits),
	    cmocka_unit_test(test_too_many_members),
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_a_line_too_long_is_passed_over),
	    cmocka_unit_test(test_events),
	    cmocka_unit_test(test_no_events),
	    cmocka_unit_test(test_who_an_object_is),
	    cmocka_unit_test(test_statuses),
	    cmocka_unit_test(test_mending),
	    cmocka_unit_test(test_small_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
