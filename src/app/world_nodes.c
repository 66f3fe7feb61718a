#include "world_priv.h"

#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* --- rules ---------------------------------------------------------------------------------- */

static void rebuild_books(struct shk_world *world)
{
	struct shk_edition *edition = world->next;
	struct shk_object **allocs;
	struct shk_arena scratch;

	shk_arena_init(&scratch, 0);
	allocs = shk_index_all(&edition->allocs, &scratch);
	shk_books_init(&edition->books, &edition->arena);
	for (size_t i = 0; i < edition->directory->n; i++)
		shk_books_node(&edition->books, edition->nodes[i]->base, +1);
	for (size_t i = 0; i < edition->allocs.n; i++)
		shk_books_alloc(&edition->books, &((struct shk_alloc_object *)allocs[i])->alloc,
				+1);
	shk_arena_fini(&scratch);
}

void shk_world_alloc_clear(struct shk_world *world)
{
	struct shk_edition *edition = world->next;

	for (size_t i = 0; i < edition->directory->n; i++) {
		struct shk_node_edit *edit = shk_world_edit(world, i);

		while (edit->n > 0)
			shk_object_unref(&edit->allocs[--edit->n]->head);
	}
	world->changed = true;
	shk_index_fini(&edition->allocs);
	(void)shk_world_settle(world);
	rebuild_books(world);
}

static struct shk_base_object *base_of(const struct shk_edition *edition,
				       struct shk_facts_object *facts)
{
	unsigned marks = 0;

	for (int mark = 0; mark < SHK_MARK_COUNT; mark++) {
		if (shk_edition_is_marked(edition, (enum shk_mark)mark, facts->facts.name))
			marks |= 1U << mark;
	}
	return shk_base_object_new(facts, edition->policy, edition->documents, marks);
}

static void rebase(struct shk_world *world, size_t index, struct shk_facts_object *facts)
{
	struct shk_node_edit *edit = shk_world_edit(world, index);
	struct shk_base_object *base = base_of(world->next, facts);

	shk_object_unref(&edit->base->head);
	edit->base = base;
}

void shk_world_rules(struct shk_world *world, struct shk_policy_object *policy,
		     struct shk_documents_object *documents)
{
	struct shk_edition *edition = world->next;

	world->changed = true;
	world->loosened = true;
	if (policy) {
		(void)shk_object_ref(&policy->head); /* the same pointer again */
		shk_object_unref(&edition->policy->head);
		edition->policy = policy;
	}
	if (documents) {
		(void)shk_object_ref(&documents->head); /* the same pointer again */
		shk_object_unref(&edition->documents->head);
		edition->documents = documents;
	}
	(void)shk_world_settle(world);
	for (size_t i = 0; i < edition->directory->n; i++)
		rebase(world, i, shk_edition_node(edition, i)->base->facts);
	(void)shk_world_settle(world);
	rebuild_books(world);
}

void shk_world_cluster(struct shk_world *world, struct shk_documents_object *documents)
{
	struct shk_edition *edition = world->next;

	world->changed = true;
	world->loosened = true;
	(void)shk_object_ref(&documents->head); /* the same pointer again */
	shk_object_unref(&edition->documents->head);
	edition->documents = documents;
	shk_edition_show(edition);
}

void shk_world_not_ready(struct shk_world *world, const char *cause)
{
	world->changed = true;
	world->loosened = world->loosened || (!cause && world->next->shown.view.not_ready);
	world->next->shown.view.not_ready = cause;
}

/* --- nodes ---------------------------------------------------------------------------------- */

static void replace_node(struct shk_world *world, size_t index, struct shk_facts_object *facts)
{
	struct shk_node_edit *edit = shk_world_edit(world, index);

	shk_books_node(&world->next->books, &edit->base->base, -1);
	rebase(world, index, facts);
	shk_books_node(&world->next->books, &edit->base->base, +1);
}

