#include "nudge.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/metrics.h"
#include "shikiri/core/decide.h"

/* A pod that was touched. */
struct touched {
	struct shk_object head;
	uint64_t change; /* the edition's count that it was for */
	int64_t at_ms;
	char uid[];
};

struct shk_nudged {
	struct shk_index touched; /* by uid */
	uint64_t change;
	size_t n_too_soon; /* in this round: touched a moment ago, for an earlier change */
};

struct shk_nudged *shk_nudged_new(void)
{
	struct shk_nudged *nudged = calloc(1, sizeof *nudged);

	if (!nudged)
		abort();
	return nudged;
}

void shk_nudged_free(struct shk_nudged *nudged)
{
	if (!nudged)
		return;
	shk_index_fini(&nudged->touched);
	free(nudged);
}

void shk_nudged_forget(struct shk_nudged *nudged)
{
	shk_index_fini(&nudged->touched);
}

static void free_touched(struct shk_object *object)
{
	free(object);
}

static void note_touched(struct shk_nudged *nudged, const char *uid, int64_t now_ms)
{
	size_t size = strlen(uid) + 1;
	struct touched *touched = shk_object_alloc(sizeof *touched + size, free_touched);

	touched->change = nudged->change;
	touched->at_ms = now_ms;
	memcpy(touched->uid, uid, size);
	shk_index_put(&nudged->touched, touched->uid, &touched->head);
	shk_object_unref(&touched->head);
}

static bool may_touch(struct shk_nudged *nudged, const char *uid, int64_t now_ms)
{
	const struct touched *touched =
	    (const struct touched *)shk_index_get(&nudged->touched, uid);

	if (!touched)
		return true;
	if (touched->change == nudged->change)
		return false;
	if (now_ms - touched->at_ms >= SHK_NUDGE_AGAIN_MS)
		return true;
	nudged->n_too_soon++;
	return false;
}

/* Those that don't wait any more. */
static void forget_others(struct shk_nudged *nudged, const struct shk_edition *edition,
			  struct shk_arena *arena)
{
	struct shk_object **all = shk_index_all(&nudged->touched, arena);
	size_t n = nudged->touched.n;

	for (size_t i = 0; i < n; i++) {
		const char *uid = ((struct touched *)all[i])->uid;
		const struct shk_pod_object *pod = shk_edition_pod(edition, uid);

		if (!pod || pod->pod.node_name)
			(void)shk_index_remove(&nudged->touched, uid); /* it is in it */
	}
}

/* --- who waits ------------------------------------------------------------------------------- */

struct waiter {
	const struct shk_pod_object *pod;
	struct shk_claim claim;
};

static bool waits(const struct shk_edition *edition, const struct shk_pod_object *pod)
{
	return pod->managed && !pod->pod.node_name && !pod->pod.gated && !pod->pod.deleting &&
	       !shk_pod_object_is_ended(pod) && !shk_edition_alloc(edition, pod->pod.uid);
}

static int compare_waiters(const void *a, const void *b)
{
	const struct waiter *x = a;
	const struct waiter *y = b;

	if (x->claim.priority != y->claim.priority)
		return x->claim.priority > y->claim.priority ? -1 : 1;
	if (x->pod->pod.created_s != y->pod->pod.created_s)
		return x->pod->pod.created_s < y->pod->pod.created_s ? -1 : 1;
	return strcmp(x->pod->pod.uid, y->pod->pod.uid);
}

static struct waiter *find_waiters(struct shk_nudged *nudged, const struct shk_edition *edition,
				   const struct shk_nudge_env *env, struct shk_arena *arena,
				   size_t *ret_n)
{
	struct shk_object **all = shk_index_all(&edition->pods, arena);
	const struct shk_view *view = &edition->shown.view;
	struct waiter *waiters = NULL;
	size_t n = 0;

	for (size_t i = 0; i < edition->pods.n; i++)
		n += waits(edition, (struct shk_pod_object *)all[i]);
	waiters = SHK_NEW_ARRAY(arena, n, struct waiter);
	n = 0;
	for (size_t i = 0; i < edition->pods.n; i++) {
		struct shk_pod_object *pod = (struct shk_pod_object *)all[i];

		if (!waits(edition, pod) ||
		    !shk_schedulers_has(env->schedulers, pod->pod.scheduler_name) ||
		    !may_touch(nudged, pod->pod.uid, env->now_ms))
			continue;
		waiters[n].pod = pod;
		shk_claim_build(&pod->pod, view->priority_classes, view->n_priority_classes, arena,
				&waiters[n].claim);
		n++;
	}
	qsort(waiters, n, sizeof *waiters, compare_waiters);
	*ret_n = n;
	return waiters;
}

/* --- classes
 * --------------------------------------------------------------------------------------
 *
 * Pods that differ in nothing that a decision looks at share their refusals: what is placed within
 * a round only takes room away. */

