/* open.c - from a path to a verified ledger and back.
 *
 * Everything that open reads, checks and writes is one transaction; a file that is refused stays
 * byte for byte as it was, its log included. */
#include "ledger_priv.h"

#include <stdlib.h>
#include <string.h>

/* --- the connection ----------------------------------------------------------------------- */

struct limit {
	int id;
	int value;
};

static const struct limit limits[] = {
    {SQLITE_LIMIT_LENGTH, 64 << 20},
    {SQLITE_LIMIT_SQL_LENGTH, 64 << 10},
    {SQLITE_LIMIT_COLUMN, 64},
    {SQLITE_LIMIT_EXPR_DEPTH, 64},
    {SQLITE_LIMIT_COMPOUND_SELECT, 4},
    {SQLITE_LIMIT_VDBE_OP, 25000},
    {SQLITE_LIMIT_FUNCTION_ARG, 8},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 128},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 32},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 4},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

struct switch_ {
	int id;
	int on;
};

static const struct switch_ switches[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_ENABLE_FKEY, 1},
    {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1}, /* until the file was found sound */
};

/* EXCLUSIVE comes before the first read: then no -shm file is made, and no second connection can
 * get in between ours. */
static const char *const pragmas[] = {
    "PRAGMA locking_mode = EXCLUSIVE",      "PRAGMA synchronous = FULL",
    "PRAGMA cell_size_check = ON",          "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = MEMORY",           "PRAGMA secure_delete = OFF",
    "PRAGMA cache_size = -16384",           "PRAGMA page_size = 4096",
    "PRAGMA journal_size_limit = 67108864",
};

static enum shk_status configure(sqlite3 *db, struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	(void)sqlite3_extended_result_codes(db, 1); /* can't fail on an open handle */
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		(void)sqlite3_limit(db, limits[i].id, limits[i].value); /* gives the old one */
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		int rc = sqlite3_db_config(db, switches[i].id, switches[i].on, NULL);

		if (rc != SQLITE_OK)
			return shk_ledger_sql_error(db, rc, err);
	}
	for (size_t i = 0; status == SHK_OK && i < sizeof(pragmas) / sizeof(pragmas[0]); i++)
		status = shk_ledger_sql_exec(db, pragmas[i], err);
	return status;
}

static enum shk_status connect_file(struct shk_ledger *ledger, struct shk_error *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
	int rc;

	if (!ledger->path)
		flags |= SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
	rc = sqlite3_open_v2(ledger->path ? ledger->path : ":memory:", &ledger->db, flags,
			     ledger->vfs);
	if (rc != SQLITE_OK)
		return shk_ledger_sql_error(ledger->db, rc, err);
	return configure(ledger->db, err);
}

/* --- old and new files ----------------------------------------------------------------------- */

static enum shk_status set_version(struct shk_ledger *ledger, struct shk_error *err)
{
	struct shk_buf sql = {0};
	enum shk_status status;

	shk_buf_printf(&sql, "PRAGMA user_version = %d", ledger->schema->version);
	status = shk_ledger_sql_exec(ledger->db, sql.data, err);
	shk_buf_fini(&sql);
	return status;
}

static enum shk_status make_ledger(struct shk_ledger *ledger, struct shk_error *err)
{
	int version = ledger->schema->version;
	struct shk_buf sql = {0};
	enum shk_status status;

	shk_buf_printf(&sql, "PRAGMA application_id = %d", SHK_LEDGER_APPLICATION_ID);
	status = shk_ledger_sql_exec(ledger->db, sql.data, err);
	shk_buf_fini(&sql);
	if (status == SHK_OK)
		status = shk_ledger_schema_run(ledger->db, ledger->schema, 0, version, err);
	if (status == SHK_OK)
		status = set_version(ledger, err);
	if (status == SHK_OK)
		status = shk_ledger_sql_prepare(ledger, err);
	if (status != SHK_OK)
		return status;
	shk_ledger_uuid(ledger->cluster_id);
	status = shk_ledger_sql_run(
	    ledger, SHK_SQL_META_MAKE,
	    SHK_SQL_VALUES(shk_sql_text(ledger->cluster_id), shk_sql_int(version)), err);
	if (status == SHK_OK)
		status = shk_ledger_journal_add(ledger, "genesis", "", "", err);
	return status;
}

