/* error.h - the one error convention.
 *
 * A function that can fail returns enum shk_status and takes a struct shk_error as its last
 * parameter. It fills the error exactly when it returns something other than SHK_OK, and writes
 * its ret_ parameters exactly when it returns SHK_OK. Nothing is allocated on the error path.
 * A refusal (does not fit, over quota) is a verdict, never an error.
 * Threads: an error belongs to the caller's stack; no shared state. */
#ifndef SHIKIRI_BASE_ERROR_H
#define SHIKIRI_BASE_ERROR_H

#define SHK_MUST_CHECK        __attribute__((warn_unused_result))
#define SHK_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum shk_status {
	SHK_OK = 0,
	SHK_E_INPUT = -1,     /* the data is wrong; pointer says where */
	SHK_E_LIMIT = -2,     /* too large, too deep, too many */
	SHK_E_NOT_FOUND = -3, /* a file, row or object that was named isn't there */
	SHK_E_CONFLICT = -4,  /* the object is in a state that forbids this */
	SHK_E_BUSY = -5,      /* held by another process, or a queue is full */
	SHK_E_IO = -6,        /* the system refused to read or write */
	SHK_E_FULL = -7,      /* no space left on the device */
	SHK_E_CORRUPT = -8,   /* stored data contradicts itself */
	SHK_E_VERSION = -9,   /* written by a newer program */
	SHK_E_PERMISSION = -10,
	SHK_E_CONFIG = -11,      /* flags or configuration can't be served */
	SHK_E_UNAVAILABLE = -12, /* not now: stopping, not ready, unreachable */
};

struct shk_error {
	enum shk_status status;
	char pointer[256]; /* JSON pointer or "line N", empty when there is no place to show */
	char text[512];    /* one sentence, lower case, no final stop */
};

/* Fills err and returns status, so that a caller can write "return shk_error_set(...)". */
enum shk_status shk_error_set(struct shk_error *err, enum shk_status status, const char *fmt, ...)
    SHK_PRINTF(3, 4);

/* The same with the place in the input. pointer may be NULL. */
enum shk_status shk_error_at(struct shk_error *err, enum shk_status status, const char *pointer,
			     const char *fmt, ...) SHK_PRINTF(4, 5);

/* Puts "<context>: " before the text and returns err->status. The pointer is kept. */
enum shk_status shk_error_wrap(struct shk_error *err, const char *fmt, ...) SHK_PRINTF(2, 3);

/* Puts a prefix before the JSON pointer ("/items/3"), for decoders that call decoders. */
enum shk_status shk_error_under(struct shk_error *err, const char *fmt, ...) SHK_PRINTF(2, 3);

/* "pointer: text" or "text" into buf; returns buf. */
const char *shk_error_print(const struct shk_error *err, char *buf, unsigned long size);

#endif
