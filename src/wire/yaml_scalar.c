#include "yaml_scalar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER ((size_t)128)
#define LARGEST_WHOLE  1e15 /* a double holds every integer up to here */

static const struct {
	const char *word;
	enum yaml_scalar_type type;
} words[] = {
    {"", YAML_SCALAR_NULL},           {"~", YAML_SCALAR_NULL},
    {"null", YAML_SCALAR_NULL},       {"Null", YAML_SCALAR_NULL},
    {"NULL", YAML_SCALAR_NULL},       {"true", YAML_SCALAR_TRUE},
    {"True", YAML_SCALAR_TRUE},       {"TRUE", YAML_SCALAR_TRUE},
    {"yes", YAML_SCALAR_TRUE},        {"Yes", YAML_SCALAR_TRUE},
    {"YES", YAML_SCALAR_TRUE},        {"on", YAML_SCALAR_TRUE},
    {"On", YAML_SCALAR_TRUE},         {"ON", YAML_SCALAR_TRUE},
    {"false", YAML_SCALAR_FALSE},     {"False", YAML_SCALAR_FALSE},
    {"FALSE", YAML_SCALAR_FALSE},     {"no", YAML_SCALAR_FALSE},
    {"No", YAML_SCALAR_FALSE},        {"NO", YAML_SCALAR_FALSE},
    {"off", YAML_SCALAR_FALSE},       {"Off", YAML_SCALAR_FALSE},
    {"OFF", YAML_SCALAR_FALSE},       {".inf", YAML_SCALAR_NOT_FINITE},
    {".Inf", YAML_SCALAR_NOT_FINITE}, {".INF", YAML_SCALAR_NOT_FINITE},
    {".nan", YAML_SCALAR_NOT_FINITE}, {".NaN", YAML_SCALAR_NOT_FINITE},
    {".NAN", YAML_SCALAR_NOT_FINITE},
};

static enum yaml_scalar_type find_word(struct shk_sv text)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (shk_sv_is(text, words[i].word))
			return words[i].type;
	}
	return YAML_SCALAR_STRING;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [-+]? then digits with an optional point, or a point and digits, then maybe an exponent. */
static bool is_real(const char *at)
{
	size_t whole;
	size_t fraction = 0;

	at += *at == '-' || *at == '+';
	whole = strspn(at, "0123456789");
	at += whole;
	if (*at == '.') {
		fraction = strspn(at + 1, "0123456789");
		at += 1 + fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (*at != 'e' && *at != 'E')
		return *at == '\0';
	at++;
	at += *at == '-' || *at == '+';
	return is_digit(*at) && at[strspn(at, "0123456789")] == '\0';
}

/* The digits behind the prefix, and their base; 0 when they are none of that base. */
static int number_base(const char **digits)
{
	static const struct {
		const char *prefix;
		const char *allowed;
		int base;
	} rows[] = {
	    {"0x", "0123456789abcdefABCDEF", 16},
	    {"0X", "0123456789abcdefABCDEF", 16},
	    {"0o", "01234567", 8},
	    {"0O", "01234567", 8},
	    {"0b", "01", 2},
	    {"0B", "01", 2},
	    {"0", "01234567", 8},
	    {"", "0123456789", 10},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *rest;

		if (!shk_str_starts(*digits, rows[i].prefix))
			continue;
		rest = *digits + strlen(rows[i].prefix);
		if (*rest == '\0')
			continue;
		*digits = rest;
		return rest[strspn(rest, rows[i].allowed)] == '\0' ? rows[i].base : 0;
	}
	return 0;
}

/* number has no underscores any more. */
static enum yaml_scalar_type read_integer(const char *number, int64_t *ret_integer)
{
	const char *digits = number + (*number == '-' || *number == '+');
	int base = number_base(&digits);
	char signed_digits[LONGEST_NUMBER + 2] = {*number == '-' ? '-' : '+'};

	if (base == 0)
		return YAML_SCALAR_STRING;
	memcpy(signed_digits + 1, digits, strlen(digits) + 1);
	errno = 0;
	*ret_integer = strtoll(signed_digits, NULL, base);
	return errno == ERANGE ? YAML_SCALAR_TOO_LARGE : YAML_SCALAR_INTEGER;
}

static enum yaml_scalar_type read_real(const char *number, int64_t *ret_integer, double *ret_real)
{
	double value = strtod(number, NULL);

	if (!isfinite(value))
		return YAML_SCALAR_STRING;
	if (fabs(value) <= LARGEST_WHOLE && !(floor(value) < value)) {
		*ret_integer = (int64_t)value;
		return YAML_SCALAR_INTEGER;
	}
	*ret_real = value;
	return YAML_SCALAR_REAL;
}

enum yaml_scalar_type yaml_scalar_read(struct shk_sv text, int64_t *ret_integer, double *ret_real)
{
	char number[LONGEST_NUMBER + 1] = {0};
	size_t n = 0;
	bool is_signed = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
	enum yaml_scalar_type type = find_word(text);

	if (type != YAML_SCALAR_STRING)
		return type;
	if (is_signed &&
	    find_word((struct shk_sv){text.data + 1, text.len - 1}) == YAML_SCALAR_NOT_FINITE)
		return YAML_SCALAR_NOT_FINITE;
	if (text.len > LONGEST_NUMBER ||
	    !(is_signed || is_digit(text.data[0]) || text.data[0] == '.'))
		return YAML_SCALAR_STRING;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] != '_')
			number[n++] = text.data[i];
	}
	type = read_integer(number, ret_integer);
	if (type != YAML_SCALAR_STRING || !is_real(number))
		return type;
	return read_real(number, ret_integer, ret_real);
}
