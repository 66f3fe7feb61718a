/* workload.h - what a dry run is asked about: manifests into pods.
 *
 * Pod, Deployment, StatefulSet, ReplicaSet, Job, CronJob and Lists of them; JSON or multi-document
 * YAML; or an object with namespace, manifests, hypotheticalNodes and options. Workloads expand
 * to pods named <workload>-<i> in order (Job: min of parallelism and completions; CronJob: one
 * run; 0 replicas: none). Other kinds are an error that names them.
 *
 * An object without kind and with manifests is the envelope, whose own fields are a closed set.
 * A manifest without a name gets <generateName>0, <generateName>1 and so on; two pods of one name
 * are an error. Node, phase and deletion of a manifest are forgotten: the pod is asked about as if
 * it were new. Its uid is kept, so that a waiting pod isn't refused for its own hold. */
#ifndef SHIKIRI_WIRE_WORKLOAD_H
#define SHIKIRI_WIRE_WORKLOAD_H

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/core/model.h"
#include "shikiri/core/plan.h"

struct shk_dry_run_request {
	/* Pods with uid "dry-run/<namespace>/<name>" unless the manifest has one, no node, phase
	 * Pending; max_nodes 50 unless stated. */
	struct shk_plan_order order;
	const struct shk_hypothetical *hypothetical;
	size_t n_hypothetical;
};

#define SHK_DRY_RUN_MAX_PODS 1000

/* default_namespace fills in what manifests leave open; NULL means "default". yaml_allowed:
 * the text may be YAML (a file, or Content-Type application/yaml). */
enum shk_status shk_dry_run_decode(struct shk_sv text, bool yaml_allowed,
				   const char *default_namespace, struct shk_arena *arena,
				   struct shk_dry_run_request *ret_request,
				   struct shk_error *err) SHK_MUST_CHECK;

#endif
