#include "town.h"

#include "shikiri/core/request.h"

enum role { APP, INIT, SIDECAR };

/* One container of a worked example: asks n of nvidia.com/gpu. */
struct part {
	enum role role;
	int64_t gpus;
};

static struct shk_pod *pod_of(struct shk_arena *arena, const struct part *parts, size_t n)
{
	struct shk_container *containers = SHK_NEW_ARRAY(arena, n, struct shk_container);
	struct shk_pod *pod = SHK_NEW(arena, struct shk_pod);

	for (size_t i = 0; i < n; i++) {
		struct shk_ask *ask = SHK_NEW(arena, struct shk_ask);

		*ask = (struct shk_ask){.resource = GPU, .has_limit = true, .limit = parts[i].gpus};
		containers[i] = (struct shk_container){.name = "c",
						       .init = parts[i].role != APP,
						       .sidecar = parts[i].role == SIDECAR,
						       .asks = ask,
						       .n_asks = 1,
						       .cpu_milli = parts[i].gpus * 100};
	}
	*pod = (struct shk_pod){.uid = "u",
				.namespace_ = "a",
				.name = "p",
				.containers = containers,
				.n_containers = n};
	return pod;
}

static void worked_examples_count_as_kubernetes_does(void **state)
{
	static const struct {
		struct part parts[5];
		size_t n;
		int64_t overhead;
		int64_t total;
		int64_t most;
	} cases[] = {
	    {{{APP, 1}, {APP, 1}}, 2, 0, 2, 1},
	    {{{INIT, 4}, {APP, 1}, {APP, 1}}, 3, 0, 4, 4},
	    {{{SIDECAR, 1}, {APP, 2}}, 2, 0, 3, 2},
	    {{{INIT, 3}, {SIDECAR, 1}, {APP, 1}}, 3, 0, 3, 3},
	    {{{SIDECAR, 1}, {INIT, 3}, {APP, 1}}, 3, 0, 4, 3},
	    {{{SIDECAR, 1}, {SIDECAR, 1}, {INIT, 2}, {APP, 1}}, 4, 0, 4, 2},
	    {{{APP, 1}}, 1, 1, 2, 1},
	    {{{INIT, 2}}, 1, 0, 2, 2},
	    {{{APP, 0}}, 1, 0, 0, 0},
	};
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shk_pod *pod = pod_of(&arena, cases[i].parts, cases[i].n);
		struct shk_ask overhead = {
		    .resource = GPU, .has_request = true, .request = cases[i].overhead};
		struct shk_claim claim;

		pod->overhead = &overhead;
		pod->n_overhead = cases[i].overhead > 0;
		shk_claim_build(pod, NULL, 0, &arena, &claim);
		print_message("case %zu\n", i);
		assert_true(claim.valid);
		assert_int_equal(shk_vector_get(&claim.resources, GPU), cases[i].total);
		assert_int_equal(claim.managed, cases[i].total > 0);
		if (claim.managed)
			assert_int_equal(claim.max_in_container[0], cases[i].most);
		assert_int_equal(claim.cpu_milli, (cases[i].total - cases[i].overhead) * 100);
	}
	shk_arena_fini(&arena);
}

static void resources_are_counted_apart(void **state)
{
	struct town town;
	struct shk_pod *pod;
	struct shk_container containers[2];
	struct shk_ask init = {.resource = MIG1, .has_limit = true, .limit = 2};

	(void)state;
	town_open(&town);
	pod = town_pod(&town, "u", "a", MIG3, 1);
	town_also(&town, pod, MIG1, 1);
	containers[0] =
	    (struct shk_container){.name = "i", .init = true, .asks = &init, .n_asks = 1};
	containers[1] = pod->containers[0];
	pod->containers = containers;
	pod->n_containers = 2;
	shk_claim_build(pod, NULL, 0, &town.arena, &town.claim);
	assert_int_equal(town.claim.resources.n, 2);
	assert_string_equal(town.claim.resources.items[0].resource, MIG1);
	assert_int_equal(town.claim.resources.items[0].count, 2);
	assert_int_equal(town.claim.resources.items[1].count, 1);
	town_close(&town);
}

static void what_cannot_be_valid_is_said_with_its_container(void **state)
{
	static const struct {
		struct shk_ask ask;
		const char *detail;
	} cases[] = {
	    {{GPU, true, false, false, 1, 0}, "main: nvidia.com/gpu has a request without a limit"},
	    {{GPU, true, true, false, 1, 2},
	     "main: nvidia.com/gpu has a request that differs from its limit"},
	    {{GPU, false, true, true, 0, 0},
	     "main: nvidia.com/gpu is not a whole number of devices"},
	    {{GPU, false, true, false, 0, INT64_C(3000000000)},
	     "main: nvidia.com/gpu is larger than any node"},
	};
	struct town town;

	(void)state;
	town_open(&town);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shk_container container = {
		    .name = "main", .asks = &cases[i].ask, .n_asks = 1};
		struct shk_pod pod = {.uid = "u",
				      .namespace_ = "a",
				      .name = "p",
				      .containers = &container,
				      .n_containers = 1};

		shk_claim_build(&pod, NULL, 0, &town.arena, &town.claim);
		assert_false(town.claim.valid);
		assert_true(town.claim.managed);
		assert_string_equal(town.claim.invalid_detail, cases[i].detail);
	}
	town_close(&town);
}

