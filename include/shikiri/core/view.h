/* view.h - everything a decision looks at, as one immutable value.
 *
 * Published by the state thread, built in an arena by the offline CLI and by dry runs. */
#ifndef SHIKIRI_CORE_VIEW_H
#define SHIKIRI_CORE_VIEW_H

#include "shikiri/base/map.h"
#include "shikiri/core/books.h"
#include "shikiri/core/model.h"
#include "shikiri/core/node.h"
#include "shikiri/core/policy.h"
#include "shikiri/core/tenancy.h"

struct shk_view {
	uint64_t version;
	uint64_t ledger_seq;
	const char *not_ready; /* cause as constant text, or NULL when decisions may be made */
	const struct shk_node *const *nodes; /* sorted by name */
	size_t n_nodes;
	const struct shk_map *node_index; /* name -> index into nodes */
	const struct shk_tenancy *tenancy;
	const struct shk_policy *policy;
	const struct shk_books *books;
	const struct shk_priority_class *priority_classes;
	size_t n_priority_classes;
};

/* What changes faster than the view: the time and who is on the way in. */
struct shk_moment {
	int64_t now_s;                /* wall clock; grants end by it */
	const struct shk_hold *holds; /* bind passes none */
	size_t n_holds;
};

const struct shk_node *shk_view_node(const struct shk_view *view, const char *name);

/* Nodes to imagine: count bare copies of the node named like, called <like>-hypothetical-<i>. */
struct shk_hypothetical {
	const char *like;
	int64_t count; /* at least 1 */
};

/* The view with all wishes granted, in arena. Returns n, or the index of the first wish whose node
 * doesn't exist (then nothing is written). */
size_t shk_view_extend(const struct shk_view *view, const struct shk_hypothetical *wishes, size_t n,
		       struct shk_arena *arena, struct shk_view *ret_view);

/* A copy of view in arena to which nodes can be added and allocations applied, for plans. */
struct shk_draft {
	struct shk_view view; /* valid after every call */
	struct shk_arena *arena;
	const struct shk_node **nodes;
	struct shk_books books;
	struct shk_map index;
};

void shk_draft_begin(struct shk_draft *draft, const struct shk_view *view, struct shk_arena *arena);
/* Adds a node, or replaces the one of the same name (its residents stay). */
void shk_draft_node(struct shk_draft *draft, const struct shk_node_base *base);
/* Puts alloc on its node (if the view has it) and into the books. cpu_milli is added to the
 * node's use. */
void shk_draft_alloc(struct shk_draft *draft, const struct shk_alloc *alloc, int64_t cpu_milli);

#endif
