#include "shikiri/wire/watch.h"

#include <string.h>

#include "fields.h"
#include "scanner.h"
#include "tree.h"

/* An object and what stands around it. */
#define MAX_LINE (SHK_LIST_MAX_OBJECT + 1024)

/* One level more than an object may have. */
static const struct shk_scan_limits event_limits = {
    .max_bytes = MAX_LINE,
    .max_depth = 65,
    .max_depth_unread = SCANNER_MAX_DEPTH,
    .max_tokens = 400010,
    .cut_keys = scanner_unread_keys,
};

/* --- lines ---------------------------------------------------------------------------------- */

void shk_lines_fini(struct shk_lines *lines)
{
	shk_buf_fini(&lines->partial);
}

static void keep_partial(struct shk_lines *lines, struct shk_sv bytes)
{
	if (!lines->drops && bytes.len > MAX_LINE - lines->partial.len) {
		lines->drops = true;
		shk_buf_clear(&lines->partial);
	}
	if (!lines->drops && bytes.len > 0)
		shk_buf_add(&lines->partial, bytes.data, bytes.len);
}

bool shk_lines_next(struct shk_lines *lines, struct shk_sv *bytes, struct shk_sv *ret_line)
{
	const char *newline = bytes->len > 0 ? memchr(bytes->data, '\n', bytes->len) : NULL;
	struct shk_sv piece = {.data = bytes->data,
			       .len = newline ? (size_t)(newline - bytes->data) : bytes->len};
	size_t taken = piece.len + (newline ? 1 : 0);

	if (lines->is_handed)
		shk_buf_clear(&lines->partial);
	lines->is_handed = false;
	bytes->data += taken;
	bytes->len -= taken;
	if (!newline || lines->partial.len > 0 || lines->drops || piece.len > MAX_LINE)
		keep_partial(lines, piece);
	if (!newline)
		return false;
	if (lines->drops)
		piece = (struct shk_sv){0};
	else if (lines->partial.len > 0)
		piece = (struct shk_sv){.data = lines->partial.data, .len = lines->partial.len};
	lines->is_handed = true;
	lines->drops = false;
	*ret_line = piece;
	return true;
}

/* --- events --------------------------------------------------------------------------------- */

static enum shk_event_type type_of(struct shk_sv text)
{
	static const char *const names[] = {
	    [SHK_EVENT_ADDED] = "ADDED",     [SHK_EVENT_MODIFIED] = "MODIFIED",
	    [SHK_EVENT_DELETED] = "DELETED", [SHK_EVENT_BOOKMARK] = "BOOKMARK",
	    [SHK_EVENT_ERROR] = "ERROR",
	};

	for (unsigned i = SHK_EVENT_ADDED; i < sizeof names / sizeof names[0]; i++) {
		if (shk_sv_is(text, names[i]))
			return (enum shk_event_type)i;
	}
	return SHK_EVENT_UNKNOWN;
}

static enum shk_status read_member(struct scanner *s, struct shk_sv key, bool *has_type,
				   struct shk_event *event)
{
	struct shk_sv text;
	char first = scanner_peek(s);
	const char *start = s->at;

	if (shk_sv_is(key, "type") && first == '"') {
		enum shk_status status = scanner_string(s, &text);

		*has_type = true;
		event->type = status ? SHK_EVENT_UNKNOWN : type_of(text);
		return status;
	}

	enum shk_status status = scanner_value(s);

	if (!status && shk_sv_is(key, "object") && first == '{')
		event->object = (struct shk_sv){.data = start, .len = (size_t)(s->at - start)};
	return status;
}

static enum shk_status read_event(struct scanner *s, struct shk_event *event)
{
	bool has_type = false;
	bool is_end = false;
	enum shk_status status;

