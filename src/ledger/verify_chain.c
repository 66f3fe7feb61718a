/* verify_chain.c - does every journal row hash, and follow the one before? */
#include "verify_priv.h"

#include <string.h>

/* The row of another table that a journal row speaks of must say what was hashed. */
static enum shk_status check_record(struct shk_ledger_verify *verify, sqlite3_stmt *row,
				    struct shk_error *err)
{
	const char *kind = shk_ledger_sql_column(row, SHK_JOURNAL_KIND);
	const char *body = shk_ledger_sql_column(row, SHK_JOURNAL_BODY);
	int64_t seq = sqlite3_column_int64(row, SHK_JOURNAL_SEQ);
	bool audit = strcmp(kind, "audit") == 0;
	char hex[SHK_SHA256_HEX] = "";
	sqlite3_stmt *stmt = NULL;
	enum shk_status status;

	if (!audit && strcmp(kind, "policy") != 0)
		return SHK_OK;
	status =
	    shk_ledger_sql_first(verify->ledger, audit ? SHK_SQL_AUDIT_GET : SHK_SQL_POLICY_GET,
				 SHK_SQL_VALUES(shk_sql_int(seq)), &stmt, err);
	if (status != SHK_OK)
		return status;
	*(audit ? &verify->n_audit : &verify->n_policy) += stmt != NULL;
	if (stmt && audit) {
		shk_buf_clear(&verify->bytes);
		shk_ledger_row_columns(&verify->bytes, stmt, sqlite3_column_count(stmt));
		shk_sha256_hex(verify->bytes.data, verify->bytes.len, hex);
	}
	if (!stmt || strcmp(audit ? hex : shk_ledger_sql_column(stmt, 2), body) != 0 ||
	    (!audit && strcmp(shk_ledger_sql_column(stmt, 1),
			      shk_ledger_sql_column(row, SHK_JOURNAL_OBJECT)) != 0))
		shk_ledger_verify_finding(verify,
					  "the %s row of journal row %lld isn't what was written",
					  kind, (long long)seq);
	if (stmt)
		shk_ledger_sql_end(stmt);
	return SHK_OK;
}

static void check_link(struct shk_ledger_verify *verify, sqlite3_stmt *row, int64_t seq)
{
	const uint8_t *prev = shk_ledger_sql_digest(row, SHK_JOURNAL_PREV);
	const uint8_t *hash = shk_ledger_sql_digest(row, SHK_JOURNAL_HASH);
	int64_t epoch = sqlite3_column_int64(row, SHK_JOURNAL_EPOCH);
	uint8_t digest[SHK_SHA256_SIZE];

	shk_ledger_journal_hash(&verify->bytes, row, digest);
	if (!hash || memcmp(digest, hash, sizeof(digest)) != 0)
		shk_ledger_verify_finding(verify, "journal row %lld: hash does not match",
					  (long long)seq);
	else if (!prev || (verify->has_prev && memcmp(prev, verify->prev, sizeof(digest)) != 0))
		shk_ledger_verify_finding(verify, "journal row %lld: doesn't follow the row before",
					  (long long)seq);
	if (strcmp(shk_ledger_sql_column(row, SHK_JOURNAL_CLUSTER), verify->ledger->cluster_id) !=
	    0)
		shk_ledger_verify_finding(verify, "journal row %lld: is of another cluster",
					  (long long)seq);
	if (epoch < verify->epoch)
		shk_ledger_verify_finding(verify, "journal row %lld: epoch goes back",
					  (long long)seq);
	if (seq == (int64_t)verify->target_seq && hash &&
	    memcmp(hash, verify->target_hash, sizeof(digest)) != 0)
		shk_ledger_verify_finding(verify,
					  "journal row %lld: isn't the one that was written last",
					  (long long)seq);
	verify->epoch = epoch;
	verify->has_prev = hash != NULL;
	if (hash)
		memcpy(verify->prev, hash, SHK_SHA256_SIZE);
}

static enum shk_status check_journal_row(struct shk_ledger_verify *verify, sqlite3_stmt *row,
					 struct shk_error *err)
{
	int64_t seq = sqlite3_column_int64(row, SHK_JOURNAL_SEQ);

	if (seq != (int64_t)verify->next_seq) {
		shk_ledger_verify_finding(verify, "journal row %llu: is missing",
					  (unsigned long long)verify->next_seq);
		verify->has_prev = false;
	}
	if (verify->report.rows == 0)
		verify->report.first_seq = (uint64_t)seq;
	verify->report.last_seq = (uint64_t)seq;
	verify->report.rows++;
	check_link(verify, row, seq);
	verify->next_seq = (uint64_t)seq + 1;
	return verify->full ? check_record(verify, row, err) : SHK_OK;
}

enum shk_status shk_ledger_verify_chain(struct shk_ledger_verify *verify, size_t *budget,
					struct shk_error *err)
{
	sqlite3_stmt *row = NULL;
	bool more = true;
	enum shk_status status = shk_ledger_sql_start(
	    verify->ledger, SHK_SQL_JOURNAL_FROM,
	    SHK_SQL_VALUES(shk_sql_int((int64_t)verify->next_seq), shk_sql_int(-1)), &row, err);

	while (status == SHK_OK && *budget > 0 && verify->next_seq <= verify->target_seq) {
		status = shk_ledger_sql_next(verify->ledger, row, &more, err);
		if (status != SHK_OK)
			return status; /* the statement ended itself */
		if (!more)
			break;
		status = check_journal_row(verify, row, err);
		--*budget;
	}
	if (row)
		shk_ledger_sql_end(row);
	if (status != SHK_OK)
		return status;
	if (!more)
		shk_ledger_verify_finding(verify, "journal row %llu: is missing",
					  (unsigned long long)verify->next_seq);
	if (!more || verify->next_seq > verify->target_seq)
		shk_ledger_verify_tables(verify);
	return SHK_OK;
}
