#include "shikiri/core/node.h"

#include <stdlib.h>
#include <string.h>

#include "gpu_labels.h"
#include "health.h"
#include "shikiri/base/str.h"
#include "weight.h"

static const char *const kind_names[] = {"unknown", "card", "mig", "shared", "shared-mig"};

const char *shk_pool_kind_name(enum shk_pool_kind kind)
{
	return kind_names[kind];
}

bool shk_pool_is_soft(enum shk_pool_kind kind)
{
	return kind == SHK_POOL_SHARED || kind == SHK_POOL_SHARED_MIG;
}

/* --- pools ---------------------------------------------------------------------------------- */

static bool gke_shares(const struct shk_labels *labels)
{
	int64_t clients = 0;

	return shk_labels_get(labels, "cloud.google.com/gke-gpu-sharing-strategy") ||
	       (shk_label_number(labels, "cloud.google.com/gke-max-shared-clients-per-gpu",
				 &clients) &&
		clients > 1);
}

/* Any one signal makes nvidia.com/gpu a shared pool, whatever its name says. */
static bool gpu_is_shared(const struct shk_gpu_labels *gpu, const struct shk_policy *policy,
			  int64_t capacity)
{
	bool vgpu = shk_str_equals(shk_labels_get(gpu->labels, "nvidia.com/vgpu.present"), "true");

	return (gpu->has_replicas && gpu->replicas > 1) ||
	       gpu->sharing == SHK_SHARING_TIME_SLICING || gpu->sharing == SHK_SHARING_MPS ||
	       gpu->product_shared || (gpu->has_count && capacity > gpu->count) ||
	       gke_shares(gpu->labels) || (vgpu && !policy->vgpu_is_card);
}

static bool slice_is_shared(const struct shk_mig_labels *mig, int64_t capacity)
{
	return mig->replicas > 1 || mig->sharing == SHK_SHARING_TIME_SLICING ||
	       mig->sharing == SHK_SHARING_MPS || mig->product_shared ||
	       (mig->has_count && capacity > mig->count);
}

/* Under mixed, gpu.count counts MIG-enabled cards too, so it can't divide capacity. */
static int64_t gpu_replicas(const struct shk_gpu_labels *gpu, int64_t capacity)
{
	if (strcmp(gpu->strategy, "mixed") == 0 && gpu->replicas > 1)
		return gpu->replicas;
	if (!gpu->has_count || gpu->count == 0)
		return gpu->replicas;
	return capacity / gpu->count;
}

static enum shk_sharing soft_mode(const struct shk_labels *labels, enum shk_sharing stated)
{
	const char *gke = shk_labels_get(labels, "cloud.google.com/gke-gpu-sharing-strategy");

	if (stated == SHK_SHARING_MPS || shk_str_equals(gke, "mps"))
		return SHK_SHARING_MPS;
	return SHK_SHARING_TIME_SLICING;
}

static enum shk_pool_kind kind_of(bool slice, bool soft)
{
	if (slice)
		return soft ? SHK_POOL_SHARED_MIG : SHK_POOL_MIG;
	return soft ? SHK_POOL_SHARED : SHK_POOL_CARD;
}

static void build_gpu_pool(const struct shk_scale *scale, struct shk_pool *pool)
{
	const struct shk_gpu_labels *gpu = scale->gpu;
	bool slice = *gpu->profile != '\0';
	bool soft = pool->name.shared || gpu_is_shared(gpu, scale->policy, pool->capacity);
	int64_t replicas = soft ? gpu_replicas(gpu, pool->capacity) : 1;

	pool->kind = kind_of(slice, soft);
	pool->disguised = soft && !pool->name.shared;
	pool->sharing = soft ? soft_mode(gpu->labels, gpu->sharing) : SHK_SHARING_NONE;
	if (!slice) {
		pool->weight = shk_weigh_card(scale, replicas);
		return;
	}
	/* Under single the node's labels describe the slice; only the table knows the card. */
	struct shk_resource profile = {.kind = SHK_RESOURCE_MALFORMED};
	struct shk_mig_labels labels = {.memory_mib = gpu->memory_mib, .slices_gi = gpu->slices_gi};
	int64_t card_mib = scale->geometry ? (int64_t)scale->geometry->gib * 1024 : 0;
	(void)shk_profile_parse(gpu->profile, &profile);
	pool->weight = shk_weigh_slice(scale, &profile, &labels, card_mib, replicas);
}

static void build_mig_pool(const struct shk_scale *scale, struct shk_pool *pool)
{
	const struct shk_gpu_labels *gpu = scale->gpu;
	struct shk_mig_labels mig;

	shk_mig_labels_read(gpu->labels, pool->name.profile, &mig);
	bool soft = pool->name.shared || slice_is_shared(&mig, pool->capacity);
	pool->kind = kind_of(true, soft);
	pool->disguised = soft && !pool->name.shared;
	pool->sharing = soft ? soft_mode(gpu->labels, mig.sharing) : SHK_SHARING_NONE;
	pool->weight =
	    shk_weigh_slice(scale, &pool->name, &mig, gpu->memory_mib, soft ? mig.replicas : 1);
}

