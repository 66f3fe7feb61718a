/* str.h - strings with a length, and a buffer that grows.
 * Leaf helpers: no locale, no I/O. */
#ifndef SHIKIRI_BASE_STR_H
#define SHIKIRI_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/error.h"

/* Borrowed bytes, not terminated. */
struct shk_sv {
	const char *data;
	size_t len;
};

struct shk_sv shk_sv(const char *text); /* NULL gives an empty one */
bool shk_sv_equals(struct shk_sv a, struct shk_sv b);
bool shk_sv_is(struct shk_sv a, const char *text);

bool shk_str_equals(const char *a, const char *b); /* NULL equals only NULL */
bool shk_str_starts(const char *text, const char *prefix);
bool shk_str_ends(const char *text, const char *suffix);

/* FNV-1a, 64 bit: stable between runs and machines, so it may order things that users see. */
uint64_t shk_str_hash(const char *text);
uint64_t shk_sv_hash(struct shk_sv text);

/* Edit distance of at most 8, else 9. For "did you mean". */
unsigned shk_str_distance(const char *a, const char *b);
/* The nearest of n names at a distance of at most 3, or NULL. */
const char *shk_str_nearest(const char *text, const char *const *names, size_t n);

/* 0..15 in either case, -1 for anything else. */
int shk_hex_digit(char c);

/* qsort order of an array of const char *. */
int shk_str_compare(const void *a, const void *b);

/* A heap buffer. data is always terminated once something was added. Aborts without memory. */
struct shk_buf {
	char *data;
	size_t len;
	size_t cap;
};

void shk_buf_fini(struct shk_buf *buf);  /* accepts a zeroed one */
void shk_buf_clear(struct shk_buf *buf); /* empties and keeps the memory */
void shk_buf_reserve(struct shk_buf *buf, size_t more);
void shk_buf_add(struct shk_buf *buf, const void *data, size_t len);
void shk_buf_puts(struct shk_buf *buf, const char *text);
void shk_buf_putc(struct shk_buf *buf, char c);
void shk_buf_printf(struct shk_buf *buf, const char *fmt, ...) SHK_PRINTF(2, 3);

#endif
