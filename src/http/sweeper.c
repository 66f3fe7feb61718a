#include "sweeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "guard.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/metrics.h"

#define INTERVAL_MS 250
#define PHASES      8 /* room for the phase beside the deadline */
#define MOST_LISTS  2
#define NO_DEADLINE 0
#define GONE_SWEEPS 4 /* in a row: what the library has read already is answered long since */

static const int64_t allowed_ms[] = {
    [SHK_CONN_WORKING] = NO_DEADLINE, [SHK_CONN_HEAD] = 10000,  [SHK_CONN_BODY] = 10000,
    [SHK_CONN_REPLY] = 120000,        [SHK_CONN_IDLE] = 120000,
};

struct shk_sweeper {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool is_stopping;
	struct shk_conns *conns[MOST_LISTS];
	size_t n;
};

void shk_conns_init(struct shk_conns *conns)
{
	*conns = (struct shk_conns){0};
	if (pthread_mutex_init(&conns->lock, NULL) != 0)
		abort();
}

void shk_conns_fini(struct shk_conns *conns)
{
	(void)pthread_mutex_destroy(&conns->lock); /* fails only while held */
}

struct shk_conn *shk_conns_add(struct shk_conns *conns, int fd, const char *peer)
{
	struct shk_conn *conn = calloc(1, sizeof *conn);

	if (!conn)
		abort();
	conn->fd = fd;
	(void)snprintf(conn->peer, sizeof conn->peer, "%s", peer);
	shk_conn_await(conn, SHK_CONN_HEAD);

	(void)pthread_mutex_lock(&conns->lock);
	conn->next = conns->head;
	if (conns->head)
		conns->head->prev = conn;
	conns->head = conn;
	conns->n++;
	(void)pthread_mutex_unlock(&conns->lock);
	return conn;
}

void shk_conns_remove(struct shk_conns *conns, struct shk_conn *conn)
{
	if (!conn)
		return;
	(void)pthread_mutex_lock(&conns->lock);
	if (conn->prev)
		conn->prev->next = conn->next;
	else
		conns->head = conn->next;
	if (conn->next)
		conn->next->prev = conn->prev;
	conns->n--;
	(void)pthread_mutex_unlock(&conns->lock);
	free(conn);
}

size_t shk_conns_count(struct shk_conns *conns)
{
	size_t n;

	(void)pthread_mutex_lock(&conns->lock);
	n = conns->n;
	(void)pthread_mutex_unlock(&conns->lock);
	return n;
}

void shk_conn_await(struct shk_conn *conn, enum shk_phase_of_conn phase)
{
	int64_t until = NO_DEADLINE;

	if (!conn)
		return;
	if (allowed_ms[phase] != NO_DEADLINE)
		until = (shk_clock_boot_ms() + allowed_ms[phase]) * PHASES + (int64_t)phase;
	atomic_store_explicit(&conn->until, until, memory_order_relaxed);
}

/* The library misses a peer that closes in the packet of its last bytes, and would keep its place
 * until the deadline. */
static bool is_gone(struct shk_conn *conn)
{
	char byte;

	if (recv(conn->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
		conn->n_gone = 0;
	else
		conn->n_gone++;
	return conn->n_gone >= GONE_SWEEPS;
}

static void cut(struct shk_conn *conn)
{
	conn->is_cut = true;
	(void)shutdown(conn->fd, SHUT_RDWR); /* gone already: just as well */
}

size_t shk_conns_sweep(struct shk_conns *conns, int64_t now_ms)
{
	size_t n = 0;

	(void)pthread_mutex_lock(&conns->lock);
	for (struct shk_conn *conn = conns->head; conn; conn = conn->next) {
		int64_t until = atomic_load_explicit(&conn->until, memory_order_relaxed);
		bool is_late = until / PHASES <= now_ms;

		if (until == NO_DEADLINE || conn->is_cut)
			continue;
		if (is_late && until % PHASES != SHK_CONN_IDLE) {
			shk_metric_count(SHK_C_HTTP_REJECTED, SHK_REJECTED_DEADLINE);
			n++;
		}
		if (is_late || (until % PHASES != SHK_CONN_REPLY && is_gone(conn)))
			cut(conn);
	}
	(void)pthread_mutex_unlock(&conns->lock);
	return n;
}

static struct timespec next_tick(void)
{
	struct timespec at = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &at); /* can't fail for this clock */
	at.tv_nsec += INTERVAL_MS * 1000000L;
	if (at.tv_nsec >= 1000000000L) {
		at.tv_nsec -= 1000000000L;
		at.tv_sec++;
	}
	return at;
}

static void *run(void *context)
{
	struct shk_sweeper *sweeper = context;

	(void)pthread_mutex_lock(&sweeper->lock);
	while (!sweeper->is_stopping) {
		struct timespec at = next_tick();

		(void)pthread_cond_timedwait(&sweeper->wake, &sweeper->lock, &at);
		for (size_t i = 0; i < sweeper->n; i++)
			(void)shk_conns_sweep(sweeper->conns[i], shk_clock_boot_ms());
	}
	(void)pthread_mutex_unlock(&sweeper->lock);
	return NULL;
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	if (pthread_condattr_init(&attributes) != 0 ||
	    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) != 0 ||
	    pthread_cond_init(condition, &attributes) != 0)
		abort();
	(void)pthread_condattr_destroy(&attributes);
}

static void sweeper_free(struct shk_sweeper *sweeper)
{
	(void)pthread_cond_destroy(&sweeper->wake);
	(void)pthread_mutex_destroy(&sweeper->lock);
	free(sweeper);
}

enum shk_status shk_sweeper_start(struct shk_conns *const *conns, size_t n,
				  struct shk_sweeper **ret_sweeper, struct shk_error *err)
{
	struct shk_sweeper *sweeper = calloc(1, sizeof *sweeper);

	if (!sweeper || n > MOST_LISTS)
		abort();
	for (size_t i = 0; i < n; i++)
		sweeper->conns[i] = conns[i];
	sweeper->n = n;
	if (pthread_mutex_init(&sweeper->lock, NULL) != 0)
		abort();
	init_condition(&sweeper->wake);

	int error = pthread_create(&sweeper->thread, NULL, run, sweeper);

	if (error != 0) {
		sweeper_free(sweeper);
		return shk_error_set(err, SHK_E_IO, "can't start a thread (error %d)", error);
	}
	*ret_sweeper = sweeper;
	return SHK_OK;
}

void shk_sweeper_stop(struct shk_sweeper *sweeper)
{
	if (!sweeper)
		return;
	(void)pthread_mutex_lock(&sweeper->lock);
	sweeper->is_stopping = true;
	(void)pthread_cond_signal(&sweeper->wake);
	(void)pthread_mutex_unlock(&sweeper->lock);
	(void)pthread_join(sweeper->thread, NULL);
	sweeper_free(sweeper);
}
