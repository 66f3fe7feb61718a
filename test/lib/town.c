#include "town.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/str.h"
#include "shikiri/core/charge.h"
#include "shikiri/core/request.h"

#define H100 "NVIDIA-H100-80GB-HBM3"

void town_open(struct town *town)
{
	memset(town, 0, sizeof(*town));
	shk_arena_init(&town->arena, 64 * 1024);
	shk_policy_default(&town->policy);
	town->now_s = 1790000000;
}

void town_close(struct town *town)
{
	shk_arena_fini(&town->arena);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct shk_pair *)a)->key, ((const struct shk_pair *)b)->key);
}

static int by_resource(const void *a, const void *b)
{
	const struct shk_node_resource *x = a;
	const struct shk_node_resource *y = b;

	return strcmp(x->resource, y->resource);
}

struct town_node *town_node(struct town *town, const char *name)
{
	struct town_node *node = SHK_NEW(&town->arena, struct town_node);

	node->facts.name = name;
	node->facts.cpu_milli = 64000;
	node->facts.ready = true;
	node->facts.labels.items = node->labels;
	node->facts.resources = node->resources;
	town->nodes[town->n_nodes++] = node;
	return node;
}

void town_label(struct town *town, struct town_node *node, const char *key, const char *value)
{
	const char *full = shk_str_starts(key, "nvidia.com/") || strchr(key, '/')
			       ? key
			       : shk_arena_printf(&town->arena, "nvidia.com/%s", key);
	size_t at = 0;

	while (at < node->facts.labels.n && strcmp(node->labels[at].key, full) != 0)
		at++;
	if (!value && at == node->facts.labels.n)
		return;
	if (!value) {
		node->labels[at] = node->labels[--node->facts.labels.n];
	} else {
		node->labels[at] = (struct shk_pair){full, value};
		if (at == node->facts.labels.n)
			node->facts.labels.n++;
	}
	qsort(node->labels, node->facts.labels.n, sizeof(node->labels[0]), by_key);
}

void town_label_int(struct town *town, struct town_node *node, const char *key, int64_t value)
{
	town_label(town, node, key, shk_arena_printf(&town->arena, "%lld", (long long)value));
}

void town_offer(struct town *town, struct town_node *node, const char *resource, int64_t capacity,
		int64_t allocatable)
{
	size_t at = 0;

	(void)town;
	while (at < node->facts.n_resources && strcmp(node->resources[at].resource, resource) != 0)
		at++;
	if (at == node->facts.n_resources)
		node->facts.n_resources++;
	node->resources[at] = (struct shk_node_resource){resource, capacity, allocatable};
	qsort(node->resources, node->facts.n_resources, sizeof(node->resources[0]), by_resource);
}

static void discover(struct town *town, struct town_node *node, const char *product, int64_t count,
		     int64_t replicas, const char *sharing)
{
	town_label(town, node, "gpu.product", product);
	town_label_int(town, node, "gpu.count", count);
	town_label_int(town, node, "gpu.replicas", replicas);
	town_label(town, node, "gpu.sharing-strategy", sharing);
	town_label(town, node, "gpu.memory", "81559");
	town_label(town, node, "mig.strategy", "single");
	town_label(town, node, "gpu.deploy.device-plugin", "true");
}

struct town_node *town_cards(struct town *town, const char *name, int64_t cards)
{
	struct town_node *node = town_node(town, name);

	discover(town, node, H100, cards, 1, "none");
	town_offer(town, node, GPU, cards, cards);
	return node;
}

struct town_node *town_shared(struct town *town, const char *name, int64_t cards, int64_t replicas)
{
	struct town_node *node = town_node(town, name);

	discover(town, node, H100, cards, replicas, "time-slicing");
	town_offer(town, node, SHARED, cards * replicas, cards * replicas);
	return node;
}

struct town_node *town_disguised(struct town *town, const char *name, int64_t cards,
				 int64_t replicas)
{
	struct town_node *node = town_node(town, name);

	discover(town, node, H100 "-SHARED", cards, replicas, "time-slicing");
	town_offer(town, node, GPU, cards * replicas, cards * replicas);
	return node;
}

struct town_node *town_mig(struct town *town, const char *name, const char *profile, int64_t count)
{
	struct town_node *node = town_node(town, name);
	const char *prefix = shk_arena_printf(&town->arena, "mig-%s", profile);

