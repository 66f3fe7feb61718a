#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "shikiri/core/resource.h"
#include "style.h"

/* One character of UTF-8, or one byte that is none. */
struct glyph {
	uint32_t code;
	size_t len;
};

static struct glyph next_glyph(const char *text)
{
	unsigned char lead = (unsigned char)text[0];
	size_t len = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
	uint32_t code = lead;

	if (len == 0)
		return (struct glyph){0xfffd, 1};
	if (len > 1)
		code = lead & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		unsigned char more = (unsigned char)text[i];

		if ((more & 0xc0) != 0x80)
			return (struct glyph){0xfffd, 1};
		code = (code << 6) | (more & 0x3fu);
	}
	return (struct glyph){code, len};
}

/* Control characters, and those that turn the direction of what follows. */
static bool is_harmful(uint32_t code)
{
	if (code < 0x20)
		return code != '\n';
	return (code >= 0x7f && code <= 0x9f) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029;
}

static void add_clean(struct shk_buf *clean, const char *text, size_t len, bool color)
{
	for (size_t i = 0; i < len;) {
		const char *style = cli_style_sequence(text[i]);
		struct glyph glyph = next_glyph(text + i);

		if (style)
			shk_buf_puts(clean, color ? style : "");
		else if (is_harmful(glyph.code))
			shk_buf_printf(clean, "\\u%04x", (unsigned)glyph.code);
		else if (glyph.code == 0xfffd)
			shk_buf_puts(clean, "\xef\xbf\xbd");
		else
			shk_buf_add(clean, text + i, glyph.len);
		i += glyph.len;
	}
}

size_t cli_width(const char *text)
{
	size_t width = 0;

	while (*text != '\0') {
		struct glyph glyph = next_glyph(text);

		if (!cli_style_sequence(*text))
			width += is_harmful(glyph.code) ? 6 : 1;
		text += glyph.len;
	}
	return width;
}

bool cli_flush(struct cli *cli)
{
	struct shk_buf clean = {0};

	if (cli->out.len == 0)
		return true;
	add_clean(&clean, cli->out.data, cli->out.len, cli->color);

	bool written = fwrite(clean.data, 1, clean.len, stdout) == clean.len && fflush(stdout) == 0;

	if (!written && errno != EPIPE)
		cli_say("error: stdout: %s", strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
	shk_buf_fini(&clean);
	shk_buf_clear(&cli->out);
	return written;
}

static void say(const char *before, const char *fmt, va_list args) SHK_PRINTF(2, 0);

static void say(const char *before, const char *fmt, va_list args)
{
	struct shk_arena arena = {0};
	struct shk_buf clean = {0};
	const char *text = NULL;

	shk_arena_init(&arena, 0);
	text = shk_arena_vprintf(&arena, fmt, args);
	shk_buf_puts(&clean, before);
	add_clean(&clean, text, strlen(text), false);
	shk_buf_putc(&clean, '\n');
	/* Nobody is left to tell when stderr is gone. */
	(void)fwrite(clean.data, 1, clean.len, stderr);
	shk_buf_fini(&clean);
	shk_arena_fini(&arena);
}

void cli_say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

enum cli_exit cli_usage(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(CLI_NAME ": ", fmt, args);
	va_end(args);
	return CLI_USAGE;
}

static enum cli_exit exit_of(enum shk_status status)
{
	switch (status) {
	case SHK_OK:
		return CLI_OK;
	case SHK_E_INPUT:
	case SHK_E_LIMIT:
	case SHK_E_CORRUPT:
	case SHK_E_VERSION:
	case SHK_E_CONFIG:
		return CLI_DATA;
	case SHK_E_NOT_FOUND:
		return CLI_NOT_FOUND;
	case SHK_E_CONFLICT:
	case SHK_E_BUSY:
		return CLI_CONFLICT;
	case SHK_E_PERMISSION:
		return CLI_FORBIDDEN;
	case SHK_E_UNAVAILABLE:
		return CLI_UNREACHABLE;
	case SHK_E_IO:
	case SHK_E_FULL:
		return CLI_FAILURE;
	}
	return CLI_FAILURE;
}

enum cli_exit cli_fail(const struct shk_error *err)
{
	char text[1024];

	cli_say("error: %s", shk_error_print(err, text, sizeof text));
	return exit_of(err->status);
}

void cli_print_value(struct cli *cli, const struct shk_value *value)
{
	if (cli->format == CLI_YAML)
		shk_value_print_yaml(value, &cli->out);
	else
		shk_value_print_pretty(value, &cli->out);
	if (cli->out.len > 0 && cli->out.data[cli->out.len - 1] != '\n')
		shk_buf_putc(&cli->out, '\n');
}

/* The text on one line: a line break in a name must not look like a row of ours. */
static const char *one_line(struct cli *cli, const char *text)
{
	if (!strpbrk(text, "\r\n\t"))
		return text;

	char *copy = shk_arena_strdup(&cli->arena, text);

	for (char *c = copy; *c != '\0'; c++) {
		if (*c == '\r' || *c == '\n' || *c == '\t')
			*c = ' ';
	}
	return copy;
}

const char *cli_scalar(struct cli *cli, const struct shk_value *value)
{
	const char *text = value ? shk_value_string(value) : "";
	struct shk_buf printed = {0};

	if (text)
		return one_line(cli, text);
	if (shk_value_is_array(value) || shk_value_is_object(value))
		return "";
	shk_value_print(value, &printed);
	text = shk_arena_strndup(&cli->arena, printed.data, printed.len);
	shk_buf_fini(&printed);
	return shk_str_equals(text, "null") ? "" : text;
}

const char *cli_scalar_at(struct cli *cli, const struct shk_value *value, const char *dotted)
{
	return cli_scalar(cli, shk_value_path(value, dotted));
}

void cli_wrap(struct cli *cli, const char *text, size_t indent, size_t width)
{
	size_t column = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " \n");
		size_t word = cli_width(shk_arena_strndup(&cli->arena, text, len));

		if (column > indent && column + 1 + word > width) {
			shk_buf_putc(&cli->out, '\n');
			column = 0;
		}
		for (; column < indent; column++)
			shk_buf_putc(&cli->out, ' ');
		if (column > indent) {
			shk_buf_putc(&cli->out, ' ');
			column++;
		}
		shk_buf_add(&cli->out, text, len);
		column += word;
		text += len;
		if (*text == '\n') {
			shk_buf_putc(&cli->out, '\n');
			column = 0;
		}
		text += strspn(text, " \n");
	}
	if (column > 0)
		shk_buf_putc(&cli->out, '\n');
}

const char *cli_short_resource(const char *resource)
{
	size_t len = strlen(SHK_RESOURCE_PREFIX);

	return shk_str_starts(resource, SHK_RESOURCE_PREFIX) ? resource + len : resource;
}
