#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/core/resource.h"

#include "tree.h"

struct condition_draft {
	const char *type;
	const char *status;
};

struct node_spec_draft {
	bool unschedulable;
};

struct node_status_draft {
	const json_t *capacity;
	const json_t *allocatable;
	const struct condition_draft *conditions;
	size_t n_conditions;
};

struct node_draft {
	struct object_meta meta;
	struct node_spec_draft spec;
	struct node_status_draft status;
};

static const struct field condition_fields[] = {
    {.key = "type", .read = read_text, .offset = offsetof(struct condition_draft, type)},
    {.key = "status", .read = read_text, .offset = offsetof(struct condition_draft, status)},
};

static const struct shape condition_shape = {SHAPE_FIELDS(condition_fields)};
static const struct list_rule condition_list = {sizeof(struct condition_draft), &condition_shape};

static const struct field node_spec_fields[] = {
    {.key = "unschedulable",
     .read = read_bool,
     .offset = offsetof(struct node_spec_draft, unschedulable)},
};

static const struct shape node_spec_shape = {SHAPE_FIELDS(node_spec_fields)};

static const struct field node_status_fields[] = {
    {.key = "capacity",
     .read = read_members,
     .offset = offsetof(struct node_status_draft, capacity)},
    {.key = "allocatable",
     .read = read_members,
     .offset = offsetof(struct node_status_draft, allocatable)},
    {.key = "conditions",
     .read = read_list,
     .offset = offsetof(struct node_status_draft, conditions),
     .count = offsetof(struct node_status_draft, n_conditions),
     .rule = &condition_list},
};

static const struct shape node_status_shape = {SHAPE_FIELDS(node_status_fields)};

static const struct field node_fields[] = {
    {.key = "kind", .read = read_ignored}, /* object_check_kind looks at it */
    {.key = "metadata",
     .read = read_object,
     .offset = offsetof(struct node_draft, meta),
     .rule = &object_meta_shape,
     .is_required = true},
    {.key = "spec",
     .read = read_object,
     .offset = offsetof(struct node_draft, spec),
     .rule = &node_spec_shape},
    {.key = "status",
     .read = read_object,
     .offset = offsetof(struct node_draft, status),
     .rule = &node_status_shape},
};

static const struct shape node_shape = {SHAPE_FIELDS(node_fields)};

/* Unlike a pod's, a node's amounts come from kubelet: one that can't be read is an error. */
static enum shk_status add_resources(const struct spot *spot, const json_t *amounts,
				     bool is_capacity, struct shk_node_resource *resources,
				     size_t *n)
{
	void *iter = NULL;
	const char *resource;
	const json_t *value;

	while (amounts && object_next(amounts, &iter, &resource, &value)) {
		struct spot here = spot_key(spot, resource);
		int64_t amount;

		if (!shk_resource_is_managed(resource))
			continue;
		if (!amount_read(value, &amount))
			return spot_fail(&here, "not a whole number of 0..2147483648");
		resources[(*n)++] = (struct shk_node_resource){
		    .resource = shk_arena_strdup(spot->arena, resource),
		    .capacity = is_capacity ? amount : 0,
		    .allocatable = is_capacity ? 0 : amount,
		};
	}
	return SHK_OK;
}

static int compare_resources(const void *a, const void *b)
{
	const struct shk_node_resource *left = a;
	const struct shk_node_resource *right = b;

	return strcmp(left->resource, right->resource);
}

static size_t merge_resources(struct shk_node_resource *resources, size_t n)
{
	size_t kept = 0;

	qsort(resources, n, sizeof *resources, compare_resources);
	for (size_t i = 0; i < n; i++) {
		struct shk_node_resource *last = kept > 0 ? &resources[kept - 1] : NULL;

		if (!last || strcmp(last->resource, resources[i].resource) != 0) {
			resources[kept++] = resources[i];
			continue;
		}
		last->capacity += resources[i].capacity; /* one of the two is 0 */
		last->allocatable += resources[i].allocatable;
	}
	return kept;
}

static enum shk_status read_resources(const struct spot *spot,
				      const struct node_status_draft *status_draft,
				      struct shk_node_facts *node)
{
	size_t most =
	    json_object_size(status_draft->capacity) + json_object_size(status_draft->allocatable);
	struct shk_node_resource *resources =
	    SHK_NEW_ARRAY(spot->arena, most, struct shk_node_resource);
	struct spot here = spot_key(spot, "status");
	struct spot capacity = spot_key(&here, "capacity");
	struct spot allocatable = spot_key(&here, "allocatable");
	size_t n = 0;
	enum shk_status status =
	    add_resources(&capacity, status_draft->capacity, true, resources, &n);

	if (!status)
		status =
		    add_resources(&allocatable, status_draft->allocatable, false, resources, &n);
	node->resources = resources;
	node->n_resources = status ? 0 : merge_resources(resources, n);
	return status;
}

static bool is_ready(const struct node_status_draft *status)
{
	for (size_t i = 0; i < status->n_conditions; i++) {
		if (shk_str_equals(status->conditions[i].type, "Ready"))
			return shk_str_equals(status->conditions[i].status, "True");
	}
	return false;
}

static enum shk_status require_name(const struct spot *spot, const char *name)
{
	struct spot metadata = spot_key(spot, "metadata");
	struct spot here = spot_key(&metadata, "name");

	return name ? SHK_OK : spot_fail(&here, "missing");
}

enum shk_status node_read(const struct spot *spot, const json_t *value,
			  struct shk_node_facts *ret_node)
{
	struct node_draft draft = {0};
	enum shk_status status = decode_object(spot, value, &node_shape, &draft);

	if (!status)
		status = require_name(spot, draft.meta.name);
	if (status)
		return status;
	*ret_node = (struct shk_node_facts){
	    .name = draft.meta.name,
	    .uid = draft.meta.uid,
	    .resource_version = draft.meta.resource_version,
	    .created_s = draft.meta.created_s,
	    .labels = draft.meta.labels,
	    .cpu_milli = cpu_read(json_object_get(draft.status.allocatable, "cpu")),
	    .ready = is_ready(&draft.status),
	    .unschedulable = draft.spec.unschedulable,
	};
	return read_resources(spot, &draft.status, ret_node);
}

enum shk_status shk_node_decode(struct shk_sv text, struct shk_arena *arena,
				struct shk_node_facts *ret_node, struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	struct shk_node_facts node = {0};
	json_t *tree;
	enum shk_status status = tree_parse_shape(text, &shk_scan_object, &node_shape, &tree, err);

	if (status)
		return status;
	status = object_check_kind(&root, tree, "Node");
	if (!status)
		status = node_read(&root, tree, &node);
	json_decref(tree);
	if (!status)
		*ret_node = node;
	return status;
}
