#include "shikiri/core/quota.h"

#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/core/request.h"

/* --- limits ----------------------------------------------------------------------------------- */

/* The holds of others, added up like allocations. */
static void book_holds(struct shk_books *books, const struct shk_moment *moment,
		       const char *own_uid)
{
	for (size_t i = 0; i < moment->n_holds; i++) {
		const struct shk_hold *hold = &moment->holds[i];
		struct shk_alloc alloc = {
		    .tenant = hold->tenant, .resources = hold->resources, .charge = hold->charge};

		if (!own_uid || strcmp(hold->uid, own_uid) != 0)
			shk_books_alloc(books, &alloc, +1);
	}
}

/* Grants raise a limit that is there; they never make one. */
static void add_grants(struct shk_limit *limit, const struct shk_documents *documents,
		       const char *tenant, int64_t now_s)
{
	for (size_t i = 0; i < documents->n_grants; i++) {
		const struct shk_grant *grant = &documents->grants[i];

		if (grant->until_s <= now_s || strcmp(grant->tenant, tenant) != 0 ||
		    strcmp(grant->unit, limit->unit) != 0)
			continue;
		limit->ceiling = shk_add_saturated(limit->ceiling, grant->ceiling);
		if (limit->has_guaranteed && grant->has_guaranteed)
			limit->guaranteed = shk_add_saturated(limit->guaranteed, grant->guaranteed);
	}
}

static struct shk_limit limit_of(const struct shk_view *view, const struct shk_tenant *tenant,
				 const struct shk_quota_entry *entry, int64_t now_s)
{
	struct shk_limit limit = {
	    .unit = entry->unit,
	    .has_guaranteed = entry->has_guaranteed,
	    .unlimited = entry->unlimited,
	    .guaranteed = entry->guaranteed,
	    .ceiling = entry->ceiling,
	    .lendable = entry->lendable,
	};

	add_grants(&limit, view->tenancy->documents, tenant->name, now_s);
	return limit;
}

/* What is sums of, while the room of one unit is computed. */
struct ledger_side {
	const struct shk_view *view;
	const struct shk_books *holds;
	const struct shk_tenant *own;
	int64_t now_s;
};

static int64_t used_by(const struct ledger_side *side, const char *tenant, const char *unit)
{
	return shk_add_saturated(shk_books_get(side->view->books, tenant, unit).used,
				 shk_books_get(side->holds, tenant, unit).used);
}

static const struct shk_quota_entry *find_entry(const struct shk_tenant *tenant, const char *unit)
{
	for (size_t i = 0; i < tenant->n_quota; i++) {
		if (strcmp(tenant->quota[i].unit, unit) == 0)
			return &tenant->quota[i];
	}
	return NULL;
}

/* What a tenant keeps others from: what it uses, or the part of its guarantee that it doesn't
 * lend, whichever is more. */
static int64_t kept_by(const struct ledger_side *side, const struct shk_tenant *tenant,
		       const char *unit)
{
	const struct shk_quota_entry *entry = find_entry(tenant, unit);
	int64_t used = used_by(side, tenant->name, unit);

	if (!entry || !entry->has_guaranteed)
		return used;
	struct shk_limit limit = limit_of(side->view, tenant, entry, side->now_s);
	int64_t promised = limit.guaranteed - limit.lendable;
	return used > promised ? used : promised;
}

/* Use of those who have no Tenant document: unattributed, infrastructure, deleted. */
static int64_t kept_by_others(const struct ledger_side *side, const struct shk_books *books,
			      const char *unit)
{
	int64_t sum = 0;

	for (size_t t = 0; t < books->n_tenants; t++) {
		const char *name = books->tenants[t];

		if (!shk_tenancy_tenant(side->view->tenancy, name))
			sum = shk_add_saturated(sum, shk_books_get(books, name, unit).used);
	}
	return sum;
}

static int64_t room_of(const struct ledger_side *side, const struct shk_limit *limit)
{
	const struct shk_documents *documents = side->view->tenancy->documents;
	int64_t kept = kept_by_others(side, side->view->books, limit->unit);

	kept = shk_add_saturated(kept, kept_by_others(side, side->holds, limit->unit));
	for (size_t i = 0; i < documents->n_tenants; i++) {
		if (&documents->tenants[i] != side->own)
			kept = shk_add_saturated(
			    kept, kept_by(side, &documents->tenants[i], limit->unit));
	}
	return shk_books_capacity(side->view->books, limit->unit) -
	       shk_add_saturated(kept, limit->used);
}

void shk_limits_build(const struct shk_view *view, const struct shk_moment *moment,
		      const struct shk_asker *asker, struct shk_arena *arena,
		      struct shk_limits *ret_limits)
{
	const struct shk_tenant *tenant = asker->tenant;
	const struct shk_band *band = shk_tenancy_band(view->tenancy, asker->priority);
	struct shk_limits limits = {.may_borrow = !band || band->may_borrow};
	struct shk_books holds;
	struct ledger_side side = {
	    .view = view, .holds = &holds, .own = tenant, .now_s = moment->now_s};

