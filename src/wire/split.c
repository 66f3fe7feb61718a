#include "split.h"

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BLOCK 64

static bool ends_scalar(char c)
{
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static size_t feed_scalar(struct shk_sv bytes, bool *ret_end)
{
	size_t i = 0;

	while (i < bytes.len && !ends_scalar(bytes.data[i]))
		i++;
	*ret_end = i < bytes.len;
	return i;
}

/* true: the value ends with this byte. */
static bool step_in_string(struct splitter *s, char c)
{
	if (s->is_escaped) {
		s->is_escaped = false;
		return false;
	}
	s->is_escaped = c == '\\';
	if (c != '"')
		return false;
	s->in_string = false;
	return s->depth == 0;
}

static bool step(struct splitter *s, char c)
{
	if (s->in_string)
		return step_in_string(s, c);
	switch (c) {
	case '"':
		s->in_string = true;
		return false;
	case '{':
	case '[':
		s->depth++;
		return false;
	case '}':
	case ']':
		s->depth--; /* one at least is open, or the value would have ended */
		return s->depth == 0;
	default:
		return false;
	}
}

#ifdef __SSE2__
struct masks {
	uint64_t quotes, backslashes, opening, closing;
};

static uint64_t find(const __m128i parts[4], char c)
{
	__m128i wanted = _mm_set1_epi8(c);
	uint64_t found = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(parts[i], wanted));

		found |= (uint64_t)hits << (16 * i);
	}
	return found;
}

/* Bit 5 is all that tells [ from { and ] from }. */
static struct masks look(const char *at)
{
	__m128i parts[4];
	__m128i braces[4];

	for (unsigned i = 0; i < 4; i++) {
		memcpy(&parts[i], at + (size_t)16 * i, sizeof parts[i]);
		braces[i] = _mm_or_si128(parts[i], _mm_set1_epi8(0x20));
	}
	return (struct masks){
	    .quotes = find(parts, '"'),
	    .backslashes = find(parts, '\\'),
	    .opening = find(braces, '{'),
	    .closing = find(braces, '}'),
	};
}

/* Bit i of the result: an odd number of bits up to i is set. */
static uint64_t parity_upto(uint64_t bits)
{
	for (unsigned shift = 1; shift < BLOCK; shift *= 2)
		bits ^= bits << shift;
	return bits;
}

/* Passes over whole blocks in which the value can't end and nothing is escaped. */
static size_t skip_blocks(struct splitter *s, struct shk_sv bytes)
{
	size_t at = 0;

	for (; bytes.len - at >= BLOCK; at += BLOCK) {
		struct masks m = look(bytes.data + at);
		uint64_t quoted = parity_upto(m.quotes) ^ (s->in_string ? UINT64_MAX : 0);
		size_t closing = (size_t)__builtin_popcountll(m.closing & ~quoted);

		if (m.backslashes || closing >= s->depth)
			break;
		s->depth += (size_t)__builtin_popcountll(m.opening & ~quoted) - closing;
		s->in_string = quoted >> (BLOCK - 1);
	}
	return at;
}
#else
static size_t skip_blocks(struct splitter *s, struct shk_sv bytes)
{
	(void)s;
	(void)bytes;
	return 0;
}
#endif

/* Byte by byte up to the end of the value, but for no longer than a block. */
static size_t step_block(struct splitter *s, struct shk_sv bytes, bool *ret_end)
{
	const char *at = bytes.data;
	const char *end = at + (bytes.len < BLOCK ? bytes.len : BLOCK);

	while (at < end && !*ret_end)
		*ret_end = step(s, *at++);
	return (size_t)(at - bytes.data);
}

static struct shk_sv behind(struct shk_sv text, size_t n)
{
	return (struct shk_sv){.data = text.data + n, .len = text.len - n};
}

static bool begins_scalar(const struct splitter *s, char c)
{
	return s->depth == 0 && !s->in_string && c != '"' && c != '{' && c != '[';
}

size_t splitter_feed(struct splitter *s, struct shk_sv bytes, bool *ret_end)
{
	struct shk_sv rest = bytes;

	*ret_end = false;
	if (bytes.len == 0)
		return 0;
	if (begins_scalar(s, bytes.data[0]))
		s->is_scalar = true;
	if (s->is_scalar)
		return feed_scalar(bytes, ret_end);
	while (rest.len > 0 && !*ret_end) {
		size_t skipped = s->is_escaped ? 0 : skip_blocks(s, rest);

		rest = behind(rest, skipped);
		rest = behind(rest, step_block(s, rest, ret_end));
	}
	return bytes.len - rest.len;
}
