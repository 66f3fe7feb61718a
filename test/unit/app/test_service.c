#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/wire/extender.h"
#include "wait.h"

#define TENANTS                                                                                    \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: vision}\n"                     \
	"spec: {namespaces: [v], quota: {gpuEquivalents: {guaranteed: \"4\"}}}\n---\n"             \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: audio}\n"                      \
	"spec: {namespaces: [a]}\n"

struct rig {
	struct fixture f;
	struct shk_service *service;
	struct shk_arena arena;
	struct shk_filter_result filtered;
};

static const struct shk_caller caller = {"anonymous", "127.0.0.1", "r1"};

static int set_up(void **state)
{
	static struct rig rig;
	struct fixture *f = &rig.f;
	struct shk_error err;
	struct shk_buf list = {0};

	fixture_init(f);
	fixture_cards(f, "n1", 8);
	fixture_cards(f, "n2", 8);
	fixture_mig(f, "m1", 14);
	fixture_shared(f, "s1", 1, 4);
	fixture_pod(f, "v", "p1", "u1", GPU, 1, "", "");
	fixture_pod(f, "v", "p2", "u2", GPU, 4, "", "");
	fixture_pod(f, "v", "s", "u3", SHARED, 1, "", "");
	fixture_pod(f, "a", "s", "u4", SHARED, 1, "", "");
	fixture_apply_file(f, "d.yaml", TENANTS);
	shk_buf_printf(&list, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[%s]}",
		       f->snapshot.data);
	f->snapshot_items[0] = fixture_file(f, "snapshot.json", list.data);
	f->config.snapshots = (struct shk_texts){f->snapshot_items, 1};
	shk_buf_fini(&list);
	if (shk_service_start(&f->config, &rig.service, &err))
		fail_msg("%s", err.text);
	shk_arena_init(&rig.arena, 0);
	*state = &rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	shk_arena_fini(&rig->arena);
	shk_service_stop(rig->service);
	fixture_fini(&rig->f);
	return 0;
}

static const struct shk_extender_args *args_of(struct rig *rig, const char *namespace_,
					       const char *name, const char *uid,
					       const char *resource, int count)
{
	struct shk_extender_args *args = SHK_NEW(&rig->arena, struct shk_extender_args);
	struct shk_buf text = {0};
	struct shk_error err = {0};

	shk_buf_printf(
	    &text,
	    "{\"Pod\":{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"%s\"},"
	    "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{"
	    "\"%s\":\"%d\"}}}]}},\"Nodes\":null,"
	    "\"NodeNames\":[\"s1\",\"n2\",\"n1\",\"m1\",\"unknown\"]}",
	    name, namespace_, uid, resource, count);
	if (shk_extender_args_decode((struct shk_sv){text.data, text.len}, &rig->arena, args, &err))
		fail_msg("%s %s", err.pointer, err.text);
	shk_buf_fini(&text);
	return args;
}

static const struct shk_filter_result *filter(struct rig *rig, const char *namespace_,
					      const char *name, const char *uid,
					      const char *resource, int count)
{
	shk_service_filter(rig->service, args_of(rig, namespace_, name, uid, resource, count),
			   &rig->arena, &rig->filtered);
	return &rig->filtered;
}

static size_t n_holds(struct rig *rig)
{
	return shk_service_moment(rig->service, &rig->arena).n_holds;
}

static const char *bind(struct rig *rig, const char *namespace_, const char *name, const char *uid,
			const char *node)
{
	const struct shk_bind_args args = {name, namespace_, uid, node};
	struct waited waited;
	const char *text;

	waited_init(&waited);
	shk_service_bind(rig->service, &args, &caller, &waited.answer);
	assert_true(waited_for(&waited));
	text = shk_arena_strdup(&rig->arena, waited_text(&waited));
	shk_buf_fini(&waited.answer.body);
	return text;
}

static const char *reason_of(const struct shk_filter_result *result, const char *node)
{
	for (size_t i = 0; i < result->n_refused; i++) {
		if (strcmp(result->refused[i].name, node) == 0)
			return result->refused[i].text;
	}
	return "";
}

static void filter_names_every_node_once(void **state)
{
	const struct shk_filter_result *result = filter(*state, "v", "p1", "u1", GPU, 1);

	assert_int_equal(result->n_passed, 2);
	assert_string_equal(result->args->names[result->passed[0]], "n1");
	assert_string_equal(result->args->names[result->passed[1]], "n2");
	assert_int_equal(result->n_refused, 3);
	assert_string_equal(result->refused[0].name, "m1");
	assert_string_equal(result->refused[1].name, "s1");
	assert_string_equal(result->refused[2].name, "unknown");
	assert_string_equal(reason_of(result, "unknown"), "NodeUnknown: the node is not known");
	assert_string_equal(reason_of(result, "m1"),
			    "ResourceNotOffered: the node does not offer nvidia.com/gpu");
	assert_ptr_equal(result->refused[0].text, result->refused[1].text);
}

