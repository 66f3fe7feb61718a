#include "reconcile.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/core/request.h"

#define WRITES_PER_TRANSACTION ((size_t)10000)

enum shk_status shk_reconcile_rules(struct shk_world *world, struct shk_ledger *ledger,
				    struct shk_error *err)
{
	const struct shk_ledger_document *rows;
	struct shk_documents_object *documents;
	const char *const *cordons;
	struct shk_arena scratch;
	enum shk_status status;
	size_t n_cordons;
	size_t n;

	shk_arena_init(&scratch, 0);
	status = shk_ledger_documents(ledger, &scratch, &rows, &n, err);
	if (!status)
		status = shk_ledger_cordons(ledger, &scratch, &cordons, &n_cordons, err);
	if (!status)
		status = shk_documents_object_new(rows, n, world->next->documents->cluster,
						  &documents, err);
	if (!status) {
		shk_index_fini(&world->next->marks[SHK_MARK_CORDONED]);
		for (size_t i = 0; i < n_cordons; i++)
			shk_world_mark(world, SHK_MARK_CORDONED, cordons[i], true);
		shk_world_rules(world, NULL, documents);
		shk_object_unref(&documents->head);
	}
	shk_arena_fini(&scratch);
	return status;
}

/* --- rows of the ledger --------------------------------------------------------------------- */

/* One pass over the ledger and the pods, with its transaction. */
struct pass {
	struct shk_world *world;
	const struct shk_env *env;
	struct shk_reconcile_report *report;
	bool is_live;
	struct shk_arena scratch;
	size_t n_written; /* in the open transaction */
};

static enum shk_status turn_over(struct pass *pass, struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	if (pass->n_written == 0)
		status = shk_ledger_begin(pass->env->ledger, pass->env->now_s, err);
	if (pass->n_written < WRITES_PER_TRANSACTION)
		return status;
	status = pass->env->commit(pass->env->ledger, err);
	if (!status)
		status = shk_ledger_begin(pass->env->ledger, pass->env->now_s, err);
	pass->n_written = 0;
	return status;
}

/* To be called before each write. */
static enum shk_status will_write(struct pass *pass, struct shk_error *err)
{
	enum shk_status status = turn_over(pass, err);

	pass->n_written++;
	return status;
}

static enum shk_status end_row(struct pass *pass, const struct shk_alloc *row, const char *cause,
			       struct shk_error *err)
{
	enum shk_status status = will_write(pass, err);

	pass->report->ended++;
	if (!status)
		status = shk_ledger_alloc_end(pass->env->ledger, row->uid, cause, err);
	return status;
}

/* Why the row can't stand, or NULL. In a live cluster a row whose pod is missing stays for a while,
 * as its processes may; and one that isn't confirmed stays until the API server was asked, as a
 * POST may still be under way. */
static const char *row_cause(const struct shk_alloc *row, const struct shk_pod_object *pod,
			     bool is_live)
{
	if (!pod)
		return is_live ? NULL : "deleted";
	if (pod->pod.phase == SHK_PHASE_SUCCEEDED)
		return "succeeded";
	if (pod->pod.phase == SHK_PHASE_FAILED)
		return "failed";
	if (pod->pod.node_name)
		return strcmp(pod->pod.node_name, row->node) == 0 ? NULL : "voided";
	/* A Binding that was never confirmed, and the file says that it didn't happen. */
	return shk_alloc_is_confirmed(row) || is_live ? NULL : "voided";
}

static void assign(struct shk_world *world, const struct shk_pod_object *pod, const char *node)
{
	struct shk_pod_object *bound = shk_pod_object_bound(pod, node);

	shk_world_pod(world, bound);
	shk_object_unref(&bound->head);
}

static enum shk_status take_row(struct pass *pass, const struct shk_alloc *row,
				struct shk_error *err)
{
	struct shk_pod_object *pod = shk_edition_pod(pass->world->next, row->uid);
	const char *cause = row_cause(row, pod, pass->is_live);
	bool is_placed = pod && pod->pod.node_name;
	enum shk_status status = SHK_OK;
	struct shk_alloc kept = *row;
	struct shk_alloc_object *alloc;

	if (cause)
		return end_row(pass, row, cause, err);
	if (!shk_alloc_is_confirmed(row) && (is_placed || !pass->is_live)) {
		kept.state = SHK_ALLOC_BOUND;
		status = will_write(pass, err);
		if (!status)
			status =
			    shk_ledger_alloc_move(pass->env->ledger, row->uid, kept.state, err);
	}
	if (status)
		return status;
	alloc = shk_alloc_object_new(&kept);
	shk_world_alloc(pass->world, alloc);
	shk_object_unref(&alloc->head);
	pass->report->kept++;
	if (!is_placed && !pass->is_live) {
		assign(pass->world, pod, row->node);
		pass->report->assigned++;
	}
	return SHK_OK;
}

static enum shk_status take_rows(struct pass *pass, struct shk_error *err)
{
	const struct shk_alloc *rows;
	size_t n;
	enum shk_status status =
	    shk_ledger_allocs(pass->env->ledger, &pass->scratch, &rows, &n, err);

