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

/* verdict, summary, basis, pods with their nodes, quota, caveats. With all_reasons a refused node
 * also has "codes", everything that speaks against it in the order of the checks. */
void shk_report_plan(const struct shk_plan *plan, const struct shk_report_basis *basis,
		     struct shk_buf *out);

/* One object of GET /nodes: metadata, spec {}, status with product, strategy, pools (resource,
 * kind, sharing, disguised, capacity, allocatable, used, free, deficit, owner, mixed), fence,
 * contradiction, cpu (allocatableMilli, usedMilli, freeMilli), ready, unschedulable. fence is a
 * reason code or ""; so are owner and contradiction when there is none. */
void shk_report_node(const struct shk_node *node, struct shk_json *json, const char *key);
/* What status says of a tenant's unit:
 *   used         live allocations; in a quota's status holds as well
 *   borrowed     of these, class borrowed
 *   overCeiling  used > ceiling; for a tenant: in any unit
 * and where there is a guarantee:
 *   lent         what others may take of it now: min(lendable, guaranteed - used), at least 0
 *   deliverable  how much of it the cluster could give now: min(guaranteed, capacity - what all
 *                others use), at least 0
 *   room         what the tenant may still borrow, at least 0 */

/* metadata, spec, status (namespaces, used, borrowed, lent, overCeiling, deliverable, allocations);
 * used, borrowed, lent and deliverable are objects by unit. metadata has name and labels only:
 * revisions are the caller's. */
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
