/* verify_state.c - the sum over live rows, taken in slices while rows change. */
#include "verify_priv.h"

#include <string.h>

/* What the journal must say of a row that lives now. */
struct words {
	int64_t seq;
	const char *kind;
	const char *object;
	const struct shk_buf *body;
	bool whole; /* else body is how it begins */
};

static bool row_says(sqlite3_stmt *row, const struct words *words)
{
	const char *said = shk_ledger_sql_column(row, SHK_JOURNAL_BODY);

	return strcmp(shk_ledger_sql_column(row, SHK_JOURNAL_KIND), words->kind) == 0 &&
	       strcmp(shk_ledger_sql_column(row, SHK_JOURNAL_OBJECT), words->object) == 0 &&
	       strncmp(said, words->body->data, words->body->len) == 0 &&
	       (!words->whole || said[words->body->len] == '\0');
}

static enum shk_status compare_words(struct shk_ledger_verify *verify, const struct words *words,
				     const char *what, struct shk_error *err)
{
	sqlite3_stmt *row = NULL;
	enum shk_status status =
	    shk_ledger_sql_first(verify->ledger, SHK_SQL_JOURNAL_GET,
				 SHK_SQL_VALUES(shk_sql_int(words->seq)), &row, err);

	if (status != SHK_OK)
		return status;
	if (!row || !row_says(row, words))
		shk_ledger_verify_finding(verify, "%s%s isn't what journal row %lld says", what,
					  words->object, (long long)words->seq);
	if (row)
		shk_ledger_sql_end(row);
	return SHK_OK;
}

static enum shk_status compare_document(struct shk_ledger_verify *verify, const char *kind,
					sqlite3_stmt *stmt, struct shk_error *err)
{
	const struct words words = {
	    .seq = sqlite3_column_int64(stmt, 2),
	    .kind = "document-put",
	    .object = shk_arena_printf(&verify->row, "%s/%s", kind, shk_ledger_sql_column(stmt, 0)),
	    .body = &verify->text,
	    .whole = true,
	};

	shk_ledger_verify_text(&verify->text, shk_ledger_sql_column(stmt, 4));
	return compare_words(verify, &words, "", err);
}

static enum shk_status compare_alloc(struct shk_ledger_verify *verify,
				     const struct shk_alloc *alloc, struct shk_error *err)
{
	const struct words words = {.seq = (int64_t)alloc->seq,
				    .kind = "alloc-add",
				    .object = alloc->uid,
				    .body = &verify->text};

	shk_ledger_alloc_text(&verify->text, alloc);
	return compare_words(verify, &words, "allocation ", err);
}

/* A row that can't be read is a finding, not an end. */
static bool read_alloc(struct shk_ledger_verify *verify, sqlite3_stmt *stmt,
		       struct shk_alloc *ret_alloc)
{
	struct shk_error err;

	if (shk_ledger_alloc_read(stmt, &verify->row, ret_alloc, &err) == SHK_OK)
		return true;
	shk_ledger_verify_finding(verify, "%s", err.text);
	return false;
}

static enum shk_status scan_row(struct shk_ledger_verify *verify, sqlite3_stmt *stmt,
				struct shk_error *err)
{
	const struct shk_ledger_state_table *table = &shk_ledger_state_tables[verify->table];
	uint8_t digest[SHK_SHA256_SIZE];
	struct shk_alloc alloc;

	shk_ledger_row_hash(&verify->bytes, table->name, stmt, digest);
	shk_ledger_sum(verify->sum, digest, 1);
	for (size_t i = 0; i < table->n_keys; i++)
		shk_ledger_verify_text(&verify->keys[i], shk_ledger_sql_column(stmt, (int)i));
	shk_arena_reset(&verify->row);
	if (table->kind)
		return verify->compare ? compare_document(verify, table->kind, stmt, err) : SHK_OK;
	if (verify->table != SHK_STATE_ALLOCATIONS)
		return SHK_OK;
	verify->report.allocations++;
	if (!read_alloc(verify, stmt, &alloc))
		return SHK_OK;
	shk_ledger_tally_add(&verify->tally, &alloc, 1);
	return verify->compare ? compare_alloc(verify, &alloc, err) : SHK_OK;
}

static void next_table(struct shk_ledger_verify *verify)
{
	verify->table++;
	for (size_t i = 0; i < SHK_STATE_KEYS; i++)
		shk_ledger_verify_text(&verify->keys[i], "");
	if (verify->table == SHK_STATE_COUNT)
		verify->phase = SHK_PHASE_SUMS;
}

enum shk_status shk_ledger_verify_state(struct shk_ledger_verify *verify, size_t *budget,
					struct shk_error *err)
{
	const struct shk_ledger_state_table *table = &shk_ledger_state_tables[verify->table];
	struct shk_sql_value values[SHK_STATE_KEYS + 1];
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	enum shk_status status;

	for (size_t i = 0; i < table->n_keys; i++) {
		shk_ledger_verify_text(&verify->from[i], verify->keys[i].data);
		values[i] = shk_sql_text(verify->from[i].data);
	}
	values[table->n_keys] = shk_sql_int((int64_t)*budget);
	status = shk_ledger_sql_start(verify->ledger, table->scan, values, table->n_keys + 1, &stmt,
				      err);
	while (status == SHK_OK && *budget > 0) {
		status = shk_ledger_sql_next(verify->ledger, stmt, &row, err);
		if (status != SHK_OK)
			return status;
		if (!row)
			break;
		status = scan_row(verify, stmt, err);
		--*budget;
	}
	if (stmt)
		shk_ledger_sql_end(stmt);
	if (status == SHK_OK && !row)
		next_table(verify);
	return status;
}

/* Was the row's place passed already? Keys compare as the database compares them. */
static bool passed(const struct shk_ledger_verify *verify, enum shk_state_table table,
		   sqlite3_stmt *stmt)
{
	if (verify->phase != SHK_PHASE_STATE && verify->phase != SHK_PHASE_SUMS)
		return false;
	if ((size_t)table != verify->table)
		return (size_t)table < verify->table;
	for (size_t i = 0; i < shk_ledger_state_tables[table].n_keys; i++) {
		int order = strcmp(shk_ledger_sql_column(stmt, (int)i), verify->keys[i].data);

		if (order != 0)
			return order < 0;
	}
	return true;
}

void shk_ledger_verify_saw(struct shk_ledger *ledger, enum shk_state_table table,
			   sqlite3_stmt *stmt, const uint8_t digest[SHK_SHA256_SIZE], int sign)
{
	struct shk_ledger_verify *verify = ledger->verify;
	struct shk_alloc alloc;

	if (!verify || !passed(verify, table, stmt))
		return;
	shk_ledger_sum(verify->sum, digest, sign);
	if (table != SHK_STATE_ALLOCATIONS)
		return;
	verify->report.allocations += (uint64_t)(int64_t)sign;
	shk_arena_reset(&verify->row);
	if (read_alloc(verify, stmt, &alloc))
		shk_ledger_tally_add(&verify->tally, &alloc, sign);
}

void shk_ledger_verify_rolled_back(struct shk_ledger_verify *verify)
{
	/* What was seen of the batch can't be taken back one by one. */
	if (verify->phase == SHK_PHASE_STATE || verify->phase == SHK_PHASE_SUMS)
		shk_ledger_verify_tables(verify);
}
