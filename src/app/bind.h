/* bind.h - one bind, from the question to what the caller is told (private to the state files).
 *
 * In an emulated cluster it is one step. In a live one it is a conversation with the API server:
 * a durable reservation, the POST, perhaps a look at what came of it, and the confirmation; each
 * turn of it is a command of the state thread. */
#ifndef SHIKIRI_APP_BIND_H
#define SHIKIRI_APP_BIND_H

#include "step.h"

struct shk_bind_ask {
	const struct shk_bind_args *args;
	struct shk_command *command; /* who asks just now; NULL: waits in the Bindings already */
};

void shk_bind_tell(struct shk_step *step, const struct shk_bind_ask *ask,
		   const struct shk_bind_end *end);
void shk_bind_refuse(struct shk_step *step, const struct shk_bind_ask *ask,
		     enum shk_bind_refusal refusal);
void shk_bind_succeed(struct shk_step *step, const struct shk_bind_ask *ask);
/* detail: what the API server said, or "". */
struct shk_bind_end shk_bind_refusal_end(struct shk_step *step, enum shk_bind_refusal refusal,
					 const char *detail);

/* The pod as the cluster has it: refuses, repeats, binds plainly, or decides. */
enum shk_status shk_bind_pod(struct shk_step *step, const struct shk_bind_ask *ask,
			     const struct shk_pod_object *pod,
			     struct shk_error *err) SHK_MUST_CHECK;
/* The row of a grant, in ledger and world; fills in seq and since. */
enum shk_status shk_bind_add_row(struct shk_step *step, struct shk_alloc *alloc,
				 struct shk_error *err) SHK_MUST_CHECK;

/* --- live (state_live.c) ---------------------------------------------------------------------- */

enum shk_status shk_bind_live(struct shk_step *step, const struct shk_bind_ask *ask,
			      struct shk_error *err) SHK_MUST_CHECK;
/* The row, and the POST once it is durable. */
enum shk_status shk_bind_reserve(struct shk_step *step, const struct shk_bind_ask *ask,
				 const struct shk_pod_object *pod, struct shk_alloc *alloc,
				 struct shk_error *err) SHK_MUST_CHECK;
/* alloc NULL: a pod without managed resources. */
void shk_bind_post(struct shk_step *step, const struct shk_bind_ask *ask,
		   const struct shk_pod_object *pod, const struct shk_alloc *alloc);

/* --- facts about one pod (state_pods.c) ------------------------------------------------------ */

/* The pod as a list or the watch shows it. */
enum shk_status shk_pod_seen(struct shk_step *step, const struct shk_pod *pod,
			     struct shk_error *err) SHK_MUST_CHECK;
/* The pod as a reply shows it, unless the watch has shown something newer by now. */
enum shk_status shk_pod_replied(struct shk_step *step, const struct shk_pod *pod,
				struct shk_error *err) SHK_MUST_CHECK;
/* The watch told that it was deleted; as it was at the end. */
enum shk_status shk_pod_deleted(struct shk_step *step, const struct shk_pod *last,
				struct shk_error *err) SHK_MUST_CHECK;
/* A list lacks it, or another pod has its name: nobody saw its end. */
enum shk_status shk_pod_vanished(struct shk_step *step, const char *uid,
				 struct shk_error *err) SHK_MUST_CHECK;
/* Versions of objects grow; what isn't a number is never older. */
bool shk_version_is_older(const char *version, const char *known);

#endif