/* A newer program keeps meta.schema, so that a damaged header isn't taken for a newer one. */
static enum shk_status refuse_newer(struct shk_ledger *ledger, int64_t version,
				    struct shk_error *err)
{
	int64_t meta = version;
	struct shk_error ignored; /* a newer meta may look otherwise */

	if (shk_ledger_sql_number(ledger->db, "SELECT schema FROM meta", &meta, &ignored) !=
		SHK_OK ||
	    meta == version)
		return shk_error_set(err, SHK_E_VERSION,
				     "written by a newer shikiri (schema %lld, this one knows %d)",
				     (long long)version, ledger->schema->version);
	return shk_error_set(err, SHK_E_CORRUPT, "the header says schema %lld, the tables %lld",
			     (long long)version, (long long)meta);
}

static enum shk_status identify(struct shk_ledger *ledger, int *ret_version, struct shk_error *err)
{
	int64_t id = 0;
	int64_t version = 0;
	enum shk_status status =
	    shk_ledger_sql_number(ledger->db, "PRAGMA application_id", &id, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_number(ledger->db, "PRAGMA user_version", &version, err);
	if (status != SHK_OK)
		return status;
	if (id != SHK_LEDGER_APPLICATION_ID)
		return shk_error_set(err, SHK_E_CORRUPT, "is a database, but no shikiri ledger");
	if (version < 1)
		return shk_error_set(err, SHK_E_CORRUPT, "has no schema version");
	if (version > ledger->schema->version)
		return refuse_newer(ledger, version, err);
	*ret_version = (int)version;
	return SHK_OK;
}

static enum shk_status load_meta(struct shk_ledger *ledger, int version, struct shk_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int64_t schema;
	enum shk_status status = shk_ledger_sql_first(ledger, SHK_SQL_META, NULL, 0, &stmt, err);

	if (status != SHK_OK)
		return status;
	if (!stmt)
		return shk_error_set(err, SHK_E_CORRUPT, "has no cluster id");
	(void)sqlite3_snprintf((int)sizeof(ledger->cluster_id), ledger->cluster_id, "%s",
			       shk_ledger_sql_column(stmt, 0));
	schema = sqlite3_column_int64(stmt, 1);
	shk_ledger_sql_end(stmt);
	if (schema != version)
		return shk_error_set(err, SHK_E_CORRUPT,
				     "the header says schema %d, the tables %lld", version,
				     (long long)schema);
	return SHK_OK;
}

static enum shk_status note_migration(struct shk_ledger *ledger, int from, struct shk_error *err)
{
	int to = ledger->schema->version;
	enum shk_status status =
	    shk_ledger_sql_run(ledger, SHK_SQL_META_SCHEMA, SHK_SQL_VALUES(shk_sql_int(to)), err);

	if (status != SHK_OK)
		return status;
	shk_buf_clear(&ledger->text);
	shk_buf_printf(&ledger->text, "{\"from\":%d,\"to\":%d}", from, to);
	return shk_ledger_journal_add(ledger, "migration", "", ledger->text.data, err);
}

static enum shk_status load_ledger(struct shk_ledger *ledger, struct shk_error *err)
{
	const struct shk_ledger_schema *schema = ledger->schema;
	bool recount = false;
	int version = 0;
	enum shk_status status = identify(ledger, &version, err);

