#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "lock.h"
#include "memory.h"
#include "notes.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/failpoint.h"
#include "shikiri/base/log.h"
#include "shikiri/base/metrics.h"

#define TICK_MS          INT64_C(1000)
#define LIVE_TICK_MS     INT64_C(50) /* while something ends by time */
#define QUIET_MS         INT64_C(20) /* after a batch: then there is time for idle work */
#define MEND_EVERY_MS    INT64_C(1000)
#define HEARTBEAT_MAX_MS INT64_C(10000)

struct shk_loop {
	pthread_t thread;
	pthread_mutex_t published_lock; /* guards the pointer, and taking a reference through it */
	struct shk_edition *published;

	/* The thread's own from here. */
	struct shk_state state;
	struct shk_env env;
	struct shk_loop_options options;
	struct shk_jobs jobs;
	bool quiet; /* idle work is done */
	int64_t next_mend_ms;
	int64_t next_tick_ms;
	char last_failure[512];
	char cluster_id[64]; /* of the ledger that was opened at start */

	/* Written by the thread, read by anybody. */
	_Atomic bool ledger_ok;
	_Atomic int64_t heartbeat_ms;
	_Atomic int64_t file_bytes;
	_Atomic int64_t wal_bytes;
};

/* --- publishing ----------------------------------------------------------------------------- */

static void publish(struct shk_loop *loop)
{
	struct shk_edition *old;

	if (loop->published == loop->state.current)
		return;
	(void)shk_edition_ref(loop->state.current); /* the same pointer again */
	shk_lock(&loop->published_lock);
	old = loop->published;
	loop->published = loop->state.current;
	shk_unlock(&loop->published_lock);
	shk_edition_unref(old);
}

struct shk_edition *shk_loop_edition(struct shk_loop *loop)
{
	struct shk_edition *edition;

	shk_lock(&loop->published_lock);
	edition = shk_edition_ref(loop->published);
	shk_unlock(&loop->published_lock);
	return edition;
}

static void note_health(struct shk_loop *loop)
{
	atomic_store(&loop->heartbeat_ms, shk_clock_boot_ms());
	atomic_store(&loop->ledger_ok, !loop->state.ledger_down);
	if (!loop->env.ledger)
		return;
	atomic_store(&loop->file_bytes, shk_ledger_file_bytes(loop->env.ledger));
	atomic_store(&loop->wal_bytes, shk_ledger_wal_bytes(loop->env.ledger));
}

struct shk_loop_health shk_loop_health(struct shk_loop *loop)
{
	return (struct shk_loop_health){
	    .ledger_ok = atomic_load(&loop->ledger_ok),
	    .alive = shk_clock_boot_ms() - atomic_load(&loop->heartbeat_ms) < HEARTBEAT_MAX_MS,
	    .ledger_file_bytes = atomic_load(&loop->file_bytes),
	    .ledger_wal_bytes = atomic_load(&loop->wal_bytes),
	};
}

/* --- the queue ------------------------------------------------------------------------------ */

static void note_reload(const struct shk_command *command)
{
	char text[800];

	if (command->result.status)
		shk_log(SHK_LOG_WARN, "reload failed, the old rules stay in force", "error",
			shk_error_print(&command->result.error, text, sizeof text), NULL);
	else
		shk_log(SHK_LOG_INFO, "reloaded", "changes",
			command->result.body.data ? command->result.body.data : "", NULL);
}

static void refuse(struct shk_command *command, bool stopping)
{
	char text[SHK_REASON_TEXT_SIZE];

	if (command->kind == SHK_COMMAND_BIND)
		shk_buf_puts(&command->result.body,
			     shk_reason_text(SHK_REASON_NOT_READY,
					     stopping ? "stopping" : "too many requests wait",
					     text));
	else
		shk_command_fail(command, SHK_E_UNAVAILABLE, "%s",
				 stopping ? "stopping" : "busy: too many requests wait");
	if (command->kind == SHK_COMMAND_RELOAD)
		note_reload(command); /* nobody waits for its answer */
	shk_command_answer(command);
}

void shk_loop_submit(struct shk_loop *loop, struct shk_command *command)
{
	enum shk_queue_result result = shk_queue_put(loop->options.queue, command);

	if (result != SHK_QUEUE_TAKEN)
		refuse(command, result == SHK_QUEUE_IS_STOPPING);
}

/* --- batches -------------------------------------------------------------------------------- */

static const char *bind_result(const struct shk_command *command)
{
	if (command->result.body.len == 0)
		return "bound";
	return command->code ? command->code : shk_reason_row(command->reason)->code;
}

