/* problem.h - errors of the admin API as application/problem+json (RFC 9457), one table. */
#ifndef SHIKIRI_SRC_HTTP_PROBLEM_H
#define SHIKIRI_SRC_HTTP_PROBLEM_H

#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

/* X(symbol, code, name in the type URN, status, title) */
#define SHK_PROBLEMS(X)                                                                            \
	X(BAD_REQUEST, "BadRequest", "bad-request", 400, "The request can't be understood")        \
	X(UNKNOWN_PARAMETER, "UnknownParameter", "unknown-parameter", 400,                         \
	  "The query has a parameter that this path doesn't know")                                 \
	X(UNREADABLE, "UnreadableBody", "unreadable-body", 400, "The body can't be read")          \
	X(UNAUTHENTICATED, "Unauthenticated", "unauthenticated", 401, "It isn't known who calls")  \
	X(FORBIDDEN, "Forbidden", "forbidden", 403, "The caller may not do this")                  \
	X(NOT_FOUND, "NotFound", "not-found", 404, "There is no such object or path")              \
	X(METHOD_NOT_ALLOWED, "MethodNotAllowed", "method-not-allowed", 405,                       \
	  "The path doesn't know this method")                                                     \
	X(CONFLICT, "Conflict", "conflict", 409, "The state of the object forbids this")           \
	X(LENGTH_REQUIRED, "LengthRequired", "length-required", 411,                               \
	  "The request doesn't say how long its body is")                                          \
	X(TOO_LARGE, "TooLarge", "too-large", 413, "The body is larger than the limit")            \
	X(MEDIA_TYPE, "UnsupportedMediaType", "unsupported-media-type", 415,                       \
	  "The body is of a type that isn't taken here")                                           \
	X(INVALID, "InvalidDocument", "invalid-document", 422,                                     \
	  "The body can be read, but what it says can't be")                                       \
	X(INTERNAL, "InternalError", "internal-error", 500, "The daemon failed")                   \
	X(NOT_IMPLEMENTED, "NotImplemented", "not-implemented", 501,                               \
	  "The request uses what isn't supported")                                                 \
	X(UNAVAILABLE, "Unavailable", "unavailable", 503, "Not now")

enum shk_problem {
	SHK_PROBLEM_NONE = 0,
#define X(symbol, ...) SHK_PROBLEM_##symbol,
	SHK_PROBLEMS(X)
#undef X
	    SHK_PROBLEM_COUNT,
};

#define SHK_PROBLEM_TYPE "application/problem+json"

unsigned shk_problem_status(enum shk_problem problem);
const char *shk_problem_code(enum shk_problem problem);
/* Which problem an HTTP status is, for refusals that know only that. */
enum shk_problem shk_problem_of_status(unsigned status);
/* Which problem a failed call is. Bad input with a JSON pointer could be read: 422. */
enum shk_problem shk_problem_of_error(const struct shk_error *err);
/* Seconds after which trying again makes sense; 0: it doesn't. */
int shk_problem_retry_after(enum shk_problem problem);

/* pointer may be NULL or empty: then there is no "errors". */
void shk_problem_write(struct shk_buf *out, enum shk_problem problem, const char *detail,
		       const char *pointer, const char *request_id);

#endif
