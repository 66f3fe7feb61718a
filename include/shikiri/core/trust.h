/* trust.h - may two parties be on one node, and at which wall.
 *
 * Inside a trust domain time may be shared; across it only hardware partitions are; where the
 * hardware can't partition, nothing is. The device plugin picks the card, so nothing finer than
 * the pool is promised. Pure. */
#ifndef SHIKIRI_CORE_TRUST_H
#define SHIKIRI_CORE_TRUST_H

#include "shikiri/core/node.h"
#include "shikiri/core/request.h"

struct shk_party {
	const char *domain;
	enum shk_level level; /* what its side asks for, annotation included */
	bool infrastructure;  /* nobody's: passes, and doesn't count as a resident */
};

/* The first resident in the way (in uid order), or NULL when the node is safe for the party. */
const struct shk_resident *shk_trust_blocker(const struct shk_node *node,
					     const struct shk_vector *resources,
					     const struct shk_party *party);

/* Holders of two pools on one node at this wall, for one pair of pools; same says they are one
 * and the same pool. Unknown kinds are the thinnest wall there is. */
bool shk_trust_pair(enum shk_pool_kind a, enum shk_pool_kind b, bool same, enum shk_level level);

#endif
