#include "shikiri/core/request.h"

#include <string.h>

#include "shikiri/base/str.h"
#include "shikiri/base/units.h"
#include "shikiri/core/resource.h"

/* No pod holds more devices than this; larger amounts only serve to overflow sums. */
#define AMOUNT_MAX (INT64_C(1) << 31)

/* One resource while the containers are being added up. */
struct tally {
	const char *resource;
	int64_t containers;
	int64_t sidecars;  /* of those met so far */
	int64_t init_peak; /* largest init container on top of the sidecars before it */
	int64_t overhead;
	int64_t in_container; /* most in any one container */
};

struct tallies {
	struct tally *items;
	size_t n;
};

/* The sum's terms are at most AMOUNT_MAX each; 2^32 of them would be needed to overflow, more
 * than a pod of bounded size can have, but a saturated sum refuses all the same. */
static void account(struct tally *tally, const struct shk_container *container, int64_t amount)
{
	if (amount > tally->in_container)
		tally->in_container = amount;
	if (!container->init) {
		tally->containers = shk_add_saturated(tally->containers, amount);
		return;
	}
	int64_t peak = shk_add_saturated(tally->sidecars, amount);
	if (peak > tally->init_peak)
		tally->init_peak = peak;
	if (container->sidecar)
		tally->sidecars = peak;
}

static int64_t total(const struct tally *tally)
{
	int64_t steady = shk_add_saturated(tally->containers, tally->sidecars);
	int64_t most = steady > tally->init_peak ? steady : tally->init_peak;

	return shk_add_saturated(most, tally->overhead);
}

static struct tally *find_tally(struct tallies *tallies, const char *resource)
{
	for (size_t i = 0; i < tallies->n; i++) {
		if (strcmp(tallies->items[i].resource, resource) == 0)
			return &tallies->items[i];
	}
	struct tally *fresh = &tallies->items[tallies->n++];
	fresh->resource = resource;
	return fresh;
}

/* What is wrong with one ask, or NULL. Extended resources: integers, never overcommitted. */
static const char *ask_fault(const struct shk_ask *ask)
{
	if (ask->malformed)
		return "is not a whole number of devices";
	if (ask->has_request && !ask->has_limit)
		return "has a request without a limit";
	if (ask->has_request && ask->has_limit && ask->request != ask->limit)
		return "has a request that differs from its limit";
	if (ask->request > AMOUNT_MAX || ask->limit > AMOUNT_MAX)
		return "is larger than any node";
	return NULL;
}

static void refuse(struct shk_claim *claim, struct shk_arena *arena, const char *where,
		   const struct shk_ask *ask, const char *fault)
{
	if (!claim->valid)
		return;
	claim->valid = false;
	claim->invalid_detail = shk_arena_printf(arena, "%s: %s %s", where, ask->resource, fault);
}

/* Whether the container means to have a device, as far as one can tell from a bad ask. */
static bool is_demand(const struct shk_ask *ask)
{
	return ask->malformed || ask->request > 0 || ask->limit > 0;
}

static void note_name(struct shk_claim *claim, const struct shk_ask *ask, int64_t amount)
{
	if (amount <= 0 || shk_resource_parse(ask->resource).kind != SHK_RESOURCE_MALFORMED)
		return;
	/* The smallest name, so that the order of containers doesn't matter. */
	if (!claim->bad_name || strcmp(ask->resource, claim->bad_name) < 0)
		claim->bad_name = ask->resource;
}

static void add_container(struct shk_claim *claim, struct tallies *tallies,
			  const struct shk_container *container, struct shk_arena *arena)
{
	for (size_t i = 0; i < container->n_asks; i++) {
		const struct shk_ask *ask = &container->asks[i];
		const char *fault = ask_fault(ask);
		int64_t amount = ask->has_request ? ask->request : ask->limit;

		if (fault) {
			refuse(claim, arena, container->name ? container->name : "container", ask,
			       fault);
			claim->managed = claim->managed || is_demand(ask);
			continue;
		}
		note_name(claim, ask, amount);
		account(find_tally(tallies, ask->resource), container, amount);
	}
}

static void add_overhead(struct shk_claim *claim, struct tallies *tallies,
			 const struct shk_pod *pod, struct shk_arena *arena)
{
	for (size_t i = 0; i < pod->n_overhead; i++) {
		const struct shk_ask *ask = &pod->overhead[i];

		if (ask->malformed || ask->request > AMOUNT_MAX) {
			refuse(claim, arena, "overhead", ask, "is not a whole number of devices");
			claim->managed = true;
			continue;
		}
		note_name(claim, ask, ask->request);
		find_tally(tallies, ask->resource)->overhead = ask->request;
	}
}

