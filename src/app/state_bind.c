#include "bind.h"

#include <string.h>

#include "shikiri/core/decide.h"

static bool names_match(const struct shk_bind_args *args, const struct shk_pod *pod)
{
	return strcmp(args->namespace_, pod->namespace_) == 0 && strcmp(args->name, pod->name) == 0;
}

/* --- telling -------------------------------------------------------------------------------- */

void shk_bind_tell(struct shk_step *step, const struct shk_bind_ask *ask,
		   const struct shk_bind_end *end)
{
	if (ask->command)
		shk_command_end_bind(ask->command, end->text, end->code, end->reason);
	else
		shk_step_op(step, SHK_OP_END, ask->args)->end = *end;
}

struct shk_bind_end shk_bind_refusal_end(struct shk_step *step, enum shk_bind_refusal refusal,
					 const char *detail)
{
	const char *code = shk_bind_refusal_code(refusal);
	const char *text =
	    shk_arena_printf(&step->effects->arena, "%s: %s%s%.200s", code,
			     shk_bind_refusal_sentence(refusal), *detail ? ": " : "", detail);

	return (struct shk_bind_end){.text = text, .code = code};
}

void shk_bind_refuse(struct shk_step *step, const struct shk_bind_ask *ask,
		     enum shk_bind_refusal refusal)
{
	const struct shk_bind_end end = shk_bind_refusal_end(step, refusal, "");

	shk_bind_tell(step, ask, &end);
}

static void refuse_reason(struct shk_step *step, const struct shk_bind_ask *ask,
			  enum shk_reason reason, const char *subject)
{
	char text[SHK_REASON_TEXT_SIZE];
	const struct shk_bind_end end = {
	    .text = shk_arena_strdup(&step->effects->arena, shk_reason_text(reason, subject, text)),
	    .reason = reason,
	};

	shk_bind_tell(step, ask, &end);
}

void shk_bind_succeed(struct shk_step *step, const struct shk_bind_ask *ask)
{
	const struct shk_bind_end end = {.text = "", .reason = SHK_FITS};

	shk_step_end_hold(step, ask->args->uid);
	shk_bind_tell(step, ask, &end);
}

/* --- the emulated cluster --------------------------------------------------------------------- */

/* It has the pod Running as soon as we commit. */
static void place(struct shk_step *step, const struct shk_bind_ask *ask,
		  const struct shk_pod_object *pod)
{
	struct shk_pod_object *bound = shk_pod_object_bound(pod, ask->args->node);

	shk_world_pod(&step->world, bound);
	shk_object_unref(&bound->head);
	ask->command->changed = true;
	shk_bind_succeed(step, ask);
}

static enum shk_status grant_emulated(struct shk_step *step, const struct shk_bind_ask *ask,
				      const struct shk_pod_object *pod, struct shk_alloc *alloc,
				      struct shk_error *err)
{
	enum shk_status status;

	alloc->state = SHK_ALLOC_BOUND;
	status = shk_bind_add_row(step, alloc, err);
	if (!status)
		place(step, ask, pod);
	return status;
}

/* --- deciding --------------------------------------------------------------------------------- */

enum shk_status shk_bind_add_row(struct shk_step *step, struct shk_alloc *alloc,
				 struct shk_error *err)
{
	struct shk_alloc_object *object;
	enum shk_status status;

	alloc->since_s = step->env->now_s;
	status = shk_step_write(step, err);
	if (!status)
		status = shk_ledger_alloc_add(step->env->ledger, alloc, &alloc->seq, err);
	if (status)
		return status;
	object = shk_alloc_object_new(alloc);
	shk_world_alloc(&step->world, object);
	shk_object_unref(&object->head);
	return SHK_OK;
}

