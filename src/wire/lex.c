#include "lex.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/str.h"

#define EACH_BYTE(c)         (UINT64_C(0x0101010101010101) * (c))
#define SURELY_FINITE_LENGTH 100 /* with an exponent of at most two digits */

/* The high bit of each byte that ends a plain run. Borrows spoil bytes above the first hit only,
 * and only the first hit is used. */
static uint64_t specials(uint64_t word)
{
	uint64_t quotes = word ^ EACH_BYTE('"');
	uint64_t backslashes = word ^ EACH_BYTE('\\');
	uint64_t hits = (quotes - EACH_BYTE(1)) & ~quotes;

	hits |= (backslashes - EACH_BYTE(1)) & ~backslashes;
	hits |= (word - EACH_BYTE(0x20)) & ~word;
	return (hits | word) & EACH_BYTE(0x80);
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

size_t lex_plain(const char *at, const char *end)
{
	const char *start = at;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	while (end - at >= 8) {
		uint64_t word;

		memcpy(&word, at, sizeof word);
		word = specials(word);
		if (word)
			return (size_t)(at - start) + (size_t)__builtin_ctzll(word) / 8;
		at += 8;
	}
#endif
	while (at < end && is_plain((unsigned char)*at))
		at++;
	return (size_t)(at - start);
}

static bool is_within(unsigned char c, unsigned low, unsigned high)
{
	return c >= low && c <= high;
}

/* The second byte's range depends on the first: no overlong forms, no surrogates, nothing above
 * U+10FFFF (Unicode, table 3-7). */
size_t lex_utf8(const char *at, const char *end)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high;
		size_t len;
	} rows[] = {
	    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
	    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
	    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
	};
	const unsigned char *bytes = (const unsigned char *)at;
	size_t left = (size_t)(end - at);

	if (left > 0 && bytes[0] < 0x80)
		return 1;
	for (size_t i = 0; left > 0 && i < sizeof rows / sizeof rows[0]; i++) {
		if (!is_within(bytes[0], rows[i].first_low, rows[i].first_high))
			continue;
		if (left < rows[i].len ||
		    !is_within(bytes[1], rows[i].second_low, rows[i].second_high))
			return 0;
		for (size_t k = 2; k < rows[i].len; k++) {
			if (!is_within(bytes[k], 0x80, 0xBF))
				return 0;
		}
		return rows[i].len;
	}
	return 0;
}

/* Four hexadecimal digits, or -1. */
static long hex4(const char *at, const char *end)
{
	long value = 0;

	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = shk_hex_digit(at[i]);

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

static bool is_high_surrogate(long code)
{
	return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low_surrogate(long code)
{
	return code >= 0xDC00 && code <= 0xDFFF;
}

/* at stands behind "\u". */
static const char *lex_unicode_escape(const char *at, const char *end, const char **ret_reason)
{
	long code = hex4(at, end);

	*ret_reason = "\\u without four hexadecimal digits";
	if (code < 0)
		return NULL;
	*ret_reason = "\\u0000 is not allowed";
	if (code == 0)
		return NULL;
	*ret_reason = "half a surrogate pair";
	if (is_low_surrogate(code))
		return NULL;
	if (!is_high_surrogate(code))
		return at + 4;
	if (end - at < 6 || at[4] != '\\' || at[5] != 'u' || !is_low_surrogate(hex4(at + 6, end)))
		return NULL;
	return at + 10;
}

/* at stands behind the backslash. */
static const char *lex_escape(const char *at, const char *end, const char **ret_reason)
{
	*ret_reason = "unknown escape";
	if (at == end || *at == '\0' || !strchr("\"\\/bfnrtu", *at))
		return NULL;
	if (*at == 'u')
		return lex_unicode_escape(at + 1, end, ret_reason);
	return at + 1;
}

const char *lex_string(const char *at, const char *end, bool *ret_escaped, const char **ret_reason)
{
	*ret_escaped = false;
	for (;;) {
		at += lex_plain(at, end);
		*ret_reason = "a string without its closing quote";
		if (at == end)
			return NULL;
		if (*at == '"')
			return at + 1;
		if (*at == '\\') {
			*ret_escaped = true;
			at = lex_escape(at + 1, end, ret_reason);
			if (!at)
				return NULL;
			continue;
		}
		*ret_reason = "a control character in a string";
		if ((unsigned char)*at < 0x20)
			return NULL;

		size_t len = lex_utf8(at, end);

		*ret_reason = "not valid UTF-8";
		if (len == 0)
			return NULL;
		at += len;
	}
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

static const char *skip_sign(const char *at, const char *end, const char *signs)
{
	return at < end && *at != '\0' && strchr(signs, *at) ? at + 1 : at;
}

/* strtoll and strtod want a terminated text. */
static bool fits(const char *at, size_t len, bool is_real)
{
	char text[LONGEST_NUMBER + 1];
	char *rest;

	memcpy(text, at, len);
	text[len] = '\0';
	errno = 0;
	if (is_real)
		return isfinite(strtod(text, &rest));
	(void)strtoll(text, &rest, 10); /* only its range matters */
	return errno != ERANGE;
}

/* Adds the fraction and the exponent behind at; NULL when one of them has no digits. */
static const char *lex_real_part(const char *at, const char *end, size_t *ret_exponent)
{
	const char *digits;

	*ret_exponent = 0;
	if (at < end && *at == '.') {
		digits = at + 1;
		at = skip_digits(digits, end);
		if (at == digits)
			return NULL;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		digits = skip_sign(at + 1, end, "+-");
		at = skip_digits(digits, end);
		if (at == digits)
			return NULL;
		*ret_exponent = (size_t)(at - digits);
	}
	return at;
}

const char *lex_number(const char *at, const char *end, const char **ret_reason)
{
	const char *start = at;
	const char *digits = skip_sign(at, end, "-");
	const char *whole = skip_digits(digits, end);
	size_t exponent;

	*ret_reason = "not a number";
	if (whole == digits || (*digits == '0' && whole - digits > 1))
		return NULL;
	at = lex_real_part(whole, end, &exponent);
	if (!at)
		return NULL;

	size_t len = (size_t)(at - start);
	bool is_real = at > whole;

	if (is_real ? len < SURELY_FINITE_LENGTH && exponent <= 2 : len <= 18)
		return at;
	*ret_reason = "a number that is too long";
	if (len > LONGEST_NUMBER)
		return NULL;
	*ret_reason = is_real ? "a number that is too large" : "an integer of more than 64 bits";
	return fits(start, len, is_real) ? at : NULL;
}

static size_t put_utf8(unsigned long code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | (code >> 6));
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | (code >> 12));
		out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | (code >> 18));
	out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
	out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

/* at stands behind "\u" of an escape that lex_string accepted. */
static const char *unescape_unicode(const char *at, const char *end, char *out, size_t *ret_len)
{
	unsigned long code = (unsigned long)hex4(at, end);

	at += 4;
	if (is_high_surrogate((long)code)) {
		unsigned long low = (unsigned long)hex4(at + 2, end);

		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		at += 6;
	}
	*ret_len = put_utf8(code, out);
	return at;
}

static char unescaped(char c)
{
	switch (c) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return c;
	}
}

size_t lex_unescape(const char *text, size_t len, char *out)
{
	const char *end = text + len;
	size_t n = 0;

	while (text < end) {
		size_t added;

		if (*text != '\\') {
			out[n++] = *text++;
			continue;
		}
		if (text[1] != 'u') {
			out[n++] = unescaped(text[1]);
			text += 2;
			continue;
		}
		text = unescape_unicode(text + 2, end, out + n, &added);
		n += added;
	}
	return n;
}
