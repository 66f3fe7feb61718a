#include "bind.h"

#include <assert.h>
#include <string.h>

#include "shikiri/base/failpoint.h"

/* The reservation was durable before the POST went out; what may be concluded from an answer
 * depends on whether every earlier POST has had one. While all have, the row is reserved. Once one
 * was lost, it is unknown, and stays until the API server shows the pod assigned, or unassigned
 * after a write of ours that moved its resourceVersion: no late POST carries the new one. */

#define MOST_POSTS 2 /* a stale resourceVersion is worth one more */

/* --- asking the API server -------------------------------------------------------------------- */

static struct shk_op *send(struct shk_step *step, const struct shk_bind_ask *ask,
			   enum shk_binding_phase phase, enum shk_kube_verb verb)
{
	struct shk_op *op = shk_step_op(step, SHK_OP_SEND, ask->args);

	op->phase = phase;
	op->command = ask->command;
	op->request = (struct shk_kube_request){
	    .verb = verb,
	    .namespace_ = op->args.namespace_,
	    .name = op->args.name,
	    .uid = op->args.uid,
	};
	if (ask->command)
		ask->command->waits = true;
	return op;
}

/* What the pod is told of its place; sorted by key. */
static struct shk_labels annotations(struct shk_step *step, const struct shk_alloc *alloc)
{
	struct shk_arena *arena = &step->effects->arena;
	struct shk_pair *pairs = SHK_NEW_ARRAY(arena, 4, struct shk_pair);
	struct shk_buf place = {0};

	shk_buf_printf(&place, "v1;%llu.%llu;%s;",
		       (unsigned long long)shk_ledger_epoch(step->env->ledger),
		       (unsigned long long)alloc->seq, alloc->node);
	for (size_t i = 0; i < alloc->resources.n; i++)
		shk_buf_printf(&place, "%s%s=%lld", i > 0 ? "," : "",
			       alloc->resources.items[i].resource,
			       (long long)alloc->resources.items[i].count);
	pairs[0] = (struct shk_pair){"shikiri.dev/allocation", shk_arena_strdup(arena, place.data)};
	pairs[1] = (struct shk_pair){"shikiri.dev/isolation-class",
				     shk_isolation_class_name(alloc->isolation)};
	pairs[2] =
	    (struct shk_pair){"shikiri.dev/quota-class", shk_quota_class_name(alloc->quota_class)};
	pairs[3] = (struct shk_pair){"shikiri.dev/tenant", shk_arena_strdup(arena, alloc->tenant)};
	shk_buf_fini(&place);
	return (struct shk_labels){pairs, 4};
}

void shk_bind_post(struct shk_step *step, const struct shk_bind_ask *ask,
		   const struct shk_pod_object *pod, const struct shk_alloc *alloc)
{
	struct shk_op *op = send(step, ask, SHK_BINDING_POSTING, SHK_KUBE_BIND);

	op->is_plain = !alloc;
	op->request.node = op->args.node;
	if (pod->pod.resource_version)
		op->request.resource_version =
		    shk_arena_strdup(&step->effects->arena, pod->pod.resource_version);
	if (alloc)
		op->request.annotations = annotations(step, alloc);
}

static struct shk_op *check(struct shk_step *step, const struct shk_bind_ask *ask)
{
	return send(step, ask, SHK_BINDING_CHECKING, SHK_KUBE_GET_POD);
}

enum shk_status shk_bind_reserve(struct shk_step *step, const struct shk_bind_ask *ask,
				 const struct shk_pod_object *pod, struct shk_alloc *alloc,
				 struct shk_error *err)
{
	enum shk_status status;

	shk_failpoint("bind-decided");
	alloc->state = SHK_ALLOC_RESERVED;
	status = shk_bind_add_row(step, alloc, err);
	if (status)
		return status;
	if (ask->command)
		ask->command->changed = true;
	shk_step_end_hold(step, ask->args->uid);
	shk_bind_post(step, ask, pod, alloc);
	shk_failpoint("bind-reserved");
	return SHK_OK;
}

/* --- somebody asks --------------------------------------------------------------------------- */

static void join(struct shk_step *step, const struct shk_bind_ask *ask)
{
	shk_step_op(step, SHK_OP_JOIN, ask->args)->command = ask->command;
	ask->command->waits = true;
}

/* true: a conversation about the pod is under way, and the asker was told or waits. */
static bool join_under_way(struct shk_step *step, const struct shk_bind_ask *ask)
{
	const struct shk_binding *binding =
	    shk_bindings_find(&step->state->live->bindings, ask->args->uid);
	const struct shk_op *op = shk_step_op_of(step, ask->args->uid);
	const char *node = op ? op->args.node : NULL;

	if (op && op->kind != SHK_OP_SEND && op->kind != SHK_OP_JOIN)
		return false;
	if (!op && binding && binding->phase != SHK_BINDING_RESTING)
		node = binding->args.node;
	if (!node)
		return false;
	if (strcmp(node, ask->args->node) == 0)
		join(step, ask);
	else
		shk_bind_refuse(step, ask, SHK_BIND_IN_PROGRESS);
	return true;
}

