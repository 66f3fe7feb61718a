/* fuzz_cluster.c - any bytes as a snapshot; the same one twice is refused and changes nothing. */
#include "fuzz.h"

#include "shikiri/wire/cluster.h"

static size_t count(const struct shk_cluster *cluster)
{
	return cluster->n_pods + cluster->n_nodes + cluster->n_namespaces +
	       cluster->n_priority_classes + cluster->n_resource_quotas;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	struct shk_cluster cluster = {0};
	struct shk_error err;
	enum shk_status status = shk_cluster_read(input(data, size), &arena, &cluster, &err);
	size_t n = count(&cluster);

	if (status) {
		expect_reason(status, &err);
		expect(n == 0);
		shk_arena_fini(&arena);
		return 0;
	}
	for (size_t i = 0; i < cluster.n_pods; i++)
		expect(cluster.pods[i].name && cluster.pods[i].namespace_ && cluster.pods[i].uid);
	for (size_t i = 0; i < cluster.n_nodes; i++)
		expect(cluster.nodes[i].name != NULL);
	status = shk_cluster_read(input(data, size), &arena, &cluster, &err);
	expect((status == SHK_OK) == (n == 0));
	expect(count(&cluster) == n);
	shk_arena_fini(&arena);
	return 0;
}
