/* reflector.h - what one kind of object is, kept up to date: list, watch, and again.
 *
 * A state machine without I/O, clock or threads: the client tells it the time and what came over
 * the wire, and it tells what to ask next. Follows client-go's reflector: the first list at
 * resourceVersion 0, later ones not older than what was seen, the newest after "expired"; watches
 * with bookmarks from the last version; 410 as status and as an ERROR event lists again; backoff
 * with jitter 0.8 to 30 s, forgotten after two minutes of health. */
#ifndef SHIKIRI_SRC_KUBE_REFLECTOR_H
#define SHIKIRI_SRC_KUBE_REFLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "shikiri/base/error.h"
#include "shikiri/base/str.h"
#include "shikiri/kube/kube.h"

struct reflector; /* opaque */

/* seed: of the jitter, so that the same inputs give the same outputs. Times are milliseconds of
 * the boot clock throughout. */
struct reflector *reflector_new(enum shk_kube_kind kind, uint64_t seed, int64_t now_ms);
void reflector_free(struct reflector *reflector); /* accepts NULL */

/* true: a GET of *ret_path (path and query, valid until the next call) is due now, and counts as
 * begun. false: while one is under way, or nothing before *ret_at_ms. */
bool reflector_due(struct reflector *reflector, int64_t now_ms, const char **ret_path,
		   int64_t *ret_at_ms);

/* The head of the answer came. retry_after_s: of the header, or -1. */
void reflector_head(struct reflector *reflector, int http_status, int retry_after_s,
		    int64_t now_ms);

/* Bytes of the body, split anywhere. What they say is added to facts. Not SHK_OK: the transfer is
 * to be aborted and reported to _ended as usual. */
enum shk_status reflector_feed(struct reflector *reflector, struct shk_sv bytes, int64_t now_ms,
			       struct shk_facts *facts, struct shk_error *err) SHK_MUST_CHECK;

/* The transfer is over. failure: why it broke, or NULL when the server ended it. */
void reflector_ended(struct reflector *reflector, const char *failure, int64_t now_ms,
		     struct shk_facts *facts);

/* When a quiet transfer has to be given up (to be aborted and reported to _ended). */
int64_t reflector_silence_ms(const struct reflector *reflector);

void reflector_health(const struct reflector *reflector, int64_t now_ms,
		      struct shk_kube_kind_health *ret_health);
/* "" unless the last list or watch failed, or an object since the last list couldn't be read. */
const char *reflector_error(const struct reflector *reflector);
uint64_t reflector_failures(const struct reflector *reflector);
/* Objects and events so far that couldn't be read. */
uint64_t reflector_unread(const struct reflector *reflector);

#endif