/* The pod has a row: it goes where the row says, or has gone there already. */
static void ask_again(struct shk_step *step, const struct shk_bind_ask *ask,
		      const struct shk_alloc *row)
{
	const struct shk_pod_object *pod = shk_edition_pod(step->world.next, row->uid);

	if (strcmp(row->namespace_, ask->args->namespace_) != 0 ||
	    strcmp(row->name, ask->args->name) != 0)
		shk_bind_refuse(step, ask, SHK_BIND_UID_MISMATCH);
	else if (shk_live_lingers(step->state->live, row->uid))
		shk_bind_refuse(step, ask, SHK_BIND_POD_GONE);
	else if (strcmp(row->node, ask->args->node) != 0)
		shk_bind_refuse(step, ask,
				shk_alloc_is_confirmed(row) ? SHK_BIND_ALREADY_BOUND
							    : SHK_BIND_IN_PROGRESS);
	else if (shk_alloc_is_confirmed(row))
		shk_bind_succeed(step, ask);
	else if (join_under_way(step, ask))
		return;
	else if (step->state->ledger_down)
		shk_bind_refuse(step, ask, SHK_BIND_LEDGER_UNAVAILABLE);
	else if (pod && !pod->pod.node_name)
		shk_bind_post(step, ask, pod, row);
	else
		(void)check(step, ask);
}

enum shk_status shk_bind_live(struct shk_step *step, const struct shk_bind_ask *ask,
			      struct shk_error *err)
{
	const struct shk_alloc_object *row = shk_edition_alloc(step->world.next, ask->args->uid);
	const struct shk_pod_object *pod = shk_edition_pod(step->world.next, ask->args->uid);

	shk_failpoint("bind-received");
	if (row) {
		ask_again(step, ask, &row->alloc);
		return SHK_OK;
	}
	if (join_under_way(step, ask))
		return SHK_OK;
	if (pod)
		return shk_bind_pod(step, ask, pod, err);
	if (shk_live_is_buried(step->state->live, ask->args->uid)) {
		shk_bind_refuse(step, ask, SHK_BIND_POD_GONE);
		return SHK_OK;
	}
	(void)send(step, ask, SHK_BINDING_LOOKING, SHK_KUBE_GET_POD);
	return SHK_OK;
}

/* --- the API server answers ------------------------------------------------------------------ */

/* One answer, with what it is about. */
struct turn {
	struct shk_step *step;
	const struct shk_kube_reply *reply;
	const struct shk_binding *binding;
	struct shk_bind_ask ask;
	const struct shk_alloc *row; /* NULL: none, or a plain pod */
};

static void end(const struct turn *turn, enum shk_bind_refusal refusal)
{
	const struct shk_bind_end said =
	    shk_bind_refusal_end(turn->step, refusal, turn->reply->message);

	shk_bind_tell(turn->step, &turn->ask, &said);
}

/* Nothing is known for sure. A row stays, and is looked after later. */
static void rest(const struct turn *turn)
{
	struct shk_op *op;

	if (!turn->row || shk_alloc_is_confirmed(turn->row)) {
		end(turn, SHK_BIND_API_UNCERTAIN);
		return;
	}
	op = shk_step_op(turn->step, SHK_OP_REST, turn->ask.args);
	op->end = shk_bind_refusal_end(turn->step, SHK_BIND_API_UNCERTAIN, turn->reply->message);
	op->resolve_ms = turn->step->env->now_ms + 2 * shk_step_timeout_ms(turn->step);
}

/* Whether a POST that was sent may still reach the pod. */
static bool may_land(const struct turn *turn)
{
	return turn->row && (turn->row->state == SHK_ALLOC_UNKNOWN || turn->binding->may_land);
}

/* Every POST was answered and none bound the pod: the row may go. Else only rest helps. */
static enum shk_status give_up(const struct turn *turn, enum shk_bind_refusal refusal,
			       struct shk_error *err)
{
	if (may_land(turn)) {
		rest(turn);
		return SHK_OK;
	}
	end(turn, refusal);
	if (!turn->row || shk_alloc_is_confirmed(turn->row))
		return SHK_OK;
	return shk_step_alloc_end(turn->step, turn->row, "voided", err);
}

