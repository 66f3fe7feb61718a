/* node.h - a node as the decision sees it: pools, their kinds, fences and contradictions.
 *
 * Meaning comes from labels (GPU Feature Discovery, GPU operator, GKE, or a NodeFacts document),
 * feasibility from allocatable. A base changes when the Node object, the documents or the policy
 * do; a node is a base with its residents, and changes with every bind and release.
 * Both are built once in an arena and never changed. Pure. */
#ifndef SHIKIRI_CORE_NODE_H
#define SHIKIRI_CORE_NODE_H

#include "shikiri/base/arena.h"
#include "shikiri/core/geometry.h"
#include "shikiri/core/model.h"
#include "shikiri/core/policy.h"
#include "shikiri/core/reason.h"
#include "shikiri/core/resource.h"
#include "shikiri/core/tenancy.h"

enum shk_pool_kind {
	SHK_POOL_UNKNOWN = 0, /* refuse */
	SHK_POOL_CARD,
	SHK_POOL_MIG,
	SHK_POOL_SHARED,
	SHK_POOL_SHARED_MIG,
};

const char *shk_pool_kind_name(enum shk_pool_kind kind); /* "shared-mig" */
bool shk_pool_is_soft(enum shk_pool_kind kind);          /* no wall between its holders */

/* What one requested unit of a pool is of a card. Integers: the charge divides once. */
struct shk_weight {
	bool known;        /* false: neither table nor labels can weigh it */
	int64_t share_num; /* gpuEquivalents before the model factor, without replicas */
	int64_t share_den;
	int64_t slices;       /* compute slices */
	int64_t gib;          /* 0: not known */
	int64_t replicas;     /* R, at least 1 */
	int64_t factor_micro; /* model factor */
	int64_t price_micro;  /* -1: no price */
};

struct shk_pool {
	const char *resource;
	struct shk_resource name;
	enum shk_pool_kind kind;
	enum shk_sharing sharing; /* of soft pools: time-slicing (also vGPU and GKE) or mps */
	bool disguised;
	int64_t capacity;
	int64_t allocatable;
	struct shk_weight weight;
};

struct shk_node_base {
	const struct shk_node_facts *facts;
	const char *product; /* the card, without -SHARED and -MIG-; "" unknown */
	const struct shk_product_row *geometry; /* NULL: not in the table */
	const char *strategy;                   /* "none", "single", "mixed" */
	const struct shk_pool *pools;           /* sorted by resource */
	size_t n_pools;
	enum shk_reason fence;     /* SHK_FITS when there is none */
	const char *contradiction; /* one sentence, or NULL */
	bool resting;              /* kubelet refused a pod here a moment ago */
	uint64_t name_hash;
};

/* What decides besides the Node object itself. */
struct shk_node_context {
	const struct shk_policy *policy;
	const struct shk_documents *documents; /* NodeFacts; may be NULL */
	bool cordoned;
	bool reconfiguring; /* live mode saw mig.config change and not yet settle */
	bool resting;       /* live mode saw kubelet refuse a pod there */
};

/* facts and context are borrowed for the base's life. */
void shk_node_base_build(struct shk_arena *arena, const struct shk_node_facts *facts,
			 const struct shk_node_context *context, struct shk_node_base *ret_base);

const struct shk_pool *shk_node_pool(const struct shk_node_base *base, const char *resource);

struct shk_resident {
	const struct shk_alloc *alloc;
	enum shk_level level; /* wall its side asks for now */
	bool infrastructure;
};

/* Who is in a pool, by its live allocations. */
struct shk_occupancy {
	int64_t used;
	const char *owner;    /* domain of all its holders; NULL when empty or mixed */
	bool mixed;           /* holders of several domains */
	int64_t owner_shares; /* what the owner's allocations take */
};

struct shk_node {
	const struct shk_node_base *base;
	const struct shk_resident *residents; /* sorted by uid */
	size_t n_residents;
	const struct shk_occupancy *pools; /* parallel to base->pools */
	int64_t cpu_used_milli;            /* of all pods on the node, ours or not */
};

/* residents: sorted by this function into the arena's copy. Borrowed allocations must outlive
 * the node. */
void shk_node_build(struct shk_arena *arena, const struct shk_node_base *base,
		    const struct shk_resident *residents, size_t n_residents,
		    int64_t cpu_used_milli, struct shk_node *ret_node);

/* allocatable - used, never below 0. */
int64_t shk_node_free(const struct shk_node *node, size_t pool);
/* used - allocatable where that is above 0: what shrank under its holders. */
int64_t shk_node_deficit(const struct shk_node *node, size_t pool);

#endif
