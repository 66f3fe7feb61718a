#include "town.h"

#include "shikiri/core/node.h"

static const struct shk_pool *pool(struct town *town, const char *node, const char *resource)
{
	return shk_node_pool(town_find(town, node)->base, resource);
}

static void kinds_come_from_labels(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town_cards(&town, "cards", 8);
	town_mig(&town, "mixed", "1g.10gb", 7);
	town_single(&town, "single", 2);
	town_shared(&town, "renamed", 4, 4);
	town_disguised(&town, "disguised", 4, 4);
	town_offer(&town, town_cards(&town, "odd", 1), "nvidia.com/pgpu", 1, 1);
	town_settle(&town);
	assert_int_equal(pool(&town, "cards", GPU)->kind, SHK_POOL_CARD);
	assert_int_equal(pool(&town, "mixed", MIG1)->kind, SHK_POOL_MIG);
	assert_int_equal(pool(&town, "single", GPU)->kind, SHK_POOL_MIG);
	assert_int_equal(pool(&town, "renamed", SHARED)->kind, SHK_POOL_SHARED);
	assert_false(pool(&town, "renamed", SHARED)->disguised);
	assert_int_equal(pool(&town, "disguised", GPU)->kind, SHK_POOL_SHARED);
	assert_true(pool(&town, "disguised", GPU)->disguised);
	assert_int_equal(pool(&town, "odd", "nvidia.com/pgpu")->kind, SHK_POOL_UNKNOWN);
	assert_null(pool(&town, "cards", SHARED));
	for (size_t i = 0; i < town.n_nodes; i++)
		assert_null(town_find(&town, town.nodes[i]->facts.name)->base->contradiction);
	assert_string_equal(shk_pool_kind_name(SHK_POOL_SHARED_MIG), "shared-mig");
	town_close(&town);
}

static void any_one_signal_unmasks_a_disguise(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		enum shk_sharing sharing;
	} signals[] = {
	    {"gpu.replicas", "2", SHK_SHARING_TIME_SLICING},
	    {"gpu.sharing-strategy", "time-slicing", SHK_SHARING_TIME_SLICING},
	    {"gpu.sharing-strategy", "mps", SHK_SHARING_MPS},
	    {"gpu.product", "NVIDIA-H100-80GB-HBM3-SHARED", SHK_SHARING_TIME_SLICING},
	    {"gpu.count", "4", SHK_SHARING_TIME_SLICING},
	    {"cloud.google.com/gke-max-shared-clients-per-gpu", "2", SHK_SHARING_TIME_SLICING},
	    {"cloud.google.com/gke-gpu-sharing-strategy", "mps", SHK_SHARING_MPS},
	    {"vgpu.present", "true", SHK_SHARING_TIME_SLICING},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct town town;

		town_open(&town);
		town_label(&town, town_cards(&town, "n", 8), signals[i].key, signals[i].value);
		town_settle(&town);
		print_message("%s\n", signals[i].key);
		assert_int_equal(pool(&town, "n", GPU)->kind, SHK_POOL_SHARED);
		assert_true(pool(&town, "n", GPU)->disguised);
		assert_int_equal(pool(&town, "n", GPU)->sharing, signals[i].sharing);
		town_close(&town);
	}
}