/* The answer to a POST is lost, which the row can't say while the ledger fails. */
static enum shk_status lose(const struct turn *turn, struct shk_error *err)
{
	check(turn->step, &turn->ask)->may_land = true;
	if (turn->row && turn->row->state == SHK_ALLOC_RESERVED)
		return shk_step_alloc_move(turn->step, turn->row, SHK_ALLOC_UNKNOWN, err);
	return SHK_OK;
}

/* The API server says that the pod is on the node. */
static enum shk_status succeed(const struct turn *turn, struct shk_error *err)
{
	struct shk_step *step = turn->step;
	const struct shk_pod_object *pod = shk_edition_pod(step->world.next, turn->ask.args->uid);
	struct shk_pod_object *bound;

	shk_failpoint("bind-replied");
	/* Bound, but not in the books as such: who asks again is answered when it is. */
	if (turn->row && step->state->ledger_down)
		shk_bind_refuse(step, &turn->ask, SHK_BIND_LEDGER_UNAVAILABLE);
	else
		shk_bind_succeed(step, &turn->ask);
	if (pod && !pod->pod.node_name) {
		bound = shk_pod_object_bound(pod, turn->ask.args->node);
		shk_world_pod(&step->world, bound);
		shk_object_unref(&bound->head);
	}
	return turn->row ? shk_step_confirm(step, turn->row, err) : SHK_OK;
}

/* The pod is gone from the API server, or another one has its name. */
static enum shk_status pod_is_gone(const struct turn *turn, struct shk_error *err)
{
	end(turn, SHK_BIND_POD_GONE);
	if (!turn->row || shk_alloc_is_confirmed(turn->row))
		return SHK_OK;
	if (!may_land(turn))
		return shk_step_alloc_end(turn->step, turn->row, "voided", err);
	shk_live_linger(turn->step->state->live, turn->row, turn->step->env->now_ms);
	return SHK_OK;
}

/* It is unassigned, and somebody waits: another POST with the version it has now. */
static bool post_again(const struct turn *turn)
{
	const struct shk_pod_object *pod =
	    shk_edition_pod(turn->step->world.next, turn->ask.args->uid);

	if (!pod || pod->pod.node_name || !turn->binding->waiters ||
	    turn->binding->posts >= MOST_POSTS || (!turn->row && !turn->binding->is_plain) ||
	    turn->step->state->ledger_down)
		return false;
	shk_bind_post(turn->step, &turn->ask, pod, turn->row);
	return true;
}

/* What a fresh read or a write of ours shows of the pod. The world knows it by now. */
static enum shk_status unassigned(const struct turn *turn, struct shk_error *err)
{
	const struct shk_pod *pod = turn->reply->pod;

	if (pod->deleting)
		return give_up(turn, SHK_BIND_POD_GONE, err);
	if (pod->gated)
		return give_up(turn, SHK_BIND_POD_GATED, err);
	if (post_again(turn))
		return SHK_OK;
	return give_up(turn, SHK_BIND_API_REFUSED, err);
}

/* The API server says where the pod is, and no row of ours has made anything of it. */
static void tell_place(const struct turn *turn)
{
	if (strcmp(turn->reply->pod->node_name, turn->ask.args->node) == 0)
		shk_bind_succeed(turn->step, &turn->ask);
	else
		shk_bind_refuse(turn->step, &turn->ask, SHK_BIND_ALREADY_BOUND);
}

/* Takes what the reply shows of the pod into the world, which also settles a row that it decides.
 * SHK_OK and *ret_open: the pod is there and unassigned. */
static enum shk_status take_pod(const struct turn *turn, bool *ret_open, struct shk_error *err)
{
	const struct shk_pod *pod = turn->reply->pod;
	enum shk_status status;

	*ret_open = false;
	if (strcmp(pod->uid, turn->ask.args->uid) != 0)
		return pod_is_gone(turn, err);
	status = shk_pod_replied(turn->step, pod, err);
	if (status || shk_step_op_of(turn->step, pod->uid))
		return status;
	if (shk_pod_is_ended(pod))
		end(turn, SHK_BIND_POD_GONE);
	else if (pod->node_name)
		tell_place(turn);
	else
		*ret_open = true;
	return SHK_OK;
}

/* --- by phase -------------------------------------------------------------------------------- */

static enum shk_status looked(const struct turn *turn, struct shk_error *err)
{
	const struct shk_pod *pod = turn->reply->pod;
	const struct shk_pod_object *known;
	enum shk_status status;

