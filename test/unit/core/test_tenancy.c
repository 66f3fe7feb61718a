#include "town.h"

#include "shikiri/core/tenancy.h"

static const struct shk_pair vision_labels[] = {{"team", "vision"}};
static const struct shk_pair both_labels[] = {{"shared", "yes"}, {"team", "vision"}};

static const char *const vision_values[] = {"vision", "nlp"};
static const struct shk_requirement team_vision = {
    .key = "team", .op = SHK_SELECTOR_IN, .values = vision_values, .n_values = 1};
static const struct shk_requirement shared_exists = {.key = "shared", .op = SHK_SELECTOR_EXISTS};

static struct shk_identity identify(struct town *town, const char *namespace_)
{
	return shk_tenancy_identify(&town->tenancy, &town->policy, namespace_, "u1", &town->arena);
}

static const char *why(struct town *town, const char *namespace_)
{
	return shk_tenancy_why(&town->tenancy, &town->policy, namespace_, &town->arena);
}

static void namespaces_map_by_name_then_by_selector(void **state)
{
	struct town town;
	struct town_tenant *by_selector;
	struct town_tenant *other;

	(void)state;
	town_open(&town);
	town_tenant(&town, "named", "research", "ns-named");
	by_selector = town_tenant(&town, "vision", "research", NULL);
	by_selector->tenant.has_selector = true;
	by_selector->tenant.namespace_selector = (struct shk_selector){&team_vision, 1};
	other = town_tenant(&town, "other", NULL, NULL);
	other->tenant.has_selector = true;
	other->tenant.namespace_selector = (struct shk_selector){&shared_exists, 1};
	town.namespaces[town.n_namespaces++] = (struct shk_namespace){"v1", {vision_labels, 1}};
	town.namespaces[town.n_namespaces++] = (struct shk_namespace){"both", {both_labels, 2}};
	town.namespaces[town.n_namespaces++] =
	    (struct shk_namespace){"ns-named", {vision_labels, 1}};
	town.namespaces[town.n_namespaces++] = (struct shk_namespace){"plain", {NULL, 0}};
	town_settle(&town);

	assert_string_equal(identify(&town, "ns-named").tenant_name, "named");
	assert_string_equal(identify(&town, "v1").tenant_name, "vision");
	assert_string_equal(identify(&town, "v1").domain, "research");
	assert_int_equal(identify(&town, "both").reason, SHK_REASON_MISCONFIGURED);
	assert_int_equal(identify(&town, "plain").reason, SHK_REASON_TENANT_UNKNOWN);
	assert_int_equal(identify(&town, "ns-named-2").reason, SHK_REASON_TENANT_UNKNOWN);
	assert_int_equal(identify(&town, "NS-NAMED").reason, SHK_REASON_TENANT_UNKNOWN);
	assert_string_equal(identify(&town, "plain").domain, "pod:u1");
	assert_string_equal(identify(&town, "plain").tenant_name, "_unknown");
	assert_string_equal(why(&town, "ns-named"), "named by tenant named");
	assert_string_equal(why(&town, "v1"), "matches the selector of tenant vision");
	assert_string_equal(why(&town, "both"),
			    "matches the selectors of tenants vision and other");
	assert_string_equal(why(&town, "plain"), "mapped by no tenant");
	town_close(&town);
}

static void a_namespace_that_is_not_listed_still_maps_by_name(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town_tenant(&town, "vision", NULL, "unlisted");
	town_settle(&town);
	assert_int_equal(identify(&town, "unlisted").reason, SHK_FITS);
	assert_string_equal(identify(&town, "unlisted").domain, "vision");
	town_close(&town);
}

static void a_name_that_two_tenants_claim_is_nobodys(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town_tenant(&town, "one", NULL, "ns");
	town_tenant(&town, "two", NULL, "ns");
	town_settle(&town);
	assert_int_equal(identify(&town, "ns").reason, SHK_REASON_MISCONFIGURED);
	assert_string_equal(why(&town, "ns"), "named by more than one tenant");
	town_close(&town);
}

