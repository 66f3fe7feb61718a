/* fuzz_extender_args.c - any bytes as the body of filter or prioritize; the answer is JSON that
 * has every node. */
#include "fuzz.h"

#include "shikiri/wire/extender.h"
#include "shikiri/wire/scan.h"

static void answer(const struct shk_extender_args *args, struct shk_arena *arena)
{
	struct shk_buf out = {0};
	struct shk_error err;
	uint32_t *passed = SHK_NEW_ARRAY(arena, args->n_names, uint32_t);
	struct shk_refused_node *refused =
	    SHK_NEW_ARRAY(arena, args->n_names, struct shk_refused_node);
	struct shk_filter_result result = {.args = args, .passed = passed, .refused = refused};

	for (uint32_t i = 0; i < args->n_names; i++) {
		if (i % 2 == 0)
			passed[result.n_passed++] = i;
		else
			refused[result.n_refused++] = (struct shk_refused_node){
			    .name = args->names[i], .text = "Held: x", .class_ = i % 4 / 2};
	}
	shk_filter_result_encode(&result, &out);
	expect(shk_scan((struct shk_sv){out.data, out.len}, &shk_scan_extender, NULL, &err) !=
	       SHK_E_INPUT);
	shk_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	struct shk_extender_args args;
	struct shk_error err;
	enum shk_status status = shk_extender_args_decode(input(data, size), &arena, &args, &err);

	if (status) {
		expect_reason(status, &err);
		shk_arena_fini(&arena);
		return 0;
	}
	expect(args.pod.uid && args.pod.name && args.pod.namespace_);
	expect_sorted(args.names, args.n_names);
	for (size_t i = 0; args.full_nodes && i < args.n_names; i++)
		expect(strcmp(args.names[i], args.nodes[i].name) == 0 &&
		       args.node_texts[i].len > 0);
	answer(&args, &arena);
	shk_arena_fini(&arena);
	return 0;
}
