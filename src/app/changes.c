#include "changes.h"

#include <stdlib.h>
#include <string.h>

static const char *operation_name(enum shk_change_operation operation)
{
	switch (operation) {
	case SHK_CHANGE_NONE:
		return "unchanged";
	case SHK_CHANGE_CREATED:
		return "created";
	case SHK_CHANGE_UPDATED:
		return "updated";
	case SHK_CHANGE_DELETED:
		return "deleted";
	}
	return "";
}

static bool is_same(const struct shk_change *change, enum shk_document_kind kind, const char *name)
{
	return change->kind == kind && strcmp(change->name, name) == 0;
}

static struct shk_change *find(struct shk_changes *changes, enum shk_document_kind kind,
			       const char *name)
{
	for (size_t i = 0; i < changes->n; i++) {
		if (is_same(&changes->items[i], kind, name))
			return &changes->items[i];
	}
	return NULL;
}

static struct shk_change change_of(const struct shk_documents_object *current,
				   const struct shk_apply_item *item)
{
	const struct shk_document *document = item->document;
	int at = shk_documents_object_find(current, document->kind, document->name);
	struct shk_change change = {
	    .operation = SHK_CHANGE_CREATED,
	    .kind = document->kind,
	    .name = document->name,
	    .document = document,
	    .file = item->file,
	};

	if (at < 0)
		return change;
	change.before = current->items[at].canonical;
	change.operation =
	    strcmp(change.before, document->canonical) == 0 ? SHK_CHANGE_NONE : SHK_CHANGE_UPDATED;
	return change;
}

/* One object may stand in several --apply files, as long as they say the same. */
static enum shk_status add_item(struct shk_changes *changes,
				const struct shk_documents_object *current,
				const struct shk_apply_item *item, struct shk_error *err)
{
	const struct shk_document *document = item->document;
	struct shk_change *there = find(changes, document->kind, document->name);

	if (!there) {
		changes->items[changes->n++] = change_of(current, item);
		return SHK_OK;
	}
	if (strcmp(there->document->canonical, document->canonical) == 0)
		return SHK_OK;
	return shk_error_set(err, SHK_E_INPUT, "%s/%s says something else in %.200s",
			     shk_document_kind_name(document->kind), document->name,
			     there->file ? there->file : "the same request");
}

/* Copied: what is in force may be replaced, and freed, before the changes are told. */
static void add_deletions(struct shk_changes *changes, const struct shk_documents_object *current,
			  struct shk_arena *arena)
{
	size_t n_stated = changes->n;

	for (size_t i = 0; i < current->n; i++) {
		const struct shk_document *document = &current->items[i];
		bool stated = false;

		for (size_t j = 0; j < n_stated && !stated; j++)
			stated = is_same(&changes->items[j], document->kind, document->name);
		if (stated)
			continue;
		changes->items[changes->n++] = (struct shk_change){
		    .operation = SHK_CHANGE_DELETED,
		    .kind = document->kind,
		    .name = shk_arena_strdup(arena, document->name),
		    .before = shk_arena_strdup(arena, document->canonical),
		};
	}
}

static int compare_changes(const void *a, const void *b)
{
	const struct shk_change *x = a;
	const struct shk_change *y = b;
	int kinds = strcmp(shk_document_kind_name(x->kind), shk_document_kind_name(y->kind));

	return kinds ? kinds : strcmp(x->name, y->name);
}

static enum shk_status check_deletions(const struct shk_changes *changes,
				       const struct shk_books *books, struct shk_error *err)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct shk_change *change = &changes->items[i];
		int tenant =
		    change->operation == SHK_CHANGE_DELETED && change->kind == SHK_DOCUMENT_TENANT
			? shk_books_tenant(books, change->name)
			: -1;

		if (tenant >= 0 && books->n_allocs[tenant] > 0)
			return shk_error_set(err, SHK_E_CONFLICT,
					     "tenant %s has live allocations and can't be deleted",
					     change->name);
	}
	return SHK_OK;
}

/* What would be in force: the changes, and the current ones that they don't name. */
static void collect_after(const struct shk_changes *changes,
			  const struct shk_documents_object *current, struct shk_arena *arena,
			  struct shk_documents *ret_after)
{
	struct shk_document *after =
	    SHK_NEW_ARRAY(arena, changes->n + current->n, struct shk_document);
	size_t n = 0;

	for (size_t i = 0; i < changes->n; i++) {
		if (changes->items[i].document)
			after[n++] = *changes->items[i].document;
	}
	for (size_t i = 0; i < current->n; i++) {
		bool named = false;

		for (size_t j = 0; j < changes->n && !named; j++)
			named = is_same(&changes->items[j], current->items[i].kind,
					current->items[i].name);
		if (!named)
			after[n++] = current->items[i];
	}
	shk_documents_collect(after, n, arena, ret_after);
}

static enum shk_status check_whole(const struct shk_changes *changes,
				   const struct shk_documents_object *current,
				   struct shk_arena *arena, struct shk_changes *ret_changes,
				   struct shk_error *err)
{
	struct shk_documents after;
	const char *object;
	const char *detail;

	collect_after(changes, current, arena, &after);
	if (shk_documents_conflict(&after, arena, &object, &detail))
		return shk_error_at(err, SHK_E_INPUT, object, "%s", detail);
	ret_changes->n_warnings = shk_documents_warnings(&after, arena, &ret_changes->warnings);
	return SHK_OK;
}

enum shk_status shk_changes_build(const struct shk_documents_object *current,
				  const struct shk_books *books,
				  const struct shk_apply_input *input, struct shk_arena *arena,
				  struct shk_changes *ret_changes, struct shk_error *err)
{
	struct shk_changes changes = {
	    .items = SHK_NEW_ARRAY(arena, input->n + current->n, struct shk_change),
	};
	enum shk_status status = SHK_OK;

	for (size_t i = 0; i < input->n && !status; i++)
		status = add_item(&changes, current, &input->items[i], err);
	if (status)
		return status;
	if (input->prune)
		add_deletions(&changes, current, arena);
	if (changes.n > 1)
		qsort(changes.items, changes.n, sizeof changes.items[0], compare_changes);
	for (size_t i = 0; i < changes.n; i++)
		changes.n_real += changes.items[i].operation != SHK_CHANGE_NONE;
	status = check_whole(&changes, current, arena, &changes, err);
	if (!status)
		status = check_deletions(&changes, books, err);
	if (!status)
		*ret_changes = changes;
	return status;
}

void shk_changes_encode(const struct shk_changes *changes, bool dry_run, struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_bool(&json, "dryRun", dry_run);
	shk_json_array(&json, "changes");
	for (size_t i = 0; i < changes->n; i++) {
		const struct shk_change *change = &changes->items[i];

		shk_json_object(&json, NULL);
		shk_json_string(&json, "kind", shk_document_kind_name(change->kind));
		shk_json_string(&json, "name", change->name);
		shk_json_string(&json, "operation", operation_name(change->operation));
		shk_json_object_end(&json);
	}
	shk_json_array_end(&json);
	shk_json_array(&json, "warnings");
	for (size_t i = 0; i < changes->n_warnings; i++)
		shk_json_string(&json, NULL, changes->warnings[i]);
	shk_json_array_end(&json);
	shk_json_object_end(&json);
}
