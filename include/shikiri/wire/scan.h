/* scan.h - one strict pass over JSON text before anything is built from it.
 *
 * The JSON library has no limits of its own and needs up to 77 bytes of memory per byte of
 * input (measured: 4 MiB of "[{},{},...]" took 315 MiB), so this pass bounds bytes, depth and
 * tokens, refuses duplicate keys, and can cut out subtrees that nobody reads. It accepts exactly
 * RFC 8259 text with valid UTF-8 and one value. */
#ifndef SHIKIRI_WIRE_SCAN_H
#define SHIKIRI_WIRE_SCAN_H

#include <stddef.h>

#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

struct shk_scan_limits {
	size_t max_bytes;
	unsigned max_depth;        /* for what we read: 64 */
	unsigned max_depth_unread; /* below a cut key: 512 */
	size_t max_tokens;         /* values and keys, cut subtrees counted too */
	/* Keys whose whole value is left out wherever they stand (managedFields, images), NULL-
	 * terminated; NULL cuts nothing. */
	const char *const *cut_keys;
};

extern const struct shk_scan_limits shk_scan_document; /* 1 MiB */
extern const struct shk_scan_limits shk_scan_extender; /* bytes as the listener allows */
extern const struct shk_scan_limits shk_scan_object;   /* one Kubernetes object of a snapshot */

/* Checks text. When out isn't NULL, appends the text without the cut members to it. The error
 * names line and column, or the limit and its value. */
enum shk_status shk_scan(struct shk_sv text, const struct shk_scan_limits *limits,
			 struct shk_buf *out, struct shk_error *err) SHK_MUST_CHECK;

#endif
