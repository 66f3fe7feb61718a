/* books.h - sums over live allocations: who uses how much of each unit, and what there is.
 *
 * A plain value with one owner while it is being written (the state thread, or a dry run on its
 * own copy); read-only once published. Pure. */
#ifndef SHIKIRI_CORE_BOOKS_H
#define SHIKIRI_CORE_BOOKS_H

#include "shikiri/base/arena.h"
#include "shikiri/base/map.h"
#include "shikiri/core/model.h"
#include "shikiri/core/node.h"

/* What one tenant uses of one unit. */
struct shk_account {
	int64_t used;     /* all classes */
	int64_t borrowed; /* of these, class borrowed */
};

/* Unit numbers: SHK_UNIT_* first, then resource names as they were met. */
struct shk_books {
	struct shk_arena *arena;
	const char **units;
	size_t n_units;
	int64_t *capacity; /* by unit, over unfenced, consistent nodes */
	const char **tenants;
	size_t n_tenants;
	struct shk_account **accounts; /* [tenant][unit] */
	int64_t *n_allocs;             /* [tenant] live allocations */
	size_t cap_units;
	size_t cap_tenants;
	struct shk_map unit_index;
	struct shk_map tenant_index;
};

void shk_books_init(struct shk_books *books, struct shk_arena *arena);
void shk_books_copy(struct shk_books *ret_copy, struct shk_arena *arena,
		    const struct shk_books *from);

/* sign is +1 or -1. Sums that would overflow stay at INT64_MAX (and refuse whatever is asked). */
void shk_books_alloc(struct shk_books *books, const struct shk_alloc *alloc, int sign);
void shk_books_node(struct shk_books *books, const struct shk_node_base *base, int sign);

/* -1 when the unit or tenant was never met. */
int shk_books_unit(const struct shk_books *books, const char *unit);
int shk_books_tenant(const struct shk_books *books, const char *tenant);
struct shk_account shk_books_get(const struct shk_books *books, const char *tenant,
				 const char *unit);
int64_t shk_books_capacity(const struct shk_books *books, const char *unit);

#endif
