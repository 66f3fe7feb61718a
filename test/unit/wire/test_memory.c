/* test_memory.c - the JSON library without memory: every allocation fails once, and each time
 * the answer is an error, or the result is complete all the same. */
#include "wire.h"

#include <jansson.h>

#include "shikiri/wire/cluster.h"
#include "shikiri/wire/documents.h"
#include "shikiri/wire/extender.h"
#include "shikiri/wire/value.h"
#include "shikiri/wire/workload.h"

static size_t allocations;
static size_t failing; /* this one returns NULL; 0: none */

static void *failing_malloc(size_t size)
{
	allocations++;
	return allocations == failing ? NULL : malloc(size);
}

#define POD                                                                                        \
	"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"a\",\"uid\":\"u\"},"       \
	"\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":"                     \
	"{\"nvidia.com/gpu\":\"1\"}}}],\"priority\":5}}"
#define NODE "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}}}"

typedef enum shk_status decoder(struct shk_arena *arena, struct shk_error *err);

static enum shk_status decode_value(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_value *value = NULL;
	enum shk_status status = shk_value_parse(shk_sv(POD), &shk_scan_document, &value, err);

	(void)arena; /* a value has its own */
	if (!status)
		shk_value_free(value);
	return status;
}

static enum shk_status decode_yaml(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_value *value = NULL;
	enum shk_status status = shk_value_parse_yaml(
	    shk_sv("a: [1, 2.5, x, true, null, {b: c}]\nd: {e: f}\n---\n- g\n"), &value, err);

	(void)arena; /* a value has its own */
	if (!status)
		shk_value_free(value);
	return status;
}

static enum shk_status decode_pod(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_pod pod;

	return shk_pod_decode(shk_sv(POD), arena, &pod, err);
}

static enum shk_status decode_node(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_node_facts node;

	return shk_node_decode(shk_sv(NODE), arena, &node, err);
}

static enum shk_status decode_cluster(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_cluster cluster = {0};

	return shk_cluster_read(shk_sv("{\"kind\":\"List\",\"items\":[" POD "," NODE "]}"), arena,
				&cluster, err);
}

static enum shk_status decode_args(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_extender_args args;

	return shk_extender_args_decode(
	    shk_sv("{\"Pod\":" POD ",\"Nodes\":{\"items\":[" NODE "]}}"), arena, &args, err);
}

static enum shk_status decode_bind(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_bind_args args;

	return shk_bind_args_decode(shk_sv("{\"PodName\":\"p\",\"PodNamespace\":\"a\","
					   "\"PodUID\":\"u\",\"Node\":\"n\"}"),
				    arena, &args, err);
}

static enum shk_status decode_preempt(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_preempt_args args;

	return shk_preempt_args_decode(shk_sv("{\"Pod\":" POD
					      ",\"NodeNameToMetaVictims\":{\"n\":{\"Pods\":"
					      "[{\"UID\":\"v\"}]}}}"),
				       arena, &args, err);
}

static enum shk_status decode_documents(struct shk_arena *arena, struct shk_error *err)
{
	const struct shk_document *documents;
	size_t n;

	return shk_documents_decode(shk_sv("{\"apiVersion\":\"shikiri.dev/v1\",\"kind\":\"Tenant\","
					   "\"metadata\":{\"name\":\"t\"},\"spec\":{}}"),
				    arena, &documents, &n, err);
}

static enum shk_status decode_policy(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_policy policy;

	return shk_policy_decode(shk_sv("apiVersion: shikiri.dev/v1\nkind: Policy\n"), arena,
				 &policy, err);
}

static enum shk_status decode_configuration(struct shk_arena *arena, struct shk_error *err)
{
	const struct shk_setting *settings;
	size_t n;

	return shk_daemon_configuration_decode(
	    shk_sv("apiVersion: shikiri.dev/v1\nkind: DaemonConfiguration\nauth: [a]\n"), arena,
	    &settings, &n, err);
}

static enum shk_status decode_dry_run(struct shk_arena *arena, struct shk_error *err)
{
	struct shk_dry_run_request request;

	return shk_dry_run_decode(shk_sv(POD), false, NULL, arena, &request, err);
}

static void test_every_allocation_fails_once(void **state)
{
	static decoder *const decoders[] = {
	    decode_value,  decode_yaml,      decode_pod,     decode_node,
	    decode_bind,   decode_cluster,   decode_args,    decode_preempt,
	    decode_policy, decode_documents, decode_dry_run, decode_configuration,
	};

	(void)state;
	for (size_t i = 0; i < N(decoders); i++) {
		struct shk_arena arena = {0};
		struct shk_error err;
		size_t n_failed = 0;

		allocations = 0;
		failing = 0;
		assert_int_equal(decoders[i](&arena, &err), SHK_OK);

		size_t n = allocations;

		assert_in_range(n, 1, 1000);
		for (size_t k = 1; k <= n; k++) {
			allocations = 0;
			failing = k;
			if (decoders[i](&arena, &err) == SHK_OK)
				continue;
			expect_error(err.status, &err, SHK_E_LIMIT, "", "out of memory",
				     "a failed allocation");
			n_failed++;
		}
		assert_in_range(n_failed, 1, n);
		shk_arena_fini(&arena);
	}
}

static int set_up(void **state)
{
	(void)state;
	json_set_alloc_funcs(failing_malloc, free);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_allocation_fails_once),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
