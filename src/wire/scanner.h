/* scanner.h - the one walk over JSON text that scan.h is made of, to be steered by decoders that
 * read large bodies without building a tree. Private to wire.
 *
 * Whoever steers opens containers and asks for their members one by one; scanner_value and
 * scanner_copy take whole values in between. Every byte passes the same checks either way. */
#ifndef SHIKIRI_WIRE_SCANNER_H
#define SHIKIRI_WIRE_SCANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/wire/scan.h"

/* What no decoder of a Pod, Node, Namespace, PriorityClass or ResourceQuota looks at, heaviest
 * first. */
extern const char *const scanner_unread_keys[];

#define SCANNER_MAX_DEPTH 512
#define SCANNER_OWN_KEYS  128

struct scanner_key {
	const char *data; /* unescaped: in the text, or in the scanner's arena */
	uint32_t len;
	uint32_t at; /* offset in the text, for the error */
};

struct scanner_frame {
	uint32_t first_key; /* the keys of this object begin here */
	bool is_object;
	bool has_member; /* so a comma is due before the next */
	bool has_kept;   /* and one of them was not cut out */
};

/* On the stack of one call. frames and own_keys are not cleared beforehand. */
struct scanner {
	const char *text;
	const char *at;
	const char *end;
	const struct shk_scan_limits *limits;
	struct shk_error *err;
	struct shk_buf *out; /* where the value being taken goes, or NULL */
	const char *copied;  /* all before it is in out, or was cut */
	size_t tokens;
	unsigned depth;
	bool unread; /* below a cut key */
	struct scanner_frame frames[SCANNER_MAX_DEPTH];
	struct scanner_key own_keys[SCANNER_OWN_KEYS];
	struct scanner_key *keys; /* of all open objects, innermost last */
	size_t n_keys;
	size_t cap_keys;
	struct shk_arena unescaped;
};

/* Fails when text is longer than allowed. err is used by every call that follows. After a failed
 * init _fini is allowed, not needed. */
enum shk_status scanner_init(struct scanner *s, struct shk_sv text,
			     const struct shk_scan_limits *limits,
			     struct shk_error *err) SHK_MUST_CHECK;
void scanner_fini(struct scanner *s);

/* The first byte of the next value, behind blanks; '\0' at the end of the text. */
char scanner_peek(struct scanner *s);

/* Opens the object or list whose first byte scanner_peek has shown. */
enum shk_status scanner_open(struct scanner *s) SHK_MUST_CHECK;
/* Steps to the value of the next member. At the closing brace *ret_end is set, and the object is
 * behind us. The key is valid until the object ends. */
enum shk_status scanner_member(struct scanner *s, struct shk_sv *ret_key,
			       bool *ret_end) SHK_MUST_CHECK;
/* The same, passing over members that are cut out. */
enum shk_status scanner_kept_member(struct scanner *s, struct shk_sv *ret_key,
				    bool *ret_end) SHK_MUST_CHECK;
/* The same for the next item of a list. */
enum shk_status scanner_item(struct scanner *s, bool *ret_end) SHK_MUST_CHECK;

/* Takes the next value, whatever it is. */
enum shk_status scanner_value(struct scanner *s) SHK_MUST_CHECK;
/* The same, and appends its text without cut members to out. */
enum shk_status scanner_copy(struct scanner *s, struct shk_buf *out) SHK_MUST_CHECK;
/* Takes a string; the text is unescaped, in the input or in the scanner's arena. */
enum shk_status scanner_string(struct scanner *s, struct shk_sv *ret_text) SHK_MUST_CHECK;
/* Nothing but blanks may follow. */
enum shk_status scanner_end(struct scanner *s) SHK_MUST_CHECK;

#endif
