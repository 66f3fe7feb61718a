#include "shikiri/wire/cluster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/map.h"

#include "objects.h"
#include "scanner.h"
#include "tree.h"

#define MAX_NESTED_LISTS 4

/* Two levels more than an object may have, for the List around it. The bound on tokens holds
 * for each item by itself. */
static const struct shk_scan_limits snapshot_limits = {
    .max_bytes = (size_t)64 << 20,
    .max_depth = 66,
    .max_depth_unread = SCANNER_MAX_DEPTH,
    .max_tokens = 400000,
    .cut_keys = scanner_unread_keys,
};

enum kind {
	KIND_ABSENT = 0,
	KIND_OTHER, /* nothing we read */
	KIND_LIST,
	KIND_POD,
	KIND_NODE,
	KIND_NAMESPACE,
	KIND_PRIORITY_CLASS,
	KIND_RESOURCE_QUOTA,
	KIND_COUNT,
};

static const struct {
	const char *name;
	const char *list_name;
	const char *api_version;
	size_t size; /* of the struct */
} kind_rows[KIND_COUNT] = {
    [KIND_LIST] = {"List", "", "v1", 0},
    [KIND_POD] = {"Pod", "PodList", "v1", sizeof(struct shk_pod)},
    [KIND_NODE] = {"Node", "NodeList", "v1", sizeof(struct shk_node_facts)},
    [KIND_NAMESPACE] = {"Namespace", "NamespaceList", "v1", sizeof(struct shk_namespace)},
    [KIND_PRIORITY_CLASS] = {"PriorityClass", "PriorityClassList", "scheduling.k8s.io/v1",
			     sizeof(struct shk_priority_class)},
    [KIND_RESOURCE_QUOTA] = {"ResourceQuota", "ResourceQuotaList", "v1",
			     sizeof(struct shk_resource_quota)},
};

/* Structs of one kind, on the heap until all are there. */
struct pile {
	char *items;
	size_t n;
	size_t cap;
};

struct reader {
	struct shk_arena *arena;
	struct shk_error *err;
	struct pile piles[KIND_COUNT];
	struct shk_arena keys;
	struct shk_map seen; /* "Pod vision/llm-0", "Pod UID ..." */
};

/* What an object says about itself. For a list, item_kind is what its items are unless they say
 * otherwise. */
struct head {
	enum kind kind;
	enum kind item_kind;
};

static struct head make_head(struct shk_sv kind, struct shk_sv api_version, enum kind otherwise)
{
	struct head head = {.kind = KIND_OTHER};

	if (!kind.data)
		return (struct head){.kind = otherwise};
	for (unsigned i = KIND_LIST; i < KIND_COUNT; i++) {
		if (api_version.data && !shk_sv_is(api_version, kind_rows[i].api_version))
			continue;
		if (shk_sv_is(kind, kind_rows[i].name))
			head.kind = (enum kind)i;
		if (shk_sv_is(kind, kind_rows[i].list_name))
			head = (struct head){.kind = KIND_LIST, .item_kind = (enum kind)i};
	}
	/* Lists of other kinds may hold what we read when their items say so. */
	if (head.kind == KIND_OTHER && kind.len > 4 &&
	    memcmp(kind.data + kind.len - 4, "List", 4) == 0)
		head = (struct head){.kind = KIND_LIST, .item_kind = KIND_OTHER};
	return head;
}

/* --- one object --------------------------------------------------------------------------- */

static void *pile_push(struct pile *pile, size_t size)
{
	if (pile->n == pile->cap) {
		pile->cap = pile->cap ? pile->cap * 2 : 64;

		char *items = realloc(pile->items, pile->cap * size);

		if (!items)
			abort();
		pile->items = items;
	}
	return memset(pile->items + pile->n++ * size, 0, size);
}

static enum shk_status see_object(struct reader *r, enum kind kind, const char *namespace_,
				  const char *name, const char *uid)
{
	const char *kind_name = kind_rows[kind].name;
	const char *slash = namespace_ ? "/" : "";
	const char *key = shk_arena_printf(&r->keys, "%s %s%s%s", kind_name,
					   namespace_ ? namespace_ : "", slash, name);

	if (!shk_map_add(&r->seen, key, 0))
		return shk_error_set(r->err, SHK_E_INPUT, "stands twice");
	if (!uid)
		return SHK_OK;
	key = shk_arena_printf(&r->keys, "%s UID %s", kind_name, uid);
	if (!shk_map_add(&r->seen, key, 0))
		return shk_error_set(r->err, SHK_E_INPUT, "another %s has the same UID %s",
				     kind_name, uid);
	return SHK_OK;
}

