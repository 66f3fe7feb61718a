#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define V1 "apiVersion: shikiri.dev/v1\n"
#define TENANT(name, namespaces)                                                                   \
	V1 "kind: Tenant\nmetadata: {name: " name "}\nspec: {namespaces: [" namespaces "]}\n"

static int set_up(void **state)
{
	static struct fixture f;

	fixture_init(&f);
	fixture_cards(&f, "n1", 8);
	fixture_pod(&f, "v", "p1", "u1", GPU, 1, "", "");
	fixture_pod(&f, "b", "p2", "u2", GPU, 1, "", "");
	fixture_boot(&f);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	fixture_fini(*state);
	return 0;
}

static void creates_updates_and_sees_what_is_the_same(void **state)
{
	struct fixture *f = *state;

	fixture_apply(f, TENANT("vision", "v") "---\n" TENANT("audio", "a"), false, false);
	assert_string_equal(f->text.data,
			    "{\"dryRun\":false,\"changes\":["
			    "{\"kind\":\"Tenant\",\"name\":\"audio\",\"operation\":\"created\"},"
			    "{\"kind\":\"Tenant\",\"name\":\"vision\",\"operation\":\"created\"}],"
			    "\"warnings\":[]}");
	fixture_apply(f, TENANT("vision", "v") "---\n" TENANT("audio", "a, b"), false, false);
	assert_string_equal(
	    f->text.data, "{\"dryRun\":false,\"changes\":["
			  "{\"kind\":\"Tenant\",\"name\":\"audio\",\"operation\":\"updated\"},"
			  "{\"kind\":\"Tenant\",\"name\":\"vision\",\"operation\":\"unchanged\"}],"
			  "\"warnings\":[]}");
	assert_string_equal(fixture_bind(f, "b", "p2", "u2", "n1"), "");
	assert_string_equal(fixture_alloc(f, "u2")->tenant, "audio");
}

static void a_namespace_can_move_within_one_apply(void **state)
{
	struct fixture *f = *state;

	fixture_apply(f, TENANT("x", "a") "---\n" TENANT("y", "b"), false, false);
	assert_int_equal(f->status, SHK_OK);
	fixture_apply(f, TENANT("x", "b") "---\n" TENANT("y", "a"), false, false);
	assert_int_equal(f->status, SHK_OK);
	assert_string_equal(fixture_bind(f, "b", "p2", "u2", "n1"), "");
	assert_string_equal(fixture_alloc(f, "u2")->tenant, "x");
}

static void running_pods_keep_tenant_and_domain(void **state)
{
	struct fixture *f = *state;

	fixture_apply(f, TENANT("x", "v"), false, false);
	assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"), "");
	fixture_apply(f, TENANT("x", "other") "---\n" TENANT("y", "v"), false, false);
	assert_int_equal(f->status, SHK_OK);
	assert_string_equal(fixture_alloc(f, "u1")->tenant, "x");
	assert_int_equal(fixture_used(f, "n1", GPU), 1);
}

static void dry_run_changes_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t seq = fixture_view(f)->ledger_seq;
	uint64_t version = fixture_view(f)->version;

	fixture_apply(f, TENANT("vision", "v"), false, true);
	assert_non_null(strstr(f->text.data, "\"dryRun\":true"));
	assert_non_null(strstr(f->text.data, "\"operation\":\"created\""));
	assert_int_equal(fixture_view(f)->ledger_seq, seq);
	assert_int_equal(fixture_view(f)->version, version);
	assert_int_equal(fixture_view(f)->tenancy->documents->n_tenants, 0);
}

static void conflicts_are_refused_whole(void **state)
{
	struct fixture *f = *state;

	fixture_apply(f, TENANT("vision", "v"), false, false);
	fixture_apply(f, TENANT("audio", "a") "---\n" TENANT("thief", "v"), false, false);
	assert_int_equal(f->status, SHK_E_INPUT);
	assert_non_null(strstr(f->error.text, "v"));
	assert_int_equal(f->text.len, 0);
	assert_int_equal(fixture_view(f)->tenancy->documents->n_tenants, 1);
}

