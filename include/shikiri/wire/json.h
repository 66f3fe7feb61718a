/* json.h - writing JSON by hand into a buffer: no tree, no allocation but the buffer's.
 *
 * key is NULL inside arrays and for the outermost value. Strings are escaped; invalid UTF-8
 * comes out as U+FFFD. Commas are kept by the writer. */
#ifndef SHIKIRI_WIRE_JSON_H
#define SHIKIRI_WIRE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "shikiri/base/str.h"

struct shk_json {
	struct shk_buf *out;
	unsigned depth;
	uint64_t started; /* bit per depth: something was written, a comma is due */
};

void shk_json_begin(struct shk_json *json, struct shk_buf *out);
void shk_json_object(struct shk_json *json, const char *key);
void shk_json_object_end(struct shk_json *json);
void shk_json_array(struct shk_json *json, const char *key);
void shk_json_array_end(struct shk_json *json);
void shk_json_string(struct shk_json *json, const char *key, const char *value); /* NULL: null */
void shk_json_int(struct shk_json *json, const char *key, int64_t value);
void shk_json_bool(struct shk_json *json, const char *key, bool value);
void shk_json_null(struct shk_json *json, const char *key);
/* Ready JSON text, put in as it is. */
void shk_json_raw(struct shk_json *json, const char *key, const char *text, size_t len);
/* A decimal string of parts: "0.286" (rounded, for reading) or exact. */
void shk_json_parts(struct shk_json *json, const char *key, int64_t parts);
void shk_json_parts_exact(struct shk_json *json, const char *key, int64_t parts);
/* "2026-11-29T17:00:00Z" */
void shk_json_time(struct shk_json *json, const char *key, int64_t s);

#endif
