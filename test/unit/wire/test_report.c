#include "wire.h"

#include "town.h"

#include "shikiri/core/plan.h"
#include "shikiri/wire/report.h"
#include "shikiri/wire/value.h"

struct scene {
	struct town town;
	struct shk_arena arena;
	struct shk_buf out;
	struct shk_json json;
	struct shk_value *value;
};

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof *scene);

	assert_non_null(scene);
	town_open(&scene->town);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	shk_value_free(scene->value);
	shk_buf_fini(&scene->out);
	shk_arena_fini(&scene->arena);
	town_close(&scene->town);
	free(scene);
	return 0;
}

static struct shk_moment moment_of(const struct scene *scene)
{
	return (struct shk_moment){
	    .now_s = scene->town.now_s, .holds = scene->town.holds, .n_holds = scene->town.n_holds};
}

/* What was written, read back. */
static const struct shk_value *read_back(struct scene *scene)
{
	struct shk_error err;

	shk_value_free(scene->value);
	scene->value = NULL;
	expect_ok(shk_value_parse(buf_sv(&scene->out), &shk_scan_document, &scene->value, &err),
		  &err, scene->out.data);
	return scene->value;
}

static void begin(struct scene *scene)
{
	shk_buf_clear(&scene->out);
	shk_json_begin(&scene->json, &scene->out);
}

static void expect_json(const struct shk_value *value, const char *expected)
{
	struct shk_buf text = {0};

	assert_non_null(value);
	shk_value_print(value, &text);
	assert_string_equal(text.data, expected);
	shk_buf_fini(&text);
}

