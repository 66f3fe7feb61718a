#include "town.h"

#include <string.h>

#include "shikiri/core/explain.h"
#include "shikiri/core/pack.h"

static void tenants(struct town *town)
{
	town_open(town);
	town_tenant(town, "a", NULL, "a");
	town_tenant(town, "b", NULL, "b");
}

static void pod_wide_refusals_come_first_and_in_order(void **state)
{
	struct town town;
	struct shk_pod *pod;

	(void)state;
	tenants(&town);
	town_cards(&town, "n", 8);
	town.tenants[0]->tenant.has_max_priority = true;
	town.tenants[0]->tenant.max_priority = 10;
	town_settle(&town);
	pod = town_pod(&town, "u", "a", GPU, 1);
	pod->isolation = SHK_LEVEL_NODE;
	pod->priority = 11;
	assert_string_equal(town_ask(&town, pod, "n"), "PriorityNotAllowed");
	assert_string_equal(town_ask(&town, pod, "elsewhere"), "PriorityNotAllowed");
	pod->priority = 10;
	assert_string_equal(town_ask(&town, pod, "n"), "IsolationNotAllowed");
	pod->isolation = SHK_LEVEL_INVALID;
	assert_string_equal(town_ask(&town, pod, "n"), "InvalidRequest");
	pod->isolation = SHK_LEVEL_NONE;
	assert_string_equal(town_ask(&town, pod, "n"), "");
	assert_string_equal(town_ask(&town, pod, "elsewhere"), "NodeUnknown");
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "a", "nvidia.com/foo", 1), "n"),
			    "ProfileUnknown");
	assert_string_equal(town.decision.verdicts[0].subject, "nvidia.com/foo");
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "lost", GPU, 1), "n"),
			    "TenantUnknown");
	town.draft.view.not_ready = "the ledger can't be written";
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "lost", GPU, 1), "n"), "NotReady");
	assert_string_equal(town_ask(&town, pod, "elsewhere"), "NotReady");
	town_close(&town);
}

static void node_checks_stop_at_the_first_in_order(void **state)
{
	struct town town;
	struct town_node *gone;

	(void)state;
	tenants(&town);
	town_label(&town, town_cards(&town, "fenced", 8), "mig.config.state", "failed");
	town_mig(&town, "slices", "1g.10gb", 7);
	gone = town_cards(&town, "gone", 8);
	town_offer(&town, gone, GPU, 8, 0);
	town_label(&town, gone, "gpu.count", "3");
	town_label(&town, town_cards(&town, "odd", 8), "gpu.count", "3");
	town_offer(&town, town_cards(&town, "unweighed", 8), "nvidia.com/mig-1g.11gb", 7, 7);
	town_disguised(&town, "disguised", 2, 4);
	town_cards(&town, "small", 2);
	town_cards(&town, "fine", 8);
	town_settle(&town);
	struct shk_pod *pod = town_pod(&town, "u", "a", GPU, 4);
	assert_string_equal(town_ask(&town, pod, "fenced"), "MigFailed");
	assert_string_equal(town_ask(&town, pod, "slices"), "ResourceNotOffered");
	assert_string_equal(town_ask(&town, pod, "gone"), "DevicesGone");
	assert_string_equal(town_ask(&town, pod, "odd"), "NodeInconsistent");
	assert_string_equal(town_ask(&town, pod, "disguised"), "SharedDisguised");
	assert_string_equal(town_ask(&town, pod, "small"), "NodeTooSmall");
	assert_string_equal(town_ask(&town, pod, "fine"), "");
	assert_string_equal(
	    town_ask(&town, town_pod(&town, "u", "a", "nvidia.com/mig-1g.11gb", 1), "unweighed"),
	    "NodeInconsistent");
	town_close(&town);
}

static void an_offered_profile_nobody_can_weigh_is_refused(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_mig(&town, "n", "1g.11gb", 7);
	town_settle(&town);
	assert_string_equal(
	    town_ask(&town, town_pod(&town, "u", "a", "nvidia.com/mig-1g.11gb", 1), "n"),
	    "ProfileUnknown");
	town_close(&town);
}

