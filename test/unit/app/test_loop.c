#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../src/app/loop.h"
#include "wait.h"

#define TENANTS                                                                                    \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: vision}\n"                     \
	"spec: {namespaces: [v]}\n"

struct rig {
	struct fixture f;
	struct shk_holds *holds;
	struct shk_decisions *decisions;
	struct shk_told *told;
	struct shk_queue queue;
	struct shk_loop *loop;
	char ledger[128];
};

/* What the replaced commit does; tests run one at a time. */
static _Atomic int fail_commits;
static _Atomic bool block_commits;

static enum shk_status faulty_commit(struct shk_ledger *ledger, struct shk_error *err)
{
	while (atomic_load(&block_commits))
		pause_ms(1);
	if (atomic_load(&fail_commits) == 0)
		return shk_ledger_commit(ledger, err);
	atomic_fetch_sub(&fail_commits, 1);
	shk_ledger_rollback(ledger);
	return shk_error_set(err, SHK_E_IO, "the disk is gone");
}

static void rig_start(struct rig *rig, int n_pods)
{
	struct shk_loop_options options;

	fixture_init(&rig->f);
	shk_log_setup(SHK_LOG_ERROR, true);
	(void)snprintf(rig->ledger, sizeof rig->ledger, "%s/ledger.db", rig->f.directory);
	rig->f.config.ledger = rig->ledger;
	fixture_cards(&rig->f, "n1", 8);
	for (int i = 0; i < n_pods; i++) {
		char name[16];

		(void)snprintf(name, sizeof name, "p%d", i);
		fixture_pod(&rig->f, "v", name, name, GPU, 1, "", "");
	}
	fixture_apply_file(&rig->f, "d.yaml", TENANTS);
	fixture_boot(&rig->f);
	rig->holds = shk_holds_new();
	rig->decisions = shk_decisions_new();
	rig->told = shk_told_new();
	shk_queue_init(&rig->queue);
	options = (struct shk_loop_options){
	    .queue = &rig->queue,
	    .ledger_path = rig->ledger,
	    .holds = rig->holds,
	    .decisions = rig->decisions,
	    .told = rig->told,
	    .commit = faulty_commit,
	};
	rig->loop = shk_loop_new(&rig->f.boot, &options);
}

static void rig_stop(struct rig *rig)
{
	shk_loop_free(rig->loop);
	shk_queue_fini(&rig->queue);
	shk_holds_free(rig->holds);
	shk_decisions_free(rig->decisions);
	shk_told_free(rig->told);
	fixture_fini(&rig->f);
}

static void submit_bind(struct rig *rig, struct waited *waited, int pod)
{
	struct shk_command *command;
	char name[16];

	(void)snprintf(name, sizeof name, "p%d", pod);
	command = fixture_bind_command("v", name, name, "n1");
	waited_init(waited);
	command->answer = &waited->answer;
	shk_loop_submit(rig->loop, command);
}

static int64_t used(struct rig *rig)
{
	struct shk_edition *edition = shk_loop_edition(rig->loop);
	const struct shk_node *node = shk_view_node(&edition->shown.view, "n1");
	int64_t sum = node->pools[0].used;

	shk_edition_unref(edition);
	return sum;
}

static void answers_after_it_published(void **state)
{
	struct waited waited;
	struct rig rig;

	(void)state;
	rig_start(&rig, 1);
	submit_bind(&rig, &waited, 0);
	assert_true(waited_for(&waited));
	assert_string_equal(waited_text(&waited), "");
	assert_int_equal(used(&rig), 1);
	shk_buf_fini(&waited.answer.body);
	rig_stop(&rig);
}

#define FLOOD (SHK_QUEUE_MAX + SHK_BATCH_MAX + 8)

static void a_full_queue_answers_at_once(void **state)
{
	struct waited *waited = calloc(FLOOD, sizeof *waited);
	size_t n_refused = 0;
	struct rig rig;

	(void)state;
	assert_non_null(waited);
	rig_start(&rig, 1);
	atomic_store(&block_commits, true);
	for (size_t i = 0; i < FLOOD; i++) {
		submit_bind(&rig, &waited[i], 0);
		if (i == 0)
			pause_ms(50); /* the first batch is under way, alone */
	}
	for (size_t i = 0; i < FLOOD; i++)
		n_refused += atomic_load(&waited[i].done);
	assert_int_equal(n_refused, FLOOD - SHK_QUEUE_MAX - 1);
	assert_true(atomic_load(&waited[FLOOD - 1].done));
	assert_string_equal(waited_text(&waited[FLOOD - 1]),
			    "NotReady: can't decide now: too many requests wait");
	atomic_store(&block_commits, false);
	for (size_t i = 0; i < FLOOD; i++)
		assert_true(waited_for(&waited[i]));
	assert_int_equal(used(&rig), 1);
	for (size_t i = 0; i < FLOOD; i++)
		shk_buf_fini(&waited[i].answer.body);
	free(waited);
	rig_stop(&rig);
}

static void mends_itself_after_a_failed_commit(void **state)
{
	struct waited waited;
	struct rig rig;
	bool mended = false;

	(void)state;
	rig_start(&rig, 2);
	shk_log_setup((enum shk_log_level)(SHK_LOG_ERROR + 1), true);
	atomic_store(&fail_commits, 1);
	submit_bind(&rig, &waited, 0);
	assert_true(waited_for(&waited));
	assert_string_equal(waited_text(&waited),
			    "LedgerUnavailable: the ledger can't be written now");
	shk_buf_fini(&waited.answer.body);
	assert_int_equal(used(&rig), 0);
	assert_false(shk_loop_health(rig.loop).ledger_ok);
	for (int i = 0; i < 100 && !mended; i++) {
		pause_ms(50);
		mended = shk_loop_health(rig.loop).ledger_ok;
	}
	assert_true(mended);
	submit_bind(&rig, &waited, 0);
	assert_true(waited_for(&waited));
	assert_string_equal(waited_text(&waited), "");
	assert_int_equal(used(&rig), 1);
	shk_buf_fini(&waited.answer.body);
	rig_stop(&rig);
}

