#include "town.h"

#include <string.h>

#include "shikiri/core/plan.h"

static const struct shk_plan_options all = {.max_nodes = 50};

static struct shk_plan plan(struct town *town, struct shk_pod **pods, size_t n,
			    const struct shk_plan_options *options)
{
	const struct shk_pod **list = SHK_NEW_ARRAY(&town->arena, n, const struct shk_pod *);
	struct shk_moment moment = {.now_s = town->now_s};
	const struct shk_plan_order order = {.pods = list, .n_pods = n, .options = *options};
	struct shk_plan result;

	for (size_t i = 0; i < n; i++)
		list[i] = pods[i];
	shk_plan_run(&town->draft.view, &moment, &order, &town->arena, &result);
	return result;
}

static void each_pod_sees_the_earlier_ones(void **state)
{
	struct shk_pod *pods[3];
	struct shk_plan result;
	struct town town;

	(void)state;
	town_open(&town);
	town_quota(town_tenant(&town, "a", NULL, "a"), "gpuEquivalents", 2, 3, -1);
	town_quota(town.tenants[0], "memoryGiB", -1, 1000, -1);
	town_cards(&town, "n1", 2);
	town_cards(&town, "n2", 2);
	town_settle(&town);
	for (int i = 0; i < 3; i++)
		pods[i] = town_pod(&town, shk_arena_printf(&town.arena, "u%d", i), "a", GPU, 1);
	result = plan(&town, pods, 3, &all);
	assert_int_equal(result.outcome, SHK_OUTCOME_FITS_BY_BORROWING);
	assert_string_equal(result.pods[0].node, result.pods[1].node);
	assert_string_not_equal(result.pods[1].node, result.pods[2].node);
	assert_int_equal(result.pods[1].outcome, SHK_OUTCOME_FITS);
	assert_int_equal(result.pods[2].outcome, SHK_OUTCOME_FITS_BY_BORROWING);
	assert_int_equal(result.pods[0].charge.parts[SHK_UNIT_GPU_EQUIVALENTS], UNITS(1));
	assert_string_equal(result.summary, "3 of 3 pods fit; tenant a uses 3 of 2 guaranteed "
					    "gpuEquivalents afterwards");
	assert_int_equal(result.n_quota, 2);
	assert_int_equal(result.quota[0].before.used, 0);
	assert_int_equal(result.quota[0].after, UNITS(3));
	assert_int_equal(result.n_caveats, 1);
	/* and nothing of it happened */
	assert_int_equal(shk_books_get(&town.draft.books, "a", "gpuEquivalents").used, 0);
	assert_int_equal(town_find(&town, "n1")->n_residents, 0);
	town_close(&town);
}

static void the_worst_pod_speaks_for_the_whole(void **state)
{
	struct shk_pod *pods[4];
	struct shk_plan result;
	struct town town;

	(void)state;
	town_open(&town);
	town_quota(town_tenant(&town, "a", NULL, "a"), "gpuEquivalents", -1, 1, -1);
	town_tenant(&town, "b", NULL, "b");
	town_cards(&town, "n1", 2);
	town_mig(&town, "n2", "1g.10gb", 7);
	town_settle(&town);
	pods[0] = town_pod(&town, "u0", "a", GPU, 1);
	pods[1] = town_pod(&town, "u1", "b", "cpu-only", 0);
	pods[2] = town_pod(&town, "u2", "a", GPU, 1);
	pods[3] = town_pod(&town, "u3", "b", GPU, 9);
	result = plan(&town, pods, 3, &all);
	assert_int_equal(result.outcome, SHK_OUTCOME_QUOTA_EXCEEDED);
	assert_int_equal(result.pods[1].outcome, SHK_OUTCOME_FITS);
	assert_int_equal(result.pods[1].n_nodes, 0);
	assert_string_equal(result.pods[2].node, "");
	assert_int_equal(result.pods[2].reason, SHK_REASON_QUOTA_CEILING);
	assert_string_equal(result.pods[2].detail, "asks for 1 of gpuEquivalents, 0 left");
	assert_int_equal(result.n_caveats, 2);
	assert_string_equal(
	    result.summary,
	    "2 of 3 pods fit; tenant a uses 1 of 1 allowed gpuEquivalents afterwards");
	result = plan(&town, pods, 4, &all);
	assert_int_equal(result.outcome, SHK_OUTCOME_NO_FIT);
	town_close(&town);
}

static void feasible_nodes_are_listed_first_and_the_list_is_bounded(void **state)
{
	const struct shk_plan_options two = {.max_nodes = 2};
	struct shk_pod *pod;
	struct shk_plan result;
	struct town town;

	(void)state;
	town_open(&town);
	town_tenant(&town, "a", NULL, "a");
	town_mig(&town, "n1", "1g.10gb", 7);
	town_mig(&town, "n2", "1g.10gb", 7);
	town_cards(&town, "n3", 8);
	town_settle(&town);
	pod = town_pod(&town, "u", "a", GPU, 1);
	result = plan(&town, &pod, 1, &two);
	assert_int_equal(result.pods[0].n_nodes, 2);
	assert_string_equal(result.pods[0].nodes[0].name, "n3");
	assert_int_equal(result.pods[0].nodes[0].score, 10);
	assert_string_equal(result.pods[0].nodes[1].name, "n1");
	assert_string_equal(result.pods[0].nodes[1].detail, "node offers mig-1g.10gb only");
	assert_string_equal(result.summary, "1 of 1 pod fits");
	town_close(&town);
}

