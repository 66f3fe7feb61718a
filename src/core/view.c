#include "shikiri/core/view.h"

#include <string.h>

#include "shikiri/base/str.h"
#include "shikiri/base/units.h"

const struct shk_node *shk_view_node(const struct shk_view *view, const char *name)
{
	uint32_t index = 0;

	return shk_map_find(view->node_index, name, &index) ? view->nodes[index] : NULL;
}

void shk_draft_begin(struct shk_draft *draft, const struct shk_view *view, struct shk_arena *arena)
{
	*draft = (struct shk_draft){.view = *view, .arena = arena};
	draft->nodes = SHK_NEW_ARRAY(arena, view->n_nodes, const struct shk_node *);
	if (view->n_nodes > 0)
		memcpy(draft->nodes, view->nodes, view->n_nodes * sizeof(const struct shk_node *));
	shk_books_copy(&draft->books, arena, view->books);
	draft->view.nodes = draft->nodes;
	draft->view.books = &draft->books;
}

/* Where name stands, or where it would have to. */
static size_t place_of(const struct shk_draft *draft, const char *name, bool *ret_there)
{
	size_t low = 0;
	size_t high = draft->view.n_nodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(draft->nodes[middle]->base->facts->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_there =
	    low < draft->view.n_nodes && strcmp(draft->nodes[low]->base->facts->name, name) == 0;
	return low;
}

static void insert(struct shk_draft *draft, size_t place, const struct shk_node *node)
{
	size_t n = draft->view.n_nodes;
	const struct shk_node **nodes = SHK_NEW_ARRAY(draft->arena, n + 1, const struct shk_node *);

	for (size_t i = 0; i < place; i++)
		nodes[i] = draft->nodes[i];
	nodes[place] = node;
	for (size_t i = place; i < n; i++)
		nodes[i + 1] = draft->nodes[i];
	draft->nodes = nodes;
	draft->view.nodes = nodes;
	draft->view.n_nodes = n + 1;
	shk_map_init(&draft->index, draft->arena, n + 1);
	for (size_t i = 0; i <= n; i++)
		(void)shk_map_add(&draft->index, nodes[i]->base->facts->name, (uint32_t)i);
	draft->view.node_index = &draft->index;
}

void shk_draft_node(struct shk_draft *draft, const struct shk_node_base *base)
{
	struct shk_node *node = SHK_NEW(draft->arena, struct shk_node);
	bool there = false;
	size_t place = place_of(draft, base->facts->name, &there);
	const struct shk_node *old = there ? draft->nodes[place] : NULL;

	shk_node_build(draft->arena, base, old ? old->residents : NULL, old ? old->n_residents : 0,
		       old ? old->cpu_used_milli : 0, node);
	if (old)
		shk_books_node(&draft->books, old->base, -1);
	shk_books_node(&draft->books, base, +1);
	if (old)
		draft->nodes[place] = node;
	else
		insert(draft, place, node);
}

static struct shk_resident resident_of(const struct shk_view *view, const struct shk_alloc *alloc)
{
	return (struct shk_resident){
	    .alloc = alloc,
	    .level = shk_tenancy_alloc_level(view->tenancy, view->policy, alloc),
	    .infrastructure = *alloc->domain == '\0',
	};
}

void shk_draft_alloc(struct shk_draft *draft, const struct shk_alloc *alloc, int64_t cpu_milli)
{
	bool there = false;
	size_t place = place_of(draft, alloc->node, &there);

	shk_books_alloc(&draft->books, alloc, +1);
	if (!there)
		return;
	const struct shk_node *old = draft->nodes[place];
	struct shk_node *node = SHK_NEW(draft->arena, struct shk_node);
	struct shk_resident *residents =
	    SHK_NEW_ARRAY(draft->arena, old->n_residents + 1, struct shk_resident);
	for (size_t i = 0; i < old->n_residents; i++)
		residents[i] = old->residents[i];
	residents[old->n_residents] = resident_of(&draft->view, alloc);
	shk_node_build(draft->arena, old->base, residents, old->n_residents + 1,
		       shk_add_saturated(old->cpu_used_milli, cpu_milli), node);
	draft->nodes[place] = node;
}
