/* allocs.c - live allocations: rows to structs and back, and the moves they may make. */
#include "ledger_priv.h"

#include <string.h>

#include "shikiri/base/units.h"

enum {
	COL_UID,
	COL_NAMESPACE,
	COL_NAME,
	COL_TENANT,
	COL_DOMAIN,
	COL_NODE,
	COL_RESOURCES,
	COL_CHARGE, /* SHK_UNIT_COUNT of them */
	COL_PRIORITY = COL_CHARGE + SHK_UNIT_COUNT,
	COL_STATE,
	COL_CLASS,
	COL_ISOLATION,
	COL_ANNOTATION,
	COL_SEQ,
	COL_SINCE,
	COL_GRACE,
};

/* --- rows --------------------------------------------------------------------------------- */

/* "a=1,b=2", as resources_text writes it: names in order, counts without leading zeros. */
static bool resources_read(const char *text, struct shk_arena *arena, struct shk_vector *ret_vector)
{
	size_t n = 1;
	struct shk_amount *items;

	for (const char *c = text; *c; c++)
		n += *c == ',';
	items = SHK_NEW_ARRAY(arena, n, struct shk_amount);
	for (size_t i = 0; i < n; i++) {
		const char *equals = strchr(text, '=');
		const char *end = equals ? strchr(equals, ',') : NULL;
		struct shk_sv digits;

		if (!equals || equals == text)
			return false;
		digits = (struct shk_sv){.data = equals + 1};
		digits.len = end ? (size_t)(end - digits.data) : strlen(digits.data);
		items[i].resource = shk_arena_strndup(arena, text, (size_t)(equals - text));
		if (!shk_quantity_integer(digits, &items[i].count) || items[i].count == 0)
			return false;
		if (i > 0 && strcmp(items[i - 1].resource, items[i].resource) >= 0)
			return false;
		text = digits.data + digits.len + (end ? 1 : 0);
	}
	*ret_vector = (struct shk_vector){.items = items, .n = n};
	return true;
}

static void resources_text(struct shk_buf *out, const struct shk_vector *vector)
{
	for (size_t i = 0; i < vector->n; i++)
		shk_buf_printf(out, "%s%s=%lld", i > 0 ? "," : "", vector->items[i].resource,
			       (long long)vector->items[i].count);
}

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

/* INVALID has no word in the core, and must not read as NONE. */
static const char *level_word(enum shk_level level)
{
	return level == SHK_LEVEL_INVALID ? "invalid" : text_or_null(shk_level_name(level));
}

static struct shk_charge charge_read(sqlite3_stmt *stmt)
{
	struct shk_charge charge = {0};

	for (int unit = 0; unit < SHK_UNIT_COUNT; unit++) {
		charge.known[unit] = sqlite3_column_type(stmt, COL_CHARGE + unit) != SQLITE_NULL;
		charge.parts[unit] = sqlite3_column_int64(stmt, COL_CHARGE + unit);
	}
	return charge;
}

static const char *column_copy(sqlite3_stmt *stmt, int column, struct shk_arena *arena)
{
	return shk_arena_strdup(arena, shk_ledger_sql_column(stmt, column));
}

enum shk_status shk_ledger_alloc_read(sqlite3_stmt *stmt, struct shk_arena *arena,
				      struct shk_alloc *ret_alloc, struct shk_error *err)
{
	const char *annotation = (const char *)sqlite3_column_text(stmt, COL_ANNOTATION);
	struct shk_alloc alloc = {
	    .uid = column_copy(stmt, COL_UID, arena),
	    .namespace_ = column_copy(stmt, COL_NAMESPACE, arena),
	    .name = column_copy(stmt, COL_NAME, arena),
	    .tenant = column_copy(stmt, COL_TENANT, arena),
	    .domain = column_copy(stmt, COL_DOMAIN, arena),
	    .node = column_copy(stmt, COL_NODE, arena),
	    .charge = charge_read(stmt),
	    .priority = sqlite3_column_int64(stmt, COL_PRIORITY),
	    .state = shk_alloc_state_parse(shk_ledger_sql_column(stmt, COL_STATE)),
	    .quota_class = shk_quota_class_parse(shk_ledger_sql_column(stmt, COL_CLASS)),
	    .isolation = shk_isolation_class_parse(shk_ledger_sql_column(stmt, COL_ISOLATION)),
	    .annotation = shk_level_parse(annotation),
	    .seq = (uint64_t)sqlite3_column_int64(stmt, COL_SEQ),
	    .since_s = sqlite3_column_int64(stmt, COL_SINCE),
	    .grace_s = sqlite3_column_int64(stmt, COL_GRACE),
	};

