/* model.h - the nouns of a decision, as plain data.
 *
 * Everything here is filled by wire (from JSON and YAML), by ledger (from rows) or by the core
 * itself, lives in somebody's arena, and is never changed afterwards. Strings are terminated;
 * NULL means absent unless a field says otherwise. In every enum 0 means unknown, and unknown
 * is refused: zero is never permission. */
#ifndef SHIKIRI_CORE_MODEL_H
#define SHIKIRI_CORE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The wall that one side asks for towards other trust domains; larger is stricter. */
enum shk_level {
	SHK_LEVEL_NONE = 0, /* nothing stated */
	SHK_LEVEL_MIG = 1,
	SHK_LEVEL_CARD = 2,
	SHK_LEVEL_NODE = 3,
	SHK_LEVEL_INVALID = 4, /* stated, but no known word: refused, and never loosens anything */
};

/* What keeps a placement apart from others, weakest first (design: isolation class). */
enum shk_isolation_class {
	SHK_ISOLATION_UNKNOWN = 0,
	SHK_ISOLATION_SHARED,
	SHK_ISOLATION_MPS,
	SHK_ISOLATION_MIG,
	SHK_ISOLATION_CARD,
	SHK_ISOLATION_NODE,
};

enum shk_quota_class { SHK_CLASS_NONE = 0, SHK_CLASS_GUARANTEED, SHK_CLASS_BORROWED };

enum shk_alloc_state {
	SHK_ALLOC_NONE = 0,
	SHK_ALLOC_RESERVED, /* durable, Binding not confirmed */
	SHK_ALLOC_UNKNOWN,  /* the answer to our Binding was lost */
	SHK_ALLOC_BOUND,
	SHK_ALLOC_FOREIGN, /* bound by somebody else, adopted */
};

/* "mig" for SHK_LEVEL_MIG and so on; "" for values without a word. */
const char *shk_level_name(enum shk_level level);
const char *shk_isolation_class_name(enum shk_isolation_class isolation);
const char *shk_quota_class_name(enum shk_quota_class quota_class);
const char *shk_alloc_state_name(enum shk_alloc_state state);
/* NULL gives NONE, an unknown word INVALID. */
enum shk_level shk_level_parse(const char *text);
enum shk_isolation_class shk_isolation_class_parse(const char *text); /* UNKNOWN for others */
enum shk_quota_class shk_quota_class_parse(const char *text);
enum shk_alloc_state shk_alloc_state_parse(const char *text);

/* An amount of one resource, e.g. {"nvidia.com/mig-1g.10gb", 2}. */
struct shk_amount {
	const char *resource;
	int64_t count;
};

/* Sorted by resource name, each name once, every count above 0. */
struct shk_vector {
	const struct shk_amount *items;
	size_t n;
};

struct shk_pair {
	const char *key;
	const char *value;
};

/* Labels, sorted by key. */
struct shk_labels {
	const struct shk_pair *items;
	size_t n;
};

const char *shk_labels_get(const struct shk_labels *labels, const char *key); /* NULL: absent */
bool shk_labels_are_same(const struct shk_labels *a, const struct shk_labels *b);

/* The units every charge has; resource names are units too, charged by the vector itself. */
enum shk_unit {
	SHK_UNIT_GPU_EQUIVALENTS,
	SHK_UNIT_COMPUTE_SLICES,
	SHK_UNIT_MEMORY_GIB,
	SHK_UNIT_COST_PER_HOUR,
	SHK_UNIT_COUNT,
};

extern const char *const shk_unit_names[SHK_UNIT_COUNT]; /* "gpuEquivalents", ... */

/* What an allocation costs in each unit, in parts (base/units.h), fixed when it is made.
 * A unit whose known flag is off could not be weighed (no price, no memory size). */
struct shk_charge {
	int64_t parts[SHK_UNIT_COUNT];
	bool known[SHK_UNIT_COUNT];
};

/* What a stored document knows of itself; all zero for one that isn't stored. */
struct shk_object_meta {
	const char *uid;
	uint64_t resource_version;
	int64_t created_s;
};

/* --- pods ------------------------------------------------------------------------------- */

enum shk_phase {
	SHK_PHASE_UNKNOWN = 0, /* "Unknown", absent or another word: not ended */
	SHK_PHASE_PENDING,
	SHK_PHASE_RUNNING,
	SHK_PHASE_SUCCEEDED,
	SHK_PHASE_FAILED,
};

