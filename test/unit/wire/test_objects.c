/* test_objects.c - single Pods and Nodes. */
#include "wire.h"

#include "shikiri/wire/cluster.h"

struct scene {
	struct shk_arena arena;
	struct shk_error err;
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

static struct shk_pod pod_of(struct scene *scene, const char *text)
{
	struct shk_pod pod;

	expect_ok(shk_pod_decode(shk_sv(text), &scene->arena, &pod, &scene->err), &scene->err,
		  text);
	return pod;
}

/* A pod with this spec. */
static struct shk_pod pod_with(struct scene *scene, const char *spec)
{
	return pod_of(
	    scene,
	    shk_arena_printf(&scene->arena, "{\"metadata\":{\"name\":\"p\"},\"spec\":{%s}}", spec));
}

static void test_all_of_a_pod(void **state)
{
	struct scene *scene = *state;
	struct shk_pod pod = pod_of(
	    scene,
	    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"llm-0\","
	    "\"namespace\":\"vision\",\"uid\":\"u-1\",\"resourceVersion\":\"77\","
	    "\"creationTimestamp\":\"1970-01-01T00:01:40Z\",\"deletionTimestamp\":\"x\","
	    "\"annotations\":{\"shikiri.dev/isolation\":\"card\","
	    "\"shikiri.dev/accept-shared\":\"true\",\"other\":1}},"
	    "\"spec\":{\"nodeName\":\"n1\",\"schedulerName\":\"s\",\"priorityClassName\":\"high\","
	    "\"priority\":-5,\"terminationGracePeriodSeconds\":60,"
	    "\"schedulingGates\":[{\"name\":\"g\"}],"
	    "\"volumes\":[{\"name\":\"a\",\"emptyDir\":{}},{\"ephemeral\":{}}],"
	    "\"overhead\":{\"cpu\":\"250m\",\"nvidia.com/gpu\":\"1\"},"
	    "\"resources\":{\"requests\":{\"cpu\":\"3\"}},"
	    "\"initContainers\":[{\"name\":\"i\",\"restartPolicy\":\"Always\"},{\"name\":\"j\"}],"
	    "\"containers\":[{\"name\":\"c\",\"restartPolicy\":\"Always\",\"resources\":"
	    "{\"limits\":{\"nvidia.com/gpu\":\"2\",\"cpu\":\"2\",\"memory\":\"1Gi\"},"
	    "\"requests\":{\"nvidia.com/mig-1g.10gb\":1,\"nvidia.com/gpu\":\"2\","
	    "\"example.com/x\":true}}}],"
	    "\"ephemeralContainers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"8\"}}}]},"
	    "\"status\":{\"phase\":\"Running\"}}");

	assert_string_equal(pod.uid, "u-1");
	assert_string_equal(pod.namespace_, "vision");
	assert_string_equal(pod.name, "llm-0");
	assert_string_equal(pod.resource_version, "77");
	assert_string_equal(pod.node_name, "n1");
	assert_string_equal(pod.scheduler_name, "s");
	assert_string_equal(pod.priority_class, "high");
	assert_true(pod.has_priority);
	assert_int_equal(pod.priority, -5);
	assert_int_equal(pod.phase, SHK_PHASE_RUNNING);
	assert_true(pod.deleting && pod.gated && pod.has_volumes && pod.accept_shared);
	assert_int_equal(pod.created_s, 100);
	assert_int_equal(pod.grace_s, 60);
	assert_int_equal(pod.isolation, SHK_LEVEL_CARD);
	assert_int_equal(pod.n_overhead, 1);
	assert_true(pod.overhead[0].has_request && !pod.overhead[0].has_limit);
	assert_int_equal(pod.overhead[0].request, 1);
	assert_int_equal(pod.overhead_cpu_milli, 250);
	assert_true(pod.has_pod_cpu);
	assert_int_equal(pod.pod_cpu_milli, 3000);
	assert_int_equal(pod.n_containers, 3);
	assert_true(pod.containers[0].init && pod.containers[0].sidecar);
	assert_true(pod.containers[1].init && !pod.containers[1].sidecar);

	const struct shk_container *c = &pod.containers[2];

	assert_true(!c->init && !c->sidecar);
	assert_string_equal(c->name, "c");
	assert_int_equal(c->cpu_milli, 2000);
	assert_int_equal(c->n_asks, 2);
	assert_string_equal(c->asks[0].resource, "nvidia.com/gpu");
	assert_true(c->asks[0].has_request && c->asks[0].has_limit && !c->asks[0].malformed);
	assert_int_equal(c->asks[0].request, 2);
	assert_int_equal(c->asks[0].limit, 2);
	assert_string_equal(c->asks[1].resource, "nvidia.com/mig-1g.10gb");
	assert_true(c->asks[1].has_request && !c->asks[1].has_limit);
	assert_int_equal(c->asks[1].request, 1);
}

static void test_least_of_a_pod(void **state)
{
	struct shk_pod pod = pod_of(*state, "{\"metadata\":{\"name\":\"p\",\"labels\":null,"
					    "\"annotations\":null,\"creationTimestamp\":null},"
					    "\"spec\":{\"containers\":null},\"status\":null}");

	assert_null(pod.uid);
	assert_null(pod.namespace_);
	assert_null(pod.node_name);
	assert_false(pod.has_priority || pod.deleting || pod.gated || pod.has_volumes);
	assert_int_equal(pod.phase, SHK_PHASE_UNKNOWN);
	assert_int_equal(pod.isolation, SHK_LEVEL_NONE);
	assert_int_equal(pod.grace_s, 30);
	assert_int_equal(pod.n_containers, 0);
	assert_int_equal(pod.n_overhead, 0);
}

static void test_amounts(void **state)
{
	static const struct {
		const char *json;
		bool is_malformed;
		int64_t amount;
	} cases[] = {
	    {"\"1\"", false, 1},       {"\"0\"", false, 0},
	    {"1", false, 1},           {"0", false, 0},
	    {"1.0", false, 1},         {"1e3", false, 1000},
	    {"\"1000m\"", false, 1},   {"\"1e0\"", false, 1},
	    {"\"1Ki\"", false, 1024},  {"2147483648", false, INT64_C(2147483648)},
	    {"2147483649", true, 0},   {"\"2147483649\"", true, 0},
	    {"2147483649.0", true, 0}, {"1.5", true, 0},
	    {"-1", true, 0},           {"-1.0", true, 0},
	    {"\"1500m\"", true, 0},    {"\"-1\"", true, 0},
	    {"\"\"", true, 0},         {"\" 1\"", true, 0},
	    {"\"one\"", true, 0},      {"\"9e18\"", true, 0},
	    {"true", true, 0},         {"null", true, 0},
	    {"{}", true, 0},           {"[1]", true, 0},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_pod pod =
		    pod_with(scene, shk_arena_printf(&scene->arena,
						     "\"containers\":[{\"resources\":{\"limits\":"
						     "{\"nvidia.com/gpu\":%s}}}]",
						     cases[i].json));
		const struct shk_ask *ask = &pod.containers[0].asks[0];

		assert_int_equal(pod.containers[0].n_asks, 1);
		assert_true(ask->has_limit);
		if (ask->malformed != cases[i].is_malformed || ask->limit != cases[i].amount)
			fail_msg("%s: %d %lld", cases[i].json, ask->malformed,
				 (long long)ask->limit);
	}
}

static void test_cpu(void **state)
{
	static const struct {
		const char *json;
		int64_t milli;
	} cases[] = {
	    {"\"1\"", 1000}, {"\"1m\"", 1},    {"\"1n\"", 1}, {"2", 2000},   {"0.5", 500},
	    {"-1", 0},       {"\"-1\"", 0},    {"\"x\"", 0},  {"true", 0},   {"null", 0},
	    {"1e300", 0},    {"\"0.1\"", 100}, {"[]", 0},     {"0.0001", 1},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_pod pod =
		    pod_with(scene, shk_arena_printf(&scene->arena,
						     "\"containers\":[{\"resources\":{"
						     "\"requests\":{\"cpu\":%s}}}]",
						     cases[i].json));

		if (pod.containers[0].cpu_milli != cases[i].milli)
			fail_msg("%s: %lld", cases[i].json, (long long)pod.containers[0].cpu_milli);
	}
}

static void test_request_and_limit_are_one_ask(void **state)
{
	struct shk_pod pod = pod_with(*state, "\"containers\":[{\"resources\":{"
					      "\"requests\":{\"nvidia.com/gpu\":\"x\","
					      "\"nvidia.com/b\":1},"
					      "\"limits\":{\"nvidia.com/a\":3,"
					      "\"nvidia.com/gpu\":\"2\"}}}]");
	const struct shk_container *c = &pod.containers[0];

	assert_int_equal(c->n_asks, 3);
	assert_string_equal(c->asks[0].resource, "nvidia.com/a");
	assert_string_equal(c->asks[1].resource, "nvidia.com/b");
	assert_string_equal(c->asks[2].resource, "nvidia.com/gpu");
	assert_true(c->asks[2].malformed && c->asks[2].has_limit && c->asks[2].has_request);
	assert_int_equal(c->asks[2].limit, 2);
	assert_int_equal(c->asks[2].request, 0);
}

static void test_annotations(void **state)
{
	static const struct {
		const char *json;
		enum shk_level isolation;
		bool accept_shared;
	} cases[] = {
	    {"{}", SHK_LEVEL_NONE, false},
	    {"{\"shikiri.dev/isolation\":\"mig\"}", SHK_LEVEL_MIG, false},
	    {"{\"shikiri.dev/isolation\":\"node\"}", SHK_LEVEL_NODE, false},
	    {"{\"shikiri.dev/isolation\":\"\"}", SHK_LEVEL_INVALID, false},
	    {"{\"shikiri.dev/isolation\":\"Card\"}", SHK_LEVEL_INVALID, false},
	    {"{\"shikiri.dev/isolation\":null}", SHK_LEVEL_NONE, false},
	    {"{\"shikiri.dev/accept-shared\":\"True\"}", SHK_LEVEL_NONE, false},
	    {"{\"shikiri.dev/accept-shared\":\"\"}", SHK_LEVEL_NONE, false},
	    {"{\"shikiri.dev/accept-shared\":\"true\"}", SHK_LEVEL_NONE, true},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_pod pod = pod_of(scene, shk_arena_printf(&scene->arena,
								    "{\"metadata\":{\"name\":\"p\","
								    "\"annotations\":%s}}",
								    cases[i].json));

		assert_int_equal(pod.isolation, cases[i].isolation);
		assert_int_equal(pod.accept_shared, cases[i].accept_shared);
	}
}

static void test_phases(void **state)
{
	static const struct {
		const char *word;
		enum shk_phase phase;
	} cases[] = {
	    {"Pending", SHK_PHASE_PENDING},     {"Running", SHK_PHASE_RUNNING},
	    {"Succeeded", SHK_PHASE_SUCCEEDED}, {"Failed", SHK_PHASE_FAILED},
	    {"Unknown", SHK_PHASE_UNKNOWN},     {"", SHK_PHASE_UNKNOWN},
	    {"failed", SHK_PHASE_UNKNOWN},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_pod pod =
		    pod_of(scene, shk_arena_printf(&scene->arena,
						   "{\"metadata\":{\"name\":\"p\"},"
						   "\"status\":{\"phase\":\"%s\"}}",
						   cases[i].word));

		assert_int_equal(pod.phase, cases[i].phase);
	}
}

static void test_volumes_and_grace(void **state)
{
	static const struct {
		const char *spec;
		bool has_volumes;
		int64_t grace_s;
	} cases[] = {
	    {"", false, 30},
	    {"\"volumes\":[{\"configMap\":{}},{\"persistentVolumeClaim\":null}]", false, 30},
	    {"\"volumes\":[{\"persistentVolumeClaim\":{\"claimName\":\"c\"}}]", true, 30},
	    {"\"resourceClaims\":[]", false, 30},
	    {"\"resourceClaims\":[{\"name\":\"c\"}]", true, 30},
	    {"\"terminationGracePeriodSeconds\":0", false, 0},
	    {"\"terminationGracePeriodSeconds\":-4", false, 0},
	    {"\"terminationGracePeriodSeconds\":9223372036854775807", false, 1000000000},
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_pod pod = pod_with(*state, cases[i].spec);

		assert_int_equal(pod.has_volumes, cases[i].has_volumes);
		assert_int_equal(pod.grace_s, cases[i].grace_s);
	}
}

static void test_bad_pods(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"[]", "", "not an object"},
	    {"{\"kind\":\"Node\",\"metadata\":{\"name\":\"p\"}}", "/kind", "not Pod"},
	    {"{\"kind\":7,\"metadata\":{\"name\":\"p\"}}", "/kind", "not Pod"},
	    {"{}", "/metadata/name", "missing"},
	    {"{\"metadata\":[]}", "/metadata", "not an object"},
	    {"{\"metadata\":{\"name\":1}}", "/metadata/name", "not a string"},
	    {"{\"metadata\":{\"name\":\"A\"}}", "/metadata/name", "\"A\" is not a DNS subdomain"},
	    {"{\"metadata\":{\"namespace\":\"a.b\"}}", "/metadata/namespace", "not a DNS label"},
	    {"{\"metadata\":{\"uid\":\"a/b\"}}", "/metadata/uid", "not a UID"},
	    {"{\"metadata\":{\"creationTimestamp\":\"now\"}}", "/metadata/creationTimestamp",
	     "not a time"},
	    {"{\"metadata\":{\"creationTimestamp\":1}}", "/metadata/creationTimestamp",
	     "not a string"},
	    {"{\"metadata\":{\"deletionTimestamp\":1}}", "/metadata/deletionTimestamp",
	     "not a string"},
	    {"{\"metadata\":{\"annotations\":[]}}", "/metadata/annotations", "not an object"},
	    {"{\"metadata\":{\"labels\":{\"a/b~c\":1}}}", "/metadata/labels/a~1b~0c",
	     "not a string"},
	    {"{\"metadata\":{\"annotations\":{\"shikiri.dev/isolation\":1}}}",
	     "/metadata/annotations/shikiri.dev~1isolation", "not a string"},
	    {"{\"metadata\":{\"annotations\":{\"shikiri.dev/accept-shared\":true}}}",
	     "/metadata/annotations/shikiri.dev~1accept-shared", "not a string"},
	    {"{\"spec\":1}", "/spec", "not an object"},
	    {"{\"spec\":{\"containers\":{}}}", "/spec/containers", "not a list"},
	    {"{\"spec\":{\"containers\":[{},1]}}", "/spec/containers/1", "not an object"},
	    {"{\"spec\":{\"containers\":[null]}}", "/spec/containers/0", "not an object"},
	    {"{\"spec\":{\"initContainers\":[{\"name\":5}]}}", "/spec/initContainers/0/name",
	     "not a string"},
	    {"{\"spec\":{\"containers\":[{\"resources\":[]}]}}", "/spec/containers/0/resources",
	     "not an object"},
	    {"{\"spec\":{\"containers\":[{\"resources\":{\"limits\":\"x\"}}]}}",
	     "/spec/containers/0/resources/limits", "not an object"},
	    {"{\"spec\":{\"priority\":1.5}}", "/spec/priority", "not a whole number"},
	    {"{\"spec\":{\"priority\":2147483648}}", "/spec/priority",
	     "not in -2147483648..2147483647"},
	    {"{\"spec\":{\"nodeName\":1}}", "/spec/nodeName", "not a string"},
	    {"{\"spec\":{\"schedulingGates\":{}}}", "/spec/schedulingGates", "not a list"},
	    {"{\"spec\":{\"volumes\":{}}}", "/spec/volumes", "not a list"},
	    {"{\"spec\":{\"volumes\":[1]}}", "/spec/volumes/0", "not an object"},
	    {"{\"spec\":{\"overhead\":[]}}", "/spec/overhead", "not an object"},
	    {"{\"spec\":{\"terminationGracePeriodSeconds\":\"1\"}}",
	     "/spec/terminationGracePeriodSeconds", "not a whole number"},
	    {"{\"status\":{\"phase\":1}}", "/status/phase", "not a string"},
	    {"{\"metadata\":{\"name\":\"p\"}", "line 1 column 25", "the text ends"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_pod pod;
		enum shk_status status =
		    shk_pod_decode(shk_sv(cases[i].text), &scene->arena, &pod, &scene->err);

		expect_error(status, &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
	}
}

static struct shk_node_facts node_of(struct scene *scene, const char *text)
{
	struct shk_node_facts node;

