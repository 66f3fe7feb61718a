/* sql.c - running prepared statements, and what SQLite's codes mean to our callers. */
#include "ledger_priv.h"

#include <assert.h>
#include <string.h>

static const char *const statement_text[SHK_SQL_COUNT] = {
#define X(id, sql) [SHK_SQL_##id] = (sql),
    SHK_SQL_STATEMENTS(X)
#undef X
};

enum shk_status shk_ledger_sql_prepare(struct shk_ledger *ledger, struct shk_error *err)
{
	for (int id = 0; id < SHK_SQL_COUNT; id++) {
		int rc = sqlite3_prepare_v3(ledger->db, statement_text[id], -1,
					    SQLITE_PREPARE_PERSISTENT, &ledger->stmts[id], NULL);

		if (rc != SQLITE_OK)
			return shk_ledger_sql_failed(ledger, rc, err);
	}
	return SHK_OK;
}

void shk_ledger_sql_finalize(struct shk_ledger *ledger)
{
	for (int id = 0; id < SHK_SQL_COUNT; id++) {
		(void)sqlite3_finalize(ledger->stmts[id]); /* repeats the last step's code */
		ledger->stmts[id] = NULL;
	}
}

static int bind_value(sqlite3_stmt *stmt, int index, const struct shk_sql_value *value)
{
	switch (value->type) {
	case SHK_SQL_INT:
		return sqlite3_bind_int64(stmt, index, value->number);
	case SHK_SQL_TEXT:
		return sqlite3_bind_text(stmt, index, value->data, -1, SQLITE_STATIC);
	case SHK_SQL_HASH:
		return sqlite3_bind_blob(stmt, index, value->data, SHK_SHA256_SIZE, SQLITE_STATIC);
	case SHK_SQL_NULL:
		break;
	}
	return sqlite3_bind_null(stmt, index);
}

enum shk_status shk_ledger_sql_start(struct shk_ledger *ledger, enum shk_sql id,
				     const struct shk_sql_value *values, size_t n,
				     sqlite3_stmt **ret_stmt, struct shk_error *err)
{
	sqlite3_stmt *stmt = ledger->stmts[id];

	assert(stmt && n == (size_t)sqlite3_bind_parameter_count(stmt));
	assert(!sqlite3_stmt_busy(stmt));
	for (size_t i = 0; i < n; i++) {
		int rc = bind_value(stmt, (int)i + 1, &values[i]);

		if (rc == SQLITE_OK)
			continue;
		shk_ledger_sql_end(stmt);
		return shk_ledger_sql_failed(ledger, rc, err);
	}
	*ret_stmt = stmt;
	return SHK_OK;
}

enum shk_status shk_ledger_sql_next(struct shk_ledger *ledger, sqlite3_stmt *stmt, bool *ret_row,
				    struct shk_error *err)
{
	int rc = sqlite3_step(stmt);
	enum shk_status status = SHK_OK;

	if (rc == SQLITE_ROW) {
		*ret_row = true;
		return SHK_OK;
	}
	/* The message goes with the reset, so it is read before. */
	if (rc != SQLITE_DONE)
		status = shk_ledger_sql_failed(ledger, rc, err);
	shk_ledger_sql_end(stmt);
	if (status == SHK_OK)
		*ret_row = false;
	return status;
}

void shk_ledger_sql_end(sqlite3_stmt *stmt)
{
	(void)sqlite3_reset(stmt); /* repeats the step's code */
	(void)sqlite3_clear_bindings(stmt);
}

