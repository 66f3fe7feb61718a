#include "live.h"

#include <stdio.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof(array)[0])

static int set_up(void **state)
{
	static struct live l;

	live_init(&l);
	live_pod(&l, SHK_FACT_PUT, "p1", GPU, NULL, NULL);
	live_pod(&l, SHK_FACT_PUT, "p2", GPU, NULL, NULL);
	live_pod(&l, SHK_FACT_PUT, "a1", SHARED, NULL, NULL);
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

static void assert_code(const char *text, const char *code)
{
	assert_non_null(text);
	if (strncmp(text, code, strlen(code)) != 0 || text[strlen(code)] != ':')
		fail_msg("expected %s, got \"%s\"", code, text);
}

static const char *annotation(const struct live *l, const char *key)
{
	const char *value = shk_labels_get(&live_asked(l)->annotations, key);

	return value ? value : "";
}

static void reserves_posts_and_confirms(void **state)
{
	struct live *l = *state;
	char expected[128];

	assert_null(live_bind(l, "p1", "n1"));
	assert_string_equal(live_row(l, "p1"), "reserved");
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_BIND);
	assert_string_equal(live_asked(l)->uid, "p1");
	assert_string_equal(live_asked(l)->node, "n1");
	assert_non_null(live_asked(l)->resource_version);
	(void)snprintf(expected, sizeof expected, "v1;%llu.%llu;n1;nvidia.com/gpu=1",
		       (unsigned long long)shk_ledger_epoch(l->f.boot.ledger),
		       (unsigned long long)fixture_alloc(&l->f, "p1")->seq);
	assert_string_equal(annotation(l, "shikiri.dev/allocation"), expected);
	assert_string_equal(annotation(l, "shikiri.dev/isolation-class"), "card");
	assert_string_equal(annotation(l, "shikiri.dev/quota-class"), "guaranteed");
	assert_string_equal(annotation(l, "shikiri.dev/tenant"), "vision");

	live_reply(l, SHK_KUBE_OK, NULL);
	assert_int_equal(l->n_answered, 1);
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "p1"), "bound");
	assert_true(live_noted(l, SHK_NOTE_PLACED));
	assert_int_equal(fixture_used(&l->f, "n1", GPU), 1);

	assert_string_equal(live_bind(l, "p1", "n1"), ""); /* repeats */
	assert_code(live_bind(l, "p1", "n2"), "AlreadyBound");
	assert_int_equal(l->n_asked, 1);
}

static void a_repeat_joins_and_another_node_waits(void **state)
{
	struct live *l = *state;

	assert_null(live_bind(l, "p1", "n1"));
	assert_null(live_bind(l, "p1", "n1"));
	assert_code(live_bind(l, "p1", "n2"), "BindInProgress");
	assert_int_equal(l->n_asked, 1);
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_int_equal(l->n_answered, 3);
	assert_string_equal(l->text, "");
}

static void a_definite_no_takes_the_row_back(void **state)
{
	static const struct {
		enum shk_kube_outcome outcome;
		const char *code;
	} rows[] = {{SHK_KUBE_NOT_FOUND, "PodGone"},
		    {SHK_KUBE_REFUSED, "ApiRefused"},
		    {SHK_KUBE_UNSENT, "ApiUncertain"}};
	struct live *l = *state;

	for (size_t i = 0; i < N(rows); i++) {
		assert_null(live_bind(l, "p1", "n1"));
		live_reply(l, rows[i].outcome, NULL);
		assert_code(l->text, rows[i].code);
		assert_non_null(strstr(l->text, "said the server"));
		assert_string_equal(live_row(l, "p1"), "");
		assert_int_equal(fixture_used(&l->f, "n1", GPU), 0);
	}
}

/* The pod's version moved between our look and the POST: once more, with the new one. */
static void a_stale_version_is_posted_again_once(void **state)
{
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_CONFLICT, NULL);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_GET_POD);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9001", pod));
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_BIND);
	assert_string_equal(live_asked(l)->resource_version, "9001");
	live_reply(l, SHK_KUBE_CONFLICT, NULL);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9002", pod));
	assert_code(l->text, "ApiRefused");
	assert_string_equal(live_row(l, "p1"), "");
	assert_int_equal(l->n_asked, 4);
}

