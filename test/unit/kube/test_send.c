/* Requests against a server that misbehaves as real ones do. */
#include "fixture.h"

#include "shikiri/base/clock.h"

#define LONG_MS 20000

#define CREATED  "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"
#define NO_TOKEN "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}"
#define BUSY     "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 2\r\n\r\n{}"
#define POD                                                                                        \
	"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"                                             \
	"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"llm-0\",\"namespace\":\"vision\","             \
	"\"uid\":\"u-1\"},\"spec\":{\"containers\":[]}}"
#define STATUS(code, message)                                                                      \
	"HTTP/1.1 " code                                                                           \
	" No\r\nConnection: close\r\n\r\n{\"kind\":\"Status\",\"message\":\"" message "\"}"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int before_each(void **state)
{
	(void)state;
	fixture_reset();
	return 0;
}

/* One request, one reply. */
static const struct fixture_reply *ask(const struct server_step *steps, size_t n,
				       const struct shk_kube_request *request, size_t *ret_requests)
{
	struct shk_kube_config config = {.token = "sesame"};
	struct server *server = server_start(steps, n, NULL);
	struct shk_kube *kube = fixture_start(&config, server, 0);
	const struct fixture_reply *reply;

	assert_true(shk_kube_send(kube, request));
	reply = fixture_reply(0);
	shk_kube_stop(kube);
	shk_kube_free(kube);
	*ret_requests = server_requests(server);
	server_stop(server);
	shk_kube_config_fini(&config);
	assert_int_equal(fixture_replies(), 1);
	assert_int_equal(reply->reply.id, request->id);
	assert_null(strstr(reply->message, "sesame"));
	return reply;
}

static void check_bind(const struct server_step *steps, size_t n, int64_t deadline_in_ms,
		       enum shk_kube_outcome outcome, size_t requests)
{
	struct shk_kube_request request = fixture_bind(deadline_in_ms);
	size_t asked;

	assert_int_equal(ask(steps, n, &request, &asked)->reply.outcome, outcome);
	assert_int_equal(asked, requests);
}

static void test_bind_goes_over_the_wire(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};
	struct shk_kube_config config = {.token = "sesame"};
	struct server *server = server_start(steps, 1, NULL);
	struct shk_kube *kube = fixture_start(&config, server, 0);
	struct shk_kube_request request = fixture_bind(LONG_MS);
	const char *seen;

	(void)state;
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, SHK_KUBE_OK);
	assert_int_equal(fixture_reply(0)->reply.http_status, 201);
	assert_string_equal(fixture_reply(0)->message, "");
	seen = server_request(server, 0);
	assert_ptr_equal(
	    strstr(seen, "POST /api/v1/namespaces/vision/pods/llm-0/binding HTTP/1.1\r\n"), seen);
	assert_non_null(strstr(seen, "\r\nAuthorization: Bearer sesame\r\n"));
	assert_non_null(strstr(seen, "\r\nAccept: application/json\r\n"));
	assert_non_null(strstr(seen, "\r\nContent-Type: application/json\r\n"));
	assert_non_null(strstr(seen, "\r\nUser-Agent: shikiri-test/1\r\n"));
	assert_null(strstr(seen, "Expect"));
	assert_non_null(strstr(seen, "\"resourceVersion\":\"42\""));
	shk_kube_stop(kube);
	shk_kube_free(kube);
	server_stop(server);
	shk_kube_config_fini(&config);
}

