#include "bind.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/str.h"

/* --- what a pod's row makes of the news ------------------------------------------------------ */

/* Whoever waits for a Binding of the pod learns what the cluster shows. */
static void end_binding(struct shk_step *step, const struct shk_pod *pod, bool is_there)
{
	const struct shk_binding *binding =
	    shk_bindings_find(&step->state->live->bindings, pod->uid);
	struct shk_bind_ask ask;

	if (!binding)
		return;
	ask = (struct shk_bind_ask){.args = &binding->args};
	if (!is_there || shk_pod_is_ended(pod))
		shk_bind_refuse(step, &ask, SHK_BIND_POD_GONE);
	else if (strcmp(pod->node_name, binding->args.node) != 0)
		shk_bind_refuse(step, &ask, SHK_BIND_ALREADY_BOUND);
	else if (!binding->is_plain && step->state->ledger_down)
		shk_bind_refuse(step, &ask, SHK_BIND_LEDGER_UNAVAILABLE);
	else
		shk_bind_succeed(step, &ask);
}

static const char *end_cause(const struct shk_pod *pod)
{
	return pod->phase == SHK_PHASE_SUCCEEDED ? "succeeded" : "failed";
}

/* An open row has a Binding, or its pod lingers: somebody finds out what became of it. */
static void keep_asking(struct shk_step *step, const struct shk_alloc *row)
{
	if (!row || shk_alloc_is_confirmed(row) || shk_step_op_of(step, row->uid) ||
	    shk_bindings_find(&step->state->live->bindings, row->uid))
		return;
	shk_step_watch_row(step, row, step->env->now_ms + 2 * shk_step_timeout_ms(step));
}

/* What the cluster shows of a pod, against its row. */
static enum shk_status settle(struct shk_step *step, struct shk_pod_object *pod,
			      struct shk_error *err)
{
	const struct shk_alloc_object *found = shk_edition_alloc(step->world.next, pod->pod.uid);
	const struct shk_alloc *row = found ? &found->alloc : NULL;
	bool is_ended = shk_pod_object_is_ended(pod);
	enum shk_status status = SHK_OK;

	if (!is_ended && !pod->pod.node_name) {
		keep_asking(step, row);
		return SHK_OK;
	}
	end_binding(step, &pod->pod, true);
	shk_step_end_hold(step, pod->pod.uid);
	if (row && is_ended)
		return shk_step_alloc_end(step, row, end_cause(&pod->pod), err);
	if (row && strcmp(row->node, pod->pod.node_name) == 0)
		return shk_step_confirm(step, row, err);
	if (row)
		status = shk_step_alloc_end(step, row, "voided", err);
	if (!status && pod->countable && shk_pod_object_is_placed(pod))
		status = shk_step_adopt(step, pod, err);
	return status;
}

/* --- kubelet's refusals ---------------------------------------------------------------------- */

/* Reasons of a pod that kubelet didn't admit: what it found isn't what the node object says. */
static bool is_refusal(const struct shk_pod *pod)
{
	const char *reason = pod->phase_reason;

	return pod->phase == SHK_PHASE_FAILED && reason && pod->node_name &&
	       (shk_str_starts(reason, "OutOf") ||
		strcmp(reason, "UnexpectedAdmissionError") == 0 ||
		strcmp(reason, "TopologyAffinityError") == 0);
}

static void leave_alone(struct shk_step *step, const struct shk_pod *pod)
{
	const struct shk_alloc who = {.uid = pod->uid,
				      .namespace_ = pod->namespace_,
				      .name = pod->name,
				      .node = pod->node_name};

	(void)shk_timed_node_put(&step->state->live->resting, pod->node_name, step->env->now_ms);
	shk_world_mark(&step->world, SHK_MARK_RESTING, pod->node_name, true);
	shk_step_note(step, SHK_NOTE_KUBELET_REFUSED, &who, pod->phase_reason);
}

/* --- news ------------------------------------------------------------------------------------ */

bool shk_version_is_older(const char *version, const char *known)
{
	char *version_end;
	char *known_end;
	unsigned long long mine;
	unsigned long long theirs;

	if (!version || !known)
		return false;
	mine = strtoull(version, &version_end, 10);
	theirs = strtoull(known, &known_end, 10);
	return *version_end == '\0' && *known_end == '\0' && mine < theirs;
}

