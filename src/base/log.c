#include "shikiri/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shikiri/base/units.h"

#define LONGEST_LINE  8192
#define LONGEST_VALUE 2048
#define LONGEST_KEY   64
#define RESERVE       32 /* for the closing pair "cut" and the end of the line */

static struct {
	enum shk_log_level level;
	bool is_json;
} settings = {.level = SHK_LOG_INFO};

static const char *const level_names[] = {"debug", "info", "warn", "error"};
static const char *const level_columns[] = {"DEBUG", "INFO ", "WARN ", "ERROR"};

struct line {
	char data[LONGEST_LINE];
	size_t len;
	bool is_full; /* something didn't fit since this was last cleared */
	unsigned n_left_out;
};

static void put(struct line *line, const char *data, size_t len)
{
	if (len > sizeof line->data - RESERVE - line->len) {
		line->is_full = true;
		return;
	}
	memcpy(line->data + line->len, data, len);
	line->len += len;
}

static void put_text(struct line *line, const char *text)
{
	put(line, text, strlen(text));
}

static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if ((lead & 0xE0) == 0xC0)
		return 2;
	if ((lead & 0xF0) == 0xE0)
		return 3;
	return (lead & 0xF8) == 0xF0 ? 4 : 0;
}

/* The length of the UTF-8 sequence at the start of a terminated text and its code point; 0 when
 * there is no valid one. */
static size_t decode(const unsigned char *text, uint32_t *ret_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = sequence_length(text[0]);
	uint32_t point = len > 1 ? text[0] & (0x7FU >> len) : text[0];

	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return 0;
		point = point << 6 | (text[i] & 0x3FU);
	}
	if (len == 0 || point < least[len] || point > 0x10FFFF ||
	    (point >= 0xD800 && point <= 0xDFFF))
		return 0;
	*ret_point = point;
	return len;
}

/* C1 controls drive terminals just as escape sequences do. */
static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7F && point <= 0x9F);
}

/* Writes one character in its printable form, terminated; returns the bytes read. */
static size_t escape(const char *text, char ret_form[8])
{
	static const char shorts[][2] = {
	    {'"', '"'}, {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}};
	uint32_t point;
	size_t len = decode((const unsigned char *)text, &point);

	if (len == 0) {
		(void)snprintf(ret_form, 8, "\xEF\xBF\xBD");
		return 1;
	}
	for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
		if (text[0] != shorts[i][0])
			continue;
		(void)snprintf(ret_form, 8, "\\%c", shorts[i][1]);
		return 1;
	}
	if (is_control(point)) {
		(void)snprintf(ret_form, 8, "\\u%04x", (unsigned)point & 0xFFU);
		return len;
	}
	memcpy(ret_form, text, len);
	ret_form[len] = '\0';
	return len;
}

static void put_escaped(struct line *line, const char *text, size_t longest)
{
	size_t end = line->len + longest;
	char form[8];

	while (*text && !line->is_full) {
		text += escape(text, form);
		if (line->len + strlen(form) > end) {
			put_text(line, "...");
			return;
		}
		put_text(line, form);
	}
}

static void put_quoted(struct line *line, const char *text, size_t longest)
{
	put_text(line, "\"");
	put_escaped(line, text, longest);
	put_text(line, "\"");
}

static size_t span_digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* As JSON writes numbers, and not longer than any that we print. */
static bool is_number(const char *text)
{
	size_t len = strlen(text);

	text += *text == '-';
	if (span_digits(text) == 0 || (text[0] == '0' && span_digits(text) > 1))
		return false;
	text += span_digits(text);
	if (*text == '.') {
		text++;
		if (span_digits(text) == 0)
			return false;
		text += span_digits(text);
	}
	return *text == '\0' && len <= 40;
}

static bool is_plain_word(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c <= ' ' || *c > '~' || strchr("\"\\=", *c))
			return false;
	}
	return *text != '\0';
}

static void put_pair(struct line *line, const char *key, const char *value)
{
	size_t before = line->len;
	bool is_bare = key[0] == '#' && is_number(value);

	key += key[0] == '#';
	if (settings.is_json) {
		put_text(line, ",");
		put_quoted(line, key, LONGEST_KEY);
		put_text(line, ":");
	} else {
		is_bare = is_plain_word(value);
		put_text(line, " ");
		put_escaped(line, key, LONGEST_KEY);
		put_text(line, "=");
	}
	if (is_bare)
		put_escaped(line, value, LONGEST_VALUE);
	else
		put_quoted(line, value, LONGEST_VALUE);
	if (!line->is_full)
		return;
	line->len = before;
	line->is_full = false;
	line->n_left_out++;
}

static void put_start(struct line *line, enum shk_log_level level, const char *message)
{
	struct timespec now = {0};
	char stamp[40];
	char millis[8];

	(void)clock_gettime(CLOCK_REALTIME, &now); /* a line of 1970 is better than none */
	shk_time_print(now.tv_sec, stamp, sizeof stamp);
	stamp[strlen(stamp) - 1] = '\0';
	(void)snprintf(millis, sizeof millis, ".%03u", (unsigned)(now.tv_nsec / 1000000) % 1000);

	put_text(line, settings.is_json ? "{\"ts\":\"" : "");
	put_text(line, settings.is_json ? stamp : strchr(stamp, 'T') + 1);
	put_text(line, millis);
	put_text(line, settings.is_json ? "Z\",\"level\":\"" : " ");
	put_text(line, (settings.is_json ? level_names : level_columns)[level]);
	put_text(line, settings.is_json ? "\",\"msg\":\"" : " ");
	put_escaped(line, message, LONGEST_VALUE);
	put_text(line, settings.is_json ? "\"" : "");
}

static void put_end(struct line *line)
{
	size_t start = line->len;
	char cut[RESERVE] = "";

	if (line->n_left_out > 0)
		(void)snprintf(cut, sizeof cut, settings.is_json ? ",\"cut\":%u" : " cut=%u",
			       line->n_left_out);
	line->len += (size_t)snprintf(line->data + start, RESERVE, "%s%s", cut,
				      settings.is_json ? "}\n" : "\n");
}

/* Nobody is left to tell when stderr can't be written. */
static void write_line(const struct line *line)
{
	ssize_t n;

	do {
		n = write(STDERR_FILENO, line->data, line->len);
	} while (n < 0 && errno == EINTR);
}

bool shk_log_level_parse(const char *text, enum shk_log_level *ret_level)
{
	for (size_t i = 0; i < sizeof level_names / sizeof level_names[0]; i++) {
		if (strcmp(text, level_names[i]) != 0)
			continue;
		*ret_level = (enum shk_log_level)i;
		return true;
	}
	return false;
}

void shk_log_setup(enum shk_log_level level, bool json)
{
	settings.level = level;
	settings.is_json = json;
}

bool shk_log_enabled(enum shk_log_level level)
{
	return level >= settings.level;
}

void shk_log(enum shk_log_level level, const char *message, ...)
{
	struct line line;
	int saved_errno = errno;
	va_list args;

	if (!shk_log_enabled(level))
		return;
	line.len = 0;
	line.is_full = false;
	line.n_left_out = 0;
	put_start(&line, level, message);

	va_start(args, message);
	const char *key = va_arg(args, const char *);

	while (key) {
		const char *value = va_arg(args, const char *);

		if (value)
			put_pair(&line, key, value);
		key = va_arg(args, const char *);
	}
	va_end(args);

	put_end(&line);
	write_line(&line);
	errno = saved_errno;
}
