/* fuzz_scan.c - our scanner against the JSON library: both accept the same texts (but for our
 * limits), and read the same values from them. */
#include "fuzz.h"

#include <jansson.h>

#include "shikiri/wire/scan.h"
#include "shikiri/wire/value.h"

#define FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)

static const char *const cut_keys[] = {"managedFields", "a", NULL};

static const struct shk_scan_limits plain = {
    .max_bytes = (size_t)1 << 20,
    .max_depth = 64,
    .max_depth_unread = 64,
    .max_tokens = (size_t)1 << 20,
};

static const struct shk_scan_limits cutting = {
    .max_bytes = (size_t)1 << 20,
    .max_depth = 64,
    .max_depth_unread = 64,
    .max_tokens = (size_t)1 << 20,
    .cut_keys = cut_keys,
};

static void expect_same_value(struct shk_sv text, const json_t *expected)
{
	struct shk_buf printed = {0};
	struct shk_value *value = NULL;
	struct shk_error err;
	json_t *tree;

	expect(shk_value_parse(text, &plain, &value, &err) == SHK_OK);
	shk_value_print(value, &printed);
	tree = json_loadb(printed.data, printed.len, FLAGS, NULL);
	expect(tree && json_equal(tree, expected));
	json_decref(tree);
	shk_value_free(value);
	shk_buf_fini(&printed);
}

/* Without cut members the text is still JSON, and cutting it again changes nothing. */
static void expect_sound_cut(struct shk_sv text)
{
	struct shk_buf once = {0};
	struct shk_buf twice = {0};
	struct shk_error err;

	expect(shk_scan(text, &cutting, &once, &err) == SHK_OK);
	expect(once.len <= text.len);
	expect(shk_scan((struct shk_sv){once.data, once.len}, &cutting, &twice, &err) == SHK_OK);
	expect(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
	shk_buf_fini(&once);
	shk_buf_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_error err;
	enum shk_status status = shk_scan(input(data, size), &plain, NULL, &err);
	json_t *tree;

	if (status)
		expect_reason(status, &err);
	if (status == SHK_E_LIMIT || (status && strstr(err.text, "number that is too long")))
		return 0; /* the library has no such limits */
	if (size > 0 && memchr(data, '\0', size)) {
		expect(status != SHK_OK); /* the library skips a NUL byte behind a number */
		return 0;
	}
	tree = json_loadb((const char *)data, size, FLAGS, NULL);
	expect((tree != NULL) == (status == SHK_OK));
	if (tree) {
		expect_same_value(input(data, size), tree);
		expect_sound_cut(input(data, size));
	}
	json_decref(tree);
	return 0;
}
