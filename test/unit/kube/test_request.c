#include "kube.h"

#include "queue.h"
#include "recent.h"
#include "request.h"

static const struct shk_pair pairs[] = {{"shikiri.dev/allocation", "v1;\"1\""}};

static struct shk_kube_request bind_of(void)
{
	return (struct shk_kube_request){
	    .verb = SHK_KUBE_BIND,
	    .id = 7,
	    .namespace_ = "vision",
	    .name = "llm-0",
	    .uid = "u-1",
	    .resource_version = "42",
	    .node = "gpu-1",
	    .annotations = {.items = pairs, .n = 1},
	    .reason = "Freed",
	    .message = "a slot is free",
	    .deadline_ms = 100,
	};
}

static void check_message(const struct message *message, const char *method, const char *path,
			  const char *type, const char *body)
{
	assert_string_equal(message->method, method);
	assert_string_equal(message->path, path);
	if (!type) {
		assert_null(message->content_type);
		assert_int_equal(message->body.len, 0);
		return;
	}
	assert_string_equal(message->content_type, type);
	assert_string_equal(message->body.data, body);
}

static void test_binding(void **state)
{
	struct shk_kube_request ask = bind_of();
	struct shk_arena arena = {0};
	struct message message;

	(void)state;
	message_build(&ask, 0, &arena, &message);
	check_message(
	    &message, "POST", "/api/v1/namespaces/vision/pods/llm-0/binding", "application/json",
	    "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"llm-0\","
	    "\"namespace\":\"vision\",\"uid\":\"u-1\",\"resourceVersion\":\"42\","
	    "\"annotations\":{\"shikiri.dev/allocation\":\"v1;\\\"1\\\"\"}},"
	    "\"target\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"gpu-1\"}}");
	message_fini(&message);
	ask.resource_version = NULL;
	ask.annotations.n = 0;
	message_build(&ask, 0, &arena, &message);
	check_message(
	    &message, "POST", "/api/v1/namespaces/vision/pods/llm-0/binding", "application/json",
	    "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"llm-0\","
	    "\"namespace\":\"vision\",\"uid\":\"u-1\"},"
	    "\"target\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"gpu-1\"}}");
	message_fini(&message);
	shk_arena_fini(&arena);
}

static void test_get_and_touch(void **state)
{
	struct shk_kube_request ask = bind_of();
	struct shk_arena arena = {0};
	struct message message;

	(void)state;
	ask.verb = SHK_KUBE_GET_POD;
	message_build(&ask, 0, &arena, &message);
	check_message(&message, "GET", "/api/v1/namespaces/vision/pods/llm-0", NULL, NULL);
	message_fini(&message);
	ask.verb = SHK_KUBE_TOUCH_POD;
	message_build(&ask, 0, &arena, &message);
	check_message(&message, "PATCH", "/api/v1/namespaces/vision/pods/llm-0/status",
		      "application/strategic-merge-patch+json",
		      "{\"metadata\":{\"uid\":\"u-1\"},\"status\":{\"conditions\":[{\"type\":"
		      "\"shikiri.dev/"
		      "Nudged\",\"status\":\"True\",\"reason\":\"Freed\",\"message\":\"a slot is "
		      "free\",\"lastTransitionTime\":\"1970-01-01T00:00:00Z\"}]}}");
	message_fini(&message);
	shk_arena_fini(&arena);
}

static void test_events(void **state)
{
	struct shk_kube_request ask = bind_of();
	struct shk_arena arena = {0};
	struct message message;

	(void)state;
	ask.warning = true;
	message_event(&ask, "llm-0.00ff", "host-1", 0, &arena, &message);
	check_message(&message, "POST", "/apis/events.k8s.io/v1/namespaces/vision/events",
		      "application/json",
		      "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{"
		      "\"name\":\"llm-0.00ff\",\"namespace\":\"vision\"},"
		      "\"eventTime\":\"1970-01-01T00:00:00.000000Z\","
		      "\"reportingController\":\"shikiri.dev/extender\","
		      "\"reportingInstance\":\"host-1\",\"action\":\"Scheduling\","
		      "\"reason\":\"Freed\",\"regarding\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
		      "\"namespace\":\"vision\",\"name\":\"llm-0\",\"uid\":\"u-1\"},"
		      "\"note\":\"a slot is free\",\"type\":\"Warning\"}");
	message_fini(&message);
	message_series(&ask, "llm-0.00ff", 3, 0, &arena, &message);
	check_message(
	    &message, "PATCH", "/apis/events.k8s.io/v1/namespaces/vision/events/llm-0.00ff",
	    "application/merge-patch+json",
	    "{\"series\":{\"count\":3,\"lastObservedTime\":\"1970-01-01T00:00:00.000000Z\"}}");
	message_fini(&message);
	shk_arena_fini(&arena);
}

