/* records.c - small tables: applied files, cordons, audit, policy, decisions, answers. */
#include "ledger_priv.h"

#include <string.h>

#define ANSWER_KEPT_S INT64_C(86400)

/* --- applied files -------------------------------------------------------------------------- */

static enum shk_status applied_read(struct shk_ledger *ledger, const char *const keys[],
				    char ret_hash[65], struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum shk_status status = shk_ledger_sql_first(
	    ledger, SHK_SQL_APPLIED_GET,
	    SHK_SQL_VALUES(shk_sql_text(keys[0]), shk_sql_text(keys[1]), shk_sql_text(keys[2])),
	    &stmt, err);

	if (status != SHK_OK)
		return status;
	ret_hash[0] = '\0';
	if (!stmt)
		return SHK_OK;
	(void)sqlite3_snprintf(65, ret_hash, "%s", shk_ledger_sql_column(stmt, 3));
	shk_ledger_sql_end(stmt);
	return SHK_OK;
}

enum shk_status shk_ledger_applied_get(struct shk_ledger *ledger, const char *file,
				       const char *kind, const char *name, char ret_hash[65],
				       struct shk_error *err)
{
	enum shk_status status = shk_ledger_readable(ledger, err);

	if (status != SHK_OK)
		return status;
	return applied_read(ledger, SHK_STATE_KEY(file, kind, name), ret_hash, err);
}

static enum shk_status applied_write(struct shk_ledger *ledger,
				     const char *const keys[SHK_STATE_KEYS], const char *hash,
				     struct shk_error *err)
{
	enum shk_status status =
	    shk_ledger_state_count(ledger, SHK_STATE_APPLIED, keys, -1, NULL, err);

	if (status == SHK_OK)
		status =
		    shk_ledger_sql_run(ledger, SHK_SQL_APPLIED_PUT,
				       SHK_SQL_VALUES(shk_sql_text(keys[0]), shk_sql_text(keys[1]),
						      shk_sql_text(keys[2]), shk_sql_text(hash)),
				       err);
	if (status == SHK_OK)
		status = shk_ledger_state_count(ledger, SHK_STATE_APPLIED, keys, 1, NULL, err);
	return status;
}

enum shk_status shk_ledger_applied_put(struct shk_ledger *ledger, const char *file,
				       const char *kind, const char *name, const char *hash,
				       struct shk_error *err)
{
	const char *const *keys = SHK_STATE_KEY(file, kind, name);
	char old[65];
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK)
		status = applied_read(ledger, keys, old, err);
	if (status != SHK_OK || strcmp(old, hash) == 0)
		return status;
	status = applied_write(ledger, keys, hash, err);
	if (status != SHK_OK)
		return status;
	shk_buf_clear(&ledger->text);
	shk_buf_putc(&ledger->text, '{');
	shk_ledger_json_member(&ledger->text, "file", file);
	shk_ledger_json_member(&ledger->text, "kind", kind);
	shk_ledger_json_member(&ledger->text, "name", name);
	shk_ledger_json_member(&ledger->text, "hash", hash);
	shk_buf_putc(&ledger->text, '}');
	return shk_ledger_journal_add(ledger, "applied", file, ledger->text.data, err);
}

/* --- cordons ------------------------------------------------------------------------------ */

enum shk_status shk_ledger_cordon(struct shk_ledger *ledger, const char *node, bool cordoned,
				  struct shk_error *err)
{
	const char *const *key = SHK_STATE_KEY(node);
	bool was = false;
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK && !*node)
		status = shk_error_set(err, SHK_E_INPUT, "a node needs a name");
	/* Counted off first: put back below where nothing changes. */
	if (status == SHK_OK)
		status = shk_ledger_state_count(ledger, SHK_STATE_CORDONS, key, -1, &was, err);
	if (status != SHK_OK)
		return status;
	if (was != cordoned)
		status =
		    shk_ledger_sql_run(ledger, cordoned ? SHK_SQL_CORDON_ADD : SHK_SQL_CORDON_DROP,
				       SHK_SQL_VALUES(shk_sql_text(node)), err);
	if (status == SHK_OK && cordoned)
		status = shk_ledger_state_count(ledger, SHK_STATE_CORDONS, key, 1, NULL, err);
	if (status != SHK_OK || was == cordoned)
		return status;
	return shk_ledger_journal_add(ledger, cordoned ? "cordon" : "uncordon", node, "", err);
}

