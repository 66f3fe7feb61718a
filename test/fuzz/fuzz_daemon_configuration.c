/* fuzz_daemon_configuration.c - any bytes as the daemon's configuration file. */
#include "fuzz.h"

#include "shikiri/wire/documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	const struct shk_setting *settings = NULL;
	struct shk_error err;
	size_t n = 0;
	enum shk_status status =
	    shk_daemon_configuration_decode(input(data, size), &arena, &settings, &n, &err);

	if (status)
		expect_reason(status, &err);
	for (size_t i = 0; i < n; i++)
		expect(settings[i].key[0] >= 'a' && settings[i].key[0] <= 'z' && settings[i].value);
	shk_arena_fini(&arena);
	return 0;
}
