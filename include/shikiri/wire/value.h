/* value.h - a parsed JSON or YAML value, opaque and read-only, for output and audit texts.
 * Decisions never look at one: they get structs. */
#ifndef SHIKIRI_WIRE_VALUE_H
#define SHIKIRI_WIRE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/error.h"
#include "shikiri/base/str.h"
#include "shikiri/wire/scan.h"

struct shk_value; /* opaque */

/* JSON text. The caller frees. */
enum shk_status shk_value_parse(struct shk_sv text, const struct shk_scan_limits *limits,
				struct shk_value **ret_value, struct shk_error *err) SHK_MUST_CHECK;
/* YAML, or one JSON text: every document of the stream as one array; empty ones are left out. At
 * most 1 MiB, depth 64; aliases, anchors, tags, merge keys and duplicate keys refused; scalars read
 * as Kubernetes reads them (YAML 1.1: yes, on, 0777; y and 12:30:45 are strings). */
enum shk_status shk_value_parse_yaml(struct shk_sv text, struct shk_value **ret_array,
				     struct shk_error *err) SHK_MUST_CHECK;
void shk_value_free(struct shk_value *value);

/* Borrowed from value; NULL when absent or of another type. */
const struct shk_value *shk_value_get(const struct shk_value *value, const char *key);
const struct shk_value *shk_value_path(const struct shk_value *value, const char *dotted);
const struct shk_value *shk_value_at(const struct shk_value *value, size_t index);
size_t shk_value_size(const struct shk_value *value); /* of an array or object, else 0 */
/* The i-th member of an object in key order; NULL beyond the end. */
const struct shk_value *shk_value_member(const struct shk_value *value, size_t index,
					 const char **ret_key);
const char *shk_value_string(const struct shk_value *value); /* NULL unless a string */
const char *shk_value_string_at(const struct shk_value *value,
				const char *dotted); /* "" if absent */
int64_t shk_value_int(const struct shk_value *value, int64_t otherwise);
bool shk_value_bool(const struct shk_value *value, bool otherwise);
bool shk_value_is_array(const struct shk_value *value);
bool shk_value_is_object(const struct shk_value *value);

/* Compact, keys sorted: the canonical form that hashes are made of. */
void shk_value_print(const struct shk_value *value, struct shk_buf *out);
void shk_value_print_pretty(const struct shk_value *value, struct shk_buf *out);
void shk_value_print_yaml(const struct shk_value *value, struct shk_buf *out);

#endif
