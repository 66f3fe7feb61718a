#include "shikiri/core/explain.h"

#include <assert.h>
#include <string.h>

#include "shikiri/base/units.h"

/* What a sentence is made of. */
struct scene {
	const struct shk_view *view;
	const struct shk_question *question;
	const struct shk_candidate *candidate;
	const struct shk_verdict *verdict;
	struct shk_arena *arena;
};

typedef const char *(*sentence_fn)(const struct scene *scene);

static const struct shk_pod *pod_of(const struct scene *scene)
{
	return scene->question->claim->pod;
}

static const char *subject_of(const struct scene *scene)
{
	return scene->verdict->subject ? scene->verdict->subject : "it";
}

/* Sentences about pools are told of known nodes that have the pool: the check saw it. */
static const struct shk_pool *pool_of(const struct scene *scene)
{
	const struct shk_pool *pool =
	    shk_node_pool(scene->candidate->node->base, scene->verdict->subject);

	assert(pool);
	return pool;
}

static const char *label_of(const struct scene *scene, const char *key)
{
	const char *value = shk_labels_get(&scene->candidate->node->base->facts->labels, key);

	return value ? value : "unset";
}

static const char *short_name(const char *resource)
{
	return shk_resource_is_managed(resource) ? resource + strlen(SHK_RESOURCE_PREFIX)
						 : resource;
}

const char *shk_explain_offer(const struct shk_node *node, struct shk_arena *arena)
{
	const char *list = "";

	for (size_t i = 0; i < node->base->n_pools; i++) {
		const struct shk_pool *pool = &node->base->pools[i];

		if (pool->capacity <= 0)
			continue;
		list = shk_arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
					short_name(pool->resource));
	}
	return list;
}

/* --- one function per kind of sentence ------------------------------------------------------- */

static const char *say_not_ready(const struct scene *scene)
{
	return scene->view->not_ready;
}

static const char *say_invalid(const struct scene *scene)
{
	return scene->question->claim->invalid_detail;
}

static const char *say_bad_name(const struct scene *scene)
{
	return shk_arena_printf(scene->arena,
				"%s is neither nvidia.com/gpu, nvidia.com/gpu.shared nor "
				"nvidia.com/mig-<profile>",
				subject_of(scene));
}

static const char *say_namespace(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "namespace %s is %s", pod_of(scene)->namespace_,
				shk_tenancy_why(scene->view->tenancy, scene->view->policy,
						pod_of(scene)->namespace_, scene->arena));
}

static const char *say_matches(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "namespace %s %s", pod_of(scene)->namespace_,
				shk_tenancy_why(scene->view->tenancy, scene->view->policy,
						pod_of(scene)->namespace_, scene->arena));
}

static const char *say_priority(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "priority %lld is above the tenant's maxPriority",
				(long long)scene->question->claim->priority);
}

static const char *say_annotation(const struct scene *scene)
{
	return shk_arena_printf(scene->arena,
				"asks for isolation %s, which the tenant's podIsolation rules out",
				shk_level_name(pod_of(scene)->isolation));
}

static const char *say_mig_state(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "nvidia.com/mig.config.state is %s",
				label_of(scene, "nvidia.com/mig.config.state"));
}

static const char *say_driver_state(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "nvidia.com/gpu-driver-upgrade-state is %s",
				label_of(scene, "nvidia.com/gpu-driver-upgrade-state"));
}

static const char *say_offer(const struct scene *scene)
{
	const char *offer = shk_explain_offer(scene->candidate->node, scene->arena);

	if (*offer == '\0')
		return "node offers no GPU resource";
	return shk_arena_printf(scene->arena, "node offers %s only", offer);
}

static const char *say_gone(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "%s: capacity %lld, allocatable 0", subject_of(scene),
				(long long)pool_of(scene)->capacity);
}

static const char *say_contradiction(const struct scene *scene)
{
	return scene->candidate->node->base->contradiction;
}

static const char *say_unweighable(const struct scene *scene)
{
	return shk_arena_printf(scene->arena,
				"neither the geometry table nor the labels say what %s is of a %s",
				subject_of(scene), scene->candidate->node->base->product);
}

static const char *say_disguise(const struct scene *scene)
{
	const struct shk_pool *pool = pool_of(scene);

	return shk_arena_printf(scene->arena, "%s here is shared (%s, %lld replicas of each)",
				subject_of(scene), shk_sharing_name(pool->sharing),
				(long long)pool->weight.replicas);
}

