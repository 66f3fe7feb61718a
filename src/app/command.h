/* command.h - one thing that somebody wants changed, on its way to the state thread.
 *
 * Made by the caller's thread, then owned by the loop until it is answered and freed. All that
 * a command needs is read and decoded before it is queued. */
#ifndef SHIKIRI_APP_COMMAND_H
#define SHIKIRI_APP_COMMAND_H

#include "shikiri/app/service.h"
#include "shikiri/kube/kube.h"
#include "shikiri/wire/documents.h"

enum shk_command_kind {
	SHK_COMMAND_NONE = 0,
	SHK_COMMAND_BIND,
	SHK_COMMAND_APPLY,
	SHK_COMMAND_CORDON,
	SHK_COMMAND_POD,
	SHK_COMMAND_POD_GONE,
	SHK_COMMAND_NODE,
	SHK_COMMAND_RELOAD,
	SHK_COMMAND_VERIFY,
	SHK_COMMAND_BACKUP,
	SHK_COMMAND_FACTS, /* news from the API server */
	SHK_COMMAND_REPLY, /* how a request to it ended */
	SHK_COMMAND_TICK,  /* time has passed */
};

/* A document to put in force. */
struct shk_apply_item {
	const struct shk_document *document;
	const char *file; /* absolute name of the --apply file, NULL for a request */
};

struct shk_apply_input {
	const struct shk_apply_item *items;
	size_t n;
	bool prune;
	bool dry_run;
};

struct shk_cordon_input {
	const char *node;
	bool cordoned;
};

struct shk_pod_name_input {
	const char *namespace_;
	const char *name;
};

struct shk_reload_input {
	const struct shk_policy *policy; /* NULL: stays */
	struct shk_apply_input apply;
};

struct shk_command {
	enum shk_command_kind kind;
	struct shk_arena arena; /* input and caller live here */
	struct shk_caller caller;
	struct shk_answer *answer; /* whom to tell; NULL: nobody waits */
	struct shk_answer result;  /* what to tell; done and context aren't used */
	bool changed;              /* it stands or falls with the transaction */
	enum shk_reason reason;    /* of a bind that was decided */
	const char *code;          /* of a bind that was refused without a decision */
	bool waits;                /* a Binding has it now: it is answered later */
	int64_t until_ms;          /* while it waits: boot clock */
	struct shk_command *next;  /* while it waits, and in lists of answered ones */
	union {
		struct shk_bind_args bind;
		struct shk_apply_input apply;
		struct shk_cordon_input cordon;
		struct shk_pod pod;
		struct shk_pod_name_input gone;
		struct shk_node_facts node;
		struct shk_reload_input reload;
		struct shk_facts *facts;     /* owned */
		struct shk_kube_reply reply; /* in the arena */
		const char *path;
	};
};

/* caller may be NULL. */
struct shk_command *shk_command_new(enum shk_command_kind kind, const struct shk_caller *caller,
				    struct shk_answer *answer);
void shk_command_free(struct shk_command *command); /* accepts NULL */
/* Forgets the result, so that the command can be run again. */
void shk_command_reset(struct shk_command *command);
/* Hands the result to whoever waits, and frees the command. */
void shk_command_answer(struct shk_command *command);
/* Each of a list that is linked by next. */
void shk_command_answer_all(struct shk_command *list);
/* Whether it tells of what has happened, and can't be refused or forgotten. */
bool shk_command_is_news(const struct shk_command *command);

void shk_command_fail(struct shk_command *command, enum shk_status status, const char *fmt, ...)
    SHK_PRINTF(3, 4);

/* Why the extender's bind was refused before or after the decision: "<Code>: <sentence>". */
enum shk_bind_refusal {
	SHK_BIND_POD_UNKNOWN,
	SHK_BIND_POD_GONE,
	SHK_BIND_UID_MISMATCH,
	SHK_BIND_POD_GATED,
	SHK_BIND_ALREADY_BOUND,
	SHK_BIND_LEDGER_UNAVAILABLE,
	SHK_BIND_ADVISE_ONLY,
	SHK_BIND_IN_PROGRESS,
	SHK_BIND_API_REFUSED,
	SHK_BIND_API_UNCERTAIN,
	SHK_BIND_REFUSAL_COUNT,
};

const char *shk_bind_refusal_code(enum shk_bind_refusal refusal);
const char *shk_bind_refusal_sentence(enum shk_bind_refusal refusal);
/* Writes the text to the command's body and its code beside it. */
void shk_command_refuse_bind(struct shk_command *command, enum shk_bind_refusal refusal);
/* code is static, or NULL for the end of a decision. */
void shk_command_end_bind(struct shk_command *command, const char *text, const char *code,
			  enum shk_reason reason);

#endif
