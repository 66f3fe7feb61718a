#include "shikiri/wire/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/core/pack.h"
#include "shikiri/core/quota.h"
#include "shikiri/wire/documents.h"

/* --- parts -------------------------------------------------------------------------------- */

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void put_vector(const struct shk_vector *vector, struct shk_json *json, const char *key)
{
	shk_json_object(json, key);
	for (size_t i = 0; i < vector->n; i++)
		shk_json_int(json, vector->items[i].resource, vector->items[i].count);
	shk_json_object_end(json);
}

/* Units that could not be weighed are left out. */
static void put_charge(const struct shk_charge *charge, struct shk_json *json, const char *key)
{
	shk_json_object(json, key);
	for (size_t i = 0; i < SHK_UNIT_COUNT; i++) {
		if (charge->known[i])
			shk_json_parts(json, shk_unit_names[i], charge->parts[i]);
	}
	shk_json_object_end(json);
}

static void put_labels(const struct shk_labels *labels, struct shk_json *json)
{
	shk_json_object(json, "labels");
	for (size_t i = 0; i < labels->n; i++)
		shk_json_string(json, labels->items[i].key, labels->items[i].value);
	shk_json_object_end(json);
}

/* "" for SHK_FITS: nothing speaks against it. */
static const char *reason_code(enum shk_reason reason)
{
	return shk_reason_row(reason)->code;
}

/* --- dry run ------------------------------------------------------------------------------ */

static void put_key_part(struct shk_json *json, const char *name, unsigned value)
{
	char text[16];

	(void)snprintf(text, sizeof text, "%u", value);
	shk_json_object(json, NULL);
	shk_json_string(json, "name", name);
	shk_json_string(json, "value", text);
	shk_json_object_end(json);
}

/* In the order in which they decide. */
static void put_key(uint64_t packed, struct shk_json *json)
{
	struct shk_key key = shk_key_unpack(packed);

	shk_json_array(json, "key");
	put_key_part(json, "opensSoftPool", key.soft);
	put_key_part(json, "poolSize", key.size);
	put_key_part(json, "fragmentation", key.fragmentation);
	put_key_part(json, "freeSlicesAfter", key.free_slices);
	put_key_part(json, "freeQuarterCoresAfter", key.free_cpu);
	put_key_part(json, "nameHash", key.hash);
	shk_json_array_end(json);
}

/* All that speaks against a node, where the caller asked for it; a code that stands twice in
 * the table is listed once. */
static void put_codes(uint64_t reasons, struct shk_json *json)
{
	const char *last = "";

	shk_json_array(json, "codes");
	for (unsigned i = SHK_UNDECIDED + 1; i < SHK_FITS; i++) {
		const char *code = reason_code((enum shk_reason)i);

		if (!(reasons & UINT64_C(1) << i) || strcmp(code, last) == 0)
			continue;
		shk_json_string(json, NULL, code);
		last = code;
	}
	shk_json_array_end(json);
}

static void put_plan_node(const struct shk_plan_node *node, struct shk_json *json)
{
	bool fits = node->verdict.reason == SHK_FITS;

	shk_json_object(json, NULL);
	shk_json_string(json, "name", node->name);
	shk_json_bool(json, "fits", fits);
	if (fits) {
		shk_json_int(json, "rank", node->verdict.rank);
		shk_json_int(json, "score", node->score);
		put_key(node->verdict.key, json);
	} else {
		const struct shk_reason_row *row = shk_reason_row(node->verdict.reason);

		shk_json_string(json, "class",
				row->class_ == SHK_RESOLVABLE ? "Resolvable" : "Unresolvable");
		shk_json_string(json, "code", row->code);
		shk_json_string(json, "detail", or_empty(node->detail));
		if (node->verdict.reasons)
			put_codes(node->verdict.reasons, json);
	}
	shk_json_object_end(json);
}

