#include "town.h"

#include "shikiri/core/trust.h"

enum {
	CARD = SHK_POOL_CARD,
	MIG = SHK_POOL_MIG,
	SOFT = SHK_POOL_SHARED,
	SOFTMIG = SHK_POOL_SHARED_MIG,
	ODD = SHK_POOL_UNKNOWN
};

/* The isolation table, row by row: what two domains may hold on one node at each wall. */
static void the_table_holds_in_both_directions(void **state)
{
	static const struct {
		int a, b;
		bool same;
		bool at_mig, at_card, at_node;
	} rows[] = {
	    {SOFT, SOFT, true, false, false, false},
	    {SOFTMIG, SOFTMIG, true, false, false, false},
	    {CARD, CARD, true, true, true, false},
	    {CARD, MIG, false, true, true, false},
	    {CARD, SOFT, false, true, true, false},
	    {CARD, SOFTMIG, false, true, true, false},
	    {MIG, MIG, true, true, false, false},
	    {MIG, MIG, false, true, false, false},
	    {SOFT, MIG, false, true, true, false},
	    {SOFT, SOFTMIG, false, true, true, false},
	    {SOFTMIG, MIG, false, true, false, false},
	    {SOFTMIG, SOFTMIG, false, true, false, false},
	    {SOFT, SOFT, false, true, false, false},
	    {ODD, MIG, false, true, false, false},
	    {ODD, ODD, true, true, false, false},
	    {ODD, CARD, false, true, true, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum shk_pool_kind a = (enum shk_pool_kind)rows[i].a;
		enum shk_pool_kind b = (enum shk_pool_kind)rows[i].b;

		print_message("%s beside %s\n", shk_pool_kind_name(a), shk_pool_kind_name(b));
		assert_int_equal(shk_trust_pair(a, b, rows[i].same, SHK_LEVEL_MIG), rows[i].at_mig);
		assert_int_equal(shk_trust_pair(a, b, rows[i].same, SHK_LEVEL_CARD),
				 rows[i].at_card);
		assert_int_equal(shk_trust_pair(a, b, rows[i].same, SHK_LEVEL_NODE),
				 rows[i].at_node);
		assert_int_equal(shk_trust_pair(b, a, rows[i].same, SHK_LEVEL_MIG), rows[i].at_mig);
		assert_int_equal(shk_trust_pair(b, a, rows[i].same, SHK_LEVEL_CARD),
				 rows[i].at_card);
		assert_int_equal(shk_trust_pair(b, a, rows[i].same, SHK_LEVEL_NODE),
				 rows[i].at_node);
	}
}

static void two_tenants(struct town *town)
{
	town_tenant(town, "a", NULL, "a");
	town_tenant(town, "b", NULL, "b");
	town_tenant(town, "a2", "a", "a2")->tenant.pod_isolation = SHK_LEVEL_NODE;
	town->tenants[0]->tenant.domain_stated = true;
	town->tenants[1]->tenant.pod_isolation = SHK_LEVEL_NODE;
}

static void a_soft_pool_belongs_to_one_domain(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	two_tenants(&town);
	town_shared(&town, "n", 1, 4);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u1", "a", SHARED, 1), "n");
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "b", SHARED, 1), "n"),
			    "TrustBoundary");
	assert_string_equal(town_ask(&town, town_pod(&town, "u3", "a2", SHARED, 1), "n"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "u4", "kube-system", SHARED, 1), "n"),
			    "");
	town_close(&town);
}

static void a_pool_that_several_domains_hold_admits_nobody(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	two_tenants(&town);
	town_shared(&town, "n", 2, 4);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u1", "a", SHARED, 1), "n");
	town_adopt(&town, town_pod(&town, "u2", "b", SHARED, 1), "n");
	assert_string_equal(town_ask(&town, town_pod(&town, "u3", "a", SHARED, 1), "n"),
			    "TrustBoundary");
	assert_string_equal(town_ask(&town, town_pod(&town, "u4", "b", SHARED, 1), "n"),
			    "TrustBoundary");
	town_close(&town);
}

static void pods_without_a_tenant_share_with_nobody(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	two_tenants(&town);
	town_shared(&town, "n", 2, 4);
	town_shared(&town, "m", 2, 4);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u1", "lost", SHARED, 1), "n");
	assert_string_equal(town_find(&town, "n")->pools[0].owner, "pod:u1");
	town_adopt(&town, town_pod(&town, "u2", "lost", SHARED, 1), "n");
	assert_true(town_find(&town, "n")->pools[0].mixed);
	assert_string_equal(town_ask(&town, town_pod(&town, "u3", "a", SHARED, 1), "n"),
			    "TrustBoundary");
	assert_string_equal(town_ask(&town, town_pod(&town, "u3", "a", SHARED, 1), "m"), "");
	town_close(&town);
}

