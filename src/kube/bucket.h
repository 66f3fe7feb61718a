/* bucket.h - so many a second, and so many at once after a rest. Pure. */
#ifndef SHIKIRI_SRC_KUBE_BUCKET_H
#define SHIKIRI_SRC_KUBE_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

/* Amounts are thousandths, so that a rate a second is an amount a millisecond. */
struct bucket {
	int64_t rate;
	int64_t most;
	int64_t level;
	int64_t filled_ms;
};

/* Full at first. rate and burst are at least 1. */
void bucket_init(struct bucket *bucket, unsigned rate, unsigned burst, int64_t now_ms);
/* false: none is there before bucket_ready_ms. */
bool bucket_take(struct bucket *bucket, int64_t now_ms);
int64_t bucket_ready_ms(const struct bucket *bucket);

#endif
