/* test_policy.c - Policy and DaemonConfiguration. */
#include "wire.h"

#include "shikiri/base/hash.h"
#include "shikiri/wire/documents.h"

#define POLICY(spec) "apiVersion: shikiri.dev/v1\nkind: Policy\nspec:\n" spec
#define DAEMON       "apiVersion: shikiri.dev/v1\nkind: DaemonConfiguration\n"

struct scene {
	struct shk_arena arena;
	struct shk_error err;
	struct shk_policy policy;
	const struct shk_setting *settings;
	size_t n;
};

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof *scene);

	assert_non_null(scene);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	shk_arena_fini(&scene->arena);
	free(scene);
	return 0;
}

static void decode(struct scene *scene, const char *text)
{
	expect_ok(shk_policy_decode(shk_sv(text), &scene->arena, &scene->policy, &scene->err),
		  &scene->err, text);
}

static struct shk_buf encode(const struct shk_policy *policy)
{
	struct shk_buf out = {0};
	struct shk_json json;

	shk_json_begin(&json, &out);
	shk_policy_encode(policy, &json);
	return out;
}

static void test_shipped_default_is_built_in(void **state)
{
	struct scene *scene = *state;
	struct shk_policy built_in;
	struct shk_buf text = read_data("../../policies/default.yaml");

	decode(scene, text.data);
	shk_policy_default(&built_in);
	shk_policy_fill_hash(&built_in);

	struct shk_buf a = encode(&scene->policy);
	struct shk_buf b = encode(&built_in);

	assert_string_equal(a.data, b.data);
	assert_string_equal(scene->policy.hash, built_in.hash);
	shk_buf_fini(&a);
	shk_buf_fini(&b);
	shk_buf_fini(&text);
}

static void test_other_shipped_policies(void **state)
{
	struct scene *scene = *state;
	struct shk_buf strict = read_data("../../policies/strict.yaml");
	struct shk_buf dev = read_data("../../policies/dev.yaml");

	decode(scene, strict.data);
	assert_int_equal(scene->policy.across_domains, SHK_LEVEL_NODE);
	decode(scene, dev.data);
	assert_true(scene->policy.allow_unmapped && scene->policy.allow_disguised);
	shk_buf_fini(&strict);
	shk_buf_fini(&dev);
}

static void test_everything_can_be_said(void **state)
{
	struct scene *scene = *state;
	const struct shk_policy *policy = &scene->policy;

	decode(scene,
	       "apiVersion: shikiri.dev/v1\nkind: Policy\nmetadata: {name: mine}\nspec:\n"
	       "  isolation: {acrossDomains: card, sharedDisguised: allow, vgpu: card,\n"
	       "    infrastructureNamespaces: [z, a], unmappedNamespace: allow}\n"
	       "  sharing: {maxSharesPerContainer: {timeSlicing: 2, mps: 0}, spareSoftPools: 7}\n"
	       "  units: {migCharge: memory, modelFactors: {H100: 1.3, A: \"0.5\"},\n"
	       "    pricesPerHour: {X: 0, B: 2}}\n"
	       "  packing: {objective: spread, quantumMilli: 1000, export: linear,\n"
	       "    reserve: {serving: \"0.02\"}}\n"
	       "  preemption: {askedForOurRefusals: true, acrossDomains: true}\n"
	       "  holds: {ttl: 0s, ttlWithVolumes: 1h}\n"
	       "  limits: {staleness: 1m30s, bindTimeout: 250ms}\n");
	assert_string_equal(policy->name, "mine");
	assert_int_equal(policy->across_domains, SHK_LEVEL_CARD);
	assert_true(policy->allow_disguised && policy->vgpu_is_card && policy->allow_unmapped);
	assert_int_equal(policy->n_infrastructure_namespaces, 2);
	assert_string_equal(policy->infrastructure_namespaces[0], "a");
	assert_int_equal(policy->max_shares_time_slicing, 2);
	assert_int_equal(policy->max_shares_mps, 0);
	assert_int_equal(policy->spare_soft_pools, 7);
	assert_int_equal(policy->mig_charge, SHK_MIG_CHARGE_MEMORY);
	assert_int_equal(policy->n_model_factors, 2);
	assert_string_equal(policy->model_factors[0].name, "A");
	assert_int_equal(policy->model_factors[0].micro, 500000);
	assert_int_equal(policy->model_factors[1].micro, 1300000);
	assert_int_equal(policy->n_prices, 2);
	assert_int_equal(policy->prices[0].micro, 2000000);
	assert_int_equal(policy->prices[1].micro, 0);
	assert_int_equal(policy->objective, SHK_OBJECTIVE_SPREAD);
	assert_int_equal(policy->export_form, SHK_EXPORT_LINEAR);
	assert_int_equal(policy->quantum_milli, 1000);
	assert_int_equal(policy->reserve[0].micro, 20000);
	assert_true(policy->preempt_for_our_refusals && policy->preempt_across_domains);
	assert_int_equal(policy->hold_ttl_ms, 0);
	assert_int_equal(policy->hold_ttl_volumes_ms, 3600000);
	assert_int_equal(policy->staleness_ms, 90000);
	assert_int_equal(policy->bind_timeout_ms, 250);
}

