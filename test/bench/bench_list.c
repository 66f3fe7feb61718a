/* bench_list.c - the first lists of a large cluster, through a reflector in 16 KiB pieces.
 *
 * Usage: bench_list PODS NODES. Prints the processor time of each list. Objects look like those
 * of a cluster: managedFields, env, volumes, statuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reflector.h"

#define PIECE ((size_t)16384)

static double cpu_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* As fieldsV1 comes: deep, many keys, no values. */
static void put_managed_fields(struct shk_buf *out, unsigned n)
{
	shk_buf_puts(out, "\"managedFields\":[");
	for (unsigned m = 0; m < n; m++) {
		shk_buf_printf(
		    out,
		    "%s{\"manager\":\"manager-%u\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
		    "\"time\":\"2026-11-29T10:00:00Z\",\"fieldsType\":\"FieldsV1\","
		    "\"fieldsV1\":{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:app\":{},"
		    "\"f:pod-template-hash\":{}}},\"f:status\":{\"f:conditions\":{",
		    m ? "," : "", m);
		for (unsigned i = 0; i < 5; i++)
			shk_buf_printf(out,
				       "%s\"k:{\\\"type\\\":\\\"Condition%u\\\"}\":{\".\":{},"
				       "\"f:lastProbeTime\":{},\"f:status\":{},\"f:type\":{}}",
				       i ? "," : "", i);
		shk_buf_puts(out, "}}}}");
	}
	shk_buf_puts(out, "]");
}

static void put_conditions(struct shk_buf *out, const char *const *types, unsigned n)
{
	shk_buf_puts(out, "\"conditions\":[");
	for (unsigned i = 0; i < n; i++)
		shk_buf_printf(
		    out,
		    "%s{\"type\":\"%s\",\"status\":\"True\",\"lastProbeTime\":null,"
		    "\"lastTransitionTime\":\"2026-11-29T10:00:00Z\",\"reason\":\"Because\","
		    "\"message\":\"all is as it should be here\"}",
		    i ? "," : "", types[i]);
	shk_buf_puts(out, "]");
}

static void put_pod(struct shk_buf *out, unsigned i)
{
	static const char *const types[] = {"Initialized", "Ready", "ContainersReady",
					    "PodScheduled"};

	shk_buf_printf(
	    out,
	    "{\"metadata\":{\"name\":\"llm-%u\",\"generateName\":\"llm-\",\"namespace\":"
	    "\"team-%u\",\"uid\":\"3c0a1f2e-0000-4000-8000-%012u\",\"resourceVersion\":"
	    "\"%u\",\"creationTimestamp\":\"2026-11-29T10:00:00Z\",\"labels\":{\"app\":"
	    "\"llm\",\"pod-template-hash\":\"6d4cf56db6\"},\"ownerReferences\":[{"
	    "\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"llm\",\"uid\":"
	    "\"x\",\"controller\":true,\"blockOwnerDeletion\":true}],",
	    i, i % 50, i, 1000 + i);
	put_managed_fields(out, 2);
	shk_buf_puts(out,
		     "},\"spec\":{\"volumes\":[{\"name\":\"kube-api-access\",\"projected\":{"
		     "\"sources\":[{\"serviceAccountToken\":{\"expirationSeconds\":3607,"
		     "\"path\":\"token\"}},{\"configMap\":{\"name\":\"kube-root-ca.crt\","
		     "\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]}},{\"downwardAPI\":{"
		     "\"items\":[{\"path\":\"namespace\",\"fieldRef\":{\"apiVersion\":\"v1\","
		     "\"fieldPath\":\"metadata.namespace\"}}]}}],\"defaultMode\":420}}],"
		     "\"containers\":[{\"name\":\"main\",\"image\":\"registry/llm:1.2.3\","
		     "\"command\":[\"python\"],\"args\":[\"-m\",\"serve\"],\"env\":[");
	for (unsigned e = 0; e < 8; e++)
		shk_buf_printf(out, "%s{\"name\":\"VARIABLE_%u\",\"value\":\"some value\"}",
			       e ? "," : "", e);
	shk_buf_printf(out,
		       "],\"resources\":{\"limits\":{\"cpu\":\"4\",\"memory\":\"16Gi\","
		       "\"nvidia.com/gpu\":\"1\"},\"requests\":{\"cpu\":\"4\",\"memory\":\"16Gi\","
		       "\"nvidia.com/gpu\":\"1\"}},\"volumeMounts\":[{\"name\":\"kube-api-access\","
		       "\"readOnly\":true,\"mountPath\":\"/var/run/secrets\"}],"
		       "\"terminationMessagePath\":\"/dev/termination-log\","
		       "\"imagePullPolicy\":\"IfNotPresent\"}],\"restartPolicy\":\"Always\","
		       "\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":\"ClusterFirst\","
		       "\"nodeName\":\"node-%u\",\"securityContext\":{},\"schedulerName\":"
		       "\"default-scheduler\",\"tolerations\":[{\"key\":\"node.kubernetes.io/"
		       "not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
		       "\"tolerationSeconds\":300}],\"priority\":0,\"enableServiceLinks\":true,"
		       "\"preemptionPolicy\":\"PreemptLowerPriority\"},\"status\":{\"phase\":"
		       "\"Running\",",
		       i % 5000);
	put_conditions(out, types, 4);
	shk_buf_puts(out,
		     ",\"hostIP\":\"10.0.0.1\",\"podIP\":\"10.1.0.1\",\"podIPs\":[{\"ip\":"
		     "\"10.1.0.1\"}],\"startTime\":\"2026-11-29T10:00:00Z\","
		     "\"containerStatuses\":[{\"name\":\"main\",\"state\":{\"running\":{"
		     "\"startedAt\":\"2026-11-29T10:00:00Z\"}},\"lastState\":{},\"ready\":true,"
		     "\"restartCount\":0,\"image\":\"registry/llm:1.2.3\",\"imageID\":\"x\","
		     "\"containerID\":\"containerd://x\",\"started\":true}],\"qosClass\":"
		     "\"Guaranteed\"}}");
}

