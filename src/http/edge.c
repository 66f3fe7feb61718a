#include "shikiri/http/edge.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "server.h"
#include "shikiri/base/clock.h"
#include "tls.h"

#define BACKLOG 4096

#define EXTENDER_CONNECTIONS 2048
#define EXTENDER_PER_ADDRESS 1024
#define EXTENDER_BODIES      4 /* of the largest size at the same time */
#define ADMIN_CONNECTIONS    256
#define ADMIN_PER_ADDRESS    64
#define ADMIN_BUDGET         ((size_t)64 << 20)

#define LONGEST_URL 300

struct shk_edge {
	struct shk_server *extender;
	struct shk_server *admin;
	struct shk_tls *extender_tls; /* NULL: plain HTTP */
	struct shk_tls *admin_tls;
	struct shk_sweeper *sweeper;
	char extender_url[LONGEST_URL];
	char admin_url[LONGEST_URL];
};

/* --- sockets --- */

static enum shk_status resolve(const char *host, uint16_t port, struct addrinfo **ret_list,
			       struct shk_error *err)
{
	const struct addrinfo hints = {
	    .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
	    .ai_family = AF_UNSPEC,
	    .ai_socktype = SOCK_STREAM,
	};
	char service[8];
	int error;

	(void)snprintf(service, sizeof service, "%u", (unsigned)port);
	error = getaddrinfo(host, service, &hints, ret_list);
	if (error != 0)
		return shk_error_set(err, SHK_E_CONFIG, "%s: %s", host, gai_strerror(error));
	return SHK_OK;
}

static enum shk_status listen_failed(const char *text, int fd, struct shk_error *err)
{
	int error = errno;

	if (fd >= 0)
		(void)close(fd);
	/* glibc's strerror has a buffer for each thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	const char *why = strerror(error);

	return shk_error_set(err, error == EACCES ? SHK_E_PERMISSION : SHK_E_IO,
			     "can't listen on %s: %s", text, why);
}

static enum shk_status listen_on(const struct addrinfo *address, const char *text, int *ret_fd,
				 struct shk_error *err)
{
	const int on = 1;
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
	    bind(fd, address->ai_addr, address->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0)
		return listen_failed(text, fd, err);
	*ret_fd = fd;
	return SHK_OK;
}

static uint16_t bound_port(int fd)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof address;

	if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)(const void *)&address)->sin6_port);
	return ntohs(((const struct sockaddr_in *)(const void *)&address)->sin_port);
}

/* A listening socket and its URL. */
static enum shk_status open_listener(const char *text, bool is_secure, char url[LONGEST_URL],
				     int *ret_fd, struct shk_error *err)
{
	struct shk_arena arena;
	struct addrinfo *list;
	enum shk_status status;
	const char *host;
	uint16_t port;

	shk_arena_init(&arena, 512);
	if (!shk_config_address(text, &arena, &host, &port)) {
		shk_arena_fini(&arena);
		return shk_error_set(err, SHK_E_CONFIG,
				     "\"%s\" is no address and port, as in 127.0.0.1:8443", text);
	}
	status = resolve(host, port, &list, err);
	if (status == SHK_OK) {
		status = listen_on(list, text, ret_fd, err);
		freeaddrinfo(list);
	}
	if (status == SHK_OK)
		(void)snprintf(url, LONGEST_URL, strchr(host, ':') ? "%s://[%s]:%u" : "%s://%s:%u",
			       is_secure ? "https" : "http", host, (unsigned)bound_port(*ret_fd));
	shk_arena_fini(&arena);
	return status;
}

/* --- TLS --- */

/* A listener's files; without a certificate it speaks plain HTTP. */
struct secrets {
	enum shk_listener listener;
	struct shk_certs_files files;
	const struct shk_texts *names;
};

static struct secrets extender_secrets(const struct shk_config *config)
{
	return (struct secrets){
	    .listener = SHK_LISTENER_EXTENDER,
	    .files = {config->tls_cert, config->tls_key, config->client_ca},
	    .names = &config->client_names,
	};
}

static struct secrets admin_secrets(const struct shk_config *config)
{
	static const struct shk_texts anybody = {0};

	return (struct secrets){
	    .listener = SHK_LISTENER_ADMIN,
	    .files = {config->admin_tls_cert, config->admin_tls_key, config->admin_client_ca},
	    .names = &anybody,
	};
}

static enum shk_status secure(struct secrets secrets, struct shk_tls **ret_tls,
			      struct shk_error *err)
{
	if (!secrets.files.cert)
		return SHK_OK;
	return shk_tls_new(secrets.listener, &secrets.files, secrets.names, ret_tls, err);
}

static enum shk_status check(struct secrets secrets, struct shk_error *err)
{
	struct shk_certs *certs;

