/* policy.h - the decision policy: what an operator may choose. Plain data; zero is unset, and
 * shk_policy_default gives the shipped values (policies/default.yaml is the same, tested). */
#ifndef SHIKIRI_CORE_POLICY_H
#define SHIKIRI_CORE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/core/model.h"

enum shk_mig_charge {
	SHK_MIG_CHARGE_UNSET = 0,
	SHK_MIG_CHARGE_DOMINANT,
	SHK_MIG_CHARGE_COMPUTE,
	SHK_MIG_CHARGE_MEMORY
};
enum shk_objective { SHK_OBJECTIVE_UNSET = 0, SHK_OBJECTIVE_PACK, SHK_OBJECTIVE_SPREAD };
enum shk_export { SHK_EXPORT_UNSET = 0, SHK_EXPORT_RANK, SHK_EXPORT_LINEAR };

/* A product or band name with a decimal, held as millionths. */
struct shk_named_micro {
	const char *name;
	int64_t micro;
};

struct shk_policy {
	const char *name;
	char hash[72]; /* "sha256:<64 hex>" of its canonical JSON */

	enum shk_level across_domains;
	bool allow_disguised;                         /* sharedDisguised: allow */
	bool vgpu_is_card;                            /* vgpu: card */
	bool allow_unmapped;                          /* unmappedNamespace: allow */
	const char *const *infrastructure_namespaces; /* sorted */
	size_t n_infrastructure_namespaces;

	int64_t max_shares_time_slicing; /* per container; 0 = no limit */
	int64_t max_shares_mps;
	int64_t spare_soft_pools;

	enum shk_mig_charge mig_charge;
	const struct shk_named_micro *model_factors; /* by product */
	size_t n_model_factors;
	const struct shk_named_micro *prices; /* by product, per hour */
	size_t n_prices;

	enum shk_objective objective;
	enum shk_export export_form;
	int64_t quantum_milli;
	const struct shk_named_micro *reserve; /* by band: share of the cards kept for it */
	size_t n_reserve;

	bool preempt_for_our_refusals;
	bool preempt_across_domains;

	int64_t hold_ttl_ms;
	int64_t hold_ttl_volumes_ms;
	int64_t staleness_ms;
	int64_t bind_timeout_ms;
};

/* Constant data; hash is empty, the caller that needs one fills it. */
void shk_policy_default(struct shk_policy *ret_policy);
bool shk_policy_is_infrastructure(const struct shk_policy *policy, const char *namespace_);

#endif