	if (status == SHK_OK)
		status = shk_ledger_store_check(ledger->db, false, err);
	if (status == SHK_OK)
		status = shk_ledger_schema_check(ledger->db, schema, version, err);
	if (status == SHK_OK)
		status = shk_ledger_schema_run(ledger->db, schema, version, schema->version, err);
	for (int step = version; status == SHK_OK && step < schema->version; step++)
		recount = recount || schema->steps[step].changes_state;
	if (status == SHK_OK && version < schema->version)
		status = set_version(ledger, err);
	if (status == SHK_OK)
		status = shk_ledger_sql_prepare(ledger, err);
	if (status == SHK_OK)
		status = load_meta(ledger, version, err);
	if (status == SHK_OK)
		status = shk_ledger_journal_load(ledger, err);
	if (status == SHK_OK)
		status = shk_ledger_verify_start(ledger, recount, err);
	if (status == SHK_OK && version < schema->version)
		status = note_migration(ledger, version, err);
	return status;
}

/* --- opening ------------------------------------------------------------------------------ */

static enum shk_status enter(struct shk_ledger *ledger, struct shk_error *err)
{
	int64_t pages = 0;
	/* Asked first, for BEGIN makes the first page; nobody else can, under our lock. */
	enum shk_status status =
	    shk_ledger_sql_number(ledger->db, "PRAGMA page_count", &pages, err);

	if (status == SHK_OK)
		status = shk_ledger_sql_exec(ledger->db, "BEGIN IMMEDIATE", err);
	if (status == SHK_OK)
		status = pages == 0 ? make_ledger(ledger, err) : load_ledger(ledger, err);
	if (status != SHK_OK)
		return status;
	ledger->epoch++;
	status = shk_ledger_journal_add(ledger, "epoch", "", "", err);
	if (status == SHK_OK)
		status = shk_ledger_sql_exec(ledger->db, "COMMIT", err);
	return status;
}

static int authorize(void *context, int action, const char *a, const char *b, const char *c,
		     const char *d)
{
	static const int allowed[] = {SQLITE_SELECT,  SQLITE_READ,   SQLITE_INSERT,
				      SQLITE_UPDATE,  SQLITE_DELETE, SQLITE_TRANSACTION,
				      SQLITE_FUNCTION};
	const struct shk_ledger *ledger = context;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (allowed[i] == action)
			return SQLITE_OK;
	return ledger->privileged ? SQLITE_OK : SQLITE_DENY;
}

static int note_wal(void *context, sqlite3 *db, const char *schema, int frames)
{
	struct shk_ledger *ledger = context;

	(void)db;
	(void)schema;
	ledger->wal_frames = frames;
	return SQLITE_OK;
}

/* wal: a log was left. Its frames may have failed to sync and be in the page cache alone; written
 * to the file and synced, they are as durable as they look. */
static enum shk_status settle(struct shk_ledger *ledger, bool wal, struct shk_error *err)
{
	struct shk_arena arena = {0};
	const char *mode = "";
	int rc = SQLITE_OK;
	enum shk_status status =
	    shk_ledger_sql_query(ledger->db, "PRAGMA journal_mode = WAL", &arena, &mode, err);

