#include "shikiri/base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Answers carry these texts as JSON, which can't hold half a UTF-8 sequence. */
static void trim_torn_utf8(char *text)
{
	size_t len = strlen(text);
	size_t tail = len;

	while (tail > 0 && ((unsigned char)text[tail - 1] & 0xC0) == 0x80)
		tail--;
	if (tail == 0)
		return;

	unsigned char lead = (unsigned char)text[tail - 1];
	size_t expected = (lead >= 0xC0) + (size_t)(lead >= 0xE0) + (size_t)(lead >= 0xF0);

	if (len - tail < expected)
		text[tail - 1] = '\0';
}

static void SHK_PRINTF(3, 0) print(char *buf, size_t size, const char *fmt, va_list args)
{
	int n = vsnprintf(buf, size, fmt, args);

	if (n < 0)
		buf[0] = '\0';
	else if ((size_t)n >= size)
		trim_torn_utf8(buf);
}

/* The end of the text is what goes when both don't fit. prefix is shorter than size. */
static void prepend(char *text, size_t size, const char *prefix)
{
	size_t len = strlen(text);
	size_t start = strlen(prefix);
	size_t room = size - 1 - start;
	size_t kept = len < room ? len : room;

	memmove(text + start, text, kept);
	memcpy(text, prefix, start);
	text[start + kept] = '\0';
	if (len > room)
		trim_torn_utf8(text);
}

/* The arguments may point into err itself, so nothing is stored before all is printed. */
static void SHK_PRINTF(4, 0) fill(struct shk_error *err, enum shk_status status,
				  const char *pointer, const char *fmt, va_list args)
{
	struct shk_error next = {.status = status};

	assert(status != SHK_OK);
	print(next.text, sizeof next.text, fmt, args);
	if (pointer &&
	    snprintf(next.pointer, sizeof next.pointer, "%s", pointer) >= (int)sizeof next.pointer)
		trim_torn_utf8(next.pointer);
	*err = next;
}

enum shk_status shk_error_set(struct shk_error *err, enum shk_status status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, status, NULL, fmt, args);
	va_end(args);
	return status;
}

enum shk_status shk_error_at(struct shk_error *err, enum shk_status status, const char *pointer,
			     const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, status, pointer, fmt, args);
	va_end(args);
	return status;
}

enum shk_status shk_error_wrap(struct shk_error *err, const char *fmt, ...)
{
	char context[sizeof err->text];
	va_list args;

	va_start(args, fmt);
	print(context, sizeof context, fmt, args);
	va_end(args);

	prepend(err->text, sizeof err->text, ": ");
	prepend(err->text, sizeof err->text, context);
	return err->status;
}

enum shk_status shk_error_under(struct shk_error *err, const char *fmt, ...)
{
	char prefix[sizeof err->pointer];
	va_list args;

	va_start(args, fmt);
	print(prefix, sizeof prefix, fmt, args);
	va_end(args);

	prepend(err->pointer, sizeof err->pointer, prefix);
	return err->status;
}

const char *shk_error_print(const struct shk_error *err, char *buf, unsigned long size)
{
	const char *colon = err->pointer[0] ? ": " : "";
	int n = snprintf(buf, size, "%s%s%s", err->pointer, colon, err->text);

	if (n >= 0 && (size_t)n >= size && size > 0)
		trim_torn_utf8(buf);
	return buf;
}
