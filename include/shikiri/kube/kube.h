/* kube.h - the API server as the rest of the daemon sees it: facts come in, requests go out.
 *
 * One thread owns libcurl and everything behind this header. It lists and watches four kinds of
 * objects and pushes what it learns into a sink, in the order in which the server said it for each
 * kind; between kinds there is no order. It sends requests that were handed to it, at most so
 * many a second and so many binds at a time, and tells how each one ended exactly once. */
#ifndef SHIKIRI_KUBE_KUBE_H
#define SHIKIRI_KUBE_KUBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/core/model.h"
#include "shikiri/kube/config.h"

enum shk_kube_kind {
	SHK_KUBE_NODES,
	SHK_KUBE_PODS,
	SHK_KUBE_NAMESPACES,
	SHK_KUBE_PRIORITY_CLASSES,
	SHK_KUBE_KIND_COUNT,
};

const char *shk_kube_kind_name(enum shk_kube_kind kind); /* "nodes", as in a path */

/* --- facts ---------------------------------------------------------------------------------- */

enum shk_fact_op {
	SHK_FACT_NONE = 0,
	SHK_FACT_PUT,    /* the object as it is now: new, changed, or listed again */
	SHK_FACT_GONE,   /* deleted; the object as it was at the end */
	SHK_FACT_LISTED, /* a list is complete: whatever isn't named in it is gone */
};

/* What a complete list held: uids of pods, names of the others; sorted. */
struct shk_listed {
	const char *const *keys;
	size_t n;
	const char *version; /* as of which: it says nothing of what is newer */
};

struct shk_fact {
	enum shk_kube_kind kind;
	enum shk_fact_op op;
	union {
		struct shk_pod pod;
		struct shk_node_facts node;
		struct shk_namespace namespace_;
		struct shk_priority_class priority_class;
		struct shk_listed listed;
	};
};

/* Some facts in order, with the memory that they live in. */
struct shk_facts {
	struct shk_arena arena;
	struct shk_fact *items; /* in arena */
	size_t n;
	size_t cap;
};

struct shk_facts *shk_facts_new(void);
/* A zeroed fact at the end, for the caller to fill. */
struct shk_fact *shk_facts_add(struct shk_facts *facts, enum shk_kube_kind kind,
			       enum shk_fact_op op);
void shk_facts_free(struct shk_facts *facts); /* accepts NULL */

/* Whether the key stands in a complete list. */
bool shk_listed_has(const struct shk_listed *listed, const char *key);

/* --- requests ------------------------------------------------------------------------------- */

enum shk_kube_verb {
	SHK_KUBE_NOTHING = 0,
	SHK_KUBE_BIND,      /* POST pods/binding with uid and resourceVersion as preconditions */
	SHK_KUBE_GET_POD,   /* not from the server's cache */
	SHK_KUBE_TOUCH_POD, /* PATCH pods/status: the condition shikiri.dev/Nudged; uid is one too
			     */
	SHK_KUBE_EVENT,     /* POST an event about the pod */
};

/* All strings are borrowed for the call that takes it. */
struct shk_kube_request {
	enum shk_kube_verb verb;
	uint64_t id; /* the caller's; comes back with the reply */
	const char *namespace_;
	const char *name;
	const char *uid;
	const char *resource_version;  /* BIND; NULL: no such precondition */
	const char *node;              /* BIND */
	struct shk_labels annotations; /* BIND; sorted by key */
	const char *reason;            /* TOUCH: of the condition; EVENT: CamelCase */
	const char
	    *message; /* TOUCH and EVENT: a sentence; a touch changes the pod only if it is new */
	bool warning; /* EVENT: of type Warning */
	int64_t deadline_ms; /* boot clock: the reply comes by then */
};

enum shk_kube_outcome {
	SHK_KUBE_LOST = 0, /* it may have happened: sent, and no answer that tells */
	SHK_KUBE_OK,
	SHK_KUBE_CONFLICT,  /* 409 */
	SHK_KUBE_NOT_FOUND, /* 404 */
	SHK_KUBE_REFUSED,   /* another definite no: 401 with a fresh token, 403, 422 ... */
	SHK_KUBE_UNSENT, /* it didn't happen and may be tried again: not connected, 429 to the end
			  */
};

struct shk_kube_reply {
	uint64_t id;
	enum shk_kube_verb verb;
	enum shk_kube_outcome outcome;
	int http_status;           /* 0: none came */
	const char *message;       /* of the server's Status, or of the transport; "" on OK */
	const struct shk_pod *pod; /* GET_POD and TOUCH_POD when OK; else NULL */
};

/* --- the client ----------------------------------------------------------------------------- */

/* Both are called from the client's thread, hold nothing up and don't call back into the client
 * (but for _send). */
struct shk_kube_sink {
	void *context;
	/* Takes facts and returns true; or false, and they are offered again soon: meanwhile
	 * nothing more is read from the server. */
	bool (*facts)(void *context, struct shk_facts *facts);
	void (*done)(void *context, const struct shk_kube_reply *reply);
};

struct shk_kube_options {
	const struct shk_kube_config *config; /* borrowed while the client lives */
	struct shk_kube_sink sink;
	const char *user_agent;
	unsigned binds_in_flight; /* 0: 16 */
	unsigned rate, burst;     /* requests a second, without lists and watches; 0: 50 and 100 */
};

struct shk_kube; /* opaque */

/* Starts the thread, which begins to list at once. Fails only for what can't get better:
 * certificates and keys that can't be read (CONFIG, NOT_FOUND, PERMISSION). */
enum shk_status shk_kube_start(const struct shk_kube_options *options, struct shk_kube **ret_kube,
			       struct shk_error *err) SHK_MUST_CHECK;
/* Requests that were not answered yet end as LOST or UNSENT, and no others are taken. Accepts
 * NULL. */
void shk_kube_stop(struct shk_kube *kube);
/* After _stop, once nobody asks for anything any more. Accepts NULL. */
void shk_kube_free(struct shk_kube *kube);

/* Any thread; never blocks. Copies the request. false: too many wait already (then nothing more
 * comes of it). Binds go before touches, touches before events. */
bool shk_kube_send(struct shk_kube *kube, const struct shk_kube_request *request) SHK_MUST_CHECK;

struct shk_kube_kind_health {
	bool listed; /* one list at least was complete and handed over */
	int64_t
	    age_ms; /* since the last event, bookmark or list; since start when there was none */
	uint64_t relists; /* lists after the first */
};

struct shk_kube_health {
	struct shk_kube_kind_health kinds[SHK_KUBE_KIND_COUNT];
	uint64_t failures; /* of lists and watches since start */
	char error[256];   /* of the last one; "" once all is well again */
};

/* Any thread. */
void shk_kube_health(struct shk_kube *kube, struct shk_kube_health *ret_health);

#endif
