/* fuzz_bind.c - any bytes as the body of bind. */
#include "fuzz.h"

#include "shikiri/base/names.h"
#include "shikiri/wire/extender.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	struct shk_bind_args args;
	struct shk_error err;
	enum shk_status status = shk_bind_args_decode(input(data, size), &arena, &args, &err);

	if (status) {
		expect_reason(status, &err);
	} else {
		expect(shk_name_is_subdomain(shk_sv(args.name)));
		expect(shk_name_is_label(shk_sv(args.namespace_)));
		expect(shk_name_is_uid(shk_sv(args.uid)));
		expect(args.node[0] != '\0' && strlen(args.node) <= 253);
	}
	shk_arena_fini(&arena);
	return 0;
}