static void prune_deletes_what_is_not_named(void **state)
{
	struct fixture *f = *state;

	fixture_apply(
	    f,
	    TENANT("vision", "v") "---\n" TENANT(
		"audio", "a") "---\n" V1
			      "kind: TrustDomain\nmetadata: {name: d}\nspec: {isolation: card}\n",
	    false, false);
	fixture_apply(f, TENANT("vision", "v"), true, false);
	assert_string_equal(f->text.data,
			    "{\"dryRun\":false,\"changes\":["
			    "{\"kind\":\"Tenant\",\"name\":\"audio\",\"operation\":\"deleted\"},"
			    "{\"kind\":\"Tenant\",\"name\":\"vision\",\"operation\":\"unchanged\"},"
			    "{\"kind\":\"TrustDomain\",\"name\":\"d\",\"operation\":\"deleted\"}],"
			    "\"warnings\":[]}");
	assert_int_equal(fixture_view(f)->tenancy->documents->n_tenants, 1);
	assert_int_equal(fixture_view(f)->tenancy->documents->n_domains, 0);
}

static void a_tenant_with_live_allocations_stays(void **state)
{
	struct fixture *f = *state;

	fixture_apply(f, TENANT("vision", "v"), false, false);
	assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"), "");
	fixture_apply(f, TENANT("audio", "a"), true, false);
	assert_int_equal(f->status, SHK_E_CONFLICT);
	assert_int_equal(fixture_view(f)->tenancy->documents->n_tenants, 1);
}

static void a_failed_commit_leaves_the_old_documents(void **state)
{
	struct fixture *f = *state;

	f->env.commit = fixture_commit_fails;
	fixture_apply(f, TENANT("vision", "v"), false, false);
	assert_int_equal(f->status, SHK_E_UNAVAILABLE);
	assert_int_equal(fixture_view(f)->tenancy->documents->n_tenants, 0);
	fixture_apply(f, TENANT("vision", "v"), false, false);
	assert_int_equal(f->status, SHK_E_UNAVAILABLE);
	fixture_apply(f, TENANT("vision", "v"), false, true); /* writes nothing, so it works */
	assert_int_equal(f->status, SHK_OK);
}

static void documents_know_their_versions(void **state)
{
	struct fixture *f = *state;
	const struct shk_tenant *tenant;
	uint64_t version;
	char uid[64];

	fixture_apply(f, TENANT("vision", "v"), false, false);
	tenant = shk_tenancy_tenant(fixture_view(f)->tenancy, "vision");
	version = tenant->meta.resource_version;
	(void)snprintf(uid, sizeof uid, "%s", tenant->meta.uid);
	assert_true(version > 0);
	assert_int_equal(strlen(uid), 36);
	fixture_apply(f, TENANT("vision", "v, w"), false, false);
	tenant = shk_tenancy_tenant(fixture_view(f)->tenancy, "vision");
	assert_true(tenant->meta.resource_version > version);
	assert_string_equal(tenant->meta.uid, uid);
}

static struct shk_command *reload_command(struct fixture *f, const char *policy)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_RELOAD, NULL, NULL);
	struct shk_policy *decoded = SHK_NEW(&command->arena, struct shk_policy);
	struct shk_error err = {0};

	(void)f;
	command->reload = (struct shk_reload_input){.policy = decoded};
	if (shk_policy_decode(shk_sv(policy), &command->arena, decoded, &err))
		fail_msg("policy: %s %s", err.pointer, err.text);
	return command;
}

/* The second apply replaces, and frees, the documents that its own answer speaks of. */
static void prune_may_delete_what_the_same_batch_made(void **state)
{
	struct fixture *f = *state;
	struct shk_command *commands[] = {
	    fixture_apply_command(TENANT("audio", "a"), false, false),
	    fixture_apply_command(TENANT("vision", "v"), true, false),
	};

	shk_state_step(&f->boot.state, &f->env, commands, 2, &f->effects);
	assert_int_equal(commands[1]->result.status, SHK_OK);
	assert_non_null(
	    strstr(commands[1]->result.body.data, "\"audio\",\"operation\":\"deleted\""));
	for (size_t i = 0; i < 2; i++)
		shk_command_free(commands[i]);
	assert_int_equal(fixture_view(f)->tenancy->documents->n_tenants, 1);
}

