#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/wire/cluster.h"

#define POD(meta, spec, status)                                                                    \
	"{\"kind\":\"Pod\",\"metadata\":{" meta "},\"spec\":{" spec                                \
	"\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\"},"             \
	"\"limits\":{\"nvidia.com/gpu\":\"1\"}}}]},\"status\":{" status "}}"

static int set_up(void **state)
{
	static struct fixture f;

	fixture_init(&f);
	fixture_cards(&f, "n1", 2);
	fixture_apply_file(&f, "d.yaml",
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

static void come(struct fixture *f, const char *text)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_POD, NULL, NULL);
	struct shk_error err = {0};

	if (shk_pod_decode(shk_sv(text), &command->arena, &command->pod, &err))
		fail_msg("%s %s", err.pointer, err.text);
	fixture_run(f, command);
}

static void go(struct fixture *f, const char *namespace_, const char *name)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_POD_GONE, NULL, NULL);

	command->gone = (struct shk_pod_name_input){namespace_, name};
	fixture_run(f, command);
}

static void put_node(struct fixture *f, const char *text)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_NODE, NULL, NULL);
	struct shk_error err = {0};

	if (shk_node_decode(shk_sv(text), &command->arena, &command->node, &err))
		fail_msg("%s %s", err.pointer, err.text);
	fixture_run(f, command);
}

static void a_pod_comes_is_bound_and_goes(void **state)
{
	struct fixture *f = *state;

	come(f, POD("\"name\":\"p\",\"namespace\":\"v\",\"uid\":\"u1\"", "", ""));
	assert_int_equal(f->status, SHK_OK);
	assert_true(f->created);
	assert_string_equal(f->text.data,
			    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
			    "\"namespace\":\"v\",\"uid\":\"u1\"},\"spec\":{},"
			    "\"status\":{\"phase\":\"Pending\"}}");
	assert_string_equal(fixture_bind(f, "v", "p", "u1", "n1"), "");
	assert_int_equal(fixture_used(f, "n1", GPU), 1);
	go(f, "v", "p");
	assert_int_equal(f->status, SHK_OK);
	assert_null(fixture_alloc(f, "u1"));
	assert_int_equal(fixture_used(f, "n1", GPU), 0);
	assert_int_equal(shk_view_node(fixture_view(f), "n1")->cpu_used_milli, 0);
	assert_string_equal(f->effects.ended[f->effects.n_ended - 1], "u1");
	go(f, "v", "p");
	assert_int_equal(f->status, SHK_E_NOT_FOUND);
}

static void a_uid_is_made_where_there_is_none(void **state)
{
	struct fixture *f = *state;
	const struct shk_pod_object *pod;

	come(f, POD("\"name\":\"p\",\"namespace\":\"v\"", "", ""));
	assert_int_equal(f->status, SHK_OK);
	pod = shk_edition_pod_named(f->boot.state.current, "v", "p");
	assert_non_null(pod);
	assert_int_equal(strlen(pod->pod.uid), 36);
	assert_int_equal(pod->pod.uid[14], '4');
	assert_non_null(strstr(f->text.data, pod->pod.uid));
	assert_int_equal(pod->pod.created_s, f->env.now_s);
}

static void duplicates_are_conflicts(void **state)
{
	struct fixture *f = *state;

	come(f, POD("\"name\":\"p\",\"namespace\":\"v\",\"uid\":\"u1\"", "", ""));
	come(f, POD("\"name\":\"p\",\"namespace\":\"v\",\"uid\":\"u2\"", "", ""));
	assert_int_equal(f->status, SHK_E_CONFLICT);
	assert_false(f->created);
	come(f, POD("\"name\":\"q\",\"namespace\":\"v\",\"uid\":\"u1\"", "", ""));
	assert_int_equal(f->status, SHK_E_CONFLICT);
}

static void a_placed_pod_is_adopted(void **state)
{
	struct fixture *f = *state;

	come(f,
	     POD("\"name\":\"p\",\"namespace\":\"v\",\"uid\":\"u1\"", "\"nodeName\":\"n1\",", ""));
	assert_int_equal(f->status, SHK_OK);
	assert_int_equal(fixture_alloc(f, "u1")->state, SHK_ALLOC_FOREIGN);
	assert_string_equal(fixture_alloc(f, "u1")->tenant, "vision");
	assert_int_equal(fixture_used(f, "n1", GPU), 1);
	assert_int_equal(shk_view_node(fixture_view(f), "n1")->cpu_used_milli, 2000);
	come(f, POD("\"name\":\"q\",\"namespace\":\"v\",\"uid\":\"u2\"", "\"nodeName\":\"n1\",",
		    "\"phase\":\"Succeeded\""));
	assert_null(fixture_alloc(f, "u2"));
}