	if (status == SHK_OK && strcmp(mode, ledger->path ? "wal" : "memory") != 0)
		status = shk_error_set(err, SHK_E_IO, "can't keep a write-ahead log");
	shk_arena_fini(&arena);
	if (status != SHK_OK)
		return status;
	if (wal)
		rc = sqlite3_wal_checkpoint_v2(ledger->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
					       NULL);
	if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_FULL)
		return shk_ledger_sql_error(ledger->db, rc, err);
	(void)sqlite3_wal_hook(ledger->db, note_wal, ledger);        /* gives the old one */
	(void)sqlite3_set_authorizer(ledger->db, authorize, ledger); /* can't fail */
	(void)sqlite3_db_config(ledger->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	return SHK_OK;
}

static void ledger_free(struct shk_ledger *ledger)
{
	shk_ledger_sql_finalize(ledger);
	(void)sqlite3_close(ledger->db); /* nothing is left open on it; BUSY can't be */
	shk_buf_fini(&ledger->row);
	shk_buf_fini(&ledger->text);
	shk_arena_fini(&ledger->batch);
	free(ledger->path);
	free(ledger->vfs);
	free(ledger);
}

static char *copy_text(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		abort();
	return copy;
}

static struct shk_ledger *ledger_new(const struct shk_ledger_options *options,
				     const struct shk_ledger_schema *schema)
{
	struct shk_ledger *ledger = calloc(1, sizeof(*ledger));

	if (!ledger)
		abort();
	ledger->schema = schema;
	ledger->now_s = options->now_s;
	ledger->vfs = copy_text(options->vfs);
	if (strcmp(options->path, ":memory:") != 0)
		ledger->path = copy_text(options->path);
	ledger->wal_retry = SHK_LEDGER_WAL_FORCED;
	shk_arena_init(&ledger->batch, 0);
	return ledger;
}

/* An unfinished log keeps what it holds; an empty one that we made may go. */
static void refuse(struct shk_ledger *ledger, bool wal)
{
	if (ledger->db && !wal)
		(void)sqlite3_db_config(ledger->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	ledger_free(ledger);
}

/* A file whose own rules refuse the next row contradicts itself. */
static enum shk_status explain(const char *path, struct shk_error *err)
{
	if (err->status == SHK_E_CONFLICT || err->status == SHK_E_LIMIT)
		err->status = SHK_E_CORRUPT;
	return shk_error_wrap(err, "%s", path);
}

enum shk_status shk_ledger_open_schema(const struct shk_ledger_options *options,
				       const struct shk_ledger_schema *schema,
				       struct shk_ledger **ret_ledger, struct shk_error *err)
{
	struct shk_ledger *ledger = ledger_new(options, schema);
	bool wal = false;
	enum shk_status status = SHK_OK;

	if (ledger->path)
		status = shk_ledger_path_prepare(ledger->path, options->must_exist, &wal, err);
	if (status == SHK_OK) {
		status = connect_file(ledger, err);
		if (status == SHK_OK)
			status = enter(ledger, err);
		if (status == SHK_OK)
			status = settle(ledger, wal, err);
		if (status != SHK_OK)
			status = explain(options->path, err);
	}
	if (status != SHK_OK) {
		refuse(ledger, wal);
		return status;
	}
	*ret_ledger = ledger;
	return SHK_OK;
}

enum shk_status shk_ledger_open(const struct shk_ledger_options *options,
				struct shk_ledger **ret_ledger, struct shk_error *err)
{
	return shk_ledger_open_schema(options, &shk_ledger_schema, ret_ledger, err);
}

/* --- closing ------------------------------------------------------------------------------ */

static void last_checkpoint(struct shk_ledger *ledger, int64_t now_s)
{
	struct shk_error ignored; /* the next start verifies a longer chain */

	if (ledger->dead.status != SHK_OK || ledger->head.checkpoint_seq == ledger->head.seq ||
	    shk_ledger_begin(ledger, now_s, &ignored) != SHK_OK)
		return;
	if (shk_ledger_journal_add(ledger, "checkpoint", "", "", &ignored) != SHK_OK ||
	    shk_ledger_commit(ledger, &ignored) != SHK_OK)
		shk_ledger_rollback(ledger);
}

void shk_ledger_close(struct shk_ledger *ledger, int64_t now_s)
{
	if (!ledger)
		return;
	if (ledger->verify)
		shk_ledger_verify_detach(ledger->verify);
	if (ledger->backup)
		shk_ledger_backup_detach(ledger->backup);
	shk_ledger_rollback(ledger);
	last_checkpoint(ledger, now_s);
	/* A file that failed us is left to the next open, which looks at it afresh. */
	if (ledger->dead.status != SHK_OK)
		(void)sqlite3_db_config(ledger->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	ledger_free(ledger);
}
