#include "shikiri/base/str.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FARTHEST  8 /* the largest distance told apart */
#define NEAR      3
#define BAND      (2 * FARTHEST + 1)
#define FIRST_CAP ((size_t)64)
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

struct shk_sv shk_sv(const char *text)
{
	return (struct shk_sv){.data = text, .len = text ? strlen(text) : 0};
}

bool shk_sv_equals(struct shk_sv a, struct shk_sv b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool shk_sv_is(struct shk_sv a, const char *text)
{
	return shk_sv_equals(a, shk_sv(text));
}

bool shk_str_equals(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return strcmp(a, b) == 0;
}

bool shk_str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool shk_str_ends(const char *text, const char *suffix)
{
	size_t len = strlen(text);
	size_t suffix_len = strlen(suffix);

	return len >= suffix_len && strcmp(text + len - suffix_len, suffix) == 0;
}

uint64_t shk_str_hash(const char *text)
{
	return shk_sv_hash(shk_sv(text));
}

uint64_t shk_sv_hash(struct shk_sv text)
{
	uint64_t hash = FNV_BASIS;

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * FNV_PRIME;
	return hash;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* One row of Levenshtein's matrix, cut to the cells that can still end within the limit: cell k
 * of row i stands for column i + k - FARTHEST. Before the update cell k therefore holds the
 * diagonal neighbour, cell k + 1 the one above, and cell k - 1 the new one to the left. */
static void next_row(unsigned row[BAND + 1], size_t i, char a, struct shk_sv b)
{
	for (size_t k = 0; k < BAND; k++) {
		size_t column = i + k;

		if (column < FARTHEST || column - FARTHEST > b.len) {
			row[k] = FARTHEST + 1;
			continue;
		}
		column -= FARTHEST;

		unsigned best = row[k + 1] + 1;

		if (column > 0)
			best = smaller(best, row[k] + (a != b.data[column - 1]));
		if (k > 0)
			best = smaller(best, row[k - 1] + 1);
		row[k] = smaller(best, FARTHEST + 1);
	}
}

unsigned shk_str_distance(const char *a, const char *b)
{
	struct shk_sv from = shk_sv(a);
	struct shk_sv to = shk_sv(b);
	size_t apart = from.len > to.len ? from.len - to.len : to.len - from.len;
	unsigned row[BAND + 1];

	if (apart > FARTHEST)
		return FARTHEST + 1;
	for (unsigned k = 0; k <= BAND; k++)
		row[k] = k >= FARTHEST && k < BAND ? k - FARTHEST : FARTHEST + 1;
	for (size_t i = 1; i <= from.len; i++)
		next_row(row, i, from.data[i - 1], to);
	return row[to.len + FARTHEST - from.len];
}

const char *shk_str_nearest(const char *text, const char *const *names, size_t n)
{
	const char *nearest = NULL;
	unsigned least = NEAR + 1;

	for (size_t i = 0; i < n; i++) {
		unsigned distance = shk_str_distance(text, names[i]);

		if (distance >= least)
			continue;
		least = distance;
		nearest = names[i];
	}
	return nearest;
}

int shk_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int shk_str_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void shk_buf_fini(struct shk_buf *buf)
{
	free(buf->data);
	*buf = (struct shk_buf){0};
}

void shk_buf_clear(struct shk_buf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

void shk_buf_reserve(struct shk_buf *buf, size_t more)
{
	size_t needed;

	if (__builtin_add_overflow(buf->len, more, &needed) || needed > SIZE_MAX / 4)
		abort();
	needed++;
	if (needed <= buf->cap)
		return;

	size_t cap = buf->cap ? buf->cap : FIRST_CAP;

	while (cap < needed)
		cap *= 2;

	char *data = realloc(buf->data, cap);

	if (!data)
		abort();
	data[buf->len] = '\0';
	buf->data = data;
	buf->cap = cap;
}

void shk_buf_add(struct shk_buf *buf, const void *data, size_t len)
{
	shk_buf_reserve(buf, len);
	if (len > 0)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void shk_buf_puts(struct shk_buf *buf, const char *text)
{
	shk_buf_add(buf, text, strlen(text));
}

void shk_buf_putc(struct shk_buf *buf, char c)
{
	shk_buf_add(buf, &c, 1);
}

void shk_buf_printf(struct shk_buf *buf, const char *fmt, ...)
{
	va_list args;

	assert(fmt);
	va_start(args, fmt);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0)
		abort();

	shk_buf_reserve(buf, (size_t)len);
	va_start(args, fmt);
	int printed = vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, args);
	va_end(args);
	if (printed != len)
		abort();
	buf->len += (size_t)len;
}
