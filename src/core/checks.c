#include "checks.h"

#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/core/charge.h"

/* Index of a pool in its node. */
static size_t pool_index(const struct shk_look *look, const struct shk_pool *pool)
{
	return (size_t)(pool - look->node->base->pools);
}

/* A pool whose live holders (infrastructure is nobody) are none. */
static bool pool_is_empty(const struct shk_look *look, const struct shk_pool *pool)
{
	const struct shk_occupancy *occupied = &look->node->pools[pool_index(look, pool)];

	return !occupied->owner && !occupied->mixed;
}

static bool say(struct shk_verdict *verdict, enum shk_reason reason, const char *subject,
		int64_t asked, int64_t available)
{
	verdict->reason = reason;
	verdict->subject = subject;
	verdict->asked = asked;
	verdict->available = available;
	return true;
}

/* --- what the node is ------------------------------------------------------------------------- */

static bool fenced(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	(void)c;
	if (look->node->base->fence == SHK_FITS)
		return false;
	return say(verdict, look->node->base->fence, NULL, 0, 0);
}

static bool not_offered(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_amount *ask = &c->claim->resources.items[i];

		if (!look->pools[i] || look->pools[i]->capacity <= 0)
			return say(verdict, SHK_REASON_RESOURCE_NOT_OFFERED, ask->resource,
				   ask->count, 0);
	}
	return false;
}

static bool devices_gone(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_amount *ask = &c->claim->resources.items[i];

		if (look->pools[i] && look->pools[i]->capacity > 0 &&
		    look->pools[i]->allocatable <= 0)
			return say(verdict, SHK_REASON_DEVICES_GONE, ask->resource, ask->count, 0);
	}
	return false;
}

static bool inconsistent(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	(void)c;
	if (!look->node->base->contradiction)
		return false;
	return say(verdict, SHK_REASON_NODE_INCONSISTENT, NULL, 0, 0);
}

static bool unweighable(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_amount *ask = &c->claim->resources.items[i];

		if (look->pools[i] && !look->pools[i]->weight.known)
			return say(verdict, SHK_REASON_PROFILE_UNKNOWN, ask->resource, ask->count,
				   0);
	}
	return false;
}

/* --- sharing and trust ------------------------------------------------------------------------ */

static bool is_soft(const struct shk_pool *pool)
{
	return pool && shk_pool_is_soft(pool->kind);
}

static bool disguised(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	if (c->claim->pod->accept_shared || c->view->policy->allow_disguised)
		return false;
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_amount *ask = &c->claim->resources.items[i];

		if (look->pools[i] && look->pools[i]->disguised)
			return say(verdict, SHK_REASON_SHARED_DISGUISED, ask->resource, ask->count,
				   0);
	}
	return false;
}

static bool too_many_shares(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	const struct shk_policy *policy = c->view->policy;

	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_pool *pool = look->pools[i];
		int64_t most = c->claim->max_in_container[i];

		if (!is_soft(pool))
			continue;
		int64_t limit = pool->sharing == SHK_SHARING_MPS ? policy->max_shares_mps
								 : policy->max_shares_time_slicing;
		if (limit > 0 && most > limit)
			return say(verdict, SHK_REASON_SHARES_PER_CONTAINER, pool->resource, most,
				   limit);
	}
	return false;
}

static bool below_floor(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	if (c->claim->pod->isolation == SHK_LEVEL_NONE)
		return false;
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		if (is_soft(look->pools[i]))
			return say(verdict, SHK_REASON_ISOLATION_FLOOR, look->pools[i]->resource, 0,
				   0);
	}
	return false;
}

static bool untrusted(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	if (!shk_trust_blocker(look->node, &c->claim->resources, &c->party))
		return false;
	return say(verdict, SHK_REASON_TRUST_BOUNDARY, NULL, 0, 0);
}

static bool squats(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_pool *pool = look->pools[i];

		if (!is_soft(pool) || pool->capacity <= 0 || !pool_is_empty(look, pool))
			continue;
		const struct shk_stake *stake = &shk_case_stakes(c)[i];
		int64_t shares =
		    shk_add_saturated(stake->own_shares, c->claim->resources.items[i].count);
		int64_t needed = shares / pool->capacity + (shares % pool->capacity > 0);
		int64_t allowed = shk_add_saturated(needed, c->view->policy->spare_soft_pools);
		if (stake->own_pools >= allowed)
			return say(verdict, SHK_REASON_POOL_LIMIT, pool->resource,
				   stake->own_pools + 1, allowed);
	}
	return false;
}

/* --- quota ------------------------------------------------------------------------------------ */

