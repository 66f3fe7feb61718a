#include "step.h"

#include <string.h>

#include "shikiri/core/decide.h"

/* Binding is one step here: the emulated cluster has the pod Running as soon as we commit. */

static bool names_match(const struct shk_bind_args *args, const struct shk_pod *pod)
{
	return strcmp(args->namespace_, pod->namespace_) == 0 && strcmp(args->name, pod->name) == 0;
}

/* Sets *ret_pod, or refuses. */
static bool find_pod(const struct shk_step *step, struct shk_command *command,
		     struct shk_pod_object **ret_pod)
{
	const struct shk_bind_args *args = &command->bind;
	const struct shk_edition *edition = step->world.next;
	struct shk_pod_object *pod = shk_edition_pod(edition, args->uid);
	enum shk_bind_refusal refusal;

	if (!pod)
		refusal = shk_edition_pod_named(edition, args->namespace_, args->name)
			      ? SHK_BIND_UID_MISMATCH
			      : SHK_BIND_POD_UNKNOWN;
	else if (!names_match(args, &pod->pod))
		refusal = SHK_BIND_UID_MISMATCH;
	else if (shk_pod_object_is_ended(pod) || pod->pod.deleting)
		refusal = SHK_BIND_POD_GONE;
	else if (pod->pod.gated)
		refusal = SHK_BIND_POD_GATED;
	else
		refusal = SHK_BIND_REFUSAL_COUNT;
	*ret_pod = pod;
	if (refusal != SHK_BIND_REFUSAL_COUNT)
		shk_command_refuse_bind(command, refusal);
	return refusal == SHK_BIND_REFUSAL_COUNT;
}

static void refuse_reason(struct shk_command *command, enum shk_reason reason, const char *subject)
{
	char text[SHK_REASON_TEXT_SIZE];

	command->reason = reason;
	shk_buf_puts(&command->result.body, shk_reason_text(reason, subject, text));
}

static void place(struct shk_step *step, struct shk_command *command,
		  const struct shk_pod_object *pod)
{
	struct shk_pod_object *bound = shk_pod_object_bound(pod, command->bind.node);

	shk_world_pod(&step->world, bound);
	shk_object_unref(&bound->head);
	command->changed = true;
	shk_step_end_hold(step, command->bind.uid);
}

/* No row, no quota: the scheduler only sends them because its managedResources are empty. */
static void bind_plainly(struct shk_step *step, struct shk_command *command,
			 const struct shk_pod_object *pod)
{
	if (shk_edition_node_index(step->world.next, command->bind.node) < 0)
		refuse_reason(command, SHK_REASON_NODE_UNKNOWN, NULL);
	else
		place(step, command, pod);
}

static enum shk_status grant(struct shk_step *step, struct shk_command *command,
			     const struct shk_pod_object *pod, struct shk_alloc *alloc,
			     struct shk_error *err)
{
	struct shk_alloc_object *object;
	enum shk_status status;

	alloc->state = SHK_ALLOC_BOUND;
	alloc->since_s = step->env->now_s;
	status = shk_step_write(step, err);
	if (!status)
		status = shk_ledger_alloc_add(step->env->ledger, alloc, &alloc->seq, err);
	if (status)
		return status;
	object = shk_alloc_object_new(alloc);
	shk_world_alloc(&step->world, object);
	shk_object_unref(&object->head);
	command->reason = SHK_FITS;
	place(step, command, pod);
	return SHK_OK;
}

static enum shk_status decide(struct shk_step *step, struct shk_command *command,
			      const struct shk_pod_object *pod, struct shk_error *err)
{
	const struct shk_view *view = shk_world_settle(&step->world);
	const struct shk_moment moment = {.now_s = step->env->now_s};
	struct shk_candidate candidate = {
	    .name = command->bind.node,
	    .node = shk_view_node(view, command->bind.node),
	};
	struct shk_decision decision;
	struct shk_alloc alloc;
	struct shk_claim claim;

	shk_claim_build(&pod->pod, view->priority_classes, view->n_priority_classes, &step->arena,
			&claim);

	const struct shk_question question = {.claim = &claim, .candidates = &candidate, .n = 1};

	shk_decide(view, &moment, &question, &step->arena, &decision);
	if (decision.n_feasible == 0) {
		refuse_reason(command, decision.verdicts[0].reason, decision.verdicts[0].subject);
		return SHK_OK;
	}
	shk_alloc_make(&decision, &claim, candidate.node, &decision.verdicts[0], &alloc);
	return grant(step, command, pod, &alloc, err);
}

enum shk_status shk_bind_run(struct shk_step *step, struct shk_command *command,
			     struct shk_error *err)
{
	struct shk_pod_object *pod;

	/* Advice changes nothing, whoever asks for it. */
	if (step->state->mode == SHK_MODE_ADVISE) {
		shk_command_refuse_bind(command, SHK_BIND_ADVISE_ONLY);
		return SHK_OK;
	}
	if (!find_pod(step, command, &pod))
		return SHK_OK;
	if (pod->pod.node_name) {
		if (strcmp(pod->pod.node_name, command->bind.node) != 0)
			shk_command_refuse_bind(command, SHK_BIND_ALREADY_BOUND);
		else
			shk_step_end_hold(step, command->bind.uid);
		return SHK_OK;
	}
	if (!pod->managed) {
		bind_plainly(step, command, pod);
		return SHK_OK;
	}
	return decide(step, command, pod, err);
}
