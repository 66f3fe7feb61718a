#include "wire.h"

#include "shikiri/base/units.h"
#include "shikiri/wire/documents.h"
#include "shikiri/wire/value.h"

#define HEAD(kind, name) "apiVersion: shikiri.dev/v1\nkind: " kind "\nmetadata: {name: " name "}\n"

struct scene {
	struct shk_arena arena;
	struct shk_error err;
	const struct shk_document *documents;
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

static const struct shk_document *decode(struct scene *scene, const char *text)
{
	expect_ok(shk_documents_decode(shk_sv(text), &scene->arena, &scene->documents, &scene->n,
				       &scene->err),
		  &scene->err, text);
	return scene->documents;
}

/* The documents of the contract, as they stand there. */
static const char all_kinds[] =
    "apiVersion: shikiri.dev/v1\n"
    "kind: TrustDomain\n"
    "metadata: {name: research}\n"
    "spec:\n"
    "  isolation: mig            # least wall towards other domains: mig | card | node\n"
    "---\n"
    "apiVersion: shikiri.dev/v1\n"
    "kind: Tenant\n"
    "metadata: {name: vision, labels: {cost-center: \"17\"}}\n"
    "spec:\n"
    "  displayName: Vision team\n"
    "  trustDomain: research\n"
    "  namespaces: [vision-train, vision-serve]\n"
    "  namespaceSelector: {matchLabels: {team: vision}}\n"
    "  isolation: card\n"
    "  podIsolation: mig\n"
    "  maxPriority: 100000\n"
    "  suspended: false\n"
    "  quota:\n"
    "    gpuEquivalents:         {guaranteed: \"12\", ceiling: \"20\", lendable: \"6\"}\n"
    "    memoryGiB:              {ceiling: \"960\"}\n"
    "    computeSlices:          {ceiling: \"84\"}\n"
    "    costPerHour:            {ceiling: \"45\"}\n"
    "    nvidia.com/mig-1g.10gb: {ceiling: \"4\"}\n"
    "    nvidia.com/gpu.shared:  {ceiling: \"unlimited\"}\n"
    "---\n"
    "apiVersion: shikiri.dev/v1\n"
    "kind: PriorityBand\n"
    "metadata: {name: serving}\n"
    "spec: {minPriority: 900000, maxPriority: 1000000, mayBorrow: false, reclaimable: false,\n"
    "       minRuntime: 0s, preempts: [batch]}\n"
    "---\n"
    "apiVersion: shikiri.dev/v1\n"
    "kind: NodeFacts\n"
    "metadata: {name: aks-a100}\n"
    "spec: {nodeSelector: {matchLabels: {agentpool: a100}}, product: NVIDIA-A100-SXM4-80GB,\n"
    "       cards: 8, replicas: 1, sharing: none, migProfile: \"\"}\n"
    "---\n"
    "apiVersion: shikiri.dev/v1\n"
    "kind: Grant\n"
    "metadata: {name: demo-week}\n"
    "spec: {tenant: vision, unit: gpuEquivalents, guaranteed: \"4\", ceiling: \"4\",\n"
    "       until: \"2026-12-24T18:00:00Z\", reason: customer demo}\n";

static void check_tenant(const struct shk_tenant *tenant)
{
	assert_string_equal(tenant->name, "vision");
	assert_string_equal(tenant->display_name, "Vision team");
	assert_string_equal(tenant->domain, "research");
	assert_true(tenant->domain_stated && tenant->has_selector && tenant->has_max_priority);
	assert_int_equal(tenant->n_namespaces, 2);
	assert_string_equal(tenant->namespaces[0], "vision-train");
	assert_int_equal(tenant->namespace_selector.n, 1);
	assert_string_equal(tenant->namespace_selector.items[0].key, "team");
	assert_int_equal(tenant->isolation, SHK_LEVEL_CARD);
	assert_int_equal(tenant->pod_isolation, SHK_LEVEL_MIG);
	assert_int_equal(tenant->max_priority, 100000);
	assert_false(tenant->suspended);
	assert_string_equal(shk_labels_get(&tenant->labels, "cost-center"), "17");
	assert_int_equal(tenant->n_quota, 6);
	assert_string_equal(tenant->quota[0].unit, "computeSlices");
	assert_string_equal(tenant->quota[2].unit, "gpuEquivalents");
	assert_true(tenant->quota[2].has_guaranteed && !tenant->quota[2].unlimited);
	assert_int_equal(tenant->quota[2].guaranteed, 12 * SHK_PARTS);
	assert_int_equal(tenant->quota[2].ceiling, 20 * SHK_PARTS);
	assert_int_equal(tenant->quota[2].lendable, 6 * SHK_PARTS);
	assert_false(tenant->quota[3].has_guaranteed);
	assert_string_equal(tenant->quota[4].unit, "nvidia.com/gpu.shared");
	assert_true(tenant->quota[4].unlimited);
}

static void test_all_kinds(void **state)
{
	struct scene *scene = *state;
	const struct shk_document *documents = decode(scene, all_kinds);

	assert_int_equal(scene->n, 5);
	assert_int_equal(documents[0].kind, SHK_DOCUMENT_TRUST_DOMAIN);
	assert_string_equal(documents[0].domain.name, "research");
	assert_int_equal(documents[0].domain.isolation, SHK_LEVEL_MIG);
	assert_int_equal(documents[1].kind, SHK_DOCUMENT_TENANT);
	check_tenant(&documents[1].tenant);
	assert_int_equal(documents[2].band.min_priority, 900000);
	assert_int_equal(documents[2].band.max_priority, 1000000);
	assert_false(documents[2].band.may_borrow || documents[2].band.reclaimable);
	assert_string_equal(documents[2].band.preempts[0], "batch");
	assert_int_equal(documents[3].node_facts.cards, 8);
	assert_int_equal(documents[3].node_facts.sharing, SHK_SHARING_NONE);
	assert_string_equal(documents[3].node_facts.mig_profile, "");
	assert_string_equal(documents[4].grant.tenant, "vision");
	assert_true(documents[4].grant.has_guaranteed);
	assert_int_equal(documents[4].grant.ceiling, 4 * SHK_PARTS);
	assert_string_equal(documents[4].grant.reason, "customer demo");
	assert_string_equal(documents[4].name, "demo-week");
}

static void test_defaults(void **state)
{
	struct scene *scene = *state;
	const struct shk_document *documents = decode(
	    scene,
	    HEAD("Tenant", "a") "spec: {quota: {gpuEquivalents: {guaranteed: 3}}}\n---\n" HEAD(
		"PriorityBand",
		"b") "spec: {}\n---\n" HEAD("NodeFacts",
					    "c.d") "spec: {nodeSelector: {matchExpressions: [{key: "
						   "x, "
						   "operator: Exists}]}, product: P, cards: 64, "
						   "replicas: 4, "
						   "sharing: time-slicing, migProfile: "
						   "1g.10gb+me}\n---\n" HEAD(
						       "Grant",
						       "e") "spec: {tenant: a, unit: "
							    "nvidia.com/gpu, ceiling: 2, "
							    "until: 2026-12-24T18:00:00+01:00, "
							    "reason: r}\n---\n" HEAD(
								"TrustDomain", "f") "spec: {}\n");

	assert_string_equal(documents[0].tenant.domain, "a");
	assert_false(documents[0].tenant.domain_stated || documents[0].tenant.has_selector ||
		     documents[0].tenant.has_max_priority);
	assert_int_equal(documents[0].tenant.isolation, SHK_LEVEL_NONE);
	assert_int_equal(documents[0].tenant.quota[0].ceiling, 3 * SHK_PARTS);
	assert_int_equal(documents[0].tenant.quota[0].lendable, 0);
	assert_int_equal(documents[1].band.min_priority, INT32_MIN);
	assert_int_equal(documents[1].band.max_priority, INT32_MAX);
	assert_true(documents[1].band.may_borrow && documents[1].band.reclaimable);
	assert_string_equal(documents[2].node_facts.mig_profile, "1g.10gb.me");
	assert_int_equal(documents[2].node_facts.replicas, 4);
	assert_false(documents[3].grant.has_guaranteed);
	assert_int_equal(documents[3].grant.ceiling, 2 * SHK_PARTS);
	assert_int_equal(documents[4].domain.isolation, SHK_LEVEL_NONE);
}

/* Canonical: sorted keys, compact, defaults left out, and it decodes to itself. */
static void test_round_trip(void **state)
{
	static const char others[] =
	    HEAD("Tenant",
		 "t1") "spec: {suspended: true, namespaceSelector: {matchExpressions: "
		       "[{key: b, operator: NotIn, values: [y, x]}, {key: a, operator: In, values: "
		       "[v]}, "
		       "{key: c, operator: DoesNotExist}], matchLabels: {a: w, d: e}}}\n---\n" HEAD(
			   "Tenant", "t2") "spec: {quota: {costPerHour: {guaranteed: \"0.5\", "
					   "ceiling: \"0.123456\"}}}\n";
	static const char more[] =
	    HEAD("Tenant",
		 "t2") "spec: {quota: {costPerHour: {guaranteed: \"0.123456\", "
		       "ceiling: unlimited, lendable: \"0\"}, nvidia.com/gpu: {guaranteed: "
		       "0}}}\n---\n" HEAD("PriorityBand",
					  "b") "spec: {minRuntime: 1h30m, maxPriority: "
					       "5}\n---\n" HEAD("NodeFacts",
								"c") "spec: {nodeSelector: "
								     "{matchLabels: {a: b}}, "
								     "product: P, "
								     "cards: 1, replicas: 2, "
								     "sharing: mps, migProfile: "
								     "1g.5gb}\n---\n" HEAD(
									 "Grant",
									 "g") "spec: {tenant: a, "
									      "unit: memoryGiB, "
									      "guaranteed: 1, "
									      "ceiling: 2, "
									      "until: "
									      "2026-12-24T18:00:"
									      "00Z, reason: r}\n";
	const char *const texts[] = {all_kinds, more};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(texts); i++) {
		const struct shk_document *documents = decode(scene, texts[i]);
		size_t n = scene->n;

		for (size_t k = 0; k < n; k++) {
			const char *canonical = documents[k].canonical;
			struct shk_value *value = NULL;
			struct shk_buf sorted = {0};

			expect_ok(shk_value_parse(shk_sv(canonical), &shk_scan_document, &value,
						  &scene->err),
				  &scene->err, canonical);
			shk_value_print(value, &sorted);
			assert_string_equal(sorted.data, canonical);
			shk_value_free(value);
			shk_buf_fini(&sorted);
			assert_string_equal(decode(scene, canonical)->canonical, canonical);
			assert_int_equal(scene->documents->kind, documents[k].kind);
		}
	}
	expect_error(shk_documents_decode(shk_sv(others), &scene->arena, &scene->documents,
					  &scene->n, &scene->err),
		     &scene->err, SHK_E_INPUT, "document 2: /spec/quota/costPerHour/guaranteed",
		     "more than the ceiling", "guaranteed above ceiling");
}

