/* ledger_priv.h - what the files of the ledger share.
 *
 * Layers, lowest first: sql (statements, errors) < hash (rows to digests) < state (the sum over
 * live rows) and journal (the chain) < allocs, documents, records < verify, open. */
#ifndef SHIKIRI_LEDGER_PRIV_H
#define SHIKIRI_LEDGER_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "shikiri/base/hash.h"
#include "shikiri/base/map.h"
#include "shikiri/base/str.h"
#include "shikiri/ledger/ledger.h"

#include "statements.h"

/* --- schema.c ----------------------------------------------------------------------------- */

#define SHK_LEDGER_APPLICATION_ID 0x53686b4c /* "ShkL" */

/* Leads from one schema version to the next. Released steps are never edited. */
struct shk_ledger_migration {
	const char *const *sql; /* ends with NULL */
	bool changes_state;     /* rows of state tables read differently afterwards */
};

struct shk_ledger_schema {
	const struct shk_ledger_migration *steps; /* steps[i] leads from version i to i + 1 */
	int version;                              /* of this program: the number of steps */
};

extern const struct shk_ledger_schema shk_ledger_schema;

enum shk_status shk_ledger_schema_run(sqlite3 *db, const struct shk_ledger_schema *schema, int from,
				      int to, struct shk_error *err) SHK_MUST_CHECK;
/* CORRUPT when the file's tables, indexes and triggers aren't exactly those of the version. */
enum shk_status shk_ledger_schema_check(sqlite3 *db, const struct shk_ledger_schema *schema,
					int version, struct shk_error *err) SHK_MUST_CHECK;

/* --- the handle --------------------------------------------------------------------------- */

/* The end of the chain, kept in memory; put back by a rollback. */
struct shk_ledger_head {
	uint64_t seq;
	uint64_t checkpoint_seq; /* of the last checkpoint row */
	uint8_t hash[SHK_SHA256_SIZE];
	uint8_t state[SHK_SHA256_SIZE]; /* sum modulo 2^256, most significant byte first */
};

/* A tenant whose namespaces and quota are written at commit: until then another tenant of the
 * same batch may still have to give a namespace up. */
struct shk_ledger_derived {
	struct shk_ledger_derived *next;
	const char *tenant;
	const char *const *namespaces;
	size_t n_namespaces;
	const struct shk_quota_entry *quota;
	size_t n_quota;
};

#define SHK_LEDGER_WAL_FORCED 16384 /* frames, 64 MiB: checkpointed even while work waits */

struct shk_ledger {
	sqlite3 *db;
	const struct shk_ledger_schema *schema;
	sqlite3_stmt *stmts[SHK_SQL_COUNT];
	char *path; /* NULL in memory */
	char *vfs;
	char cluster_id[37];
	uint64_t epoch;
	struct shk_ledger_head head;
	struct shk_ledger_head saved; /* as of begin */
	int64_t now_s;                /* the newest time we were told */
	bool in_batch;
	struct shk_error failed; /* first failed write of this batch: it can't be committed */
	struct shk_error dead;   /* set for good by an I/O error or a broken page */
	bool privileged;         /* more than the statements of the table may be prepared */
	int wal_frames;
	int wal_retry;          /* frames at which the next forced checkpoint is due */
	struct shk_buf row;     /* scratch for serialised rows */
	struct shk_buf text;    /* scratch for journal bodies */
	struct shk_arena batch; /* what lives until commit or rollback */
	struct shk_ledger_derived *derived;
	struct shk_ledger_verify *verify; /* at most one of each under way */
	struct shk_ledger_backup *backup;
};

