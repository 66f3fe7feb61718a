#include "wire.h"

#include "shikiri/wire/workload.h"

#define TEMPLATE                                                                                   \
	"template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}"

struct scene {
	struct shk_arena arena;
	struct shk_error err;
	struct shk_dry_run_request request;
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

/* "ns/name ns/name" of the pods that text expands to. */
static const char *expand(struct scene *scene, const char *text, const char *namespace_)
{
	const char *joined = "";

	expect_ok(shk_dry_run_decode(shk_sv(text), true, namespace_, &scene->arena, &scene->request,
				     &scene->err),
		  &scene->err, text);
	for (size_t i = 0; i < scene->request.order.n_pods; i++) {
		const struct shk_pod *pod = scene->request.order.pods[i];

		joined = shk_arena_printf(&scene->arena, "%s%s%s/%s", joined, i > 0 ? " " : "",
					  pod->namespace_, pod->name);
		if (!strstr(text, "uid: old"))
			assert_string_equal(pod->uid,
					    shk_arena_printf(&scene->arena, "dry-run/%s/%s",
							     pod->namespace_, pod->name));
	}
	return joined;
}

static void test_expansion(void **state)
{
	static const struct {
		const char *text;
		const char *namespace_;
		const char *pods;
	} cases[] = {
	    {"", NULL, ""},
	    {"{kind: Pod, metadata: {name: p}}", NULL, "default/p"},
	    {"{kind: Pod, metadata: {name: p}}", "other", "other/p"},
	    {"{kind: Pod, metadata: {name: p, namespace: mine}}", "other", "mine/p"},
	    {"{kind: Pod, metadata: {generateName: g-}}", NULL, "default/g-0"},
	    {"{kind: Pod, metadata: {generateName: g-}}\n---\n"
	     "{kind: Pod, metadata: {generateName: g-}}",
	     NULL, "default/g-0 default/g-1"},
	    {"{kind: Deployment, metadata: {name: d}, spec: {replicas: 3, " TEMPLATE "}}", NULL,
	     "default/d-0 default/d-1 default/d-2"},
	    {"{kind: Deployment, apiVersion: apps/v1, metadata: {name: d}, spec: {" TEMPLATE "}}",
	     NULL, "default/d-0"},
	    {"{kind: Deployment, metadata: {name: d}, spec: {replicas: 0, " TEMPLATE "}}", NULL,
	     ""},
	    {"{kind: StatefulSet, metadata: {name: s, namespace: n}, spec: {replicas: 2, " TEMPLATE
	     "}}",
	     NULL, "n/s-0 n/s-1"},
	    {"{kind: ReplicaSet, metadata: {generateName: r-}, spec: {" TEMPLATE "}}", NULL,
	     "default/r-0-0"},
	    {"{kind: Job, apiVersion: batch/v1, metadata: {name: j}, spec: {" TEMPLATE "}}", NULL,
	     "default/j-0"},
	    {"{kind: Job, metadata: {name: j}, spec: {parallelism: 3, completions: 2, " TEMPLATE
	     "}}",
	     NULL, "default/j-0 default/j-1"},
	    {"{kind: Job, metadata: {name: j}, spec: {parallelism: 2, completions: 9, " TEMPLATE
	     "}}",
	     NULL, "default/j-0 default/j-1"},
	    {"{kind: Job, metadata: {name: j}, spec: {parallelism: 2, " TEMPLATE "}}", NULL,
	     "default/j-0 default/j-1"},
	    {"{kind: Job, metadata: {name: j}, spec: {parallelism: 0, " TEMPLATE "}}", NULL, ""},
	    {"{kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {parallelism: "
	     "2, " TEMPLATE "}}}}",
	     NULL, "default/c-0 default/c-1"},
	    {"{kind: List, items: [{kind: Pod, metadata: {name: a}}, {kind: List, items: "
	     "[{kind: Pod, metadata: {name: b}}]}]}",
	     NULL, "default/a default/b"},
	    {"{kind: PodList, items: [{metadata: {name: a}}]}", NULL, "default/a"},
	    {"{kind: List, items: null}", NULL, ""},
	    {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"managedFields\":[{}]}}", NULL,
	     "default/p"},
	    {"{\"namespace\":\"mine\",\"manifests\":[{\"kind\":\"Pod\",\"metadata\":"
	     "{\"name\":\"p\"}}]}",
	     "other", "mine/p"},
	    {"{\"manifests\":[{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}]}", "other",
	     "other/p"},
	    {"{\"manifests\":[]}", NULL, ""},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		const char *pods = expand(scene, cases[i].text, cases[i].namespace_);

		if (strcmp(pods, cases[i].pods) != 0)
			fail_msg("%s: %s", cases[i].text, pods);
		assert_int_equal(scene->request.order.options.max_nodes, 50);
		assert_false(scene->request.order.options.all_reasons);
	}
}

static void test_pods_begin_anew(void **state)
{
	struct scene *scene = *state;
	const struct shk_pod *pod;

	expand(scene,
	       "{kind: Pod, metadata: {name: p, uid: old, resourceVersion: \"5\", "
	       "deletionTimestamp: x, annotations: {shikiri.dev/isolation: card}}, "
	       "spec: {nodeName: n1, priorityClassName: high, containers: [{name: c, "
	       "resources: {limits: {nvidia.com/gpu: 2}}}]}, status: {phase: Running}}",
	       NULL);
	pod = scene->request.order.pods[0];
	assert_string_equal(pod->uid, "old");
	assert_null(pod->node_name);
	assert_null(pod->resource_version);
	assert_int_equal(pod->phase, SHK_PHASE_PENDING);
	assert_false(pod->deleting);
	assert_int_equal(pod->isolation, SHK_LEVEL_CARD);
	assert_string_equal(pod->priority_class, "high");
	assert_int_equal(pod->containers[0].asks[0].limit, 2);
}

static void test_envelope(void **state)
{
	struct scene *scene = *state;

	expand(scene,
	       "{\"manifests\":[],\"hypotheticalNodes\":[{\"like\":\"gpu-h100-01\","
	       "\"count\":2}],\"options\":{\"maxNodes\":7,\"allReasons\":true}}",
	       NULL);
	assert_int_equal(scene->request.n_hypothetical, 1);
	assert_string_equal(scene->request.hypothetical[0].like, "gpu-h100-01");
	assert_int_equal(scene->request.hypothetical[0].count, 2);
	assert_int_equal(scene->request.order.options.max_nodes, 7);
	assert_true(scene->request.order.options.all_reasons);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"[]", "", "not an object"},
	    {"{}", "/kind", "missing"},
	    {"{kind: Service}", "/kind", "\"Service\" is not Pod, Deployment"},
	    {"{kind: Job, apiVersion: batch.volcano.sh/v1alpha1}", "/kind",
	     "\"Job\" of this apiVersion is not"},
	    {"{kind: Pod}", "/metadata/name", "missing"},
	    {"{kind: Pod, metadata: {name: P}}", "/metadata/name", "not a DNS subdomain"},
	    {"{kind: Pod, metadata: {name: p}}\n---\n{kind: Pod, metadata: {name: p}}", "",
	     "document 2: a second pod named \"p\""},
	    {"{kind: Pod, metadata: {name: p}}\n---\n{kind: Pod, metadata: {name: 5}}",
	     "document 2: /metadata/name", "not a string"},
	    {"{kind: Deployment}", "/spec", "missing"},
	    {"{kind: Deployment, spec: {" TEMPLATE "}}", "/metadata/name", "missing"},
	    {"{kind: Deployment, metadata: {name: d}, spec: {}}", "/spec/template", "missing"},
	    {"{kind: Deployment, metadata: {name: d}, spec: {replicas: x}}", "/spec/replicas",
	     "not a whole number"},
	    {"{kind: Deployment, metadata: {name: d}, spec: {replicas: -1}}", "/spec/replicas",
	     "not in 0.."},
	    {"{kind: Deployment, metadata: {name: d}, spec: {template: {spec: {containers: 5}}}}",
	     "/spec/template/spec/containers", "not a list"},
	    {"{kind: Job, metadata: {name: j}, spec: {parallelism: 1.5}}", "/spec/parallelism",
	     "not a whole number"},
	    {"{kind: CronJob, metadata: {name: c}, spec: {}}", "/spec/jobTemplate", "missing"},
	    {"{kind: CronJob, spec: {jobTemplate: {}}}", "/metadata/name", "missing"},
	    {"{kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {}}}",
	     "/spec/jobTemplate/spec", "missing"},
	    {"{kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {}}}}",
	     "/spec/jobTemplate/spec/template", "missing"},
	    {"{kind: List, items: [{kind: Pod, metadata: {name: p}}, {kind: Pod}]}",
	     "/items/1/metadata/name", "missing"},
	    {"{kind: List, items: [{metadata: {name: p}}]}", "/items/0/kind", "missing"},
	    {"{kind: List, items: {}}", "/items", "not a list"},
	    {"{manifests: {}}", "/manifests", "not a list"},
	    {"{manifests: [5]}", "/manifests/0", "not an object"},
	    {"{manifests: [], namespace: A}", "/namespace", "not a DNS label"},
	    {"{manifests: [], option: {}}", "/option", "did you mean \"options\"?"},
	    {"{manifests: [], options: {maxNodes: -1}}", "/options/maxNodes", "not in 0.."},
	    {"{manifests: [], options: {all: true}}", "/options/all", "unknown field"},
	    {"{manifests: [], hypotheticalNodes: [{like: n, count: 0}]}",
	     "/hypotheticalNodes/0/count", "not in 1..1000"},
	    {"{manifests: [], hypotheticalNodes: [{like: n, count: 1001}]}",
	     "/hypotheticalNodes/0/count", "not in 1..1000"},
	    {"{manifests: [], hypotheticalNodes: [{count: 1}]}", "/hypotheticalNodes/0/like",
	     "missing"},
	    {"{\"kind\":", "line 1 column 9", "the text ends"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		enum shk_status status = shk_dry_run_decode(
		    shk_sv(cases[i].text), true, NULL, &scene->arena, &scene->request, &scene->err);

		expect_error(status, &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
	}
}

static void test_namespace_parameter(void **state)
{
	struct scene *scene = *state;

	expect_error(shk_dry_run_decode(shk_sv("{\"manifests\":[]}"), false, "A b", &scene->arena,
					&scene->request, &scene->err),
		     &scene->err, SHK_E_INPUT, "", "the namespace is not a DNS label", "A b");
}

static void test_json_only(void **state)
{
	struct scene *scene = *state;
	static const char yaml[] = "kind: Pod\nmetadata: {name: p}\n";

	expect_error(shk_dry_run_decode(shk_sv(yaml), false, NULL, &scene->arena, &scene->request,
					&scene->err),
		     &scene->err, SHK_E_INPUT, "line 1 column 1", "not valid JSON", yaml);
}

static void test_limits(void **state)
{
	struct scene *scene = *state;
	struct shk_buf text = {0};

	expand(scene,
	       "{kind: Deployment, metadata: {name: d}, spec: {replicas: 1000, " TEMPLATE "}}",
	       NULL);
	assert_int_equal(scene->request.order.n_pods, SHK_DRY_RUN_MAX_PODS);
	assert_string_equal(scene->request.order.pods[999]->name, "d-999");
	expect_error(shk_dry_run_decode(shk_sv("{kind: Deployment, metadata: {name: d}, spec: "
					       "{replicas: 2147483647, " TEMPLATE "}}"),
					true, NULL, &scene->arena, &scene->request, &scene->err),
		     &scene->err, SHK_E_LIMIT, "", "more than 1000 pods", "many replicas");
	repeat(&text, "{\"kind\":\"List\",\"items\":[", 6);
	repeat(&text, "]}", 6);
	assert_int_equal(shk_dry_run_decode(buf_sv(&text), false, NULL, &scene->arena,
					    &scene->request, &scene->err),
			 SHK_E_INPUT);
	assert_non_null(strstr(scene->err.text, "lists in lists"));
	shk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_expansion, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_pods_begin_anew, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_envelope, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_namespace_parameter, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_json_only, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
