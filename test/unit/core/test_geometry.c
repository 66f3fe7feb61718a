#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shikiri/core/geometry.h"

static void the_table_is_whole(void **state)
{
	size_t profiles = 0;

	(void)state;
	for (size_t i = 0; i < shk_n_products; i++)
		profiles += shk_products[i].n_profiles;
	assert_int_equal(shk_n_products, 20);
	assert_int_equal(profiles, 130);
}

static void products_are_found_by_label(void **state)
{
	const struct shk_product_row *a100 = shk_product_find("NVIDIA-A100-SXM4-80GB");

	(void)state;
	assert_non_null(a100);
	assert_int_equal(a100->gib, 80);
	assert_int_equal(a100->compute, 7);
	assert_int_equal(a100->memory_units, 8);
	assert_non_null(shk_product_find("NVIDIA-H200"));
	assert_null(shk_product_find("NVIDIA-L40S"));
	assert_null(shk_product_find(""));
}

/* One name, two weights: a seventh of an 80 GB card, a quarter of a 40 GB one. */
static void the_weight_belongs_to_product_and_profile(void **state)
{
	const struct shk_product_row *small = shk_product_find("NVIDIA-A100-SXM4-40GB");
	const struct shk_product_row *large = shk_product_find("NVIDIA-A100-SXM4-80GB");

	(void)state;
	assert_int_equal(shk_profile_find(small, "1g.10gb")->memory_units, 2);
	assert_int_equal(shk_profile_find(small, "1g.10gb")->max_instances, 4);
	assert_int_equal(shk_profile_find(large, "1g.10gb")->memory_units, 1);
	assert_int_equal(shk_profile_find(large, "1g.10gb")->max_instances, 7);
	assert_non_null(shk_profile_find(large, "1g.10gb.me"));
	assert_null(shk_profile_find(large, "1g.10gb+me"));
}

static void placements_fit_their_card(void **state)
{
	(void)state;
	for (size_t i = 0; i < shk_n_products; i++) {
		const struct shk_product_row *product = &shk_products[i];

		for (size_t k = 0; k < product->n_profiles; k++) {
			const struct shk_profile_row *profile = &product->profiles[k];

			assert_in_range(profile->compute, 1, product->compute);
			if (product->memory_units == 0)
				continue;
			assert_in_range(profile->memory_units, 1, product->memory_units);
			for (int start = 0; start < 32; start++) {
				if (profile->starts >> start & 1)
					assert_true(start + profile->memory_units <=
						    product->memory_units);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_table_is_whole),
	    cmocka_unit_test(products_are_found_by_label),
	    cmocka_unit_test(the_weight_belongs_to_product_and_profile),
	    cmocka_unit_test(placements_fit_their_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