static void test_plan(void **state)
{
	static const struct shk_amount amounts[] = {{MIG2, 1}};
	static const struct shk_plan_node nodes[] = {
	    {.name = "n1", .verdict = {.reason = SHK_FITS, .rank = 1, .key = 0}, .score = 10},
	    {.name = "n2", .verdict = {.reason = SHK_REASON_SLICES_BUSY}, .detail = "all in use"},
	    {.name = "n3",
	     .verdict = {.reason = SHK_REASON_PROFILE_NAME,
			 .reasons = UINT64_C(1) << SHK_REASON_PROFILE_NAME |
				    UINT64_C(1) << SHK_REASON_PROFILE_UNKNOWN |
				    UINT64_C(1) << SHK_REASON_HELD}},
	};
	const struct shk_plan_pod pods[] = {
	    {.namespace_ = "vision-serve",
	     .name = "llm-0",
	     .tenant = "vision",
	     .domain = "research",
	     .priority = 900000,
	     .request = {amounts, 1},
	     .charge = {.parts = {2 * SHK_PARTS / 7, 2 * SHK_PARTS, 20 * SHK_PARTS},
			.known = {true, true, true, false}},
	     .has_charge = true,
	     .outcome = SHK_OUTCOME_FITS,
	     .node = "n1",
	     .isolation = SHK_ISOLATION_MIG,
	     .quota_class = SHK_CLASS_GUARANTEED,
	     .reason = SHK_FITS,
	     .nodes = nodes,
	     .n_nodes = 3},
	    {.namespace_ = "a",
	     .name = "b",
	     .outcome = SHK_OUTCOME_NO_FIT,
	     .reason = SHK_REASON_CARDS_BUSY,
	     .detail = "d"},
	};
	static const struct shk_plan_quota quota[] = {
	    {.tenant = "vision",
	     .before = {.unit = "gpuEquivalents",
			.has_guaranteed = true,
			.guaranteed = UNITS(12),
			.ceiling = UNITS(20),
			.used = UNITS(1)},
	     .after = UNITS(2)},
	    {.tenant = "vision", .before = {.unit = MIG2, .unlimited = true}},
	};
	static const char *const caveats[] = {"kube-scheduler has the last word"};
	const struct shk_plan plan = {.outcome = SHK_OUTCOME_NO_FIT,
				      .summary = "1 of 2 pods fit",
				      .pods = pods,
				      .n_pods = 2,
				      .quota = quota,
				      .n_quota = 2,
				      .caveats = caveats,
				      .n_caveats = 1};
	const struct shk_report_basis basis = {
	    .ledger_seq = 99120, .policy_hash = "sha256:3f", .inventory_age_ms = 400};
	struct scene *scene = *state;

	shk_report_plan(&plan, &basis, &scene->out);

	const struct shk_value *root = read_back(scene);
	const struct shk_value *pod = shk_value_at(shk_value_get(root, "pods"), 0);
	const struct shk_value *listed = shk_value_get(pod, "nodes");

	assert_string_equal(shk_value_string_at(root, "verdict"), "NoFit");
	assert_string_equal(shk_value_string_at(root, "summary"), "1 of 2 pods fit");
	expect_json(shk_value_get(root, "basis"),
		    "{\"inventoryAgeSeconds\":0.4,\"ledgerSeq\":99120,\"policy\":\"sha256:3f\"}");
	expect_json(shk_value_get(pod, "request"), "{\"nvidia.com/mig-2g.20gb\":1}");
	expect_json(shk_value_get(pod, "charge"),
		    "{\"computeSlices\":\"2\",\"gpuEquivalents\":\"0.286\",\"memoryGiB\":\"20\"}");
	assert_string_equal(shk_value_string_at(pod, "verdict"), "Fits");
	assert_string_equal(shk_value_string_at(pod, "isolation"), "mig");
	assert_string_equal(shk_value_string_at(pod, "quotaClass"), "guaranteed");
	assert_string_equal(shk_value_string_at(pod, "code"), "");
	assert_string_equal(shk_value_string_at(pod, "detail"), "");
	assert_string_equal(shk_value_string_at(pod, "trustDomain"), "research");
	assert_int_equal(shk_value_int(shk_value_get(pod, "priority"), 0), 900000);
	assert_int_equal(shk_value_int(shk_value_get(shk_value_at(listed, 0), "score"), 0), 10);
	assert_int_equal(shk_value_size(shk_value_get(shk_value_at(listed, 0), "key")), 6);
	expect_json(shk_value_at(listed, 1),
		    "{\"class\":\"Resolvable\",\"code\":\"SlicesBusy\",\"detail\":\"all in use\","
		    "\"fits\":false,\"name\":\"n2\"}");
	expect_json(
	    shk_value_at(listed, 2),
	    "{\"class\":\"Unresolvable\",\"code\":\"ProfileUnknown\",\"codes\":"
	    "[\"ProfileUnknown\",\"Held\"],\"detail\":\"\",\"fits\":false,\"name\":\"n3\"}");
	pod = shk_value_at(shk_value_get(root, "pods"), 1);
	expect_json(shk_value_get(pod, "charge"), "{}");
	assert_string_equal(shk_value_string_at(pod, "code"), "CardsBusy");
	assert_string_equal(shk_value_string_at(pod, "node"), "");
	expect_json(shk_value_get(root, "quota"),
		    "[{\"after\":\"2\",\"borrowed\":\"0\",\"ceiling\":\"20\",\"guaranteed\":\"12\","
		    "\"tenant\":\"vision\",\"unit\":\"gpuEquivalents\",\"used\":\"1\"},"
		    "{\"after\":\"0\",\"borrowed\":\"0\",\"ceiling\":\"unlimited\","
		    "\"tenant\":\"vision\",\"unit\":\"nvidia.com/mig-2g.20gb\",\"used\":\"0\"}]");
	expect_json(shk_value_get(root, "caveats"), "[\"kube-scheduler has the last word\"]");
}

static void test_ages(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {
	    {0, "0.0"}, {400, "0.4"}, {1, "0.001"}, {61000, "61.0"}, {61250, "61.25"}, {-5, "0.0"},
	};
	struct scene *scene = *state;
	const struct shk_plan plan = {.outcome = SHK_OUTCOME_FITS};

	for (size_t i = 0; i < N(cases); i++) {
		const struct shk_report_basis basis = {.inventory_age_ms = cases[i].ms};
		char expected[64];

		shk_buf_clear(&scene->out);
		shk_report_plan(&plan, &basis, &scene->out);
		(void)snprintf(expected, sizeof expected, "\"inventoryAgeSeconds\":%s}",
			       cases[i].text);
		assert_non_null(strstr(scene->out.data, expected));
	}
}

