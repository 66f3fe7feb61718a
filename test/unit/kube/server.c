#define _GNU_SOURCE /* strcasestr */
#include "server.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST     256
#define MAX_TEXT 65536

struct link {
	struct server *server;
	pthread_t thread;
	int fd;
	gnutls_session_t tls;
};

struct server {
	const struct server_step *steps;
	size_t n_steps;
	void *tls;
	int listener;
	unsigned port;
	pthread_t thread;

	pthread_mutex_t lock; /* of what follows */
	bool is_stopping;
	struct link links[MOST];
	size_t n_links;
	char *requests[MOST];
	size_t n_requests;
};

static void nap(long us)
{
	const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	(void)nanosleep(&time, NULL);
}

static ssize_t get(struct link *link, char *out, size_t size)
{
	return link->tls ? gnutls_record_recv(link->tls, out, size) : recv(link->fd, out, size, 0);
}

static bool put(struct link *link, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = link->tls ? gnutls_record_send(link->tls, text, len)
				      : send(link->fd, text, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

static size_t body_length(const char *head)
{
	const char *line = strcasestr(head, "\r\nContent-Length:");

	return line ? strtoul(line + strlen("\r\nContent-Length:"), NULL, 10) : 0;
}

/* A whole request, or NULL when the connection ended. */
static char *read_request(struct link *link)
{
	char *text = calloc(1, MAX_TEXT);
	size_t len = 0;

	if (!text)
		abort();
	while (len < MAX_TEXT - 1) {
		const char *end = strstr(text, "\r\n\r\n");
		ssize_t n;

		if (end && len >= (size_t)(end + 4 - text) + body_length(text))
			return text;
		n = get(link, text + len, MAX_TEXT - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	free(text);
	return NULL;
}

static const struct server_step *note(struct server *server, char *request)
{
	size_t number;

	(void)pthread_mutex_lock(&server->lock);
	number = server->n_requests;
	if (number == MOST)
		abort();
	server->requests[server->n_requests++] = request;
	(void)pthread_mutex_unlock(&server->lock);
	return &server->steps[number < server->n_steps ? number : server->n_steps - 1];
}

static bool answer(struct link *link, const struct server_step *step)
{
	if (!step->answer)
		return true;
	if (step->pause_us == 0)
		return put(link, step->answer, strlen(step->answer));
	for (const char *at = step->answer; *at; at++) {
		nap(step->pause_us);
		if (!put(link, at, 1))
			return false;
	}
	return true;
}

static void hang(struct link *link)
{
	char byte;

	while (get(link, &byte, 1) > 0)
		continue;
}

static bool begin_tls(struct link *link)
{
	void *credentials = link->server->tls;

	if (!credentials)
		return true;
	if (gnutls_init(&link->tls, GNUTLS_SERVER) != 0 ||
	    gnutls_set_default_priority(link->tls) != 0 ||
	    gnutls_credentials_set(link->tls, GNUTLS_CRD_CERTIFICATE, credentials) != 0)
		abort();
	gnutls_certificate_server_set_request(link->tls, GNUTLS_CERT_REQUEST);
	gnutls_transport_set_int(link->tls, link->fd);
	return gnutls_handshake(link->tls) == 0;
}

static void serve(struct link *link)
{
	char *request = begin_tls(link) ? read_request(link) : NULL;

	while (request) {
		const struct server_step *step = note(link->server, request);

		if (!answer(link, step) || step->then == THEN_CLOSE)
			return;
		if (step->then == THEN_HANG)
			hang(link);
		request = read_request(link);
	}
}

static void *run_link(void *context)
{
	struct link *link = context;

	serve(link);
	if (link->tls)
		gnutls_deinit(link->tls);
	(void)shutdown(link->fd, SHUT_RDWR);
	return NULL;
}

static bool add_link(struct server *server, int fd)
{
	bool is_fine;

	(void)pthread_mutex_lock(&server->lock);
	is_fine = !server->is_stopping && server->n_links < MOST;
	if (is_fine) {
		struct link *link = &server->links[server->n_links++];

		*link = (struct link){.server = server, .fd = fd};
		if (pthread_create(&link->thread, NULL, run_link, link) != 0)
			abort();
	}
	(void)pthread_mutex_unlock(&server->lock);
	return is_fine;
}

static void *run(void *context)
{
	struct server *server = context;

	for (;;) {
		int fd = accept(server->listener, NULL, NULL);

		if (fd < 0)
			return NULL;
		if (!add_link(server, fd)) {
			(void)close(fd);
			return NULL;
		}
	}
}

struct server *server_start(const struct server_step *steps, size_t n, void *tls)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t size = sizeof address;
	struct server *server = calloc(1, sizeof *server);

	if (!server)
		abort();
	*server = (struct server){.steps = steps, .n_steps = n, .tls = tls};
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->listener = socket(AF_INET, SOCK_STREAM, 0);
	if (server->listener < 0 ||
	    bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
	    listen(server->listener, 16) != 0 ||
	    getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
		abort();
	server->port = ntohs(address.sin_port);
	(void)pthread_mutex_init(&server->lock, NULL);
	if (pthread_create(&server->thread, NULL, run, server) != 0)
		abort();
	return server;
}

void server_stop(struct server *server)
{
	(void)pthread_mutex_lock(&server->lock);
	server->is_stopping = true;
	for (size_t i = 0; i < server->n_links; i++)
		(void)shutdown(server->links[i].fd, SHUT_RDWR);
	(void)pthread_mutex_unlock(&server->lock);
	(void)shutdown(server->listener, SHUT_RDWR);
	(void)pthread_join(server->thread, NULL);
	for (size_t i = 0; i < server->n_links; i++) {
		(void)pthread_join(server->links[i].thread, NULL);
		(void)close(server->links[i].fd);
	}
	for (size_t i = 0; i < server->n_requests; i++)
		free(server->requests[i]);
	(void)close(server->listener);
	(void)pthread_mutex_destroy(&server->lock);
	free(server);
}

unsigned server_port(const struct server *server)
{
	return server->port;
}

static const char *peek(struct server *server, size_t i)
{
	const char *request;

	(void)pthread_mutex_lock(&server->lock);
	request = i < server->n_requests ? server->requests[i] : NULL;
	(void)pthread_mutex_unlock(&server->lock);
	return request;
}

const char *server_request(struct server *server, size_t i)
{
	const char *request = peek(server, i);

	for (int patience = 20000; !request && patience > 0; patience--) {
		nap(1000);
		request = peek(server, i);
	}
	if (!request)
		abort();
	return request;
}

size_t server_requests(struct server *server)
{
	size_t n;

	(void)pthread_mutex_lock(&server->lock);
	n = server->n_requests;
	(void)pthread_mutex_unlock(&server->lock);
	return n;
}

size_t server_connections(struct server *server)
{
	size_t n;

	(void)pthread_mutex_lock(&server->lock);
	n = server->n_links;
	(void)pthread_mutex_unlock(&server->lock);
	return n;
}