static void test_canonical_texts(void **state)
{
	static const struct {
		const char *text;
		const char *canonical;
	} cases[] = {
	    {HEAD("Tenant",
		  "t") "spec: {namespaceSelector: {matchExpressions: [{key: b, "
		       "operator: NotIn, values: [y, x]}, {key: a, operator: In, values: [v]}], "
		       "matchLabels: {a: w, d: e}}, quota: {memoryGiB: {guaranteed: 1, ceiling: "
		       "1}}}",
	     "{\"apiVersion\":\"shikiri.dev/v1\",\"kind\":\"Tenant\",\"metadata\":"
	     "{\"name\":\"t\"},\"spec\":{\"namespaceSelector\":{\"matchExpressions\":["
	     "{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"w\"]},"
	     "{\"key\":\"b\",\"operator\":\"NotIn\",\"values\":[\"x\",\"y\"]}],"
	     "\"matchLabels\":{\"a\":\"v\",\"d\":\"e\"}},"
	     "\"quota\":{\"memoryGiB\":{\"guaranteed\":\"1\"}}}}"},
	    {HEAD("PriorityBand", "b") "spec: {minPriority: -2147483648, mayBorrow: true, "
				       "reclaimable: true, minRuntime: 90s, preempts: []}",
	     "{\"apiVersion\":\"shikiri.dev/v1\",\"kind\":\"PriorityBand\",\"metadata\":"
	     "{\"name\":\"b\"},\"spec\":{\"minRuntime\":\"1m30s\"}}"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++)
		assert_string_equal(decode(scene, cases[i].text)->canonical, cases[i].canonical);
}

static void test_streams_and_lists(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} cases[] = {
	    {"", 0},
	    {"---\n", 0},
	    {"{\"apiVersion\":\"v1\",\"kind\":\"List\"}", 0},
	    {"{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{},\"items\":[]}", 0},
	    {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: shikiri.dev/v1\n"
	     "  kind: TrustDomain\n  metadata: {name: a}\n  spec: {}\n",
	     1},
	    {"{\"apiVersion\":\"shikiri.dev/v1\",\"kind\":\"Tenant\",\"metadata\":{\"name\":\"t\","
	     "\"uid\":\"1\",\"resourceVersion\":\"2\",\"creationTimestamp\":null,"
	     "\"annotations\":{\"a\":\"b\"}},\"spec\":{},\"status\":{\"x\":1}}",
	     1},
	    {HEAD("Tenant", "a") "spec: {}\n---\n" HEAD("TrustDomain", "a") "spec: {}\n", 2},
	    {HEAD("Tenant", "default") "spec: {}\n", 1},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		decode(scene, cases[i].text);
		assert_int_equal(scene->n, cases[i].n);
	}
}