static void test_encoding_decodes_to_itself(void **state)
{
	struct scene *scene = *state;
	char hash[SHK_SHA256_HEX];
	char expected[80];

	decode(scene, POLICY("  units: {modelFactors: {x: \"1.000001\", y: 1}}\n"
			     "  packing: {reserve: {b: 1, a: \"0.5\"}}\n"));

	struct shk_buf first = encode(&scene->policy);

	shk_sha256_hex(first.data, first.len, hash);
	(void)snprintf(expected, sizeof expected, "sha256:%s", hash);
	assert_string_equal(scene->policy.hash, expected);
	decode(scene, first.data);
	assert_string_equal(scene->policy.hash, expected);

	struct shk_buf second = encode(&scene->policy);

	assert_string_equal(first.data, second.data);
	assert_non_null(strstr(first.data, "\"modelFactors\":{\"x\":\"1.000001\",\"y\":\"1\"}"));
	shk_buf_fini(&first);
	shk_buf_fini(&second);
}

static void test_any_change_changes_the_hash(void **state)
{
	static const char *const cases[] = {
	    "  isolation: {acrossDomains: card}\n",
	    "  isolation: {vgpu: card}\n",
	    "  isolation: {infrastructureNamespaces: []}\n",
	    "  sharing: {spareSoftPools: 0}\n",
	    "  units: {pricesPerHour: {}}\n",
	    "  packing: {quantumMilli: 41}\n",
	    "  preemption: {acrossDomains: true}\n",
	    "  holds: {ttl: 31s}\n",
	    "  limits: {bindTimeout: 5s}\n",
	};
	struct scene *scene = *state;
	struct shk_policy built_in;

	shk_policy_default(&built_in);
	shk_policy_fill_hash(&built_in);
	for (size_t i = 0; i < N(cases); i++) {
		decode(scene, shk_arena_printf(&scene->arena, POLICY("%s"), cases[i]));
		assert_string_not_equal(scene->policy.hash, built_in.hash);
	}
	decode(scene, "apiVersion: shikiri.dev/v1\nkind: Policy\n");
	assert_string_equal(scene->policy.hash, built_in.hash);
}

