/* fuzz_policy.c - any bytes as a Policy; its canonical form has the same hash. */
#include "fuzz.h"

#include "shikiri/wire/documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	struct shk_buf text = {0};
	struct shk_policy policy;
	struct shk_policy again;
	struct shk_json json;
	struct shk_error err;
	enum shk_status status = shk_policy_decode(input(data, size), &arena, &policy, &err);

	if (status) {
		expect_reason(status, &err);
		shk_arena_fini(&arena);
		return 0;
	}
	shk_json_begin(&json, &text);
	shk_policy_encode(&policy, &json);
	status = shk_policy_decode((struct shk_sv){text.data, text.len}, &arena, &again, &err);
	expect(status == SHK_E_LIMIT || /* escapes may carry it over 1 MiB */
	       (status == SHK_OK && strcmp(policy.hash, again.hash) == 0));
	shk_buf_fini(&text);
	shk_arena_fini(&arena);
	return 0;
}
