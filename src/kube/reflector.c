#include "reflector.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reflector_state.h"

#define LIST_SILENCE_MS       INT64_C(60000)
#define WATCH_SILENCE_MS      INT64_C(150000) /* bookmarks come about once a minute */
#define SHORTEST_WATCH_MS     INT64_C(1000)
#define LONGEST_RETRY_AFTER_S 120
#define MAX_INTERNAL_ERRORS   3

struct reflector *reflector_new(enum shk_kube_kind kind, uint64_t seed, int64_t now_ms)
{
	struct reflector *reflector = calloc(1, sizeof *reflector);

	if (!reflector)
		abort();
	reflector->kind = kind;
	reflector->backoff.random = seed;
	reflector->backoff.last_ms = now_ms;
	reflector->due_ms = now_ms;
	reflector->news_ms = now_ms;
	shk_arena_init(&reflector->keys_arena, 0);
	return reflector;
}

void reflector_free(struct reflector *reflector)
{
	if (!reflector)
		return;
	shk_list_reader_free(reflector->reader);
	shk_lines_fini(&reflector->lines);
	shk_arena_fini(&reflector->keys_arena);
	shk_buf_fini(&reflector->path);
	shk_buf_fini(&reflector->body);
	shk_buf_fini(&reflector->token);
	shk_buf_fini(&reflector->mended);
	free(reflector->keys);
	free(reflector);
}

bool reflector_due(struct reflector *reflector, int64_t now_ms, const char **ret_path,
		   int64_t *ret_at_ms)
{
	*ret_at_ms = reflector->is_under_way ? INT64_MAX : reflector->due_ms;
	if (now_ms < *ret_at_ms)
		return false;
	if (reflector->step == STEP_LIST && reflector->token.len == 0)
		reflector_forget_list(reflector);
	reflector_make_path(reflector);
	reflector_begin_reading(reflector);
	reflector->is_under_way = true;
	reflector->http_status = 0;
	reflector->retry_after_s = -1;
	reflector->began_ms = now_ms;
	reflector->last_byte_ms = now_ms;
	reflector->has_news = false;
	reflector->has_failed = false;
	*ret_path = reflector->path.data;
	return true;
}

void reflector_head(struct reflector *reflector, int http_status, int retry_after_s, int64_t now_ms)
{
	assert(reflector->is_under_way);
	reflector->http_status = http_status;
	reflector->retry_after_s = retry_after_s;
	reflector->last_byte_ms = now_ms;
}

enum shk_status reflector_feed(struct reflector *reflector, struct shk_sv bytes, int64_t now_ms,
			       struct shk_facts *facts, struct shk_error *err)
{
	assert(reflector->is_under_way);
	if (reflector->has_failed)
		return shk_error_set(err, SHK_E_UNAVAILABLE, "%s", reflector->fault);
	reflector->last_byte_ms = now_ms;
	reflector->facts = facts;
	reflector->verdict = VERDICT_RETRY;

	enum shk_status status = reflector_read(reflector, bytes, now_ms, err);

	reflector->facts = NULL;
	if (!status)
		return SHK_OK;
	reflector->has_failed = true;
	(void)shk_error_print(err, reflector->fault, sizeof reflector->fault);
	return status;
}

/* --- the end of a transfer ------------------------------------------------------------------ */

static void fail(struct reflector *reflector, const char *why, int64_t now_ms)
{
	int64_t delay = backoff_fail(&reflector->backoff, now_ms);
	int64_t wanted_s = reflector->retry_after_s;

	if (wanted_s > LONGEST_RETRY_AFTER_S)
		wanted_s = LONGEST_RETRY_AFTER_S;
	if (delay < wanted_s * 1000)
		delay = wanted_s * 1000;
	reflector->failures++;
	reflector->due_ms = now_ms + delay;
	(void)snprintf(reflector->error, sizeof reflector->error, "%s: %s",
		       reflector->step == STEP_LIST ? "list" : "watch", why);
}

static void relist(struct reflector *reflector, enum reflector_from from)
{
	reflector->step = STEP_LIST;
	reflector->from = from;
	reflector_forget_list(reflector);
}

static bool is_gone(enum reflector_verdict verdict)
{
	return verdict == VERDICT_EXPIRED || verdict == VERDICT_TOO_LARGE;
}

static enum reflector_from next_from(const struct reflector *reflector)
{
	enum reflector_verdict verdict = reflector->verdict;
	bool is_refused = verdict == VERDICT_REFUSED && reflector->from == FROM_KNOWN;

	if (is_gone(verdict) && reflector->token.len > 0)
		return FROM_NEWEST_WHOLE;
	if (is_refused || (is_gone(verdict) && reflector->from < FROM_NEWEST))
		return FROM_NEWEST;
	return reflector->from;
}

/* A version or a page that the server doesn't have is no reason to wait: what is asked next is
 * another thing, and the last of them is asked only once without a delay. */
static void after_failed_list(struct reflector *reflector, int64_t now_ms)
{
	enum reflector_from from = next_from(reflector);

	if (from != reflector->from && is_gone(reflector->verdict))
		reflector->due_ms = now_ms;
	relist(reflector, from);
}

