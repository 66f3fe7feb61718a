/* request.h - what a pod really takes, as Kubernetes counts it.
 *
 * Per resource max(containers + sidecars, the largest init container on top of the sidecars that
 * stand before it) + overhead; a limit stands in for a missing request. Source: the resource
 * helpers of Kubernetes' component-helpers and KEP-753. Pure. */
#ifndef SHIKIRI_CORE_REQUEST_H
#define SHIKIRI_CORE_REQUEST_H

#include "shikiri/base/arena.h"
#include "shikiri/core/model.h"

struct shk_claim {
	const struct shk_pod *pod; /* borrowed */
	bool managed; /* asks for a resource under nvidia.com/ with an amount above 0 */
	bool valid;
	const char *invalid_detail; /* what is wrong, with the container's name; NULL when valid */
	const char *bad_name;       /* first asked resource whose name means nothing, or NULL */
	struct shk_vector resources;
	const int64_t *max_in_container; /* parallel to resources: the most any container asks */
	int64_t cpu_milli;
	int64_t priority;
};

/* classes may be NULL: then a pod without spec.priority has priority 0 (or a built-in class's).
 * claim borrows pod; its arrays live in arena. */
void shk_claim_build(const struct shk_pod *pod, const struct shk_priority_class *classes,
		     size_t n_classes, struct shk_arena *arena, struct shk_claim *ret_claim);

int64_t shk_vector_get(const struct shk_vector *vector, const char *resource);

#endif
