#include "nudge.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "shikiri/base/clock.h"

#define LOOK_EVERY_MS  100
#define ROUND_EVERY_MS INT64_C(1000)

struct shk_nudger {
	struct shk_nudger_options options;
	pthread_t thread;
	_Atomic bool is_stopping;

	/* The thread's own. */
	struct shk_nudged *nudged;
	uint64_t seen; /* the edition's count of changes that was looked at */
	bool has_learned;
	bool was_stale;     /* pods were refused for that, and nothing in the cluster has changed */
	bool is_unfinished; /* the last round left somebody for the next */
	bool has_late;      /* a pod has come that was refused before it came */
	int64_t next_ms;    /* no round before */
};

/* Schedulers that placed pods through an earlier process of ours. */
static void learn_from_rows(struct shk_nudger *nudger, const struct shk_edition *edition)
{
	struct shk_arena arena;
	struct shk_object **rows;

	shk_arena_init(&arena, 0);
	rows = shk_index_all(&edition->allocs, &arena);
	for (size_t i = 0; i < edition->allocs.n; i++) {
		const struct shk_alloc *row = &((struct shk_alloc_object *)rows[i])->alloc;
		const struct shk_pod_object *pod = shk_edition_pod(edition, row->uid);

		if (row->state == SHK_ALLOC_BOUND && pod)
			shk_schedulers_learn(nudger->options.schedulers, pod->pod.scheduler_name);
	}
	shk_arena_fini(&arena);
	nudger->has_learned = true;
}

static void run_round(struct shk_nudger *nudger, const struct shk_edition *edition, int64_t now_ms)
{
	struct shk_moment moment = {.now_s = shk_clock_wall_s()};
	const struct shk_nudge_env env = {
	    .schedulers = nudger->options.schedulers,
	    .moment = &moment,
	    .now_ms = now_ms,
	    .touch = shk_feed_send,
	    .context = nudger->options.feed,
	};
	struct shk_arena arena;
	size_t n;

	shk_arena_init(&arena, 0);
	moment.holds = shk_holds_live(nudger->options.holds, now_ms, &arena, &moment.n_holds);
	n = shk_nudge_round(nudger->nudged, edition, &env);
	shk_arena_fini(&arena);
	nudger->is_unfinished = n > 0;
	nudger->next_ms = now_ms + ROUND_EVERY_MS;
}

static bool is_due(const struct shk_nudger *nudger, const struct shk_edition *edition)
{
	return edition->loosened != nudger->seen || nudger->was_stale || nudger->is_unfinished ||
	       nudger->has_late;
}

static void look(struct shk_nudger *nudger)
{
	struct shk_edition *edition = shk_loop_edition(nudger->options.loop);
	const struct shk_view *view = &edition->shown.view;
	int64_t now_ms = shk_clock_boot_ms();
	bool is_stale = shk_feed_is_stale(nudger->options.feed, view->policy);

	nudger->was_stale = nudger->was_stale || is_stale;
	nudger->has_late = shk_early_arrived(nudger->options.early, edition) || nudger->has_late;
	if (!is_stale && !view->not_ready && now_ms >= nudger->next_ms && is_due(nudger, edition)) {
		if (!nudger->has_learned)
			learn_from_rows(nudger, edition);
		if (nudger->was_stale)
			shk_nudged_forget(nudger->nudged);
		nudger->seen = edition->loosened;
		nudger->was_stale = false;
		nudger->has_late = false;
		run_round(nudger, edition, now_ms);
	}
	shk_edition_unref(edition);
}

static void *nudger_main(void *context)
{
	const struct timespec pause = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
	struct shk_nudger *nudger = context;

	while (!atomic_load(&nudger->is_stopping)) {
		look(nudger);
		(void)nanosleep(&pause, NULL); /* cut short by a signal: we look a little sooner */
	}
	return NULL;
}

struct shk_nudger *shk_nudger_new(const struct shk_nudger_options *options)
{
	struct shk_nudger *nudger = calloc(1, sizeof *nudger);

	if (!nudger)
		abort();
	nudger->options = *options;
	nudger->nudged = shk_nudged_new();
	nudger->seen = UINT64_MAX; /* so that becoming ready is a change */
	if (pthread_create(&nudger->thread, NULL, nudger_main, nudger) != 0)
		abort();
	return nudger;
}

void shk_nudger_free(struct shk_nudger *nudger)
{
	if (!nudger)
		return;
	atomic_store(&nudger->is_stopping, true);
	if (pthread_join(nudger->thread, NULL) != 0)
		abort();
	shk_nudged_free(nudger->nudged);
	free(nudger);
}