void shk_world_mark(struct shk_world *world, enum shk_mark mark, const char *node, bool on)
{
	struct shk_edition *edition = world->next;
	int64_t index = shk_edition_node_index(edition, node);

	world->changed = true;
	if (on) {
		struct shk_name_object *name = shk_name_object_new(node);

		shk_index_put(&edition->marks[mark], name->name, &name->head);
		shk_object_unref(&name->head);
	} else {
		world->loosened = true;
		(void)shk_index_remove(&edition->marks[mark], node);
	}
	if (index < 0)
		return;
	(void)shk_world_settle(world);
	replace_node(world, (size_t)index, shk_edition_node(edition, (size_t)index)->base->facts);
}

/* The pods and allocations of nodes that are new: they may have been there before the node. */
static void adopt_uses(struct shk_world *world, const bool *is_new)
{
	struct shk_edition *edition = world->next;
	struct shk_object **all;
	struct shk_arena scratch;

	shk_arena_init(&scratch, 0);
	all = shk_index_all(&edition->allocs, &scratch);
	for (size_t i = 0; i < edition->allocs.n; i++) {
		struct shk_alloc_object *alloc = (struct shk_alloc_object *)all[i];
		int64_t at = shk_edition_node_index(edition, alloc->alloc.node);

		if (at >= 0 && is_new[at])
			shk_world_edit_push(shk_world_edit(world, (size_t)at), alloc);
	}
	all = shk_index_all(&edition->pods, &scratch);
	for (size_t i = 0; i < edition->pods.n; i++) {
		struct shk_pod_object *pod = (struct shk_pod_object *)all[i];
		int64_t at =
		    pod->pod.node_name ? shk_edition_node_index(edition, pod->pod.node_name) : -1;

		if (at >= 0 && is_new[at])
			shk_world_cpu(world, pod, +1);
	}
	shk_arena_fini(&scratch);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct shk_node_object *x = *(struct shk_node_object *const *)a;
	const struct shk_node_object *y = *(struct shk_node_object *const *)b;

	return strcmp(x->base->facts->facts.name, y->base->facts->facts.name);
}

/* Takes the references in nodes, which are sorted. */
static void lay_out(struct shk_edition *edition, struct shk_node_object **nodes, size_t n)
{
	edition->n_chunks = (n + SHK_CHUNK_NODES - 1) / SHK_CHUNK_NODES;
	edition->chunks = SHK_NEW_ARRAY(&edition->arena, edition->n_chunks, struct shk_chunk *);
	for (size_t i = 0; i < edition->n_chunks; i++)
		edition->chunks[i] = shk_object_alloc(sizeof(struct shk_chunk), shk_chunk_free);
	edition->nodes = SHK_NEW_ARRAY(&edition->arena, n, const struct shk_node *);
	for (size_t i = 0; i < n; i++)
		shk_world_place(edition, i, nodes[i]);
}

static void free_directory(struct shk_object *object)
{
	struct shk_directory *directory = (struct shk_directory *)object;

	shk_arena_fini(&directory->arena);
	free(directory);
}

static struct shk_directory *directory_new(struct shk_node_object *const *nodes, size_t n)
{
	struct shk_directory *directory = shk_object_alloc(sizeof *directory, free_directory);

	shk_arena_init(&directory->arena, 0);
	shk_map_init(&directory->map, &directory->arena, n);
	directory->names = SHK_NEW_ARRAY(&directory->arena, n, const char *);
	directory->n = n;
	for (size_t i = 0; i < n; i++) {
		directory->names[i] =
		    shk_arena_strdup(&directory->arena, nodes[i]->base->facts->facts.name);
		/* Names are unique. */
		(void)shk_map_add(&directory->map, directory->names[i], (uint32_t)i);
	}
	return directory;
}

/* The directory is replaced by nodes, which are sorted and whose references are taken. The world
 * is settled. */
