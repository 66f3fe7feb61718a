#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shikiri/core/model.h"

static void levels_read_and_print(void **state)
{
	(void)state;
	assert_int_equal(shk_level_parse(NULL), SHK_LEVEL_NONE);
	assert_int_equal(shk_level_parse("mig"), SHK_LEVEL_MIG);
	assert_int_equal(shk_level_parse("card"), SHK_LEVEL_CARD);
	assert_int_equal(shk_level_parse("node"), SHK_LEVEL_NODE);
	assert_int_equal(shk_level_parse(""), SHK_LEVEL_INVALID);
	assert_int_equal(shk_level_parse("Card"), SHK_LEVEL_INVALID);
	assert_string_equal(shk_level_name(SHK_LEVEL_CARD), "card");
	assert_string_equal(shk_level_name(SHK_LEVEL_NONE), "");
	assert_string_equal(shk_level_name(SHK_LEVEL_INVALID), "");
}

static void other_words_round_trip(void **state)
{
	(void)state;
	for (int i = SHK_ISOLATION_SHARED; i <= SHK_ISOLATION_NODE; i++)
		assert_int_equal(shk_isolation_class_parse(
				     shk_isolation_class_name((enum shk_isolation_class)i)),
				 i);
	for (int i = SHK_CLASS_GUARANTEED; i <= SHK_CLASS_BORROWED; i++)
		assert_int_equal(
		    shk_quota_class_parse(shk_quota_class_name((enum shk_quota_class)i)), i);
	for (int i = SHK_ALLOC_RESERVED; i <= SHK_ALLOC_FOREIGN; i++)
		assert_int_equal(
		    shk_alloc_state_parse(shk_alloc_state_name((enum shk_alloc_state)i)), i);
	assert_int_equal(shk_isolation_class_parse("vgpu"), SHK_ISOLATION_UNKNOWN);
	assert_int_equal(shk_quota_class_parse(NULL), SHK_CLASS_NONE);
	assert_int_equal(shk_alloc_state_parse("gone"), SHK_ALLOC_NONE);
}

static void labels_are_found_by_key(void **state)
{
	static const struct shk_pair pairs[] = {{"a", "1"}, {"b", "2"}, {"d", "4"}};
	const struct shk_labels labels = {pairs, 3};
	const struct shk_labels none = {NULL, 0};

	(void)state;
	assert_string_equal(shk_labels_get(&labels, "a"), "1");
	assert_string_equal(shk_labels_get(&labels, "b"), "2");
	assert_string_equal(shk_labels_get(&labels, "d"), "4");
	assert_null(shk_labels_get(&labels, "c"));
	assert_null(shk_labels_get(&labels, "e"));
	assert_null(shk_labels_get(&none, "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(levels_read_and_print),
	    cmocka_unit_test(other_words_round_trip),
	    cmocka_unit_test(labels_are_found_by_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
