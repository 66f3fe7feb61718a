#include "town.h"

#include "shikiri/wire/documents.h"

static const char *conflict(struct town *town)
{
	const char *object = "";
	const char *detail = "";

	town_settle(town);
	if (!shk_documents_conflict(&town->documents, &town->arena, &object, &detail))
		return "";
	return shk_arena_printf(&town->arena, "%s: %s", object, detail);
}

static void conflicts_are_named(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town_tenant(&town, "one", NULL, "ns");
	assert_string_equal(conflict(&town), "");
	town_tenant(&town, "two", NULL, "ns");
	assert_string_equal(conflict(&town),
			    "Tenant/two: namespace ns belongs to tenant one already");
	town.tenants[1]->tenant.n_namespaces = 0;
	town.bands[town.n_bands++] =
	    (struct shk_band){.name = "a", .min_priority = 0, .max_priority = 10};
	town.bands[town.n_bands++] =
	    (struct shk_band){.name = "b", .min_priority = 10, .max_priority = 20};
	assert_string_equal(conflict(&town), "PriorityBand/b: overlaps the priorities of band a");
	town.bands[1].min_priority = 11;
	assert_string_equal(conflict(&town), "");
	town_tenant(&town, "three", "one", NULL);
	assert_string_equal(conflict(&town),
			    "Tenant/one: states no trustDomain, but tenant three uses the domain "
			    "one; state it to share time with them, or rename one");
	town.tenants[0]->tenant.domain_stated = true;
	assert_string_equal(conflict(&town), "");
	town_close(&town);
}

static void oddities_are_worth_a_warning(void **state)
{
	const char *const *warnings = NULL;
	struct town town;
	struct town_tenant *tenant;

	(void)state;
	town_open(&town);
	tenant = town_tenant(&town, "vision", "research", NULL);
	tenant->tenant.isolation = SHK_LEVEL_MIG;
	town_quota(tenant, "memoryGiB", -1, 100, -1);
	town_tenant(&town, "lone", "nowhere", "ns");
	town.domains[town.n_domains++] =
	    (struct shk_trust_domain){.name = "research", .isolation = SHK_LEVEL_CARD};
	town.grants[town.n_grants++] =
	    (struct shk_grant){.name = "g1", .tenant = "vision", .unit = "memoryGiB"};
	town.grants[town.n_grants++] =
	    (struct shk_grant){.name = "g2", .tenant = "vision", .unit = "gpuEquivalents"};
	town.grants[town.n_grants++] =
	    (struct shk_grant){.name = "g3", .tenant = "ghost", .unit = "memoryGiB"};
	town_settle(&town);
	assert_int_equal(shk_documents_warnings(&town.documents, &town.arena, &warnings), 5);
	assert_string_equal(warnings[0], "Tenant/vision: isolation mig is looser than domain "
					 "research's card, which holds all the same");
	assert_string_equal(warnings[1], "Tenant/vision: no namespaces and no selector, so no pod "
					 "belongs to it");
	assert_string_equal(warnings[2], "Tenant/lone: trust domain nowhere has no TrustDomain "
					 "document; the policy's defaults hold for it");
	assert_string_equal(warnings[3], "Grant/g2: tenant vision has no limit in that unit, so "
					 "the grant adds nothing");
	assert_string_equal(warnings[4],
			    "Grant/g3: tenant ghost does not exist, so the grant adds nothing");
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(conflicts_are_named),
	    cmocka_unit_test(oddities_are_worth_a_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