	if (!resources_read(shk_ledger_sql_column(stmt, COL_RESOURCES), arena, &alloc.resources) ||
	    alloc.state == SHK_ALLOC_NONE)
		return shk_error_set(err, SHK_E_CORRUPT, "allocation %s can't be read", alloc.uid);
	*ret_alloc = alloc;
	return SHK_OK;
}

/* --- adding ------------------------------------------------------------------------------- */

static bool text_given(const char *text)
{
	return text && *text;
}

static bool resources_valid(const struct shk_vector *vector)
{
	for (size_t i = 0; i < vector->n; i++) {
		const struct shk_amount *amount = &vector->items[i];

		if (amount->count <= 0 || !text_given(amount->resource) ||
		    strpbrk(amount->resource, "=,"))
			return false;
		if (i > 0 && strcmp(vector->items[i - 1].resource, amount->resource) >= 0)
			return false;
	}
	return vector->n > 0;
}

static enum shk_status alloc_valid(const struct shk_alloc *alloc, struct shk_error *err)
{
	if (alloc->state != SHK_ALLOC_RESERVED && alloc->state != SHK_ALLOC_FOREIGN &&
	    alloc->state != SHK_ALLOC_BOUND)
		return shk_error_set(err, SHK_E_CONFLICT,
				     "an allocation begins reserved, bound or foreign");
	if (!text_given(alloc->uid) || !text_given(alloc->namespace_) || !text_given(alloc->name) ||
	    !text_given(alloc->tenant) || !alloc->domain || !text_given(alloc->node))
		return shk_error_set(err, SHK_E_INPUT, "an allocation lacks a name");
	if (!resources_valid(&alloc->resources))
		return shk_error_set(err, SHK_E_INPUT, "allocation %s has malformed resources",
				     alloc->uid);
	return SHK_OK;
}

static struct shk_sql_value charge_value(const struct shk_charge *charge, enum shk_unit unit)
{
	return charge->known[unit] ? shk_sql_int(charge->parts[unit]) : shk_sql_text(NULL);
}

static enum shk_status alloc_insert(struct shk_ledger *ledger, const struct shk_alloc *alloc,
				    const char *resources, struct shk_error *err)
{
	const struct shk_charge *charge = &alloc->charge;

	return shk_ledger_sql_run(
	    ledger, SHK_SQL_ALLOC_ADD,
	    SHK_SQL_VALUES(shk_sql_text(alloc->uid), shk_sql_text(alloc->namespace_),
			   shk_sql_text(alloc->name), shk_sql_text(alloc->tenant),
			   shk_sql_text(alloc->domain), shk_sql_text(alloc->node),
			   shk_sql_text(resources), charge_value(charge, SHK_UNIT_GPU_EQUIVALENTS),
			   charge_value(charge, SHK_UNIT_COMPUTE_SLICES),
			   charge_value(charge, SHK_UNIT_MEMORY_GIB),
			   charge_value(charge, SHK_UNIT_COST_PER_HOUR),
			   shk_sql_int(alloc->priority),
			   shk_sql_text(shk_alloc_state_name(alloc->state)),
			   shk_sql_text(text_or_null(shk_quota_class_name(alloc->quota_class))),
			   shk_sql_text(text_or_null(shk_isolation_class_name(alloc->isolation))),
			   shk_sql_text(level_word(alloc->annotation)),
			   shk_sql_int((int64_t)ledger->head.seq + 1), shk_sql_int(alloc->since_s),
			   shk_sql_int(alloc->grace_s)),
	    err);
}

