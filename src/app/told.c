#include "told.h"

#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "lock.h"

#define MOST_PODS ((size_t)16384)

struct entry {
	struct shk_object head;
	enum shk_reason reason;
	char uid[];
};

struct shk_told {
	pthread_mutex_t lock; /* guards all */
	struct shk_index pods;
};

struct shk_told *shk_told_new(void)
{
	struct shk_told *told = calloc(1, sizeof *told);

	if (!told || pthread_mutex_init(&told->lock, NULL) != 0)
		abort();
	return told;
}

void shk_told_free(struct shk_told *told)
{
	if (!told)
		return;
	shk_index_fini(&told->pods);
	(void)pthread_mutex_destroy(&told->lock); /* nobody holds it any more */
	free(told);
}

static void free_entry(struct shk_object *object)
{
	free(object);
}

static void put(struct shk_told *told, const char *uid, enum shk_reason reason)
{
	size_t size = strlen(uid) + 1;
	struct entry *entry = shk_object_alloc(sizeof *entry + size, free_entry);

	entry->reason = reason;
	memcpy(entry->uid, uid, size);
	shk_index_put(&told->pods, entry->uid, &entry->head);
	shk_object_unref(&entry->head);
}

bool shk_told_is_news(struct shk_told *told, const char *uid, enum shk_reason reason)
{
	const struct entry *entry;
	bool is_news;

	shk_lock(&told->lock);
	entry = (const struct entry *)shk_index_get(&told->pods, uid);
	is_news = entry ? entry->reason != reason : told->pods.n < MOST_PODS;
	if (is_news)
		put(told, uid, reason);
	shk_unlock(&told->lock);
	return is_news;
}

void shk_told_forget(struct shk_told *told, const char *uid)
{
	shk_lock(&told->lock);
	(void)shk_index_remove(&told->pods, uid); /* most were never told anything */
	shk_unlock(&told->lock);
}
