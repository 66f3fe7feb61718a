#include "tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "lex.h"

static pthread_once_t seeded = PTHREAD_ONCE_INIT;

/* Otherwise the first object made seeds it, in whatever thread that is (CVE-2013-6401). */
static void seed(void)
{
	json_object_seed(0);
}

enum shk_status tree_no_memory(struct shk_error *err)
{
	return shk_error_set(err, SHK_E_LIMIT, "out of memory");
}

/* A tree that grows. Containers are owned by what they stand in, the root by the builder. */
struct builder {
	struct scanner *s;
	json_t *root;
	json_t *open[SCANNER_MAX_DEPTH]; /* borrowed; open[0] is the outermost container */
	const struct shape *shapes[SCANNER_MAX_DEPTH]; /* of their members or items */
	unsigned n_open;
	const struct shape *shape; /* of the next value; NULL: all of it is kept */
};

/* The scanner has checked that it fits: an integer 64 bits, a real a double. */
static json_t *make_number(const char *text, size_t len)
{
	char terminated[LONGEST_NUMBER + 1];

	memcpy(terminated, text, len);
	terminated[len] = '\0';
	if (strpbrk(terminated, ".eE"))
		return json_real(strtod(terminated, NULL));
	return json_integer(strtoll(terminated, NULL, 10));
}

/* NULL with SHK_OK is the library's failed allocation. */
static enum shk_status make_scalar(struct scanner *s, char first, json_t **ret_value)
{
	const char *start = s->at;
	struct shk_sv text;
	enum shk_status status;

	*ret_value = NULL;
	if (first == '"') {
		status = scanner_string(s, &text);
		if (!status)
			*ret_value = json_stringn_nocheck(text.data, text.len);
		return status;
	}
	status = scanner_value(s);
	if (status)
		return status;
	if (first == 't' || first == 'f')
		*ret_value = json_boolean(first == 't');
	else if (first == 'n')
		*ret_value = json_null();
	else
		*ret_value = make_number(start, (size_t)(s->at - start));
	return SHK_OK;
}

static enum shk_status make_value(struct builder *b, json_t **ret_value)
{
	char first = scanner_peek(b->s);
	enum shk_status status;

	if (first != '{' && first != '[')
		return make_scalar(b->s, first, ret_value);
	status = scanner_open(b->s);
	if (!status)
		*ret_value = first == '{' ? json_object() : json_array();
	return status;
}

/* Takes value, also when it fails. */
static enum shk_status attach(struct builder *b, struct shk_sv key, json_t *value)
{
	json_t *parent = b->n_open > 0 ? b->open[b->n_open - 1] : NULL;
	int failed = 0;

	if (!value)
		return tree_no_memory(b->s->err);
	if (!parent)
		b->root = value;
	else if (json_is_array(parent))
		failed = json_array_append_new(parent, value);
	else
		failed = json_object_setn_new_nocheck(parent, key.data, key.len, value);
	if (failed)
		return tree_no_memory(b->s->err);
	if (json_is_object(value) || json_is_array(value)) {
		b->shapes[b->n_open] = b->shape;
		b->open[b->n_open++] = value;
	}
	return SHK_OK;
}

static const struct field *find_field(const struct shape *shape, struct shk_sv key)
{
	for (size_t i = 0; i < shape->n; i++) {
		const char *known = shape->fields[i].key;

		if (key.len > 0 && key.data[0] == known[0] && shk_sv_is(key, known))
			return &shape->fields[i];
	}
	return NULL;
}

static const struct shape *shape_below(const struct field *field)
{
	const struct list_rule *list = field->rule;

	if (field->read == read_object)
		return field->rule;
	return field->read == read_list ? list->shape : NULL;
}