static enum shk_status decide(struct shk_step *step, const struct shk_bind_ask *ask,
			      const struct shk_pod_object *pod, struct shk_error *err)
{
	const struct shk_view *view = shk_world_settle(&step->world);
	const struct shk_moment moment = {.now_s = step->env->now_s};
	struct shk_candidate candidate = {
	    .name = ask->args->node,
	    .node = shk_view_node(view, ask->args->node),
	};
	struct shk_decision decision;
	struct shk_alloc alloc;
	struct shk_claim claim;

	shk_claim_build(&pod->pod, view->priority_classes, view->n_priority_classes, &step->arena,
			&claim);

	const struct shk_question question = {.claim = &claim, .candidates = &candidate, .n = 1};

	shk_decide(view, &moment, &question, &step->arena, &decision);
	if (decision.n_feasible == 0) {
		refuse_reason(step, ask, decision.verdicts[0].reason, decision.verdicts[0].subject);
		return SHK_OK;
	}
	shk_alloc_make(&decision, &claim, candidate.node, &decision.verdicts[0], &alloc);
	return step->state->live ? shk_bind_reserve(step, ask, pod, &alloc, err)
				 : grant_emulated(step, ask, pod, &alloc, err);
}

/* No row, no quota: the scheduler only sends them because its managedResources are empty. */
static void bind_plainly(struct shk_step *step, const struct shk_bind_ask *ask,
			 const struct shk_pod_object *pod)
{
	bool listed = !step->state->live || step->state->live->reconciled;

	if (listed && shk_edition_node_index(step->world.next, ask->args->node) < 0)
		refuse_reason(step, ask, SHK_REASON_NODE_UNKNOWN, NULL);
	else if (step->state->live)
		shk_bind_post(step, ask, pod, NULL);
	else
		place(step, ask, pod);
}

/* SHK_BIND_REFUSAL_COUNT: nothing speaks against it. */
static enum shk_bind_refusal refusal_of(const struct shk_bind_args *args,
					const struct shk_pod_object *pod)
{
	if (!names_match(args, &pod->pod))
		return SHK_BIND_UID_MISMATCH;
	if (shk_pod_object_is_ended(pod) || pod->pod.deleting)
		return SHK_BIND_POD_GONE;
	if (pod->pod.gated)
		return SHK_BIND_POD_GATED;
	if (pod->pod.node_name && strcmp(pod->pod.node_name, args->node) != 0)
		return SHK_BIND_ALREADY_BOUND;
	return SHK_BIND_REFUSAL_COUNT;
}

enum shk_status shk_bind_pod(struct shk_step *step, const struct shk_bind_ask *ask,
			     const struct shk_pod_object *pod, struct shk_error *err)
{
	enum shk_bind_refusal refusal = refusal_of(ask->args, pod);

	if (refusal != SHK_BIND_REFUSAL_COUNT) {
		shk_bind_refuse(step, ask, refusal);
		return SHK_OK;
	}
	if (pod->pod.node_name) {
		shk_bind_succeed(step, ask);
		return SHK_OK;
	}
	if (!pod->managed) {
		bind_plainly(step, ask, pod);
		return SHK_OK;
	}
	if (step->env->is_stale) {
		refuse_reason(step, ask, SHK_REASON_NOT_READY, SHK_CAUSE_STALE);
		return SHK_OK;
	}
	return decide(step, ask, pod, err);
}

enum shk_status shk_bind_run(struct shk_step *step, struct shk_command *command,
			     struct shk_error *err)
{
	const struct shk_bind_ask ask = {.args = &command->bind, .command = command};
	const struct shk_edition *edition = step->world.next;
	const struct shk_pod_object *pod = shk_edition_pod(edition, ask.args->uid);

	/* Advice changes nothing, whoever asks for it. */
	if (step->state->mode == SHK_MODE_ADVISE) {
		shk_bind_refuse(step, &ask, SHK_BIND_ADVISE_ONLY);
		return SHK_OK;
	}
	if (step->state->live)
		return shk_bind_live(step, &ask, err);
	if (pod)
		return shk_bind_pod(step, &ask, pod, err);
	shk_bind_refuse(step, &ask,
			shk_edition_pod_named(edition, ask.args->namespace_, ask.args->name)
			    ? SHK_BIND_UID_MISMATCH
			    : SHK_BIND_POD_UNKNOWN);
	return SHK_OK;
}
