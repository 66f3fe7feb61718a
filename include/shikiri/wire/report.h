/* report.h - answers as JSON: the dry run, nodes, tenants, quotas, allocations.
 * The daemon's admin API and the offline CLI write the same bytes. */
#ifndef SHIKIRI_WIRE_REPORT_H
#define SHIKIRI_WIRE_REPORT_H

#include "shikiri/core/plan.h"
#include "shikiri/core/view.h"
#include "shikiri/wire/json.h"

struct shk_report_basis {
	uint64_t ledger_seq;
	const char *policy_hash;
	int64_t inventory_age_ms;
};

/* verdict, summary, basis, pods with their nodes, quota, caveats. */
void shk_report_plan(const struct shk_plan *plan, const struct shk_report_basis *basis,
		     struct shk_buf *out);

/* One object of GET /nodes: metadata, spec {}, status with product, strategy, pools (resource,
 * kind, sharing, disguised, capacity, allocatable, used, free, deficit, owner, mixed), fence,
 * contradiction, cpu. */
void shk_report_node(const struct shk_node *node, struct shk_json *json, const char *key);
/* metadata, spec, status (namespaces, used, borrowed, lent, overCeiling, deliverable, allocations). */
void shk_report_tenant(const struct shk_view *view, const struct shk_moment *moment,
		       const struct shk_tenant *tenant, struct shk_arena *arena,
		       struct shk_json *json, const char *key);
/* metadata, spec {unit: {guaranteed, ceiling, lendable}}, status {unit: {used, borrowed, lent,
 * overCeiling, deliverable, room}}. */
void shk_report_quota(const struct shk_view *view, const struct shk_moment *moment,
		      const struct shk_tenant *tenant, struct shk_arena *arena,
		      struct shk_json *json, const char *key);
/* The record of the admin API. */
void shk_report_allocation(const struct shk_alloc *alloc, struct shk_json *json, const char *key);

#endif
