/* extend.c - a view with nodes that don't exist yet: "what if there were two more of these". */
#include "shikiri/core/view.h"

#include <stdlib.h>
#include <string.h>

/* A view on its way to more nodes. */
struct extension {
	const struct shk_view *from;
	struct shk_arena *arena;
	const struct shk_node **added;
	size_t n;
	struct shk_map names; /* of the added ones */
};

static const struct shk_node *bare_copy(const struct extension *extension,
					const struct shk_node *like, const char *name)
{
	struct shk_node_facts *facts = SHK_NEW(extension->arena, struct shk_node_facts);
	struct shk_node_base *base = SHK_NEW(extension->arena, struct shk_node_base);
	struct shk_node *node = SHK_NEW(extension->arena, struct shk_node);
	const struct shk_node_context context = {
	    .policy = extension->from->policy,
	    .documents = extension->from->tenancy->documents,
	};

	*facts = *like->base->facts;
	facts->name = name;
	facts->uid = NULL;
	shk_node_base_build(extension->arena, facts, &context, base);
	shk_node_build(extension->arena, base, NULL, 0, 0, node);
	return node;
}

/* Numbers that are taken are passed over, so that asking twice gives different nodes. */
static void add_copies(struct extension *extension, const struct shk_node *like, int64_t count)
{
	int64_t number = 0;

	while (count > 0) {
		const char *name = shk_arena_printf(extension->arena, "%s-hypothetical-%lld",
						    like->base->facts->name, (long long)number++);

		if (shk_view_node(extension->from, name) ||
		    !shk_map_add(&extension->names, name, 0))
			continue;
		extension->added[extension->n++] = bare_copy(extension, like, name);
		count--;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct shk_node *x = *(const struct shk_node *const *)a;
	const struct shk_node *y = *(const struct shk_node *const *)b;

	return strcmp(x->base->facts->name, y->base->facts->name);
}

static void publish(const struct extension *extension, struct shk_view *ret_view)
{
	const struct shk_view *from = extension->from;
	struct shk_arena *arena = extension->arena;
	size_t total = from->n_nodes + extension->n;
	const struct shk_node **nodes = SHK_NEW_ARRAY(arena, total, const struct shk_node *);
	struct shk_books *books = SHK_NEW(arena, struct shk_books);
	struct shk_map *index = SHK_NEW(arena, struct shk_map);

	shk_books_copy(books, arena, from->books);
	for (size_t i = 0; i < from->n_nodes; i++)
		nodes[i] = from->nodes[i];
	for (size_t i = 0; i < extension->n; i++) {
		nodes[from->n_nodes + i] = extension->added[i];
		shk_books_node(books, extension->added[i]->base, +1);
	}
	qsort(nodes, total, sizeof(const struct shk_node *), by_name);
	shk_map_init(index, arena, total);
	for (size_t i = 0; i < total; i++)
		(void)shk_map_add(index, nodes[i]->base->facts->name, (uint32_t)i);
	*ret_view = *from;
	ret_view->nodes = nodes;
	ret_view->n_nodes = total;
	ret_view->node_index = index;
	ret_view->books = books;
}

size_t shk_view_extend(const struct shk_view *view, const struct shk_hypothetical *wishes, size_t n,
		       struct shk_arena *arena, struct shk_view *ret_view)
{
	struct extension extension = {.from = view, .arena = arena};
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += (size_t)wishes[i].count;
	extension.added = SHK_NEW_ARRAY(arena, total, const struct shk_node *);
	shk_map_init(&extension.names, arena, total);
	for (size_t i = 0; i < n; i++) {
		/* Like a real node, never like another wish. */
		const struct shk_node *like = shk_view_node(view, wishes[i].like);

		if (!like)
			return i;
		add_copies(&extension, like, wishes[i].count);
	}
	if (extension.n > 0)
		publish(&extension, ret_view);
	else
		*ret_view = *view;
	return n;
}
