#include "fields.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/names.h"

#include "text.h"

#define MAX_NAMES 64 /* fields of one shape */

const struct text_rule text_label = {shk_name_is_label, "a DNS label"};
const struct text_rule text_subdomain = {shk_name_is_subdomain, "a DNS subdomain"};
const struct text_rule text_uid = {shk_name_is_uid, "a UID"};
const bool labels_checked = true;

struct spot spot_root(struct shk_arena *arena, struct shk_error *err)
{
	return (struct spot){.arena = arena, .err = err};
}

struct spot spot_key(const struct spot *above, const char *key)
{
	return (struct spot){.arena = above->arena, .err = above->err, .above = above, .key = key};
}

struct spot spot_item(const struct spot *above, size_t index)
{
	return (struct spot){
	    .arena = above->arena, .err = above->err, .above = above, .index = index};
}

/* RFC 6901 */
static void put_pointer_key(struct shk_buf *out, const char *key)
{
	for (; *key; key++) {
		if (*key == '~')
			shk_buf_puts(out, "~0");
		else if (*key == '/')
			shk_buf_puts(out, "~1");
		else
			shk_buf_putc(out, *key);
	}
}

static void put_pointer(struct shk_buf *out, const struct spot *spot)
{
	if (!spot->above)
		return;
	put_pointer(out, spot->above);
	shk_buf_putc(out, '/');
	if (spot->key)
		put_pointer_key(out, spot->key);
	else
		shk_buf_printf(out, "%zu", spot->index);
}

enum shk_status spot_fail(const struct spot *spot, const char *fmt, ...)
{
	struct shk_buf pointer = {0};
	char text[256];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	put_pointer(&pointer, spot);
	shk_error_at(spot->err, SHK_E_INPUT, pointer.data, "%s", text);
	shk_buf_fini(&pointer);
	return SHK_E_INPUT;
}

bool object_next(const json_t *object, void **iter, const char **ret_key, const json_t **ret_value)
{
	const union {
		const json_t *given; /* cppcheck-suppress unusedStructMember ; read as wanted */
		json_t *wanted;      /* the library's iterators aren't const */
	} walked = {.given = object};

	*iter =
	    *iter ? json_object_iter_next(walked.wanted, *iter) : json_object_iter(walked.wanted);
	if (!*iter)
		return false;
	*ret_key = json_object_iter_key(*iter);
	*ret_value = json_object_iter_value(*iter);
	return true;
}

void *field_at(const struct field *field, void *target)
{
	return (char *)target + field->offset;
}

static size_t *count_at(const struct field *field, void *target)
{
	void *count = (char *)target + field->count;

	return count;
}

const char *member_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static char lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

static bool same_in_any_case(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return lower(*a) == lower(*b);
}

static bool is_key(const struct shape *shape, const char *known, const char *key)
{
	return shape->any_case ? same_in_any_case(known, key) : strcmp(known, key) == 0;
}

static enum shk_status refuse_unknown(const struct spot *spot, const struct shape *shape,
				      const char *key)
{
	const char *names[MAX_NAMES];
	struct spot child = spot_key(spot, key);

	assert(shape->n <= MAX_NAMES);
	for (size_t i = 0; i < shape->n; i++)
		names[i] = shape->fields[i].key;

	const char *nearest = shk_str_nearest(key, names, shape->n);

	if (nearest)
		return spot_fail(&child, "unknown field, did you mean \"%s\"?", nearest);
	return spot_fail(&child, "unknown field");
}

static enum shk_status check_closed(const struct spot *spot, const json_t *object,
				    const struct shape *shape)
{
	void *iter = NULL;
	const char *key;
	const json_t *value;

	while (object_next(object, &iter, &key, &value)) {
		size_t i = 0;

		while (i < shape->n && !is_key(shape, shape->fields[i].key, key))
			i++;
		if (i == shape->n)
			return refuse_unknown(spot, shape, key);
	}
	return SHK_OK;
}

