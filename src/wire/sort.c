#include "sort.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SMALL     ((size_t)24)
#define KEY_BYTES 8
#define TOP_SHIFT 56

/* A text with the eight bytes of it that are in turn, the first in the highest place; bytes
 * beyond its end are 0. */
struct entry {
	uint64_t key;
	struct shk_sv text;
};

/* Working memory; nothing in it outlives one pass over one run. */
struct scratch {
	uint32_t starts[256];
	struct entry *entries;
};

static int compare(struct shk_sv a, struct shk_sv b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common > 0 ? memcmp(a.data, b.data, common) : 0;

	if (order != 0 || a.len == b.len)
		return order;
	return a.len < b.len ? -1 : 1;
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return compare(a->text, b->text) < 0;
}

static void insertion_sort(struct entry *entries, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct entry moved = entries[i];
		size_t k = i;

		while (k > 0 && is_before(&moved, &entries[k - 1])) {
			entries[k] = entries[k - 1];
			k--;
		}
		entries[k] = moved;
	}
}

/* How many bytes all texts have in common. Soon it doesn't shrink any more, and memcmp is all. */
static size_t common_prefix(const struct entry *entries, size_t n)
{
	const char *first = entries[0].text.data;
	size_t common = entries[0].text.len;

	for (size_t i = 1; i < n; i++) {
		struct shk_sv text = entries[i].text;
		size_t k = 0;

		if (text.len >= common && memcmp(text.data, first, common) == 0)
			continue;
		while (k < common && k < text.len && text.data[k] == first[k])
			k++;
		common = k;
	}
	return common;
}

static uint64_t key_of(struct shk_sv text, size_t skip)
{
	uint64_t key = 0;

	if (text.len >= skip + KEY_BYTES) {
		const unsigned char *bytes = (const unsigned char *)text.data + skip;

		/* compilers make one load of this */
		return (uint64_t)bytes[0] << 56 | (uint64_t)bytes[1] << 48 |
		       (uint64_t)bytes[2] << 40 | (uint64_t)bytes[3] << 32 |
		       (uint64_t)bytes[4] << 24 | (uint64_t)bytes[5] << 16 |
		       (uint64_t)bytes[6] << 8 | (uint64_t)bytes[7];
	}
	for (size_t i = skip; i < text.len; i++)
		key |= (uint64_t)(unsigned char)text.data[i] << (56 - 8 * (i - skip));
	return key;
}

static unsigned byte_of(const struct entry *entry, unsigned shift)
{
	return entry->key >> shift & 0xFF;
}

/* Puts the entries in order of one byte of their keys. */
static void sort_by_byte(struct entry *entries, size_t n, unsigned shift, struct scratch *scratch)
{
	uint32_t *starts = scratch->starts;
	uint32_t sum = 0;

	memset(starts, 0, sizeof scratch->starts);
	for (size_t i = 0; i < n; i++)
		starts[byte_of(&entries[i], shift)]++;
	if (starts[byte_of(&entries[0], shift)] == n)
		return;
	for (size_t i = 0; i < 256; i++) {
		uint32_t count = starts[i];

		starts[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		scratch->entries[starts[byte_of(&entries[i], shift)]++] = entries[i];
	memcpy(entries, scratch->entries, n * sizeof *entries);
}

static void sort_texts_of(struct entry *entries, size_t n, struct scratch *scratch);

/* The keys are equal above shift. A run of equal keys goes on with the next bytes of its texts,
 * unless the key ends in 0: then it holds the whole rest, and the texts are one and the same. */
static void sort_keys(struct entry *entries, size_t n, unsigned shift, struct scratch *scratch)
{
	if (n <= SMALL) {
		insertion_sort(entries, n);
		return;
	}
	sort_by_byte(entries, n, shift, scratch);
	for (size_t i = 0; i < n;) {
		unsigned byte = byte_of(&entries[i], shift);
		size_t end = i + 1;

		while (end < n && byte_of(&entries[end], shift) == byte)
			end++;
		if (shift > 0)
			sort_keys(entries + i, end - i, shift - 8, scratch);
		else if (byte != 0)
			sort_texts_of(entries + i, end - i, scratch);
		i = end;
	}
}

/* Recursion passes one byte of the texts at a time. */
static void sort_texts_of(struct entry *entries, size_t n, struct scratch *scratch)
{
	size_t skip = n > SMALL ? common_prefix(entries, n) : 0;

	for (size_t i = 0; i < n; i++)
		entries[i].key = key_of(entries[i].text, skip);
	sort_keys(entries, n, TOP_SHIFT, scratch);
}

size_t sort_texts(struct shk_sv *texts, size_t n, struct shk_arena *arena)
{
	struct entry *entries = SHK_NEW_ARRAY(arena, 2 * n, struct entry);
	struct scratch *scratch = SHK_NEW(arena, struct scratch);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		entries[i].text = texts[i];
	scratch->entries = entries + n;
	sort_texts_of(entries, n, scratch);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || !shk_sv_equals(texts[kept - 1], entries[i].text))
			texts[kept++] = entries[i].text;
	}
	return kept;
}