static void put_plan_pod(const struct shk_plan_pod *pod, struct shk_json *json)
{
	static const struct shk_charge nothing = {.known = {false}};

	shk_json_object(json, NULL);
	shk_json_string(json, "namespace", pod->namespace_);
	shk_json_string(json, "name", pod->name);
	shk_json_string(json, "tenant", or_empty(pod->tenant));
	shk_json_string(json, "trustDomain", or_empty(pod->domain));
	shk_json_int(json, "priority", pod->priority);
	put_vector(&pod->request, json, "request");
	put_charge(pod->has_charge ? &pod->charge : &nothing, json, "charge");
	shk_json_string(json, "verdict", shk_outcome_name(pod->outcome));
	shk_json_string(json, "node", or_empty(pod->node));
	shk_json_string(json, "isolation", shk_isolation_class_name(pod->isolation));
	shk_json_string(json, "quotaClass", shk_quota_class_name(pod->quota_class));
	shk_json_string(json, "code", reason_code(pod->reason));
	shk_json_string(json, "detail", or_empty(pod->detail));
	shk_json_array(json, "nodes");
	for (size_t i = 0; i < pod->n_nodes; i++)
		put_plan_node(&pod->nodes[i], json);
	shk_json_array_end(json);
	shk_json_object_end(json);
}

static void put_limit_sides(const struct shk_limit *limit, struct shk_json *json)
{
	if (limit->has_guaranteed)
		shk_json_parts_exact(json, "guaranteed", limit->guaranteed);
	if (limit->unlimited)
		shk_json_string(json, "ceiling", "unlimited");
	else
		shk_json_parts_exact(json, "ceiling", limit->ceiling);
}

static void put_plan_quota(const struct shk_plan_quota *quota, struct shk_json *json)
{
	shk_json_object(json, NULL);
	shk_json_string(json, "tenant", quota->tenant);
	shk_json_string(json, "unit", quota->before.unit);
	shk_json_parts(json, "used", quota->before.used);
	shk_json_parts(json, "after", quota->after);
	put_limit_sides(&quota->before, json);
	shk_json_parts(json, "borrowed", quota->before.borrowed);
	shk_json_object_end(json);
}

/* Milliseconds as a number of seconds, "0.4". */
static void put_seconds(struct shk_json *json, const char *key, int64_t ms)
{
	char text[40];
	int len = snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, ms / 1000, ms % 1000);

	while (text[len - 1] == '0' && text[len - 2] != '.')
		len--;
	shk_json_raw(json, key, text, (size_t)len);
}

static void put_basis(const struct shk_report_basis *basis, struct shk_json *json)
{
	shk_json_object(json, "basis");
	shk_json_int(json, "ledgerSeq", (int64_t)basis->ledger_seq);
	shk_json_string(json, "policy", or_empty(basis->policy_hash));
	put_seconds(json, "inventoryAgeSeconds",
		    basis->inventory_age_ms > 0 ? basis->inventory_age_ms : 0);
	shk_json_object_end(json);
}

void shk_report_plan(const struct shk_plan *plan, const struct shk_report_basis *basis,
		     struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "verdict", shk_outcome_name(plan->outcome));
	shk_json_string(&json, "summary", or_empty(plan->summary));
	put_basis(basis, &json);
	shk_json_array(&json, "pods");
	for (size_t i = 0; i < plan->n_pods; i++)
		put_plan_pod(&plan->pods[i], &json);
	shk_json_array_end(&json);
	shk_json_array(&json, "quota");
	for (size_t i = 0; i < plan->n_quota; i++)
		put_plan_quota(&plan->quota[i], &json);
	shk_json_array_end(&json);
	shk_json_array(&json, "caveats");
	for (size_t i = 0; i < plan->n_caveats; i++)
		shk_json_string(&json, NULL, plan->caveats[i]);
	shk_json_array_end(&json);
	shk_json_object_end(&json);
}

/* --- nodes -------------------------------------------------------------------------------- */

