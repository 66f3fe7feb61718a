/* service.h - the use cases, as the edge calls them: gather, decide, commit.
 *
 * Reads take a reference to the current view and never wait. Everything that changes something
 * is a command to the state thread and answers through a callback. */
#ifndef SHIKIRI_APP_SERVICE_H
#define SHIKIRI_APP_SERVICE_H

#include "shikiri/app/config.h"
#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"
#include "shikiri/core/plan.h"
#include "shikiri/core/view.h"
#include "shikiri/wire/extender.h"
#include "shikiri/wire/workload.h"

struct shk_service; /* opaque */

/* Opens the ledger, loads policy, documents and snapshot, reconciles, starts the state thread.
 * Errors carry the status that main turns into an exit code. config must outlive the service. */
enum shk_status shk_service_start(const struct shk_config *config, struct shk_service **ret_service,
				  struct shk_error *err) SHK_MUST_CHECK;
/* Stops taking commands (they answer UNAVAILABLE), finishes the queued ones, closes the ledger.
 * The edge must be stopped before. Accepts NULL. */
void shk_service_stop(struct shk_service *service);

/* --check: validates everything that start would read and writes one finding a line. Returns the
 * first failure's status, SHK_OK when there is nothing to report. */
enum shk_status shk_service_check(const struct shk_config *config, struct shk_buf *out);

/* SIGHUP: policy, documents of --apply files, read again. A bad file leaves the old in force and
 * says so in the log. Doesn't wait. */
void shk_service_reload(struct shk_service *service);

/* --- views ---------------------------------------------------------------------------------- */

/* A published view: immutable, alive until released. Any thread. */
struct shk_published {
	struct shk_view view; /* what the core looks at */
};

const struct shk_published *shk_service_view(struct shk_service *service);
void shk_service_view_done(struct shk_service *service, const struct shk_published *published);

/* NULL when there is no live allocation of that pod. */
const struct shk_alloc *shk_published_alloc(const struct shk_published *published, const char *uid);
/* All live allocations sorted by uid, an array in arena of pointers into the view. */
const struct shk_alloc *const *shk_published_allocs(const struct shk_published *published,
						    struct shk_arena *arena, size_t *ret_n);
/* The time, and the holds as they are now, copied to arena. */
struct shk_moment shk_service_moment(struct shk_service *service, struct shk_arena *arena);

/* --- extender verbs -------------------------------------------------------------------------- */

/* Sorted as the answer needs it; everything in arena or borrowed from args. */
void shk_service_filter(struct shk_service *service, const struct shk_extender_args *args,
			struct shk_arena *arena, struct shk_filter_result *ret_result);
/* At most ten, best first. */
void shk_service_prioritize(struct shk_service *service, const struct shk_extender_args *args,
			    struct shk_arena *arena, const struct shk_host_score **ret_scores,
			    size_t *ret_n);

/* --- commands -------------------------------------------------------------------------------- */

/* How a command ends. done is called exactly once, from the state thread (or from the caller's,
 * before the call returns, when the queue is full or the service stops); it must not block. The
 * struct is the caller's and must live until then; the receiver frees body with shk_buf_fini. */
struct shk_answer {
	enum shk_status status; /* SHK_OK, or error tells */
	struct shk_error error;
	struct shk_buf
	    body;     /* the result as JSON; for bind the extender's error text ("" is success) */
	bool created; /* something came into being: 201 */
	void (*done)(struct shk_answer *answer);
	void *context;
};

/* Who asks, for audit. Copied. */
struct shk_caller {
	const char *actor;  /* user name, "anonymous" on an open loopback listener */
	const char *source; /* peer address */
	const char *request_id;
};

/* Commits a placement; body is "" once the pod is bound by us, else "<Code>: <sentence>". status is
 * always SHK_OK. args are copied. */
void shk_service_bind(struct shk_service *service, const struct shk_bind_args *args,
		      const struct shk_caller *caller, struct shk_answer *answer);

/* Applies documents of text (JSON or YAML), all or nothing. Body: {"dryRun":bool,"changes":[
 * {"kind","name","operation":"created|updated|unchanged|deleted"}],"warnings":[...]}. prune deletes
 * documents that text doesn't hold; a tenant with live allocations isn't deleted (CONFLICT). */
void shk_service_apply(struct shk_service *service, struct shk_sv text, bool prune, bool dry_run,
		       const struct shk_caller *caller, struct shk_answer *answer);

/* Stops or allows new GPU pods on a node; body is the node as GET /nodes/{n} shows it. NOT_FOUND.
 */
void shk_service_cordon(struct shk_service *service, const char *node, bool cordoned,
			const struct shk_caller *caller, struct shk_answer *answer);

/* Snapshot mode only (else NOT_FOUND): a pod comes (uid made if missing; body a Pod with
 * its name, namespace, uid, node and phase), a pod goes (the same body), a node comes or changes
 * (body as GET /nodes/{n} shows it). text is one object, JSON. */
void shk_service_emulate_pod(struct shk_service *service, struct shk_sv text,
			     const struct shk_caller *caller, struct shk_answer *answer);
void shk_service_emulate_pod_gone(struct shk_service *service, const char *namespace_,
				  const char *name, const struct shk_caller *caller,
				  struct shk_answer *answer);
void shk_service_emulate_node(struct shk_service *service, const char *name, struct shk_sv text,
			      const struct shk_caller *caller, struct shk_answer *answer);

/* Full verification in slices between batches; body {"sound":bool,"findings":[],"rows":n,
 * "firstSeq":n,"lastSeq":n,"allocations":n}. */
void shk_service_ledger_verify(struct shk_service *service, struct shk_answer *answer);
/* Copy to a file on the daemon's machine; body {"path","bytes"}. */
void shk_service_ledger_backup(struct shk_service *service, const char *path,
			       const struct shk_caller *caller, struct shk_answer *answer);

/* --- reading --------------------------------------------------------------------------------- */

/* The plan of a dry run on the current view with hypothetical nodes added; NOT_FOUND (pointer
 * "/hypotheticalNodes/0/like") for a node that doesn't exist. plan lives in arena, and borrows
 * from published: the caller holds it. */
enum shk_status shk_service_dry_run(struct shk_service *service,
				    const struct shk_published *published,
				    const struct shk_dry_run_request *request,
				    struct shk_arena *arena, struct shk_plan *ret_plan,
				    struct shk_error *err) SHK_MUST_CHECK;

/* What a plan or list is based on. */
int64_t shk_service_inventory_age_ms(struct shk_service *service);

/* All documents in force as a v1 List of canonical documents (export). */
void shk_service_export(const struct shk_published *published, struct shk_buf *out);

/* true when verbs can be answered; appends one line per check ("[+]ledger ok") when out isn't
 * NULL. Cheap, any thread. */
bool shk_service_ready(struct shk_service *service, struct shk_buf *out);

/* Gauges and the counters that need a view, in Prometheus text. */
void shk_service_metrics(struct shk_service *service, struct shk_buf *out);

/* --auth none: the admin API asks nobody who they are. */
bool shk_service_admits_anyone(const struct shk_service *service);

/* Whether the cluster comes from --snapshot files, so that /emulate calls exist. */
bool shk_service_is_snapshot(const struct shk_service *service);

#endif
