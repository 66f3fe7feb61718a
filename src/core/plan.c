#include "shikiri/core/plan.h"

#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/core/explain.h"

static const char judged_elsewhere[] =
    "CPU, memory, taints and affinity are not judged here; kube-scheduler has the last word";
static const char autoscalers[] =
    "an autoscaler doesn't ask shikiri: after a trust refusal it may add no node, after a quota "
    "refusal one for nothing";

/* A plan on its way. */
struct planner {
	struct shk_draft draft;
	const struct shk_moment *moment;
	const struct shk_plan_options *options;
	struct shk_arena *arena;
	const struct shk_view *start;
};

/* --- nodes of one pod ------------------------------------------------------------------------ */

static const struct shk_candidate *all_nodes(const struct planner *planner)
{
	const struct shk_view *view = &planner->draft.view;
	struct shk_candidate *candidates =
	    SHK_NEW_ARRAY(planner->arena, view->n_nodes, struct shk_candidate);

	for (size_t i = 0; i < view->n_nodes; i++)
		candidates[i] = (struct shk_candidate){.name = view->nodes[i]->base->facts->name,
						       .node = view->nodes[i]};
	return candidates;
}

static struct shk_plan_node describe_node(const struct planner *planner,
					  const struct shk_question *question,
					  const struct shk_decision *decision, size_t index)
{
	const struct shk_view *view = &planner->draft.view;
	const struct shk_verdict *verdict = &decision->verdicts[index];
	const struct shk_candidate *candidate = &question->candidates[index];

	return (struct shk_plan_node){
	    .name = candidate->name,
	    .verdict = *verdict,
	    .detail = shk_explain_verdict(view, question, candidate, verdict, planner->arena),
	    .score = shk_score(view->policy, verdict->rank, decision->n_feasible),
	};
}

/* Feasible nodes by rank, then the others by name; at most max_nodes. */
static void list_nodes(const struct planner *planner, const struct shk_question *question,
		       const struct shk_decision *decision, struct shk_plan_pod *pod)
{
	size_t max = planner->options->max_nodes;
	size_t n = decision->n < max ? decision->n : max;
	struct shk_plan_node *nodes = SHK_NEW_ARRAY(planner->arena, n, struct shk_plan_node);
	size_t filled = 0;

	for (size_t i = 0; i < decision->n_feasible && filled < n; i++)
		nodes[filled++] = describe_node(planner, question, decision, decision->order[i]);
	for (size_t i = 0; i < decision->n && filled < n; i++) {
		if (decision->verdicts[i].reason != SHK_FITS)
			nodes[filled++] = describe_node(planner, question, decision, i);
	}
	pod->nodes = nodes;
	pod->n_nodes = n;
}

/* --- one pod --------------------------------------------------------------------------------- */

static void place(struct planner *planner, const struct shk_claim *claim,
		  const struct shk_question *question, const struct shk_decision *decision,
		  struct shk_plan_pod *pod)
{
	size_t index = decision->order[0];
	const struct shk_verdict *verdict = &decision->verdicts[index];
	const struct shk_node *node = question->candidates[index].node;
	struct shk_alloc *alloc = SHK_NEW(planner->arena, struct shk_alloc);

	shk_alloc_make(decision, claim, node, verdict, alloc);
	alloc->state = SHK_ALLOC_RESERVED;
	shk_draft_alloc(&planner->draft, alloc, claim->cpu_milli);
	pod->node = alloc->node;
	pod->isolation = verdict->isolation;
	pod->quota_class = verdict->quota_class;
	pod->charge = alloc->charge;
	pod->has_charge = true;
	pod->reason = SHK_FITS;
	pod->outcome = verdict->quota_class == SHK_CLASS_BORROWED ? SHK_OUTCOME_FITS_BY_BORROWING
								  : SHK_OUTCOME_FITS;
}

