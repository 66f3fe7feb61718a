#include "shikiri/core/charge.h"

#include "shikiri/base/units.h"

#define MICRO INT64_C(1000000)

/* count x num x parts x scale / (den x replicas x 10^6), one division at the end. */
static bool fraction(const struct shk_weight *weight, int64_t count, int64_t scale_micro,
		     int64_t *ret_parts)
{
	int64_t divisor = weight->share_den * weight->replicas * MICRO;

	return shk_muldiv(count * weight->share_num, SHK_PARTS, scale_micro, divisor, ret_parts);
}

bool shk_charge_weight(const struct shk_weight *weight, int64_t count,
		       struct shk_charge *ret_charge)
{
	struct shk_charge charge = {.known = {false}};
	int64_t *parts = charge.parts;

	if (!weight->known) {
		*ret_charge = charge;
		return true;
	}
	charge.known[SHK_UNIT_GPU_EQUIVALENTS] = true;
	charge.known[SHK_UNIT_COMPUTE_SLICES] = true;
	charge.known[SHK_UNIT_MEMORY_GIB] = weight->gib > 0;
	charge.known[SHK_UNIT_COST_PER_HOUR] = weight->price_micro >= 0;
	bool fits = fraction(weight, count, weight->factor_micro, &parts[SHK_UNIT_GPU_EQUIVALENTS]);
	fits = fits && shk_muldiv(count, weight->slices, SHK_PARTS, weight->replicas,
				  &parts[SHK_UNIT_COMPUTE_SLICES]);
	fits = fits && shk_muldiv(count, weight->gib, SHK_PARTS, weight->replicas,
				  &parts[SHK_UNIT_MEMORY_GIB]);
	if (charge.known[SHK_UNIT_COST_PER_HOUR])
		fits = fits &&
		       fraction(weight, count, weight->price_micro, &parts[SHK_UNIT_COST_PER_HOUR]);
	if (fits)
		*ret_charge = charge;
	return fits;
}

/* A unit is known only while every addend is. */
static bool add_charge(struct shk_charge *sum, const struct shk_charge *addend)
{
	for (int unit = 0; unit < SHK_UNIT_COUNT; unit++) {
		sum->known[unit] = sum->known[unit] && addend->known[unit];
		if (!shk_add(sum->parts[unit], addend->parts[unit], &sum->parts[unit]))
			return false;
	}
	return true;
}

bool shk_charge_vector(const struct shk_node_base *base, const struct shk_vector *resources,
		       struct shk_charge *ret_charge)
{
	static const struct shk_weight unknown = {.known = false};
	struct shk_charge sum = {.known = {true, true, true, true}};

	for (size_t i = 0; i < resources->n; i++) {
		const struct shk_pool *pool = shk_node_pool(base, resources->items[i].resource);
		struct shk_charge charge;

		if (!shk_charge_weight(pool ? &pool->weight : &unknown, resources->items[i].count,
				       &charge) ||
		    !add_charge(&sum, &charge))
			return false;
	}
	*ret_charge = sum;
	return true;
}
