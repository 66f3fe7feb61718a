#include "step.h"

#include <string.h>

#include "reconcile.h"
#include "shikiri/base/metrics.h"
#include "world.h"

#define DECISIONS_PER_COMMIT ((size_t)32)

/* The copying is a job of the loop; who asked for it is written down before it begins. */
static enum shk_status note_backup(struct shk_step *step, struct shk_command *command,
				   struct shk_error *err)
{
	const struct shk_ledger_audit row = {.verb = "backup", .object = "Ledger"};
	enum shk_status status;

	if (shk_step_is_blocked(step, command))
		return SHK_OK;
	command->changed = true;
	status = shk_step_write(step, err);
	if (!status)
		status = shk_step_audit(step, command, &row, err);
	return status;
}

static enum shk_status run(struct shk_step *step, struct shk_command *command,
			   struct shk_error *err)
{
	switch (command->kind) {
	case SHK_COMMAND_BIND:
		return shk_bind_run(step, command, err);
	case SHK_COMMAND_APPLY:
		return shk_apply_run(step, command, err);
	case SHK_COMMAND_CORDON:
		return shk_cordon_run(step, command, err);
	case SHK_COMMAND_POD:
		return shk_pod_run(step, command, err);
	case SHK_COMMAND_POD_GONE:
		return shk_pod_gone_run(step, command, err);
	case SHK_COMMAND_NODE:
		return shk_node_run(step, command, err);
	case SHK_COMMAND_RELOAD:
		return shk_reload_run(step, command, err);
	case SHK_COMMAND_BACKUP:
		return note_backup(step, command, err);
	case SHK_COMMAND_FACTS:
		return shk_facts_run(step, command, err);
	case SHK_COMMAND_REPLY:
		return shk_reply_run(step, command, err);
	case SHK_COMMAND_TICK:
		return shk_tick_run(step, err);
	case SHK_COMMAND_NONE:
	case SHK_COMMAND_VERIFY:
		break;
	}
	shk_command_fail(command, SHK_E_UNAVAILABLE, "not a command of the state thread");
	return SHK_OK;
}

/* --- one transaction ------------------------------------------------------------------------ */

/* Decisions ride along; a failure here fails the transaction like any other write. */
static enum shk_status write_decisions(const struct shk_step *step, struct shk_error *err)
{
	struct shk_decision_record records[DECISIONS_PER_COMMIT];
	enum shk_status status = SHK_OK;
	size_t n = 0;

	if (step->state->decisions)
		n = shk_decisions_take(step->state->decisions, records, DECISIONS_PER_COMMIT);
	for (size_t i = 0; i < n; i++) {
		if (!status)
			status = shk_ledger_decision(step->env->ledger, "filter", records[i].uid,
						     records[i].pod, records[i].body, err);
		shk_decision_record_fini(&records[i]);
	}
	return status;
}

static enum shk_status commit(struct shk_step *step, struct shk_error *err)
{
	enum shk_status status = write_decisions(step, err);

	if (!status)
		status = step->env->commit(step->env->ledger, err);
	return status;
}

static enum shk_status run_all(struct shk_step *step, struct shk_command *const *commands, size_t n,
			       size_t *ret_at, struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	for (size_t i = 0; i < n && !status; i++) {
		*ret_at = i;
		shk_command_reset(commands[i]);
		status = run(step, commands[i], err);
	}
	return status;
}

bool shk_state_is_refusal(enum shk_status status)
{
	return status == SHK_E_CONFLICT || status == SHK_E_NOT_FOUND || status == SHK_E_INPUT ||
	       status == SHK_E_LIMIT;
}

static void fail_command(struct shk_command *command, enum shk_status status,
			 const struct shk_error *err)
{
	if (shk_command_is_news(command))
		return; /* it has happened all the same, and is taken without writing */
	if (command->kind == SHK_COMMAND_BIND) {
		shk_command_refuse_bind(command, SHK_BIND_LEDGER_UNAVAILABLE);
		return;
	}
	if (shk_state_is_refusal(status))
		shk_command_fail(command, status, "%s", err->text);
	else
		shk_command_fail(command, SHK_E_UNAVAILABLE, "%s; nothing was changed",
				 SHK_CAUSE_LEDGER);
}

