/* world.h - the next edition under construction: cluster facts and allocations go in, a view
 * comes out.
 *
 * Owned by the state thread between _begin and _publish or _drop. Nodes that were touched are
 * built again by _settle, which every look at the view goes through; so that each decision of
 * a batch sees the earlier ones. `used` comes from allocations alone; CPU from all placed pods. */
#ifndef SHIKIRI_APP_WORLD_H
#define SHIKIRI_APP_WORLD_H

#include "edition.h"

struct shk_node_edit; /* private */

struct shk_world {
	struct shk_edition *next;
	struct shk_node_edit *edits; /* nodes touched since the last settle */
	size_t n_edits;
	size_t cap_edits;
	uint32_t *edit_of; /* by node: 1 + its edit, 0 none; NULL while there are none */
	bool changed;      /* says something else than what it began from */
	bool loosened;     /* a pod that was refused may pass now */
};

void shk_world_begin(struct shk_world *world, const struct shk_edition *from);
/* The first: nothing in it yet. */
void shk_world_begin_empty(struct shk_world *world, struct shk_policy_object *policy,
			   struct shk_documents_object *documents);
void shk_world_drop(struct shk_world *world); /* accepts a zeroed one */
/* The edition, with one reference that is the caller's. */
struct shk_edition *shk_world_publish(struct shk_world *world, uint64_t ledger_seq);

/* The view as of now. Valid until the next change. */
const struct shk_view *shk_world_settle(struct shk_world *world);

/* Nodes come, or are replaced where the name is known; residents stay. Any number at once: the
 * directory is made again when one of them is new. Facts are referenced. */
void shk_world_nodes(struct shk_world *world, struct shk_facts_object *const *facts, size_t n);
/* Nodes go; their allocations and pods stay where they say they are. Unknown names are fine. */
void shk_world_nodes_gone(struct shk_world *world, const char *const *names, size_t n);
/* The mark stays with the name, whether or not there is such a node. */
void shk_world_mark(struct shk_world *world, enum shk_mark mark, const char *node, bool on);

/* A pod comes or changes (by uid). Another pod of the same name must have gone before. */
void shk_world_pod(struct shk_world *world, struct shk_pod_object *pod);
void shk_world_pod_gone(struct shk_world *world, struct shk_pod_object *pod);

/* The uid must not be live. */
void shk_world_alloc(struct shk_world *world, struct shk_alloc_object *alloc);
/* The same allocation in another state. The uid must be live. */
void shk_world_alloc_move(struct shk_world *world, const char *uid, enum shk_alloc_state state);
/* false when the uid has none. */
bool shk_world_alloc_end(struct shk_world *world, const char *uid);
/* All allocations go, for who is about to fill them in again. */
void shk_world_alloc_clear(struct shk_world *world);

/* The same documents about another cluster: namespaces or priority classes changed. No node is
 * judged again, as none of that is in one. */
void shk_world_cluster(struct shk_world *world, struct shk_documents_object *documents);
/* Either may be NULL: unchanged. Every node is judged again. */
void shk_world_rules(struct shk_world *world, struct shk_policy_object *policy,
		     struct shk_documents_object *documents);
/* Constant text, or NULL. */
void shk_world_not_ready(struct shk_world *world, const char *cause);

#endif