static void all_resources_pass_one_check_before_the_next(void **state)
{
	struct town town;
	struct shk_pod *pod;

	(void)state;
	tenants(&town);
	town_offer(&town, town_mig(&town, "n", "1g.10gb", 7), GPU, 8, 8);
	town_settle(&town);
	/* too many cards (NodeTooSmall), and a profile that isn't there (ResourceNotOffered) */
	pod = town_pod(&town, "u", "a", GPU, 9);
	town_also(&town, pod, MIG3, 1);
	assert_string_equal(town_ask(&town, pod, "n"), "ResourceNotOffered");
	assert_string_equal(town.decision.verdicts[0].subject, MIG3);
	town_close(&town);
}

static void shares_per_container_follow_the_mode(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_shared(&town, "slicing", 2, 4);
	town_label(&town, town_shared(&town, "mps", 2, 4), "gpu.sharing-strategy", "mps");
	town_settle(&town);
	struct shk_pod *two = town_pod(&town, "u", "a", SHARED, 2);
	assert_string_equal(town_ask(&town, two, "slicing"), "");
	assert_int_equal(town.decision.verdicts[0].isolation, SHK_ISOLATION_SHARED);
	assert_string_equal(town_ask(&town, two, "mps"), "SharesPerContainer");
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "a", SHARED, 1), "mps"), "");
	assert_int_equal(town.decision.verdicts[0].isolation, SHK_ISOLATION_MPS);
	town.policy.max_shares_time_slicing = 1;
	assert_string_equal(town_ask(&town, two, "slicing"), "SharesPerContainer");
	town_close(&town);
}

static void an_annotation_is_a_floor_under_soft_pools(void **state)
{
	struct town town;
	struct shk_pod *pod;

	(void)state;
	tenants(&town);
	town_shared(&town, "n", 2, 4);
	town_mig(&town, "m", "1g.10gb", 7);
	town_settle(&town);
	pod = town_pod(&town, "u", "a", SHARED, 1);
	pod->isolation = SHK_LEVEL_MIG;
	assert_string_equal(town_ask(&town, pod, "n"), "IsolationFloor");
	pod = town_pod(&town, "u", "a", MIG1, 1);
	pod->isolation = SHK_LEVEL_MIG;
	assert_string_equal(town_ask(&town, pod, "m"), "");
	town_close(&town);
}

static void disguise_may_be_accepted_by_pod_or_policy(void **state)
{
	struct town town;
	struct shk_pod *pod;

	(void)state;
	tenants(&town);
	town_disguised(&town, "n", 2, 4);
	town_settle(&town);
	pod = town_pod(&town, "u", "a", GPU, 1);
	assert_string_equal(town_ask(&town, pod, "n"), "SharedDisguised");
	pod->accept_shared = true;
	assert_string_equal(town_ask(&town, pod, "n"), "");
	pod->accept_shared = false;
	town.policy.allow_disguised = true;
	assert_string_equal(town_ask(&town, pod, "n"), "");
	town.policy.allow_disguised = false;
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "kube-system", GPU, 1), "n"), "");
	town_close(&town);
}

static void a_domain_opens_only_the_pools_it_needs(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town.policy.spare_soft_pools = 1;
	for (int i = 0; i < 4; i++)
		town_shared(&town, shk_arena_printf(&town.arena, "n%d", i), 1, 4);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u0", "a", SHARED, 1), "n0");
	town_bind(&town, town_pod(&town, "u1", "a", SHARED, 1), "n1");
	/* 2 shares + 1 need one pool of 4; with the spare that makes two, and two are owned */
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "a", SHARED, 1), "n2"),
			    "PoolLimit");
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "a", SHARED, 1), "n1"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "b", SHARED, 1), "n2"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "u2", "a", SHARED, 4), "n2"), "");
	town.policy.spare_soft_pools = 0;
	assert_string_equal(town_ask(&town, town_pod(&town, "u3", "b", SHARED, 1), "n2"), "");
	town_close(&town);
}

