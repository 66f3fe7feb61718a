/* documents.c - administrators' documents, and what is derived from tenants at commit. */
#include "ledger_priv.h"

#include <string.h>

enum { COL_NAME, COL_UID, COL_VERSION, COL_CREATED, COL_BODY };

struct document_kind {
	enum shk_state_table table;
	enum shk_sql put;
	enum shk_sql delete_;
};

static const struct document_kind kinds[] = {
    {SHK_STATE_DOMAINS, SHK_SQL_DOMAIN_PUT, SHK_SQL_DOMAIN_DELETE},
    {SHK_STATE_TENANTS, SHK_SQL_TENANT_PUT, SHK_SQL_TENANT_DELETE},
    {SHK_STATE_BANDS, SHK_SQL_BAND_PUT, SHK_SQL_BAND_DELETE},
    {SHK_STATE_NODE_FACTS, SHK_SQL_NODE_FACTS_PUT, SHK_SQL_NODE_FACTS_DELETE},
    {SHK_STATE_GRANTS, SHK_SQL_GRANT_PUT, SHK_SQL_GRANT_DELETE},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* NULL for what isn't a kind of document. */
static const struct document_kind *find_kind(const char *kind)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		if (strcmp(shk_ledger_state_tables[kinds[i].table].kind, kind) == 0)
			return &kinds[i];
	}
	return NULL;
}

static enum shk_status unknown_kind(const char *kind, struct shk_error *err)
{
	return shk_error_set(err, SHK_E_INPUT, "%s is no kind of document", kind);
}

static struct shk_ledger_document document_read(sqlite3_stmt *stmt, const char *kind,
						struct shk_arena *arena)
{
	return (struct shk_ledger_document){
	    .kind = kind,
	    .name = shk_arena_strdup(arena, shk_ledger_sql_column(stmt, COL_NAME)),
	    .body = shk_arena_strdup(arena, shk_ledger_sql_column(stmt, COL_BODY)),
	    .uid = shk_arena_strdup(arena, shk_ledger_sql_column(stmt, COL_UID)),
	    .resource_version = (uint64_t)sqlite3_column_int64(stmt, COL_VERSION),
	    .created_s = sqlite3_column_int64(stmt, COL_CREATED),
	};
}

/* *ret_document is NULL when there is none. */
static enum shk_status document_get(struct shk_ledger *ledger, const struct document_kind *kind,
				    const char *name,
				    const struct shk_ledger_document **ret_document,
				    struct shk_error *err)
{
	const struct shk_ledger_state_table *table = &shk_ledger_state_tables[kind->table];
	struct shk_ledger_document *document = NULL;
	sqlite3_stmt *stmt = NULL;
	enum shk_status status = shk_ledger_sql_first(
	    ledger, table->get, SHK_SQL_VALUES(shk_sql_text(name)), &stmt, err);

	if (status != SHK_OK)
		return status;
	if (stmt) {
		document = SHK_NEW(&ledger->batch, struct shk_ledger_document);
		*document = document_read(stmt, table->kind, &ledger->batch);
		shk_ledger_sql_end(stmt);
	}
	*ret_document = document;
	return SHK_OK;
}

/* --- derived tables ------------------------------------------------------------------------- */

static enum shk_status drop_rows(struct shk_ledger *ledger, enum shk_state_table table,
				 enum shk_sql list, enum shk_sql drop, const char *tenant,
				 struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	enum shk_status status =
	    shk_ledger_sql_start(ledger, list, SHK_SQL_VALUES(shk_sql_text(tenant)), &stmt, err);

	while (status == SHK_OK && row) {
		status = shk_ledger_sql_next(ledger, stmt, &row, err);
		if (status == SHK_OK && row)
			shk_ledger_state_row(ledger, table, stmt, -1);
	}
	if (status != SHK_OK)
		return status;
	return shk_ledger_sql_run(ledger, drop, SHK_SQL_VALUES(shk_sql_text(tenant)), err);
}

static enum shk_status derived_drop(struct shk_ledger *ledger, const char *tenant,
				    struct shk_error *err)
{
	enum shk_status status = drop_rows(ledger, SHK_STATE_NAMESPACES, SHK_SQL_NAMESPACE_OF,
					   SHK_SQL_NAMESPACE_DROP, tenant, err);

	if (status != SHK_OK)
		return status;
	return drop_rows(ledger, SHK_STATE_QUOTAS, SHK_SQL_QUOTA_OF, SHK_SQL_QUOTA_DROP, tenant,
			 err);
}

