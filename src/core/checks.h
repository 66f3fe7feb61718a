/* checks.h - the per-node checks in the order of the reason table (private). */
#ifndef SHIKIRI_CORE_CHECKS_H
#define SHIKIRI_CORE_CHECKS_H

#include "shikiri/core/decide.h"
#include "shikiri/core/trust.h"

/* What one asked resource means to the pod's domain, over all nodes. */
struct shk_stake {
	int64_t own_pools;  /* soft pools of that name whose holders are all of the domain */
	int64_t own_shares; /* the domain's live shares in soft pools of that name */
};

/* Everything that is the same for all candidates of one question. */
struct shk_case {
	const struct shk_view *view;
	const struct shk_moment *moment;
	const struct shk_question *question;
	const struct shk_claim *claim;
	const struct shk_identity *identity;
	struct shk_arena *arena;
	struct shk_party party;
	struct shk_limits limits;
	struct shk_stake *stakes; /* parallel to the claim's resources; NULL until needed */
	struct shk_map marks; /* node name -> a hold of another domain that marks a pool there */
	uint32_t *next_mark;  /* by hold index: the next mark on the same node, or UINT32_MAX */
	int64_t cards_total;  /* over unfenced, consistent card pools; -1 until needed */
	int64_t cards_free;
};

/* One candidate under examination. */
struct shk_look {
	const struct shk_node *node;
	const struct shk_pool **pools;  /* parallel to the claim's resources; NULL: no such pool */
	struct shk_quota_verdict quota; /* filled by the quota check */
	bool has_quota;
};

void shk_case_marks(struct shk_case *c);
const struct shk_stake *shk_case_stakes(struct shk_case *c);

/* Runs the checks on one known node: fills reason, subject and numbers of the first that
 * refuses (SHK_FITS when none does), and all bits with question->all_reasons. */
void shk_checks_run(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict);

#endif