#define TENANT(spec) HEAD("Tenant", "t") "spec: {" spec "}\n"
#define QUOTA(entry) TENANT("quota: {" entry "}")
#define BAND(spec)   HEAD("PriorityBand", "b") "spec: {" spec "}\n"
#define FACTS(spec)                                                                                \
	HEAD("NodeFacts", "n")                                                                     \
	"spec: {nodeSelector: {matchLabels: {a: b}}, product: P, cards: 1, " spec "}\n"
#define GRANT(spec)                                                                                \
	HEAD("Grant", "g")                                                                         \
	"spec: {tenant: t, unit: gpuEquivalents, ceiling: 1, "                                     \
	"until: 2026-12-24T18:00:00Z, reason: r, " spec "}\n"

static void test_refusals(void **state)
{
	static const struct {
		const char *text;
		const char *pointer;
		const char *words;
	} cases[] = {
	    {"[]", "", "not an object"},
	    {"a: 1\n", "/a", "unknown field"},
	    {"kind: Tenant\nmetadata: {name: a}\nspec: {}\n", "/apiVersion", "missing"},
	    {"apiVersion: v1\nkind: Tenant\nmetadata: {name: a}\nspec: {}\n", "/apiVersion",
	     "not shikiri.dev/v1"},
	    {"apiVersion: 1\nkind: Tenant\n", "/apiVersion", "not shikiri.dev/v1"},
	    {HEAD("Tennant", "a") "spec: {}", "/kind", "\"Tennant\" is not TrustDomain, Tenant"},
	    {HEAD("5", "a") "spec: {}", "/kind", "not a string"},
	    {HEAD("Tenant", "a"), "/spec", "missing"},
	    {HEAD("Tenant", "a") "spec: []", "/spec", "not an object"},
	    {HEAD("Tenant", "a") "spec: {}\nspecc: {}", "/specc",
	     "unknown field, did you mean \"spec\"?"},
	    {"apiVersion: shikiri.dev/v1\nkind: Tenant\nspec: {}", "/metadata", "missing"},
	    {"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {}\nspec: {}", "/metadata/name",
	     "missing"},
	    {HEAD("Tenant", "a.b") "spec: {}", "/metadata/name", "\"a.b\" is not a DNS label"},
	    {HEAD("Tenant", "_infrastructure") "spec: {}", "/metadata/name", "not a DNS"},
	    {HEAD("Tenant", "a, x: 1") "spec: {}", "/metadata/x", "unknown field"},
	    {HEAD("Tenant", "a, labels: {\"-\": x}") "spec: {}", "/metadata/labels/-",
	     "not a label key"},
	    {HEAD("Tenant", "a, labels: {b: \"?\"}") "spec: {}", "/metadata/labels/b",
	     "\"?\" is not a label value"},
	    {HEAD("Tenant", "a, labels: {b: 1}") "spec: {}", "/metadata/labels/b", "not a string"},
	    {TENANT("trustDomain: A"), "/spec/trustDomain", "not a DNS label"},
	    {TENANT("namespaces: a"), "/spec/namespaces", "not a list"},
	    {TENANT("namespaces: [a, 1]"), "/spec/namespaces/1", "not a string"},
	    {TENANT("namespaces: [a, b, a]"), "/spec/namespaces", "\"a\" stands twice"},
	    {TENANT("namespace: [a]"), "/spec/namespace", "did you mean \"namespaces\"?"},
	    {TENANT("isolation: none"), "/spec/isolation", "\"none\" is not mig, card or node"},
	    {TENANT("podIsolation: 1"), "/spec/podIsolation", "mig, card or node"},
	    {TENANT("maxPriority: x"), "/spec/maxPriority", "not a whole number"},
	    {TENANT("maxPriority: 3000000000"), "/spec/maxPriority", "not in -2147483648.."},
	    {TENANT("suspended: \"no\""), "/spec/suspended", "neither true nor false"},
	    {TENANT("namespaceSelector: {}"), "/spec/namespaceSelector", "empty"},
	    {TENANT("namespaceSelector: {matchLabels: []}"), "/spec/namespaceSelector/matchLabels",
	     "not an object"},
	    {TENANT("namespaceSelector: {matchExpressions: [{key: a}]}"),
	     "/spec/namespaceSelector/matchExpressions/0/operator", "missing"},
	    {TENANT("namespaceSelector: {matchExpressions: [{key: a, operator: Is}]}"),
	     "/spec/namespaceSelector/matchExpressions/0/operator", "In, NotIn, Exists"},
	    {TENANT("namespaceSelector: {matchExpressions: [{key: a, operator: In}]}"),
	     "/spec/namespaceSelector/matchExpressions/0/values", "missing"},
	    {TENANT("namespaceSelector: {matchExpressions: [{key: a, operator: Exists, "
		    "values: [b]}]}"),
	     "/spec/namespaceSelector/matchExpressions/0/values", "takes no values"},
	    {TENANT("namespaceSelector: {matchExpressions: [{key: \"/\", operator: Exists}]}"),
	     "/spec/namespaceSelector/matchExpressions/0/key", "not a label key"},
	    {TENANT("quota: []"), "/spec/quota", "not an object"},
	    {QUOTA("gpuEquivalent: {ceiling: 1}"), "/spec/quota/gpuEquivalent",
	     "unknown unit, did you mean \"gpuEquivalents\"?"},
	    {QUOTA("watts: {ceiling: 1}"), "/spec/quota/watts", "unknown unit"},
	    {QUOTA("nvidia.com/tpu: {ceiling: 1}"), "/spec/quota/nvidia.com~1tpu",
	     "neither nvidia.com/gpu"},
	    {QUOTA("gpuEquivalents: {}"), "/spec/quota/gpuEquivalents",
	     "neither guaranteed nor ceiling"},
	    {QUOTA("gpuEquivalents: 5"), "/spec/quota/gpuEquivalents", "not an object"},
	    {QUOTA("gpuEquivalents: {ceiling: x}"), "/spec/quota/gpuEquivalents/ceiling",
	     "not a decimal of at most six digits or \"unlimited\""},
	    {QUOTA("gpuEquivalents: {ceiling: \"0.1234567\"}"),
	     "/spec/quota/gpuEquivalents/ceiling", "not a decimal of at most six digits"},
	    {QUOTA("gpuEquivalents: {ceiling: 0.5}"), "/spec/quota/gpuEquivalents/ceiling",
	     "must be in quotes"},
	    {QUOTA("gpuEquivalents: {ceiling: -1}"), "/spec/quota/gpuEquivalents/ceiling",
	     "not a decimal"},
	    {QUOTA("gpuEquivalents: {ceiling: true}"), "/spec/quota/gpuEquivalents/ceiling",
	     "not a decimal"},
	    {QUOTA("gpuEquivalents: {guaranteed: unlimited}"),
	     "/spec/quota/gpuEquivalents/guaranteed", "not a decimal of at most six digits"},
	    {QUOTA("gpuEquivalents: {ceiling: 1, lendable: 1}"),
	     "/spec/quota/gpuEquivalents/lendable", "nothing is guaranteed"},
	    {QUOTA("gpuEquivalents: {guaranteed: 2, ceiling: 1}"),
	     "/spec/quota/gpuEquivalents/guaranteed", "more than the ceiling"},
	    {QUOTA("gpuEquivalents: {ceilling: 1}"), "/spec/quota/gpuEquivalents/ceilling",
	     "did you mean \"ceiling\"?"},
	    {BAND("minPriority: 2, maxPriority: 1"), "/spec/minPriority", "above maxPriority"},
	    {BAND("minPriority: 2147483648"), "/spec/minPriority", "not in"},
	    {BAND("mayBorrow: 1"), "/spec/mayBorrow", "neither true nor false"},
	    {BAND("minRuntime: 5"), "/spec/minRuntime", "not a duration"},
	    {BAND("minRuntime: \"-5s\""), "/spec/minRuntime", "not a duration"},
	    {BAND("preempts: [b, b]"), "/spec/preempts", "stands twice"},
	    {HEAD("NodeFacts", "n") "spec: {product: P, cards: 1}", "/spec/nodeSelector",
	     "missing"},
	    {HEAD("NodeFacts", "n") "spec: {nodeSelector: {}, product: P, cards: 1}",
	     "/spec/nodeSelector", "empty"},
	    {HEAD("NodeFacts", "n") "spec: {nodeSelector: {matchLabels: {a: b}}, cards: 1}",
	     "/spec/product", "missing"},
	    {HEAD("NodeFacts", "n") "spec: {nodeSelector: {matchLabels: {a: b}}, product: \"\","
				    " cards: 1}",
	     "/spec/product", "not a product"},
	    {HEAD("NodeFacts", "n") "spec: {nodeSelector: {matchLabels: {a: b}}, product: P, "
				    "cards: 65}",
	     "/spec/cards", "not in 1..64"},
	    {FACTS("replicas: 0"), "/spec/replicas", "not in 1..4096"},
	    {FACTS("replicas: 2"), "/spec/replicas", "needs sharing"},
	    {FACTS("sharing: always"), "/spec/sharing", "none, time-slicing or mps"},
	    {FACTS("migProfile: big"), "/spec/migProfile", "not a MIG profile"},
	    {FACTS("migProfile: 5"), "/spec/migProfile", "not a MIG profile"},
	    {GRANT("guaranteed: x"), "/spec/guaranteed", "not a decimal"},
	    {HEAD("Grant", "g") "spec: {tenant: t, unit: gpuEquivalents, ceiling: unlimited, "
				"until: 2026-12-24T18:00:00Z, reason: r}",
	     "/spec/ceiling", "not a decimal"},
	    {HEAD("Grant", "g") "spec: {tenant: t, unit: gpuEquivalents, "
				"until: 2026-12-24T18:00:00Z, reason: r}",
	     "/spec", "neither guaranteed nor ceiling"},
	    {HEAD("Grant", "g") "spec: {tenant: t, unit: watts}", "/spec/unit", "unknown unit"},
	    {HEAD("Grant", "g") "spec: {tenant: t, unit: 5}", "/spec/unit", "not a string"},
	    {HEAD("Grant", "g") "spec: {tenant: t, unit: gpuEquivalents, until: soon}",
	     "/spec/until", "not a time"},
	    {HEAD("Grant", "g") "spec: {tenant: t, unit: gpuEquivalents, "
				"until: 2026-12-24T18:00:00Z, reason: \"\"}",
	     "/spec/reason", "not a reason"},
	    {HEAD("Tenant", "a") "spec: {}\n---\n" HEAD("Tenant", "a") "spec: {}",
	     "document 2: /metadata/name", "Tenant/a stands twice"},
	    {HEAD("Tenant", "a") "spec: {}\n---\n[]", "", "document 2: not an object"},
	    {"apiVersion: v1\nkind: List\nitems: [{kind: Tenant}]", "/items/0/apiVersion",
	     "missing"},
	    {"apiVersion: v1\nkind: List\nitems: {}", "/items", "not a list"},
	    {"apiVersion: v1\nkind: List\nitem: []", "/item", "did you mean \"items\"?"},
	    {"a: &b c\n", "line 1", "anchors"},
	    {"{\"kind\":\"Tenant\"", "line 1 column 17", "the text ends"},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < N(cases); i++) {
		enum shk_status status =
		    shk_documents_decode(shk_sv(cases[i].text), &scene->arena, &scene->documents,
					 &scene->n, &scene->err);

		expect_error(status, &scene->err, SHK_E_INPUT, cases[i].pointer, cases[i].words,
			     cases[i].text);
	}
}