/* The member for a field; *ret_value stays NULL when there is none. */
static enum shk_status find_in_any_case(const struct spot *spot, const json_t *object,
					const char *key, const json_t **ret_value)
{
	void *iter = NULL;
	const char *candidate;
	const json_t *value;

	while (object_next(object, &iter, &candidate, &value)) {
		if (!same_in_any_case(candidate, key))
			continue;
		if (*ret_value) {
			struct spot child = spot_key(spot, key);

			return spot_fail(&child, "duplicate key in another letter case");
		}
		*ret_value = value;
	}
	return SHK_OK;
}

static enum shk_status read_field(const struct spot *spot, const json_t *object,
				  const struct shape *shape, const struct field *field,
				  void *target)
{
	struct spot child = spot_key(spot, field->key);
	const json_t *value = NULL;

	if (shape->any_case) {
		enum shk_status status = find_in_any_case(spot, object, field->key, &value);

		if (status)
			return status;
	} else {
		value = json_object_get(object, field->key);
	}
	if (value && !json_is_null(value))
		return field->read(&child, field, value, target);
	return field->is_required ? spot_fail(&child, "missing") : SHK_OK;
}

enum shk_status decode_object(const struct spot *spot, const json_t *value,
			      const struct shape *shape, void *target)
{
	if (!json_is_object(value))
		return spot_fail(spot, "not an object");
	if (shape->is_closed) {
		enum shk_status status = check_closed(spot, value, shape);

		if (status)
			return status;
	}
	for (size_t i = 0; i < shape->n; i++) {
		enum shk_status status = read_field(spot, value, shape, &shape->fields[i], target);

		if (status)
			return status;
	}
	return SHK_OK;
}

static enum shk_status check_text(const struct spot *spot, const json_t *value,
				  const struct text_rule *rule)
{
	char quoted[TEXT_QUOTED_SIZE];

	if (!json_is_string(value))
		return spot_fail(spot, "not a string");

	struct shk_sv text = {json_string_value(value), json_string_length(value)};

	if (rule && !rule->is_valid(text))
		return spot_fail(spot, "%s is not %s", text_quote(text, quoted), rule->expected);
	return SHK_OK;
}

enum shk_status read_text(const struct spot *spot, const struct field *field, const json_t *value,
			  void *target)
{
	const char **text = field_at(field, target);
	enum shk_status status = check_text(spot, value, field->rule);

	if (!status)
		*text = shk_arena_strdup(spot->arena, json_string_value(value));
	return status;
}

static enum shk_status refuse_repeated(const struct spot *spot, const char *const *texts, size_t n)
{
	const char **sorted = SHK_NEW_ARRAY(spot->arena, n, const char *);
	char quoted[TEXT_QUOTED_SIZE];

	for (size_t i = 0; i < n; i++)
		sorted[i] = texts[i];
	qsort(sorted, n, sizeof *sorted, shk_str_compare);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			return spot_fail(spot, "%s stands twice",
					 text_quote(shk_sv(sorted[i]), quoted));
	}
	return SHK_OK;
}

enum shk_status read_texts(const struct spot *spot, const struct field *field, const json_t *value,
			   void *target)
{
	const char *const **list = field_at(field, target);

	if (!json_is_array(value))
		return spot_fail(spot, "not a list");

	size_t n = json_array_size(value);
	const char **texts = SHK_NEW_ARRAY(spot->arena, n, const char *);

	for (size_t i = 0; i < n; i++) {
		struct spot item = spot_item(spot, i);
		const json_t *text = json_array_get(value, i);
		enum shk_status status = check_text(&item, text, field->rule);

		if (status)
			return status;
		texts[i] = shk_arena_strdup(spot->arena, json_string_value(text));
	}
	*list = texts;
	*count_at(field, target) = n;
	return refuse_repeated(spot, texts, n);
}

enum shk_status read_int(const struct spot *spot, const struct field *field, const json_t *value,
			 void *target)
{
	int64_t *number = field_at(field, target);

	if (!json_is_integer(value))
		return spot_fail(spot, "not a whole number");
	*number = json_integer_value(value);
	if (*number < field->min || *number > field->max)
		return spot_fail(spot, "not in %" PRId64 "..%" PRId64, field->min, field->max);
	return SHK_OK;
}

