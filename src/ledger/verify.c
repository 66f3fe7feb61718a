/* verify.c - do the file, the chain, the state hash and the balances agree?
 *
 * Between slices the ledger goes on. The chain is checked up to the row that was the last one at
 * the start. The sum over live rows is taken in the order of tables and keys; a change of a row
 * that was passed already is counted here too (_saw), one of a row ahead is met there. */
#include "verify_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLICE ((size_t)1 << 30)

void shk_ledger_verify_finding(struct shk_ledger_verify *verify, const char *fmt, ...)
{
	struct shk_ledger_report *report = &verify->report;
	size_t max = sizeof(report->findings) / sizeof(report->findings[0]);
	va_list args;

	va_start(args, fmt);
	if (report->n_findings < max)
		report->findings[report->n_findings] = shk_arena_vprintf(&report->arena, fmt, args);
	va_end(args);
	report->n_findings++;
}

void shk_ledger_verify_text(struct shk_buf *buf, const char *text)
{
	shk_buf_clear(buf);
	shk_buf_puts(buf, text);
}

/* --- life --------------------------------------------------------------------------------- */

void shk_ledger_verify_tables(struct shk_ledger_verify *verify)
{
	verify->phase = SHK_PHASE_STATE;
	verify->table = 0;
	verify->report.allocations = 0;
	memset(verify->sum, 0, sizeof(verify->sum));
	for (size_t i = 0; i < SHK_STATE_KEYS; i++)
		shk_ledger_verify_text(&verify->keys[i], "");
	shk_ledger_tally_fini(&verify->tally);
	shk_ledger_tally_init(&verify->tally);
}

static struct shk_ledger_verify *verify_make(struct shk_ledger *ledger)
{
	struct shk_ledger_verify *verify = calloc(1, sizeof(*verify));

	if (!verify)
		abort();
	verify->ledger = ledger;
	verify->target_seq = ledger->head.seq;
	memcpy(verify->target_hash, ledger->head.hash, SHK_SHA256_SIZE);
	shk_arena_init(&verify->report.arena, 0);
	shk_arena_init(&verify->row, 0);
	shk_ledger_verify_tables(verify);
	verify->phase = SHK_PHASE_STORE;
	ledger->verify = verify;
	return verify;
}

struct shk_ledger_verify *shk_ledger_verify_new(struct shk_ledger *ledger)
{
	struct shk_ledger_verify *verify;

	if (ledger->verify)
		return NULL;
	verify = verify_make(ledger);
	verify->full = true;
	verify->compare = true;
	verify->next_seq = 1;
	verify->has_prev = true; /* the first row follows zeros */
	return verify;
}

void shk_ledger_verify_detach(struct shk_ledger_verify *verify)
{
	verify->ledger->verify = NULL;
	verify->ledger = NULL;
}

void shk_ledger_verify_free(struct shk_ledger_verify *verify)
{
	if (!verify)
		return;
	if (verify->ledger)
		shk_ledger_verify_detach(verify);
	for (size_t i = 0; i < SHK_STATE_KEYS; i++) {
		shk_buf_fini(&verify->keys[i]);
		shk_buf_fini(&verify->from[i]);
	}
	shk_buf_fini(&verify->bytes);
	shk_buf_fini(&verify->text);
	shk_ledger_tally_fini(&verify->tally);
	shk_arena_fini(&verify->row);
	shk_arena_fini(&verify->report.arena);
	free(verify);
}

const struct shk_ledger_report *shk_ledger_verify_report(const struct shk_ledger_verify *verify)
{
	return &verify->report;
}

/* --- the store ---------------------------------------------------------------------------- */

/* SQLite puts a heading before what it found. */
static const char *last_line(const char *text)
{
	const char *newline = strrchr(text, '\n');

	return newline ? newline + 1 : text;
}

enum shk_status shk_ledger_store_check(sqlite3 *db, bool full, struct shk_error *err)
{
	struct shk_arena arena = {0};
	const char *pages = "";
	const char *table = "";
	enum shk_status status = shk_ledger_sql_query(
	    db, full ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)", &arena, &pages, err);

	if (status == SHK_OK && strcmp(pages, "ok") != 0)
		status = shk_error_set(err, SHK_E_CORRUPT, "damaged pages: %s", last_line(pages));
	if (status == SHK_OK)
		status = shk_ledger_sql_query(db, "PRAGMA foreign_key_check", &arena, &table, err);
	if (status == SHK_OK && *table)
		status =
		    shk_error_set(err, SHK_E_CORRUPT, "a row of %s refers to a missing one", table);
	shk_arena_fini(&arena);
	return status;
}

static enum shk_status step_store(struct shk_ledger_verify *verify, struct shk_error *err)
{
	struct shk_ledger *ledger = verify->ledger;
	enum shk_status status;

	ledger->privileged = true;
	status = shk_ledger_store_check(ledger->db, true, err);
	if (status == SHK_OK)
		status = shk_ledger_schema_check(ledger->db, ledger->schema,
						 ledger->schema->version, err);
	ledger->privileged = false;
	verify->phase = SHK_PHASE_CHAIN;
	if (status != SHK_E_CORRUPT)
		return status;
	shk_ledger_verify_finding(verify, "%s", err->text);
	return SHK_OK;
}

/* --- the sums ----------------------------------------------------------------------------- */

