#include "text.h"

#include <string.h>

#define LONGEST ((size_t)60)

const char *text_quote(struct shk_sv text, char out[TEXT_QUOTED_SIZE])
{
	size_t len = text.len;
	size_t n = 0;

	if (len > LONGEST) {
		len = LONGEST;
		while (len > 0 && ((unsigned char)text.data[len] & 0xC0) == 0x80)
			len--;
	}
	out[n++] = '"';
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text.data[i];

		out[n] = text.data[i];
		if (c < 0x20 || c == 0x7F)
			out[n] = '?';
		n++;
	}
	if (len < text.len) {
		memcpy(out + n, "...", 3);
		n += 3;
	}
	out[n++] = '"';
	out[n] = '\0';
	return out;
}