/* A later document of the same batch counts alone. */
static void derived_forget(struct shk_ledger *ledger, const char *tenant)
{
	struct shk_ledger_derived **at = &ledger->derived;

	while (*at) {
		if (strcmp((*at)->tenant, tenant) == 0)
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

static void derived_keep(struct shk_ledger *ledger, const char *name,
			 const struct shk_tenant *tenant)
{
	struct shk_arena *arena = &ledger->batch;
	struct shk_ledger_derived *derived = SHK_NEW(arena, struct shk_ledger_derived);
	const char **namespaces = SHK_NEW_ARRAY(arena, tenant->n_namespaces, const char *);
	struct shk_quota_entry *quota =
	    SHK_NEW_ARRAY(arena, tenant->n_quota, struct shk_quota_entry);

	for (size_t i = 0; i < tenant->n_namespaces; i++)
		namespaces[i] = shk_arena_strdup(arena, tenant->namespaces[i]);
	for (size_t i = 0; i < tenant->n_quota; i++) {
		quota[i] = tenant->quota[i];
		quota[i].unit = shk_arena_strdup(arena, tenant->quota[i].unit);
	}
	*derived = (struct shk_ledger_derived){
	    .next = ledger->derived,
	    .tenant = shk_arena_strdup(arena, name),
	    .namespaces = namespaces,
	    .n_namespaces = tenant->n_namespaces,
	    .quota = quota,
	    .n_quota = tenant->n_quota,
	};
	ledger->derived = derived;
}

static enum shk_status add_namespace(struct shk_ledger *ledger, const char *namespace_,
				     const char *tenant, struct shk_error *err)
{
	enum shk_status status =
	    shk_ledger_sql_run(ledger, SHK_SQL_NAMESPACE_ADD,
			       SHK_SQL_VALUES(shk_sql_text(namespace_), shk_sql_text(tenant)), err);

	if (status == SHK_E_CONFLICT)
		return shk_error_set(err, status, "namespace %s belongs to another tenant than %s",
				     namespace_, tenant);
	if (status != SHK_OK)
		return status;
	return shk_ledger_state_count(ledger, SHK_STATE_NAMESPACES, SHK_STATE_KEY(namespace_), 1,
				      NULL, err);
}

static enum shk_status add_quota(struct shk_ledger *ledger, const struct shk_quota_entry *entry,
				 const char *tenant, struct shk_error *err)
{
	enum shk_status status = shk_ledger_sql_run(
	    ledger, SHK_SQL_QUOTA_ADD,
	    SHK_SQL_VALUES(shk_sql_text(tenant), shk_sql_text(entry->unit),
			   shk_sql_int(entry->has_guaranteed), shk_sql_int(entry->guaranteed),
			   shk_sql_int(entry->ceiling), shk_sql_int(entry->unlimited),
			   shk_sql_int(entry->lendable)),
	    err);

	if (status != SHK_OK)
		return shk_error_wrap(err, "quota of %s for %s", tenant, entry->unit);
	return shk_ledger_state_count(ledger, SHK_STATE_QUOTAS, SHK_STATE_KEY(tenant, entry->unit),
				      1, NULL, err);
}

static enum shk_status derived_write(struct shk_ledger *ledger,
				     const struct shk_ledger_derived *derived,
				     struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	for (size_t i = 0; status == SHK_OK && i < derived->n_namespaces; i++)
		status = add_namespace(ledger, derived->namespaces[i], derived->tenant, err);
	for (size_t i = 0; status == SHK_OK && i < derived->n_quota; i++)
		status = add_quota(ledger, &derived->quota[i], derived->tenant, err);
	if (status != SHK_OK)
		return status;
	/* What was derived stands in the document's own row; this one carries the state hash. */
	shk_buf_clear(&ledger->text);
	shk_buf_printf(&ledger->text, "Tenant/%s", derived->tenant);
	return shk_ledger_journal_add(ledger, "derive", ledger->text.data, "", err);
}

enum shk_status shk_ledger_derived_flush(struct shk_ledger *ledger, struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	for (; status == SHK_OK && ledger->derived; ledger->derived = ledger->derived->next)
		status = derived_write(ledger, ledger->derived, err);
	return status;
}

/* --- putting and deleting ------------------------------------------------------------------- */

static enum shk_status journal_document(struct shk_ledger *ledger, const char *what,
					const char *kind, const char *name, const char *body,
					struct shk_error *err)
{
	shk_buf_clear(&ledger->text);
	shk_buf_printf(&ledger->text, "%s/%s", kind, name);
	return shk_ledger_journal_add(ledger, what, ledger->text.data, body, err);
}

static enum shk_status document_write(struct shk_ledger *ledger, const struct document_kind *kind,
				      const char *name, const char *body, struct shk_error *err)
{
	char uid[37];
	enum shk_status status =
	    shk_ledger_state_count(ledger, kind->table, SHK_STATE_KEY(name), -1, NULL, err);

	shk_ledger_uuid(uid); /* kept only where the row is new */
	if (status == SHK_OK)
		status = shk_ledger_sql_run(
		    ledger, kind->put,
		    SHK_SQL_VALUES(shk_sql_text(name), shk_sql_text(uid),
				   shk_sql_int((int64_t)ledger->head.seq + 1),
				   shk_sql_int(ledger->now_s), shk_sql_text(body)),
		    err);
	if (status == SHK_OK)
		status =
		    shk_ledger_state_count(ledger, kind->table, SHK_STATE_KEY(name), 1, NULL, err);
	return status;
}

enum shk_status shk_ledger_document_put(struct shk_ledger *ledger, const char *kind,
					const char *name, const char *body,
					const struct shk_tenant *tenant, struct shk_error *err)
{
	const struct document_kind *found = find_kind(kind);
	const struct shk_ledger_document *old = NULL;
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK && !found)
		return unknown_kind(kind, err);
	if (status == SHK_OK && (found->table == SHK_STATE_TENANTS) != (tenant != NULL))
		status = shk_error_set(err, SHK_E_INPUT, "a Tenant, and only that, is put decoded");
	if (status == SHK_OK)
		status = document_get(ledger, found, name, &old, err);
	if (status != SHK_OK || (old && strcmp(old->body, body) == 0))
		return status;
	if (tenant) {
		derived_forget(ledger, name);
		status = derived_drop(ledger, name, err);
	}
	if (status == SHK_OK)
		status = document_write(ledger, found, name, body, err);
	if (status != SHK_OK)
		return status;
	if (tenant && tenant->n_namespaces + tenant->n_quota > 0)
		derived_keep(ledger, name, tenant);
	return journal_document(ledger, "document-put", kind, name, body, err);
}

enum shk_status shk_ledger_document_delete(struct shk_ledger *ledger, const char *kind,
					   const char *name, struct shk_error *err)
{
	const struct document_kind *found = find_kind(kind);
	bool there = false;
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK && !found)
		return unknown_kind(kind, err);
	if (status == SHK_OK)
		status = shk_ledger_state_count(ledger, found->table, SHK_STATE_KEY(name), -1,
						&there, err);
	if (status != SHK_OK)
		return status;
	if (!there)
		return shk_error_set(err, SHK_E_NOT_FOUND, "there is no %s %s", kind, name);
	if (found->table == SHK_STATE_TENANTS) {
		derived_forget(ledger, name);
		status = derived_drop(ledger, name, err);
	}
	if (status == SHK_OK)
		status = shk_ledger_sql_run(ledger, found->delete_,
					    SHK_SQL_VALUES(shk_sql_text(name)), err);
	if (status != SHK_OK)
		return status;
	return journal_document(ledger, "document-delete", kind, name, "", err);
}