static void pods_without_gpus_pass_everywhere(void **state)
{
	struct rig *rig = *state;
	const struct shk_filter_result *result = filter(rig, "x", "p", "u", "memory", 1);

	assert_int_equal(result->n_passed, 5);
	assert_int_equal(result->n_refused, 0);
	assert_int_equal(n_holds(rig), 0);
}

static void holds_follow_filter_and_bind(void **state)
{
	struct rig *rig = *state;
	const struct shk_hold *hold;

	(void)filter(rig, "v", "p1", "never-seen", GPU, 1);
	(void)filter(rig, "v", "another-name", "u1", GPU, 1);
	assert_int_equal(n_holds(rig), 0);
	(void)filter(rig, "v", "p1", "u1", GPU, 1);
	(void)filter(rig, "v", "p1", "u1", GPU, 1);
	assert_int_equal(n_holds(rig), 1);
	hold = shk_service_moment(rig->service, &rig->arena).holds;
	assert_string_equal(hold->tenant, "vision");
	assert_int_equal(hold->charge.parts[SHK_UNIT_GPU_EQUIVALENTS], SHK_PARTS);
	assert_null(hold->pool_node);

	/* The second pod's four cards and the first one's hold are more than the quota's four. */
	assert_int_equal(filter(rig, "v", "p2", "u2", GPU, 4)->n_passed, 0);
	assert_string_equal(reason_of(&rig->filtered, "n1"),
			    "QuotaCeiling: would pass the tenant's ceiling of gpuEquivalents");
	assert_int_equal(n_holds(rig), 1);

	assert_string_equal(bind(rig, "v", "p1", "u1", "n1"), "");
	assert_int_equal(n_holds(rig), 0);
	(void)filter(rig, "v", "p1", "u1", GPU, 1);
	assert_int_equal(rig->filtered.n_passed, 1); /* the row's node alone */
	assert_int_equal(n_holds(rig), 0);
}

static void a_hold_marks_the_soft_pool(void **state)
{
	struct rig *rig = *state;
	const struct shk_hold *hold;

	assert_int_equal(filter(rig, "v", "s", "u3", SHARED, 1)->n_passed, 1);
	hold = shk_service_moment(rig->service, &rig->arena).holds;
	assert_string_equal(hold->pool_node, "s1");
	assert_string_equal(hold->pool_resource, SHARED);
	assert_int_equal(filter(rig, "a", "s", "u4", SHARED, 1)->n_passed, 0);
	assert_string_equal(reason_of(&rig->filtered, "s1"), "Held: held for another pod");
	assert_int_equal(n_holds(rig), 1);
	/* Bind judges by live allocations, so that the two can't refuse each other for ever. */
	assert_string_equal(bind(rig, "a", "s", "u4", "s1"), "");
	assert_int_equal(filter(rig, "v", "s", "u3", SHARED, 1)->n_passed, 0);
	assert_int_equal(n_holds(rig), 0);
}

static void prioritize_scores_by_rank(void **state)
{
	struct rig *rig = *state;
	const struct shk_host_score *scores;
	size_t n;

	assert_string_equal(bind(rig, "v", "p1", "u1", "n2"), "");
	shk_service_prioritize(rig->service, args_of(rig, "v", "p9", "u9", GPU, 1), &rig->arena,
			       &scores, &n);
	assert_int_equal(n, 2);
	assert_string_equal(scores[0].host, "n2");
	assert_int_equal(scores[0].score, 10);
	assert_string_equal(scores[1].host, "n1");
	assert_int_equal(scores[1].score, 9);
	shk_service_prioritize(rig->service, args_of(rig, "x", "p9", "u9", "memory", 1),
			       &rig->arena, &scores, &n);
	assert_int_equal(n, 0);
}

