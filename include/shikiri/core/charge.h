/* charge.h - what an allocation costs in each unit. Pure; exact integers (base/units.h). */
#ifndef SHIKIRI_CORE_CHARGE_H
#define SHIKIRI_CORE_CHARGE_H

#include <stdbool.h>

#include "shikiri/core/model.h"
#include "shikiri/core/node.h"

/* What count units of a pool of this weight cost. false when it doesn't fit 63 bits. */
bool shk_charge_weight(const struct shk_weight *weight, int64_t count,
		       struct shk_charge *ret_charge);

/* What the whole vector costs on this node; a resource the node doesn't weigh makes every unit
 * unknown. false on overflow. */
bool shk_charge_vector(const struct shk_node_base *base, const struct shk_vector *resources,
		       struct shk_charge *ret_charge);

#endif
