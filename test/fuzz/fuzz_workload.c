/* fuzz_workload.c - any bytes as the body of a dry run, as YAML and as JSON. */
#include "fuzz.h"

#include "shikiri/wire/workload.h"

static void decode(struct shk_sv text, bool yaml_allowed)
{
	struct shk_arena arena = {0};
	struct shk_dry_run_request request;
	struct shk_error err;
	enum shk_status status =
	    shk_dry_run_decode(text, yaml_allowed, "fuzz", &arena, &request, &err);

	if (status) {
		expect_reason(status, &err);
		shk_arena_fini(&arena);
		return;
	}
	expect(request.order.n_pods <= SHK_DRY_RUN_MAX_PODS);
	for (size_t i = 0; i < request.order.n_pods; i++) {
		const struct shk_pod *pod = request.order.pods[i];

		expect(pod->name && pod->namespace_ && pod->uid && *pod->uid);
		expect(!pod->node_name && pod->phase == SHK_PHASE_PENDING);
	}
	shk_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	decode(input(data, size), true);
	decode(input(data, size), false);
	return 0;
}
