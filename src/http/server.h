/* server.h - one listener: a libmicrohttpd daemon and what it needs around it.
 *
 * The life of a request: the request line is read (an exchange is taken from the spares), the
 * header is complete (admit.h), the body is complete (the route's handler), the reply is queued,
 * the library is done with it (one line in the log, back among the spares). A handler that waits
 * for the state thread leaves the connection suspended in between. */
#ifndef SHIKIRI_SRC_HTTP_SERVER_H
#define SHIKIRI_SRC_HTTP_SERVER_H

#include <stdatomic.h>

#include "exchange.h"
#include "spares.h"
#include "sweeper.h"
#include "waiting.h"

struct MHD_Daemon;

struct shk_server_options {
	enum shk_listener listener;
	int fd;              /* listening; the server takes it */
	struct shk_tls *tls; /* NULL: plain HTTP; outlives the server */
	struct shk_service *service;
	unsigned connections;
	unsigned per_address;
	size_t max_body; /* of the verbs */
	size_t budget;   /* bytes of all bodies on their way together */
};

struct shk_server {
	struct shk_server_options options;
	struct MHD_Daemon *daemon;
	struct shk_gate *gate;
	struct shk_conns conns;
	struct shk_spares spares;
	_Atomic size_t reserved; /* of the budget */
	_Atomic size_t n_active; /* requests between header and the end of the reply */
	_Atomic bool is_stopping;
};

enum shk_status shk_server_start(const struct shk_server_options *options,
				 struct shk_server **ret_server,
				 struct shk_error *err) SHK_MUST_CHECK;
/* No new connections; replies say "Connection: close" from now on. Accepts NULL. */
void shk_server_quiesce(struct shk_server *server);
/* Accepts NULL. */
size_t shk_server_active(const struct shk_server *server);
/* Wakes whoever still waits for the service; they are answered that the daemon stops. */
void shk_server_abandon(struct shk_server *server);
/* Closes everything that is left. Accepts NULL. */
void shk_server_stop(struct shk_server *server);

struct shk_gate *shk_server_gate(struct shk_server *server);
const char *shk_listener_name(enum shk_listener listener);

#endif