/* Two tenants on a node of cards; the second has borrowed. */
static void settle_two_tenants(struct scene *scene)
{
	struct town *town = &scene->town;
	struct town_tenant *vision;
	struct town_tenant *speech;

	town_cards(town, "n1", 8);
	town_shared(town, "n2", 1, 4);
	vision = town_tenant(town, "vision", "research", "vision-ns");
	town_quota(vision, "gpuEquivalents", 6, 8, 4);
	town_quota(vision, "memoryGiB", -1, 1, -1);
	speech = town_tenant(town, "speech", "speech", "speech-ns");
	town_quota(speech, "gpuEquivalents", 0, 8, -1);
	town_settle(town);
	town_adopt(town, town_pod(town, "u1", "vision-ns", GPU, 1), "n1");
	town_bind(town, town_pod(town, "u2", "speech-ns", GPU, 3), "n1");
}

static void test_quota(void **state)
{
	struct scene *scene = *state;
	struct town *town = &scene->town;
	struct shk_moment moment;

	settle_two_tenants(scene);
	moment = moment_of(scene);
	begin(scene);
	shk_report_quota(&town->draft.view, &moment, shk_tenancy_tenant(&town->tenancy, "vision"),
			 &scene->arena, &scene->json, NULL);

	const struct shk_value *root = read_back(scene);

	expect_json(shk_value_get(root, "metadata"), "{\"labels\":{},\"name\":\"vision\"}");
	expect_json(
	    shk_value_get(root, "spec"),
	    "{\"gpuEquivalents\":{\"ceiling\":\"8\",\"guaranteed\":\"6\",\"lendable\":\"4\"},"
	    "\"memoryGiB\":{\"ceiling\":\"1\"}}");

	const struct shk_value *unit = shk_value_path(root, "status.gpuEquivalents");

	assert_string_equal(shk_value_string_at(unit, "used"), "1");
	assert_string_equal(shk_value_string_at(unit, "borrowed"), "0");
	assert_string_equal(shk_value_string_at(unit, "lent"), "4");
	assert_string_equal(shk_value_string_at(unit, "deliverable"), "6");
	assert_false(shk_value_bool(shk_value_get(unit, "overCeiling"), true));
	unit = shk_value_path(root, "status.memoryGiB");
	assert_true(shk_value_bool(shk_value_get(unit, "overCeiling"), false));
	assert_null(shk_value_get(unit, "lent"));
	assert_null(shk_value_get(unit, "room"));
}

static void test_tenant(void **state)
{
	struct scene *scene = *state;
	struct town *town = &scene->town;
	struct shk_moment moment;

	settle_two_tenants(scene);
	moment = moment_of(scene);
	begin(scene);
	shk_report_tenant(&town->draft.view, &moment, shk_tenancy_tenant(&town->tenancy, "speech"),
			  &scene->arena, &scene->json, NULL);

	const struct shk_value *root = read_back(scene);

	assert_string_equal(shk_value_string_at(root, "metadata.name"), "speech");
	assert_string_equal(shk_value_string_at(root, "spec.quota.gpuEquivalents.ceiling"), "8");
	expect_json(shk_value_path(root, "status.namespaces"), "[\"speech-ns\"]");
	assert_string_equal(shk_value_string_at(root, "status.used.gpuEquivalents"), "3");
	assert_string_equal(shk_value_string_at(root, "status.borrowed.gpuEquivalents"), "3");
	assert_string_equal(shk_value_string_at(root, "status.lent.gpuEquivalents"), "0");
	assert_int_equal(shk_value_int(shk_value_path(root, "status.allocations"), 0), 1);
	assert_false(shk_value_bool(shk_value_path(root, "status.overCeiling"), true));
	assert_non_null(shk_value_get(shk_value_path(root, "status.used"), GPU));
}

