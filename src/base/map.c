#include "shikiri/base/map.h"

#include <assert.h>

#define FEWEST_SLOTS ((size_t)8)

/* At most three quarters full, so a probe always meets an empty slot. */
static size_t capacity(size_t n_slots)
{
	return n_slots / 4 * 3;
}

static bool slot_is(const struct shk_map_slot *slot, uint64_t hash, struct shk_sv key)
{
	return slot->hash == hash && shk_sv_is(key, slot->key);
}

/* The slot that holds the key, or the empty one where it belongs. n_slots isn't 0. */
static struct shk_map_slot *probe(const struct shk_map *map, uint64_t hash, struct shk_sv key)
{
	size_t mask = map->n_slots - 1;
	size_t i = (size_t)hash & mask;

	while (map->slots[i].key && !slot_is(&map->slots[i], hash, key))
		i = (i + 1) & mask;
	return &map->slots[i];
}

static void resize(struct shk_map *map, size_t n_slots)
{
	struct shk_map old = *map;

	map->slots = SHK_NEW_ARRAY(map->arena, n_slots, struct shk_map_slot);
	map->n_slots = n_slots;
	for (size_t i = 0; i < old.n_slots; i++) {
		const struct shk_map_slot *slot = &old.slots[i];

		if (slot->key)
			*probe(map, slot->hash, shk_sv(slot->key)) = *slot;
	}
}

void shk_map_init(struct shk_map *map, struct shk_arena *arena, size_t expected)
{
	size_t n_slots = FEWEST_SLOTS;

	*map = (struct shk_map){.arena = arena};
	if (expected == 0)
		return;
	assert(expected < SIZE_MAX / sizeof(struct shk_map_slot) / 4);
	while (capacity(n_slots) < expected)
		n_slots *= 2;
	resize(map, n_slots);
}

bool shk_map_add(struct shk_map *map, const char *key, uint32_t value)
{
	uint64_t hash = shk_str_hash(key);

	if (shk_map_find(map, key, NULL))
		return false;
	if (map->n == capacity(map->n_slots))
		resize(map, map->n_slots ? map->n_slots * 2 : FEWEST_SLOTS);

	*probe(map, hash, shk_sv(key)) =
	    (struct shk_map_slot){.key = key, .hash = hash, .value = value};
	map->n++;
	return true;
}

bool shk_map_find(const struct shk_map *map, const char *key, uint32_t *ret_value)
{
	return shk_map_find_sv(map, shk_sv(key), ret_value);
}

bool shk_map_find_sv(const struct shk_map *map, struct shk_sv key, uint32_t *ret_value)
{
	if (map->n == 0)
		return false;

	const struct shk_map_slot *slot = probe(map, shk_sv_hash(key), key);

	if (!slot->key)
		return false;
	if (ret_value)
		*ret_value = slot->value;
	return true;
}
