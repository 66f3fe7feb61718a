#include "holds.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "shikiri/base/str.h"

#define N_BUCKETS   ((size_t)4096)
#define MAX_RECORDS (2 * SHK_HOLDS_MAX) /* live ones and marks of lapsed ones */

/* Live until ends_ms, then a mark until forgotten_ms. */
struct record {
	struct record *next; /* in the bucket */
	uint64_t hash;
	int64_t ends_ms;
	int64_t forgotten_ms;
	struct shk_hold hold; /* strings follow the record */
};

struct shk_holds {
	pthread_mutex_t lock; /* guards everything below */
	struct record *buckets[N_BUCKETS];
	size_t n;
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
	for (size_t i = 0; i < N_BUCKETS; i++) {
		while (holds->buckets[i]) {
			struct record *record = holds->buckets[i];

			holds->buckets[i] = record->next;
			free(record);
		}
	}
	(void)pthread_mutex_destroy(&holds->lock); /* nobody waits any more */
	free(holds);
}

static void lock(struct shk_holds *holds)
{
	if (pthread_mutex_lock(&holds->lock) != 0)
		abort();
}

static void unlock(struct shk_holds *holds)
{
	if (pthread_mutex_unlock(&holds->lock) != 0)
		abort();
}

static void copy_hold(struct shk_block *block, const struct shk_hold *from, struct shk_hold *to)
{
	struct shk_amount *items;

	*to = *from;
	to->uid = shk_block_text(block, from->uid);
	to->tenant = shk_block_text(block, from->tenant);
	to->domain = shk_block_text(block, from->domain);
	to->pool_node = shk_block_text(block, from->pool_node);
	to->pool_resource = shk_block_text(block, from->pool_resource);
	items = shk_block_copy(block, from->resources.items, from->resources.n * sizeof *items);
	for (size_t i = 0; i < from->resources.n; i++) {
		const char *name = shk_block_text(block, from->resources.items[i].resource);

		if (items)
			items[i].resource = name;
	}
	to->resources.items = items;
}

static struct record *record_new(const struct shk_hold *hold, uint64_t hash)
{
	struct shk_block block = {0};
	struct shk_hold measured;
	struct record *record;

	copy_hold(&block, hold, &measured);
	record = calloc(1, sizeof *record + block.used);
	if (!record)
		abort();
	block = (struct shk_block){.base = (char *)(record + 1)};
	copy_hold(&block, hold, &record->hold);
	record->hash = hash;
	return record;
}

/* The link that leads to the record of uid, or to the bucket's end. */
static struct record **find(struct shk_holds *holds, const char *uid, uint64_t hash)
{
	struct record **link = &holds->buckets[hash % N_BUCKETS];

	while (*link && ((*link)->hash != hash || strcmp((*link)->hold.uid, uid) != 0))
		link = &(*link)->next;
	return link;
}

static void drop(struct shk_holds *holds, struct record **link)
{
	struct record *record = *link;

	*link = record->next;
	holds->n--;
	free(record);
}

