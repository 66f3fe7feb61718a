/* nudge.h - waiting pods that would pass now are touched, so that their scheduler asks again.
 *
 * A scheduler that was refused sleeps for up to five minutes unless something happens to the pod
 * or to the cluster; a raised quota is no such thing, and what is one often wakes it before our
 * mirror has it. So after each change that may let a refused pod pass, all waiting pods are
 * decided again: highest priority first, then oldest, each seeing the earlier ones placed. Those
 * that pass are touched, once for each such change. A pod that was touched and didn't come doesn't
 * keep its place from the others: they are looked at again without it. */
#ifndef SHIKIRI_APP_NUDGE_H
#define SHIKIRI_APP_NUDGE_H

#include "early.h"
#include "feed.h"
#include "holds.h"
#include "loop.h"
#include "schedulers.h"

#define SHK_NUDGES_AT_ONCE ((size_t)50)  /* in a round; there is one a second at most */
#define SHK_NUDGE_AGAIN_MS INT64_C(2000) /* a pod is given that long to be asked about */

/* Who was touched since which change. */
struct shk_nudged; /* opaque */

struct shk_nudged *shk_nudged_new(void);
void shk_nudged_free(struct shk_nudged *nudged); /* accepts NULL */
/* Everybody may be touched again, for the change that they were touched for, too. */
void shk_nudged_forget(struct shk_nudged *nudged);

struct shk_nudge_env {
	struct shk_schedulers *schedulers; /* borrowed, all of them */
	const struct shk_moment *moment;
	int64_t now_ms;
	/* false: no more at the moment. */
	bool (*touch)(void *context, const struct shk_kube_request *request);
	void *context;
};

/* One round. Returns how many pods were touched, or could not be yet; 0 once nobody is left for
 * this change. */
size_t shk_nudge_round(struct shk_nudged *nudged, const struct shk_edition *edition,
		       const struct shk_nudge_env *env);

/* --- the thread that does it ----------------------------------------------------------------- */

struct shk_nudger; /* opaque */

struct shk_nudger_options {
	struct shk_loop *loop; /* borrowed, all of them */
	struct shk_holds *holds;
	struct shk_feed *feed;
	struct shk_schedulers *schedulers;
	struct shk_early *early;
};

struct shk_nudger *shk_nudger_new(const struct shk_nudger_options *options);
void shk_nudger_free(struct shk_nudger *nudger); /* accepts NULL */

#endif
