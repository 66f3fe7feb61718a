#include "index.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/str.h"

#define FAN        32u
#define FAN_BITS   5u
#define FIRST_SIZE 4u

struct entry {
	uint64_t hash;
	const char *key;
	struct shk_object *object;
};

/* Sorted by hash, then key. */
struct bucket {
	struct shk_object head;
	uint32_t n;
	uint32_t cap;
	struct entry entries[];
};

struct branch {
	struct shk_object head;
	struct bucket *buckets[FAN];
};

struct shk_index_root {
	struct shk_object head;
	struct branch *branches[FAN];
};

static void free_bucket(struct shk_object *object)
{
	struct bucket *bucket = (struct bucket *)object;

	for (uint32_t i = 0; i < bucket->n; i++)
		shk_object_unref(bucket->entries[i].object);
	free(bucket);
}

static void free_branch(struct shk_object *object)
{
	struct branch *branch = (struct branch *)object;

	for (size_t i = 0; i < FAN; i++)
		shk_object_unref((struct shk_object *)branch->buckets[i]);
	free(branch);
}

static void free_root(struct shk_object *object)
{
	struct shk_index_root *root = (struct shk_index_root *)object;

	for (size_t i = 0; i < FAN; i++)
		shk_object_unref((struct shk_object *)root->branches[i]);
	free(root);
}

static size_t branch_of(uint64_t hash)
{
	return (size_t)(hash % FAN);
}

static size_t bucket_of(uint64_t hash)
{
	return (size_t)((hash >> FAN_BITS) % FAN);
}

/* The first entry that isn't before (hash, key); *ret_found says whether it is that. */
static uint32_t position(const struct bucket *bucket, uint64_t hash, const char *key,
			 bool *ret_found)
{
	uint32_t low = 0;
	uint32_t high = bucket->n;

	*ret_found = false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct entry *entry = &bucket->entries[middle];
		int order = entry->hash == hash ? strcmp(entry->key, key) : 0;

		if (entry->hash < hash || order < 0) {
			low = middle + 1;
			continue;
		}
		if (entry->hash == hash && order == 0)
			*ret_found = true;
		high = middle;
	}
	return low;
}

void shk_index_fini(struct shk_index *index)
{
	shk_object_unref((struct shk_object *)index->root);
	*index = (struct shk_index){0};
}

void shk_index_copy(struct shk_index *ret_copy, const struct shk_index *from)
{
	*ret_copy = *from;
	if (from->root)
		(void)shk_object_ref(&from->root->head); /* the same pointer again */
}

static const struct bucket *find_bucket(const struct shk_index *index, uint64_t hash)
{
	const struct branch *branch = index->root ? index->root->branches[branch_of(hash)] : NULL;

	return branch ? branch->buckets[bucket_of(hash)] : NULL;
}

struct shk_object *shk_index_get(const struct shk_index *index, const char *key)
{
	uint64_t hash = shk_str_hash(key);
	const struct bucket *bucket = find_bucket(index, hash);
	bool found;
	uint32_t at;

	if (!bucket)
		return NULL;
	at = position(bucket, hash, key, &found);
	return found ? bucket->entries[at].object : NULL;
}

/* The parts of a path, made the owner's own: shared ones are copied. */

static struct shk_index_root *own_root(struct shk_index *index)
{
	struct shk_index_root *old = index->root;

	if (old && shk_object_is_alone(&old->head))
		return old;
	index->root = shk_object_alloc(sizeof *index->root, free_root);
	if (!old)
		return index->root;
	for (size_t i = 0; i < FAN; i++) {
		if (old->branches[i])
			index->root->branches[i] =
			    (struct branch *)shk_object_ref(&old->branches[i]->head);
	}
	shk_object_unref(&old->head);
	return index->root;
}

static struct branch *own_branch(struct branch **place)
{
	struct branch *old = *place;

	if (old && shk_object_is_alone(&old->head))
		return old;
	*place = shk_object_alloc(sizeof **place, free_branch);
	if (!old)
		return *place;
	for (size_t i = 0; i < FAN; i++) {
		if (old->buckets[i])
			(*place)->buckets[i] =
			    (struct bucket *)shk_object_ref(&old->buckets[i]->head);
	}
	shk_object_unref(&old->head);
	return *place;
}

static struct bucket *bucket_new(uint32_t cap)
{
	struct bucket *bucket =
	    shk_object_alloc(sizeof *bucket + cap * sizeof(struct entry), free_bucket);

	bucket->cap = cap;
	return bucket;
}

static uint32_t grown(uint32_t n)
{
	return n < FIRST_SIZE ? FIRST_SIZE : n + n / 2;
}

/* With room for one more. */
static struct bucket *own_bucket(struct bucket **place)
{
	struct bucket *old = *place;
	bool alone = old && shk_object_is_alone(&old->head);

	if (alone && old->n < old->cap)
		return old;
	*place = bucket_new(old ? grown(old->n + 1) : FIRST_SIZE);
	if (!old)
		return *place;
	memcpy((*place)->entries, old->entries, old->n * sizeof(struct entry));
	(*place)->n = old->n;
	for (uint32_t i = 0; i < old->n && !alone; i++)
		(void)shk_object_ref(old->entries[i].object); /* the same pointer again */
	if (alone)
		old->n = 0; /* its references moved */
	shk_object_unref(&old->head);
	return *place;
}

static struct bucket *own_path(struct shk_index *index, uint64_t hash)
{
	struct shk_index_root *root = own_root(index);
	struct branch *branch = own_branch(&root->branches[branch_of(hash)]);

	return own_bucket(&branch->buckets[bucket_of(hash)]);
}

void shk_index_put(struct shk_index *index, const char *key, struct shk_object *object)
{
	uint64_t hash = shk_str_hash(key);
	struct bucket *bucket = own_path(index, hash);
	bool found;
	uint32_t at = position(bucket, hash, key, &found);
	struct entry *entry = &bucket->entries[at];

	(void)shk_object_ref(object); /* the same pointer again */
	if (found) {
		shk_object_unref(entry->object);
	} else {
		memmove(entry + 1, entry, (bucket->n - at) * sizeof *entry);
		bucket->n++;
		index->n++;
	}
	*entry = (struct entry){.hash = hash, .key = key, .object = object};
}

bool shk_index_remove(struct shk_index *index, const char *key)
{
	uint64_t hash = shk_str_hash(key);
	struct bucket *bucket;
	bool found;
	uint32_t at;

	if (!shk_index_get(index, key))
		return false;
	bucket = own_path(index, hash);
	at = position(bucket, hash, key, &found);

	struct entry *entry = &bucket->entries[at];
	struct shk_object *object = entry->object;

	memmove(entry, entry + 1, (bucket->n - at - 1) * sizeof *entry);
	bucket->n--;
	index->n--;
	shk_object_unref(object); /* last: key may be its own */
	return true;
}

static size_t collect_branch(const struct branch *branch, struct shk_object **out)
{
	size_t n = 0;

	for (size_t i = 0; i < FAN; i++) {
		const struct bucket *bucket = branch->buckets[i];

		for (uint32_t j = 0; bucket && j < bucket->n; j++)
			out[n++] = bucket->entries[j].object;
	}
	return n;
}

struct shk_object **shk_index_all(const struct shk_index *index, struct shk_arena *arena)
{
	struct shk_object **all = SHK_NEW_ARRAY(arena, index->n, struct shk_object *);
	size_t n = 0;

	for (size_t i = 0; index->root && i < FAN; i++) {
		if (index->root->branches[i])
			n += collect_branch(index->root->branches[i], all + n);
	}
	return all;
}
