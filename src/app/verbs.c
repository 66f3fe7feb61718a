#include "service_priv.h"

#include <string.h>

#include "shikiri/base/clock.h"
#include "shikiri/core/charge.h"
#include "shikiri/core/decide.h"

#define BEST 10

/* One extender call: what was asked, what is known, what came out. */
struct call {
	const struct shk_extender_args *args;
	struct shk_arena *arena;
	struct shk_edition *edition; /* reference */
	const struct shk_view *view;
	struct shk_view stale; /* the edition's, not to be decided by */
	struct shk_moment moment;
	struct shk_claim claim;
	struct shk_candidate *candidates;
	struct shk_question question;
	struct shk_decision decision;
};

/* --- candidates ----------------------------------------------------------------------------- */

static const struct shk_node *template_node(const struct call *call,
					    const struct shk_node_facts *facts)
{
	struct shk_node_base *base = SHK_NEW(call->arena, struct shk_node_base);
	struct shk_node *node = SHK_NEW(call->arena, struct shk_node);
	const struct shk_node_context context = {
	    .policy = call->view->policy,
	    .documents = call->view->tenancy->documents,
	};

	shk_node_base_build(call->arena, facts, &context, base);
	shk_node_build(call->arena, base, NULL, 0, 0, node);
	return node;
}

/* Both lists are sorted, so that one pass finds them all. */
static void find_by_merging(const struct call *call)
{
	const struct shk_directory *directory = call->edition->directory;
	const char *const *names = call->args->names;
	size_t at = 0;

	for (size_t i = 0; i < call->args->n_names; i++) {
		int order = -1;

		while (at < directory->n) {
			order = strcmp(directory->names[at], names[i]);
			if (order >= 0)
				break;
			at++;
		}
		call->candidates[i].name = names[i];
		call->candidates[i].node =
		    at < directory->n && order == 0 ? call->view->nodes[at] : NULL;
	}
}

static void find_by_name(const struct call *call)
{
	for (size_t i = 0; i < call->args->n_names; i++) {
		call->candidates[i].name = call->args->names[i];
		call->candidates[i].node = shk_view_node(call->view, call->args->names[i]);
	}
}

static void find_candidates(struct call *call)
{
	size_t n = call->args->n_names;

	call->candidates = SHK_NEW_ARRAY(call->arena, n, struct shk_candidate);
	if (n * 8 < call->view->n_nodes)
		find_by_name(call);
	else
		find_by_merging(call);
	for (size_t i = 0; call->args->full_nodes && i < n; i++) {
		if (!call->candidates[i].node)
			call->candidates[i].node = template_node(call, &call->args->nodes[i]);
	}
}

static void begin(struct shk_service *service, const struct shk_extender_args *args,
		  struct shk_arena *arena, struct call *ret_call)
{
	*ret_call = (struct call){.args = args, .arena = arena};
	ret_call->edition = shk_loop_edition(service->loop);
	ret_call->view = &ret_call->edition->shown.view;
	if (!ret_call->view->not_ready &&
	    shk_feed_is_stale(service->feed, ret_call->view->policy)) {
		ret_call->stale = *ret_call->view;
		ret_call->stale.not_ready = SHK_CAUSE_STALE;
		ret_call->view = &ret_call->stale;
	}
	shk_claim_build(&args->pod, ret_call->view->priority_classes,
			ret_call->view->n_priority_classes, arena, &ret_call->claim);
}

static void decide(struct shk_service *service, struct call *call)
{
	call->moment = shk_service_moment(service, call->arena);
	find_candidates(call);
	call->question = (struct shk_question){
	    .claim = &call->claim,
	    .candidates = call->candidates,
	    .n = call->args->n_names,
	    .live = shk_published_alloc(&call->edition->shown, call->args->pod.uid),
	};
	shk_decide(call->view, &call->moment, &call->question, call->arena, &call->decision);
}

/* --- filter --------------------------------------------------------------------------------- */

static void pass_all(const struct call *call, struct shk_filter_result *result)
{
	uint32_t *passed = SHK_NEW_ARRAY(call->arena, call->args->n_names, uint32_t);

	for (size_t i = 0; i < call->args->n_names; i++)
		passed[i] = (uint32_t)i;
	result->passed = passed;
	result->n_passed = call->args->n_names;
}

