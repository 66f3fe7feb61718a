/* step.h - what the commands of one batch share while they run (private to the state files).
 *
 * A command decides from the world first, then writes, then changes the world. It returns the
 * ledger's status when a write failed, and SHK_OK otherwise: refusals and bad input are results
 * of the command and not errors of the step. */
#ifndef SHIKIRI_APP_STEP_H
#define SHIKIRI_APP_STEP_H

#include "state.h"
#include "world.h"

struct shk_step {
	struct shk_state *state;
	const struct shk_env *env;
	struct shk_world world;
	struct shk_arena arena; /* until the batch is over */
	bool writing;           /* a transaction is open */
	bool writes_nothing;    /* what would be written is owed */
	struct shk_step_effects *effects;
};

/* Opens the transaction unless it is open. */
enum shk_status shk_step_write(struct shk_step *step, struct shk_error *err) SHK_MUST_CHECK;
/* true, and the command failed, when the ledger can't be written now. */
bool shk_step_is_blocked(const struct shk_step *step, struct shk_command *command);
void shk_step_end_hold(struct shk_step *step, const char *uid);
/* A zeroed op for the pod of args, which are copied. */
struct shk_op *shk_step_op(struct shk_step *step, enum shk_op_kind kind,
			   const struct shk_bind_args *args);
/* The newest op of this batch for the pod, or NULL. */
const struct shk_op *shk_step_op_of(const struct shk_step *step, const char *uid);
void shk_step_note(struct shk_step *step, enum shk_note_kind kind, const struct shk_alloc *alloc,
		   const char *detail);

/* limits.bindTimeout */
int64_t shk_step_timeout_ms(const struct shk_step *step);
/* An open row that nothing is under way for: it is ours to find out from resolve_ms on. */
void shk_step_watch_row(struct shk_step *step, const struct shk_alloc *row, int64_t resolve_ms);

/* --- allocations of a live cluster: ledger and world together ---------------------------------
 *
 * What can't be written now is owed: the ledger is brought together with the cluster again as
 * soon as it can be written. */

enum shk_status shk_step_alloc_move(struct shk_step *step, const struct shk_alloc *alloc,
				    enum shk_alloc_state state,
				    struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_step_alloc_end(struct shk_step *step, const struct shk_alloc *alloc,
				   const char *cause, struct shk_error *err) SHK_MUST_CHECK;
/* The pod is bound as its row says: reserved or unknown becomes bound. */
enum shk_status shk_step_confirm(struct shk_step *step, const struct shk_alloc *alloc,
				 struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_step_adopt(struct shk_step *step, struct shk_pod_object *pod,
			       struct shk_error *err) SHK_MUST_CHECK;

/* A row of the audit: what happened comes from row, who asked from the command. */
enum shk_status shk_step_audit(struct shk_step *step, const struct shk_command *command,
			       const struct shk_ledger_audit *row,
			       struct shk_error *err) SHK_MUST_CHECK;

enum shk_status shk_bind_run(struct shk_step *step, struct shk_command *command,
			     struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_apply_run(struct shk_step *step, struct shk_command *command,
			      struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_reload_run(struct shk_step *step, struct shk_command *command,
			       struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_cordon_run(struct shk_step *step, struct shk_command *command,
			       struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_pod_run(struct shk_step *step, struct shk_command *command,
			    struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_pod_gone_run(struct shk_step *step, struct shk_command *command,
				 struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_node_run(struct shk_step *step, struct shk_command *command,
			     struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_facts_run(struct shk_step *step, struct shk_command *command,
			      struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_reply_run(struct shk_step *step, struct shk_command *command,
			      struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_tick_run(struct shk_step *step, struct shk_error *err) SHK_MUST_CHECK;

#endif
