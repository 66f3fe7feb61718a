#include "shikiri/core/policy.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/str.h"

static const char *const default_infrastructure[] = {"gpu-operator", "kube-system"};

static const struct shk_named_micro default_prices[] = {
    {"NVIDIA-A100-SXM4-80GB", 3500000}, {"NVIDIA-GeForce-RTX-4090", 800000},
    {"NVIDIA-H100-80GB-HBM3", 4500000}, {"NVIDIA-H200", 6000000},
    {"NVIDIA-L40S", 1500000},
};

void shk_policy_default(struct shk_policy *ret_policy)
{
	*ret_policy = (struct shk_policy){
	    .name = "default",
	    .across_domains = SHK_LEVEL_MIG,
	    .infrastructure_namespaces = default_infrastructure,
	    .n_infrastructure_namespaces = 2,
	    .max_shares_mps = 1,
	    .spare_soft_pools = 2,
	    .mig_charge = SHK_MIG_CHARGE_DOMINANT,
	    .prices = default_prices,
	    .n_prices = sizeof(default_prices) / sizeof(default_prices[0]),
	    .objective = SHK_OBJECTIVE_PACK,
	    .export_form = SHK_EXPORT_RANK,
	    .quantum_milli = 40,
	    .hold_ttl_ms = 30000,
	    .hold_ttl_volumes_ms = 630000,
	    .staleness_ms = 90000,
	    .bind_timeout_ms = 4000,
	};
}

bool shk_policy_is_infrastructure(const struct shk_policy *policy, const char *namespace_)
{
	return policy->n_infrastructure_namespaces > 0 &&
	       bsearch(&namespace_, policy->infrastructure_namespaces,
		       policy->n_infrastructure_namespaces, sizeof(char *), shk_str_compare);
}
