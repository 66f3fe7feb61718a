#include "shikiri/base/units.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MICRO           INT64_C(1000000)
#define MILLI           INT64_C(1000)
#define LARGEST_DECIMAL INT64_C(100000000)
#define LONGEST_TEXT    64
#define FARTHEST_POINT  1000
#define SECONDS_PER_DAY INT64_C(86400)
#define DAYS_PER_ERA    INT64_C(146097) /* 400 years */
#define DAYS_TO_1970    INT64_C(719468) /* from 1 March of year 0 */

/* Standard C has no 128-bit integer; both compilers that we build with do. */
__extension__ typedef unsigned __int128 u128;

/*
 * Reading: each helper takes what it names off the front of in.
 */

static char peek(const struct shk_sv *in)
{
	if (in->len == 0)
		return '\0';
	return in->data[0];
}

static bool at_digit(const struct shk_sv *in)
{
	return peek(in) >= '0' && peek(in) <= '9';
}

static void skip(struct shk_sv *in, size_t n)
{
	in->data += n;
	in->len -= n;
}

static bool take(struct shk_sv *in, char c)
{
	if (in->len == 0 || in->data[0] != c)
		return false;
	skip(in, 1);
	return true;
}

static int take_digit(struct shk_sv *in)
{
	int digit = in->data[0] - '0';

	skip(in, 1);
	return digit;
}

/* Any number of digits, none included; false on overflow. */
static bool take_digits(struct shk_sv *in, int64_t *ret_value, size_t *ret_n)
{
	int64_t value = 0;
	size_t n = 0;

	for (; at_digit(in); n++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, take_digit(in), &value))
			return false;
	}
	*ret_value = value;
	*ret_n = n;
	return true;
}

/* Exactly n digits with a value between the bounds. */
static bool take_field(struct shk_sv *in, int n, int least, int most, int *ret_value)
{
	int value = 0;

	for (int i = 0; i < n; i++) {
		if (!at_digit(in))
			return false;
		value = value * 10 + take_digit(in);
	}
	*ret_value = value;
	return value >= least && value <= most;
}

/*
 * Quantities. The digits are kept as digits: a suffix of 2^60 turns 60 decimals into an integer,
 * which no machine word would follow exactly.
 */

#define HEADROOM 20 /* more digits than 2^60 has */

struct decimal {
	uint8_t digits[HEADROOM + LONGEST_TEXT];
	int n;
	int point; /* digits before the point; may be below 0 or beyond n */
	bool is_negative;
};

struct suffix {
	const char *text;
	int exponent; /* of 10 */
	int kibis;    /* exponent of 1024 */
};

static const struct suffix quantity_suffixes[] = {
    {"", 0, 0},   {"n", -9, 0}, {"u", -6, 0}, {"m", -3, 0}, {"k", 3, 0},  {"M", 6, 0},
    {"G", 9, 0},  {"T", 12, 0}, {"P", 15, 0}, {"E", 18, 0}, {"Ki", 0, 1}, {"Mi", 0, 2},
    {"Gi", 0, 3}, {"Ti", 0, 4}, {"Pi", 0, 5}, {"Ei", 0, 6},
};

static void read_digits(struct shk_sv *in, struct decimal *dec)
{
	while (at_digit(in))
		dec->digits[dec->n++] = (uint8_t)take_digit(in);
}

static bool read_number(struct shk_sv *in, struct decimal *dec)
{
	*dec = (struct decimal){.n = HEADROOM};
	dec->is_negative = take(in, '-');
	if (!dec->is_negative)
		(void)take(in, '+'); /* optional */
	read_digits(in, dec);
	dec->point = dec->n;
	if (take(in, '.'))
		read_digits(in, dec);
	return dec->n > HEADROOM;
}

static void multiply_by_1024(struct decimal *dec)
{
	unsigned carry = 0;

	for (int i = dec->n - 1; i >= 0; i--) {
		unsigned product = dec->digits[i] * 1024U + carry;

		dec->digits[i] = (uint8_t)(product % 10);
		carry = product / 10;
	}
}

/* Saturates: with so few digits, an exponent beyond the cap leaves only 0 representable. */
static bool read_exponent(struct shk_sv *in, int *ret_exponent)
{
	int exponent = 0;

	if (!take(in, 'e') && !take(in, 'E'))
		return false;

	bool is_negative = take(in, '-');

	if (!is_negative)
		(void)take(in, '+'); /* optional */
	if (!at_digit(in))
		return false;
	while (at_digit(in)) {
		int digit = take_digit(in);

		if (exponent < FARTHEST_POINT)
			exponent = exponent * 10 + digit;
	}
	*ret_exponent = is_negative ? -exponent : exponent;
	return in->len == 0;
}