static size_t count_live(const struct shk_holds *holds, const char *tenant, int64_t now_ms)
{
	size_t n = 0;

	for (size_t i = 0; i < N_BUCKETS; i++) {
		for (const struct record *at = holds->buckets[i]; at; at = at->next)
			n += now_ms < at->ends_ms &&
			     (!tenant || strcmp(at->hold.tenant, tenant) == 0);
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

	if (now_ms < holds->next_end_ms)
		return;
	for (size_t i = 0; i < N_BUCKETS; i++) {
		struct record **link = &holds->buckets[i];

		while (*link) {
			if (now_ms >= (*link)->forgotten_ms) {
				drop(holds, link);
				continue;
			}
			if ((*link)->forgotten_ms < next_end_ms)
				next_end_ms = (*link)->forgotten_ms;
			link = &(*link)->next;
		}
	}
	holds->next_end_ms = next_end_ms;
}

/* What stands there is moved; its end and its place in the bucket stay. */
static void move(struct record **link, const struct shk_hold *hold)
{
	struct record *old = *link;
	struct record *moved = record_new(hold, old->hash);

	moved->next = old->next;
	moved->ends_ms = old->ends_ms;
	moved->forgotten_ms = old->forgotten_ms;
	*link = moved;
	free(old);
}

static bool put(struct shk_holds *holds, const struct shk_hold *hold, int64_t ttl_ms,
		int64_t now_ms)
{
	uint64_t hash = shk_str_hash(hold->uid);
	struct record **link;
	struct record *record;

	expire(holds, now_ms);
	link = find(holds, hold->uid, hash);
	if (*link) {
		if (now_ms >= (*link)->ends_ms)
			return false;
		move(link, hold);
		return true;
	}
	if (ttl_ms <= 0 || !has_room(holds, hold->tenant, now_ms))
		return false;
	record = record_new(hold, hash);
	record->ends_ms = now_ms + ttl_ms;
	record->forgotten_ms = now_ms + 2 * ttl_ms;
	*link = record;
	holds->n++;
	if (record->forgotten_ms < holds->next_end_ms)
		holds->next_end_ms = record->forgotten_ms;
	return true;
}

bool shk_holds_put(struct shk_holds *holds, const struct shk_hold *hold, int64_t ttl_ms,
		   int64_t now_ms)
{
	bool made;

	lock(holds);
	made = put(holds, hold, ttl_ms, now_ms);
	unlock(holds);
	return made;
}

void shk_holds_refused(struct shk_holds *holds, const char *uid, int64_t now_ms)
{
	struct record **link;

	lock(holds);
	link = find(holds, uid, shk_str_hash(uid));
	if (*link && now_ms < (*link)->ends_ms)
		drop(holds, link);
	unlock(holds);
}

void shk_holds_end(struct shk_holds *holds, const char *uid)
{
	struct record **link;

	lock(holds);
	link = find(holds, uid, shk_str_hash(uid));
	if (*link)
		drop(holds, link);
	unlock(holds);
}

void shk_holds_expire(struct shk_holds *holds, int64_t now_ms)
{
	lock(holds);
	expire(holds, now_ms);
	unlock(holds);
}

static int compare_holds(const void *a, const void *b)
{
	const struct shk_hold *x = a;
	const struct shk_hold *y = b;

	return strcmp(x->uid, y->uid);
}

static void copy_to_arena(const struct shk_hold *from, struct shk_arena *arena, struct shk_hold *to)
{
	struct shk_block block = {0};
	struct shk_hold measured;

	copy_hold(&block, from, &measured);
	block = (struct shk_block){.base = shk_arena_alloc(arena, block.used)};
	copy_hold(&block, from, to);
}

static struct shk_hold *copy_live(const struct shk_holds *holds, int64_t now_ms,
				  struct shk_arena *arena, size_t *ret_n)
{
	struct shk_hold *live = SHK_NEW_ARRAY(arena, holds->n, struct shk_hold);
	size_t n = 0;

	for (size_t i = 0; holds->n > 0 && i < N_BUCKETS; i++) {
		for (const struct record *at = holds->buckets[i]; at; at = at->next) {
			if (now_ms < at->ends_ms)
				copy_to_arena(&at->hold, arena, &live[n++]);
		}
	}
	*ret_n = n;
	return live;
}

const struct shk_hold *shk_holds_live(struct shk_holds *holds, int64_t now_ms,
				      struct shk_arena *arena, size_t *ret_n)
{
	struct shk_hold *live;

	lock(holds);
	live = copy_live(holds, now_ms, arena, ret_n);
	unlock(holds);
	qsort(live, *ret_n, sizeof *live, compare_holds);
	return live;
}

size_t shk_holds_count(struct shk_holds *holds, int64_t now_ms)
{
	size_t n;

	lock(holds);
	n = count_live(holds, NULL, now_ms);
	unlock(holds);
	return n;
}