static void check_balance(struct shk_ledger_verify *verify, sqlite3_stmt *stmt)
{
	const char *tenant = shk_ledger_sql_column(stmt, 0);
	const char *unit = shk_ledger_sql_column(stmt, 1);
	struct shk_ledger_tally_row *row = shk_ledger_tally_find(&verify->tally, tenant, unit);
	int64_t used = row ? row->used : 0;
	int64_t n = row ? row->n : 0;

	if (sqlite3_column_int64(stmt, 2) != used || sqlite3_column_int64(stmt, 3) != n || n == 0)
		shk_ledger_verify_finding(
		    verify, "the balance of %s in %s isn't the sum of its allocations", tenant,
		    unit);
	if (row)
		row->n = 0; /* found */
}

static enum shk_status check_balances(struct shk_ledger_verify *verify, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	enum shk_status status =
	    shk_ledger_sql_start(verify->ledger, SHK_SQL_BALANCE_ALL, NULL, 0, &stmt, err);

	while (status == SHK_OK && row) {
		status = shk_ledger_sql_next(verify->ledger, stmt, &row, err);
		if (status == SHK_OK && row)
			check_balance(verify, stmt);
	}
	for (size_t i = 0; status == SHK_OK && i < verify->tally.n; i++)
		if (verify->tally.rows[i].n != 0)
			shk_ledger_verify_finding(verify, "there is no balance of %s in %s",
						  verify->tally.rows[i].tenant,
						  verify->tally.rows[i].unit);
	return status;
}

/* Rows that no journal row speaks of. */
static enum shk_status check_count(struct shk_ledger_verify *verify, enum shk_sql count,
				   const char *table, int64_t expected, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int64_t n;
	enum shk_status status = shk_ledger_sql_first(
	    verify->ledger, count, SHK_SQL_VALUES(shk_sql_int((int64_t)verify->target_seq)), &stmt,
	    err);

	if (status != SHK_OK)
		return status;
	n = sqlite3_column_int64(stmt, 0);
	shk_ledger_sql_end(stmt);
	if (n != expected)
		shk_ledger_verify_finding(verify, "%lld rows of %s aren't in the journal",
					  (long long)(n - expected), table);
	return SHK_OK;
}

static enum shk_status step_sums(struct shk_ledger_verify *verify, struct shk_error *err)
{
	struct shk_ledger *ledger = verify->ledger;
	enum shk_status status;

	if (verify->recount)
		memcpy(ledger->head.state, verify->sum, SHK_SHA256_SIZE);
	if (memcmp(ledger->head.state, verify->sum, SHK_SHA256_SIZE) != 0) {
		/* An open looks for the rows only now that there is something to find. */
		if (!verify->compare) {
			verify->compare = true;
			shk_ledger_verify_tables(verify);
			return SHK_OK;
		}
		shk_ledger_verify_finding(
		    verify, "the tables don't have the state hash of journal row %llu",
		    (unsigned long long)ledger->head.seq);
	}
	status = check_balances(verify, err);
	if (status == SHK_OK && verify->full)
		status = check_count(verify, SHK_SQL_AUDIT_COUNT, "audit", verify->n_audit, err);
	if (status == SHK_OK && verify->full)
		status = check_count(verify, SHK_SQL_POLICY_COUNT, "policy_revisions",
				     verify->n_policy, err);
	verify->phase = SHK_PHASE_DONE;
	return status;
}

/* --- steps -------------------------------------------------------------------------------- */

static enum shk_status step(struct shk_ledger_verify *verify, size_t *budget, struct shk_error *err)
{
	switch (verify->phase) {
	case SHK_PHASE_STORE:
		*budget = 0; /* takes long enough by itself */
		return step_store(verify, err);
	case SHK_PHASE_CHAIN:
		return shk_ledger_verify_chain(verify, budget, err);
	case SHK_PHASE_STATE:
		return shk_ledger_verify_state(verify, budget, err);
	case SHK_PHASE_SUMS:
		return step_sums(verify, err);
	case SHK_PHASE_DONE:
		break;
	}
	return SHK_OK;
}

enum shk_status shk_ledger_verify_step(struct shk_ledger_verify *verify, size_t max_rows,
				       bool *ret_done, struct shk_error *err)
{
	size_t budget = max_rows < MAX_SLICE ? max_rows : MAX_SLICE;
	enum shk_status status = SHK_OK;

	assert(max_rows > 0);
	if (!verify->ledger)
		return shk_error_set(err, SHK_E_UNAVAILABLE, "the ledger was closed");
	if (verify->ledger->in_batch)
		return shk_error_set(err, SHK_E_CONFLICT, "a batch is open");
	status = shk_ledger_readable(verify->ledger, err);
	while (status == SHK_OK && budget > 0 && verify->phase != SHK_PHASE_DONE)
		status = step(verify, &budget, err);
	if (status == SHK_OK)
		*ret_done = verify->phase == SHK_PHASE_DONE;
	return status;
}

enum shk_status shk_ledger_verify_start(struct shk_ledger *ledger, bool recount,
					struct shk_error *err)
{
	struct shk_ledger_verify *verify = verify_make(ledger);
	enum shk_status status = SHK_OK;
	size_t budget = MAX_SLICE;

	verify->recount = recount;
	verify->phase = SHK_PHASE_CHAIN;
	verify->next_seq = ledger->head.checkpoint_seq ? ledger->head.checkpoint_seq : 1;
	verify->has_prev = ledger->head.checkpoint_seq == 0;
	while (status == SHK_OK && verify->phase != SHK_PHASE_DONE)
		status = step(verify, &budget, err);
	if (status == SHK_OK && verify->report.n_findings > 0)
		status = shk_error_set(err, SHK_E_CORRUPT, "%s", verify->report.findings[0]);
	shk_ledger_verify_free(verify);
	return status;
}
