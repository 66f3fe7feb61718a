/* split.h - where a JSON value ends, without a look at what it says. Private to wire; pure.
 *
 * Only quotes, escapes and the balance of brackets count: [} ends like []. What the value is worth
 * is found by the scanner afterwards. */
#ifndef SHIKIRI_SRC_WIRE_SPLIT_H
#define SHIKIRI_SRC_WIRE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

#include "shikiri/base/str.h"

/* Zeroed: before the first byte of a value. */
struct splitter {
	size_t depth;
	bool is_scalar; /* a number or a word: ends before a byte that can't belong to it */
	bool in_string;
	bool is_escaped; /* the next byte is */
};

/* Returns how many bytes at the start of bytes belong to the value; *ret_end tells whether it is
 * whole. The first byte of a value is no blank. */
size_t splitter_feed(struct splitter *splitter, struct shk_sv bytes, bool *ret_end);

#endif
