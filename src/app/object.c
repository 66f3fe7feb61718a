#include "object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "shikiri/core/request.h"
#include "shikiri/core/resource.h"

void shk_object_init(struct shk_object *object, void (*free_)(struct shk_object *object))
{
	atomic_init(&object->refs, 1);
	object->free_ = free_;
}

struct shk_object *shk_object_ref(struct shk_object *object)
{
	atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
	return object;
}

void shk_object_unref(struct shk_object *object)
{
	if (!object)
		return;

	uint32_t before = atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel);

	assert(before > 0);
	if (before == 1)
		object->free_(object);
}

bool shk_object_is_alone(struct shk_object *object)
{
	return atomic_load_explicit(&object->refs, memory_order_acquire) == 1;
}

void *shk_object_alloc(size_t size, void (*free_)(struct shk_object *object))
{
	struct shk_object *object = calloc(1, size);

	if (!object)
		abort();
	shk_object_init(object, free_);
	return object;
}

static void free_block(struct shk_object *object)
{
	free(object);
}

struct shk_name_object *shk_name_object_new(const char *name)
{
	size_t size = strlen(name) + 1;
	struct shk_name_object *object = shk_object_alloc(sizeof *object + size, free_block);

	memcpy(object->name, name, size);
	return object;
}

/* --- facts ---------------------------------------------------------------------------------- */

static void free_facts(struct shk_object *object)
{
	struct shk_facts_object *facts = (struct shk_facts_object *)object;

	shk_words_unref(facts->words);
	free(facts);
}

static const char *share(struct shk_block *block, struct shk_words *words, const char *text)
{
	const char *word = shk_words_get(words, text);

	return word ? word : shk_block_text(block, text);
}

static void copy_labels(struct shk_block *block, struct shk_words *words,
			const struct shk_labels *from, struct shk_labels *to)
{
	struct shk_pair *items = shk_block_copy(block, from->items, from->n * sizeof *items);

	for (size_t i = 0; i < from->n; i++) {
		const char *key = share(block, words, from->items[i].key);
		const char *value = share(block, words, from->items[i].value);

		if (items)
			items[i] = (struct shk_pair){key, value};
	}
	to->items = items;
}

static void copy_facts(struct shk_block *block, struct shk_words *words,
		       const struct shk_node_facts *from, struct shk_node_facts *to)
{
	struct shk_node_resource *resources;

	*to = *from;
	to->name = shk_block_text(block, from->name);
	to->uid = shk_block_text(block, from->uid);
	to->resource_version = shk_block_text(block, from->resource_version);
	copy_labels(block, words, &from->labels, &to->labels);
	resources = shk_block_copy(block, from->resources, from->n_resources * sizeof *resources);
	for (size_t i = 0; i < from->n_resources; i++) {
		const char *name = share(block, words, from->resources[i].resource);

		if (resources)
			resources[i].resource = name;
	}
	to->resources = resources;
}

struct shk_facts_object *shk_facts_object_new(const struct shk_node_facts *facts,
					      struct shk_words *words)
{
	struct shk_block block = {0};
	struct shk_node_facts measured;
	struct shk_facts_object *object;

	copy_facts(&block, words, facts, &measured);
	object = shk_object_alloc(sizeof *object + block.used, free_facts);
	block = (struct shk_block){.base = (char *)(object + 1)};
	copy_facts(&block, words, facts, &object->facts);
	object->words = shk_words_ref(words);
	return object;
}

/* --- allocations ---------------------------------------------------------------------------- */

static void copy_alloc(struct shk_block *block, const struct shk_alloc *from, struct shk_alloc *to)
{
	*to = *from;
	to->uid = shk_block_text(block, from->uid);
	to->namespace_ = shk_block_text(block, from->namespace_);
	to->name = shk_block_text(block, from->name);
	to->tenant = shk_block_text(block, from->tenant);
	to->domain = shk_block_text(block, from->domain);
	to->node = shk_block_text(block, from->node);
	to->resources = shk_block_vector(block, &from->resources);
}

struct shk_alloc_object *shk_alloc_object_new(const struct shk_alloc *alloc)
{
	struct shk_block block = {0};
	struct shk_alloc measured;
	struct shk_alloc_object *object;

	copy_alloc(&block, alloc, &measured);
	object = shk_object_alloc(sizeof *object + block.used, free_block);
	block = (struct shk_block){.base = (char *)(object + 1)};
	copy_alloc(&block, alloc, &object->alloc);
	return object;
}

/* --- pods ----------------------------------------------------------------------------------- */