static void ask_quota(struct shk_case *c, struct shk_look *look)
{
	struct shk_charge charge;

	/* A charge beyond 63 bits passes every limit there can be. */
	if (shk_charge_vector(look->node->base, &c->claim->resources, &charge))
		look->quota = shk_quota_check(&c->limits, &c->claim->resources, &charge);
	else
		look->quota = (struct shk_quota_verdict){.reason = SHK_REASON_QUOTA_CEILING};
	look->has_quota = true;
}

static bool over_quota(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	ask_quota(c, look);
	if (look->quota.reason == SHK_FITS)
		return false;
	return say(verdict, look->quota.reason,
		   look->quota.binding ? look->quota.binding->unit : NULL, look->quota.asked,
		   look->quota.available);
}

/* --- room ------------------------------------------------------------------------------------- */

static void count_cards(struct shk_case *c)
{
	c->cards_total = 0;
	c->cards_free = 0;
	for (size_t i = 0; i < c->view->n_nodes; i++) {
		const struct shk_node *node = c->view->nodes[i];

		if (node->base->fence != SHK_FITS || node->base->contradiction)
			continue;
		for (size_t p = 0; p < node->base->n_pools; p++) {
			if (node->base->pools[p].kind != SHK_POOL_CARD)
				continue;
			c->cards_total += node->base->pools[p].allocatable;
			c->cards_free += shk_node_free(node, p);
		}
	}
}

static const struct shk_band *find_band(const struct shk_documents *documents, const char *name)
{
	for (size_t i = 0; i < documents->n_bands; i++) {
		if (strcmp(documents->bands[i].name, name) == 0)
			return &documents->bands[i];
	}
	return NULL;
}

/* Cards that bands above this pod's priority are promised and don't use yet count as gone. */
static int64_t cards_kept(const struct shk_case *c)
{
	const struct shk_policy *policy = c->view->policy;
	int64_t kept = 0;

	for (size_t i = 0; i < policy->n_reserve; i++) {
		const struct shk_band *band =
		    find_band(c->view->tenancy->documents, policy->reserve[i].name);
		int64_t share = 0;

		if (!band || c->claim->priority >= band->min_priority)
			continue;
		if (shk_muldiv(c->cards_total, policy->reserve[i].micro, 1, 1000000, &share))
			kept += share + (c->cards_total * policy->reserve[i].micro % 1000000 > 0);
	}
	return kept;
}

static bool reserved(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_amount *ask = &c->claim->resources.items[i];
		const struct shk_pool *pool = look->pools[i];

		if (c->view->policy->n_reserve == 0 || !pool || pool->kind != SHK_POOL_CARD)
			continue;
		if (c->cards_total < 0)
			count_cards(c);
		int64_t left = c->cards_free - cards_kept(c);
		if (shk_node_free(look->node, pool_index(look, pool)) >= ask->count &&
		    ask->count > left)
			return say(verdict, SHK_REASON_RESERVED_FOR_BAND, NULL, ask->count,
				   left > 0 ? left : 0);
	}
	return false;
}

static bool too_small(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_amount *ask = &c->claim->resources.items[i];

		if (look->pools[i] && ask->count > look->pools[i]->allocatable)
			return say(verdict, SHK_REASON_NODE_TOO_SMALL, ask->resource, ask->count,
				   look->pools[i]->allocatable);
	}
	return false;
}

static bool is_full(const struct shk_case *c, const struct shk_look *look, size_t i)
{
	return look->pools[i] && shk_node_free(look->node, pool_index(look, look->pools[i])) <
				     c->claim->resources.items[i].count;
}

/* Whether somebody else's borrowed allocation sits in a pool. */
static bool has_borrower(const struct shk_case *c, const struct shk_look *look,
			 const char *resource)
{
	for (size_t i = 0; i < look->node->n_residents; i++) {
		const struct shk_alloc *alloc = look->node->residents[i].alloc;

		if (alloc->quota_class == SHK_CLASS_BORROWED &&
		    strcmp(alloc->tenant, c->identity->tenant_name) != 0 &&
		    shk_vector_get(&alloc->resources, resource) > 0)
			return true;
	}
	return false;
}

static bool reclaimable(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	bool full = false;

	if (!look->has_quota || look->quota.reason != SHK_FITS || !look->quota.inside_guarantee)
		return false;
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		if (!is_full(c, look, i))
			continue;
		full = true;
		if (!has_borrower(c, look, c->claim->resources.items[i].resource))
			return false;
	}
	return full && say(verdict, SHK_REASON_RECLAIM_NEEDED, NULL, 0, 0);
}

static enum shk_reason busy_code(enum shk_pool_kind kind)
{
	if (shk_pool_is_soft(kind))
		return SHK_REASON_SHARES_BUSY;
	return kind == SHK_POOL_MIG ? SHK_REASON_SLICES_BUSY : SHK_REASON_CARDS_BUSY;
}

