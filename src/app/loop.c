#include "loop.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jobs.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/log.h"
#include "shikiri/base/metrics.h"

#define TICK_MS          INT64_C(1000)
#define QUIET_MS         INT64_C(20) /* after a batch: then there is time for idle work */
#define MEND_EVERY_MS    INT64_C(1000)
#define HEARTBEAT_MAX_MS INT64_C(10000)

struct shk_loop {
	pthread_t thread;
	pthread_mutex_t queue_lock; /* guards queue, first, n and stopping */
	pthread_cond_t queue_filled;
	struct shk_command *queue[SHK_QUEUE_MAX];
	size_t first;
	size_t n;
	bool stopping;

	pthread_mutex_t published_lock; /* guards the pointer, and taking a reference through it */
	struct shk_edition *published;

	/* The thread's own from here. */
	struct shk_state state;
	struct shk_env env;
	struct shk_loop_options options;
	struct shk_jobs jobs;
	bool quiet; /* idle work is done */
	int64_t next_mend_ms;
	char last_failure[512];
	char cluster_id[64]; /* of the ledger that was opened at start */

	/* Written by the thread, read by anybody. */
	_Atomic bool ledger_ok;
	_Atomic int64_t heartbeat_ms;
	_Atomic int64_t file_bytes;
	_Atomic int64_t wal_bytes;
};

static void lock(pthread_mutex_t *mutex)
{
	if (pthread_mutex_lock(mutex) != 0)
		abort();
}

static void unlock(pthread_mutex_t *mutex)
{
	if (pthread_mutex_unlock(mutex) != 0)
		abort();
}

/* --- publishing ----------------------------------------------------------------------------- */

static void publish(struct shk_loop *loop)
{
	struct shk_edition *old;

	if (loop->published == loop->state.current)
		return;
	(void)shk_edition_ref(loop->state.current); /* the same pointer again */
	lock(&loop->published_lock);
	old = loop->published;
	loop->published = loop->state.current;
	unlock(&loop->published_lock);
	shk_edition_unref(old);
}

struct shk_edition *shk_loop_edition(struct shk_loop *loop)
{
	struct shk_edition *edition;

	lock(&loop->published_lock);
	edition = shk_edition_ref(loop->published);
	unlock(&loop->published_lock);
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
	bool stopping;
	bool taken;

	lock(&loop->queue_lock);
	stopping = loop->stopping;
	taken = !stopping && loop->n < SHK_QUEUE_MAX;
	if (taken) {
		loop->queue[(loop->first + loop->n) % SHK_QUEUE_MAX] = command;
		loop->n++;
		(void)pthread_cond_signal(&loop->queue_filled); /* can't fail on a valid one */
	}
	unlock(&loop->queue_lock);
	if (!taken)
		refuse(command, stopping);
}

static struct timespec deadline_after(int64_t ms)
{
	struct timespec at;

	if (clock_gettime(CLOCK_MONOTONIC, &at) != 0)
		abort();
	at.tv_sec += (time_t)(ms / 1000);
	at.tv_nsec += (long)(ms % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

/* Waits for commands, at most wait_ms. 0 when none came; *ret_over when none will. */
static size_t take(struct shk_loop *loop, struct shk_command **batch, int64_t wait_ms,
		   bool *ret_over)
{
	struct timespec deadline = deadline_after(wait_ms);
	size_t n = 0;
	int waited = 0;

	lock(&loop->queue_lock);
	while (loop->n == 0 && !loop->stopping && wait_ms > 0 && waited != ETIMEDOUT)
		waited = pthread_cond_timedwait(&loop->queue_filled, &loop->queue_lock, &deadline);
	while (n < SHK_BATCH_MAX && loop->n > 0) {
		batch[n++] = loop->queue[loop->first];
		loop->first = (loop->first + 1) % SHK_QUEUE_MAX;
		loop->n--;
	}
	*ret_over = loop->stopping && loop->n == 0 && n == 0;
	unlock(&loop->queue_lock);
	return n;
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

static void run(struct shk_loop *loop, struct shk_command **batch, size_t n)
{
	struct shk_step_effects effects;
	uint64_t seq_before = loop->state.current->shown.view.ledger_seq;
	int64_t began_us = shk_clock_boot_us();

	shk_step_effects_init(&effects);
	loop->env.now_s = shk_clock_wall_s();
	shk_state_step(&loop->state, &loop->env, batch, n, &effects);
	if (effects.failure.status) {
		shk_metric_count(SHK_C_LEDGER_TRANSACTIONS, 1);
		note_failure(loop, "ledger failed, denying GPU pods until it can be written",
			     &effects.failure);
		loop->next_mend_ms = shk_clock_boot_ms() + MEND_EVERY_MS;
	} else if (loop->state.current->shown.view.ledger_seq != seq_before) {
		shk_metric_count(SHK_C_LEDGER_TRANSACTIONS, 0);
		shk_metric_add(SHK_C_LEDGER_BATCHED, 0, n);
		shk_metric_observe_us(SHK_H_LEDGER_SECONDS, 0, shk_clock_boot_us() - began_us);
	}
	publish(loop);
	note_health(loop);
	for (size_t i = 0; i < effects.n_ended; i++)
		shk_holds_end(loop->options.holds, effects.ended[i]);
	shk_step_effects_fini(&effects);
	for (size_t i = 0; i < n; i++) {
		note(loop, batch[i]);
		if (is_job(batch[i]))
			shk_jobs_add(&loop->jobs, batch[i]);
		else
			shk_command_answer(batch[i]);
	}
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
	return loop->quiet ? TICK_MS : QUIET_MS;
}

static void work_aside(struct shk_loop *loop)
{
	mend(loop);
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
		size_t n = take(loop, batch, wait_for(loop), &over);

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

static void init_queue(struct shk_loop *loop)
{
	pthread_condattr_t monotonic;

	if (pthread_mutex_init(&loop->queue_lock, NULL) != 0 ||
	    pthread_mutex_init(&loop->published_lock, NULL) != 0 ||
	    pthread_condattr_init(&monotonic) != 0 ||
	    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) != 0 ||
	    pthread_cond_init(&loop->queue_filled, &monotonic) != 0)
		abort();
	(void)pthread_condattr_destroy(&monotonic); /* was initialized above */
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
	init_queue(loop);
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
	lock(&loop->queue_lock);
	loop->stopping = true;
	(void)pthread_cond_signal(&loop->queue_filled); /* can't fail on a valid one */
	unlock(&loop->queue_lock);
	if (pthread_join(loop->thread, NULL) != 0)
		abort();
	shk_ledger_close(loop->env.ledger, shk_clock_wall_s());
	shk_edition_unref(loop->published);
	shk_edition_unref(loop->state.current);
	shk_words_unref(loop->state.words);
	(void)pthread_cond_destroy(&loop->queue_filled); /* nobody waits any more */
	(void)pthread_mutex_destroy(&loop->queue_lock);
	(void)pthread_mutex_destroy(&loop->published_lock);
	free(loop);
}
