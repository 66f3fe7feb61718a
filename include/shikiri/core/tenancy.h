/* tenancy.h - the documents that administrators own, and whose a namespace is.
 *
 * A pod's tenant comes from the namespace map alone: exact name first, then label selectors on
 * the namespace. Pod labels and annotations are never asked. Pure. */
#ifndef SHIKIRI_CORE_TENANCY_H
#define SHIKIRI_CORE_TENANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/map.h"
#include "shikiri/core/model.h"
#include "shikiri/core/policy.h"
#include "shikiri/core/reason.h"

enum shk_selector_op {
	SHK_SELECTOR_INVALID = 0,
	SHK_SELECTOR_IN,
	SHK_SELECTOR_NOT_IN,
	SHK_SELECTOR_EXISTS,
	SHK_SELECTOR_NOT_EXISTS,
};

struct shk_requirement {
	const char *key;
	enum shk_selector_op op;
	const char *const *values;
	size_t n_values;
};

/* matchLabels and matchExpressions as one list; an empty list matches nothing here. */
struct shk_selector {
	const struct shk_requirement *items;
	size_t n;
};

bool shk_selector_matches(const struct shk_selector *selector, const struct shk_labels *labels);

/* One unit of a tenant's quota, in parts. */
struct shk_quota_entry {
	const char *unit; /* one of shk_unit_names, or a managed resource name */
	bool has_guaranteed;
	bool unlimited; /* ceiling: "unlimited" */
	int64_t guaranteed;
	int64_t ceiling;
	int64_t lendable;
};

struct shk_tenant {
	const char *name;
	const char *display_name;
	const char *domain; /* never NULL once decoded: the tenant's own name by default */
	bool domain_stated;
	const char *const *namespaces;
	size_t n_namespaces;
	struct shk_selector namespace_selector;
	bool has_selector;
	enum shk_level isolation;
	enum shk_level pod_isolation; /* NONE: the default, mig */
	bool has_max_priority;
	int64_t max_priority;
	bool suspended;
	const struct shk_quota_entry *quota; /* sorted by unit */
	size_t n_quota;
	struct shk_labels labels; /* metadata.labels */
	struct shk_object_meta meta;
};

struct shk_trust_domain {
	const char *name;
	enum shk_level isolation;
	struct shk_labels labels;
	struct shk_object_meta meta;
};

struct shk_band {
	const char *name;
	int64_t min_priority;
	int64_t max_priority;
	bool may_borrow;
	bool reclaimable;
	int64_t min_runtime_ms;
	const char *const *preempts;
	size_t n_preempts;
	struct shk_labels labels;
	struct shk_object_meta meta;
};

enum shk_sharing {
	SHK_SHARING_UNKNOWN = 0,
	SHK_SHARING_NONE,
	SHK_SHARING_TIME_SLICING,
	SHK_SHARING_MPS
};

const char *shk_sharing_name(enum shk_sharing sharing); /* "none", "time-slicing", "mps", "" */
enum shk_sharing shk_sharing_parse(const char *text);

/* Stands in for the labels of nodes without GPU Feature Discovery. */
struct shk_node_facts_doc {
	const char *name;
	struct shk_selector node_selector;
	const char *product;
	int64_t cards;
	int64_t replicas;
	enum shk_sharing sharing;
	const char *mig_profile; /* "" for none */
	struct shk_labels labels;
	struct shk_object_meta meta;
};

struct shk_grant {
	const char *name;
	const char *tenant;
	const char *unit;
	bool has_guaranteed;
	int64_t guaranteed;
	int64_t ceiling;
	int64_t until_s;
	const char *reason;
	struct shk_labels labels;
	struct shk_object_meta meta;
};

/* All documents in force, each list sorted by name. */
struct shk_documents {
	const struct shk_trust_domain *domains;
	size_t n_domains;
	const struct shk_tenant *tenants;
	size_t n_tenants;
	const struct shk_band *bands;
	size_t n_bands;
	const struct shk_node_facts_doc *node_facts;
	size_t n_node_facts;
	const struct shk_grant *grants;
	size_t n_grants;
};

/* Documents and namespaces prepared for look-ups. Borrowed input must outlive it. */
struct shk_tenancy {
	const struct shk_documents *documents;
	struct shk_map tenant_by_name;
	struct shk_map tenant_by_namespace; /* exact names */
	struct shk_map domain_by_name;
	struct shk_map namespace_by_name;
	const struct shk_namespace *namespaces;
	size_t n_namespaces;
};

void shk_tenancy_build(struct shk_arena *arena, const struct shk_documents *documents,
		       const struct shk_namespace *namespaces, size_t n_namespaces,
		       struct shk_tenancy *ret_tenancy);

/* Who a pod is, by its namespace. reason is SHK_FITS when it is somebody: a tenant, an allowed
 * unmapped namespace, or infrastructure. */
struct shk_identity {
	enum shk_reason reason;          /* else TenantUnknown, TenantSuspended or Misconfigured */
	bool infrastructure;             /* nobody's: skips the checks that design.md names */
	const struct shk_tenant *tenant; /* NULL for infrastructure, unmapped and refused pods */
	const char *tenant_name;
	const char
	    *domain; /* "" for infrastructure; unique to the pod when it can't be attributed */
	enum shk_level level;     /* least wall of policy, domain and tenant */
	enum shk_level may_state; /* how far the pod may tighten by annotation */
};

/* Strings are made in arena where the documents don't hold them. pod_uid names the domain of a
 * pod that can't be attributed. */
struct shk_identity shk_tenancy_identify(const struct shk_tenancy *tenancy,
					 const struct shk_policy *policy, const char *namespace_,
					 const char *pod_uid, struct shk_arena *arena);

/* Why a namespace maps as it does, for people: "named by tenant vision". */
const char *shk_tenancy_why(const struct shk_tenancy *tenancy, const struct shk_policy *policy,
			    const char *namespace_, struct shk_arena *arena);

const struct shk_tenant *shk_tenancy_tenant(const struct shk_tenancy *tenancy, const char *name);
const struct shk_trust_domain *shk_tenancy_domain(const struct shk_tenancy *tenancy,
						  const char *name);
/* The band a priority falls into, or NULL. */
const struct shk_band *shk_tenancy_band(const struct shk_tenancy *tenancy, int64_t priority);

/* The wall that an allocation's side asks for now: policy, its domain, its tenant, its
 * annotation as recorded. */
enum shk_level shk_tenancy_alloc_level(const struct shk_tenancy *tenancy,
				       const struct shk_policy *policy,
				       const struct shk_alloc *alloc);

#endif