static void test_names_are_checked(void **state)
{
	static const char *const bad[] = {"",      "..",    "a/b",  "a?b", "A",
					  "a%2fb", "../..", "a\nb", "a b", NULL};
	struct shk_kube_request good = bind_of();

	(void)state;
	assert_null(request_fault(&good));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct shk_kube_request ask = good;

		ask.namespace_ = bad[i];
		assert_non_null(request_fault(&ask));
		ask = good;
		ask.name = bad[i];
		assert_non_null(request_fault(&ask));
		ask = good;
		ask.node = bad[i];
		assert_non_null(request_fault(&ask));
	}
}

static void test_what_each_verb_needs(void **state)
{
	struct shk_kube_request ask = bind_of();

	(void)state;
	ask.resource_version = "";
	assert_non_null(request_fault(&ask));
	ask.resource_version = NULL;
	assert_null(request_fault(&ask));
	ask.uid = NULL;
	assert_non_null(request_fault(&ask));
	ask.verb = SHK_KUBE_GET_POD;
	assert_null(request_fault(&ask));
	ask.verb = SHK_KUBE_TOUCH_POD;
	assert_non_null(request_fault(&ask));
	ask.uid = "u-1";
	assert_null(request_fault(&ask));
	ask.verb = SHK_KUBE_EVENT;
	ask.reason = "";
	assert_non_null(request_fault(&ask));
	ask.verb = SHK_KUBE_NOTHING;
	assert_non_null(request_fault(&ask));
	ask.verb = (enum shk_kube_verb)99;
	assert_non_null(request_fault(&ask));
}

static void test_copies_are_cut(void **state)
{
	struct shk_kube_request ask = bind_of();
	struct request *request;
	char text[2048];

	(void)state;
	memset(text, 'x', sizeof text);
	memcpy(text + 999, "\xC3\xBC", 2);
	text[sizeof text - 1] = '\0';
	ask.message = text;
	request = request_copy(&ask);
	assert_int_equal(strlen(request->ask.message), 999);
	assert_ptr_not_equal(request->ask.name, ask.name);
	assert_string_equal(request->ask.annotations.items[0].value, pairs[0].value);
	request_free(request);
}

static void test_queue_is_bounded(void **state)
{
	struct shk_kube_request ask = bind_of();
	struct queue queue;
	struct request *request;
	size_t events = 0;
	size_t others = 0;

	(void)state;
	queue_init(&queue);
	ask.verb = SHK_KUBE_EVENT;
	for (request = request_copy(&ask); queue_push(&queue, request); events++)
		request = request_copy(&ask);
	request_free(request);
	ask.verb = SHK_KUBE_GET_POD;
	for (request = request_copy(&ask); queue_push(&queue, request); others++)
		request = request_copy(&ask);
	request_free(request);
	assert_int_equal(events, 512);
	assert_int_equal(others, 4096);
	queue_fini(&queue);
}

