/* state.h - the one place where anything changes: commands in, a new edition and answers out.
 *
 * _step has no threads, clock or I/O of its own but the ledger it is given, so that the same
 * inputs give the same outputs. A batch is one transaction: either all that it changed is
 * durable and published, or nothing is, and whoever built on it is told so. */
#ifndef SHIKIRI_APP_STATE_H
#define SHIKIRI_APP_STATE_H

#include "command.h"
#include "decisions.h"
#include "edition.h"
#include "live.h"
#include "shikiri/ledger/ledger.h"

#define SHK_BATCH_MAX ((size_t)64)

/* Constant texts of a view that decides nothing. */
#define SHK_CAUSE_LEDGER "the ledger can't be written"

struct shk_reconcile_report; /* reconcile.h */

/* The ledger refused one write by a rule of its own; the file itself is well. */
bool shk_state_is_refusal(enum shk_status status);

struct shk_env {
	struct shk_ledger *ledger;
	int64_t now_s;
	int64_t now_ms; /* boot clock */
	bool is_stale;  /* the API server has said nothing for longer than the policy allows */
	void (*uuid)(char ret_text[37]);
	/* shk_ledger_commit, or what a test puts in its place. */
	enum shk_status (*commit)(struct shk_ledger *ledger, struct shk_error *err);
};

struct shk_state {
	struct shk_edition *current;     /* reference */
	struct shk_words *words;         /* reference */
	struct shk_decisions *decisions; /* borrowed; NULL: none are written along */
	struct shk_live *live;           /* owned; NULL: the cluster is emulated */
	enum shk_mode mode;
	bool ledger_down;  /* the last transaction failed; nothing is written until a probe works */
	bool needs_reopen; /* and the file has to be opened again before */
};

/* What is worth a line in the log, and perhaps an event on the pod. */
enum shk_note_kind {
	SHK_NOTE_PLACED,
	SHK_NOTE_BORROWING,
	SHK_NOTE_ADOPTED,
	SHK_NOTE_VOIDED,
	SHK_NOTE_LINGERS,
	SHK_NOTE_KUBELET_REFUSED,
	SHK_NOTE_UNCOUNTED,
	SHK_NOTE_UNRESOLVED,
	SHK_NOTE_KIND_COUNT,
};

struct shk_note {
	enum shk_note_kind kind;
	const char *namespace_;
	const char *pod;
	const char *uid;
	const char *node;
	const char *detail; /* "" when there is none */
};

/* What a step did besides answering. Everything lives in arena. */
struct shk_step_effects {
	struct shk_arena arena;
	const char **ended; /* UIDs whose holds end: bound or gone */
	size_t n_ended;
	size_t cap_ended;
	struct shk_op *ops; /* for the Bindings, in order */
	size_t n_ops;
	size_t cap_ops;
	struct shk_note *notes;
	size_t n_notes;
	size_t cap_notes;
	struct shk_error failure; /* of the ledger; status SHK_OK when there was none */
	struct shk_error refusal; /* of news that the ledger wouldn't take; likewise */
};

void shk_step_effects_init(struct shk_step_effects *effects);
void shk_step_effects_fini(struct shk_step_effects *effects);

/* Runs at most SHK_BATCH_MAX commands in order. Results are left in the commands; state->current
 * is another edition afterwards where something changed. */
void shk_state_step(struct shk_state *state, const struct shk_env *env,
		    struct shk_command *const *commands, size_t n,
		    struct shk_step_effects *effects);

/* Tries to write after a failure; SHK_OK makes the view ready again. */
enum shk_status shk_state_probe(struct shk_state *state, const struct shk_env *env,
				struct shk_error *err) SHK_MUST_CHECK;
/* Brings the ledger's allocations together with a live cluster that has been listed: at start, and
 * when something could not be written. */
enum shk_status shk_state_reconcile(struct shk_state *state, const struct shk_env *env,
				    struct shk_reconcile_report *ret_report,
				    struct shk_error *err) SHK_MUST_CHECK;
/* Takes documents and allocations from a ledger that was opened again, where a transaction that
 * was answered as failed may stand after all. */
enum shk_status shk_state_recover(struct shk_state *state, const struct shk_env *env,
				  struct shk_error *err) SHK_MUST_CHECK;

#endif
