/* explain.h - a verdict as a sentence with its numbers, for people (dry run, describe, bind).
 * Never names other tenants' pods. Pure. */
#ifndef SHIKIRI_CORE_EXPLAIN_H
#define SHIKIRI_CORE_EXPLAIN_H

#include "shikiri/core/decide.h"

/* In arena; "" for a feasible verdict. */
const char *shk_explain_verdict(const struct shk_view *view, const struct shk_question *question,
				const struct shk_candidate *candidate,
				const struct shk_verdict *verdict, struct shk_arena *arena);

/* "mig-1g.10gb, mig-3g.40gb": what a node offers, for ResourceNotOffered; "" for nothing. */
const char *shk_explain_offer(const struct shk_node *node, struct shk_arena *arena);

#endif
