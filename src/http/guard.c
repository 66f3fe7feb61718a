#include "guard.h"

#include <string.h>
#include <strings.h>

#include "shikiri/base/str.h"

#define MOST_DIGITS 18 /* what has more is over every limit, whatever it is */

static bool refuse(struct shk_refusal *refusal, unsigned status, enum shk_rejected why,
		   const char *detail)
{
	*refusal = (struct shk_refusal){.status = status, .why = why, .detail = detail};
	return false;
}

static bool bad_framing(struct shk_refusal *refusal, const char *detail)
{
	return refuse(refusal, 400, SHK_REJECTED_FRAMING, detail);
}

static bool bad_path(struct shk_refusal *refusal, const char *detail)
{
	return refuse(refusal, 400, SHK_REJECTED_PATH, detail);
}

static bool is_alphanumeric(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* RFC 9110 token. A name with a blank in it comes from "X :". */
static bool is_token(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (!is_alphanumeric((unsigned char)*c) && !strchr("!#$%&'*+-.^_`|~", *c))
			return false;
	}
	return *text != '\0';
}

static bool has_control(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f)
			return true;
	}
	return false;
}

static size_t count_header(const struct shk_head *head, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < head->n_headers; i++)
		n += strcasecmp(head->headers[i].name, name) == 0;
	return n;
}

static bool check_headers(const struct shk_head *head, struct shk_refusal *refusal)
{
	if (head->is_torn)
		return bad_framing(refusal, "a header is folded over two lines, or has a NUL");
	for (size_t i = 0; i < head->n_headers; i++) {
		if (!is_token(head->headers[i].name))
			return bad_framing(refusal, "a header name is not a token");
		if (has_control(head->headers[i].value))
			return bad_framing(refusal, "a header value has control characters");
	}
	if (count_header(head, "Host") > 1)
		return bad_framing(refusal, "more than one Host header");
	if (count_header(head, "Host") == 0 && strcmp(head->version, "HTTP/1.0") != 0)
		return bad_framing(refusal, "no Host header");
	if (count_header(head, "Authorization") > 1)
		return bad_framing(refusal, "more than one Authorization header");
	return true;
}

/* Lengths are always stated here, so "chunked" alone gets 411 and everything else 501. */
static bool check_coding(const struct shk_head *head, struct shk_refusal *refusal)
{
	const char *coding = shk_header_get(head->headers, head->n_headers, "Transfer-Encoding");
	size_t n_codings = count_header(head, "Transfer-Encoding");
	size_t n_lengths = count_header(head, "Content-Length");

	if (n_lengths > 1)
		return bad_framing(refusal, "more than one Content-Length header");
	if (n_codings == 0)
		return true;
	if (n_lengths > 0)
		return bad_framing(refusal, "both Content-Length and Transfer-Encoding");
	if (n_codings > 1)
		return bad_framing(refusal, "more than one Transfer-Encoding header");
	if (strcasecmp(coding, "chunked") == 0)
		return refuse(refusal, 411, SHK_REJECTED_FRAMING,
			      "chunked bodies are not taken: send a Content-Length");
	return refuse(refusal, 501, SHK_REJECTED_FRAMING, "this transfer coding is not supported");
}

static bool parse_length(const char *text, uint64_t *ret_length)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t length = 0;

	if (digits == 0 || text[digits] != '\0')
		return false;
	for (size_t i = 0; i < digits && digits <= MOST_DIGITS; i++)
		length = length * 10 + (uint64_t)(text[i] - '0');
	*ret_length = digits <= MOST_DIGITS ? length : UINT64_MAX;
	return true;
}

static bool may_have_body(const char *method)
{
	return strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0;
}

bool shk_guard_framing(const struct shk_head *head, struct shk_framing *ret_framing,
		       struct shk_refusal *ret_refusal)
{
	struct shk_framing framing = {0};

	if (!check_headers(head, ret_refusal) || !check_coding(head, ret_refusal))
		return false;

	const char *length = shk_header_get(head->headers, head->n_headers, "Content-Length");

	if (length && !parse_length(length, &framing.length))
		return bad_framing(ret_refusal, "Content-Length is not a number of bytes");
	framing.has_length = length != NULL;
	if (framing.length > 0 && !may_have_body(head->method))
		return bad_framing(ret_refusal, "GET and HEAD have no body");
	*ret_framing = framing;
	return true;
}

