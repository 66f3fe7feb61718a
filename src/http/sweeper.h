/* sweeper.h - the connections of a listener, and the thread that cuts those that dawdle.
 *
 * The library's timeout counts from the last byte, so that one byte every half second keeps a
 * connection open for ever. Here a connection states what it waits for, and is shut down when
 * that doesn't come in time. */
#ifndef SHIKIRI_SRC_HTTP_SWEEPER_H
#define SHIKIRI_SRC_HTTP_SWEEPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/error.h"
#include "tls.h"

enum shk_phase_of_conn {
	SHK_CONN_WORKING = 0, /* we are at it: no deadline */
	SHK_CONN_HEAD,        /* 10 s for a complete header */
	SHK_CONN_BODY,        /* 10 s for a complete body */
	SHK_CONN_REPLY,       /* 120 s to read our answer */
	SHK_CONN_IDLE,        /* 120 s until the next request */
};

/* Belongs to its list from _add to _remove; both under the list's lock, which is also held while
 * the sweeper shuts a descriptor down: a removed one may be somebody else's already. */
struct shk_conn {
	struct shk_conn *prev;
	struct shk_conn *next;
	int fd;
	bool is_cut;
	unsigned n_gone; /* sweeps in a row that found the peer gone, with nothing left to read */
	_Atomic int64_t until; /* deadline_ms * 8 + phase; written by the connection's thread */
	char peer[48];
	struct shk_tls_part tls; /* zeroed on a plain listener */
};

struct shk_conns {
	pthread_mutex_t lock;
	struct shk_conn *head;
	size_t n;
};

void shk_conns_init(struct shk_conns *conns);
void shk_conns_fini(struct shk_conns *conns); /* every connection was removed */
struct shk_conn *shk_conns_add(struct shk_conns *conns, int fd, const char *peer);
/* Frees conn. Accepts NULL. */
void shk_conns_remove(struct shk_conns *conns, struct shk_conn *conn);
size_t shk_conns_count(struct shk_conns *conns);
/* The connection's clock starts for this phase. Any thread. Accepts NULL. */
void shk_conn_await(struct shk_conn *conn, enum shk_phase_of_conn phase);

/* Shuts down what is late at now_ms, and returns how many; also whose peer is gone. */
size_t shk_conns_sweep(struct shk_conns *conns, int64_t now_ms);

struct shk_sweeper; /* opaque: the thread */

enum shk_status shk_sweeper_start(struct shk_conns *const *conns, size_t n,
				  struct shk_sweeper **ret_sweeper,
				  struct shk_error *err) SHK_MUST_CHECK;
void shk_sweeper_stop(struct shk_sweeper *sweeper); /* accepts NULL */

#endif
