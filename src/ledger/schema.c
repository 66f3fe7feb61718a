/* schema.c - tables, and the steps that lead from one version of them to the next. */
#include "ledger_priv.h"

#include <stdlib.h>
#include <string.h>

#define DOCUMENT_TABLE(table)                                                                      \
	"CREATE TABLE " table " ("                                                                 \
	"name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 253), "                           \
	"uid TEXT NOT NULL CHECK (length(uid) = 36), "                                             \
	"resource_version INTEGER NOT NULL CHECK (resource_version > 0), "                         \
	"created_s INTEGER NOT NULL, "                                                             \
	"body TEXT NOT NULL CHECK (length(body) > 0)) STRICT, WITHOUT ROWID"

#define APPEND_ONLY(table, verb)                                                                   \
	"CREATE TRIGGER " table "_no_" verb " BEFORE " verb " ON " table                           \
	" BEGIN SELECT RAISE(ABORT, '" table " is append-only'); END"

static const char *const version_1[] = {
    "CREATE TABLE meta ("
    "id INTEGER PRIMARY KEY CHECK (id = 1), "
    "cluster_id TEXT NOT NULL CHECK (length(cluster_id) = 36), "
    "schema INTEGER NOT NULL CHECK (schema > 0)) STRICT",

    "CREATE TABLE journal ("
    "seq INTEGER PRIMARY KEY CHECK (seq > 0), "
    "cluster_id TEXT NOT NULL, "
    "epoch INTEGER NOT NULL CHECK (epoch >= 0), "
    "ts INTEGER NOT NULL, "
    "kind TEXT NOT NULL CHECK (length(kind) > 0), "
    "object TEXT NOT NULL, "
    "body TEXT NOT NULL, "
    "state_hash BLOB NOT NULL CHECK (length(state_hash) = 32), "
    "prev BLOB NOT NULL CHECK (length(prev) = 32), "
    "hash BLOB NOT NULL CHECK (length(hash) = 32)) STRICT",
    "CREATE INDEX journal_checkpoints ON journal(seq) WHERE kind = 'checkpoint'",
    APPEND_ONLY("journal", "update"),
    APPEND_ONLY("journal", "delete"),
    /* Also stops INSERT OR REPLACE, which deletes without the delete trigger. */
    "CREATE TRIGGER journal_dense BEFORE INSERT ON journal "
    "WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM journal) "
    "BEGIN SELECT RAISE(ABORT, 'journal rows follow one another'); END",

    DOCUMENT_TABLE("trust_domains"),
    DOCUMENT_TABLE("tenants"),
    DOCUMENT_TABLE("bands"),
    DOCUMENT_TABLE("node_facts"),
    DOCUMENT_TABLE("grants"),

    "CREATE TABLE namespaces ("
    "namespace TEXT PRIMARY KEY CHECK (length(namespace) > 0), "
    "tenant TEXT NOT NULL REFERENCES tenants(name)) STRICT, WITHOUT ROWID",
    "CREATE INDEX namespaces_tenant ON namespaces(tenant)",

    "CREATE TABLE quotas ("
    "tenant TEXT NOT NULL REFERENCES tenants(name), "
    "unit TEXT NOT NULL CHECK (length(unit) > 0), "
    "has_guaranteed INTEGER NOT NULL CHECK (has_guaranteed IN (0, 1)), "
    "guaranteed INTEGER NOT NULL CHECK (guaranteed >= 0), "
    "ceiling INTEGER NOT NULL CHECK (ceiling >= 0), "
    "unlimited INTEGER NOT NULL CHECK (unlimited IN (0, 1)), "
    "lendable INTEGER NOT NULL CHECK (lendable >= 0), "
    "PRIMARY KEY (tenant, unit), "
    "CHECK (has_guaranteed = 1 OR guaranteed = 0), "
    "CHECK (unlimited = 1 OR guaranteed <= ceiling)) STRICT, WITHOUT ROWID",

    "CREATE TABLE applied ("
    "file TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, "
    "hash TEXT NOT NULL CHECK (length(hash) = 64), "
    "PRIMARY KEY (file, kind, name)) STRICT, WITHOUT ROWID",

    "CREATE TABLE cordons ("
    "node TEXT PRIMARY KEY CHECK (length(node) > 0)) STRICT, WITHOUT ROWID",

    /* The tenant is a plain name: foreign pods, and tenants deleted since, have no row. */
    "CREATE TABLE allocations ("
    "pod_uid TEXT PRIMARY KEY CHECK (length(pod_uid) BETWEEN 1 AND 128), "
    "namespace TEXT NOT NULL CHECK (length(namespace) > 0), "
    "name TEXT NOT NULL CHECK (length(name) > 0), "
    "tenant TEXT NOT NULL CHECK (length(tenant) > 0), "
    "domain TEXT NOT NULL, "
    "node TEXT NOT NULL CHECK (length(node) > 0), "
    "resources TEXT NOT NULL CHECK (length(resources) > 0), "
    "gpu_equivalents INTEGER CHECK (gpu_equivalents >= 0), "
    "compute_slices INTEGER CHECK (compute_slices >= 0), "
    "memory_gib INTEGER CHECK (memory_gib >= 0), "
    "cost_per_hour INTEGER CHECK (cost_per_hour >= 0), "
    "priority INTEGER NOT NULL, "
    "state TEXT NOT NULL CHECK (state IN ('reserved', 'unknown', 'bound', 'foreign')), "
    "quota_class TEXT CHECK (quota_class IN ('guaranteed', 'borrowed')), "
    "isolation TEXT CHECK (isolation IN ('shared', 'mps', 'mig', 'card', 'node')), "
    "annotation TEXT CHECK (annotation IN ('mig', 'card', 'node', 'invalid')), "
    "seq INTEGER NOT NULL UNIQUE CHECK (seq > 0), "
    "since_s INTEGER NOT NULL, "
    "grace_s INTEGER NOT NULL CHECK (grace_s >= 0)) STRICT, WITHOUT ROWID",
    "CREATE TRIGGER allocations_move BEFORE UPDATE OF state ON allocations "
    "WHEN NOT (OLD.state = 'reserved' AND NEW.state IN ('bound', 'unknown') "
    "OR OLD.state = 'unknown' AND NEW.state = 'bound') "
    "BEGIN SELECT RAISE(ABORT, 'an allocation cannot move so'); END",
    "CREATE TRIGGER allocations_fixed BEFORE UPDATE OF pod_uid, namespace, name, tenant, domain, "
    "node, resources, gpu_equivalents, compute_slices, memory_gib, cost_per_hour, priority, "
    "quota_class, isolation, annotation, seq, since_s, grace_s ON allocations "
    "BEGIN SELECT RAISE(ABORT, 'only the state of an allocation changes'); END",

    /* In parts; n counts the allocations behind the sum. */
    "CREATE TABLE balances ("
    "tenant TEXT NOT NULL, unit TEXT NOT NULL, "
    "used INTEGER NOT NULL CHECK (used >= 0), "
    "n INTEGER NOT NULL CHECK (n >= 0), "
    "PRIMARY KEY (tenant, unit)) STRICT, WITHOUT ROWID",

    "CREATE TABLE audit ("
    "seq INTEGER PRIMARY KEY REFERENCES journal(seq), "
    "ts INTEGER NOT NULL, actor TEXT NOT NULL, source TEXT NOT NULL, verb TEXT NOT NULL, "
    "object TEXT NOT NULL, before TEXT, after TEXT, request_id TEXT, reason TEXT) STRICT",
    APPEND_ONLY("audit", "update"),
    APPEND_ONLY("audit", "delete"),

    "CREATE TABLE policy_revisions ("
    "seq INTEGER PRIMARY KEY REFERENCES journal(seq), "
    "hash TEXT NOT NULL CHECK (length(hash) > 0), "
    "body TEXT NOT NULL) STRICT",
    APPEND_ONLY("policy_revisions", "update"),
    APPEND_ONLY("policy_revisions", "delete"),

    "CREATE TABLE idempotency_keys ("
    "key TEXT PRIMARY KEY CHECK (length(key) > 0), "
    "request_hash TEXT NOT NULL, "
    "status INTEGER NOT NULL CHECK (status BETWEEN 100 AND 599), "
    "body TEXT NOT NULL, "
    "created_s INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX idempotency_keys_age ON idempotency_keys(created_s)",

    "CREATE TABLE decisions ("
    "id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, verb TEXT NOT NULL, "
    "pod_uid TEXT NOT NULL, pod TEXT NOT NULL, body TEXT NOT NULL) STRICT",
    NULL,
};

