/* Lists and watches, with a reflector that only counts. */
#include "fixture.h"

#define LONG_MS 20000
#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

struct run {
	struct shk_kube_config config;
	struct server *server;
	struct shk_kube *kube;
};

static void begin(struct run *run, const struct server_step *steps, size_t n)
{
	*run = (struct run){.config = {.token = "sesame"}, .server = server_start(steps, n, NULL)};
	run->kube = fixture_start(&run->config, run->server, 0);
}

static void end(struct run *run)
{
	shk_kube_stop(run->kube);
	shk_kube_free(run->kube);
	server_stop(run->server);
	shk_kube_config_fini(&run->config);
}

static int before_each(void **state)
{
	(void)state;
	fixture_reset();
	return 0;
}

static void test_stream_brings_facts(void **state)
{
	static const struct server_step steps[] = {
	    {CHUNKED "4\r\na\nb\n\r\n2\r\nc\n\r\n0\r\n\r\n", THEN_KEEP, 0}};
	struct run run;
	struct shk_kube_health health;
	struct fixture_stream seen;

	(void)state;
	begin(&run, steps, 1);
	shk_kube_health(run.kube, &health);
	assert_false(health.kinds[SHK_KUBE_NODES].listed);
	fixture_want(SHK_KUBE_NODES, "/api/v1/nodes?watch=1", LONG_MS);
	WAIT_FOR(fixture_stream(SHK_KUBE_NODES).ended == 1);
	seen = fixture_stream(SHK_KUBE_NODES);
	assert_int_equal(seen.status, 200);
	assert_int_equal(seen.retry_after_s, -1);
	assert_int_equal(seen.bytes, 6);
	assert_string_equal(seen.failure, "");
	WAIT_FOR(fixture_facts() == 3);
	assert_non_null(
	    strstr(server_request(run.server, 0), "GET /api/v1/nodes?watch=1 HTTP/1.1"));
	for (health.kinds[SHK_KUBE_NODES].listed = false; !health.kinds[SHK_KUBE_NODES].listed;)
		shk_kube_health(run.kube, &health);
	end(&run);
}

static void test_failures_are_told(void **state)
{
	static const struct server_step steps[] = {
	    {"HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}", THEN_KEEP, 0},
	    {CHUNKED "2\r\na\n\r\n", THEN_CLOSE, 0},
	    {NULL, THEN_CLOSE, 0},
	};
	struct run run;
	struct fixture_stream seen;
	struct shk_kube_health health;

	(void)state;
	begin(&run, steps, 3);
	fixture_want(SHK_KUBE_PODS, "/p", LONG_MS);
	WAIT_FOR(fixture_stream(SHK_KUBE_PODS).ended == 1);
	seen = fixture_stream(SHK_KUBE_PODS);
	assert_int_equal(seen.status, 429);
	assert_int_equal(seen.retry_after_s, 7);
	assert_string_equal(seen.failure, "");
	fixture_want(SHK_KUBE_PODS, "/p", LONG_MS);
	WAIT_FOR(fixture_stream(SHK_KUBE_PODS).ended == 2);
	assert_string_not_equal(fixture_stream(SHK_KUBE_PODS).failure, "");
	fixture_want(SHK_KUBE_PODS, "/p", LONG_MS);
	WAIT_FOR(fixture_stream(SHK_KUBE_PODS).ended == 3);
	assert_string_not_equal(fixture_stream(SHK_KUBE_PODS).failure, "");
	do
		shk_kube_health(run.kube, &health);
	while (health.failures == 0);
	assert_string_not_equal(health.error, "");
	assert_null(strstr(health.error, "sesame"));
	end(&run);
}

static void test_reflector_can_give_up(void **state)
{
	static const struct server_step steps[] = {{CHUNKED "2\r\na\n\r\n", THEN_HANG, 0}};
	struct run run;

	(void)state;
	begin(&run, steps, 1);
	fixture_fail_feed("that is no list");
	fixture_want(SHK_KUBE_NODES, "/n", LONG_MS);
	WAIT_FOR(fixture_stream(SHK_KUBE_NODES).ended == 1);
	assert_string_equal(fixture_stream(SHK_KUBE_NODES).failure, "that is no list");
	end(&run);
}

