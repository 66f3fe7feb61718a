/* state.c - the sum over live rows, kept up to date with every change. */
#include "ledger_priv.h"

#include <assert.h>

#define DOCUMENT(table, kind_, id)                                                                 \
	{                                                                                          \
		.name = (table), .kind = (kind_), .get = SHK_SQL_##id##_GET,                       \
		.scan = SHK_SQL_##id##_SCAN, .n_keys = 1                                           \
	}

const struct shk_ledger_state_table shk_ledger_state_tables[SHK_STATE_COUNT] = {
    [SHK_STATE_DOMAINS] = DOCUMENT("trust_domains", "TrustDomain", DOMAIN),
    [SHK_STATE_TENANTS] = DOCUMENT("tenants", "Tenant", TENANT),
    [SHK_STATE_BANDS] = DOCUMENT("bands", "PriorityBand", BAND),
    [SHK_STATE_NODE_FACTS] = DOCUMENT("node_facts", "NodeFacts", NODE_FACTS),
    [SHK_STATE_GRANTS] = DOCUMENT("grants", "Grant", GRANT),
    [SHK_STATE_NAMESPACES] = DOCUMENT("namespaces", NULL, NAMESPACE),
    [SHK_STATE_QUOTAS] = {.name = "quotas",
			  .get = SHK_SQL_QUOTA_GET,
			  .scan = SHK_SQL_QUOTA_SCAN,
			  .n_keys = 2},
    [SHK_STATE_APPLIED] = {.name = "applied",
			   .get = SHK_SQL_APPLIED_GET,
			   .scan = SHK_SQL_APPLIED_SCAN,
			   .n_keys = 3},
    [SHK_STATE_CORDONS] = DOCUMENT("cordons", NULL, CORDON),
    [SHK_STATE_ALLOCATIONS] = DOCUMENT("allocations", NULL, ALLOC),
};

void shk_ledger_state_row(struct shk_ledger *ledger, enum shk_state_table table, sqlite3_stmt *stmt,
			  int sign)
{
	uint8_t digest[SHK_SHA256_SIZE];

	shk_ledger_row_hash(&ledger->row, shk_ledger_state_tables[table].name, stmt, digest);
	shk_ledger_sum(ledger->head.state, digest, sign);
	shk_ledger_verify_saw(ledger, table, stmt, digest, sign);
}

enum shk_status shk_ledger_state_count(struct shk_ledger *ledger, enum shk_state_table table,
				       const char *const keys[SHK_STATE_KEYS], int sign,
				       bool *ret_found, struct shk_error *err)
{
	const struct shk_ledger_state_table *info = &shk_ledger_state_tables[table];
	sqlite3_stmt *stmt = NULL;
	enum shk_status status = shk_ledger_sql_first(
	    ledger, info->get,
	    (const struct shk_sql_value[]){shk_sql_text(keys[0]), shk_sql_text(keys[1]),
					   shk_sql_text(keys[2])},
	    info->n_keys, &stmt, err);

	if (status != SHK_OK)
		return status;
	if (ret_found)
		*ret_found = stmt != NULL;
	if (!stmt)
		return SHK_OK;
	shk_ledger_state_row(ledger, table, stmt, sign);
	shk_ledger_sql_end(stmt);
	return SHK_OK;
}