static void node_text(char *buf, size_t size, const char *name, int gpus)
{
	(void)snprintf(buf, size,
		       "{\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{"
		       "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\","
		       "\"nvidia.com/gpu.count\":\"%d\",\"nvidia.com/gpu.replicas\":\"1\"}},"
		       "\"status\":{\"capacity\":{\"cpu\":\"8\",\"nvidia.com/gpu\":\"%d\"},"
		       "\"allocatable\":{\"cpu\":\"8\",\"nvidia.com/gpu\":\"%d\"}}}",
		       name, gpus, gpus, gpus);
}

static void a_node_comes_and_shrinks_under_its_pods(void **state)
{
	struct fixture *f = *state;
	const struct shk_node *node;
	char text[1024];

	come(f,
	     POD("\"name\":\"p\",\"namespace\":\"v\",\"uid\":\"u1\"", "\"nodeName\":\"n2\",", ""));
	come(f,
	     POD("\"name\":\"q\",\"namespace\":\"v\",\"uid\":\"u2\"", "\"nodeName\":\"n2\",", ""));
	node_text(text, sizeof text, "n2", 4);
	put_node(f, text);
	assert_int_equal(f->status, SHK_OK);
	assert_true(f->created);
	assert_non_null(strstr(f->text.data, "\"n2\""));
	assert_int_equal(fixture_used(f, "n2", GPU), 2); /* they were there before it */
	assert_int_equal(shk_view_node(fixture_view(f), "n2")->cpu_used_milli, 4000);
	assert_int_equal(shk_books_capacity(fixture_view(f)->books, GPU), 6 * SHK_PARTS);

	node_text(text, sizeof text, "n2", 1);
	put_node(f, text);
	assert_false(f->created);
	node = shk_view_node(fixture_view(f), "n2");
	assert_int_equal(node->n_residents, 2);
	assert_int_equal(shk_node_free(node, 0), 0);
	assert_int_equal(shk_node_deficit(node, 0), 1);
	assert_int_equal(shk_books_capacity(fixture_view(f)->books, GPU), 3 * SHK_PARTS);
	go(f, "v", "p");
	assert_int_equal(shk_node_deficit(shk_view_node(fixture_view(f), "n2"), 0), 0);
}

static void cordon(struct fixture *f, const char *node, bool cordoned)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_CORDON, NULL, NULL);

	command->cordon = (struct shk_cordon_input){node, cordoned};
	fixture_run(f, command);
}

static void cordon_fences_and_uncordon_frees(void **state)
{
	struct fixture *f = *state;
	uint64_t seq;

	come(f, POD("\"name\":\"p\",\"namespace\":\"v\",\"uid\":\"u1\"", "", ""));
	cordon(f, "n1", true);
	assert_int_equal(f->status, SHK_OK);
	assert_int_equal(shk_books_capacity(fixture_view(f)->books, GPU), 0);
	assert_non_null(strstr(fixture_bind(f, "v", "p", "u1", "n1"), "GpuCordoned: "));
	seq = fixture_view(f)->ledger_seq;
	cordon(f, "n1", true); /* is set: no change */
	assert_int_equal(fixture_view(f)->ledger_seq, seq);
	cordon(f, "n1", false);
	assert_int_equal(shk_books_capacity(fixture_view(f)->books, GPU), 2 * SHK_PARTS);
	assert_string_equal(fixture_bind(f, "v", "p", "u1", "n1"), "");
	cordon(f, "n9", true);
	assert_int_equal(f->status, SHK_E_NOT_FOUND);
}

static void a_dead_ledger_stops_what_it_would_have_to_record(void **state)
{
	struct fixture *f = *state;

	come(f,
	     POD("\"name\":\"p\",\"namespace\":\"v\",\"uid\":\"u1\"", "\"nodeName\":\"n1\",", ""));
	f->env.commit = fixture_commit_fails;
	go(f, "v", "p");
	assert_int_equal(f->status, SHK_E_UNAVAILABLE);
	assert_int_equal(fixture_used(f, "n1", GPU), 1);
	go(f, "v", "p");
	assert_int_equal(f->status, SHK_E_UNAVAILABLE);
	come(f, POD("\"name\":\"q\",\"namespace\":\"v\",\"uid\":\"u2\"", "", ""));
	assert_int_equal(f->status, SHK_OK); /* pending: nothing to record */
	come(f,
	     POD("\"name\":\"r\",\"namespace\":\"v\",\"uid\":\"u3\"", "\"nodeName\":\"n1\",", ""));
	assert_int_equal(f->status, SHK_E_UNAVAILABLE);
	cordon(f, "n1", true);
	assert_int_equal(f->status, SHK_E_UNAVAILABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_pod_comes_is_bound_and_goes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_uid_is_made_where_there_is_none, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(duplicates_are_conflicts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_placed_pod_is_adopted, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_node_comes_and_shrinks_under_its_pods, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(cordon_fences_and_uncordon_frees, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_dead_ledger_stops_what_it_would_have_to_record,
					    set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
