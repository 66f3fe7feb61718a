/* weight.h - how much of a card one unit of a pool is (private). */
#ifndef SHIKIRI_CORE_WEIGHT_H
#define SHIKIRI_CORE_WEIGHT_H

#include "gpu_labels.h"

/* What weighs a pool: the card's row, the labels, the policy. */
struct shk_scale {
	const struct shk_product_row *geometry; /* NULL: not in the table */
	const struct shk_gpu_labels *gpu;
	const struct shk_policy *policy;
};

/* A whole card. */
struct shk_weight shk_weigh_card(const struct shk_scale *scale, int64_t replicas);

/* A MIG slice: profile in resource spelling with the g and gb of its name. slices_gi, slice_mib,
 * card_mib: what labels say, 0 where they don't; used only for a profile that the table lacks. */
struct shk_weight shk_weigh_slice(const struct shk_scale *scale, const struct shk_resource *profile,
				  const struct shk_mig_labels *labels, int64_t card_mib,
				  int64_t replicas);

#endif