void shk_ledger_alloc_text(struct shk_buf *out, const struct shk_alloc *alloc)
{
	const char *annotation = level_word(alloc->annotation);

	shk_buf_clear(out);
	shk_buf_putc(out, '{');
	shk_ledger_json_member(out, "namespace", alloc->namespace_);
	shk_ledger_json_member(out, "name", alloc->name);
	shk_ledger_json_member(out, "tenant", alloc->tenant);
	shk_ledger_json_member(out, "domain", alloc->domain);
	shk_ledger_json_member(out, "node", alloc->node);
	shk_buf_puts(out, ",\"resources\":\"");
	resources_text(out, &alloc->resources); /* resource names have nothing to escape */
	shk_buf_puts(out, "\",\"parts\":[");
	for (int unit = 0; unit < SHK_UNIT_COUNT; unit++) {
		shk_buf_puts(out, unit > 0 ? "," : "");
		if (alloc->charge.known[unit])
			shk_buf_printf(out, "%lld", (long long)alloc->charge.parts[unit]);
		else
			shk_buf_puts(out, "null");
	}
	shk_buf_printf(out, "],\"priority\":%lld,\"since\":%lld,\"grace\":%lld",
		       (long long)alloc->priority, (long long)alloc->since_s,
		       (long long)alloc->grace_s);
	shk_ledger_json_member(out, "class", shk_quota_class_name(alloc->quota_class));
	shk_ledger_json_member(out, "isolation", shk_isolation_class_name(alloc->isolation));
	shk_ledger_json_member(out, "annotation", annotation ? annotation : "");
}

static enum shk_status alloc_write(struct shk_ledger *ledger, const struct shk_alloc *alloc,
				   struct shk_error *err)
{
	const char *const *key = SHK_STATE_KEY(alloc->uid);
	enum shk_status status;

	shk_buf_clear(&ledger->text);
	resources_text(&ledger->text, &alloc->resources);
	status = alloc_insert(ledger, alloc, ledger->text.data, err);
	if (status == SHK_OK)
		status = shk_ledger_balance_add(ledger, alloc, err);
	if (status == SHK_OK)
		status = shk_ledger_state_count(ledger, SHK_STATE_ALLOCATIONS, key, 1, NULL, err);
	if (status != SHK_OK)
		return status;
	shk_ledger_alloc_text(&ledger->text, alloc);
	shk_ledger_json_member(&ledger->text, "state", shk_alloc_state_name(alloc->state));
	shk_buf_putc(&ledger->text, '}');
	return shk_ledger_journal_add(ledger, "alloc-add", alloc->uid, ledger->text.data, err);
}

enum shk_status shk_ledger_alloc_add(struct shk_ledger *ledger, const struct shk_alloc *alloc,
				     uint64_t *ret_seq, struct shk_error *err)
{
	sqlite3_stmt *live = NULL;
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK)
		status = alloc_valid(alloc, err);
	if (status == SHK_OK)
		status = shk_ledger_sql_first(ledger, SHK_SQL_ALLOC_GET,
					      SHK_SQL_VALUES(shk_sql_text(alloc->uid)), &live, err);
	if (status != SHK_OK)
		return status;
	if (live) {
		shk_ledger_sql_end(live);
		return shk_error_set(err, SHK_E_CONFLICT, "pod %s has a live allocation",
				     alloc->uid);
	}
	status = shk_ledger_balance_fits(ledger, alloc, err);
	if (status == SHK_OK)
		status = alloc_write(ledger, alloc, err);
	if (status == SHK_OK)
		*ret_seq = ledger->head.seq;
	return status;
}

/* --- moving and ending ---------------------------------------------------------------------- */

static bool may_move(enum shk_alloc_state from, enum shk_alloc_state to)
{
	if (to == SHK_ALLOC_BOUND)
		return from == SHK_ALLOC_RESERVED || from == SHK_ALLOC_UNKNOWN;
	return to == SHK_ALLOC_UNKNOWN && from == SHK_ALLOC_RESERVED;
}

/* The live row, made in the batch's arena. */
static enum shk_status alloc_find(struct shk_ledger *ledger, const char *uid,
				  struct shk_alloc *ret_alloc, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_first(ledger, SHK_SQL_ALLOC_GET,
					      SHK_SQL_VALUES(shk_sql_text(uid)), &stmt, err);
	if (status != SHK_OK)
		return status;
	if (!stmt)
		return shk_error_set(err, SHK_E_NOT_FOUND, "pod %s has no live allocation", uid);
	status = shk_ledger_alloc_read(stmt, &ledger->batch, ret_alloc, err);
	shk_ledger_sql_end(stmt);
	return status;
}

enum shk_status shk_ledger_alloc_move(struct shk_ledger *ledger, const char *uid,
				      enum shk_alloc_state state, struct shk_error *err)
{
	const char *const *key = SHK_STATE_KEY(uid);
	const char *word = shk_alloc_state_name(state);
	struct shk_alloc alloc = {0};
	enum shk_status status = alloc_find(ledger, uid, &alloc, err);

