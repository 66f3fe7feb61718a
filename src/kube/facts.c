#include "shikiri/kube/kube.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK ((size_t)16 << 10)

const char *shk_kube_kind_name(enum shk_kube_kind kind)
{
	static const char *const names[SHK_KUBE_KIND_COUNT] = {
	    [SHK_KUBE_NODES] = "nodes",
	    [SHK_KUBE_PODS] = "pods",
	    [SHK_KUBE_NAMESPACES] = "namespaces",
	    [SHK_KUBE_PRIORITY_CLASSES] = "priorityclasses",
	};

	assert(kind < SHK_KUBE_KIND_COUNT);
	return names[kind];
}

struct shk_facts *shk_facts_new(void)
{
	struct shk_facts *facts = calloc(1, sizeof *facts);

	if (!facts)
		abort();
	shk_arena_init(&facts->arena, FIRST_BLOCK);
	return facts;
}

static void make_room(struct shk_facts *facts)
{
	struct shk_fact *items;

	if (facts->n < facts->cap)
		return;
	facts->cap = facts->cap ? facts->cap * 2 : 16;
	items = SHK_NEW_ARRAY(&facts->arena, facts->cap, struct shk_fact);
	if (facts->n > 0)
		memcpy(items, facts->items, facts->n * sizeof *items);
	facts->items = items;
}

struct shk_fact *shk_facts_add(struct shk_facts *facts, enum shk_kube_kind kind,
			       enum shk_fact_op op)
{
	struct shk_fact *fact;

	make_room(facts);
	fact = &facts->items[facts->n++];
	fact->kind = kind;
	fact->op = op;
	return fact;
}

void shk_facts_free(struct shk_facts *facts)
{
	if (!facts)
		return;
	shk_arena_fini(&facts->arena);
	free(facts);
}

bool shk_listed_has(const struct shk_listed *listed, const char *key)
{
	size_t low = 0;
	size_t high = listed->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(listed->keys[middle], key);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}