static void test_bad_policies(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"", "", "one Policy document expected, 0 found"},
	    {POLICY("  {}\n") "---\n" POLICY("  {}\n"), "", "one Policy document expected, 2"},
	    {"[]", "", "not an object"},
	    {"apiVersion: shikiri.dev/v1\nkind: Tenant\n", "/kind", "not Policy"},
	    {"kind: Policy\n", "/apiVersion", "missing"},
	    {"apiVersion: shikiri.dev/v1\nkind: Policy\nmetadata: {name: A}\n", "/metadata/name",
	     "not a DNS label"},
	    {POLICY("  isolatoin: {}\n"), "/spec/isolatoin", "did you mean \"isolation\"?"},
	    {POLICY("  isolation: {acrossDomains: shared}\n"), "/spec/isolation/acrossDomains",
	     "mig, card or node"},
	    {POLICY("  isolation: {sharedDisguised: maybe}\n"), "/spec/isolation/sharedDisguised",
	     "neither deny nor allow"},
	    {POLICY("  isolation: {vgpu: 1}\n"), "/spec/isolation/vgpu", "neither shared nor card"},
	    {POLICY("  isolation: {infrastructureNamespaces: [a, a]}\n"),
	     "/spec/isolation/infrastructureNamespaces", "stands twice"},
	    {POLICY("  isolation: {infrastructureNamespaces: [A]}\n"),
	     "/spec/isolation/infrastructureNamespaces/0", "not a DNS label"},
	    {POLICY("  sharing: {maxSharesPerContainer: {mps: 4097}}\n"),
	     "/spec/sharing/maxSharesPerContainer/mps", "not in 0..4096"},
	    {POLICY("  sharing: {spareSoftPools: -1}\n"), "/spec/sharing/spareSoftPools",
	     "not in 0..1000"},
	    {POLICY("  units: {migCharge: slices}\n"), "/spec/units/migCharge",
	     "dominant, compute or memory"},
	    {POLICY("  units: {modelFactors: {x: 0}}\n"), "/spec/units/modelFactors/x",
	     "must be above 0"},
	    {POLICY("  units: {modelFactors: {x: 1000.5}}\n"), "/spec/units/modelFactors/x",
	     "too large"},
	    {POLICY("  units: {modelFactors: {x: y}}\n"), "/spec/units/modelFactors/x",
	     "not a decimal"},
	    {POLICY("  units: {modelFactors: {x: true}}\n"), "/spec/units/modelFactors/x",
	     "not a decimal"},
	    {POLICY("  units: {pricesPerHour: []}\n"), "/spec/units/pricesPerHour",
	     "not an object"},
	    {POLICY("  packing: {objective: random}\n"), "/spec/packing/objective",
	     "pack or spread"},
	    {POLICY("  packing: {quantumMilli: 0}\n"), "/spec/packing/quantumMilli",
	     "not in 1..1000"},
	    {POLICY("  packing: {export: minmax}\n"), "/spec/packing/export", "rank or linear"},
	    {POLICY("  packing: {reserve: {a: \"1.1\"}}\n"), "/spec/packing/reserve/a",
	     "too large"},
	    {POLICY("  preemption: {acrossDomains: 1}\n"), "/spec/preemption/acrossDomains",
	     "neither true nor false"},
	    {POLICY("  holds: {ttl: 30}\n"), "/spec/holds/ttl", "not a duration"},
	    {POLICY("  holds: {ttl: 169h}\n"), "/spec/holds/ttl", "not in 0s..168h"},
	    {POLICY("  limits: {bindTimeout: 0s}\n"), "/spec/limits/bindTimeout", "not in 1ms.."},
	    {POLICY("  limits: &a {}\n"), "line 4", "anchors"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		enum shk_status status = shk_policy_decode(shk_sv(cases[i].text), &scene->arena,
							   &scene->policy, &scene->err);

		expect_error(status, &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
	}
}

static void test_daemon_configuration(void **state)
{
	static const struct shk_setting expected[] = {
	    {"ledger", "/var/lib/shikiri/ledger.db"},
	    {"listen", "127.0.0.1:0"},
	    {"auth", "token"},
	    {"auth", "kube"},
	    {"waitApi", "false"},
	    {"max2", "15"},
	    {"ratio", "0.5"},
	};
	struct scene *scene = *state;

	expect_ok(shk_daemon_configuration_decode(
		      shk_sv(DAEMON "ledger: /var/lib/shikiri/ledger.db\n"
				    "listen: \"127.0.0.1:0\"\nauth: [token, kube]\n"
				    "waitApi: no\nmax2: 0xF\nratio: .5\nnothing:\nempty: []\n"),
		      &scene->arena, &scene->settings, &scene->n, &scene->err),
		  &scene->err, "configuration");
	assert_int_equal(scene->n, N(expected));
	for (size_t i = 0; i < N(expected); i++) {
		assert_string_equal(scene->settings[i].key, expected[i].key);
		assert_string_equal(scene->settings[i].value, expected[i].value);
	}
}

static void test_bad_daemon_configurations(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"", "", "one DaemonConfiguration document expected"},
	    {"[]", "", "not an object"},
	    {"kind: DaemonConfiguration\n", "/apiVersion", "not shikiri.dev/v1"},
	    {"apiVersion: shikiri.dev/v1\nkind: Policy\n", "/kind", "not DaemonConfiguration"},
	    {DAEMON "listen: {port: 1}\n", "/listen", "neither a string, a number"},
	    {DAEMON "auth: [a, [b]]\n", "/auth/1", "neither a string, a number"},
	    {DAEMON "auth: [null]\n", "/auth/0", "neither a string, a number"},
	    {DAEMON "max-body: 1\n", "/max-body", "not a key in camelCase"},
	    {DAEMON "Listen: 1\n", "/Listen", "not a key in camelCase"},
	    {DAEMON "\"\": 1\n", "/", "not a key in camelCase"},
	    {DAEMON "a: 1\na: 2\n", "line 4", "duplicate key"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		enum shk_status status = shk_daemon_configuration_decode(
		    shk_sv(cases[i].text), &scene->arena, &scene->settings, &scene->n, &scene->err);

		expect_error(status, &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_shipped_default_is_built_in, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_other_shipped_policies, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_everything_can_be_said, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_encoding_decodes_to_itself, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_any_change_changes_the_hash, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bad_policies, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_daemon_configuration, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bad_daemon_configurations, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