static enum shk_status add_pod(struct reader *r, const struct spot *spot, const json_t *tree)
{
	struct shk_pod *pod = pile_push(&r->piles[KIND_POD], sizeof *pod);
	enum shk_status status = pod_read(spot, tree, pod);

	if (!status)
		status = pod_require_identity(spot, pod);
	return status ? status : see_object(r, KIND_POD, pod->namespace_, pod->name, pod->uid);
}

static enum shk_status add_node(struct reader *r, const struct spot *spot, const json_t *tree)
{
	struct shk_node_facts *node = pile_push(&r->piles[KIND_NODE], sizeof *node);
	enum shk_status status = node_read(spot, tree, node);

	return status ? status : see_object(r, KIND_NODE, NULL, node->name, node->uid);
}

static enum shk_status add_namespace(struct reader *r, const struct spot *spot, const json_t *tree)
{
	struct shk_namespace *item = pile_push(&r->piles[KIND_NAMESPACE], sizeof *item);
	enum shk_status status = namespace_read(spot, tree, item);

	return status ? status : see_object(r, KIND_NAMESPACE, NULL, item->name, NULL);
}

static enum shk_status add_priority_class(struct reader *r, const struct spot *spot,
					  const json_t *tree)
{
	struct shk_priority_class *item = pile_push(&r->piles[KIND_PRIORITY_CLASS], sizeof *item);
	enum shk_status status = priority_class_read(spot, tree, item);

	return status ? status : see_object(r, KIND_PRIORITY_CLASS, NULL, item->name, NULL);
}

static enum shk_status add_resource_quota(struct reader *r, const struct spot *spot,
					  const json_t *tree)
{
	struct shk_resource_quota *item = pile_push(&r->piles[KIND_RESOURCE_QUOTA], sizeof *item);
	enum shk_status status = resource_quota_read(spot, tree, item);

	return status ? status
		      : see_object(r, KIND_RESOURCE_QUOTA, item->namespace_, item->name, NULL);
}

static enum shk_status add_object(struct reader *r, enum kind kind, const struct spot *spot,
				  const json_t *tree)
{
	switch (kind) {
	case KIND_POD:
		return add_pod(r, spot, tree);
	case KIND_NODE:
		return add_node(r, spot, tree);
	case KIND_NAMESPACE:
		return add_namespace(r, spot, tree);
	case KIND_PRIORITY_CLASS:
		return add_priority_class(r, spot, tree);
	case KIND_RESOURCE_QUOTA:
		return add_resource_quota(r, spot, tree);
	case KIND_ABSENT:
	case KIND_OTHER:
	case KIND_LIST:
	case KIND_COUNT:
		break;
	}
	return SHK_OK;
}

/* "Pod vision/llm-0: /spec/priority: ...", with what the object says its name is. */
static enum shk_status name_object(struct reader *r, enum kind kind, const json_t *tree)
{
	const json_t *metadata = json_object_get(tree, "metadata");
	const char *name = member_text(metadata, "name");
	const char *namespace_ = member_text(metadata, "namespace");
	const char *slash = namespace_ ? "/" : "";

	if (!namespace_)
		namespace_ = "";
	if (!name)
		name = "(no name)";
	if (r->err->pointer[0] == '/')
		return shk_error_under(r->err, "%s %.64s%s%.128s: ", kind_rows[kind].name,
				       namespace_, slash, name);
	return shk_error_wrap(r->err, "%s %.64s%s%.128s", kind_rows[kind].name, namespace_, slash,
			      name);
}

static enum shk_status take_tree(struct reader *r, enum kind kind, const json_t *tree)
{
	struct spot root = spot_root(r->arena, r->err);
	enum shk_status status = add_object(r, kind, &root, tree);

	return status ? name_object(r, kind, tree) : SHK_OK;
}

/* --- JSON --------------------------------------------------------------------------------- */

static enum shk_status take_text(struct reader *r, enum kind kind, struct shk_sv text)
{
	json_t *tree;
	enum shk_status status = tree_parse_json(text, &shk_scan_object, &tree, r->err);

	if (status)
		return status;
	status = take_tree(r, kind, tree);
	json_decref(tree);
	return status;
}

struct item {
	struct shk_sv text;
	enum kind kind; /* ABSENT: whatever the list is of */
};

struct items {
	struct item *items;
	size_t n;
	size_t cap;
};

static void items_push(struct items *list, struct item item)
{
	if (list->n == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 256;

		struct item *items = realloc(list->items, list->cap * sizeof *items);

		if (!items)
			abort();
		list->items = items;
	}
	list->items[list->n++] = item;
}