static void nothing_to_place_fits(void **state)
{
	struct shk_plan result;
	struct town town;

	(void)state;
	town_open(&town);
	town_settle(&town);
	result = plan(&town, NULL, 0, &all);
	assert_int_equal(result.outcome, SHK_OUTCOME_FITS);
	assert_string_equal(result.summary, "no pods to place");
	town_close(&town);
}

static void a_cluster_without_nodes_fits_nothing(void **state)
{
	struct shk_pod *pod;
	struct shk_plan result;
	struct town town;

	(void)state;
	town_open(&town);
	town_tenant(&town, "a", NULL, "a");
	town_settle(&town);
	pod = town_pod(&town, "u", "a", GPU, 1);
	result = plan(&town, &pod, 1, &all);
	assert_int_equal(result.outcome, SHK_OUTCOME_NO_FIT);
	assert_int_equal(result.pods[0].reason, SHK_REASON_NODE_UNKNOWN);
	pod = town_pod(&town, "u", "lost", GPU, 1);
	assert_int_equal(plan(&town, &pod, 1, &all).pods[0].reason, SHK_REASON_TENANT_UNKNOWN);
	town_close(&town);
}

static void tenants_of_one_plan_have_their_rows_once(void **state)
{
	struct shk_pod *pods[3];
	struct shk_plan result;
	struct town town;

	(void)state;
	town_open(&town);
	town_quota(town_tenant(&town, "a", NULL, "a"), "gpuEquivalents", -1, 8, -1);
	town_quota(town_tenant(&town, "b", NULL, "b"), "gpuEquivalents", -1, 8, -1);
	town_cards(&town, "n", 8);
	town_settle(&town);
	pods[0] = town_pod(&town, "u0", "b", GPU, 1);
	pods[1] = town_pod(&town, "u1", "a", GPU, 1);
	pods[2] = town_pod(&town, "u2", "b", GPU, 1);
	result = plan(&town, pods, 3, &all);
	assert_int_equal(result.n_quota, 2);
	assert_string_equal(result.quota[0].tenant, "b");
	assert_int_equal(result.quota[0].after, UNITS(2));
	assert_int_equal(result.quota[1].after, UNITS(1));
	town_close(&town);
}

static void nodes_can_be_added_to_a_draft(void **state)
{
	struct shk_node_base base;
	struct town town;
	struct shk_node_context context = {.policy = &town.policy};

	(void)state;
	town_open(&town);
	town_cards(&town, "n2", 8);
	town_settle(&town);
	shk_node_base_build(&town.arena, &town_cards(&town, "n1", 4)->facts, &context, &base);
	shk_draft_node(&town.draft, &base);
	assert_int_equal(town.draft.view.n_nodes, 2);
	assert_string_equal(town.draft.view.nodes[0]->base->facts->name, "n1");
	assert_non_null(town_find(&town, "n2"));
	assert_int_equal(shk_books_capacity(&town.draft.books, GPU), UNITS(12));
	town_close(&town);
}

static void a_view_can_be_extended_by_copies(void **state)
{
	const struct shk_hypothetical wishes[] = {{"n1", 2}, {"n2", 1}, {"n1", 1}};
	const struct shk_hypothetical nowhere[] = {{"n1", 1}, {"n3", 1}};
	struct shk_view view;
	struct town town;

	(void)state;
	town_open(&town);
	town_tenant(&town, "a", NULL, "a");
	town_cards(&town, "n1", 8);
	town_cards(&town, "n2", 4);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u", "a", GPU, 8), "n1");
	assert_int_equal(shk_view_extend(&town.draft.view, wishes, 3, &town.arena, &view), 3);
	assert_int_equal(view.n_nodes, 6);
	assert_non_null(shk_view_node(&view, "n1-hypothetical-0"));
	assert_non_null(shk_view_node(&view, "n1-hypothetical-2"));
	assert_int_equal(shk_node_free(shk_view_node(&view, "n1-hypothetical-1"), 0), 8);
	assert_int_equal(shk_node_free(shk_view_node(&view, "n1"), 0), 0);
	assert_int_equal(shk_books_capacity(view.books, GPU), UNITS(8 + 4 + 24 + 4));
	assert_int_equal(shk_books_capacity(&town.draft.books, GPU), UNITS(12));
	assert_int_equal(shk_view_extend(&town.draft.view, nowhere, 2, &town.arena, &view), 1);
	assert_int_equal(shk_view_extend(&town.draft.view, NULL, 0, &town.arena, &view), 0);
	assert_int_equal(view.n_nodes, 2);
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_pod_sees_the_earlier_ones),
	    cmocka_unit_test(the_worst_pod_speaks_for_the_whole),
	    cmocka_unit_test(feasible_nodes_are_listed_first_and_the_list_is_bounded),
	    cmocka_unit_test(nothing_to_place_fits),
	    cmocka_unit_test(a_cluster_without_nodes_fits_nothing),
	    cmocka_unit_test(tenants_of_one_plan_have_their_rows_once),
	    cmocka_unit_test(nodes_can_be_added_to_a_draft),
	    cmocka_unit_test(a_view_can_be_extended_by_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
