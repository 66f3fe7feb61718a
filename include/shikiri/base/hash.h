/* hash.h - SHA-256, by nettle. */
#ifndef SHIKIRI_BASE_HASH_H
#define SHIKIRI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SHK_SHA256_SIZE 32
#define SHK_SHA256_HEX  65 /* with the terminator */

/* SHA-256 of a followed by b (either may be empty). */
void shk_sha256(const void *a, size_t a_len, const void *b, size_t b_len,
		uint8_t ret_digest[SHK_SHA256_SIZE]);
void shk_sha256_hex(const void *data, size_t len, char ret_hex[SHK_SHA256_HEX]);
void shk_hex(const uint8_t *data, size_t len, char *ret_hex); /* 2 x len + 1 bytes */

#endif
