/* balances.c - used per tenant and unit: kept with every allocation, and computed anew to check.
 * Amounts are in parts, those of resource names included. */
#include "ledger_priv.h"

#include <string.h>

#include "shikiri/base/units.h"

struct entry {
	const char *unit;
	int64_t parts;
	bool known;
};

/* The i-th unit that an allocation charges; index below SHK_UNIT_COUNT + resources.n. */
static struct entry entry_at(const struct shk_alloc *alloc, size_t i)
{
	const struct shk_amount *amount;
	int64_t parts = INT64_MAX; /* never fits where the product doesn't */

	if (i < SHK_UNIT_COUNT)
		return (struct entry){shk_unit_names[i], alloc->charge.parts[i],
				      alloc->charge.known[i]};
	amount = &alloc->resources.items[i - SHK_UNIT_COUNT];
	(void)shk_muldiv(amount->count, SHK_PARTS, 1, 1, &parts); /* overflow leaves the above */
	return (struct entry){amount->resource, parts, true};
}

static size_t n_entries(const struct shk_alloc *alloc)
{
	return SHK_UNIT_COUNT + alloc->resources.n;
}

static enum shk_status entry_fits(struct shk_ledger *ledger, const char *tenant,
				  const struct entry *entry, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int64_t used = 0;
	enum shk_status status = shk_ledger_sql_first(
	    ledger, SHK_SQL_BALANCE_GET,
	    SHK_SQL_VALUES(shk_sql_text(tenant), shk_sql_text(entry->unit)), &stmt, err);

	if (status != SHK_OK)
		return status;
	if (stmt) {
		used = sqlite3_column_int64(stmt, 0);
		shk_ledger_sql_end(stmt);
	}
	if (entry->parts < 0 || entry->parts == INT64_MAX || !shk_add(used, entry->parts, &used))
		return shk_error_set(err, SHK_E_LIMIT, "%s of tenant %s is too much to be counted",
				     entry->unit, tenant);
	return SHK_OK;
}

enum shk_status shk_ledger_balance_fits(struct shk_ledger *ledger, const struct shk_alloc *alloc,
					struct shk_error *err)
{
	for (size_t i = 0; i < n_entries(alloc); i++) {
		struct entry entry = entry_at(alloc, i);
		enum shk_status status = SHK_OK;

		if (entry.known)
			status = entry_fits(ledger, alloc->tenant, &entry, err);
		if (status != SHK_OK)
			return status;
	}
	return SHK_OK;
}

enum shk_status shk_ledger_balance_add(struct shk_ledger *ledger, const struct shk_alloc *alloc,
				       struct shk_error *err)
{
	for (size_t i = 0; i < n_entries(alloc); i++) {
		struct entry entry = entry_at(alloc, i);
		enum shk_status status = SHK_OK;

		if (entry.known)
			status = shk_ledger_sql_run(ledger, SHK_SQL_BALANCE_ADD,
						    SHK_SQL_VALUES(shk_sql_text(alloc->tenant),
								   shk_sql_text(entry.unit),
								   shk_sql_int(entry.parts)),
						    err);
		if (status != SHK_OK)
			return status;
	}
	return SHK_OK;
}

static enum shk_status take_entry(struct shk_ledger *ledger, const char *tenant,
				  const struct entry *entry, struct shk_error *err)
{
	enum shk_status status =
	    shk_ledger_sql_run(ledger, SHK_SQL_BALANCE_TAKE,
			       SHK_SQL_VALUES(shk_sql_text(tenant), shk_sql_text(entry->unit),
					      shk_sql_int(entry->parts)),
			       err);

	if (status != SHK_OK)
		return status;
	return shk_ledger_sql_run(ledger, SHK_SQL_BALANCE_DROP,
				  SHK_SQL_VALUES(shk_sql_text(tenant), shk_sql_text(entry->unit)),
				  err);
}

enum shk_status shk_ledger_balance_take(struct shk_ledger *ledger, const struct shk_alloc *alloc,
					struct shk_error *err)
{
	for (size_t i = 0; i < n_entries(alloc); i++) {
		struct entry entry = entry_at(alloc, i);
		enum shk_status status = SHK_OK;

		if (entry.known)
			status = take_entry(ledger, alloc->tenant, &entry, err);
		if (status != SHK_OK)
			return status;
	}
	return SHK_OK;
}

/* --- computed anew -------------------------------------------------------------------------- */

void shk_ledger_tally_init(struct shk_ledger_tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	shk_arena_init(&tally->arena, 0);
	shk_map_init(&tally->index, &tally->arena, 64);
}

void shk_ledger_tally_fini(struct shk_ledger_tally *tally)
{
	shk_arena_fini(&tally->arena);
	memset(tally, 0, sizeof(*tally));
}

/* Neither tenants nor units contain a newline, and if a broken file has one, it is found. */
static struct shk_ledger_tally_row *tally_row(struct shk_ledger_tally *tally, const char *tenant,
					      const char *unit, bool make)
{
	struct shk_buf key = {0};
	uint32_t at = 0;
	bool found;

	shk_buf_printf(&key, "%s\n%s", tenant, unit);
	found = shk_map_find(&tally->index, key.data, &at);
	if (!found && make) {
		if (tally->n == tally->cap) {
			struct shk_ledger_tally_row *old = tally->rows;

			tally->cap = tally->cap ? tally->cap * 2 : 64;
			tally->rows =
			    SHK_NEW_ARRAY(&tally->arena, tally->cap, struct shk_ledger_tally_row);
			for (size_t i = 0; i < tally->n; i++)
				tally->rows[i] = old[i];
		}
		at = (uint32_t)tally->n++;
		tally->rows[at].tenant = shk_arena_strdup(&tally->arena, tenant);
		tally->rows[at].unit = shk_arena_strdup(&tally->arena, unit);
		(void)shk_map_add(&tally->index, shk_arena_strdup(&tally->arena, key.data), at);
	}
	shk_buf_fini(&key);
	return found || make ? &tally->rows[at] : NULL;
}

void shk_ledger_tally_add(struct shk_ledger_tally *tally, const struct shk_alloc *alloc, int sign)
{
	for (size_t i = 0; i < n_entries(alloc); i++) {
		struct entry entry = entry_at(alloc, i);
		struct shk_ledger_tally_row *row;

		if (!entry.known)
			continue;
		row = tally_row(tally, alloc->tenant, entry.unit, true);
		row->n += sign;
		/* Wraps for a broken file only, and then differs from what is stored. */
		row->used = (int64_t)((uint64_t)row->used + (uint64_t)sign * (uint64_t)entry.parts);
	}
}

struct shk_ledger_tally_row *shk_ledger_tally_find(struct shk_ledger_tally *tally,
						   const char *tenant, const char *unit)
{
	return tally_row(tally, tenant, unit, false);
}
