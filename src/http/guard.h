/* guard.h - what a request must look like before anything else looks at it.
 *
 * libmicrohttpd 0.9.75 takes the first of two Content-Lengths, lets Transfer-Encoding stand
 * beside it, folds headers into names and cuts paths at %00: each is a way to smuggle a request
 * past whoever stands before us. So the head is judged again here, as it came on the wire.
 * Pure: safe from any thread. */
#ifndef SHIKIRI_SRC_HTTP_GUARD_H
#define SHIKIRI_SRC_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"

struct shk_header {
	const char *name;
	const char *value;
};

struct shk_head {
	const char *method;
	const char *uri; /* raw, with the query */
	const char *version;
	const struct shk_header *headers;
	size_t n_headers;
	bool is_torn; /* it has a folded header or a NUL: the strings above aren't all there is */
};

/* Indices of the metric SHK_C_HTTP_REJECTED. */
enum shk_rejected {
	SHK_REJECTED_FRAMING,
	SHK_REJECTED_PATH,
	SHK_REJECTED_METHOD,
	SHK_REJECTED_TOO_LARGE,
	SHK_REJECTED_DEADLINE,
	SHK_REJECTED_OVERLOAD,
};

struct shk_refusal {
	unsigned status; /* 400, 411 or 501; the connection can't be used any further */
	enum shk_rejected why;
	const char *detail; /* constant text */
};

struct shk_framing {
	bool has_length;
	uint64_t length;
};

/* Where the request ends: Content-Length once or not at all, no Transfer-Encoding, header names
 * that are tokens, one Host. */
bool shk_guard_framing(const struct shk_head *head, struct shk_framing *ret_framing,
		       struct shk_refusal *ret_refusal);

/* The path of a raw URI, decoded, without the query. */
bool shk_guard_path(const char *uri, struct shk_arena *arena, const char **ret_path,
		    struct shk_refusal *ret_refusal);

struct shk_param {
	const char *name;
	const char *value; /* "" without a '=' */
};

#define SHK_GUARD_MAX_PARAMS 32

/* The query of a raw URI, decoded; a name that stands twice is refused. */
bool shk_guard_query(const char *uri, struct shk_arena *arena, const struct shk_param **ret_params,
		     size_t *ret_n, struct shk_refusal *ret_refusal);

/* The one header of that name (in any letter case), or NULL. */
const char *shk_header_get(const struct shk_header *headers, size_t n, const char *name);

/* May text be echoed as X-Request-Id: 1..64 of [A-Za-z0-9._-]. */
bool shk_guard_is_request_id(const char *text);

#endif