static void test_answers_that_decide(void **state)
{
	static const struct {
		const char *answer;
		enum shk_kube_outcome outcome;
		const char *message;
	} cases[] = {
	    {STATUS("409", "already bound"), SHK_KUBE_CONFLICT, "already bound"},
	    {STATUS("404", "no such pod"), SHK_KUBE_NOT_FOUND, "no such pod"},
	    {STATUS("403", "not you"), SHK_KUBE_REFUSED, "not you"},
	    {STATUS("422", "no"), SHK_KUBE_REFUSED, "no"},
	    {STATUS("500", "etcd"), SHK_KUBE_LOST, "etcd"},
	    {"HTTP/1.1 502 No\r\nContent-Length: 1\r\n\r\n<", SHK_KUBE_LOST,
	     "the server answered 502"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct server_step step = {cases[i].answer, THEN_CLOSE, 0};
		struct shk_kube_request request = fixture_bind(LONG_MS);
		const struct fixture_reply *reply;
		size_t asked;

		fixture_reset();
		reply = ask(&step, 1, &request, &asked);
		assert_int_equal(reply->reply.outcome, cases[i].outcome);
		assert_string_equal(reply->message, cases[i].message);
		assert_int_equal(asked, 1);
	}
}

static void test_lost_after_sending(void **state)
{
	static const struct server_step cut[] = {
	    {"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{", THEN_CLOSE, 0}};
	static const struct server_step closed[] = {{NULL, THEN_CLOSE, 0}};
	static const struct server_step hung[] = {{NULL, THEN_HANG, 0}};
	static const struct server_step slow[] = {{CREATED, THEN_KEEP, 50000}};

	(void)state;
	check_bind(cut, 1, LONG_MS, SHK_KUBE_LOST, 1);
	fixture_reset();
	check_bind(closed, 1, LONG_MS, SHK_KUBE_LOST, 1);
	fixture_reset();
	check_bind(hung, 1, 200, SHK_KUBE_LOST, 1);
	fixture_reset();
	check_bind(slow, 1, 200, SHK_KUBE_LOST, 1);
}

/* The server drops a kept connection under the second bind: libcurl would send it again. */
static void test_never_sent_twice(void **state)
{
	static const struct server_step steps[] = {
	    {CREATED, THEN_KEEP, 0}, {NULL, THEN_CLOSE, 0}, {CREATED, THEN_KEEP, 0}};
	struct shk_kube_config config = {.token = "sesame"};
	struct server *server = server_start(steps, COUNT(steps), NULL);
	struct shk_kube *kube = fixture_start(&config, server, 0);
	struct shk_kube_request request = fixture_bind(LONG_MS);

	(void)state;
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, SHK_KUBE_OK);
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(1)->reply.outcome, SHK_KUBE_LOST);
	assert_int_equal(server_requests(server), 2);
	shk_kube_stop(kube);
	shk_kube_free(kube);
	server_stop(server);
	shk_kube_config_fini(&config);
}

static void test_refused_connection_is_unsent(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};
	struct server *server = server_start(steps, 1, NULL);
	struct shk_kube_config config = {.token = "sesame"};
	struct shk_kube_request request = fixture_bind(400);
	struct shk_kube *kube;

	(void)state;
	config.server = shk_arena_printf(&config.arena, "http://127.0.0.1:%u", server_port(server));
	server_stop(server);
	kube = fixture_start(&config, NULL, 0);
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, SHK_KUBE_UNSENT);
	assert_int_equal(fixture_reply(0)->reply.http_status, 0);
	assert_non_null(strstr(fixture_reply(0)->message, "connect"));
	shk_kube_stop(kube);
	shk_kube_free(kube);
	shk_kube_config_fini(&config);
}

static void test_too_many_then_created(void **state)
{
	static const struct server_step steps[] = {{BUSY, THEN_KEEP, 0}, {CREATED, THEN_KEEP, 0}};

	(void)state;
	check_bind(steps, COUNT(steps), LONG_MS, SHK_KUBE_OK, 2);
}

static void test_too_many_to_the_end(void **state)
{
	static const struct server_step later[] = {
	    {"HTTP/1.1 429 No\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n", THEN_KEEP, 0}};

	(void)state;
	check_bind(later, 1, LONG_MS, SHK_KUBE_UNSENT, 1);
}

static void test_redirect_is_not_followed(void **state)
{
	static const struct server_step steps[] = {
	    {"HTTP/1.1 307 No\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", THEN_KEEP, 0}};

	(void)state;
	check_bind(steps, 1, LONG_MS, SHK_KUBE_REFUSED, 1);
}

static void test_static_token_is_refused_at_once(void **state)
{
	static const struct server_step steps[] = {{NO_TOKEN, THEN_KEEP, 0}};

	(void)state;
	check_bind(steps, 1, LONG_MS, SHK_KUBE_REFUSED, 1);
}