/* Reasons as text, one string for each reason and subject: thousands of nodes share a few. */
struct texts {
	struct {
		enum shk_reason reason;
		const char *subject;
		const char *text;
	} rows[16];
	size_t n;
};

static bool is_same_subject(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *text_of(struct texts *texts, const struct shk_verdict *verdict,
			   struct shk_arena *arena)
{
	char buf[SHK_REASON_TEXT_SIZE];
	const char *text;

	for (size_t i = 0; i < texts->n; i++) {
		if (texts->rows[i].reason == verdict->reason &&
		    is_same_subject(texts->rows[i].subject, verdict->subject))
			return texts->rows[i].text;
	}
	text = shk_arena_strdup(arena, shk_reason_text(verdict->reason, verdict->subject, buf));
	if (texts->n == sizeof texts->rows / sizeof texts->rows[0])
		return text;
	texts->rows[texts->n].reason = verdict->reason;
	texts->rows[texts->n].subject = verdict->subject;
	texts->rows[texts->n].text = text;
	texts->n++;
	return text;
}

static void sort_verdicts(const struct call *call, struct shk_filter_result *result)
{
	size_t n = call->args->n_names;
	uint32_t *passed = SHK_NEW_ARRAY(call->arena, call->decision.n_feasible, uint32_t);
	struct shk_refused_node *refused =
	    SHK_NEW_ARRAY(call->arena, n - call->decision.n_feasible, struct shk_refused_node);
	struct texts texts = {.n = 0};

	for (size_t i = 0; i < n; i++) {
		const struct shk_verdict *verdict = &call->decision.verdicts[i];

		if (verdict->reason == SHK_FITS) {
			passed[result->n_passed++] = (uint32_t)i;
			continue;
		}
		refused[result->n_refused++] = (struct shk_refused_node){
		    .name = call->candidates[i].name,
		    .text = text_of(&texts, verdict, call->arena),
		    .class_ = shk_reason_row(verdict->reason)->class_,
		};
	}
	result->passed = passed;
	result->refused = refused;
}

/* The pod as the cluster has it, when it is the one that the request speaks of. */
static const struct shk_pod_object *known_pod(const struct call *call)
{
	const struct shk_pod *asked = &call->args->pod;
	const struct shk_pod_object *pod = shk_edition_pod(call->edition, asked->uid);

	if (!pod || strcmp(pod->pod.name, asked->name) != 0 ||
	    strcmp(pod->pod.namespace_, asked->namespace_) != 0)
		return NULL;
	return pod;
}

static bool may_hold(const struct shk_pod_object *pod)
{
	return pod->managed && !pod->pod.node_name && !pod->pod.gated && !pod->pod.deleting &&
	       !shk_pod_object_is_ended(pod);
}

static struct shk_hold hold_of(const struct call *call)
{
	const struct shk_decision *decision = &call->decision;
	const struct shk_candidate *first = &call->candidates[decision->order[0]];
	const struct shk_node_base *base = first->node->base;
	struct shk_hold hold = {
	    .uid = call->args->pod.uid,
	    .tenant = decision->identity.tenant_name,
	    .domain = decision->identity.domain,
	    .resources = call->claim.resources,
	};

	/* It was charged when the verdict was made, so it fits. */
	(void)shk_charge_vector(base, &call->claim.resources, &hold.charge);
	for (size_t i = 0; i < call->claim.resources.n && !hold.pool_node; i++) {
		const char *resource = call->claim.resources.items[i].resource;
		const struct shk_pool *pool = shk_node_pool(base, resource);

		if (!pool || !shk_pool_is_soft(pool->kind) || decision->identity.infrastructure)
			continue; /* nobody's pods take no pool for themselves */
		hold.pool_node = first->name;
		hold.pool_resource = resource;
	}
	return hold;
}

/* A bind may have been answered since our view was published, and ended the hold before we made
 * it. */
static void end_if_bound(struct shk_service *service, const char *uid)
{
	struct shk_edition *edition = shk_loop_edition(service->loop);

	if (shk_edition_alloc(edition, uid) || !shk_edition_pod(edition, uid)) {
		shk_holds_end(service->holds, uid);
		shk_told_forget(service->told, uid);
	}
	shk_edition_unref(edition);
}

static void keep_hold(struct shk_service *service, const struct call *call,
		      const struct shk_pod_object *pod)
{
	const struct shk_policy *policy = call->view->policy;
	int64_t now_ms = shk_clock_boot_ms();
	struct shk_hold hold;

	if (!may_hold(pod) || call->view->not_ready || call->question.live)
		return;
	if (call->decision.n_feasible == 0) {
		shk_holds_refused(service->holds, pod->pod.uid, now_ms);
		return;
	}
	hold = hold_of(call);
	if (shk_holds_put(service->holds, &hold,
			  pod->pod.has_volumes ? policy->hold_ttl_volumes_ms : policy->hold_ttl_ms,
			  now_ms))
		end_if_bound(service, pod->pod.uid);
}

/* One event for each change of the reason that came furthest. */
static void tell_waiting(struct shk_service *service, const struct call *call, const char *uid)
{
	enum shk_reason reason = call->decision.furthest;
	char text[SHK_REASON_TEXT_SIZE];
	const struct shk_kube_request event = {
	    .namespace_ = call->args->pod.namespace_,
	    .name = call->args->pod.name,
	    .uid = uid,
	    .reason = "GPUWaiting",
	    .message = shk_reason_text(reason, NULL, text),
	    .warning = true,
	};

	if (service->feed && call->decision.n_feasible == 0 && !call->view->not_ready &&
	    service->config->mode != SHK_MODE_ADVISE &&
	    shk_told_is_news(service->told, uid, reason))
		shk_feed_event(service->feed, &event);
}

static void remember(struct shk_service *service, const struct call *call)
{
	const struct shk_pod_object *pod = known_pod(call);
	enum shk_reason reason = call->decision.n_feasible > 0 ? SHK_FITS : call->decision.furthest;

	shk_decisions_count(service->decisions, SHK_DECIDED_FILTER, reason);
	/* Dry runs, autoscalers and curl leave nothing behind but a name that means nothing. */
	if (!pod) {
		if (call->decision.n_feasible == 0)
			shk_early_note(service->early, call->args->pod.uid);
		return;
	}
	shk_decisions_record(service->decisions, call->view, &call->moment, &call->question,
			     &call->decision);
	shk_schedulers_learn(service->schedulers, pod->pod.scheduler_name);
	tell_waiting(service, call, pod->pod.uid);
	if (service->config->mode != SHK_MODE_ADVISE)
		keep_hold(service, call, pod);
}

void shk_service_filter(struct shk_service *service, const struct shk_extender_args *args,
			struct shk_arena *arena, struct shk_filter_result *ret_result)
{
	struct call call;

	atomic_store(&service->last_call_s[SHK_CALL_FILTER], shk_clock_wall_s());
	begin(service, args, arena, &call);
	*ret_result = (struct shk_filter_result){.args = args};
	if (!call.claim.managed) {
		pass_all(&call, ret_result);
		shk_edition_unref(call.edition);
		return;
	}
	decide(service, &call);
	if (service->config->mode == SHK_MODE_ADVISE)
		pass_all(&call, ret_result);
	else
		sort_verdicts(&call, ret_result);
	remember(service, &call);
	shk_edition_unref(call.edition);
}

/* --- prioritize ----------------------------------------------------------------------------- */

void shk_service_prioritize(struct shk_service *service, const struct shk_extender_args *args,
			    struct shk_arena *arena, const struct shk_host_score **ret_scores,
			    size_t *ret_n)
{
	struct shk_host_score *scores = SHK_NEW_ARRAY(arena, BEST, struct shk_host_score);
	struct call call;
	size_t n = 0;

	atomic_store(&service->last_call_s[SHK_CALL_PRIORITIZE], shk_clock_wall_s());
	begin(service, args, arena, &call);
	if (call.claim.managed)
		decide(service, &call);
	while (n < BEST && n < call.decision.n_feasible) {
		uint32_t at = call.decision.order[n];

		scores[n].host = call.candidates[at].name;
		scores[n].score = shk_score(call.view->policy, call.decision.verdicts[at].rank,
					    call.decision.n_feasible);
		n++;
	}
	shk_edition_unref(call.edition);
	*ret_scores = scores;
	*ret_n = n;
}
