#include "service_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reconcile.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/metrics.h"
#include "shikiri/base/version.h"
#include "shikiri/core/quota.h"

#define N_KINDS (SHK_POOL_SHARED_MIG + 1)

static void gauge(struct shk_buf *out, const char *name, const char *help)
{
	shk_metric_head(out, name, "gauge", help);
}

static void plain(struct shk_buf *out, const char *name, const char *help, int64_t value)
{
	gauge(out, name, help);
	shk_metric_sample(out, name, NULL, value);
}

/* One sample with up to three labels; a NULL key ends them. */
struct labels {
	const char *keys[3];
	const char *values[3];
};

static void labelled(struct shk_buf *text, const struct labels *labels)
{
	shk_buf_clear(text);
	for (size_t i = 0; i < 3 && labels->keys[i]; i++)
		shk_metric_label(text, labels->keys[i], labels->values[i]);
}

static void sample(struct shk_buf *out, const char *name, struct labels labels, int64_t value)
{
	struct shk_buf text = {0};

	labelled(&text, &labels);
	shk_metric_sample(out, name, text.data, value);
	shk_buf_fini(&text);
}

static void sample_parts(struct shk_buf *out, const char *name, struct labels labels, int64_t parts)
{
	struct shk_buf text = {0};

	labelled(&text, &labels);
	shk_metric_sample_parts(out, name, text.data, parts);
	shk_buf_fini(&text);
}

/* --- quota ---------------------------------------------------------------------------------- */

static void tenant_limits(const struct shk_view *view, const struct shk_moment *moment,
			  const struct shk_tenant *tenant, struct shk_arena *arena,
			  struct shk_buf *out)
{
	static const char name[] = "shikiri_quota_limit";
	const struct shk_asker asker = {.tenant = tenant};
	struct shk_limits limits;

	shk_limits_build(view, moment, &asker, arena, &limits);
	for (size_t i = 0; i < limits.n; i++) {
		const struct shk_limit *limit = &limits.items[i];
		struct labels labels = {{"tenant", "unit", "kind"},
					{tenant->name, limit->unit, "guaranteed"}};

		if (limit->has_guaranteed) {
			sample_parts(out, name, labels, limit->guaranteed);
			labels.values[2] = "lendable";
			sample_parts(out, name, labels, limit->lendable);
		}
		labels.values[2] = "ceiling";
		if (!limit->unlimited)
			sample_parts(out, name, labels, limit->ceiling);
	}
}

static void quota_limits(const struct shk_view *view, const struct shk_moment *moment,
			 struct shk_arena *arena, struct shk_buf *out)
{
	const struct shk_documents *documents = view->tenancy->documents;

	gauge(out, "shikiri_quota_limit",
	      "Limits of a tenant, grants included; a unit without a sample isn't limited.");
	for (size_t i = 0; i < documents->n_tenants; i++)
		tenant_limits(view, moment, &documents->tenants[i], arena, out);
}

static void quota_used(const struct shk_books *books, struct shk_buf *out)
{
	static const char name[] = "shikiri_quota_used";

	gauge(out, name, "What live allocations of a tenant charge, by class.");
	for (size_t tenant = 0; tenant < books->n_tenants; tenant++) {
		for (size_t unit = 0; unit < books->n_units; unit++) {
			struct shk_account account = books->accounts[tenant][unit];
			struct labels labels = {
			    {"tenant", "unit", "class"},
			    {books->tenants[tenant], books->units[unit], "guaranteed"}};

			if (account.used == 0)
				continue;
			sample_parts(out, name, labels, account.used - account.borrowed);
			labels.values[2] = "borrowed";
			sample_parts(out, name, labels, account.borrowed);
		}
	}
}

/* --- nodes and pools ------------------------------------------------------------------------ */

struct pool_sums {
	int64_t pools;
	int64_t capacity;
	int64_t allocatable;
	int64_t used;
	int64_t free_;
};

struct node_sums {
	struct pool_sums kinds[N_KINDS];
	int64_t ok;
	int64_t fenced;
	int64_t inconsistent;
};

static void add_node(struct node_sums *sums, const struct shk_node *node)
{
	if (node->base->fence != SHK_FITS)
		sums->fenced++;
	else if (node->base->contradiction)
		sums->inconsistent++;
	else
		sums->ok++;
	for (size_t i = 0; i < node->base->n_pools; i++) {
		const struct shk_pool *pool = &node->base->pools[i];
		struct pool_sums *kind = &sums->kinds[pool->kind];

		kind->pools++;
		kind->capacity += pool->capacity;
		kind->allocatable += pool->allocatable;
		kind->used += node->pools[i].used;
		kind->free_ += shk_node_free(node, i);
	}
}

static const char *kind_label(int kind)
{
	return kind == SHK_POOL_UNKNOWN ? "unknown" : shk_pool_kind_name((enum shk_pool_kind)kind);
}

