#include "shikiri/base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FIRST_SIZE ((size_t)4096)
#define LARGEST_STEP       ((size_t)1 << 20)
#define ALIGNMENT          (alignof(max_align_t))

/* The head is the block that serves small requests. A request larger than the next step gets a
 * block of its own behind the head, so that the rest of the head isn't lost to it. */
struct shk_arena_block {
	struct shk_arena_block *next;
	size_t size;
	size_t used;
	size_t next_size;
	alignas(max_align_t) unsigned char data[];
};

static size_t doubled(size_t size)
{
	if (size >= LARGEST_STEP)
		return size;
	return size * 2 < LARGEST_STEP ? size * 2 : LARGEST_STEP;
}

static size_t rounded_up(size_t size)
{
	if (size > SIZE_MAX / 2)
		abort();
	if (size == 0)
		return ALIGNMENT;
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static struct shk_arena_block *block_new(size_t size, size_t next_size)
{
	struct shk_arena_block *block = calloc(1, sizeof *block + size);

	if (!block)
		abort();
	block->size = size;
	block->next_size = next_size;
	return block;
}

static void *block_take(struct shk_arena_block *block, size_t size)
{
	void *data = block->data + block->used;

	block->used += size;
	return data;
}

static void free_chain(struct shk_arena_block *block)
{
	while (block) {
		struct shk_arena_block *next = block->next;

		free(block);
		block = next;
	}
}

static void push_front(struct shk_arena *arena, struct shk_arena_block *block)
{
	block->next = arena->head;
	arena->head = block;
}

/* The block is put where it belongs; the caller takes size bytes from it. */
static struct shk_arena_block *add_block(struct shk_arena *arena, size_t size)
{
	struct shk_arena_block *head = arena->head;
	size_t step = head ? head->next_size : arena->first_size;

	if (step == 0)
		step = DEFAULT_FIRST_SIZE;
	if (size <= step) {
		push_front(arena, block_new(step, doubled(step)));
		return arena->head;
	}

	struct shk_arena_block *own = block_new(size, step);

	if (!head) {
		push_front(arena, own);
		return own;
	}
	own->next = head->next;
	head->next = own;
	return own;
}

void shk_arena_init(struct shk_arena *arena, size_t first_size)
{
	*arena = (struct shk_arena){
	    .first_size = first_size ? rounded_up(first_size) : DEFAULT_FIRST_SIZE,
	};
}

void shk_arena_fini(struct shk_arena *arena)
{
	free_chain(arena->head);
	arena->head = NULL;
	arena->used = 0;
}

void shk_arena_reset(struct shk_arena *arena)
{
	struct shk_arena_block **largest = &arena->head;

	arena->used = 0;
	if (!arena->head)
		return;
	for (struct shk_arena_block **at = &arena->head; *at; at = &(*at)->next) {
		if ((*at)->size > (*largest)->size)
			largest = at;
	}

	struct shk_arena_block *kept = *largest;

	*largest = kept->next;
	free_chain(arena->head);
	memset(kept->data, 0, kept->used);
	kept->used = 0;
	kept->next = NULL;
	arena->head = kept;
}

void *shk_arena_alloc(struct shk_arena *arena, size_t size)
{
	struct shk_arena_block *block = arena->head;
	size_t rounded = rounded_up(size);

	if (!block || block->size - block->used < rounded)
		block = add_block(arena, rounded);
	arena->used += rounded;
	return block_take(block, rounded);
}

void *shk_arena_array(struct shk_arena *arena, size_t n, size_t size)
{
	size_t product;

	if (__builtin_mul_overflow(n, size, &product))
		abort();
	return shk_arena_alloc(arena, product);
}

char *shk_arena_strdup(struct shk_arena *arena, const char *text)
{
	return text ? shk_arena_strndup(arena, text, strlen(text)) : NULL;
}

char *shk_arena_strndup(struct shk_arena *arena, const char *text, size_t len)
{
	if (len == SIZE_MAX)
		abort();

	char *copy = shk_arena_alloc(arena, len + 1);

	if (len > 0)
		memcpy(copy, text, len);
	return copy;
}

char *shk_arena_printf(struct shk_arena *arena, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *text = shk_arena_vprintf(arena, fmt, args);
	va_end(args);
	return text;
}

char *shk_arena_vprintf(struct shk_arena *arena, const char *fmt, va_list args)
{
	va_list measured;

	assert(fmt);
	va_copy(measured, args);
	int len = vsnprintf(NULL, 0, fmt, measured);
	va_end(measured);
	if (len < 0)
		abort();

	char *text = shk_arena_alloc(arena, (size_t)len + 1);

	if (vsnprintf(text, (size_t)len + 1, fmt, args) != len)
		abort();
	return text;
}
