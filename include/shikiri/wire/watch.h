/* watch.h - what an API server answers to a list and to a watch, read as it comes in.
 *
 * A list of 40,000 pods is one body of up to 300 MB, and a watch is one that never ends; neither
 * is ever held in memory. Both readers take bytes split anywhere and give the same for every
 * split. They find where an object begins and ends; that it is well-formed and what it says is
 * found by whoever decodes it (cluster.h), so that no byte is checked twice. */
#ifndef SHIKIRI_WIRE_WATCH_H
#define SHIKIRI_WIRE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

#define SHK_LIST_MAX_OBJECT   ((size_t)4 << 20)
#define SHK_LIST_MAX_ITEMS    ((size_t)1000000) /* of one page */
#define SHK_LIST_MAX_CONTINUE ((size_t)64 << 10)
#define SHK_MAX_VERSION       ((size_t)256) /* bytes of a resourceVersion; real ones have 20 */

/* --- lists ---------------------------------------------------------------------------------- */

/* Takes the text of one item, which lives as long as the call. What it returns other than SHK_OK
 * ends the reading, with the error that it filled. */
typedef enum shk_status shk_list_taker(void *context, struct shk_sv item, struct shk_error *err);

/* The rest of a list: both in the reader, "" when absent. */
struct shk_list_end {
	const char *resource_version;
	const char *continue_token; /* "" on the last page */
	size_t n_items;
};

struct shk_list_reader; /* opaque */

struct shk_list_reader *shk_list_reader_new(shk_list_taker *take, void *context);
void shk_list_reader_free(struct shk_list_reader *reader); /* accepts NULL */

/* Strict about everything around the items: one JSON object, no key twice, "items" a list (or
 * null). After an error the reader can only be freed. */
enum shk_status shk_list_reader_feed(struct shk_list_reader *reader, struct shk_sv bytes,
				     struct shk_error *err) SHK_MUST_CHECK;
/* INPUT unless the list was whole and had "items" and "metadata". */
enum shk_status shk_list_reader_end(struct shk_list_reader *reader, struct shk_list_end *ret_end,
				    struct shk_error *err) SHK_MUST_CHECK;

/* --- watches -------------------------------------------------------------------------------- */

/* Lines out of a stream. Zeroed it is empty. */
struct shk_lines {
	struct shk_buf partial;
	bool drops;     /* the line under way is too long, and passed over */
	bool is_handed; /* partial was the last line */
};

void shk_lines_fini(struct shk_lines *lines);
/* Takes bytes off the front of *bytes. true: a line came to its end; *ret_line is valid until the
 * next call, and empty when the line was longer than an event can be. false: all was taken. */
bool shk_lines_next(struct shk_lines *lines, struct shk_sv *bytes, struct shk_sv *ret_line);

enum shk_event_type {
	SHK_EVENT_UNKNOWN = 0, /* of a type that we don't know */
	SHK_EVENT_ADDED,
	SHK_EVENT_MODIFIED,
	SHK_EVENT_DELETED,  /* object: as it was at the end */
	SHK_EVENT_BOOKMARK, /* object: nothing but a resourceVersion */
	SHK_EVENT_ERROR,    /* object: a Status */
};

struct shk_event {
	enum shk_event_type type;
	struct shk_sv object; /* in the line */
};

/* The line as a whole is checked as JSON. */
enum shk_status shk_event_read(struct shk_sv line, struct shk_event *ret_event,
			       struct shk_error *err) SHK_MUST_CHECK;

/* --- small parts ---------------------------------------------------------------------------- */

/* What any object says about itself; unchecked, NULL when absent or not a string. */
struct shk_object_id {
	const char *kind;
	const char *namespace_;
	const char *name;
	const char *uid;
	const char *resource_version;
};

/* Reads it even from an object that is otherwise impossible, as long as it is JSON. */
enum shk_status shk_object_id_read(struct shk_sv text, struct shk_arena *arena,
				   struct shk_object_id *ret_id,
				   struct shk_error *err) SHK_MUST_CHECK;

/* A Status, as far as it tells what to do next. */
struct shk_api_status {
	int code; /* 0: none stated */
	const char *reason;
	const char *message;
	bool is_too_large; /* a cause says ResourceVersionTooLarge */
	int retry_after_s; /* -1: none stated */
};

enum shk_status shk_api_status_read(struct shk_sv text, struct shk_arena *arena,
				    struct shk_api_status *ret_status,
				    struct shk_error *err) SHK_MUST_CHECK;

/* Whether text has an escaped NUL; if so, out becomes the text with U+FFFD in its place. The API
 * server stores such strings, no string of ours can hold them, and none that we compare may have
 * one: a pod must not become invisible by an annotation. */
bool shk_json_mend(struct shk_sv text, struct shk_buf *out);

#endif
