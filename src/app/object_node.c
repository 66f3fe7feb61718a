#include "object.h"

#include <stdlib.h>

/* What these need besides pools and residents, so that one block is usually enough. */
#define BASE_BYTES ((size_t)64)
#define NODE_BYTES ((size_t)64)

/* --- cluster -------------------------------------------------------------------------------- */

static void free_cluster(struct shk_object *object)
{
	struct shk_cluster_object *cluster = (struct shk_cluster_object *)object;

	shk_arena_fini(&cluster->arena);
	free(cluster);
}

static struct shk_labels copy_labels(const struct shk_labels *from, struct shk_arena *arena)
{
	struct shk_pair *items = SHK_NEW_ARRAY(arena, from->n, struct shk_pair);

	for (size_t i = 0; i < from->n; i++) {
		items[i].key = shk_arena_strdup(arena, from->items[i].key);
		items[i].value = shk_arena_strdup(arena, from->items[i].value);
	}
	return (struct shk_labels){items, from->n};
}

static void copy_namespaces(struct shk_cluster_object *cluster, const struct shk_namespace *from,
			    size_t n)
{
	struct shk_namespace *items = SHK_NEW_ARRAY(&cluster->arena, n, struct shk_namespace);

	for (size_t i = 0; i < n; i++) {
		items[i].name = shk_arena_strdup(&cluster->arena, from[i].name);
		items[i].labels = copy_labels(&from[i].labels, &cluster->arena);
	}
	cluster->namespaces = items;
	cluster->n_namespaces = n;
}

static void copy_classes(struct shk_cluster_object *cluster, const struct shk_priority_class *from,
			 size_t n)
{
	struct shk_priority_class *items =
	    SHK_NEW_ARRAY(&cluster->arena, n, struct shk_priority_class);

	for (size_t i = 0; i < n; i++) {
		items[i] = from[i];
		items[i].name = shk_arena_strdup(&cluster->arena, from[i].name);
	}
	cluster->classes = items;
	cluster->n_classes = n;
}

struct shk_cluster_object *shk_cluster_object_new(const struct shk_namespace *namespaces,
						  size_t n_namespaces,
						  const struct shk_priority_class *classes,
						  size_t n_classes)
{
	struct shk_cluster_object *cluster = shk_object_alloc(sizeof *cluster, free_cluster);

	shk_arena_init(&cluster->arena, 0);
	copy_namespaces(cluster, namespaces, n_namespaces);
	copy_classes(cluster, classes, n_classes);
	return cluster;
}

/* --- bases ---------------------------------------------------------------------------------- */

static void free_base(struct shk_object *object)
{
	struct shk_base_object *base = (struct shk_base_object *)object;

	shk_arena_fini(&base->arena);
	shk_object_unref(&base->facts->head);
	shk_object_unref(&base->policy->head);
	shk_object_unref(&base->documents->head);
	free(base);
}

struct shk_base_object *shk_base_object_new(struct shk_facts_object *facts,
					    struct shk_policy_object *policy,
					    struct shk_documents_object *documents, unsigned marks)
{
	struct shk_base_object *base = shk_object_alloc(sizeof *base, free_base);
	struct shk_node_context context = {
	    .policy = &policy->policy,
	    .documents = &documents->documents,
	    .cordoned = (marks & 1U << SHK_MARK_CORDONED) != 0,
	    .reconfiguring = (marks & 1U << SHK_MARK_RECONFIGURING) != 0,
	    .resting = (marks & 1U << SHK_MARK_RESTING) != 0,
	};

	base->facts = (struct shk_facts_object *)shk_object_ref(&facts->head);
	base->policy = (struct shk_policy_object *)shk_object_ref(&policy->head);
	base->documents = (struct shk_documents_object *)shk_object_ref(&documents->head);
	base->marks = marks;
	shk_arena_init(&base->arena,
		       BASE_BYTES + facts->facts.n_resources * sizeof(struct shk_pool));
	shk_node_base_build(&base->arena, &facts->facts, &context, &base->base);
	return base;
}

/* --- nodes ---------------------------------------------------------------------------------- */

static void free_node(struct shk_object *object)
{
	struct shk_node_object *node = (struct shk_node_object *)object;

	for (size_t i = 0; i < node->n_allocs; i++)
		shk_object_unref(&node->allocs[i]->head);
	shk_arena_fini(&node->arena);
	shk_object_unref(&node->base->head);
	free(node);
}

static void keep_allocs(struct shk_node_object *node, struct shk_alloc_object *const *allocs,
			size_t n)
{
	node->allocs = SHK_NEW_ARRAY(&node->arena, n, struct shk_alloc_object *);
	node->n_allocs = n;
	for (size_t i = 0; i < n; i++)
		node->allocs[i] = (struct shk_alloc_object *)shk_object_ref(&allocs[i]->head);
}

struct shk_node_object *shk_node_object_new(struct shk_base_object *base,
					    struct shk_alloc_object *const *allocs, size_t n_allocs,
					    int64_t cpu_used_milli)
{
	struct shk_node_object *node = shk_object_alloc(sizeof *node, free_node);
	const struct shk_policy *policy = &base->policy->policy;
	const struct shk_tenancy *tenancy = &base->documents->tenancy;
	size_t each = sizeof(struct shk_resident) + sizeof(struct shk_alloc_object *);
	struct shk_resident *residents;
	struct shk_arena scratch;

	shk_arena_init(&node->arena, NODE_BYTES + n_allocs * each +
					 base->base.n_pools * sizeof(struct shk_occupancy));
	node->base = (struct shk_base_object *)shk_object_ref(&base->head);
	keep_allocs(node, allocs, n_allocs);

	shk_arena_init(&scratch, n_allocs * sizeof *residents);
	residents = SHK_NEW_ARRAY(&scratch, n_allocs, struct shk_resident);
	for (size_t i = 0; i < n_allocs; i++) {
		const struct shk_alloc *alloc = &allocs[i]->alloc;

		residents[i] = (struct shk_resident){
		    .alloc = alloc,
		    .level = shk_tenancy_alloc_level(tenancy, policy, alloc),
		    .infrastructure = *alloc->domain == '\0',
		};
	}
	shk_node_build(&node->arena, &base->base, residents, n_allocs, cpu_used_milli, &node->node);
	shk_arena_fini(&scratch);
	return node;
}
