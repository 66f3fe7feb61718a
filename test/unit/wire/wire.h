/* wire.h - what the tests of wire share. */
#ifndef SHIKIRI_TEST_WIRE_H
#define SHIKIRI_TEST_WIRE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* All requests that were captured, by path under TEST_DATA. */
#define CAPTURES_1_36(X)                                                                           \
	X("again-filter")                                                                          \
	X("failed-filter")                                                                         \
	X("happy-bind")                                                                            \
	X("happy-filter")                                                                          \
	X("happy-prioritize")                                                                      \
	X("nocache-filter")                                                                        \
	X("nocache-prioritize")                                                                    \
	X("nominated-filter")                                                                      \
	X("preempt-budget")                                                                        \
	X("preempt-one-victim")                                                                    \
	X("preempt-three-victims")                                                                 \
	X("rich-bind")                                                                             \
	X("rich-filter")                                                                           \
	X("rich-prioritize")                                                                       \
	X("slice-filter")

#define CAPTURES_OTHERS(X)                                                                         \
	X("again-filter")                                                                          \
	X("happy-bind")                                                                            \
	X("happy-filter")                                                                          \
	X("happy-prioritize")                                                                      \
	X("nocache-filter")                                                                        \
	X("nominated-filter")                                                                      \
	X("preempt-three-victims")

static const char *const captures[] = {
#define X(name) "captures/v1.36.3/" name ".request.json",
    CAPTURES_1_36(X)
#undef X
#define X(name) "captures/v1.34.4/" name ".request.json",
	CAPTURES_OTHERS(X)
#undef X
#define X(name) "captures/v1.37.2/" name ".request.json",
	    CAPTURES_OTHERS(X)
#undef X
};

/* The file's bytes; the caller finishes the buffer. */
static inline struct shk_buf read_data(const char *name)
{
	struct shk_buf out = {0};
	char path[1024];
	char chunk[4096];

	(void)snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);

	FILE *file = fopen(path, "rb");

	if (!file)
		fail_msg("can't open %s", path);
	for (;;) {
		size_t n = fread(chunk, 1, sizeof chunk, file);

		if (n == 0)
			break;
		shk_buf_add(&out, chunk, n);
	}
	(void)fclose(file);
	return out;
}

static inline struct shk_sv buf_sv(const struct shk_buf *buf)
{
	return (struct shk_sv){.data = buf->data, .len = buf->len};
}

/* text n times. */
static inline void repeat(struct shk_buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		shk_buf_puts(out, text);
}

/* Fails unless the error is the expected status, pointer and has the given words in its text. */
static inline void expect_error(enum shk_status status, const struct shk_error *err,
				enum shk_status expected, const char *pointer, const char *words,
				const char *what)
{
	if (status != expected)
		fail_msg("%s: status %d, not %d (%s: %s)", what, (int)status, (int)expected,
			 status ? err->pointer : "", status ? err->text : "");
	if (err->status != expected || strcmp(err->pointer, pointer) != 0 ||
	    !strstr(err->text, words))
		fail_msg("%s: %s: %s\nexpected %s: %s", what, err->pointer, err->text, pointer,
			 words);
}

static inline void expect_ok(enum shk_status status, const struct shk_error *err, const char *what)
{
	if (status != SHK_OK)
		fail_msg("%s: %s: %s", what, err->pointer, err->text);
}

#endif
