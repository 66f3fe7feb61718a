/* quota.h - tenant limits against use: admit, borrow or refuse, unit by unit. Pure.
 *
 * Unset, 0 and unlimited are three things: a unit that isn't listed isn't limited, a listed one
 * without a guarantee is a cap and nothing else, ceiling 0 is nothing. */
#ifndef SHIKIRI_CORE_QUOTA_H
#define SHIKIRI_CORE_QUOTA_H

#include "shikiri/base/arena.h"
#include "shikiri/core/books.h"
#include "shikiri/core/reason.h"
#include "shikiri/core/tenancy.h"
#include "shikiri/core/view.h"

/* One listed unit with its grants added, and where the tenant stands in it. */
struct shk_limit {
	const char *unit;
	bool has_guaranteed;
	bool unlimited;
	int64_t guaranteed;
	int64_t ceiling;
	int64_t lendable;
	int64_t used;     /* live allocations and holds, but for the pod's own hold */
	int64_t borrowed; /* live allocations of class borrowed, where there is a guarantee */
	int64_t room;     /* what may still be borrowed; computed where there is a guarantee */
};

struct shk_limits {
	struct shk_limit *items; /* in the order of the quota: by unit name */
	size_t n;
	bool may_borrow;
};

/* For whom limits are prepared. */
struct shk_asker {
	const struct shk_tenant *tenant; /* NULL: no limits */
	int64_t priority;
	const char *uid; /* the pod whose own hold isn't counted; NULL: all are */
};

void shk_limits_build(const struct shk_view *view, const struct shk_moment *moment,
		      const struct shk_asker *asker, struct shk_arena *arena,
		      struct shk_limits *ret_limits);

struct shk_quota_verdict {
	enum shk_reason reason; /* SHK_FITS, or one of the three quota refusals */
	enum shk_quota_class quota_class;
	bool inside_guarantee; /* charges a unit with a stated guarantee and stays within all */
	const struct shk_limit *binding; /* the limit that refuses */
	int64_t asked;                   /* of the binding unit, in parts; -1: can't be priced */
	int64_t available;               /* what was left of it */
};

struct shk_quota_verdict shk_quota_check(const struct shk_limits *limits,
					 const struct shk_vector *resources,
					 const struct shk_charge *charge);

/* The class of an allocation that is there anyway: borrowed as soon as one unit with a guarantee
 * is passed, whatever the rules would have said to it. */
enum shk_quota_class shk_quota_class(const struct shk_limits *limits,
				     const struct shk_vector *resources,
				     const struct shk_charge *charge);

/* What the vector and charge take of a unit, in parts. known is false where it can't be told. */
int64_t shk_unit_amount(const char *unit, const struct shk_vector *resources,
			const struct shk_charge *charge, bool *ret_known);

#endif
