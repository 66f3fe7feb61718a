/* The edge as a whole over real sockets, on a service that answers when the test wants it to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "shikiri/base/clock.h"
#include "shikiri/base/log.h"
#include "shikiri/http/edge.h"
#include "stub_service.h"
#include "sweeper.h"

#define BIND "{\"PodName\":\"p\",\"PodNamespace\":\"n\",\"PodUID\":\"u\",\"Node\":\"gpu\"}"

static struct shk_edge *start(enum stub_pace pace, int delay_ms)
{
	struct shk_config config = {
	    .listen = "127.0.0.1:0", .admin_listen = "127.0.0.1:0", .max_body = 1 << 20};
	struct shk_edge *edge;
	struct shk_error err;

	shk_log_setup(SHK_LOG_ERROR, true);
	stub_start(pace, delay_ms);
	assert_int_equal(shk_edge_start(&config, stub_service(), &edge, &err), SHK_OK);
	return edge;
}

static void stop(struct shk_edge *edge, int64_t drain_ms)
{
	shk_edge_stop(edge, drain_ms);
	stub_stop();
}

static int connect_to(const char *url)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	const struct timeval patience = {.tv_sec = 20};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = htons((uint16_t)strtoul(strrchr(url, ':') + 1, NULL, 10));
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
	    connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
		abort();
	return fd;
}

static void ask(int fd, const char *method, const char *path, const char *body)
{
	char text[1024];
	int len = snprintf(text, sizeof text,
			   "%s %s HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n%s", method,
			   path, strlen(body), body);

	if (send(fd, text, (size_t)len, MSG_NOSIGNAL) != len)
		abort();
}

/* Reads one answer with a small body; its status, 0 when the connection ended. */
static int listen_to(int fd, char *ret_text, size_t size)
{
	size_t len = 0;

	ret_text[0] = '\0';
	while (len < size - 1) {
		ssize_t n = recv(fd, ret_text + len, size - 1 - len, 0);
		const char *end;
		const char *length;

		if (n <= 0)
			return 0;
		len += (size_t)n;
		ret_text[len] = '\0';
		end = strstr(ret_text, "\r\n\r\n");
		length = strstr(ret_text, "Content-Length: ");
		if (end && length && strlen(end + 4) >= strtoul(length + 16, NULL, 10))
			return (int)strtol(ret_text + 9, NULL, 10);
	}
	return 0;
}

static int bind_once(int fd)
{
	char text[2048];

	ask(fd, "POST", "/scheduler/v1/bind", BIND);
	return listen_to(fd, text, sizeof text) == 200 && strstr(text, "{\"Error\":\"\"}");
}

static void answers_may_come_at_any_time(void **state)
{
	static const enum stub_pace paces[] = {STUB_AT_ONCE, STUB_RACING, STUB_LATE};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct shk_edge *edge = start(paces[i], 20);
		int fd = connect_to(shk_edge_extender_url(edge));

		for (int n = 0; n < 30; n++)
			assert_true(bind_once(fd));
		(void)close(fd);
		stop(edge, 1000);
		assert_int_equal(stub_n_binds(), 30);
	}
}

struct client {
	pthread_t thread;
	const char *url;
	int n_good;
};

static void *bind_often(void *context)
{
	struct client *client = context;
	int fd = connect_to(client->url);

	for (int i = 0; i < 50; i++)
		client->n_good += bind_once(fd);
	(void)close(fd);
	return NULL;
}

static void many_bind_at_once(void **state)
{
	struct shk_edge *edge = start(STUB_RACING, 0);
	struct client clients[32] = {0};

	(void)state;
	for (size_t i = 0; i < 32; i++) {
		clients[i].url = shk_edge_extender_url(edge);
		assert_int_equal(pthread_create(&clients[i].thread, NULL, bind_often, &clients[i]),
				 0);
	}
	for (size_t i = 0; i < 32; i++) {
		(void)pthread_join(clients[i].thread, NULL);
		assert_int_equal(clients[i].n_good, 50);
	}
	stop(edge, 1000);
}

static void clients_may_go_while_they_wait(void **state)
{
	struct shk_edge *edge = start(STUB_LATE, 50);

	(void)state;
	for (int i = 0; i < 20; i++) {
		int fd = connect_to(shk_edge_extender_url(edge));

		ask(fd, "POST", "/scheduler/v1/bind", BIND);
		(void)close(fd);
	}

	int fd = connect_to(shk_edge_extender_url(edge));

	assert_true(bind_once(fd));
	(void)close(fd);
	stop(edge, 1000);
}

static void waiting_does_not_hold_up_others(void **state)
{
	struct shk_edge *edge = start(STUB_NEVER, 0);
	char text[2048];
	int waiting[8];
	int other = connect_to(shk_edge_extender_url(edge));

	(void)state;
	for (int i = 0; i < 8; i++) {
		waiting[i] = connect_to(shk_edge_extender_url(edge));
		ask(waiting[i], "POST", "/scheduler/v1/bind", BIND);
	}
	for (int i = 0; i < 8; i++) {
		ask(other, "POST", "/scheduler/v1/filter", "{}");
		assert_int_equal(listen_to(other, text, sizeof text), 200);
	}
	stub_release();
	for (int i = 0; i < 8; i++) {
		assert_int_equal(listen_to(waiting[i], text, sizeof text), 200);
		(void)close(waiting[i]);
	}
	(void)close(other);
	stop(edge, 1000);
}

