/* jobs.h - long reads of the ledger in slices of a few milliseconds, between batches.
 * Owned by the loop's thread. */
#ifndef SHIKIRI_APP_JOBS_H
#define SHIKIRI_APP_JOBS_H

#include "command.h"
#include "shikiri/ledger/ledger.h"

struct shk_job; /* private */

/* First in, first out; the first one runs. */
struct shk_jobs {
	struct shk_job *first;
	size_t n;
};

/* Takes a verify or backup command; answers it at once when too many wait. */
void shk_jobs_add(struct shk_jobs *jobs, struct shk_command *command);
/* One slice of the first job. */
void shk_jobs_step(struct shk_jobs *jobs, struct shk_ledger *ledger);
/* Ends them all: UNAVAILABLE with this cause. Before the ledger is closed. */
void shk_jobs_cancel(struct shk_jobs *jobs, const char *cause);

#endif
