#include "live.h"

#include <stdio.h>
#include <string.h>

#include "../../../src/app/nudge.h"

#define N(array) (sizeof(array) / sizeof(array)[0])

static struct shk_live *state_of(struct live *l)
{
	return l->f.boot.state.live;
}

static int set_up(void **state)
{
	static struct live l;

	live_init(&l);
	*state = &l;
	return 0;
}

static int tear_down(void **state)
{
	live_fini(*state);
	return 0;
}

/* --- start ----------------------------------------------------------------------------------- */

static void nothing_is_decided_before_all_is_listed(void **state)
{
	struct live *l = *state;

	assert_string_equal(fixture_view(&l->f)->not_ready, SHK_CAUSE_UNLISTED);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_deliver(l);
	assert_string_equal(fixture_view(&l->f)->not_ready, SHK_CAUSE_UNLISTED);
	assert_false(shk_live_is_listed(state_of(l)));
	assert_string_equal(live_row(l, "p1"), "");

	live_node(l, "n1", "", 4);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_ready(l);
	assert_null(fixture_view(&l->f)->not_ready);
	assert_string_equal(live_row(l, "p1"), "foreign");
	assert_string_equal(fixture_alloc(&l->f, "p1")->tenant, "vision");
	assert_int_equal(l->report.adopted, 1);
}

static void an_unmapped_pod_is_a_domain_of_its_own(void **state)
{
	struct live *l = *state;

	live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT,
		 "{\"metadata\":{\"name\":\"x\",\"namespace\":\"nobodys\",\"uid\":\"x\"},\"spec\":{"
		 "\"nodeName\":\"s1\",\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{"
		 "\"nvidia.com/gpu.shared\":\"1\"}}}]},\"status\":{\"phase\":\"Running\"}}");
	live_pod(l, SHK_FACT_PUT, "a1", SHARED, NULL, NULL);
	live_ready(l);
	assert_string_equal(live_row(l, "x"), "foreign");
	assert_string_not_equal(fixture_alloc(&l->f, "x")->domain, "audio");
	assert_int_equal(strncmp(live_bind(l, "a1", "s1"), "TrustBoundary:", 14), 0);
}

/* Another process reserved a place and died: the API server is asked before anybody else. */
static void open_rows_of_the_last_run_are_resolved_first(void **state)
{
	struct live *l = *state;
	struct shk_error err;
	struct shk_alloc row = {.uid = "p1",
				.namespace_ = "v",
				.name = "p1",
				.tenant = "vision",
				.domain = "vision",
				.node = "n1",
				.resources = {(const struct shk_amount[]){{GPU, 1}}, 1},
				.state = SHK_ALLOC_RESERVED,
				.quota_class = SHK_CLASS_GUARANTEED,
				.isolation = SHK_ISOLATION_CARD};
	char pod[1024];

	assert_int_equal(shk_ledger_begin(l->f.boot.ledger, 1, &err), SHK_OK);
	assert_int_equal(shk_ledger_alloc_add(l->f.boot.ledger, &row, &row.seq, &err), SHK_OK);
	assert_int_equal(shk_ledger_commit(l->f.boot.ledger, &err), SHK_OK);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, NULL, NULL);
	live_ready(l);
	assert_string_equal(live_row(l, "p1"), "unknown");
	assert_string_equal(fixture_view(&l->f)->not_ready, SHK_CAUSE_UNRESOLVED);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_TOUCH_POD);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9001", pod));
	live_tick(l, 0);
	assert_string_equal(live_row(l, "p1"), "");
	assert_null(fixture_view(&l->f)->not_ready);
}

static void a_row_that_the_list_shows_as_bound_is_confirmed(void **state)
{
	struct live *l = *state;
	struct shk_error err;
	struct shk_alloc row = {.uid = "p1",
				.namespace_ = "v",
				.name = "p1",
				.tenant = "vision",
				.domain = "vision",
				.node = "n1",
				.resources = {(const struct shk_amount[]){{GPU, 1}}, 1},
				.state = SHK_ALLOC_RESERVED,
				.quota_class = SHK_CLASS_GUARANTEED,
				.isolation = SHK_ISOLATION_CARD};

	assert_int_equal(shk_ledger_begin(l->f.boot.ledger, 1, &err), SHK_OK);
	assert_int_equal(shk_ledger_alloc_add(l->f.boot.ledger, &row, &row.seq, &err), SHK_OK);
	assert_int_equal(shk_ledger_commit(l->f.boot.ledger, &err), SHK_OK);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_ready(l);
	assert_string_equal(live_row(l, "p1"), "bound");
	assert_int_equal(l->n_asked, 0);
	assert_null(fixture_view(&l->f)->not_ready);
}