static void shares_in_contested_pools_count_for_the_domain(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town.policy.spare_soft_pools = 0;
	town_shared(&town, "n0", 2, 4);
	town_shared(&town, "n1", 1, 4);
	town_shared(&town, "n2", 1, 4);
	town_settle(&town);
	town_adopt(&town, town_pod(&town, "u0", "a", SHARED, 4), "n0");
	town_adopt(&town, town_pod(&town, "u1", "b", SHARED, 1), "n0");
	town_bind(&town, town_pod(&town, "u2", "a", SHARED, 1), "n1");
	assert_string_equal(town_ask(&town, town_pod(&town, "u3", "a", SHARED, 1), "n2"), "");
	town_close(&town);
}

static void counts_are_busy_by_kind_and_only_they_are_resolvable(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_cards(&town, "cards", 1);
	town_mig(&town, "slices", "1g.10gb", 1);
	town_shared(&town, "shares", 1, 2);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u1", "a", GPU, 1), "cards");
	town_bind(&town, town_pod(&town, "u2", "a", MIG1, 1), "slices");
	town_bind(&town, town_pod(&town, "u3", "a", SHARED, 2), "shares");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "b", GPU, 1), "cards"),
			    "CardsBusy");
	assert_int_equal(town.decision.verdicts[0].available, 0);
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "b", MIG1, 1), "slices"),
			    "SlicesBusy");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "a", SHARED, 1), "shares"),
			    "SharesBusy");
	town_close(&town);
}

static void borrowers_in_the_way_of_a_guarantee_can_be_reclaimed(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_quota(town.tenants[0], "gpuEquivalents", 2, 2, 2);
	town_quota(town.tenants[1], "gpuEquivalents", 0, 2, -1);
	town_cards(&town, "n", 2);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u1", "b", GPU, 2), "n");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "a", GPU, 1), "n"),
			    "ReclaimNeeded");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "kube-system", GPU, 1), "n"),
			    "CardsBusy");
	town_close(&town);
}

static void a_guarantee_reclaims_nothing_from_those_within_theirs(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_quota(town.tenants[0], "gpuEquivalents", 2, 2, -1);
	town_cards(&town, "n", 2);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u1", "b", GPU, 2), "n");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "a", GPU, 1), "n"), "CardsBusy");
	town_close(&town);
}

static void cards_can_be_kept_for_a_band(void **state)
{
	static const struct shk_named_micro reserve[] = {{"serving", 250000}, {"no-such-band", 1}};
	struct town town;
	struct shk_pod *pod;

	(void)state;
	tenants(&town);
	town.policy.reserve = reserve;
	town.policy.n_reserve = 2;
	town.bands[town.n_bands++] =
	    (struct shk_band){.name = "serving", .min_priority = 100, .max_priority = 200};
	town_cards(&town, "n", 6); /* a quarter of 6, rounded up: 2 are kept */
	town_label(&town, town_cards(&town, "fenced", 8), "mig.config.state", "pending");
	town_mig(&town, "m", "1g.10gb", 7);
	town_settle(&town);
	pod = town_pod(&town, "u", "a", GPU, 5);
	assert_string_equal(town_ask(&town, pod, "n"), "ReservedForBand");
	pod->priority = 100;
	assert_string_equal(town_ask(&town, pod, "n"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "a", GPU, 4), "n"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "a", MIG1, 1), "m"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "u", "a", GPU, 7), "n"),
			    "NodeTooSmall");
	town_close(&town);
}

static void a_mark_holds_an_empty_soft_pool_against_other_domains(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_shared(&town, "n", 2, 4);
	town_shared(&town, "m", 2, 4);
	town_settle(&town);
	town_hold(&town, "u1", "a", "a", "n", SHARED);
	town_hold(&town, "u2", "a", "a", "n", MIG1);
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "b", SHARED, 1), "n"), "Held");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "b", SHARED, 1), "m"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "a", SHARED, 1), "n"), "");
	assert_string_equal(town_ask(&town, town_pod(&town, "u1", "b", SHARED, 1), "n"), "");
	town_adopt(&town, town_pod(&town, "w", "b", SHARED, 1), "n");
	assert_string_equal(town_ask(&town, town_pod(&town, "v", "b", SHARED, 1), "n"), "");
	town_close(&town);
}

