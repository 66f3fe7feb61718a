/* pack.h - which feasible node is best: one 64-bit key, the lowest wins, never a tie. Pure. */
#ifndef SHIKIRI_CORE_PACK_H
#define SHIKIRI_CORE_PACK_H

#include "shikiri/core/node.h"
#include "shikiri/core/request.h"

/* The parts of a key, most significant first. */
struct shk_key {
	unsigned soft;          /* 0 no soft pool or one of ours, 1 opens an empty one */
	unsigned size;          /* among empty ones: how badly the size suits */
	unsigned fragmentation; /* quanta of what can no longer be placed; 0 for static layouts */
	unsigned free_slices;   /* compute slices left on the node (spread: turned round) */
	unsigned free_cpu;      /* quarter cores left on the node (spread: turned round) */
	unsigned hash;          /* of the node's name */
};

uint64_t shk_key_pack(const struct shk_key *key);
struct shk_key shk_key_unpack(uint64_t packed);

/* own_shares: what the domain holds now of the soft resource names asked, over all nodes. */
struct shk_key shk_pack_key(const struct shk_policy *policy, const struct shk_node *node,
			    const struct shk_claim *claim, int64_t own_shares);

#endif
