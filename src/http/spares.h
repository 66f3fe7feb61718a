/* spares.h - used exchanges with their memory, kept for the next requests. Any thread. */
#ifndef SHIKIRI_SRC_HTTP_SPARES_H
#define SHIKIRI_SRC_HTTP_SPARES_H

#include <pthread.h>
#include <stddef.h>

struct shk_exchange;

struct shk_spares {
	pthread_mutex_t lock;
	struct shk_exchange *head;
	size_t n;
};

void shk_spares_init(struct shk_spares *spares);
void shk_spares_fini(struct shk_spares *spares);
/* Empty, with one holder. */
struct shk_exchange *shk_spares_take(struct shk_spares *spares);
/* One holder less; the last one gives the exchange back. Both holders are on one thread. */
void shk_spares_drop(struct shk_spares *spares, struct shk_exchange *x);

#endif