/* The state thread may be stuck: whoever waits is told, and its answer finds nobody later. */
static void a_stop_wakes_who_waits(void **state)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct shk_edge *edge = start(STUB_NEVER, 0);
	int64_t begun_ms;
	char text[2048];
	int fds[16];

	(void)state;
	for (int i = 0; i < 16; i++) {
		bool is_bind = i % 2 == 0;

		fds[i] =
		    connect_to(is_bind ? shk_edge_extender_url(edge) : shk_edge_admin_url(edge));
		ask(fds[i], "POST",
		    is_bind ? "/scheduler/v1/bind" : "/apis/shikiri.dev/v1/nodes/n:cordon-gpu",
		    is_bind ? BIND : "");
	}
	while (stub_n_binds() < 16)
		(void)nanosleep(&moment, NULL);
	begun_ms = shk_clock_boot_ms();
	shk_edge_stop(edge, 200);
	assert_in_range(shk_clock_boot_ms() - begun_ms, 150, 5000);
	for (int i = 0; i < 16; i++) {
		int status = listen_to(fds[i], text, sizeof text);

		assert_int_equal(status, i % 2 == 0 ? 200 : 503);
		assert_non_null(strstr(text, "the daemon is stopping"));
		(void)close(fds[i]);
	}
	stub_stop();
}

static void a_taken_port_is_an_error(void **state)
{
	struct shk_edge *edge = start(STUB_AT_ONCE, 0);
	struct shk_edge *other = NULL;
	struct shk_error err;
	struct shk_config config = {.listen = "127.0.0.1:0", .max_body = 1 << 20};

	(void)state;
	config.admin_listen = strstr(shk_edge_admin_url(edge), "127");
	assert_int_equal(shk_edge_start(&config, stub_service(), &other, &err), SHK_E_IO);
	assert_non_null(strstr(err.text, config.admin_listen));
	assert_null(other);
	config.admin_listen = "nonsense";
	assert_int_equal(shk_edge_start(&config, stub_service(), &other, &err), SHK_E_CONFIG);
	stop(edge, 1000);
}

static void ipv6_is_served(void **state)
{
	struct shk_config config = {
	    .listen = "[::1]:0", .admin_listen = "127.0.0.1:0", .max_body = 1 << 20};
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct shk_edge *edge;
	struct shk_error err;
	const char *url;
	int fd;

	(void)state;
	stub_start(STUB_RACING, 0);
	if (shk_edge_start(&config, stub_service(), &edge, &err) != SHK_OK) {
		stub_stop();
		skip(); /* a machine without IPv6 */
	}
	url = shk_edge_extender_url(edge);
	assert_memory_equal(url, "http://[::1]:", 13);
	address.sin6_port = htons((uint16_t)strtoul(url + 13, NULL, 10));
	fd = socket(AF_INET6, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_true(bind_once(fd));
	(void)close(fd);
	stop(edge, 1000);
}

static void the_gone_are_cut(void **state)
{
	int64_t now_ms = shk_clock_boot_ms();
	struct shk_conns conns;
	struct shk_conn *conn;
	int pair[2];
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	shk_conns_init(&conns);
	conn = shk_conns_add(&conns, pair[0], "here");
	assert_int_equal(send(pair[1], "x", 1, 0), 1);
	assert_int_equal(shutdown(pair[1], SHUT_WR), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(shk_conns_sweep(&conns, now_ms), 0);
	assert_false(conn->is_cut); /* there is something to read yet */
	assert_int_equal(recv(pair[0], &byte, 1, 0), 1);
	shk_conn_await(conn, SHK_CONN_WORKING);
	for (int i = 0; i < 10; i++)
		assert_int_equal(shk_conns_sweep(&conns, now_ms), 0);
	assert_false(conn->is_cut); /* it may wait for our answer */
	shk_conn_await(conn, SHK_CONN_IDLE);
	for (int i = 0; i < 4; i++) {
		assert_false(conn->is_cut);
		assert_int_equal(shk_conns_sweep(&conns, now_ms), 0);
	}
	assert_true(conn->is_cut);
	shk_conns_remove(&conns, conn);
	shk_conns_fini(&conns);
	(void)close(pair[0]);
	(void)close(pair[1]);
}

static void the_late_are_cut(void **state)
{
	struct shk_conns conns;
	struct shk_conn *conn;
	int64_t now_ms = shk_clock_boot_ms();
	int pair[2];
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	shk_conns_init(&conns);
	conn = shk_conns_add(&conns, pair[0], "here");
	assert_int_equal(shk_conns_count(&conns), 1);
	assert_int_equal(shk_conns_sweep(&conns, now_ms + 9000), 0);
	shk_conn_await(conn, SHK_CONN_WORKING);
	assert_int_equal(shk_conns_sweep(&conns, now_ms + 1000000), 0);
	shk_conn_await(conn, SHK_CONN_IDLE);
	assert_int_equal(shk_conns_sweep(&conns, now_ms + 100000), 0);
	shk_conn_await(conn, SHK_CONN_BODY);
	assert_int_equal(shk_conns_sweep(&conns, now_ms + 11000), 1);
	assert_int_equal(shk_conns_sweep(&conns, now_ms + 12000), 0);
	assert_int_equal(recv(pair[1], &byte, 1, 0), 0);
	shk_conns_remove(&conns, conn);
	assert_int_equal(shk_conns_count(&conns), 0);
	shk_conns_fini(&conns);
	(void)close(pair[0]);
	(void)close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answers_may_come_at_any_time),
	    cmocka_unit_test(many_bind_at_once),
	    cmocka_unit_test(clients_may_go_while_they_wait),
	    cmocka_unit_test(waiting_does_not_hold_up_others),
	    cmocka_unit_test(a_stop_wakes_who_waits),
	    cmocka_unit_test(a_taken_port_is_an_error),
	    cmocka_unit_test(ipv6_is_served),
	    cmocka_unit_test(the_gone_are_cut),
	    cmocka_unit_test(the_late_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
