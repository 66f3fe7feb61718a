#include "step.h"

#include <string.h>

#include "changes.h"
#include "shikiri/base/hash.h"

/* --- writing -------------------------------------------------------------------------------- */

static enum shk_status audit(struct shk_step *step, const struct shk_command *command,
			     const struct shk_change *change, struct shk_error *err)
{
	const char *kind = shk_document_kind_name(change->kind);
	struct shk_command as_file = *command;
	const struct shk_ledger_audit row = {
	    .verb = change->document ? "apply" : "delete",
	    .object = shk_arena_printf(&step->arena, "%s/%s", kind, change->name),
	    .before = change->before,
	    .after = change->document ? change->document->canonical : NULL,
	};

	if (change->file)
		as_file.caller.source = shk_arena_printf(&step->arena, "file:%s", change->file);
	return shk_step_audit(step, &as_file, &row, err);
}

static enum shk_status write_change(struct shk_step *step, const struct shk_command *command,
				    const struct shk_change *change, struct shk_error *err)
{
	const struct shk_document *document = change->document;
	const char *kind = shk_document_kind_name(change->kind);
	const struct shk_tenant *tenant =
	    change->kind == SHK_DOCUMENT_TENANT && document ? &document->tenant : NULL;
	enum shk_status status;

	if (document)
		status = shk_ledger_document_put(step->env->ledger, kind, change->name,
						 document->canonical, tenant, err);
	else
		status = shk_ledger_document_delete(step->env->ledger, kind, change->name, err);
	if (!status)
		status = audit(step, command, change, err);
	return status;
}

static bool is_due(const struct shk_change *change, enum shk_document_kind kind, bool deletions)
{
	return change->kind == kind && change->operation != SHK_CHANGE_NONE &&
	       (change->operation == SHK_CHANGE_DELETED) == deletions;
}

static enum shk_status write_kind(struct shk_step *step, const struct shk_command *command,
				  const struct shk_changes *changes, int kind, bool deletions,
				  struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	for (size_t i = 0; i < changes->n && !status; i++) {
		if (is_due(&changes->items[i], (enum shk_document_kind)kind, deletions))
			status = write_change(step, command, &changes->items[i], err);
	}
	return status;
}

/* What refers to others goes before them and comes after them; kinds are numbered that way. */
static enum shk_status write_changes(struct shk_step *step, const struct shk_command *command,
				     const struct shk_changes *changes, struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	for (int kind = SHK_DOCUMENT_KIND_COUNT - 1; kind > 0 && !status; kind--)
		status = write_kind(step, command, changes, kind, true, err);
	for (int kind = 1; kind < SHK_DOCUMENT_KIND_COUNT && !status; kind++)
		status = write_kind(step, command, changes, kind, false, err);
	return status;
}

static enum shk_status remember_file(struct shk_step *step, const struct shk_apply_item *item,
				     struct shk_error *err)
{
	const struct shk_document *document = item->document;
	char hash[SHK_SHA256_HEX];

	shk_sha256_hex(document->canonical, strlen(document->canonical), hash);
	return shk_ledger_applied_put(step->env->ledger, item->file,
				      shk_document_kind_name(document->kind), document->name, hash,
				      err);
}

static enum shk_status remember_files(struct shk_step *step, const struct shk_apply_input *input,
				      struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	for (size_t i = 0; i < input->n && !status; i++) {
		if (input->items[i].file)
			status = remember_file(step, &input->items[i], err);
	}
	return status;
}

/* The documents as the ledger has them now, with the uids and versions that it gave. */
static enum shk_status reload_documents(struct shk_step *step, struct shk_error *err)
{
	const struct shk_ledger_document *rows;
	struct shk_documents_object *documents;
	size_t n;
	enum shk_status status =
	    shk_ledger_documents(step->env->ledger, &step->arena, &rows, &n, err);

	if (!status)
		status = shk_documents_object_new(rows, n, step->world.next->documents->cluster,
						  &documents, err);
	if (status)
		return status;
	shk_world_rules(&step->world, NULL, documents);
	shk_object_unref(&documents->head);
	return SHK_OK;
}

static enum shk_status put_in_force(struct shk_step *step, struct shk_command *command,
				    const struct shk_apply_input *input,
				    const struct shk_changes *changes, struct shk_error *err)
{
	enum shk_status status = shk_step_write(step, err);

	command->changed = true;
	if (!status)
		status = write_changes(step, command, changes, err);
	if (!status)
		status = remember_files(step, input, err);
	if (!status && changes->n_real > 0)
		status = reload_documents(step, err);
	return status;
}

/* --- commands ------------------------------------------------------------------------------- */