static bool busy(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_amount *ask = &c->claim->resources.items[i];
		const struct shk_pool *pool = look->pools[i];

		if (is_full(c, look, i))
			return say(verdict, busy_code(pool->kind), ask->resource, ask->count,
				   shk_node_free(look->node, pool_index(look, pool)));
	}
	return false;
}

static bool is_marked(const struct shk_case *c, const char *node, const char *resource)
{
	uint32_t at = UINT32_MAX;

	if (!shk_map_find(&c->marks, node, &at))
		return false;
	for (; at != UINT32_MAX; at = c->next_mark[at]) {
		if (strcmp(c->moment->holds[at].pool_resource, resource) == 0)
			return true;
	}
	return false;
}

static bool held(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		const struct shk_pool *pool = look->pools[i];

		if (is_soft(pool) && pool_is_empty(look, pool) &&
		    is_marked(c, look->node->base->facts->name, pool->resource))
			return say(verdict, SHK_REASON_HELD, NULL, 0, 0);
	}
	return false;
}

static bool rests(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	(void)c;
	return look->node->base->resting && say(verdict, SHK_REASON_REFUSED_BY_KUBELET, NULL, 0, 0);
}

/* --- in order --------------------------------------------------------------------------------- */

struct check {
	bool (*refuses)(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict);
	bool for_infrastructure; /* nobody's pods skip the others */
};

static const struct check checks[] = {
    {fenced, true},
    {not_offered, true},
    {devices_gone, true},
    {inconsistent, true},
    {unweighable, true},
    {disguised, false},
    {too_many_shares, false},
    {below_floor, false},
    {untrusted, false},
    {squats, false},
    {over_quota, false},
    {reserved, true},
    {too_small, true},
    {reclaimable, true},
    {busy, true},
    {held, false},
    {rests, true},
};

void shk_checks_run(struct shk_case *c, struct shk_look *look, struct shk_verdict *verdict)
{
	verdict->reason = SHK_FITS;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct shk_verdict found = *verdict;

		if (c->identity->infrastructure && !checks[i].for_infrastructure)
			continue;
		if (!checks[i].refuses(c, look, &found))
			continue;
		found.reasons = verdict->reasons | UINT64_C(1) << found.reason;
		if (verdict->reason == SHK_FITS)
			*verdict = found;
		verdict->reasons = found.reasons;
		if (!c->question->all_reasons)
			return;
	}
}

/* --- gathered once --------------------------------------------------------------------------- */

void shk_case_marks(struct shk_case *c)
{
	const struct shk_moment *moment = c->moment;

	shk_map_init(&c->marks, c->arena, moment->n_holds);
	c->next_mark = SHK_NEW_ARRAY(c->arena, moment->n_holds, uint32_t);
	for (size_t i = 0; i < moment->n_holds; i++) {
		const struct shk_hold *hold = &moment->holds[i];
		uint32_t first = UINT32_MAX;

		c->next_mark[i] = UINT32_MAX;
		if (!hold->pool_node || strcmp(hold->uid, c->claim->pod->uid) == 0 ||
		    strcmp(hold->domain, c->party.domain) == 0)
			continue;
		if (shk_map_add(&c->marks, hold->pool_node, (uint32_t)i))
			continue;
		(void)shk_map_find(&c->marks, hold->pool_node, &first);
		c->next_mark[i] = c->next_mark[first];
		c->next_mark[first] = (uint32_t)i;
	}
}

static int64_t shares_in_mixed(const struct shk_node *node, const char *domain,
			       const char *resource)
{
	int64_t shares = 0;

	for (size_t i = 0; i < node->n_residents; i++) {
		if (strcmp(node->residents[i].alloc->domain, domain) == 0)
			shares += shk_vector_get(&node->residents[i].alloc->resources, resource);
	}
	return shares;
}

static void add_stake(struct shk_stake *stake, const struct shk_node *node, const char *domain,
		      const char *resource)
{
	const struct shk_pool *pool = shk_node_pool(node->base, resource);

	if (!is_soft(pool))
		return;
	const struct shk_occupancy *occupied = &node->pools[pool - node->base->pools];
	if (occupied->mixed)
		stake->own_shares += shares_in_mixed(node, domain, resource);
	if (!occupied->owner || strcmp(occupied->owner, domain) != 0)
		return;
	stake->own_pools++;
	stake->own_shares += occupied->owner_shares;
}

const struct shk_stake *shk_case_stakes(struct shk_case *c)
{
	const struct shk_vector *resources = &c->claim->resources;

	if (c->stakes)
		return c->stakes;
	c->stakes = SHK_NEW_ARRAY(c->arena, resources->n, struct shk_stake);
	for (size_t i = 0; i < c->view->n_nodes; i++) {
		for (size_t r = 0; r < resources->n; r++)
			add_stake(&c->stakes[r], c->view->nodes[i], c->party.domain,
				  resources->items[r].resource);
	}
	return c->stakes;
}
