/* fuzz_pod.c - any bytes as a Pod. */
#include "fuzz.h"

#include "shikiri/core/request.h"
#include "shikiri/wire/cluster.h"

static void check_asks(const struct shk_ask *asks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		expect(i == 0 || strcmp(asks[i - 1].resource, asks[i].resource) < 0);
		expect(asks[i].request >= 0 && asks[i].limit >= 0);
		expect(asks[i].has_request || asks[i].request == 0);
		expect(asks[i].has_limit || asks[i].limit == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	struct shk_claim claim;
	struct shk_pod pod;
	struct shk_error err;
	enum shk_status status = shk_pod_decode(input(data, size), &arena, &pod, &err);

	if (status) {
		expect_reason(status, &err);
		shk_arena_fini(&arena);
		return 0;
	}
	expect(pod.name != NULL);
	expect(pod.grace_s >= 0);
	expect(pod.priority >= INT32_MIN && pod.priority <= INT32_MAX);
	for (size_t i = 0; i < pod.n_containers; i++) {
		check_asks(pod.containers[i].asks, pod.containers[i].n_asks);
		expect(pod.containers[i].cpu_milli >= 0);
	}
	check_asks(pod.overhead, pod.n_overhead);
	shk_claim_build(&pod, NULL, 0, &arena, &claim);
	shk_arena_fini(&arena);
	return 0;
}
