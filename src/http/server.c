#include "server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "admit.h"
#include "respond.h"
#include "router.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/hash.h"
#include "shikiri/base/log.h"
#include "shikiri/base/metrics.h"
#include "tls.h"

#define THREADS           2
#define CONNECTION_MEMORY ((size_t)32 << 10)
#define IDLE_TIMEOUT_S    120
/* A refused body that is no longer than this is read, so that the connection can go on. */
#define MOST_DISCARDED ((uint64_t)64 << 10)

static const char *const listener_names[] = {[SHK_LISTENER_UNSET] = "",
					     [SHK_LISTENER_EXTENDER] = "extender",
					     [SHK_LISTENER_ADMIN] = "admin"};

const char *shk_listener_name(enum shk_listener listener)
{
	return listener_names[listener];
}

struct shk_gate *shk_server_gate(struct shk_server *server)
{
	return server->gate;
}

/* --- connections --- */

static void print_peer(const struct sockaddr *address, char *buf, size_t size)
{
	const void *raw = NULL;

	buf[0] = '\0';
	if (address && address->sa_family == AF_INET)
		raw = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
	else if (address && address->sa_family == AF_INET6)
		raw = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
	if (raw)
		(void)inet_ntop(address->sa_family, raw, buf, (socklen_t)size);
}

static void secure(struct shk_server *server, struct shk_conn *conn,
		   struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	if (!server->options.tls)
		return;
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	if (info && info->tls_session)
		shk_tls_begin(server->options.tls, &conn->tls, conn->peer, info->tls_session);
}

/* The handshake has refused whom it should; this is for the day when it didn't. */
static bool is_admitted(const struct shk_exchange *x)
{
	return !x->server->options.tls || (x->conn && x->conn->tls.is_admitted);
}

static void connection_opened(struct shk_server *server, struct MHD_Connection *connection,
			      void **socket_context)
{
	const union MHD_ConnectionInfo *fd =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	const union MHD_ConnectionInfo *address =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	char peer[INET6_ADDRSTRLEN];

	if (!fd)
		return;
	print_peer(address ? address->client_addr : NULL, peer, sizeof peer);

	struct shk_conn *conn = shk_conns_add(&server->conns, fd->connect_fd, peer);

	*socket_context = conn;
	secure(server, conn, connection);
}

/* The library tells before it closes the descriptor. */
static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct shk_server *server = context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		connection_opened(server, connection, socket_context);
		return;
	}
	if (*socket_context)
		shk_tls_end(&((struct shk_conn *)*socket_context)->tls);
	shk_conns_remove(&server->conns, *socket_context);
	*socket_context = NULL;
}

/* --- requests --- */

/* The request line was read. What is returned becomes the request's context. */
static void *on_request_line(void *context, const char *uri, struct MHD_Connection *connection)
{
	struct shk_server *server = context;
	struct shk_exchange *x = shk_spares_take(&server->spares);
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	x->server = server;
	x->service = server->options.service;
	x->connection = connection;
	x->conn = info ? info->socket_context : NULL;
	x->peer = x->conn ? x->conn->peer : "";
	x->head.uri = shk_arena_strdup(&x->arena, uri ? uri : "");
	x->head.method = "";
	x->uri_end = uri ? uri + strlen(uri) : NULL;
	x->path = x->head.uri;
	shk_conn_await(x->conn, SHK_CONN_HEAD);
	return x;
}

/* The library cuts the head into strings where it was received. It overlooks NULs, and it glues
 * the second line of a folded header to the header's name ("A: 1", " 2" becomes "A2: 1"), which
 * then is a copy elsewhere. Both show when each string is held against where it has to start. */
struct collector {
	struct shk_header *headers;
	size_t n;
	size_t room;
	const char *end; /* of the last string */
	bool is_torn;
};

static size_t distance(const char *from, const char *to)
{
	return (uintptr_t)to >= (uintptr_t)from ? (uintptr_t)to - (uintptr_t)from : SIZE_MAX;
}

/* The end of a line is one or two bytes that have become NULs. */
static bool starts_next_line(const char *end, const char *start)
{
	return distance(end, start) == 1 || distance(end, start) == 2;
}

/* Only a colon, now a NUL, and blanks stand between a name and its value. */
static bool is_value_of(const char *name, const char *value)
{
	const char *after = name + strlen(name) + 1;

	return distance(after, value) != SIZE_MAX && strspn(after, " \t") == distance(after, value);
}

static enum MHD_Result collect_header(void *context, enum MHD_ValueKind kind, const char *name,
				      const char *value)
{
	struct collector *collector = context;

	(void)kind; /* one kind was asked for */
	assert(collector->n < collector->room);
	if (!name || !value || !starts_next_line(collector->end, name) ||
	    !is_value_of(name, value)) {
		collector->is_torn = true;
		return MHD_NO;
	}
	collector->headers[collector->n++] = (struct shk_header){.name = name, .value = value};
	collector->end = value + strlen(value);
	return MHD_YES;
}

