#include "shikiri/core/decide.h"

#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "shikiri/core/charge.h"
#include "shikiri/core/pack.h"

/* --- what holds for the pod on every node ---------------------------------------------------- */

static bool above_priority(const struct shk_case *c)
{
	const struct shk_tenant *tenant = c->identity->tenant;

	return tenant && tenant->has_max_priority && c->claim->priority > tenant->max_priority;
}

/* The first pod-wide refusal in the order of the table, or SHK_FITS; all bits in ret_reasons. */
static enum shk_reason judge_pod(const struct shk_case *c, uint64_t *ret_reasons)
{
	const struct {
		bool refuses;
		enum shk_reason reason;
	} rules[] = {
	    {c->view->not_ready, SHK_REASON_NOT_READY},
	    {!c->claim->valid, SHK_REASON_INVALID_REQUEST},
	    {c->claim->bad_name, SHK_REASON_PROFILE_NAME},
	    {c->identity->reason != SHK_FITS, c->identity->reason},
	    {above_priority(c), SHK_REASON_PRIORITY_NOT_ALLOWED},
	    {c->claim->pod->isolation > c->identity->may_state, SHK_REASON_ISOLATION_NOT_ALLOWED},
	};
	enum shk_reason first = SHK_FITS;

	*ret_reasons = 0;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!rules[i].refuses)
			continue;
		if (first == SHK_FITS)
			first = rules[i].reason;
		*ret_reasons |= UINT64_C(1) << rules[i].reason;
	}
	return first;
}

static enum shk_level stated_level(const struct shk_pod *pod)
{
	return pod->isolation == SHK_LEVEL_INVALID ? SHK_LEVEL_NONE : pod->isolation;
}

/* How far a pod's side keeps others away. Nobody's pods keep nobody away. */
static enum shk_level wall_of(const struct shk_identity *identity, enum shk_level stated)
{
	if (identity->infrastructure)
		return SHK_LEVEL_NONE;
	return stated > identity->level ? stated : identity->level;
}

static void open_case(struct shk_case *c, struct shk_identity *identity)
{
	const struct shk_pod *pod = c->claim->pod;

	*identity = shk_tenancy_identify(c->view->tenancy, c->view->policy, pod->namespace_,
					 pod->uid, c->arena);
	c->identity = identity;
	c->cards_total = -1;
	c->party = (struct shk_party){
	    .domain = identity->domain,
	    .level = wall_of(identity, stated_level(pod)),
	    .infrastructure = identity->infrastructure,
	};
	const struct shk_asker asker = {identity->tenant, c->claim->priority, pod->uid};
	shk_limits_build(c->view, c->moment, &asker, c->arena, &c->limits);
	shk_case_marks(c);
}

/* --- one node -------------------------------------------------------------------------------- */

static enum shk_isolation_class pool_isolation(const struct shk_pool *pool)
{
	switch (pool->kind) {
	case SHK_POOL_SHARED:
	case SHK_POOL_SHARED_MIG:
		return pool->sharing == SHK_SHARING_MPS ? SHK_ISOLATION_MPS : SHK_ISOLATION_SHARED;
	case SHK_POOL_MIG:
		return SHK_ISOLATION_MIG;
	case SHK_POOL_CARD:
		return SHK_ISOLATION_CARD;
	case SHK_POOL_UNKNOWN:
		break;
	}
	return SHK_ISOLATION_UNKNOWN;
}

/* The weakest wall among what is held; a hard one on a node that nobody else may enter counts as
 * the node's. */
static enum shk_isolation_class isolation_of(const struct shk_node_base *base,
					     const struct shk_vector *resources,
					     enum shk_level level)
{
	enum shk_isolation_class weakest = SHK_ISOLATION_NODE;

	for (size_t i = 0; i < resources->n; i++) {
		const struct shk_pool *pool = shk_node_pool(base, resources->items[i].resource);
		enum shk_isolation_class one = pool ? pool_isolation(pool) : SHK_ISOLATION_UNKNOWN;

		if (one < weakest)
			weakest = one;
	}
	if (weakest >= SHK_ISOLATION_MIG && level >= SHK_LEVEL_NODE)
		return SHK_ISOLATION_NODE;
	return resources->n > 0 ? weakest : SHK_ISOLATION_UNKNOWN;
}

static int64_t soft_shares(struct shk_case *c, const struct shk_look *look)
{
	for (size_t i = 0; i < c->claim->resources.n; i++) {
		if (look->pools[i] && shk_pool_is_soft(look->pools[i]->kind))
			return shk_case_stakes(c)[i].own_shares;
	}
	return 0;
}

