/* fuzz.h - what the targets share. Each is built twice: with libFuzzer, and with replay.c as a
 * program that runs files once. */
#ifndef SHIKIRI_TEST_FUZZ_H
#define SHIKIRI_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stays on whatever the build. */
static inline void expect(bool holds)
{
	if (!holds)
		abort();
}

static inline struct shk_sv input(const uint8_t *data, size_t size)
{
	return (struct shk_sv){.data = (const char *)data, .len = size};
}

/* A refusal says why. */
static inline void expect_reason(enum shk_status status, const struct shk_error *err)
{
	expect(err->status == status && err->text[0] != '\0');
	expect(status == SHK_E_INPUT || status == SHK_E_LIMIT);
}

static inline void expect_sorted(const char *const *names, size_t n)
{
	for (size_t i = 1; i < n; i++)
		expect(strcmp(names[i - 1], names[i]) < 0);
}

#endif