static void a_pod_with_a_live_row_goes_where_the_row_says(void **state)
{
	struct town town;
	const struct shk_alloc *live;
	const struct shk_candidate candidates[] = {{"m", NULL}, {"n", NULL}};
	struct shk_question question = {.claim = &town.claim, .candidates = candidates, .n = 2};
	struct shk_moment moment = {.now_s = 0};

	(void)state;
	tenants(&town);
	town_cards(&town, "n", 1);
	town_settle(&town);
	live = town_bind(&town, town_pod(&town, "u", "a", GPU, 1), "n");
	question.live = live;
	shk_decide(&town.draft.view, &moment, &question, &town.arena, &town.decision);
	assert_int_equal(town.decision.verdicts[0].reason, SHK_REASON_HELD);
	assert_int_equal(town.decision.verdicts[1].reason, SHK_FITS);
	assert_int_equal(town.decision.verdicts[1].isolation, SHK_ISOLATION_CARD);
	town.draft.view.not_ready = "no";
	shk_decide(&town.draft.view, &moment, &question, &town.arena, &town.decision);
	assert_int_equal(town.decision.verdicts[1].reason, SHK_REASON_NOT_READY);
	town_close(&town);
}

static void every_reason_can_be_collected(void **state)
{
	struct town town;
	struct shk_moment moment = {.now_s = 0};

	(void)state;
	tenants(&town);
	town_quota(town.tenants[0], "gpuEquivalents", -1, 0, -1);
	town_label(&town, town_disguised(&town, "n", 1, 2), "mig.config.state", "failed");
	town_settle(&town);
	(void)town_ask(&town, town_pod(&town, "u", "a", GPU, 3), "n");
	struct shk_candidate candidate = {"n", town_find(&town, "n")};
	struct shk_question question = {
	    .claim = &town.claim, .candidates = &candidate, .n = 1, .all_reasons = true};
	shk_decide(&town.draft.view, &moment, &question, &town.arena, &town.decision);
	assert_int_equal(town.decision.verdicts[0].reason, SHK_REASON_MIG_FAILED);
	assert_int_equal(
	    town.decision.verdicts[0].reasons,
	    UINT64_C(1) << SHK_REASON_MIG_FAILED | UINT64_C(1) << SHK_REASON_SHARED_DISGUISED |
		UINT64_C(1) << SHK_REASON_QUOTA_CEILING | UINT64_C(1) << SHK_REASON_NODE_TOO_SMALL |
		UINT64_C(1) << SHK_REASON_SHARES_BUSY);
	town_close(&town);
}

/* --- rank ------------------------------------------------------------------------------------ */

static const char *winner(struct town *town, const struct shk_pod *pod)
{
	town_decide(town, pod);
	return town->draft.view.nodes[town->decision.order[0]]->base->facts->name;
}

static void the_fullest_node_that_fits_wins(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_cards(&town, "n1", 8);
	town_cards(&town, "n2", 8);
	town_cards(&town, "n3", 4);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u1", "a", GPU, 6), "n2");
	assert_string_equal(winner(&town, town_pod(&town, "v", "a", GPU, 2)), "n2");
	assert_string_equal(winner(&town, town_pod(&town, "v", "a", GPU, 3)), "n3");
	assert_int_equal(town.decision.n_feasible, 2);
	town.policy.objective = SHK_OBJECTIVE_SPREAD;
	assert_string_equal(winner(&town, town_pod(&town, "v", "a", GPU, 2)), "n1");
	town_close(&town);
}

static void cpu_breaks_what_slices_leave_even(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_cards(&town, "n1", 8);
	town_cards(&town, "n2", 8)->facts.cpu_milli = 32000;
	town_cards(&town, "n3", 8);
	town_settle(&town);
	assert_string_equal(winner(&town, town_pod(&town, "v", "a", GPU, 1)), "n2");
	town_close(&town);
}

