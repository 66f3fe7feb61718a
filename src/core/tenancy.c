#include "shikiri/core/tenancy.h"

#include <string.h>

#include "shikiri/base/str.h"

/* Map value of a namespace that several tenants name: apply refuses it, we don't guess. */
#define NAMED_TWICE UINT32_MAX

static const char *const sharing_names[] = {"", "none", "time-slicing", "mps"};

const char *shk_sharing_name(enum shk_sharing sharing)
{
	return sharing_names[sharing];
}

enum shk_sharing shk_sharing_parse(const char *text)
{
	for (unsigned i = SHK_SHARING_NONE; i <= SHK_SHARING_MPS; i++) {
		if (shk_str_equals(sharing_names[i], text))
			return (enum shk_sharing)i;
	}
	return SHK_SHARING_UNKNOWN;
}

/* --- selectors ---------------------------------------------------------------------------- */

static bool has_value(const struct shk_requirement *requirement, const char *value)
{
	for (size_t i = 0; i < requirement->n_values; i++) {
		if (strcmp(requirement->values[i], value) == 0)
			return true;
	}
	return false;
}

/* As Kubernetes: NotIn and DoesNotExist hold for an absent key. */
static bool requirement_holds(const struct shk_requirement *requirement,
			      const struct shk_labels *labels)
{
	const char *value = shk_labels_get(labels, requirement->key);

	switch (requirement->op) {
	case SHK_SELECTOR_IN:
		return value && has_value(requirement, value);
	case SHK_SELECTOR_NOT_IN:
		return !value || !has_value(requirement, value);
	case SHK_SELECTOR_EXISTS:
		return value;
	case SHK_SELECTOR_NOT_EXISTS:
		return !value;
	case SHK_SELECTOR_INVALID:
		break;
	}
	return false;
}

bool shk_selector_matches(const struct shk_selector *selector, const struct shk_labels *labels)
{
	for (size_t i = 0; i < selector->n; i++) {
		if (!requirement_holds(&selector->items[i], labels))
			return false;
	}
	return selector->n > 0;
}

/* --- look-ups ----------------------------------------------------------------------------- */

static void map_namespaces(struct shk_map *map, const struct shk_tenant *tenant, uint32_t index)
{
	for (size_t i = 0; i < tenant->n_namespaces; i++) {
		if (shk_map_add(map, tenant->namespaces[i], index))
			continue;
		for (size_t slot = 0; slot < map->n_slots; slot++) {
			if (shk_str_equals(map->slots[slot].key, tenant->namespaces[i]))
				map->slots[slot].value = NAMED_TWICE;
		}
	}
}

void shk_tenancy_build(struct shk_arena *arena, const struct shk_documents *documents,
		       const struct shk_namespace *namespaces, size_t n_namespaces,
		       struct shk_tenancy *ret_tenancy)
{
	struct shk_tenancy *tenancy = ret_tenancy;

	*tenancy = (struct shk_tenancy){
	    .documents = documents, .namespaces = namespaces, .n_namespaces = n_namespaces};
	shk_map_init(&tenancy->tenant_by_name, arena, documents->n_tenants);
	shk_map_init(&tenancy->tenant_by_namespace, arena, documents->n_tenants * 4);
	shk_map_init(&tenancy->domain_by_name, arena, documents->n_domains);
	shk_map_init(&tenancy->namespace_by_name, arena, n_namespaces);
	for (size_t i = 0; i < documents->n_tenants; i++) {
		(void)shk_map_add(&tenancy->tenant_by_name, documents->tenants[i].name,
				  (uint32_t)i);
		map_namespaces(&tenancy->tenant_by_namespace, &documents->tenants[i], (uint32_t)i);
	}
	for (size_t i = 0; i < documents->n_domains; i++)
		(void)shk_map_add(&tenancy->domain_by_name, documents->domains[i].name,
				  (uint32_t)i);
	for (size_t i = 0; i < n_namespaces; i++)
		(void)shk_map_add(&tenancy->namespace_by_name, namespaces[i].name, (uint32_t)i);
}

const struct shk_tenant *shk_tenancy_tenant(const struct shk_tenancy *tenancy, const char *name)
{
	uint32_t index = 0;

	if (!shk_map_find(&tenancy->tenant_by_name, name, &index))
		return NULL;
	return &tenancy->documents->tenants[index];
}

const struct shk_trust_domain *shk_tenancy_domain(const struct shk_tenancy *tenancy,
						  const char *name)
{
	uint32_t index = 0;

	if (!shk_map_find(&tenancy->domain_by_name, name, &index))
		return NULL;
	return &tenancy->documents->domains[index];
}

const struct shk_band *shk_tenancy_band(const struct shk_tenancy *tenancy, int64_t priority)
{
	const struct shk_documents *documents = tenancy->documents;

	for (size_t i = 0; i < documents->n_bands; i++) {
		const struct shk_band *band = &documents->bands[i];

		if (band->min_priority <= priority && priority <= band->max_priority)
			return band;
	}
	return NULL;
}

/* --- identity ----------------------------------------------------------------------------- */

/* How a namespace came to its tenant. */
struct mapping {
	const struct shk_tenant *tenant;
	const struct shk_tenant *second; /* another one that matches as well: misconfigured */
	bool by_name;
	bool ambiguous;
};

static void match_selectors(const struct shk_tenancy *tenancy, const struct shk_labels *labels,
			    struct mapping *mapping)
{
	const struct shk_documents *documents = tenancy->documents;