/* One managed resource (nvidia.com/...) named by one container or by the overhead. */
struct shk_ask {
	const char *resource;
	bool has_request;
	bool has_limit;
	bool malformed; /* one of the two isn't an integer >= 0 written as a quantity */
	int64_t request;
	int64_t limit;
};

struct shk_container {
	const char *name;
	bool init;
	bool sidecar; /* an init container with restartPolicy Always */
	const struct shk_ask *asks;
	size_t n_asks;
	int64_t cpu_milli; /* request, else limit, else 0 */
};

struct shk_pod {
	const char *uid;
	const char *namespace_;
	const char *name;
	const char *resource_version;
	const char *node_name; /* NULL: not assigned */
	const char *scheduler_name;
	const char *priority_class;
	bool has_priority;
	int64_t priority;
	enum shk_phase phase;
	const char *phase_reason; /* status.reason: why it failed, in one word */
	bool deleting;            /* has a deletionTimestamp */
	bool gated;               /* has scheduling gates */
	bool has_volumes;         /* any persistent or ephemeral volume claim, or resource claim */
	int64_t created_s;
	int64_t grace_s;
	enum shk_level isolation; /* annotation shikiri.dev/isolation */
	bool accept_shared;       /* annotation shikiri.dev/accept-shared is exactly "true" */
	const struct shk_container *containers; /* init containers first, each kind in order */
	size_t n_containers;
	const struct shk_ask *overhead; /* has_request only */
	size_t n_overhead;
	int64_t overhead_cpu_milli;
	bool has_pod_cpu; /* spec.resources.requests.cpu, which stands for the containers' sum */
	int64_t pod_cpu_milli;
};

/* Succeeded or failed. */
bool shk_pod_is_ended(const struct shk_pod *pod);

/* --- nodes ------------------------------------------------------------------------------ */

struct shk_node_resource {
	const char *resource; /* nvidia.com/... */
	int64_t capacity;
	int64_t allocatable;
};

/* A Node object as far as we read it. */
struct shk_node_facts {
	const char *name;
	const char *uid;
	const char *resource_version;
	struct shk_labels labels;
	const struct shk_node_resource
	    *resources; /* sorted by name; a name in one list only has 0 in the other */
	size_t n_resources;
	int64_t cpu_milli; /* allocatable */
	int64_t created_s;
	bool ready;
	bool unschedulable; /* spec.unschedulable: the scheduler's matter, shown only */
};

/* --- other objects of the cluster --------------------------------------------------------- */

struct shk_namespace {
	const char *name;
	struct shk_labels labels;
};

struct shk_priority_class {
	const char *name;
	int64_t value;
	bool global_default;
};

/* spec.hard of a ResourceQuota; key and value as written. */
struct shk_resource_quota {
	const char *namespace_;
	const char *name;
	struct shk_labels hard;
};

/* --- allocations -------------------------------------------------------------------------- */

#define SHK_TENANT_INFRASTRUCTURE "_infrastructure"
#define SHK_TENANT_UNKNOWN        "_unknown" /* a pod we can't attribute */
#define SHK_TENANT_DEFAULT        "default"  /* unmapped namespaces, where the policy allows them */

/* One live pod that holds GPU resources. Never changed: a new state is a new record. */
struct shk_alloc {
	const char *uid;
	const char *namespace_;
	const char *name;
	const char *tenant;
	const char *domain; /* "" for infrastructure: nobody's */
	const char *node;
	struct shk_vector resources;
	struct shk_charge charge;
	int64_t priority;
	enum shk_alloc_state state;
	enum shk_quota_class quota_class;
	enum shk_isolation_class isolation;
	enum shk_level annotation; /* what the pod asked for, cut to what its tenant may ask */
	uint64_t seq;              /* ledger sequence of the grant */
	int64_t since_s;           /* wall clock */
	int64_t grace_s;           /* the pod's: so long its processes may outlive it */
};

/* Bound or foreign: the cluster has said so. */
bool shk_alloc_is_confirmed(const struct shk_alloc *alloc);

/* A pod that passed filter and isn't bound yet. It charges its tenant once, and marks at most
 * one soft pool, named by node and resource (both NULL when it marks none). */
struct shk_hold {
	const char *uid;
	const char *tenant;
	const char *domain;
	struct shk_vector resources;
	struct shk_charge charge;
	const char *pool_node;
	const char *pool_resource;
};

#endif
