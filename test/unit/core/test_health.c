#include "town.h"

#include <stdio.h>

static const char *contradiction(struct town *town, const char *node)
{
	const char *sentence = town_find(town, node)->base->contradiction;

	return sentence ? sentence : "";
}

static void fences_come_from_operator_labels(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		enum shk_reason fence;
	} cases[] = {
	    {"mig.config.state", "success", SHK_FITS},
	    {"mig.config.state", "pending", SHK_REASON_MIG_RECONFIGURING},
	    {"mig.config.state", "rebooting", SHK_REASON_MIG_RECONFIGURING},
	    {"mig.config.state", "", SHK_REASON_MIG_RECONFIGURING},
	    {"mig.config.state", "failed", SHK_REASON_MIG_FAILED},
	    {"gpu.deploy.dcgm", "paused-for-mig-change", SHK_REASON_MIG_RECONFIGURING},
	    {"gpu.deploy.dcgm", "paused-for-driver-upgrade", SHK_REASON_DRIVER_UPGRADING},
	    {"gpu.deploy.dcgm", "false", SHK_FITS},
	    {"gpu-driver-upgrade-state", "upgrade-done", SHK_FITS},
	    {"gpu-driver-upgrade-state", "upgrade-required", SHK_FITS},
	    {"gpu-driver-upgrade-state", "drain-required", SHK_REASON_DRIVER_UPGRADING},
	    {"gpu-driver-upgrade-state", "upgrade-failed", SHK_REASON_DRIVER_UPGRADING},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;

		town_open(&town);
		town_label(&town, town_cards(&town, "n", 8), cases[i].key, cases[i].value);
		town_settle(&town);
		print_message("%s=%s\n", cases[i].key, cases[i].value);
		assert_int_equal(town_find(&town, "n")->base->fence, cases[i].fence);
		town_close(&town);
	}
}

static void a_cordon_comes_first(void **state)
{
	struct town town;
	struct town_node *node;

	(void)state;
	town_open(&town);
	node = town_cards(&town, "n", 8);
	node->cordoned = true;
	town_label(&town, node, "mig.config.state", "failed");
	town_settle(&town);
	assert_int_equal(town_find(&town, "n")->base->fence, SHK_REASON_GPU_CORDONED);
	town_close(&town);
}

/* Each case changes one thing on a healthy node. */
static void labels_that_contradict_resources_are_found(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		const char *sentence;
	} cases[] = {
	    {"gpu.replicas", "0",
	     "gpu.replicas is 0 while nvidia.com/gpu is offered: the cards are in MIG mode or "
	     "the entry is left over"},
	    {"gpu.product", "NVIDIA-H100-80GB-HBM3-MIG-INVALID",
	     "gpu.product ends in -MIG-INVALID: the cards are not cut alike"},
	    {"gpu.product", NULL,
	     "nvidia.com/gpu is offered without the label nvidia.com/gpu.product"},
	    {"gpu.product", "",
	     "nvidia.com/gpu is offered without the label nvidia.com/gpu.product"},
	    {"gpu.count", NULL, "nvidia.com/gpu is offered without the label nvidia.com/gpu.count"},
	    {"gpu.count", "eight",
	     "nvidia.com/gpu is offered without the label nvidia.com/gpu.count"},
	    {"gpu.replicas", NULL,
	     "nvidia.com/gpu is offered without the label nvidia.com/gpu.replicas"},
	    {"gpu.count", "0", "gpu.count is 0"},
	    {"gpu.count", "3", "the capacity of nvidia.com/gpu is not a multiple of gpu.count"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;

		town_open(&town);
		town_label(&town, town_cards(&town, "n", 8), cases[i].key, cases[i].value);
		town_settle(&town);
		assert_string_equal(contradiction(&town, "n"), cases[i].sentence);
		town_close(&town);
	}
}

static void slices_are_checked_against_their_own_labels(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		const char *sentence;
	} cases[] = {
	    {"mig-1g.10gb.count", NULL,
	     MIG1 " is offered without the label nvidia.com/mig-1g.10gb.count"},
	    {"mig-1g.10gb.replicas", NULL,
	     MIG1 " is offered without the label nvidia.com/mig-1g.10gb.replicas"},
	    {"gpu.product", NULL, MIG1 " is offered without the label nvidia.com/gpu.product"},
	    {"mig-1g.10gb.count", "6", MIG1 ": the labels' count times replicas is not capacity"},
	    {"mig-1g.10gb.replicas", "2",
	     MIG1 ": the labels' count times replicas is not capacity"},
	    {"mig-1g.10gb.replicas", "0", ""},
	    {"gpu.count", "3", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;

		town_open(&town);
		town_label(&town, town_mig(&town, "n", "1g.10gb", 7), cases[i].key, cases[i].value);
		town_settle(&town);
		assert_string_equal(contradiction(&town, "n"), cases[i].sentence);
		town_close(&town);
	}
}

static void sick_devices_leave_allocatable_only(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town_offer(&town, town_mig(&town, "slices", "1g.10gb", 7), MIG1, 7, 5);
	town_offer(&town, town_cards(&town, "cards", 8), GPU, 8, 7);
	town_settle(&town);
	assert_string_equal(contradiction(&town, "slices"), "");
	assert_string_equal(contradiction(&town, "cards"), "");
	town_close(&town);
}

