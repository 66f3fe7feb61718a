#include "town.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/core/books.h"

static void capacity_counts_sound_nodes_only(void **state)
{
	struct town town;

	(void)state;
	town_open(&town);
	town_cards(&town, "n1", 8);
	town_mig(&town, "n2", "1g.10gb", 7);
	town_shared(&town, "n3", 2, 4);
	town_label(&town, town_cards(&town, "fenced", 8), "mig.config.state", "pending");
	town_label(&town, town_cards(&town, "odd", 8), "gpu.count", "3");
	town_offer(&town, town_cards(&town, "sick", 8), GPU, 8, 6);
	town_offer(&town, town_cards(&town, "strange", 1), "nvidia.com/pgpu", 4, 4);
	town_settle(&town);
	assert_int_equal(shk_books_capacity(&town.draft.books, "gpuEquivalents"),
			 UNITS(8 + 1 + 2 + 6 + 1));
	assert_int_equal(shk_books_capacity(&town.draft.books, GPU), UNITS(8 + 6 + 1));
	assert_int_equal(shk_books_capacity(&town.draft.books, SHARED), UNITS(8));
	assert_int_equal(shk_books_capacity(&town.draft.books, "nvidia.com/pgpu"), 0);
	town_close(&town);
}

static void a_replaced_node_is_counted_once(void **state)
{
	struct town town;
	struct shk_node_base base;
	struct shk_node_context context = {.policy = &town.policy};

	(void)state;
	town_open(&town);
	town_cards(&town, "n1", 8);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u", "a", GPU, 1), "n1");
	shk_node_base_build(&town.arena, &town_cards(&town, "n1", 4)->facts, &context, &base);
	shk_draft_node(&town.draft, &base);
	assert_int_equal(shk_books_capacity(&town.draft.books, GPU), UNITS(4));
	assert_int_equal(town.draft.view.n_nodes, 1);
	assert_int_equal(town_find(&town, "n1")->n_residents, 1);
	town_close(&town);
}

static void adding_and_taking_away_leaves_nothing(void **state)
{
	const struct shk_amount two = {GPU, 2};
	struct shk_alloc alloc = {
	    .tenant = "a",
	    .resources = {&two, 1},
	    .quota_class = SHK_CLASS_BORROWED,
	    .charge = {{UNITS(2), UNITS(14), 0, 0}, {true, true, false, false}}};
	struct shk_arena arena;
	struct shk_books books;
	struct shk_books copy;

	(void)state;
	shk_arena_init(&arena, 0);
	shk_books_init(&books, &arena);
	shk_books_alloc(&books, &alloc, +1);
	shk_books_copy(&copy, &arena, &books);
	shk_books_alloc(&books, &alloc, -1);
	assert_int_equal(shk_books_get(&books, "a", "gpuEquivalents").used, 0);
	assert_int_equal(shk_books_get(&books, "a", "gpuEquivalents").borrowed, 0);
	assert_int_equal(books.n_allocs[0], 0);
	assert_int_equal(shk_books_get(&copy, "a", "gpuEquivalents").used, UNITS(2));
	assert_int_equal(shk_books_get(&copy, "a", "gpuEquivalents").borrowed, UNITS(2));
	assert_int_equal(shk_books_get(&copy, "a", GPU).used, UNITS(2));
	assert_int_equal(shk_books_get(&copy, "a", "memoryGiB").used, 0);
	assert_int_equal(shk_books_get(&copy, "b", GPU).used, 0);
	assert_int_equal(shk_books_get(&copy, "a", "no-such-unit").used, 0);
	shk_arena_fini(&arena);
}

static void many_tenants_and_units_grow_the_books(void **state)
{
	struct shk_arena arena;
	struct shk_books books;
	char tenant[50][8];
	char resource[50][32];

	(void)state;
	shk_arena_init(&arena, 0);
	shk_books_init(&books, &arena);
	for (int i = 0; i < 50; i++) {
		struct shk_amount one = {resource[i], i + 1};
		struct shk_alloc alloc = {.tenant = tenant[i], .resources = {&one, 1}};

		(void)snprintf(tenant[i], sizeof(tenant[i]), "t%d", i);
		(void)snprintf(resource[i], sizeof(resource[i]), "nvidia.com/mig-%dg.10gb", i);
		shk_books_alloc(&books, &alloc, +1);
	}
	for (int i = 0; i < 50; i++)
		assert_int_equal(shk_books_get(&books, tenant[i], resource[i]).used, UNITS(i + 1));
	shk_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(capacity_counts_sound_nodes_only),
	    cmocka_unit_test(a_replaced_node_is_counted_once),
	    cmocka_unit_test(adding_and_taking_away_leaves_nothing),
	    cmocka_unit_test(many_tenants_and_units_grow_the_books),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