enum shk_status shk_ledger_cordons(struct shk_ledger *ledger, struct shk_arena *arena,
				   const char *const **ret_nodes, size_t *ret_n,
				   struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	const char **nodes = NULL;
	size_t n = 0;
	size_t cap = 0;
	bool row = true;
	enum shk_status status = shk_ledger_readable(ledger, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_start(ledger, SHK_SQL_CORDON_SCAN,
					      SHK_SQL_VALUES(shk_sql_text(""), shk_sql_int(-1)),
					      &stmt, err);
	while (status == SHK_OK && row) {
		status = shk_ledger_sql_next(ledger, stmt, &row, err);
		if (status != SHK_OK || !row)
			break;
		if (n == cap) {
			const char **old = nodes;

			cap = cap ? cap * 2 : 16;
			nodes = SHK_NEW_ARRAY(arena, cap, const char *);
			for (size_t i = 0; i < n; i++)
				nodes[i] = old[i];
		}
		nodes[n++] = shk_arena_strdup(arena, shk_ledger_sql_column(stmt, 0));
	}
	if (status != SHK_OK)
		return status;
	*ret_nodes = nodes;
	*ret_n = n;
	return SHK_OK;
}

/* --- audit -------------------------------------------------------------------------------- */

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* Like shk_ledger_row_hash of the stored row, which isn't there yet. */
static void audit_digest(struct shk_ledger *ledger, const struct shk_sql_value *values, size_t n,
			 char ret_hex[SHK_SHA256_HEX])
{
	shk_buf_clear(&ledger->row);
	for (size_t i = 0; i < n; i++) {
		if (values[i].type == SHK_SQL_INT)
			shk_ledger_row_int(&ledger->row, values[i].number);
		else if (values[i].type == SHK_SQL_TEXT)
			shk_ledger_row_text(&ledger->row, values[i].data);
		else
			shk_ledger_row_null(&ledger->row);
	}
	shk_sha256_hex(ledger->row.data, ledger->row.len, ret_hex);
}

enum shk_status shk_ledger_audit(struct shk_ledger *ledger, const struct shk_ledger_audit *row,
				 struct shk_error *err)
{
	const struct shk_sql_value values[] = {
	    shk_sql_int((int64_t)ledger->head.seq + 1),
	    shk_sql_int(ledger->now_s),
	    shk_sql_text(text_or_empty(row->actor)),
	    shk_sql_text(text_or_empty(row->source)),
	    shk_sql_text(text_or_empty(row->verb)),
	    shk_sql_text(text_or_empty(row->object)),
	    shk_sql_text(row->before),
	    shk_sql_text(row->after),
	    shk_sql_text(row->request_id),
	    shk_sql_text(row->reason),
	};
	size_t n = sizeof(values) / sizeof(values[0]);
	char digest[SHK_SHA256_HEX];
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status != SHK_OK)
		return status;
	audit_digest(ledger, values, n, digest);
	status = shk_ledger_journal_add(ledger, "audit", text_or_empty(row->object), digest, err);
	if (status != SHK_OK)
		return status;
	return shk_ledger_sql_run(ledger, SHK_SQL_AUDIT_ADD, values, n, err);
}

/* --- policy ------------------------------------------------------------------------------- */

static enum shk_status policy_is(struct shk_ledger *ledger, const char *hash, const char *body,
				 bool *ret_same, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum shk_status status =
	    shk_ledger_sql_first(ledger, SHK_SQL_POLICY_LAST, NULL, 0, &stmt, err);

	if (status != SHK_OK)
		return status;
	*ret_same = stmt && strcmp(shk_ledger_sql_column(stmt, 1), hash) == 0 &&
		    strcmp(shk_ledger_sql_column(stmt, 2), body) == 0;
	if (stmt)
		shk_ledger_sql_end(stmt);
	return SHK_OK;
}