static const char *say_shares(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "a container asks for %lld of %s, %lld is allowed",
				(long long)scene->verdict->asked, subject_of(scene),
				(long long)scene->verdict->available);
}

static const char *say_floor(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "%s is shared, and the pod asks for isolation %s",
				subject_of(scene), shk_level_name(pod_of(scene)->isolation));
}

/* Never says whose: the reader may be of the other tenant. */
static const char *say_trust(const struct scene *scene)
{
	(void)scene;
	return "a workload outside the pod's trust domain is too close on this node";
}

static const char *say_pool_limit(const struct scene *scene)
{
	return shk_arena_printf(scene->arena,
				"would be pool %lld of %s for the domain, %lld are allowed",
				(long long)scene->verdict->asked, subject_of(scene),
				(long long)scene->verdict->available);
}

static const char *say_quota(const struct scene *scene)
{
	char asked[32];
	char available[32];

	if (scene->verdict->asked < 0)
		return shk_arena_printf(scene->arena,
					"the tenant's %s is limited, but nothing says what this "
					"product costs in it",
					subject_of(scene));
	return shk_arena_printf(
	    scene->arena, "asks for %s of %s, %s left",
	    shk_parts_print(scene->verdict->asked, asked, sizeof(asked)), subject_of(scene),
	    shk_parts_print(scene->verdict->available, available, sizeof(available)));
}

static const char *say_count(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "asks for %lld of %s, %lld there",
				(long long)scene->verdict->asked, subject_of(scene),
				(long long)scene->verdict->available);
}

static const char *say_free(const struct scene *scene)
{
	return shk_arena_printf(scene->arena, "asks for %lld of %s, %lld free",
				(long long)scene->verdict->asked, subject_of(scene),
				(long long)scene->verdict->available);
}

/* A reason without a function of its own is told by its row's sentence. */
static const sentence_fn sentences[SHK_REASON_COUNT] = {
    [SHK_REASON_NOT_READY] = say_not_ready,
    [SHK_REASON_INVALID_REQUEST] = say_invalid,
    [SHK_REASON_PROFILE_NAME] = say_bad_name,
    [SHK_REASON_TENANT_UNKNOWN] = say_namespace,
    [SHK_REASON_MISCONFIGURED] = say_matches,
    [SHK_REASON_PRIORITY_NOT_ALLOWED] = say_priority,
    [SHK_REASON_ISOLATION_NOT_ALLOWED] = say_annotation,
    [SHK_REASON_MIG_FAILED] = say_mig_state,
    [SHK_REASON_MIG_RECONFIGURING] = say_mig_state,
    [SHK_REASON_DRIVER_UPGRADING] = say_driver_state,
    [SHK_REASON_RESOURCE_NOT_OFFERED] = say_offer,
    [SHK_REASON_DEVICES_GONE] = say_gone,
    [SHK_REASON_NODE_INCONSISTENT] = say_contradiction,
    [SHK_REASON_PROFILE_UNKNOWN] = say_unweighable,
    [SHK_REASON_SHARED_DISGUISED] = say_disguise,
    [SHK_REASON_SHARES_PER_CONTAINER] = say_shares,
    [SHK_REASON_ISOLATION_FLOOR] = say_floor,
    [SHK_REASON_TRUST_BOUNDARY] = say_trust,
    [SHK_REASON_POOL_LIMIT] = say_pool_limit,
    [SHK_REASON_QUOTA_CEILING] = say_quota,
    [SHK_REASON_BAND_MAY_NOT_BORROW] = say_quota,
    [SHK_REASON_QUOTA_BORROW_UNAVAILABLE] = say_quota,
    [SHK_REASON_NODE_TOO_SMALL] = say_count,
    [SHK_REASON_SLICES_BUSY] = say_free,
    [SHK_REASON_SHARES_BUSY] = say_free,
    [SHK_REASON_CARDS_BUSY] = say_free,
};

const char *shk_explain_verdict(const struct shk_view *view, const struct shk_question *question,
				const struct shk_candidate *candidate,
				const struct shk_verdict *verdict, struct shk_arena *arena)
{
	struct scene scene = {view, question, candidate, verdict, arena};

	if (verdict->reason == SHK_FITS)
		return "";
	if (sentences[verdict->reason])
		return sentences[verdict->reason](&scene);
	return shk_reason_row(verdict->reason)->sentence;
}
