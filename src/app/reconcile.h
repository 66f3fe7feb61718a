/* reconcile.h - the ledger and the cluster brought together: what the cluster says is so.
 *
 * Runs before anything is served, and after the ledger was opened again. The world holds nodes
 * and pods; rules and allocations come from the ledger, and what contradicts the cluster is
 * ended or adopted there. */
#ifndef SHIKIRI_APP_RECONCILE_H
#define SHIKIRI_APP_RECONCILE_H

#include "state.h"
#include "world.h"

struct shk_reconcile_report {
	size_t kept;      /* rows that agree */
	size_t assigned;  /* of these: pending in the cluster, bound by the ledger */
	size_t ended;     /* rows whose pod is gone, ended or elsewhere */
	size_t adopted;   /* placed GPU pods without a row */
	size_t uncounted; /* placed GPU pods that the ledger can't count */
};

/* Documents and cordons as the ledger has them. */
enum shk_status shk_reconcile_rules(struct shk_world *world, struct shk_ledger *ledger,
				    struct shk_error *err) SHK_MUST_CHECK;

/* The world has no allocations yet. Writes in transactions of its own. is_live: rows without a pod
 * and rows that aren't confirmed stay, for the state thread to look after. */
enum shk_status shk_reconcile_allocs(struct shk_world *world, const struct shk_env *env,
				     bool is_live, struct shk_reconcile_report *report,
				     struct shk_error *err) SHK_MUST_CHECK;

/* The allocation of a placed pod that we didn't bind: into the ledger (a transaction is open)
 * and the world. */
enum shk_status shk_reconcile_adopt(struct shk_world *world, const struct shk_env *env,
				    struct shk_pod_object *pod, struct shk_arena *scratch,
				    struct shk_error *err) SHK_MUST_CHECK;

/* Pools that hold several trust domains, and units in use beyond what is allocatable. */
struct shk_reconcile_alarms {
	size_t conflicts;
	int64_t deficit_units;
};

struct shk_reconcile_alarms shk_reconcile_alarms(const struct shk_view *view);

#endif
