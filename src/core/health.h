/* health.h - fences and contradictions of a node (private). */
#ifndef SHIKIRI_CORE_HEALTH_H
#define SHIKIRI_CORE_HEALTH_H

#include "gpu_labels.h"

/* Why no new GPU pod may come now; SHK_FITS when nothing speaks against it. */
enum shk_reason shk_health_fence(const struct shk_labels *labels,
				 const struct shk_node_context *context);

/* What can't all be true of the node, as a sentence, or NULL. pools as built. */
const char *shk_health_contradiction(struct shk_arena *arena, const struct shk_gpu_labels *gpu,
				     const struct shk_pool *pools, size_t n_pools);

#endif