static size_t count_asks(const struct shk_pod *pod)
{
	size_t n = pod->n_overhead;

	for (size_t i = 0; i < pod->n_containers; i++)
		n += pod->containers[i].n_asks;
	return n;
}

/* Insertion sort: a pod names a handful of resources. */
static void sort_tallies(struct tallies *tallies)
{
	for (size_t i = 1; i < tallies->n; i++) {
		struct tally moved = tallies->items[i];
		size_t at = i;

		for (; at > 0 && strcmp(tallies->items[at - 1].resource, moved.resource) > 0; at--)
			tallies->items[at] = tallies->items[at - 1];
		tallies->items[at] = moved;
	}
}

static void publish(struct shk_claim *claim, struct tallies *tallies, struct shk_arena *arena)
{
	struct shk_amount *items = SHK_NEW_ARRAY(arena, tallies->n, struct shk_amount);
	int64_t *most = SHK_NEW_ARRAY(arena, tallies->n, int64_t);
	size_t n = 0;

	sort_tallies(tallies);
	for (size_t i = 0; i < tallies->n; i++) {
		int64_t amount = total(&tallies->items[i]);

		if (amount == 0)
			continue;
		if (amount > AMOUNT_MAX && claim->valid) {
			claim->valid = false;
			claim->invalid_detail = "the containers' sum is larger than any node";
		}
		items[n].resource = tallies->items[i].resource;
		items[n].count = amount;
		most[n] = tallies->items[i].in_container;
		n++;
	}
	claim->resources = (struct shk_vector){.items = items, .n = n};
	claim->max_in_container = most;
}

static int64_t cpu_request(const struct shk_pod *pod)
{
	struct tally tally = {.overhead = 0};

	for (size_t i = 0; i < pod->n_containers; i++)
		account(&tally, &pod->containers[i], pod->containers[i].cpu_milli);
	int64_t containers = total(&tally);
	return shk_add_saturated(pod->has_pod_cpu ? pod->pod_cpu_milli : containers,
				 pod->overhead_cpu_milli);
}

/* Classes that every API server has, whether or not it was asked for them. */
static bool built_in_priority(const char *name, int64_t *ret_value)
{
	bool node = shk_str_equals(name, "system-node-critical");

	if (!node && !shk_str_equals(name, "system-cluster-critical"))
		return false;
	*ret_value = node ? 2000001000 : 2000000000;
	return true;
}

static int64_t priority_of(const struct shk_pod *pod, const struct shk_priority_class *classes,
			   size_t n_classes)
{
	int64_t otherwise = 0;

	if (pod->has_priority)
		return pod->priority;
	if (pod->priority_class && built_in_priority(pod->priority_class, &otherwise))
		return otherwise;
	for (size_t i = 0; i < n_classes; i++) {
		if (pod->priority_class && strcmp(classes[i].name, pod->priority_class) == 0)
			return classes[i].value;
		if (classes[i].global_default && !pod->priority_class)
			otherwise = classes[i].value;
	}
	return otherwise;
}

void shk_claim_build(const struct shk_pod *pod, const struct shk_priority_class *classes,
		     size_t n_classes, struct shk_arena *arena, struct shk_claim *ret_claim)
{
	struct shk_claim claim = {.pod = pod, .valid = true};
	struct tallies tallies = {.items = SHK_NEW_ARRAY(arena, count_asks(pod), struct tally)};

	for (size_t i = 0; i < pod->n_containers; i++)
		add_container(&claim, &tallies, &pod->containers[i], arena);
	add_overhead(&claim, &tallies, pod, arena);
	publish(&claim, &tallies, arena);
	claim.managed = claim.managed || claim.resources.n > 0;
	claim.valid = claim.valid || !claim.managed; /* zero devices may be spelled in any way */
	if (claim.managed && claim.valid && pod->isolation == SHK_LEVEL_INVALID) {
		claim.valid = false;
		claim.invalid_detail = "annotation shikiri.dev/isolation is not mig, card or node";
	}
	claim.cpu_milli = cpu_request(pod);
	claim.priority = priority_of(pod, classes, n_classes);
	*ret_claim = claim;
}

int64_t shk_vector_get(const struct shk_vector *vector, const char *resource)
{
	for (size_t i = 0; i < vector->n; i++) {
		if (strcmp(vector->items[i].resource, resource) == 0)
			return vector->items[i].count;
	}
	return 0;
}
