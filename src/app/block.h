/* block.h - a struct with all that hangs on it, copied into one piece of memory.
 *
 * The same code runs twice: with base NULL it measures (every copy is NULL then), with base set
 * it copies. Pieces are aligned to 8 bytes; texts stand without a gap. */
#ifndef SHIKIRI_APP_BLOCK_H
#define SHIKIRI_APP_BLOCK_H

#include <stddef.h>

#include "shikiri/core/model.h"

struct shk_block {
	char *base;
	size_t used;
};

/* NULL while measuring; size 0 gives a place that isn't read. */
void *shk_block_copy(struct shk_block *block, const void *from, size_t size);
const char *shk_block_text(struct shk_block *block, const char *text); /* NULL gives NULL */
struct shk_vector shk_block_vector(struct shk_block *block, const struct shk_vector *from);

#endif
