/* object.h - what views share: counted values on the heap that never change once shared.
 *
 * Each kind is a struct that begins with a struct shk_object. A new one has one reference, its
 * maker's. Any thread may add and drop references to an object that it can reach. */
#ifndef SHIKIRI_APP_OBJECT_H
#define SHIKIRI_APP_OBJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/core/model.h"
#include "shikiri/core/node.h"
#include "shikiri/core/tenancy.h"
#include "shikiri/ledger/ledger.h"
#include "shikiri/wire/documents.h"

struct shk_words; /* below */

struct shk_object {
	_Atomic uint32_t refs;
	void (*free_)(struct shk_object *object);
};

void shk_object_init(struct shk_object *object, void (*free_)(struct shk_object *object));
/* size zeroed bytes that begin with an object. */
void *shk_object_alloc(size_t size, void (*free_)(struct shk_object *object));
struct shk_object *shk_object_ref(struct shk_object *object);
void shk_object_unref(struct shk_object *object); /* accepts NULL */
/* true when the caller's reference is the only one, so that the object is its own to change. */
bool shk_object_is_alone(struct shk_object *object);

/* What keeps new GPU pods off a node besides what the Node object says. */
enum shk_mark {
	SHK_MARK_CORDONED,      /* an administrator */
	SHK_MARK_RECONFIGURING, /* mig.config changed, and the change isn't seen through yet */
	SHK_MARK_RESTING,       /* kubelet refused a pod */
	SHK_MARK_COUNT,
};

/* A word that stands for itself: a marked node's name. */
struct shk_name_object {
	struct shk_object head;
	char name[];
};

struct shk_name_object *shk_name_object_new(const char *name);

/* A Node object as it came, in one block; labels are shared words. */
struct shk_facts_object {
	struct shk_object head;
	struct shk_node_facts facts;
	struct shk_words *words; /* reference */
};

struct shk_facts_object *shk_facts_object_new(const struct shk_node_facts *facts,
					      struct shk_words *words);

/* A live allocation, in one block. */
struct shk_alloc_object {
	struct shk_object head;
	struct shk_alloc alloc;
};

struct shk_alloc_object *shk_alloc_object_new(const struct shk_alloc *alloc);

/* A pod, in one block. Containers are kept only where they ask for managed resources: of the
 * others nothing but the sum of their CPU is ever needed again. */
struct shk_pod_object {
	struct shk_object head;
	struct shk_pod pod;
	const char *key; /* "<namespace>/<name>" */
	int64_t cpu_milli;
	bool managed;
	bool countable; /* asks for an amount that can be counted; kubelet admits no other */
};

/* All of a pod, in arena. NULL gives NULL. */
const struct shk_pod *shk_pod_copy(const struct shk_pod *pod, struct shk_arena *arena);
/* A copy with another node and phase, which is all that binding changes. NULL keeps the pod's. */
struct shk_pod_object *shk_pod_object_new(const struct shk_pod *pod);
struct shk_pod_object *shk_pod_object_bound(const struct shk_pod_object *pod, const char *node);
bool shk_pod_object_is_ended(const struct shk_pod_object *pod);
/* Assigned to a node and not ended: it uses what it asks for. */
bool shk_pod_object_is_placed(const struct shk_pod_object *pod);

struct shk_policy_object {
	struct shk_object head;
	struct shk_arena arena;
	struct shk_policy policy; /* hash is filled */
	const char *canonical;
};

/* A deep copy, by way of its canonical form. NULL makes the built-in policy. */
struct shk_policy_object *shk_policy_object_new(const struct shk_policy *policy);

/* What the cluster says besides nodes and pods. */
struct shk_cluster_object {
	struct shk_object head;
	struct shk_arena arena;
	const struct shk_namespace *namespaces;
	size_t n_namespaces;
	const struct shk_priority_class *classes;
	size_t n_classes;
};

struct shk_cluster_object *shk_cluster_object_new(const struct shk_namespace *namespaces,
						  size_t n_namespaces,
						  const struct shk_priority_class *classes,
						  size_t n_classes);

/* All documents in force, with the look-ups that decisions need. */
struct shk_documents_object {
	struct shk_object head;
	struct shk_arena arena;
	struct shk_cluster_object *cluster; /* reference */
	const struct shk_document *items;   /* by kind, then name */
	size_t n;
	struct shk_documents documents;
	struct shk_tenancy tenancy;
};

/* From rows as the ledger stores them, by kind and name. A body that can't be read is CORRUPT. */
enum shk_status shk_documents_object_new(const struct shk_ledger_document *rows, size_t n,
					 struct shk_cluster_object *cluster,
					 struct shk_documents_object **ret_documents,
					 struct shk_error *err) SHK_MUST_CHECK;
/* The same documents about another cluster. */
enum shk_status shk_documents_object_again(const struct shk_documents_object *documents,
					   struct shk_cluster_object *cluster,
					   struct shk_documents_object **ret_documents,
					   struct shk_error *err) SHK_MUST_CHECK;
/* Index into items, or -1. */
int shk_documents_object_find(const struct shk_documents_object *documents,
			      enum shk_document_kind kind, const char *name);

/* What a node is, without who is on it. */
struct shk_base_object {
	struct shk_object head;
	struct shk_arena arena;
	struct shk_facts_object *facts; /* these three are references */
	struct shk_policy_object *policy;
	struct shk_documents_object *documents;
	struct shk_node_base base;
	unsigned marks; /* bit 1 << mark for each */
};

struct shk_base_object *shk_base_object_new(struct shk_facts_object *facts,
					    struct shk_policy_object *policy,
					    struct shk_documents_object *documents, unsigned marks);

/* A node with its residents. */
struct shk_node_object {
	struct shk_object head;
	struct shk_arena arena;
	struct shk_base_object *base;     /* reference */
	struct shk_alloc_object **allocs; /* references */
	size_t n_allocs;
	struct shk_node node;
};

struct shk_node_object *shk_node_object_new(struct shk_base_object *base,
					    struct shk_alloc_object *const *allocs, size_t n_allocs,
					    int64_t cpu_used_milli);

/* --- words ---------------------------------------------------------------------------------- */

/* Strings that many objects share, as label keys and values are. They live until the last
 * object that has a reference to them goes. Only the state thread adds; up to a fixed number,
 * after which NULL says: copy it yourself. */
struct shk_words *shk_words_new(void);
struct shk_words *shk_words_ref(struct shk_words *words);
void shk_words_unref(struct shk_words *words); /* accepts NULL */
const char *shk_words_get(struct shk_words *words, const char *text);

#endif