/* Reads %XX at text; -1 when it isn't one. */
static int decode_escape(const char *text)
{
	int high = shk_hex_digit(text[1]);
	int low = high < 0 ? -1 : shk_hex_digit(text[2]);

	return low < 0 ? -1 : high * 16 + low;
}

/* An escape that would become part of the path's structure has no honest use. */
static bool may_be_escaped(int c)
{
	return c >= 0x20 && c != 0x7f && c != '/' && c != '\\' && c != '.';
}

static bool check_segments(const char *path, struct shk_refusal *refusal)
{
	if (path[0] != '/')
		return bad_path(refusal, "the target is not a path");
	for (const char *slash = path; slash; slash = strchr(slash + 1, '/')) {
		const char *segment = slash + 1;
		size_t len = strcspn(segment, "/");

		if (len == 0 && segment[0] == '/')
			return bad_path(refusal, "the path has an empty segment");
		if ((len == 1 && segment[0] == '.') ||
		    (len == 2 && segment[0] == '.' && segment[1] == '.'))
			return bad_path(refusal, "the path has a dot segment");
	}
	return true;
}

bool shk_guard_path(const char *uri, struct shk_arena *arena, const char **ret_path,
		    struct shk_refusal *ret_refusal)
{
	size_t len = strcspn(uri, "?");
	char *path = shk_arena_alloc(arena, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int c = (unsigned char)uri[i];

		if (c <= 0x20 || c >= 0x7f || c == '\\' || c == '#')
			return bad_path(ret_refusal, "the path has a character that it can't have");
		if (c == '%') {
			c = decode_escape(uri + i);
			if (c < 0)
				return bad_path(ret_refusal, "the path has a broken escape");
			if (!may_be_escaped(c))
				return bad_path(ret_refusal,
						"the path has an escape that it can't have");
			i += 2;
		}
		path[n++] = (char)c;
	}
	path[n] = '\0';
	if (!check_segments(path, ret_refusal))
		return false;
	*ret_path = path;
	return true;
}

/* One name or value of a query up to any of stop; NULL when it can't be decoded. */
static char *decode_query_text(const char **text, const char *stop, struct shk_arena *arena)
{
	size_t len = strcspn(*text, stop);
	char *out = shk_arena_alloc(arena, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int c = (unsigned char)(*text)[i];

		if (c == '%') {
			c = decode_escape(*text + i);
			i += 2;
		} else if (c == '+') {
			c = ' ';
		}
		if (c < 0x20 || c == 0x7f)
			return NULL;
		out[n++] = (char)c;
	}
	out[n] = '\0';
	*text += len;
	return out;
}

static bool is_repeated(const struct shk_param *params, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(params[i].name, name) == 0)
			return true;
	}
	return false;
}

bool shk_guard_query(const char *uri, struct shk_arena *arena, const struct shk_param **ret_params,
		     size_t *ret_n, struct shk_refusal *ret_refusal)
{
	struct shk_param *params = SHK_NEW_ARRAY(arena, SHK_GUARD_MAX_PARAMS, struct shk_param);
	const char *at = uri + strcspn(uri, "?");
	size_t n = 0;

	while (*at) {
		at++;
		if (*at == '\0' || *at == '&')
			continue;
		if (n == SHK_GUARD_MAX_PARAMS)
			return bad_path(ret_refusal, "too many query parameters");

		const char *name = decode_query_text(&at, "=&", arena);
		const char *value = "";

		if (name && *at == '=') {
			at++;
			value = decode_query_text(&at, "&", arena);
		}
		if (!name || !value)
			return bad_path(ret_refusal, "the query can't be decoded");
		if (is_repeated(params, n, name))
			return bad_path(ret_refusal, "a query parameter stands twice");
		params[n++] = (struct shk_param){.name = name, .value = value};
	}
	*ret_params = params;
	*ret_n = n;
	return true;
}

const char *shk_header_get(const struct shk_header *headers, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(headers[i].name, name) == 0)
			return headers[i].value;
	}
	return NULL;
}

bool shk_guard_is_request_id(const char *text)
{
	size_t len = 0;

	for (; len <= 64 && text[len]; len++) {
		if (!is_alphanumeric((unsigned char)text[len]) && !strchr("._-", text[len]))
			return false;
	}
	return len >= 1 && len <= 64;
}
