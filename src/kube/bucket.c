#include "bucket.h"

#include <assert.h>

#define ONE INT64_C(1000)

void bucket_init(struct bucket *bucket, unsigned rate, unsigned burst, int64_t now_ms)
{
	assert(rate > 0 && burst > 0);
	*bucket = (struct bucket){
	    .rate = rate, .most = burst * ONE, .level = burst * ONE, .filled_ms = now_ms};
}

static void fill(struct bucket *bucket, int64_t now_ms)
{
	int64_t elapsed = now_ms - bucket->filled_ms;

	if (elapsed <= 0)
		return;
	bucket->filled_ms = now_ms;
	if (elapsed > bucket->most / bucket->rate)
		bucket->level = bucket->most;
	else
		bucket->level += elapsed * bucket->rate;
	if (bucket->level > bucket->most)
		bucket->level = bucket->most;
}

bool bucket_take(struct bucket *bucket, int64_t now_ms)
{
	fill(bucket, now_ms);
	if (bucket->level < ONE)
		return false;
	bucket->level -= ONE;
	return true;
}

int64_t bucket_ready_ms(const struct bucket *bucket)
{
	int64_t missing = ONE - bucket->level;

	if (missing <= 0)
		return bucket->filled_ms;
	return bucket->filled_ms + (missing + bucket->rate - 1) / bucket->rate;
}