static void full_nodes_are_judged_by_their_own_data(void **state)
{
	static const char text[] =
	    "{\"Pod\":{\"metadata\":{\"name\":\"p1\",\"namespace\":\"v\",\"uid\":\"u1\"},"
	    "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{"
	    "\"nvidia.com/gpu\":\"1\"}}}]}},\"NodeNames\":null,\"Nodes\":{\"items\":["
	    "{\"metadata\":{\"name\":\"template\",\"labels\":{"
	    "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\",\"nvidia.com/gpu.count\":\"8\","
	    "\"nvidia.com/gpu.replicas\":\"1\"}},\"status\":{\"capacity\":{\"nvidia.com/"
	    "gpu\":\"8\"},"
	    "\"allocatable\":{\"nvidia.com/gpu\":\"8\"}}},"
	    "{\"metadata\":{\"name\":\"m1\",\"labels\":{"
	    "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\",\"nvidia.com/gpu.count\":\"8\","
	    "\"nvidia.com/gpu.replicas\":\"1\"}},\"status\":{\"capacity\":{\"nvidia.com/"
	    "gpu\":\"8\"},"
	    "\"allocatable\":{\"nvidia.com/gpu\":\"8\"}}}]}}";
	struct rig *rig = *state;
	struct shk_extender_args args;
	struct shk_error err;

	assert_int_equal(shk_extender_args_decode(shk_sv(text), &rig->arena, &args, &err), SHK_OK);
	shk_service_filter(rig->service, &args, &rig->arena, &rig->filtered);
	assert_int_equal(rig->filtered.n_passed, 1);
	assert_string_equal(args.names[rig->filtered.passed[0]], "template");
	assert_int_equal(rig->filtered.n_refused, 1); /* m1 is known, and has no cards */
}

static void advise_lets_every_node_pass(void **state)
{
	struct rig *rig = *state;

	rig->f.config.mode = SHK_MODE_ADVISE;
	assert_int_equal(filter(rig, "v", "p1", "u1", GPU, 99)->n_passed, 5);
	assert_int_equal(n_holds(rig), 0);
}

static void dry_run_plans_and_leaves_nothing(void **state)
{
	static const char text[] =
	    "{\"namespace\":\"v\",\"manifests\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
	    "\"metadata\":{\"name\":\"x\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":"
	    "{"
	    "\"limits\":{\"nvidia.com/gpu\":\"4\"}}}]}}],"
	    "\"hypotheticalNodes\":[{\"like\":\"n1\",\"count\":2},{\"like\":\"n1\",\"count\":1}]}";
	struct rig *rig = *state;
	const struct shk_published *published = shk_service_view(rig->service);
	struct shk_dry_run_request request;
	struct shk_hypothetical wrong = {"n9", 1};
	struct shk_plan plan;
	struct shk_error err;

	assert_int_equal(shk_dry_run_decode(shk_sv(text), false, NULL, &rig->arena, &request, &err),
			 SHK_OK);
	assert_int_equal(
	    shk_service_dry_run(rig->service, published, &request, &rig->arena, &plan, &err),
	    SHK_OK);
	assert_int_equal(plan.outcome, SHK_OUTCOME_FITS);
	assert_int_equal(plan.pods[0].n_nodes, 7);
	assert_int_equal(plan.pods[0].nodes[4].verdict.rank, 5);
	assert_int_equal(published->view.n_nodes, 4);
	request.hypothetical = &wrong;
	request.n_hypothetical = 1;
	assert_int_equal(
	    shk_service_dry_run(rig->service, published, &request, &rig->arena, &plan, &err),
	    SHK_E_NOT_FOUND);
	assert_string_equal(err.pointer, "/hypotheticalNodes/0/like");
	shk_service_view_done(rig->service, published);
}

static void apply_and_export_agree(void **state)
{
	struct rig *rig = *state;
	const struct shk_published *published;
	struct shk_buf exported = {0};
	struct waited waited;

	published = shk_service_view(rig->service);
	shk_service_export(published, &exported);
	shk_service_view_done(rig->service, published);
	waited_init(&waited);
	shk_service_apply(rig->service, (struct shk_sv){exported.data, exported.len}, true, false,
			  &caller, &waited.answer);
	assert_true(waited_for(&waited));
	assert_string_equal(
	    waited_text(&waited),
	    "{\"dryRun\":false,\"changes\":["
	    "{\"kind\":\"Tenant\",\"name\":\"audio\",\"operation\":\"unchanged\"},"
	    "{\"kind\":\"Tenant\",\"name\":\"vision\",\"operation\":\"unchanged\"}],"
	    "\"warnings\":[]}");
	shk_buf_fini(&waited.answer.body);
	shk_buf_fini(&exported);

	waited_init(&waited);
	shk_service_apply(rig->service, shk_sv("kind: Nonsense\n"), false, false, &caller,
			  &waited.answer);
	assert_true(atomic_load(&waited.done)); /* at once: it never reached the queue */
	assert_int_equal(waited.answer.status, SHK_E_INPUT);
}