static void unmapped_namespaces_are_domains_of_their_own_where_allowed(void **state)
{
	struct town town;
	struct shk_identity identity;

	(void)state;
	town_open(&town);
	town.policy.allow_unmapped = true;
	town_settle(&town);
	identity = identify(&town, "lab");
	assert_int_equal(identity.reason, SHK_FITS);
	assert_string_equal(identity.tenant_name, "default");
	assert_string_equal(identity.domain, "namespace:lab");
	assert_null(identity.tenant);
	assert_string_equal(why(&town, "lab"),
			    "mapped by no tenant; the policy allows it as a domain of its own");
	town_close(&town);
}

static void infrastructure_wins_over_tenants(void **state)
{
	struct town town;
	struct shk_identity identity;

	(void)state;
	town_open(&town);
	town_tenant(&town, "ops", NULL, "gpu-operator");
	town_settle(&town);
	identity = identify(&town, "gpu-operator");
	assert_true(identity.infrastructure);
	assert_string_equal(identity.tenant_name, "_infrastructure");
	assert_string_equal(identity.domain, "");
	assert_string_equal(why(&town, "gpu-operator"),
			    "listed in the policy's infrastructureNamespaces");
	town_close(&town);
}

static void the_strictest_of_policy_domain_and_tenant_holds(void **state)
{
	static const struct {
		enum shk_level policy, domain, tenant, expected;
	} cases[] = {
	    {SHK_LEVEL_MIG, SHK_LEVEL_NONE, SHK_LEVEL_NONE, SHK_LEVEL_MIG},
	    {SHK_LEVEL_MIG, SHK_LEVEL_CARD, SHK_LEVEL_NONE, SHK_LEVEL_CARD},
	    {SHK_LEVEL_MIG, SHK_LEVEL_CARD, SHK_LEVEL_MIG, SHK_LEVEL_CARD},
	    {SHK_LEVEL_MIG, SHK_LEVEL_CARD, SHK_LEVEL_NODE, SHK_LEVEL_NODE},
	    {SHK_LEVEL_NODE, SHK_LEVEL_MIG, SHK_LEVEL_MIG, SHK_LEVEL_NODE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shk_alloc alloc = {.tenant = "vision", .domain = "research"};
		struct town town;

		town_open(&town);
		town.policy.across_domains = cases[i].policy;
		town.domains[town.n_domains++] =
		    (struct shk_trust_domain){.name = "research", .isolation = cases[i].domain};
		town_tenant(&town, "vision", "research", "ns")->tenant.isolation = cases[i].tenant;
		town_settle(&town);
		assert_int_equal(identify(&town, "ns").level, cases[i].expected);
		assert_int_equal(shk_tenancy_alloc_level(&town.tenancy, &town.policy, &alloc),
				 cases[i].expected);
		town_close(&town);
	}
}

static void an_allocation_keeps_the_annotation_it_was_bound_with(void **state)
{
	struct shk_alloc alloc = {.tenant = "gone", .domain = "gone", .annotation = SHK_LEVEL_CARD};
	struct town town;

	(void)state;
	town_open(&town);
	town_settle(&town);
	assert_int_equal(shk_tenancy_alloc_level(&town.tenancy, &town.policy, &alloc),
			 SHK_LEVEL_CARD);
	town_close(&town);
}

static void pods_may_tighten_as_far_as_pod_isolation(void **state)
{
	struct town town;
	struct town_tenant *tenant;

	(void)state;
	town_open(&town);
	tenant = town_tenant(&town, "vision", NULL, "ns");
	town_settle(&town);
	assert_int_equal(identify(&town, "ns").may_state, SHK_LEVEL_MIG);
	tenant->tenant.isolation = SHK_LEVEL_CARD;
	town_settle(&town);
	assert_int_equal(identify(&town, "ns").may_state, SHK_LEVEL_CARD);
	tenant->tenant.pod_isolation = SHK_LEVEL_NODE;
	town_settle(&town);
	assert_int_equal(identify(&town, "ns").may_state, SHK_LEVEL_NODE);
	tenant->tenant.suspended = true;
	town_settle(&town);
	assert_int_equal(identify(&town, "ns").reason, SHK_REASON_TENANT_SUSPENDED);
	town_close(&town);
}

static void selectors_match_as_in_kubernetes(void **state)
{
	static const struct {
		enum shk_selector_op op;
		const char *key;
		bool expected;
	} cases[] = {
	    {SHK_SELECTOR_IN, "team", true},          {SHK_SELECTOR_IN, "absent", false},
	    {SHK_SELECTOR_NOT_IN, "team", false},     {SHK_SELECTOR_NOT_IN, "absent", true},
	    {SHK_SELECTOR_NOT_IN, "shared", true},    {SHK_SELECTOR_EXISTS, "team", true},
	    {SHK_SELECTOR_EXISTS, "absent", false},   {SHK_SELECTOR_NOT_EXISTS, "absent", true},
	    {SHK_SELECTOR_NOT_EXISTS, "team", false}, {SHK_SELECTOR_INVALID, "team", false},
	};
	const struct shk_labels labels = {both_labels, 2};
	const struct shk_selector nothing = {NULL, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shk_requirement requirement = {cases[i].key, cases[i].op, vision_values, 2};
		struct shk_selector selector = {&requirement, 1};

		assert_int_equal(shk_selector_matches(&selector, &labels), cases[i].expected);
	}
	assert_false(shk_selector_matches(&nothing, &labels));
}

static void priorities_fall_into_bands(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town.bands[town.n_bands++] =
	    (struct shk_band){.name = "batch", .min_priority = 0, .max_priority = 99};
	town.bands[town.n_bands++] =
	    (struct shk_band){.name = "serving", .min_priority = 100, .max_priority = 200};
	town_settle(&town);
	assert_string_equal(shk_tenancy_band(&town.tenancy, 99)->name, "batch");
	assert_string_equal(shk_tenancy_band(&town.tenancy, 100)->name, "serving");
	assert_null(shk_tenancy_band(&town.tenancy, 201));
	assert_null(shk_tenancy_band(&town.tenancy, -1));
	town_close(&town);
}

static void sharing_words_are_read(void **state)
{
	(void)state;
	assert_int_equal(shk_sharing_parse("mps"), SHK_SHARING_MPS);
	assert_int_equal(shk_sharing_parse("none"), SHK_SHARING_NONE);
	assert_int_equal(shk_sharing_parse(""), SHK_SHARING_UNKNOWN);
	assert_int_equal(shk_sharing_parse(NULL), SHK_SHARING_UNKNOWN);
	assert_string_equal(shk_sharing_name(SHK_SHARING_TIME_SLICING), "time-slicing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(namespaces_map_by_name_then_by_selector),
	    cmocka_unit_test(a_namespace_that_is_not_listed_still_maps_by_name),
	    cmocka_unit_test(a_name_that_two_tenants_claim_is_nobodys),
	    cmocka_unit_test(unmapped_namespaces_are_domains_of_their_own_where_allowed),
	    cmocka_unit_test(infrastructure_wins_over_tenants),
	    cmocka_unit_test(the_strictest_of_policy_domain_and_tenant_holds),
	    cmocka_unit_test(an_allocation_keeps_the_annotation_it_was_bound_with),
	    cmocka_unit_test(pods_may_tighten_as_far_as_pod_isolation),
	    cmocka_unit_test(selectors_match_as_in_kubernetes),
	    cmocka_unit_test(priorities_fall_into_bands),
	    cmocka_unit_test(sharing_words_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