	if (!secrets.files.cert)
		return SHK_OK;
	if (shk_certs_load(&secrets.files, &certs, err) != SHK_OK)
		return err->status;
	shk_certs_unref(certs);
	return SHK_OK;
}

enum shk_status shk_edge_check(const struct shk_config *config, struct shk_error *err)
{
	enum shk_status status = check(extender_secrets(config), err);

	return status != SHK_OK ? status : check(admin_secrets(config), err);
}

void shk_edge_reload(struct shk_edge *edge)
{
	shk_tls_reload(edge->extender_tls, true);
	shk_tls_reload(edge->admin_tls, true);
}

void shk_edge_refresh(struct shk_edge *edge)
{
	shk_tls_reload(edge->extender_tls, false);
	shk_tls_reload(edge->admin_tls, false);
}

/* --- life cycle --- */

static enum shk_status start_extender(struct shk_edge *edge, const struct shk_config *config,
				      struct shk_service *service, struct shk_error *err)
{
	struct shk_server_options options = {
	    .listener = SHK_LISTENER_EXTENDER,
	    .service = service,
	    .connections = EXTENDER_CONNECTIONS,
	    .per_address = EXTENDER_PER_ADDRESS,
	    .max_body = (size_t)config->max_body,
	    .budget = (size_t)config->max_body * EXTENDER_BODIES,
	};
	enum shk_status status = secure(extender_secrets(config), &edge->extender_tls, err);

	options.tls = edge->extender_tls;
	if (status == SHK_OK)
		status = open_listener(config->listen, options.tls != NULL, edge->extender_url,
				       &options.fd, err);
	return status != SHK_OK ? status : shk_server_start(&options, &edge->extender, err);
}

static enum shk_status start_admin(struct shk_edge *edge, const struct shk_config *config,
				   struct shk_service *service, struct shk_error *err)
{
	struct shk_server_options options = {
	    .listener = SHK_LISTENER_ADMIN,
	    .service = service,
	    .connections = ADMIN_CONNECTIONS,
	    .per_address = ADMIN_PER_ADDRESS,
	    .budget = ADMIN_BUDGET,
	};
	enum shk_status status = secure(admin_secrets(config), &edge->admin_tls, err);

	options.tls = edge->admin_tls;
	if (status == SHK_OK)
		status = open_listener(config->admin_listen, options.tls != NULL, edge->admin_url,
				       &options.fd, err);
	return status != SHK_OK ? status : shk_server_start(&options, &edge->admin, err);
}

static enum shk_status start_sweeper(struct shk_edge *edge, struct shk_error *err)
{
	struct shk_conns *const conns[] = {&edge->extender->conns, &edge->admin->conns};

	return shk_sweeper_start(conns, 2, &edge->sweeper, err);
}

static void edge_free(struct shk_edge *edge)
{
	shk_sweeper_stop(edge->sweeper);
	shk_server_stop(edge->extender);
	shk_server_stop(edge->admin);
	shk_tls_free(edge->extender_tls);
	shk_tls_free(edge->admin_tls);
	free(edge);
}

enum shk_status shk_edge_start(const struct shk_config *config, struct shk_service *service,
			       struct shk_edge **ret_edge, struct shk_error *err)
{
	struct shk_edge *edge = calloc(1, sizeof *edge);
	enum shk_status status;

	if (!edge)
		abort();
	status = start_extender(edge, config, service, err);
	if (status == SHK_OK)
		status = start_admin(edge, config, service, err);
	if (status == SHK_OK)
		status = start_sweeper(edge, err);
	if (status != SHK_OK) {
		edge_free(edge);
		return status;
	}
	*ret_edge = edge;
	return SHK_OK;
}

const char *shk_edge_extender_url(const struct shk_edge *edge)
{
	return edge->extender_url;
}

const char *shk_edge_admin_url(const struct shk_edge *edge)
{
	return edge->admin_url;
}

static void wait_for_quiet(const struct shk_edge *edge, int64_t at_most_ms)
{
	const struct timespec moment = {.tv_nsec = 5000000};
	int64_t end_ms = shk_clock_boot_ms() + at_most_ms;

	while (shk_server_active(edge->extender) + shk_server_active(edge->admin) > 0 &&
	       shk_clock_boot_ms() < end_ms)
		(void)nanosleep(&moment, NULL); /* woken early: asks again */
}

void shk_edge_stop(struct shk_edge *edge, int64_t drain_ms)
{
	const int64_t last_words_ms = 500;

	if (!edge)
		return;
	shk_server_quiesce(edge->extender);
	shk_server_quiesce(edge->admin);
	wait_for_quiet(edge, drain_ms);
	shk_server_abandon(edge->extender);
	shk_server_abandon(edge->admin);
	wait_for_quiet(edge, last_words_ms);
	edge_free(edge);
}
