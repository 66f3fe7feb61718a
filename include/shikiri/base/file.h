/* file.h - whole files into memory, bounded. */
#ifndef SHIKIRI_BASE_FILE_H
#define SHIKIRI_BASE_FILE_H

#include <stddef.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

/* Appends the file to out. NOT_FOUND, PERMISSION, LIMIT (larger than max_bytes) or IO, with the
 * path in the sentence; out is empty then. */
enum shk_status shk_file_read(const char *path, size_t max_bytes, struct shk_buf *out,
			      struct shk_error *err) SHK_MUST_CHECK;

/* The absolute form of path. Links aren't followed: a mounted ConfigMap is a link to another
 * directory after each change, and still the same file to us. */
const char *shk_file_absolute(const char *path, struct shk_arena *arena);

#endif