static const char *class_of(const struct waiter *waiter, struct shk_arena *arena)
{
	const struct shk_pod *pod = &waiter->pod->pod;
	const struct shk_claim *claim = &waiter->claim;
	struct shk_buf key = {0};
	const char *kept;

	shk_buf_printf(&key, "%s|%lld|%d|%d|%d", pod->namespace_, (long long)claim->priority,
		       (int)pod->isolation, pod->accept_shared, claim->valid);
	for (size_t i = 0; i < claim->resources.n; i++)
		shk_buf_printf(&key, "|%s=%lld/%lld", claim->resources.items[i].resource,
			       (long long)claim->resources.items[i].count,
			       (long long)claim->max_in_container[i]);
	if (claim->bad_name)
		shk_buf_printf(&key, "|%s", claim->bad_name);
	kept = shk_arena_strdup(arena, key.data);
	shk_buf_fini(&key);
	return kept;
}

/* --- a round --------------------------------------------------------------------------------- */

struct round {
	struct shk_nudged *nudged;
	const struct shk_nudge_env *env;
	struct shk_arena arena;
	struct shk_draft draft;
	struct shk_candidate *candidates;
	struct shk_map refused;                              /* classes */
	struct shk_alloc_object *placed[SHK_NUDGES_AT_ONCE]; /* references: the draft's */
	size_t n_placed;
	size_t n_touched;
};

static void list_candidates(struct round *round)
{
	const struct shk_view *view = &round->draft.view;

	for (size_t i = 0; i < view->n_nodes; i++) {
		round->candidates[i].name = view->nodes[i]->base->facts->name;
		round->candidates[i].node = view->nodes[i];
	}
}

/* false: nothing more can be sent just now. */
static bool touch(struct round *round, const struct waiter *waiter)
{
	const struct shk_pod *pod = &waiter->pod->pod;
	const struct shk_kube_request request = {
	    .verb = SHK_KUBE_TOUCH_POD,
	    .namespace_ = pod->namespace_,
	    .name = pod->name,
	    .uid = pod->uid,
	    .reason = "MayPass",
	    .message = shk_arena_printf(
		&round->arena, "may be placed now: to be looked at again (%llu.%lld)",
		(unsigned long long)round->nudged->change, (long long)round->env->now_ms),
	    .deadline_ms = round->env->now_ms + 5000,
	};

	if (!round->env->touch(round->env->context, &request))
		return false;
	note_touched(round->nudged, pod->uid, round->env->now_ms);
	shk_metric_count(SHK_C_NUDGES, 0);
	round->n_touched++;
	return true;
}

static void place(struct round *round, const struct waiter *waiter,
		  const struct shk_decision *decision)
{
	size_t best = decision->order[0];
	struct shk_alloc_object *placed;
	struct shk_alloc alloc;

	shk_alloc_make(decision, &waiter->claim, round->candidates[best].node,
		       &decision->verdicts[best], &alloc);
	placed = shk_alloc_object_new(&alloc);
	round->placed[round->n_placed++] = placed;
	shk_draft_alloc(&round->draft, &placed->alloc, waiter->claim.cpu_milli);
	list_candidates(round);
}

/* Decides on the draft; a pod that passes is placed there. */
static bool passes(struct round *round, const struct waiter *waiter)
{
	const struct shk_view *view = &round->draft.view;
	const struct shk_question question = {
	    .claim = &waiter->claim, .candidates = round->candidates, .n = view->n_nodes};
	struct shk_decision decision;
	struct shk_arena scratch; /* verdicts on thousands of nodes, each time */

	shk_arena_init(&scratch, 0);
	shk_decide(view, round->env->moment, &question, &scratch, &decision);
	if (decision.n_feasible > 0)
		place(round, waiter, &decision);
	shk_arena_fini(&scratch);
	return decision.n_feasible > 0;
}

static void look_at(struct round *round, const struct waiter *waiters, size_t n)
{
	for (size_t i = 0; i < n && round->n_placed < SHK_NUDGES_AT_ONCE; i++) {
		const char *class_ = class_of(&waiters[i], &round->arena);

		if (shk_map_find(&round->refused, class_, NULL))
			continue;
		if (!passes(round, &waiters[i]))
			(void)shk_map_add(&round->refused, class_, 0); /* it wasn't there */
		else if (!touch(round, &waiters[i]))
			break;
	}
}

size_t shk_nudge_round(struct shk_nudged *nudged, const struct shk_edition *edition,
		       const struct shk_nudge_env *env)
{
	const struct shk_view *view = &edition->shown.view;
	struct round round = {.nudged = nudged, .env = env};
	const struct waiter *waiters;
	size_t n;

	nudged->change = edition->loosened;
	nudged->n_too_soon = 0;
	if (view->not_ready)
		return 0;
	shk_arena_init(&round.arena, (size_t)64 << 10);
	forget_others(nudged, edition, &round.arena);
	waiters = find_waiters(nudged, edition, env, &round.arena, &n);
	if (n > 0) {
		round.candidates = SHK_NEW_ARRAY(&round.arena, view->n_nodes, struct shk_candidate);
		shk_map_init(&round.refused, &round.arena, 0);
		shk_draft_begin(&round.draft, view, &round.arena);
		list_candidates(&round);
		look_at(&round, waiters, n);
	}
	while (round.n_placed > 0)
		shk_object_unref(&round.placed[--round.n_placed]->head);
	shk_arena_fini(&round.arena);
	return round.n_touched + nudged->n_too_soon;
}