/* Steps to the next member that its object's shape knows. */
static enum shk_status known_member(struct builder *b, const struct shape *shape,
				    struct shk_sv *ret_key, bool *ret_end)
{
	for (;;) {
		const struct field *field = NULL;
		enum shk_status status = scanner_kept_member(b->s, ret_key, ret_end);

		if (status || *ret_end)
			return status;
		if (shape)
			field = find_field(shape, *ret_key);
		b->shape = field ? shape_below(field) : NULL;
		if (!shape || field)
			return SHK_OK;
		status = scanner_value(b->s);
		if (status)
			return status;
	}
}

/* Steps to the next value, out of the containers that end before it. */
static enum shk_status step(struct builder *b, struct shk_sv *ret_key, bool *ret_more)
{
	*ret_more = true;
	while (b->n_open > 0) {
		const struct shape *shape = b->shapes[b->n_open - 1];
		enum shk_status status;
		bool is_end;

		if (json_is_object(b->open[b->n_open - 1])) {
			status = known_member(b, shape, ret_key, &is_end);
		} else {
			status = scanner_item(b->s, &is_end);
			b->shape = shape;
		}
		if (status || !is_end)
			return status;
		b->n_open--;
	}
	*ret_more = false;
	return SHK_OK;
}

static enum shk_status build(struct scanner *s, const struct shape *shape, json_t **ret_tree)
{
	struct builder b;
	struct shk_sv key = {0};
	enum shk_status status = SHK_OK;
	bool is_more = true;

	(void)pthread_once(&seeded, seed); /* fails for invalid arguments only */
	b.s = s;
	b.root = NULL;
	b.n_open = 0;
	b.shape = shape;
	while (!status && is_more) {
		json_t *value;

		status = make_value(&b, &value);
		if (!status)
			status = attach(&b, key, value);
		if (!status)
			status = step(&b, &key, &is_more);
	}
	if (status)
		json_decref(b.root);
	else
		*ret_tree = b.root;
	return status;
}

enum shk_status tree_build(struct scanner *s, json_t **ret_tree)
{
	return build(s, NULL, ret_tree);
}

enum shk_status tree_parse_shape(struct shk_sv text, const struct shk_scan_limits *limits,
				 const struct shape *shape, json_t **ret_tree,
				 struct shk_error *err)
{
	struct scanner s;
	json_t *tree = NULL;
	enum shk_status status = scanner_init(&s, text, limits, err);

	if (!status)
		status = build(&s, shape, &tree);
	if (!status)
		status = scanner_end(&s);
	scanner_fini(&s);
	if (status)
		json_decref(tree);
	else
		*ret_tree = tree;
	return status;
}

enum shk_status tree_parse_json(struct shk_sv text, const struct shk_scan_limits *limits,
				json_t **ret_tree, struct shk_error *err)
{
	return tree_parse_shape(text, limits, NULL, ret_tree, err);
}

static size_t skip_blanks(struct shk_sv text, size_t i)
{
	while (i < text.len && strchr(" \t\r\n", text.data[i]) && text.data[i] != '\0')
		i++;
	return i;
}

bool tree_is_json(struct shk_sv text)
{
	size_t first = skip_blanks(text, 0);

	if (first == text.len || (text.data[first] != '{' && text.data[first] != '['))
		return false;

	size_t second = skip_blanks(text, first + 1);

	return second < text.len && text.data[second] != '\0' &&
	       strchr("\"{}[]", text.data[second]);
}

enum shk_status tree_parse_json_list(struct shk_sv text, const struct shk_scan_limits *limits,
				     json_t **ret_list, struct shk_error *err)
{
	json_t *document;
	json_t *list;
	enum shk_status status = tree_parse_json(text, limits, &document, err);

	if (status)
		return status;
	list = json_array();
	if (!list || json_array_append(list, document) != 0)
		status = tree_no_memory(err);
	json_decref(document);
	if (status)
		json_decref(list);
	else
		*ret_list = list;
	return status;
}

enum shk_status tree_parse_documents(struct shk_sv text, const struct shk_scan_limits *limits,
				     json_t **ret_list, struct shk_error *err)
{
	if (tree_is_json(text))
		return tree_parse_json_list(text, limits, ret_list, err);
	return tree_parse_yaml(text, ret_list, err);
}
