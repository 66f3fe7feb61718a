#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/clock.h"
#include "shikiri/wire/cluster.h"

#include "outcome.h"

#define MAX_ANSWER_BYTES ((size_t)4 << 20)
#define MOST_OTHERS      64 /* than binds, at once */

/* --- how one ends ---------------------------------------------------------------------------- */

static void tell(struct client *client, const struct request *request, struct shk_kube_reply *reply)
{
	reply->id = request->ask.id;
	reply->verb = request->ask.verb;
	client->sink.done(client->sink.context, reply);
}

static void tell_early(struct client *client, struct request *request,
		       enum shk_kube_outcome outcome, const char *why)
{
	struct shk_kube_reply reply = {.outcome = outcome, .message = why};

	tell(client, request, &reply);
	request_free(request);
}

static const char *server_words(const struct exchange *exchange, struct shk_value **ret_value)
{
	struct shk_sv text = {.data = exchange->answer.data, .len = exchange->answer.len};
	struct shk_error err;
	const char *words;

	*ret_value = NULL;
	if (exchange->status == 0 || shk_value_parse(text, &shk_scan_document, ret_value, &err))
		return "";
	words = shk_value_string_at(*ret_value, "message");
	return shk_str_equals(shk_value_string_at(*ret_value, "kind"), "Status") ? words : "";
}

static bool wants_pod(enum shk_kube_verb verb)
{
	return verb == SHK_KUBE_GET_POD || verb == SHK_KUBE_TOUCH_POD;
}

/* An answer without a readable pod doesn't say what became of it. */
static void read_pod(struct exchange *exchange, struct shk_arena *arena, struct shk_pod *pod)
{
	struct shk_sv text = {.data = exchange->answer.data, .len = exchange->answer.len};
	struct shk_error err;

	if (!shk_pod_decode(text, arena, pod, &err))
		return;
	exchange->outcome = SHK_KUBE_LOST;
	(void)snprintf(exchange->failure, sizeof exchange->failure,
		       "the pod can't be read: %.60s: %.160s", err.pointer, err.text);
}

static void report(struct client *client, struct exchange *exchange)
{
	struct shk_arena arena = {0};
	struct shk_value *value = NULL;
	struct shk_pod pod;
	struct shk_kube_reply reply = {.http_status = exchange->status, .message = ""};

	if (exchange->outcome == SHK_KUBE_OK && wants_pod(exchange->request->ask.verb)) {
		read_pod(exchange, &arena, &pod);
		reply.pod = exchange->outcome == SHK_KUBE_OK ? &pod : NULL;
	}
	if (exchange->outcome != SHK_KUBE_OK) {
		reply.message = server_words(exchange, &value);
		if (!reply.message[0])
			reply.message = exchange->failure;
	}
	reply.outcome = exchange->outcome;
	tell(client, exchange->request, &reply);
	shk_value_free(value);
	shk_arena_fini(&arena);
}

static const char *event_words(struct request *request)
{
	return shk_arena_printf(&request->arena, "%.128s:%.127s", request->ask.reason,
				request->ask.message);
}

static void forget_event(struct client *client, const struct exchange *exchange)
{
	const struct shk_kube_request *ask = &exchange->request->ask;

	if (ask->verb == SHK_KUBE_EVENT && exchange->outcome != SHK_KUBE_OK)
		recent_forget(&client->recent, ask->uid, event_words(exchange->request));
}

static size_t *count_of(struct client *client, const struct request *request)
{
	return request->ask.verb == SHK_KUBE_BIND ? &client->n_binds : &client->n_others;
}

static void unlink_exchange(struct client *client, const struct exchange *exchange)
{
	struct exchange **at = &client->exchanges;

	while (*at != exchange)
		at = &(*at)->next;
	*at = exchange->next;
	(*count_of(client, exchange->request))--;
}

static void finish(struct client *client, struct exchange *exchange)
{
	call_close(&exchange->call, client->multi);
	unlink_exchange(client, exchange);
	forget_event(client, exchange);
	report(client, exchange);
	message_fini(&exchange->message);
	shk_buf_fini(&exchange->answer);
	request_free(exchange->request);
	free(exchange);
}

/* --- an attempt ------------------------------------------------------------------------------ */

/* That libcurl asked for the body is taken for having sent it. */
static size_t give_body(char *out, size_t size, size_t n, void *context)
{
	struct exchange *exchange = context;
	const struct shk_buf *body = &exchange->message.body;
	size_t rest = body->len - exchange->sent;
	size_t len = rest < size * n ? rest : size * n;

	memcpy(out, body->data + exchange->sent, len);
	exchange->sent += len;
	exchange->body_taken = true;
	return len;
}

/* libcurl sends a request again by itself when a kept connection turns out to be dead. Once the
 * server may have seen a body, that could bind a pod behind our back: it isn't given twice. */
static int refuse_rewind(void *context, curl_off_t offset, int origin)
{
	(void)context;
	(void)offset;
	(void)origin;
	return CURL_SEEKFUNC_FAIL;
}

