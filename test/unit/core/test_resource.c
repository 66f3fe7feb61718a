#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shikiri/core/resource.h"

static void names_are_read(void **state)
{
	static const struct {
		const char *name;
		enum shk_resource_kind kind;
		bool shared;
		const char *profile;
		int compute;
		int gib;
	} cases[] = {
	    {"nvidia.com/gpu", SHK_RESOURCE_IS_GPU, false, "", 0, 0},
	    {"nvidia.com/gpu.shared", SHK_RESOURCE_IS_GPU, true, "", 0, 0},
	    {"nvidia.com/mig-1g.10gb", SHK_RESOURCE_IS_MIG, false, "1g.10gb", 1, 10},
	    {"nvidia.com/mig-7g.141gb", SHK_RESOURCE_IS_MIG, false, "7g.141gb", 7, 141},
	    {"nvidia.com/mig-1g.10gb.me", SHK_RESOURCE_IS_MIG, false, "1g.10gb.me", 1, 10},
	    {"nvidia.com/mig-1g.24gb.me.all.shared", SHK_RESOURCE_IS_MIG, true, "1g.24gb.me.all", 1,
	     24},
	    {"nvidia.com/mig-2g.48gb.gfx", SHK_RESOURCE_IS_MIG, false, "2g.48gb.gfx", 2, 48},
	    {"nvidia.com/mig-1g.24gb-me", SHK_RESOURCE_IS_MIG, false, "1g.24gb-me", 1, 24},
	    {"nvidia.com/mig-9g.999gb", SHK_RESOURCE_IS_MIG, false, "9g.999gb", 9, 999},
	    {"nvidia.com/mig-1g.10gb+me", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-1g.10gb.foo", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-g.10gb", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-1g.gb", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-1g10gb", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-1c.3g.40gb", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-12345g.10gb", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-.shared", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/mig-1g.10gb.me.all.and.a.very.long.tail", SHK_RESOURCE_MALFORMED, false,
	     "", 0, 0},
	    {"nvidia.com/GPU", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/pgpu", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	    {"nvidia.com/", SHK_RESOURCE_MALFORMED, false, "", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shk_resource resource = shk_resource_parse(cases[i].name);

		print_message("%s\n", cases[i].name);
		assert_int_equal(resource.kind, cases[i].kind);
		assert_int_equal(resource.shared, cases[i].shared);
		assert_string_equal(resource.profile, cases[i].profile);
		assert_int_equal(resource.compute, cases[i].compute);
		assert_int_equal(resource.gib, cases[i].gib);
	}
}

static void only_nvidia_names_are_managed(void **state)
{
	(void)state;
	assert_true(shk_resource_is_managed("nvidia.com/anything"));
	assert_false(shk_resource_is_managed("cpu"));
	assert_false(shk_resource_is_managed("nvidia.community/gpu"));
	assert_false(shk_resource_is_managed("requests.nvidia.com/gpu"));
}

static void profiles_are_read_in_both_spellings(void **state)
{
	struct shk_resource profile = {.kind = SHK_RESOURCE_MALFORMED};

	(void)state;
	assert_true(shk_profile_parse("1g.10gb+me.all", &profile));
	assert_string_equal(profile.profile, "1g.10gb.me.all");
	assert_true(shk_profile_parse("3g.40gb", &profile));
	assert_int_equal(profile.compute, 3);
	assert_false(shk_profile_parse("3g.40", &profile));
	assert_false(shk_profile_parse("3g.40gb.shared", &profile));
	assert_false(shk_profile_parse("1g.10gb+me+me+me+me+me+me+me+me+me", &profile));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_read),
	    cmocka_unit_test(only_nvidia_names_are_managed),
	    cmocka_unit_test(profiles_are_read_in_both_spellings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