static void test_collect(void **state)
{
	struct scene *scene = *state;
	struct shk_documents all;
	const struct shk_document *documents = decode(
	    scene,
	    HEAD("Tenant", "b") "spec: {}\n---\n" HEAD("Tenant", "a") "spec: {}\n---\n" HEAD(
		"TrustDomain", "z") "spec: {}\n---\n" HEAD("PriorityBand", "y") "spec: {}\n");

	shk_documents_collect(documents, scene->n, &scene->arena, &all);
	assert_int_equal(all.n_tenants, 2);
	assert_string_equal(all.tenants[0].name, "a");
	assert_string_equal(all.tenants[1].domain, "b");
	assert_int_equal(all.n_domains, 1);
	assert_string_equal(all.domains[0].name, "z");
	assert_int_equal(all.n_bands, 1);
	assert_true(all.bands[0].may_borrow);
	assert_int_equal(all.n_node_facts, 0);
	assert_int_equal(all.n_grants, 0);
	shk_documents_collect(NULL, 0, &scene->arena, &all);
	assert_int_equal(all.n_tenants, 0);
}

static void test_kind_names(void **state)
{
	(void)state;
	assert_string_equal(shk_document_kind_name(SHK_DOCUMENT_NODE_FACTS), "NodeFacts");
	assert_string_equal(shk_document_kind_name(SHK_DOCUMENT_UNKNOWN), "");
	assert_string_equal(shk_document_kind_name(SHK_DOCUMENT_KIND_COUNT), "");
}

static void test_many_documents(void **state)
{
	struct scene *scene = *state;
	struct shk_buf text = {0};

	for (size_t i = 0; i < 2000; i++)
		shk_buf_printf(&text, "---\n" HEAD("Tenant", "t-%zu") "spec: {}\n", i);
	decode(scene, text.data);
	assert_int_equal(scene->n, 2000);
	assert_string_equal(scene->documents[1999].name, "t-1999");
	shk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_all_kinds, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_defaults, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_round_trip, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_canonical_texts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_streams_and_lists, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_collect, set_up, tear_down),
	    cmocka_unit_test(test_kind_names),
	    cmocka_unit_test_setup_teardown(test_many_documents, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
