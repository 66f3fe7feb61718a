#include "client.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/base/clock.h"

#include "outcome.h"

#define OFFER_EVERY_MS  15
#define MAX_ERROR_BYTES ((size_t)64 << 10)

/* --- what libcurl brings -------------------------------------------------------------------- */

static bool is_success(int status)
{
	return status >= 200 && status <= 299;
}

static void note_head(struct stream *stream)
{
	long status = 0;

	(void)curl_easy_getinfo(stream->call.easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200) /* others follow */
		return;
	stream->status = (int)status;
	reflector_head(stream->reflector, stream->status, stream->retry_after_s,
		       shk_clock_boot_ms());
}

/* libcurl says what the parameters are. NOLINTNEXTLINE(readability-non-const-parameter) */
static size_t take_header(char *data, size_t size, size_t n, void *context)
{
	struct stream *stream = context;
	struct shk_sv line = {.data = data, .len = size * n};

	if (!outcome_header(line, &stream->retry_after_s) && line.len <= 2 && stream->status == 0)
		note_head(stream);
	return line.len;
}

/* libcurl says what the parameters are. NOLINTNEXTLINE(readability-non-const-parameter) */
static size_t take_body(char *data, size_t size, size_t n, void *context)
{
	struct stream *stream = context;
	struct shk_sv bytes = {.data = data, .len = size * n};
	struct shk_error err = {0};

	if (stream->is_blocked) {
		stream->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	if (!is_success(stream->status)) {
		stream->error_bytes += bytes.len;
		if (stream->error_bytes > MAX_ERROR_BYTES)
			return bytes.len;
	}
	if (reflector_feed(stream->reflector, bytes, shk_clock_boot_ms(), stream->facts, &err)) {
		(void)snprintf(stream->failure, sizeof stream->failure, "%.255s", err.text);
		return 0;
	}
	return bytes.len;
}

/* --- facts ----------------------------------------------------------------------------------- */

static void note_listed(struct stream *stream, int64_t now_ms)
{
	struct shk_kube_kind_health health;

	reflector_health(stream->reflector, now_ms, &health);
	stream->was_listed = health.listed;
}

static void resume(struct stream *stream)
{
	if (!stream->is_paused)
		return;
	stream->is_paused = false;
	/* May call take_body at once. */
	(void)curl_easy_pause(stream->call.easy, CURLPAUSE_CONT);
}

/* false: the sink has no room for them. */
static bool give(struct client *client, struct stream *stream)
{
	if (stream->facts->n == 0)
		return true;
	if (!client->sink.facts(client->sink.context, stream->facts))
		return false;
	stream->facts = shk_facts_new(); /* the others are the sink's */
	return true;
}

static void hand_over(struct client *client, struct stream *stream, int64_t now_ms)
{
	if (stream->is_blocked && now_ms < stream->offer_ms)
		return;
	stream->is_blocked = !give(client, stream);
	if (stream->is_blocked) {
		stream->offer_ms = now_ms + OFFER_EVERY_MS;
		return;
	}
	note_listed(stream, now_ms);
	resume(stream);
}

/* --- begin and end --------------------------------------------------------------------------- */

static void begin(struct client *client, struct stream *stream, const char *path)
{
	CURL *easy;

	stream->status = 0;
	stream->retry_after_s = -1;
	stream->error_bytes = 0;
	stream->failure[0] = '\0';
	call_open(&stream->call, &client->transport, path, NULL);
	call_make_stream(&stream->call);
	easy = stream->call.easy;
	(void)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	(void)curl_easy_setopt(easy, CURLOPT_HEADERDATA, stream);
	(void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	(void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, stream);
	call_begin(&stream->call, client->multi);
}

static void end(struct client *client, struct stream *stream, const char *failure, int64_t now_ms)
{
	call_close(&stream->call, client->multi);
	stream->is_paused = false;
	if (stream->status == 401)
		(void)credentials_refresh_token(client->credentials, now_ms);
	reflector_ended(stream->reflector, failure, now_ms, stream->facts);
	hand_over(client, stream, now_ms);
}

bool streams_ended(struct client *client, const CURL *easy, CURLcode code, int64_t now_ms)
{
	for (size_t i = 0; i < SHK_KUBE_KIND_COUNT; i++) {
		struct stream *stream = &client->streams[i];

		if (stream->call.easy != easy)
			continue;
		/* A reason of the reflector's own is the better one. */
		if (code != CURLE_OK && !stream->failure[0])
			(void)snprintf(stream->failure, sizeof stream->failure, "%.255s",
				       call_error(&stream->call, code));
		end(client, stream, code == CURLE_OK ? NULL : stream->failure, now_ms);
		return true;
	}
	return false;
}

static int64_t tick_one(struct client *client, struct stream *stream, int64_t now_ms)
{
	const char *path;
	int64_t at_ms;

	hand_over(client, stream, now_ms);
	if (stream->is_blocked)
		return stream->offer_ms;
	if (stream->call.easy && now_ms >= reflector_silence_ms(stream->reflector))
		end(client, stream, "the server fell silent", now_ms);
	if (stream->call.easy)
		return reflector_silence_ms(stream->reflector);
	if (stream->is_blocked || !reflector_due(stream->reflector, now_ms, &path, &at_ms))
		return stream->is_blocked ? stream->offer_ms : at_ms;
	begin(client, stream, path);
	return now_ms;
}

int64_t streams_tick(struct client *client, int64_t now_ms)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < SHK_KUBE_KIND_COUNT; i++) {
		int64_t at_ms = tick_one(client, &client->streams[i], now_ms);

		next = at_ms < next ? at_ms : next;
	}
	return next;
}

void streams_init(struct client *client, int64_t now_ms)
{
	for (size_t i = 0; i < SHK_KUBE_KIND_COUNT; i++) {
		struct stream *stream = &client->streams[i];

		stream->kind = (enum shk_kube_kind)i;
		stream->facts = shk_facts_new();
		stream->reflector =
		    reflector_new(stream->kind, (uint64_t)shk_clock_boot_us() + i, now_ms);
	}
}

void streams_fini(struct client *client)
{
	for (size_t i = 0; i < SHK_KUBE_KIND_COUNT; i++) {
		struct stream *stream = &client->streams[i];

		call_close(&stream->call, client->multi);
		reflector_free(stream->reflector);
		shk_facts_free(stream->facts);
	}
}
