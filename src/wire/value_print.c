#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/wire/json.h"

#include "lex.h"
#include "value_tree.h"
#include "yaml_scalar.h"

#define COMPACT (-1) /* instead of an indentation */

static void put_string(struct shk_buf *out, const char *text)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_string(&json, NULL, text);
}

/* The shortest decimal that reads back as the same number, and as a real. */
static void put_real(struct shk_buf *out, double value)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof text, "%.*g", digits, value);

		double back = strtod(text, NULL);

		if (!(back < value) && !(back > value))
			break;
	}
	shk_buf_puts(out, text);
	if (!strpbrk(text, ".e"))
		shk_buf_puts(out, ".0");
}

static void put_scalar(struct shk_buf *out, const struct shk_value *value)
{
	switch (value->type) {
	case VALUE_BOOL:
		shk_buf_puts(out, value->boolean ? "true" : "false");
		break;
	case VALUE_INTEGER:
		shk_buf_printf(out, "%lld", (long long)value->integer);
		break;
	case VALUE_REAL:
		put_real(out, value->real);
		break;
	case VALUE_STRING:
		put_string(out, value->string);
		break;
	case VALUE_NULL:
	case VALUE_ARRAY:
	case VALUE_OBJECT:
		shk_buf_puts(out, "null");
		break;
	}
}

static bool is_container(const struct shk_value *value)
{
	return value->type == VALUE_ARRAY || value->type == VALUE_OBJECT;
}

static void new_line(struct shk_buf *out, int indent)
{
	if (indent == COMPACT)
		return;
	shk_buf_putc(out, '\n');
	for (int i = 0; i < indent; i++)
		shk_buf_puts(out, "  ");
}

static int deeper(int indent)
{
	return indent == COMPACT ? COMPACT : indent + 1;
}

static void put_json(struct shk_buf *out, const struct shk_value *value, int indent);

static void put_entry(struct shk_buf *out, const struct shk_value *value, size_t i, int indent)
{
	if (i > 0)
		shk_buf_putc(out, ',');
	new_line(out, indent);
	if (value->type == VALUE_ARRAY) {
		put_json(out, &value->items[i], indent);
		return;
	}
	put_string(out, value->members[i].key);
	shk_buf_puts(out, indent == COMPACT ? ":" : ": ");
	put_json(out, &value->members[i].value, indent);
}

static void put_json(struct shk_buf *out, const struct shk_value *value, int indent)
{
	bool is_array = value->type == VALUE_ARRAY;

	if (!is_container(value)) {
		put_scalar(out, value);
		return;
	}
	shk_buf_putc(out, is_array ? '[' : '{');
	for (size_t i = 0; i < value->n; i++)
		put_entry(out, value, i, deeper(indent));
	if (value->n > 0)
		new_line(out, indent);
	shk_buf_putc(out, is_array ? ']' : '}');
}

void shk_value_print(const struct shk_value *value, struct shk_buf *out)
{
	put_json(out, value, COMPACT);
}

void shk_value_print_pretty(const struct shk_value *value, struct shk_buf *out)
{
	put_json(out, value, 0);
	shk_buf_putc(out, '\n');
}

/* Whether the text needs no quotes: common characters only, and nothing that a reader of YAML
 * 1.1 or 1.2 takes for another type (also y, n and dates, which ours doesn't). */
static bool is_plain_yaml(const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	static const char inner[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_./-";
	int64_t integer;
	double real;

	if (text[0] == '\0' || !strchr(letters, text[0]) || text[strspn(text, inner)] != '\0')
		return false;
	if (strlen(text) == 1 && strchr("yYnN", text[0]))
		return false;
	return yaml_scalar_read(shk_sv(text), &integer, &real) == YAML_SCALAR_STRING;
}

/* The character of one to three bytes at text; 0 for a longer one. */
static unsigned code_point(const unsigned char *text, size_t len)
{
	if (len == 1)
		return text[0];
	if (len == 2)
		return (text[0] & 0x1FU) << 6 | (text[1] & 0x3FU);
	if (len == 3)
		return (text[0] & 0xFU) << 12 | (text[1] & 0x3FU) << 6 | (text[2] & 0x3FU);
	return 0;
}

/* What may stand in a JSON string as it is, but not in YAML: characters that YAML 1.1, sections
 * 5.1 and 5.4, doesn't print or takes for the end of a line. */
static bool is_foreign_to_yaml(unsigned c)
{
	return (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
	       c == 0xFFFE || c == 0xFFFF;
}

static void put_quoted_yaml(struct shk_buf *out, const char *text)
{
	struct shk_buf quoted = {0};

	put_string(&quoted, text);

	const char *end = quoted.data + quoted.len;

	for (const char *at = quoted.data; at < end;) {
		size_t len = lex_utf8(at, end);
		unsigned c = code_point((const unsigned char *)at, len);

		if (is_foreign_to_yaml(c))
			shk_buf_printf(out, "\\u%04x", c);
		else
			shk_buf_add(out, at, len);
		at += len;
	}
	shk_buf_fini(&quoted);
}

static void put_yaml_string(struct shk_buf *out, const char *text)
{
	if (is_plain_yaml(text))
		shk_buf_puts(out, text);
	else
		put_quoted_yaml(out, text);
}

static void put_yaml(struct shk_buf *out, const struct shk_value *value, unsigned indent);

static void put_yaml_indent(struct shk_buf *out, unsigned indent)
{
	for (unsigned i = 0; i < indent; i++)
		shk_buf_puts(out, "  ");
}

/* What stands behind "key:" or "-", up to the end of its last line. A container inside a list
 * item begins on the item's own line. */
static void put_yaml_behind(struct shk_buf *out, const struct shk_value *value, unsigned indent,
			    bool is_item)
{
	if (is_container(value) && value->n > 0) {
		shk_buf_putc(out, is_item ? ' ' : '\n');
		if (!is_item)
			put_yaml_indent(out, indent);
		put_yaml(out, value, indent);
		return;
	}
	shk_buf_putc(out, ' ');
	if (is_container(value))
		shk_buf_puts(out, value->type == VALUE_ARRAY ? "[]" : "{}");
	else if (value->type == VALUE_STRING)
		put_yaml_string(out, value->string);
	else
		put_scalar(out, value);
	shk_buf_putc(out, '\n');
}

/* A container that isn't empty; the first line's indentation is there already. */
static void put_yaml(struct shk_buf *out, const struct shk_value *value, unsigned indent)
{
	for (size_t i = 0; i < value->n; i++) {
		if (i > 0)
			put_yaml_indent(out, indent);
		if (value->type == VALUE_ARRAY) {
			shk_buf_putc(out, '-');
			put_yaml_behind(out, &value->items[i], indent + 1, true);
			continue;
		}
		put_yaml_string(out, value->members[i].key);
		shk_buf_putc(out, ':');
		put_yaml_behind(out, &value->members[i].value, indent + 1, false);
	}
}

void shk_value_print_yaml(const struct shk_value *value, struct shk_buf *out)
{
	if (is_container(value) && value->n > 0) {
		put_yaml(out, value, 0);
		return;
	}

	struct shk_buf line = {0};

	put_yaml_behind(&line, value, 0, false);
	shk_buf_add(out, line.data + 1, line.len - 1); /* without the blank behind the key */
	shk_buf_fini(&line);
}