static bool apply_suffix(struct shk_sv text, struct decimal *dec)
{
	int exponent;

	for (size_t i = 0; i < sizeof quantity_suffixes / sizeof quantity_suffixes[0]; i++) {
		const struct suffix *suffix = &quantity_suffixes[i];

		if (!shk_sv_is(text, suffix->text))
			continue;
		dec->point += suffix->exponent;
		for (int k = 0; k < suffix->kibis; k++)
			multiply_by_1024(dec);
		return true;
	}
	if (!read_exponent(&text, &exponent))
		return false;
	dec->point += exponent;
	return true;
}

/* Digits from the given place on that aren't 0. */
static bool has_digits(const struct decimal *dec, int from)
{
	for (int i = from > 0 ? from : 0; i < dec->n; i++) {
		if (dec->digits[i] != 0)
			return true;
	}
	return false;
}

static bool read_quantity(struct shk_sv text, struct decimal *dec)
{
	if (text.len > LONGEST_TEXT || !read_number(&text, dec) || !apply_suffix(text, dec))
		return false;
	return !dec->is_negative || !has_digits(dec, 0);
}

/* The integer part with the point at the given place; false on overflow. */
static bool integer_part(const struct decimal *dec, int point, int64_t *ret_value)
{
	int64_t value = 0;

	for (int i = 0; i < point; i++) {
		int digit = i < dec->n ? dec->digits[i] : 0;

		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

bool shk_quantity_integer(struct shk_sv text, int64_t *ret_value)
{
	struct decimal dec;

	return read_quantity(text, &dec) && !has_digits(&dec, dec.point) &&
	       integer_part(&dec, dec.point, ret_value);
}

bool shk_quantity_milli(struct shk_sv text, int64_t *ret_milli)
{
	struct decimal dec;
	int64_t milli;

	if (!read_quantity(text, &dec))
		return false;
	if (!integer_part(&dec, dec.point + 3, &milli))
		milli = INT64_MAX;
	*ret_milli = shk_add_saturated(milli, has_digits(&dec, dec.point + 3));
	return true;
}

/*
 * Decimals and parts.
 */

bool shk_decimal_micro(struct shk_sv text, int64_t *ret_micro)
{
	int64_t whole;
	int64_t micro;
	size_t n;

	if (!take_digits(&text, &whole, &n) || n == 0 || whole > LARGEST_DECIMAL)
		return false;
	micro = whole * MICRO;
	if (take(&text, '.')) {
		if (!at_digit(&text))
			return false;
		for (int64_t weight = MICRO / 10; at_digit(&text) && weight > 0; weight /= 10)
			micro += take_digit(&text) * weight;
	}
	if (text.len > 0 || micro > LARGEST_DECIMAL * MICRO)
		return false;
	*ret_micro = micro;
	return true;
}

bool shk_decimal_parts(struct shk_sv text, int64_t *ret_parts)
{
	int64_t micro;

	return shk_decimal_micro(text, &micro) && shk_muldiv(micro, SHK_PARTS, 1, MICRO, ret_parts);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* value / 10^n_decimals without trailing zeros. */
static void print_fixed(bool is_negative, uint64_t value, int n_decimals, char *buf, size_t size)
{
	uint64_t scale = 1;
	const char *sign = is_negative && value != 0 ? "-" : "";

	while (n_decimals > 0 && value % 10 == 0) {
		value /= 10;
		n_decimals--;
	}
	for (int i = 0; i < n_decimals; i++)
		scale *= 10;
	if (n_decimals == 0)
		(void)snprintf(buf, size, "%s%" PRIu64, sign, value);
	else
		(void)snprintf(buf, size, "%s%" PRIu64 ".%0*" PRIu64, sign, value / scale,
			       n_decimals, value % scale);
}

/* |parts| x scale units, rounded half up. At most 2^63 x 10^6 / SHK_PARTS, so it fits. */
static uint64_t scaled_parts(int64_t parts, int64_t scale)
{
	u128 product = (u128)magnitude(parts) * (uint64_t)scale;

	return (uint64_t)((product + SHK_PARTS / 2) / SHK_PARTS);
}

/* shk_decimal_parts cuts off less than one part, far less than half a millionth: rounding to the
 * nearest millionth finds its input again. */
const char *shk_parts_exact(int64_t parts, char *buf, size_t size)
{
	print_fixed(parts < 0, scaled_parts(parts, MICRO), 6, buf, size);
	return buf;
}

const char *shk_parts_print(int64_t parts, char *buf, size_t size)
{
	print_fixed(parts < 0, scaled_parts(parts, MILLI), 3, buf, size);
	return buf;
}

/*
 * Arithmetic.
 */

bool shk_muldiv(int64_t a, int64_t b, int64_t c, int64_t d, int64_t *ret_value)
{
	u128 product;

	assert(a >= 0 && b >= 0 && c >= 0 && d > 0);
	if (__builtin_mul_overflow((u128)a * (u128)b, (u128)c, &product))
		return false;
	product /= (uint64_t)d;
	if (product > INT64_MAX)
		return false;
	*ret_value = (int64_t)product;
	return true;
}

bool shk_add(int64_t a, int64_t b, int64_t *ret_sum)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret_sum = sum;
	return true;
}

int64_t shk_add_saturated(int64_t a, int64_t b)
{
	int64_t sum;

	if (shk_add(a, b, &sum))
		return sum;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/*
 * Durations and sizes.
 */

struct unit {
	const char *text;
	int64_t factor;
};

/* In nanoseconds, Go's resolution. Micro has two code points, Go reads both. */
static const struct unit duration_units[] = {
    {"ns", 1},
    {"us", 1000},
    {"\xC2\xB5s", 1000},
    {"\xCE\xBCs", 1000},
    {"ms", INT64_C(1000000)},
    {"s", INT64_C(1000000000)},
    {"m", INT64_C(60000000000)},
    {"h", INT64_C(3600000000000)},
    {NULL, 0},
};

static const struct unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"kB", INT64_C(1000)},
    {"KB", INT64_C(1000)},
    {"MB", INT64_C(1000000)},
    {"GB", INT64_C(1000000000)},
    {"TB", INT64_C(1000000000000)},
    {"KiB", INT64_C(1) << 10},
    {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30},
    {"TiB", INT64_C(1) << 40},
    {NULL, 0},
};

/* The unit up to the next number or the end; 0 when there is none of that name. */
static int64_t take_unit(struct shk_sv *in, const struct unit *units)
{
	struct shk_sv name = {.data = in->data};

	while (in->len > 0 && !at_digit(in) && peek(in) != '.')
		skip(in, 1);
	name.len = (size_t)(in->data - name.data);
	while (units->text && !shk_sv_is(name, units->text))
		units++;
	return units->factor;
}

/* One number with its unit, added to *ns; false unless a whole count of nanoseconds. */
static bool take_span(struct shk_sv *in, int64_t *ns)
{
	int64_t whole;
	int64_t fraction = 0;
	int64_t scale = 1;
	size_t n;
	size_t n_decimals = 0;

	if (!take_digits(in, &whole, &n))
		return false;
	if (take(in, '.') && !take_digits(in, &fraction, &n_decimals))
		return false;
	if (n + n_decimals == 0 || n_decimals > 18)
		return false;
	for (size_t i = 0; i < n_decimals; i++)
		scale *= 10;

	u128 factor = (u128)take_unit(in, duration_units);
	u128 rest = (u128)fraction * factor;
	u128 total = (u128)*ns + (u128)whole * factor + rest / (uint64_t)scale;

	if (factor == 0 || rest % (uint64_t)scale != 0 || total > INT64_MAX)
		return false;
	*ns = (int64_t)total;
	return true;
}

bool shk_duration_ms(struct shk_sv text, int64_t *ret_ms)
{
	const int64_t ns_per_ms = 1000000;
	int64_t ns = 0;

	if (text.len == 0)
		return false;
	if (shk_sv_is(text, "0"))
		skip(&text, 1);
	while (text.len > 0) {
		if (!take_span(&text, &ns))
			return false;
	}
	if (ns % ns_per_ms != 0)
		return false;
	*ret_ms = ns / ns_per_ms;
	return true;
}

const char *shk_duration_print(int64_t ms, char *buf, size_t size)
{
	const char *sign = ms < 0 ? "-" : "";
	uint64_t total = magnitude(ms);
	uint64_t hours = total / 3600000;
	uint64_t minutes = total / 60000 % 60;
	char hour_text[24] = "";
	char minute_text[24] = "";
	char second_text[24];

	if (total > 0 && total < 1000) {
		(void)snprintf(buf, size, "%s%" PRIu64 "ms", sign, total);
		return buf;
	}
	if (hours > 0)
		(void)snprintf(hour_text, sizeof hour_text, "%" PRIu64 "h", hours);
	if (minutes > 0)
		(void)snprintf(minute_text, sizeof minute_text, "%" PRIu64 "m", minutes);
	print_fixed(false, total % 60000, 3, second_text, sizeof second_text);
	if (total % 60000 == 0 && total > 0)
		(void)snprintf(buf, size, "%s%s%s", sign, hour_text, minute_text);
	else
		(void)snprintf(buf, size, "%s%s%s%ss", sign, hour_text, minute_text, second_text);
	return buf;
}

bool shk_size_bytes(struct shk_sv text, int64_t *ret_bytes)
{
	int64_t value;
	size_t n;

	if (!take_digits(&text, &value, &n) || n == 0)
		return false;

	int64_t factor = take_unit(&text, size_units);

	if (factor == 0 || text.len > 0)
		return false;
	return shk_muldiv(value, factor, 1, 1, ret_bytes);
}

/*
 * Time stamps. Years are counted from 1 March, so that the leap day is the last one of its year.
 */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t days_from_date(int year, int month, int day)
{
	int64_t march_year = year - (month <= 2);
	int64_t march_month = (month + 9) % 12;
	int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
	int64_t leap_days =
	    floor_div(march_year, 4) - floor_div(march_year, 100) + floor_div(march_year, 400);

	return march_year * 365 + leap_days + day_of_year - DAYS_TO_1970;
}

static int days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && is_leap);
}

