#include "step.h"

#include <string.h>

#include "reconcile.h"

/* --- effects -------------------------------------------------------------------------------- */

void shk_step_effects_init(struct shk_step_effects *effects)
{
	*effects = (struct shk_step_effects){.n_ended = 0};
	shk_arena_init(&effects->arena, 0);
}

void shk_step_effects_fini(struct shk_step_effects *effects)
{
	shk_arena_fini(&effects->arena);
	*effects = (struct shk_step_effects){.n_ended = 0};
}

enum shk_status shk_step_write(struct shk_step *step, struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	if (!step->writing)
		status = shk_ledger_begin(step->env->ledger, step->env->now_s, err);
	if (!status)
		step->writing = true;
	return status;
}

bool shk_step_is_blocked(const struct shk_step *step, struct shk_command *command)
{
	if (step->state->ledger_down)
		shk_command_fail(command, SHK_E_UNAVAILABLE, "%s; nothing was changed",
				 SHK_CAUSE_LEDGER);
	return step->state->ledger_down;
}

/* The array with room for one more item. */
static void *grow(struct shk_arena *arena, void *items, size_t n, size_t *cap, size_t size)
{
	void *grown;

	if (n < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 16;
	grown = shk_arena_alloc(arena, *cap * size);
	if (n > 0)
		memcpy(grown, items, n * size);
	return grown;
}

void shk_step_end_hold(struct shk_step *step, const char *uid)
{
	struct shk_step_effects *effects = step->effects;

	effects->ended = grow(&effects->arena, effects->ended, effects->n_ended,
			      &effects->cap_ended, sizeof(const char *));
	effects->ended[effects->n_ended++] = shk_arena_strdup(&effects->arena, uid);
}

struct shk_op *shk_step_op(struct shk_step *step, enum shk_op_kind kind,
			   const struct shk_bind_args *args)
{
	struct shk_step_effects *effects = step->effects;
	struct shk_arena *arena = &effects->arena;
	struct shk_op *op;

	effects->ops =
	    grow(arena, effects->ops, effects->n_ops, &effects->cap_ops, sizeof *effects->ops);
	op = &effects->ops[effects->n_ops++];
	*op = (struct shk_op){
	    .kind = kind,
	    .args = {.name = shk_arena_strdup(arena, args->name),
		     .namespace_ = shk_arena_strdup(arena, args->namespace_),
		     .uid = shk_arena_strdup(arena, args->uid),
		     .node = shk_arena_strdup(arena, args->node)},
	};
	return op;
}

const struct shk_op *shk_step_op_of(const struct shk_step *step, const char *uid)
{
	const struct shk_step_effects *effects = step->effects;

	for (size_t i = effects->n_ops; i > 0; i--) {
		if (strcmp(effects->ops[i - 1].args.uid, uid) == 0)
			return &effects->ops[i - 1];
	}
	return NULL;
}

int64_t shk_step_timeout_ms(const struct shk_step *step)
{
	return step->world.next->policy->policy.bind_timeout_ms;
}

void shk_step_watch_row(struct shk_step *step, const struct shk_alloc *row, int64_t resolve_ms)
{
	const struct shk_bind_args args = {
	    .uid = row->uid, .namespace_ = row->namespace_, .name = row->name, .node = row->node};
	struct shk_op *op = shk_step_op(step, SHK_OP_REST, &args);

	/* Nobody waits for it yet. */
	op->end = (struct shk_bind_end){.text = "", .code = NULL};
	op->resolve_ms = resolve_ms;
	op->may_land = true;
}

void shk_step_note(struct shk_step *step, enum shk_note_kind kind, const struct shk_alloc *alloc,
		   const char *detail)
{
	struct shk_step_effects *effects = step->effects;
	struct shk_arena *arena = &effects->arena;

	effects->notes = grow(arena, effects->notes, effects->n_notes, &effects->cap_notes,
			      sizeof *effects->notes);
	effects->notes[effects->n_notes++] = (struct shk_note){
	    .kind = kind,
	    .namespace_ = shk_arena_strdup(arena, alloc->namespace_),
	    .pod = shk_arena_strdup(arena, alloc->name),
	    .uid = shk_arena_strdup(arena, alloc->uid),
	    .node = shk_arena_strdup(arena, alloc->node),
	    .detail = shk_arena_strdup(arena, detail),
	};
}

/* --- writing -------------------------------------------------------------------------------- */

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

enum shk_status shk_step_audit(struct shk_step *step, const struct shk_command *command,
			       const struct shk_ledger_audit *row, struct shk_error *err)
{
	struct shk_ledger_audit whole = *row;

	whole.actor = or_empty(command->caller.actor);
	whole.source = or_empty(command->caller.source);
	whole.request_id = or_empty(command->caller.request_id);
	whole.reason = or_empty(row->reason);
	return shk_ledger_audit(step->env->ledger, &whole, err);
}

/* --- allocations of a live cluster ---------------------------------------------------------- */

/* false: it can't be written now, and is owed. */
static bool can_write(struct shk_step *step)
{
	bool can = !step->state->ledger_down && !step->writes_nothing;

	if (!can)
		step->state->live->owes = true;
	return can;
}

enum shk_status shk_step_alloc_move(struct shk_step *step, const struct shk_alloc *alloc,
				    enum shk_alloc_state state, struct shk_error *err)
{
	enum shk_status status;

	if (!can_write(step))
		return SHK_OK;
	status = shk_step_write(step, err);
	if (!status)
		status = shk_ledger_alloc_move(step->env->ledger, alloc->uid, state, err);
	if (!status)
		shk_world_alloc_move(&step->world, alloc->uid, state);
	return status;
}

enum shk_status shk_step_alloc_end(struct shk_step *step, const struct shk_alloc *alloc,
				   const char *cause, struct shk_error *err)
{
	enum shk_status status;

	if (!can_write(step))
		return SHK_OK;
	status = shk_step_write(step, err);
	if (!status)
		status = shk_ledger_alloc_end(step->env->ledger, alloc->uid, cause, err);
	if (status)
		return status;
	(void)shk_world_alloc_end(&step->world, alloc->uid); /* it was there a moment ago */
	return SHK_OK;
}

static const char *describe(struct shk_step *step, const struct shk_alloc *alloc)
{
	struct shk_buf text = {0};
	const char *kept;

	for (size_t i = 0; i < alloc->resources.n; i++)
		shk_buf_printf(&text, "%s%lld %s", i > 0 ? ", " : "",
			       (long long)alloc->resources.items[i].count,
			       alloc->resources.items[i].resource);
	kept = shk_arena_strdup(&step->arena, text.data ? text.data : "");
	shk_buf_fini(&text);
	return kept;
}

enum shk_status shk_step_confirm(struct shk_step *step, const struct shk_alloc *alloc,
				 struct shk_error *err)
{
	if (shk_alloc_is_confirmed(alloc))
		return SHK_OK;
	if (!step->state->ledger_down)
		shk_step_note(step, SHK_NOTE_PLACED, alloc, describe(step, alloc));
	if (!step->state->ledger_down && alloc->quota_class == SHK_CLASS_BORROWED)
		shk_step_note(step, SHK_NOTE_BORROWING, alloc, describe(step, alloc));
	return shk_step_alloc_move(step, alloc, SHK_ALLOC_BOUND, err);
}

enum shk_status shk_step_adopt(struct shk_step *step, struct shk_pod_object *pod,
			       struct shk_error *err)
{
	const struct shk_alloc_object *adopted;
	enum shk_status status;

	if (!can_write(step))
		return SHK_OK;
	status = shk_step_write(step, err);
	if (!status)
		status = shk_reconcile_adopt(&step->world, step->env, pod, &step->arena, err);
	if (shk_state_is_refusal(status)) {
		const struct shk_alloc who = {.uid = pod->pod.uid,
					      .namespace_ = pod->pod.namespace_,
					      .name = pod->pod.name,
					      .node = pod->pod.node_name};

		shk_step_note(step, SHK_NOTE_UNCOUNTED, &who, err->text);
		return SHK_OK;
	}
	if (status)
		return status;
	adopted = shk_edition_alloc(step->world.next, pod->pod.uid);
	shk_step_note(step, SHK_NOTE_ADOPTED, &adopted->alloc, describe(step, &adopted->alloc));
	return SHK_OK;
}
