/* server.h - an HTTP server that answers as a script says, on loopback, plain or with TLS. */
#ifndef SHIKIRI_TEST_KUBE_SERVER_H
#define SHIKIRI_TEST_KUBE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

enum server_then {
	THEN_KEEP,  /* the connection, for another request */
	THEN_CLOSE, /* it */
	THEN_HANG,  /* until it is closed from elsewhere */
};

/* What is done with one request. The last step of a script stands for all that follow. */
struct server_step {
	const char *answer; /* bytes; NULL: none */
	enum server_then then;
	unsigned pause_us; /* before each byte of the answer */
};

struct server; /* opaque */

/* tls: what gnutls_credentials_set takes, or NULL for plain HTTP. */
struct server *server_start(const struct server_step *steps, size_t n, void *tls);
void server_stop(struct server *server);
unsigned server_port(const struct server *server);

/* Both stay valid until the server is stopped. i-th request as it came: head and body; aborts
 * when none comes within a while. */
const char *server_request(struct server *server, size_t i);
size_t server_requests(struct server *server);
size_t server_connections(struct server *server);

#endif
