#include "shikiri/kube/kube.h"

#include <stdlib.h>
#include <string.h>

struct shk_facts *shk_facts_new(void)
{
	struct shk_facts *facts = calloc(1, sizeof *facts);

	if (!facts)
		abort();
	shk_arena_init(&facts->arena, 0);
	return facts;
}

struct shk_fact *shk_facts_add(struct shk_facts *facts, enum shk_kube_kind kind,
			       enum shk_fact_op op)
{
	struct shk_fact *fact;

	if (facts->n == facts->cap) {
		size_t cap = facts->cap ? facts->cap * 2 : 16;
		struct shk_fact *items = SHK_NEW_ARRAY(&facts->arena, cap, struct shk_fact);

		if (facts->n > 0)
			memcpy(items, facts->items, facts->n * sizeof *items);
		facts->items = items;
		facts->cap = cap;
	}
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
