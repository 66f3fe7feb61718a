/* list.c - a list object in pieces: its members around the items, and the items one by one. */
#include "shikiri/wire/watch.h"

#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "scanner.h"
#include "split.h"
#include "tree.h"

#define MAX_MEMBERS 32 /* real lists have four */

enum place {
	PLACE_START = 0,
	PLACE_FIRST_KEY, /* or the closing brace */
	PLACE_KEY,
	PLACE_COLON,
	PLACE_VALUE,
	PLACE_AFTER_VALUE,
	PLACE_FIRST_ITEM, /* or the closing bracket */
	PLACE_ITEM,
	PLACE_AFTER_ITEM,
	PLACE_END,
};

struct shk_list_reader {
	shk_list_taker *take;
	void *context;
	enum place place;
	bool in_value;            /* a key, a value or an item is under way */
	struct splitter splitter; /* of it */
	struct shk_buf partial;   /* what came of it before */
	const char *keys[MAX_MEMBERS];
	size_t n_keys;
	bool has_items;
	bool has_metadata;
	struct shk_list_end end;
	struct shk_arena arena;
};

struct shk_list_reader *shk_list_reader_new(shk_list_taker *take, void *context)
{
	struct shk_list_reader *reader = calloc(1, sizeof *reader);

	if (!reader)
		abort();
	reader->take = take;
	reader->context = context;
	reader->end.resource_version = "";
	reader->end.continue_token = "";
	shk_arena_init(&reader->arena, 0);
	return reader;
}

void shk_list_reader_free(struct shk_list_reader *reader)
{
	if (!reader)
		return;
	shk_buf_fini(&reader->partial);
	shk_arena_fini(&reader->arena);
	free(reader);
}

/* --- whole values --------------------------------------------------------------------------- */

static const struct field metadata_fields[] = {
    {.key = "resourceVersion",
     .read = read_text,
     .offset = offsetof(struct shk_list_end, resource_version)},
    {.key = "continue", .read = read_text, .offset = offsetof(struct shk_list_end, continue_token)},
};

static const struct shape metadata_shape = {SHAPE_FIELDS(metadata_fields)};

static enum shk_status take_metadata(struct shk_list_reader *reader, struct shk_sv text,
				     struct shk_error *err)
{
	struct spot root = spot_root(&reader->arena, err);
	struct spot spot = spot_key(&root, "metadata");
	json_t *tree;
	enum shk_status status = tree_parse_json(text, &shk_scan_object, &tree, err);

	if (status)
		return status;
	status = decode_object(&spot, tree, &metadata_shape, &reader->end);
	json_decref(tree);
	if (status)
		return status;
	if (strlen(reader->end.resource_version) > SHK_MAX_VERSION)
		return shk_error_set(err, SHK_E_LIMIT, "a resourceVersion of more than %zu bytes",
				     SHK_MAX_VERSION);
	if (strlen(reader->end.continue_token) > SHK_LIST_MAX_CONTINUE)
		return shk_error_set(err, SHK_E_LIMIT, "a continue token of more than %zu bytes",
				     SHK_LIST_MAX_CONTINUE);
	reader->has_metadata = true;
	return SHK_OK;
}

static enum shk_status take_member(struct shk_list_reader *reader, struct shk_sv text,
				   struct shk_error *err)
{
	const char *key = reader->keys[reader->n_keys - 1];

	if (strcmp(key, "metadata") == 0)
		return take_metadata(reader, text, err);
	if (strcmp(key, "items") == 0) {
		reader->has_items = shk_sv_is(text, "null");
		return reader->has_items ? SHK_OK
					 : shk_error_at(err, SHK_E_INPUT, "/items", "not a list");
	}
	return shk_scan(text, &shk_scan_object, NULL, err);
}

static enum shk_status unquote(struct shk_list_reader *reader, struct shk_sv text,
			       const char **ret_key, struct shk_error *err)
{
	struct scanner s;
	struct shk_sv key;
	enum shk_status status = scanner_init(&s, text, &shk_scan_object, err);

	if (!status)
		status = scanner_string(&s, &key);
	if (!status)
		*ret_key = shk_arena_strndup(&reader->arena, key.data, key.len);
	scanner_fini(&s);
	return status;
}

static enum shk_status take_key(struct shk_list_reader *reader, struct shk_sv text,
				struct shk_error *err)
{
	const char *key;

	if (reader->n_keys == MAX_MEMBERS)
		return shk_error_set(err, SHK_E_LIMIT, "a list of more than %d members",
				     MAX_MEMBERS);

	enum shk_status status = unquote(reader, text, &key, err);

	if (status)
		return status;
	for (size_t i = 0; i < reader->n_keys; i++) {
		if (strcmp(reader->keys[i], key) == 0)
			return shk_error_set(err, SHK_E_INPUT, "the list has a key twice");
	}
	reader->keys[reader->n_keys++] = key;
	return SHK_OK;
}

static enum shk_status take_item(struct shk_list_reader *reader, struct shk_sv text,
				 struct shk_error *err)
{
	if (reader->end.n_items == SHK_LIST_MAX_ITEMS)
		return shk_error_set(err, SHK_E_LIMIT, "a list of more than %zu items",
				     SHK_LIST_MAX_ITEMS);
	reader->end.n_items++;
	return reader->take(reader->context, text, err);
}

