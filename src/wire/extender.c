#include "shikiri/wire/extender.h"

#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "objects.h"
#include "sort.h"
#include "tree.h"

/* --- filter and prioritize ---------------------------------------------------------------- */

static enum shk_status names_fail(struct body *body, const char *text)
{
	struct spot root = spot_root(body->arena, body->err);
	struct spot list = spot_key(&root, "NodeNames");
	struct spot item = spot_item(&list, body->names.n);

	return spot_fail(&item, "%s", text);
}

static enum shk_status read_names_part(struct body *body)
{
	struct scanner *s = &body->s;
	bool is_end = false;

	if (scanner_peek(s) != '[')
		return shk_error_at(body->err, SHK_E_INPUT, "/NodeNames", "not a list");
	body->has_names = true;

	enum shk_status status = scanner_open(s);

	for (;;) {
		struct shk_sv name;

		if (!status)
			status = scanner_item(s, &is_end);
		if (status || is_end)
			return status;
		if (scanner_peek(s) != '"')
			return names_fail(body, "not a string");
		status = scanner_string(s, &name);
		if (!status && (name.len == 0 || name.len > LONGEST_NODE_NAME))
			status = names_fail(body, "not a name of 1 to 253 bytes");
		if (!status)
			texts_push(&body->names, name);
	}
}

/* Each node counts its tokens for itself: their number isn't bounded by what one tree may cost. */
static enum shk_status read_node_items(struct body *body)
{
	struct scanner *s = &body->s;
	size_t tokens = s->tokens;
	bool is_end = false;

	if (scanner_peek(s) == 'n')
		return scanner_value(s);
	if (scanner_peek(s) != '[')
		return shk_error_at(body->err, SHK_E_INPUT, "/Nodes/items", "not a list");

	enum shk_status status = scanner_open(s);

	for (;;) {
		if (!status)
			status = scanner_item(s, &is_end);
		if (status || is_end)
			return status;
		(void)scanner_peek(s); /* skips the blanks */
		s->tokens = tokens;

		const char *start = s->at;

		status = scanner_value(s);
		texts_push(&body->nodes, (struct shk_sv){start, (size_t)(s->at - start)});
	}
}

static enum shk_status read_nodes_part(struct body *body)
{
	struct scanner *s = &body->s;
	bool is_end = false;

	if (scanner_peek(s) != '{')
		return shk_error_at(body->err, SHK_E_INPUT, "/Nodes", "not an object");
	body->has_nodes = true;

	enum shk_status status = scanner_open(s);

	while (!status && !is_end) {
		struct shk_sv key;

		status = scanner_member(s, &key, &is_end);
		if (status || is_end)
			break;
		status = shk_sv_is(key, "items") ? read_node_items(body) : scanner_value(s);
	}
	return status;
}

static void take_names(struct body *body, struct shk_extender_args *args)
{
	struct shk_sv *texts = body->names.items;
	size_t n = sort_texts(texts, body->names.n, body->arena);
	const char **names = SHK_NEW_ARRAY(body->arena, n, const char *);
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += texts[i].len + 1;

	char *block = shk_arena_alloc(body->arena, bytes);

	for (size_t i = 0; i < n; i++) {
		names[i] = block;
		memcpy(block, texts[i].data, texts[i].len);
		block += texts[i].len + 1; /* the arena's memory is zeroed */
	}
	args->names = names;
	args->n_names = n;
}

struct full_node {
	struct shk_node_facts facts;
	struct shk_sv text;
	size_t index;
};

static int compare_full_nodes(const void *a, const void *b)
{
	const struct full_node *left = a;
	const struct full_node *right = b;
	int order = strcmp(left->facts.name, right->facts.name);

	if (order != 0)
		return order;
	return left->index < right->index ? -1 : 1;
}

static enum shk_status decode_node(struct body *body, struct full_node *node)
{
	struct spot root = spot_root(body->arena, body->err);
	struct spot nodes = spot_key(&root, "Nodes");
	struct spot items = spot_key(&nodes, "items");
	struct spot here = spot_item(&items, node->index);
	json_t *tree;
	enum shk_status status = tree_parse_json(node->text, &shk_scan_object, &tree, body->err);