static void a_reload_is_in_force_whole_or_not_at_all(void **state)
{
	struct fixture *f = *state;
	struct shk_command *command =
	    reload_command(f, V1 "kind: Policy\nspec: {isolation: {acrossDomains: node}}\n");
	struct shk_apply_item *items = SHK_NEW_ARRAY(&command->arena, 2, struct shk_apply_item);
	const struct shk_document *documents;
	struct shk_error err;
	size_t n = 0;

	if (shk_documents_decode(shk_sv(TENANT("x", "same") "---\n" TENANT("y", "same")),
				 &command->arena, &documents, &n, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < n; i++)
		items[i] = (struct shk_apply_item){.document = &documents[i], .file = "/d.yaml"};
	command->reload.apply = (struct shk_apply_input){.items = items, .n = n};
	fixture_run(f, command);
	assert_int_equal(f->status, SHK_E_INPUT);
	assert_int_equal(fixture_view(f)->policy->across_domains, SHK_LEVEL_MIG);
}

static void a_reloaded_policy_judges_every_node_again(void **state)
{
	struct fixture *f = *state;
	char before[72];

	(void)snprintf(before, sizeof before, "%s", fixture_view(f)->policy->hash);
	assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"),
			    "TenantUnknown: the namespace belongs to no tenant");
	fixture_run(f, reload_command(f, V1 "kind: Policy\nmetadata: {name: open}\n"
					    "spec: {isolation: {unmappedNamespace: allow}}\n"));
	assert_int_equal(f->status, SHK_OK);
	assert_string_not_equal(fixture_view(f)->policy->hash, before);
	assert_string_equal(fixture_bind(f, "v", "p1", "u1", "n1"), "");
	assert_string_equal(fixture_alloc(f, "u1")->tenant, "default");
}

/* --- files that are applied at start --------------------------------------------------------- */

static void restart(struct fixture *f)
{
	fixture_stop(f);
	fixture_boot(f);
}

static void files_apply_once_until_they_change(void **state)
{
	struct fixture f;
	char ledger[128];

	(void)state;
	fixture_init(&f);
	fixture_cards(&f, "n1", 8);
	(void)snprintf(ledger, sizeof ledger, "%s/ledger.db", f.directory);
	f.config.ledger = ledger;
	fixture_apply_file(&f, "d.yaml", TENANT("vision", "v") "---\n" TENANT("audio", "a"));
	fixture_boot(&f);
	assert_int_equal(fixture_view(&f)->tenancy->documents->n_tenants, 2);

	/* An edit by request survives a restart with the same file. */
	fixture_apply(&f, TENANT("vision", "v, w"), false, false);
	restart(&f);
	assert_int_equal(shk_tenancy_tenant(fixture_view(&f)->tenancy, "vision")->n_namespaces, 2);

	/* A changed document wins, one dropped from the file stays. */
	(void)fixture_file(&f, "d.yaml", TENANT("vision", "v, x, y"));
	restart(&f);
	assert_int_equal(shk_tenancy_tenant(fixture_view(&f)->tenancy, "vision")->n_namespaces, 3);
	assert_int_equal(fixture_view(&f)->tenancy->documents->n_tenants, 2);
	fixture_fini(&f);
}

static void a_file_in_conflict_is_named(void **state)
{
	struct fixture f;
	struct shk_error err = {0};

	(void)state;
	fixture_init(&f);
	fixture_cards(&f, "n1", 8);
	fixture_apply_file(&f, "one.yaml", TENANT("vision", "v"));
	fixture_apply_file(&f, "two.yaml", TENANT("thief", "v"));
	assert_int_equal(fixture_try_boot(&f, &err), SHK_E_INPUT);
	if (!strstr(err.text, ".yaml: Tenant/"))
		fail_msg("%s", err.text);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(creates_updates_and_sees_what_is_the_same, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(a_namespace_can_move_within_one_apply, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(running_pods_keep_tenant_and_domain, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(dry_run_changes_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(conflicts_are_refused_whole, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(prune_deletes_what_is_not_named, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_tenant_with_live_allocations_stays, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(a_failed_commit_leaves_the_old_documents, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(documents_know_their_versions, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(prune_may_delete_what_the_same_batch_made, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(a_reload_is_in_force_whole_or_not_at_all, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(a_reloaded_policy_judges_every_node_again, set_up,
					    tear_down),
	    cmocka_unit_test(files_apply_once_until_they_change),
	    cmocka_unit_test(a_file_in_conflict_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
