/* ledger.c - batches: begin, commit, rollback; and what may be asked of the handle. */
#include "ledger_priv.h"

#include <assert.h>
#include <string.h>

#define CHECKPOINT_ROWS 1000
#define WAL_IDLE_FRAMES 256 /* 1 MiB: worth an idle checkpoint */

#define WAL_RETRY_FRAMES 1024

uint64_t shk_ledger_seq(const struct shk_ledger *ledger)
{
	return ledger->head.seq;
}

uint64_t shk_ledger_epoch(const struct shk_ledger *ledger)
{
	return ledger->epoch;
}

const char *shk_ledger_cluster_id(const struct shk_ledger *ledger)
{
	return ledger->cluster_id;
}

int64_t shk_ledger_file_bytes(const struct shk_ledger *ledger)
{
	return ledger->path ? shk_ledger_path_bytes(ledger->path, "") : 0;
}

int64_t shk_ledger_wal_bytes(const struct shk_ledger *ledger)
{
	return ledger->path ? shk_ledger_path_bytes(ledger->path, "-wal") : 0;
}

enum shk_status shk_ledger_readable(const struct shk_ledger *ledger, struct shk_error *err)
{
	if (ledger->dead.status == SHK_OK)
		return SHK_OK;
	*err = ledger->dead;
	return shk_error_wrap(err, "must be opened again");
}

enum shk_status shk_ledger_writable(struct shk_ledger *ledger, struct shk_error *err)
{
	enum shk_status status = shk_ledger_readable(ledger, err);

	assert(ledger->in_batch);
	if (status != SHK_OK || ledger->failed.status == SHK_OK)
		return status;
	*err = ledger->failed;
	return shk_error_wrap(err, "an earlier write of this batch failed");
}

enum shk_status shk_ledger_begin(struct shk_ledger *ledger, int64_t now_s, struct shk_error *err)
{
	enum shk_status status = shk_ledger_readable(ledger, err);

	assert(!ledger->in_batch);
	if (status == SHK_OK)
		status = shk_ledger_sql_run(ledger, SHK_SQL_BEGIN, NULL, 0, err);
	if (status != SHK_OK)
		return status;
	ledger->saved = ledger->head;
	ledger->now_s = now_s;
	ledger->in_batch = true;
	return SHK_OK;
}

static void end_batch(struct shk_ledger *ledger)
{
	ledger->in_batch = false;
	ledger->failed.status = SHK_OK;
	ledger->derived = NULL;
	shk_arena_reset(&ledger->batch);
}

/* Without a reader beside us a checkpoint copies all frames, and the next write starts the log
 * anew. What fails here is in the log still, and is tried again. */
static void checkpoint(struct shk_ledger *ledger)
{
	int rc = sqlite3_wal_checkpoint_v2(ledger->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);

	if (rc == SQLITE_OK)
		ledger->wal_frames = 0;
	ledger->wal_retry = ledger->wal_frames + WAL_RETRY_FRAMES;
	if (ledger->wal_retry < SHK_LEDGER_WAL_FORCED)
		ledger->wal_retry = SHK_LEDGER_WAL_FORCED;
}

static enum shk_status finish_batch(struct shk_ledger *ledger, struct shk_error *err)
{
	enum shk_status status = shk_ledger_writable(ledger, err);

	if (status == SHK_OK)
		status = shk_ledger_derived_flush(ledger, err);
	if (status == SHK_OK && ledger->head.seq - ledger->head.checkpoint_seq >= CHECKPOINT_ROWS)
		status = shk_ledger_journal_add(ledger, "checkpoint", "", "", err);
	if (status == SHK_OK)
		status = shk_ledger_sql_run(ledger, SHK_SQL_COMMIT, NULL, 0, err);
	return status;
}

enum shk_status shk_ledger_commit(struct shk_ledger *ledger, struct shk_error *err)
{
	enum shk_status status = finish_batch(ledger, err);

	if (status != SHK_OK) {
		shk_ledger_rollback(ledger);
		return status;
	}
	end_batch(ledger);
	if (ledger->wal_frames >= ledger->wal_retry)
		checkpoint(ledger);
	return SHK_OK;
}

void shk_ledger_rollback(struct shk_ledger *ledger)
{
	struct shk_error ignored; /* a handle that can't roll back marks itself dead */

	if (!ledger->in_batch)
		return;
	/* SQLite rolls back by itself after some failures. */
	if (!sqlite3_get_autocommit(ledger->db) &&
	    shk_ledger_sql_run(ledger, SHK_SQL_ROLLBACK, NULL, 0, &ignored) != SHK_OK &&
	    ledger->dead.status == SHK_OK)
		ledger->dead = ignored;
	ledger->head = ledger->saved;
	end_batch(ledger);
	if (ledger->verify)
		shk_ledger_verify_rolled_back(ledger->verify);
}

void shk_ledger_idle(struct shk_ledger *ledger)
{
	if (!ledger->in_batch && ledger->dead.status == SHK_OK &&
	    ledger->wal_frames >= WAL_IDLE_FRAMES)
		checkpoint(ledger);
}