static void note_bind(const struct shk_loop *loop, const struct shk_command *command)
{
	bool bound = command->result.body.len == 0;

	if (bound || !command->code)
		shk_decisions_count(loop->options.decisions, SHK_DECIDED_BIND,
				    bound ? SHK_FITS : command->reason);
	else
		shk_decisions_count(loop->options.decisions, SHK_DECIDED_BIND, SHK_UNDECIDED);
	shk_log(SHK_LOG_INFO, "bind", "request_id", command->caller.request_id, "namespace",
		command->bind.namespace_, "pod", command->bind.name, "uid", command->bind.uid,
		"node", command->bind.node, "result", bind_result(command), NULL);
}

static void note(const struct shk_loop *loop, const struct shk_command *command)
{
	if (command->kind == SHK_COMMAND_BIND)
		note_bind(loop, command);
	if (command->kind == SHK_COMMAND_RELOAD)
		note_reload(command);
}

static bool is_job(const struct shk_command *command)
{
	return command->result.status == SHK_OK &&
	       (command->kind == SHK_COMMAND_VERIFY || command->kind == SHK_COMMAND_BACKUP);
}

/* Verifications don't change anything and aren't part of a transaction. */
static size_t set_jobs_aside(struct shk_loop *loop, struct shk_command **batch, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (batch[i]->kind == SHK_COMMAND_VERIFY)
			shk_jobs_add(&loop->jobs, batch[i]);
		else
			batch[kept++] = batch[i];
	}
	return kept;
}

static void note_failure(struct shk_loop *loop, const char *message, const struct shk_error *err)
{
	if (strcmp(loop->last_failure, err->text) == 0)
		return;
	(void)snprintf(loop->last_failure, sizeof loop->last_failure, "%s", err->text);
	shk_log(SHK_LOG_ERROR, message, "error", err->text, NULL);
}

/* --- Bindings ------------------------------------------------------------------------------- */

static bool tells_success(const struct shk_step_effects *effects)
{
	for (size_t i = 0; i < effects->n_ops; i++) {
		if (effects->ops[i].kind == SHK_OP_END && *effects->ops[i].end.text == '\0')
			return true;
	}
	return false;
}

/* What the step wants of the Bindings, now that it is durable. */
static void apply_ops(struct shk_loop *loop, const struct shk_step_effects *effects)
{
	const struct shk_bindings_env env = {
	    .now_ms = loop->env.now_ms,
	    .timeout_ms = loop->state.current->policy->policy.bind_timeout_ms,
	    .send = shk_feed_send,
	    .context = loop->options.feed,
	};
	bool succeeds = tells_success(effects);
	struct shk_command *answered = NULL;

	if (effects->n_ops == 0)
		return;
	shk_failpoint(succeeds ? "bind-confirmed" : "bind-committed");
	shk_bindings_apply(&loop->state.live->bindings, effects->ops, effects->n_ops, &env,
			   &answered);
	for (struct shk_command *command = answered; command; command = command->next)
		note(loop, command);
	shk_command_answer_all(answered);
	if (succeeds)
		shk_failpoint("bind-answered");
}

static void set_env(struct shk_loop *loop)
{
	loop->env.now_s = shk_clock_wall_s();
	loop->env.now_ms = shk_clock_boot_ms();
	loop->env.is_stale =
	    shk_feed_is_stale(loop->options.feed, &loop->state.current->policy->policy);
}

/* What the ledger made of a batch of n commands. */
struct outcome {
	uint64_t seq_before;
	int64_t began_us;
	size_t n;
};

static void tell_of_ledger(struct shk_loop *loop, const struct shk_step_effects *effects,
			   const struct outcome *outcome)
{
	if (effects->failure.status) {
		shk_metric_count(SHK_C_LEDGER_TRANSACTIONS, 1);
		note_failure(loop, "ledger failed, denying GPU pods until it can be written",
			     &effects->failure);
		loop->next_mend_ms = shk_clock_boot_ms() + MEND_EVERY_MS;
	} else if (loop->state.current->shown.view.ledger_seq != outcome->seq_before) {
		shk_metric_count(SHK_C_LEDGER_TRANSACTIONS, 0);
		shk_metric_add(SHK_C_LEDGER_BATCHED, 0, outcome->n);
		shk_metric_observe_us(SHK_H_LEDGER_SECONDS, 0,
				      shk_clock_boot_us() - outcome->began_us);
	}
	if (effects->refusal.status)
		note_failure(loop, "the ledger refused what the cluster shows", &effects->refusal);
}