static void after_failed_watch(struct reflector *reflector)
{
	switch (reflector->verdict) {
	case VERDICT_RETRY:
		return;
	case VERDICT_EXPIRED:
		relist(reflector, reflector->expired_before ? FROM_NEWEST : FROM_KNOWN);
		reflector->expired_before = true;
		return;
	case VERDICT_TOO_LARGE:
		relist(reflector, FROM_NEWEST);
		return;
	case VERDICT_INTERNAL:
		if (reflector->internal_errors++ < MAX_INTERNAL_ERRORS)
			return;
		reflector->internal_errors = 0;
		relist(reflector, FROM_KNOWN);
		return;
	case VERDICT_REFUSED:
		relist(reflector, FROM_KNOWN);
		return;
	}
}

static void go_on_after(struct reflector *reflector, const char *why, int64_t now_ms)
{
	fail(reflector, why, now_ms);
	if (reflector->step == STEP_LIST)
		after_failed_list(reflector, now_ms);
	else
		after_failed_watch(reflector);
}

/* An answer with another status than 2xx; its body is a Status, if it is of the API server and
 * not of something in between. A server that fails as a whole says nothing about our version. */
static void refused(struct reflector *reflector, int64_t now_ms)
{
	struct shk_arena arena = {0};
	struct shk_api_status answer;
	struct shk_error err;
	struct shk_sv body = {.data = reflector->body.data, .len = reflector->body.len};
	bool is_read = body.len > 0 && shk_api_status_read(body, &arena, &answer, &err) == SHK_OK;
	int code = reflector->http_status;
	char why[256];

	reflector->verdict = reflector_judge(code, is_read ? &answer : NULL);
	if (reflector->verdict == VERDICT_INTERNAL)
		reflector->verdict = VERDICT_RETRY;
	(void)snprintf(why, sizeof why, "answered with %d%s%.200s", code, is_read ? ": " : "",
		       is_read ? answer.message : "");
	shk_arena_fini(&arena);
	go_on_after(reflector, why, now_ms);
}

static void list_is_complete(struct reflector *reflector, const struct shk_list_end *end,
			     int64_t now_ms, struct shk_facts *facts)
{
	reflector_add_listed(reflector, end->resource_version, facts);
	(void)snprintf(reflector->version, sizeof reflector->version, "%s", end->resource_version);
	if (!reflector->list_has_unread)
		reflector->unread_error[0] = '\0';
	reflector_forget_list(reflector);
	reflector->n_lists++;
	reflector->news_ms = now_ms;
	reflector->error[0] = '\0';
	reflector->step = STEP_WATCH;
	reflector->from = FROM_KNOWN;
}

static void list_ended(struct reflector *reflector, int64_t now_ms, struct shk_facts *facts)
{
	struct shk_list_end end;
	struct shk_error err;
	enum shk_status status = shk_list_reader_end(reflector->reader, &end, &err);

	if (!status && !end.resource_version[0])
		status = shk_error_set(&err, SHK_E_INPUT, "the list has no resourceVersion");
	if (status) {
		reflector->verdict = VERDICT_RETRY;
		go_on_after(reflector, err.text, now_ms);
		return;
	}
	reflector->due_ms = now_ms;
	if (!end.continue_token[0]) {
		list_is_complete(reflector, &end, now_ms, facts);
		return;
	}
	shk_buf_clear(&reflector->token);
	shk_buf_puts(&reflector->token, end.continue_token);
}

/* Not more than one watch a second, whatever the server does. */
static void watch_ended(struct reflector *reflector, int64_t now_ms)
{
	bool is_short = now_ms - reflector->began_ms < SHORTEST_WATCH_MS;

	if (is_short && !reflector->has_news) {
		reflector->verdict = VERDICT_RETRY;
		go_on_after(reflector, "ended at once and without an event", now_ms);
		return;
	}
	reflector->error[0] = '\0';
	reflector->due_ms = is_short ? reflector->began_ms + SHORTEST_WATCH_MS : now_ms;
}

void reflector_ended(struct reflector *reflector, const char *failure, int64_t now_ms,
		     struct shk_facts *facts)
{
	assert(reflector->is_under_way);
	reflector->is_under_way = false;
	if (reflector->has_failed) {
		go_on_after(reflector, reflector->fault, now_ms);
		return;
	}
	if (reflector->http_status / 100 != 2 && reflector->http_status != 0) {
		refused(reflector, now_ms);
		return;
	}
	reflector->verdict = VERDICT_RETRY;
	if (failure || reflector->http_status == 0)
		go_on_after(reflector, failure ? failure : "no answer", now_ms);
	else if (reflector->step == STEP_LIST)
		list_ended(reflector, now_ms, facts);
	else
		watch_ended(reflector, now_ms);
}

/* --- how it is going ------------------------------------------------------------------------ */

int64_t reflector_silence_ms(const struct reflector *reflector)
{
	if (!reflector->is_under_way)
		return INT64_MAX;
	return reflector->last_byte_ms +
	       (reflector->step == STEP_LIST ? LIST_SILENCE_MS : WATCH_SILENCE_MS);
}

void reflector_health(const struct reflector *reflector, int64_t now_ms,
		      struct shk_kube_kind_health *ret_health)
{
	*ret_health = (struct shk_kube_kind_health){
	    .listed = reflector->n_lists > 0,
	    .age_ms = now_ms - reflector->news_ms,
	    .relists = reflector->n_lists > 0 ? reflector->n_lists - 1 : 0,
	};
}

const char *reflector_error(const struct reflector *reflector)
{
	return reflector->error[0] ? reflector->error : reflector->unread_error;
}

uint64_t reflector_failures(const struct reflector *reflector)
{
	return reflector->failures;
}

uint64_t reflector_unread(const struct reflector *reflector)
{
	return reflector->unread;
}