static const struct shk_ledger_migration migrations[] = {
    {.sql = version_1, .changes_state = true},
};

const struct shk_ledger_schema shk_ledger_schema = {
    .steps = migrations,
    .version = (int)(sizeof(migrations) / sizeof(migrations[0])),
};

enum shk_status shk_ledger_schema_run(sqlite3 *db, const struct shk_ledger_schema *schema, int from,
				      int to, struct shk_error *err)
{
	for (int version = from; version < to; version++) {
		for (const char *const *sql = schema->steps[version].sql; *sql; sql++) {
			enum shk_status status = shk_ledger_sql_exec(db, *sql, err);

			if (status != SHK_OK)
				return shk_error_wrap(err, "schema %d", version + 1);
		}
	}
	return SHK_OK;
}

static const char list_objects[] =
    "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1";

/* Type and name, "" past the end; a failure of either list ends both. */
static const char *next_object(sqlite3_stmt *list, int *rc)
{
	int step = sqlite3_step(list);

	if (step != SQLITE_ROW && step != SQLITE_DONE)
		*rc = step;
	return step == SQLITE_ROW ? shk_ledger_sql_column(list, 0) : "";
}

/* Walks both lists; *ret_name is the first object that only one has or that reads otherwise. */
static int compare_objects(sqlite3_stmt *ours, sqlite3_stmt *theirs, struct shk_buf *ret_name)
{
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK) {
		const char *a = next_object(ours, &rc);
		const char *b = next_object(theirs, &rc);
		int order = strcmp(a, b);

		if (rc != SQLITE_OK || (order == 0 && !*a))
			break;
		if (order == 0 &&
		    strcmp(shk_ledger_sql_column(ours, 1), shk_ledger_sql_column(theirs, 1)) == 0)
			continue;
		/* The name that comes first is the one that the other list lacks. */
		shk_buf_puts(ret_name, *a && (order < 0 || !*b) ? a : b);
		break;
	}
	return rc;
}

