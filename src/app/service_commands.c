#include "service_priv.h"

#include <string.h>

#include "inputs.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/log.h"
#include "shikiri/base/names.h"
#include "shikiri/wire/cluster.h"

void shk_service_bind(struct shk_service *service, const struct shk_bind_args *args,
		      const struct shk_caller *caller, struct shk_answer *answer)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_BIND, caller, answer);
	struct shk_arena *arena = &command->arena;

	command->bind = (struct shk_bind_args){
	    .name = shk_arena_strdup(arena, args->name),
	    .namespace_ = shk_arena_strdup(arena, args->namespace_),
	    .uid = shk_arena_strdup(arena, args->uid),
	    .node = shk_arena_strdup(arena, args->node),
	};
	atomic_store(&service->last_call_s[SHK_CALL_BIND], shk_clock_wall_s());
	shk_loop_submit(service->loop, command);
}

/* Input that can't be read never reaches the queue. */
static void answer_error(struct shk_command *command, const struct shk_error *err)
{
	command->result.status = err->status;
	command->result.error = *err;
	shk_command_answer(command);
}

void shk_service_apply(struct shk_service *service, struct shk_sv text, bool prune, bool dry_run,
		       const struct shk_caller *caller, struct shk_answer *answer)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_APPLY, caller, answer);
	const struct shk_document *documents;
	struct shk_apply_item *items;
	struct shk_error err;
	size_t n;

	if (shk_documents_decode(text, &command->arena, &documents, &n, &err)) {
		answer_error(command, &err);
		return;
	}
	if (n == 0) { /* with prune, an empty file would delete everything */
		(void)shk_error_set(&err, SHK_E_INPUT, "there is no document in it");
		answer_error(command, &err);
		return;
	}
	items = SHK_NEW_ARRAY(&command->arena, n, struct shk_apply_item);
	for (size_t i = 0; i < n; i++)
		items[i].document = &documents[i];
	command->apply = (struct shk_apply_input){
	    .items = items,
	    .n = n,
	    .prune = prune,
	    .dry_run = dry_run,
	};
	shk_loop_submit(service->loop, command);
}

void shk_service_cordon(struct shk_service *service, const char *node, bool cordoned,
			const struct shk_caller *caller, struct shk_answer *answer)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_CORDON, caller, answer);

	command->cordon.node = shk_arena_strdup(&command->arena, node);
	command->cordon.cordoned = cordoned;
	shk_loop_submit(service->loop, command);
}

/* --- the emulated cluster ------------------------------------------------------------------- */

static bool refuse_live(const struct shk_service *service, struct shk_command *command)
{
	if (shk_service_is_snapshot(service))
		return false;
	shk_command_fail(command, SHK_E_NOT_FOUND, "only a snapshot can be changed here");
	shk_command_answer(command);
	return true;
}

static enum shk_status check_pod(struct shk_pod *pod, struct shk_error *err)
{
	if (!pod->name || !shk_name_is_subdomain(shk_sv(pod->name)))
		return shk_error_at(err, SHK_E_INPUT, "/metadata/name",
				    "a pod needs a name of lower case letters, digits, - and .");
	if (!pod->namespace_ || *pod->namespace_ == '\0')
		pod->namespace_ = "default";
	if (!shk_name_is_label(shk_sv(pod->namespace_)))
		return shk_error_at(err, SHK_E_INPUT, "/metadata/namespace",
				    "not the name of a namespace");
	if (pod->uid && *pod->uid && !shk_name_is_uid(shk_sv(pod->uid)))
		return shk_error_at(err, SHK_E_INPUT, "/metadata/uid", "not a UID");
	return SHK_OK;
}

void shk_service_emulate_pod(struct shk_service *service, struct shk_sv text,
			     const struct shk_caller *caller, struct shk_answer *answer)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_POD, caller, answer);
	struct shk_error err;

	if (refuse_live(service, command))
		return;
	if (shk_pod_decode(text, &command->arena, &command->pod, &err) ||
	    check_pod(&command->pod, &err)) {
		answer_error(command, &err);
		return;
	}
	shk_loop_submit(service->loop, command);
}

void shk_service_emulate_pod_gone(struct shk_service *service, const char *namespace_,
				  const char *name, const struct shk_caller *caller,
				  struct shk_answer *answer)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_POD_GONE, caller, answer);

	if (refuse_live(service, command))
		return;
	command->gone.namespace_ = shk_arena_strdup(&command->arena, namespace_);
	command->gone.name = shk_arena_strdup(&command->arena, name);
	shk_loop_submit(service->loop, command);
}

static enum shk_status check_node(struct shk_node_facts *node, const char *name,
				  struct shk_arena *arena, struct shk_error *err)
{
	if (!node->name || *node->name == '\0')
		node->name = shk_arena_strdup(arena, name);
	if (strcmp(node->name, name) != 0)
		return shk_error_at(err, SHK_E_INPUT, "/metadata/name",
				    "is not the name in the path");
	if (!shk_name_is_subdomain(shk_sv(name)))
		return shk_error_at(err, SHK_E_INPUT, "/metadata/name",
				    "a node needs a name of lower case letters, digits, - and .");
	return SHK_OK;
}

void shk_service_emulate_node(struct shk_service *service, const char *name, struct shk_sv text,
			      const struct shk_caller *caller, struct shk_answer *answer)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_NODE, caller, answer);
	struct shk_error err;

	if (refuse_live(service, command))
		return;
	if (shk_node_decode(text, &command->arena, &command->node, &err) ||
	    check_node(&command->node, name, &command->arena, &err)) {
		answer_error(command, &err);
		return;
	}
	shk_loop_submit(service->loop, command);
}

/* --- the ledger ----------------------------------------------------------------------------- */

void shk_service_ledger_verify(struct shk_service *service, struct shk_answer *answer)
{
	shk_loop_submit(service->loop, shk_command_new(SHK_COMMAND_VERIFY, NULL, answer));
}

void shk_service_ledger_backup(struct shk_service *service, const char *path,
			       const struct shk_caller *caller, struct shk_answer *answer)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_BACKUP, caller, answer);

	command->path = shk_arena_strdup(&command->arena, path);
	shk_loop_submit(service->loop, command);
}

/* --- reload --------------------------------------------------------------------------------- */

static void warn(const char *what, const struct shk_error *err)
{
	char text[sizeof err->pointer + sizeof err->text + 2];

	shk_log(SHK_LOG_WARN, what, "error", shk_error_print(err, text, sizeof text), NULL);
}

void shk_service_reload(struct shk_service *service)
{
	const struct shk_caller caller = {
	    .actor = "shikirid", .source = "signal", .request_id = ""};
	struct shk_command *command = shk_command_new(SHK_COMMAND_RELOAD, &caller, NULL);
	const struct shk_config *config = service->config;
	struct shk_policy *policy = SHK_NEW(&command->arena, struct shk_policy);
	struct shk_error err;

	command->reload = (struct shk_reload_input){.policy = NULL};
	if (config->policy && shk_inputs_policy(config->policy, &command->arena, policy, &err))
		warn("policy can't be read, the old one stays in force", &err);
	else if (config->policy)
		command->reload.policy = policy;
	if (shk_inputs_applies(&config->applies, &command->arena, &command->reload.apply, &err))
		warn("documents can't be read, the old ones stay in force", &err);
	if (command->reload.policy || command->reload.apply.n > 0)
		shk_loop_submit(service->loop, command);
	else
		shk_command_free(command);
}