static void zero_without_a_limit_is_invalid_only_beside_a_demand(void **state)
{
	const struct shk_ask zero = {.resource = GPU, .has_request = true};
	const struct shk_ask one = {.resource = GPU, .has_limit = true, .limit = 1};
	const struct shk_container containers[] = {{.name = "main", .asks = &zero, .n_asks = 1},
						   {.name = "more", .asks = &one, .n_asks = 1}};
	struct shk_pod pod = {.uid = "u", .containers = containers, .n_containers = 1};
	struct town town;

	(void)state;
	town_open(&town);
	shk_claim_build(&pod, NULL, 0, &town.arena, &town.claim);
	assert_true(town.claim.valid);
	assert_false(town.claim.managed);
	pod.n_containers = 2;
	shk_claim_build(&pod, NULL, 0, &town.arena, &town.claim);
	assert_false(town.claim.valid);
	assert_true(town.claim.managed);
	town_close(&town);
}

static void bad_overhead_and_sums_are_invalid(void **state)
{
	struct town town;
	struct shk_pod *pod;
	struct shk_ask overhead = {.resource = GPU, .has_request = true, .malformed = true};
	static const struct part two_large[] = {{APP, INT64_C(2147483648)}, {APP, 1}};

	(void)state;
	town_open(&town);
	pod = town_pod(&town, "u", "a", GPU, 1);
	pod->overhead = &overhead;
	pod->n_overhead = 1;
	shk_claim_build(pod, NULL, 0, &town.arena, &town.claim);
	assert_false(town.claim.valid);
	shk_claim_build(pod_of(&town.arena, two_large, 2), NULL, 0, &town.arena, &town.claim);
	assert_false(town.claim.valid);
	town_close(&town);
}

static void the_first_bad_name_is_kept_whatever_the_order(void **state)
{
	struct town town;
	struct shk_pod *pod;

	(void)state;
	town_open(&town);
	pod = town_pod(&town, "u", "a", "nvidia.com/zeta", 1);
	town_also(&town, pod, "nvidia.com/alpha", 1);
	town_also(&town, pod, "nvidia.com/zero", 0);
	shk_claim_build(pod, NULL, 0, &town.arena, &town.claim);
	assert_string_equal(town.claim.bad_name, "nvidia.com/alpha");
	town_close(&town);
}

static void priority_comes_from_spec_then_class_then_default(void **state)
{
	static const struct shk_priority_class classes[] = {{"low", 10, false},
							    {"normal", 50, true}};
	struct shk_pod pod = {.uid = "u"};
	struct town town;

	(void)state;
	town_open(&town);
	shk_claim_build(&pod, classes, 2, &town.arena, &town.claim);
	assert_int_equal(town.claim.priority, 50);
	pod.priority_class = "low";
	shk_claim_build(&pod, classes, 2, &town.arena, &town.claim);
	assert_int_equal(town.claim.priority, 10);
	pod.priority_class = "system-node-critical";
	shk_claim_build(&pod, NULL, 0, &town.arena, &town.claim);
	assert_int_equal(town.claim.priority, 2000001000);
	pod.priority_class = "system-cluster-critical";
	shk_claim_build(&pod, NULL, 0, &town.arena, &town.claim);
	assert_int_equal(town.claim.priority, 2000000000);
	pod.priority_class = "unheard-of";
	shk_claim_build(&pod, classes, 2, &town.arena, &town.claim);
	assert_int_equal(town.claim.priority, 0);
	pod.has_priority = true;
	pod.priority = 7;
	shk_claim_build(&pod, classes, 2, &town.arena, &town.claim);
	assert_int_equal(town.claim.priority, 7);
	town_close(&town);
}

static void pod_level_cpu_stands_for_the_containers(void **state)
{
	struct town town;
	struct shk_pod *pod;

	(void)state;
	town_open(&town);
	pod = town_pod(&town, "u", "a", GPU, 1);
	pod->has_pod_cpu = true;
	pod->pod_cpu_milli = 4000;
	pod->overhead_cpu_milli = 100;
	shk_claim_build(pod, NULL, 0, &town.arena, &town.claim);
	assert_int_equal(town.claim.cpu_milli, 4100);
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(worked_examples_count_as_kubernetes_does),
	    cmocka_unit_test(resources_are_counted_apart),
	    cmocka_unit_test(what_cannot_be_valid_is_said_with_its_container),
	    cmocka_unit_test(zero_without_a_limit_is_invalid_only_beside_a_demand),
	    cmocka_unit_test(bad_overhead_and_sums_are_invalid),
	    cmocka_unit_test(the_first_bad_name_is_kept_whatever_the_order),
	    cmocka_unit_test(priority_comes_from_spec_then_class_then_default),
	    cmocka_unit_test(pod_level_cpu_stands_for_the_containers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
