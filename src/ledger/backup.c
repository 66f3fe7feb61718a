/* backup.c - a copy of the ledger while it goes on. */
#include "ledger_priv.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct shk_ledger_backup {
	struct shk_ledger *ledger; /* NULL once it was closed, or the copy ended */
	sqlite3 *copy;
	sqlite3_backup *handle;
	struct shk_buf path;
	struct shk_buf part;
	bool made; /* the part is ours to remove */
	bool done;
};

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Nothing that is there is touched: it may be the rest of a copy, or anything else. */
static enum shk_status make_part(const char *part, struct shk_error *err)
{
	int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);

	if (fd < 0 && errno == EEXIST)
		return shk_error_set(err, SHK_E_CONFLICT,
				     "%s: is in the way; remove it if it is the rest of a copy",
				     part);
	if (fd < 0 || close(fd) != 0)
		return shk_ledger_path_errno(part, errno, err);
	return SHK_OK;
}

/* The copy has no journal: unfinished, it is thrown away. It is synced when it is complete. */
static enum shk_status open_part(struct shk_ledger_backup *backup, struct shk_error *err)
{
	struct shk_ledger *ledger = backup->ledger;
	int rc = sqlite3_open_v2(backup->part.data, &backup->copy,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, ledger->vfs);
	enum shk_status status;

	if (rc != SQLITE_OK)
		return shk_ledger_sql_error(backup->copy, rc, err);
	status = shk_ledger_sql_exec(backup->copy,
				     "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF;"
				     "PRAGMA synchronous = FULL",
				     err);
	if (status != SHK_OK)
		return status;
	backup->handle = sqlite3_backup_init(backup->copy, "main", ledger->db, "main");
	if (!backup->handle)
		return shk_ledger_sql_error(backup->copy, sqlite3_errcode(backup->copy), err);
	return SHK_OK;
}

enum shk_status shk_ledger_backup_new(struct shk_ledger *ledger, const char *path,
				      struct shk_ledger_backup **ret_backup, struct shk_error *err)
{
	struct shk_ledger_backup *backup;
	enum shk_status status = shk_ledger_readable(ledger, err);

	if (status != SHK_OK)
		return status;
	if (ledger->backup)
		return shk_error_set(err, SHK_E_BUSY, "another copy is under way");
	if (exists(path))
		return shk_error_set(err, SHK_E_CONFLICT, "%s: exists already", path);
	backup = calloc(1, sizeof(*backup));
	if (!backup)
		abort();
	backup->ledger = ledger;
	ledger->backup = backup;
	shk_buf_puts(&backup->path, path);
	shk_buf_printf(&backup->part, "%s.part", path);
	status = make_part(backup->part.data, err);
	backup->made = status == SHK_OK;
	if (status == SHK_OK)
		status = open_part(backup, err);
	if (status != SHK_OK) {
		(void)shk_error_wrap(err, "copy"); /* gives status */
		shk_ledger_backup_free(backup);
		return status;
	}
	*ret_backup = backup;
	return SHK_OK;
}

/* A rename is durable once its directory is synced. */
static enum shk_status sync_directory(const char *path, struct shk_error *err)
{
	const char *slash = strrchr(path, '/');
	struct shk_buf name = {0};
	int code = 0;
	int fd;

	shk_buf_puts(&name, slash == path ? "/" : ".");
	if (slash && slash != path) {
		shk_buf_clear(&name);
		shk_buf_add(&name, path, (size_t)(slash - path));
	}
	fd = open(name.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	shk_buf_fini(&name);
	if (fd < 0)
		return shk_ledger_path_errno(path, errno, err);
	if (fsync(fd) != 0)
		code = errno;
	if (close(fd) != 0 && code == 0)
		code = errno;
	return code == 0 ? SHK_OK : shk_ledger_path_errno(path, code, err);
}

/* Lets go of both ends; the first code counts, since closing repeats it. */
static int release(struct shk_ledger_backup *backup)
{
	int rc = sqlite3_backup_finish(backup->handle);
	int closed = sqlite3_close(backup->copy);

	backup->handle = NULL;
	backup->copy = NULL;
	if (backup->ledger)
		backup->ledger->backup = NULL;
	backup->ledger = NULL;
	return rc != SQLITE_OK ? rc : closed;
}

static enum shk_status complete(struct shk_ledger_backup *backup, struct shk_error *err)
{
	int rc = release(backup);

	if (rc != SQLITE_OK)
		return shk_ledger_sql_error(NULL, rc, err);
	if (exists(backup->path.data))
		return shk_error_set(err, SHK_E_CONFLICT, "%s: exists already", backup->path.data);
	if (rename(backup->part.data, backup->path.data) != 0)
		return shk_ledger_path_errno(backup->path.data, errno, err);
	backup->done = true;
	return sync_directory(backup->path.data, err);
}

enum shk_status shk_ledger_backup_step(struct shk_ledger_backup *backup, int pages, bool *ret_done,
				       struct shk_error *err)
{
	enum shk_status status;
	int rc;

	assert(pages > 0);
	if (!backup->ledger)
		return shk_error_set(err, SHK_E_UNAVAILABLE, "the copy has ended");
	if (backup->ledger->in_batch)
		return shk_error_set(err, SHK_E_CONFLICT, "a batch is open");
	status = shk_ledger_readable(backup->ledger, err);
	if (status != SHK_OK)
		return status;
	rc = sqlite3_backup_step(backup->handle, pages);
	if (rc == SQLITE_DONE) {
		status = complete(backup, err);
		if (status == SHK_OK)
			*ret_done = true;
		return status;
	}
	if (rc != SQLITE_OK) {
		(void)release(backup); /* repeats the step's code */
		(void)shk_ledger_sql_error(NULL, rc, err);
		return shk_error_wrap(err, "copy");
	}
	*ret_done = false;
	return SHK_OK;
}

void shk_ledger_backup_detach(struct shk_ledger_backup *backup)
{
	(void)release(backup); /* the copy is thrown away */
}

void shk_ledger_backup_free(struct shk_ledger_backup *backup)
{
	if (!backup)
		return;
	if (backup->copy || backup->ledger)
		(void)release(backup); /* the copy is thrown away */
	if (backup->made && !backup->done)
		(void)unlink(backup->part.data); /* nothing else can be done about it */
	shk_buf_fini(&backup->path);
	shk_buf_fini(&backup->part);
	free(backup);
}