static void a_conflict_tells_what_became_of_the_pod(void **state)
{
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_CONFLICT, NULL);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", "n1", NULL, "9001", pod));
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "p1"), "bound");

	assert_null(live_bind(l, "p2", "n1"));
	live_reply(l, SHK_KUBE_CONFLICT, NULL);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p2", "n2", NULL, "9002", pod));
	assert_code(l->text, "AlreadyBound");
	assert_string_equal(live_row(l, "p2"), "foreign");
	assert_string_equal(fixture_alloc(&l->f, "p2")->node, "n2");
	assert_true(live_noted(l, SHK_NOTE_ADOPTED));

	assert_null(live_bind(l, "a1", "s1"));
	live_reply(l, SHK_KUBE_CONFLICT, NULL);
	live_reply(l, SHK_KUBE_OK, live_pod_json("a2", NULL, NULL, "9003", pod));
	assert_code(l->text, "PodGone"); /* its name has another UID now */
	assert_string_equal(live_row(l, "a1"), "");
}

static void lose_the_answer(struct live *l)
{
	char pod[1024];

	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_LOST, NULL);
	assert_string_equal(live_row(l, "p1"), "unknown");
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_GET_POD);
	live_reply(l, SHK_KUBE_LOST, live_pod_json("p1", NULL, NULL, "9001", pod));
	assert_code(l->text, "ApiUncertain");
	assert_string_equal(live_row(l, "p1"), "unknown");
	assert_int_equal(fixture_used(&l->f, "n1", GPU), 1);
}

static void a_lost_answer_is_found_by_asking(void **state)
{
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_LOST, NULL);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", "n1", NULL, "9001", pod));
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "p1"), "bound");
}

static void a_lost_answer_is_found_by_the_watch(void **state)
{
	struct live *l = *state;

	lose_the_answer(l);
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", NULL);
	live_deliver(l);
	assert_string_equal(live_row(l, "p1"), "bound");
	assert_null(l->f.boot.state.live->bindings.first);
	assert_string_equal(live_bind(l, "p1", "n1"), "");
}

static void the_next_bind_posts_again_to_the_same_node(void **state)
{
	struct live *l = *state;

	lose_the_answer(l);
	assert_code(live_bind(l, "p1", "n2"), "BindInProgress");
	assert_null(live_bind(l, "p1", "n1"));
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_BIND);
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "p1"), "bound");
}

/* A definite no to the second POST says nothing about the first. */
static void a_lost_post_outlives_a_refused_one(void **state)
{
	struct live *l = *state;

	lose_the_answer(l);
	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_REFUSED, NULL);
	assert_code(l->text, "ApiUncertain");
	assert_string_equal(live_row(l, "p1"), "unknown");
}

/* The reply to a write of ours shows it unassigned: no earlier POST can land any more. */
static void nobody_asks_and_a_write_of_ours_decides(void **state)
{
	struct live *l = *state;
	char pod[1024];

	lose_the_answer(l);
	live_tick(l, 7999);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_GET_POD);
	live_tick(l, 1);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_TOUCH_POD);
	assert_string_equal(live_row(l, "p1"), "unknown");
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9005", pod));
	assert_string_equal(live_row(l, "p1"), "");
	assert_true(live_noted(l, SHK_NOTE_VOIDED));
	assert_null(l->f.boot.state.live->bindings.first);
}

static void a_write_of_ours_finds_the_pod_bound(void **state)
{
	struct live *l = *state;
	char pod[1024];

	lose_the_answer(l);
	live_tick(l, 8000);
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", "n1", NULL, "9005", pod));
	assert_string_equal(live_row(l, "p1"), "bound");
}

static void a_write_that_fails_is_tried_again(void **state)
{
	struct live *l = *state;
	size_t asked;

	lose_the_answer(l);
	live_tick(l, 8000);
	live_reply(l, SHK_KUBE_LOST, NULL);
	assert_string_equal(live_row(l, "p1"), "unknown");
	asked = l->n_asked;
	live_tick(l, 7000);
	assert_int_equal(l->n_asked, asked);
	live_tick(l, 1000);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_TOUCH_POD);
	assert_int_equal(l->n_asked, asked + 1);
}

