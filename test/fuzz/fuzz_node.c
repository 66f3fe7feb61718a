/* fuzz_node.c - any bytes as a Node, and the pools that follow from it. */
#include "fuzz.h"

#include "shikiri/core/node.h"
#include "shikiri/wire/cluster.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	struct shk_policy policy;
	struct shk_node_context context = {.policy = &policy};
	struct shk_node_facts node;
	struct shk_node_base base;
	struct shk_error err;
	enum shk_status status = shk_node_decode(input(data, size), &arena, &node, &err);

	if (status) {
		expect_reason(status, &err);
		shk_arena_fini(&arena);
		return 0;
	}
	expect(node.name != NULL);
	for (size_t i = 1; i < node.labels.n; i++)
		expect(strcmp(node.labels.items[i - 1].key, node.labels.items[i].key) < 0);
	for (size_t i = 0; i < node.n_resources; i++) {
		expect(node.resources[i].capacity >= 0 && node.resources[i].allocatable >= 0);
		expect(i == 0 ||
		       strcmp(node.resources[i - 1].resource, node.resources[i].resource) < 0);
	}
	shk_policy_default(&policy);
	shk_node_base_build(&arena, &node, &context, &base);
	shk_arena_fini(&arena);
	return 0;
}
