#include "world_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/units.h"

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

void shk_world_begin(struct shk_world *world, const struct shk_edition *from)
{
	*world = (struct shk_world){.next = shk_edition_next(from)};
}

void shk_world_begin_empty(struct shk_world *world, struct shk_policy_object *policy,
			   struct shk_documents_object *documents)
{
	*world = (struct shk_world){.next = shk_edition_new(policy, documents)};
}

static void edit_fini(struct shk_node_edit *edit)
{
	for (size_t i = 0; i < edit->n; i++)
		shk_object_unref(&edit->allocs[i]->head);
	free(edit->allocs);
	shk_object_unref(&edit->base->head);
}

void shk_world_drop(struct shk_world *world)
{
	for (size_t i = 0; i < world->n_edits; i++)
		edit_fini(&world->edits[i]);
	free(world->edits);
	free(world->edit_of);
	shk_edition_unref(world->next);
	*world = (struct shk_world){0};
}

struct shk_edition *shk_world_publish(struct shk_world *world, uint64_t ledger_seq)
{
	struct shk_edition *edition;

	(void)shk_world_settle(world);
	edition = shk_edition_ref(world->next);
	edition->shown.view.version++;
	if (world->loosened)
		edition->loosened++;
	edition->shown.view.ledger_seq = ledger_seq;
	shk_world_drop(world);
	return edition;
}

/* --- edits ---------------------------------------------------------------------------------- */

static struct shk_node_edit *edit_add(struct shk_world *world)
{
	if (world->n_edits == world->cap_edits) {
		world->cap_edits = world->cap_edits ? world->cap_edits * 2 : 16;
		world->edits = must(realloc(world->edits, world->cap_edits * sizeof *world->edits));
	}
	return &world->edits[world->n_edits++];
}

void shk_world_edit_push(struct shk_node_edit *edit, struct shk_alloc_object *alloc)
{
	if (edit->n == edit->cap) {
		edit->cap = edit->cap ? edit->cap * 2 : 8;
		edit->allocs =
		    must(realloc(edit->allocs, edit->cap * sizeof(struct shk_alloc_object *)));
	}
	edit->allocs[edit->n++] = (struct shk_alloc_object *)shk_object_ref(&alloc->head);
}

static void edit_pull(struct shk_node_edit *edit, const struct shk_alloc_object *alloc)
{
	for (size_t i = 0; i < edit->n; i++) {
		if (edit->allocs[i] != alloc)
			continue;
		shk_object_unref(&edit->allocs[i]->head);
		edit->allocs[i] = edit->allocs[--edit->n];
		return;
	}
}

struct shk_node_edit *shk_world_edit(struct shk_world *world, size_t index)
{
	struct shk_node_object *node = shk_edition_node(world->next, index);
	struct shk_node_edit *edit;

	world->changed = true;
	if (!world->edit_of)
		world->edit_of = must(calloc(world->next->directory->n, sizeof world->edit_of[0]));
	if (world->edit_of[index])
		return &world->edits[world->edit_of[index] - 1];
	edit = edit_add(world);
	*edit = (struct shk_node_edit){
	    .index = index,
	    .base = (struct shk_base_object *)shk_object_ref(&node->base->head),
	    .cpu_used_milli = node->node.cpu_used_milli,
	};
	for (size_t i = 0; i < node->n_allocs; i++)
		shk_world_edit_push(edit, node->allocs[i]);
	world->edit_of[index] = (uint32_t)world->n_edits;
	return edit;
}

/* NULL when the cluster has no such node. */
static struct shk_node_edit *edit_named(struct shk_world *world, const char *name)
{
	int64_t index = shk_edition_node_index(world->next, name);

	return index < 0 ? NULL : shk_world_edit(world, (size_t)index);
}

/* --- building ------------------------------------------------------------------------------- */

void shk_chunk_free(struct shk_object *object)
{
	struct shk_chunk *chunk = (struct shk_chunk *)object;

	for (size_t i = 0; i < SHK_CHUNK_NODES; i++) {
		if (chunk->nodes[i])
			shk_object_unref(&chunk->nodes[i]->head);
	}
	free(chunk);
}

static struct shk_chunk *own_chunk(struct shk_chunk **place)
{
	struct shk_chunk *old = *place;

	if (shk_object_is_alone(&old->head))
		return old;
	*place = shk_object_alloc(sizeof **place, shk_chunk_free);
	for (size_t i = 0; i < SHK_CHUNK_NODES; i++) {
		if (old->nodes[i])
			(*place)->nodes[i] =
			    (struct shk_node_object *)shk_object_ref(&old->nodes[i]->head);
	}
	shk_object_unref(&old->head);
	return *place;
}