/* Somebody asks while we find out: the version that our write made is what the POST carries. */
static void a_bind_during_the_write_is_posted_after_it(void **state)
{
	struct live *l = *state;
	char pod[1024];

	lose_the_answer(l);
	live_tick(l, 8000);
	assert_null(live_bind(l, "p1", "n1"));
	live_reply(l, SHK_KUBE_OK, live_pod_json("p1", NULL, NULL, "9005", pod));
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_BIND);
	assert_string_equal(live_asked(l)->resource_version, "9005");
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "p1"), "bound");
}

static void waiters_are_told_in_time(void **state)
{
	struct live *l = *state;

	assert_null(live_bind(l, "p1", "n1"));
	live_tick(l, 3999);
	assert_int_equal(l->n_answered, 0);
	live_tick(l, 1);
	assert_code(l->text, "ApiUncertain");
	assert_string_equal(live_row(l, "p1"), "reserved");
	live_reply(l, SHK_KUBE_OK, NULL); /* late, and still true */
	assert_string_equal(live_row(l, "p1"), "bound");
	assert_int_equal(l->n_answered, 1);
}

static void the_watch_is_quicker_than_the_reply(void **state)
{
	struct live *l = *state;

	assert_null(live_bind(l, "p1", "n1"));
	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", NULL);
	live_deliver(l);
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "p1"), "bound");
	live_reply(l, SHK_KUBE_LOST, NULL);
	assert_string_equal(live_row(l, "p1"), "bound");
	assert_int_equal(l->n_answered, 1);
}

static void a_pod_deleted_meanwhile_frees_its_place(void **state)
{
	struct live *l = *state;

	assert_null(live_bind(l, "p1", "n1"));
	live_pod(l, SHK_FACT_GONE, "p1", GPU, NULL, NULL);
	live_deliver(l);
	assert_code(l->text, "PodGone");
	assert_string_equal(live_row(l, "p1"), "");
	assert_code(live_bind(l, "p1", "n1"), "PodGone");
}

static void an_unseen_pod_is_looked_up(void **state)
{
	struct live *l = *state;
	char pod[1024];

	assert_null(live_bind(l, "p9", "n1"));
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_GET_POD);
	assert_string_equal(live_row(l, "p9"), "");
	live_reply(l, SHK_KUBE_OK, live_pod_json("p9", NULL, NULL, "9001", pod));
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_BIND);
	assert_string_equal(live_asked(l)->resource_version, "9001");
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "p9"), "bound");
}

static void a_forged_pod_changes_nothing(void **state)
{
	struct live *l = *state;
	uint64_t seq = shk_ledger_seq(l->f.boot.ledger);
	char pod[1024];

	assert_null(live_bind(l, "forged", "n1"));
	live_reply(l, SHK_KUBE_NOT_FOUND, NULL);
	assert_code(l->text, "PodUnknown");
	assert_null(live_bind(l, "forged", "n1"));
	live_reply(l, SHK_KUBE_OK, live_pod_json("other", NULL, NULL, "9001", pod));
	assert_code(l->text, "UidMismatch");
	assert_null(live_bind(l, "forged", "n1"));
	live_reply(l, SHK_KUBE_LOST, NULL);
	assert_code(l->text, "ApiUncertain");
	assert_int_equal(shk_ledger_seq(l->f.boot.ledger), seq);
	assert_null(l->f.boot.state.live->bindings.first);
}

static void a_pod_without_gpus_is_bound_plainly(void **state)
{
	struct live *l = *state;

	assert_code(live_bind(l, "cpu", "nowhere"), "NodeUnknown");
	assert_null(live_bind(l, "cpu", "n1"));
	assert_int_equal(live_asked(l)->annotations.n, 0);
	assert_string_equal(live_row(l, "cpu"), "");
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_string_equal(l->text, "");
	assert_string_equal(live_row(l, "cpu"), "");
	assert_int_equal(shk_view_node(fixture_view(&l->f), "n1")->cpu_used_milli, 1000);
	assert_string_equal(live_bind(l, "cpu", "n1"), "");
}

static void a_refusal_is_told_at_once(void **state)
{
	struct live *l = *state;

	assert_code(live_bind(l, "p1", "s1"), "ResourceNotOffered");
	assert_code(live_bind(l, "p1", "nowhere"), "NodeUnknown");
	l->f.env.is_stale = true;
	assert_code(live_bind(l, "p1", "n1"), "NotReady");
	assert_int_equal(l->n_asked, 0);
	assert_string_equal(live_row(l, "p1"), "");
}

