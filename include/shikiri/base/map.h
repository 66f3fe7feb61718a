/* map.h - from string to a number, open addressing, in an arena.
 * Keys are borrowed and must outlive the map. Reading is safe from any thread once filled. */
#ifndef SHIKIRI_BASE_MAP_H
#define SHIKIRI_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/str.h"

struct shk_map_slot {
	const char *key; /* NULL: empty */
	uint64_t hash;
	uint32_t value;
};

struct shk_map {
	struct shk_arena *arena;
	struct shk_map_slot *slots;
	size_t n_slots; /* 0 or a power of two */
	size_t n;
};

void shk_map_init(struct shk_map *map, struct shk_arena *arena, size_t expected);
/* false when the key is there already; then nothing changes. */
bool shk_map_add(struct shk_map *map, const char *key, uint32_t value);
bool shk_map_find(const struct shk_map *map, const char *key, uint32_t *ret_value);
bool shk_map_find_sv(const struct shk_map *map, struct shk_sv key, uint32_t *ret_value);

#endif
