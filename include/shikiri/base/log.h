/* log.h - structured lines to stderr: JSON, or key=value text on a terminal.
 *
 *   shk_log(SHK_LOG_INFO, "bind", "request_id", id, "node", node, NULL);
 *
 * Only app, http and cmd log, once, at the place that decides what to do. Values are escaped;
 * control characters never reach the terminal. One write per line, so that threads don't mix.
 * Set up once by main before threads start. */
#ifndef SHIKIRI_BASE_LOG_H
#define SHIKIRI_BASE_LOG_H

#include <stdbool.h>

enum shk_log_level { SHK_LOG_DEBUG, SHK_LOG_INFO, SHK_LOG_WARN, SHK_LOG_ERROR };

bool shk_log_level_parse(const char *text, enum shk_log_level *ret_level);
void shk_log_setup(enum shk_log_level level, bool json);
bool shk_log_enabled(enum shk_log_level level);

/* message, then pairs of const char *key and const char *value, then NULL. A NULL value leaves
 * its pair out. A key that begins with '#' prints its value as a bare number, if it is one.
 * Values are cut at 2 KiB. Pairs that would make the line longer than 8 KiB are left out and
 * counted in a last pair, "cut". Before _setup: info and above, as text. */
void shk_log(enum shk_log_level level, const char *message, ...) __attribute__((sentinel));

#endif