static void test_silence_ends_a_stream(void **state)
{
	static const struct server_step steps[] = {{CHUNKED "2\r\na\n\r\n", THEN_HANG, 0}};
	struct run run;

	(void)state;
	begin(&run, steps, 1);
	fixture_want(SHK_KUBE_NODES, "/n", 100);
	WAIT_FOR(fixture_stream(SHK_KUBE_NODES).ended == 1);
	assert_non_null(strstr(fixture_stream(SHK_KUBE_NODES).failure, "silent"));
	end(&run);
}

#define LINE 1024

/* Lines without end, but for that of the connection. */
static char *long_stream(size_t lines)
{
	char *text = malloc(lines * LINE + 100);
	int head = text ? snprintf(text, 100, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n") : 0;

	assert_non_null(text);
	memset(text + head, ' ', lines * LINE);
	for (size_t i = 1; i <= lines; i++)
		text[(size_t)head + i * LINE - 1] = '\n';
	text[(size_t)head + lines * LINE] = '\0';
	return text;
}

/* Far more than fits between the two sockets: the server can't get rid of it while nothing is
 * read. */
static void test_full_sink_stops_reading(void **state)
{
	const size_t lines = (size_t)16 << 10;
	char *text = long_stream(lines);
	const struct server_step steps[] = {{text, THEN_CLOSE, 0}};
	struct run run;
	size_t bytes;
	size_t offers;

	(void)state;
	begin(&run, steps, 1);
	fixture_accept_facts(false);
	fixture_want(SHK_KUBE_PODS, "/p", LONG_MS);
	WAIT_FOR(fixture_offers() > 1);
	bytes = fixture_stream(SHK_KUBE_PODS).bytes;
	offers = fixture_offers();
	WAIT_FOR(fixture_offers() > offers + 3);
	assert_int_equal(fixture_stream(SHK_KUBE_PODS).bytes, bytes);
	assert_true(bytes < lines * LINE);
	assert_int_equal(fixture_facts(), 0);

	fixture_accept_facts(true);
	WAIT_FOR(fixture_stream(SHK_KUBE_PODS).ended == 1);
	WAIT_FOR(fixture_facts() == lines);
	assert_string_equal(fixture_stream(SHK_KUBE_PODS).failure, "");
	end(&run);
	free(text);
}

static void test_error_bodies_are_capped(void **state)
{
	char *text = long_stream(1000);
	const struct server_step steps[] = {{text, THEN_CLOSE, 0}};
	struct run run;

	(void)state;
	memcpy(text, "HTTP/1.1 500", 12);
	begin(&run, steps, 1);
	fixture_want(SHK_KUBE_PODS, "/p", LONG_MS);
	WAIT_FOR(fixture_stream(SHK_KUBE_PODS).ended == 1);
	assert_int_equal(fixture_stream(SHK_KUBE_PODS).status, 500);
	assert_true(fixture_stream(SHK_KUBE_PODS).bytes <= 65536);
	assert_string_equal(fixture_stream(SHK_KUBE_PODS).failure, "");
	end(&run);
	free(text);
}

static void test_each_stream_has_a_connection(void **state)
{
	static const struct server_step steps[] = {{CHUNKED "2\r\na\n\r\n", THEN_HANG, 0}};
	struct run run;

	(void)state;
	begin(&run, steps, 1);
	for (size_t i = 0; i < SHK_KUBE_KIND_COUNT; i++)
		fixture_want((enum shk_kube_kind)i, "/x", LONG_MS);
	WAIT_FOR(fixture_facts() == SHK_KUBE_KIND_COUNT);
	assert_int_equal(server_connections(run.server), SHK_KUBE_KIND_COUNT);
	end(&run);
	assert_int_equal(fixture_stream(SHK_KUBE_PODS).ended, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, before_each)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_stream_brings_facts),          TEST(test_failures_are_told),
	    TEST(test_reflector_can_give_up),        TEST(test_silence_ends_a_stream),
	    TEST(test_full_sink_stops_reading),      TEST(test_error_bodies_are_capped),
	    TEST(test_each_stream_has_a_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