static bool take_date(struct shk_sv *in, int64_t *ret_days)
{
	int year;
	int month;
	int day;

	if (!take_field(in, 4, 0, 9999, &year) || !take(in, '-') ||
	    !take_field(in, 2, 1, 12, &month) || !take(in, '-') ||
	    !take_field(in, 2, 1, days_in_month(year, month), &day))
		return false;
	*ret_days = days_from_date(year, month, day);
	return true;
}

static bool take_clock(struct shk_sv *in, int *ret_s)
{
	int hour;
	int minute;
	int second;

	if (!take_field(in, 2, 0, 23, &hour) || !take(in, ':') ||
	    !take_field(in, 2, 0, 59, &minute) || !take(in, ':') ||
	    !take_field(in, 2, 0, 59, &second))
		return false;
	*ret_s = hour * 3600 + minute * 60 + second;
	return true;
}

/* Seconds east of Greenwich. */
static bool take_zone(struct shk_sv *in, int *ret_s)
{
	int hour;
	int minute;

	*ret_s = 0;
	if (take(in, 'Z') || take(in, 'z'))
		return true;

	bool is_west = take(in, '-');

	if (!is_west && !take(in, '+'))
		return false;
	if (!take_field(in, 2, 0, 23, &hour) || !take(in, ':') ||
	    !take_field(in, 2, 0, 59, &minute))
		return false;
	*ret_s = (hour * 3600 + minute * 60) * (is_west ? -1 : 1);
	return true;
}

