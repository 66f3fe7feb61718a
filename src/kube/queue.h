/* queue.h - requests that wait for their turn, by verb. Any thread; locked inside, and never for
 * longer than a walk along it. */
#ifndef SHIKIRI_SRC_KUBE_QUEUE_H
#define SHIKIRI_SRC_KUBE_QUEUE_H

#include <pthread.h>

#include "request.h"

struct lane {
	struct request *head;
	struct request *tail;
};

struct queue {
	pthread_mutex_t lock;
	struct lane lanes[SHK_KUBE_EVENT + 1]; /* without a known verb: in that of NOTHING */
	size_t n;                              /* of all but events */
	size_t n_events;
};

void queue_init(struct queue *queue);
void queue_fini(struct queue *queue); /* frees what is in it */

/* false: there are too many already; the request is still the caller's. */
bool queue_push(struct queue *queue, struct request *request);
bool queue_has(struct queue *queue, enum shk_kube_verb verb);
/* The oldest of a lane, or NULL. */
struct request *queue_pop(struct queue *queue, enum shk_kube_verb verb);
/* One whose deadline has come, or NULL. */
struct request *queue_pop_late(struct queue *queue, int64_t now_ms);
/* INT64_MAX: none waits. */
int64_t queue_first_deadline_ms(struct queue *queue);

#endif