static const struct shk_ask *copy_asks(struct shk_block *block, const struct shk_ask *from,
				       size_t n)
{
	struct shk_ask *asks = shk_block_copy(block, from, n * sizeof *asks);

	for (size_t i = 0; i < n; i++) {
		const char *name = shk_block_text(block, from[i].resource);

		if (asks)
			asks[i].resource = name;
	}
	return asks;
}

static void copy_containers(struct shk_block *block, const struct shk_pod *from, struct shk_pod *to)
{
	struct shk_container *items =
	    shk_block_copy(block, from->containers, from->n_containers * sizeof *items);

	for (size_t i = 0; i < from->n_containers; i++) {
		const struct shk_container *container = &from->containers[i];
		const char *name = shk_block_text(block, container->name);
		const struct shk_ask *asks = copy_asks(block, container->asks, container->n_asks);

		if (items) {
			items[i].name = name;
			items[i].asks = asks;
		}
	}
	to->containers = items;
	to->overhead = copy_asks(block, from->overhead, from->n_overhead);
}

/* The name is the end of the key, so that it stands there once. */
static void copy_identity(struct shk_block *block, const struct shk_pod *from,
			  struct shk_pod_object *to)
{
	size_t namespace_len = strlen(from->namespace_);
	size_t size = namespace_len + 1 + strlen(from->name) + 1;
	char *key = block->base ? block->base + block->used : NULL;

	block->used += size;
	to->pod.uid = shk_block_text(block, from->uid);
	to->pod.namespace_ = shk_block_text(block, from->namespace_);
	to->key = key;
	if (!key)
		return;
	memcpy(key, from->namespace_, namespace_len);
	key[namespace_len] = '/';
	memcpy(key + namespace_len + 1, from->name, strlen(from->name) + 1);
	to->pod.name = key + namespace_len + 1;
}

static void copy_pod(struct shk_block *block, const struct shk_pod *from, struct shk_pod_object *to)
{
	to->pod = *from;
	copy_identity(block, from, to);
	to->pod.resource_version = shk_block_text(block, from->resource_version);
	to->pod.node_name = shk_block_text(block, from->node_name);
	to->pod.scheduler_name = shk_block_text(block, from->scheduler_name);
	to->pod.phase_reason = NULL; /* looked at while it is news */
	to->pod.priority_class = shk_block_text(block, from->priority_class);
	copy_containers(block, from, &to->pod);
}

const struct shk_pod *shk_pod_copy(const struct shk_pod *pod, struct shk_arena *arena)
{
	struct shk_pod_object *copy;
	struct shk_block block = {0};
	struct shk_pod_object measured = {0};

	if (!pod)
		return NULL;
	copy_pod(&block, pod, &measured);
	copy = shk_arena_alloc(arena, sizeof *copy + block.used);
	block = (struct shk_block){.base = (char *)(copy + 1)};
	copy_pod(&block, pod, copy);
	if (pod->phase_reason)
		copy->pod.phase_reason = shk_arena_strdup(arena, pod->phase_reason);
	return &copy->pod;
}

static struct shk_pod_object *pod_copy(const struct shk_pod *pod)
{
	struct shk_block block = {0};
	struct shk_pod_object measured = {0};
	struct shk_pod_object *object;

	copy_pod(&block, pod, &measured);
	object = shk_object_alloc(sizeof *object + block.used, free_block);
	block = (struct shk_block){.base = (char *)(object + 1)};
	copy_pod(&block, pod, object);
	return object;
}

struct shk_pod_object *shk_pod_object_new(const struct shk_pod *pod)
{
	struct shk_pod kept = *pod;
	struct shk_pod_object *object;
	struct shk_claim claim;
	struct shk_arena arena;

	shk_arena_init(&arena, 0);
	shk_claim_build(pod, NULL, 0, &arena, &claim);
	if (!claim.managed) {
		kept.n_containers = 0;
		kept.n_overhead = 0;
	}
	object = pod_copy(&kept);
	object->managed = claim.managed;
	object->countable = claim.resources.n > 0;
	object->cpu_milli = claim.cpu_milli;
	shk_arena_fini(&arena);
	return object;
}

struct shk_pod_object *shk_pod_object_bound(const struct shk_pod_object *pod, const char *node)
{
	struct shk_pod bound = pod->pod;
	struct shk_pod_object *object;

	bound.node_name = node;
	bound.phase = SHK_PHASE_RUNNING;
	object = pod_copy(&bound);
	object->managed = pod->managed;
	object->countable = pod->countable;
	object->cpu_milli = pod->cpu_milli;
	return object;
}

bool shk_pod_object_is_ended(const struct shk_pod_object *pod)
{
	return shk_pod_is_ended(&pod->pod);
}

bool shk_pod_object_is_placed(const struct shk_pod_object *pod)
{
	return pod->pod.node_name && !shk_pod_object_is_ended(pod);
}
