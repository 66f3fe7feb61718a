#include "queue.h"

#define MOST        4096
#define MOST_EVENTS 512

#define LANES (sizeof((struct queue *)0)->lanes / sizeof(struct lane))

static size_t lane_of(enum shk_kube_verb verb)
{
	return verb > SHK_KUBE_NOTHING && verb < LANES ? verb : SHK_KUBE_NOTHING;
}

static size_t *count_of(struct queue *queue, size_t lane)
{
	return lane == SHK_KUBE_EVENT ? &queue->n_events : &queue->n;
}

void queue_init(struct queue *queue)
{
	*queue = (struct queue){.n = 0};
	(void)pthread_mutex_init(&queue->lock, NULL);
}

void queue_fini(struct queue *queue)
{
	for (size_t i = 0; i < LANES; i++) {
		for (struct request *at = queue->lanes[i].head; at;) {
			struct request *next = at->next;

			request_free(at);
			at = next;
		}
	}
	(void)pthread_mutex_destroy(&queue->lock);
}

/* A touch whose reply somebody waits for decides about a Binding: it doesn't stand behind those
 * that only wake pods. */
static enum shk_kube_verb lane_verb(const struct shk_kube_request *ask)
{
	bool decides = ask->verb == SHK_KUBE_TOUCH_POD && ask->id != 0;

	return decides ? SHK_KUBE_GET_POD : ask->verb;
}

static bool append(struct queue *queue, struct request *request)
{
	size_t number = lane_of(lane_verb(&request->ask));
	size_t *count = count_of(queue, number);
	struct lane *lane = &queue->lanes[number];

	if (*count >= (number == SHK_KUBE_EVENT ? MOST_EVENTS : MOST))
		return false;
	request->next = NULL;
	if (lane->tail)
		lane->tail->next = request;
	else
		lane->head = request;
	lane->tail = request;
	(*count)++;
	return true;
}

bool queue_push(struct queue *queue, struct request *request)
{
	bool has_room;

	(void)pthread_mutex_lock(&queue->lock);
	has_room = append(queue, request);
	(void)pthread_mutex_unlock(&queue->lock);
	return has_room;
}

bool queue_has(struct queue *queue, enum shk_kube_verb verb)
{
	bool has;

	(void)pthread_mutex_lock(&queue->lock);
	has = queue->lanes[lane_of(verb)].head;
	(void)pthread_mutex_unlock(&queue->lock);
	return has;
}

/* before: the one in front of the request, or NULL. */
static struct request *take(struct queue *queue, size_t number, struct request *before)
{
	struct lane *lane = &queue->lanes[number];
	struct request *request = before ? before->next : lane->head;

	if (before)
		before->next = request->next;
	else
		lane->head = request->next;
	if (lane->tail == request)
		lane->tail = before;
	(*count_of(queue, number))--;
	request->next = NULL;
	return request;
}

struct request *queue_pop(struct queue *queue, enum shk_kube_verb verb)
{
	size_t number = lane_of(verb);
	struct request *request = NULL;

	(void)pthread_mutex_lock(&queue->lock);
	if (queue->lanes[number].head)
		request = take(queue, number, NULL);
	(void)pthread_mutex_unlock(&queue->lock);
	return request;
}

static struct request *take_late(struct queue *queue, size_t number, int64_t now_ms)
{
	struct request *before = NULL;

	for (struct request *at = queue->lanes[number].head; at; at = at->next) {
		if (at->ask.deadline_ms <= now_ms)
			return take(queue, number, before);
		before = at;
	}
	return NULL;
}

struct request *queue_pop_late(struct queue *queue, int64_t now_ms)
{
	struct request *late = NULL;

	(void)pthread_mutex_lock(&queue->lock);
	for (size_t i = 0; i < LANES && !late; i++)
		late = take_late(queue, i, now_ms);
	(void)pthread_mutex_unlock(&queue->lock);
	return late;
}

int64_t queue_first_deadline_ms(struct queue *queue)
{
	int64_t first = INT64_MAX;

	(void)pthread_mutex_lock(&queue->lock);
	for (size_t i = 0; i < LANES; i++) {
		for (const struct request *at = queue->lanes[i].head; at; at = at->next)
			first = at->ask.deadline_ms < first ? at->ask.deadline_ms : first;
	}
	(void)pthread_mutex_unlock(&queue->lock);
	return first;
}