static enum shk_status compare_with(sqlite3 *ours, sqlite3 *theirs, int version,
				    struct shk_error *err)
{
	struct shk_buf name = {0};
	sqlite3_stmt *a = NULL;
	sqlite3_stmt *b = NULL;
	enum shk_status status = SHK_OK;
	int rc = sqlite3_prepare_v2(ours, list_objects, -1, &a, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(theirs, list_objects, -1, &b, NULL);
	if (rc == SQLITE_OK)
		rc = compare_objects(a, b, &name);
	if (rc != SQLITE_OK)
		status = shk_ledger_sql_error(theirs, rc, err);
	else if (name.len > 0)
		status = shk_error_set(err, SHK_E_CORRUPT, "%s isn't as schema %d has it",
				       name.data, version);
	(void)sqlite3_finalize(a); /* repeats what the steps said */
	(void)sqlite3_finalize(b);
	shk_buf_fini(&name);
	return status;
}

enum shk_status shk_ledger_schema_check(sqlite3 *db, const struct shk_ledger_schema *schema,
					int version, struct shk_error *err)
{
	sqlite3 *ours = NULL;
	enum shk_status status;

	if (sqlite3_open(":memory:", &ours) != SQLITE_OK)
		abort(); /* only for want of memory */
	status = shk_ledger_schema_run(ours, schema, 0, version, err);
	if (status == SHK_OK)
		status = compare_with(ours, db, version, err);
	(void)sqlite3_close(ours); /* nothing is open on it */
	return status;
}
