#include "tree.h"

#include <stdbool.h>
#include <string.h>

#include <yaml.h>

#include "shikiri/base/arena.h"

#include "text.h"
#include "yaml_scalar.h"

#define MAX_BYTES  ((size_t)1 << 20)
#define MAX_DEPTH  64
#define MAX_TOKENS ((size_t)400000)

struct frame {
	json_t *container; /* borrowed: what holds it owns it */
	const char *key;   /* of an object: waits for its value */
};

struct reader {
	yaml_parser_t parser;
	struct shk_arena keys;
	struct shk_error *err;
	json_t *documents;
	struct frame frames[MAX_DEPTH];
	unsigned depth;
	size_t tokens;
	bool is_done;
};

static enum shk_status SHK_PRINTF(4, 5)
    fail(struct reader *r, enum shk_status status, size_t line, const char *fmt, ...);

static enum shk_status fail(struct reader *r, enum shk_status status, size_t line, const char *fmt,
			    ...)
{
	char place[32];
	char text[256];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	(void)snprintf(place, sizeof place, "line %zu", line + 1);
	return shk_error_at(r->err, status, place, "%s", text);
}

static enum shk_status parser_failed(struct reader *r)
{
	const char *problem = r->parser.problem ? r->parser.problem : "unreadable";
	size_t line = r->parser.problem_mark.line;

	if (r->parser.error == YAML_MEMORY_ERROR)
		return tree_no_memory(r->err);
	if (r->parser.error == YAML_READER_ERROR)
		return shk_error_set(r->err, SHK_E_INPUT, "not valid YAML: %s at byte %zu", problem,
				     r->parser.problem_offset);
	return fail(r, SHK_E_INPUT, line, "not valid YAML: %s", problem);
}

static struct frame *top(struct reader *r)
{
	return r->depth > 0 ? &r->frames[r->depth - 1] : NULL;
}

static bool expects_key(struct reader *r)
{
	const struct frame *frame = top(r);

	return frame && json_is_object(frame->container) && !frame->key;
}

/* Takes value, also when it fails. NULL is the library's failed allocation. */
static enum shk_status add(struct reader *r, json_t *value)
{
	struct frame *frame = top(r);
	int failed;

	if (!value)
		return tree_no_memory(r->err);
	if (!frame || json_is_array(frame->container)) {
		failed = json_array_append_new(frame ? frame->container : r->documents, value);
	} else {
		failed = json_object_set_new_nocheck(frame->container, frame->key, value);
		frame->key = NULL;
	}
	return failed ? tree_no_memory(r->err) : SHK_OK;
}

static enum shk_status open_container(struct reader *r, json_t *container, size_t line)
{
	if (expects_key(r)) {
		json_decref(container);
		return fail(r, SHK_E_INPUT, line, "a list or an object can't be a key");
	}
	if (r->depth == MAX_DEPTH) {
		json_decref(container);
		return fail(r, SHK_E_LIMIT, line, "nested more than %d deep", MAX_DEPTH);
	}

	enum shk_status status = add(r, container);

	if (!status)
		r->frames[r->depth++] = (struct frame){.container = container};
	return status;
}

static enum shk_status take_key(struct reader *r, struct shk_sv text, bool is_plain, size_t line)
{
	char quoted[TEXT_QUOTED_SIZE];
	int64_t integer;
	double real;
	struct frame *frame = top(r);

	if (is_plain && shk_sv_is(text, "<<"))
		return fail(r, SHK_E_INPUT, line, "merge keys (<<) are not allowed");
	if (is_plain && yaml_scalar_read(text, &integer, &real) == YAML_SCALAR_NULL)
		return fail(r, SHK_E_INPUT, line, "a key is missing");
	frame->key = shk_arena_strndup(&r->keys, text.data, text.len);
	if (json_object_get(frame->container, frame->key))
		return fail(r, SHK_E_INPUT, line, "duplicate key %s", text_quote(text, quoted));
	return SHK_OK;
}

static enum shk_status take_plain(struct reader *r, struct shk_sv text, size_t line)
{
	int64_t integer = 0;
	double real = 0;

