#include "weight.h"

#include <string.h>

/* A card without MIG counts like the common MIG card: 7 compute slices, 8 memory units. */
#define DEFAULT_COMPUTE 7
#define DEFAULT_UNITS   8
#define MICRO           1000000

static int64_t named_micro(const struct shk_named_micro *rows, size_t n, const char *name,
			   int64_t otherwise)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].micro;
	}
	return otherwise;
}

static struct shk_weight blank(const struct shk_scale *scale, int64_t replicas)
{
	const struct shk_policy *policy = scale->policy;
	const char *product = scale->gpu->product;

	return (struct shk_weight){
	    .share_num = 1,
	    .share_den = 1,
	    .replicas = replicas < 1 ? 1 : replicas,
	    .factor_micro =
		named_micro(policy->model_factors, policy->n_model_factors, product, MICRO),
	    .price_micro = named_micro(policy->prices, policy->n_prices, product, -1),
	};
}

static int64_t card_compute(const struct shk_product_row *geometry)
{
	return geometry && geometry->compute > 0 ? geometry->compute : DEFAULT_COMPUTE;
}

struct shk_weight shk_weigh_card(const struct shk_scale *scale, int64_t replicas)
{
	struct shk_weight weight = blank(scale, replicas);

	weight.known = true;
	weight.slices = card_compute(scale->geometry);
	weight.gib = scale->geometry ? scale->geometry->gib : 0;
	if (weight.gib == 0)
		weight.gib = (scale->gpu->memory_mib + 1023) / 1024;
	return weight;
}

/* A slice as two fractions of its card: compute/G and memory/M. */
struct slice {
	int64_t compute;
	int64_t compute_of;
	int64_t memory;
	int64_t memory_of;
};

static bool slice_from_table(const struct shk_product_row *geometry, const char *profile,
			     struct slice *ret_slice)
{
	const struct shk_profile_row *row = shk_profile_find(geometry, profile);

	if (!row)
		return false;
	ret_slice->compute = row->compute;
	ret_slice->compute_of = card_compute(geometry);
	/* Cards whose placement units nobody published: memory against memory. */
	ret_slice->memory = geometry->memory_units > 0 ? row->memory_units : row->gib;
	ret_slice->memory_of = geometry->memory_units > 0 ? geometry->memory_units : geometry->gib;
	return true;
}

static bool slice_from_labels(const struct shk_product_row *geometry,
			      const struct shk_mig_labels *labels, int64_t card_mib,
			      struct slice *ret_slice)
{
	int64_t units =
	    geometry && geometry->memory_units > 0 ? geometry->memory_units : DEFAULT_UNITS;

	if (card_mib <= 0 || labels->memory_mib <= 0)
		return false;
	ret_slice->compute = labels->slices_gi;
	ret_slice->compute_of = card_compute(geometry);
	ret_slice->memory = (units * labels->memory_mib + card_mib - 1) / card_mib;
	ret_slice->memory_of = units;
	return true;
}

static bool slice_is_possible(const struct slice *slice)
{
	return slice->compute > 0 && slice->compute <= slice->compute_of && slice->memory > 0 &&
	       slice->memory <= slice->memory_of;
}

static bool memory_dominates(const struct slice *slice)
{
	return slice->memory * slice->compute_of > slice->compute * slice->memory_of;
}

struct shk_weight shk_weigh_slice(const struct shk_scale *scale, const struct shk_resource *profile,
				  const struct shk_mig_labels *labels, int64_t card_mib,
				  int64_t replicas)
{
	struct shk_weight weight = blank(scale, replicas);
	enum shk_mig_charge charge = scale->policy->mig_charge;
	struct slice slice = {.compute = 0};
	bool found = scale->geometry && slice_from_table(scale->geometry, profile->profile, &slice);

	if (!found)
		found = slice_from_labels(scale->geometry, labels, card_mib, &slice);
	if (!found || !slice_is_possible(&slice) || profile->gib <= 0)
		return weight;
	bool by_memory = charge == SHK_MIG_CHARGE_MEMORY ||
			 (charge != SHK_MIG_CHARGE_COMPUTE && memory_dominates(&slice));
	weight.known = true;
	weight.share_num = by_memory ? slice.memory : slice.compute;
	weight.share_den = by_memory ? slice.memory_of : slice.compute_of;
	weight.slices = slice.compute;
	weight.gib = profile->gib;
	return weight;
}
