#include "live.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/wire/cluster.h"

/* What may not be lost, stuck or granted when steps are taken back, lists are old and answers go
 * astray. */

static enum shk_status commit_full(struct shk_ledger *ledger, struct shk_error *err)
{
	shk_ledger_rollback(ledger);
	return shk_error_set(err, SHK_E_FULL, "the disk is full");
}

static struct shk_live *state_of(struct live *l)
{
	return l->f.boot.state.live;
}

static int set_up(void **state)
{
	static struct live l;

	live_init(&l);
	live_pod(&l, SHK_FACT_PUT, "p1", GPU, NULL, NULL);
	live_pod(&l, SHK_FACT_PUT, "p2", GPU, NULL, NULL);
	live_pod(&l, SHK_FACT_PUT, "cpu", "example.com/thing", NULL, NULL);
	live_ready(&l);
	assert_null(fixture_view(&l.f)->not_ready);
	*state = &l;
	return 0;
}

static int tear_down(void **state)
{
	live_fini(*state);
	return 0;
}

static void mend(struct live *l)
{
	struct shk_error err;

	l->f.env.commit = shk_ledger_commit;
	assert_int_equal(shk_state_probe(&l->f.boot.state, &l->f.env, &err), SHK_OK);
}

static void bring_in(struct live *l)
{
	struct shk_error err;

	assert_true(state_of(l)->owes);
	assert_int_equal(shk_state_reconcile(&l->f.boot.state, &l->f.env, &l->report, &err),
			 SHK_OK);
}

static void put_with(struct live *l, const char *uid, const char *spec, const char *status)
{
	char json[1024];

	(void)snprintf(json, sizeof json,
		       "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"v\",\"uid\":\"%s\","
		       "\"resourceVersion\":\"5000\"},\"spec\":{\"nodeName\":\"n1\",%s},"
		       "\"status\":{%s}}",
		       uid, uid, spec, status);
	live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT, json);
}

#define ONE_CARD                                                                                   \
	"\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"1\"}}}]"

/* --- what is stuck --------------------------------------------------------------------------- */

static void a_plain_pod_is_asked_about_anew(void **state)
{
	struct live *l = *state;

	assert_null(live_bind(l, "cpu", "n1"));
	live_reply(l, SHK_KUBE_LOST, NULL); /* the POST */
	live_reply(l, SHK_KUBE_LOST, NULL); /* and the look at what came of it */
	assert_int_equal(strncmp(l->text, "ApiUncertain:", 13), 0);
	assert_null(state_of(l)->bindings.first);
	assert_null(live_bind(l, "cpu", "n1"));
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_BIND);
	l->refuses = true;
	assert_non_null(live_bind(l, "unseen", "n1"));
	assert_null(shk_bindings_find(&state_of(l)->bindings, "unseen"));
}

static void every_bind_of_a_failed_batch_is_answered(void **state)
{
	struct live *l = *state;
	struct shk_command *commands[2] = {fixture_bind_command("v", "new", "new", "n1"),
					   fixture_bind_command("v", "p1", "p1", "n1")};
	struct shk_step_effects effects;

	l->f.env.commit = fixture_commit_fails;
	shk_step_effects_init(&effects);
	shk_state_step(&l->f.boot.state, &l->f.env, commands, 2, &effects);
	assert_int_equal(effects.n_ops, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_false(commands[i]->waits);
		assert_string_equal(commands[i]->code, "LedgerUnavailable");
		shk_command_free(commands[i]);
	}
	shk_step_effects_fini(&effects);
}

static void a_conflict_of_our_write_is_looked_into(void **state)
{
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_LOST, NULL);
	live_reply(l, SHK_KUBE_LOST, NULL);
	live_tick(l, 8000);
	live_reply(l, SHK_KUBE_CONFLICT, NULL);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_GET_POD);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9000", pod));
	assert_string_equal(live_row(l, "p1"), "unknown");
	live_tick(l, 8000);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_TOUCH_POD);
	live_reply(l, SHK_KUBE_REFUSED, NULL);
	assert_true(live_noted(l, SHK_NOTE_UNRESOLVED));
	live_tick(l, 8000);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9001", pod));
	assert_string_equal(live_row(l, "p1"), "");
}

