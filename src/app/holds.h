/* holds.h - who passed filter and isn't bound yet.
 *
 * One mutex; times are milliseconds of the boot clock, given by the caller. A hold lives for its
 * time to live, is moved by each new filter that passes and never prolonged. One that lapses
 * leaves a mark for as long again, during which its UID gets no new one: an unschedulable pod
 * can't sit on a pool. At a cap there is no new hold; nothing is ever evicted. */
#ifndef SHIKIRI_APP_HOLDS_H
#define SHIKIRI_APP_HOLDS_H

#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/core/model.h"

#define SHK_HOLDS_PER_TENANT ((size_t)512)
#define SHK_HOLDS_MAX        ((size_t)16384)

struct shk_holds; /* opaque */

struct shk_holds *shk_holds_new(void);
void shk_holds_free(struct shk_holds *holds); /* accepts NULL */

/* Makes or moves the hold of hold->uid; a copy is kept. false when it got none. */
bool shk_holds_put(struct shk_holds *holds, const struct shk_hold *hold, int64_t ttl_ms,
		   int64_t now_ms);
/* Filter refused the pod: its hold ends, the mark of a lapsed one stays. */
void shk_holds_refused(struct shk_holds *holds, const char *uid, int64_t now_ms);
/* The pod is bound or gone: nothing of it stays. */
void shk_holds_end(struct shk_holds *holds, const char *uid);
/* Forgets what is over. Cheap when nothing is. */
void shk_holds_expire(struct shk_holds *holds, int64_t now_ms);

/* The live ones, sorted by uid, copied to arena. */
const struct shk_hold *shk_holds_live(struct shk_holds *holds, int64_t now_ms,
				      struct shk_arena *arena, size_t *ret_n);
size_t shk_holds_count(struct shk_holds *holds, int64_t now_ms);

#endif