static enum shk_status scan_head(struct reader *r, struct scanner *s, struct items *ret_items,
				 struct head *ret_head);

/* Finds where each item of a list begins and ends, and what it is. */
static enum shk_status scan_items(struct reader *r, struct scanner *s, struct items *ret_items)
{
	size_t tokens = s->tokens;
	bool is_end;

	if (scanner_peek(s) == 'n')
		return scanner_value(s);
	if (scanner_peek(s) != '[')
		return shk_error_at(r->err, SHK_E_INPUT, "/items", "not a list");

	enum shk_status status = scanner_open(s);

	for (;;) {
		struct head head;

		if (!status)
			status = scanner_item(s, &is_end);
		if (status || is_end)
			return status;
		s->tokens = tokens;
		if (scanner_peek(s) != '{') {
			status = scanner_value(s); /* bad JSON is the better reason */
			return status ? status
				      : shk_error_at(r->err, SHK_E_INPUT, "/items",
						     "item %zu is not an object", ret_items->n);
		}

		const char *start = s->at;

		status = scan_head(r, s, NULL, &head);
		items_push(ret_items, (struct item){.text = {start, (size_t)(s->at - start)},
						    .kind = head.kind});
	}
}

/* Passes over one object. ret_items NULL: it is an item itself, a nested list's items come later.
 */
static enum shk_status scan_head(struct reader *r, struct scanner *s, struct items *ret_items,
				 struct head *ret_head)
{
	struct shk_sv kind = {0};
	struct shk_sv api_version = {0};
	enum shk_status status = scanner_open(s);

	*ret_head = (struct head){0};
	for (;;) {
		struct shk_sv key;
		bool is_end;

		if (!status)
			status = scanner_member(s, &key, &is_end);
		if (status)
			return status;
		if (is_end)
			break;
		if (ret_items && shk_sv_is(key, "items"))
			status = scan_items(r, s, ret_items);
		else if (scanner_peek(s) == '"' && shk_sv_is(key, "kind"))
			status = scanner_string(s, &kind);
		else if (scanner_peek(s) == '"' && shk_sv_is(key, "apiVersion"))
			status = scanner_string(s, &api_version);
		else
			status = scanner_value(s);
	}
	*ret_head = make_head(kind, api_version, KIND_ABSENT);
	return SHK_OK;
}

static enum shk_status read_text_object(struct reader *r, struct shk_sv text, unsigned depth);

static enum shk_status take_items(struct reader *r, const struct items *items, enum kind otherwise,
				  unsigned depth)
{
	for (size_t i = 0; i < items->n; i++) {
		const struct item *item = &items->items[i];
		enum kind kind = item->kind == KIND_ABSENT ? otherwise : item->kind;
		enum shk_status status = SHK_OK;

		if (kind == KIND_ABSENT)
			return shk_error_at(r->err, SHK_E_INPUT, "/items", "item %zu has no kind",
					    i);
		if (kind == KIND_LIST)
			status = read_text_object(r, item->text, depth + 1);
		else if (kind != KIND_OTHER)
			status = take_text(r, kind, item->text);
		if (status)
			return status;
	}
	return SHK_OK;
}

/* A list, or one object of a kind we read. */
static enum shk_status read_text_object(struct reader *r, struct shk_sv text, unsigned depth)
{
	struct items items = {0};
	struct head head = {0};
	struct scanner s;
	enum shk_status status = scanner_init(&s, text, &snapshot_limits, r->err);

	if (!status && depth > MAX_NESTED_LISTS)
		status = shk_error_set(r->err, SHK_E_LIMIT, "lists in lists, more than %d deep",
				       MAX_NESTED_LISTS);
	if (!status && scanner_peek(&s) != '{')
		status = shk_error_set(r->err, SHK_E_INPUT, "not an object");
	if (!status)
		status = scan_head(r, &s, &items, &head);
	if (!status)
		status = scanner_end(&s);
	scanner_fini(&s);
	if (!status && head.kind == KIND_ABSENT)
		status = shk_error_at(r->err, SHK_E_INPUT, "/kind", "missing");
	if (!status && head.kind == KIND_LIST)
		status = take_items(r, &items, head.item_kind, depth);
	else if (!status && head.kind != KIND_OTHER)
		status = take_text(r, head.kind, text);
	free(items.items);
	return status;
}

/* --- YAML --------------------------------------------------------------------------------- */

static struct shk_sv member_sv(const json_t *object, const char *key)
{
	const char *text = member_text(object, key);

	return shk_sv(text);
}

