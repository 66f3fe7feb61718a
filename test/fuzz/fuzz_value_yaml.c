/* fuzz_value_yaml.c - any bytes as YAML; what is read prints as JSON and YAML of the same value. */
#include "fuzz.h"

#include "shikiri/wire/value.h"

/* The value's YAML, read back; NULL when it has grown beyond 1 MiB. */
static struct shk_value *through_yaml(const struct shk_value *value)
{
	struct shk_value *back = NULL;
	struct shk_buf yaml = {0};
	struct shk_error err;
	enum shk_status status;

	shk_value_print_yaml(value, &yaml);
	status = shk_value_parse_yaml((struct shk_sv){yaml.data, yaml.len}, &back, &err);
	expect(status == SHK_OK || status == SHK_E_LIMIT);
	shk_buf_fini(&yaml);
	return back;
}

static void expect_same(const struct shk_value *a, const struct shk_value *b)
{
	struct shk_buf left = {0};
	struct shk_buf right = {0};

	shk_value_print(a, &left);
	shk_value_print(b, &right);
	expect(left.len == right.len && memcmp(left.data, right.data, left.len) == 0);
	shk_buf_fini(&left);
	shk_buf_fini(&right);
}

/* The first time 2.0 may become 2, which is what YAML reads it as; then nothing changes. */
static void expect_stable(const struct shk_value *document)
{
	struct shk_value *once = through_yaml(document);
	struct shk_value *twice = NULL;

	if (once && shk_value_size(once) == 1) /* null is an empty stream */
		twice = through_yaml(shk_value_at(once, 0));
	if (twice)
		expect_same(shk_value_at(once, 0), shk_value_at(twice, 0));
	shk_value_free(once);
	shk_value_free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_value *value = NULL;
	struct shk_buf pretty = {0};
	struct shk_error err;
	enum shk_status status = shk_value_parse_yaml(input(data, size), &value, &err);

	if (status) {
		expect_reason(status, &err);
		return 0;
	}
	for (size_t i = 0; i < shk_value_size(value); i++) {
		const struct shk_value *document = shk_value_at(value, i);

		shk_buf_clear(&pretty);
		shk_value_print_pretty(document, &pretty);
		expect(shk_scan((struct shk_sv){pretty.data, pretty.len}, &shk_scan_extender, NULL,
				&err) == SHK_OK);
		expect_stable(document);
	}
	shk_buf_fini(&pretty);
	shk_value_free(value);
	return 0;
}