static void put_pool(const struct shk_node *node, size_t i, struct shk_json *json)
{
	const struct shk_pool *pool = &node->base->pools[i];
	const struct shk_occupancy *occupancy = &node->pools[i];

	shk_json_object(json, NULL);
	shk_json_string(json, "resource", pool->resource);
	shk_json_string(json, "kind", shk_pool_kind_name(pool->kind));
	shk_json_string(json, "sharing", shk_sharing_name(pool->sharing));
	shk_json_bool(json, "disguised", pool->disguised);
	shk_json_int(json, "capacity", pool->capacity);
	shk_json_int(json, "allocatable", pool->allocatable);
	shk_json_int(json, "used", occupancy->used);
	shk_json_int(json, "free", shk_node_free(node, i));
	shk_json_int(json, "deficit", shk_node_deficit(node, i));
	shk_json_string(json, "owner", or_empty(occupancy->owner));
	shk_json_bool(json, "mixed", occupancy->mixed);
	shk_json_object_end(json);
}

static void put_cpu(const struct shk_node *node, struct shk_json *json)
{
	int64_t allocatable = node->base->facts->cpu_milli;
	int64_t left = allocatable - node->cpu_used_milli;

	shk_json_object(json, "cpu");
	shk_json_int(json, "allocatableMilli", allocatable);
	shk_json_int(json, "usedMilli", node->cpu_used_milli);
	shk_json_int(json, "freeMilli", left > 0 ? left : 0);
	shk_json_object_end(json);
}

static void put_node_status(const struct shk_node *node, struct shk_json *json)
{
	const struct shk_node_base *base = node->base;

	shk_json_object(json, "status");
	shk_json_string(json, "product", or_empty(base->product));
	shk_json_string(json, "strategy", or_empty(base->strategy));
	shk_json_bool(json, "ready", base->facts->ready);
	shk_json_bool(json, "unschedulable", base->facts->unschedulable);
	shk_json_string(json, "fence", reason_code(base->fence));
	shk_json_string(json, "contradiction", or_empty(base->contradiction));
	shk_json_array(json, "pools");
	for (size_t i = 0; i < base->n_pools; i++)
		put_pool(node, i, json);
	shk_json_array_end(json);
	put_cpu(node, json);
	shk_json_object_end(json);
}

void shk_report_node(const struct shk_node *node, struct shk_json *json, const char *key)
{
	const struct shk_node_facts *facts = node->base->facts;

	shk_json_object(json, key);
	shk_json_object(json, "metadata");
	shk_json_string(json, "name", facts->name);
	shk_json_string(json, "uid", or_empty(facts->uid));
	shk_json_string(json, "resourceVersion", or_empty(facts->resource_version));
	if (facts->created_s > 0)
		shk_json_time(json, "creationTimestamp", facts->created_s);
	put_labels(&facts->labels, json);
	shk_json_object_end(json);
	shk_json_object(json, "spec");
	shk_json_object_end(json);
	put_node_status(node, json);
	shk_json_object_end(json);
}

/* --- tenants and quotas ------------------------------------------------------------------- */

/* One limit with what the quota's status says about it. */
struct standing {
	const struct shk_limit *limit;
	int64_t lent;        /* offered to others now */
	int64_t deliverable; /* how much of the guarantee the cluster could give now */
	bool over_ceiling;
};

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t at_least_zero(int64_t value)
{
	return value > 0 ? value : 0;
}

static int64_t used_by_others(const struct shk_books *books, const char *unit, const char *own)
{
	int64_t sum = 0;

	for (size_t i = 0; i < books->n_tenants; i++) {
		if (strcmp(books->tenants[i], own) != 0)
			sum = shk_add_saturated(sum,
						shk_books_get(books, books->tenants[i], unit).used);
	}
	return sum;
}