static void infrastructure_is_nobody_as_resident_too(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	two_tenants(&town);
	town.policy.across_domains = SHK_LEVEL_NODE;
	town_shared(&town, "n", 2, 4);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u1", "gpu-operator", SHARED, 1), "n");
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "a", SHARED, 1), "n"), "");
	town_close(&town);
}

/* Slices side by side: whoever of the two asks for more decides. */
static void the_stricter_side_decides(void **state)
{
	static const struct {
		enum shk_level newcomer, resident, tenant;
		const char *code;
	} cases[] = {
	    {SHK_LEVEL_NONE, SHK_LEVEL_NONE, SHK_LEVEL_NONE, ""},
	    {SHK_LEVEL_MIG, SHK_LEVEL_MIG, SHK_LEVEL_NONE, ""},
	    {SHK_LEVEL_CARD, SHK_LEVEL_NONE, SHK_LEVEL_NONE, "TrustBoundary"},
	    {SHK_LEVEL_NONE, SHK_LEVEL_CARD, SHK_LEVEL_NONE, "TrustBoundary"},
	    {SHK_LEVEL_NONE, SHK_LEVEL_NONE, SHK_LEVEL_CARD, "TrustBoundary"},
	    {SHK_LEVEL_NONE, SHK_LEVEL_NODE, SHK_LEVEL_NONE, "TrustBoundary"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shk_pod *resident;
		struct shk_pod *newcomer;
		struct town town;

		town_open(&town);
		two_tenants(&town);
		town.tenants[1]->tenant.isolation = cases[i].tenant;
		town_mig(&town, "n", "1g.10gb", 7);
		town_settle(&town);
		resident = town_pod(&town, "u1", "a2", MIG1, 1);
		resident->isolation = cases[i].resident;
		town_bind(&town, resident, "n");
		newcomer = town_pod(&town, "u2", "b", MIG1, 1);
		newcomer->isolation = cases[i].newcomer;
		print_message("case %zu\n", i);
		assert_string_equal(town_ask(&town, newcomer, "n"), cases[i].code);
		town_close(&town);
	}
}

static void a_foreign_pods_word_counts_only_as_far_as_its_tenant_may_go(void **state)
{
	struct town town;
	struct shk_pod *loud;

	(void)state;
	town_open(&town);
	two_tenants(&town);
	town_cards(&town, "n", 8);
	town_settle(&town);
	loud = town_pod(&town, "u1", "a", GPU, 1);
	loud->isolation = SHK_LEVEL_NODE;
	assert_int_equal(town_adopt(&town, loud, "n")->annotation, SHK_LEVEL_MIG);
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "b", GPU, 1), "n"), "");
	loud = town_pod(&town, "u3", "a2", GPU, 1);
	loud->isolation = SHK_LEVEL_NODE;
	assert_int_equal(town_adopt(&town, loud, "n")->annotation, SHK_LEVEL_NODE);
	assert_string_equal(town_ask(&town, town_pod(&town, "u4", "b", GPU, 1), "n"),
			    "TrustBoundary");
	town_close(&town);
}

/* The pool was cards when the first came; now it is shared. */
static void a_resident_counts_by_what_its_pool_has_become(void **state)
{
	struct town town;
	struct shk_pod *newcomer;

	(void)state;
	town_open(&town);
	two_tenants(&town);
	town_disguised(&town, "n", 2, 4);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u1", "a", GPU, 1), "n");
	newcomer = town_pod(&town, "u2", "b", GPU, 1);
	newcomer->accept_shared = true;
	assert_string_equal(town_ask(&town, newcomer, "n"), "TrustBoundary");
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_table_holds_in_both_directions),
	    cmocka_unit_test(a_soft_pool_belongs_to_one_domain),
	    cmocka_unit_test(a_pool_that_several_domains_hold_admits_nobody),
	    cmocka_unit_test(pods_without_a_tenant_share_with_nobody),
	    cmocka_unit_test(infrastructure_is_nobody_as_resident_too),
	    cmocka_unit_test(the_stricter_side_decides),
	    cmocka_unit_test(a_foreign_pods_word_counts_only_as_far_as_its_tenant_may_go),
	    cmocka_unit_test(a_resident_counts_by_what_its_pool_has_become),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