enum shk_status shk_apply_run(struct shk_step *step, struct shk_command *command,
			      struct shk_error *err)
{
	const struct shk_apply_input *input = &command->apply;
	const struct shk_edition *edition = step->world.next;
	enum shk_status status = SHK_OK;
	struct shk_changes changes;
	struct shk_error refused;

	if (shk_changes_build(edition->documents, &edition->books, input, &step->arena, &changes,
			      &refused)) {
		command->result.status = refused.status;
		command->result.error = refused;
		return SHK_OK;
	}
	if (!input->dry_run && changes.n_real > 0) {
		if (shk_step_is_blocked(step, command))
			return SHK_OK;
		status = put_in_force(step, command, input, &changes, err);
	}
	if (!status)
		shk_changes_encode(&changes, input->dry_run, &command->result.body);
	return status;
}

static enum shk_status set_policy(struct shk_step *step, struct shk_command *command,
				  struct shk_error *err)
{
	struct shk_policy_object *policy = shk_policy_object_new(command->reload.policy);
	const struct shk_policy_object *old = step->world.next->policy;
	const struct shk_ledger_audit row = {
	    .verb = "reload",
	    .object = "Policy",
	    .before = old->canonical,
	    .after = policy->canonical,
	};
	enum shk_status status = SHK_OK;

	if (strcmp(policy->policy.hash, old->policy.hash) != 0) {
		command->changed = true;
		status = shk_step_write(step, err);
		if (!status)
			status = shk_ledger_policy(step->env->ledger, policy->policy.hash,
						   policy->canonical, err);
		if (!status)
			status = shk_step_audit(step, command, &row, err);
		if (!status)
			shk_world_rules(&step->world, policy, NULL);
	}
	shk_object_unref(&policy->head);
	return status;
}

/* Documents that the file said before are left out: what was edited since by request stays. */
static enum shk_status news_of_files(struct shk_step *step, const struct shk_apply_input *input,
				     struct shk_apply_input *ret_news, struct shk_error *err)
{
	struct shk_apply_item *items = SHK_NEW_ARRAY(&step->arena, input->n, struct shk_apply_item);
	size_t n = 0;

	for (size_t i = 0; i < input->n; i++) {
		const struct shk_document *document = input->items[i].document;
		char applied[SHK_SHA256_HEX];
		char hash[SHK_SHA256_HEX];
		enum shk_status status = shk_ledger_applied_get(
		    step->env->ledger, input->items[i].file, shk_document_kind_name(document->kind),
		    document->name, applied, err);

		if (status)
			return status;
		shk_sha256_hex(document->canonical, strlen(document->canonical), hash);
		if (strcmp(applied, hash) != 0)
			items[n++] = input->items[i];
	}
	*ret_news = (struct shk_apply_input){.items = items, .n = n};
	return SHK_OK;
}

/* The offender's file, where it came from one. */
static void name_file(const struct shk_apply_input *input, struct shk_arena *arena,
		      struct shk_error *refused)
{
	for (size_t i = 0; i < input->n; i++) {
		const struct shk_document *document = input->items[i].document;
		const char *object = shk_arena_printf(
		    arena, "%s/%s", shk_document_kind_name(document->kind), document->name);

		if (strcmp(object, refused->pointer) != 0)
			continue;
		(void)shk_error_wrap(refused, "%s: %s", input->items[i].file, object);
		refused->pointer[0] = '\0';
		return;
	}
}

static enum shk_status set_documents(struct shk_step *step, struct shk_command *command,
				     struct shk_error *err)
{
	const struct shk_edition *edition = step->world.next;
	struct shk_apply_input news;
	struct shk_changes changes;
	struct shk_error refused;
	enum shk_status status = news_of_files(step, &command->reload.apply, &news, err);

	if (status)
		return status;
	if (shk_changes_build(edition->documents, &edition->books, &news, &step->arena, &changes,
			      &refused)) {
		name_file(&news, &step->arena, &refused);
		command->result.status = refused.status;
		command->result.error = refused;
		return SHK_OK;
	}
	if (news.n > 0)
		status = put_in_force(step, command, &news, &changes, err);
	if (!status)
		shk_changes_encode(&changes, false, &command->result.body);
	return status;
}

enum shk_status shk_reload_run(struct shk_step *step, struct shk_command *command,
			       struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	if (shk_step_is_blocked(step, command))
		return SHK_OK;
	/* Documents first: they can be refused, and then nothing of the reload is in force. */
	if (command->reload.apply.n > 0)
		status = set_documents(step, command, err);
	if (!status && command->reload.policy && command->result.status == SHK_OK)
		status = set_policy(step, command, err);
	return status;
}