static struct standing stand(const struct shk_view *view, const struct shk_tenant *tenant,
			     const struct shk_limit *limit)
{
	int64_t capacity = shk_books_capacity(view->books, limit->unit);
	int64_t others = used_by_others(view->books, limit->unit, tenant->name);

	return (struct standing){
	    .limit = limit,
	    .lent = at_least_zero(smaller(limit->lendable, limit->guaranteed - limit->used)),
	    .deliverable = smaller(limit->guaranteed, at_least_zero(capacity - others)),
	    .over_ceiling = !limit->unlimited && limit->used > limit->ceiling,
	};
}

static const struct standing *stand_all(const struct shk_view *view,
					const struct shk_moment *moment,
					const struct shk_tenant *tenant, struct shk_arena *arena,
					size_t *ret_n)
{
	const struct shk_asker asker = {.tenant = tenant};
	struct shk_limits limits;

	shk_limits_build(view, moment, &asker, arena, &limits);

	struct standing *standings = SHK_NEW_ARRAY(arena, limits.n, struct standing);

	for (size_t i = 0; i < limits.n; i++)
		standings[i] = stand(view, tenant, &limits.items[i]);
	*ret_n = limits.n;
	return standings;
}

static void put_document_metadata(const struct shk_tenant *tenant, struct shk_json *json)
{
	const struct shk_object_meta *meta = &tenant->meta;
	char version[24];

	shk_json_object(json, "metadata");
	shk_json_string(json, "name", tenant->name);
	if (meta->uid) {
		(void)snprintf(version, sizeof version, "%" PRIu64, meta->resource_version);
		shk_json_string(json, "uid", meta->uid);
		shk_json_string(json, "resourceVersion", version);
		shk_json_time(json, "creationTimestamp", meta->created_s);
	}
	put_labels(&tenant->labels, json);
	shk_json_object_end(json);
}

/* The namespaces that the tenant has now: those it names, and those its selector matches. */
static void put_namespaces(const struct shk_view *view, const struct shk_tenant *tenant,
			   struct shk_arena *arena, struct shk_json *json)
{
	const struct shk_tenancy *tenancy = view->tenancy;
	const char **names =
	    SHK_NEW_ARRAY(arena, tenant->n_namespaces + tenancy->n_namespaces, const char *);
	size_t n = 0;

	for (size_t i = 0; i < tenant->n_namespaces; i++)
		names[n++] = tenant->namespaces[i];
	for (size_t i = 0; i < tenancy->n_namespaces; i++) {
		const char *name = tenancy->namespaces[i].name;

		if (shk_tenancy_identify(tenancy, view->policy, name, "", arena).tenant == tenant)
			names[n++] = name;
	}
	qsort(names, n, sizeof *names, shk_str_compare);
	shk_json_array(json, "namespaces");
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(names[i - 1], names[i]) != 0)
			shk_json_string(json, NULL, names[i]);
	}
	shk_json_array_end(json);
}

/* The four units of every charge, and the resource names that the tenant uses. */
static void put_use(const struct shk_view *view, const struct shk_tenant *tenant,
		    bool only_borrowed, struct shk_json *json, const char *key)
{
	const struct shk_books *books = view->books;

	shk_json_object(json, key);
	for (size_t i = 0; i < books->n_units; i++) {
		struct shk_account account = shk_books_get(books, tenant->name, books->units[i]);

		if (i < SHK_UNIT_COUNT || account.used > 0)
			shk_json_parts(json, books->units[i],
				       only_borrowed ? account.borrowed : account.used);
	}
	shk_json_object_end(json);
}

static void put_standings(const struct standing *standings, size_t n, size_t member,
			  struct shk_json *json, const char *key)
{
	shk_json_object(json, key);
	for (size_t i = 0; i < n; i++) {
		int64_t parts;

		memcpy(&parts, (const char *)&standings[i] + member, sizeof parts);
		if (standings[i].limit->has_guaranteed)
			shk_json_parts(json, standings[i].limit->unit, parts);
	}
	shk_json_object_end(json);
}