enum shk_status shk_ledger_sql_first(struct shk_ledger *ledger, enum shk_sql id,
				     const struct shk_sql_value *values, size_t n,
				     sqlite3_stmt **ret_stmt, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = false;
	enum shk_status status = shk_ledger_sql_start(ledger, id, values, n, &stmt, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_next(ledger, stmt, &row, err);
	if (status == SHK_OK)
		*ret_stmt = row ? stmt : NULL;
	return status;
}

enum shk_status shk_ledger_sql_run(struct shk_ledger *ledger, enum shk_sql id,
				   const struct shk_sql_value *values, size_t n,
				   struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum shk_status status = shk_ledger_sql_first(ledger, id, values, n, &stmt, err);

	assert(status != SHK_OK || !stmt);
	return status;
}

struct code {
	int rc;
	enum shk_status status;
	const char *text;
};

static const struct code codes[] = {
    {SQLITE_FULL, SHK_E_FULL, "has no space left"},
    {SQLITE_CONSTRAINT, SHK_E_CONFLICT, "refused a write"},
    {SQLITE_BUSY, SHK_E_BUSY, "is held by another process"},
    {SQLITE_LOCKED, SHK_E_BUSY, "is held by another process"},
    {SQLITE_CORRUPT, SHK_E_CORRUPT, "is damaged"},
    {SQLITE_ERROR, SHK_E_CORRUPT, "isn't laid out as expected"},
    {SQLITE_NOTADB, SHK_E_CORRUPT, "is not a database"},
    {SQLITE_READONLY, SHK_E_PERMISSION, "may not be written"},
    {SQLITE_PERM, SHK_E_PERMISSION, "denied access"},
    {SQLITE_CANTOPEN, SHK_E_PERMISSION, "can't be opened"},
    {SQLITE_TOOBIG, SHK_E_LIMIT, "refused a value as too large"},
};

enum shk_status shk_ledger_sql_error(sqlite3 *db, int rc, struct shk_error *err)
{
	const char *detail = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].rc == (rc & 0xff))
			return shk_error_set(err, codes[i].status, "ledger %s (%s)", codes[i].text,
					     detail);
	return shk_error_set(err, SHK_E_IO, "ledger failed: %s (code %d)", detail, rc);
}

enum shk_status shk_ledger_sql_failed(struct shk_ledger *ledger, int rc, struct shk_error *err)
{
	enum shk_status status = shk_ledger_sql_error(ledger->db, rc, err);

	if (ledger->in_batch && ledger->failed.status == SHK_OK)
		ledger->failed = *err;
	/* What SQLite holds in memory can't be trusted after these, nor what a sync left on disk.
	 */
	if ((status == SHK_E_IO || status == SHK_E_CORRUPT) && ledger->dead.status == SHK_OK)
		ledger->dead = *err;
	return status;
}

const char *shk_ledger_sql_column(sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	return text ? (const char *)text : "";
}

const uint8_t *shk_ledger_sql_digest(sqlite3_stmt *stmt, int column)
{
	if (sqlite3_column_type(stmt, column) != SQLITE_BLOB ||
	    sqlite3_column_bytes(stmt, column) != SHK_SHA256_SIZE)
		return NULL;
	return sqlite3_column_blob(stmt, column);
}

enum shk_status shk_ledger_sql_exec(sqlite3 *db, const char *sql, struct shk_error *err)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? SHK_OK : shk_ledger_sql_error(db, rc, err);
}

enum shk_status shk_ledger_sql_query(sqlite3 *db, const char *sql, struct shk_arena *arena,
				     const char **ret_text, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	const char *text = "";
	enum shk_status status = SHK_OK;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		text = shk_arena_strdup(arena, shk_ledger_sql_column(stmt, 0));
	else if (rc != SQLITE_DONE)
		status = shk_ledger_sql_error(db, rc, err);
	(void)sqlite3_finalize(stmt); /* repeats the step's code */
	if (status == SHK_OK)
		*ret_text = text;
	return status;
}

enum shk_status shk_ledger_sql_number(sqlite3 *db, const char *sql, int64_t *ret_number,
				      struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum shk_status status = SHK_OK;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(stmt, 0);
	else
		status = shk_ledger_sql_error(db, rc, err);
	(void)sqlite3_finalize(stmt); /* repeats the step's code */
	return status;
}