static void wait_until_ready(struct rig *rig, bool ready)
{
	for (int i = 0; i < 500 && shk_loop_health(rig->loop).ledger_ok != ready; i++)
		pause_ms(10);
	assert_int_equal(shk_loop_health(rig->loop).ledger_ok, ready);
}

/* What was answered rests on the ledger that failed, so no other may take its place. */
static void takes_no_other_ledger_for_the_one_that_failed(void **state)
{
	char aside[140];
	char log[140];
	char log_aside[160];
	struct waited waited;
	struct rig rig;

	(void)state;
	rig_start(&rig, 2);
	(void)snprintf(aside, sizeof aside, "%s.aside", rig.ledger);
	(void)snprintf(log, sizeof log, "%s-wal", rig.ledger);
	(void)snprintf(log_aside, sizeof log_aside, "%s-wal", aside);
	atomic_store(&fail_commits, 1);
	submit_bind(&rig, &waited, 0);
	assert_true(waited_for(&waited));
	assert_memory_equal(waited_text(&waited), "LedgerUnavailable", 17);
	shk_buf_fini(&waited.answer.body);
	/* Gone before the first attempt to mend it, which comes a second later. */
	assert_int_equal(rename(log, log_aside), 0);
	assert_int_equal(rename(rig.ledger, aside), 0);
	pause_ms(2500);
	wait_until_ready(&rig, false);
	assert_int_equal(access(rig.ledger, F_OK), -1);
	(void)rename(log_aside, log); /* the closed handle may have emptied and removed it */
	assert_int_equal(rename(aside, rig.ledger), 0);
	wait_until_ready(&rig, true);
	rig_stop(&rig);
}

static void queued_commands_are_finished_at_the_end(void **state)
{
	struct waited waited[12];
	struct rig rig;

	(void)state;
	rig_start(&rig, 12);
	atomic_store(&block_commits, true);
	for (int i = 0; i < 12; i++)
		submit_bind(&rig, &waited[i], i);
	atomic_store(&block_commits, false);
	shk_loop_free(rig.loop);
	rig.loop = NULL;
	for (int i = 0; i < 12; i++) {
		assert_true(atomic_load(&waited[i].done));
		shk_buf_fini(&waited[i].answer.body);
	}
	rig_stop(&rig);
}

static void jobs_run_between_batches(void **state)
{
	struct shk_command *verify = shk_command_new(SHK_COMMAND_VERIFY, NULL, NULL);
	struct shk_command *backup = shk_command_new(SHK_COMMAND_BACKUP, NULL, NULL);
	struct waited waited[3];
	char path[160];
	struct rig rig;

	(void)state;
	rig_start(&rig, 2);
	(void)snprintf(path, sizeof path, "%s/copy.db", rig.f.directory);
	backup->path = shk_arena_strdup(&backup->arena, path);
	for (int i = 0; i < 2; i++)
		waited_init(&waited[i]);
	verify->answer = &waited[0].answer;
	backup->answer = &waited[1].answer;
	shk_loop_submit(rig.loop, verify);
	shk_loop_submit(rig.loop, backup);
	submit_bind(&rig, &waited[2], 0);
	for (int i = 0; i < 3; i++)
		assert_true(waited_for(&waited[i]));
	assert_non_null(strstr(waited_text(&waited[0]), "\"sound\":true"));
	assert_int_equal(waited[1].answer.status, SHK_OK);
	assert_non_null(strstr(waited_text(&waited[1]), "\"bytes\":"));
	assert_string_equal(waited_text(&waited[2]), "");
	for (int i = 0; i < 3; i++)
		shk_buf_fini(&waited[i].answer.body);
	rig_stop(&rig);
}

/* --- many threads ---------------------------------------------------------------------------- */

#define THREADS 4
#define EACH    40

struct worker {
	struct rig *rig;
	int number;
	int bound;
};

/* Binds and reads the view in between, holding it across other people's batches. */
static void *work(void *context)
{
	struct worker *worker = context;
	struct rig *rig = worker->rig;

	for (int i = 0; i < EACH; i++) {
		struct shk_edition *edition = shk_loop_edition(rig->loop);
		struct waited waited;

		submit_bind(rig, &waited, worker->number * EACH + i);
		while (!atomic_load(&waited.done))
			pause_ms(1);
		worker->bound += waited_text(&waited)[0] == '\0';
		shk_buf_fini(&waited.answer.body);
		if (edition->shown.view.nodes[0]->pools[0].used > 8)
			abort();
		shk_edition_unref(edition);
	}
	return NULL;
}

static void threads_bind_what_there_is_and_no_more(void **state)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	struct rig rig;
	int bound = 0;

	(void)state;
	rig_start(&rig, THREADS * EACH);
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.rig = &rig, .number = i};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		bound += workers[i].bound;
	}
	assert_int_equal(bound, 8);
	assert_int_equal(used(&rig), 8);
	rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answers_after_it_published),
	    cmocka_unit_test(a_full_queue_answers_at_once),
	    cmocka_unit_test(mends_itself_after_a_failed_commit),
	    cmocka_unit_test(takes_no_other_ledger_for_the_one_that_failed),
	    cmocka_unit_test(queued_commands_are_finished_at_the_end),
	    cmocka_unit_test(jobs_run_between_batches),
	    cmocka_unit_test(threads_bind_what_there_is_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
