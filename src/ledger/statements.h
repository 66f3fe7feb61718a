/* statements.h - every statement that runs after opening, prepared once.
 *
 * Lists of columns come in the order that the C code reads; the keys of a state table stand
 * first in its GET and SCAN. */
#ifndef SHIKIRI_LEDGER_STATEMENTS_H
#define SHIKIRI_LEDGER_STATEMENTS_H

#define SHK_COLUMNS_JOURNAL "seq, cluster_id, epoch, ts, kind, object, body, state_hash, prev, hash"
#define SHK_COLUMNS_ALLOC                                                                          \
	"pod_uid, namespace, name, tenant, domain, node, resources, gpu_equivalents, "             \
	"compute_slices, memory_gib, cost_per_hour, priority, state, quota_class, isolation, "     \
	"annotation, seq, since_s, grace_s"
#define SHK_COLUMNS_DOCUMENT "name, uid, resource_version, created_s, body"
#define SHK_COLUMNS_QUOTA    "tenant, unit, has_guaranteed, guaranteed, ceiling, unlimited, lendable"

/* A document table: four statements in this order. */
#define SHK_SQL_DOCUMENT(X, ID, table)                                                             \
	X(ID##_GET, "SELECT " SHK_COLUMNS_DOCUMENT " FROM " table " WHERE name = ?1")              \
	X(ID##_SCAN,                                                                               \
	  "SELECT " SHK_COLUMNS_DOCUMENT " FROM " table " WHERE name > ?1 ORDER BY name LIMIT ?2") \
	X(ID##_PUT, "INSERT INTO " table "(" SHK_COLUMNS_DOCUMENT ") VALUES (?1, ?2, ?3, ?4, ?5)"  \
		    " ON CONFLICT (name) DO UPDATE SET resource_version = ?3, body = ?5")          \
	X(ID##_DELETE, "DELETE FROM " table " WHERE name = ?1")

#define SHK_SQL_STATEMENTS(X)                                                                      \
	X(BEGIN, "BEGIN IMMEDIATE")                                                                \
	X(COMMIT, "COMMIT")                                                                        \
	X(ROLLBACK, "ROLLBACK")                                                                    \
	X(META, "SELECT cluster_id, schema FROM meta WHERE id = 1")                                \
	X(META_MAKE, "INSERT INTO meta(id, cluster_id, schema) VALUES (1, ?1, ?2)")                \
	X(META_SCHEMA, "UPDATE meta SET schema = ?1 WHERE id = 1")                                 \
	X(JOURNAL_ADD, "INSERT INTO journal(" SHK_COLUMNS_JOURNAL                                  \
		       ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")                       \
	X(JOURNAL_LAST, "SELECT " SHK_COLUMNS_JOURNAL " FROM journal ORDER BY seq DESC LIMIT 1")   \
	X(JOURNAL_GET, "SELECT " SHK_COLUMNS_JOURNAL " FROM journal WHERE seq = ?1")               \
	X(JOURNAL_FROM,                                                                            \
	  "SELECT " SHK_COLUMNS_JOURNAL " FROM journal WHERE seq >= ?1 ORDER BY seq LIMIT ?2")     \
	X(JOURNAL_CHECKPOINT, "SELECT max(seq) FROM journal WHERE kind = 'checkpoint'")            \
	X(ALLOC_GET, "SELECT " SHK_COLUMNS_ALLOC " FROM allocations WHERE pod_uid = ?1")           \
	X(ALLOC_SCAN, "SELECT " SHK_COLUMNS_ALLOC                                                  \
		      " FROM allocations WHERE pod_uid > ?1 ORDER BY pod_uid LIMIT ?2")            \
	X(ALLOC_ADD, "INSERT INTO allocations(" SHK_COLUMNS_ALLOC ") VALUES (?1, ?2, ?3, ?4, ?5, " \
		     "?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)")          \
	X(ALLOC_MOVE, "UPDATE allocations SET state = ?2 WHERE pod_uid = ?1")                      \
	X(ALLOC_END, "DELETE FROM allocations WHERE pod_uid = ?1")                                 \
	X(ALLOC_COUNT, "SELECT count(*) FROM allocations")                                         \
	X(BALANCE_GET, "SELECT used, n FROM balances WHERE tenant = ?1 AND unit = ?2")             \
	X(BALANCE_ADD, "INSERT INTO balances(tenant, unit, used, n) VALUES (?1, ?2, ?3, 1)"        \
		       " ON CONFLICT (tenant, unit) DO UPDATE SET used = used + ?3, n = n + 1")    \
	X(BALANCE_TAKE, "UPDATE balances SET used = used - ?3, n = n - 1"                          \
			" WHERE tenant = ?1 AND unit = ?2")                                        \
	X(BALANCE_DROP, "DELETE FROM balances WHERE tenant = ?1 AND unit = ?2 AND n = 0")          \
	X(BALANCE_ALL, "SELECT tenant, unit, used, n FROM balances")                               \
	SHK_SQL_DOCUMENT(X, DOMAIN, "trust_domains")                                               \
	SHK_SQL_DOCUMENT(X, TENANT, "tenants")                                                     \
	SHK_SQL_DOCUMENT(X, BAND, "bands")                                                         \
	SHK_SQL_DOCUMENT(X, NODE_FACTS, "node_facts")                                              \
	SHK_SQL_DOCUMENT(X, GRANT, "grants")                                                       \
	X(NAMESPACE_GET, "SELECT namespace, tenant FROM namespaces WHERE namespace = ?1")          \
	X(NAMESPACE_SCAN, "SELECT namespace, tenant FROM namespaces"                               \
			  " WHERE namespace > ?1 ORDER BY namespace LIMIT ?2")                     \
	X(NAMESPACE_OF, "SELECT namespace, tenant FROM namespaces WHERE tenant = ?1")              \
	X(NAMESPACE_ADD, "INSERT INTO namespaces(namespace, tenant) VALUES (?1, ?2)")              \
	X(NAMESPACE_DROP, "DELETE FROM namespaces WHERE tenant = ?1")                              \
	X(QUOTA_GET, "SELECT " SHK_COLUMNS_QUOTA " FROM quotas WHERE tenant = ?1 AND unit = ?2")   \
	X(QUOTA_SCAN, "SELECT " SHK_COLUMNS_QUOTA " FROM quotas"                                   \
		      " WHERE (tenant, unit) > (?1, ?2) ORDER BY tenant, unit LIMIT ?3")           \
	X(QUOTA_OF, "SELECT " SHK_COLUMNS_QUOTA " FROM quotas WHERE tenant = ?1")                  \
	X(QUOTA_ADD, "INSERT INTO quotas(" SHK_COLUMNS_QUOTA ")"                                   \
		     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                                       \
	X(QUOTA_DROP, "DELETE FROM quotas WHERE tenant = ?1")                                      \
	X(APPLIED_GET, "SELECT file, kind, name, hash FROM applied"                                \
		       " WHERE file = ?1 AND kind = ?2 AND name = ?3")                             \
	X(APPLIED_SCAN, "SELECT file, kind, name, hash FROM applied"                               \
			" WHERE (file, kind, name) > (?1, ?2, ?3)"                                 \
			" ORDER BY file, kind, name LIMIT ?4")                                     \
	X(APPLIED_PUT, "INSERT INTO applied(file, kind, name, hash) VALUES (?1, ?2, ?3, ?4)"       \
		       " ON CONFLICT (file, kind, name) DO UPDATE SET hash = ?4")                  \
	X(CORDON_GET, "SELECT node FROM cordons WHERE node = ?1")                                  \
	X(CORDON_SCAN, "SELECT node FROM cordons WHERE node > ?1 ORDER BY node LIMIT ?2")          \
	X(CORDON_ADD, "INSERT INTO cordons(node) VALUES (?1)")                                     \
	X(CORDON_DROP, "DELETE FROM cordons WHERE node = ?1")                                      \
	X(AUDIT_ADD, "INSERT INTO audit(seq, ts, actor, source, verb, object, before, after, "     \
		     "request_id, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")       \
	X(AUDIT_GET, "SELECT seq, ts, actor, source, verb, object, before, after, request_id, "    \
		     "reason FROM audit WHERE seq = ?1")                                           \
	X(AUDIT_BEFORE, "SELECT seq, ts, actor, source, verb, object, before, after, "             \
			"request_id, reason FROM audit WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2") \
	X(AUDIT_COUNT, "SELECT count(*) FROM audit WHERE seq <= ?1")                               \
	X(POLICY_ADD, "INSERT INTO policy_revisions(seq, hash, body) VALUES (?1, ?2, ?3)")         \
	X(POLICY_LAST, "SELECT seq, hash, body FROM policy_revisions ORDER BY seq DESC LIMIT 1")   \
	X(POLICY_GET, "SELECT seq, hash, body FROM policy_revisions WHERE seq = ?1")               \
	X(POLICY_COUNT, "SELECT count(*) FROM policy_revisions WHERE seq <= ?1")                   \
	X(ANSWER_GET, "SELECT request_hash, status, body, created_s FROM idempotency_keys"         \
		      " WHERE key = ?1")                                                           \
	X(ANSWER_PUT, "INSERT INTO idempotency_keys(key, request_hash, status, body, created_s)"   \
		      " VALUES (?1, ?2, ?3, ?4, ?5)")                                              \
	X(ANSWER_EXPIRE, "DELETE FROM idempotency_keys WHERE created_s <= ?1")                     \
	X(DECISION_ADD, "INSERT INTO decisions(ts, verb, pod_uid, pod, body)"                      \
			" VALUES (?1, ?2, ?3, ?4, ?5)")                                            \
	X(DECISION_TRIM, "DELETE FROM decisions WHERE id <= ?1")

enum shk_sql {
#define X(id, sql) SHK_SQL_##id,
	SHK_SQL_STATEMENTS(X)
#undef X
	    SHK_SQL_COUNT
};

#endif