/* Whatever came after the first change may have been decided by it. */
static void fail_from_first_change(struct shk_command *const *commands, size_t n, size_t failed,
				   const struct shk_error *err)
{
	size_t first = 0;

	while (first < failed && !commands[first]->changed)
		first++;
	for (size_t i = 0; i < n; i++) {
		/* What a waiting one would have been sent is forgotten, too. */
		if (i < first && !commands[i]->waits)
			continue;
		shk_command_reset(commands[i]);
		fail_command(commands[i], err->status, err);
	}
}

static void replace_current(struct shk_state *state, struct shk_world *world, uint64_t seq)
{
	struct shk_edition *old = state->current;

	state->current = shk_world_publish(world, seq);
	shk_edition_unref(old);
}

static void ledger_failed(struct shk_state *state, const struct shk_error *err)
{
	struct shk_world world;

	state->ledger_down = true;
	state->needs_reopen = err->status != SHK_E_FULL;
	shk_world_begin(&world, state->current);
	shk_world_not_ready(&world, SHK_CAUSE_LEDGER);
	replace_current(state, &world, state->current->shown.view.ledger_seq);
}

static void settle_success(struct shk_step *step)
{
	if (!step->world.changed && !step->writing)
		return;
	/* Without a transaction there may not even be a ledger. */
	replace_current(step->state, &step->world,
			step->writing ? shk_ledger_seq(step->env->ledger)
				      : step->state->current->shown.view.ledger_seq);
}

/* Commands that stand or fall together. */
struct batch {
	struct shk_command *const *commands;
	size_t n;
	bool writes_nothing;
};

/* What a failed batch leaves of its effects: nothing. */
static void forget(struct shk_step_effects *effects, const struct shk_step_effects *before)
{
	effects->n_ended = before->n_ended;
	effects->n_ops = before->n_ops;
	effects->n_notes = before->n_notes;
}

/* Of several commands one's own write was refused: they are to run again, each by itself. */
static bool is_to_be_split(const struct batch *batch, enum shk_status status)
{
	return shk_state_is_refusal(status) && batch->n > 1;
}

/* at: the command that was running. */
static void fail_batch(struct shk_state *state, const struct batch *batch, size_t at,
		       const struct shk_error *err, struct shk_step_effects *effects)
{
	if (is_to_be_split(batch, err->status))
		return;
	fail_from_first_change(batch->commands, batch->n, at, err);
	if (!shk_state_is_refusal(err->status)) {
		effects->failure = *err;
		ledger_failed(state, err);
	} else if (shk_command_is_news(batch->commands[0])) {
		effects->refusal = *err;
	}
}

static enum shk_status run_batch(struct shk_state *state, const struct shk_env *env,
				 const struct batch *batch, struct shk_step_effects *effects)
{
	struct shk_step step = {.state = state,
				.env = env,
				.effects = effects,
				.writes_nothing = batch->writes_nothing};
	const struct shk_step_effects before = *effects;
	enum shk_status status;
	struct shk_error err;
	size_t at = 0;

	shk_arena_init(&step.arena, 0);
	shk_world_begin(&step.world, state->current);
	if (batch->writes_nothing && !state->ledger_down)
		shk_world_not_ready(&step.world, shk_live_cause(state->live));
	status = run_all(&step, batch->commands, batch->n, &at, &err);
	if (!status && step.writing)
		status = commit(&step, &err);
	if (!status) {
		settle_success(&step);
	} else {
		if (step.writing)
			shk_ledger_rollback(env->ledger);
		forget(effects, &before);
		fail_batch(state, batch, at, &err, effects);
	}
	shk_world_drop(&step.world);
	shk_arena_fini(&step.arena);
	return status;
}

/* News of a batch that failed: what they say of the cluster is so, and what would be written of it
 * is owed, whatever of it the first run seemed to have done. Without writing nothing can fail. */
