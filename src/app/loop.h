/* loop.h - the state thread: a bounded queue in, published views and answers out. */
#ifndef SHIKIRI_APP_LOOP_H
#define SHIKIRI_APP_LOOP_H

#include "boot.h"
#include "feed.h"
#include "holds.h"
#include "told.h"

struct shk_loop; /* opaque */

struct shk_loop_options {
	struct shk_queue *queue;         /* borrowed; what waits in it already is taken too */
	const char *ledger_path;         /* borrowed; for opening it again */
	struct shk_holds *holds;         /* borrowed */
	struct shk_decisions *decisions; /* borrowed */
	struct shk_feed *feed;           /* borrowed; NULL: the cluster is emulated */
	struct shk_told *told;           /* borrowed */
	/* NULL: shk_ledger_commit. */
	enum shk_status (*commit)(struct shk_ledger *ledger, struct shk_error *err);
};

/* Takes what boot holds, and starts the thread. */
struct shk_loop *shk_loop_new(struct shk_boot *boot, const struct shk_loop_options *options);
/* Queued commands are finished, later ones are refused, the ledger is closed. Accepts NULL.
 * Editions that are still held stay valid. */
void shk_loop_free(struct shk_loop *loop);

/* Takes the command; when the queue is full or the loop ends it is answered before this returns. */
void shk_loop_submit(struct shk_loop *loop, struct shk_command *command);

/* With a reference that is the caller's. */
struct shk_edition *shk_loop_edition(struct shk_loop *loop);

struct shk_loop_health {
	bool ledger_ok;
	bool alive; /* the thread came round lately */
	int64_t ledger_file_bytes;
	int64_t ledger_wal_bytes;
};

struct shk_loop_health shk_loop_health(struct shk_loop *loop);

#endif