	if (turn->reply->outcome == SHK_KUBE_NOT_FOUND) {
		end(turn, SHK_BIND_POD_UNKNOWN);
		return SHK_OK;
	}
	if (turn->reply->outcome != SHK_KUBE_OK || !pod) {
		end(turn, SHK_BIND_API_UNCERTAIN);
		return SHK_OK;
	}
	if (strcmp(pod->uid, turn->ask.args->uid) != 0) {
		end(turn, SHK_BIND_UID_MISMATCH);
		return SHK_OK;
	}
	status = shk_pod_replied(turn->step, pod, err);
	if (status || shk_step_op_of(turn->step, pod->uid))
		return status; /* that it is assigned has ended the Binding already */
	known = shk_edition_pod(turn->step->world.next, pod->uid);
	if (known)
		return shk_bind_pod(turn->step, &turn->ask, known, err);
	end(turn, SHK_BIND_POD_GONE); /* the watch has buried it meanwhile */
	return SHK_OK;
}

static enum shk_status posted(const struct turn *turn, struct shk_error *err)
{
	switch (turn->reply->outcome) {
	case SHK_KUBE_OK:
		return succeed(turn, err);
	case SHK_KUBE_CONFLICT:
		(void)check(turn->step, &turn->ask);
		return SHK_OK;
	case SHK_KUBE_NOT_FOUND:
		return pod_is_gone(turn, err);
	case SHK_KUBE_REFUSED:
		return give_up(turn, SHK_BIND_API_REFUSED, err);
	case SHK_KUBE_UNSENT:
		return give_up(turn, SHK_BIND_API_UNCERTAIN, err);
	case SHK_KUBE_LOST:
		break;
	}
	return lose(turn, err);
}

static enum shk_status checked(const struct turn *turn, struct shk_error *err)
{
	enum shk_status status;
	bool is_open;

	if (turn->reply->outcome == SHK_KUBE_NOT_FOUND)
		return pod_is_gone(turn, err);
	if (turn->reply->outcome != SHK_KUBE_OK || !turn->reply->pod) {
		rest(turn);
		return SHK_OK;
	}
	status = take_pod(turn, &is_open, err);
	if (status || !is_open)
		return status;
	return unassigned(turn, err);
}

/* No POST that was sent before can land any more, and the pod is unassigned. */
static enum shk_status take_back(const struct turn *turn, struct shk_error *err)
{
	end(turn, SHK_BIND_API_REFUSED);
	if (!turn->row || shk_alloc_is_confirmed(turn->row))
		return SHK_OK;
	shk_step_note(turn->step, SHK_NOTE_VOIDED, turn->row, "the pod is still unassigned");
	return shk_step_alloc_end(turn->step, turn->row, "voided", err);
}

/* The resourceVersion has moved, if the write was taken. A conflict says that the pod is busy, or
 * that another one has its name: a read tells. */
static enum shk_status touched(const struct turn *turn, struct shk_error *err)
{
	enum shk_kube_outcome outcome = turn->reply->outcome;
	enum shk_status status;
	bool is_open;

	if (outcome == SHK_KUBE_NOT_FOUND)
		return pod_is_gone(turn, err);
	if (outcome == SHK_KUBE_CONFLICT) {
		(void)check(turn->step, &turn->ask);
		return SHK_OK;
	}
	if (outcome == SHK_KUBE_REFUSED && turn->row)
		shk_step_note(turn->step, SHK_NOTE_UNRESOLVED, turn->row, turn->reply->message);
	if (outcome != SHK_KUBE_OK || !turn->reply->pod) {
		rest(turn);
		return SHK_OK;
	}
	status = take_pod(turn, &is_open, err);
	if (status || !is_open || post_again(turn))
		return status;
	return take_back(turn, err);
}

static enum shk_status take_turn(const struct turn *turn, struct shk_error *err)
{
	switch (turn->binding->phase) {
	case SHK_BINDING_LOOKING:
		return looked(turn, err);
	case SHK_BINDING_POSTING:
		return posted(turn, err);
	case SHK_BINDING_CHECKING:
		return checked(turn, err);
	case SHK_BINDING_TOUCHING:
		return touched(turn, err);
	case SHK_BINDING_NONE:
	case SHK_BINDING_RESTING:
		break;
	}
	return SHK_OK;
}

enum shk_status shk_reply_run(struct shk_step *step, struct shk_command *command,
			      struct shk_error *err)
{
	const struct shk_binding *binding =
	    shk_bindings_asked(&step->state->live->bindings, command->reply.id);
	struct turn turn = {.step = step, .reply = &command->reply, .binding = binding};
	const struct shk_alloc_object *row;
	enum shk_status status;

	if (!binding)
		return SHK_OK; /* decided by the watch meanwhile */
	turn.ask.args = &binding->args;
	row = shk_edition_alloc(step->world.next, binding->args.uid);
	turn.row = row ? &row->alloc : NULL;
	status = take_turn(&turn, err);
	/* Nothing is under way for it any more, so something has to become of it. */
	assert(status || shk_step_op_of(step, binding->args.uid));
	return status;
}