static void refuse(const struct planner *planner, const struct shk_question *question,
		   const struct shk_decision *decision, struct shk_plan_pod *pod)
{
	static const struct shk_candidate none = {.name = ""};
	const struct shk_candidate *candidate = &none;
	struct shk_verdict verdict = {.reason = decision->furthest};

	pod->reason = decision->furthest;
	pod->outcome = shk_reason_row(decision->furthest)->outcome;
	if (decision->n > 0) {
		candidate = &question->candidates[decision->furthest_index];
		verdict = decision->verdicts[decision->furthest_index];
	}
	pod->detail = shk_explain_verdict(&planner->draft.view, question, candidate, &verdict,
					  planner->arena);
}

/* A pod without GPUs goes wherever the scheduler likes. */
static void wave_through(struct shk_plan_pod *pod)
{
	pod->reason = SHK_FITS;
	pod->outcome = SHK_OUTCOME_FITS;
	pod->detail = "asks for no GPU resource: shikiri has no say in it";
}

static void plan_pod(struct planner *planner, const struct shk_pod *spec, struct shk_plan_pod *pod)
{
	const struct shk_view *view = &planner->draft.view;
	struct shk_claim *claim = SHK_NEW(planner->arena, struct shk_claim);
	struct shk_decision decision;

	shk_claim_build(spec, view->priority_classes, view->n_priority_classes, planner->arena,
			claim);
	struct shk_question question = {
	    .claim = claim,
	    .candidates = all_nodes(planner),
	    .n = view->n_nodes,
	    .all_reasons = planner->options->all_reasons,
	};
	shk_decide(view, planner->moment, &question, planner->arena, &decision);
	*pod = (struct shk_plan_pod){
	    .namespace_ = spec->namespace_,
	    .name = spec->name,
	    .tenant = decision.identity.tenant_name,
	    .domain = decision.identity.domain,
	    .priority = claim->priority,
	    .request = claim->resources,
	    .node = "",
	    .detail = "",
	};
	if (!claim->managed) {
		wave_through(pod);
		return;
	}
	list_nodes(planner, &question, &decision, pod);
	if (decision.n_feasible > 0)
		place(planner, claim, &question, &decision, pod);
	else
		refuse(planner, &question, &decision, pod);
}

/* --- the whole ------------------------------------------------------------------------------- */

static bool is_first_of_tenant(const struct shk_plan *plan, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (strcmp(plan->pods[i].tenant, plan->pods[index].tenant) == 0)
			return false;
	}
	return true;
}

static size_t add_quota(const struct planner *planner, const struct shk_tenant *tenant,
			struct shk_plan_quota *rows)
{
	const struct shk_asker asker = {.tenant = tenant};
	struct shk_limits before;
	struct shk_limits after;

	shk_limits_build(planner->start, planner->moment, &asker, planner->arena, &before);
	shk_limits_build(&planner->draft.view, planner->moment, &asker, planner->arena, &after);
	for (size_t i = 0; i < before.n; i++)
		rows[i] = (struct shk_plan_quota){
		    .tenant = tenant->name,
		    .before = before.items[i],
		    .after = after.items[i].used,
		};
	return before.n;
}

static void list_quota(const struct planner *planner, struct shk_plan *plan)
{
	const struct shk_tenancy *tenancy = planner->draft.view.tenancy;
	struct shk_plan_quota *rows = NULL;
	size_t n = 0;

	for (size_t i = 0; i < tenancy->documents->n_tenants; i++)
		n += tenancy->documents->tenants[i].n_quota;
	rows = SHK_NEW_ARRAY(planner->arena, n, struct shk_plan_quota);
	n = 0;
	for (size_t i = 0; i < plan->n_pods; i++) {
		const struct shk_tenant *tenant = shk_tenancy_tenant(tenancy, plan->pods[i].tenant);

		if (tenant && is_first_of_tenant(plan, i))
			n += add_quota(planner, tenant, &rows[n]);
	}
	plan->quota = rows;
	plan->n_quota = n;
}

