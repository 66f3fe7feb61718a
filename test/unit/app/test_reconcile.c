#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define TENANTS                                                                                    \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: vision}\n"                     \
	"spec: {namespaces: [v], quota: {gpuEquivalents: {guaranteed: \"2\", ceiling: \"8\"}}}\n"

/* What the second start finds, by what the first one left. */

static void nodes(struct fixture *f)
{
	fixture_cards(f, "n1", 8);
	fixture_cards(f, "n2", 8);
}

static void open_file(struct fixture *f, char ledger[128])
{
	fixture_init(f);
	(void)snprintf(ledger, 128, "%s/ledger.db", f->directory);
	f->config.ledger = ledger;
	fixture_apply_file(f, "d.yaml", TENANTS);
	nodes(f);
}

static void restart_with_nodes(struct fixture *f)
{
	fixture_stop(f);
	shk_buf_clear(&f->snapshot);
	nodes(f);
}

/* kubelet admits no such pod, whoever put it there; it must not keep the others waiting. */
static void a_placed_pod_that_cannot_be_counted_is_passed_over(void **state)
{
	static const char *const amounts[] = {"\"0.5\"", "\"-1\"", "\"abc\"", "1000000000000"};
	struct fixture f;
	char ledger[128];

	(void)state;
	open_file(&f, ledger);
	for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
		char item[512];

		(void)snprintf(
		    item, sizeof item,
		    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"v\","
		    "\"uid\":\"u%zu\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{"
		    "\"name\":\"c\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":%s}}}]},"
		    "\"status\":{\"phase\":\"Running\"}}",
		    i, i, amounts[i]);
		fixture_raw(&f, item);
	}
	fixture_pod(&f, "v", "good", "good", GPU, 1, "\"nodeName\":\"n1\"", "");
	fixture_boot(&f);
	assert_non_null(fixture_alloc(&f, "good"));
	assert_null(fixture_alloc(&f, "u0"));
	assert_int_equal(fixture_used(&f, "n1", GPU), 1);
	fixture_fini(&f);
}

static void rows_follow_the_file(void **state)
{
	/* Each pod is bound to n1 before; then the file says: */
	static const struct {
		const char *uid;
		const char *spec;
		const char *phase; /* NULL: the pod isn't in the file */
		const char *node;  /* of the allocation afterwards; NULL: none */
		enum shk_alloc_state alloc;
	} cases[] = {
	    {"u0", "", "Pending", "n1", SHK_ALLOC_BOUND},
	    {"u1", "\"nodeName\":\"n1\"", "Running", "n1", SHK_ALLOC_BOUND},
	    {"u2", "\"nodeName\":\"n2\"", "Running", "n2", SHK_ALLOC_FOREIGN},
	    {"u3", "\"nodeName\":\"n1\"", "Succeeded", NULL, SHK_ALLOC_NONE},
	    {"u4", "\"nodeName\":\"n1\"", "Failed", NULL, SHK_ALLOC_NONE},
	    {"u5", "", NULL, NULL, SHK_ALLOC_NONE},
	    {"u6", "\"nodeName\":\"gone\"", "Running", "gone", SHK_ALLOC_FOREIGN},
	};
	size_t n = sizeof cases / sizeof cases[0];
	struct fixture f;
	char ledger[128];

	(void)state;
	open_file(&f, ledger);
	for (size_t i = 0; i < n; i++)
		fixture_pod(&f, "v", cases[i].uid, cases[i].uid, GPU, 1, "", "");
	fixture_boot(&f);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(fixture_bind(&f, "v", cases[i].uid, cases[i].uid, "n1"), "");

	restart_with_nodes(&f);
	for (size_t i = 0; i < n; i++) {
		if (cases[i].phase)
			fixture_pod(&f, "v", cases[i].uid, cases[i].uid, GPU, 1, cases[i].spec,
				    cases[i].phase);
	}
	fixture_boot(&f);
	for (size_t i = 0; i < n; i++) {
		const struct shk_alloc *alloc = fixture_alloc(&f, cases[i].uid);

		if (!cases[i].node) {
			assert_null(alloc);
			continue;
		}
		assert_non_null(alloc);
		assert_string_equal(alloc->node, cases[i].node);
		assert_int_equal(alloc->state, cases[i].alloc);
	}
	assert_int_equal(fixture_used(&f, "n1", GPU), 2);
	assert_int_equal(fixture_used(&f, "n2", GPU), 1);
	assert_int_equal(shk_view_node(fixture_view(&f), "n1")->cpu_used_milli, 2000);
	assert_int_equal(f.boot.report.kept, 2);
	assert_int_equal(f.boot.report.assigned, 1);
	assert_int_equal(f.boot.report.ended, 5);
	assert_int_equal(f.boot.report.adopted, 2);
	assert_string_equal(fixture_bind(&f, "v", "u0", "u0", "n1"), "");
	fixture_fini(&f);
}

static void the_same_name_with_another_uid_is_another_pod(void **state)
{
	struct fixture f;
	char ledger[128];

	(void)state;
	open_file(&f, ledger);
	fixture_pod(&f, "v", "web-0", "old", GPU, 1, "", "");
	fixture_boot(&f);
	assert_string_equal(fixture_bind(&f, "v", "web-0", "old", "n1"), "");

	restart_with_nodes(&f);
	fixture_pod(&f, "v", "web-0", "new", GPU, 1, "", "");
	fixture_boot(&f);
	assert_null(fixture_alloc(&f, "old"));
	assert_null(fixture_alloc(&f, "new"));
	assert_int_equal(fixture_used(&f, "n1", GPU), 0);
	assert_string_equal(fixture_bind(&f, "v", "web-0", "old", "n1"),
			    "UidMismatch: the pod of this name has another UID");
	assert_string_equal(fixture_bind(&f, "v", "web-0", "new", "n1"), "");
	fixture_fini(&f);
}