/* --- pods come and go ------------------------------------------------------------------------ */

static void what_others_bind_is_adopted(void **state)
{
	struct live *l = *state;

	live_ready(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n2", NULL);
	live_deliver(l);
	assert_string_equal(live_row(l, "p1"), "foreign");
	assert_true(live_noted(l, SHK_NOTE_ADOPTED));
	assert_int_equal(fixture_used(&l->f, "n2", GPU), 1);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n2", "Running");
	live_deliver(l);
	assert_false(live_noted(l, SHK_NOTE_ADOPTED));
}

static void the_end_of_a_pod_frees_its_place_once(void **state)
{
	static const char *const phases[] = {"Succeeded", "Failed"};
	struct live *l = *state;

	live_ready(l);
	for (size_t i = 0; i < N(phases); i++) {
		const char *uid = i ? "p2" : "p1";
		uint64_t seq;

		live_pod(l, SHK_FACT_PUT, uid, GPU, "n1", "Running");
		live_pod(l, SHK_FACT_PUT, uid, GPU, "n1", phases[i]);
		live_deliver(l);
		assert_string_equal(live_row(l, uid), "");
		seq = shk_ledger_seq(l->f.boot.ledger);
		live_pod(l, SHK_FACT_PUT, uid, GPU, "n1", phases[i]);
		live_pod(l, SHK_FACT_GONE, uid, GPU, "n1", phases[i]);
		live_pod(l, SHK_FACT_PUT, uid, GPU, "n1", "Running"); /* late news */
		live_deliver(l);
		assert_string_equal(live_row(l, uid), "");
		assert_int_equal(shk_ledger_seq(l->f.boot.ledger), seq);
	}
	assert_int_equal(fixture_used(&l->f, "n1", GPU), 0);
}

/* The watch was quicker than a reply that shows the pod as it was before. */
static void a_reply_that_is_older_is_not_believed(void **state)
{
	struct live *l = *state;
	char json[1024];

	live_pod(l, SHK_FACT_PUT, "p1", GPU, NULL, NULL);
	live_ready(l);
	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_CONFLICT, NULL);
	live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT, live_pod_json("p1", NULL, NULL, "7001", json));
	live_deliver(l);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "6999", json));
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_BIND);
	assert_string_equal(live_asked(l)->resource_version, "7001");
}

static void a_pod_that_vanishes_keeps_its_place_for_a_while(void **state)
{
	struct live *l = *state;

	live_ready(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_GONE, "p1", GPU, "n1", "Running");
	live_deliver(l);
	assert_true(live_noted(l, SHK_NOTE_LINGERS));
	assert_string_equal(live_row(l, "p1"), "foreign");
	assert_int_equal(strncmp(live_bind(l, "p1", "n1"), "PodGone:", 8), 0);
	live_tick(l, 39999); /* 10 s of its own, 30 more */
	assert_string_equal(live_row(l, "p1"), "foreign");
	live_tick(l, 1);
	assert_string_equal(live_row(l, "p1"), "");
	live_tick(l, 0);
	assert_false(shk_live_waits(state_of(l)));
}

static void put_ready(struct live *l, const char *ready)
{
	char json[1024];

	(void)snprintf(json, sizeof json,
		       "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"nvidia.com/gpu.product\":"
		       "\"NVIDIA-A100-SXM4-80GB\",\"nvidia.com/gpu.count\":\"4\","
		       "\"nvidia.com/gpu.replicas\":\"1\"}},\"status\":{\"capacity\":{"
		       "\"nvidia.com/gpu\":\"4\"},\"allocatable\":{\"nvidia.com/gpu\":\"4\"},"
		       "\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}]}}",
		       ready);
	live_raw(l, SHK_KUBE_NODES, SHK_FACT_PUT, json);
	live_deliver(l);
}