/* Refuses when the handle is dead or the batch can't be committed any more. Asserts a batch. */
enum shk_status shk_ledger_writable(struct shk_ledger *ledger,
				    struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_readable(const struct shk_ledger *ledger,
				    struct shk_error *err) SHK_MUST_CHECK;

/* Opens with another history of schemas; tests migrate to versions that don't exist yet. */
enum shk_status shk_ledger_open_schema(const struct shk_ledger_options *options,
				       const struct shk_ledger_schema *schema,
				       struct shk_ledger **ret_ledger,
				       struct shk_error *err) SHK_MUST_CHECK;

/* --- path.c ------------------------------------------------------------------------------- */

/* Makes an empty file of mode 0600 where there is none, and refuses links, directories, devices
 * and a log without its file. ret_wal: a log with content lies beside it. */
enum shk_status shk_ledger_path_prepare(const char *path, bool must_exist, bool *ret_wal,
					struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_path_errno(const char *path, int code, struct shk_error *err);
int64_t shk_ledger_path_bytes(const char *path, const char *suffix); /* 0 where there is none */

/* --- sql.c -------------------------------------------------------------------------------- */

enum shk_sql_type { SHK_SQL_NULL, SHK_SQL_INT, SHK_SQL_TEXT, SHK_SQL_HASH };

struct shk_sql_value {
	enum shk_sql_type type;
	int64_t number;
	const void *data; /* borrowed until the statement ends */
};

static inline struct shk_sql_value shk_sql_int(int64_t number)
{
	return (struct shk_sql_value){.type = SHK_SQL_INT, .number = number};
}

static inline struct shk_sql_value shk_sql_text(const char *text)
{
	return (struct shk_sql_value){.type = text ? SHK_SQL_TEXT : SHK_SQL_NULL, .data = text};
}

static inline struct shk_sql_value shk_sql_hash(const uint8_t *digest)
{
	return (struct shk_sql_value){.type = SHK_SQL_HASH, .data = digest};
}

/* Two arguments: the values as an array, and how many. */
#define SHK_SQL_VALUES(...)                                                                        \
	(const struct shk_sql_value[]){__VA_ARGS__},                                               \
	    sizeof((const struct shk_sql_value[]){__VA_ARGS__}) / sizeof(struct shk_sql_value)

enum shk_status shk_ledger_sql_prepare(struct shk_ledger *ledger,
				       struct shk_error *err) SHK_MUST_CHECK;
void shk_ledger_sql_finalize(struct shk_ledger *ledger);

/* Binds; rows come by _next, until it says there is none or somebody calls _end. */
enum shk_status shk_ledger_sql_start(struct shk_ledger *ledger, enum shk_sql id,
				     const struct shk_sql_value *values, size_t n,
				     sqlite3_stmt **ret_stmt, struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_sql_next(struct shk_ledger *ledger, sqlite3_stmt *stmt, bool *ret_row,
				    struct shk_error *err) SHK_MUST_CHECK;
void shk_ledger_sql_end(sqlite3_stmt *stmt);
/* For statements without rows. */
enum shk_status shk_ledger_sql_run(struct shk_ledger *ledger, enum shk_sql id,
				   const struct shk_sql_value *values, size_t n,
				   struct shk_error *err) SHK_MUST_CHECK;
/* The first row, or *ret_stmt NULL when there is none; _end gives it back. */
enum shk_status shk_ledger_sql_first(struct shk_ledger *ledger, enum shk_sql id,
				     const struct shk_sql_value *values, size_t n,
				     sqlite3_stmt **ret_stmt, struct shk_error *err) SHK_MUST_CHECK;

/* Maps SQLite's code; doesn't touch any handle. */
enum shk_status shk_ledger_sql_error(sqlite3 *db, int rc, struct shk_error *err);
/* The same for the ledger's own connection: also marks the batch, or the handle for good. */
enum shk_status shk_ledger_sql_failed(struct shk_ledger *ledger, int rc, struct shk_error *err);

/* Never NULL: a NULL column reads as "". */
const char *shk_ledger_sql_column(sqlite3_stmt *stmt, int column);
/* NULL when the column isn't a digest. */
const uint8_t *shk_ledger_sql_digest(sqlite3_stmt *stmt, int column);

/* Statements outside the table, for opening and checking. The text is made in arena; "" when
 * there is no row. */
enum shk_status shk_ledger_sql_exec(sqlite3 *db, const char *sql,
				    struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_sql_query(sqlite3 *db, const char *sql, struct shk_arena *arena,
				     const char **ret_text, struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_sql_number(sqlite3 *db, const char *sql, int64_t *ret_number,
				      struct shk_error *err) SHK_MUST_CHECK;

/* --- rowhash.c ---------------------------------------------------------------------------- */

/* Canonical bytes of a row: per field one letter for the type, its length or value in eight
 * bytes, most significant first, and its bytes. */
void shk_ledger_row_int(struct shk_buf *row, int64_t number);
void shk_ledger_row_null(struct shk_buf *row);
void shk_ledger_row_text(struct shk_buf *row, const char *text);
void shk_ledger_row_blob(struct shk_buf *row, const void *data, size_t len);
void shk_ledger_row_columns(struct shk_buf *row, sqlite3_stmt *stmt, int n);

/* A random UUID, version 4. */
void shk_ledger_uuid(char ret_uuid[37]);

/* SHA-256 of the table's name and the current row. */
void shk_ledger_row_hash(struct shk_buf *scratch, const char *table, sqlite3_stmt *stmt,
			 uint8_t ret_digest[SHK_SHA256_SIZE]);

/* sum + sign x digest, modulo 2^256. */
void shk_ledger_sum(uint8_t sum[SHK_SHA256_SIZE], const uint8_t digest[SHK_SHA256_SIZE], int sign);

/* A JSON string with its quotes, and "," "key":"value" for the texts of the journal. */
void shk_ledger_json_string(struct shk_buf *out, const char *text);
void shk_ledger_json_member(struct shk_buf *out, const char *key, const char *text);

/* --- state.c ------------------------------------------------------------------------------ */

enum shk_state_table {
	SHK_STATE_DOMAINS,
	SHK_STATE_TENANTS,
	SHK_STATE_BANDS,
	SHK_STATE_NODE_FACTS,
	SHK_STATE_GRANTS,
	SHK_STATE_NAMESPACES,
	SHK_STATE_QUOTAS,
	SHK_STATE_APPLIED,
	SHK_STATE_CORDONS,
	SHK_STATE_ALLOCATIONS,
	SHK_STATE_COUNT,
};

#define SHK_STATE_KEYS 3

struct shk_ledger_state_table {
	const char *name;
	const char *kind; /* of the documents in it; NULL for other tables */
	enum shk_sql get;
	enum shk_sql scan; /* keys above the given ones, in order, at most so many */
	size_t n_keys;     /* the first columns of both */
};

extern const struct shk_ledger_state_table shk_ledger_state_tables[SHK_STATE_COUNT];

/* Called with the row before it is changed or removed (sign -1) and after it was written (+1).
 * Keys that the table doesn't have are NULL. ret_found may be NULL. */
enum shk_status shk_ledger_state_count(struct shk_ledger *ledger, enum shk_state_table table,
				       const char *const keys[SHK_STATE_KEYS], int sign,
				       bool *ret_found, struct shk_error *err) SHK_MUST_CHECK;
/* For a row that is at hand. */
void shk_ledger_state_row(struct shk_ledger *ledger, enum shk_state_table table, sqlite3_stmt *stmt,
			  int sign);
#define SHK_STATE_KEY(...) ((const char *const[SHK_STATE_KEYS]){__VA_ARGS__})

/* --- journal.c ---------------------------------------------------------------------------- */

/* Columns of every journal statement. */
enum {
	SHK_JOURNAL_SEQ,
	SHK_JOURNAL_CLUSTER,
	SHK_JOURNAL_EPOCH,
	SHK_JOURNAL_TS,
	SHK_JOURNAL_KIND,
	SHK_JOURNAL_OBJECT,
	SHK_JOURNAL_BODY,
	SHK_JOURNAL_STATE,
	SHK_JOURNAL_PREV,
	SHK_JOURNAL_HASH,
};

/* The state hash of the row is the present one: change state first. */
enum shk_status shk_ledger_journal_add(struct shk_ledger *ledger, const char *kind,
				       const char *object, const char *body,
				       struct shk_error *err) SHK_MUST_CHECK;
/* Fills head and epoch from the last row. */
enum shk_status shk_ledger_journal_load(struct shk_ledger *ledger,
					struct shk_error *err) SHK_MUST_CHECK;
/* What the row's hash must be, given what it says itself. */
void shk_ledger_journal_hash(struct shk_buf *scratch, sqlite3_stmt *stmt,
			     uint8_t ret_digest[SHK_SHA256_SIZE]);

/* --- allocs.c, balances.c, documents.c ------------------------------------------------------ */

/* From the current row of a statement on allocations; strings are made in arena. */
enum shk_status shk_ledger_alloc_read(sqlite3_stmt *stmt, struct shk_arena *arena,
				      struct shk_alloc *ret_alloc,
				      struct shk_error *err) SHK_MUST_CHECK;
/* All that an allocation's first journal row says, but for the state, which moves on. */
void shk_ledger_alloc_text(struct shk_buf *out, const struct shk_alloc *alloc);

/* LIMIT when a sum would leave the range; nothing is written then. */
enum shk_status shk_ledger_balance_fits(struct shk_ledger *ledger, const struct shk_alloc *alloc,
					struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_balance_add(struct shk_ledger *ledger, const struct shk_alloc *alloc,
				       struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_balance_take(struct shk_ledger *ledger, const struct shk_alloc *alloc,
					struct shk_error *err) SHK_MUST_CHECK;

/* The balances that a set of allocations makes. */
struct shk_ledger_tally_row {
	const char *tenant;
	const char *unit;
	int64_t used;
	int64_t n;
};

struct shk_ledger_tally {
	struct shk_arena arena;
	struct shk_map index;
	struct shk_ledger_tally_row *rows;
	size_t n;
	size_t cap;
};

void shk_ledger_tally_init(struct shk_ledger_tally *tally);
void shk_ledger_tally_fini(struct shk_ledger_tally *tally);
void shk_ledger_tally_add(struct shk_ledger_tally *tally, const struct shk_alloc *alloc, int sign);
/* NULL when it was never met. */
struct shk_ledger_tally_row *shk_ledger_tally_find(struct shk_ledger_tally *tally,
						   const char *tenant, const char *unit);

/* Writes what the batch left for its commit. */
enum shk_status shk_ledger_derived_flush(struct shk_ledger *ledger,
					 struct shk_error *err) SHK_MUST_CHECK;

/* --- verify.c ----------------------------------------------------------------------------- */

/* Chain from the last checkpoint, state and balances at once; CORRUPT with the first finding.
 * recount: a migration changed how rows read, so the state hash is taken from them. */
enum shk_status shk_ledger_verify_start(struct shk_ledger *ledger, bool recount,
					struct shk_error *err) SHK_MUST_CHECK;
/* A state row changes: one that was scanned already is counted anew. */
void shk_ledger_verify_saw(struct shk_ledger *ledger, enum shk_state_table table,
			   sqlite3_stmt *stmt, const uint8_t digest[SHK_SHA256_SIZE], int sign);
void shk_ledger_verify_rolled_back(struct shk_ledger_verify *verify);
/* The ledger goes away first. */
void shk_ledger_verify_detach(struct shk_ledger_verify *verify);
void shk_ledger_backup_detach(struct shk_ledger_backup *backup);

/* quick_check or integrity_check, and foreign keys; CORRUPT with the first thing they say. */
enum shk_status shk_ledger_store_check(sqlite3 *db, bool full,
				       struct shk_error *err) SHK_MUST_CHECK;

#endif
