/* reflector_state.h - what a reflector remembers. Private to its files. */
#ifndef SHIKIRI_SRC_KUBE_REFLECTOR_STATE_H
#define SHIKIRI_SRC_KUBE_REFLECTOR_STATE_H

#include "shikiri/wire/watch.h"

#include "backoff.h"
#include "reflector.h"

enum reflector_step {
	STEP_LIST = 0,
	STEP_WATCH,
};

/* Which state of the cluster a list asks for. */
enum reflector_from {
	FROM_CACHE = 0, /* whatever the server has at hand: the first list */
	FROM_KNOWN,     /* not older than the last version seen */
	FROM_NEWEST,    /* of the quorum, in pages */
	FROM_NEWEST_WHOLE,
};

/* What an answer that is none says about going on. */
enum reflector_verdict {
	VERDICT_RETRY = 0, /* the same again, later */
	VERDICT_EXPIRED,   /* that version, or page, is too old */
	VERDICT_TOO_LARGE, /* the server isn't as far yet */
	VERDICT_INTERNAL,  /* it may be our version that it stumbles over */
	VERDICT_REFUSED,   /* the same again would be refused again */
};

struct reflector {
	enum shk_kube_kind kind;
	struct backoff backoff;

	enum reflector_step step; /* under way, or next */
	enum reflector_from from;
	bool is_under_way;
	int64_t due_ms;
	char version[SHK_MAX_VERSION + 1]; /* "": none yet */
	bool expired_before;               /* and nothing was seen since */
	unsigned internal_errors;          /* in a row */

	/* the transfer */
	struct shk_buf path;
	int http_status; /* 0: no head yet */
	int retry_after_s;
	int64_t began_ms;
	int64_t last_byte_ms;
	bool has_news;   /* a watch that said something */
	bool has_failed; /* by what came over it: verdict and fault say how */
	enum reflector_verdict verdict;
	char fault[256];
	struct shk_buf body; /* of an answer that isn't 2xx */

	/* a list, over all its pages */
	struct shk_list_reader *reader;
	struct shk_buf token; /* of the page under way or next; empty: the first */
	struct shk_arena keys_arena;
	const char **keys; /* on the heap */
	size_t n_keys;
	size_t cap_keys;
	bool list_has_unread;

	struct shk_lines lines; /* a watch */
	struct shk_buf mended;
	struct shk_facts *facts; /* borrowed while feeding */

	/* for health */
	uint64_t n_lists;
	uint64_t failures;
	uint64_t unread;
	int64_t news_ms;
	char error[256];
	char unread_error[256]; /* of an object; stays until a list had none */
};

/* query.c: the path for the step, into reflector->path. */
void reflector_make_path(struct reflector *reflector);

/* reading.c */
void reflector_begin_reading(struct reflector *reflector);
void reflector_forget_list(struct reflector *reflector);
enum shk_status reflector_read(struct reflector *reflector, struct shk_sv bytes, int64_t now_ms,
			       struct shk_error *err) SHK_MUST_CHECK;
/* Facts of a complete list: its keys. */
void reflector_add_listed(struct reflector *reflector, const char *version,
			  struct shk_facts *facts);
/* What a Status, or a bare HTTP status, says. status: NULL when there was none to read. */
enum reflector_verdict reflector_judge(int code, const struct shk_api_status *status);

#endif