static void put_node(struct shk_buf *out, unsigned i)
{
	static const char *const types[] = {"MemoryPressure", "DiskPressure", "PIDPressure",
					    "Ready"};
	static const char amounts[] = "{\"cpu\":\"128\",\"ephemeral-storage\":\"1000Gi\","
				      "\"hugepages-1Gi\":\"0\",\"memory\":\"1024Gi\",\"pods\":"
				      "\"110\",\"nvidia.com/gpu\":\"8\"}";

	shk_buf_printf(out,
		       "{\"metadata\":{\"name\":\"node-%u\",\"uid\":\"node-uid-%u\","
		       "\"resourceVersion\":\"%u\",\"creationTimestamp\":\"2026-11-29T10:00:00Z\","
		       "\"labels\":{",
		       i, i, i + 1);
	for (unsigned l = 0; l < 60; l++)
		shk_buf_printf(out, "%s\"feature.node.kubernetes.io/cpu-feature-%u\":\"true\"",
			       l ? "," : "", l);
	shk_buf_puts(out, "},\"annotations\":{\"node.alpha.kubernetes.io/ttl\":\"0\"},");
	put_managed_fields(out, 3);
	shk_buf_printf(out,
		       "},\"spec\":{\"podCIDR\":\"10.0.0.0/24\"},\"status\":{\"capacity\":%s,"
		       "\"allocatable\":%s,",
		       amounts, amounts);
	put_conditions(out, types, 4);
	shk_buf_puts(out, ",\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"10.0.0.1\"}],"
			  "\"images\":[");
	for (unsigned m = 0; m < 50; m++)
		shk_buf_printf(out,
			       "%s{\"names\":[\"registry/image-%u@sha256:0123456789abcdef0123456789"
			       "abcdef\",\"registry/image-%u:1.2.3\"],\"sizeBytes\":123456789}",
			       m ? "," : "", m, m);
	shk_buf_puts(out, "]}}");
}

static void feed(struct reflector *reflector, struct shk_sv bytes)
{
	struct shk_error err;

	while (bytes.len > 0) {
		size_t len = bytes.len < PIECE ? bytes.len : PIECE;
		struct shk_facts *facts = shk_facts_new();

		if (reflector_feed(reflector, (struct shk_sv){bytes.data, len}, 0, facts, &err)) {
			(void)fprintf(stderr, "bench_list: %s\n", err.text);
			exit(1);
		}
		shk_facts_free(facts);
		bytes.data += len;
		bytes.len -= len;
	}
}

static void run(enum shk_kube_kind kind, void (*put)(struct shk_buf *out, unsigned i), unsigned n)
{
	struct reflector *reflector = reflector_new(kind, 0, 0);
	struct shk_facts *facts = shk_facts_new();
	struct shk_buf list = {0};
	const char *path;
	int64_t at_ms;

	shk_buf_puts(&list, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[");
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			shk_buf_putc(&list, ',');
		put(&list, i);
	}
	shk_buf_puts(&list, "]}");
	(void)reflector_due(reflector, 0, &path, &at_ms);
	reflector_head(reflector, 200, -1, 0);

	double start = cpu_s();

	feed(reflector, (struct shk_sv){list.data, list.len});
	reflector_ended(reflector, NULL, 0, facts);
	(void)printf("%s: %u objects, %.0f MB: %.3f s, %.1f us each\n", path, n,
		     (double)list.len / 1e6, cpu_s() - start, (cpu_s() - start) / n * 1e6);
	if (facts->n != 1 || facts->items[0].listed.n != n)
		exit(1);
	shk_facts_free(facts);
	shk_buf_fini(&list);
	reflector_free(reflector);
}

int main(int argc, char **argv)
{
	unsigned n_pods = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 40000;
	unsigned n_nodes = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 5000;

	run(SHK_KUBE_PODS, put_pod, n_pods);
	run(SHK_KUBE_NODES, put_node, n_nodes);
	return 0;
}