static bool fits(enum shk_outcome outcome)
{
	return outcome <= SHK_OUTCOME_FITS_WITH_PREEMPTION;
}

/* The row that says most about the plan: GPU-equivalents where they are limited and change, else
 * the first limit that changes. NULL when the plan is about several tenants. */
static const struct shk_plan_quota *telling_row(const struct shk_plan *plan)
{
	const char *first_unit = shk_unit_names[SHK_UNIT_GPU_EQUIVALENTS];
	const struct shk_plan_quota *telling = NULL;

	for (size_t i = 0; i < plan->n_quota; i++) {
		const struct shk_plan_quota *row = &plan->quota[i];
		bool limited = row->before.has_guaranteed || !row->before.unlimited;

		if (strcmp(row->tenant, plan->quota[0].tenant) != 0)
			return NULL;
		if (!limited || row->after == row->before.used)
			continue;
		if (!telling || strcmp(row->before.unit, first_unit) == 0)
			telling = row;
	}
	return telling;
}

/* "; tenant vision uses 1.75 of 12 guaranteed gpuEquivalents afterwards" */
static const char *quota_clause(const struct planner *planner, const struct shk_plan *plan)
{
	const struct shk_plan_quota *row = telling_row(plan);
	char after[32];
	char limit[32];

	if (!row)
		return "";
	bool guaranteed = row->before.has_guaranteed;
	int64_t parts = guaranteed ? row->before.guaranteed : row->before.ceiling;
	return shk_arena_printf(planner->arena, "; tenant %s uses %s of %s %s %s afterwards",
				row->tenant, shk_parts_print(row->after, after, sizeof(after)),
				shk_parts_print(parts, limit, sizeof(limit)),
				guaranteed ? "guaranteed" : "allowed", row->before.unit);
}

static const char *summarize(const struct planner *planner, const struct shk_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_pods; i++)
		n += fits(plan->pods[i].outcome);
	if (plan->n_pods == 0)
		return "no pods to place";
	return shk_arena_printf(planner->arena, "%zu of %zu pod%s fit%s%s", n, plan->n_pods,
				plan->n_pods == 1 ? "" : "s",
				plan->n_pods == 1 && n == 1 ? "s" : "",
				quota_clause(planner, plan));
}

static void list_caveats(const struct planner *planner, struct shk_plan *plan)
{
	const char **caveats = SHK_NEW_ARRAY(planner->arena, 2, const char *);

	caveats[plan->n_caveats++] = judged_elsewhere;
	if (plan->outcome == SHK_OUTCOME_QUOTA_EXCEEDED || plan->outcome == SHK_OUTCOME_REJECTED)
		caveats[plan->n_caveats++] = autoscalers;
	plan->caveats = caveats;
}

void shk_plan_run(const struct shk_view *view, const struct shk_moment *moment,
		  const struct shk_plan_order *order, struct shk_arena *arena,
		  struct shk_plan *ret_plan)
{
	size_t n_pods = order->n_pods;
	struct planner planner = {
	    .moment = moment, .options = &order->options, .arena = arena, .start = view};
	struct shk_plan_pod *rows = SHK_NEW_ARRAY(arena, n_pods, struct shk_plan_pod);
	struct shk_plan plan = {.outcome = SHK_OUTCOME_FITS, .pods = rows, .n_pods = n_pods};

	shk_draft_begin(&planner.draft, view, arena);
	for (size_t i = 0; i < n_pods; i++) {
		plan_pod(&planner, order->pods[i], &rows[i]);
		if (rows[i].outcome > plan.outcome)
			plan.outcome = rows[i].outcome;
	}
	list_quota(&planner, &plan);
	plan.summary = summarize(&planner, &plan);
	list_caveats(&planner, &plan);
	*ret_plan = plan;
}