	discover(town, node, H100, 8, 0, "none");
	town_label(town, node, "mig.strategy", "mixed");
	town_label(town, node, "mig.config.state", "success");
	town_label_int(town, node, shk_arena_printf(&town->arena, "%s.count", prefix), count);
	town_label_int(town, node, shk_arena_printf(&town->arena, "%s.replicas", prefix), 1);
	town_label(town, node, shk_arena_printf(&town->arena, "%s.sharing-strategy", prefix),
		   "none");
	town_offer(town, node, shk_arena_printf(&town->arena, "nvidia.com/%s", prefix), count,
		   count);
	return node;
}

struct town_node *town_single(struct town *town, const char *name, int64_t cards)
{
	struct town_node *node = town_node(town, name);

	discover(town, node, H100 "-MIG-1g.10gb", cards * 7, 1, "none");
	town_label(town, node, "gpu.memory", "9984");
	town_label(town, node, "gpu.slices.gi", "1");
	town_offer(town, node, GPU, cards * 7, cards * 7);
	return node;
}

/* --- tenants --------------------------------------------------------------------------------- */

struct town_tenant *town_tenant(struct town *town, const char *name, const char *domain,
				const char *namespace_)
{
	struct town_tenant *tenant = SHK_NEW(&town->arena, struct town_tenant);

	tenant->tenant.name = name;
	tenant->tenant.domain = domain ? domain : name;
	tenant->tenant.domain_stated = domain;
	tenant->tenant.namespaces = tenant->namespaces;
	tenant->tenant.quota = tenant->quota;
	if (namespace_)
		tenant->namespaces[tenant->tenant.n_namespaces++] = namespace_;
	town->tenants[town->n_tenants++] = tenant;
	return tenant;
}

void town_quota(struct town_tenant *tenant, const char *unit, int64_t guaranteed, int64_t ceiling,
		int64_t lendable)
{
	tenant->quota[tenant->tenant.n_quota++] = (struct shk_quota_entry){
	    .unit = unit,
	    .has_guaranteed = guaranteed >= 0,
	    .guaranteed = guaranteed >= 0 ? UNITS(guaranteed) : 0,
	    .ceiling = ceiling >= 0 ? UNITS(ceiling) : UNITS(guaranteed),
	    .lendable = lendable >= 0 ? UNITS(lendable) : 0,
	};
}

/* --- the view -------------------------------------------------------------------------------- */

static void gather_documents(struct town *town)
{
	struct shk_tenant *tenants =
	    SHK_NEW_ARRAY(&town->arena, town->n_tenants, struct shk_tenant);

	for (size_t i = 0; i < town->n_tenants; i++)
		tenants[i] = town->tenants[i]->tenant;
	town->documents = (struct shk_documents){
	    .domains = town->domains,
	    .n_domains = town->n_domains,
	    .tenants = tenants,
	    .n_tenants = town->n_tenants,
	    .bands = town->bands,
	    .n_bands = town->n_bands,
	    .node_facts = town->node_facts,
	    .n_node_facts = town->n_node_facts,
	    .grants = town->grants,
	    .n_grants = town->n_grants,
	};
	shk_tenancy_build(&town->arena, &town->documents, town->namespaces, town->n_namespaces,
			  &town->tenancy);
}

void town_settle(struct town *town)
{
	gather_documents(town);
	shk_books_init(&town->books, &town->arena);
	shk_map_init(&town->index, &town->arena, 0);
	struct shk_view empty = {
	    .node_index = &town->index,
	    .tenancy = &town->tenancy,
	    .policy = &town->policy,
	    .books = &town->books,
	};
	shk_draft_begin(&town->draft, &empty, &town->arena);
	for (size_t i = 0; i < town->n_nodes; i++) {
		struct shk_node_base *base = SHK_NEW(&town->arena, struct shk_node_base);
		struct shk_node_context context = {
		    .policy = &town->policy,
		    .documents = &town->documents,
		    .cordoned = town->nodes[i]->cordoned,
		};

		shk_node_base_build(&town->arena, &town->nodes[i]->facts, &context, base);
		shk_draft_node(&town->draft, base);
	}
}

const struct shk_node *town_find(const struct town *town, const char *node)
{
	return shk_view_node(&town->draft.view, node);
}

/* --- pods ------------------------------------------------------------------------------------ */

