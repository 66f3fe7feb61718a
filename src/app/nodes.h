/* nodes.h - news of nodes, and what they mean for a while afterwards (private to the state files).
 */
#ifndef SHIKIRI_APP_NODES_H
#define SHIKIRI_APP_NODES_H

#include "shikiri/kube/kube.h"
#include "step.h"

/* Facts of nodes only, in order. */
enum shk_status shk_nodes_take(struct shk_step *step, const struct shk_fact *facts, size_t n,
			       struct shk_error *err) SHK_MUST_CHECK;

/* Time has passed: nodes that rested long enough, changes of MIG layouts that are done. */
void shk_nodes_tick(struct shk_step *step);

#endif
