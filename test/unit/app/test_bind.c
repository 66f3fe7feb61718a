#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define TENANTS                                                                                    \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: vision}\n"                     \
	"spec: {namespaces: [v], quota: {gpuEquivalents: {guaranteed: \"4\"}}}\n---\n"             \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: audio}\n"                      \
	"spec: {namespaces: [a]}\n"

/* Two nodes with cards, one shared node, pods of two tenants. */
static int set_up(void **state)
{
	static struct fixture f;

	fixture_init(&f);
	fixture_cards(&f, "n1", 8);
	fixture_cards(&f, "n2", 8);
	fixture_shared(&f, "s1", 1, 4);
	fixture_pod(&f, "v", "p1", "u1", GPU, 1, "", "");
	fixture_pod(&f, "v", "p2", "u2", GPU, 2, "", "");
	fixture_pod(&f, "v", "gated", "u3", GPU, 1, "\"schedulingGates\":[{\"name\":\"g\"}]", "");
	fixture_pod(&f, "v", "done", "u4", GPU, 1, "\"nodeName\":\"n1\"", "Succeeded");
	fixture_pod(&f, "v", "cpu", "u5", NULL, 0, "", "");
	fixture_pod(&f, "v", "s", "u6", SHARED, 1, "", "");
	fixture_pod(&f, "a", "s", "u7", SHARED, 1, "", "");
	fixture_pod(&f, "x", "nobody", "u8", GPU, 1, "", "");
	fixture_raw(&f, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"going\",\"namespace\":\"v\","
			"\"uid\":\"u9\",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{"
			"\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{"
			"\"nvidia.com/gpu\":\"1\"}}}]},\"status\":{\"phase\":\"Pending\"}}");
	fixture_apply_file(&f, "tenants.yaml", TENANTS);
	fixture_boot(&f);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	fixture_fini(*state);
	return 0;
}

static void assert_code(const char *text, const char *code)
{
	size_t len = strlen(code);

	if (strncmp(text, code, len) != 0 || strncmp(text + len, ": ", 2) != 0)
		fail_msg("expected %s, got \"%s\"", code, text);
	assert_null(strchr(text, '%'));
	assert_true(strlen(text) <= 80);
}

static void binds_once_and_repeats_succeed(void **state)
{
	struct fixture *f = *state;
	const struct shk_alloc *alloc;
	uint64_t seq = fixture_view(f)->ledger_seq;

	assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"), "");
	alloc = fixture_alloc(f, "u1");
	assert_non_null(alloc);
	assert_string_equal(alloc->tenant, "vision");
	assert_string_equal(alloc->node, "n1");
	assert_int_equal(alloc->state, SHK_ALLOC_BOUND);
	assert_int_equal(alloc->seq, seq + 1);
	assert_int_equal(fixture_used(f, "n1", GPU), 1);
	assert_int_equal(shk_view_node(fixture_view(f), "n1")->cpu_used_milli, 1000);

	seq = fixture_view(f)->ledger_seq;
	for (int i = 0; i < 3; i++)
		assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"), "");
	assert_int_equal(fixture_view(f)->ledger_seq, seq);
	assert_int_equal(fixture_used(f, "n1", GPU), 1);
	assert_code(fixture_bind(f, "v", "p1", "u1", "n2"), "AlreadyBound");
	assert_int_equal(f->effects.n_ended, 4);
	assert_string_equal(f->effects.ended[0], "u1");
}

static void refuses_by_code_and_changes_nothing(void **state)
{
	static const struct {
		const char *namespace_;
		const char *name;
		const char *uid;
		const char *node;
		const char *code;
	} cases[] = {
	    {"v", "never", "u99", "n1", "PodUnknown"},
	    {"v", "p1", "forged", "n1", "UidMismatch"},
	    {"v", "p2", "u1", "n1", "UidMismatch"},
	    {"a", "p1", "u1", "n1", "UidMismatch"},
	    {"v", "gated", "u3", "n1", "PodGated"},
	    {"v", "done", "u4", "n1", "PodGone"},
	    {"v", "going", "u9", "n1", "PodGone"},
	    {"v", "p1", "u1", "n9", "NodeUnknown"},
	    {"v", "cpu", "u5", "n9", "NodeUnknown"},
	    {"v", "p1", "u1", "s1", "ResourceNotOffered"},
	    {"x", "nobody", "u8", "n1", "TenantUnknown"},
	};
	struct fixture *f = *state;
	uint64_t seq = fixture_view(f)->ledger_seq;
	uint64_t version = fixture_view(f)->version;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_code(fixture_bind(f, cases[i].namespace_, cases[i].name, cases[i].uid,
					 cases[i].node),
			    cases[i].code);
	assert_int_equal(fixture_view(f)->ledger_seq, seq);
	assert_int_equal(fixture_view(f)->version, version);
	assert_int_equal(f->effects.n_ended, 0);
}