	if (scanner_peek(s) != '{')
		return shk_error_set(s->err, SHK_E_INPUT, "an event that is not an object");
	status = scanner_open(s);
	while (!status && !is_end) {
		struct shk_sv key;

		status = scanner_member(s, &key, &is_end);
		if (!status && !is_end)
			status = read_member(s, key, &has_type, event);
	}
	if (!status)
		status = scanner_end(s);
	if (!status && (!has_type || !event->object.data))
		return shk_error_set(s->err, SHK_E_INPUT, "an event without type and object");
	return status;
}

enum shk_status shk_event_read(struct shk_sv line, struct shk_event *ret_event,
			       struct shk_error *err)
{
	struct scanner s;
	struct shk_event event = {0};
	enum shk_status status = scanner_init(&s, line, &event_limits, err);

	if (!status)
		status = read_event(&s, &event);
	scanner_fini(&s);
	if (!status)
		*ret_event = event;
	return status;
}

/* --- small parts ---------------------------------------------------------------------------- */

enum shk_status shk_object_id_read(struct shk_sv text, struct shk_arena *arena,
				   struct shk_object_id *ret_id, struct shk_error *err)
{
	json_t *tree;
	enum shk_status status = tree_parse_json(text, &shk_scan_object, &tree, err);

	if (status)
		return status;

	const json_t *metadata = json_object_get(tree, "metadata");

	*ret_id = (struct shk_object_id){
	    .kind = shk_arena_strdup(arena, member_text(tree, "kind")),
	    .namespace_ = shk_arena_strdup(arena, member_text(metadata, "namespace")),
	    .name = shk_arena_strdup(arena, member_text(metadata, "name")),
	    .uid = shk_arena_strdup(arena, member_text(metadata, "uid")),
	    .resource_version = shk_arena_strdup(arena, member_text(metadata, "resourceVersion")),
	};
	json_decref(tree);
	return SHK_OK;
}

static bool has_cause(const json_t *details, const char *reason)
{
	const json_t *causes = json_object_get(details, "causes");

	for (size_t i = 0; i < json_array_size(causes); i++) {
		if (shk_str_equals(member_text(json_array_get(causes, i), "reason"), reason))
			return true;
	}
	return false;
}

static int small_number(const json_t *object, const char *key, int otherwise)
{
	const json_t *value = json_object_get(object, key);
	json_int_t number = json_integer_value(value);

	return json_is_integer(value) && number >= 0 && number <= 86400 ? (int)number : otherwise;
}

static const char *text_or_empty(struct shk_arena *arena, const json_t *object, const char *key)
{
	const char *text = member_text(object, key);

	return text ? shk_arena_strdup(arena, text) : "";
}

enum shk_status shk_api_status_read(struct shk_sv text, struct shk_arena *arena,
				    struct shk_api_status *ret_status, struct shk_error *err)
{
	json_t *tree;
	enum shk_status status = tree_parse_json(text, &shk_scan_object, &tree, err);

	if (status)
		return status;

	const json_t *details = json_object_get(tree, "details");

	*ret_status = (struct shk_api_status){
	    .code = small_number(tree, "code", 0),
	    .reason = text_or_empty(arena, tree, "reason"),
	    .message = text_or_empty(arena, tree, "message"),
	    .is_too_large = has_cause(details, "ResourceVersionTooLarge"),
	    .retry_after_s = small_number(details, "retryAfterSeconds", -1),
	};
	json_decref(tree);
	return SHK_OK;
}

/* A backslash takes the next byte with it, so that "\\u0000" stays. */
bool shk_json_mend(struct shk_sv text, struct shk_buf *out)
{
	bool is_mended = false;

	shk_buf_clear(out);
	shk_buf_add(out, text.data, text.len);
	for (size_t i = 0; i + 1 < out->len; i++) {
		char *at = out->data + i;

		if (*at != '\\')
			continue;
		if (out->len - i >= 6 && memcmp(at, "\\u0000", 6) == 0) {
			memcpy(at, "\\uFFFD", 6);
			is_mended = true;
		}
		i++;
	}
	return is_mended;
}
