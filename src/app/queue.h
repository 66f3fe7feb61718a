/* queue.h - what waits for the state thread: bounded, one taker.
 *
 * Commands of callers are refused when it is full. News are of two sorts: facts are offered again
 * by who has them, and leave room for callers; replies and ticks are always taken, as their number
 * is bounded by the requests that were sent. */
#ifndef SHIKIRI_APP_QUEUE_H
#define SHIKIRI_APP_QUEUE_H

#include <pthread.h>

#include "command.h"

#define SHK_QUEUE_MAX   ((size_t)1024)
#define SHK_QUEUE_FACTS (SHK_QUEUE_MAX / 4 * 3) /* beyond it facts have to wait */

struct shk_queue {
	pthread_mutex_t lock; /* guards all */
	pthread_cond_t filled;
	struct shk_command **ring; /* SHK_QUEUE_MAX places */
	size_t first;
	size_t n;
	struct shk_command *replies; /* linked by next, oldest first */
	struct shk_command **replies_end;
	bool is_stopping;
};

enum shk_queue_result { SHK_QUEUE_TAKEN = 0, SHK_QUEUE_IS_FULL, SHK_QUEUE_IS_STOPPING };

void shk_queue_init(struct shk_queue *queue);
void shk_queue_fini(struct shk_queue *queue); /* what nobody took is forgotten */

/* Unless it is taken, the command stays the caller's. */
enum shk_queue_result shk_queue_put(struct shk_queue *queue,
				    struct shk_command *command) SHK_MUST_CHECK;
/* Takes a reply, whatever else waits. After _stop too: it is taken out and freed by _fini. */
void shk_queue_reply(struct shk_queue *queue, struct shk_command *command);
/* No further commands; those that wait are still taken. */
void shk_queue_stop(struct shk_queue *queue);

/* At most max commands, replies first; waits at most wait_ms for the first. *ret_over: none are
 * left and none will come. */
size_t shk_queue_take(struct shk_queue *queue, struct shk_command **batch, size_t max,
		      int64_t wait_ms, bool *ret_over);

#endif