static void a_pod_without_gpus_is_bound_plainly(void **state)
{
	struct fixture *f = *state;
	uint64_t seq = fixture_view(f)->ledger_seq;

	assert_string_equal(fixture_bind(f, "v", "cpu", "u5", "n1"), "");
	assert_string_equal(fixture_bind(f, "v", "cpu", "u5", "n1"), "");
	assert_code(fixture_bind(f, "v", "cpu", "u5", "n2"), "AlreadyBound");
	assert_null(fixture_alloc(f, "u5"));
	assert_int_equal(fixture_view(f)->ledger_seq, seq);
	assert_int_equal(shk_view_node(fixture_view(f), "n1")->cpu_used_milli, 1000);
}

static void advise_binds_nothing(void **state)
{
	struct fixture *f = *state;

	f->boot.state.mode = SHK_MODE_ADVISE;
	assert_code(fixture_bind(f, "v", "p1", "u1", "n1"), "AdviseOnly");
	assert_null(fixture_alloc(f, "u1"));
}

static void run_batch(struct fixture *f, struct shk_command **commands, size_t n)
{
	shk_state_step(&f->boot.state, &f->env, commands, n, &f->effects);
}

static void free_batch(struct shk_command **commands, size_t n)
{
	for (size_t i = 0; i < n; i++)
		shk_command_free(commands[i]);
}

static const char *text_of(const struct shk_command *command)
{
	return command->result.body.data ? command->result.body.data : "";
}

static void a_batch_sees_its_earlier_binds(void **state)
{
	struct fixture *f = *state;
	struct shk_command *commands[] = {
	    fixture_bind_command("v", "s", "u6", "s1"),
	    fixture_bind_command("a", "s", "u7", "s1"), /* another domain, same pool */
	    fixture_bind_command("v", "s", "u6", "s1"), /* the same again */
	    fixture_bind_command("v", "s", "u6", "n1"), /* and elsewhere */
	};
	uint64_t seq = fixture_view(f)->ledger_seq;

	run_batch(f, commands, 4);
	assert_string_equal(text_of(commands[0]), "");
	assert_code(text_of(commands[1]), "TrustBoundary");
	assert_string_equal(text_of(commands[2]), "");
	assert_code(text_of(commands[3]), "AlreadyBound");
	assert_int_equal(fixture_view(f)->ledger_seq, seq + 1);
	free_batch(commands, 4);
}

static void a_failed_commit_publishes_nothing(void **state)
{
	struct fixture *f = *state;
	struct shk_command *commands[] = {
	    fixture_bind_command("x", "nobody", "u8", "n1"), /* refused before any change */
	    fixture_bind_command("v", "p1", "u1", "n1"),
	    fixture_bind_command("v", "p1", "u1", "n1"), /* would have been a repeat */
	    fixture_bind_command("v", "cpu", "u5", "n1"),
	};
	struct shk_error err;

	f->env.commit = fixture_commit_fails;
	run_batch(f, commands, 4);
	assert_code(text_of(commands[0]), "TenantUnknown");
	for (size_t i = 1; i < 4; i++)
		assert_code(text_of(commands[i]), "LedgerUnavailable");
	free_batch(commands, 4);
	assert_null(fixture_alloc(f, "u1"));
	assert_int_equal(fixture_used(f, "n1", GPU), 0);
	assert_int_equal(shk_view_node(fixture_view(f), "n1")->cpu_used_milli, 0);
	assert_int_equal(f->effects.n_ended, 0);
	assert_int_equal(f->effects.failure.status, SHK_E_IO);
	assert_string_equal(fixture_view(f)->not_ready, SHK_CAUSE_LEDGER);

	assert_code(fixture_bind(f, "v", "p1", "u1", "n1"), "NotReady");
	assert_string_equal(fixture_bind(f, "v", "cpu", "u5", "n1"), ""); /* needs no ledger */
	assert_int_equal(shk_state_probe(&f->boot.state, &f->env, &err), SHK_E_IO);
	f->env.commit = shk_ledger_commit;
	assert_int_equal(shk_state_probe(&f->boot.state, &f->env, &err), SHK_OK);
	assert_null(fixture_view(f)->not_ready);
	assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"), "");
}

