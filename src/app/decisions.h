/* decisions.h - what was decided: counters for metrics, and records for the decision log.
 *
 * Records wait in memory, at most 256, until a transaction takes them along: filter never waits
 * for a disk, and when nothing is written for long the oldest are lost. Any thread. */
#ifndef SHIKIRI_APP_DECISIONS_H
#define SHIKIRI_APP_DECISIONS_H

#include <stddef.h>
#include <stdint.h>

#include "shikiri/app/service.h"
#include "shikiri/core/decide.h"
#include "shikiri/core/reason.h"

enum shk_decided_verb { SHK_DECIDED_FILTER, SHK_DECIDED_BIND, SHK_DECIDED_VERB_COUNT };

struct shk_decisions; /* opaque */

struct shk_decisions *shk_decisions_new(void);
void shk_decisions_free(struct shk_decisions *decisions); /* accepts NULL */

/* SHK_FITS counts as feasible, SHK_UNDECIDED as a refusal without a decision. */
void shk_decisions_count(struct shk_decisions *decisions, enum shk_decided_verb verb,
			 enum shk_reason reason);
void shk_decisions_render(struct shk_decisions *decisions, struct shk_buf *out);

struct shk_decision_record {
	char *uid;
	char *pod;  /* namespace/name */
	char *body; /* JSON */
};

/* One filter call; copies what it keeps. */
void shk_decisions_record(struct shk_decisions *decisions, const struct shk_view *view,
			  const struct shk_moment *moment, const struct shk_question *question,
			  const struct shk_decision *decision);
/* The oldest records, at most max; the caller frees each with _record_fini. */
size_t shk_decisions_take(struct shk_decisions *decisions, struct shk_decision_record *out,
			  size_t max);
void shk_decision_record_fini(struct shk_decision_record *record);

#endif