enum shk_status read_bool(const struct spot *spot, const struct field *field, const json_t *value,
			  void *target)
{
	bool *flag = field_at(field, target);

	if (!json_is_boolean(value))
		return spot_fail(spot, "neither true nor false");
	*flag = json_is_true(value);
	return SHK_OK;
}

enum shk_status read_word(const struct spot *spot, const struct field *field, const json_t *value,
			  void *target)
{
	const struct words *words = field->rule;
	const char *text = json_string_value(value);
	char quoted[TEXT_QUOTED_SIZE];

	if (!text)
		return spot_fail(spot, "not a string (%s)", words->expected);
	for (size_t i = 0; i < words->n; i++) {
		if (strcmp(text, words->items[i].text) != 0)
			continue;
		/* any enum of non-negative values has this representation */
		memcpy(field_at(field, target), &words->items[i].value, sizeof(unsigned));
		return SHK_OK;
	}
	return spot_fail(spot, "%s is not %s", text_quote(shk_sv(text), quoted), words->expected);
}

enum shk_status read_object(const struct spot *spot, const struct field *field, const json_t *value,
			    void *target)
{
	return decode_object(spot, value, field->rule, field_at(field, target));
}

enum shk_status read_list(const struct spot *spot, const struct field *field, const json_t *value,
			  void *target)
{
	const struct list_rule *rule = field->rule;

	if (!json_is_array(value))
		return spot_fail(spot, "not a list");

	size_t n = json_array_size(value);
	char *items = shk_arena_array(spot->arena, n, rule->size);

	for (size_t i = 0; i < n; i++) {
		struct spot item = spot_item(spot, i);
		enum shk_status status = decode_object(&item, json_array_get(value, i), rule->shape,
						       items + i * rule->size);

		if (status)
			return status;
	}
	memcpy(field_at(field, target), &items, sizeof items);
	*count_at(field, target) = n;
	return SHK_OK;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct shk_pair *left = a;
	const struct shk_pair *right = b;

	return strcmp(left->key, right->key);
}

static enum shk_status read_label(const struct spot *spot, bool is_checked, const json_t *value,
				  struct shk_pair *pair)
{
	static const struct text_rule label_value = {shk_name_is_label_value, "a label value"};
	enum shk_status status = check_text(spot, value, is_checked ? &label_value : NULL);

	if (status)
		return status;
	if (is_checked && !shk_name_is_label_key(shk_sv(spot->key)))
		return spot_fail(spot, "not a label key");
	pair->key = shk_arena_strdup(spot->arena, spot->key);
	pair->value = shk_arena_strdup(spot->arena, json_string_value(value));
	return SHK_OK;
}

enum shk_status read_labels(const struct spot *spot, const struct field *field, const json_t *value,
			    void *target)
{
	struct shk_labels *labels = field_at(field, target);
	void *iter = NULL;
	const char *key;
	const json_t *text;

	if (!json_is_object(value))
		return spot_fail(spot, "not an object");

	struct shk_pair *pairs =
	    SHK_NEW_ARRAY(spot->arena, json_object_size(value), struct shk_pair);
	size_t n = 0;

	while (object_next(value, &iter, &key, &text)) {
		struct spot child = spot_key(spot, key);
		enum shk_status status = read_label(&child, field->rule != NULL, text, &pairs[n]);

		if (status)
			return status;
		n++;
	}
	qsort(pairs, n, sizeof *pairs, compare_pairs);
	labels->items = pairs;
	labels->n = n;
	return SHK_OK;
}

enum shk_status read_raw(const struct spot *spot, const struct field *field, const json_t *value,
			 void *target)
{
	const json_t **raw = field_at(field, target);

	(void)spot; /* nothing can fail */
	*raw = value;
	return SHK_OK;
}

enum shk_status read_ignored(const struct spot *spot, const struct field *field,
			     const json_t *value, void *target)
{
	(void)spot; /* nothing is read */
	(void)field;
	(void)value;
	(void)target;
	return SHK_OK;
}