static void is_ready_and_says_why(void **state)
{
	struct rig *rig = *state;
	struct shk_buf out = {0};

	assert_true(shk_service_ready(rig->service, &out));
	assert_string_equal(out.data, "[+]ledger ok\n[+]cluster ok\n[+]state ok\n"
				      "readyz check passed\n");
	shk_buf_fini(&out);
	assert_true(shk_service_is_snapshot(rig->service));
}

static void emulated_pods_are_checked_before_they_queue(void **state)
{
	static const char *const bad[] = {
	    "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"v\"},\"spec\":{\"containers\":[]}}",
	    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"Bad_Name\"},\"spec\":{\"containers\":[]}}",
	    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"uid\":\"a b\"},\"spec\":{}}",
	    "{",
	    "[]",
	};
	struct rig *rig = *state;
	struct waited waited;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		waited_init(&waited);
		shk_service_emulate_pod(rig->service, shk_sv(bad[i]), &caller, &waited.answer);
		assert_true(waited_for(&waited));
		assert_int_equal(waited.answer.status, SHK_E_INPUT);
	}
	waited_init(&waited);
	shk_service_emulate_pod(rig->service,
				shk_sv("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},"
				       "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}"),
				&caller, &waited.answer);
	assert_true(waited_for(&waited));
	assert_int_equal(waited.answer.status, SHK_OK);
	assert_non_null(strstr(waited_text(&waited), "\"namespace\":\"default\""));
	shk_buf_fini(&waited.answer.body);
	waited_init(&waited);
	shk_service_emulate_node(rig->service, "n7",
				 shk_sv("{\"kind\":\"Node\",\"metadata\":{\"name\":\"n8\"}}"),
				 &caller, &waited.answer);
	assert_int_equal(waited.answer.status, SHK_E_INPUT);
	assert_string_equal(waited.answer.error.pointer, "/metadata/name");
}

/* Each metric's HELP and TYPE once, and every sample after its own. promtool sees it in test/api.
 */
static void metrics_are_well_formed(void **state)
{
	static const char *const names[] = {
	    "shikiri_build_info",
	    "shikiri_quota_limit{tenant=\"vision\",unit=\"gpuEquivalents\"",
	    "shikiri_quota_used",
	    "shikiri_pools{kind=\"card\"} 2",
	    "shikiri_pool_units{kind=\"card\",state=\"free\"} 15",
	    "shikiri_nodes{state=\"ok\"} 4",
	    "shikiri_allocations{state=\"bound\"} 1",
	    "shikiri_holds 0",
	    "shikiri_trust_conflicts 0",
	    "shikiri_deficit_units 0",
	    "shikiri_ledger_seq",
	    "shikiri_ledger_file_bytes",
	    "shikiri_ledger_wal_bytes",
	    "shikiri_pending_pods{tenant=\"vision\"} 2",
	    "shikiri_decisions_total{verb=\"bind\",result=\"feasible\",reason=\"\"} 1",
	    "process_resident_memory_bytes",
	    "process_start_time_seconds"};
	struct rig *rig = *state;
	struct shk_buf out = {0};

	assert_string_equal(bind(rig, "v", "p1", "u1", "n1"), "");
	shk_service_metrics(rig->service, &out);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!strstr(out.data, names[i]))
			fail_msg("no %s in\n%s", names[i], out.data);
	}
	shk_buf_fini(&out);
}

/* --- reload ---------------------------------------------------------------------------------- */

static void wait_for_version(struct rig *rig, uint64_t version)
{
	for (int i = 0; i < 5000; i++) {
		const struct shk_published *published = shk_service_view(rig->service);
		uint64_t now = published->view.version;

		shk_service_view_done(rig->service, published);
		if (now > version)
			return;
		pause_ms(1);
	}
	fail_msg("no new view");
}

static uint64_t version_of(struct rig *rig, char hash[72], size_t *n_tenants)
{
	const struct shk_published *published = shk_service_view(rig->service);
	uint64_t version = published->view.version;

	(void)snprintf(hash, 72, "%s", published->view.policy->hash);
	*n_tenants = published->view.tenancy->documents->n_tenants;
	shk_service_view_done(rig->service, published);
	return version;
}

