/* outcome.h - what one attempt at a request says about it, and whether another is due. Pure. */
#ifndef SHIKIRI_SRC_KUBE_OUTCOME_H
#define SHIKIRI_SRC_KUBE_OUTCOME_H

#include <stdbool.h>

#include "shikiri/base/str.h"
#include "shikiri/kube/kube.h"

struct attempt {
	enum shk_kube_verb verb;
	unsigned number;   /* 1: the first */
	bool complete;     /* a whole answer came; else status may be 0 */
	bool sent;         /* the server may have seen the whole request */
	bool oversized;    /* the answer was given up because of its size */
	bool fresh_token;  /* made with a token that was read because of a 401 */
	bool can_refresh;  /* there is a file to read one from */
	int status;        /* of HTTP */
	int retry_after_s; /* -1: none */
};

struct verdict {
	enum shk_kube_outcome outcome; /* what holds if there is no further attempt */
	bool again;
	bool refresh_token; /* before it */
	int delay_ms;       /* to it */
};

struct verdict outcome_judge(const struct attempt *attempt);

/* Seconds of a Retry-After header's value; what isn't a number (dates included) is 1. */
int outcome_retry_after(struct shk_sv value);

/* One line of an answer's head. true: it is Retry-After, and *ret_retry_after_s its seconds. */
bool outcome_header(struct shk_sv line, int *ret_retry_after_s);

#endif
