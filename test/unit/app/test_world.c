#include "fixture.h"

#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/core/decide.h"

#define N(array) (sizeof(array) / sizeof(array)[0])

static int set_up(void **state)
{
	static struct fixture f;

	fixture_init(&f);
	fixture_cards(&f, "n1", 8);
	fixture_cards(&f, "n2", 8);
	fixture_cards(&f, "n3", 8);
	fixture_pod(&f, "v", "p1", "u1", GPU, 2, "\"nodeName\":\"n2\"", "Running");
	fixture_apply_file(&f, "tenants.yaml",
			   "apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: vision}\n"
			   "spec: {namespaces: [v]}\n");
	fixture_boot(&f);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	fixture_fini(*state);
	return 0;
}

static void publish(struct fixture *f, struct shk_world *world)
{
	struct shk_edition *old = f->boot.state.current;

	f->boot.state.current = shk_world_publish(world, old->shown.view.ledger_seq);
	shk_edition_unref(old);
}

static int64_t capacity_of(const struct fixture *f)
{
	return shk_books_capacity(fixture_view(f)->books, GPU) / SHK_PARTS;
}

static void nodes_go_and_their_allocations_stay(void **state)
{
	struct fixture *f = *state;
	const char *const gone[] = {"n2", "nowhere"};
	struct shk_world world;

	assert_int_equal(capacity_of(f), 24);
	shk_world_begin(&world, f->boot.state.current);
	shk_world_nodes_gone(&world, gone, N(gone));
	publish(f, &world);
	assert_int_equal(fixture_view(f)->n_nodes, 2);
	assert_null(shk_view_node(fixture_view(f), "n2"));
	assert_non_null(shk_view_node(fixture_view(f), "n3"));
	assert_non_null(fixture_alloc(f, "u1"));
	assert_int_equal(capacity_of(f), 16);
}

static void a_node_that_comes_back_has_its_residents(void **state)
{
	struct fixture *f = *state;
	struct shk_facts_object *facts = (struct shk_facts_object *)shk_object_ref(
	    &shk_edition_node(f->boot.state.current, 1)->base->facts->head);
	const char *const gone[] = {"n2"};
	struct shk_world world;

	shk_world_begin(&world, f->boot.state.current);
	shk_world_nodes_gone(&world, gone, N(gone));
	shk_world_nodes(&world, &facts, 1);
	publish(f, &world);
	shk_object_unref(&facts->head);
	assert_int_equal(fixture_used(f, "n2", GPU), 2);
	assert_int_equal(capacity_of(f), 24);
	assert_true(shk_view_node(fixture_view(f), "n2")->cpu_used_milli > 0);
}

static enum shk_reason reason_on(struct fixture *f, const char *node)
{
	const struct shk_view *view = fixture_view(f);
	const struct shk_ask ask = {
	    .resource = GPU, .has_request = true, .has_limit = true, .request = 1, .limit = 1};
	const struct shk_container container = {.name = "c", .asks = &ask, .n_asks = 1};
	const struct shk_pod pod = {.uid = "new",
				    .namespace_ = "v",
				    .name = "new",
				    .containers = &container,
				    .n_containers = 1};
	const struct shk_candidate candidate = {node, shk_view_node(view, node)};
	const struct shk_moment moment = {.now_s = 0};
	struct shk_decision decision;
	struct shk_arena arena;
	struct shk_claim claim;
	enum shk_reason reason;

	shk_arena_init(&arena, 0);
	shk_claim_build(&pod, NULL, 0, &arena, &claim);

	const struct shk_question question = {.claim = &claim, .candidates = &candidate, .n = 1};

	shk_decide(view, &moment, &question, &arena, &decision);
	reason = decision.verdicts[0].reason;
	shk_arena_fini(&arena);
	return reason;
}

static void marks_keep_pods_off(void **state)
{
	static const struct {
		enum shk_mark mark;
		enum shk_reason reason;
	} rows[] = {{SHK_MARK_CORDONED, SHK_REASON_GPU_CORDONED},
		    {SHK_MARK_RECONFIGURING, SHK_REASON_MIG_RECONFIGURING},
		    {SHK_MARK_RESTING, SHK_REASON_REFUSED_BY_KUBELET}};
	struct fixture *f = *state;
	struct shk_world world;

	for (size_t i = 0; i < N(rows); i++) {
		uint64_t loosened = f->boot.state.current->loosened;

		shk_world_begin(&world, f->boot.state.current);
		shk_world_mark(&world, rows[i].mark, "n1", true);
		publish(f, &world);
		assert_int_equal(reason_on(f, "n1"), rows[i].reason);
		assert_int_equal(reason_on(f, "n3"), SHK_FITS);
		assert_int_equal(f->boot.state.current->loosened, loosened);

		shk_world_begin(&world, f->boot.state.current);
		shk_world_mark(&world, rows[i].mark, "n1", false);
		publish(f, &world);
		assert_int_equal(reason_on(f, "n1"), SHK_FITS);
		assert_true(f->boot.state.current->loosened > loosened);
	}
}

static void a_mark_waits_for_its_node(void **state)
{
	struct fixture *f = *state;
	struct shk_facts_object *facts = (struct shk_facts_object *)shk_object_ref(
	    &shk_edition_node(f->boot.state.current, 0)->base->facts->head);
	const char *const gone[] = {"n1"};
	struct shk_world world;

	shk_world_begin(&world, f->boot.state.current);
	shk_world_nodes_gone(&world, gone, N(gone));
	shk_world_mark(&world, SHK_MARK_CORDONED, "n1", true);
	shk_world_nodes(&world, &facts, 1);
	publish(f, &world);
	shk_object_unref(&facts->head);
	assert_int_equal(reason_on(f, "n1"), SHK_REASON_GPU_CORDONED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(nodes_go_and_their_allocations_stay, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_node_that_comes_back_has_its_residents, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(marks_keep_pods_off, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_mark_waits_for_its_node, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
