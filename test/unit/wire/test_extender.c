#include "wire.h"

#include "shikiri/wire/extender.h"

#define POD "{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\",\"uid\":\"u\"},\"spec\":{}}"

struct scene {
	struct shk_arena arena;
	struct shk_error err;
	struct shk_extender_args args;
	struct shk_bind_args bind;
	struct shk_preempt_args preempt;
};

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof *scene);

	assert_non_null(scene);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	shk_arena_fini(&scene->arena);
	free(scene);
	return 0;
}

static void read_args(struct scene *scene, const char *text)
{
	expect_ok(shk_extender_args_decode(shk_sv(text), &scene->arena, &scene->args, &scene->err),
		  &scene->err, text);
}

static void read_preempt(struct scene *scene, const char *text)
{
	expect_ok(
	    shk_preempt_args_decode(shk_sv(text), &scene->arena, &scene->preempt, &scene->err),
	    &scene->err, text);
}

static void test_captures(void **state)
{
	struct scene *scene = *state;

	for (size_t i = 0; i < N(captures); i++) {
		struct shk_buf text = read_data(captures[i]);
		enum shk_status status;

		if (strstr(captures[i], "-bind"))
			status = shk_bind_args_decode(buf_sv(&text), &scene->arena, &scene->bind,
						      &scene->err);
		else if (strstr(captures[i], "/preempt-"))
			status = shk_preempt_args_decode(buf_sv(&text), &scene->arena,
							 &scene->preempt, &scene->err);
		else
			status = shk_extender_args_decode(buf_sv(&text), &scene->arena,
							  &scene->args, &scene->err);
		expect_ok(status, &scene->err, captures[i]);
		shk_buf_fini(&text);
	}
}

