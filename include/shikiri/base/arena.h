/* arena.h - memory that lives and dies together: one request, one node, one view.
 *
 * Blocks are taken from the heap and given back together by _fini or _reset. Running out of
 * memory aborts: inputs are bounded before we get here. Memory comes zeroed, aligned for any
 * type. An arena has one owner at a time; it isn't locked. */
#ifndef SHIKIRI_BASE_ARENA_H
#define SHIKIRI_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "shikiri/base/error.h"

struct shk_arena_block; /* private */

struct shk_arena {
	struct shk_arena_block *head;
	size_t first_size; /* bytes of the first block; later ones double up to 1 MiB */
	size_t used;       /* bytes handed out since init or reset, padding included */
};

/* first_size 0 means 4 KiB. No memory is taken until the first allocation. */
void shk_arena_init(struct shk_arena *arena, size_t first_size);
/* Frees every block. Accepts a zeroed arena; the arena may be used again. */
void shk_arena_fini(struct shk_arena *arena);
/* Empties the arena and keeps its largest block for the next use. */
void shk_arena_reset(struct shk_arena *arena);

/* Never NULL, size 0 included. */
void *shk_arena_alloc(struct shk_arena *arena, size_t size);
/* n items of size bytes; aborts when the product overflows. */
void *shk_arena_array(struct shk_arena *arena, size_t n, size_t size);
#define SHK_NEW(arena, type)          ((type *)shk_arena_alloc((arena), sizeof(type)))
#define SHK_NEW_ARRAY(arena, n, type) ((type *)shk_arena_array((arena), (n), sizeof(type)))

char *shk_arena_strdup(struct shk_arena *arena, const char *text); /* NULL gives NULL */
char *shk_arena_strndup(struct shk_arena *arena, const char *text, size_t len);
char *shk_arena_printf(struct shk_arena *arena, const char *fmt, ...) SHK_PRINTF(2, 3);
char *shk_arena_vprintf(struct shk_arena *arena, const char *fmt, va_list args) SHK_PRINTF(2, 0);

#endif
