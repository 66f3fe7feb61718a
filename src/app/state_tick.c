#include "bind.h"
#include "nodes.h"

#include <stdlib.h>

/* --- Bindings -------------------------------------------------------------------------------- */

static bool is_due(const struct shk_binding *binding, int64_t now_ms)
{
	const struct shk_command *waiter = binding->waiters;

	while (waiter && waiter->until_ms > now_ms)
		waiter = waiter->next;
	return waiter != NULL;
}

static void tell_in_time(struct shk_step *step, const struct shk_binding *binding)
{
	struct shk_op *op;

	if (!is_due(binding, step->env->now_ms))
		return;
	op = shk_step_op(step, SHK_OP_TELL, &binding->args);
	op->end = shk_bind_refusal_end(step, SHK_BIND_API_UNCERTAIN, "");
}

/* Nobody asks for the row any more: it is ours to find out. The write moves the pod's version, and
 * its reply shows whether an earlier POST has landed; it also wakes the pod. */
static void resolve(struct shk_step *step, const struct shk_binding *binding)
{
	struct shk_op *op;

	if (binding->phase != SHK_BINDING_RESTING || binding->resolve_ms > step->env->now_ms ||
	    step->state->mode == SHK_MODE_ADVISE || step->state->ledger_down)
		return;
	op = shk_step_op(step, SHK_OP_SEND, &binding->args);
	op->phase = SHK_BINDING_TOUCHING;
	op->request = (struct shk_kube_request){
	    .verb = SHK_KUBE_TOUCH_POD,
	    .namespace_ = op->args.namespace_,
	    .name = op->args.name,
	    .uid = op->args.uid,
	    .reason = "BindingLost",
	    .message =
		shk_arena_printf(&step->effects->arena,
				 "the answer to a Binding was lost; looked again at %lld.%lld",
				 (long long)step->env->now_s, (long long)step->env->now_ms),
	};
}

/* --- pods that linger ------------------------------------------------------------------------ */

/* true: the time that it was given is over. */
static bool has_gone(struct shk_linger *linger, const struct shk_node *node, int64_t now_ms)
{
	if (!node)
		return true;
	if (!node->base->facts->ready) {
		linger->since_ms = -1;
		return false;
	}
	if (linger->since_ms < 0)
		linger->since_ms = now_ms;
	return now_ms - linger->since_ms >= linger->wait_ms;
}

static enum shk_status end_lingering(struct shk_step *step, struct shk_error *err)
{
	struct shk_linger *linger = step->state->live->lingers;
	enum shk_status status = SHK_OK;
	const struct shk_view *view;

	if (!linger)
		return SHK_OK;
	view = shk_world_settle(&step->world);
	while (linger && !status) {
		struct shk_linger *next = linger->next;
		const struct shk_alloc_object *row =
		    shk_edition_alloc(step->world.next, linger->uid);

		if (!row)
			shk_live_linger_end(step->state->live, linger->uid);
		else if (has_gone(linger, shk_view_node(view, linger->node), step->env->now_ms))
			status = shk_step_alloc_end(step, &row->alloc, "deleted", err);
		linger = next;
	}
	return status;
}

/* --- after the ledger was brought together with the cluster ---------------------------------- */

static enum shk_status review_row(struct shk_step *step, const struct shk_alloc *row,
				  struct shk_error *err)
{
	struct shk_live *live = step->state->live;

	if (!shk_edition_pod(step->world.next, row->uid)) {
		if (!shk_live_lingers(live, row->uid))
			shk_live_linger(live, row, step->env->now_ms);
		return SHK_OK;
	}
	if (shk_alloc_is_confirmed(row) || shk_bindings_find(&live->bindings, row->uid))
		return SHK_OK;
	shk_step_watch_row(step, row, step->env->now_ms);
	if (row->state == SHK_ALLOC_UNKNOWN)
		return SHK_OK;
	return shk_step_alloc_move(step, row, SHK_ALLOC_UNKNOWN, err);
}

static enum shk_status review(struct shk_step *step, struct shk_error *err)
{
	size_t n = step->world.next->allocs.n;
	struct shk_object **rows = shk_index_all(&step->world.next->allocs, &step->arena);
	enum shk_status status = SHK_OK;

	for (size_t i = 0; i < n && !status; i++)
		status = review_row(step, &((struct shk_alloc_object *)rows[i])->alloc, err);
	if (!status)
		step->state->live->reviewed = true;
	return status;
}

/* In advise mode nothing is written to the cluster, so open rows stay open and hold their place. */
static bool is_settled(const struct shk_step *step)
{
	const struct shk_binding *binding = step->state->live->bindings.first;

	while (binding && binding->phase != SHK_BINDING_RESTING &&
	       binding->phase != SHK_BINDING_TOUCHING)
		binding = binding->next;
	return !binding || step->state->mode == SHK_MODE_ADVISE;
}

/* Decisions begin once nothing of the last run is open. */
static void become_ready(struct shk_step *step)
{
	struct shk_live *live = step->state->live;

	if (live->ready || !live->reviewed || step->state->ledger_down || !is_settled(step))
		return;
	live->ready = true;
	shk_world_not_ready(&step->world, NULL);
}

enum shk_status shk_tick_run(struct shk_step *step, struct shk_error *err)
{
	const struct shk_binding *binding = step->state->live->bindings.first;
	enum shk_status status;

	become_ready(step);
	for (; binding; binding = binding->next) {
		tell_in_time(step, binding);
		resolve(step, binding);
	}
	shk_nodes_tick(step);
	status = end_lingering(step, err);
	if (!status && step->state->live->reconciled && !step->state->live->reviewed)
		status = review(step, err);
	return status;
}
