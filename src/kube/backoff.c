#include "backoff.h"

#define FIRST_BOUND_MS   INT64_C(800)
#define LARGEST_BOUND_MS INT64_C(30000)
#define HEALTHY_MS       INT64_C(120000)

/* splitmix64: any state is a good one, zero included. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t mixed;

	*state += UINT64_C(0x9E3779B97F4A7C15);
	mixed = *state;
	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
	return mixed ^ (mixed >> 31);
}

int64_t backoff_random(struct backoff *backoff, int64_t low, int64_t high)
{
	return low + (int64_t)(next_random(&backoff->random) % (uint64_t)(high - low + 1));
}

int64_t backoff_fail(struct backoff *backoff, int64_t now_ms)
{
	int64_t bound = FIRST_BOUND_MS;

	if (now_ms - backoff->last_ms >= HEALTHY_MS)
		backoff->failures = 0;
	for (unsigned i = 0; i < backoff->failures && bound < LARGEST_BOUND_MS; i++)
		bound *= 2;
	if (bound > LARGEST_BOUND_MS)
		bound = LARGEST_BOUND_MS;
	if (backoff->failures < 64)
		backoff->failures++;
	backoff->last_ms = now_ms;
	return backoff_random(backoff, 0, bound);
}