/* Takes the reference to node. */
void shk_world_place(struct shk_edition *edition, size_t index, struct shk_node_object *node)
{
	struct shk_chunk *chunk = own_chunk(&edition->chunks[index / SHK_CHUNK_NODES]);
	struct shk_node_object **slot = &chunk->nodes[index % SHK_CHUNK_NODES];

	if (*slot)
		shk_object_unref(&(*slot)->head);
	*slot = node;
	edition->nodes[index] = &node->node;
}

const struct shk_view *shk_world_settle(struct shk_world *world)
{
	struct shk_edition *edition = world->next;

	for (size_t i = 0; i < world->n_edits; i++) {
		struct shk_node_edit *edit = &world->edits[i];

		shk_world_place(
		    edition, edit->index,
		    shk_node_object_new(edit->base, edit->allocs, edit->n, edit->cpu_used_milli));
		world->edit_of[edit->index] = 0;
		edit_fini(edit);
	}
	world->n_edits = 0;
	shk_edition_show(edition);
	return &edition->shown.view;
}

/* --- pods and allocations ------------------------------------------------------------------- */

void shk_world_cpu(struct shk_world *world, const struct shk_pod_object *pod, int sign)
{
	struct shk_node_edit *edit;

	if (!shk_pod_object_is_placed(pod) || pod->cpu_milli == 0)
		return;
	edit = edit_named(world, pod->pod.node_name);
	if (!edit)
		return;
	if (sign > 0)
		edit->cpu_used_milli = shk_add_saturated(edit->cpu_used_milli, pod->cpu_milli);
	else
		edit->cpu_used_milli -= pod->cpu_milli;
}

void shk_world_pod(struct shk_world *world, struct shk_pod_object *pod)
{
	struct shk_pod_object *old = shk_edition_pod(world->next, pod->pod.uid);

	world->changed = true;
	if (old)
		shk_world_cpu(world, old, -1);
	shk_world_cpu(world, pod, +1);
	shk_index_put(&world->next->pod_names, pod->key, &pod->head);
	shk_index_put(&world->next->pods, pod->pod.uid, &pod->head);
}

void shk_world_pod_gone(struct shk_world *world, struct shk_pod_object *pod)
{
	(void)shk_object_ref(&pod->head); /* its strings are the keys */
	world->changed = true;
	shk_world_cpu(world, pod, -1);
	(void)shk_index_remove(&world->next->pod_names, pod->key);
	(void)shk_index_remove(&world->next->pods, pod->pod.uid);
	shk_object_unref(&pod->head);
}

void shk_world_alloc(struct shk_world *world, struct shk_alloc_object *alloc)
{
	struct shk_node_edit *edit = edit_named(world, alloc->alloc.node);

	assert(!shk_edition_alloc(world->next, alloc->alloc.uid));
	world->changed = true;
	shk_index_put(&world->next->allocs, alloc->alloc.uid, &alloc->head);
	shk_books_alloc(&world->next->books, &alloc->alloc, +1);
	if (edit)
		shk_world_edit_push(edit, alloc);
}

void shk_world_alloc_move(struct shk_world *world, const char *uid, enum shk_alloc_state state)
{
	struct shk_alloc_object *old = shk_edition_alloc(world->next, uid);
	struct shk_alloc_object *moved;
	struct shk_node_edit *edit;
	struct shk_alloc alloc;

	assert(old);
	alloc = old->alloc;
	alloc.state = state;
	moved = shk_alloc_object_new(&alloc);
	world->changed = true;
	edit = edit_named(world, alloc.node);
	if (edit) {
		edit_pull(edit, old);
		shk_world_edit_push(edit, moved);
	}
	shk_index_put(&world->next->allocs, moved->alloc.uid, &moved->head);
	shk_object_unref(&moved->head);
}

bool shk_world_alloc_end(struct shk_world *world, const char *uid)
{
	struct shk_alloc_object *alloc = shk_edition_alloc(world->next, uid);
	struct shk_node_edit *edit;

	if (!alloc)
		return false;
	world->changed = true;
	world->loosened = true;
	edit = edit_named(world, alloc->alloc.node);
	if (edit)
		edit_pull(edit, alloc);
	shk_books_alloc(&world->next->books, &alloc->alloc, -1);
	return shk_index_remove(&world->next->allocs, uid);
}