static void its_time_counts_from_when_the_node_is_ready(void **state)
{
	struct live *l = *state;

	live_ready(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_deliver(l);
	put_ready(l, "Unknown");
	live_pod(l, SHK_FACT_GONE, "p1", GPU, "n1", "Running");
	live_deliver(l);
	live_tick(l, 1000000);
	assert_string_equal(live_row(l, "p1"), "foreign");
	put_ready(l, "True");
	live_tick(l, 0);
	live_tick(l, 39999);
	assert_string_equal(live_row(l, "p1"), "foreign");
	live_tick(l, 1);
	assert_string_equal(live_row(l, "p1"), "");
}

static void the_end_of_its_node_ends_it(void **state)
{
	struct live *l = *state;

	live_ready(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_GONE, "p1", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_PUT, "p2", GPU, "n1", "Running");
	live_deliver(l);
	live_raw(l, SHK_KUBE_NODES, SHK_FACT_GONE, "{\"metadata\":{\"name\":\"n1\"}}");
	live_deliver(l);
	assert_string_equal(live_row(l, "p1"), "");
	assert_string_equal(live_row(l, "p2"), "foreign"); /* a node's end releases nobody */
	live_pod(l, SHK_FACT_GONE, "p2", GPU, "n1", "Running");
	live_deliver(l);
	assert_string_equal(live_row(l, "p2"), "");
}

static void a_list_tells_who_is_gone(void **state)
{
	static const char *const nodes[] = {"n1", "s1", NULL};
	static const char *const pods[] = {"p2", NULL};
	struct live *l = *state;

	live_ready(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_PUT, "p2", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_PUT, "p3", GPU, NULL, NULL);
	live_deliver(l);
	live_listed(l, SHK_KUBE_PODS, pods);
	live_listed(l, SHK_KUBE_NODES, nodes);
	live_deliver(l);
	assert_null(shk_edition_pod(l->f.boot.state.current, "p1"));
	assert_null(shk_edition_pod(l->f.boot.state.current, "p3"));
	assert_string_equal(live_row(l, "p1"), "foreign"); /* nobody saw it end */
	assert_string_equal(live_row(l, "p2"), "foreign");
	assert_null(shk_view_node(fixture_view(&l->f), "n2"));
}

static void a_name_with_another_uid_is_another_pod(void **state)
{
	struct live *l = *state;

	live_ready(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_deliver(l);
	live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT,
		 "{\"metadata\":{\"name\":\"p1\",\"namespace\":\"v\",\"uid\":\"new\"},\"spec\":{"
		 "\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":"
		 "\"1\"}}}]},\"status\":{\"phase\":\"Pending\"}}");
	live_deliver(l);
	assert_null(shk_edition_pod(l->f.boot.state.current, "p1"));
	assert_string_equal(live_row(l, "p1"), "foreign"); /* lingers */
	assert_string_equal(shk_edition_pod_named(l->f.boot.state.current, "v", "p1")->pod.uid,
			    "new");
}

/* --- nodes for a time ------------------------------------------------------------------------ */

static void a_node_that_refused_a_pod_rests(void **state)
{
	static const char *const reasons[] = {"OutOfnvidia.com/gpu", "UnexpectedAdmissionError"};
	struct live *l = *state;
	char json[1024];

	live_pod(l, SHK_FACT_PUT, "p9", GPU, NULL, NULL);
	live_ready(l);
	for (size_t i = 0; i < N(reasons); i++) {
		(void)snprintf(json, sizeof json,
			       "{\"metadata\":{\"name\":\"r%zu\",\"namespace\":\"v\",\"uid\":"
			       "\"r%zu\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":"
			       "\"c\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}}]},"
			       "\"status\":{\"phase\":\"Failed\",\"reason\":\"%s\"}}",
			       i, i, reasons[i]);
		live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT, json);
		live_deliver(l);
		assert_true(live_noted(l, SHK_NOTE_KUBELET_REFUSED));
		assert_string_equal(live_bind(l, "p9", "n1"),
				    "Held: kubelet refused a pod here just now");
		live_tick(l, 9999);
		assert_non_null(live_bind(l, "p9", "n1"));
		live_tick(l, 1);
	}
	assert_null(live_bind(l, "p9", "n1"));
}