	expect_ok(shk_node_decode(shk_sv(text), &scene->arena, &node, &scene->err), &scene->err,
		  text);
	return node;
}

static void test_all_of_a_node(void **state)
{
	struct shk_node_facts node = node_of(
	    *state,
	    "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1.example\",\"uid\":\"u\","
	    "\"resourceVersion\":\"9\",\"labels\":{\"z\":\"1\",\"a\":\"\",\"images\":\"x\"}},"
	    "\"spec\":{\"unschedulable\":true},\"status\":{"
	    "\"capacity\":{\"cpu\":\"128\",\"nvidia.com/gpu\":\"8\",\"nvidia.com/b\":2},"
	    "\"allocatable\":{\"cpu\":\"127500m\",\"nvidia.com/gpu\":\"7\","
	    "\"nvidia.com/a\":\"1\"},\"images\":[{\"names\":[\"x\"]}],"
	    "\"conditions\":[{\"type\":\"Other\",\"status\":\"False\"},"
	    "{\"type\":\"Ready\",\"status\":\"True\"}]}}");

	assert_string_equal(node.name, "n1.example");
	assert_string_equal(node.uid, "u");
	assert_string_equal(node.resource_version, "9");
	assert_int_equal(node.labels.n, 3);
	assert_string_equal(node.labels.items[0].key, "a");
	assert_string_equal(shk_labels_get(&node.labels, "images"), "x");
	assert_int_equal(node.n_resources, 3);
	assert_string_equal(node.resources[0].resource, "nvidia.com/a");
	assert_int_equal(node.resources[0].capacity, 0);
	assert_int_equal(node.resources[0].allocatable, 1);
	assert_string_equal(node.resources[1].resource, "nvidia.com/b");
	assert_int_equal(node.resources[1].capacity, 2);
	assert_int_equal(node.resources[2].capacity, 8);
	assert_int_equal(node.resources[2].allocatable, 7);
	assert_int_equal(node.cpu_milli, 127500);
	assert_true(node.ready && node.unschedulable);
}

static void test_readiness(void **state)
{
	static const struct {
		const char *conditions;
		bool is_ready;
	} cases[] = {
	    {"null", false},
	    {"[]", false},
	    {"[{\"type\":\"Ready\",\"status\":\"Unknown\"}]", false},
	    {"[{\"type\":\"Ready\"}]", false},
	    {"[{},{\"type\":\"Ready\",\"status\":\"True\"}]", true},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_node_facts node =
		    node_of(scene, shk_arena_printf(&scene->arena,
						    "{\"metadata\":{\"name\":\"n\"},"
						    "\"status\":{\"conditions\":%s}}",
						    cases[i].conditions));

		assert_int_equal(node.ready, cases[i].is_ready);
	}
}

static void test_bad_nodes(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"{}", "/metadata", "missing"},
	    {"{\"metadata\":{}}", "/metadata/name", "missing"},
	    {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\"}}", "/kind", "not Node"},
	    {"{\"metadata\":{\"name\":\"N\"}}", "/metadata/name", "not a DNS subdomain"},
	    {"{\"metadata\":{\"name\":\"n\",\"labels\":[]}}", "/metadata/labels", "not an object"},
	    {"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":null}}}", "/metadata/labels/a",
	     "not a string"},
	    {"{\"metadata\":{\"name\":\"n\"},\"spec\":{\"unschedulable\":\"no\"}}",
	     "/spec/unschedulable", "neither true nor false"},
	    {"{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":"
	     "{\"nvidia.com/gpu\":\"-1\"}}}",
	     "/status/capacity/nvidia.com~1gpu", "not a whole number of 0..2147483648"},
	    {"{\"metadata\":{\"name\":\"n\"},\"status\":{\"allocatable\":"
	     "{\"nvidia.com/gpu\":true}}}",
	     "/status/allocatable/nvidia.com~1gpu", "not a whole number"},
	    {"{\"metadata\":{\"name\":\"n\"},\"status\":{\"conditions\":{}}}", "/status/conditions",
	     "not a list"},
	    {"{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":[]}}", "/status/capacity",
	     "not an object"},
	    {"nonsense", "line 1 column 1", "a value expected"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		struct shk_node_facts node;
		enum shk_status status =
		    shk_node_decode(shk_sv(cases[i].text), &scene->arena, &node, &scene->err);

		expect_error(status, &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
	}
}