static void admit(struct shk_case *c, const struct shk_look *look, struct shk_verdict *verdict)
{
	const struct shk_node *node = look->node;
	struct shk_key key = shk_pack_key(c->view->policy, node, c->claim, soft_shares(c, look));

	verdict->quota_class = look->has_quota ? look->quota.quota_class : SHK_CLASS_GUARANTEED;
	verdict->isolation = isolation_of(node->base, &c->claim->resources, c->party.level);
	verdict->key = shk_key_pack(&key);
}

static void judge_node(struct shk_case *c, struct shk_look *look,
		       const struct shk_candidate *candidate, struct shk_verdict *verdict)
{
	if (!candidate->node) {
		verdict->reason = SHK_REASON_NODE_UNKNOWN;
		verdict->reasons |= UINT64_C(1) << SHK_REASON_NODE_UNKNOWN;
		return;
	}
	look->node = candidate->node;
	look->has_quota = false;
	for (size_t i = 0; i < c->claim->resources.n; i++)
		look->pools[i] =
		    shk_node_pool(candidate->node->base, c->claim->resources.items[i].resource);
	shk_checks_run(c, look, verdict);
	if (verdict->reason == SHK_FITS)
		admit(c, look, verdict);
}

/* A pod with a live row goes where the row says and nowhere else, so that the next bind comes to
 * the same node and finds what it left. */
static void judge_live(const struct shk_alloc *live, const struct shk_candidate *candidate,
		       struct shk_verdict *verdict)
{
	if (strcmp(live->node, candidate->name) != 0) {
		verdict->reason = SHK_REASON_HELD;
		verdict->reasons = UINT64_C(1) << SHK_REASON_HELD;
		return;
	}
	verdict->reason = SHK_FITS;
	verdict->quota_class = live->quota_class;
	verdict->isolation = live->isolation;
}

static const char *pod_subject(const struct shk_case *c, enum shk_reason reason)
{
	if (reason == SHK_REASON_NOT_READY)
		return c->view->not_ready;
	return reason == SHK_REASON_PROFILE_NAME ? c->claim->bad_name : NULL;
}

static void judge_all(struct shk_case *c, struct shk_decision *decision)
{
	const struct shk_question *question = c->question;
	uint64_t reasons = 0;
	enum shk_reason pod_wide = judge_pod(c, &reasons);
	struct shk_look look = {
	    .pools = SHK_NEW_ARRAY(c->arena, c->claim->resources.n, const struct shk_pool *)};
	bool live = question->live && pod_wide != SHK_REASON_NOT_READY;

	decision->furthest = pod_wide == SHK_FITS ? SHK_REASON_NODE_UNKNOWN : pod_wide;
	for (size_t i = 0; i < question->n; i++) {
		struct shk_verdict *verdict = &decision->verdicts[i];
		const struct shk_candidate *candidate = &question->candidates[i];

		if (live) {
			judge_live(question->live, candidate, verdict);
			continue;
		}
		verdict->reasons = reasons;
		if (pod_wide == SHK_FITS || question->all_reasons)
			judge_node(c, &look, candidate, verdict);
		if (pod_wide == SHK_FITS)
			continue;
		verdict->reason = pod_wide;
		verdict->subject = pod_subject(c, pod_wide);
	}
}

/* --- rank ------------------------------------------------------------------------------------ */

struct contender {
	uint64_t key;
	const char *name;
	uint32_t index;
};

