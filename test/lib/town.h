/* town.h - a small cluster for tests of the core, said in a few words.
 *
 *   struct town town;
 *   town_open(&town);
 *   town_tenant(&town, "vision", "research", "vision-ns");
 *   town_cards(&town, "n1", 8);
 *   town_settle(&town);
 *   assert_string_equal(town_ask(&town, town_pod(&town, "u1", "vision-ns", GPU, 1), "n1"), "");
 *   town_close(&town);
 *
 * Everything lives in the town's arena. Counts are small: arrays have fixed room. */
#ifndef SHIKIRI_TEST_TOWN_H
#define SHIKIRI_TEST_TOWN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shikiri/base/units.h"
#include "shikiri/core/decide.h"
#include "shikiri/core/view.h"

#define GPU      "nvidia.com/gpu"
#define SHARED   "nvidia.com/gpu.shared"
#define MIG1     "nvidia.com/mig-1g.10gb"
#define MIG2     "nvidia.com/mig-2g.20gb"
#define MIG3     "nvidia.com/mig-3g.40gb"
#define UNITS(n) ((int64_t)(n)*SHK_PARTS)

#define TOWN_MAX 64
#define TOWN_FEW 8

struct town_node {
	struct shk_node_facts facts;
	struct shk_pair labels[TOWN_MAX];
	struct shk_node_resource resources[TOWN_MAX];
	bool cordoned;
};

struct town_tenant {
	struct shk_tenant tenant;
	const char *namespaces[8];
	struct shk_quota_entry quota[16];
};

struct town {
	struct shk_arena arena;
	struct shk_policy policy;
	struct town_node *nodes[TOWN_MAX];
	size_t n_nodes;
	struct town_tenant *tenants[TOWN_MAX];
	size_t n_tenants;
	struct shk_trust_domain domains[TOWN_FEW];
	size_t n_domains;
	struct shk_band bands[TOWN_FEW];
	size_t n_bands;
	struct shk_grant grants[TOWN_FEW];
	size_t n_grants;
	struct shk_node_facts_doc node_facts[TOWN_FEW];
	size_t n_node_facts;
	struct shk_namespace namespaces[TOWN_FEW];
	size_t n_namespaces;
	struct shk_hold holds[TOWN_FEW];
	size_t n_holds;
	int64_t now_s;

	/* made by town_settle */
	struct shk_documents documents;
	struct shk_tenancy tenancy;
	struct shk_draft draft;
	struct shk_books books;
	struct shk_map index;

	/* of the last town_ask */
	struct shk_decision decision;
	struct shk_claim claim;
};

void town_open(struct town *town);
void town_close(struct town *town);

/* Nodes with the labels that GPU Feature Discovery writes. */
struct town_node *town_node(struct town *town, const char *name); /* bare */
struct town_node *town_cards(struct town *town, const char *name, int64_t cards);
struct town_node *town_shared(struct town *town, const char *name, int64_t cards, int64_t replicas);
struct town_node *town_disguised(struct town *town, const char *name, int64_t cards,
				 int64_t replicas);
/* H100, strategy mixed: count slices of profile, no whole cards. */
struct town_node *town_mig(struct town *town, const char *name, const char *profile, int64_t count);
/* H100, strategy single, every card cut into 7 x 1g.10gb. */
struct town_node *town_single(struct town *town, const char *name, int64_t cards);

/* Before town_settle. A NULL value takes the label away. */
void town_label(struct town *town, struct town_node *node, const char *key, const char *value);
void town_label_int(struct town *town, struct town_node *node, const char *key, int64_t value);
void town_offer(struct town *town, struct town_node *node, const char *resource, int64_t capacity,
		int64_t allocatable);

struct town_tenant *town_tenant(struct town *town, const char *name, const char *domain,
				const char *namespace_);
/* -1 leaves a part out; amounts are whole units. */
void town_quota(struct town_tenant *tenant, const char *unit, int64_t guaranteed, int64_t ceiling,
		int64_t lendable);

/* Builds the view. Afterwards pods can be asked for and settled. */
void town_settle(struct town *town);

struct shk_pod *town_pod(struct town *town, const char *uid, const char *namespace_,
			 const char *resource, int64_t count);
/* Adds another resource to the first container. */
void town_also(struct town *town, struct shk_pod *pod, const char *resource, int64_t count);

/* The code for one node, "" when the pod fits. */
const char *town_ask(struct town *town, const struct shk_pod *pod, const char *node);
const struct shk_verdict *town_verdict(struct town *town, const struct shk_pod *pod,
				       const char *node);
/* All nodes at once, in town->decision. */
void town_decide(struct town *town, const struct shk_pod *pod);

/* Places the pod as if somebody else had bound it. */
const struct shk_alloc *town_adopt(struct town *town, const struct shk_pod *pod, const char *node);
/* Places the pod as our bind does; fails the test when it doesn't fit. */
const struct shk_alloc *town_bind(struct town *town, const struct shk_pod *pod, const char *node);

/* A hold of somebody else's pod on a soft pool. */
void town_hold(struct town *town, const char *uid, const char *tenant, const char *domain,
	       const char *node, const char *resource);

const struct shk_node *town_find(const struct town *town, const char *node);

#endif