static void pool_units(const struct pool_sums *sums, const char *kind, struct shk_buf *out)
{
	static const char name[] = "shikiri_pool_units";

	sample(out, name, (struct labels){{"kind", "state"}, {kind, "capacity"}}, sums->capacity);
	sample(out, name, (struct labels){{"kind", "state"}, {kind, "allocatable"}},
	       sums->allocatable);
	sample(out, name, (struct labels){{"kind", "state"}, {kind, "used"}}, sums->used);
	sample(out, name, (struct labels){{"kind", "state"}, {kind, "free"}}, sums->free_);
}

static void nodes_and_pools(const struct shk_view *view, struct shk_buf *out)
{
	static const char nodes[] = "shikiri_nodes";
	struct node_sums sums = {.ok = 0};

	for (size_t i = 0; i < view->n_nodes; i++)
		add_node(&sums, view->nodes[i]);
	gauge(out, nodes, "Nodes by whether they take new GPU pods.");
	sample(out, nodes, (struct labels){{"state"}, {"ok"}}, sums.ok);
	sample(out, nodes, (struct labels){{"state"}, {"fenced"}}, sums.fenced);
	sample(out, nodes, (struct labels){{"state"}, {"inconsistent"}}, sums.inconsistent);
	gauge(out, "shikiri_pools", "Pools (node and resource name) by kind.");
	for (int kind = 0; kind < N_KINDS; kind++)
		sample(out, "shikiri_pools", (struct labels){{"kind"}, {kind_label(kind)}},
		       sums.kinds[kind].pools);
	gauge(out, "shikiri_pool_units", "Devices of all pools of a kind, by state.");
	for (int kind = 0; kind < N_KINDS; kind++)
		pool_units(&sums.kinds[kind], kind_label(kind), out);
}

/* --- pods ----------------------------------------------------------------------------------- */

static void allocation_states(const struct shk_edition *edition, struct shk_arena *arena,
			      struct shk_buf *out)
{
	struct shk_object **all = shk_index_all(&edition->allocs, arena);
	int64_t counts[SHK_ALLOC_FOREIGN + 1] = {0};

	for (size_t i = 0; i < edition->allocs.n; i++)
		counts[((struct shk_alloc_object *)all[i])->alloc.state]++;
	gauge(out, "shikiri_allocations", "Live allocations by state.");
	for (int state = SHK_ALLOC_RESERVED; state <= SHK_ALLOC_FOREIGN; state++)
		sample(
		    out, "shikiri_allocations",
		    (struct labels){{"state"}, {shk_alloc_state_name((enum shk_alloc_state)state)}},
		    counts[state]);
}

static bool is_waiting(const struct shk_pod_object *pod)
{
	return pod->managed && !pod->pod.node_name && !shk_pod_object_is_ended(pod) &&
	       !pod->pod.gated;
}

static void pending_pods(const struct shk_edition *edition, struct shk_arena *arena,
			 struct shk_buf *out)
{
	struct shk_object **all = shk_index_all(&edition->pods, arena);
	const struct shk_view *view = &edition->shown.view;
	int64_t *counts = SHK_NEW_ARRAY(arena, edition->pods.n, int64_t);
	const char **tenants = SHK_NEW_ARRAY(arena, edition->pods.n, const char *);
	struct shk_map map;

	shk_map_init(&map, arena, 0);
	for (size_t i = 0; i < edition->pods.n; i++) {
		const struct shk_pod_object *pod = (struct shk_pod_object *)all[i];
		struct shk_identity identity;
		uint32_t at = (uint32_t)map.n;

		if (!is_waiting(pod))
			continue;
		identity = shk_tenancy_identify(view->tenancy, view->policy, pod->pod.namespace_,
						pod->pod.uid, arena);
		if (shk_map_add(&map, identity.tenant_name, at))
			tenants[at] = identity.tenant_name;
		(void)shk_map_find(&map, identity.tenant_name, &at); /* is there by now */
		counts[at]++;
	}
	gauge(out, "shikiri_pending_pods", "GPU pods that wait for a node, by tenant.");
	for (size_t i = 0; i < map.n; i++)
		sample(out, "shikiri_pending_pods", (struct labels){{"tenant"}, {tenants[i]}},
		       counts[i]);
}

/* --- who else is there ------------------------------------------------------------------------ */

/* GPU pods that we have no say in: bound by somebody else, or waiting for a scheduler that never
 * called us. */
static void bypass_pods(struct shk_service *service, const struct shk_edition *edition,
			struct shk_arena *arena, struct shk_buf *out)
{
	struct shk_object **allocs = shk_index_all(&edition->allocs, arena);
	struct shk_object **pods = shk_index_all(&edition->pods, arena);
	int64_t foreign = 0;
	int64_t others = 0;