static int by_key(const void *a, const void *b)
{
	const struct contender *x = a;
	const struct contender *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void rank(const struct shk_question *question, struct shk_arena *arena,
		 struct shk_decision *decision)
{
	struct contender *contenders = SHK_NEW_ARRAY(arena, decision->n, struct contender);
	uint32_t *order = NULL;
	size_t n = 0;

	for (size_t i = 0; i < decision->n; i++) {
		if (decision->verdicts[i].reason == SHK_FITS)
			contenders[n++] = (struct contender){
			    decision->verdicts[i].key, question->candidates[i].name, (uint32_t)i};
	}
	if (n > 1)
		qsort(contenders, n, sizeof(contenders[0]), by_key);
	order = SHK_NEW_ARRAY(arena, n, uint32_t);
	for (size_t i = 0; i < n; i++) {
		order[i] = contenders[i].index;
		decision->verdicts[order[i]].rank = (uint32_t)i + 1;
	}
	decision->order = order;
	decision->n_feasible = n;
}

/* The refusal that came furthest, the first name among equals. */
static void find_furthest(const struct shk_question *question, struct shk_decision *decision)
{
	size_t best = 0;

	for (size_t i = 1; i < decision->n; i++) {
		enum shk_reason reason = decision->verdicts[i].reason;
		enum shk_reason most = decision->verdicts[best].reason;

		if (reason > most ||
		    (reason == most &&
		     strcmp(question->candidates[i].name, question->candidates[best].name) < 0))
			best = i;
	}
	if (decision->n == 0)
		return;
	decision->furthest = decision->verdicts[best].reason;
	decision->furthest_index = best;
}

void shk_decide(const struct shk_view *view, const struct shk_moment *moment,
		const struct shk_question *question, struct shk_arena *arena,
		struct shk_decision *ret_decision)
{
	struct shk_decision decision = {.n = question->n};
	struct shk_case c = {
	    .view = view,
	    .moment = moment,
	    .question = question,
	    .claim = question->claim,
	    .arena = arena,
	};

	decision.verdicts = SHK_NEW_ARRAY(arena, question->n, struct shk_verdict);
	open_case(&c, &decision.identity);
	judge_all(&c, &decision);
	rank(question, arena, &decision);
	if (decision.n_feasible == 0)
		find_furthest(question, &decision);
	*ret_decision = decision;
}

int shk_score(const struct shk_policy *policy, uint32_t rank, size_t n_feasible)
{
	if (rank == 0 || rank > n_feasible)
		return 0;
	if (policy->export_form == SHK_EXPORT_LINEAR)
		return 10 - (int)((uint64_t)(rank - 1) * 10 / n_feasible);
	return rank <= 10 ? 11 - (int)rank : 0;
}

/* --- allocations ----------------------------------------------------------------------------- */

void shk_alloc_make(const struct shk_decision *decision, const struct shk_claim *claim,
		    const struct shk_node *node, const struct shk_verdict *verdict,
		    struct shk_alloc *ret_alloc)
{
	const struct shk_pod *pod = claim->pod;
	struct shk_alloc alloc = {
	    .uid = pod->uid,
	    .namespace_ = pod->namespace_,
	    .name = pod->name,
	    .tenant = decision->identity.tenant_name,
	    .domain = decision->identity.domain,
	    .node = node->base->facts->name,
	    .resources = claim->resources,
	    .priority = claim->priority,
	    .quota_class = verdict->quota_class,
	    .isolation = verdict->isolation,
	    .annotation = stated_level(pod),
	    .grace_s = pod->grace_s,
	};

	/* It was charged when the verdict was made, so it fits. */
	(void)shk_charge_vector(node->base, &claim->resources, &alloc.charge);
	*ret_alloc = alloc;
}

void shk_alloc_adopt(const struct shk_view *view, const struct shk_moment *moment,
		     const struct shk_claim *claim, const struct shk_candidate *place,
		     struct shk_arena *arena, struct shk_alloc *ret_alloc)
{
	const struct shk_pod *pod = claim->pod;
	struct shk_identity identity =
	    shk_tenancy_identify(view->tenancy, view->policy, pod->namespace_, pod->uid, arena);
	struct shk_limits limits;
	struct shk_alloc alloc = {
	    .uid = pod->uid,
	    .namespace_ = pod->namespace_,
	    .name = pod->name,
	    .tenant = identity.tenant_name,
	    .domain = identity.domain,
	    .node = place->name,
	    .resources = claim->resources,
	    .priority = claim->priority,
	    .state = SHK_ALLOC_FOREIGN,
	    .grace_s = pod->grace_s,
	};

	const struct shk_asker asker = {identity.tenant, claim->priority, pod->uid};

	shk_limits_build(view, moment, &asker, arena, &limits);
	/* One pod must not lock a node against everybody by a word that its tenant may not use. */
	alloc.annotation =
	    pod->isolation < identity.may_state ? pod->isolation : identity.may_state;
	if (pod->isolation == SHK_LEVEL_NONE)
		alloc.annotation = SHK_LEVEL_NONE;
	if (place->node && shk_charge_vector(place->node->base, &claim->resources, &alloc.charge))
		alloc.isolation = isolation_of(place->node->base, &claim->resources,
					       wall_of(&identity, alloc.annotation));
	alloc.quota_class = shk_quota_class(&limits, &claim->resources, &alloc.charge);
	*ret_alloc = alloc;
}