static void test_queue_gives_up_the_late(void **state)
{
	static const int64_t deadlines[] = {300, 100, 200};
	struct shk_kube_request ask = bind_of();
	struct queue queue;
	struct request *request;

	(void)state;
	queue_init(&queue);
	assert_null(queue_pop_late(&queue, INT64_MAX));
	for (size_t i = 0; i < 3; i++) {
		ask.deadline_ms = deadlines[i];
		ask.id = i;
		assert_true(queue_push(&queue, request_copy(&ask)));
	}
	assert_int_equal(queue_first_deadline_ms(&queue), 100);
	assert_null(queue_pop_late(&queue, 99));
	request = queue_pop_late(&queue, 100);
	assert_int_equal(request->ask.id, 1);
	request_free(request);
	request = queue_pop(&queue, SHK_KUBE_BIND);
	assert_int_equal(request->ask.id, 0);
	request_free(request);
	ask.id = 9;
	assert_true(queue_push(&queue, request_copy(&ask)));
	request = queue_pop(&queue, SHK_KUBE_BIND);
	assert_int_equal(request->ask.id, 2);
	request_free(request);
	request = queue_pop(&queue, SHK_KUBE_BIND);
	assert_int_equal(request->ask.id, 9);
	request_free(request);
	assert_false(queue_has(&queue, SHK_KUBE_BIND));
	queue_fini(&queue);
}

static struct recent *make_recent(uint64_t sequence)
{
	struct recent *recent = calloc(1, sizeof *recent);

	assert_non_null(recent);
	recent->sequence = sequence;
	return recent;
}

static void test_recent_events(void **state)
{
	struct recent *recent = make_recent(0xABC);
	const struct recent_event *event;

	(void)state;
	assert_int_equal(recent_note(recent, "p", "u", "R", 0, &event), RECENT_NEW);
	assert_string_equal(event->name, "p.0000000000000abd");
	assert_int_equal(recent_note(recent, "p", "u", "R", 59999, &event), RECENT_QUIET);
	assert_int_equal(recent_note(recent, "p", "u", "R", 60000, &event), RECENT_COUNT);
	assert_int_equal(event->count, 3);
	assert_int_equal(recent_note(recent, "p", "u", "R", 60001, &event), RECENT_QUIET);
	assert_int_equal(recent_note(recent, "p", "u", "S", 60001, &event), RECENT_NEW);
	assert_int_equal(recent_note(recent, "p", "v", "R", 60001, &event), RECENT_NEW);
	assert_int_equal(recent_note(recent, "p", "u", "R", 660001, &event), RECENT_NEW);
	assert_int_equal(event->count, 1);
	recent_forget(recent, "u", "R");
	recent_forget(recent, "u", "never");
	assert_int_equal(recent_note(recent, "p", "u", "R", 660002, &event), RECENT_NEW);
	free(recent);
}

static void test_recent_forgets_the_oldest(void **state)
{
	struct recent *recent = make_recent(1);
	const struct recent_event *event;
	char uid[32];

	(void)state;
	for (int i = 0; i <= RECENT_EVENTS; i++) {
		(void)snprintf(uid, sizeof uid, "u-%d", i);
		assert_int_equal(recent_note(recent, "p", uid, "R", i, &event), RECENT_NEW);
	}
	assert_int_equal(recent_note(recent, "p", "u-1", "R", 1000, &event), RECENT_QUIET);
	assert_int_equal(recent_note(recent, "p", "u-0", "R", 1000, &event), RECENT_NEW);
	free(recent);
}

static void test_long_pod_names_leave_room(void **state)
{
	struct recent *recent = make_recent(1);
	const struct recent_event *event;
	char pod[254];

	(void)state;
	memset(pod, 'p', 253);
	pod[253] = '\0';
	pod[235] = '.';
	(void)recent_note(recent, pod, "u", "R", 0, &event);
	assert_int_equal(strlen(event->name), 252);
	assert_non_null(strstr(event->name, "p.0000000000000002"));
	free(recent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_binding),
	    cmocka_unit_test(test_get_and_touch),
	    cmocka_unit_test(test_events),
	    cmocka_unit_test(test_names_are_checked),
	    cmocka_unit_test(test_what_each_verb_needs),
	    cmocka_unit_test(test_copies_are_cut),
	    cmocka_unit_test(test_queue_is_bounded),
	    cmocka_unit_test(test_queue_gives_up_the_late),
	    cmocka_unit_test(test_recent_events),
	    cmocka_unit_test(test_recent_forgets_the_oldest),
	    cmocka_unit_test(test_long_pod_names_leave_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
