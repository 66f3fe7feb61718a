#include "health.h"

#include <string.h>

#include "shikiri/base/str.h"

/* --- fences --------------------------------------------------------------------------------- */

static bool any_component_is(const struct shk_labels *labels, const char *value)
{
	for (size_t i = 0; i < labels->n; i++) {
		if (shk_str_starts(labels->items[i].key, "nvidia.com/gpu.deploy.") &&
		    strcmp(labels->items[i].value, value) == 0)
			return true;
	}
	return false;
}

/* upgrade-required only queues the node, pods still run and come. */
static bool driver_is_settled(const struct shk_labels *labels)
{
	const char *state = shk_labels_get(labels, "nvidia.com/gpu-driver-upgrade-state");

	return !state || strcmp(state, "upgrade-done") == 0 ||
	       strcmp(state, "upgrade-required") == 0;
}

enum shk_reason shk_health_fence(const struct shk_labels *labels,
				 const struct shk_node_context *context)
{
	const char *mig = shk_labels_get(labels, "nvidia.com/mig.config.state");

	if (context->cordoned)
		return SHK_REASON_GPU_CORDONED;
	if (shk_str_equals(mig, "failed"))
		return SHK_REASON_MIG_FAILED;
	if (context->reconfiguring || (mig && strcmp(mig, "success") != 0) ||
	    any_component_is(labels, "paused-for-mig-change"))
		return SHK_REASON_MIG_RECONFIGURING;
	if (!driver_is_settled(labels) || any_component_is(labels, "paused-for-driver-upgrade"))
		return SHK_REASON_DRIVER_UPGRADING;
	return SHK_FITS;
}

/* --- contradictions --------------------------------------------------------------------------- */

/* What the rules look at. */
struct case_file {
	struct shk_arena *arena;
	const struct shk_gpu_labels *gpu;
	const struct shk_pool *pools;
	size_t n_pools;
};

static const struct shk_pool *find_pool(const struct case_file *file, const char *resource)
{
	for (size_t i = 0; i < file->n_pools; i++) {
		if (strcmp(file->pools[i].resource, resource) == 0)
			return &file->pools[i];
	}
	return NULL;
}

static int64_t allocatable(const struct case_file *file, const char *resource)
{
	const struct shk_pool *pool = find_pool(file, resource);

	return pool ? pool->allocatable : 0;
}

/* MIG mode left on under strategy none, or an entry left over from before a change. */
static const char *rule_not_whole(const struct case_file *file)
{
	if (file->gpu->product_invalid)
		return "gpu.product ends in -MIG-INVALID: the cards are not cut alike";
	if (file->gpu->has_replicas && file->gpu->replicas == 0 &&
	    allocatable(file, SHK_RESOURCE_GPU) > 0)
		return "gpu.replicas is 0 while nvidia.com/gpu is offered: the cards are in MIG "
		       "mode or the entry is left over";
	return NULL;
}

/* One set of devices can't be offered whole and shared at once. */
static const char *rule_two_names(const struct case_file *file)
{
	for (size_t i = 0; i < file->n_pools; i++) {
		const struct shk_pool *pool = &file->pools[i];

		if (pool->name.kind == SHK_RESOURCE_MALFORMED || pool->name.shared ||
		    pool->allocatable == 0)
			continue;
		const char *twin = shk_arena_printf(file->arena, "%s.shared", pool->resource);
		if (allocatable(file, twin) > 0)
			return shk_arena_printf(file->arena, "%s and %s are both offered",
						pool->resource, twin);
	}
	return NULL;
}

static const char *missing_gpu_label(const struct shk_gpu_labels *gpu)
{
	if (!gpu->has_product)
		return "gpu.product";
	if (!gpu->has_count)
		return "gpu.count";
	return gpu->has_replicas ? NULL : "gpu.replicas";
}

static const char *missing_mig_label(const struct case_file *file, const struct shk_pool *pool)
{
	struct shk_mig_labels mig;

	shk_mig_labels_read(file->gpu->labels, pool->name.profile, &mig);
	if (!file->gpu->has_product)
		return "gpu.product";
	if (!mig.has_count)
		return shk_arena_printf(file->arena, "mig-%s.count", pool->name.profile);
	if (!mig.has_replicas)
		return shk_arena_printf(file->arena, "mig-%s.replicas", pool->name.profile);
	return NULL;
}

static const char *rule_missing_label(const struct case_file *file)
{
	for (size_t i = 0; i < file->n_pools; i++) {
		const struct shk_pool *pool = &file->pools[i];
		const char *label = NULL;

		if (pool->allocatable == 0)
			continue;
		if (pool->name.kind == SHK_RESOURCE_IS_GPU)
			label = missing_gpu_label(file->gpu);
		if (pool->name.kind == SHK_RESOURCE_IS_MIG)
			label = missing_mig_label(file, pool);
		if (label)
			return shk_arena_printf(file->arena,
						"%s is offered without the label nvidia.com/%s",
						pool->resource, label);
	}
	return NULL;
}

/* Against capacity: sick devices leave allocatable only. */
static const char *rule_mig_count(const struct case_file *file)
{
	for (size_t i = 0; i < file->n_pools; i++) {
		const struct shk_pool *pool = &file->pools[i];
		struct shk_mig_labels mig;

		if (pool->name.kind != SHK_RESOURCE_IS_MIG || pool->capacity == 0)
			continue;
		shk_mig_labels_read(file->gpu->labels, pool->name.profile, &mig);
		int64_t replicas = mig.replicas > 1 ? mig.replicas : 1;
		if (mig.has_count && mig.has_replicas && mig.count * replicas != pool->capacity)
			return shk_arena_printf(
			    file->arena, "%s: the labels' count times replicas is not capacity",
			    pool->resource);
	}
	return NULL;
}

static const char *rule_gpu_count(const struct case_file *file)
{
	const struct shk_gpu_labels *gpu = file->gpu;
	const struct shk_pool *pool = find_pool(file, SHK_RESOURCE_GPU);

	if (!gpu->has_count)
		return NULL;
	if (gpu->count == 0)
		return "gpu.count is 0";
	if (pool && strcmp(gpu->strategy, "mixed") != 0 && pool->capacity % gpu->count != 0)
		return "the capacity of nvidia.com/gpu is not a multiple of gpu.count";
	return NULL;
}

static const char *rule_documents(const struct case_file *file)
{
	return file->gpu->disagreement;
}

const char *shk_health_contradiction(struct shk_arena *arena, const struct shk_gpu_labels *gpu,
				     const struct shk_pool *pools, size_t n_pools)
{
	static const char *(*const rules[])(const struct case_file *) = {
	    rule_documents, /* first: it explains labels that then are missing */
	    rule_not_whole, rule_two_names, rule_missing_label, rule_mig_count, rule_gpu_count,
	};
	struct case_file file = {.arena = arena, .gpu = gpu, .pools = pools, .n_pools = n_pools};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const char *sentence = rules[i](&file);

		if (sentence)
			return sentence;
	}
	return NULL;
}