static void test_a_captured_filter(void **state)
{
	struct scene *scene = *state;
	struct shk_buf text = read_data("captures/v1.36.3/rich-filter.request.json");

	read_args(scene, text.data);

	const struct shk_pod *pod = &scene->args.pod;

	assert_string_equal(pod->name, "rich");
	assert_int_equal(pod->priority, 200);
	assert_int_equal(pod->n_containers, 2);
	assert_int_equal(pod->containers[0].asks[0].limit, 1);
	assert_int_equal(pod->containers[1].asks[0].request, 2);
	assert_int_equal(pod->containers[1].cpu_milli, 8000);
	assert_false(scene->args.full_nodes);
	assert_int_equal(scene->args.n_names, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(scene->args.names[i],
				    shk_arena_printf(&scene->arena, "gpu-%zu", i + 1));
	shk_buf_fini(&text);
}

static void test_captured_full_nodes(void **state)
{
	static const uint32_t passed[] = {0, 4};
	static const struct shk_refused_node refused[] = {
	    {"gpu-2", "SlicesBusy: x", SHK_RESOLVABLE},
	    {"gpu-3", "TrustBoundary: y", SHK_UNRESOLVABLE},
	};
	struct scene *scene = *state;
	struct shk_buf text = read_data("captures/v1.34.4/nocache-filter.request.json");
	struct shk_buf out = {0};
	struct shk_extender_args *args = &scene->args;

	expect_ok(shk_extender_args_decode(buf_sv(&text), &scene->arena, args, &scene->err),
		  &scene->err, "nocache");
	assert_true(args->full_nodes);
	assert_int_equal(args->n_names, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(args->names[i], args->nodes[i].name);
		assert_int_equal(args->nodes[i].n_resources, 2);
		assert_string_equal(shk_labels_get(&args->nodes[i].labels, "nvidia.com/gpu.count"),
				    "8");
		assert_int_equal(args->node_texts[i].data[0], '{');
		assert_true(args->node_texts[i].data >= text.data &&
			    args->node_texts[i].data < text.data + text.len);
	}
	shk_filter_result_encode(
	    &(struct shk_filter_result){
		.args = args, .passed = passed, .n_passed = 2, .refused = refused, .n_refused = 2},
	    &out);
	assert_non_null(strstr(out.data, "{\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":"));
	assert_non_null(strstr(out.data, "managedFields"));
	assert_non_null(strstr(out.data, "]},\"NodeNames\":null,\"FailedNodes\":{\"gpu-2\":"
					 "\"SlicesBusy: x\"},\"FailedAndUnresolvableNodes\":"
					 "{\"gpu-3\":\"TrustBoundary: y\"},\"Error\":\"\"}"));
	shk_buf_fini(&out);
	shk_buf_fini(&text);
}

static void test_node_lists(void **state)
{
	static const struct {
		const char *text;
		const char *names; /* joined by blanks */
		bool full;
	} cases[] = {
	    {"{\"Pod\":" POD "}", "", false},
	    {"{\"Pod\":" POD ",\"Nodes\":null,\"NodeNames\":null}", "", false},
	    {"{\"Pod\":" POD ",\"NodeNames\":[]}", "", false},
	    {"{\"Pod\":" POD ",\"NodeNames\":[\"b\",\"a\",\"b\",\"c\",\"a\"]}", "a b c", false},
	    {"{\"pod\":" POD ",\"nodenames\":[\"a\"]}", "a", false},
	    {"{\"POD\":" POD ",\"NODENAMES\":[\"a\"],\"Unknown\":[[1]]}", "a", false},
	    {"{\"Pod\":" POD ",\"NodeNames\":[\"\\u0041 \\\"x\\\"\"]}", "A \"x\"", false},
	    {"{\"Pod\":" POD ",\"Nodes\":{\"metadata\":{},\"items\":null}}", "", true},
	    {"{\"Pod\":" POD ",\"Nodes\":{}}", "", true},
	    {"{\"Pod\":" POD ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n2\"}}, "
	     "{\"metadata\":{\"name\":\"n1\"}},{\"metadata\":{\"name\":\"n2\"}}]}}",
	     "n1 n2", true},
	    {"{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n2\"}}]},\"NodeNames\":[\"x\"],"
	     "\"Pod\":" POD "}",
	     "x", false},
	    {"{\"NodeNames\":[],\"Nodes\":{\"items\":[7]},\"Pod\":" POD "}", "", false},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		const char *joined = "";

		read_args(scene, cases[i].text);
		for (size_t k = 0; k < scene->args.n_names; k++)
			joined = shk_arena_printf(&scene->arena, "%s%s%s", joined, k > 0 ? " " : "",
						  scene->args.names[k]);
		assert_string_equal(joined, cases[i].names);
		assert_int_equal(scene->args.full_nodes, cases[i].full);
	}
}

static void test_unreadable_args(void **state)
{
	static const struct {
		const char *text;
		enum shk_status status;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"", SHK_E_INPUT, "line 1 column 1", "the text ends"},
	    {"null", SHK_E_INPUT, "", "not an object"},
	    {"[]", SHK_E_INPUT, "", "not an object"},
	    {"[1,", SHK_E_INPUT, "line 1 column 4", "the text ends"},
	    {"{}", SHK_E_INPUT, "/Pod", "missing"},
	    {"{\"Pod\":null}", SHK_E_INPUT, "/Pod", "missing"},
	    {"{\"Pod\":[]}", SHK_E_INPUT, "/Pod", "not an object"},
	    {"{\"Pod\":{}}", SHK_E_INPUT, "/Pod/metadata/name", "missing"},
	    {"{\"Pod\":{\"metadata\":{\"name\":\"p\",\"uid\":\"u\"}}}", SHK_E_INPUT,
	     "/Pod/metadata/namespace", "missing"},
	    {"{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\"}}}", SHK_E_INPUT,
	     "/Pod/metadata/uid", "missing"},
	    {"{\"Pod\":{\"Metadata\":{\"name\":\"p\"}}}", SHK_E_INPUT, "/Pod/metadata/name",
	     "missing"},
	    {"{\"Pod\":" POD ",\"NodeNames\":{}}", SHK_E_INPUT, "/NodeNames", "not a list"},
	    {"{\"Pod\":" POD ",\"NodeNames\":\"a\"}", SHK_E_INPUT, "/NodeNames", "not a list"},
	    {"{\"Pod\":" POD ",\"NodeNames\":[\"a\",1]}", SHK_E_INPUT, "/NodeNames/1",
	     "not a string"},
	    {"{\"Pod\":" POD ",\"NodeNames\":[\"\"]}", SHK_E_INPUT, "/NodeNames/0",
	     "1 to 253 bytes"},
	    {"{\"Pod\":" POD ",\"NodeNames\":[\"a\" \"b\"]}", SHK_E_INPUT, "line 1 column 87",
	     "',' or ']'"},
	    {"{\"Pod\":" POD ",\"Nodes\":[]}", SHK_E_INPUT, "/Nodes", "not an object"},
	    {"{\"Pod\":" POD ",\"Nodes\":{\"items\":{}}}", SHK_E_INPUT, "/Nodes/items",
	     "not a list"},
	    {"{\"Pod\":" POD ",\"Nodes\":{\"items\":[7]}}", SHK_E_INPUT, "/Nodes/items/0",
	     "not an object"},
	    {"{\"Pod\":" POD ",\"Nodes\":{\"items\":[{\"metadata\":{}}]}}", SHK_E_INPUT,
	     "/Nodes/items/0/metadata/name", "missing"},
	    {"{\"Pod\":" POD ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n\"},\"status\":"
	     "{\"capacity\":{\"nvidia.com/gpu\":-1}}}]}}",
	     SHK_E_INPUT, "/Nodes/items/0/status/capacity/nvidia.com~1gpu", "not a whole number"},
	    {"{\"Pod\":" POD ",\"pod\":" POD "}", SHK_E_INPUT, "/Pod", "duplicate key"},
	    {"{\"Pod\":" POD ",\"Pod\":" POD "}", SHK_E_INPUT, "line 1 column 70",
	     "duplicate key \"Pod\""},
	    {"{\"Pod\":null,\"POD\":" POD "}", SHK_E_INPUT, "/Pod", "duplicate key"},
	    {"{\"Pod\":{\"metadata\":{\"a\":1,\"a\":1}}}", SHK_E_INPUT, "line 1 column 27",
	     "duplicate key"},
	    {"{\"Pod\":" POD "} x", SHK_E_INPUT, "line 1 column 71", "the end of the text"},
	    {"{\"Pod\":{\"spec\":{\"priority\":9223372036854775808}}}", SHK_E_INPUT,
	     "line 1 column 28", "more than 64 bits"},
	    {"{\"Pod\":" POD ",\"NodeNames\":[\"\\u0000\"]}", SHK_E_INPUT, "line 1 column 83",
	     "\\u0000"},
	    {"{\"Pod\":" POD ",\"Nodes\":{\"items\":[}}", SHK_E_INPUT, "line 1 column 88",
	     "a value expected"},
	    {"{\"Pod\":{\"spec\":{\"containers\":4}}}", SHK_E_INPUT, "/Pod/spec/containers",
	     "not a list"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		enum shk_status status = shk_extender_args_decode(
		    shk_sv(cases[i].text), &scene->arena, &scene->args, &scene->err);

		expect_error(status, &scene->err, cases[i].status, cases[i].pointer, cases[i].words,
			     cases[i].text);
	}
}

static void expect_args_error(struct scene *scene, struct shk_buf *text, enum shk_status expected,
			      const char *pointer, const char *words)
{
	enum shk_status status =
	    shk_extender_args_decode(buf_sv(text), &scene->arena, &scene->args, &scene->err);

	expect_error(status, &scene->err, expected, pointer, words, words);
	shk_buf_clear(text);
}

static void test_hostile_bodies(void **state)
{
	struct scene *scene = *state;
	struct shk_buf text = {0};

	shk_buf_puts(&text, "{\"Pod\":");
	repeat(&text, "{\"a\":", 64);
	expect_args_error(scene, &text, SHK_E_LIMIT, "", "nested more than 64 deep");
	shk_buf_puts(&text, "{\"Pod\":{\"metadata\":{\"managedFields\":");
	repeat(&text, "[", 510);
	expect_args_error(scene, &text, SHK_E_LIMIT, "", "nested more than 512 deep");
	shk_buf_puts(&text, "{\"Pod\":" POD ",\"NodeNames\":[\"a\"");
	repeat(&text, ",\"a\"", 400000);
	shk_buf_puts(&text, "]}");
	expect_args_error(scene, &text, SHK_E_LIMIT, "", "more than 400000 values and keys");
	shk_buf_puts(&text, "{\"Pod\":{\"metadata\":{\"x\":[0");
	repeat(&text, ",0", 400000);
	shk_buf_puts(&text, "]}}}");
	expect_args_error(scene, &text, SHK_E_LIMIT, "", "more than 400000 values and keys");
	shk_buf_puts(&text, "{\"Pod\":" POD ",\"NodeNames\":[\"");
	repeat(&text, "x", 254);
	shk_buf_puts(&text, "\"]}");
	expect_args_error(scene, &text, SHK_E_INPUT, "/NodeNames/0", "1 to 253 bytes");
	shk_buf_fini(&text);
}

static void test_truncated_requests(void **state)
{
	struct scene *scene = *state;

	for (size_t i = 0; i < N(captures); i++) {
		struct shk_buf text = read_data(captures[i]);
		size_t step = text.len < 4096 ? 1 : 61;

		for (size_t len = 0; len < text.len; len += step) {
			struct shk_sv part = {text.data, len};

			assert_int_not_equal(shk_extender_args_decode(part, &scene->arena,
								      &scene->args, &scene->err),
					     SHK_OK);
			assert_int_not_equal(shk_preempt_args_decode(part, &scene->arena,
								     &scene->preempt, &scene->err),
					     SHK_OK);
			assert_int_not_equal(
			    shk_bind_args_decode(part, &scene->arena, &scene->bind, &scene->err),
			    SHK_OK);
			shk_arena_reset(&scene->arena);
		}
		shk_buf_fini(&text);
	}
}

/* Names with long common beginnings, prefixes of one another and repetitions. */
static void test_sorting(void **state)
{
	enum { MANY = 5000 };
	struct scene *scene = *state;
	struct shk_buf text = {0};
	uint64_t seed = 42;

	shk_buf_puts(&text, "{\"Pod\":" POD ",\"NodeNames\":[\"last\"");
	for (size_t i = 0; i < MANY; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		shk_buf_printf(&text, ",\"gke-%s-pool-%.*s%u%s\"", seed & 1 << 20 ? "eu" : "us",
			       (int)(seed >> 60), "same-beginning-", (unsigned)(seed >> 33) % 2000,
			       seed & 1 << 21 ? "-a-tail-that-is-longer-than-a-key" : "");
	}
	shk_buf_puts(&text, "]}");
	read_args(scene, text.data);
	assert_in_range(scene->args.n_names, 1000, MANY);
	for (size_t i = 1; i < scene->args.n_names; i++)
		assert_true(strcmp(scene->args.names[i - 1], scene->args.names[i]) < 0);
	shk_buf_fini(&text);
}

static void test_bind(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"{}", "/PodName", "missing"},
	    {"[]", "", "not an object"},
	    {"{\"PodName\":\"P\"}", "/PodName", "not a DNS subdomain"},
	    {"{\"PodName\":\"p\",\"PodNamespace\":\"a.b\"}", "/PodNamespace", "not a DNS label"},
	    {"{\"PodName\":\"p\",\"PodNamespace\":\"a\",\"PodUID\":\"\"}", "/PodUID", "not a UID"},
	    {"{\"PodName\":\"p\",\"PodNamespace\":\"a\",\"PodUID\":\"u\",\"Node\":\"\"}", "/Node",
	     "1 to 253 bytes"},
	    {"{\"PodName\":\"p\",\"PodNamespace\":\"a\",\"PodUID\":\"u\",\"Node\":null}", "/Node",
	     "missing"},
	    {"{\"PodName\":\"p\",\"podname\":\"p\"}", "/PodName", "duplicate key"},
	    {"{\"PodName\":1}", "/PodName", "not a string"},
	    {"{", "line 1 column 2", "the text ends"},
	};
	struct scene *scene = *state;
	static const char good[] = "{\"podname\":\"p\",\"PODNAMESPACE\":\"a\",\"PodUid\":\"u\","
				   "\"Node\":\"n\",\"More\":[]}";

	expect_ok(shk_bind_args_decode(shk_sv(good), &scene->arena, &scene->bind, &scene->err),
		  &scene->err, good);
	assert_string_equal(scene->bind.name, "p");
	assert_string_equal(scene->bind.namespace_, "a");
	assert_string_equal(scene->bind.uid, "u");
	assert_string_equal(scene->bind.node, "n");
	for (size_t i = 0; i < N(cases); i++)
		expect_error(shk_bind_args_decode(shk_sv(cases[i].text), &scene->arena,
						  &scene->bind, &scene->err),
			     &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
}

static void test_preempt(void **state)
{
	struct scene *scene = *state;
	const struct shk_preempt_args *args = &scene->preempt;

	read_preempt(scene, "{\"Pod\":" POD ",\"NodeNameToVictims\":null,"
			    "\"NodeNameToMetaVictims\":{\"n2\":{\"Pods\":[{\"UID\":\"v1\"},"
			    "{\"uid\":\"v2\"}],\"NumPDBViolations\":3},\"n1\":{\"Pods\":[]},"
			    "\"n3\":null}}");
	assert_int_equal(args->n_nodes, 3);
	assert_string_equal(args->nodes[0].node, "n1");
	assert_int_equal(args->nodes[0].n_uids, 0);
	assert_string_equal(args->nodes[1].node, "n2");
	assert_int_equal(args->nodes[1].n_uids, 2);
	assert_string_equal(args->nodes[1].uids[0], "v1");
	assert_string_equal(args->nodes[1].uids[1], "v2");
	assert_int_equal(args->nodes[1].pdb_violations, 3);
	read_preempt(scene, "{\"Pod\":" POD ",\"NodeNameToVictims\":{\"n\":{\"pods\":"
			    "[{\"metadata\":{\"uid\":\"v\",\"name\":\"x\"},\"spec\":"
			    "{\"containers\":null}}]}}}");
	assert_int_equal(args->n_nodes, 1);
	assert_string_equal(args->nodes[0].uids[0], "v");
	read_preempt(scene, "{\"Pod\":" POD ",\"NodeNameToVictims\":{\"x\":null},"
			    "\"NodeNameToMetaVictims\":{\"y\":{}}}");
	assert_string_equal(args->nodes[0].node, "y");
	read_preempt(scene, "{\"Pod\":" POD "}");
	assert_int_equal(args->n_nodes, 0);
}

static void test_bad_preempt(void **state)
{
	static const struct {
		const char *victims; /* of NodeNameToMetaVictims */
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"[]", "/NodeNameToMetaVictims", "not an object"},
	    {"{\"\":{}}", "/NodeNameToMetaVictims/", "1 to 253 bytes"},
	    {"{\"n\":[]}", "/NodeNameToMetaVictims/n", "not an object"},
	    {"{\"n\":{\"Pods\":{}}}", "/NodeNameToMetaVictims/n/Pods", "not a list"},
	    {"{\"n\":{\"Pods\":[null]}}", "/NodeNameToMetaVictims/n/Pods/0", "not an object"},
	    {"{\"n\":{\"Pods\":[{}]}}", "/NodeNameToMetaVictims/n/Pods/0/UID", "missing"},
	    {"{\"n\":{\"Pods\":[{\"UID\":\"\"}]}}", "/NodeNameToMetaVictims/n/Pods/0/UID",
	     "not a UID"},
	    {"{\"n\":{\"NumPDBViolations\":-1}}", "/NodeNameToMetaVictims/n/NumPDBViolations",
	     "not in 0.."},
	    {"{\"n\":{\"Pods\":[],\"pods\":[]}}", "/NodeNameToMetaVictims/n/Pods", "duplicate key"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		const char *text = shk_arena_printf(
		    &scene->arena, "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":%s}",
		    cases[i].victims);

		expect_error(shk_preempt_args_decode(shk_sv(text), &scene->arena, &scene->preempt,
						     &scene->err),
			     &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words, text);
	}
	expect_error(shk_preempt_args_decode(shk_sv("{\"Pod\":" POD ",\"NodeNameToVictims\":{\"n\":"
						    "{\"Pods\":[{\"spec\":{}}]}}}"),
					     &scene->arena, &scene->preempt, &scene->err),
		     &scene->err, SHK_E_INPUT, "/NodeNameToVictims/n/Pods/0/metadata", "missing",
		     "a full victim without uid");
}

static void check_answer(struct shk_buf *out, const char *expected)
{
	assert_string_equal(out->data, expected);
	shk_buf_clear(out);
}

static void test_answers(void **state)
{
	static const char *const names[] = {"a", "b\"", "c"};
	static const uint32_t passed[] = {1, 2};
	static const struct shk_refused_node refused[] = {{"a", "Held: x", SHK_UNRESOLVABLE}};
	static const struct shk_host_score scores[] = {{"b", 10}, {"c", 9}};
	static const char *const uids[] = {"u1", "u2"};
	static const struct shk_victims victims[] = {{"a", uids, 2, 1}, {"b", NULL, 0, 0}};
	const struct shk_extender_args args = {.names = names, .n_names = 3};
	struct shk_filter_result result = {
	    .args = &args, .passed = passed, .n_passed = 2, .refused = refused, .n_refused = 1};
	struct shk_buf out = {0};

	(void)state;
	shk_filter_result_encode(&result, &out);
	check_answer(&out, "{\"Nodes\":null,\"NodeNames\":[\"b\\\"\",\"c\"],\"FailedNodes\":{},"
			   "\"FailedAndUnresolvableNodes\":{\"a\":\"Held: x\"},\"Error\":\"\"}");
	result.n_passed = 0;
	result.n_refused = 0;
	shk_filter_result_encode(&result, &out);
	check_answer(&out, "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},"
			   "\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");
	shk_filter_error_encode("not JSON", &out);
	check_answer(&out, "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},"
			   "\"FailedAndUnresolvableNodes\":{},\"Error\":\"not JSON\"}");
	shk_scores_encode(scores, 2, &out);
	check_answer(&out, "[{\"Host\":\"b\",\"Score\":10},{\"Host\":\"c\",\"Score\":9}]");
	shk_scores_encode(NULL, 0, &out);
	check_answer(&out, "[]");
	shk_bind_result_encode("", &out);
	check_answer(&out, "{\"Error\":\"\"}");
	shk_preempt_result_encode(victims, 2, &out);
	check_answer(&out, "{\"NodeNameToMetaVictims\":{\"a\":{\"Pods\":[{\"UID\":\"u1\"},"
			   "{\"UID\":\"u2\"}],\"NumPDBViolations\":1}}}");
	shk_preempt_result_encode(NULL, 0, &out);
	check_answer(&out, "{\"NodeNameToMetaVictims\":{}}");
	shk_buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_captures, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_a_captured_filter, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_captured_full_nodes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_node_lists, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_unreadable_args, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_hostile_bodies, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_truncated_requests, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_sorting, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bind, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_preempt, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bad_preempt, set_up, tear_down),
	    cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
