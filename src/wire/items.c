/* items.c - the small kinds: Namespace, PriorityClass, ResourceQuota. */
#include "objects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/names.h"

#include "tree.h"

static enum shk_status require_meta(const struct spot *spot, const char *key, const char *text)
{
	struct spot metadata = spot_key(spot, "metadata");
	struct spot here = spot_key(&metadata, key);

	return text ? SHK_OK : spot_fail(&here, "missing");
}

/* --- Namespace ---------------------------------------------------------------------------- */

struct namespace_draft {
	struct object_meta meta;
};

static const struct field namespace_fields[] = {
    {.key = "metadata",
     .read = read_object,
     .offset = offsetof(struct namespace_draft, meta),
     .rule = &object_meta_shape,
     .is_required = true},
};

static const struct shape namespace_shape = {SHAPE_FIELDS(namespace_fields)};

enum shk_status namespace_read(const struct spot *spot, const json_t *value,
			       struct shk_namespace *ret_namespace)
{
	struct namespace_draft draft = {0};
	struct spot metadata = spot_key(spot, "metadata");
	struct spot name = spot_key(&metadata, "name");
	enum shk_status status = decode_object(spot, value, &namespace_shape, &draft);

	if (!status)
		status = require_meta(spot, "name", draft.meta.name);
	if (status)
		return status;
	if (!shk_name_is_label(shk_sv(draft.meta.name)))
		return spot_fail(&name, "\"%s\" is not a DNS label", draft.meta.name);
	*ret_namespace = (struct shk_namespace){
	    .name = draft.meta.name,
	    .labels = draft.meta.labels,
	};
	return SHK_OK;
}

enum shk_status shk_namespace_decode(struct shk_sv text, struct shk_arena *arena,
				     struct shk_namespace *ret_namespace, struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	json_t *tree;
	enum shk_status status = tree_parse_json(text, &shk_scan_object, &tree, err);

	if (status)
		return status;
	status = object_check_kind(&root, tree, "Namespace");
	if (!status)
		status = namespace_read(&root, tree, ret_namespace);
	json_decref(tree);
	return status;
}

/* --- PriorityClass ------------------------------------------------------------------------ */

struct priority_class_draft {
	struct object_meta meta;
	int64_t value;
	bool global_default;
};

static const struct field priority_class_fields[] = {
    {.key = "metadata",
     .read = read_object,
     .offset = offsetof(struct priority_class_draft, meta),
     .rule = &object_meta_shape,
     .is_required = true},
    {.key = "value",
     .read = read_int,
     .offset = offsetof(struct priority_class_draft, value),
     .min = INT32_MIN,
     .max = INT32_MAX,
     .is_required = true},
    {.key = "globalDefault",
     .read = read_bool,
     .offset = offsetof(struct priority_class_draft, global_default)},
};

static const struct shape priority_class_shape = {SHAPE_FIELDS(priority_class_fields)};

enum shk_status priority_class_read(const struct spot *spot, const json_t *value,
				    struct shk_priority_class *ret_class)
{
	struct priority_class_draft draft = {0};
	enum shk_status status = decode_object(spot, value, &priority_class_shape, &draft);

	if (!status)
		status = require_meta(spot, "name", draft.meta.name);
	if (!status)
		*ret_class = (struct shk_priority_class){
		    .name = draft.meta.name,
		    .value = draft.value,
		    .global_default = draft.global_default,
		};
	return status;
}

enum shk_status shk_priority_class_decode(struct shk_sv text, struct shk_arena *arena,
					  struct shk_priority_class *ret_class,
					  struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	json_t *tree;
	enum shk_status status = tree_parse_json(text, &shk_scan_object, &tree, err);

	if (status)
		return status;
	status = object_check_kind(&root, tree, "PriorityClass");
	if (!status)
		status = priority_class_read(&root, tree, ret_class);
	json_decref(tree);
	return status;
}

/* --- ResourceQuota ------------------------------------------------------------------------ */

struct resource_quota_draft {
	struct object_meta meta;
	struct {
		struct shk_labels hard;
	} spec;
};

static int compare_pairs(const void *a, const void *b)
{
	const struct shk_pair *left = a;
	const struct shk_pair *right = b;

	return strcmp(left->key, right->key);
}

/* Quantities as written: most are strings, hand-made files have numbers too. */
static enum shk_status read_hard(const struct spot *spot, const struct field *field,
				 const json_t *value, void *target)
{
	struct shk_labels *hard = field_at(field, target);
	void *iter = NULL;
	const char *key;
	const json_t *amount;

	if (!json_is_object(value))
		return spot_fail(spot, "not an object");

	struct shk_pair *pairs =
	    SHK_NEW_ARRAY(spot->arena, json_object_size(value), struct shk_pair);
	size_t n = 0;

	while (object_next(value, &iter, &key, &amount)) {
		struct spot here = spot_key(spot, key);

		if (json_is_string(amount))
			pairs[n].value = shk_arena_strdup(spot->arena, json_string_value(amount));
		else if (json_is_integer(amount))
			pairs[n].value = shk_arena_printf(spot->arena, "%" PRId64,
							  (int64_t)json_integer_value(amount));
		else if (json_is_real(amount))
			pairs[n].value =
			    shk_arena_printf(spot->arena, "%.15g", json_real_value(amount));
		else
			return spot_fail(&here, "not a quantity");
		pairs[n++].key = shk_arena_strdup(spot->arena, key);
	}
	qsort(pairs, n, sizeof *pairs, compare_pairs);
	hard->items = pairs;
	hard->n = n;
	return SHK_OK;
}

static const struct field quota_spec_fields[] = {
    {.key = "hard", .read = read_hard, .offset = 0},
};

static const struct shape quota_spec_shape = {SHAPE_FIELDS(quota_spec_fields)};

static const struct field resource_quota_fields[] = {
    {.key = "metadata",
     .read = read_object,
     .offset = offsetof(struct resource_quota_draft, meta),
     .rule = &object_meta_shape,
     .is_required = true},
    {.key = "spec",
     .read = read_object,
     .offset = offsetof(struct resource_quota_draft, spec),
     .rule = &quota_spec_shape},
};

static const struct shape resource_quota_shape = {SHAPE_FIELDS(resource_quota_fields)};

enum shk_status resource_quota_read(const struct spot *spot, const json_t *value,
				    struct shk_resource_quota *ret_quota)
{
	struct resource_quota_draft draft = {0};
	enum shk_status status = decode_object(spot, value, &resource_quota_shape, &draft);

	if (!status)
		status = require_meta(spot, "name", draft.meta.name);
	if (!status)
		status = require_meta(spot, "namespace", draft.meta.namespace_);
	if (!status)
		*ret_quota = (struct shk_resource_quota){
		    .namespace_ = draft.meta.namespace_,
		    .name = draft.meta.name,
		    .hard = draft.spec.hard,
		};
	return status;
}
