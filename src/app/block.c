#include "block.h"

#include <string.h>

#define ALIGNMENT ((size_t)8)

static void *put(struct shk_block *block, size_t at, const void *from, size_t size)
{
	block->used = at + size;
	if (!block->base)
		return NULL;
	if (size > 0)
		memcpy(block->base + at, from, size);
	return block->base + at;
}

void *shk_block_copy(struct shk_block *block, const void *from, size_t size)
{
	return put(block, (block->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, from, size);
}

const char *shk_block_text(struct shk_block *block, const char *text)
{
	return text ? put(block, block->used, text, strlen(text) + 1) : NULL;
}

struct shk_vector shk_block_vector(struct shk_block *block, const struct shk_vector *from)
{
	struct shk_amount *items = shk_block_copy(block, from->items, from->n * sizeof *items);

	for (size_t i = 0; i < from->n; i++) {
		const char *name = shk_block_text(block, from->items[i].resource);

		if (items)
			items[i].resource = name;
	}
	return (struct shk_vector){.items = items, .n = from->n};
}