static void a_full_queue_leaves_the_row_open(void **state)
{
	struct live *l = *state;

	l->refuses = true;
	assert_code(live_bind(l, "p1", "n1"), "ApiUncertain");
	assert_string_equal(live_row(l, "p1"), "reserved");
	l->refuses = false;
	live_tick(l, 0);
	assert_int_equal(live_asked(l)->verb, SHK_KUBE_TOUCH_POD);
}

static void nothing_is_sent_for_what_could_not_be_written(void **state)
{
	struct live *l = *state;

	l->f.env.commit = fixture_commit_fails;
	assert_code(live_bind(l, "p1", "n1"), "LedgerUnavailable");
	assert_int_equal(l->n_asked, 0);
	assert_string_equal(live_row(l, "p1"), "");
	assert_string_equal(fixture_view(&l->f)->not_ready, SHK_CAUSE_LEDGER);
}

/* The API server bound it and the ledger can't say so: it is owed, and found again. */
static void a_confirmation_that_cannot_be_written_is_owed(void **state)
{
	struct live *l = *state;
	struct shk_error err = {0};

	assert_null(live_bind(l, "p1", "n1"));
	l->f.env.commit = fixture_commit_fails;
	live_reply(l, SHK_KUBE_OK, NULL);
	assert_code(l->text, "LedgerUnavailable");
	assert_string_equal(live_row(l, "p1"), "reserved");
	assert_true(l->f.boot.state.live->owes);

	live_pod(l, SHK_FACT_PUT, "p1", GPU, "n1", NULL);
	live_pod(l, SHK_FACT_PUT, "x1", GPU, "n2", "Running");
	live_deliver(l);
	assert_string_equal(live_row(l, "x1"), "");
	l->f.env.commit = shk_ledger_commit;
	assert_int_equal(shk_state_probe(&l->f.boot.state, &l->f.env, &err), SHK_OK);
	assert_int_equal(shk_state_reconcile(&l->f.boot.state, &l->f.env, &l->report, &err),
			 SHK_OK);
	assert_string_equal(live_row(l, "p1"), "bound");
	assert_string_equal(live_row(l, "x1"), "foreign");
	assert_false(l->f.boot.state.live->owes);
	assert_null(fixture_view(&l->f)->not_ready);
	assert_string_equal(live_bind(l, "p1", "n1"), "");
}

static void advice_binds_nothing(void **state)
{
	struct live *l = *state;

	l->f.boot.state.mode = SHK_MODE_ADVISE;
	assert_code(live_bind(l, "p1", "n1"), "AdviseOnly");
	assert_code(live_bind(l, "cpu", "n1"), "AdviseOnly");
	assert_int_equal(l->n_asked, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(reserves_posts_and_confirms),
	    TEST(a_repeat_joins_and_another_node_waits),
	    TEST(a_definite_no_takes_the_row_back),
	    TEST(a_stale_version_is_posted_again_once),
	    TEST(a_conflict_tells_what_became_of_the_pod),
	    TEST(a_lost_answer_is_found_by_asking),
	    TEST(a_lost_answer_is_found_by_the_watch),
	    TEST(the_next_bind_posts_again_to_the_same_node),
	    TEST(a_lost_post_outlives_a_refused_one),
	    TEST(nobody_asks_and_a_write_of_ours_decides),
	    TEST(a_write_of_ours_finds_the_pod_bound),
	    TEST(a_write_that_fails_is_tried_again),
	    TEST(a_bind_during_the_write_is_posted_after_it),
	    TEST(waiters_are_told_in_time),
	    TEST(the_watch_is_quicker_than_the_reply),
	    TEST(a_pod_deleted_meanwhile_frees_its_place),
	    TEST(an_unseen_pod_is_looked_up),
	    TEST(a_forged_pod_changes_nothing),
	    TEST(a_pod_without_gpus_is_bound_plainly),
	    TEST(a_refusal_is_told_at_once),
	    TEST(a_full_queue_leaves_the_row_open),
	    TEST(nothing_is_sent_for_what_could_not_be_written),
	    TEST(a_confirmation_that_cannot_be_written_is_owed),
	    TEST(advice_binds_nothing),
	};

	return cmocka_run_group_tests_name("live bind", tests, NULL, NULL);
}
