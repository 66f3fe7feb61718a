#include "spares.h"

#include <stdlib.h>

#include "exchange.h"

#define MOST_KEPT    16
#define LARGEST_KEPT ((size_t)1 << 20) /* of each of arena, body and reply */
#define FIRST_ARENA  ((size_t)16 << 10)

void shk_spares_init(struct shk_spares *spares)
{
	*spares = (struct shk_spares){0};
	if (pthread_mutex_init(&spares->lock, NULL) != 0)
		abort();
}

static void exchange_free(struct shk_exchange *x)
{
	shk_arena_fini(&x->arena);
	shk_buf_fini(&x->body);
	shk_buf_fini(&x->reply.body);
	free(x);
}

void shk_spares_fini(struct shk_spares *spares)
{
	while (spares->head) {
		struct shk_exchange *x = spares->head;

		spares->head = x->next;
		exchange_free(x);
	}
	(void)pthread_mutex_destroy(&spares->lock);
}

static struct shk_exchange *exchange_new(void)
{
	struct shk_exchange *x = calloc(1, sizeof *x);

	if (!x)
		abort();
	shk_arena_init(&x->arena, FIRST_ARENA);
	return x;
}

struct shk_exchange *shk_spares_take(struct shk_spares *spares)
{
	struct shk_exchange *x;

	(void)pthread_mutex_lock(&spares->lock);
	x = spares->head;
	if (x) {
		spares->head = x->next;
		spares->n--;
	}
	(void)pthread_mutex_unlock(&spares->lock);
	if (!x)
		x = exchange_new();
	x->next = NULL;
	x->holders = 1;
	return x;
}

static void buf_recycle(struct shk_buf *buf)
{
	if (buf->cap > LARGEST_KEPT)
		shk_buf_fini(buf);
	else
		shk_buf_clear(buf);
}

/* Everything is forgotten but the memory. */
static void exchange_recycle(struct shk_exchange *x)
{
	struct shk_arena arena = x->arena;
	struct shk_buf body = x->body;
	struct shk_buf reply = x->reply.body;

	if (arena.used > LARGEST_KEPT)
		shk_arena_fini(&arena);
	else
		shk_arena_reset(&arena);
	buf_recycle(&body);
	buf_recycle(&reply);
	*x = (struct shk_exchange){.arena = arena, .body = body, .reply.body = reply};
}

void shk_spares_drop(struct shk_spares *spares, struct shk_exchange *x)
{
	if (--x->holders > 0)
		return;
	exchange_recycle(x);

	(void)pthread_mutex_lock(&spares->lock);
	if (spares->n < MOST_KEPT) {
		x->next = spares->head;
		spares->head = x;
		spares->n++;
		x = NULL;
	}
	(void)pthread_mutex_unlock(&spares->lock);
	if (x)
		exchange_free(x);
}
