#include "town.h"

#include "shikiri/core/charge.h"

struct expectation {
	int64_t num;
	int64_t den;
	int64_t slices;
	int64_t gib;
};

static void expect(const struct shk_pool *pool, const struct expectation *expected)
{
	assert_true(pool->weight.known);
	assert_int_equal(pool->weight.share_num, expected->num);
	assert_int_equal(pool->weight.share_den, expected->den);
	assert_int_equal(pool->weight.slices, expected->slices);
	assert_int_equal(pool->weight.gib, expected->gib);
}

static struct shk_node_base *base_of(struct town *town, struct town_node *node)
{
	struct shk_node_base *base = SHK_NEW(&town->arena, struct shk_node_base);
	struct shk_node_context *context = SHK_NEW(&town->arena, struct shk_node_context);

	context->policy = &town->policy;
	shk_node_base_build(&town->arena, &node->facts, context, base);
	return base;
}

static void profiles_weigh_by_product(void **state)
{
	static const struct {
		const char *product;
		const char *profile;
		enum shk_mig_charge charge;
		struct expectation expected;
	} cases[] = {
	    {"NVIDIA-H100-80GB-HBM3", "1g.10gb", SHK_MIG_CHARGE_DOMINANT, {1, 7, 1, 10}},
	    {"NVIDIA-H100-80GB-HBM3", "1g.20gb", SHK_MIG_CHARGE_DOMINANT, {2, 8, 1, 20}},
	    {"NVIDIA-H100-80GB-HBM3", "2g.20gb", SHK_MIG_CHARGE_DOMINANT, {2, 7, 2, 20}},
	    {"NVIDIA-H100-80GB-HBM3", "3g.40gb", SHK_MIG_CHARGE_DOMINANT, {4, 8, 3, 40}},
	    {"NVIDIA-H100-80GB-HBM3", "3g.40gb", SHK_MIG_CHARGE_COMPUTE, {3, 7, 3, 40}},
	    {"NVIDIA-H100-80GB-HBM3", "1g.10gb", SHK_MIG_CHARGE_MEMORY, {1, 8, 1, 10}},
	    {"NVIDIA-H100-80GB-HBM3", "4g.40gb", SHK_MIG_CHARGE_DOMINANT, {4, 7, 4, 40}},
	    {"NVIDIA-H100-80GB-HBM3", "7g.80gb", SHK_MIG_CHARGE_DOMINANT, {7, 7, 7, 80}},
	    {"NVIDIA-A100-SXM4-40GB", "1g.10gb", SHK_MIG_CHARGE_DOMINANT, {2, 8, 1, 10}},
	    {"NVIDIA-A30", "1g.6gb", SHK_MIG_CHARGE_DOMINANT, {1, 4, 1, 6}},
	    {"NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
	     "2g.48gb",
	     SHK_MIG_CHARGE_DOMINANT,
	     {2, 4, 2, 48}},
	    /* placement units unknown: memory against memory */
	    {"NVIDIA-RTX-PRO-5000-Blackwell", "2g.24gb-me", SHK_MIG_CHARGE_MEMORY, {24, 48, 2, 24}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;
		struct town_node *node;

		town_open(&town);
		town.policy.mig_charge = cases[i].charge;
		node = town_mig(&town, "n", cases[i].profile, 4);
		town_label(&town, node, "gpu.product", cases[i].product);
		print_message("%s %s\n", cases[i].product, cases[i].profile);
		expect(&base_of(&town, node)->pools[0], &cases[i].expected);
		town_close(&town);
	}
}

static void an_unlisted_profile_is_weighed_by_labels_or_not_at_all(void **state)
{
	static const struct {
		const char *slices;
		const char *memory;
		bool known;
	} cases[] = {
	    {"1", "9984", true},  {NULL, "9984", false}, {"1", NULL, false},
	    {"0", "9984", false}, {"8", "9984", false},  {"1", "999999", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;
		struct town_node *node;
		const struct shk_weight *weight;

		town_open(&town);
		node = town_mig(&town, "n", "1g.11gb", 7);
		town_label(&town, node, "mig-1g.11gb.slices.gi", cases[i].slices);
		town_label(&town, node, "mig-1g.11gb.memory", cases[i].memory);
		weight = &base_of(&town, node)->pools[0].weight;
		assert_int_equal(weight->known, cases[i].known);
		if (weight->known)
			assert_int_equal(weight->gib, 11);
		town_close(&town);
	}
}

static void memory_units_from_labels_are_rounded_up(void **state)
{
	const struct expectation expected = {2, 8, 1, 11};
	struct town town;
	struct town_node *node;

	(void)state;
	town_open(&town);
	town.policy.mig_charge = SHK_MIG_CHARGE_MEMORY;
	node = town_mig(&town, "n", "1g.11gb", 7);
	town_label(&town, node, "mig-1g.11gb.slices.gi", "1");
	town_label(&town, node, "mig-1g.11gb.memory", "10300");
	expect(&base_of(&town, node)->pools[0], &expected);
	town_close(&town);
}

/* Under single gpu.memory is the slice's: only the table can say what the card has. */
static void single_slices_need_the_table_for_the_card(void **state)
{
	const struct expectation listed = {1, 7, 1, 10};
	const struct expectation unlisted = {2, 8, 1, 11};
	struct town town;
	struct town_node *node;

	(void)state;
	town_open(&town);
	node = town_single(&town, "n", 1);
	expect(&base_of(&town, node)->pools[0], &listed);
	town_label(&town, node, "gpu.product", "NVIDIA-H100-80GB-HBM3-MIG-1g.11gb");
	town_label(&town, node, "gpu.memory", "11000");
	expect(&base_of(&town, node)->pools[0], &unlisted);
	town_label(&town, node, "gpu.product", "NVIDIA-X900-MIG-1g.11gb");
	assert_false(base_of(&town, node)->pools[0].weight.known);
	town_label(&town, node, "gpu.product", "NVIDIA-H100-80GB-HBM3-MIG-oddity");
	assert_false(base_of(&town, node)->pools[0].weight.known);
	town_close(&town);
}

static void cards_have_nominal_memory_or_what_the_label_says(void **state)
{
	const struct expectation table = {1, 1, 7, 80};
	const struct expectation label = {1, 1, 7, 45};
	struct town town;
	struct town_node *node;

	(void)state;
	town_open(&town);
	node = town_cards(&town, "n", 1);
	expect(&base_of(&town, node)->pools[0], &table);
	town_label(&town, node, "gpu.product", "NVIDIA-L40S");
	town_label(&town, node, "gpu.memory", "46068");
	expect(&base_of(&town, node)->pools[0], &label);
	town_label(&town, node, "gpu.memory", NULL);
	assert_int_equal(base_of(&town, node)->pools[0].weight.gib, 0);
	town_label(&town, node, "gpu.product", "NVIDIA-A30");
	assert_int_equal(base_of(&town, node)->pools[0].weight.slices, 4);
	town_close(&town);
}

static void factor_and_price_are_found_by_the_bare_product(void **state)
{
	static const struct shk_named_micro factors[] = {{"NVIDIA-H100-80GB-HBM3", 1300000}};
	struct town town;
	const struct shk_weight *weight;

	(void)state;
	town_open(&town);
	town.policy.model_factors = factors;
	town.policy.n_model_factors = 1;
	weight = &base_of(&town, town_disguised(&town, "n", 1, 4))->pools[0].weight;
	assert_int_equal(weight->factor_micro, 1300000);
	assert_int_equal(weight->price_micro, 4500000);
	assert_int_equal(weight->replicas, 4);
	town_close(&town);
}

/* --- charges --------------------------------------------------------------------------------- */

static void seven_sevenths_and_their_like_make_exactly_one(void **state)
{
	static const struct {
		struct shk_weight weight;
		int64_t count;
	} cases[] = {
	    {{true, 1, 7, 1, 10, 1, 1000000, -1}, 7},
	    {{true, 1, 8, 1, 10, 1, 1000000, -1}, 8},
	    {{true, 1, 1, 7, 80, 24, 1000000, -1}, 24},
	    {{true, 1, 1, 7, 80, 3, 1000000, -1}, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shk_charge one;

		assert_true(shk_charge_weight(&cases[i].weight, 1, &one));
		assert_int_equal(one.parts[SHK_UNIT_GPU_EQUIVALENTS] * cases[i].count, SHK_PARTS);
	}
}

static void every_unit_is_charged(void **state)
{
	const struct shk_weight weight = {true, 4, 8, 3, 40, 2, 1500000, 4000000};
	struct shk_charge charge;

	(void)state;
	assert_true(shk_charge_weight(&weight, 2, &charge));
	assert_int_equal(charge.parts[SHK_UNIT_GPU_EQUIVALENTS], SHK_PARTS * 3 / 4);
	assert_int_equal(charge.parts[SHK_UNIT_COMPUTE_SLICES], UNITS(3));
	assert_int_equal(charge.parts[SHK_UNIT_MEMORY_GIB], UNITS(40));
	assert_int_equal(charge.parts[SHK_UNIT_COST_PER_HOUR], UNITS(2));
	for (int i = 0; i < SHK_UNIT_COUNT; i++)
		assert_true(charge.known[i]);
}

static void what_cannot_be_weighed_is_not_known(void **state)
{
	const struct shk_weight weight = {true, 1, 1, 7, 0, 1, 1000000, -1};
	const struct shk_weight blank = {.known = false};
	struct shk_charge charge;

	(void)state;
	assert_true(shk_charge_weight(&weight, 1, &charge));
	assert_true(charge.known[SHK_UNIT_GPU_EQUIVALENTS]);
	assert_false(charge.known[SHK_UNIT_MEMORY_GIB]);
	assert_false(charge.known[SHK_UNIT_COST_PER_HOUR]);
	assert_true(shk_charge_weight(&blank, 1, &charge));
	assert_false(charge.known[SHK_UNIT_GPU_EQUIVALENTS]);
}

static void a_charge_that_does_not_fit_is_said(void **state)
{
	const struct shk_weight dear = {true, 1, 1, 7, 80, 1, 1000000, INT64_C(100000000000000)};
	struct shk_charge charge;

	(void)state;
	assert_true(shk_charge_weight(&dear, 16, &charge));
	assert_false(shk_charge_weight(&dear, 2147483647, &charge));
}

static void a_vector_is_the_sum_of_its_resources(void **state)
{
	struct town town;
	struct town_node *node;
	struct shk_charge charge;
	const struct shk_amount both[] = {{GPU, 1}, {MIG1, 7}};
	const struct shk_amount stray[] = {{GPU, 1}, {MIG3, 1}};
	const struct shk_vector vector = {both, 2};
	const struct shk_vector unknown = {stray, 2};

	(void)state;
	town_open(&town);
	node = town_mig(&town, "n", "1g.10gb", 7);
	town_offer(&town, node, GPU, 2, 2);
	assert_true(shk_charge_vector(base_of(&town, node), &vector, &charge));
	assert_int_equal(charge.parts[SHK_UNIT_GPU_EQUIVALENTS], UNITS(2));
	assert_int_equal(charge.parts[SHK_UNIT_COMPUTE_SLICES], UNITS(14));
	assert_int_equal(charge.parts[SHK_UNIT_MEMORY_GIB], UNITS(150));
	assert_true(shk_charge_vector(base_of(&town, node), &unknown, &charge));
	assert_false(charge.known[SHK_UNIT_GPU_EQUIVALENTS]);
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(profiles_weigh_by_product),
	    cmocka_unit_test(an_unlisted_profile_is_weighed_by_labels_or_not_at_all),
	    cmocka_unit_test(memory_units_from_labels_are_rounded_up),
	    cmocka_unit_test(single_slices_need_the_table_for_the_card),
	    cmocka_unit_test(cards_have_nominal_memory_or_what_the_label_says),
	    cmocka_unit_test(factor_and_price_are_found_by_the_bare_product),
	    cmocka_unit_test(seven_sevenths_and_their_like_make_exactly_one),
	    cmocka_unit_test(every_unit_is_charged),
	    cmocka_unit_test(what_cannot_be_weighed_is_not_known),
	    cmocka_unit_test(a_charge_that_does_not_fit_is_said),
	    cmocka_unit_test(a_vector_is_the_sum_of_its_resources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