static void two_names_for_one_device_are_a_contradiction(void **state)
{
	struct town town;
	struct town_node *stale;

	(void)state;
	town_open(&town);
	town_offer(&town, town_cards(&town, "gpu", 4), SHARED, 4, 4);
	town_offer(&town, town_mig(&town, "mig", "1g.10gb", 7), MIG1 ".shared", 7, 7);
	stale = town_cards(&town, "stale", 4);
	town_offer(&town, stale, SHARED, 4, 0);
	town_settle(&town);
	assert_string_equal(contradiction(&town, "gpu"),
			    "nvidia.com/gpu and nvidia.com/gpu.shared are both offered");
	assert_string_equal(contradiction(&town, "mig"),
			    MIG1 " and " MIG1 ".shared are both offered");
	assert_string_equal(contradiction(&town, "stale"), "");
	town_close(&town);
}

/* --- NodeFacts ------------------------------------------------------------------------------- */

static const struct shk_requirement pool_a100 = {.key = "agentpool", .op = SHK_SELECTOR_EXISTS};

static void facts(struct town *town, const char *name, int64_t cards, const char *profile)
{
	town->node_facts[town->n_node_facts++] = (struct shk_node_facts_doc){
	    .name = name,
	    .node_selector = {&pool_a100, 1},
	    .product = "NVIDIA-A100-SXM4-80GB",
	    .cards = cards,
	    .replicas = 1,
	    .sharing = SHK_SHARING_NONE,
	    .mig_profile = profile,
	};
}

static struct town_node *bare(struct town *town, const char *name, int64_t gpus)
{
	struct town_node *node = town_node(town, name);

	town_label(town, node, "x.example/agentpool", "a100");
	town_label(town, node, "x.example/agentpool", NULL);
	node->labels[node->facts.labels.n++] = (struct shk_pair){"agentpool", "a100"};
	town_offer(town, node, GPU, gpus, gpus);
	return node;
}

static void documents_stand_in_for_labels(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	facts(&town, "whole", 8, "");
	bare(&town, "n", 8);
	town_settle(&town);
	assert_string_equal(contradiction(&town, "n"), "");
	assert_string_equal(town_find(&town, "n")->base->product, "NVIDIA-A100-SXM4-80GB");
	assert_int_equal(town_find(&town, "n")->base->pools[0].kind, SHK_POOL_CARD);
	town_close(&town);
}

static void a_profile_in_a_document_means_every_card_is_cut_so(void **state)
{
	struct town town;
	const struct shk_node_base *base;

	(void)state;
	town_open(&town);
	facts(&town, "cut", 8, "1g.10gb");
	bare(&town, "n", 56);
	town_settle(&town);
	base = town_find(&town, "n")->base;
	assert_string_equal(contradiction(&town, "n"), "");
	assert_string_equal(base->strategy, "single");
	assert_int_equal(base->pools[0].kind, SHK_POOL_MIG);
	assert_int_equal(base->pools[0].weight.share_den, 7);
	town_close(&town);
}

static void documents_and_labels_must_agree(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		const char *label;
	} cases[] = {
	    {"gpu.product", "NVIDIA-H100-80GB-HBM3", "gpu.product"},
	    {"gpu.product", "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "gpu.product"},
	    {"gpu.product", "NVIDIA-A100-SXM4-80GB-SHARED", "gpu.product"},
	    {"gpu.count", "4", "gpu.count"},
	    {"gpu.replicas", "4", "gpu.replicas"},
	    {"gpu.sharing-strategy", "mps", "gpu.sharing-strategy"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct town town;
		char sentence[128];

		town_open(&town);
		facts(&town, "whole", 8, "");
		town_label(&town, bare(&town, "n", 8), cases[i].key, cases[i].value);
		town_settle(&town);
		(void)snprintf(sentence, sizeof(sentence),
			       "NodeFacts whole and the label nvidia.com/%s disagree",
			       cases[i].label);
		assert_string_equal(contradiction(&town, "n"), sentence);
		town_close(&town);
	}
}

static void a_cut_document_needs_strategy_single(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	facts(&town, "cut", 8, "1g.10gb");
	town_label(&town, bare(&town, "n", 56), "mig.strategy", "mixed");
	town_settle(&town);
	assert_string_equal(contradiction(&town, "n"),
			    "NodeFacts cut and the label nvidia.com/mig.strategy disagree");
	town_close(&town);
}

static void two_documents_must_agree(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	facts(&town, "one", 8, "");
	facts(&town, "same", 8, "");
	facts(&town, "two", 4, "");
	facts(&town, "third", 2, "");
	bare(&town, "n", 8);
	town_settle(&town);
	assert_string_equal(contradiction(&town, "n"),
			    "NodeFacts one and two differ about this node");
	town_close(&town);
}

static void a_profile_the_table_lacks_leaves_the_count_unknown(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	facts(&town, "odd", 8, "5g.50gb");
	bare(&town, "n", 8);
	town_settle(&town);
	assert_string_equal(contradiction(&town, "n"),
			    "nvidia.com/gpu is offered without the label nvidia.com/gpu.count");
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fences_come_from_operator_labels),
	    cmocka_unit_test(a_cordon_comes_first),
	    cmocka_unit_test(labels_that_contradict_resources_are_found),
	    cmocka_unit_test(slices_are_checked_against_their_own_labels),
	    cmocka_unit_test(sick_devices_leave_allocatable_only),
	    cmocka_unit_test(two_names_for_one_device_are_a_contradiction),
	    cmocka_unit_test(documents_stand_in_for_labels),
	    cmocka_unit_test(a_profile_in_a_document_means_every_card_is_cut_so),
	    cmocka_unit_test(documents_and_labels_must_agree),
	    cmocka_unit_test(a_cut_document_needs_strategy_single),
	    cmocka_unit_test(two_documents_must_agree),
	    cmocka_unit_test(a_profile_the_table_lacks_leaves_the_count_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
