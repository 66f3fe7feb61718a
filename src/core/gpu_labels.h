/* gpu_labels.h - what a node's labels and NodeFacts documents say about its GPUs (private).
 *
 * Label names and values as GPU Feature Discovery and the GPU operator write them, GKE's for its
 * sharing. A label that isn't a plain number where one is due counts as missing. */
#ifndef SHIKIRI_CORE_GPU_LABELS_H
#define SHIKIRI_CORE_GPU_LABELS_H

#include "shikiri/core/node.h"

struct shk_gpu_labels {
	const struct shk_labels *labels;
	bool has_product;
	const char *product;  /* the card: without -SHARED and -MIG-...; "" when missing */
	const char *profile;  /* resource spelling of -MIG-<profile>; "" without */
	bool product_shared;  /* ended in -SHARED */
	bool product_invalid; /* ended in -MIG-INVALID */
	bool has_count;
	int64_t count; /* gpu.count: cards, or MIG devices under single */
	bool has_replicas;
	int64_t replicas;
	enum shk_sharing sharing; /* UNKNOWN when not stated */
	const char *strategy;     /* "none", "single" or "mixed" */
	int64_t memory_mib;       /* of the card, or of the slice under single; 0 unknown */
	int64_t slices_gi;        /* of the slice under single; 0 unknown */
	const char *disagreement; /* NodeFacts against labels or each other; NULL when none */
};

/* What one profile's own labels say (mig-<profile>.*). */
struct shk_mig_labels {
	bool has_count;
	int64_t count;
	bool has_replicas;
	int64_t replicas;
	enum shk_sharing sharing;
	bool product_shared;
	int64_t memory_mib;
	int64_t slices_gi;
};

void shk_gpu_labels_read(struct shk_arena *arena, const struct shk_labels *labels,
			 const struct shk_documents *documents, struct shk_gpu_labels *ret_gpu);
void shk_mig_labels_read(const struct shk_labels *labels, const char *profile,
			 struct shk_mig_labels *ret_mig);

/* A label under nvidia.com/ that is 1..9 digits. */
bool shk_label_number(const struct shk_labels *labels, const char *key, int64_t *ret_value);

#endif
