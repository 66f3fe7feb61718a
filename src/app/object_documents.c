#include "object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- policy --------------------------------------------------------------------------------- */

static void free_policy(struct shk_object *object)
{
	struct shk_policy_object *policy = (struct shk_policy_object *)object;

	shk_arena_fini(&policy->arena);
	free(policy);
}

struct shk_policy_object *shk_policy_object_new(const struct shk_policy *policy)
{
	struct shk_policy_object *object = shk_object_alloc(sizeof *object, free_policy);
	struct shk_policy built_in;
	struct shk_buf text = {0};
	struct shk_error err;
	struct shk_json json;

	if (!policy) {
		shk_policy_default(&built_in);
		policy = &built_in;
	}
	shk_json_begin(&json, &text);
	shk_policy_encode(policy, &json);
	shk_arena_init(&object->arena, 0);
	object->canonical = shk_arena_strndup(&object->arena, text.data, text.len);

	enum shk_status status = shk_policy_decode((struct shk_sv){text.data, text.len},
						   &object->arena, &object->policy, &err);

	assert(status == SHK_OK); /* what the encoder writes decodes to itself */
	(void)status;
	shk_buf_fini(&text);
	return object;
}

/* --- documents ------------------------------------------------------------------------------ */

static void free_documents(struct shk_object *object)
{
	struct shk_documents_object *documents = (struct shk_documents_object *)object;

	shk_arena_fini(&documents->arena);
	if (documents->cluster)
		shk_object_unref(&documents->cluster->head);
	free(documents);
}

/* Where a document keeps what the ledger knows of it. */
static struct shk_object_meta *meta_of(struct shk_document *document)
{
	switch (document->kind) {
	case SHK_DOCUMENT_TRUST_DOMAIN:
		return &document->domain.meta;
	case SHK_DOCUMENT_TENANT:
		return &document->tenant.meta;
	case SHK_DOCUMENT_PRIORITY_BAND:
		return &document->band.meta;
	case SHK_DOCUMENT_NODE_FACTS:
		return &document->node_facts.meta;
	case SHK_DOCUMENT_GRANT:
		return &document->grant.meta;
	case SHK_DOCUMENT_UNKNOWN:
	case SHK_DOCUMENT_KIND_COUNT:
		break;
	}
	abort(); /* no decoder makes such a document */
}

static enum shk_status read_row(const struct shk_ledger_document *row, struct shk_arena *arena,
				struct shk_document *ret_document, struct shk_error *err)
{
	const struct shk_document *decoded;
	struct shk_object_meta meta = {.resource_version = row->resource_version,
				       .created_s = row->created_s};
	size_t n;

	if (shk_documents_decode(shk_sv(row->body), arena, &decoded, &n, err)) {
		err->status = SHK_E_CORRUPT;
		return shk_error_wrap(err, "the ledger's %s/%s can't be read", row->kind,
				      row->name);
	}
	if (n != 1 || strcmp(decoded[0].name, row->name) != 0 ||
	    strcmp(shk_document_kind_name(decoded[0].kind), row->kind) != 0)
		return shk_error_set(err, SHK_E_CORRUPT, "the ledger's %s/%s holds something else",
				     row->kind, row->name);
	meta.uid = shk_arena_strdup(arena, row->uid);
	*ret_document = decoded[0];
	*meta_of(ret_document) = meta;
	return SHK_OK;
}

static int compare_documents(const void *a, const void *b)
{
	const struct shk_document *x = a;
	const struct shk_document *y = b;
	int kinds = strcmp(shk_document_kind_name(x->kind), shk_document_kind_name(y->kind));

	return kinds ? kinds : strcmp(x->name, y->name);
}

enum shk_status shk_documents_object_new(const struct shk_ledger_document *rows, size_t n,
					 struct shk_cluster_object *cluster,
					 struct shk_documents_object **ret_documents,
					 struct shk_error *err)
{
	struct shk_documents_object *object = shk_object_alloc(sizeof *object, free_documents);
	struct shk_document *items;

	shk_arena_init(&object->arena, 0);
	object->cluster = (struct shk_cluster_object *)shk_object_ref(&cluster->head);
	items = SHK_NEW_ARRAY(&object->arena, n, struct shk_document);
	for (size_t i = 0; i < n; i++) {
		enum shk_status status = read_row(&rows[i], &object->arena, &items[i], err);

		if (status) {
			shk_object_unref(&object->head);
			return status;
		}
	}
	qsort(items, n, sizeof *items, compare_documents);
	object->items = items;
	object->n = n;
	shk_documents_collect(items, n, &object->arena, &object->documents);
	shk_tenancy_build(&object->arena, &object->documents, cluster->namespaces,
			  cluster->n_namespaces, &object->tenancy);
	*ret_documents = object;
	return SHK_OK;
}

enum shk_status shk_documents_object_again(const struct shk_documents_object *documents,
					   struct shk_cluster_object *cluster,
					   struct shk_documents_object **ret_documents,
					   struct shk_error *err)
{
	struct shk_ledger_document *rows;
	struct shk_arena scratch;
	enum shk_status status;

	shk_arena_init(&scratch, 0);
	rows = SHK_NEW_ARRAY(&scratch, documents->n, struct shk_ledger_document);
	for (size_t i = 0; i < documents->n; i++) {
		struct shk_document document = documents->items[i];
		const struct shk_object_meta *meta = meta_of(&document);

		rows[i] = (struct shk_ledger_document){
		    .kind = shk_document_kind_name(document.kind),
		    .name = document.name,
		    .body = document.canonical,
		    .uid = shk_arena_strdup(&scratch, meta->uid),
		    .resource_version = meta->resource_version,
		    .created_s = meta->created_s,
		};
	}
	status = shk_documents_object_new(rows, documents->n, cluster, ret_documents, err);
	shk_arena_fini(&scratch);
	return status;
}

int shk_documents_object_find(const struct shk_documents_object *documents,
			      enum shk_document_kind kind, const char *name)
{
	for (size_t i = 0; i < documents->n; i++) {
		if (documents->items[i].kind == kind && strcmp(documents->items[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}