static void put_mig(struct live *l, const char *config, const char *mig_state, int slices)
{
	char json[1024];

	(void)snprintf(
	    json, sizeof json,
	    "{\"metadata\":{\"name\":\"m1\",\"labels\":{\"nvidia.com/mig.strategy\":\"mixed\","
	    "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\",\"nvidia.com/gpu.count\":\"1\","
	    "\"nvidia.com/gpu.replicas\":\"1\",\"nvidia.com/mig-1g.10gb.count\":\"%d\","
	    "\"nvidia.com/mig-1g.10gb.replicas\":\"1\",\"nvidia.com/mig.config\":\"%s\","
	    "\"nvidia.com/mig.config.state\":\"%s\"}},\"status\":{\"capacity\":{\"" MIG1
	    "\":\"%d\"},\"allocatable\":{\"" MIG1 "\":\"%d\"},\"conditions\":[{\"type\":\"Ready\","
	    "\"status\":\"True\"}]}}",
	    slices, config, mig_state, slices, slices);
	live_raw(l, SHK_KUBE_NODES, SHK_FACT_PUT, json);
	live_deliver(l);
}

static bool is_fenced(const struct live *l)
{
	return shk_view_node(fixture_view(&l->f), "m1")->base->fence ==
	       SHK_REASON_MIG_RECONFIGURING;
}

static void a_changed_layout_fences_until_it_is_seen_through(void **state)
{
	struct live *l = *state;

	live_ready(l);
	put_mig(l, "all-1g.10gb", "success", 7);
	assert_false(is_fenced(l));
	put_mig(l, "other", "success", 7); /* the label has changed, nothing else yet */
	assert_true(is_fenced(l));
	put_mig(l, "other", "pending", 7);
	assert_true(is_fenced(l));
	put_mig(l, "other", "success", 7);
	assert_false(is_fenced(l));

	put_mig(l, "third", "success", 7);
	assert_true(is_fenced(l));
	put_mig(l, "third", "success", 4); /* the new layout shows */
	assert_false(is_fenced(l));

	put_mig(l, "fourth", "success", 4);
	live_tick(l, 119999);
	assert_true(is_fenced(l));
	live_tick(l, 1);
	assert_false(is_fenced(l));
}

/* --- namespaces ------------------------------------------------------------------------------ */

static void namespaces_come_change_and_go(void **state)
{
	static const char *const none[] = {NULL};
	struct live *l = *state;
	const struct shk_edition *edition;

	live_ready(l);
	fixture_apply(&l->f,
		      "apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: film}\n"
		      "spec: {namespaceSelector: {matchLabels: {team: film}}}\n",
		      false, false);
	assert_int_equal(l->f.status, SHK_OK);
	live_pod(l, SHK_FACT_PUT, "p9", GPU, NULL, NULL);
	live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT,
		 "{\"metadata\":{\"name\":\"f\",\"namespace\":\"film\",\"uid\":\"f\"},\"spec\":{"
		 "\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":"
		 "\"1\"}}}]},\"status\":{\"phase\":\"Pending\"}}");
	live_deliver(l);
	live_run(l, fixture_bind_command("film", "f", "f", "n1"));
	assert_int_equal(strncmp(l->text, "TenantUnknown:", 14), 0);

	live_raw(l, SHK_KUBE_NAMESPACES, SHK_FACT_PUT,
		 "{\"metadata\":{\"name\":\"film\",\"labels\":{\"team\":\"film\"}}}");
	live_deliver(l);
	edition = l->f.boot.state.current;
	assert_int_equal(edition->documents->cluster->n_namespaces, 1);
	live_raw(l, SHK_KUBE_NAMESPACES, SHK_FACT_PUT,
		 "{\"metadata\":{\"name\":\"film\",\"labels\":{\"team\":\"film\"}}}");
	live_deliver(l);
	assert_ptr_equal(l->f.boot.state.current->documents, edition->documents);
	live_run(l, fixture_bind_command("film", "f", "f", "n1"));
	assert_string_equal(live_row(l, "f"), "reserved");

	live_listed(l, SHK_KUBE_NAMESPACES, none);
	live_deliver(l);
	assert_int_equal(l->f.boot.state.current->documents->cluster->n_namespaces, 0);
	live_raw(l, SHK_KUBE_PRIORITY_CLASSES, SHK_FACT_PUT,
		 "{\"metadata\":{\"name\":\"high\"},\"value\":1000}");
	live_raw(l, SHK_KUBE_PRIORITY_CLASSES, SHK_FACT_PUT,
		 "{\"metadata\":{\"name\":\"low\"},\"value\":1}");
	live_raw(l, SHK_KUBE_PRIORITY_CLASSES, SHK_FACT_GONE,
		 "{\"metadata\":{\"name\":\"low\"},\"value\":1}");
	live_deliver(l);
	assert_int_equal(fixture_view(&l->f)->n_priority_classes, 1);
	assert_int_equal(fixture_view(&l->f)->priority_classes[0].value, 1000);
}

