#include "town.h"

#include "shikiri/core/quota.h"

#define EQUIVALENTS "gpuEquivalents"

/* Asks for n cards of the tenant that owns namespace a. */
static const char *ask(struct town *town, int64_t n)
{
	return town_ask(town, town_pod(town, "ask", "a", GPU, n), "n");
}

static struct town_tenant *town_with_cards(struct town *town, int64_t cards)
{
	struct town_tenant *tenant;

	town_open(town);
	tenant = town_tenant(town, "a", NULL, "a");
	town_tenant(town, "b", NULL, "b");
	town_cards(town, "n", cards);
	return tenant;
}

static void build_limits(struct town *town, const struct town_tenant *tenant,
			 struct shk_limits *ret_limits)
{
	const struct shk_moment moment = {.now_s = 0};
	const struct shk_asker asker = {.tenant = &tenant->tenant};

	shk_limits_build(&town->draft.view, &moment, &asker, &town->arena, ret_limits);
}

static void unset_zero_and_unlimited_are_three_things(void **state)
{
	static const struct {
		const char *unit;
		int64_t guaranteed, ceiling;
		bool unlimited;
		const char *code;
	} cases[] = {
	    {EQUIVALENTS, -1, 0, false, "QuotaCeiling"},
	    {EQUIVALENTS, 0, 0, false, "QuotaCeiling"},
	    {EQUIVALENTS, 0, 8, false, ""},
	    {EQUIVALENTS, -1, 1, false, ""},
	    {EQUIVALENTS, -1, -1, true, ""},
	    {GPU, -1, 0, false, "QuotaCeiling"},
	    {MIG1, -1, 0, false, ""},
	    {"computeSlices", -1, 7, false, ""},
	    {"computeSlices", -1, 6, false, "QuotaCeiling"},
	    {"memoryGiB", -1, 80, false, ""},
	    {"memoryGiB", -1, 79, false, "QuotaCeiling"},
	    {"costPerHour", -1, 5, false, ""},
	    {"costPerHour", -1, 4, false, "QuotaCeiling"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;
		struct town_tenant *tenant = town_with_cards(&town, 8);

		town_quota(tenant, cases[i].unit, cases[i].guaranteed, cases[i].ceiling, -1);
		tenant->quota[0].unlimited = cases[i].unlimited;
		town_settle(&town);
		print_message("case %zu\n", i);
		assert_string_equal(ask(&town, 1), cases[i].code);
		town_close(&town);
	}
}

static void a_tenant_without_quota_is_limited_by_capacity_only(void **state)
{
	struct town town;

	(void)state;
	town_with_cards(&town, 8);
	town_settle(&town);
	assert_string_equal(ask(&town, 8), "");
	assert_int_equal(town.decision.verdicts[0].quota_class, SHK_CLASS_GUARANTEED);
	town_close(&town);
}

static void what_a_product_costs_must_be_known_where_cost_is_limited(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);

	(void)state;
	town_label(&town, town.nodes[0], "gpu.product", "NVIDIA-X900");
	town_quota(tenant, "costPerHour", -1, 100, -1);
	town_settle(&town);
	assert_string_equal(ask(&town, 1), "QuotaCeiling");
	assert_int_equal(town.decision.verdicts[0].asked, -1);
	assert_string_equal(town.decision.verdicts[0].subject, "costPerHour");
	town_close(&town);
}

static void over_the_guarantee_is_borrowed_while_there_is_room(void **state)
{
	static const struct {
		int64_t lendable, ask;
		const char *code;
		enum shk_quota_class quota_class;
	} cases[] = {
	    /* a: guaranteed 2 of 8; b: guaranteed 5 */
	    {0, 2, "", SHK_CLASS_GUARANTEED},
	    {0, 3, "", SHK_CLASS_BORROWED},
	    {0, 4, "QuotaBorrowUnavailable", SHK_CLASS_NONE},
	    {2, 5, "", SHK_CLASS_BORROWED},
	    {2, 6, "QuotaBorrowUnavailable", SHK_CLASS_NONE},
	    {5, 7, "QuotaCeiling", SHK_CLASS_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;
		struct town_tenant *tenant = town_with_cards(&town, 8);

		town_quota(tenant, EQUIVALENTS, 2, 6, -1);
		town_quota(town.tenants[1], EQUIVALENTS, 5, 8, cases[i].lendable);
		town_settle(&town);
		print_message("case %zu\n", i);
		assert_string_equal(ask(&town, cases[i].ask), cases[i].code);
		assert_int_equal(town.decision.verdicts[0].quota_class, cases[i].quota_class);
		town_close(&town);
	}
}

static void what_others_use_beyond_their_promise_is_not_room(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);

	(void)state;
	town_quota(tenant, EQUIVALENTS, 1, 8, -1);
	town_quota(town.tenants[1], EQUIVALENTS, 2, 8, -1);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u1", "b", GPU, 3), "n");    /* more than promised */
	town_adopt(&town, town_pod(&town, "u2", "lost", GPU, 1), "n"); /* nobody's tenant */
	town_adopt(&town, town_pod(&town, "u3", "kube-system", GPU, 1), "n"); /* infrastructure */
	assert_string_equal(ask(&town, 3), "");
	assert_string_equal(ask(&town, 4), "QuotaBorrowUnavailable");
	town_close(&town);
}