	for (size_t i = 0; !status && i < n; i++)
		status = take_row(pass, &rows[i], err);
	return status;
}

/* --- pods without a row --------------------------------------------------------------------- */

enum shk_status shk_reconcile_adopt(struct shk_world *world, const struct shk_env *env,
				    struct shk_pod_object *pod, struct shk_arena *scratch,
				    struct shk_error *err)
{
	const struct shk_view *view = shk_world_settle(world);
	const struct shk_moment moment = {.now_s = env->now_s};
	const struct shk_candidate place = {pod->pod.node_name,
					    shk_view_node(view, pod->pod.node_name)};
	struct shk_alloc_object *object;
	struct shk_alloc alloc;
	struct shk_claim claim;
	enum shk_status status;

	shk_claim_build(&pod->pod, view->priority_classes, view->n_priority_classes, scratch,
			&claim);
	shk_alloc_adopt(view, &moment, &claim, &place, scratch, &alloc);
	alloc.state = SHK_ALLOC_FOREIGN;
	/* When it was bound nobody says; it can't have been before it was made. */
	alloc.since_s = pod->pod.created_s > 0 ? pod->pod.created_s : env->now_s;
	status = shk_ledger_alloc_add(env->ledger, &alloc, &alloc.seq, err);
	if (status)
		return shk_error_wrap(err, "adopting %s", pod->key);
	object = shk_alloc_object_new(&alloc);
	shk_world_alloc(world, object);
	shk_object_unref(&object->head);
	return SHK_OK;
}

static int compare_age(const void *a, const void *b)
{
	const struct shk_pod_object *x = *(struct shk_pod_object *const *)a;
	const struct shk_pod_object *y = *(struct shk_pod_object *const *)b;

	if (x->pod.created_s != y->pod.created_s)
		return x->pod.created_s < y->pod.created_s ? -1 : 1;
	return strcmp(x->pod.uid, y->pod.uid);
}

/* Placed pods that hold GPUs without a row, oldest first. */
static struct shk_pod_object **find_strangers(struct pass *pass, size_t *ret_n)
{
	const struct shk_edition *edition = pass->world->next;
	struct shk_object **all = shk_index_all(&edition->pods, &pass->scratch);
	struct shk_pod_object **strangers =
	    SHK_NEW_ARRAY(&pass->scratch, edition->pods.n, struct shk_pod_object *);
	size_t n = 0;

	for (size_t i = 0; i < edition->pods.n; i++) {
		struct shk_pod_object *pod = (struct shk_pod_object *)all[i];

		if (pod->countable && shk_pod_object_is_placed(pod) &&
		    !shk_edition_alloc(edition, pod->pod.uid))
			strangers[n++] = pod;
	}
	qsort(strangers, n, sizeof(void *), compare_age);
	*ret_n = n;
	return strangers;
}

/* One that the ledger can't count, an absurd amount on a preset node, doesn't stop the others:
 * kubelet admits no such pod. */
static enum shk_status adopt_one(struct pass *pass, struct shk_pod_object *pod,
				 struct shk_arena *scratch, struct shk_error *err)
{
	enum shk_status status = shk_reconcile_adopt(pass->world, pass->env, pod, scratch, err);

	if (shk_state_is_refusal(status)) {
		pass->report->uncounted++;
		return SHK_OK;
	}
	pass->report->adopted += status == SHK_OK;
	return status;
}

static enum shk_status adopt_all(struct pass *pass, struct shk_error *err)
{
	struct shk_arena scratch;
	enum shk_status status = SHK_OK;
	size_t n;
	struct shk_pod_object **strangers = find_strangers(pass, &n);

	shk_arena_init(&scratch, (size_t)16 << 10);
	for (size_t i = 0; !status && i < n; i++) {
		status = will_write(pass, err);
		if (!status)
			status = adopt_one(pass, strangers[i], &scratch, err);
		shk_arena_reset(&scratch);
	}
	shk_arena_fini(&scratch);
	return status;
}

enum shk_status shk_reconcile_allocs(struct shk_world *world, const struct shk_env *env,
				     bool is_live, struct shk_reconcile_report *report,
				     struct shk_error *err)
{
	struct pass pass = {.world = world, .env = env, .report = report, .is_live = is_live};
	enum shk_status status;

	shk_arena_init(&pass.scratch, 0);
	status = take_rows(&pass, err);
	if (!status)
		status = adopt_all(&pass, err);
	if (!status && pass.n_written > 0)
		status = env->commit(env->ledger, err);
	if (status)
		shk_ledger_rollback(env->ledger);
	shk_arena_fini(&pass.scratch);
	return status;
}

struct shk_reconcile_alarms shk_reconcile_alarms(const struct shk_view *view)
{
	struct shk_reconcile_alarms alarms = {0};

	for (size_t i = 0; i < view->n_nodes; i++) {
		const struct shk_node *node = view->nodes[i];

		for (size_t pool = 0; pool < node->base->n_pools; pool++) {
			alarms.conflicts += node->pools[pool].mixed &&
					    shk_pool_is_soft(node->base->pools[pool].kind);
			alarms.deficit_units += shk_node_deficit(node, pool);
		}
	}
	return alarms;
}
