#include "live.h"

#include <stdlib.h>
#include <string.h>

/* More pods than that don't go between two lists; if they do, late news of one is believed. */
#define TOMBSTONES_MAX ((size_t)65536)

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

struct shk_live *shk_live_new(void)
{
	return must(calloc(1, sizeof(struct shk_live)));
}

bool shk_live_is_listed(const struct shk_live *live)
{
	return live->listed == (1U << SHK_KUBE_KIND_COUNT) - 1;
}

bool shk_live_waits(const struct shk_live *live)
{
	return live->bindings.n > 0 || live->lingers || live->resting || live->reshaping ||
	       (live->reconciled && (!live->ready || !live->reviewed));
}

const char *shk_live_cause(const struct shk_live *live)
{
	if (!live->reconciled)
		return SHK_CAUSE_UNLISTED;
	if (live->owes)
		return SHK_CAUSE_OWED;
	return live->ready ? NULL : SHK_CAUSE_UNRESOLVED;
}

/* --- pods that linger ----------------------------------------------------------------------- */

static struct shk_linger **find_linger(struct shk_live *live, const char *uid)
{
	struct shk_linger **at = &live->lingers;

	while (*at && strcmp((*at)->uid, uid) != 0)
		at = &(*at)->next;
	return at;
}

void shk_live_linger_end(struct shk_live *live, const char *uid)
{
	struct shk_linger **at = find_linger(live, uid);
	struct shk_linger *linger = *at;

	if (!linger)
		return;
	*at = linger->next;
	free(linger->uid);
	free(linger->node);
	free(linger);
}

void shk_live_linger(struct shk_live *live, const struct shk_alloc *row, int64_t since_ms)
{
	struct shk_linger *linger;

	shk_live_linger_end(live, row->uid);
	linger = must(calloc(1, sizeof *linger));
	linger->uid = must(strdup(row->uid));
	linger->node = must(strdup(row->node));
	linger->wait_ms = row->grace_s * 1000 + SHK_LINGER_EXTRA_MS;
	linger->since_ms = since_ms;
	linger->next = live->lingers;
	live->lingers = linger;
}

bool shk_live_lingers(const struct shk_live *live, const char *uid)
{
	const struct shk_linger *linger = live->lingers;

	while (linger && strcmp(linger->uid, uid) != 0)
		linger = linger->next;
	return linger != NULL;
}

/* --- nodes for a time ----------------------------------------------------------------------- */

static struct shk_timed_node *find_timed_node(struct shk_timed_node *list, const char *node)
{
	while (list && strcmp(list->node, node) != 0)
		list = list->next;
	return list;
}

struct shk_timed_node *shk_timed_node_put(struct shk_timed_node **list, const char *node,
					  int64_t since_ms)
{
	struct shk_timed_node *timed = find_timed_node(*list, node);

	if (!timed) {
		timed = must(calloc(1, sizeof *timed));
		timed->node = must(strdup(node));
		timed->next = *list;
		*list = timed;
	}
	timed->since_ms = since_ms;
	return timed;
}

void shk_timed_node_drop(struct shk_timed_node **list, const char *node)
{
	struct shk_timed_node **at = list;
	struct shk_timed_node *timed;

	while (*at && strcmp((*at)->node, node) != 0)
		at = &(*at)->next;
	timed = *at;
	if (!timed)
		return;
	*at = timed->next;
	free(timed->node);
	free(timed);
}

/* --- pods that are gone --------------------------------------------------------------------- */

void shk_live_bury(struct shk_live *live, const char *uid)
{
	struct shk_name_object *name;

	if (live->tombstones.n >= TOMBSTONES_MAX)
		return;
	name = shk_name_object_new(uid);
	shk_index_put(&live->tombstones, name->name, &name->head);
	shk_object_unref(&name->head);
}

bool shk_live_is_buried(const struct shk_live *live, const char *uid)
{
	return shk_index_get(&live->tombstones, uid) != NULL;
}

void shk_live_exhume(struct shk_live *live)
{
	shk_index_fini(&live->tombstones);
}

void shk_live_free(struct shk_live *live)
{
	const struct shk_bind_end stopping = {.text = "ApiUncertain: shikiri stops",
					      .code = "ApiUncertain"};
	struct shk_command *answered = NULL;

	if (!live)
		return;
	shk_bindings_fini(&live->bindings, &stopping, &answered);
	shk_command_answer_all(answered);
	while (live->lingers)
		shk_live_linger_end(live, live->lingers->uid);
	while (live->resting)
		shk_timed_node_drop(&live->resting, live->resting->node);
	while (live->reshaping)
		shk_timed_node_drop(&live->reshaping, live->reshaping->node);
	shk_live_exhume(live);
	free(live);
}
