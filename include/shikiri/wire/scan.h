/* scan.h - one strict pass over JSON text before anything is built from it.
 *
 * The JSON library has no limits of its own and needs up to 77 bytes of memory per byte of
 * input (measured: 4 MiB of "[{},{},...]" took 315 MiB), so this pass bounds bytes, depth and
 * tokens, refuses duplicate keys, and can cut out subtrees that nobody reads.
 *
 * It accepts RFC 8259 text with valid UTF-8 and one value of any type, and nothing else. Three
 * things that the RFC leaves open are refused, as the library refuses them: \u0000 (no string of
 * ours can hold it), integers of more than 64 bits, and reals too large for a double; also numbers
 * of more than 512 characters. Keys are compared after their escapes; a duplicate is refused
 * below cut keys too. */
#ifndef SHIKIRI_WIRE_SCAN_H
#define SHIKIRI_WIRE_SCAN_H

#include <stddef.h>

#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

struct shk_scan_limits {
	size_t max_bytes;
	unsigned max_depth; /* lists and objects open at once in what we read: 64 */
	unsigned
	    max_depth_unread; /* the same below a cut key, from the outermost on: at most 512 */
	size_t max_tokens;    /* values and keys, cut subtrees counted too */
	/* Keys whose lists and objects are left out wherever they stand (managedFields, images),
	 * NULL-terminated; NULL cuts nothing. Other values stay: a label may have such a name. */
	const char *const *cut_keys;
};

extern const struct shk_scan_limits shk_scan_document; /* 1 MiB */
extern const struct shk_scan_limits shk_scan_extender; /* bytes as the listener allows */
extern const struct shk_scan_limits shk_scan_object;   /* one Kubernetes object: 4 MiB */
/* The last two cut what no decoder of a Kubernetes object looks at. */

/* Checks text. When out isn't NULL, appends the text without the cut members to it (what was
 * appended before an error was found stays). The error's pointer is "line 3 column 17" for bad
 * text (SHK_E_INPUT) and empty for a limit, which the text names with its value (SHK_E_LIMIT). */
enum shk_status shk_scan(struct shk_sv text, const struct shk_scan_limits *limits,
			 struct shk_buf *out, struct shk_error *err) SHK_MUST_CHECK;

#endif
