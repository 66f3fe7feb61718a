/* path.c - what lies at the ledger's path, before SQLite looks at it. */
#include "ledger_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum shk_status shk_ledger_path_errno(const char *path, int code, struct shk_error *err)
{
	switch (code) {
	case ENOENT:
	case ENOTDIR:
		return shk_error_set(err, SHK_E_NOT_FOUND, "%s: the directory doesn't exist", path);
	case EACCES:
	case EPERM:
	case EROFS:
		return shk_error_set(err, SHK_E_PERMISSION, "%s: may not be written", path);
	case ENOSPC:
	case EDQUOT:
		return shk_error_set(err, SHK_E_FULL, "%s: no space is left", path);
	default:
		return shk_error_set(err, SHK_E_IO, "%s: can't be opened (errno %d)", path, code);
	}
}

int64_t shk_ledger_path_bytes(const char *path, const char *suffix)
{
	struct shk_buf name = {0};
	struct stat st;
	int64_t bytes = 0;

	shk_buf_printf(&name, "%s%s", path, suffix);
	if (lstat(name.data, &st) == 0)
		bytes = st.st_size;
	shk_buf_fini(&name);
	return bytes;
}

static enum shk_status check_kind(const char *path, const struct stat *st, struct shk_error *err)
{
	/* Whoever can place a link chooses which file we lock and write. */
	if (S_ISLNK(st->st_mode))
		return shk_error_set(err, SHK_E_CONFIG, "%s: is a symbolic link", path);
	if (S_ISDIR(st->st_mode))
		return shk_error_set(err, SHK_E_CONFIG, "%s: is a directory", path);
	if (!S_ISREG(st->st_mode))
		return shk_error_set(err, SHK_E_CONFIG, "%s: isn't a regular file", path);
	/* SQLite takes a file of one byte for an empty one, and would write over it. */
	if (st->st_size == 1)
		return shk_error_set(err, SHK_E_CORRUPT, "%s: is not a database", path);
	return access(path, R_OK | W_OK) == 0 ? SHK_OK : shk_ledger_path_errno(path, errno, err);
}

static enum shk_status make_file(const char *path, struct shk_error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);

	if (fd >= 0)
		return close(fd) == 0 ? SHK_OK : shk_ledger_path_errno(path, errno, err);
	return shk_ledger_path_errno(path, errno, err);
}

enum shk_status shk_ledger_path_prepare(const char *path, bool must_exist, bool *ret_wal,
					struct shk_error *err)
{
	int64_t wal = shk_ledger_path_bytes(path, "-wal");
	struct stat st = {0};
	bool there = lstat(path, &st) == 0;
	enum shk_status status = SHK_OK;

	if (!there && errno != ENOENT)
		return shk_ledger_path_errno(path, errno, err);
	if (there)
		status = check_kind(path, &st, err);
	if (status != SHK_OK)
		return status;
	/* SQLite would delete that log, and with it what the file held. */
	if (st.st_size == 0 && wal > 0)
		return shk_error_set(err, SHK_E_CORRUPT,
				     "%s: is missing or empty, but its log %s-wal isn't", path,
				     path);
	if (!there && must_exist)
		return shk_error_set(err, SHK_E_NOT_FOUND, "%s: is gone", path);
	if (!there)
		status = make_file(path, err);
	if (status == SHK_OK)
		*ret_wal = wal > 0;
	return status;
}
