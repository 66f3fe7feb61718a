/* reading.c - the bytes of lists and watches into facts. */
#include "reflector_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intake.h"

#define LARGEST_STATUS ((size_t)64 << 10) /* of a body that isn't 2xx; the rest is passed over */

static void note_unread(struct reflector *reflector, const struct shk_error *err)
{
	char text[200];

	reflector->unread++;
	(void)snprintf(reflector->unread_error, sizeof reflector->unread_error,
		       "an object can't be read: %s", shk_error_print(err, text, sizeof text));
}

static void add_key(struct reflector *reflector, const char *key)
{
	if (reflector->n_keys == reflector->cap_keys) {
		size_t cap = reflector->cap_keys ? reflector->cap_keys * 2 : 64;
		const char **keys = realloc(reflector->keys, cap * sizeof *keys);

		if (!keys)
			abort();
		reflector->keys = keys;
		reflector->cap_keys = cap;
	}
	reflector->keys[reflector->n_keys++] = shk_arena_strdup(&reflector->keys_arena, key);
}

/* An item without a name can't be kept among the listed, so what it was would count as gone:
 * such a list is worth nothing. */
static enum shk_status take_item(void *context, struct shk_sv item, struct shk_error *err)
{
	struct reflector *reflector = context;
	struct intake_object object;
	enum intake intake =
	    intake_object(reflector->kind, SHK_FACT_PUT, item, reflector->facts, &object, err);

	switch (intake) {
	case INTAKE_BAD:
		return shk_error_wrap(err, "the list has an item without a name");
	case INTAKE_OTHER:
		return shk_error_set(err, SHK_E_INPUT, "the list has an item of another kind");
	case INTAKE_BLIND:
		reflector->list_has_unread = true;
		note_unread(reflector, err);
		break;
	case INTAKE_GOOD:
		break;
	}
	if (reflector->n_keys == SHK_LIST_MAX_ITEMS)
		return shk_error_set(err, SHK_E_LIMIT, "lists of more than %zu items",
				     SHK_LIST_MAX_ITEMS);
	add_key(reflector, object.key);
	return SHK_OK;
}

void reflector_forget_list(struct reflector *reflector)
{
	shk_buf_clear(&reflector->token);
	shk_arena_reset(&reflector->keys_arena);
	reflector->n_keys = 0;
	reflector->list_has_unread = false;
}

void reflector_begin_reading(struct reflector *reflector)
{
	shk_buf_clear(&reflector->body);
	shk_list_reader_free(reflector->reader);
	reflector->reader = NULL;
	shk_lines_fini(&reflector->lines);
	reflector->lines = (struct shk_lines){0};
	if (reflector->step == STEP_LIST)
		reflector->reader = shk_list_reader_new(take_item, reflector);
}

void reflector_add_listed(struct reflector *reflector, const char *version, struct shk_facts *facts)
{
	size_t n = reflector->n_keys;
	const char **keys = SHK_NEW_ARRAY(&facts->arena, n, const char *);

	for (size_t i = 0; i < n; i++)
		keys[i] = shk_arena_strdup(&facts->arena, reflector->keys[i]);
	qsort(keys, n, sizeof *keys, shk_str_compare);
	shk_facts_add(facts, reflector->kind, SHK_FACT_LISTED)->listed = (struct shk_listed){
	    .keys = keys,
	    .n = n,
	    .version = shk_arena_strdup(&facts->arena, version),
	};
}

/* --- watches -------------------------------------------------------------------------------- */

static void take_version(struct reflector *reflector, const char *version, int64_t now_ms)
{
	size_t len = version ? strlen(version) : 0;

	reflector->has_news = true;
	reflector->expired_before = false;
	reflector->internal_errors = 0;
	reflector->news_ms = now_ms;
	reflector->error[0] = '\0';
	if (len > 0 && len <= SHK_MAX_VERSION)
		memcpy(reflector->version, version, len + 1);
}