static int64_t count_allocations(const struct shk_books *books, const char *tenant)
{
	int index = shk_books_tenant(books, tenant);

	return index < 0 ? 0 : books->n_allocs[index];
}

void shk_report_tenant(const struct shk_view *view, const struct shk_moment *moment,
		       const struct shk_tenant *tenant, struct shk_arena *arena,
		       struct shk_json *json, const char *key)
{
	size_t n;
	const struct standing *standings = stand_all(view, moment, tenant, arena, &n);
	bool over_ceiling = false;

	for (size_t i = 0; i < n; i++)
		over_ceiling = over_ceiling || standings[i].over_ceiling;
	shk_json_object(json, key);
	put_document_metadata(tenant, json);
	shk_json_object(json, "spec");
	shk_tenant_spec_encode(tenant, json);
	shk_json_object_end(json);
	shk_json_object(json, "status");
	put_namespaces(view, tenant, arena, json);
	put_use(view, tenant, false, json, "used");
	put_use(view, tenant, true, json, "borrowed");
	put_standings(standings, n, offsetof(struct standing, lent), json, "lent");
	put_standings(standings, n, offsetof(struct standing, deliverable), json, "deliverable");
	shk_json_bool(json, "overCeiling", over_ceiling);
	shk_json_int(json, "allocations", count_allocations(view->books, tenant->name));
	shk_json_object_end(json);
	shk_json_object_end(json);
}

static void put_quota_status(const struct standing *standing, struct shk_json *json)
{
	const struct shk_limit *limit = standing->limit;

	shk_json_object(json, limit->unit);
	shk_json_parts(json, "used", limit->used);
	shk_json_parts(json, "borrowed", limit->borrowed);
	shk_json_bool(json, "overCeiling", standing->over_ceiling);
	if (limit->has_guaranteed) {
		shk_json_parts(json, "lent", standing->lent);
		shk_json_parts(json, "deliverable", standing->deliverable);
		shk_json_parts(json, "room", at_least_zero(limit->room));
	}
	shk_json_object_end(json);
}

void shk_report_quota(const struct shk_view *view, const struct shk_moment *moment,
		      const struct shk_tenant *tenant, struct shk_arena *arena,
		      struct shk_json *json, const char *key)
{
	size_t n;
	const struct standing *standings = stand_all(view, moment, tenant, arena, &n);

	shk_json_object(json, key);
	put_document_metadata(tenant, json);
	shk_json_object(json, "spec");
	shk_quota_encode(tenant, json);
	shk_json_object_end(json);
	shk_json_object(json, "status");
	for (size_t i = 0; i < n; i++)
		put_quota_status(&standings[i], json);
	shk_json_object_end(json);
	shk_json_object_end(json);
}

/* --- allocations -------------------------------------------------------------------------- */

void shk_report_allocation(const struct shk_alloc *alloc, struct shk_json *json, const char *key)
{
	shk_json_object(json, key);
	shk_json_string(json, "uid", alloc->uid);
	shk_json_string(json, "namespace", alloc->namespace_);
	shk_json_string(json, "name", alloc->name);
	shk_json_string(json, "tenant", or_empty(alloc->tenant));
	shk_json_string(json, "trustDomain", or_empty(alloc->domain));
	shk_json_string(json, "node", or_empty(alloc->node));
	put_vector(&alloc->resources, json, "resources");
	put_charge(&alloc->charge, json, "charge");
	shk_json_int(json, "priority", alloc->priority);
	shk_json_string(json, "state", shk_alloc_state_name(alloc->state));
	shk_json_string(json, "quotaClass", shk_quota_class_name(alloc->quota_class));
	shk_json_string(json, "isolation", shk_isolation_class_name(alloc->isolation));
	shk_json_int(json, "seq", (int64_t)alloc->seq);
	shk_json_time(json, "since", alloc->since_s);
	shk_json_object_end(json);
}
