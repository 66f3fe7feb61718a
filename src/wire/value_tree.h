/* value_tree.h - what is inside a shk_value. Private to wire.
 *
 * Our own tree, not the library's: members are sorted once, and reading needs no reference
 * counts, so a value may be read by several threads. */
#ifndef SHIKIRI_WIRE_VALUE_TREE_H
#define SHIKIRI_WIRE_VALUE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/wire/value.h"

enum value_type {
	VALUE_NULL = 0,
	VALUE_BOOL,
	VALUE_INTEGER,
	VALUE_REAL,
	VALUE_STRING,
	VALUE_ARRAY,
	VALUE_OBJECT,
};

struct value_member;

struct shk_value {
	enum value_type type;
	size_t n; /* items or members */
	union {
		bool boolean;
		int64_t integer;
		double real;
		const char *string;
		const struct shk_value *items;
		const struct value_member *members; /* sorted by key, bytewise */
	};
};

struct value_member {
	const char *key;
	struct shk_value value;
};

/* What the caller of shk_value_parse frees. */
struct value_root {
	struct shk_value value;
	struct shk_arena arena;
};

#endif