static void take_change(struct reflector *reflector, enum shk_fact_op op, struct shk_sv text,
			int64_t now_ms)
{
	struct intake_object object;
	struct shk_error err;
	enum intake intake =
	    intake_object(reflector->kind, op, text, reflector->facts, &object, &err);

	if (intake == INTAKE_BAD || intake == INTAKE_BLIND)
		note_unread(reflector, &err);
	if (intake == INTAKE_BLIND || intake == INTAKE_GOOD)
		take_version(reflector, object.version, now_ms);
}

static void take_bookmark(struct reflector *reflector, struct shk_sv text, int64_t now_ms)
{
	const char *version;
	struct shk_error err;
	enum intake intake =
	    intake_bookmark(reflector->kind, text, reflector->facts, &version, &err);

	if (intake == INTAKE_BAD)
		note_unread(reflector, &err);
	if (intake == INTAKE_GOOD)
		take_version(reflector, version, now_ms);
}

static enum shk_status take_error(struct reflector *reflector, struct shk_sv text,
				  struct shk_error *err)
{
	struct shk_api_status answer;
	enum shk_status status = shk_api_status_read(text, &reflector->facts->arena, &answer, err);

	if (status)
		return status;
	reflector->verdict = reflector_judge(answer.code, &answer);
	reflector->retry_after_s = answer.retry_after_s;
	return shk_error_set(err, SHK_E_UNAVAILABLE, "the watch was ended with %d %.64s: %.128s",
			     answer.code, answer.reason, answer.message);
}

static enum shk_status take_event(struct reflector *reflector, const struct shk_event *event,
				  int64_t now_ms, struct shk_error *err)
{
	switch (event->type) {
	case SHK_EVENT_ADDED:
	case SHK_EVENT_MODIFIED:
		take_change(reflector, SHK_FACT_PUT, event->object, now_ms);
		return SHK_OK;
	case SHK_EVENT_DELETED:
		take_change(reflector, SHK_FACT_GONE, event->object, now_ms);
		return SHK_OK;
	case SHK_EVENT_BOOKMARK:
		take_bookmark(reflector, event->object, now_ms);
		return SHK_OK;
	case SHK_EVENT_ERROR:
		return take_error(reflector, event->object, err);
	case SHK_EVENT_UNKNOWN:
		break;
	}
	(void)shk_error_set(err, SHK_E_INPUT, "an event of an unknown type");
	note_unread(reflector, err);
	return SHK_OK;
}

static enum shk_status take_line(struct reflector *reflector, struct shk_sv line, int64_t now_ms,
				 struct shk_error *err)
{
	struct shk_event event;
	enum shk_status status = shk_event_read(line, &event, err);

	if (status && shk_json_mend(line, &reflector->mended)) {
		line =
		    (struct shk_sv){.data = reflector->mended.data, .len = reflector->mended.len};
		status = shk_event_read(line, &event, err);
	}
	if (!status)
		return take_event(reflector, &event, now_ms, err);
	note_unread(reflector, err);
	return SHK_OK;
}

static enum shk_status read_watch(struct reflector *reflector, struct shk_sv bytes, int64_t now_ms,
				  struct shk_error *err)
{
	struct shk_sv line;
	enum shk_status status = SHK_OK;

	while (!status && shk_lines_next(&reflector->lines, &bytes, &line))
		status = take_line(reflector, line, now_ms, err);
	return status;
}

/* --- both ----------------------------------------------------------------------------------- */

static void keep_body(struct reflector *reflector, struct shk_sv bytes)
{
	size_t room = LARGEST_STATUS - reflector->body.len;

	shk_buf_add(&reflector->body, bytes.data, bytes.len < room ? bytes.len : room);
}

enum shk_status reflector_read(struct reflector *reflector, struct shk_sv bytes, int64_t now_ms,
			       struct shk_error *err)
{
	if (reflector->http_status / 100 != 2) {
		keep_body(reflector, bytes);
		return SHK_OK;
	}
	if (reflector->step == STEP_LIST)
		return shk_list_reader_feed(reflector->reader, bytes, err);
	return read_watch(reflector, bytes, now_ms, err);
}
