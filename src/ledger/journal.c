/* journal.c - the chain: each row hashes the one before and all it says itself. */
#include "ledger_priv.h"

#include <string.h>

#define N_HASHED SHK_JOURNAL_PREV /* the columns before the chain's own */

static enum shk_status journal_insert(struct shk_ledger *ledger, const struct shk_ledger_head *next,
				      const char *kind, const char *object, const char *body,
				      struct shk_error *err)
{
	return shk_ledger_sql_run(
	    ledger, SHK_SQL_JOURNAL_ADD,
	    SHK_SQL_VALUES(shk_sql_int((int64_t)next->seq), shk_sql_text(ledger->cluster_id),
			   shk_sql_int((int64_t)ledger->epoch), shk_sql_int(ledger->now_s),
			   shk_sql_text(kind), shk_sql_text(object), shk_sql_text(body),
			   shk_sql_hash(next->state), shk_sql_hash(ledger->head.hash),
			   shk_sql_hash(next->hash)),
	    err);
}

/* The same bytes as shk_ledger_row_columns makes of the stored row. */
static void journal_row(const struct shk_ledger *ledger, const struct shk_ledger_head *next,
			const char *kind, const char *object, const char *body, struct shk_buf *row)
{
	shk_buf_clear(row);
	shk_ledger_row_int(row, (int64_t)next->seq);
	shk_ledger_row_text(row, ledger->cluster_id);
	shk_ledger_row_int(row, (int64_t)ledger->epoch);
	shk_ledger_row_int(row, ledger->now_s);
	shk_ledger_row_text(row, kind);
	shk_ledger_row_text(row, object);
	shk_ledger_row_text(row, body);
	shk_ledger_row_blob(row, next->state, SHK_SHA256_SIZE);
}

enum shk_status shk_ledger_journal_add(struct shk_ledger *ledger, const char *kind,
				       const char *object, const char *body, struct shk_error *err)
{
	struct shk_ledger_head next = ledger->head;
	enum shk_status status;

	next.seq++;
	journal_row(ledger, &next, kind, object, body, &ledger->row);
	shk_sha256(ledger->head.hash, SHK_SHA256_SIZE, ledger->row.data, ledger->row.len,
		   next.hash);
	if (strcmp(kind, "checkpoint") == 0)
		next.checkpoint_seq = next.seq;
	status = journal_insert(ledger, &next, kind, object, body, err);
	if (status == SHK_OK)
		ledger->head = next;
	return status;
}

void shk_ledger_journal_hash(struct shk_buf *scratch, sqlite3_stmt *stmt,
			     uint8_t ret_digest[SHK_SHA256_SIZE])
{
	const uint8_t *prev = shk_ledger_sql_digest(stmt, SHK_JOURNAL_PREV);

	shk_buf_clear(scratch);
	shk_ledger_row_columns(scratch, stmt, N_HASHED);
	shk_sha256(prev, prev ? SHK_SHA256_SIZE : 0, scratch->data, scratch->len, ret_digest);
}

static enum shk_status load_head(struct shk_ledger *ledger, sqlite3_stmt *last,
				 struct shk_error *err)
{
	const uint8_t *hash = shk_ledger_sql_digest(last, SHK_JOURNAL_HASH);
	const uint8_t *state = shk_ledger_sql_digest(last, SHK_JOURNAL_STATE);
	int64_t seq = sqlite3_column_int64(last, SHK_JOURNAL_SEQ);
	int64_t epoch = sqlite3_column_int64(last, SHK_JOURNAL_EPOCH);

	/* A number near the end of its range would be no history of ours, and wrap. */
	if (!hash || !state || seq < 1 || seq == INT64_MAX || epoch < 0 || epoch == INT64_MAX)
		return shk_error_set(err, SHK_E_CORRUPT, "journal row %lld can't be read",
				     (long long)seq);
	ledger->head.seq = (uint64_t)seq;
	ledger->epoch = (uint64_t)epoch;
	memcpy(ledger->head.hash, hash, SHK_SHA256_SIZE);
	memcpy(ledger->head.state, state, SHK_SHA256_SIZE);
	return SHK_OK;
}

enum shk_status shk_ledger_journal_load(struct shk_ledger *ledger, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum shk_status status =
	    shk_ledger_sql_first(ledger, SHK_SQL_JOURNAL_LAST, NULL, 0, &stmt, err);

	if (status != SHK_OK)
		return status;
	if (!stmt)
		return shk_error_set(err, SHK_E_CORRUPT, "the journal is empty");
	status = load_head(ledger, stmt, err);
	shk_ledger_sql_end(stmt);
	if (status != SHK_OK)
		return status;
	status = shk_ledger_sql_first(ledger, SHK_SQL_JOURNAL_CHECKPOINT, NULL, 0, &stmt, err);
	if (status != SHK_OK)
		return status;
	ledger->head.checkpoint_seq = (uint64_t)sqlite3_column_int64(stmt, 0);
	shk_ledger_sql_end(stmt);
	return SHK_OK;
}
