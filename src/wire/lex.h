/* lex.h - the smallest pieces of JSON text: strings, numbers, UTF-8. Private to wire; pure. */
#ifndef SHIKIRI_WIRE_LEX_H
#define SHIKIRI_WIRE_LEX_H

#include <stdbool.h>
#include <stddef.h>

#define LONGEST_NUMBER 512 /* characters; nothing real is longer */

/* Bytes at the start of [at, end) that may stand in a JSON string as they are and need no look
 * at their neighbours: ASCII but for quotes, backslashes and control characters. */
size_t lex_plain(const char *at, const char *end);

/* Length of the valid UTF-8 sequence at the start of [at, end), or 0. */
size_t lex_utf8(const char *at, const char *end);

/* The functions below return the first byte behind what they read, or NULL with a reason. */

/* at stands behind the opening quote; the result behind the closing one. */
const char *lex_string(const char *at, const char *end, bool *ret_escaped, const char **ret_reason);

/* An integer must fit 64 bits, a real must be finite. */
const char *lex_number(const char *at, const char *end, const char **ret_reason);

/* The content of a string that lex_string took, without its escapes; never longer. out has room
 * for len bytes. Returns the length. */
size_t lex_unescape(const char *text, size_t len, char *out);

#endif
