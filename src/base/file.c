#include "shikiri/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)

static enum shk_status read_failed(const char *path, int code, struct shk_error *err)
{
	char reason[128];

	if (strerror_r(code, reason, sizeof reason) != 0)
		reason[0] = '\0';
	if (code == ENOENT || code == ENOTDIR)
		return shk_error_set(err, SHK_E_NOT_FOUND, "%.300s: no such file", path);
	if (code == EACCES || code == EPERM)
		return shk_error_set(err, SHK_E_PERMISSION, "%.300s: %s", path, reason);
	return shk_error_set(err, SHK_E_IO, "%.300s: %s", path, reason);
}

static enum shk_status read_all(int fd, const char *path, size_t max_bytes, struct shk_buf *out,
				struct shk_error *err)
{
	for (;;) {
		shk_buf_reserve(out, CHUNK);

		ssize_t n = read(fd, out->data + out->len, CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return read_failed(path, errno, err);
		if (n == 0)
			break;
		out->len += (size_t)n;
		if (out->len > max_bytes)
			return shk_error_set(err, SHK_E_LIMIT, "%.300s: larger than %zu bytes",
					     path, max_bytes);
	}
	shk_buf_add(out, "", 0);
	return SHK_OK;
}

static void reserve_for(int fd, size_t max_bytes, struct shk_buf *out)
{
	struct stat info;

	if (fstat(fd, &info) == 0 && info.st_size > 0 && (uint64_t)info.st_size <= max_bytes)
		shk_buf_reserve(out, (size_t)info.st_size + CHUNK);
}

enum shk_status shk_file_read(const char *path, size_t max_bytes, struct shk_buf *out,
			      struct shk_error *err)
{
	enum shk_status status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return read_failed(path, errno, err);
	reserve_for(fd, max_bytes, out);
	status = read_all(fd, path, max_bytes, out, err);
	if (status)
		shk_buf_fini(out);
	(void)close(fd); /* nothing was written */
	return status;
}

/* Where the parent of the path that ends at end stops. */
static char *parent_end(char *path, char *end)
{
	while (end > path && end[-1] != '/')
		end--;
	return end > path ? end - 1 : path;
}

/* Takes "." and ".." out of an absolute path, by its letters alone: links may point elsewhere
 * tomorrow, as those of a mounted ConfigMap do. */
static void tidy(char *path)
{
	char *out = path;

	for (const char *at = path; *at;) {
		size_t len;

		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len == 2 && at[0] == '.' && at[1] == '.') {
			out = parent_end(path, out);
		} else if (len > 0 && !(len == 1 && at[0] == '.')) {
			*out++ = '/';
			memmove(out, at, len);
			out += len;
		}
		at += len;
	}
	if (out == path)
		*out++ = '/';
	*out = '\0';
}

const char *shk_file_absolute(const char *path, struct shk_arena *arena)
{
	char directory[4096];
	char *absolute;

	if (path[0] == '/')
		absolute = shk_arena_strdup(arena, path);
	else if (getcwd(directory, sizeof directory))
		absolute = shk_arena_printf(arena, "%s/%s", directory, path);
	else
		return shk_arena_strdup(arena, path);
	tidy(absolute);
	return absolute;
}
