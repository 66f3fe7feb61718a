/* index.h - from a string to a shared object; copying the whole is one pointer.
 *
 * A persistent hash index: 32 branches of 32 buckets, each a counted array. Changing one entry
 * of a copied index copies one bucket, its branch and the root, and nothing else; parts that
 * nobody else holds are changed in place. One owner writes; a copy may be read by any thread. */
#ifndef SHIKIRI_APP_INDEX_H
#define SHIKIRI_APP_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "object.h"

struct shk_index_root; /* private */

/* Zero is an empty one. */
struct shk_index {
	struct shk_index_root *root;
	size_t n;
};

void shk_index_fini(struct shk_index *index);
void shk_index_copy(struct shk_index *ret_copy, const struct shk_index *from);

/* Borrowed; NULL when there is none. */
struct shk_object *shk_index_get(const struct shk_index *index, const char *key);
/* Takes a reference of its own, and drops that of the entry it replaces. key belongs to object. */
void shk_index_put(struct shk_index *index, const char *key, struct shk_object *object);
/* false when there is no such entry. */
bool shk_index_remove(struct shk_index *index, const char *key);
/* All objects, in no order that means anything: n of index, in arena. */
struct shk_object **shk_index_all(const struct shk_index *index, struct shk_arena *arena);

#endif
