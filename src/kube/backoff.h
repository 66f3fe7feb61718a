/* backoff.h - how long to wait after a failure: up to 0.8 s, doubling to 30 s, forgotten after two
 * minutes without one. Private to kube; pure. */
#ifndef SHIKIRI_SRC_KUBE_BACKOFF_H
#define SHIKIRI_SRC_KUBE_BACKOFF_H

#include <stdint.h>

struct backoff {
	uint64_t random;   /* state of the generator; any seed will do */
	unsigned failures; /* in a row */
	int64_t last_ms;
};

/* Counts a failure and returns the delay, anything from 0 to the bound (full jitter), so that
 * clients that failed together don't come back together. */
int64_t backoff_fail(struct backoff *backoff, int64_t now_ms);

/* Evenly from low to high, both included. */
int64_t backoff_random(struct backoff *backoff, int64_t low, int64_t high);

#endif