static void replace_directory(struct shk_world *world, struct shk_node_object **nodes, size_t n)
{
	struct shk_edition *edition = world->next;
	struct shk_directory *old = edition->directory;
	struct shk_chunk **chunks = edition->chunks;
	size_t n_chunks = edition->n_chunks;

	edition->directory = directory_new(nodes, n);
	lay_out(edition, nodes, n);
	for (size_t i = 0; i < n_chunks; i++)
		shk_object_unref(&chunks[i]->head);
	shk_object_unref(&old->head);
	free(world->edit_of);
	world->edit_of = NULL;
}

/* Those of the directory, then the new ones, sorted; each with a reference. */
static struct shk_node_object **all_nodes(struct shk_edition *edition,
					  struct shk_facts_object *const *facts, size_t n)
{
	size_t n_old = edition->directory->n;
	struct shk_node_object **nodes = must(calloc(n_old + n, sizeof(void *)));

	for (size_t i = 0; i < n_old; i++)
		nodes[i] =
		    (struct shk_node_object *)shk_object_ref(&shk_edition_node(edition, i)->head);
	for (size_t i = 0; i < n; i++) {
		struct shk_base_object *base = base_of(edition, facts[i]);

		nodes[n_old + i] = shk_node_object_new(base, NULL, 0, 0);
		shk_books_node(&edition->books, &base->base, +1);
		shk_object_unref(&base->head);
	}
	qsort(nodes, n_old + n, sizeof(void *), compare_nodes);
	return nodes;
}

/* Nodes with names that the directory lacks; the world is settled. */
static void add_nodes(struct shk_world *world, struct shk_facts_object *const *facts, size_t n)
{
	struct shk_edition *edition = world->next;
	size_t total = edition->directory->n + n;
	struct shk_node_object **nodes = all_nodes(edition, facts, n);
	bool *is_new = must(calloc(total, sizeof *is_new));

	for (size_t i = 0; i < total; i++)
		is_new[i] = shk_edition_node_index(edition, nodes[i]->base->facts->facts.name) < 0;
	replace_directory(world, nodes, total);
	adopt_uses(world, is_new);
	free(is_new);
	free(nodes);
}

void shk_world_nodes_gone(struct shk_world *world, const char *const *names, size_t n)
{
	struct shk_edition *edition = world->next;
	size_t n_old = edition->directory->n;
	struct shk_node_object **kept = must(calloc(n_old + 1, sizeof(void *)));
	bool *is_gone = must(calloc(n_old + 1, sizeof *is_gone));
	size_t n_kept = 0;

	(void)shk_world_settle(world);
	for (size_t i = 0; i < n; i++) {
		int64_t index = shk_edition_node_index(edition, names[i]);

		if (index >= 0)
			is_gone[index] = true;
	}
	for (size_t i = 0; i < n_old; i++) {
		struct shk_node_object *node = shk_edition_node(edition, i);

		if (is_gone[i])
			shk_books_node(&edition->books, &node->base->base, -1);
		else
			kept[n_kept++] = (struct shk_node_object *)shk_object_ref(&node->head);
	}
	world->changed = true;
	replace_directory(world, kept, n_kept);
	(void)shk_world_settle(world);
	free(is_gone);
	free(kept);
}

void shk_world_nodes(struct shk_world *world, struct shk_facts_object *const *facts, size_t n)
{
	struct shk_facts_object **fresh = must(calloc(n + 1, sizeof(struct shk_facts_object *)));
	size_t n_fresh = 0;

	world->changed = true;
	world->loosened = true;
	for (size_t i = 0; i < n; i++) {
		int64_t index = shk_edition_node_index(world->next, facts[i]->facts.name);

		if (index >= 0)
			replace_node(world, (size_t)index, facts[i]);
		else
			fresh[n_fresh++] = facts[i];
	}
	(void)shk_world_settle(world);
	if (n_fresh > 0)
		add_nodes(world, fresh, n_fresh);
	free(fresh);
}