/* The first list comes from a cache, and lacks a pod that the watch brings a moment later. */
static void an_open_row_whose_pod_comes_late_is_resolved(void **state)
{
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "p1", "n1"));
	live_restart(l);
	live_ready(l);
	assert_string_equal(live_row(l, "p1"), "reserved");
	live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT, live_pod_json("p1", NULL, NULL, "9000", pod));
	live_deliver(l);
	live_tick(l, 8000);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_TOUCH_POD);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9001", pod));
	assert_string_equal(live_row(l, "p1"), "");
}

/* Kubelet would fail such a pod; here it never comes to that. */
static void an_absurd_pod_stops_nobody(void **state)
{
	static const char absurd[] = "\"containers\":[{\"name\":\"c\",\"resources\":{"
				     "\"limits\":{\"nvidia.com/gpu\":\"1000000000\"}}}]";
	struct live *l = *state;

	put_with(l, "x", absurd, "\"phase\":\"Pending\"");
	put_with(l, "y", absurd, "\"phase\":\"Pending\"");
	put_with(l, "z", ONE_CARD, "\"phase\":\"Running\"");
	live_deliver(l);
	assert_true(live_noted(l, SHK_NOTE_UNCOUNTED));
	assert_string_equal(live_row(l, "z"), "foreign");
	live_restart(l);
	put_with(l, "x", absurd, "\"phase\":\"Pending\"");
	put_with(l, "y", absurd, "\"phase\":\"Pending\"");
	live_ready(l);
	assert_int_equal(l->report.uncounted, 1);
	assert_null(fixture_view(&l->f)->not_ready);
}

/* --- steps that are taken back
 * -------------------------------------------------------------------- */

static void a_lingering_row_ends_after_a_full_disk(void **state)
{
	struct live *l = *state;

	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_GONE, "p1", GPU, "n1", "Running");
	live_deliver(l);
	l->f.env.commit = commit_full;
	live_tick(l, 40000);
	assert_string_equal(live_row(l, "p1"), "foreign");
	mend(l);
	bring_in(l);
	live_tick(l, 0);
	live_tick(l, 40000);
	assert_string_equal(live_row(l, "p1"), "");
}

static void a_rest_ends_after_a_failed_commit(void **state)
{
	struct live *l = *state;
	struct shk_error err;

	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", "Running");
	live_pod(l, SHK_FACT_GONE, "p1", GPU, "n1", "Running"); /* lingers for 40 s */
	live_deliver(l);
	l->f.env.now_ms += 30000;
	put_with(l, "p2", ONE_CARD, "\"phase\":\"Failed\",\"reason\":\"UnexpectedAdmissionError\"");
	live_deliver(l);
	assert_true(shk_edition_is_marked(l->f.boot.state.current, SHK_MARK_RESTING, "n1"));
	l->f.env.commit = fixture_commit_fails;
	live_tick(l, 10000); /* both are over: one transaction, and it fails */
	l->f.env.commit = shk_ledger_commit;
	assert_int_equal(shk_state_recover(&l->f.boot.state, &l->f.env, &err), SHK_OK);
	live_tick(l, 0);
	live_tick(l, 40000);
	assert_false(shk_edition_is_marked(l->f.boot.state.current, SHK_MARK_RESTING, "n1"));
	live_tick(l, 0);
	assert_null(state_of(l)->resting);
}

static void a_pod_that_was_looked_up_and_buried(void **state)
{
	struct live *l = *state;
	struct shk_command *commands[2];
	struct shk_step_effects effects;
	struct shk_error err;
	struct shk_pod *pod;
	char json[1024];

	assert_null(live_bind(l, "new", "n1"));
	commands[0] = shk_command_new(SHK_COMMAND_REPLY, NULL, NULL);
	pod = SHK_NEW(&commands[0]->arena, struct shk_pod);
	assert_int_equal(shk_pod_decode(shk_sv(live_pod_json("new", NULL, NULL, "500", json)),
					&commands[0]->arena, pod, &err),
			 SHK_OK);
	commands[0]->reply = (struct shk_kube_reply){.id = live_asked(l)->id,
						     .verb = SHK_KUBE_GET_POD,
						     .outcome = SHK_KUBE_OK,
						     .message = "",
						     .pod = pod};
	live_pod(l, SHK_FACT_GONE, "new", GPU, NULL, NULL);
	commands[1] = shk_command_new(SHK_COMMAND_FACTS, NULL, NULL);
	commands[1]->facts = l->facts;
	l->facts = NULL;
	l->f.env.commit = fixture_commit_fails;
	shk_step_effects_init(&effects);
	shk_state_step(&l->f.boot.state, &l->f.env, commands, 2, &effects);
	assert_int_equal(effects.n_ops, 2); /* each tells that the pod is gone */
	assert_int_equal(strncmp(effects.ops[0].end.text, "PodGone:", 8), 0);
	shk_step_effects_fini(&effects);
	shk_command_free(commands[0]);
	shk_command_free(commands[1]);
}

