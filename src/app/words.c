#include "object.h"

#include <stdlib.h>

#include "shikiri/base/map.h"
#include "shikiri/base/str.h"

#define MOST_WORDS ((size_t)65536)

struct shk_words {
	struct shk_object head;
	struct shk_arena arena;
	struct shk_map map; /* word -> its place in texts */
	const char **texts;
	size_t cap;
};

static void free_words(struct shk_object *object)
{
	struct shk_words *words = (struct shk_words *)object;

	shk_arena_fini(&words->arena);
	free(words->texts);
	free(words);
}

struct shk_words *shk_words_new(void)
{
	struct shk_words *words = shk_object_alloc(sizeof *words, free_words);

	shk_arena_init(&words->arena, 0);
	shk_map_init(&words->map, &words->arena, 0);
	return words;
}

struct shk_words *shk_words_ref(struct shk_words *words)
{
	(void)shk_object_ref(&words->head); /* the same pointer again */
	return words;
}

void shk_words_unref(struct shk_words *words)
{
	if (words)
		shk_object_unref(&words->head);
}

static void grow(struct shk_words *words)
{
	size_t cap = words->cap ? words->cap * 2 : 256;
	const char **texts = realloc(words->texts, cap * sizeof *texts);

	if (!texts)
		abort();
	words->texts = texts;
	words->cap = cap;
}

const char *shk_words_get(struct shk_words *words, const char *text)
{
	uint32_t at;

	if (!text)
		return NULL;
	if (shk_map_find(&words->map, text, &at))
		return words->texts[at];
	if (words->map.n >= MOST_WORDS)
		return NULL;
	if (words->map.n == words->cap)
		grow(words);
	at = (uint32_t)words->map.n;
	words->texts[at] = shk_arena_strdup(&words->arena, text);
	(void)shk_map_add(&words->map, words->texts[at], at); /* looked for above */
	return words->texts[at];
}
