/* document_conflicts.c - what speaks against a set of documents, and what is worth a word. */
#include "shikiri/wire/documents.h"

#include <string.h>

#include "shikiri/base/str.h"

/* Where a conflict is written. */
struct finding {
	struct shk_arena *arena;
	const char *object;
	const char *detail;
};

static bool namespace_named_twice(const struct shk_documents *documents, struct finding *finding)
{
	struct shk_map seen;

	shk_map_init(&seen, finding->arena, documents->n_tenants * 4);
	for (size_t t = 0; t < documents->n_tenants; t++) {
		const struct shk_tenant *tenant = &documents->tenants[t];

		for (size_t i = 0; i < tenant->n_namespaces; i++) {
			uint32_t other = 0;

			if (shk_map_add(&seen, tenant->namespaces[i], (uint32_t)t))
				continue;
			(void)shk_map_find(&seen, tenant->namespaces[i], &other);
			finding->object =
			    shk_arena_printf(finding->arena, "Tenant/%s", tenant->name);
			finding->detail = shk_arena_printf(
			    finding->arena, "namespace %s belongs to tenant %s already",
			    tenant->namespaces[i], documents->tenants[other].name);
			return true;
		}
	}
	return false;
}

static bool bands_overlap(const struct shk_documents *documents, struct finding *finding)
{
	for (size_t i = 0; i < documents->n_bands; i++) {
		for (size_t k = i + 1; k < documents->n_bands; k++) {
			const struct shk_band *a = &documents->bands[i];
			const struct shk_band *b = &documents->bands[k];

			if (a->max_priority < b->min_priority || b->max_priority < a->min_priority)
				continue;
			finding->object =
			    shk_arena_printf(finding->arena, "PriorityBand/%s", b->name);
			finding->detail = shk_arena_printf(
			    finding->arena, "overlaps the priorities of band %s", a->name);
			return true;
		}
	}
	return false;
}

static const struct shk_tenant *other_user(const struct shk_documents *documents,
					   const struct shk_tenant *tenant)
{
	for (size_t i = 0; i < documents->n_tenants; i++) {
		const struct shk_tenant *other = &documents->tenants[i];

		if (other != tenant && strcmp(other->domain, tenant->name) == 0)
			return other;
	}
	return NULL;
}

/* A tenant that states no domain expects to be alone in the one named like it. */
static bool own_domain_taken(const struct shk_documents *documents, struct finding *finding)
{
	for (size_t i = 0; i < documents->n_tenants; i++) {
		const struct shk_tenant *tenant = &documents->tenants[i];
		const struct shk_tenant *other = NULL;

		if (!tenant->domain_stated)
			other = other_user(documents, tenant);
		if (!other)
			continue;
		finding->object = shk_arena_printf(finding->arena, "Tenant/%s", tenant->name);
		finding->detail = shk_arena_printf(
		    finding->arena,
		    "states no trustDomain, but tenant %s uses the domain %s; state it to "
		    "share time with them, or rename one",
		    other->name, tenant->name);
		return true;
	}
	return false;
}

bool shk_documents_conflict(const struct shk_documents *documents, struct shk_arena *arena,
			    const char **ret_object, const char **ret_detail)
{
	struct finding finding = {.arena = arena};

	if (!namespace_named_twice(documents, &finding) && !bands_overlap(documents, &finding) &&
	    !own_domain_taken(documents, &finding))
		return false;
	*ret_object = finding.object;
	*ret_detail = finding.detail;
	return true;
}

/* --- warnings ----------------------------------------------------------------------------- */

struct warnings {
	struct shk_arena *arena;
	const char **items;
	size_t n;
	size_t cap;
};

static void warn(struct warnings *warnings, const char *text)
{
	if (warnings->n == warnings->cap)
		return; /* sized for the worst case by the caller */
	warnings->items[warnings->n++] = text;
}

static const struct shk_trust_domain *find_domain(const struct shk_documents *documents,
						  const char *name)
{
	for (size_t i = 0; i < documents->n_domains; i++) {
		if (strcmp(documents->domains[i].name, name) == 0)
			return &documents->domains[i];
	}
	return NULL;
}

static const struct shk_tenant *find_tenant(const struct shk_documents *documents, const char *name)
{
	for (size_t i = 0; i < documents->n_tenants; i++) {
		if (strcmp(documents->tenants[i].name, name) == 0)
			return &documents->tenants[i];
	}
	return NULL;
}

static void warn_about_tenant(struct warnings *warnings, const struct shk_documents *documents,
			      const struct shk_tenant *tenant)
{
	const struct shk_trust_domain *domain = find_domain(documents, tenant->domain);

	if (tenant->domain_stated && !domain)
		warn(warnings, shk_arena_printf(warnings->arena,
						"Tenant/%s: trust domain %s has no TrustDomain "
						"document; the policy's defaults hold for it",
						tenant->name, tenant->domain));
	if (domain && tenant->isolation != SHK_LEVEL_NONE && tenant->isolation < domain->isolation)
		warn(warnings, shk_arena_printf(warnings->arena,
						"Tenant/%s: isolation %s is looser than domain "
						"%s's %s, which holds all the same",
						tenant->name, shk_level_name(tenant->isolation),
						domain->name, shk_level_name(domain->isolation)));
	if (tenant->n_namespaces == 0 && !tenant->has_selector)
		warn(warnings, shk_arena_printf(warnings->arena,
						"Tenant/%s: no namespaces and no selector, so no "
						"pod belongs to it",
						tenant->name));
}

static void warn_about_grant(struct warnings *warnings, const struct shk_documents *documents,
			     const struct shk_grant *grant)
{
	const struct shk_tenant *tenant = find_tenant(documents, grant->tenant);
	bool listed = false;

	for (size_t i = 0; tenant && i < tenant->n_quota; i++)
		listed = listed || strcmp(tenant->quota[i].unit, grant->unit) == 0;
	if (listed)
		return;
	warn(warnings,
	     shk_arena_printf(warnings->arena, "Grant/%s: tenant %s %s, so the grant adds nothing",
			      grant->name, grant->tenant,
			      tenant ? "has no limit in that unit" : "does not exist"));
}

size_t shk_documents_warnings(const struct shk_documents *documents, struct shk_arena *arena,
			      const char *const **ret_warnings)
{
	struct warnings warnings = {.arena = arena,
				    .cap = documents->n_tenants * 3 + documents->n_grants};

	warnings.items = SHK_NEW_ARRAY(arena, warnings.cap, const char *);
	for (size_t i = 0; i < documents->n_tenants; i++)
		warn_about_tenant(&warnings, documents, &documents->tenants[i]);
	for (size_t i = 0; i < documents->n_grants; i++)
		warn_about_grant(&warnings, documents, &documents->grants[i]);
	*ret_warnings = warnings.items;
	return warnings.n;
}
