#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/map.h"

#include "tree.h"

/* --- streams and lists -------------------------------------------------------------------- */

struct collection {
	struct shk_document *items;
	size_t n;
	size_t cap;
	struct shk_map seen; /* "<Kind>/<name>" */
};

static void make_room(struct shk_arena *arena, struct collection *collection)
{
	struct shk_document *items;

	if (collection->n < collection->cap)
		return;
	collection->cap = collection->cap ? collection->cap * 2 : 16;
	items = SHK_NEW_ARRAY(arena, collection->cap, struct shk_document);
	if (collection->n > 0)
		memcpy(items, collection->items, collection->n * sizeof *items);
	collection->items = items;
}

static enum shk_status add_document(const struct spot *spot, const json_t *value,
				    struct collection *collection)
{
	struct spot metadata = spot_key(spot, "metadata");
	struct spot name = spot_key(&metadata, "name");

	make_room(spot->arena, collection);

	struct shk_document *document = &collection->items[collection->n];
	enum shk_status status = document_read(spot, value, document);

	if (status)
		return status;
	collection->n++;

	const char *key = shk_arena_printf(spot->arena, "%s/%s",
					   shk_document_kind_name(document->kind), document->name);

	if (!shk_map_add(&collection->seen, key, 0))
		return spot_fail(&name, "%s stands twice", key);
	return SHK_OK;
}

struct list_draft {
	const json_t *items;
};

static const struct field list_fields[] = {
    {.key = "apiVersion", .read = read_ignored},
    {.key = "kind", .read = read_ignored},
    {.key = "metadata", .read = read_ignored},
    {.key = "items", .read = read_raw, .offset = offsetof(struct list_draft, items)},
};

static const struct shape list_shape = {SHAPE_FIELDS(list_fields), .is_closed = true};

static enum shk_status add_list(const struct spot *spot, const json_t *value,
				struct collection *collection)
{
	struct list_draft draft = {0};
	struct spot items = spot_key(spot, "items");
	enum shk_status status = decode_object(spot, value, &list_shape, &draft);

	if (!status && draft.items && !json_is_array(draft.items))
		status = spot_fail(&items, "not a list");
	for (size_t i = 0; !status && i < json_array_size(draft.items); i++) {
		struct spot item = spot_item(&items, i);

		status = add_document(&item, json_array_get(draft.items, i), collection);
	}
	return status;
}

static enum shk_status add_any(const struct spot *spot, const json_t *value,
			       struct collection *collection)
{
	const char *kind = member_text(value, "kind");
	const char *api_version = member_text(value, "apiVersion");

	if (shk_str_equals(kind, "List") && shk_str_equals(api_version, "v1"))
		return add_list(spot, value, collection);
	return add_document(spot, value, collection);
}

static enum shk_status number_document(struct shk_error *err, size_t number)
{
	if (err->pointer[0])
		return shk_error_under(err, "document %zu: ", number);
	return shk_error_wrap(err, "document %zu", number);
}

enum shk_status shk_documents_decode(struct shk_sv text, struct shk_arena *arena,
				     const struct shk_document **ret_documents, size_t *ret_n,
				     struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	struct collection collection = {0};
	json_t *list;
	enum shk_status status = tree_parse_documents(text, &shk_scan_document, &list, err);

	if (status)
		return status;
	shk_map_init(&collection.seen, arena, 0);
	for (size_t i = 0; !status && i < json_array_size(list); i++) {
		status = add_any(&root, json_array_get(list, i), &collection);
		if (status && json_array_size(list) > 1)
			status = number_document(err, i + 1);
	}
	json_decref(list);
	if (status)
		return status;
	*ret_documents = collection.items;
	*ret_n = collection.n;
	return SHK_OK;
}

enum shk_status document_parse_one(struct shk_sv text, const char *kind, json_t **ret_list,
				   struct shk_error *err)
{
	json_t *list;
	enum shk_status status = tree_parse_documents(text, &shk_scan_document, &list, err);

	if (status)
		return status;
	if (json_array_size(list) == 1) {
		*ret_list = list;
		return SHK_OK;
	}
	status = shk_error_set(err, SHK_E_INPUT, "one %s document expected, %zu found", kind,
			       json_array_size(list));
	json_decref(list);
	return status;
}

/* --- sorting into lists ------------------------------------------------------------------- */

/* Every document struct begins with its name. */
static int compare_names(const void *a, const void *b)
{
	const char *const *left = a;
	const char *const *right = b;

	return strcmp(*left, *right);
}

static const void *documents_of(const struct shk_document *documents, size_t n,
				enum shk_document_kind kind, size_t size, struct shk_arena *arena,
				size_t *ret_n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += documents[i].kind == kind;

	char *items = shk_arena_array(arena, found, size);
	char *next = items;

	for (size_t i = 0; i < n; i++) {
		if (documents[i].kind != kind)
			continue;
		memcpy(next, &documents[i].tenant, size); /* all kinds begin at the same place */
		next += size;
	}
	qsort(items, found, size, compare_names);
	*ret_n = found;
	return items;
}

void shk_documents_collect(const struct shk_document *documents, size_t n, struct shk_arena *arena,
			   struct shk_documents *ret_documents)
{
	struct shk_documents *all = ret_documents;

	all->domains = documents_of(documents, n, SHK_DOCUMENT_TRUST_DOMAIN, sizeof *all->domains,
				    arena, &all->n_domains);
	all->tenants = documents_of(documents, n, SHK_DOCUMENT_TENANT, sizeof *all->tenants, arena,
				    &all->n_tenants);
	all->bands = documents_of(documents, n, SHK_DOCUMENT_PRIORITY_BAND, sizeof *all->bands,
				  arena, &all->n_bands);
	all->node_facts = documents_of(documents, n, SHK_DOCUMENT_NODE_FACTS,
				       sizeof *all->node_facts, arena, &all->n_node_facts);
	all->grants = documents_of(documents, n, SHK_DOCUMENT_GRANT, sizeof *all->grants, arena,
				   &all->n_grants);
}