/* Nothing but an empty line follows the last header: two to four bytes, all NULs by now. */
static bool ends_here(const struct shk_exchange *x, const char *method, const char *end)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	size_t rest = info ? distance(end, method + info->header_size) : 0;

	return rest >= 2 && rest <= 4 && memcmp(end, "\0\0\0\0", rest) == 0;
}

/* The library's strings live as long as the request. */
static void read_head(struct shk_exchange *x, const char *method, const char *version)
{
	int n = MHD_get_connection_values(x->connection, MHD_HEADER_KIND, NULL, NULL);
	struct collector collector = {
	    .room = n > 0 ? (size_t)n : 0,
	    .end = version + strlen(version),
	};

	collector.headers = SHK_NEW_ARRAY(&x->arena, collector.room, struct shk_header);
	(void)MHD_get_connection_values(x->connection, MHD_HEADER_KIND, collect_header, &collector);
	x->head.method = shk_arena_strdup(&x->arena, method);
	x->head.version = version;
	x->head.headers = collector.headers;
	x->head.n_headers = collector.n;
	x->head.is_torn = collector.is_torn || distance(x->uri_end, version) != 1 ||
			  !ends_here(x, method, collector.end);
}

static void make_request_id(struct shk_exchange *x)
{
	const char *given = shk_exchange_header(x, "X-Request-Id");
	uint8_t random[12] = {0};

	if (given && shk_guard_is_request_id(given)) {
		(void)snprintf(x->request_id, sizeof x->request_id, "%s", given);
		return;
	}
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		abort(); /* such a small read neither blocks nor fails after boot */
	shk_hex(random, sizeof random, x->request_id);
}

/* A refusal before the body: the library closes the connection after a reply that comes now, so
 * where the connection may go on, the reply waits until the body has passed. */
static enum MHD_Result send_refusal(struct shk_exchange *x)
{
	if (x->reply.close || x->length > MOST_DISCARDED || shk_exchange_header(x, "Expect"))
		return shk_respond(x);
	x->stage = SHK_STAGE_REFUSED;
	return MHD_YES;
}

static enum MHD_Result begin(struct shk_exchange *x, const char *method, const char *version)
{
	x->started_us = shk_clock_boot_us();
	x->is_active = true;
	x->is_stopping = atomic_load(&x->server->is_stopping);
	atomic_fetch_add(&x->server->n_active, 1);
	read_head(x, method, version);
	make_request_id(x);

	bool is_taken = shk_admit(x);

	shk_conn_await(x->conn, x->length > 0 ? SHK_CONN_BODY : SHK_CONN_WORKING);
	if (!is_taken)
		return send_refusal(x);
	shk_buf_reserve(&x->body, (size_t)x->length + 1);
	x->stage = SHK_STAGE_BODY;
	return MHD_YES;
}

/* The body is complete. */
static enum MHD_Result dispatch(struct shk_exchange *x)
{
	shk_conn_await(x->conn, SHK_CONN_WORKING);
	x->ready_us = shk_clock_boot_us();
	x->route->handle(x);
	return x->stage == SHK_STAGE_WAITING ? MHD_YES : shk_respond(x);
}

static enum MHD_Result take_body(struct shk_exchange *x, const char *data, size_t *size)
{
	if (x->stage == SHK_STAGE_BODY && x->body.len + *size > x->length)
		return MHD_NO;
	if (x->stage == SHK_STAGE_BODY)
		shk_buf_add(&x->body, data, *size);
	*size = 0;
	return MHD_YES;
}

static enum MHD_Result answered(struct shk_exchange *x)
{
	x->finish(x, shk_waiting_collect(x->waiting));
	return shk_respond(x);
}

/* The library decides what is passed. NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **request_context)
{
	struct shk_exchange *x = *request_context;

	(void)context;
	(void)connection;
	(void)url; /* decoded by the library, and cut at %00: ours is the raw one */
	if (!x)
		return MHD_NO;
	if (*size > 0)
		return take_body(x, data, size);
	switch (x->stage) {
	case SHK_STAGE_NEW:
		return is_admitted(x) ? begin(x, method, version) : MHD_NO;
	case SHK_STAGE_BODY:
		return dispatch(x);
	case SHK_STAGE_REFUSED:
		return shk_respond(x);
	case SHK_STAGE_WAITING:
		return answered(x);
	case SHK_STAGE_ANSWERED:
		break;
	}
	return MHD_NO;
}

/* --- the end of a request --- */

