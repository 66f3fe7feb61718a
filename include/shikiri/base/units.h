/* units.h - numbers as people and Kubernetes write them, held as integers.
 * Pure; every parser refuses what it can't represent exactly, unless it says otherwise. */
#ifndef SHIKIRI_BASE_UNITS_H
#define SHIKIRI_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/str.h"

/* Parts of one GPU-equivalent, slice, GiB or currency unit: the least common multiple of
 * 1..24, so that sevenths, eighths and up to 24 replicas add up to exactly one. */
#define SHK_PARTS INT64_C(5354228880)

/* A Kubernetes quantity ("4", "1500m", "2Ki", "1e3", "0.5"), as apimachinery's grammar reads it:
 * sign, digits with an optional point, then one of n u m k M G T P E Ki Mi Gi Ti Pi Ei or a
 * decimal exponent. At least one digit, at most 64 characters. */

/* An exact integer of 0..INT64_MAX; false for anything else ("1500m", "-1", "", " 1"). */
bool shk_quantity_integer(struct shk_sv text, int64_t *ret_value);
/* Thousandths rounded up, as the scheduler counts CPU; negative is false; saturates. */
bool shk_quantity_milli(struct shk_sv text, int64_t *ret_milli);

/* A plain decimal: digits, optionally a point and 1..6 digits; value at most 10^8; no sign.
 * micro = value x 10^6. */
bool shk_decimal_micro(struct shk_sv text, int64_t *ret_micro);
/* The same as parts: floor(value x SHK_PARTS), at most 10^8 units. */
bool shk_decimal_parts(struct shk_sv text, int64_t *ret_parts);
/* The decimal of at most six digits that shk_decimal_parts read ("12", "0.5"). buf >= 32. */
const char *shk_parts_exact(int64_t parts, char *buf, size_t size);
/* For reading only: rounded half up to three decimals, no trailing zeros ("0.286"). Negative
 * values get a sign. buf >= 32. */
const char *shk_parts_print(int64_t parts, char *buf, size_t size);

/* floor(a x b x c / d) with a 128-bit product; false on overflow of the product or the result.
 * All >= 0, d > 0. */
bool shk_muldiv(int64_t a, int64_t b, int64_t c, int64_t d, int64_t *ret_value);
/* a + b; false on overflow, *ret_sum untouched. */
bool shk_add(int64_t a, int64_t b, int64_t *ret_sum);
int64_t shk_add_saturated(int64_t a, int64_t b);

/* A duration as Go writes it ("30s", "1h30m", "1.5s", "0s", "250ms"), without a sign, up to Go's
 * 292 years and a whole number of milliseconds ("1500us" is false). */
bool shk_duration_ms(struct shk_sv text, int64_t *ret_ms);
/* The same form without units that are 0 ("10m30s", "1h", "0s"). buf >= 32. */
const char *shk_duration_print(int64_t ms, char *buf, size_t size);

/* A whole number of bytes, B, kB or KB, MB, GB, TB, KiB, MiB, GiB or TiB ("512", "16MiB"). */
bool shk_size_bytes(struct shk_sv text, int64_t *ret_bytes);

/* RFC 3339 with Z or an offset, fractions cut off, no leap seconds; seconds since 1970, which
 * are negative before. */
bool shk_time_parse(struct shk_sv text, int64_t *ret_s);
/* "2026-11-29T17:00:00Z". buf >= 32. */
const char *shk_time_print(int64_t s, char *buf, size_t size);

#endif
