/* fuzz_value_yaml.c - any bytes as YAML; what is read prints as JSON and YAML of the same value. */
#include "fuzz.h"

#include "shikiri/wire/value.h"

static void expect_same_as_yaml(const struct shk_value *value)
{
	struct shk_buf expected = {0};
	struct shk_buf printed = {0};
	struct shk_buf yaml = {0};
	struct shk_value *back = NULL;
	struct shk_error err;
	enum shk_status status;

	shk_value_print(value, &expected);
	shk_value_print_yaml(value, &yaml);
	status = shk_value_parse_yaml((struct shk_sv){yaml.data, yaml.len}, &back, &err);
	expect(status == SHK_OK || status == SHK_E_LIMIT); /* it may have grown beyond 1 MiB */
	if (status == SHK_OK && shk_value_size(back) == 1) {
		shk_value_print(shk_value_at(back, 0), &printed);
		expect(printed.len == expected.len &&
		       memcmp(printed.data, expected.data, printed.len) == 0);
	}
	shk_value_free(back);
	shk_buf_fini(&expected);
	shk_buf_fini(&printed);
	shk_buf_fini(&yaml);
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
		expect_same_as_yaml(document);
	}
	shk_buf_fini(&pretty);
	shk_value_free(value);
	return 0;
}