static size_t take_answer(char *data, size_t size, size_t n, void *context)
{
	struct exchange *exchange = context;
	size_t len = size * n;

	if (len > MAX_ANSWER_BYTES - exchange->answer.len) {
		exchange->oversized = true;
		return 0;
	}
	shk_buf_add(&exchange->answer, data, len);
	return len;
}

/* libcurl says what the parameters are. NOLINTNEXTLINE(readability-non-const-parameter) */
static size_t take_header(char *data, size_t size, size_t n, void *context)
{
	struct exchange *exchange = context;
	struct shk_sv line = {.data = data, .len = size * n};

	(void)outcome_header(line, &exchange->retry_after_s);
	return line.len;
}

static void set_body(struct exchange *exchange)
{
	CURL *easy = exchange->call.easy;

	if (!exchange->message.content_type)
		return;
	(void)curl_easy_setopt(easy, CURLOPT_POST, 1L);
	(void)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, exchange->message.method);
	(void)curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
			       (curl_off_t)exchange->message.body.len);
	(void)curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
	(void)curl_easy_setopt(easy, CURLOPT_READDATA, exchange);
	(void)curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, refuse_rewind);
}

static void attempt(struct client *client, struct exchange *exchange, int64_t now_ms)
{
	int64_t left_ms = exchange->request->ask.deadline_ms - now_ms;
	CURL *easy;

	exchange->attempts++;
	exchange->sent = 0;
	exchange->body_taken = false;
	exchange->retry_after_s = -1;
	exchange->status = 0;
	exchange->failure[0] = '\0';
	shk_buf_clear(&exchange->answer);
	call_open(&exchange->call, &client->transport, exchange->message.path,
		  exchange->message.content_type);
	easy = exchange->call.easy;
	(void)curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
			       (long)(left_ms < INT32_MAX ? left_ms : INT32_MAX));
	(void)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	(void)curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
	(void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
	(void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
	set_body(exchange);
	call_begin(&exchange->call, client->multi);
}

/* A GET has no body to be taken. */
static bool was_sent(const struct exchange *exchange)
{
	long bytes = 0;

	if (exchange->message.content_type)
		return exchange->body_taken;
	if (exchange->call.easy)
		(void)curl_easy_getinfo(exchange->call.easy, CURLINFO_REQUEST_SIZE, &bytes);
	return bytes > 0;
}

static void say_failure(struct exchange *exchange, CURLcode code)
{
	if (exchange->oversized)
		(void)snprintf(exchange->failure, sizeof exchange->failure,
			       "the answer is larger than %zu bytes", MAX_ANSWER_BYTES);
	else if (code != CURLE_OK)
		(void)snprintf(exchange->failure, sizeof exchange->failure, "%.255s",
			       call_error(&exchange->call, code));
	else
		(void)snprintf(exchange->failure, sizeof exchange->failure,
			       "the server answered %d", exchange->status);
}

static struct verdict judge(struct client *client, struct exchange *exchange, CURLcode code)
{
	long status = 0;
	struct attempt facts = {
	    .verb = exchange->request->ask.verb,
	    .number = exchange->attempts,
	    .complete = code == CURLE_OK,
	    .sent = was_sent(exchange),
	    .oversized = exchange->oversized,
	    .fresh_token = exchange->fresh_token,
	    .can_refresh = credentials_can_refresh(client->credentials),
	    .retry_after_s = exchange->retry_after_s,
	};

	(void)curl_easy_getinfo(exchange->call.easy, CURLINFO_RESPONSE_CODE, &status);
	exchange->status = facts.status = (int)status;
	return outcome_judge(&facts);
}

static void conclude(struct client *client, struct exchange *exchange, CURLcode code,
		     int64_t now_ms)
{
	struct verdict verdict = judge(client, exchange, code);

	say_failure(exchange, code);
	exchange->outcome = verdict.outcome;
	exchange->retry_ms = now_ms + verdict.delay_ms;
	if (!verdict.again || exchange->retry_ms >= exchange->request->ask.deadline_ms) {
		finish(client, exchange);
		return;
	}
	if (verdict.refresh_token)
		exchange->fresh_token = credentials_refresh_token(client->credentials, now_ms);
	call_close(&exchange->call, client->multi);
}

bool exchanges_ended(struct client *client, const CURL *easy, CURLcode code, int64_t now_ms)
{
	for (struct exchange *at = client->exchanges; at; at = at->next) {
		if (at->call.easy != easy)
			continue;
		conclude(client, at, code, now_ms);
		return true;
	}
	return false;
}

/* --- from the queue to the wire -------------------------------------------------------------- */

/* false: an event that only counts up one that was told lately, and is done. */
static bool build(struct client *client, struct request *request, int64_t now_ms,
		  struct message *ret_message)
{
	const struct shk_kube_request *ask = &request->ask;
	const struct recent_event *event;
	enum recent_advice advice;

	if (ask->verb != SHK_KUBE_EVENT) {
		message_build(ask, shk_clock_wall_s(), &request->arena, ret_message);
		return true;
	}
	advice =
	    recent_note(&client->recent, ask->name, ask->uid, event_words(request), now_ms, &event);
	if (advice == RECENT_QUIET)
		return false;
	if (advice == RECENT_NEW)
		message_event(ask, event->name, client->instance, shk_clock_wall_s(),
			      &request->arena, ret_message);
	else
		message_series(ask, event->name, event->count, shk_clock_wall_s(), &request->arena,
			       ret_message);
	return true;
}

static void begin(struct client *client, struct request *request, int64_t now_ms)
{
	const char *fault = request_fault(&request->ask);
	struct message message;
	struct exchange *exchange;

	if (fault) {
		tell_early(client, request, SHK_KUBE_REFUSED, fault);
		return;
	}
	if (!build(client, request, now_ms, &message)) {
		tell_early(client, request, SHK_KUBE_OK, "");
		return;
	}
	exchange = calloc(1, sizeof *exchange);
	if (!exchange)
		abort();
	exchange->request = request;
	exchange->message = message;
	exchange->next = client->exchanges;
	client->exchanges = exchange;
	(*count_of(client, request))++;
	attempt(client, exchange, now_ms);
}

/* The lane whose turn it is, and that a slot is free for. */
static bool next_lane(struct client *client, enum shk_kube_verb *ret_verb)
{
	/* Those without a known verb are only refused. */
	static const enum shk_kube_verb order[] = {
	    SHK_KUBE_NOTHING, SHK_KUBE_BIND, SHK_KUBE_GET_POD, SHK_KUBE_TOUCH_POD, SHK_KUBE_EVENT};

	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
		bool is_free = order[i] == SHK_KUBE_BIND ? client->n_binds < client->most_binds
							 : client->n_others < MOST_OTHERS;

		if (!is_free || !queue_has(&client->queue, order[i]))
			continue;
		*ret_verb = order[i];
		return true;
	}
	return false;
}