static void answer(struct shk_loop *loop, struct shk_command *command)
{
	if (command->waits)
		return; /* a Binding has it */
	note(loop, command);
	if (is_job(command))
		shk_jobs_add(&loop->jobs, command);
	else
		shk_command_answer(command);
}

static void run(struct shk_loop *loop, struct shk_command **batch, size_t n)
{
	const struct outcome outcome = {
	    .seq_before = loop->state.current->shown.view.ledger_seq,
	    .began_us = shk_clock_boot_us(),
	    .n = n,
	};
	struct shk_step_effects effects;

	shk_step_effects_init(&effects);
	set_env(loop);
	shk_state_step(&loop->state, &loop->env, batch, n, &effects);
	tell_of_ledger(loop, &effects, &outcome);
	publish(loop);
	note_health(loop);
	for (size_t i = 0; i < effects.n_ended; i++) {
		shk_holds_end(loop->options.holds, effects.ended[i]);
		shk_told_forget(loop->options.told, effects.ended[i]);
	}
	for (size_t i = 0; i < n; i++)
		answer(loop, batch[i]);
	apply_ops(loop, &effects);
	shk_notes_tell(effects.notes, effects.n_notes, loop->options.feed);
	shk_step_effects_fini(&effects);
}

/* --- a live cluster -------------------------------------------------------------------------- */

static void log_reconciled(const struct shk_reconcile_report *report)
{
	char numbers[4][24];

	(void)snprintf(numbers[0], sizeof numbers[0], "%zu", report->kept);
	(void)snprintf(numbers[1], sizeof numbers[1], "%zu", report->ended);
	(void)snprintf(numbers[2], sizeof numbers[2], "%zu", report->adopted);
	(void)snprintf(numbers[3], sizeof numbers[3], "%zu", report->uncounted);
	shk_log(report->uncounted > 0 ? SHK_LOG_WARN : SHK_LOG_INFO,
		"ledger and cluster brought together", "#allocations_kept", numbers[0],
		"#allocations_ended", numbers[1], "#pods_adopted", numbers[2], "#pods_uncounted",
		numbers[3], NULL);
}

/* At start, and when something could not be written. */
static void reconcile(struct shk_loop *loop)
{
	const struct shk_live *live = loop->state.live;
	struct shk_reconcile_report report;
	struct shk_error err;

	if (!live || loop->state.ledger_down || !shk_live_is_listed(live) ||
	    (live->reconciled && !live->owes) || shk_clock_boot_ms() < loop->next_mend_ms)
		return;
	set_env(loop);
	if (shk_state_reconcile(&loop->state, &loop->env, &report, &err)) {
		loop->next_mend_ms = shk_clock_boot_ms() + MEND_EVERY_MS;
		note_failure(loop, "the ledger can't be brought together with the cluster", &err);
	} else {
		shk_metric_add(SHK_C_PODS_ADOPTED, 0, report.adopted);
		log_reconciled(&report);
		shk_memory_trim(); /* the lists are through */
	}
	publish(loop);
}

static void tick(struct shk_loop *loop)
{
	const struct shk_live *live = loop->state.live;
	struct shk_command *command;

	if (!live || !shk_live_waits(live) || shk_clock_boot_ms() < loop->next_tick_ms)
		return;
	loop->next_tick_ms = shk_clock_boot_ms() + (live->ready ? LIVE_TICK_MS : 0);
	command = shk_command_new(SHK_COMMAND_TICK, NULL, NULL);
	run(loop, &command, 1);
}

/* --- mending -------------------------------------------------------------------------------- */

static bool is_in_memory(const struct shk_loop *loop)
{
	return strcmp(loop->options.ledger_path, ":memory:") == 0;
}

/* What was answered rests on the ledger that failed: no other file may take its place while we
 * run, an older copy of it neither. */
static enum shk_status check_identity(const struct shk_loop *loop, struct shk_error *err)
{
	uint64_t known = loop->state.current->shown.view.ledger_seq;

	if (strcmp(shk_ledger_cluster_id(loop->env.ledger), loop->cluster_id) == 0 &&
	    shk_ledger_seq(loop->env.ledger) >= known)
		return SHK_OK;
	return shk_error_set(err, SHK_E_CONFLICT,
			     "%s: is not the ledger that failed, or an older copy of it; restart "
			     "to take it as it is",
			     loop->options.ledger_path);
}

static enum shk_status reopen(struct shk_loop *loop, struct shk_error *err)
{
	const struct shk_ledger_options options = {
	    .path = loop->options.ledger_path, .must_exist = true, .now_s = loop->env.now_s};
	enum shk_status status;