	for (size_t i = 0; i < edition->allocs.n; i++)
		foreign += ((struct shk_alloc_object *)allocs[i])->alloc.state == SHK_ALLOC_FOREIGN;
	for (size_t i = 0; service->feed && i < edition->pods.n; i++) {
		const struct shk_pod_object *pod = (struct shk_pod_object *)pods[i];

		others += is_waiting(pod) &&
			  !shk_schedulers_has(service->schedulers, pod->pod.scheduler_name);
	}
	gauge(out, "shikiri_bypass_pods", "GPU pods that shikiri was not asked about, by kind.");
	sample(out, "shikiri_bypass_pods", (struct labels){{"kind"}, {"foreign"}}, foreign);
	sample(out, "shikiri_bypass_pods", (struct labels){{"kind"}, {"other_scheduler"}}, others);
}

static void last_calls(struct shk_service *service, struct shk_buf *out)
{
	static const char *const verbs[SHK_CALL_COUNT] = {"filter", "prioritize", "bind"};
	static const char name[] = "shikiri_extender_last_call_timestamp_seconds";

	gauge(out, name, "When a scheduler called last, since unix epoch in seconds; 0 never.");
	for (int call = 0; call < SHK_CALL_COUNT; call++)
		sample(out, name, (struct labels){{"verb"}, {verbs[call]}},
		       atomic_load(&service->last_call_s[call]));
}

static void watches(struct shk_service *service, struct shk_buf *out)
{
	struct shk_kube_health health;

	if (!shk_feed_health(service->feed, &health))
		return;
	gauge(out, "shikiri_watch_age_seconds",
	      "Time since the API server said something of the kind.");
	for (int kind = 0; kind < SHK_KUBE_KIND_COUNT; kind++)
		sample(
		    out, "shikiri_watch_age_seconds",
		    (struct labels){{"resource"}, {shk_kube_kind_name((enum shk_kube_kind)kind)}},
		    health.kinds[kind].age_ms / 1000);
	shk_metric_head(out, "shikiri_watch_relists_total", "counter",
			"Lists of the kind after the first.");
	for (int kind = 0; kind < SHK_KUBE_KIND_COUNT; kind++)
		sample(
		    out, "shikiri_watch_relists_total",
		    (struct labels){{"resource"}, {shk_kube_kind_name((enum shk_kube_kind)kind)}},
		    (int64_t)health.kinds[kind].relists);
}

/* --- the process ---------------------------------------------------------------------------- */

static int64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	const char *second = NULL;
	int64_t pages = 0;
	char line[128];

	if (!file)
		return 0;
	if (fgets(line, sizeof line, file))
		second = strchr(line, ' ');
	if (second)
		pages = strtoll(second, NULL, 10);
	(void)fclose(file); /* was only read */
	return pages * sysconf(_SC_PAGESIZE);
}

static void process(const struct shk_service *service, struct shk_buf *out)
{
	gauge(out, "shikiri_build_info", "What runs.");
	sample(out, "shikiri_build_info",
	       (struct labels){{"version", "commit", "compiler"},
			       {shk_version, shk_version_git, shk_version_compiler}},
	       1);
	plain(out, "process_resident_memory_bytes", "Resident memory size in bytes.",
	      resident_bytes());
	plain(out, "process_start_time_seconds",
	      "Start time of the process since unix epoch in seconds.", service->started_s);
}

static void ledger(struct shk_service *service, const struct shk_view *view, struct shk_buf *out)
{
	struct shk_loop_health health = shk_loop_health(service->loop);

	plain(out, "shikiri_ledger_seq", "Sequence of the last journal row in the view.",
	      (int64_t)view->ledger_seq);
	plain(out, "shikiri_ledger_file_bytes", "Size of the ledger file.",
	      health.ledger_file_bytes);
	plain(out, "shikiri_ledger_wal_bytes", "Size of the ledger's write-ahead log.",
	      health.ledger_wal_bytes);
	plain(out, "shikiri_ready", "1 while verbs are answered with decisions.",
	      shk_service_ready(service, NULL) ? 1 : 0);
}

void shk_service_metrics(struct shk_service *service, struct shk_buf *out)
{
	struct shk_edition *edition = shk_loop_edition(service->loop);
	const struct shk_view *view = &edition->shown.view;
	struct shk_reconcile_alarms alarms = shk_reconcile_alarms(view);
	struct shk_moment moment;
	struct shk_arena arena;

	shk_arena_init(&arena, (size_t)64 << 10);
	moment = shk_service_moment(service, &arena);
	process(service, out);
	ledger(service, view, out);
	nodes_and_pools(view, out);
	plain(out, "shikiri_trust_conflicts", "Soft pools that hold several trust domains.",
	      (int64_t)alarms.conflicts);
	plain(out, "shikiri_deficit_units", "Devices in use beyond what is allocatable.",
	      alarms.deficit_units);
	quota_limits(view, &moment, &arena, out);
	quota_used(view->books, out);
	allocation_states(edition, &arena, out);
	plain(out, "shikiri_holds", "Pods that passed filter and aren't bound yet.",
	      (int64_t)moment.n_holds);
	pending_pods(edition, &arena, out);
	bypass_pods(service, edition, &arena, out);
	last_calls(service, out);
	watches(service, out);
	shk_decisions_render(service->decisions, out);
	shk_arena_fini(&arena);
	shk_edition_unref(edition);
}
