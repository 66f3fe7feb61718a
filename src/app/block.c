#include "block.h"

#include <string.h>

#define ALIGNMENT ((size_t)8)

void *shk_block_copy(struct shk_block *block, const void *from, size_t size)
{
	size_t at = block->used;

	block->used += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!block->base)
		return NULL;
	if (size > 0)
		memcpy(block->base + at, from, size);
	return block->base + at;
}

const char *shk_block_text(struct shk_block *block, const char *text)
{
	return text ? shk_block_copy(block, text, strlen(text) + 1) : NULL;
}
