#include "bindings.h"

#include <stdlib.h>
#include <string.h>

struct shk_binding *shk_bindings_find(const struct shk_bindings *bindings, const char *uid)
{
	struct shk_binding *binding = bindings->first;

	while (binding && strcmp(binding->args.uid, uid) != 0)
		binding = binding->next;
	return binding;
}

struct shk_binding *shk_bindings_asked(const struct shk_bindings *bindings, uint64_t request)
{
	struct shk_binding *binding = bindings->first;

	while (binding && (request == 0 || binding->request != request))
		binding = binding->next;
	return binding;
}

static struct shk_binding *add(struct shk_bindings *bindings, const struct shk_op *op)
{
	struct shk_binding *binding = calloc(1, sizeof *binding);

	if (!binding)
		abort();
	shk_arena_init(&binding->arena, 512);
	binding->args = (struct shk_bind_args){
	    .name = shk_arena_strdup(&binding->arena, op->args.name),
	    .namespace_ = shk_arena_strdup(&binding->arena, op->args.namespace_),
	    .uid = shk_arena_strdup(&binding->arena, op->args.uid),
	    .node = shk_arena_strdup(&binding->arena, op->args.node),
	};
	binding->next = bindings->first;
	bindings->first = binding;
	bindings->n++;
	return binding;
}

static void drop(struct shk_bindings *bindings, struct shk_binding *binding)
{
	struct shk_binding **at = &bindings->first;

	while (*at != binding)
		at = &(*at)->next;
	*at = binding->next;
	bindings->n--;
	shk_arena_fini(&binding->arena);
	free(binding);
}

/* --- waiters -------------------------------------------------------------------------------- */

static void wait_for(struct shk_binding *binding, struct shk_command *command,
		     const struct shk_bindings_env *env)
{
	command->until_ms = env->now_ms + env->timeout_ms;
	command->next = binding->waiters;
	binding->waiters = command;
}

static void tell(struct shk_command *command, const struct shk_bind_end *end,
		 struct shk_command **answered)
{
	shk_command_end_bind(command, end->text, end->code, end->reason);
	command->next = *answered;
	*answered = command;
}

/* Those who have waited until now_ms; INT64_MAX: all. */
static void tell_waiters(struct shk_binding *binding, const struct shk_bind_end *end,
			 int64_t now_ms, struct shk_command **answered)
{
	struct shk_command **at = &binding->waiters;

	while (*at) {
		struct shk_command *command = *at;

		if (command->until_ms > now_ms) {
			at = &command->next;
			continue;
		}
		*at = command->next;
		tell(command, end, answered);
	}
}

/* --- ops ------------------------------------------------------------------------------------ */

static const struct shk_bind_end lost_sight = {
    .text = "ApiUncertain: the API server's answer is outstanding",
    .code = "ApiUncertain",
};

static void rest(struct shk_binding *binding, const struct shk_bind_end *end, int64_t resolve_ms,
		 struct shk_command **answered)
{
	tell_waiters(binding, end, INT64_MAX, answered);
	binding->phase = SHK_BINDING_RESTING;
	binding->request = 0;
	binding->posts = 0;
	binding->resolve_ms = resolve_ms;
}

static void send(struct shk_bindings *bindings, struct shk_binding *binding,
		 const struct shk_op *op, const struct shk_bindings_env *env,
		 struct shk_command **answered)
{
	struct shk_kube_request request = op->request;

	request.id = ++bindings->last_request;
	request.deadline_ms = env->now_ms + env->timeout_ms;
	binding->phase = op->phase;
	binding->request = request.id;
	if (op->phase == SHK_BINDING_POSTING) {
		binding->posts++;
		binding->is_plain = op->is_plain;
	}
	if (env->send(env->context, &request))
		return;
	if (op->phase != SHK_BINDING_LOOKING && !binding->is_plain) {
		rest(binding, &lost_sight, env->now_ms, answered);
		return;
	}
	tell_waiters(binding, &lost_sight, INT64_MAX, answered); /* there is no row to look after */
	drop(bindings, binding);
}

static void apply(struct shk_bindings *bindings, const struct shk_op *op,
		  const struct shk_bindings_env *env, struct shk_command **answered)
{
	struct shk_binding *binding = shk_bindings_find(bindings, op->args.uid);

	if (!binding && op->kind == SHK_OP_JOIN) {
		tell(op->command, &lost_sight, answered);
		return;
	}
	if (!binding && op->kind != SHK_OP_SEND && op->kind != SHK_OP_REST)
		return;
	if (!binding)
		binding = add(bindings, op);
	binding->may_land = binding->may_land || op->may_land;
	if (op->command)
		wait_for(binding, op->command, env);
	if (op->kind == SHK_OP_SEND)
		send(bindings, binding, op, env, answered);
	if (op->kind == SHK_OP_TELL)
		tell_waiters(binding, &op->end, env->now_ms, answered);
	if (op->kind == SHK_OP_REST)
		rest(binding, &op->end, op->resolve_ms, answered);
	if (op->kind != SHK_OP_END)
		return;
	tell_waiters(binding, &op->end, INT64_MAX, answered);
	drop(bindings, binding);
}

void shk_bindings_apply(struct shk_bindings *bindings, const struct shk_op *ops, size_t n,
			const struct shk_bindings_env *env, struct shk_command **answered)
{
	for (size_t i = 0; i < n; i++)
		apply(bindings, &ops[i], env, answered);
}

void shk_bindings_fini(struct shk_bindings *bindings, const struct shk_bind_end *end,
		       struct shk_command **answered)
{
	while (bindings->first) {
		tell_waiters(bindings->first, end, INT64_MAX, answered);
		drop(bindings, bindings->first);
	}
}
