#include "shikiri/core/geometry.h"

#include <stdbool.h>
#include <string.h>

static bool has_label(const struct shk_product_row *row, const char *product)
{
	for (const char *const *label = row->labels; *label; label++) {
		if (strcmp(*label, product) == 0)
			return true;
	}
	return false;
}

const struct shk_product_row *shk_product_find(const char *product)
{
	for (size_t i = 0; i < shk_n_products; i++) {
		if (has_label(&shk_products[i], product))
			return &shk_products[i];
	}
	return NULL;
}

const struct shk_profile_row *shk_profile_find(const struct shk_product_row *product,
					       const char *profile)
{
	for (size_t i = 0; i < product->n_profiles; i++) {
		if (strcmp(product->profiles[i].name, profile) == 0)
			return &product->profiles[i];
	}
	return NULL;
}
