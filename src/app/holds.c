#include "holds.h"

#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "lock.h"

#define MAX_RECORDS (2 * SHK_HOLDS_MAX) /* live ones and marks of lapsed ones */

/* Live until ends_ms, then a mark until forgotten_ms. */
struct record {
	int64_t ends_ms;
	int64_t forgotten_ms;
	size_t size; /* of what hangs on the hold, which follows the record */
	struct shk_hold hold;
};

struct shk_holds {
	pthread_mutex_t lock;    /* guards everything below */
	struct record **records; /* sorted by uid */
	size_t n;
	size_t cap;
	int64_t next_end_ms; /* no record is forgotten before */
};

struct shk_holds *shk_holds_new(void)
{
	struct shk_holds *holds = calloc(1, sizeof *holds);

	if (!holds || pthread_mutex_init(&holds->lock, NULL) != 0)
		abort();
	holds->next_end_ms = INT64_MAX;
	return holds;
}

void shk_holds_free(struct shk_holds *holds)
{
	if (!holds)
		return;
	for (size_t i = 0; i < holds->n; i++)
		free(holds->records[i]);
	free(holds->records);
	(void)pthread_mutex_destroy(&holds->lock); /* nobody waits any more */
	free(holds);
}

static void copy_hold(struct shk_block *block, const struct shk_hold *from, struct shk_hold *to)
{
	*to = *from;
	to->uid = shk_block_text(block, from->uid);
	to->tenant = shk_block_text(block, from->tenant);
	to->domain = shk_block_text(block, from->domain);
	to->pool_node = shk_block_text(block, from->pool_node);
	to->pool_resource = shk_block_text(block, from->pool_resource);
	to->resources = shk_block_vector(block, &from->resources);
}

static struct record *record_new(const struct shk_hold *hold)
{
	struct shk_block block = {0};
	struct shk_hold measured;
	struct record *record;

	copy_hold(&block, hold, &measured);
	record = calloc(1, sizeof *record + block.used);
	if (!record)
		abort();
	record->size = block.used;
	block = (struct shk_block){.base = (char *)(record + 1)};
	copy_hold(&block, hold, &record->hold);
	return record;
}