static enum shk_status take_value(struct shk_list_reader *reader, struct shk_sv text,
				  struct shk_error *err)
{
	enum place place = reader->place;

	if (place == PLACE_FIRST_KEY || place == PLACE_KEY) {
		reader->place = PLACE_COLON;
		return take_key(reader, text, err);
	}
	if (place == PLACE_VALUE) {
		reader->place = PLACE_AFTER_VALUE;
		return take_member(reader, text, err);
	}
	reader->place = PLACE_AFTER_ITEM;
	return take_item(reader, text, err);
}

/* Bytes of the value under way. One that came in one piece is never copied. */
static enum shk_status feed_value(struct shk_list_reader *reader, struct shk_sv *bytes,
				  struct shk_error *err)
{
	struct shk_sv text = {.data = bytes->data};
	bool is_end;

	text.len = splitter_feed(&reader->splitter, *bytes, &is_end);
	bytes->data += text.len;
	bytes->len -= text.len;
	if (text.len > SHK_LIST_MAX_OBJECT - reader->partial.len)
		return shk_error_set(err, SHK_E_LIMIT, "an object of more than %zu bytes",
				     SHK_LIST_MAX_OBJECT);
	if (!is_end || reader->partial.len > 0) {
		shk_buf_add(&reader->partial, text.data, text.len);
		text = (struct shk_sv){.data = reader->partial.data, .len = reader->partial.len};
	}
	if (!is_end)
		return SHK_OK;
	reader->in_value = false;

	enum shk_status status = take_value(reader, text, err);

	shk_buf_clear(&reader->partial);
	return status;
}

/* --- between values ------------------------------------------------------------------------- */

/* Where a byte leads that is not part of a value. */
static const struct step {
	enum place at;
	char byte;
	enum place to;
} steps[] = {
    {PLACE_START, '{', PLACE_FIRST_KEY}, {PLACE_FIRST_KEY, '}', PLACE_END},
    {PLACE_COLON, ':', PLACE_VALUE},     {PLACE_AFTER_VALUE, ',', PLACE_KEY},
    {PLACE_AFTER_VALUE, '}', PLACE_END}, {PLACE_FIRST_ITEM, ']', PLACE_AFTER_VALUE},
    {PLACE_AFTER_ITEM, ',', PLACE_ITEM}, {PLACE_AFTER_ITEM, ']', PLACE_AFTER_VALUE},
};

static bool begins_items(const struct shk_list_reader *reader, char c)
{
	return reader->place == PLACE_VALUE && c == '[' &&
	       strcmp(reader->keys[reader->n_keys - 1], "items") == 0;
}

static bool begins_value(const struct shk_list_reader *reader, char c)
{
	static const char never[] = ",:]}";

	switch (reader->place) {
	case PLACE_FIRST_KEY:
	case PLACE_KEY:
		return c == '"';
	case PLACE_VALUE:
	case PLACE_FIRST_ITEM:
	case PLACE_ITEM:
		return c == '\0' || !strchr(never, c);
	case PLACE_START:
	case PLACE_COLON:
	case PLACE_AFTER_VALUE:
	case PLACE_AFTER_ITEM:
	case PLACE_END:
		return false;
	}
	return false;
}

static bool take_step(struct shk_list_reader *reader, char c)
{
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		if (steps[i].at == reader->place && steps[i].byte == c) {
			reader->place = steps[i].to;
			return true;
		}
	}
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Looks at the next byte and takes it unless a value begins with it. */
static enum shk_status feed_between(struct shk_list_reader *reader, struct shk_sv *bytes,
				    struct shk_error *err)
{
	char c = bytes->data[0];

	if (begins_items(reader, c)) {
		reader->has_items = true;
		reader->place = PLACE_FIRST_ITEM;
	} else if (!is_blank(c) && begins_value(reader, c)) {
		reader->in_value = true;
		reader->splitter = (struct splitter){0};
		return SHK_OK;
	} else if (!is_blank(c) && !take_step(reader, c)) {
		return shk_error_set(err, SHK_E_INPUT, "the list is not valid JSON");
	}
	bytes->data++;
	bytes->len--;
	return SHK_OK;
}

enum shk_status shk_list_reader_feed(struct shk_list_reader *reader, struct shk_sv bytes,
				     struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	while (!status && bytes.len > 0)
		status = reader->in_value ? feed_value(reader, &bytes, err)
					  : feed_between(reader, &bytes, err);
	return status;
}

enum shk_status shk_list_reader_end(struct shk_list_reader *reader, struct shk_list_end *ret_end,
				    struct shk_error *err)
{
	if (reader->place != PLACE_END)
		return shk_error_set(err, SHK_E_INPUT, "the list ends too soon");
	if (!reader->has_items || !reader->has_metadata)
		return shk_error_set(err, SHK_E_INPUT,
				     "not a list: \"items\" or \"metadata\" is "
				     "missing");
	*ret_end = reader->end;
	return SHK_OK;
}