static void own_soft_pools_come_before_empty_ones(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_shared(&town, "large", 8, 4);
	town_shared(&town, "small", 1, 4);
	town_shared(&town, "owned", 4, 4);
	town_settle(&town);
	assert_string_equal(winner(&town, town_pod(&town, "v", "a", SHARED, 1)), "small");
	assert_string_equal(winner(&town, town_pod(&town, "v", "a", SHARED, 2)), "large");
	town_bind(&town, town_pod(&town, "u1", "a", SHARED, 1), "owned");
	assert_string_equal(winner(&town, town_pod(&town, "v", "a", SHARED, 1)), "owned");
	town_close(&town);
}

static void ranks_are_unique_and_scores_follow(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	for (int i = 0; i < 12; i++)
		town_cards(&town, shk_arena_printf(&town.arena, "n%02d", i), 8);
	town_settle(&town);
	town_decide(&town, town_pod(&town, "v", "a", GPU, 1));
	assert_int_equal(town.decision.n_feasible, 12);
	for (uint32_t i = 0; i < 12; i++)
		assert_int_equal(town.decision.verdicts[town.decision.order[i]].rank, i + 1);
	assert_int_equal(shk_score(&town.policy, 1, 12), 10);
	assert_int_equal(shk_score(&town.policy, 10, 12), 1);
	assert_int_equal(shk_score(&town.policy, 11, 12), 0);
	assert_int_equal(shk_score(&town.policy, 0, 12), 0);
	assert_int_equal(shk_score(&town.policy, 13, 12), 0);
	town.policy.export_form = SHK_EXPORT_LINEAR;
	assert_int_equal(shk_score(&town.policy, 1, 12), 10);
	assert_int_equal(shk_score(&town.policy, 12, 12), 1);
	town_close(&town);
}

static void keys_pack_and_unpack(void **state)
{
	const struct shk_key key = {1, 4095, 3, 77, 4000, 65535};
	const struct shk_key over = {9, 99999, 99999, 99999, 99999, 99999};
	struct shk_key back = shk_key_unpack(shk_key_pack(&key));
	const struct shk_key less = {0, 4095, 1023, 4095, 4095, 65535};

	(void)state;
	assert_memory_equal(&key, &back, sizeof(key));
	back = shk_key_unpack(shk_key_pack(&over));
	assert_int_equal(back.soft, 3);
	assert_int_equal(back.hash, 65535);
	assert_true(shk_key_pack(&less) < shk_key_pack(&key));
}

static void the_furthest_refusal_speaks_for_all(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town_mig(&town, "n1", "1g.10gb", 7);
	town_cards(&town, "n2", 1);
	town_cards(&town, "n3", 1);
	town_settle(&town);
	town_bind(&town, town_pod(&town, "u", "a", GPU, 1), "n3");
	town_bind(&town, town_pod(&town, "w", "a", GPU, 1), "n2");
	town_decide(&town, town_pod(&town, "v", "a", GPU, 1));
	assert_int_equal(town.decision.n_feasible, 0);
	assert_int_equal(town.decision.furthest, SHK_REASON_CARDS_BUSY);
	assert_int_equal(town.decision.furthest_index, 1);
	town_close(&town);
}

static void node_isolation_makes_the_node_the_wall(void **state)
{
	struct town town;

	(void)state;
	tenants(&town);
	town.tenants[0]->tenant.isolation = SHK_LEVEL_NODE;
	town_cards(&town, "n", 8);
	town_shared(&town, "m", 1, 4);
	town_settle(&town);
	assert_int_equal(town_verdict(&town, town_pod(&town, "u", "a", GPU, 1), "n")->isolation,
			 SHK_ISOLATION_NODE);
	assert_int_equal(town_verdict(&town, town_pod(&town, "u", "a", SHARED, 1), "m")->isolation,
			 SHK_ISOLATION_SHARED);
	assert_int_equal(town_verdict(&town, town_pod(&town, "u", "b", GPU, 1), "n")->isolation,
			 SHK_ISOLATION_CARD);
	/* whoever bound it */
	assert_int_equal(town_adopt(&town, town_pod(&town, "v", "a", GPU, 1), "n")->isolation,
			 SHK_ISOLATION_NODE);
	town_close(&town);
}

