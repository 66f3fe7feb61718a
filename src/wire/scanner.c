#include "scanner.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lex.h"
#include "text.h"

/* Up to here keys are compared with one another as they come; larger objects are sorted once
 * they are complete, so that no input costs quadratic time. */
#define FEW_KEYS ((size_t)32)

enum shk_status scanner_init(struct scanner *s, struct shk_sv text,
			     const struct shk_scan_limits *limits, struct shk_error *err)
{
	assert(limits->max_depth_unread <= SCANNER_MAX_DEPTH);
	assert(limits->max_depth <= SCANNER_MAX_DEPTH && limits->max_bytes <= UINT32_MAX);

	s->text = text.data;
	s->at = text.data;
	s->end = text.data + text.len;
	s->limits = limits;
	s->err = err;
	s->out = NULL;
	s->copied = NULL;
	s->tokens = 0;
	s->depth = 0;
	s->unread = false;
	s->keys = s->own_keys;
	s->n_keys = 0;
	s->cap_keys = SCANNER_OWN_KEYS;
	shk_arena_init(&s->unescaped, 0);
	if (text.len > limits->max_bytes)
		return shk_error_set(err, SHK_E_LIMIT, "more than %zu bytes", limits->max_bytes);
	return SHK_OK;
}

void scanner_fini(struct scanner *s)
{
	if (s->keys != s->own_keys)
		free(s->keys);
	s->keys = s->own_keys;
	shk_arena_fini(&s->unescaped);
}

static enum shk_status fail(struct scanner *s, const char *at, enum shk_status status,
			    const char *text)
{
	size_t line = 1;
	const char *start = s->text;
	char place[64];

	for (const char *c = s->text; c < at; c++) {
		if (*c != '\n')
			continue;
		line++;
		start = c + 1;
	}
	(void)snprintf(place, sizeof place, "line %zu column %zu", line, (size_t)(at - start) + 1);
	return shk_error_at(s->err, status, place, "%s", text);
}

static enum shk_status not_json(struct scanner *s, const char *expected)
{
	char text[128];

	if (s->at == s->end)
		(void)snprintf(text, sizeof text, "not valid JSON: the text ends where %s belongs",
			       expected);
	else
		(void)snprintf(text, sizeof text, "not valid JSON: %s expected", expected);
	return fail(s, s->at, SHK_E_INPUT, text);
}

static enum shk_status bad_piece(struct scanner *s, const char *reason)
{
	char text[128];

	(void)snprintf(text, sizeof text, "not valid JSON: %s", reason);
	return fail(s, s->at, SHK_E_INPUT, text);
}

static enum shk_status count_token(struct scanner *s)
{
	if (s->tokens >= s->limits->max_tokens)
		return shk_error_set(s->err, SHK_E_LIMIT, "more than %zu values and keys",
				     s->limits->max_tokens);
	s->tokens++;
	return SHK_OK;
}