static void build_pool(const struct shk_scale *scale, const struct shk_node_resource *resource,
		       struct shk_pool *pool)
{
	*pool = (struct shk_pool){
	    .resource = resource->resource,
	    .name = shk_resource_parse(resource->resource),
	    .capacity = resource->capacity,
	    .allocatable = resource->allocatable,
	};
	if (pool->name.kind == SHK_RESOURCE_IS_GPU)
		build_gpu_pool(scale, pool);
	if (pool->name.kind == SHK_RESOURCE_IS_MIG)
		build_mig_pool(scale, pool);
}

void shk_node_base_build(struct shk_arena *arena, const struct shk_node_facts *facts,
			 const struct shk_node_context *context, struct shk_node_base *ret_base)
{
	struct shk_gpu_labels gpu;
	struct shk_pool *pools = SHK_NEW_ARRAY(arena, facts->n_resources, struct shk_pool);

	shk_gpu_labels_read(arena, &facts->labels, context->documents, &gpu);
	struct shk_scale scale = {
	    .geometry = shk_product_find(gpu.product), .gpu = &gpu, .policy = context->policy};
	for (size_t i = 0; i < facts->n_resources; i++)
		build_pool(&scale, &facts->resources[i], &pools[i]);
	*ret_base = (struct shk_node_base){
	    .facts = facts,
	    .product = gpu.product,
	    .geometry = scale.geometry,
	    .strategy = gpu.strategy,
	    .pools = pools,
	    .n_pools = facts->n_resources,
	    .fence = shk_health_fence(&facts->labels, context),
	    .contradiction = shk_health_contradiction(arena, &gpu, pools, facts->n_resources),
	    .resting = context->resting,
	    .name_hash = shk_str_hash(facts->name),
	};
}

/* A node offers a handful of resources: no search is quicker than looking at each. */
const struct shk_pool *shk_node_pool(const struct shk_node_base *base, const char *resource)
{
	for (size_t i = 0; i < base->n_pools; i++) {
		if (strcmp(base->pools[i].resource, resource) == 0)
			return &base->pools[i];
	}
	return NULL;
}

/* --- residents -------------------------------------------------------------------------------- */

static int by_uid(const void *a, const void *b)
{
	const struct shk_resident *x = a;
	const struct shk_resident *y = b;

	return strcmp(x->alloc->uid, y->alloc->uid);
}

static void note_owner(struct shk_occupancy *pool, const char *domain, bool first, int64_t count)
{
	if (first)
		pool->owner = domain;
	else if (!pool->owner || strcmp(pool->owner, domain) != 0)
		pool->mixed = true;
	if (pool->mixed)
		pool->owner = NULL;
	pool->owner_shares += count;
}

static void occupy(const struct shk_node_base *base, const struct shk_resident *resident,
		   struct shk_occupancy *pools)
{
	const struct shk_vector *resources = &resident->alloc->resources;

	for (size_t i = 0; i < resources->n; i++) {
		const struct shk_pool *pool = shk_node_pool(base, resources->items[i].resource);
		int64_t count = resources->items[i].count;

		if (!pool)
			continue;
		struct shk_occupancy *occupied = &pools[pool - base->pools];
		occupied->used += count;
		if (!resident->infrastructure)
			note_owner(occupied, resident->alloc->domain,
				   !occupied->owner && !occupied->mixed, count);
	}
}

void shk_node_build(struct shk_arena *arena, const struct shk_node_base *base,
		    const struct shk_resident *residents, size_t n_residents,
		    int64_t cpu_used_milli, struct shk_node *ret_node)
{
	struct shk_resident *sorted = SHK_NEW_ARRAY(arena, n_residents, struct shk_resident);
	struct shk_occupancy *pools = SHK_NEW_ARRAY(arena, base->n_pools, struct shk_occupancy);

	for (size_t i = 0; i < n_residents; i++)
		sorted[i] = residents[i];
	if (n_residents > 1)
		qsort(sorted, n_residents, sizeof(sorted[0]), by_uid);
	for (size_t i = 0; i < n_residents; i++)
		occupy(base, &sorted[i], pools);
	*ret_node = (struct shk_node){
	    .base = base,
	    .residents = sorted,
	    .n_residents = n_residents,
	    .pools = pools,
	    .cpu_used_milli = cpu_used_milli,
	};
}

int64_t shk_node_free(const struct shk_node *node, size_t pool)
{
	int64_t left = node->base->pools[pool].allocatable - node->pools[pool].used;

	return left > 0 ? left : 0;
}

int64_t shk_node_deficit(const struct shk_node *node, size_t pool)
{
	int64_t over = node->pools[pool].used - node->base->pools[pool].allocatable;

	return over > 0 ? over : 0;
}