static void take_news(struct shk_state *state, const struct shk_env *env, const struct batch *batch,
		      struct shk_step_effects *effects)
{
	for (size_t i = 0; i < batch->n; i++) {
		const struct batch one = {&batch->commands[i], 1, true};

		if (!shk_command_is_news(batch->commands[i]))
			continue;
		state->live->owes = true;
		(void)run_batch(state, env, &one, effects);
	}
}

void shk_state_step(struct shk_state *state, const struct shk_env *env,
		    struct shk_command *const *commands, size_t n, struct shk_step_effects *effects)
{
	const struct batch all = {commands, n, false};
	enum shk_status status = run_batch(state, env, &all, effects);

	if (!is_to_be_split(&all, status)) {
		if (status)
			take_news(state, env, &all, effects);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct batch one = {&commands[i], 1, false};

		if (run_batch(state, env, &one, effects))
			take_news(state, env, &one, effects);
	}
}

/* --- after a failure ------------------------------------------------------------------------ */

static void make_ready(struct shk_state *state, struct shk_world *world, uint64_t seq)
{
	state->ledger_down = false;
	state->needs_reopen = false;
	shk_world_not_ready(world, state->live ? shk_live_cause(state->live) : NULL);
	replace_current(state, world, seq);
}

static enum shk_status write_probe(const struct shk_env *env, struct shk_error *err)
{
	const struct shk_ledger_audit row = {
	    .actor = "shikirid",
	    .source = "",
	    .verb = "recover",
	    .object = "Ledger",
	    .request_id = "",
	    .reason = "the ledger can be written again",
	};
	enum shk_status status = shk_ledger_begin(env->ledger, env->now_s, err);

	if (status)
		return status;
	status = shk_ledger_audit(env->ledger, &row, err);
	if (!status)
		status = env->commit(env->ledger, err);
	if (status)
		shk_ledger_rollback(env->ledger);
	return status;
}

enum shk_status shk_state_probe(struct shk_state *state, const struct shk_env *env,
				struct shk_error *err)
{
	enum shk_status status = write_probe(env, err);
	struct shk_world world;

	if (status) {
		state->needs_reopen = status != SHK_E_FULL;
		return status;
	}
	shk_world_begin(&world, state->current);
	make_ready(state, &world, shk_ledger_seq(env->ledger));
	return SHK_OK;
}

/* The rows anew, against the pods as the world has them. */
static enum shk_status reconcile(struct shk_state *state, const struct shk_env *env,
				 struct shk_world *world, struct shk_reconcile_report *report,
				 struct shk_error *err)
{
	enum shk_status status;

	shk_world_alloc_clear(world);
	status = shk_reconcile_allocs(world, env, state->live != NULL, report, err);
	if (status || !state->live)
		return status;
	state->live->reconciled = true;
	state->live->reviewed = false;
	state->live->owes = false;
	return SHK_OK;
}

enum shk_status shk_state_reconcile(struct shk_state *state, const struct shk_env *env,
				    struct shk_reconcile_report *ret_report, struct shk_error *err)
{
	struct shk_reconcile_report report = {0};
	struct shk_world world;
	enum shk_status status;

	shk_world_begin(&world, state->current);
	status = reconcile(state, env, &world, &report, err);
	if (!status) {
		shk_world_not_ready(&world, shk_live_cause(state->live));
		replace_current(state, &world, shk_ledger_seq(env->ledger));
		*ret_report = report;
	}
	shk_world_drop(&world);
	if (status && !shk_state_is_refusal(status))
		ledger_failed(state, err);
	return status;
}

enum shk_status shk_state_recover(struct shk_state *state, const struct shk_env *env,
				  struct shk_error *err)
{
	struct shk_reconcile_report report = {0};
	struct shk_world world;
	enum shk_status status = write_probe(env, err);

	if (status)
		return status;
	shk_world_begin(&world, state->current);
	status = shk_reconcile_rules(&world, env->ledger, err);
	if (!status && (!state->live || state->live->reconciled))
		status = reconcile(state, env, &world, &report, err);
	if (!status)
		make_ready(state, &world, shk_ledger_seq(env->ledger));
	shk_world_drop(&world);
	return status;
}
