#include "shikiri/core/model.h"

#include <string.h>

#include "shikiri/base/str.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const shk_unit_names[SHK_UNIT_COUNT] = {
    [SHK_UNIT_GPU_EQUIVALENTS] = "gpuEquivalents",
    [SHK_UNIT_COMPUTE_SLICES] = "computeSlices",
    [SHK_UNIT_MEMORY_GIB] = "memoryGiB",
    [SHK_UNIT_COST_PER_HOUR] = "costPerHour",
};

static const char *const level_names[] = {"", "mig", "card", "node"};
static const char *const isolation_names[] = {"", "shared", "mps", "mig", "card", "node"};
static const char *const class_names[] = {"", "guaranteed", "borrowed"};
static const char *const state_names[] = {"", "reserved", "unknown", "bound", "foreign"};

static const char *name_of(const char *const *names, size_t n, unsigned value)
{
	return value < n ? names[value] : "";
}

/* Index of text among names, or 0, which always stands for "no such word". */
static unsigned parse_name(const char *const *names, size_t n, const char *text)
{
	for (size_t i = 1; i < n; i++) {
		if (shk_str_equals(names[i], text))
			return (unsigned)i;
	}
	return 0;
}

const char *shk_level_name(enum shk_level level)
{
	return name_of(level_names, COUNT(level_names), level);
}

const char *shk_isolation_class_name(enum shk_isolation_class isolation)
{
	return name_of(isolation_names, COUNT(isolation_names), isolation);
}

const char *shk_quota_class_name(enum shk_quota_class quota_class)
{
	return name_of(class_names, COUNT(class_names), quota_class);
}

const char *shk_alloc_state_name(enum shk_alloc_state state)
{
	return name_of(state_names, COUNT(state_names), state);
}

enum shk_level shk_level_parse(const char *text)
{
	unsigned level = parse_name(level_names, COUNT(level_names), text);

	if (!text)
		return SHK_LEVEL_NONE;
	return level ? (enum shk_level)level : SHK_LEVEL_INVALID;
}

enum shk_isolation_class shk_isolation_class_parse(const char *text)
{
	return (enum shk_isolation_class)parse_name(isolation_names, COUNT(isolation_names), text);
}

enum shk_quota_class shk_quota_class_parse(const char *text)
{
	return (enum shk_quota_class)parse_name(class_names, COUNT(class_names), text);
}

enum shk_alloc_state shk_alloc_state_parse(const char *text)
{
	return (enum shk_alloc_state)parse_name(state_names, COUNT(state_names), text);
}

bool shk_labels_are_same(const struct shk_labels *a, const struct shk_labels *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (strcmp(a->items[i].key, b->items[i].key) != 0 ||
		    strcmp(a->items[i].value, b->items[i].value) != 0)
			return false;
	}
	return true;
}

const char *shk_labels_get(const struct shk_labels *labels, const char *key)
{
	size_t low = 0;
	size_t high = labels->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(key, labels->items[middle].key);

		if (order == 0)
			return labels->items[middle].value;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

bool shk_pod_is_ended(const struct shk_pod *pod)
{
	return pod->phase == SHK_PHASE_SUCCEEDED || pod->phase == SHK_PHASE_FAILED;
}

bool shk_alloc_is_confirmed(const struct shk_alloc *alloc)
{
	return alloc->state == SHK_ALLOC_BOUND || alloc->state == SHK_ALLOC_FOREIGN;
}
