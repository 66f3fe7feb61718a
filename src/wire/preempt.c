#include "shikiri/wire/extender.h"

#include <stdlib.h>
#include <string.h>

#include "body.h"

struct victim_draft {
	const char *uid;
};

struct victims_draft {
	const struct victim_draft *pods;
	size_t n_pods;
	int64_t pdb_violations;
};

static const struct field victim_meta_fields[] = {
    {.key = "uid",
     .read = read_text,
     .offset = offsetof(struct victim_draft, uid),
     .rule = &text_uid,
     .is_required = true},
};

static const struct shape victim_meta_shape = {SHAPE_FIELDS(victim_meta_fields)};

static const struct field victim_pod_fields[] = {
    {.key = "metadata", .read = read_object, .rule = &victim_meta_shape, .is_required = true},
};

static const struct shape victim_pod_shape = {SHAPE_FIELDS(victim_pod_fields)};
static const struct list_rule full_list = {sizeof(struct victim_draft), &victim_pod_shape};

static const struct field meta_victim_fields[] = {
    {.key = "UID",
     .read = read_text,
     .offset = offsetof(struct victim_draft, uid),
     .rule = &text_uid,
     .is_required = true},
};

static const struct shape meta_victim_shape = {SHAPE_FIELDS(meta_victim_fields), .any_case = true};
static const struct list_rule meta_list = {sizeof(struct victim_draft), &meta_victim_shape};

#define VICTIMS_FIELDS(list)                                                                       \
	{                                                                                          \
		{.key = "Pods",                                                                    \
		 .read = read_list,                                                                \
		 .offset = offsetof(struct victims_draft, pods),                                   \
		 .count = offsetof(struct victims_draft, n_pods),                                  \
		 .rule = (list)},                                                                  \
		    {.key = "NumPDBViolations",                                                    \
		     .read = read_int,                                                             \
		     .offset = offsetof(struct victims_draft, pdb_violations),                     \
		     .max = INT64_MAX},                                                            \
	}

static const struct field full_fields[] = VICTIMS_FIELDS(&full_list);
static const struct field meta_fields[] = VICTIMS_FIELDS(&meta_list);
static const struct shape full_shape = {SHAPE_FIELDS(full_fields), .any_case = true};
static const struct shape meta_shape = {SHAPE_FIELDS(meta_fields), .any_case = true};

static enum shk_status read_victims_part(struct body *body)
{
	return body_take_object(body, "NodeNameToVictims", &body->victims);
}

static enum shk_status read_meta_victims_part(struct body *body)
{
	return body_take_object(body, "NodeNameToMetaVictims", &body->meta_victims);
}

static enum shk_status read_victims(const struct spot *spot, const json_t *value,
				    const struct shape *shape, struct shk_victims *ret_victims)
{
	struct victims_draft draft = {0};
	enum shk_status status = SHK_OK;

	if (spot->key[0] == '\0' || strlen(spot->key) > LONGEST_NODE_NAME)
		return spot_fail(spot, "not a name of 1 to 253 bytes");
	if (!json_is_null(value))
		status = decode_object(spot, value, shape, &draft);
	if (status)
		return status;

	const char **uids = SHK_NEW_ARRAY(spot->arena, draft.n_pods, const char *);

	for (size_t i = 0; i < draft.n_pods; i++)
		uids[i] = draft.pods[i].uid;
	*ret_victims = (struct shk_victims){
	    .node = shk_arena_strdup(spot->arena, spot->key),
	    .uids = uids,
	    .n_uids = draft.n_pods,
	    .pdb_violations = draft.pdb_violations,
	};
	return SHK_OK;
}

static int compare_victims(const void *a, const void *b)
{
	const struct shk_victims *left = a;
	const struct shk_victims *right = b;

	return strcmp(left->node, right->node);
}

static enum shk_status read_victims_map(const struct spot *spot, const json_t *map,
					const struct shape *shape, struct shk_preempt_args *args)
{
	struct shk_victims *nodes =
	    SHK_NEW_ARRAY(spot->arena, json_object_size(map), struct shk_victims);
	void *iter = NULL;
	const char *node;
	const json_t *value;
	size_t n = 0;

	while (object_next(map, &iter, &node, &value)) {
		struct spot here = spot_key(spot, node);
		enum shk_status status = read_victims(&here, value, shape, &nodes[n]);

		if (status)
			return status;
		n++;
	}
	qsort(nodes, n, sizeof *nodes, compare_victims);
	args->nodes = nodes;
	args->n_nodes = n;
	return SHK_OK;
}

/* As with the nodes of the other verbs, the short form wins. */
static enum shk_status decode_victims(struct body *body, struct shk_preempt_args *args)
{
	struct spot root = spot_root(body->arena, body->err);
	struct spot victims = spot_key(&root, "NodeNameToVictims");
	struct spot meta_victims = spot_key(&root, "NodeNameToMetaVictims");

	if (body->meta_victims)
		return read_victims_map(&meta_victims, body->meta_victims, &meta_shape, args);
	if (body->victims)
		return read_victims_map(&victims, body->victims, &full_shape, args);
	return SHK_OK;
}

enum shk_status shk_preempt_args_decode(struct shk_sv text, struct shk_arena *arena,
					struct shk_preempt_args *ret_args, struct shk_error *err)
{
	static const struct part parts[] = {
	    {"Pod", body_read_pod},
	    {"NodeNameToVictims", read_victims_part},
	    {"NodeNameToMetaVictims", read_meta_victims_part},
	};
	struct body body = {.arena = arena, .err = err};
	struct shk_preempt_args args = {0};
	enum shk_status status = body_walk(&body, text, parts, sizeof parts / sizeof parts[0]);

	if (!status)
		status = body_decode_pod(&body, &args.pod);
	if (!status)
		status = decode_victims(&body, &args);
	body_fini(&body);
	if (!status)
		*ret_args = args;
	return status;
}