	if (status)
		return status;
	status = node_read(&here, tree, &node->facts);
	json_decref(tree);
	return status;
}

/* The first of several nodes with one name is the one that counts. */
static void take_sorted_nodes(struct body *body, const struct full_node *sorted, size_t n,
			      struct shk_extender_args *args)
{
	const char **names = SHK_NEW_ARRAY(body->arena, n, const char *);
	struct shk_node_facts *nodes = SHK_NEW_ARRAY(body->arena, n, struct shk_node_facts);
	struct shk_sv *texts = SHK_NEW_ARRAY(body->arena, n, struct shk_sv);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(names[kept - 1], sorted[i].facts.name) == 0)
			continue;
		names[kept] = sorted[i].facts.name;
		nodes[kept] = sorted[i].facts;
		texts[kept++] = sorted[i].text;
	}
	args->full_nodes = true;
	args->names = names;
	args->n_names = kept;
	args->nodes = nodes;
	args->node_texts = texts;
}

static enum shk_status take_nodes(struct body *body, struct shk_extender_args *args)
{
	size_t n = body->nodes.n;
	struct full_node *nodes = SHK_NEW_ARRAY(body->arena, n, struct full_node);
	enum shk_status status = SHK_OK;

	for (size_t i = 0; !status && i < n; i++) {
		nodes[i].text = body->nodes.items[i];
		nodes[i].index = i;
		status = decode_node(body, &nodes[i]);
	}
	if (status)
		return status;
	qsort(nodes, n, sizeof *nodes, compare_full_nodes);
	take_sorted_nodes(body, nodes, n, args);
	return SHK_OK;
}

enum shk_status shk_extender_args_decode(struct shk_sv text, struct shk_arena *arena,
					 struct shk_extender_args *ret_args, struct shk_error *err)
{
	static const struct part parts[] = {
	    {"Pod", body_read_pod},
	    {"Nodes", read_nodes_part},
	    {"NodeNames", read_names_part},
	};
	struct body body = {.arena = arena, .err = err};
	struct shk_extender_args args = {0};
	enum shk_status status = body_walk(&body, text, parts, sizeof parts / sizeof parts[0]);

	if (!status)
		status = body_decode_pod(&body, &args.pod);
	if (!status && body.has_nodes && !body.has_names)
		status = take_nodes(&body, &args);
	else if (!status)
		take_names(&body, &args);
	body_fini(&body);
	if (!status)
		*ret_args = args;
	return status;
}

/* --- bind --------------------------------------------------------------------------------- */

static bool is_node_name(struct shk_sv text)
{
	return text.len > 0 && text.len <= LONGEST_NODE_NAME;
}

static const struct text_rule node_name = {is_node_name, "a name of 1 to 253 bytes"};

static const struct field bind_fields[] = {
    {.key = "PodName",
     .read = read_text,
     .offset = offsetof(struct shk_bind_args, name),
     .rule = &text_subdomain,
     .is_required = true},
    {.key = "PodNamespace",
     .read = read_text,
     .offset = offsetof(struct shk_bind_args, namespace_),
     .rule = &text_label,
     .is_required = true},
    {.key = "PodUID",
     .read = read_text,
     .offset = offsetof(struct shk_bind_args, uid),
     .rule = &text_uid,
     .is_required = true},
    {.key = "Node",
     .read = read_text,
     .offset = offsetof(struct shk_bind_args, node),
     .rule = &node_name,
     .is_required = true},
};

static const struct shape bind_shape = {SHAPE_FIELDS(bind_fields), .any_case = true};

enum shk_status shk_bind_args_decode(struct shk_sv text, struct shk_arena *arena,
				     struct shk_bind_args *ret_args, struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	struct shk_bind_args args = {0};
	json_t *tree;
	enum shk_status status = tree_parse_json(text, &shk_scan_extender, &tree, err);

	if (status)
		return status;
	status = decode_object(&root, tree, &bind_shape, &args);
	json_decref(tree);
	if (!status)
		*ret_args = args;
	return status;
}