static void holds_are_used_but_not_the_pods_own(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);
	static const struct shk_amount two = {GPU, 2};

	(void)state;
	town_quota(tenant, EQUIVALENTS, 4, 4, -1);
	town_settle(&town);
	town_hold(&town, "u1", "a", "a", NULL, NULL);
	town.holds[0].resources = (struct shk_vector){&two, 1};
	town.holds[0].charge.known[SHK_UNIT_GPU_EQUIVALENTS] = true;
	town.holds[0].charge.parts[SHK_UNIT_GPU_EQUIVALENTS] = UNITS(2);
	assert_string_equal(ask(&town, 2), "");
	assert_string_equal(ask(&town, 3), "QuotaCeiling");
	assert_string_equal(town_ask(&town, town_pod(&town, "u1", "a", GPU, 4), "n"), "");
	town_close(&town);
}

static void a_band_may_be_kept_from_borrowing(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);
	struct shk_pod *pod;

	(void)state;
	town_quota(tenant, EQUIVALENTS, 2, 8, -1);
	town.bands[town.n_bands++] =
	    (struct shk_band){.name = "serving", .min_priority = 100, .max_priority = 200};
	town_settle(&town);
	pod = town_pod(&town, "u", "a", GPU, 3);
	pod->priority = 100;
	assert_string_equal(town_ask(&town, pod, "n"), "BandMayNotBorrow");
	pod->priority = 99;
	assert_string_equal(town_ask(&town, pod, "n"), "");
	town_close(&town);
}

static void every_listed_limit_must_hold_and_units_are_apart(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);

	(void)state;
	town_quota(tenant, EQUIVALENTS, 1, 1, -1);
	town_quota(tenant, MIG1, -1, 7, -1);
	town_mig(&town, "m", "1g.10gb", 14);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u1", "a", MIG1, 8), "m"); /* over in both units */
	assert_string_equal(ask(&town, 1), "QuotaCeiling");
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "a", MIG1, 1), "m"),
			    "QuotaCeiling");
	town.draft.view.policy = &town.policy;
	town.tenants[0]->quota[0].ceiling = UNITS(9);
	town.tenants[0]->quota[0].guaranteed = UNITS(9);
	/* One unit being over says nothing about a pod that doesn't charge it. */
	assert_string_equal(ask(&town, 1), "");
	town_close(&town);
}

static void grants_raise_limits_until_they_end(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);

	(void)state;
	town_quota(tenant, EQUIVALENTS, 1, 2, -1);
	town_quota(tenant, "memoryGiB", -1, 640, -1);
	town.grants[town.n_grants++] = (struct shk_grant){.name = "g",
							  .tenant = "a",
							  .unit = EQUIVALENTS,
							  .has_guaranteed = true,
							  .guaranteed = UNITS(3),
							  .ceiling = UNITS(3),
							  .until_s = town.now_s + 1};
	town.grants[town.n_grants++] = (struct shk_grant){
	    .name = "h", .tenant = "b", .unit = EQUIVALENTS, .until_s = town.now_s + 1};
	town_settle(&town);
	assert_string_equal(ask(&town, 4), "");
	assert_int_equal(town.decision.verdicts[0].quota_class, SHK_CLASS_GUARANTEED);
	assert_string_equal(ask(&town, 5), "");
	assert_int_equal(town.decision.verdicts[0].quota_class, SHK_CLASS_BORROWED);
	assert_string_equal(ask(&town, 6), "QuotaCeiling");
	town.now_s++;
	assert_string_equal(ask(&town, 3), "QuotaCeiling");
	assert_string_equal(ask(&town, 2), "");
	town_close(&town);
}