/* --- faults ---------------------------------------------------------------------------------- */

static void news_survives_a_ledger_that_fails(void **state)
{
	struct live *l = *state;
	struct shk_error err;

	live_ready(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_deliver(l);
	l->f.env.commit = fixture_commit_fails;
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Succeeded");
	live_node(l, "n3", "", 4);
	live_deliver(l);
	assert_string_equal(live_row(l, "p1"), "foreign"); /* as the ledger has it */
	assert_true(state_of(l)->owes);
	assert_non_null(shk_view_node(fixture_view(&l->f), "n3"));
	assert_true(shk_pod_object_is_ended(shk_edition_pod(l->f.boot.state.current, "p1")));

	l->f.env.commit = shk_ledger_commit;
	assert_int_equal(shk_state_probe(&l->f.boot.state, &l->f.env, &err), SHK_OK);
	assert_int_equal(shk_state_reconcile(&l->f.boot.state, &l->f.env, &l->report, &err),
			 SHK_OK);
	assert_string_equal(live_row(l, "p1"), "");
	assert_int_equal(l->report.ended, 1);
}

/* --- nudges ---------------------------------------------------------------------------------- */

struct touched {
	char uids[16][32];
	size_t n;
	bool refuses;
};

static bool take_touch(void *context, const struct shk_kube_request *request)
{
	struct touched *touched = context;

	if (touched->refuses)
		return false;
	assert_int_equal(request->verb, SHK_KUBE_TOUCH_POD);
	assert_true(touched->n < N(touched->uids));
	(void)snprintf(touched->uids[touched->n++], 32, "%s", request->uid);
	return true;
}

static size_t nudge(struct live *l, struct shk_nudged *nudged, struct shk_schedulers *schedulers,
		    struct touched *touched)
{
	const struct shk_moment moment = {.now_s = l->f.env.now_s};
	const struct shk_nudge_env env = {
	    .schedulers = schedulers,
	    .moment = &moment,
	    .now_ms = l->f.env.now_ms,
	    .touch = take_touch,
	    .context = touched,
	};

	touched->n = 0;
	return shk_nudge_round(nudged, l->f.boot.state.current, &env);
}

/* Vision is guaranteed two cards: of three waiting pods, two would pass. */
static void those_that_would_pass_are_touched(void **state)
{
	struct live *l = *state;
	struct shk_schedulers *schedulers = shk_schedulers_new();
	struct shk_nudged *nudged = shk_nudged_new();
	struct touched touched = {.n = 0};

	live_pod(l, SHK_FACT_PUT, "p3", GPU, NULL, NULL);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, NULL, NULL);
	live_pod(l, SHK_FACT_PUT, "p2", GPU, NULL, NULL);
	live_pod(l, SHK_FACT_PUT, "a1", SHARED, NULL, NULL);
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 0); /* not ready */
	live_ready(l);
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 3);
	assert_string_equal(touched.uids[0], "a1");
	assert_string_equal(touched.uids[1], "p1");
	assert_string_equal(touched.uids[2], "p2");

	/* They didn't come, so the third may have its chance; after that nobody is left. */
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 1);
	assert_string_equal(touched.uids[0], "p3");
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 0);

	/* A bind takes room away and is no reason to look again; what frees some is. */
	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 0);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Succeeded");
	live_deliver(l);

	/* They are given two seconds to come; who is touched too soon isn't forgotten. */
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 3);
	assert_int_equal(touched.n, 0);
	l->f.env.now_ms += SHK_NUDGE_AGAIN_MS;
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 3);
	assert_string_equal(touched.uids[1], "p2");
	shk_nudged_free(nudged);
	shk_schedulers_free(schedulers);
}