/* Where uid stands, or where it would have to. */
static size_t find(const struct shk_holds *holds, const char *uid, bool *ret_there)
{
	size_t low = 0;
	size_t high = holds->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(holds->records[middle]->hold.uid, uid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_there = low < holds->n && strcmp(holds->records[low]->hold.uid, uid) == 0;
	return low;
}

static void insert(struct shk_holds *holds, size_t at, struct record *record)
{
	if (holds->n == holds->cap) {
		holds->cap = holds->cap ? holds->cap * 2 : 64;
		holds->records = realloc(holds->records, holds->cap * sizeof(void *));
		if (!holds->records)
			abort();
	}
	memmove(&holds->records[at + 1], &holds->records[at], (holds->n - at) * sizeof(void *));
	holds->records[at] = record;
	holds->n++;
}

static void drop(struct shk_holds *holds, size_t at)
{
	free(holds->records[at]);
	holds->n--;
	memmove(&holds->records[at], &holds->records[at + 1], (holds->n - at) * sizeof(void *));
}

static size_t count_live(const struct shk_holds *holds, const char *tenant, int64_t now_ms)
{
	size_t n = 0;

	for (size_t i = 0; i < holds->n; i++) {
		const struct record *record = holds->records[i];

		n += now_ms < record->ends_ms &&
		     (!tenant || strcmp(record->hold.tenant, tenant) == 0);
	}
	return n;
}

static bool has_room(const struct shk_holds *holds, const char *tenant, int64_t now_ms)
{
	/* Below the smaller cap there is room whoever holds them. */
	if (holds->n < SHK_HOLDS_PER_TENANT)
		return true;
	return holds->n < MAX_RECORDS && count_live(holds, NULL, now_ms) < SHK_HOLDS_MAX &&
	       count_live(holds, tenant, now_ms) < SHK_HOLDS_PER_TENANT;
}

static void expire(struct shk_holds *holds, int64_t now_ms)
{
	int64_t next_end_ms = INT64_MAX;
	size_t kept = 0;

	if (now_ms < holds->next_end_ms)
		return;
	for (size_t i = 0; i < holds->n; i++) {
		struct record *record = holds->records[i];

		if (now_ms >= record->forgotten_ms) {
			free(record);
			continue;
		}
		if (record->forgotten_ms < next_end_ms)
			next_end_ms = record->forgotten_ms;
		holds->records[kept++] = record;
	}
	holds->n = kept;
	holds->next_end_ms = next_end_ms;
}

/* What stands there is moved; its end stays. */
static void move(struct record **place, const struct shk_hold *hold)
{
	struct record *fresh = record_new(hold);

	fresh->ends_ms = (*place)->ends_ms;
	fresh->forgotten_ms = (*place)->forgotten_ms;
	free(*place);
	*place = fresh;
}

static bool put(struct shk_holds *holds, const struct shk_hold *hold, int64_t ttl_ms,
		int64_t now_ms)
{
	struct record *record;
	bool there;
	size_t at;

	expire(holds, now_ms);
	at = find(holds, hold->uid, &there);
	if (there) {
		if (now_ms >= holds->records[at]->ends_ms)
			return false;
		move(&holds->records[at], hold);
		return true;
	}
	if (ttl_ms <= 0 || !has_room(holds, hold->tenant, now_ms))
		return false;
	record = record_new(hold);
	record->ends_ms = now_ms + ttl_ms;
	record->forgotten_ms = now_ms + 2 * ttl_ms;
	insert(holds, at, record);
	if (record->forgotten_ms < holds->next_end_ms)
		holds->next_end_ms = record->forgotten_ms;
	return true;
}

bool shk_holds_put(struct shk_holds *holds, const struct shk_hold *hold, int64_t ttl_ms,
		   int64_t now_ms)
{
	bool made;

	shk_lock(&holds->lock);
	made = put(holds, hold, ttl_ms, now_ms);
	shk_unlock(&holds->lock);
	return made;
}

void shk_holds_refused(struct shk_holds *holds, const char *uid, int64_t now_ms)
{
	bool there;
	size_t at;

	shk_lock(&holds->lock);
	at = find(holds, uid, &there);
	if (there && now_ms < holds->records[at]->ends_ms)
		drop(holds, at);
	shk_unlock(&holds->lock);
}

void shk_holds_end(struct shk_holds *holds, const char *uid)
{
	bool there;
	size_t at;

	shk_lock(&holds->lock);
	at = find(holds, uid, &there);
	if (there)
		drop(holds, at);
	shk_unlock(&holds->lock);
}

void shk_holds_expire(struct shk_holds *holds, int64_t now_ms)
{
	shk_lock(&holds->lock);
	expire(holds, now_ms);
	shk_unlock(&holds->lock);
}

static const char *moved(const char *text, const struct record *from, const char *to)
{
	return text ? to + (text - (const char *)(from + 1)) : NULL;
}

/* One piece, in which everything stands where it stood: much cheaper than text by text. */
static void copy_to_arena(const struct record *record, struct shk_arena *arena,
			  struct shk_hold *ret_hold)
{
	char *block = shk_arena_alloc(arena, record->size);
	struct shk_hold hold = record->hold;
	size_t items_at = (size_t)((const char *)hold.resources.items - (const char *)(record + 1));
	struct shk_amount *items = (void *)(block + items_at);

	memcpy(block, record + 1, record->size);
	hold.uid = moved(hold.uid, record, block);
	hold.tenant = moved(hold.tenant, record, block);
	hold.domain = moved(hold.domain, record, block);
	hold.pool_node = moved(hold.pool_node, record, block);
	hold.pool_resource = moved(hold.pool_resource, record, block);
	hold.resources.items = items;
	for (size_t i = 0; i < hold.resources.n; i++)
		items[i].resource = moved(items[i].resource, record, block);
	*ret_hold = hold;
}

const struct shk_hold *shk_holds_live(struct shk_holds *holds, int64_t now_ms,
				      struct shk_arena *arena, size_t *ret_n)
{
	struct shk_hold *live;
	size_t n = 0;

	shk_lock(&holds->lock);
	live = SHK_NEW_ARRAY(arena, holds->n, struct shk_hold);
	for (size_t i = 0; i < holds->n; i++) {
		if (now_ms < holds->records[i]->ends_ms)
			copy_to_arena(holds->records[i], arena, &live[n++]);
	}
	shk_unlock(&holds->lock);
	*ret_n = n;
	return live;
}

size_t shk_holds_count(struct shk_holds *holds, int64_t now_ms)
{
	size_t n;

	shk_lock(&holds->lock);
	n = count_live(holds, NULL, now_ms);
	shk_unlock(&holds->lock);
	return n;
}