static void write_token(const char *path, const char *token)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(token, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void test_new_token_after_401(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0},
						   {NO_TOKEN, THEN_KEEP, 0},
						   {CREATED, THEN_KEEP, 0},
						   {NO_TOKEN, THEN_KEEP, 0}};
	char path[] = "/tmp/shikiri-token-XXXXXX";
	struct shk_kube_config config = {.token_file = path};
	struct server *server = server_start(steps, COUNT(steps), NULL);
	struct shk_kube_request request = fixture_bind(LONG_MS);
	struct shk_kube *kube;

	(void)state;
	assert_true(mkstemp(path) >= 0);
	write_token(path, "old\n");
	kube = fixture_start(&config, server, 0);
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, SHK_KUBE_OK);
	write_token(path, "new\n");
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(1)->reply.outcome, SHK_KUBE_OK);
	assert_non_null(strstr(server_request(server, 1), "Bearer old\r\n"));
	assert_non_null(strstr(server_request(server, 2), "Bearer new\r\n"));
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(2)->reply.outcome, SHK_KUBE_REFUSED);
	assert_int_equal(fixture_reply(2)->reply.http_status, 401);
	assert_int_equal(server_requests(server), 5);
	shk_kube_stop(kube);
	shk_kube_free(kube);
	server_stop(server);
	shk_kube_config_fini(&config);
	assert_int_equal(remove(path), 0);
}

static void test_get_is_asked_again(void **state)
{
	static const struct server_step steps[] = {
	    {NULL, THEN_CLOSE, 0}, {STATUS("503", "no"), THEN_CLOSE, 0}, {POD, THEN_CLOSE, 0}};
	struct shk_kube_request request = fixture_bind(LONG_MS);
	const struct fixture_reply *reply;
	size_t asked;

	(void)state;
	request.verb = SHK_KUBE_GET_POD;
	reply = ask(steps, COUNT(steps), &request, &asked);
	assert_int_equal(reply->reply.outcome, SHK_KUBE_OK);
	assert_string_equal(reply->pod, "u-1");
	assert_int_equal(asked, 3);
}

static void test_touch_brings_the_pod(void **state)
{
	static const struct server_step good[] = {{POD, THEN_CLOSE, 0}};
	static const struct server_step odd[] = {{CREATED, THEN_CLOSE, 0}};
	struct shk_kube_request request = fixture_bind(LONG_MS);
	const struct fixture_reply *reply;
	size_t asked;

	(void)state;
	request.verb = SHK_KUBE_TOUCH_POD;
	assert_string_equal(ask(good, 1, &request, &asked)->pod, "u-1");
	fixture_reset();
	reply = ask(odd, 1, &request, &asked);
	assert_int_equal(reply->reply.outcome, SHK_KUBE_LOST);
	assert_non_null(strstr(reply->message, "the pod can't be read"));
}

static void test_answers_are_capped(void **state)
{
	const size_t size = ((size_t)4 << 20) + 100;
	char *answer = malloc(size + 200);
	struct server_step step = {answer, THEN_CLOSE, 0};
	struct shk_kube_request request = fixture_bind(LONG_MS);
	const struct fixture_reply *reply;
	size_t asked;
	int head;

	(void)state;
	assert_non_null(answer);
	head = snprintf(answer, 200, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
	memset(answer + head, ' ', size);
	answer[(size_t)head + size] = '\0';
	request.verb = SHK_KUBE_GET_POD;
	reply = ask(&step, 1, &request, &asked);
	assert_int_equal(reply->reply.outcome, SHK_KUBE_LOST);
	assert_non_null(strstr(reply->message, "larger than"));
	assert_int_equal(asked, 1);
	free(answer);
}

static void test_bad_names_are_not_sent(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};
	struct shk_kube_request request = fixture_bind(LONG_MS);
	size_t asked;

	(void)state;
	request.name = "../secrets/a";
	assert_int_equal(ask(steps, 1, &request, &asked)->reply.outcome, SHK_KUBE_REFUSED);
	assert_int_equal(asked, 0);
	fixture_reset();
	request = fixture_bind(LONG_MS);
	request.verb = SHK_KUBE_NOTHING;
	assert_int_equal(ask(steps, 1, &request, &asked)->reply.outcome, SHK_KUBE_REFUSED);
	assert_int_equal(asked, 0);
}

static void test_past_deadline_is_not_sent(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};

	(void)state;
	check_bind(steps, 1, -1, SHK_KUBE_UNSENT, 0);
}