	shk_books_init(&holds, arena);
	book_holds(&holds, moment, asker->uid);
	limits.n = tenant ? tenant->n_quota : 0;
	limits.items = SHK_NEW_ARRAY(arena, limits.n, struct shk_limit);
	for (size_t i = 0; i < limits.n; i++) {
		struct shk_limit *limit = &limits.items[i];

		*limit = limit_of(view, tenant, &tenant->quota[i], moment->now_s);
		limit->used = used_by(&side, tenant->name, limit->unit);
		if (!limit->has_guaranteed)
			continue; /* a cap takes no part in borrowing */
		limit->borrowed = shk_books_get(view->books, tenant->name, limit->unit).borrowed;
		limit->room = room_of(&side, limit);
	}
	*ret_limits = limits;
}

/* --- the check -------------------------------------------------------------------------------- */

int64_t shk_unit_amount(const char *unit, const struct shk_vector *resources,
			const struct shk_charge *charge, bool *ret_known)
{
	int64_t parts = INT64_MAX;

	for (int i = 0; i < SHK_UNIT_COUNT; i++) {
		if (strcmp(unit, shk_unit_names[i]) != 0)
			continue;
		*ret_known = charge->known[i];
		return charge->parts[i];
	}
	*ret_known = true;
	(void)shk_muldiv(shk_vector_get(resources, unit), SHK_PARTS, 1, 1, &parts);
	return parts;
}

static struct shk_quota_verdict refuse(enum shk_reason reason, const struct shk_limit *limit,
				       int64_t asked, int64_t available)
{
	return (struct shk_quota_verdict){
	    .reason = reason,
	    .binding = limit,
	    .asked = asked,
	    .available = available > 0 ? available : 0,
	};
}

/* used + asked, where the sum that doesn't fit is more than any limit. */
static bool is_within(int64_t used, int64_t asked, int64_t limit)
{
	int64_t sum = 0;

	return shk_add(used, asked, &sum) && sum <= limit;
}

static bool check_ceilings(const struct shk_limits *limits, const struct shk_vector *resources,
			   const struct shk_charge *charge, struct shk_quota_verdict *ret_refusal)
{
	for (size_t i = 0; i < limits->n; i++) {
		const struct shk_limit *limit = &limits->items[i];
		bool known = false;
		int64_t asked = shk_unit_amount(limit->unit, resources, charge, &known);

		if (!known) {
			*ret_refusal = refuse(SHK_REASON_QUOTA_CEILING, limit, -1, 0);
			return false;
		}
		/* One unit being over says nothing about a pod that doesn't charge it. */
		if (asked == 0 || limit->unlimited || is_within(limit->used, asked, limit->ceiling))
			continue;
		*ret_refusal =
		    refuse(SHK_REASON_QUOTA_CEILING, limit, asked, limit->ceiling - limit->used);
		return false;
	}
	return true;
}

/* Rules 1 to 3 for one unit that has a guarantee; SHK_FITS with class borrowed or guaranteed. */
static struct shk_quota_verdict check_guarantee(const struct shk_limits *limits,
						const struct shk_limit *limit, int64_t asked)
{
	int64_t left = limit->guaranteed - limit->used;

	if (is_within(limit->used, asked, limit->guaranteed))
		return (struct shk_quota_verdict){.reason = SHK_FITS,
						  .quota_class = SHK_CLASS_GUARANTEED};
	if (!limits->may_borrow)
		return refuse(SHK_REASON_BAND_MAY_NOT_BORROW, limit, asked, left);
	if (asked > limit->room)
		return refuse(SHK_REASON_QUOTA_BORROW_UNAVAILABLE, limit, asked, limit->room);
	return (struct shk_quota_verdict){.reason = SHK_FITS, .quota_class = SHK_CLASS_BORROWED};
}

struct shk_quota_verdict shk_quota_check(const struct shk_limits *limits,
					 const struct shk_vector *resources,
					 const struct shk_charge *charge)
{
	struct shk_quota_verdict verdict = {.reason = SHK_FITS,
					    .quota_class = SHK_CLASS_GUARANTEED};
	bool guaranteed_unit = false;

	if (!check_ceilings(limits, resources, charge, &verdict))
		return verdict;
	for (size_t i = 0; i < limits->n; i++) {
		const struct shk_limit *limit = &limits->items[i];
		bool known = false;
		int64_t asked = shk_unit_amount(limit->unit, resources, charge, &known);

		if (!limit->has_guaranteed || asked == 0)
			continue;
		guaranteed_unit = true;
		struct shk_quota_verdict one = check_guarantee(limits, limit, asked);
		if (one.reason != SHK_FITS)
			return one;
		if (one.quota_class == SHK_CLASS_BORROWED)
			verdict.quota_class = SHK_CLASS_BORROWED;
	}
	verdict.inside_guarantee = guaranteed_unit && verdict.quota_class == SHK_CLASS_GUARANTEED;
	return verdict;
}

enum shk_quota_class shk_quota_class(const struct shk_limits *limits,
				     const struct shk_vector *resources,
				     const struct shk_charge *charge)
{
	for (size_t i = 0; i < limits->n; i++) {
		const struct shk_limit *limit = &limits->items[i];
		bool known = false;
		int64_t asked = shk_unit_amount(limit->unit, resources, charge, &known);

		if (limit->has_guaranteed && asked > 0 &&
		    !is_within(limit->used, asked, limit->guaranteed))
			return SHK_CLASS_BORROWED;
	}
	return SHK_CLASS_GUARANTEED;
}