static void on_completed(void *context, struct MHD_Connection *connection, void **request_context,
			 enum MHD_RequestTerminationCode how)
{
	struct shk_server *server = context;
	struct shk_exchange *x = *request_context;

	(void)connection;
	if (!x)
		return;
	*request_context = NULL;
	shk_log_request(x, how == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	shk_conn_await(x->conn, SHK_CONN_IDLE);
	shk_admit_release(x);
	shk_waiting_unref(x->waiting);
	x->waiting = NULL;
	if (x->is_active)
		atomic_fetch_sub(&server->n_active, 1);
	else
		shk_count_refusal(x);
	shk_spares_drop(&server->spares, x);
}

/* --- life cycle --- */

__attribute__((format(printf, 2, 0))) static void on_library_log(void *context, const char *fmt,
								 va_list args)
{
	char text[256];

	(void)context;
	if (!shk_log_enabled(SHK_LOG_DEBUG))
		return;
	(void)vsnprintf(text, sizeof text, fmt, args);
	text[strcspn(text, "\n")] = '\0';
	shk_log(SHK_LOG_DEBUG, "http library", "text", text, NULL);
}

/* Strictness stays at its default: at level 1 the library itself refuses requests without Host,
 * with two status lines (measured, as for a malformed Content-Length). Our guard is stricter and
 * answers once. */
/* Connections that come while we stop. MHD_quiesce_daemon is for that, but takes the listening
 * socket out of a worker's epoll set while the worker may be doing the same, and whoever comes
 * second aborts the process (0.9.75, seen once in some ten thousand stops). */
static enum MHD_Result on_accept(void *context, const struct sockaddr *address, socklen_t len)
{
	const struct shk_server *server = context;

	(void)address;
	(void)len;
	return atomic_load(&server->is_stopping) ? MHD_NO : MHD_YES;
}

static struct MHD_Daemon *start_daemon(struct shk_server *server)
{
	const struct shk_server_options *options = &server->options;
	const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			       MHD_USE_ITC | MHD_USE_ERROR_LOG;
	char priorities[] = SHK_TLS_PRIORITIES; /* read at once */
	struct MHD_OptionItem tls[] = {
	    {MHD_OPTION_HTTPS_PRIORITIES, 0, priorities},
	    {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)shk_tls_no_certificate},
	    {MHD_OPTION_END, 0, NULL},
	};

	return MHD_start_daemon(
	    options->tls ? flags | MHD_USE_TLS : flags, 0, on_accept, server, on_request, server,
	    MHD_OPTION_EXTERNAL_LOGGER, on_library_log, NULL, MHD_OPTION_ARRAY,
	    options->tls ? tls : &tls[2], MHD_OPTION_LISTEN_SOCKET, options->fd,
	    MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
	    options->connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->per_address,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
	    (unsigned)IDLE_TIMEOUT_S, MHD_OPTION_URI_LOG_CALLBACK, on_request_line, server,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_NOTIFY_COMPLETED,
	    on_completed, server, MHD_OPTION_END);
}

static void server_free(struct shk_server *server)
{
	shk_gate_unref(server->gate);
	shk_spares_fini(&server->spares);
	shk_conns_fini(&server->conns);
	if (server->options.fd >= 0)
		(void)close(server->options.fd);
	free(server);
}

enum shk_status shk_server_start(const struct shk_server_options *options,
				 struct shk_server **ret_server, struct shk_error *err)
{
	struct shk_server *server = calloc(1, sizeof *server);

	if (!server)
		abort();
	server->options = *options;
	server->gate = shk_gate_new();
	shk_conns_init(&server->conns);
	shk_spares_init(&server->spares);
	server->daemon = start_daemon(server);
	if (!server->daemon) {
		int error = errno;

		server->options.fd = -1; /* some failures close it, others don't: we end anyway */
		server_free(server);
		/* glibc's strerror has a buffer for each thread.
		 * NOLINTNEXTLINE(concurrency-mt-unsafe) */
		const char *why = strerror(error);

		return shk_error_set(err, SHK_E_IO, "can't start the %s listener: %s",
				     shk_listener_name(options->listener), why);
	}
	*ret_server = server;
	return SHK_OK;
}

void shk_server_quiesce(struct shk_server *server)
{
	if (!server)
		return;
	atomic_store(&server->is_stopping, true); /* on_accept turns the next ones away */
}

size_t shk_server_active(const struct shk_server *server)
{
	return server ? atomic_load(&server->n_active) : 0;
}

void shk_server_abandon(struct shk_server *server)
{
	if (server)
		shk_gate_close(server->gate);
}

void shk_server_stop(struct shk_server *server)
{
	if (!server)
		return;
	shk_gate_close(server->gate); /* the library panics on what is suspended */
	MHD_stop_daemon(server->daemon);
	server->options.fd = -1; /* closed by the library */
	server_free(server);
}