/* Those that wait for their next attempt were first. */
static void retry_due(struct client *client, int64_t now_ms)
{
	for (struct exchange *at = client->exchanges; at; at = at->next) {
		if (!at->call.easy && at->retry_ms <= now_ms &&
		    bucket_take(&client->bucket, now_ms))
			attempt(client, at, now_ms);
	}
}

static bool is_late(const struct exchange *exchange, int64_t now_ms)
{
	return !exchange->call.easy && exchange->request->ask.deadline_ms <= now_ms;
}

static void end_late(struct client *client, int64_t now_ms)
{
	struct exchange *next;
	struct request *late;

	for (struct exchange *at = client->exchanges; at; at = next) {
		next = at->next;
		if (is_late(at, now_ms))
			finish(client, at);
	}
	for (late = queue_pop_late(&client->queue, now_ms); late;
	     late = queue_pop_late(&client->queue, now_ms))
		tell_early(client, late, SHK_KUBE_UNSENT,
			   "not sent: its turn didn't come before its deadline");
}

static void start_waiting(struct client *client, int64_t now_ms)
{
	enum shk_kube_verb verb;

	while (next_lane(client, &verb) && bucket_take(&client->bucket, now_ms))
		begin(client, queue_pop(&client->queue, verb), now_ms);
}

/* What could go and is still there waits for the bucket. */
static int64_t earliest(struct client *client, int64_t now_ms)
{
	int64_t next = queue_first_deadline_ms(&client->queue);
	enum shk_kube_verb verb;
	bool is_held = next_lane(client, &verb);

	for (const struct exchange *at = client->exchanges; at; at = at->next) {
		if (at->call.easy)
			continue;
		if (at->retry_ms <= now_ms)
			is_held = true;
		else if (at->retry_ms < next)
			next = at->retry_ms;
	}
	if (is_held && bucket_ready_ms(&client->bucket) < next)
		next = bucket_ready_ms(&client->bucket);
	return next;
}

int64_t exchanges_tick(struct client *client, int64_t now_ms)
{
	end_late(client, now_ms);
	retry_due(client, now_ms);
	start_waiting(client, now_ms);
	return earliest(client, now_ms);
}

void exchanges_fini(struct client *client)
{
	struct request *request = queue_pop_late(&client->queue, INT64_MAX);

	while (request) {
		tell_early(client, request, SHK_KUBE_UNSENT, "not sent: shutting down");
		request = queue_pop_late(&client->queue, INT64_MAX);
	}
	while (client->exchanges) {
		struct exchange *exchange = client->exchanges;

		if (exchange->call.easy) {
			exchange->outcome = was_sent(exchange) ? SHK_KUBE_LOST : SHK_KUBE_UNSENT;
			(void)snprintf(exchange->failure, sizeof exchange->failure,
				       "shutting down before the answer");
		}
		finish(client, exchange);
	}
}