struct shk_pod *town_pod(struct town *town, const char *uid, const char *namespace_,
			 const char *resource, int64_t count)
{
	struct shk_pod *pod = SHK_NEW(&town->arena, struct shk_pod);
	struct shk_container *container = SHK_NEW(&town->arena, struct shk_container);

	*container = (struct shk_container){.name = "main", .cpu_milli = 1000};
	*pod = (struct shk_pod){
	    .uid = uid,
	    .namespace_ = namespace_,
	    .name = uid,
	    .phase = SHK_PHASE_PENDING,
	    .has_priority = true,
	    .containers = container,
	    .n_containers = 1,
	};
	town_also(town, pod, resource, count);
	return pod;
}

void town_also(struct town *town, struct shk_pod *pod, const char *resource, int64_t count)
{
	struct shk_container *container = SHK_NEW(&town->arena, struct shk_container);
	struct shk_ask *asks = NULL;

	*container = pod->containers[0];
	asks = SHK_NEW_ARRAY(&town->arena, container->n_asks + 1, struct shk_ask);
	for (size_t i = 0; i < container->n_asks; i++)
		asks[i] = container->asks[i];
	asks[container->n_asks++] = (struct shk_ask){.resource = resource,
						     .has_request = true,
						     .has_limit = true,
						     .request = count,
						     .limit = count};
	container->asks = asks;
	pod->containers = container;
}

static struct shk_moment moment_of(const struct town *town)
{
	return (struct shk_moment){
	    .now_s = town->now_s, .holds = town->holds, .n_holds = town->n_holds};
}

static void decide(struct town *town, const struct shk_pod *pod,
		   const struct shk_candidate *candidates, size_t n)
{
	struct shk_moment moment = moment_of(town);
	struct shk_question question = {.claim = &town->claim, .candidates = candidates, .n = n};

	shk_claim_build(pod, NULL, 0, &town->arena, &town->claim);
	shk_decide(&town->draft.view, &moment, &question, &town->arena, &town->decision);
}

void town_decide(struct town *town, const struct shk_pod *pod)
{
	const struct shk_view *view = &town->draft.view;
	struct shk_candidate *candidates =
	    SHK_NEW_ARRAY(&town->arena, view->n_nodes, struct shk_candidate);

	for (size_t i = 0; i < view->n_nodes; i++)
		candidates[i] =
		    (struct shk_candidate){view->nodes[i]->base->facts->name, view->nodes[i]};
	decide(town, pod, candidates, view->n_nodes);
}

const struct shk_verdict *town_verdict(struct town *town, const struct shk_pod *pod,
				       const char *node)
{
	struct shk_candidate *candidate = SHK_NEW(&town->arena, struct shk_candidate);

	*candidate = (struct shk_candidate){node, town_find(town, node)};
	decide(town, pod, candidate, 1);
	return &town->decision.verdicts[0];
}

const char *town_ask(struct town *town, const struct shk_pod *pod, const char *node)
{
	return shk_reason_row(town_verdict(town, pod, node)->reason)->code;
}

const struct shk_alloc *town_adopt(struct town *town, const struct shk_pod *pod, const char *node)
{
	const struct shk_candidate place = {node, town_find(town, node)};
	struct shk_alloc *alloc = SHK_NEW(&town->arena, struct shk_alloc);
	struct shk_claim claim;
	struct shk_moment moment = moment_of(town);

	shk_claim_build(pod, NULL, 0, &town->arena, &claim);
	shk_alloc_adopt(&town->draft.view, &moment, &claim, &place, &town->arena, alloc);
	shk_draft_alloc(&town->draft, alloc, claim.cpu_milli);
	return alloc;
}

const struct shk_alloc *town_bind(struct town *town, const struct shk_pod *pod, const char *node)
{
	struct shk_alloc *alloc = SHK_NEW(&town->arena, struct shk_alloc);

	assert_string_equal(town_ask(town, pod, node), "");
	shk_alloc_make(&town->decision, &town->claim, town_find(town, node),
		       &town->decision.verdicts[0], alloc);
	alloc->state = SHK_ALLOC_BOUND;
	shk_draft_alloc(&town->draft, alloc, town->claim.cpu_milli);
	return alloc;
}

void town_hold(struct town *town, const char *uid, const char *tenant, const char *domain,
	       const char *node, const char *resource)
{
	town->holds[town->n_holds++] = (struct shk_hold){
	    .uid = uid,
	    .tenant = tenant,
	    .domain = domain,
	    .pool_node = node,
	    .pool_resource = resource,
	};
}
