#include "paging.h"

#include <string.h>

#include "shikiri/base/hash.h"
#include "shikiri/base/units.h"

#define MOST_ITEMS    10000
#define LARGEST_LIMIT 1000
#define LONGEST_NAME  ((size_t)512)
#define TOKEN_VERSION "1"

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* A token is a version and the last name in hexadecimal. NULL when it isn't one of ours. */
static const char *decode_token(const char *token, struct shk_arena *arena)
{
	size_t len = strlen(token);
	char *name;

	if (len < 3 || len % 2 == 0 || len > 2 * LONGEST_NAME + 1 || token[0] != TOKEN_VERSION[0])
		return NULL;
	name = shk_arena_alloc(arena, len / 2 + 1);
	for (size_t i = 0; i < len / 2; i++) {
		int high = hex_digit(token[1 + 2 * i]);
		int low = hex_digit(token[2 + 2 * i]);

		if (high < 0 || low < 0)
			return NULL;
		name[i] = (char)(high * 16 + low);
	}
	return name;
}

static const char *encode_token(const char *name, struct shk_arena *arena)
{
	size_t len = strlen(name);
	char *token = shk_arena_alloc(arena, 2 * len + 2);

	token[0] = TOKEN_VERSION[0];
	shk_hex((const uint8_t *)name, len, token + 1);
	return token;
}

bool shk_page_begin(struct shk_exchange *x, struct shk_page *ret_page)
{
	const char *limit = shk_exchange_query(x, "limit");
	const char *token = shk_exchange_query(x, "continue");
	struct shk_page page = {.room = MOST_ITEMS};
	int64_t number = 0;

	if (limit && (!shk_quantity_integer(shk_sv(limit), &number) || number < 1 ||
		      number > LARGEST_LIMIT)) {
		shk_reply_problem(x, SHK_PROBLEM_BAD_REQUEST, "limit is a number from 1 to %d",
				  LARGEST_LIMIT);
		return false;
	}
	if (limit)
		page.room = (size_t)number;
	if (token && *token) {
		page.after = decode_token(token, &x->arena);
		if (!page.after) {
			shk_reply_problem(x, SHK_PROBLEM_BAD_REQUEST,
					  "continue is not a token from an earlier answer");
			return false;
		}
	}
	*ret_page = page;
	return true;
}

bool shk_page_takes(struct shk_page *page, const char *name)
{
	if (page->after && strcmp(name, page->after) <= 0)
		return false;
	if (page->room == 0) {
		page->has_more = true;
		return false;
	}
	page->room--;
	page->last = name;
	return true;
}

void shk_page_open(struct shk_exchange *x, struct shk_json *json)
{
	shk_json_begin(json, shk_reply_json(x, 200));
	shk_json_object(json, NULL);
	shk_json_array(json, "items");
}

void shk_page_close(struct shk_exchange *x, const struct shk_page *page, struct shk_json *json)
{
	bool has_more = page->has_more && page->last;

	shk_json_array_end(json);
	shk_json_object(json, "metadata");
	shk_json_string(json, "continue", has_more ? encode_token(page->last, &x->arena) : "");
	shk_json_object_end(json);
	shk_json_object_end(json);
}