	switch (yaml_scalar_read(text, &integer, &real)) {
	case YAML_SCALAR_NULL:
		return r->depth == 0 ? SHK_OK : add(r, json_null()); /* an empty document */
	case YAML_SCALAR_TRUE:
		return add(r, json_true());
	case YAML_SCALAR_FALSE:
		return add(r, json_false());
	case YAML_SCALAR_INTEGER:
		return add(r, json_integer(integer));
	case YAML_SCALAR_REAL:
		return add(r, json_real(real));
	case YAML_SCALAR_NOT_FINITE:
		return fail(r, SHK_E_INPUT, line, "infinity and NaN are not allowed");
	case YAML_SCALAR_TOO_LARGE:
		return fail(r, SHK_E_INPUT, line, "an integer of more than 64 bits");
	case YAML_SCALAR_STRING:
		break;
	}
	return add(r, json_stringn_nocheck(text.data, text.len));
}

static enum shk_status take_scalar(struct reader *r, const yaml_event_t *event)
{
	size_t line = event->start_mark.line;
	bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	struct shk_sv text = {
	    .data = (const char *)event->data.scalar.value,
	    .len = event->data.scalar.length,
	};

	if (event->data.scalar.tag)
		return fail(r, SHK_E_INPUT, line, "tags are not allowed");
	if (memchr(text.data, '\0', text.len))
		return fail(r, SHK_E_INPUT, line, "a NUL character in a string");
	if (expects_key(r))
		return take_key(r, text, is_plain, line);
	if (is_plain)
		return take_plain(r, text, line);
	return add(r, json_stringn_nocheck(text.data, text.len));
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
	if (event->type == YAML_SCALAR_EVENT)
		return event->data.scalar.anchor;
	if (event->type == YAML_SEQUENCE_START_EVENT)
		return event->data.sequence_start.anchor;
	if (event->type == YAML_MAPPING_START_EVENT)
		return event->data.mapping_start.anchor;
	return NULL;
}

static enum shk_status take_event(struct reader *r, const yaml_event_t *event)
{
	size_t line = event->start_mark.line;

	if (anchor_of(event) || event->type == YAML_ALIAS_EVENT)
		return fail(r, SHK_E_INPUT, line, "anchors and aliases are not allowed");
	if (r->tokens++ >= MAX_TOKENS)
		return shk_error_set(r->err, SHK_E_LIMIT, "more than %zu values and keys",
				     MAX_TOKENS);

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return take_scalar(r, event);
	case YAML_SEQUENCE_START_EVENT:
		if (event->data.sequence_start.tag)
			return fail(r, SHK_E_INPUT, line, "tags are not allowed");
		return open_container(r, json_array(), line);
	case YAML_MAPPING_START_EVENT:
		if (event->data.mapping_start.tag)
			return fail(r, SHK_E_INPUT, line, "tags are not allowed");
		return open_container(r, json_object(), line);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		return SHK_OK;
	case YAML_STREAM_END_EVENT:
		r->is_done = true;
		return SHK_OK;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_ALIAS_EVENT:
		break;
	}
	return SHK_OK;
}

static enum shk_status read_stream(struct reader *r)
{
	while (!r->is_done) {
		yaml_event_t event;

		if (!yaml_parser_parse(&r->parser, &event))
			return parser_failed(r);

		enum shk_status status = take_event(r, &event);

		yaml_event_delete(&event);
		if (status)
			return status;
	}
	return SHK_OK;
}

enum shk_status tree_parse_yaml(struct shk_sv text, json_t **ret_list, struct shk_error *err)
{
	struct reader r = {.err = err};

	if (text.len > MAX_BYTES)
		return shk_error_set(err, SHK_E_LIMIT, "more than %zu bytes of YAML", MAX_BYTES);
	if (!yaml_parser_initialize(&r.parser))
		return tree_no_memory(err);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.data, text.len);
	shk_arena_init(&r.keys, 0);
	r.documents = json_array();

	enum shk_status status = r.documents ? read_stream(&r) : tree_no_memory(err);

	if (status)
		json_decref(r.documents);
	else
		*ret_list = r.documents;
	shk_arena_fini(&r.keys);
	yaml_parser_delete(&r.parser);
	return status;
}