	if (status != SHK_OK)
		return status;
	if (!may_move(alloc.state, state))
		return shk_error_set(err, SHK_E_CONFLICT, "allocation %s is %s and can't become %s",
				     uid, shk_alloc_state_name(alloc.state), *word ? word : "that");
	status = shk_ledger_state_count(ledger, SHK_STATE_ALLOCATIONS, key, -1, NULL, err);
	if (status == SHK_OK)
		status =
		    shk_ledger_sql_run(ledger, SHK_SQL_ALLOC_MOVE,
				       SHK_SQL_VALUES(shk_sql_text(uid), shk_sql_text(word)), err);
	if (status == SHK_OK)
		status = shk_ledger_state_count(ledger, SHK_STATE_ALLOCATIONS, key, 1, NULL, err);
	if (status != SHK_OK)
		return status;
	shk_buf_clear(&ledger->text);
	shk_buf_putc(&ledger->text, '{');
	shk_ledger_json_member(&ledger->text, "from", shk_alloc_state_name(alloc.state));
	shk_ledger_json_member(&ledger->text, "to", word);
	shk_buf_putc(&ledger->text, '}');
	return shk_ledger_journal_add(ledger, "alloc-move", uid, ledger->text.data, err);
}

enum shk_status shk_ledger_alloc_end(struct shk_ledger *ledger, const char *uid, const char *cause,
				     struct shk_error *err)
{
	struct shk_alloc alloc = {0};
	enum shk_status status = alloc_find(ledger, uid, &alloc, err);

	if (status == SHK_OK)
		status = shk_ledger_state_count(ledger, SHK_STATE_ALLOCATIONS, SHK_STATE_KEY(uid),
						-1, NULL, err);
	if (status == SHK_OK)
		status = shk_ledger_sql_run(ledger, SHK_SQL_ALLOC_END,
					    SHK_SQL_VALUES(shk_sql_text(uid)), err);
	if (status == SHK_OK)
		status = shk_ledger_balance_take(ledger, &alloc, err);
	if (status != SHK_OK)
		return status;
	shk_buf_clear(&ledger->text);
	shk_buf_putc(&ledger->text, '{');
	shk_ledger_json_member(&ledger->text, "cause", cause);
	shk_buf_putc(&ledger->text, '}');
	return shk_ledger_journal_add(ledger, "alloc-end", uid, ledger->text.data, err);
}

/* --- listing ------------------------------------------------------------------------------ */

static enum shk_status count_allocs(struct shk_ledger *ledger, size_t *ret_n, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	enum shk_status status =
	    shk_ledger_sql_first(ledger, SHK_SQL_ALLOC_COUNT, NULL, 0, &stmt, err);

	if (status != SHK_OK)
		return status;
	*ret_n = (size_t)sqlite3_column_int64(stmt, 0);
	shk_ledger_sql_end(stmt);
	return SHK_OK;
}

enum shk_status shk_ledger_allocs(struct shk_ledger *ledger, struct shk_arena *arena,
				  const struct shk_alloc **ret_allocs, size_t *ret_n,
				  struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	struct shk_alloc *allocs;
	size_t total = 0;
	size_t n = 0;
	bool row = true;
	enum shk_status status = shk_ledger_readable(ledger, err);

	if (status == SHK_OK)
		status = count_allocs(ledger, &total, err);
	if (status == SHK_OK)
		status = shk_ledger_sql_start(ledger, SHK_SQL_ALLOC_SCAN,
					      SHK_SQL_VALUES(shk_sql_text(""), shk_sql_int(-1)),
					      &stmt, err);
	if (status != SHK_OK)
		return status;
	allocs = SHK_NEW_ARRAY(arena, total, struct shk_alloc);
	for (;;) {
		status = shk_ledger_sql_next(ledger, stmt, &row, err);
		if (status != SHK_OK)
			return status;
		if (!row)
			break;
		status = n < total ? shk_ledger_alloc_read(stmt, arena, &allocs[n], err)
				   : shk_error_set(err, SHK_E_CORRUPT, "allocations grew");
		if (status != SHK_OK) {
			shk_ledger_sql_end(stmt);
			return status;
		}
		n++;
	}
	*ret_allocs = allocs;
	*ret_n = n;
	return SHK_OK;
}