	for (size_t i = 0; i < documents->n_tenants; i++) {
		const struct shk_tenant *tenant = &documents->tenants[i];

		if (!tenant->has_selector ||
		    !shk_selector_matches(&tenant->namespace_selector, labels))
			continue;
		if (!mapping->tenant)
			mapping->tenant = tenant;
		else if (!mapping->second)
			mapping->second = tenant;
	}
	mapping->ambiguous = mapping->second;
}

static struct mapping map_namespace(const struct shk_tenancy *tenancy, const char *namespace_)
{
	struct mapping mapping = {.by_name = false};
	uint32_t index = 0;

	if (shk_map_find(&tenancy->tenant_by_namespace, namespace_, &index)) {
		mapping.by_name = true;
		mapping.ambiguous = index == NAMED_TWICE;
		if (!mapping.ambiguous)
			mapping.tenant = &tenancy->documents->tenants[index];
		return mapping;
	}
	/* Selectors need the namespace's labels; one that isn't listed has none to go by. */
	if (shk_map_find(&tenancy->namespace_by_name, namespace_, &index))
		match_selectors(tenancy, &tenancy->namespaces[index].labels, &mapping);
	return mapping;
}

static enum shk_level stricter(enum shk_level a, enum shk_level b)
{
	return a > b ? a : b;
}

static enum shk_level domain_level(const struct shk_tenancy *tenancy,
				   const struct shk_policy *policy, const char *domain)
{
	const struct shk_trust_domain *row = shk_tenancy_domain(tenancy, domain);

	return row ? stricter(policy->across_domains, row->isolation) : policy->across_domains;
}

static struct shk_identity nobody(const struct shk_policy *policy, enum shk_reason reason,
				  const char *tenant, const char *domain)
{
	return (struct shk_identity){
	    .reason = reason,
	    .tenant_name = tenant,
	    .domain = domain,
	    .level = policy->across_domains,
	    .may_state = SHK_LEVEL_MIG,
	};
}

static struct shk_identity somebody(const struct shk_tenancy *tenancy,
				    const struct shk_policy *policy,
				    const struct shk_tenant *tenant)
{
	enum shk_level stated = tenant->pod_isolation ? tenant->pod_isolation : SHK_LEVEL_MIG;

	return (struct shk_identity){
	    .reason = tenant->suspended ? SHK_REASON_TENANT_SUSPENDED : SHK_FITS,
	    .tenant = tenant,
	    .tenant_name = tenant->name,
	    .domain = tenant->domain,
	    .level = stricter(domain_level(tenancy, policy, tenant->domain), tenant->isolation),
	    .may_state = stricter(stated, tenant->isolation),
	};
}

struct shk_identity shk_tenancy_identify(const struct shk_tenancy *tenancy,
					 const struct shk_policy *policy, const char *namespace_,
					 const char *pod_uid, struct shk_arena *arena)
{
	if (shk_policy_is_infrastructure(policy, namespace_)) {
		struct shk_identity identity =
		    nobody(policy, SHK_FITS, SHK_TENANT_INFRASTRUCTURE, "");

		identity.infrastructure = true;
		identity.may_state = SHK_LEVEL_NODE;
		return identity;
	}
	struct mapping mapping = map_namespace(tenancy, namespace_);
	if (mapping.tenant && !mapping.ambiguous)
		return somebody(tenancy, policy, mapping.tenant);
	if (!mapping.ambiguous && policy->allow_unmapped)
		return nobody(policy, SHK_FITS, SHK_TENANT_DEFAULT,
			      shk_arena_printf(arena, "namespace:%s", namespace_));
	return nobody(policy,
		      mapping.ambiguous ? SHK_REASON_MISCONFIGURED : SHK_REASON_TENANT_UNKNOWN,
		      SHK_TENANT_UNKNOWN, shk_arena_printf(arena, "pod:%s", pod_uid));
}

const char *shk_tenancy_why(const struct shk_tenancy *tenancy, const struct shk_policy *policy,
			    const char *namespace_, struct shk_arena *arena)
{
	if (shk_policy_is_infrastructure(policy, namespace_))
		return "listed in the policy's infrastructureNamespaces";
	struct mapping mapping = map_namespace(tenancy, namespace_);
	if (mapping.ambiguous && mapping.by_name)
		return "named by more than one tenant";
	if (mapping.ambiguous)
		return shk_arena_printf(arena, "matches the selectors of tenants %s and %s",
					mapping.tenant->name, mapping.second->name);
	if (mapping.tenant && mapping.by_name)
		return shk_arena_printf(arena, "named by tenant %s", mapping.tenant->name);
	if (mapping.tenant)
		return shk_arena_printf(arena, "matches the selector of tenant %s",
					mapping.tenant->name);
	if (policy->allow_unmapped)
		return "mapped by no tenant; the policy allows it as a domain of its own";
	return "mapped by no tenant";
}

enum shk_level shk_tenancy_alloc_level(const struct shk_tenancy *tenancy,
				       const struct shk_policy *policy,
				       const struct shk_alloc *alloc)
{
	const struct shk_tenant *tenant = shk_tenancy_tenant(tenancy, alloc->tenant);
	enum shk_level level = domain_level(tenancy, policy, alloc->domain);

	if (tenant)
		level = stricter(level, tenant->isolation);
	return stricter(level, alloc->annotation);
}