/* The first bind hangs; the second may not begin, the read may. */
static void test_binds_in_flight_are_bounded(void **state)
{
	static const struct server_step steps[] = {{NULL, THEN_HANG, 0}, {POD, THEN_CLOSE, 0}};
	struct shk_kube_config config = {.token = "sesame"};
	struct server *server = server_start(steps, COUNT(steps), NULL);
	struct shk_kube *kube = fixture_start(&config, server, 1);
	struct shk_kube_request request = fixture_bind(LONG_MS);

	(void)state;
	assert_true(shk_kube_send(kube, &request));
	(void)server_request(server, 0);
	request.id = 2;
	assert_true(shk_kube_send(kube, &request));
	request.id = 3;
	request.verb = SHK_KUBE_GET_POD;
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.id, 3);
	assert_int_equal(server_requests(server), 2);
	shk_kube_stop(kube);
	shk_kube_free(kube);
	assert_int_equal(fixture_replies(), 3);
	assert_int_equal(fixture_reply(1)->reply.id, 2);
	assert_int_equal(fixture_reply(1)->reply.outcome, SHK_KUBE_UNSENT);
	assert_int_equal(fixture_reply(2)->reply.id, 1);
	assert_int_equal(fixture_reply(2)->reply.outcome, SHK_KUBE_LOST);
	server_stop(server);
	shk_kube_config_fini(&config);
}

static void test_repeated_event_is_counted(void **state)
{
	static const struct server_step steps[] = {{STATUS("403", "no"), THEN_CLOSE, 0},
						   {CREATED, THEN_KEEP, 0}};
	struct shk_kube_config config = {.token = "sesame"};
	struct server *server = server_start(steps, COUNT(steps), NULL);
	struct shk_kube *kube = fixture_start(&config, server, 0);
	struct shk_kube_request request = fixture_bind(LONG_MS);

	(void)state;
	request.verb = SHK_KUBE_EVENT;
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, SHK_KUBE_REFUSED);
	for (size_t i = 1; i <= 3; i++) {
		assert_true(shk_kube_send(kube, &request));
		assert_int_equal(fixture_reply(i)->reply.outcome, SHK_KUBE_OK);
	}
	assert_int_equal(server_requests(server), 2);
	shk_kube_stop(kube);
	shk_kube_free(kube);
	server_stop(server);
	shk_kube_config_fini(&config);
}

/* Nobody listens there: whoever minds it can't be answered. */
static void test_environment_names_no_proxy(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};

	(void)state;
	assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
	assert_int_equal(setenv("all_proxy", "http://127.0.0.1:1", 1), 0);
	check_bind(steps, 1, LONG_MS, SHK_KUBE_OK, 1);
	assert_int_equal(unsetenv("http_proxy"), 0);
	assert_int_equal(unsetenv("all_proxy"), 0);
}

static void test_configured_proxy_is_used(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};
	struct server *proxy = server_start(steps, 1, NULL);
	struct shk_kube_config config = {.server = "http://kube.invalid:80", .token = "sesame"};
	struct shk_kube_request request = fixture_bind(LONG_MS);
	struct shk_kube *kube;

	(void)state;
	assert_int_equal(setenv("no_proxy", "*", 1), 0);
	config.proxy = shk_arena_printf(&config.arena, "http://127.0.0.1:%u", server_port(proxy));
	kube = fixture_start(&config, NULL, 0);
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, SHK_KUBE_OK);
	assert_non_null(strstr(server_request(proxy, 0), "POST http://kube.invalid"));
	shk_kube_stop(kube);
	shk_kube_free(kube);
	server_stop(proxy);
	shk_kube_config_fini(&config);
	assert_int_equal(unsetenv("no_proxy"), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, before_each)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_bind_goes_over_the_wire),
	    TEST(test_answers_that_decide),
	    TEST(test_lost_after_sending),
	    TEST(test_never_sent_twice),
	    TEST(test_refused_connection_is_unsent),
	    TEST(test_too_many_then_created),
	    TEST(test_too_many_to_the_end),
	    TEST(test_redirect_is_not_followed),
	    TEST(test_static_token_is_refused_at_once),
	    TEST(test_new_token_after_401),
	    TEST(test_get_is_asked_again),
	    TEST(test_touch_brings_the_pod),
	    TEST(test_answers_are_capped),
	    TEST(test_bad_names_are_not_sent),
	    TEST(test_past_deadline_is_not_sent),
	    TEST(test_binds_in_flight_are_bounded),
	    TEST(test_repeated_event_is_counted),
	    TEST(test_environment_names_no_proxy),
	    TEST(test_configured_proxy_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