static enum shk_status commit_conflicts_once(struct shk_ledger *ledger, struct shk_error *err)
{
	static int calls;

	if (calls++ > 0)
		return shk_ledger_commit(ledger, err);
	shk_ledger_rollback(ledger);
	return shk_error_set(err, SHK_E_CONFLICT, "somebody's row was refused");
}

static void one_spoiled_write_does_not_spoil_the_others(void **state)
{
	struct fixture *f = *state;
	struct shk_command *commands[] = {
	    fixture_bind_command("v", "p1", "u1", "n1"),
	    fixture_bind_command("v", "p2", "u2", "n1"),
	};

	f->env.commit = commit_conflicts_once;
	run_batch(f, commands, 2);
	assert_string_equal(text_of(commands[0]), "");
	assert_string_equal(text_of(commands[1]), "");
	assert_int_equal(fixture_used(f, "n1", GPU), 3);
	assert_null(fixture_view(f)->not_ready);
	assert_int_equal(f->effects.n_ended, 2);
	free_batch(commands, 2);
}

static void the_ledger_may_know_more_after_it_was_opened_again(void **state)
{
	struct fixture *f = *state;
	const struct shk_alloc *before;
	struct shk_alloc lost;
	struct shk_error err;
	uint64_t seq;

	/* A transaction that we were told had failed, and that stands. */
	assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"), "");
	before = fixture_alloc(f, "u1");
	lost = *before;
	lost.uid = "u2";
	lost.name = "p2";
	assert_int_equal(shk_ledger_begin(f->env.ledger, 1, &err), SHK_OK);
	assert_int_equal(shk_ledger_alloc_add(f->env.ledger, &lost, &seq, &err), SHK_OK);
	assert_int_equal(shk_ledger_commit(f->env.ledger, &err), SHK_OK);

	f->boot.state.ledger_down = true;
	assert_int_equal(shk_state_recover(&f->boot.state, &f->env, &err), SHK_OK);
	assert_false(f->boot.state.ledger_down);
	assert_int_equal(fixture_used(f, "n1", GPU), 2);
	assert_string_equal(fixture_bind(f, "v", "p2", "u2", "n1"), "");
	assert_code(fixture_bind(f, "v", "p2", "u2", "n2"), "AlreadyBound");
}

#define N_PODS 40

static void quota_admits_exactly_what_it_has(void **state)
{
	struct shk_command *commands[N_PODS];
	struct fixture f;
	size_t n_bound = 0;

	(void)state;
	fixture_init(&f);
	for (int i = 0; i < 8; i++)
		fixture_cards(&f, (char[]){'n', (char)('0' + i), '\0'}, 8);
	for (int i = 0; i < N_PODS; i++) {
		char name[16];

		(void)snprintf(name, sizeof name, "p%d", i);
		fixture_pod(&f, "v", name, name, GPU, 1, "", "");
	}
	fixture_apply_file(&f, "tenants.yaml", TENANTS);
	fixture_boot(&f);
	for (int i = 0; i < N_PODS; i++) {
		char name[16];

		(void)snprintf(name, sizeof name, "p%d", i);
		commands[i] =
		    fixture_bind_command("v", name, name, (char[]){'n', (char)('0' + i % 8), '\0'});
	}
	run_batch(&f, commands, N_PODS);
	for (size_t i = 0; i < N_PODS; i++) {
		if (text_of(commands[i])[0] == '\0')
			n_bound++;
		else
			assert_code(text_of(commands[i]), "QuotaCeiling");
	}
	assert_int_equal(n_bound, 4);
	free_batch(commands, N_PODS);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(binds_once_and_repeats_succeed, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(refuses_by_code_and_changes_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_pod_without_gpus_is_bound_plainly, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(advise_binds_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_batch_sees_its_earlier_binds, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_failed_commit_publishes_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(one_spoiled_write_does_not_spoil_the_others, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(the_ledger_may_know_more_after_it_was_opened_again,
					    set_up, tear_down),
	    cmocka_unit_test(quota_admits_exactly_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