	shk_jobs_cancel(&loop->jobs, SHK_CAUSE_LEDGER);
	shk_ledger_close(loop->env.ledger, loop->env.now_s);
	loop->env.ledger = NULL;
	status = shk_ledger_open(&options, &loop->env.ledger, err);
	if (!status)
		status = check_identity(loop, err);
	if (!status)
		status = shk_state_recover(&loop->state, &loop->env, err);
	return status;
}

/* A ledger that failed is tried again every second. What an I/O error left behind is only known
 * once the file was opened and verified again. */
static void mend(struct shk_loop *loop)
{
	int64_t now_ms = shk_clock_boot_ms();
	struct shk_error err;
	enum shk_status status;

	if (!loop->state.ledger_down || now_ms < loop->next_mend_ms)
		return;
	loop->next_mend_ms = now_ms + MEND_EVERY_MS;
	loop->env.now_s = shk_clock_wall_s();
	if (loop->state.needs_reopen && !is_in_memory(loop))
		status = reopen(loop, &err);
	else
		status = shk_state_probe(&loop->state, &loop->env, &err);
	if (status) {
		note_failure(loop, "ledger still failing, denying", &err);
		return;
	}
	loop->last_failure[0] = '\0';
	loop->next_mend_ms = 0; /* what is owed is brought in at once */
	shk_log(SHK_LOG_INFO, "ledger can be written again", NULL);
	publish(loop);
}

/* --- the thread ----------------------------------------------------------------------------- */

static void idle(struct shk_loop *loop)
{
	shk_holds_expire(loop->options.holds, shk_clock_boot_ms());
	if (loop->env.ledger && !loop->state.ledger_down)
		shk_ledger_idle(loop->env.ledger);
	loop->quiet = true;
}

static int64_t wait_for(const struct shk_loop *loop)
{
	if (loop->jobs.n > 0)
		return 0;
	if (!loop->quiet || (loop->state.live && !loop->state.live->ready))
		return QUIET_MS;
	return loop->state.live && shk_live_waits(loop->state.live) ? LIVE_TICK_MS : TICK_MS;
}

static void work_aside(struct shk_loop *loop)
{
	mend(loop);
	shk_feed_watch(loop->options.feed, shk_clock_boot_ms());
	reconcile(loop);
	tick(loop);
	if (loop->jobs.n > 0 && loop->state.ledger_down)
		shk_jobs_cancel(&loop->jobs, SHK_CAUSE_LEDGER);
	shk_jobs_step(&loop->jobs, loop->env.ledger);
	note_health(loop);
}

static void *loop_main(void *context)
{
	struct shk_loop *loop = context;
	struct shk_command *batch[SHK_BATCH_MAX];
	bool over = false;

	while (!over) {
		size_t n = shk_queue_take(loop->options.queue, batch, SHK_BATCH_MAX, wait_for(loop),
					  &over);

		n = set_jobs_aside(loop, batch, n);
		if (n > 0) {
			loop->quiet = false;
			run(loop, batch, n);
		} else if (loop->jobs.n == 0) {
			idle(loop);
		}
		work_aside(loop);
	}
	shk_jobs_cancel(&loop->jobs, "stopping");
	return NULL;
}

struct shk_loop *shk_loop_new(struct shk_boot *boot, const struct shk_loop_options *options)
{
	struct shk_loop *loop = calloc(1, sizeof *loop);

	if (!loop)
		abort();
	loop->options = *options;
	loop->state = boot->state;
	loop->state.decisions = options->decisions;
	loop->env = (struct shk_env){
	    .ledger = boot->ledger,
	    .uuid = shk_boot_uuid,
	    .commit = options->commit ? options->commit : shk_ledger_commit,
	};
	(void)snprintf(loop->cluster_id, sizeof loop->cluster_id, "%s",
		       boot->ledger ? shk_ledger_cluster_id(boot->ledger) : "");
	*boot = (struct shk_boot){.ledger = NULL};
	if (pthread_mutex_init(&loop->published_lock, NULL) != 0)
		abort();
	publish(loop);
	note_health(loop);
	if (pthread_create(&loop->thread, NULL, loop_main, loop) != 0)
		abort();
	return loop;
}

void shk_loop_free(struct shk_loop *loop)
{
	if (!loop)
		return;
	shk_queue_stop(loop->options.queue);
	if (pthread_join(loop->thread, NULL) != 0)
		abort();
	shk_ledger_close(loop->env.ledger, shk_clock_wall_s());
	shk_edition_unref(loop->published);
	shk_edition_unref(loop->state.current);
	shk_words_unref(loop->state.words);
	shk_live_free(loop->state.live);
	(void)pthread_mutex_destroy(&loop->published_lock);
	free(loop);
}
