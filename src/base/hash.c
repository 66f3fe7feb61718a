#include "shikiri/base/hash.h"

#include <nettle/sha2.h>

_Static_assert(SHK_SHA256_SIZE == SHA256_DIGEST_SIZE, "one digest");
_Static_assert(SHK_SHA256_HEX == 2 * SHA256_DIGEST_SIZE + 1, "two digits a byte");

void shk_sha256(const void *a, size_t a_len, const void *b, size_t b_len,
		uint8_t ret_digest[SHK_SHA256_SIZE])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	if (a_len > 0)
		sha256_update(&ctx, a_len, a);
	if (b_len > 0)
		sha256_update(&ctx, b_len, b);
	sha256_digest(&ctx, SHA256_DIGEST_SIZE, ret_digest);
}

void shk_sha256_hex(const void *data, size_t len, char ret_hex[SHK_SHA256_HEX])
{
	uint8_t digest[SHK_SHA256_SIZE];

	shk_sha256(data, len, NULL, 0, digest);
	shk_hex(digest, sizeof digest, ret_hex);
}

void shk_hex(const uint8_t *data, size_t len, char *ret_hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		ret_hex[2 * i] = digits[data[i] >> 4];
		ret_hex[2 * i + 1] = digits[data[i] & 15];
	}
	ret_hex[2 * len] = '\0';
}
