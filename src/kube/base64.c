#include "base64.h"

#include <string.h>

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

/* Bits that don't fill a byte have to be zero. */
static bool flush(uint32_t bits, unsigned digits, unsigned pads, struct shk_buf *out)
{
	if (digits == 0)
		return pads == 0;
	if (digits == 2 && pads == 2 && (bits & 0xF) == 0) {
		shk_buf_putc(out, (char)(bits >> 4));
		return true;
	}
	if (digits == 3 && pads == 1 && (bits & 0x3) == 0) {
		shk_buf_putc(out, (char)(bits >> 10));
		shk_buf_putc(out, (char)(bits >> 2));
		return true;
	}
	return false;
}

static void put_group(uint32_t bits, struct shk_buf *out)
{
	shk_buf_putc(out, (char)(bits >> 16));
	shk_buf_putc(out, (char)(bits >> 8));
	shk_buf_putc(out, (char)bits);
}

static bool decode(struct shk_sv text, struct shk_buf *out)
{
	uint32_t bits = 0;
	unsigned digits = 0;
	unsigned pads = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		int value = digit(c);

		if (c == '\n' || c == '\r')
			continue;
		if (c == '=' && ++pads <= 2)
			continue;
		if (value < 0 || pads > 0)
			return false;
		bits = (bits << 6 | (uint32_t)value) & 0xFFFFFF;
		if (++digits == 4) {
			put_group(bits, out);
			digits = 0;
			bits = 0;
		}
	}
	return flush(bits, digits, pads, out);
}

bool base64_decode(struct shk_sv text, struct shk_buf *out)
{
	size_t before = out->len;

	if (decode(text, out))
		return true;
	out->len = before;
	return false;
}