enum shk_status shk_ledger_policy(struct shk_ledger *ledger, const char *hash, const char *body,
				  struct shk_error *err)
{
	bool same = false;
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK)
		status = policy_is(ledger, hash, body, &same, err);
	if (status != SHK_OK || same)
		return status;
	status = shk_ledger_journal_add(ledger, "policy", hash, body, err);
	if (status != SHK_OK)
		return status;
	return shk_ledger_sql_run(ledger, SHK_SQL_POLICY_ADD,
				  SHK_SQL_VALUES(shk_sql_int((int64_t)ledger->head.seq),
						 shk_sql_text(hash), shk_sql_text(body)),
				  err);
}

/* --- decisions ------------------------------------------------------------------------------ */

enum shk_status shk_ledger_decision(struct shk_ledger *ledger, const char *verb, const char *uid,
				    const char *pod, const char *body, struct shk_error *err)
{
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_run(ledger, SHK_SQL_DECISION_ADD,
					    SHK_SQL_VALUES(shk_sql_int(ledger->now_s),
							   shk_sql_text(verb), shk_sql_text(uid),
							   shk_sql_text(pod), shk_sql_text(body)),
					    err);
	if (status != SHK_OK)
		return status;
	return shk_ledger_sql_run(
	    ledger, SHK_SQL_DECISION_TRIM,
	    SHK_SQL_VALUES(shk_sql_int(sqlite3_last_insert_rowid(ledger->db) - SHK_DECISIONS_KEPT)),
	    err);
}

/* --- answers to repeated requests ----------------------------------------------------------- */

static enum shk_status answer_read(struct shk_ledger *ledger, const char *key,
				   const char *request_hash, struct shk_arena *arena,
				   struct shk_ledger_answer *ret_answer, struct shk_error *err)
{
	struct shk_ledger_answer answer = {0};
	sqlite3_stmt *stmt = NULL;
	enum shk_status status = shk_ledger_sql_first(
	    ledger, SHK_SQL_ANSWER_GET, SHK_SQL_VALUES(shk_sql_text(key)), &stmt, err);

	if (status != SHK_OK)
		return status;
	if (stmt && sqlite3_column_int64(stmt, 3) > ledger->now_s - ANSWER_KEPT_S) {
		if (strcmp(shk_ledger_sql_column(stmt, 0), request_hash) != 0)
			status = shk_error_set(err, SHK_E_CONFLICT,
					       "the key was used for another request");
		answer.found = true;
		answer.status = sqlite3_column_int(stmt, 1);
		answer.body = shk_arena_strdup(arena, shk_ledger_sql_column(stmt, 2));
	}
	if (stmt)
		shk_ledger_sql_end(stmt);
	if (status == SHK_OK)
		*ret_answer = answer;
	return status;
}

enum shk_status shk_ledger_idempotency_get(struct shk_ledger *ledger, const char *key,
					   const char *request_hash, struct shk_arena *arena,
					   struct shk_ledger_answer *ret_answer,
					   struct shk_error *err)
{
	enum shk_status status = shk_ledger_readable(ledger, err);

	if (status != SHK_OK)
		return status;
	return answer_read(ledger, key, request_hash, arena, ret_answer, err);
}

enum shk_status shk_ledger_idempotency_put(struct shk_ledger *ledger, const char *key,
					   const char *request_hash, int status_code,
					   const char *body, struct shk_error *err)
{
	struct shk_ledger_answer answer = {0};
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK)
		status = answer_read(ledger, key, request_hash, &ledger->batch, &answer, err);
	if (status != SHK_OK || answer.found)
		return status;
	status =
	    shk_ledger_sql_run(ledger, SHK_SQL_ANSWER_EXPIRE,
			       SHK_SQL_VALUES(shk_sql_int(ledger->now_s - ANSWER_KEPT_S)), err);
	if (status != SHK_OK)
		return status;
	return shk_ledger_sql_run(ledger, SHK_SQL_ANSWER_PUT,
				  SHK_SQL_VALUES(shk_sql_text(key), shk_sql_text(request_hash),
						 shk_sql_int(status_code), shk_sql_text(body),
						 shk_sql_int(ledger->now_s)),
				  err);
}
