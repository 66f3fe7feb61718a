/* live.h - the state thread of a live cluster without threads: facts go in by hand, requests to the
 * API server come out and are answered by hand. */
#ifndef SHIKIRI_TEST_APP_LIVE_H
#define SHIKIRI_TEST_APP_LIVE_H

#include "fixture.h"

/* A request that went out, with the memory that it lives in. */
struct asked {
	struct shk_kube_request request;
	struct shk_arena arena;
};

struct live {
	struct fixture f;
	struct shk_facts *facts; /* to be delivered */
	struct asked asked[64];
	size_t n_asked;
	bool refuses; /* the client's queue is full */
	/* Of the last command that was answered. */
	char text[512];
	size_t n_answered;
	struct shk_note notes[32];
	size_t n_notes;
	struct shk_reconcile_report report;
};

/* Two nodes with 4 cards and one shared by 4; tenants vision (namespace v, 2 GPU-equivalents
 * guaranteed) and audio (a). Nothing is listed yet. */
void live_init(struct live *l);
void live_fini(struct live *l);

/* Facts for the next delivery. */
void live_node(struct live *l, const char *name, const char *labels, int cards);
void live_shared(struct live *l, const char *name, int shares);
void live_raw(struct live *l, enum shk_kube_kind kind, enum shk_fact_op op, const char *json);
/* A pod that asks for one of resource; node and phase may be NULL. */
void live_pod(struct live *l, enum shk_fact_op op, const char *uid, const char *resource,
	      const char *node, const char *phase);
/* Names or uids, NULL-terminated, sorted. */
void live_listed(struct live *l, enum shk_kube_kind kind, const char *const *keys);
void live_listed_at(struct live *l, enum shk_kube_kind kind, const char *const *keys,
		    const char *version);
void live_deliver(struct live *l);

/* The process begins anew, with the same ledger and an empty mirror of the same nodes. */
void live_restart(struct live *l);
/* Everything is listed as it is, reconciled, and ready unless rows are open. */
void live_ready(struct live *l);

/* Runs a command and what it makes of the Bindings. */
void live_run(struct live *l, struct shk_command *command);
void live_tick(struct live *l, int64_t ms);
/* The answer if it is there at once, else NULL. The pod's name is its uid, its namespace v, or a
 * for uids that begin with a. */
const char *live_bind(struct live *l, const char *uid, const char *node);
/* Answers the newest request. pod_json: the pod, or NULL. */
void live_reply(struct live *l, enum shk_kube_outcome outcome, const char *pod_json);

/* The newest request; fails when there is none. */
const struct shk_kube_request *live_asked(const struct live *l);
/* "reserved", or "" when the uid has no row. */
const char *live_row(const struct live *l, const char *uid);
bool live_noted(const struct live *l, enum shk_note_kind kind);
const char *live_pod_json(const char *uid, const char *node, const char *phase, const char *version,
			  char buf[1024]);

#endif
