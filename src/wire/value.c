#include "shikiri/wire/value.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/arena.h"

#include "fields.h"
#include "tree.h"
#include "value_tree.h"

static int compare_members(const void *a, const void *b)
{
	const struct value_member *left = a;
	const struct value_member *right = b;

	return strcmp(left->key, right->key);
}

static void copy_value(struct shk_arena *arena, const json_t *from, struct shk_value *to);

static void copy_array(struct shk_arena *arena, const json_t *from, struct shk_value *to)
{
	size_t n = json_array_size(from);
	struct shk_value *items = SHK_NEW_ARRAY(arena, n, struct shk_value);

	for (size_t i = 0; i < n; i++)
		copy_value(arena, json_array_get(from, i), &items[i]);
	to->type = VALUE_ARRAY;
	to->items = items;
	to->n = n;
}

static void copy_object(struct shk_arena *arena, const json_t *from, struct shk_value *to)
{
	size_t n = json_object_size(from);
	struct value_member *members = SHK_NEW_ARRAY(arena, n, struct value_member);
	void *iter = NULL;
	const char *key;
	const json_t *value;

	for (size_t i = 0; object_next(from, &iter, &key, &value); i++) {
		members[i].key = shk_arena_strdup(arena, key);
		copy_value(arena, value, &members[i].value);
	}
	qsort(members, n, sizeof *members, compare_members);
	to->type = VALUE_OBJECT;
	to->members = members;
	to->n = n;
}

/* Depth is at most 64, or the tree wouldn't be there. */
static void copy_value(struct shk_arena *arena, const json_t *from, struct shk_value *to)
{
	switch (json_typeof(from)) {
	case JSON_OBJECT:
		copy_object(arena, from, to);
		break;
	case JSON_ARRAY:
		copy_array(arena, from, to);
		break;
	case JSON_STRING:
		to->type = VALUE_STRING;
		to->string = shk_arena_strdup(arena, json_string_value(from));
		break;
	case JSON_INTEGER:
		to->type = VALUE_INTEGER;
		to->integer = json_integer_value(from);
		break;
	case JSON_REAL:
		to->type = VALUE_REAL;
		to->real = json_real_value(from);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		to->type = VALUE_BOOL;
		to->boolean = json_is_true(from);
		break;
	case JSON_NULL:
		to->type = VALUE_NULL;
		break;
	}
}

static struct shk_value *make_root(json_t *tree)
{
	struct value_root *root = calloc(1, sizeof *root);

	if (!root)
		abort();
	shk_arena_init(&root->arena, 0);
	copy_value(&root->arena, tree, &root->value);
	json_decref(tree);
	return &root->value;
}

enum shk_status shk_value_parse(struct shk_sv text, const struct shk_scan_limits *limits,
				struct shk_value **ret_value, struct shk_error *err)
{
	json_t *tree;
	enum shk_status status = tree_parse_json(text, limits, &tree, err);

	if (!status)
		*ret_value = make_root(tree);
	return status;
}

enum shk_status shk_value_parse_yaml(struct shk_sv text, struct shk_value **ret_array,
				     struct shk_error *err)
{
	json_t *tree;
	enum shk_status status = tree_parse_documents(text, &shk_scan_document, &tree, err);

	if (!status)
		*ret_array = make_root(tree);
	return status;
}

void shk_value_free(struct shk_value *value)
{
	struct value_root *root = (struct value_root *)value; /* its first member */

	if (!root)
		return;
	shk_arena_fini(&root->arena);
	free(root);
}

static const struct shk_value *get_sv(const struct shk_value *value, struct shk_sv key)
{
	size_t low = 0;
	size_t high = value && value->type == VALUE_OBJECT ? value->n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *candidate = value->members[middle].key;
		int order = strncmp(candidate, key.data, key.len);

		if (order == 0 && candidate[key.len] == '\0')
			return &value->members[middle].value;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct shk_value *shk_value_get(const struct shk_value *value, const char *key)
{
	return get_sv(value, shk_sv(key));
}

const struct shk_value *shk_value_path(const struct shk_value *value, const char *dotted)
{
	for (;;) {
		struct shk_sv key = {.data = dotted, .len = strcspn(dotted, ".")};

		value = get_sv(value, key);
		if (!value || dotted[key.len] == '\0')
			return value;
		dotted += key.len + 1;
	}
}

const struct shk_value *shk_value_at(const struct shk_value *value, size_t index)
{
	if (!value || value->type != VALUE_ARRAY || index >= value->n)
		return NULL;
	return &value->items[index];
}

size_t shk_value_size(const struct shk_value *value)
{
	return shk_value_is_array(value) || shk_value_is_object(value) ? value->n : 0;
}

const struct shk_value *shk_value_member(const struct shk_value *value, size_t index,
					 const char **ret_key)
{
	if (!value || value->type != VALUE_OBJECT || index >= value->n)
		return NULL;
	*ret_key = value->members[index].key;
	return &value->members[index].value;
}

const char *shk_value_string(const struct shk_value *value)
{
	return value && value->type == VALUE_STRING ? value->string : NULL;
}

const char *shk_value_string_at(const struct shk_value *value, const char *dotted)
{
	const char *text = shk_value_string(shk_value_path(value, dotted));

	return text ? text : "";
}

int64_t shk_value_int(const struct shk_value *value, int64_t otherwise)
{
	return value && value->type == VALUE_INTEGER ? value->integer : otherwise;
}

bool shk_value_bool(const struct shk_value *value, bool otherwise)
{
	return value && value->type == VALUE_BOOL ? value->boolean : otherwise;
}

bool shk_value_is_array(const struct shk_value *value)
{
	return value && value->type == VALUE_ARRAY;
}

bool shk_value_is_object(const struct shk_value *value)
{
	return value && value->type == VALUE_OBJECT;
}
