/* decide.h - the one entry point: a claim against nodes, a verdict and a rank for each.
 *
 * Filter, prioritize, bind, dry run and the offline CLI all come here. The same view, moment
 * and question give the same bytes; the order of the candidates doesn't matter. Pure: memory
 * comes from the arena only. */
#ifndef SHIKIRI_CORE_DECIDE_H
#define SHIKIRI_CORE_DECIDE_H

#include "shikiri/base/arena.h"
#include "shikiri/core/quota.h"
#include "shikiri/core/reason.h"
#include "shikiri/core/request.h"
#include "shikiri/core/tenancy.h"
#include "shikiri/core/view.h"

struct shk_candidate {
	const char *name;
	const struct shk_node *node; /* NULL: not known */
};

struct shk_question {
	const struct shk_claim *claim;
	const struct shk_candidate *candidates;
	size_t n;
	const struct shk_alloc *live; /* the pod's own live allocation, or NULL */
	bool all_reasons;             /* collect every reason, not only the first */
};

struct shk_verdict {
	enum shk_reason reason; /* SHK_FITS: feasible */
	enum shk_quota_class quota_class;
	enum shk_isolation_class isolation;
	const char *subject; /* resource or unit that the reason is about, or NULL */
	int64_t asked;       /* with subject: how much of it, and what was there: */
	int64_t available;   /* items for resources, parts for units; -1 not known */
	uint64_t reasons;    /* with all_reasons: bit 1 << reason for each that speaks against it */
	uint64_t key;        /* feasible: packing key */
	uint32_t rank;       /* feasible: 1 is best; else 0 */
};

struct shk_decision {
	struct shk_identity identity;
	struct shk_verdict *verdicts; /* parallel to the candidates */
	size_t n;
	const uint32_t *order; /* indices of the feasible ones, best first */
	size_t n_feasible;
	enum shk_reason furthest; /* no node feasible: the reason furthest in the order of checks */
	size_t furthest_index;    /* a candidate that has it */
};

/* The claim must be managed (request.h); a pod without GPUs isn't our business. */
void shk_decide(const struct shk_view *view, const struct shk_moment *moment,
		const struct shk_question *question, struct shk_arena *arena,
		struct shk_decision *ret_decision);

/* The extender's score of a rank: 10 for the first down to 1 for the tenth, 0 beyond; under
 * `export: linear` spread over all n. */
int shk_score(const struct shk_policy *policy, uint32_t rank, size_t n_feasible);

/* The allocation that binding the claim to a feasible candidate makes. Strings are borrowed
 * from pod, view and decision. state, seq and since are the caller's. */
void shk_alloc_make(const struct shk_decision *decision, const struct shk_claim *claim,
		    const struct shk_node *node, const struct shk_verdict *verdict,
		    struct shk_alloc *ret_alloc);

/* The allocation of a pod that somebody else put somewhere (node NULL: one we don't know), classed
 * against the books as they are. Never refuses. state is SHK_ALLOC_FOREIGN. */
void shk_alloc_adopt(const struct shk_view *view, const struct shk_moment *moment,
		     const struct shk_claim *claim, const struct shk_candidate *place,
		     struct shk_arena *arena, struct shk_alloc *ret_alloc);

#endif
