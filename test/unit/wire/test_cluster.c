#include "wire.h"

#include "shikiri/wire/cluster.h"

#define POD(ns, name, uid)                                                                         \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                   \
	"\",\"namespace\":\"" ns "\",\"uid\":\"" uid "\"},\"spec\":{\"containers\":[]}}"
#define NODE(name, uid)                                                                            \
	"{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" name                  \
	"\",\"uid\":\"" uid "\"}}"
#define LIST(items) "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" items "]}"

struct scene {
	struct shk_arena arena;
	struct shk_error err;
	struct shk_cluster cluster;
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

static void read_text(struct scene *scene, const char *text)
{
	expect_ok(shk_cluster_read(shk_sv(text), &scene->arena, &scene->cluster, &scene->err),
		  &scene->err, text);
}

static void test_every_kind(void **state)
{
	struct scene *scene = *state;
	const struct shk_cluster *c = &scene->cluster;

	read_text(
	    scene,
	    LIST(POD("vision", "llm-0", "u1") "," NODE(
		"n1",
		"u2") ","
		      "{\"kind\":\"Namespace\",\"metadata\":{\"name\":\"vision\","
		      "\"labels\":{\"team\":\"v\"}}},"
		      "{\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":\"PriorityClass\","
		      "\"metadata\":{\"name\":\"high\"},\"value\":1000,\"globalDefault\":true},"
		      "{\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"q\",\"namespace\":"
		      "\"vision\"},"
		      "\"spec\":{\"hard\":{\"requests.nvidia.com/"
		      "gpu\":\"4\",\"pods\":10,\"x\":1.5}}},"
		      "{\"kind\":\"ConfigMap\",\"metadata\":7},"
		      "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Pod\",\"metadata\":7}"));
	assert_int_equal(c->n_pods, 1);
	assert_string_equal(c->pods[0].name, "llm-0");
	assert_int_equal(c->n_nodes, 1);
	assert_int_equal(c->n_namespaces, 1);
	assert_string_equal(shk_labels_get(&c->namespaces[0].labels, "team"), "v");
	assert_int_equal(c->n_priority_classes, 1);
	assert_int_equal(c->priority_classes[0].value, 1000);
	assert_true(c->priority_classes[0].global_default);
	assert_int_equal(c->n_resource_quotas, 1);
	assert_string_equal(shk_labels_get(&c->resource_quotas[0].hard, "pods"), "10");
	assert_string_equal(shk_labels_get(&c->resource_quotas[0].hard, "x"), "1.5");
	assert_string_equal(shk_labels_get(&c->resource_quotas[0].hard, "requests.nvidia.com/gpu"),
			    "4");
}

static void test_forms(void **state)
{
	static const struct {
		const char *text;
		size_t n_pods;
		size_t n_nodes;
	} cases[] = {
	    {LIST(""), 0, 0},
	    {"{\"kind\":\"List\",\"items\":null}", 0, 0},
	    {"{\"kind\":\"List\"}", 0, 0},
	    {"{\"items\":[" POD("a", "p", "u") "],\"kind\":\"List\"}", 1, 0},
	    {"{\"items\":[{\"metadata\":{\"name\":\"n\"}}],\"kind\":\"NodeList\","
	     "\"apiVersion\":\"v1\"}",
	     0, 1},
	    {"{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"p\","
	     "\"namespace\":\"a\",\"uid\":\"u\"}}]}",
	     1, 0},
	    {POD("a", "p", "u"), 1, 0},
	    {NODE("n", "u"), 0, 1},
	    {"{\"kind\":\"ConfigMap\"}", 0, 0},
	    {"{\"kind\":\"SecretList\",\"items\":[{\"metadata\":1}]}", 0, 0},
	    {LIST(LIST(NODE("n", "u")) "," POD("a", "p", "u")), 1, 1},
	    {LIST(LIST(LIST(LIST(LIST(NODE("n", "u")))))), 0, 1},
	    {"kind: List\nitems:\n- kind: Node\n  metadata: {name: n}\n", 0, 1},
	    {"kind: Node\nmetadata: {name: n}\n---\nkind: Pod\nmetadata: {name: p, namespace: a, "
	     "uid: u}\n",
	     1, 1},
	    {"kind: NodeList\nitems: [{metadata: {name: n}}]\n", 0, 1},
	    {"kind: List\nitems:\n- kind: List\n  items: [{kind: Node, metadata: {name: n}}]\n", 0,
	     1},
	    {"kind: List\nitems:\n", 0, 0},
	    {"kind: ConfigMap\n", 0, 0},
	    {"", 0, 0},
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct scene scene = {0};

		read_text(&scene, cases[i].text);
		if (scene.cluster.n_pods != cases[i].n_pods ||
		    scene.cluster.n_nodes != cases[i].n_nodes)
			fail_msg("%s: %zu pods, %zu nodes", cases[i].text, scene.cluster.n_pods,
				 scene.cluster.n_nodes);
		shk_arena_fini(&scene.arena);
	}
	(void)state;
}

static void test_files_merge(void **state)
{
	struct scene *scene = *state;
	struct shk_cluster before;

	read_text(scene, LIST(POD("a", "p", "u1") "," NODE("n", "u9")));
	read_text(scene, LIST(POD("a", "q", "u2") ",{\"kind\":\"Namespace\",\"metadata\":"
						  "{\"name\":\"a\"}}"));
	read_text(scene, POD("b", "p", "u3"));
	assert_int_equal(scene->cluster.n_pods, 3);
	assert_string_equal(scene->cluster.pods[0].uid, "u1");
	assert_string_equal(scene->cluster.pods[2].uid, "u3");
	assert_int_equal(scene->cluster.n_nodes, 1);
	before = scene->cluster;
	expect_error(shk_cluster_read(shk_sv(LIST(NODE("m", "u5") "," POD("a", "p", "u4"))),
				      &scene->arena, &scene->cluster, &scene->err),
		     &scene->err, SHK_E_INPUT, "", "Pod a/p: stands twice", "the same name");
	expect_error(shk_cluster_read(shk_sv(POD("c", "p", "u3")), &scene->arena, &scene->cluster,
				      &scene->err),
		     &scene->err, SHK_E_INPUT, "", "Pod c/p: another Pod has the same UID u3",
		     "the same uid");
	expect_error(shk_cluster_read(shk_sv("kind: Namespace\nmetadata: {name: a}"), &scene->arena,
				      &scene->cluster, &scene->err),
		     &scene->err, SHK_E_INPUT, "", "Namespace a: stands twice", "a namespace");
	assert_memory_equal(&before, &scene->cluster, sizeof before);
}

static void test_duplicates_of_the_other_kinds(void **state)
{
	static const struct {
		const char *item;
		const char *words;
	} cases[] = {
	    {"{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}", "Node n: stands twice"},
	    {"{\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"n\"},\"value\":1}",
	     "PriorityClass n: stands twice"},
	    {"{\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"n\",\"namespace\":\"a\"}}",
	     "ResourceQuota a/n: stands twice"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		const char *text = shk_arena_printf(
		    &scene->arena, "{\"kind\":\"List\",\"items\":[%s]}", cases[i].item);

		read_text(scene, text);
		expect_error(
		    shk_cluster_read(shk_sv(text), &scene->arena, &scene->cluster, &scene->err),
		    &scene->err, SHK_E_INPUT, "", cases[i].words, text);
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"[]", "", "not an object"},
	    {"[{}]", "", "not an object"},
	    {"{}", "/kind", "missing"},
	    {"{\"kind\":5}", "/kind", "missing"},
	    {"{\"kind\":\"List\",\"items\":{}}", "/items", "not a list"},
	    {"{\"kind\":\"List\",\"items\":[1]}", "/items", "item 0 is not an object"},
	    {"{\"kind\":\"List\",\"items\":[{}]}", "/items", "item 0 has no kind"},
	    {"{\"kind\":\"List\",\"items\":[x]}", "line 1 column 25", "a value expected"},
	    {"{\"kind\":\"List\",\"items\":[{\"a\":1 \"b\":2}]}", "line 1 column 32",
	     "',' or '}' expected"},
	    {"{\"kind\":\"List\",\"items\":[", "line 1 column 25", "the text ends"},
	    {"{\"kind\":\"List\"} x", "line 1 column 17", "the end of the text expected"},
	    {"{\"kind\":\"List\",\"kind\":\"List\"}", "line 1 column 16", "duplicate key"},
	    {LIST("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"llm-0\",\"namespace\":\"vision\","
		  "\"uid\":\"u\"},\"spec\":{\"containers\":[{\"resources\":7}]}}"),
	     "Pod vision/llm-0: /spec/containers/0/resources", "not an object"},
	    {LIST("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"a\"}}"),
	     "Pod a/p: /metadata/uid", "missing"},
	    {LIST("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"uid\":\"u\"}}"),
	     "Pod p: /metadata/namespace", "missing"},
	    {LIST("{\"kind\":\"Pod\"}"), "Pod (no name): /metadata/name", "missing"},
	    {LIST("{\"kind\":\"Node\",\"metadata\":{\"name\":7}}"),
	     "Node (no name): /metadata/name", "not a string"},
	    {LIST("{\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a.b\"}}"),
	     "Namespace a.b: /metadata/name", "not a DNS label"},
	    {LIST("{\"kind\":\"Namespace\"}"), "Namespace (no name): /metadata", "missing"},
	    {LIST("{\"kind\":\"Namespace\",\"metadata\":{}}"),
	     "Namespace (no name): /metadata/name", "missing"},
	    {LIST("{\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"c\"}}"),
	     "PriorityClass c: /value", "missing"},
	    {LIST("{\"kind\":\"PriorityClass\",\"metadata\":{},\"value\":1}"),
	     "PriorityClass (no name): /metadata/name", "missing"},
	    {LIST("{\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"q\"}}"),
	     "ResourceQuota q: /metadata/namespace", "missing"},
	    {LIST("{\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"q\","
		  "\"namespace\":\"a\"},\"spec\":{\"hard\":{\"x\":true}}}"),
	     "ResourceQuota a/q: /spec/hard/x", "not a quantity"},
	    {LIST("{\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"q\","
		  "\"namespace\":\"a\"},\"spec\":{\"hard\":[]}}"),
	     "ResourceQuota a/q: /spec/hard", "not an object"},
	    {"kind: List\nitems: 5\n", "/items", "not a list"},
	    {"kind: List\nitems: [5]\n", "", "not an object"},
	    {"a: 1\n", "/kind", "missing"},
	    {"text\n", "", "not an object"},
	    {"a: [\n", "line 2", "not valid YAML"},
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct scene scene = {0};
		enum shk_status status = shk_cluster_read(shk_sv(cases[i].text), &scene.arena,
							  &scene.cluster, &scene.err);

		expect_error(status, &scene.err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
		shk_arena_fini(&scene.arena);
	}
	(void)state;
}

static void expect_limit(struct scene *scene, struct shk_buf *text, const char *words)
{
	expect_error(shk_cluster_read(buf_sv(text), &scene->arena, &scene->cluster, &scene->err),
		     &scene->err, SHK_E_LIMIT, "", words, words);
	shk_buf_clear(text);
}

static void test_limits(void **state)
{
	struct scene *scene = *state;
	struct shk_buf text = {0};

	repeat(&text, "{\"kind\":\"List\",\"items\":[", 6);
	repeat(&text, "]}", 6);
	expect_limit(scene, &text, "lists in lists");
	shk_buf_puts(&text, "kind: List\nitems: [");
	repeat(&text, "{kind: List, items: [", 5);
	repeat(&text, "]}", 5);
	shk_buf_puts(&text, "]");
	expect_limit(scene, &text, "lists in lists");
	shk_buf_puts(&text, "{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\",\"x\":[0");
	repeat(&text, ",0", 400000);
	shk_buf_puts(&text, "]}]}");
	expect_limit(scene, &text, "more than 400000 values and keys");
	shk_buf_puts(&text, "{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\",\"x\":");
	repeat(&text, "[", 64);
	repeat(&text, "]", 64);
	shk_buf_puts(&text, "}]}");
	expect_limit(scene, &text, "nested more than 6");
	shk_buf_puts(&text, "{\"kind\":\"List\",\"items\":[{\"kind\":\"Node\",\"x\":\"");
	repeat(&text, "0123456789abcdef", (size_t)1 << 18);
	shk_buf_puts(&text, "\"}]}");
	expect_limit(scene, &text, "more than 4194304 bytes");
	shk_buf_puts(&text, "{\"kind\":");
	repeat(&text, "                ", (size_t)1 << 22);
	expect_limit(scene, &text, "more than 67108864 bytes");
	shk_buf_fini(&text);
}

/* Each item has the bound on tokens for itself. */
static void test_many_items(void **state)
{
	enum { MANY = 3000 };
	struct scene *scene = *state;
	struct shk_buf text = {0};

	shk_buf_puts(&text, "{\"apiVersion\":\"v1\",\"items\":[");
	for (size_t i = 0; i < MANY; i++) {
		shk_buf_printf(&text,
			       "%s{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p-%zu\","
			       "\"namespace\":\"a\",\"uid\":\"u-%zu\",\"managedFields\":[",
			       i > 0 ? "," : "", i, i);
		repeat(&text, "0,", 200);
		shk_buf_puts(&text, "0]}}");
	}
	shk_buf_puts(&text, "],\"kind\":\"List\"}");
	read_text(scene, text.data);
	assert_int_equal(scene->cluster.n_pods, MANY);
	assert_string_equal(scene->cluster.pods[MANY - 1].name, "p-2999");
	shk_buf_fini(&text);
}

/* Deep, but under a key that is cut. */
static void test_deep_managed_fields(void **state)
{
	struct scene *scene = *state;
	struct shk_buf text = {0};

	shk_buf_puts(&text, "{\"kind\":\"List\",\"items\":[{\"kind\":\"Node\",\"metadata\":"
			    "{\"name\":\"n\",\"managedFields\":");
	repeat(&text, "[", 500);
	repeat(&text, "]", 500);
	shk_buf_puts(&text, "}}]}");
	read_text(scene, text.data);
	assert_int_equal(scene->cluster.n_nodes, 1);
	shk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_every_kind, set_up, tear_down),
	    cmocka_unit_test(test_forms),
	    cmocka_unit_test_setup_teardown(test_files_merge, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_duplicates_of_the_other_kinds, set_up, tear_down),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_many_items, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_deep_managed_fields, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
