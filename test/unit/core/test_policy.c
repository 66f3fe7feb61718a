#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shikiri/core/policy.h"

static void the_default_denies_what_is_doubtful(void **state)
{
	struct shk_policy policy;

	(void)state;
	shk_policy_default(&policy);
	assert_int_equal(policy.across_domains, SHK_LEVEL_MIG);
	assert_false(policy.allow_disguised);
	assert_false(policy.allow_unmapped);
	assert_false(policy.vgpu_is_card);
	assert_int_equal(policy.max_shares_mps, 1);
	assert_int_equal(policy.spare_soft_pools, 2);
	assert_int_equal(policy.hold_ttl_ms, 30000);
	assert_int_equal(policy.n_prices, 5);
}

static void infrastructure_namespaces_are_exact(void **state)
{
	struct shk_policy policy;

	(void)state;
	shk_policy_default(&policy);
	assert_true(shk_policy_is_infrastructure(&policy, "kube-system"));
	assert_true(shk_policy_is_infrastructure(&policy, "gpu-operator"));
	assert_false(shk_policy_is_infrastructure(&policy, "gpu-operator-x"));
	policy.n_infrastructure_namespaces = 0;
	assert_false(shk_policy_is_infrastructure(&policy, "kube-system"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_default_denies_what_is_doubtful),
	    cmocka_unit_test(infrastructure_namespaces_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
