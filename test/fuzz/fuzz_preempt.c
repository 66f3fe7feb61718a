/* fuzz_preempt.c - any bytes as the body of preempt; the answer is JSON. */
#include "fuzz.h"

#include "shikiri/wire/extender.h"
#include "shikiri/wire/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	struct shk_buf out = {0};
	struct shk_preempt_args args;
	struct shk_error err;
	enum shk_status status = shk_preempt_args_decode(input(data, size), &arena, &args, &err);

	if (status) {
		expect_reason(status, &err);
		shk_arena_fini(&arena);
		return 0;
	}
	for (size_t i = 0; i < args.n_nodes; i++) {
		expect(i == 0 || strcmp(args.nodes[i - 1].node, args.nodes[i].node) < 0);
		expect(args.nodes[i].pdb_violations >= 0);
	}
	shk_preempt_result_encode(args.nodes, args.n_nodes, &out);
	expect(shk_scan((struct shk_sv){out.data, out.len}, &shk_scan_extender, NULL, &err) !=
	       SHK_E_INPUT);
	shk_buf_fini(&out);
	shk_arena_fini(&arena);
	return 0;
}