static void near_signals_disguise_nothing(void **state)
{
	static const char *const labels[][2] = {
	    {"gpu.sharing-strategy", "none"},
	    {"cloud.google.com/gke-max-shared-clients-per-gpu", "1"},
	    {"vgpu.present", "false"},
	    {"mig.strategy", "single"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct town town;

		town_open(&town);
		town_label(&town, town_cards(&town, "n", 8), labels[i][0], labels[i][1]);
		town_settle(&town);
		assert_int_equal(pool(&town, "n", GPU)->kind, SHK_POOL_CARD);
		town_close(&town);
	}
}

static void a_policy_may_count_vgpu_as_a_card(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town.policy.vgpu_is_card = true;
	town_label(&town, town_cards(&town, "n", 8), "vgpu.present", "true");
	town_settle(&town);
	assert_int_equal(pool(&town, "n", GPU)->kind, SHK_POOL_CARD);
	town_close(&town);
}

static void shared_slices_have_signals_of_their_own(void **state)
{
	static const char *const signals[][2] = {
	    {"mig-1g.10gb.replicas", "2"},
	    {"mig-1g.10gb.sharing-strategy", "time-slicing"},
	    {"mig-1g.10gb.product", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED"},
	    {"mig-1g.10gb.count", "3"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct town town;

		town_open(&town);
		town_label(&town, town_mig(&town, "n", "1g.10gb", 7), signals[i][0], signals[i][1]);
		town_settle(&town);
		assert_int_equal(pool(&town, "n", MIG1)->kind, SHK_POOL_SHARED_MIG);
		assert_true(pool(&town, "n", MIG1)->disguised);
		town_close(&town);
	}
}

static void renamed_slices_are_shared_but_not_disguised(void **state)
{
	struct town town;
	struct town_node *node;

	(void)state;
	town_open(&town);
	node = town_mig(&town, "n", "1g.10gb", 7);
	node->facts.n_resources = 0;
	town_offer(&town, node, MIG1 ".shared", 14, 14);
	town_label(&town, node, "mig-1g.10gb.replicas", "2");
	town_label(&town, town_single(&town, "s", 1), "gpu.product",
		   "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED");
	town_settle(&town);
	assert_int_equal(pool(&town, "n", MIG1 ".shared")->kind, SHK_POOL_SHARED_MIG);
	assert_false(pool(&town, "n", MIG1 ".shared")->disguised);
	assert_int_equal(pool(&town, "n", MIG1 ".shared")->weight.replicas, 2);
	assert_int_equal(pool(&town, "s", GPU)->kind, SHK_POOL_SHARED_MIG);
	assert_true(pool(&town, "s", GPU)->disguised);
	town_close(&town);
}

static void replicas_are_capacity_by_count_and_under_mixed_the_label(void **state)
{
	struct town town;
	struct town_node *mixed;
	struct town_node *uncounted;

	(void)state;
	town_open(&town);
	town_shared(&town, "none", 4, 4);
	mixed = town_shared(&town, "mixed", 2, 4);
	town_label(&town, mixed, "mig.strategy", "mixed");
	town_label(&town, mixed, "gpu.count", "8");
	uncounted = town_shared(&town, "uncounted", 2, 3);
	town_label(&town, uncounted, "gpu.count", NULL);
	town_settle(&town);
	assert_int_equal(pool(&town, "none", SHARED)->weight.replicas, 4);
	assert_int_equal(pool(&town, "mixed", SHARED)->weight.replicas, 4);
	assert_int_equal(pool(&town, "uncounted", SHARED)->weight.replicas, 3);
	town_close(&town);
}

static void residents_own_pools_until_two_domains_meet(void **state)
{
	struct town town;
	const struct shk_node *node;

	(void)state;
	town_open(&town);
	town_tenant(&town, "a", NULL, "a");
	town_tenant(&town, "b", NULL, "b");
	town_shared(&town, "n", 1, 4);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u0", "kube-system", SHARED, 1), "n");
	assert_null(town_find(&town, "n")->pools[0].owner);
	town_adopt(&town, town_pod(&town, "u1", "a", SHARED, 1), "n");
	assert_string_equal(town_find(&town, "n")->pools[0].owner, "a");
	assert_int_equal(town_find(&town, "n")->pools[0].owner_shares, 1);
	town_adopt(&town, town_pod(&town, "u2", "b", SHARED, 2), "n");
	node = town_find(&town, "n");
	assert_null(node->pools[0].owner);
	assert_true(node->pools[0].mixed);
	assert_int_equal(node->pools[0].used, 4);
	assert_int_equal(shk_node_free(node, 0), 0);
	town_adopt(&town, town_pod(&town, "u3", "b", SHARED, 1), "n");
	node = town_find(&town, "n");
	assert_int_equal(shk_node_free(node, 0), 0);
	assert_int_equal(shk_node_deficit(node, 0), 1);
	assert_int_equal(node->n_residents, 4);
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kinds_come_from_labels),
	    cmocka_unit_test(any_one_signal_unmasks_a_disguise),
	    cmocka_unit_test(near_signals_disguise_nothing),
	    cmocka_unit_test(a_policy_may_count_vgpu_as_a_card),
	    cmocka_unit_test(shared_slices_have_signals_of_their_own),
	    cmocka_unit_test(renamed_slices_are_shared_but_not_disguised),
	    cmocka_unit_test(replicas_are_capacity_by_count_and_under_mixed_the_label),
	    cmocka_unit_test(residents_own_pools_until_two_domains_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