static void sums_that_overflow_refuse(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);
	static const struct shk_amount much = {GPU, 1};

	(void)state;
	town_quota(tenant, EQUIVALENTS, 1, 100000000, -1);
	town_settle(&town);
	town_hold(&town, "u1", "a", "a", NULL, NULL);
	town.holds[0].resources = (struct shk_vector){&much, 1};
	town.holds[0].charge.known[SHK_UNIT_GPU_EQUIVALENTS] = true;
	town.holds[0].charge.parts[SHK_UNIT_GPU_EQUIVALENTS] = INT64_MAX - 1;
	assert_string_equal(ask(&town, 1), "QuotaCeiling");
	town_close(&town);
}

static void adoption_is_classed_but_never_refused(void **state)
{
	struct town town;
	struct town_tenant *tenant = town_with_cards(&town, 8);

	(void)state;
	town_quota(tenant, EQUIVALENTS, 2, 2, -1);
	town_settle(&town);
	assert_int_equal(town_adopt(&town, town_pod(&town, "u1", "a", GPU, 2), "n")->quota_class,
			 SHK_CLASS_GUARANTEED);
	assert_int_equal(town_adopt(&town, town_pod(&town, "u2", "a", GPU, 2), "n")->quota_class,
			 SHK_CLASS_BORROWED);
	assert_int_equal(town_adopt(&town, town_pod(&town, "u3", "a", GPU, 1), "gone")->quota_class,
			 SHK_CLASS_GUARANTEED);
	assert_int_equal(shk_books_get(&town.draft.books, "a", EQUIVALENTS).used, UNITS(4));
	assert_int_equal(shk_books_get(&town.draft.books, "a", EQUIVALENTS).borrowed, UNITS(2));
	assert_int_equal(shk_books_get(&town.draft.books, "a", GPU).used, UNITS(5));
	town_close(&town);
}

static void a_cap_takes_no_part_in_borrowing(void **state)
{
	struct town town;
	struct shk_limits limits;
	struct town_tenant *tenant = town_with_cards(&town, 8);

	(void)state;
	town_quota(tenant, EQUIVALENTS, 1, 4, -1);
	town_quota(tenant, "memoryGiB", -1, 640, -1);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u1", "a", GPU, 3), "n");
	build_limits(&town, tenant, &limits);
	assert_int_equal(limits.items[0].borrowed, UNITS(3));
	assert_int_equal(limits.items[1].used, UNITS(240));
	assert_int_equal(limits.items[1].borrowed, 0);
	town_close(&town);
}

static void inside_the_guarantee_needs_a_stated_one(void **state)
{
	struct town town;
	struct shk_limits limits;
	const struct shk_amount one = {GPU, 1};
	const struct shk_vector vector = {&one, 1};
	const struct shk_charge charge = {{UNITS(1), UNITS(7), UNITS(80), 0},
					  {true, true, true, true}};
	struct town_tenant *tenant = town_with_cards(&town, 8);

	(void)state;
	town_quota(tenant, "memoryGiB", -1, 100, -1);
	town_settle(&town);
	build_limits(&town, tenant, &limits);
	assert_false(shk_quota_check(&limits, &vector, &charge).inside_guarantee);
	town_quota(tenant, EQUIVALENTS, 1, 1, -1);
	town_settle(&town);
	build_limits(&town, tenant, &limits);
	assert_true(shk_quota_check(&limits, &vector, &charge).inside_guarantee);
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unset_zero_and_unlimited_are_three_things),
	    cmocka_unit_test(a_tenant_without_quota_is_limited_by_capacity_only),
	    cmocka_unit_test(what_a_product_costs_must_be_known_where_cost_is_limited),
	    cmocka_unit_test(over_the_guarantee_is_borrowed_while_there_is_room),
	    cmocka_unit_test(what_others_use_beyond_their_promise_is_not_room),
	    cmocka_unit_test(holds_are_used_but_not_the_pods_own),
	    cmocka_unit_test(a_band_may_be_kept_from_borrowing),
	    cmocka_unit_test(every_listed_limit_must_hold_and_units_are_apart),
	    cmocka_unit_test(grants_raise_limits_until_they_end),
	    cmocka_unit_test(sums_that_overflow_refuse),
	    cmocka_unit_test(adoption_is_classed_but_never_refused),
	    cmocka_unit_test(a_cap_takes_no_part_in_borrowing),
	    cmocka_unit_test(inside_the_guarantee_needs_a_stated_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