/* --- listing ------------------------------------------------------------------------------ */

struct listing {
	struct shk_arena *arena;
	struct shk_ledger_document *items;
	size_t n;
	size_t cap;
};

static void listing_add(struct listing *list, struct shk_ledger_document document)
{
	struct shk_ledger_document *old = list->items;

	if (list->n == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 64;
		list->items = SHK_NEW_ARRAY(list->arena, list->cap, struct shk_ledger_document);
		for (size_t i = 0; i < list->n; i++)
			list->items[i] = old[i];
	}
	list->items[list->n++] = document;
}

static enum shk_status list_kind(struct shk_ledger *ledger, enum shk_state_table table,
				 struct listing *list, struct shk_error *err)
{
	const struct shk_ledger_state_table *info = &shk_ledger_state_tables[table];
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	enum shk_status status = shk_ledger_sql_start(
	    ledger, info->scan, SHK_SQL_VALUES(shk_sql_text(""), shk_sql_int(-1)), &stmt, err);

	while (status == SHK_OK && row) {
		status = shk_ledger_sql_next(ledger, stmt, &row, err);
		if (status == SHK_OK && row)
			listing_add(list, document_read(stmt, info->kind, list->arena));
	}
	return status;
}

enum shk_status shk_ledger_documents(struct shk_ledger *ledger, struct shk_arena *arena,
				     const struct shk_ledger_document **ret_documents,
				     size_t *ret_n, struct shk_error *err)
{
	/* By kind, as strings sort. */
	static const enum shk_state_table order[] = {SHK_STATE_GRANTS, SHK_STATE_NODE_FACTS,
						     SHK_STATE_BANDS, SHK_STATE_TENANTS,
						     SHK_STATE_DOMAINS};
	struct listing list = {.arena = arena};
	enum shk_status status = shk_ledger_readable(ledger, err);

	for (size_t i = 0; status == SHK_OK && i < sizeof(order) / sizeof(order[0]); i++)
		status = list_kind(ledger, order[i], &list, err);
	if (status != SHK_OK)
		return status;
	*ret_documents = list.items;
	*ret_n = list.n;
	return SHK_OK;
}