/* --- sentences ------------------------------------------------------------------------------- */

static const char *explain(struct town *town, const struct shk_pod *pod, const char *node)
{
	struct shk_candidate candidate = {node, town_find(town, node)};
	struct shk_question question = {.claim = &town->claim, .candidates = &candidate, .n = 1};
	const struct shk_verdict *verdict = town_verdict(town, pod, node);

	return shk_explain_verdict(&town->draft.view, &question, &candidate, verdict, &town->arena);
}

static void verdicts_are_told_with_their_numbers(void **state)
{
	struct town town;
	struct shk_pod *pod;

	(void)state;
	tenants(&town);
	town.policy.spare_soft_pools = 0;
	town.tenants[0]->tenant.has_max_priority = true;
	town_quota(town.tenants[1], "gpuEquivalents", -1, 1, -1);
	town_quota(town.tenants[1], "costPerHour", -1, 100, -1);
	town_mig(&town, "slices", "1g.10gb", 7);
	town_offer(&town, town_cards(&town, "gone", 8), GPU, 8, 0);
	town_label(&town, town_cards(&town, "odd", 8), "gpu.count", "0");
	town_label(&town, town_cards(&town, "fenced", 8), "mig.config.state", "pending");
	town_label(&town, town_cards(&town, "driver", 8), "gpu.deploy.driver",
		   "paused-for-driver-upgrade");
	town_disguised(&town, "disguised", 2, 4);
	town_label(&town, town_shared(&town, "mps", 2, 4), "gpu.sharing-strategy", "mps");
	town_shared(&town, "soft", 1, 4);
	town_cards(&town, "cards", 2);
	town_label(&town, town_cards(&town, "unpriced", 2), "gpu.product", "NVIDIA-X900");
	town_node(&town, "bare");
	town_settle(&town);
	pod = town_pod(&town, "u", "a", GPU, 1);
	assert_string_equal(explain(&town, pod, "slices"), "node offers mig-1g.10gb only");
	assert_string_equal(explain(&town, pod, "bare"), "node offers no GPU resource");
	assert_string_equal(explain(&town, pod, "gone"),
			    "nvidia.com/gpu: capacity 8, allocatable 0");
	assert_string_equal(explain(&town, pod, "odd"), "gpu.count is 0");
	assert_string_equal(explain(&town, pod, "fenced"),
			    "nvidia.com/mig.config.state is pending");
	assert_string_equal(explain(&town, pod, "driver"),
			    "nvidia.com/gpu-driver-upgrade-state is unset");
	assert_string_equal(explain(&town, pod, "disguised"),
			    "nvidia.com/gpu here is shared (time-slicing, 4 replicas of each)");
	assert_string_equal(explain(&town, pod, "elsewhere"), "the node is not known");
	assert_string_equal(explain(&town, pod, "cards"), "");
	assert_string_equal(explain(&town, town_pod(&town, "u", "a", GPU, 3), "cards"),
			    "asks for 3 of nvidia.com/gpu, 2 there");
	assert_string_equal(explain(&town, town_pod(&town, "u", "b", GPU, 2), "cards"),
			    "asks for 2 of gpuEquivalents, 1 left");
	assert_string_equal(explain(&town, town_pod(&town, "u", "b", GPU, 1), "unpriced"),
			    "the tenant's costPerHour is limited, but nothing says what this "
			    "product costs in it");
	assert_string_equal(explain(&town, town_pod(&town, "u", "a", SHARED, 2), "mps"),
			    "a container asks for 2 of nvidia.com/gpu.shared, 1 is allowed");
	assert_string_equal(explain(&town, town_pod(&town, "u", "lost", GPU, 1), "cards"),
			    "namespace lost is mapped by no tenant");
	assert_string_equal(explain(&town, town_pod(&town, "u", "a", "nvidia.com/x", 1), "cards"),
			    "nvidia.com/x is neither nvidia.com/gpu, nvidia.com/gpu.shared nor "
			    "nvidia.com/mig-<profile>");
	pod->priority = 5;
	assert_string_equal(explain(&town, pod, "cards"),
			    "priority 5 is above the tenant's maxPriority");
	pod->priority = 0;
	pod->isolation = SHK_LEVEL_NODE;
	assert_string_equal(explain(&town, pod, "cards"),
			    "asks for isolation node, which the tenant's podIsolation rules out");
	pod->isolation = SHK_LEVEL_INVALID;
	assert_string_equal(explain(&town, pod, "cards"),
			    "annotation shikiri.dev/isolation is not mig, card or node");
	pod = town_pod(&town, "u", "a", SHARED, 1);
	pod->isolation = SHK_LEVEL_MIG;
	assert_string_equal(explain(&town, pod, "soft"),
			    "nvidia.com/gpu.shared is shared, and the pod asks for isolation mig");
	town_bind(&town, town_pod(&town, "u1", "a", SHARED, 1), "soft");
	assert_string_equal(
	    explain(&town, town_pod(&town, "u2", "a", SHARED, 1), "mps"),
	    "would be pool 2 of nvidia.com/gpu.shared for the domain, 1 are allowed");
	assert_string_equal(explain(&town, town_pod(&town, "u2", "b", SHARED, 1), "soft"),
			    "a workload outside the pod's trust domain is too close on this node");
	town_bind(&town, town_pod(&town, "u3", "a", GPU, 2), "cards");
	assert_string_equal(explain(&town, town_pod(&town, "u4", "a", GPU, 1), "cards"),
			    "asks for 1 of nvidia.com/gpu, 0 free");
	town.draft.view.not_ready = "the ledger can't be written";
	assert_string_equal(explain(&town, pod, "cards"), "the ledger can't be written");
	town_close(&town);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pod_wide_refusals_come_first_and_in_order),
	    cmocka_unit_test(node_checks_stop_at_the_first_in_order),
	    cmocka_unit_test(an_offered_profile_nobody_can_weigh_is_refused),
	    cmocka_unit_test(all_resources_pass_one_check_before_the_next),
	    cmocka_unit_test(shares_per_container_follow_the_mode),
	    cmocka_unit_test(an_annotation_is_a_floor_under_soft_pools),
	    cmocka_unit_test(disguise_may_be_accepted_by_pod_or_policy),
	    cmocka_unit_test(a_domain_opens_only_the_pools_it_needs),
	    cmocka_unit_test(shares_in_contested_pools_count_for_the_domain),
	    cmocka_unit_test(counts_are_busy_by_kind_and_only_they_are_resolvable),
	    cmocka_unit_test(borrowers_in_the_way_of_a_guarantee_can_be_reclaimed),
	    cmocka_unit_test(a_guarantee_reclaims_nothing_from_those_within_theirs),
	    cmocka_unit_test(cards_can_be_kept_for_a_band),
	    cmocka_unit_test(a_mark_holds_an_empty_soft_pool_against_other_domains),
	    cmocka_unit_test(a_pod_with_a_live_row_goes_where_the_row_says),
	    cmocka_unit_test(every_reason_can_be_collected),
	    cmocka_unit_test(the_fullest_node_that_fits_wins),
	    cmocka_unit_test(cpu_breaks_what_slices_leave_even),
	    cmocka_unit_test(own_soft_pools_come_before_empty_ones),
	    cmocka_unit_test(ranks_are_unique_and_scores_follow),
	    cmocka_unit_test(keys_pack_and_unpack),
	    cmocka_unit_test(the_furthest_refusal_speaks_for_all),
	    cmocka_unit_test(node_isolation_makes_the_node_the_wall),
	    cmocka_unit_test(verdicts_are_told_with_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