/* What no decoder looks at isn't built, but it is checked like all else. */
static void test_unread_members_are_checked(void **state)
{
	static const struct {
		const char *spec;
		const char *words;
	} cases[] = {
	    {"\"hostAliases\":[{\"a\":1,\"a\":2}]", "duplicate key"},
	    {"\"x\":{\"y\":tru}", "a value expected"},
	    {"\"x\":[1,]", "a value expected"},
	    {"\"x\":\"\\u0000\"", "not allowed"},
	    {"\"x\":1,\"x\":2", "duplicate key"},
	    {"\"containers\":[{\"image\":\"a\",\"image\":\"b\"}]", "duplicate key"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		const char *text = shk_arena_printf(
		    &scene->arena, "{\"metadata\":{\"name\":\"p\"},\"spec\":{%s}}", cases[i].spec);
		struct shk_pod pod;

		assert_int_equal(shk_pod_decode(shk_sv(text), &scene->arena, &pod, &scene->err),
				 SHK_E_INPUT);
		if (!strstr(scene->err.text, cases[i].words))
			fail_msg("%s: %s", text, scene->err.text);
	}
}

/* A key that nobody reads in one place may be a label in another. */
static void test_read_maps_are_kept_whole(void **state)
{
	struct scene *scene = *state;
	struct shk_node_facts node;

	expect_ok(shk_node_decode(
		      shk_sv("{\"image\":1,\"metadata\":{\"image\":2,\"name\":\"n\",\"labels\":{"
			     "\"image\":\"a\",\"zone\":\"b\"}},\"status\":{\"phase\":7,"
			     "\"allocatable\":{\"nvidia.com/gpu\":\"3\",\"x\":\"1\"}}}"),
		      &scene->arena, &node, &scene->err),
		  &scene->err, "node");
	assert_int_equal(node.labels.n, 2);
	assert_string_equal(node.labels.items[0].key, "image");
	assert_int_equal(node.n_resources, 1);
	assert_int_equal(node.resources[0].allocatable, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_all_of_a_pod, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_least_of_a_pod, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_amounts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_cpu, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_request_and_limit_are_one_ask, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_annotations, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_phases, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_volumes_and_grace, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bad_pods, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_all_of_a_node, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_readiness, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bad_nodes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_unread_members_are_checked, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_read_maps_are_kept_whole, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
