/* fields.h - one way to read objects: a table of fields, driven by one decoder. Private to wire.
 *
 * A shape lists the keys of an object, how each value is read and where in a zeroed struct it
 * goes. null is the same as absent, as Go writes it. Errors carry the JSON pointer of the value;
 * it is put together only when there is an error. What is read is copied into the arena: nothing
 * borrows from the tree but read_raw. */
#ifndef SHIKIRI_WIRE_FIELDS_H
#define SHIKIRI_WIRE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"
#include "shikiri/core/model.h"

/* Where a value stands: a chain through the callers' frames up to the outermost value. */
struct spot {
	struct shk_arena *arena;
	struct shk_error *err;
	const struct spot *above; /* NULL: the outermost */
	const char *key;          /* NULL: an item of a list */
	size_t index;
};

struct spot spot_root(struct shk_arena *arena, struct shk_error *err);
struct spot spot_key(const struct spot *above, const char *key);
struct spot spot_item(const struct spot *above, size_t index);

/* Fills the error with the spot's pointer and returns SHK_E_INPUT. */
enum shk_status spot_fail(const struct spot *spot, const char *fmt, ...) SHK_PRINTF(2, 3);

struct field;

/* Reads value (neither absent nor null) into target, the struct that the shape is about. */
typedef enum shk_status field_reader(const struct spot *spot, const struct field *field,
				     const json_t *value, void *target);

struct field {
	const char *key;
	field_reader *read;
	size_t offset;    /* where in target the value goes */
	size_t count;     /* lists: where the number of items goes (size_t) */
	const void *rule; /* what the reader needs: see there */
	int64_t min;      /* read_int */
	int64_t max;
	bool is_required;
};

struct shape {
	const struct field *fields;
	size_t n;
	bool is_closed; /* other keys are errors, else they are skipped */
	bool any_case;  /* keys in any letter case; two spellings of one are an error */
};

#define SHAPE_FIELDS(table) .fields = (table), .n = sizeof(table) / sizeof(table)[0]

enum shk_status decode_object(const struct spot *spot, const json_t *value,
			      const struct shape *shape, void *target) SHK_MUST_CHECK;

/* const char *. rule: a text_rule, or NULL for any text. */
field_reader read_text;
struct text_rule {
	bool (*is_valid)(struct shk_sv text);
	const char *expected; /* "a DNS label": for "not a DNS label" */
};
extern const struct text_rule text_label;
extern const struct text_rule text_subdomain;
extern const struct text_rule text_uid;

/* const char *const * and count. Each text once. rule as for read_text. */
field_reader read_texts;

field_reader read_int;  /* int64_t of min..max */
field_reader read_bool; /* bool */

/* An enum. rule: a words. */
field_reader read_word;
struct word {
	const char *text;
	unsigned value;
};
struct words {
	const struct word *items;
	size_t n;
	const char *expected; /* "mig, card or node" */
};

/* A struct inside target. rule: its shape. */
field_reader read_object;

/* A pointer to an array of structs, and count. rule: a list_rule. */
field_reader read_list;
struct list_rule {
	size_t size; /* of one struct */
	const struct shape *shape;
};

/* struct shk_labels, sorted by key. rule: NULL, or any pointer for checked keys and values. */
field_reader read_labels;
extern const bool labels_checked;

/* const json_t *, valid as long as the tree. */
field_reader read_raw;
/* Known, and not looked at. */
field_reader read_ignored;

/* Walks an object's members; *iter starts as NULL. */
bool object_next(const json_t *object, void **iter, const char **ret_key, const json_t **ret_value);

/* The address of a field in target. */
void *field_at(const struct field *field, void *target);

/* NULL unless a string; borrowed from the tree. */
const char *member_text(const json_t *object, const char *key);

#endif