static enum shk_status take_document(struct reader *r, const json_t *tree, enum kind otherwise,
				     unsigned depth)
{
	struct head head =
	    make_head(member_sv(tree, "kind"), member_sv(tree, "apiVersion"), otherwise);
	const json_t *items = json_object_get(tree, "items");

	if (!json_is_object(tree))
		return shk_error_set(r->err, SHK_E_INPUT, "not an object");
	if (head.kind == KIND_ABSENT)
		return shk_error_at(r->err, SHK_E_INPUT, "/kind", "missing");
	if (head.kind != KIND_LIST)
		return take_tree(r, head.kind, tree);
	if (depth > MAX_NESTED_LISTS)
		return shk_error_set(r->err, SHK_E_LIMIT, "lists in lists, more than %d deep",
				     MAX_NESTED_LISTS);
	if (items && !json_is_null(items) && !json_is_array(items))
		return shk_error_at(r->err, SHK_E_INPUT, "/items", "not a list");
	for (size_t i = 0; i < json_array_size(items); i++) {
		enum shk_status status =
		    take_document(r, json_array_get(items, i), head.item_kind, depth + 1);

		if (status)
			return status;
	}
	return SHK_OK;
}

static enum shk_status read_yaml(struct reader *r, struct shk_sv text)
{
	json_t *documents;
	enum shk_status status = tree_parse_yaml(text, &documents, r->err);

	if (status)
		return status;
	for (size_t i = 0; !status && i < json_array_size(documents); i++)
		status = take_document(r, json_array_get(documents, i), KIND_ABSENT, 0);
	json_decref(documents);
	return status;
}

/* --- the whole ---------------------------------------------------------------------------- */

/* What earlier files brought counts as seen; it was checked when it was read. */
static void see_earlier(struct reader *r, const struct shk_cluster *cluster)
{
	for (size_t i = 0; i < cluster->n_pods; i++) {
		const struct shk_pod *pod = &cluster->pods[i];

		(void)see_object(r, KIND_POD, pod->namespace_, pod->name, pod->uid);
	}
	for (size_t i = 0; i < cluster->n_nodes; i++)
		(void)see_object(r, KIND_NODE, NULL, cluster->nodes[i].name, cluster->nodes[i].uid);
	for (size_t i = 0; i < cluster->n_namespaces; i++)
		(void)see_object(r, KIND_NAMESPACE, NULL, cluster->namespaces[i].name, NULL);
	for (size_t i = 0; i < cluster->n_priority_classes; i++)
		(void)see_object(r, KIND_PRIORITY_CLASS, NULL, cluster->priority_classes[i].name,
				 NULL);
	for (size_t i = 0; i < cluster->n_resource_quotas; i++) {
		const struct shk_resource_quota *quota = &cluster->resource_quotas[i];

		(void)see_object(r, KIND_RESOURCE_QUOTA, quota->namespace_, quota->name, NULL);
	}
}

/* The earlier items and the new ones as one array. */
static const void *joined(struct reader *r, enum kind kind, const void *earlier, size_t *n)
{
	const struct pile *pile = &r->piles[kind];
	size_t size = kind_rows[kind].size;

	if (pile->n == 0)
		return earlier;

	char *items = shk_arena_array(r->arena, *n + pile->n, size);

	if (*n > 0)
		memcpy(items, earlier, *n * size);
	memcpy(items + *n * size, pile->items, pile->n * size);
	*n += pile->n;
	return items;
}

static void join(struct reader *r, struct shk_cluster *cluster)
{
	cluster->pods = joined(r, KIND_POD, cluster->pods, &cluster->n_pods);
	cluster->nodes = joined(r, KIND_NODE, cluster->nodes, &cluster->n_nodes);
	cluster->namespaces =
	    joined(r, KIND_NAMESPACE, cluster->namespaces, &cluster->n_namespaces);
	cluster->priority_classes =
	    joined(r, KIND_PRIORITY_CLASS, cluster->priority_classes, &cluster->n_priority_classes);
	cluster->resource_quotas =
	    joined(r, KIND_RESOURCE_QUOTA, cluster->resource_quotas, &cluster->n_resource_quotas);
}

enum shk_status shk_cluster_read(struct shk_sv text, struct shk_arena *arena,
				 struct shk_cluster *cluster, struct shk_error *err)
{
	struct reader r = {.arena = arena, .err = err};

	shk_arena_init(&r.keys, 0);
	shk_map_init(&r.seen, &r.keys, 0);
	see_earlier(&r, cluster);

	enum shk_status status =
	    tree_is_json(text) ? read_text_object(&r, text, 0) : read_yaml(&r, text);

	if (!status)
		join(&r, cluster);
	for (size_t i = 0; i < KIND_COUNT; i++)
		free(r.piles[i].items);
	shk_arena_fini(&r.keys);
	return status;
}