static void reload_keeps_the_old_where_the_new_is_bad(void **state)
{
	struct rig *rig = *state;
	char before[72];
	char after[72];
	size_t n_tenants;
	uint64_t version = version_of(rig, before, &n_tenants);

	shk_log_setup((enum shk_log_level)(SHK_LOG_ERROR + 1), true);
	rig->f.config.policy = fixture_file(&rig->f, "policy.yaml", "kind: Policy\nspec: {a: b}\n");
	(void)fixture_file(&rig->f, "d.yaml",
			   TENANTS "---\napiVersion: shikiri.dev/v1\nkind: Tenant\n"
				   "metadata: {name: third}\nspec: {namespaces: [t]}\n");
	shk_service_reload(rig->service);
	wait_for_version(rig, version);
	version = version_of(rig, after, &n_tenants);
	assert_string_equal(after, before); /* the policy stays, the documents are new */
	assert_int_equal(n_tenants, 3);

	(void)fixture_file(&rig->f, "policy.yaml",
			   "apiVersion: shikiri.dev/v1\nkind: Policy\nmetadata: {name: x}\n"
			   "spec: {isolation: {acrossDomains: node}}\n");
	(void)fixture_file(&rig->f, "d.yaml", "kind: Tenant\nnonsense: 1\n");
	shk_service_reload(rig->service);
	wait_for_version(rig, version);
	(void)version_of(rig, after, &n_tenants);
	assert_string_not_equal(after, before);
	assert_int_equal(n_tenants, 3);
}

/* --- check ----------------------------------------------------------------------------------- */

static void check_writes_a_line_for_each_finding(void **state)
{
	struct rig *rig = *state;
	struct fixture *f = &rig->f;
	struct shk_buf out = {0};

	f->config.auths = (struct shk_texts){NULL, 0};
	assert_int_equal(shk_service_check(&f->config, &out), SHK_OK);
	assert_int_equal(out.len, 0);

	fixture_apply_file(f, "e.yaml",
			   "apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: thief}\n"
			   "spec: {namespaces: [v]}\n");
	assert_int_equal(shk_service_check(&f->config, &out), SHK_E_INPUT);
	assert_non_null(strstr(out.data, "Tenant/"));
	shk_buf_clear(&out);
	(void)fixture_file(f, "e.yaml", "kind: What\n");
	f->config.policy = "/nowhere/policy.yaml";
	assert_int_equal(shk_service_check(&f->config, &out), SHK_E_NOT_FOUND);
	assert_non_null(strstr(out.data, "/nowhere/policy.yaml: no such file\n"));
	assert_non_null(strstr(out.data, "e.yaml: "));
	shk_buf_fini(&out);
}

/* --- threads --------------------------------------------------------------------------------- */

#define ROUNDS 200

static void *filter_often(void *context)
{
	struct rig *rig = context;

	for (int i = 0; i < ROUNDS; i++) {
		struct rig own = {.service = rig->service};

		shk_arena_init(&own.arena, 0);
		if (filter(&own, "v", "p1", "u1", GPU, 1)->n_passed + own.filtered.n_refused != 5)
			abort();
		shk_arena_fini(&own.arena);
	}
	return NULL;
}

static void *bind_often(void *context)
{
	const struct shk_bind_args args = {"p1", "v", "u1", "n1"};
	struct rig *rig = context;

	for (int i = 0; i < ROUNDS / 4; i++) {
		struct waited waited;

		waited_init(&waited);
		shk_service_bind(rig->service, &args, &caller, &waited.answer);
		while (!atomic_load(&waited.done))
			pause_ms(1);
		if (waited.answer.body.len > 0)
			abort();
		shk_buf_fini(&waited.answer.body);
	}
	return NULL;
}

static void *scrape_often(void *context)
{
	struct rig *rig = context;

	for (int i = 0; i < ROUNDS / 4; i++) {
		struct shk_buf out = {0};

		shk_service_metrics(rig->service, &out);
		shk_buf_fini(&out);
	}
	return NULL;
}

static void verbs_run_beside_each_other(void **state)
{
	void *(*const work[])(void *) = {filter_often, filter_often, bind_often, bind_often,
					 scrape_often};
	pthread_t threads[5];
	struct rig *rig = *state;

	for (size_t i = 0; i < 5; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work[i], rig), 0);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(n_holds(rig), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(filter_names_every_node_once, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(pods_without_gpus_pass_everywhere, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(holds_follow_filter_and_bind, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_hold_marks_the_soft_pool, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(prioritize_scores_by_rank, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(full_nodes_are_judged_by_their_own_data, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(advise_lets_every_node_pass, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(dry_run_plans_and_leaves_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(apply_and_export_agree, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(is_ready_and_says_why, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(emulated_pods_are_checked_before_they_queue, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(metrics_are_well_formed, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(reload_keeps_the_old_where_the_new_is_bad, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(check_writes_a_line_for_each_finding, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(verbs_run_beside_each_other, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