static void running(struct fixture *f, const char *uid, const char *created)
{
	char item[512];

	(void)snprintf(item, sizeof item,
		       "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"v\","
		       "\"uid\":\"%s\",\"creationTimestamp\":\"%s\"},\"spec\":{\"nodeName\":\"n1\","
		       "\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{"
		       "\"nvidia.com/gpu\":\"1\"}}}]},\"status\":{\"phase\":\"Running\"}}",
		       uid, uid, created);
	fixture_raw(f, item);
}

static void strangers_are_classed_by_age_then_uid(void **state)
{
	struct fixture f;
	char ledger[128];

	(void)state;
	open_file(&f, ledger);
	running(&f, "a-young", "2026-03-01T00:00:00Z");
	running(&f, "c-same-age", "2026-02-01T00:00:00Z");
	running(&f, "b-same-age", "2026-02-01T00:00:00Z");
	running(&f, "z-oldest", "2026-01-01T00:00:00Z");
	fixture_boot(&f);
	/* Two are guaranteed: the oldest, and of two of one age the first by UID. */
	assert_int_equal(fixture_alloc(&f, "z-oldest")->quota_class, SHK_CLASS_GUARANTEED);
	assert_int_equal(fixture_alloc(&f, "b-same-age")->quota_class, SHK_CLASS_GUARANTEED);
	assert_int_equal(fixture_alloc(&f, "c-same-age")->quota_class, SHK_CLASS_BORROWED);
	assert_int_equal(fixture_alloc(&f, "a-young")->quota_class, SHK_CLASS_BORROWED);
	assert_int_equal(fixture_alloc(&f, "z-oldest")->since_s, 1767225600);

	/* A restart adopts nobody twice. */
	fixture_stop(&f);
	fixture_boot(&f);
	assert_int_equal(f.boot.report.adopted, 0);
	assert_int_equal(f.boot.report.kept, 4);
	assert_int_equal(fixture_alloc(&f, "a-young")->quota_class, SHK_CLASS_BORROWED);
	fixture_fini(&f);
}

static void alarms_count_mixed_pools_and_deficits(void **state)
{
	struct fixture f;
	struct shk_reconcile_alarms alarms;

	(void)state;
	fixture_init(&f);
	fixture_shared(&f, "s1", 1, 4);
	fixture_cards(&f, "n1", 2);
	fixture_pod(&f, "v", "p1", "u1", SHARED, 1, "\"nodeName\":\"s1\"", "Running");
	fixture_pod(&f, "w", "p2", "u2", SHARED, 1, "\"nodeName\":\"s1\"", "Running");
	fixture_pod(&f, "v", "p3", "u3", GPU, 3, "\"nodeName\":\"n1\"", "Running");
	fixture_boot(&f);
	alarms = shk_reconcile_alarms(fixture_view(&f));
	assert_int_equal(alarms.conflicts, 1);
	assert_int_equal(alarms.deficit_units, 1);
	fixture_fini(&f);
}

static void cordons_survive_a_restart(void **state)
{
	struct fixture f;
	char ledger[128];
	struct shk_command *command = shk_command_new(SHK_COMMAND_CORDON, NULL, NULL);

	(void)state;
	open_file(&f, ledger);
	fixture_pod(&f, "v", "p1", "u1", GPU, 1, "", "");
	fixture_boot(&f);
	command->cordon = (struct shk_cordon_input){"n1", true};
	fixture_run(&f, command);
	assert_int_equal(f.status, SHK_OK);
	fixture_stop(&f);
	fixture_boot(&f);
	assert_non_null(strstr(fixture_bind(&f, "v", "p1", "u1", "n1"), "GpuCordoned: "));
	assert_string_equal(fixture_bind(&f, "v", "p1", "u1", "n2"), "");
	fixture_fini(&f);
}

static void bad_inputs_say_what_and_where(void **state)
{
	struct fixture f;
	struct shk_error err = {0};

	(void)state;
	fixture_init(&f);
	assert_int_equal(fixture_try_boot(&f, &err), SHK_E_INPUT);
	assert_non_null(strstr(err.text, "snapshot.json: there is no node in it"));
	fixture_cards(&f, "n1", 1);
	f.config.policy = fixture_file(&f, "policy.yaml",
				       "apiVersion: shikiri.dev/v1\nkind: Policy\n"
				       "metadata: {name: x}\nspec: {isolation: {vgpu: maybe}}\n");
	assert_int_equal(fixture_try_boot(&f, &err), SHK_E_INPUT);
	if (!strstr(err.text, "policy.yaml: /spec/isolation/vgpu: "))
		fail_msg("%s", err.text);
	f.config.policy = "/nowhere/policy.yaml";
	assert_int_equal(fixture_try_boot(&f, &err), SHK_E_NOT_FOUND);
	f.config.policy = NULL;
	f.config.ledger = "/nowhere/at/all/ledger.db";
	assert_int_equal(fixture_try_boot(&f, &err), SHK_E_NOT_FOUND);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_placed_pod_that_cannot_be_counted_is_passed_over),
	    cmocka_unit_test(rows_follow_the_file),
	    cmocka_unit_test(the_same_name_with_another_uid_is_another_pod),
	    cmocka_unit_test(strangers_are_classed_by_age_then_uid),
	    cmocka_unit_test(alarms_count_mixed_pools_and_deficits),
	    cmocka_unit_test(cordons_survive_a_restart),
	    cmocka_unit_test(bad_inputs_say_what_and_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
