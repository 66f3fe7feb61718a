#include "queue.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "lock.h"

void shk_queue_init(struct shk_queue *queue)
{
	pthread_condattr_t monotonic;

	*queue = (struct shk_queue){
	    .ring = calloc(SHK_QUEUE_MAX, sizeof(struct shk_command *)),
	};
	if (!queue->ring)
		abort();
	queue->replies_end = &queue->replies;
	if (pthread_mutex_init(&queue->lock, NULL) != 0 || pthread_condattr_init(&monotonic) != 0 ||
	    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) != 0 ||
	    pthread_cond_init(&queue->filled, &monotonic) != 0)
		abort();
	(void)pthread_condattr_destroy(&monotonic); /* was initialized above */
}

static struct shk_command *take_one(struct shk_queue *queue)
{
	struct shk_command *command = queue->replies;

	if (command) {
		queue->replies = command->next;
		if (!queue->replies)
			queue->replies_end = &queue->replies;
		command->next = NULL;
		return command;
	}
	if (queue->n == 0)
		return NULL;
	command = queue->ring[queue->first];
	queue->first = (queue->first + 1) % SHK_QUEUE_MAX;
	queue->n--;
	return command;
}

void shk_queue_fini(struct shk_queue *queue)
{
	struct shk_command *left = take_one(queue);

	for (; left; left = take_one(queue))
		shk_command_free(left);
	free(queue->ring);
	(void)pthread_cond_destroy(&queue->filled); /* nobody waits any more */
	(void)pthread_mutex_destroy(&queue->lock);
}

enum shk_queue_result shk_queue_put(struct shk_queue *queue, struct shk_command *command)
{
	size_t max = command->kind == SHK_COMMAND_FACTS ? SHK_QUEUE_FACTS : SHK_QUEUE_MAX;
	enum shk_queue_result result = SHK_QUEUE_TAKEN;

	shk_lock(&queue->lock);
	if (queue->is_stopping)
		result = SHK_QUEUE_IS_STOPPING;
	else if (queue->n >= max)
		result = SHK_QUEUE_IS_FULL;
	if (result == SHK_QUEUE_TAKEN) {
		queue->ring[(queue->first + queue->n) % SHK_QUEUE_MAX] = command;
		queue->n++;
		(void)pthread_cond_signal(&queue->filled); /* can't fail on a valid one */
	}
	shk_unlock(&queue->lock);
	return result;
}

void shk_queue_reply(struct shk_queue *queue, struct shk_command *command)
{
	shk_lock(&queue->lock);
	command->next = NULL;
	*queue->replies_end = command;
	queue->replies_end = &command->next;
	(void)pthread_cond_signal(&queue->filled); /* can't fail on a valid one */
	shk_unlock(&queue->lock);
}

void shk_queue_stop(struct shk_queue *queue)
{
	shk_lock(&queue->lock);
	queue->is_stopping = true;
	(void)pthread_cond_signal(&queue->filled); /* can't fail on a valid one */
	shk_unlock(&queue->lock);
}

static struct timespec deadline_after(int64_t ms)
{
	struct timespec at;

	if (clock_gettime(CLOCK_MONOTONIC, &at) != 0)
		abort();
	at.tv_sec += (time_t)(ms / 1000);
	at.tv_nsec += (long)(ms % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

size_t shk_queue_take(struct shk_queue *queue, struct shk_command **batch, size_t max,
		      int64_t wait_ms, bool *ret_over)
{
	struct timespec deadline = deadline_after(wait_ms);
	struct shk_command *command;
	size_t n = 0;
	int waited = 0;

	shk_lock(&queue->lock);
	while (queue->n == 0 && !queue->replies && !queue->is_stopping && wait_ms > 0 &&
	       waited != ETIMEDOUT)
		waited = pthread_cond_timedwait(&queue->filled, &queue->lock, &deadline);
	for (command = NULL; n < max; n++) {
		command = take_one(queue);
		if (!command)
			break;
		batch[n] = command;
	}
	*ret_over = queue->is_stopping && n == 0;
	shk_unlock(&queue->lock);
	return n;
}