/* --- what is freed too early ----------------------------------------------------------------- */

static void a_lost_post_is_remembered_while_the_ledger_fails(void **state)
{
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "p1", "n1"));
	l->f.env.commit = commit_full;
	live_reply(l, SHK_KUBE_LOST, NULL);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_GET_POD);
	assert_string_equal(live_row(l, "p1"), "reserved"); /* it can't be said now */
	mend(l);
	bring_in(l);
	live_tick(l, 4000); /* nobody waits any more */
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9000", pod));
	assert_string_equal(live_row(l, "p1"), "reserved");
	live_tick(l, 8000);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_TOUCH_POD);
}

static void a_long_grace_survives_a_restart(void **state)
{
	struct live *l = *state;

	put_with(l, "g", "\"terminationGracePeriodSeconds\":3600," ONE_CARD,
		 "\"phase\":\"Running\"");
	live_deliver(l);
	live_restart(l);
	live_ready(l);
	live_tick(l, 3629000);
	assert_string_equal(live_row(l, "g"), "foreign");
	live_tick(l, 1000);
	assert_string_equal(live_row(l, "g"), "");
}

/* A list that began before the pod was made is complete after it was bound. */
static void a_list_says_nothing_of_pods_that_are_newer(void **state)
{
	static const char *const older[] = {"cpu", "p1", "p2", NULL};
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "new", "n1"));
	live_reply(l, SHK_KUBE_OK, live_pod_json("new", NULL, NULL, "5000", pod));
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_string_equal(live_row(l, "new"), "bound");
	live_listed_at(l, SHK_KUBE_PODS, older, "4999");
	live_deliver(l);
	live_raw(l, SHK_KUBE_PODS, SHK_FACT_PUT,
		 live_pod_json("new", "n1", "Running", "5002", pod));
	live_deliver(l);
	live_tick(l, 100000);
	live_tick(l, 100000);
	assert_string_equal(live_row(l, "new"), "bound");
}

/* --- what is granted too early --------------------------------------------------------------- */

static void nothing_is_placed_before_what_is_owed_is_counted(void **state)
{
	struct live *l = *state;

	live_pod(l, SHK_FACT_PUT, "a1", SHARED, NULL, NULL);
	live_deliver(l);
	l->f.env.commit = commit_full;
	live_pod(l, SHK_FACT_PUT, "x1", SHARED, "s1", "Running"); /* vision's, bound by others */
	live_deliver(l);
	mend(l);
	assert_string_equal(fixture_view(&l->f)->not_ready, SHK_CAUSE_OWED);
	assert_int_equal(strncmp(live_bind(l, "a1", "s1"), "NotReady:", 9), 0);
	bring_in(l);
	live_tick(l, 0);
	assert_null(fixture_view(&l->f)->not_ready);
	assert_int_equal(strncmp(live_bind(l, "a1", "s1"), "TrustBoundary:", 14), 0);
}

static void refusals_of_long_ago_rest_nobody(void **state)
{
	struct live *l = *state;

	live_restart(l);
	put_with(l, "p2", ONE_CARD, "\"phase\":\"Failed\",\"reason\":\"UnexpectedAdmissionError\"");
	live_ready(l);
	assert_false(shk_edition_is_marked(l->f.boot.state.current, SHK_MARK_RESTING, "n1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_plain_pod_is_asked_about_anew),
	    TEST(every_bind_of_a_failed_batch_is_answered),
	    TEST(a_conflict_of_our_write_is_looked_into),
	    TEST(an_open_row_whose_pod_comes_late_is_resolved),
	    TEST(an_absurd_pod_stops_nobody),
	    TEST(a_lingering_row_ends_after_a_full_disk),
	    TEST(a_rest_ends_after_a_failed_commit),
	    TEST(a_pod_that_was_looked_up_and_buried),
	    TEST(a_lost_post_is_remembered_while_the_ledger_fails),
	    TEST(a_long_grace_survives_a_restart),
	    TEST(a_list_says_nothing_of_pods_that_are_newer),
	    TEST(nothing_is_placed_before_what_is_owed_is_counted),
	    TEST(refusals_of_long_ago_rest_nobody),
	};

	return cmocka_run_group_tests_name("live faults", tests, NULL, NULL);
}
