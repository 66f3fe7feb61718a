#include "shikiri/wire/json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "shikiri/base/units.h"

#include "lex.h"

#define MAX_DEPTH   64 /* bits of started */
#define NUMBER_SIZE 40

void shk_json_begin(struct shk_json *json, struct shk_buf *out)
{
	*json = (struct shk_json){.out = out};
	shk_buf_reserve(out, 1); /* so that the text is terminated even when nothing is written */
}

static void put_escaped_byte(struct shk_buf *out, unsigned char c)
{
	static const char short_form[0x20] = {
	    ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't',
	};
	static const char hex[] = "0123456789abcdef";
	const char long_form[6] = {'\\', 'u', '0', '0', hex[c >> 4 & 0xF], hex[c & 0xF]};
	char text[2] = {'\\', (char)c};

	if (c < 0x20 && !short_form[c]) {
		shk_buf_add(out, long_form, sizeof long_form);
		return;
	}
	if (c < 0x20)
		text[1] = short_form[c];
	shk_buf_add(out, text, sizeof text);
}

static void put_string(struct shk_buf *out, const char *text, size_t len)
{
	const char *end = text + len;

	shk_buf_putc(out, '"');
	for (;;) {
		size_t plain = lex_plain(text, end);

		shk_buf_add(out, text, plain);
		text += plain;
		if (text == end)
			break;

		unsigned char c = (unsigned char)*text;
		size_t sequence = lex_utf8(text, end);

		if (c < 0x80)
			put_escaped_byte(out, c);
		else if (sequence == 0)
			shk_buf_puts(out, "\xEF\xBF\xBD");
		else
			shk_buf_add(out, text, sequence);
		text += sequence ? sequence : 1;
	}
	shk_buf_putc(out, '"');
}

/* The comma that is due, and the key. */
static void begin_value(struct shk_json *json, const char *key)
{
	uint64_t bit = json->depth > 0 ? UINT64_C(1) << (json->depth - 1) : 0;

	if (json->started & bit)
		shk_buf_putc(json->out, ',');
	json->started |= bit;
	if (!key)
		return;
	put_string(json->out, key, strlen(key));
	shk_buf_putc(json->out, ':');
}

static void open_container(struct shk_json *json, const char *key, char bracket)
{
	begin_value(json, key);
	assert(json->depth < MAX_DEPTH);
	json->depth++;
	json->started &= ~(UINT64_C(1) << (json->depth - 1));
	shk_buf_putc(json->out, bracket);
}

static void close_container(struct shk_json *json, char bracket)
{
	assert(json->depth > 0);
	json->depth--;
	shk_buf_putc(json->out, bracket);
}

void shk_json_object(struct shk_json *json, const char *key)
{
	open_container(json, key, '{');
}

void shk_json_object_end(struct shk_json *json)
{
	close_container(json, '}');
}

void shk_json_array(struct shk_json *json, const char *key)
{
	open_container(json, key, '[');
}

void shk_json_array_end(struct shk_json *json)
{
	close_container(json, ']');
}

void shk_json_string(struct shk_json *json, const char *key, const char *value)
{
	begin_value(json, key);
	if (value)
		put_string(json->out, value, strlen(value));
	else
		shk_buf_puts(json->out, "null");
}

void shk_json_int(struct shk_json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	shk_buf_printf(json->out, "%lld", (long long)value);
}

void shk_json_bool(struct shk_json *json, const char *key, bool value)
{
	begin_value(json, key);
	shk_buf_puts(json->out, value ? "true" : "false");
}

void shk_json_null(struct shk_json *json, const char *key)
{
	begin_value(json, key);
	shk_buf_puts(json->out, "null");
}

void shk_json_raw(struct shk_json *json, const char *key, const char *text, size_t len)
{
	begin_value(json, key);
	shk_buf_add(json->out, text, len);
}

void shk_json_parts(struct shk_json *json, const char *key, int64_t parts)
{
	char text[NUMBER_SIZE];

	shk_json_string(json, key, shk_parts_print(parts, text, sizeof text));
}

void shk_json_parts_exact(struct shk_json *json, const char *key, int64_t parts)
{
	char text[NUMBER_SIZE];

	shk_json_string(json, key, shk_parts_exact(parts, text, sizeof text));
}

void shk_json_time(struct shk_json *json, const char *key, int64_t s)
{
	char text[NUMBER_SIZE];

	shk_json_string(json, key, shk_time_print(s, text, sizeof text));
}