/* A StatefulSet makes its pods again under the same names. */
static enum shk_status end_namesake(struct shk_step *step, const struct shk_pod *pod,
				    struct shk_error *err)
{
	const struct shk_pod_object *namesake =
	    shk_edition_pod_named(step->world.next, pod->namespace_, pod->name);

	if (!namesake || strcmp(namesake->pod.uid, pod->uid) == 0)
		return SHK_OK;
	return shk_pod_vanished(step, namesake->pod.uid, err);
}

enum shk_status shk_pod_seen(struct shk_step *step, const struct shk_pod *pod,
			     struct shk_error *err)
{
	struct shk_live *live = step->state->live;
	const struct shk_pod_object *old = shk_edition_pod(step->world.next, pod->uid);
	bool was_ended = old && shk_pod_object_is_ended(old);
	struct shk_pod_object *object;
	enum shk_status status;

	if (shk_live_is_buried(live, pod->uid))
		return SHK_OK;
	status = end_namesake(step, pod, err);
	if (status)
		return status;
	object = shk_pod_object_new(pod);
	shk_world_pod(&step->world, object);
	shk_live_linger_end(live, pod->uid);
	/* What a first list shows of refusals may be hours old. */
	if (live->reconciled && object->managed && !was_ended && is_refusal(pod))
		leave_alone(step, pod);
	if (live->reconciled)
		status = settle(step, object, err);
	shk_object_unref(&object->head);
	return status;
}

enum shk_status shk_pod_replied(struct shk_step *step, const struct shk_pod *pod,
				struct shk_error *err)
{
	const struct shk_edition *edition = step->world.next;
	const struct shk_pod_object *old = shk_edition_pod(edition, pod->uid);

	/* Or a late read of the one that had the name before. */
	if (!old)
		old = shk_edition_pod_named(edition, pod->namespace_, pod->name);
	if (old && shk_version_is_older(pod->resource_version, old->pod.resource_version))
		return SHK_OK;
	return shk_pod_seen(step, pod, err);
}

/* Nobody saw it end: its processes may go on for as long as it was given, counted from when
 * somebody is there to stop them. */
static enum shk_status linger(struct shk_step *step, const struct shk_alloc *row,
			      struct shk_error *err)
{
	const struct shk_node *node = shk_view_node(shk_world_settle(&step->world), row->node);

	if (!node)
		return shk_step_alloc_end(step, row, "deleted", err);
	shk_live_linger(step->state->live, row, node->base->facts->ready ? step->env->now_ms : -1);
	shk_step_note(step, SHK_NOTE_LINGERS, row, "");
	return SHK_OK;
}

static enum shk_status release(struct shk_step *step, const struct shk_alloc *row,
			       const struct shk_pod *last, struct shk_error *err)
{
	if (last && shk_pod_is_ended(last))
		return shk_step_alloc_end(step, row, end_cause(last), err);
	if (last && !last->node_name && !shk_alloc_is_confirmed(row))
		return shk_step_alloc_end(step, row, "voided", err);
	return linger(step, row, err);
}

/* last NULL: nobody saw it. */
static enum shk_status pod_went(struct shk_step *step, const char *uid, const struct shk_pod *last,
				struct shk_error *err)
{
	struct shk_pod_object *pod = shk_edition_pod(step->world.next, uid);
	const struct shk_alloc_object *row;
	enum shk_status status = SHK_OK;

	shk_live_bury(step->state->live, uid);
	shk_step_end_hold(step, uid);
	if (last || pod)
		end_binding(step, last ? last : &pod->pod, false);
	row = shk_edition_alloc(step->world.next, uid);
	if (row && step->state->live->reconciled)
		status = release(step, &row->alloc, last, err);
	if (!status && pod)
		shk_world_pod_gone(&step->world, pod);
	return status;
}

enum shk_status shk_pod_deleted(struct shk_step *step, const struct shk_pod *last,
				struct shk_error *err)
{
	return pod_went(step, last->uid, last, err);
}

enum shk_status shk_pod_vanished(struct shk_step *step, const char *uid, struct shk_error *err)
{
	return pod_went(step, uid, NULL, err);
}
