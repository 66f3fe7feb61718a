#include "step.h"

#include <string.h>

#include "reconcile.h"
#include "shikiri/wire/json.h"
#include "shikiri/wire/report.h"

static const char *phase_name(enum shk_phase phase)
{
	switch (phase) {
	case SHK_PHASE_PENDING:
		return "Pending";
	case SHK_PHASE_RUNNING:
		return "Running";
	case SHK_PHASE_SUCCEEDED:
		return "Succeeded";
	case SHK_PHASE_FAILED:
		return "Failed";
	case SHK_PHASE_UNKNOWN:
		break;
	}
	return "Unknown";
}

static void write_pod(const struct shk_pod *pod, struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "apiVersion", "v1");
	shk_json_string(&json, "kind", "Pod");
	shk_json_object(&json, "metadata");
	shk_json_string(&json, "name", pod->name);
	shk_json_string(&json, "namespace", pod->namespace_);
	shk_json_string(&json, "uid", pod->uid);
	shk_json_object_end(&json);
	shk_json_object(&json, "spec");
	if (pod->node_name)
		shk_json_string(&json, "nodeName", pod->node_name);
	shk_json_object_end(&json);
	shk_json_object(&json, "status");
	shk_json_string(&json, "phase", phase_name(pod->phase));
	shk_json_object_end(&json);
	shk_json_object_end(&json);
}

/* --- pods ----------------------------------------------------------------------------------- */

static bool is_taken(const struct shk_step *step, struct shk_command *command,
		     const struct shk_pod *pod)
{
	const struct shk_edition *edition = step->world.next;

	if (shk_edition_pod_named(edition, pod->namespace_, pod->name)) {
		shk_command_fail(command, SHK_E_CONFLICT, "pod %s/%s exists already",
				 pod->namespace_, pod->name);
		return true;
	}
	if (shk_edition_pod(edition, pod->uid)) {
		shk_command_fail(command, SHK_E_CONFLICT, "a pod with the UID %s exists already",
				 pod->uid);
		return true;
	}
	return false;
}

static enum shk_status adopt(struct shk_step *step, struct shk_pod_object *pod,
			     struct shk_error *err)
{
	enum shk_status status = shk_step_write(step, err);

	if (!status)
		status = shk_reconcile_adopt(&step->world, step->env, pod, &step->arena, err);
	return status;
}

static struct shk_pod complete(const struct shk_step *step, const struct shk_pod *given,
			       char uid[37])
{
	struct shk_pod pod = *given;

	if (!pod.uid || *pod.uid == '\0') {
		step->env->uuid(uid);
		pod.uid = uid;
	}
	if (pod.created_s == 0)
		pod.created_s = step->env->now_s;
	if (pod.phase == SHK_PHASE_UNKNOWN)
		pod.phase = pod.node_name ? SHK_PHASE_RUNNING : SHK_PHASE_PENDING;
	return pod;
}

enum shk_status shk_pod_run(struct shk_step *step, struct shk_command *command,
			    struct shk_error *err)
{
	char uid[37];
	struct shk_pod pod = complete(step, &command->pod, uid);
	enum shk_status status = SHK_OK;
	struct shk_pod_object *object;

	if (is_taken(step, command, &pod))
		return SHK_OK;
	object = shk_pod_object_new(&pod);

	bool needs_row = object->countable && shk_pod_object_is_placed(object);

	if (!needs_row || !shk_step_is_blocked(step, command)) {
		command->changed = true;
		command->result.created = true;
		shk_world_pod(&step->world, object);
		if (needs_row)
			status = adopt(step, object, err);
		write_pod(&pod, &command->result.body);
	}
	shk_object_unref(&object->head);
	return status;
}

enum shk_status shk_pod_gone_run(struct shk_step *step, struct shk_command *command,
				 struct shk_error *err)
{
	const struct shk_pod_name_input *name = &command->gone;
	struct shk_pod_object *pod =
	    shk_edition_pod_named(step->world.next, name->namespace_, name->name);
	enum shk_status status = SHK_OK;

	if (!pod) {
		shk_command_fail(command, SHK_E_NOT_FOUND, "no pod %s/%s", name->namespace_,
				 name->name);
		return SHK_OK;
	}

	bool has_row = shk_edition_alloc(step->world.next, pod->pod.uid) != NULL;

	if (has_row && shk_step_is_blocked(step, command))
		return SHK_OK;
	command->changed = true;
	if (has_row)
		status = shk_step_write(step, err);
	if (has_row && !status)
		status = shk_ledger_alloc_end(step->env->ledger, pod->pod.uid, "deleted", err);
	if (status)
		return status;
	write_pod(&pod->pod, &command->result.body);
	(void)shk_world_alloc_end(&step->world, pod->pod.uid); /* most pods have none */
	shk_step_end_hold(step, pod->pod.uid);
	shk_world_pod_gone(&step->world, pod);
	return SHK_OK;
}

/* --- nodes ---------------------------------------------------------------------------------- */

static void write_node(struct shk_step *step, struct shk_command *command, const char *name)
{
	const struct shk_view *view = shk_world_settle(&step->world);
	struct shk_json json;

	shk_json_begin(&json, &command->result.body);
	shk_report_node(shk_view_node(view, name), &json, NULL);
}

enum shk_status shk_node_run(struct shk_step *step, struct shk_command *command,
			     struct shk_error *err)
{
	const struct shk_node_facts *facts = &command->node;
	struct shk_facts_object *object = shk_facts_object_new(facts, step->state->words);

	(void)err; /* nodes are the cluster's: nothing of them is in the ledger */
	command->result.created = shk_edition_node_index(step->world.next, facts->name) < 0;
	command->changed = true;
	shk_world_nodes(&step->world, &object, 1);
	shk_object_unref(&object->head);
	write_node(step, command, facts->name);
	return SHK_OK;
}

static enum shk_status write_cordon(struct shk_step *step, const struct shk_command *command,
				    struct shk_error *err)
{
	const struct shk_cordon_input *input = &command->cordon;
	const struct shk_ledger_audit row = {
	    .verb = input->cordoned ? "cordon" : "uncordon",
	    .object = shk_arena_printf(&step->arena, "Node/%s", input->node),
	};
	enum shk_status status = shk_step_write(step, err);

	if (!status)
		status = shk_ledger_cordon(step->env->ledger, input->node, input->cordoned, err);
	if (!status)
		status = shk_step_audit(step, command, &row, err);
	return status;
}

enum shk_status shk_cordon_run(struct shk_step *step, struct shk_command *command,
			       struct shk_error *err)
{
	const struct shk_cordon_input *input = &command->cordon;
	struct shk_edition *edition = step->world.next;
	enum shk_status status;

	if (shk_edition_node_index(edition, input->node) < 0) {
		shk_command_fail(command, SHK_E_NOT_FOUND, "no node %s", input->node);
		return SHK_OK;
	}
	if (shk_edition_is_marked(edition, SHK_MARK_CORDONED, input->node) == input->cordoned) {
		write_node(step, command, input->node);
		return SHK_OK;
	}
	if (shk_step_is_blocked(step, command))
		return SHK_OK;
	status = write_cordon(step, command, err);
	if (status)
		return status;
	command->changed = true;
	shk_world_mark(&step->world, SHK_MARK_CORDONED, input->node, input->cordoned);
	write_node(step, command, input->node);
	return SHK_OK;
}
