/* live.h - what the state thread keeps of a live cluster besides the view: Bindings under way, and
 * what ends by time.
 *
 * Times are milliseconds of the boot clock. None of it is durable: after a restart deadlines begin
 * anew, which is the safe side. */
#ifndef SHIKIRI_APP_LIVE_H
#define SHIKIRI_APP_LIVE_H

#include "bindings.h"
#include "index.h"
#include "object.h"

#define SHK_REST_MS         INT64_C(10000)  /* a node is left alone after kubelet refused a pod */
#define SHK_RESHAPE_MS      INT64_C(120000) /* a changed mig.config is believed to be done */
#define SHK_LINGER_EXTRA_MS INT64_C(30000)  /* beyond a vanished pod's own grace */

/* Constant texts of a view that decides nothing. */
#define SHK_CAUSE_UNLISTED   "the cluster has not been listed yet"
#define SHK_CAUSE_UNRESOLVED "Bindings of the last run are being resolved"
#define SHK_CAUSE_OWED       "what happened meanwhile is being counted"
#define SHK_CAUSE_STALE      "the API server has been silent for too long"

/* A pod that vanished without having ended: its processes may still run. */
struct shk_linger {
	struct shk_linger *next;
	char *uid;
	char *node;
	int64_t wait_ms;  /* in all */
	int64_t since_ms; /* -1: the node isn't Ready, the time hasn't begun */
};

/* A node that kubelet refused a pod on, or whose mig.config changed. */
struct shk_timed_node {
	struct shk_timed_node *next;
	char *node;
	int64_t since_ms;
	uint64_t layout; /* before the change */
	bool left;       /* the state was seen outside of success */
};

struct shk_live {
	struct shk_bindings bindings;
	struct shk_linger *lingers;
	struct shk_timed_node *resting;
	struct shk_timed_node *reshaping;
	struct shk_index tombstones; /* uids of pods that are gone, until the next list of pods */
	unsigned listed;             /* bit 1 << kind for each kind with a complete list */
	bool reconciled;             /* the ledger was brought together with the lists */
	bool owes;                   /* and has to be again: something could not be written */
	bool reviewed;               /* rows without a pod, and open ones, are looked after */
	bool ready;                  /* nothing of the last run is open any more */
};

/* Whether all kinds have been listed. */
bool shk_live_is_listed(const struct shk_live *live);
/* Whether something ends by time, or is still to be done. */
bool shk_live_waits(const struct shk_live *live);
/* Why nothing is decided yet, or NULL. */
const char *shk_live_cause(const struct shk_live *live);

struct shk_live *shk_live_new(void);
void shk_live_free(struct shk_live *live); /* accepts NULL */

/* The pod of a row that has vanished; added, or begun anew. since_ms: -1 while its node isn't
 * Ready. */
void shk_live_linger(struct shk_live *live, const struct shk_alloc *row, int64_t since_ms);
bool shk_live_lingers(const struct shk_live *live, const char *uid);
void shk_live_linger_end(struct shk_live *live, const char *uid);

struct shk_timed_node *shk_timed_node_put(struct shk_timed_node **list, const char *node,
					  int64_t since_ms);
void shk_timed_node_drop(struct shk_timed_node **list, const char *node);

void shk_live_bury(struct shk_live *live, const char *uid);
bool shk_live_is_buried(const struct shk_live *live, const char *uid);
void shk_live_exhume(struct shk_live *live);

#endif
