#include "shikiri/base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* FIPS 180-4 examples. */
static const struct {
	const char *text;
	const char *hex;
} cases[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void known_digests(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char hex[SHK_SHA256_HEX];

		shk_sha256_hex(cases[i].text, strlen(cases[i].text), hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void two_pieces_hash_as_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		size_t len = strlen(cases[i].text);

		for (size_t cut = 0; cut <= len; cut++) {
			uint8_t digest[SHK_SHA256_SIZE];
			char hex[SHK_SHA256_HEX];

			shk_sha256(cases[i].text, cut, cases[i].text + cut, len - cut, digest);
			shk_hex(digest, sizeof digest, hex);
			assert_string_equal(hex, cases[i].hex);
		}
	}
}

static void nothing_may_be_null(void **state)
{
	char hex[SHK_SHA256_HEX];

	(void)state;
	shk_sha256_hex(NULL, 0, hex);
	assert_string_equal(hex, cases[0].hex);
}

static void hex_digits(void **state)
{
	char hex[9] = "........";

	(void)state;
	shk_hex((const uint8_t[]){0x00, 0x0f, 0xa9, 0xff}, 4, hex);
	assert_string_equal(hex, "000fa9ff");
	shk_hex(NULL, 0, hex);
	assert_string_equal(hex, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known_digests),
	    cmocka_unit_test(two_pieces_hash_as_one),
	    cmocka_unit_test(nothing_may_be_null),
	    cmocka_unit_test(hex_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