static void skip_blanks(struct scanner *s)
{
	while (s->at < s->end &&
	       (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t'))
		s->at++;
}

char scanner_peek(struct scanner *s)
{
	skip_blanks(s);
	if (s->at == s->end)
		return '\0';
	return *s->at;
}

static enum shk_status take_string(struct scanner *s, struct shk_sv *ret_text)
{
	const char *start = s->at + 1;
	const char *reason;
	bool is_escaped;
	const char *behind = lex_string(start, s->end, &is_escaped, &reason);

	if (!behind)
		return bad_piece(s, reason);
	s->at = behind;
	*ret_text = (struct shk_sv){.data = start, .len = (size_t)(behind - start) - 1};
	if (!is_escaped)
		return SHK_OK;

	char *plain = shk_arena_alloc(&s->unescaped, ret_text->len + 1);

	ret_text->len = lex_unescape(ret_text->data, ret_text->len, plain);
	ret_text->data = plain;
	return SHK_OK;
}

static enum shk_status duplicate(struct scanner *s, const struct scanner_key *key)
{
	char quoted[TEXT_QUOTED_SIZE];
	char text[TEXT_QUOTED_SIZE + 32];

	text_quote((struct shk_sv){.data = key->data, .len = key->len}, quoted);
	(void)snprintf(text, sizeof text, "duplicate key %s", quoted);
	return fail(s, s->text + key->at, SHK_E_INPUT, text);
}

static void push_key(struct scanner *s, struct scanner_key key)
{
	if (s->n_keys < s->cap_keys) {
		s->keys[s->n_keys++] = key;
		return;
	}

	size_t cap = s->cap_keys * 2;
	bool is_own = s->keys == s->own_keys;
	struct scanner_key *keys = realloc(is_own ? NULL : s->keys, cap * sizeof *keys);

	if (!keys)
		abort();
	if (is_own)
		memcpy(keys, s->own_keys, sizeof s->own_keys);
	s->keys = keys;
	s->cap_keys = cap;
	s->keys[s->n_keys++] = key;
}

static bool same_key(const struct scanner_key *a, const struct scanner_key *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static enum shk_status add_key(struct scanner *s, struct scanner_key key)
{
	size_t first = s->frames[s->depth - 1].first_key;

	if (s->n_keys - first < FEW_KEYS) {
		for (size_t i = first; i < s->n_keys; i++) {
			if (same_key(&s->keys[i], &key))
				return duplicate(s, &key);
		}
	}
	push_key(s, key);
	return SHK_OK;
}

/* By length first: it is at hand, and most keys differ in it. */
static int compare_keys(const void *a, const void *b)
{
	const struct scanner_key *left = a;
	const struct scanner_key *right = b;

	if (left->len != right->len)
		return left->len < right->len ? -1 : 1;
	return memcmp(left->data, right->data, left->len);
}

/* Drops the innermost object's keys, after the check that add_key left out for the many. */
static enum shk_status close_keys(struct scanner *s, size_t first)
{
	struct scanner_key *keys = s->keys + first;
	size_t n = s->n_keys - first;

	s->n_keys = first;
	if (n <= FEW_KEYS)
		return SHK_OK;
	qsort(keys, n, sizeof *keys, compare_keys);
	for (size_t i = 1; i < n; i++) {
		if (same_key(&keys[i - 1], &keys[i]))
			return duplicate(s, keys[i - 1].at > keys[i].at ? &keys[i - 1] : &keys[i]);
	}
	return SHK_OK;
}

enum shk_status scanner_open(struct scanner *s)
{
	unsigned most = s->unread ? s->limits->max_depth_unread : s->limits->max_depth;

	if (s->depth >= most)
		return shk_error_set(s->err, SHK_E_LIMIT, "nested more than %u deep", most);
	s->frames[s->depth++] = (struct scanner_frame){
	    .first_key = (uint32_t)s->n_keys, /* fewer than tokens, and those than bytes */
	    .is_object = *s->at == '{',
	};
	s->at++;
	return count_token(s);
}

/* Takes the closing bracket or the comma that is due. */
static enum shk_status next_in_frame(struct scanner *s, char closing, bool *ret_end)
{
	struct scanner_frame *frame = &s->frames[s->depth - 1];

	*ret_end = scanner_peek(s) == closing;
	if (*ret_end) {
		s->at++;
		s->depth--;
		return SHK_OK;
	}
	if (!frame->has_member) {
		frame->has_member = true;
		return SHK_OK;
	}
	if (s->at == s->end || *s->at != ',')
		return not_json(s, closing == '}' ? "',' or '}'" : "',' or ']'");
	s->at++;
	skip_blanks(s);
	return SHK_OK;
}

enum shk_status scanner_item(struct scanner *s, bool *ret_end)
{
	return next_in_frame(s, ']', ret_end);
}

enum shk_status scanner_member(struct scanner *s, struct shk_sv *ret_key, bool *ret_end)
{
	enum shk_status status = next_in_frame(s, '}', ret_end);

	if (status)
		return status;
	if (*ret_end)
		return close_keys(s, s->frames[s->depth].first_key);
	if (s->at == s->end || *s->at != '"')
		return not_json(s, "a key in quotes");

	size_t offset = (size_t)(s->at - s->text);

	status = take_string(s, ret_key);
	if (!status)
		status = count_token(s);
	if (!status)
		status = add_key(s, (struct scanner_key){.data = ret_key->data,
							 .len = (uint32_t)ret_key->len,
							 .at = (uint32_t)offset});
	if (status)
		return status;
	if (scanner_peek(s) != ':')
		return not_json(s, "':'");
	s->at++;
	return SHK_OK;
}

static enum shk_status take_word(struct scanner *s, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
		return not_json(s, "a value");
	s->at += len;
	return SHK_OK;
}

static enum shk_status take_number(struct scanner *s)
{
	const char *reason;
	const char *behind = lex_number(s->at, s->end, &reason);

	if (!behind)
		return bad_piece(s, reason);
	s->at = behind;
	return SHK_OK;
}

static enum shk_status take_quoted(struct scanner *s)
{
	const char *reason;
	bool is_escaped;
	const char *behind = lex_string(s->at + 1, s->end, &is_escaped, &reason);

	if (!behind)
		return bad_piece(s, reason);
	s->at = behind;
	return SHK_OK;
}

static enum shk_status take_scalar(struct scanner *s, char first)
{
	enum shk_status status = count_token(s);

	if (status)
		return status;
	switch (first) {
	case '"':
		return take_quoted(s);
	case 't':
		return take_word(s, "true");
	case 'f':
		return take_word(s, "false");
	case 'n':
		return take_word(s, "null");
	default:
		break;
	}
	if (first == '-' || (first >= '0' && first <= '9'))
		return take_number(s);
	return not_json(s, "a value");
}

enum shk_status scanner_string(struct scanner *s, struct shk_sv *ret_text)
{
	enum shk_status status = count_token(s);

	return status ? status : take_string(s, ret_text);
}

static void flush(struct scanner *s, const char *upto)
{
	if (s->out)
		shk_buf_add(s->out, s->copied, (size_t)(upto - s->copied));
}

/* A label may have the same name as a list that nobody reads, so only containers are cut. */
static bool is_cut(struct scanner *s, struct shk_sv key)
{
	char first = scanner_peek(s);

	if (s->unread || !s->limits->cut_keys || (first != '{' && first != '['))
		return false;
	for (const char *const *cut = s->limits->cut_keys; *cut; cut++) {
		if (key.len > 0 && key.data[0] == **cut && shk_sv_is(key, *cut))
			return true;
	}
	return false;
}

/* before: where the member's own text begins, its comma included. */
static enum shk_status cut_value(struct scanner *s, const char *before)
{
	flush(s, before);
	s->unread = true;

	enum shk_status status = scanner_value(s);

	s->unread = false;
	s->copied = s->at;
	return status;
}

/* Members that were cut before the first kept one leave its comma behind. */
static void keep_member(struct scanner *s, struct scanner_frame *frame, bool is_first,
			const char *key_at)
{
	if (!is_first && !frame->has_kept && s->out)
		s->copied = key_at;
	frame->has_kept = true;
}

enum shk_status scanner_kept_member(struct scanner *s, struct shk_sv *ret_key, bool *ret_end)
{
	struct scanner_frame *frame = &s->frames[s->depth - 1];

	for (;;) {
		const char *before = s->at;
		bool is_first = !frame->has_member;
		enum shk_status status = scanner_member(s, ret_key, ret_end);

		if (status || *ret_end)
			return status;
		if (!is_cut(s, *ret_key)) {
			if (!frame->has_kept)
				keep_member(s, frame, is_first,
					    s->text + s->keys[s->n_keys - 1].at);
			return SHK_OK;
		}
		status = cut_value(s, before);
		if (status)
			return status;
	}
}

/* Steps to the next value inside the containers opened above floor. */
static enum shk_status next_value(struct scanner *s, unsigned floor, bool *ret_more)
{
	while (s->depth > floor) {
		struct shk_sv key = {0};
		bool is_end;
		enum shk_status status = s->frames[s->depth - 1].is_object
					     ? scanner_kept_member(s, &key, &is_end)
					     : scanner_item(s, &is_end);

		*ret_more = true;
		if (status || !is_end)
			return status;
	}
	*ret_more = false;
	return SHK_OK;
}

enum shk_status scanner_value(struct scanner *s)
{
	unsigned floor = s->depth;
	bool is_more = true;

	while (is_more) {
		char first = scanner_peek(s);
		enum shk_status status =
		    first == '{' || first == '[' ? scanner_open(s) : take_scalar(s, first);

		if (status)
			return status;
		status = next_value(s, floor, &is_more);
		if (status)
			return status;
	}
	return SHK_OK;
}

enum shk_status scanner_copy(struct scanner *s, struct shk_buf *out)
{
	skip_blanks(s);
	s->out = out;
	s->copied = s->at;

	enum shk_status status = scanner_value(s);

	if (!status)
		flush(s, s->at);
	s->out = NULL;
	return status;
}

enum shk_status scanner_end(struct scanner *s)
{
	skip_blanks(s);
	return s->at == s->end ? SHK_OK : not_json(s, "the end of the text");
}
