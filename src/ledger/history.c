/* history.c - the journal and the audit rows, read in slices. */
#include "ledger_priv.h"

#include <string.h>

enum {
	COL_SEQ,
	COL_TS,
	COL_ACTOR,
	COL_SOURCE,
	COL_VERB,
	COL_OBJECT,
	COL_BEFORE,
	COL_AFTER,
	COL_REQUEST,
	COL_REASON,
};

/* NULL stays NULL. */
static const char *column_copy(sqlite3_stmt *stmt, int column, struct shk_arena *arena)
{
	return shk_arena_strdup(arena, (const char *)sqlite3_column_text(stmt, column));
}

static struct shk_ledger_audit_row audit_read(sqlite3_stmt *stmt, struct shk_arena *arena)
{
	return (struct shk_ledger_audit_row){
	    .seq = (uint64_t)sqlite3_column_int64(stmt, COL_SEQ),
	    .ts = sqlite3_column_int64(stmt, COL_TS),
	    .row =
		{
		    .actor = column_copy(stmt, COL_ACTOR, arena),
		    .source = column_copy(stmt, COL_SOURCE, arena),
		    .verb = column_copy(stmt, COL_VERB, arena),
		    .object = column_copy(stmt, COL_OBJECT, arena),
		    .before = column_copy(stmt, COL_BEFORE, arena),
		    .after = column_copy(stmt, COL_AFTER, arena),
		    .request_id = column_copy(stmt, COL_REQUEST, arena),
		    .reason = column_copy(stmt, COL_REASON, arena),
		},
	};
}

static struct shk_ledger_journal_row journal_read(sqlite3_stmt *stmt, struct shk_arena *arena)
{
	struct shk_ledger_journal_row row = {
	    .seq = (uint64_t)sqlite3_column_int64(stmt, SHK_JOURNAL_SEQ),
	    .epoch = (uint64_t)sqlite3_column_int64(stmt, SHK_JOURNAL_EPOCH),
	    .ts = sqlite3_column_int64(stmt, SHK_JOURNAL_TS),
	    .kind = column_copy(stmt, SHK_JOURNAL_KIND, arena),
	    .object = column_copy(stmt, SHK_JOURNAL_OBJECT, arena),
	    .body = column_copy(stmt, SHK_JOURNAL_BODY, arena),
	};
	const uint8_t *hash = shk_ledger_sql_digest(stmt, SHK_JOURNAL_HASH);

	if (hash)
		shk_hex(hash, SHK_SHA256_SIZE, row.hash);
	return row;
}

static int64_t seq_value(uint64_t seq)
{
	return seq < INT64_MAX ? (int64_t)seq : INT64_MAX;
}

enum shk_status shk_ledger_audits(struct shk_ledger *ledger, struct shk_ledger_slice slice,
				  struct shk_arena *arena,
				  const struct shk_ledger_audit_row **ret_rows, size_t *ret_n,
				  struct shk_error *err)
{
	struct shk_ledger_audit_row *rows =
	    SHK_NEW_ARRAY(arena, slice.max, struct shk_ledger_audit_row);
	int64_t before = slice.seq == 0 ? INT64_MAX : seq_value(slice.seq);
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	size_t n = 0;
	enum shk_status status = shk_ledger_readable(ledger, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_start(
		    ledger, SHK_SQL_AUDIT_BEFORE,
		    SHK_SQL_VALUES(shk_sql_int(before), shk_sql_int((int64_t)slice.max)), &stmt,
		    err);
	while (status == SHK_OK && row) {
		status = shk_ledger_sql_next(ledger, stmt, &row, err);
		if (status == SHK_OK && row)
			rows[n++] = audit_read(stmt, arena);
	}
	if (status != SHK_OK)
		return status;
	*ret_rows = rows;
	*ret_n = n;
	return SHK_OK;
}

enum shk_status shk_ledger_journal(struct shk_ledger *ledger, struct shk_ledger_slice slice,
				   struct shk_arena *arena,
				   const struct shk_ledger_journal_row **ret_rows, size_t *ret_n,
				   struct shk_error *err)
{
	struct shk_ledger_journal_row *rows =
	    SHK_NEW_ARRAY(arena, slice.max, struct shk_ledger_journal_row);
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	size_t n = 0;
	enum shk_status status = shk_ledger_readable(ledger, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_start(ledger, SHK_SQL_JOURNAL_FROM,
					      SHK_SQL_VALUES(shk_sql_int(seq_value(slice.seq)),
							     shk_sql_int((int64_t)slice.max)),
					      &stmt, err);
	while (status == SHK_OK && row) {
		status = shk_ledger_sql_next(ledger, stmt, &row, err);
		if (status == SHK_OK && row)
			rows[n++] = journal_read(stmt, arena);
	}
	if (status != SHK_OK)
		return status;
	*ret_rows = rows;
	*ret_n = n;
	return SHK_OK;
}
