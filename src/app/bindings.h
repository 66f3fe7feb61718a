/* bindings.h - Bindings on their way to the API server, one for each pod UID: who waits, what the
 * server was asked, and until when.
 *
 * Owned by the state thread. A step only reads them and writes down what shall become of them
 * (ops). That happens once its transaction is durable, so that nothing is sent for a reservation
 * which might not stand. Times are milliseconds of the boot clock. */
#ifndef SHIKIRI_APP_BINDINGS_H
#define SHIKIRI_APP_BINDINGS_H

#include "command.h"
#include "shikiri/kube/kube.h"

enum shk_binding_phase {
	SHK_BINDING_NONE = 0,
	SHK_BINDING_LOOKING,  /* GET: a pod that no watch has shown yet */
	SHK_BINDING_POSTING,  /* POST of the Binding */
	SHK_BINDING_CHECKING, /* GET: what came of the POST */
	SHK_BINDING_TOUCHING, /* PATCH: moves the resourceVersion, after which no late POST lands */
	SHK_BINDING_RESTING,  /* the row is reserved or unknown, and nothing is under way */
};

struct shk_binding {
	struct shk_binding *next;
	struct shk_arena arena; /* args */
	struct shk_bind_args args;
	enum shk_binding_phase phase;
	uint64_t request;   /* under way; 0 none */
	unsigned posts;     /* since somebody asked first */
	bool is_plain;      /* a pod without managed resources: there is no row */
	bool may_land;      /* the answer to a POST was lost, whatever the row says of it */
	int64_t resolve_ms; /* RESTING: then it is ours to find out */
	struct shk_command *waiters;
};

struct shk_bindings {
	struct shk_binding *first;
	size_t n;
	uint64_t last_request;
};

enum shk_op_kind {
	SHK_OP_NONE = 0,
	SHK_OP_SEND, /* a request; the binding is made if there is none */
	SHK_OP_JOIN, /* command waits with the others */
	SHK_OP_TELL, /* who has waited long enough is told end */
	SHK_OP_REST, /* all waiters are told end; the binding stays, without a request */
	SHK_OP_END,  /* all waiters are told end; the binding goes */
};

/* What a bind is told. */
struct shk_bind_end {
	const char *text;       /* "" is success */
	const char *code;       /* of a refusal without a decision, else NULL */
	enum shk_reason reason; /* of a decision */
};

struct shk_op {
	enum shk_op_kind kind;
	struct shk_bind_args args;
	struct shk_command *command; /* SEND, JOIN: waits from now on; SEND: may be NULL */
	enum shk_binding_phase phase;
	struct shk_kube_request request; /* SEND; id and deadline are filled in here */
	bool is_plain;
	bool may_land; /* as of the binding, from now on */
	struct shk_bind_end end;
	int64_t resolve_ms; /* REST */
};

/* All that an op points to lives in the step's effects. */
struct shk_bindings_env {
	int64_t now_ms;
	int64_t timeout_ms; /* of a bind, and of each request */
	/* false: the queue is full. */
	bool (*send)(void *context, const struct shk_kube_request *request);
	void *context;
};

/* Borrowed; NULL when there is none. */
struct shk_binding *shk_bindings_find(const struct shk_bindings *bindings, const char *uid);
struct shk_binding *shk_bindings_asked(const struct shk_bindings *bindings, uint64_t request);

/* Appends the commands that are to be answered to *answered, linked by next. A request that can't
 * be queued ends its waiters and leaves the binding resting. */
void shk_bindings_apply(struct shk_bindings *bindings, const struct shk_op *ops, size_t n,
			const struct shk_bindings_env *env, struct shk_command **answered);
/* The same end for everybody; all bindings go. */
void shk_bindings_fini(struct shk_bindings *bindings, const struct shk_bind_end *end,
		       struct shk_command **answered);

#endif