static void test_namespaces_by_selector(void **state)
{
	static const char *const values[] = {"v"};
	static const struct shk_requirement items[] = {
	    {.key = "team", .op = SHK_SELECTOR_IN, .values = values, .n_values = 1}};
	static const struct shk_pair labels[] = {{"team", "v"}};
	struct scene *scene = *state;
	struct town *town = &scene->town;
	struct town_tenant *tenant = town_tenant(town, "vision", "research", "z-ns");
	struct shk_moment moment;

	tenant->tenant.has_selector = true;
	tenant->tenant.namespace_selector = (struct shk_selector){items, 1};
	town->namespaces[town->n_namespaces++] = (struct shk_namespace){"a-ns", {labels, 1}};
	town->namespaces[town->n_namespaces++] = (struct shk_namespace){"z-ns", {labels, 1}};
	town->namespaces[town->n_namespaces++] = (struct shk_namespace){"other", {NULL, 0}};
	town_settle(town);
	moment = moment_of(scene);
	begin(scene);
	shk_report_tenant(&town->draft.view, &moment, shk_tenancy_tenant(&town->tenancy, "vision"),
			  &scene->arena, &scene->json, NULL);
	expect_json(shk_value_path(read_back(scene), "status.namespaces"), "[\"a-ns\",\"z-ns\"]");
}

static void test_node(void **state)
{
	struct scene *scene = *state;
	struct town *town = &scene->town;

	settle_two_tenants(scene);
	begin(scene);
	shk_json_object(&scene->json, NULL);
	shk_report_node(town_find(town, "n1"), &scene->json, "node");
	shk_report_node(town_find(town, "n2"), &scene->json, "shared");
	shk_json_object_end(&scene->json);

	const struct shk_value *root = read_back(scene);
	const struct shk_value *node = shk_value_get(root, "node");
	const struct shk_value *pool = shk_value_at(shk_value_path(node, "status.pools"), 0);

	assert_string_equal(shk_value_string_at(node, "metadata.name"), "n1");
	assert_true(shk_value_is_object(shk_value_path(node, "metadata.labels")));
	expect_json(shk_value_get(node, "spec"), "{}");
	assert_string_equal(shk_value_string_at(node, "status.fence"), "");
	assert_string_equal(shk_value_string_at(node, "status.contradiction"), "");
	assert_string_not_equal(shk_value_string_at(node, "status.product"), "");
	assert_string_equal(shk_value_string_at(pool, "resource"), GPU);
	assert_string_equal(shk_value_string_at(pool, "kind"), "card");
	assert_int_equal(shk_value_int(shk_value_get(pool, "capacity"), 0), 8);
	assert_int_equal(shk_value_int(shk_value_get(pool, "used"), 0), 4);
	assert_int_equal(shk_value_int(shk_value_get(pool, "free"), 0), 4);
	assert_int_equal(shk_value_int(shk_value_get(pool, "deficit"), 9), 0);
	assert_true(shk_value_bool(shk_value_get(pool, "mixed"), false));
	assert_non_null(shk_value_path(node, "status.cpu.allocatableMilli"));
	pool = shk_value_at(shk_value_path(shk_value_get(root, "shared"), "status.pools"), 0);
	assert_string_equal(shk_value_string_at(pool, "kind"), "shared");
	assert_string_equal(shk_value_string_at(pool, "sharing"), "time-slicing");
	assert_string_equal(shk_value_string_at(pool, "owner"), "");
}

static void test_allocation(void **state)
{
	static const struct shk_amount amounts[] = {{GPU, 2}};
	const struct shk_alloc alloc = {.uid = "u",
					.namespace_ = "a",
					.name = "p",
					.tenant = "t",
					.domain = "d",
					.node = "n",
					.resources = {amounts, 1},
					.charge = {.parts = {UNITS(2)}, .known = {true}},
					.priority = 7,
					.state = SHK_ALLOC_BOUND,
					.quota_class = SHK_CLASS_BORROWED,
					.isolation = SHK_ISOLATION_CARD,
					.seq = 9,
					.since_s = 60};
	struct scene *scene = *state;

	begin(scene);
	shk_report_allocation(&alloc, &scene->json, NULL);
	assert_string_equal(
	    scene->out.data,
	    "{\"uid\":\"u\",\"namespace\":\"a\",\"name\":\"p\",\"tenant\":\"t\","
	    "\"trustDomain\":\"d\",\"node\":\"n\",\"resources\":{\"nvidia.com/gpu\":2},"
	    "\"charge\":{\"gpuEquivalents\":\"2\"},\"priority\":7,\"state\":\"bound\","
	    "\"quotaClass\":\"borrowed\",\"isolation\":\"card\",\"seq\":9,"
	    "\"since\":\"1970-01-01T00:01:00Z\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_plan, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_ages, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_quota, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_tenant, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_namespaces_by_selector, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_node, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_allocation, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
