/* world_priv.h - the parts of a world that its two sources share. */
#ifndef SHIKIRI_APP_WORLD_PRIV_H
#define SHIKIRI_APP_WORLD_PRIV_H

#include "world.h"

/* One node as it will be built by the next settle. */
struct shk_node_edit {
	size_t index;
	struct shk_base_object *base;     /* reference */
	struct shk_alloc_object **allocs; /* references */
	size_t n;
	size_t cap;
	int64_t cpu_used_milli;
};

/* The edit of a node, begun if there is none. Valid until the next edit or settle. */
struct shk_node_edit *shk_world_edit(struct shk_world *world, size_t index);
void shk_world_edit_push(struct shk_node_edit *edit, struct shk_alloc_object *alloc);
/* Adds or takes the pod's CPU from its node, if it is placed and the node known. */
void shk_world_cpu(struct shk_world *world, const struct shk_pod_object *pod, int sign);
/* Takes the reference to node. */
void shk_world_place(struct shk_edition *edition, size_t index, struct shk_node_object *node);
void shk_chunk_free(struct shk_object *object);

#endif
