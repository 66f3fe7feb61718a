/* plan.h - several pods in order, each seeing the earlier ones placed: the dry run. Pure. */
#ifndef SHIKIRI_CORE_PLAN_H
#define SHIKIRI_CORE_PLAN_H

#include "shikiri/core/decide.h"

struct shk_plan_options {
	size_t max_nodes; /* nodes listed per pod; feasible ones first */
	bool all_reasons;
};

struct shk_plan_order {
	const struct shk_pod *const *pods;
	size_t n_pods;
	struct shk_plan_options options;
};

struct shk_plan_node {
	const char *name;
	struct shk_verdict verdict;
	const char *detail;
	int score;
};

struct shk_plan_pod {
	const char *namespace_;
	const char *name;
	const char *tenant;
	const char *domain;
	int64_t priority;
	struct shk_vector request;
	struct shk_charge charge; /* on the chosen node; of what would fit best nothing is known */
	bool has_charge;
	enum shk_outcome outcome;
	const char *node; /* "" when it fits nowhere */
	enum shk_isolation_class isolation;
	enum shk_quota_class quota_class;
	enum shk_reason reason;
	const char *detail;
	const struct shk_plan_node *nodes;
	size_t n_nodes;
};

struct shk_plan_quota {
	const char *tenant;
	struct shk_limit before;
	int64_t after; /* used afterwards, parts */
};

struct shk_plan {
	enum shk_outcome outcome;
	const char *summary;
	const struct shk_plan_pod *pods;
	size_t n_pods;
	const struct shk_plan_quota *quota;
	size_t n_quota;
	const char *const *caveats;
	size_t n_caveats;
};

/* view is not changed; what is planned lives in a draft in arena. moment's holds count as they
 * do in filter. */
void shk_plan_run(const struct shk_view *view, const struct shk_moment *moment,
		  const struct shk_plan_order *order, struct shk_arena *arena,
		  struct shk_plan *ret_plan);

#endif
