#include "shikiri/core/trust.h"

#include <string.h>

/* The table of the design, one row for each way two holders can stand to each other. A card on
 * its own is another card than anything else's; a MIG slice's parent card is unknowable. */
bool shk_trust_pair(enum shk_pool_kind a, enum shk_pool_kind b, bool same, enum shk_level level)
{
	bool slices_a = a == SHK_POOL_MIG || a == SHK_POOL_SHARED_MIG;
	bool slices_b = b == SHK_POOL_MIG || b == SHK_POOL_SHARED_MIG;

	if (same && (shk_pool_is_soft(a) || shk_pool_is_soft(b)))
		return false;
	if (level >= SHK_LEVEL_NODE)
		return false;
	if (level < SHK_LEVEL_CARD)
		return true;
	if (a == SHK_POOL_CARD || b == SHK_POOL_CARD)
		return true;
	return (a == SHK_POOL_SHARED && slices_b) || (b == SHK_POOL_SHARED && slices_a);
}

static enum shk_pool_kind kind_on(const struct shk_node_base *base, const char *resource)
{
	const struct shk_pool *pool = shk_node_pool(base, resource);

	return pool ? pool->kind : SHK_POOL_UNKNOWN;
}

static bool holdings_are_safe(const struct shk_node_base *base, const struct shk_vector *ours,
			      const struct shk_vector *theirs, enum shk_level level)
{
	for (size_t i = 0; i < ours->n; i++) {
		const char *mine = ours->items[i].resource;
		enum shk_pool_kind kind = kind_on(base, mine);

		for (size_t k = 0; k < theirs->n; k++) {
			const char *other = theirs->items[k].resource;

			if (!shk_trust_pair(kind, kind_on(base, other), strcmp(mine, other) == 0,
					    level))
				return false;
		}
	}
	return true;
}

const struct shk_resident *shk_trust_blocker(const struct shk_node *node,
					     const struct shk_vector *resources,
					     const struct shk_party *party)
{
	if (party->infrastructure)
		return NULL;
	for (size_t i = 0; i < node->n_residents; i++) {
		const struct shk_resident *resident = &node->residents[i];
		enum shk_level level =
		    resident->level > party->level ? resident->level : party->level;

		if (resident->infrastructure || strcmp(resident->alloc->domain, party->domain) == 0)
			continue;
		if (!holdings_are_safe(node->base, resources, &resident->alloc->resources, level))
			return resident;
	}
	return NULL;
}