static void a_raised_quota_is_a_reason(void **state)
{
	struct live *l = *state;
	struct shk_schedulers *schedulers = shk_schedulers_new();
	struct shk_nudged *nudged = shk_nudged_new();
	struct touched touched = {.n = 0};

	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_PUT, "p2", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_PUT, "p3", GPU, NULL, NULL);
	live_pod(l, SHK_FACT_PUT, "p4", GPU, NULL, NULL);
	live_ready(l);
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 0);
	fixture_apply(&l->f,
		      "apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: vision}\n"
		      "spec: {namespaces: [v], quota: {gpuEquivalents: {guaranteed: \"3\"}}}\n",
		      false, false);
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 1);
	assert_string_equal(touched.uids[0], "p3");
	shk_nudged_free(nudged);
	shk_schedulers_free(schedulers);
}

static void pods_of_other_schedulers_are_left_alone(void **state)
{
	struct live *l = *state;
	struct shk_schedulers *schedulers = shk_schedulers_new();
	struct shk_nudged *nudged = shk_nudged_new();
	struct touched touched = {.n = 0};

	shk_schedulers_learn(schedulers, "another");
	live_pod(l, SHK_FACT_PUT, "p1", GPU, NULL, NULL); /* of "s" */
	live_ready(l);
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 0);
	shk_schedulers_learn(schedulers, "s");
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 1);
	shk_nudged_free(nudged);
	shk_schedulers_free(schedulers);
}

static void a_pod_that_was_refused_before_it_came_is_a_reason(void **state)
{
	struct live *l = *state;
	struct shk_early *early = shk_early_new();
	char uid[16];

	live_ready(l);
	shk_early_note(early, "p1");
	shk_early_note(early, "p1");
	assert_false(shk_early_arrived(early, l->f.boot.state.current));
	live_pod(l, SHK_FACT_PUT, "p1", GPU, NULL, NULL);
	live_deliver(l);
	assert_true(shk_early_arrived(early, l->f.boot.state.current));
	assert_false(shk_early_arrived(early, l->f.boot.state.current)); /* once */
	shk_early_note(early, "p1");
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(uid, sizeof uid, "other-%d", i);
		shk_early_note(early, uid);
	}
	assert_false(shk_early_arrived(early, l->f.boot.state.current)); /* forgotten */
	shk_early_free(early);
}

static void a_touch_that_could_not_be_sent_comes_later(void **state)
{
	struct live *l = *state;
	struct shk_schedulers *schedulers = shk_schedulers_new();
	struct shk_nudged *nudged = shk_nudged_new();
	struct touched touched = {.refuses = true};

	live_pod(l, SHK_FACT_PUT, "p1", GPU, NULL, NULL);
	live_ready(l);
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 0);
	touched.refuses = false;
	assert_int_equal(nudge(l, nudged, schedulers, &touched), 1);
	shk_nudged_free(nudged);
	shk_schedulers_free(schedulers);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(nothing_is_decided_before_all_is_listed),
	    TEST(an_unmapped_pod_is_a_domain_of_its_own),
	    TEST(open_rows_of_the_last_run_are_resolved_first),
	    TEST(a_row_that_the_list_shows_as_bound_is_confirmed),
	    TEST(what_others_bind_is_adopted),
	    TEST(the_end_of_a_pod_frees_its_place_once),
	    TEST(a_reply_that_is_older_is_not_believed),
	    TEST(a_pod_that_vanishes_keeps_its_place_for_a_while),
	    TEST(its_time_counts_from_when_the_node_is_ready),
	    TEST(the_end_of_its_node_ends_it),
	    TEST(a_list_tells_who_is_gone),
	    TEST(a_name_with_another_uid_is_another_pod),
	    TEST(a_node_that_refused_a_pod_rests),
	    TEST(a_changed_layout_fences_until_it_is_seen_through),
	    TEST(namespaces_come_change_and_go),
	    TEST(news_survives_a_ledger_that_fails),
	    TEST(those_that_would_pass_are_touched),
	    TEST(a_raised_quota_is_a_reason),
	    TEST(pods_of_other_schedulers_are_left_alone),
	    TEST(a_pod_that_was_refused_before_it_came_is_a_reason),
	    TEST(a_touch_that_could_not_be_sent_comes_later),
	};

	return cmocka_run_group_tests_name("live facts", tests, NULL, NULL);
}