bool shk_time_parse(struct shk_sv text, int64_t *ret_s)
{
	int64_t days;
	int second;
	int zone;

	if (!take_date(&text, &days) || (!take(&text, 'T') && !take(&text, 't')) ||
	    !take_clock(&text, &second))
		return false;
	if (take(&text, '.')) {
		if (!at_digit(&text))
			return false;
		while (at_digit(&text))
			skip(&text, 1);
	}
	if (!take_zone(&text, &zone) || text.len > 0)
		return false;
	*ret_s = days * SECONDS_PER_DAY + second - zone;
	return true;
}

const char *shk_time_print(int64_t s, char *buf, size_t size)
{
	int64_t days = floor_div(s, SECONDS_PER_DAY) + DAYS_TO_1970;
	int64_t second = (s % SECONDS_PER_DAY + SECONDS_PER_DAY) % SECONDS_PER_DAY;
	int64_t era = floor_div(days, DAYS_PER_ERA);
	int64_t day_of_era = days - era * DAYS_PER_ERA;
	int64_t year_of_era =
	    (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year =
	    day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t march_month = (5 * day_of_year + 2) / 153;
	int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
	int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
	int64_t year = era * 400 + year_of_era + (month <= 2);

	(void)snprintf(buf, size,
		       "%04" PRId64 "-%02" PRId64 "-%02" PRId64 "T%02" PRId64 ":%02" PRId64
		       ":%02" PRId64 "Z",
		       year, month, day, second / 3600, second / 60 % 60, second % 60);
	return buf;
}
