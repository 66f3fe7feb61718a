#include "shikiri/core/pack.h"

#include "shikiri/base/units.h"

/* Widths of the fields, most significant first; together 64 bits. */
#define SOFT_BITS          2
#define SIZE_BITS          12
#define FRAGMENTATION_BITS 10
#define SLICES_BITS        12
#define CPU_BITS           12
#define HASH_BITS          16

#define TOP(bits) ((1u << (bits)) - 1u)

/* From this many shares on, a domain is better off opening one large pool than a small one. */
#define LARGE_FROM        2
#define CPU_QUANTUM_MILLI 250

static unsigned clamp(int64_t value, unsigned top)
{
	if (value < 0)
		return 0;
	return value > (int64_t)top ? top : (unsigned)value;
}

static uint64_t append(uint64_t packed, unsigned value, unsigned bits)
{
	return packed << bits | clamp(value, TOP(bits));
}

uint64_t shk_key_pack(const struct shk_key *key)
{
	uint64_t packed = 0;

	packed = append(packed, key->soft, SOFT_BITS);
	packed = append(packed, key->size, SIZE_BITS);
	packed = append(packed, key->fragmentation, FRAGMENTATION_BITS);
	packed = append(packed, key->free_slices, SLICES_BITS);
	packed = append(packed, key->free_cpu, CPU_BITS);
	return append(packed, key->hash, HASH_BITS);
}

static unsigned take(uint64_t *packed, unsigned bits)
{
	unsigned value = (unsigned)(*packed & TOP(bits));

	*packed >>= bits;
	return value;
}

struct shk_key shk_key_unpack(uint64_t packed)
{
	struct shk_key key;

	key.hash = take(&packed, HASH_BITS);
	key.free_cpu = take(&packed, CPU_BITS);
	key.free_slices = take(&packed, SLICES_BITS);
	key.fragmentation = take(&packed, FRAGMENTATION_BITS);
	key.size = take(&packed, SIZE_BITS);
	key.soft = take(&packed, SOFT_BITS);
	return key;
}

static bool is_empty(const struct shk_occupancy *pool)
{
	return !pool->owner && !pool->mixed;
}

/* Empty pools: the large ones first for a domain that will have company in them. */
static void rate_soft_pool(const struct shk_node *node, size_t pool, int64_t expected,
			   struct shk_key *key)
{
	unsigned capacity = clamp(node->base->pools[pool].capacity, TOP(SIZE_BITS));
	unsigned misfit = expected >= LARGE_FROM ? TOP(SIZE_BITS) - capacity : capacity;

	if (!shk_pool_is_soft(node->base->pools[pool].kind) || !is_empty(&node->pools[pool]))
		return;
	key->soft = 1;
	if (misfit > key->size)
		key->size = misfit;
}

static int64_t slices_left(const struct shk_node *node, size_t pool, int64_t asked)
{
	const struct shk_weight *weight = &node->base->pools[pool].weight;
	int64_t left = shk_node_free(node, pool) - asked;

	return weight->known && left > 0 ? left * weight->slices / weight->replicas : 0;
}

struct shk_key shk_pack_key(const struct shk_policy *policy, const struct shk_node *node,
			    const struct shk_claim *claim, int64_t own_shares)
{
	struct shk_key key = {.hash = (unsigned)(node->base->name_hash >> (64 - HASH_BITS))};
	int64_t cpu = node->base->facts->cpu_milli - node->cpu_used_milli - claim->cpu_milli;
	int64_t slices = 0;

	for (size_t i = 0; i < node->base->n_pools; i++) {
		int64_t asked = shk_vector_get(&claim->resources, node->base->pools[i].resource);

		if (asked > 0)
			rate_soft_pool(node, i, shk_add_saturated(own_shares, asked), &key);
		slices = shk_add_saturated(slices, slices_left(node, i, asked));
	}
	key.free_slices = clamp(slices, TOP(SLICES_BITS));
	key.free_cpu = clamp(cpu / CPU_QUANTUM_MILLI, TOP(CPU_BITS));
	if (policy->objective == SHK_OBJECTIVE_SPREAD) {
		key.free_slices = TOP(SLICES_BITS) - key.free_slices;
		key.free_cpu = TOP(CPU_BITS) - key.free_cpu;
	}
	return key;
}
