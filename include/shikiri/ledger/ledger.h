/* ledger.h - the durable books: one SQLite file, one connection, one caller.
 *
 * The module has no threads and no locks: exactly one thread calls it (the state thread). Every
 * write happens between _begin and _commit, and is durable when _commit returned SHK_OK
 * (WAL, synchronous=FULL). The file is locked exclusively for as long as it is open.
 *
 * Every change appends to a journal whose rows are chained by SHA-256 and can't be updated or
 * deleted. Each row also carries the state hash after it: the sum, modulo 2^256, of the SHA-256
 * of every live row of the state tables; so state and history can be checked against each other
 * without replaying history, and start doesn't grow with it. A checkpoint row is written every
 * 1,000 rows and at close; start verifies the chain from the last one.
 *
 * Errors: SHK_E_BUSY (held by another process), SHK_E_CORRUPT, SHK_E_VERSION (made by a newer
 * program), SHK_E_NOT_FOUND, SHK_E_PERMISSION and SHK_E_CONFIG (path; a link, directory or device
 * is CONFIG), SHK_E_FULL, SHK_E_IO, SHK_E_CONFLICT (a unique key or CHECK refused).
 * A refusal by rule (CONFLICT of a move, NOT_FOUND, INPUT, LIMIT) changes nothing and leaves the
 * batch good. A write that the file refuses spoils its batch: all later writes and the commit
 * give the same status, and the batch is rolled back. After FULL the next batch may be tried;
 * after IO or CORRUPT the handle refuses everything, and the file must be opened again. */
#ifndef SHIKIRI_LEDGER_LEDGER_H
#define SHIKIRI_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/core/model.h"
#include "shikiri/core/tenancy.h"

struct shk_ledger; /* opaque */

struct shk_ledger_options {
	const char *path; /* ":memory:" for a trial */
	bool must_exist;  /* a missing file is NOT_FOUND instead of a new ledger */
	const char *vfs;  /* SQLite VFS, NULL for the default; tests inject failures through one */
	int64_t now_s;    /* wall clock, for the epoch's row */
};

/* Opens or makes the file, migrates an older schema, verifies (quick_check, foreign keys, chain
 * since the last checkpoint, state hash, balances), and starts a new epoch. A broken file stays
 * as it is. */
enum shk_status shk_ledger_open(const struct shk_ledger_options *options,
				struct shk_ledger **ret_ledger,
				struct shk_error *err) SHK_MUST_CHECK;
/* Writes a checkpoint if it can, and closes. Accepts NULL. */
void shk_ledger_close(struct shk_ledger *ledger, int64_t now_s);

uint64_t shk_ledger_seq(const struct shk_ledger *ledger);           /* of the last journal row */
uint64_t shk_ledger_epoch(const struct shk_ledger *ledger);         /* one per start */
const char *shk_ledger_cluster_id(const struct shk_ledger *ledger); /* random, made with the file */

enum shk_status shk_ledger_begin(struct shk_ledger *ledger, int64_t now_s,
				 struct shk_error *err) SHK_MUST_CHECK;
/* Whatever it returns, the batch has ended: when not SHK_OK it was rolled back. */
enum shk_status shk_ledger_commit(struct shk_ledger *ledger, struct shk_error *err) SHK_MUST_CHECK;
void shk_ledger_rollback(struct shk_ledger *ledger);

/* --- allocations: none -> reserved -> bound -> released; unknown; foreign ----------------- */

/* A new live row in the state alloc->state (RESERVED or FOREIGN; BOUND where the cluster is
 * emulated and bind and confirmation are one step). CONFLICT when the uid is live, INPUT when a
 * name is missing or the vector isn't in order, LIMIT when a tenant's sum would overflow.
 * alloc->seq isn't read: ret_seq is the journal sequence, the allocation's seq from now on. */
enum shk_status shk_ledger_alloc_add(struct shk_ledger *ledger, const struct shk_alloc *alloc,
				     uint64_t *ret_seq, struct shk_error *err) SHK_MUST_CHECK;
/* RESERVED or UNKNOWN -> BOUND; RESERVED -> UNKNOWN. Other moves are CONFLICT, no row NOT_FOUND. */
enum shk_status shk_ledger_alloc_move(struct shk_ledger *ledger, const char *uid,
				      enum shk_alloc_state state,
				      struct shk_error *err) SHK_MUST_CHECK;
/* Ends a live row; cause is a word for the journal ("deleted", "succeeded", "failed", "voided"). */
enum shk_status shk_ledger_alloc_end(struct shk_ledger *ledger, const char *uid, const char *cause,
				     struct shk_error *err) SHK_MUST_CHECK;
/* All live rows by uid, made in arena. */
enum shk_status shk_ledger_allocs(struct shk_ledger *ledger, struct shk_arena *arena,
				  const struct shk_alloc **ret_allocs, size_t *ret_n,
				  struct shk_error *err) SHK_MUST_CHECK;

/* --- documents ---------------------------------------------------------------------------- */

/* One document as stored. body is its canonical JSON; kind its Kubernetes kind. Derived tables
 * (namespaces: one tenant each; quotas) are kept beside it as a second wall and for readers. */
struct shk_ledger_document {
	const char *kind;
	const char *name;
	const char *body;
	const char *uid;           /* made with the document */
	uint64_t resource_version; /* journal sequence of its last change */
	int64_t created_s;
};

/* tenant: for kind Tenant its decoded form, for the derived tables; else NULL. uid, version and
 * creation time are kept or made by the ledger. The body that is there already is no change.
 * Derived tables are written at commit, so that tenants of one batch may exchange namespaces;
 * one named by two tenants makes the commit fail with CONFLICT. */
enum shk_status shk_ledger_document_put(struct shk_ledger *ledger, const char *kind,
					const char *name, const char *body,
					const struct shk_tenant *tenant,
					struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_document_delete(struct shk_ledger *ledger, const char *kind,
					   const char *name, struct shk_error *err) SHK_MUST_CHECK;
/* By kind, then name. */
enum shk_status shk_ledger_documents(struct shk_ledger *ledger, struct shk_arena *arena,
				     const struct shk_ledger_document **ret_documents,
				     size_t *ret_n, struct shk_error *err) SHK_MUST_CHECK;

/* What --apply files said last: SHA-256 (hex) of the document's canonical JSON per absolute file
 * name, kind and name. *ret_hash is "" where nothing was applied yet. */
enum shk_status shk_ledger_applied_get(struct shk_ledger *ledger, const char *file,
				       const char *kind, const char *name, char ret_hash[65],
				       struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_applied_put(struct shk_ledger *ledger, const char *file,
				       const char *kind, const char *name, const char *hash,
				       struct shk_error *err) SHK_MUST_CHECK;

/* --- node cordons ----------------------------------------------------------------------------- */

/* An administrator's stop for new GPU pods on a node. Setting what is set is no change. */
enum shk_status shk_ledger_cordon(struct shk_ledger *ledger, const char *node, bool cordoned,
				  struct shk_error *err) SHK_MUST_CHECK;
/* Sorted names. */
enum shk_status shk_ledger_cordons(struct shk_ledger *ledger, struct shk_arena *arena,
				   const char *const **ret_nodes, size_t *ret_n,
				   struct shk_error *err) SHK_MUST_CHECK;

/* --- records ------------------------------------------------------------------------------ */

struct shk_ledger_audit {
	const char *actor;
	const char *source; /* address, or "file:<path>" */
	const char *verb;   /* "apply", "delete", "cordon", "reload" ... */
	const char *object; /* "Tenant/vision" */
	const char *before; /* canonical JSON or NULL */
	const char *after;
	const char *request_id;
	const char *reason;
};

enum shk_status shk_ledger_audit(struct shk_ledger *ledger, const struct shk_ledger_audit *row,
				 struct shk_error *err) SHK_MUST_CHECK;

/* The policy that decisions are made by from now on; equal to the last one is no change. */
enum shk_status shk_ledger_policy(struct shk_ledger *ledger, const char *hash, const char *body,
				  struct shk_error *err) SHK_MUST_CHECK;

/* The decisions ring: the newest SHK_DECISIONS_KEPT rows stay. */
#define SHK_DECISIONS_KEPT 10000
enum shk_status shk_ledger_decision(struct shk_ledger *ledger, const char *verb, const char *uid,
				    const char *pod, const char *body,
				    struct shk_error *err) SHK_MUST_CHECK;

/* Answers to Idempotency-Key requests, kept for 24 hours. found is false for a new key;
 * CONFLICT when the key was used with another request hash. */
struct shk_ledger_answer {
	bool found;
	int status;
	const char *body;
};

enum shk_status shk_ledger_idempotency_get(struct shk_ledger *ledger, const char *key,
					   const char *request_hash, struct shk_arena *arena,
					   struct shk_ledger_answer *ret_answer,
					   struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_idempotency_put(struct shk_ledger *ledger, const char *key,
					   const char *request_hash, int status, const char *body,
					   struct shk_error *err) SHK_MUST_CHECK;

/* --- history, in slices ---------------------------------------------------------------------- */

struct shk_ledger_audit_row {
	uint64_t seq;
	int64_t ts;
	struct shk_ledger_audit row;
};

struct shk_ledger_journal_row {
	uint64_t seq;
	uint64_t epoch;
	int64_t ts;
	const char *kind; /* "alloc-add", "alloc-move", "document-put", "checkpoint" ... */
	const char *object;
	const char *body;
	char hash[65];
};

struct shk_ledger_slice {
	uint64_t seq;
	size_t max; /* rows; when fewer come, there are no more */
};

/* The newest first, below slice.seq; 0 begins at the end. */
enum shk_status shk_ledger_audits(struct shk_ledger *ledger, struct shk_ledger_slice slice,
				  struct shk_arena *arena,
				  const struct shk_ledger_audit_row **ret_rows, size_t *ret_n,
				  struct shk_error *err) SHK_MUST_CHECK;
/* The oldest first, from slice.seq on. */
enum shk_status shk_ledger_journal(struct shk_ledger *ledger, struct shk_ledger_slice slice,
				   struct shk_arena *arena,
				   const struct shk_ledger_journal_row **ret_rows, size_t *ret_n,
				   struct shk_error *err) SHK_MUST_CHECK;

/* --- checking and copying, in slices ------------------------------------------------------- */

/* Verification in full: integrity_check, foreign keys, the whole chain, state hash, balances.
 * Call _step until *ret_done, outside of batches; between steps the ledger may be written, and a
 * rollback makes the scan of the tables begin anew. The first step takes as long as
 * integrity_check does. Findings are sentences in the report's arena; none means sound. */
struct shk_ledger_report {
	struct shk_arena arena;
	const char *findings[32];
	size_t n_findings; /* may exceed 32: the rest was counted only */
	uint64_t rows;     /* journal rows checked */
	uint64_t first_seq;
	uint64_t last_seq;
	uint64_t allocations;
};

struct shk_ledger_verify; /* opaque */

/* NULL while another one is under way. */
struct shk_ledger_verify *shk_ledger_verify_new(struct shk_ledger *ledger);
enum shk_status shk_ledger_verify_step(struct shk_ledger_verify *verify, size_t max_rows,
				       bool *ret_done, struct shk_error *err) SHK_MUST_CHECK;
const struct shk_ledger_report *shk_ledger_verify_report(const struct shk_ledger_verify *verify);
void shk_ledger_verify_free(struct shk_ledger_verify *verify);

/* A copy by SQLite's backup API, a few pages a step, outside of batches. The target must not
 * exist (CONFLICT): it is written as "<path>.part" (mode 0600) and renamed when complete and
 * synced. BUSY while another copy is under way. A rollback makes it begin anew. */
struct shk_ledger_backup; /* opaque */

enum shk_status shk_ledger_backup_new(struct shk_ledger *ledger, const char *path,
				      struct shk_ledger_backup **ret_backup,
				      struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_backup_step(struct shk_ledger_backup *backup, int pages, bool *ret_done,
				       struct shk_error *err) SHK_MUST_CHECK;
void shk_ledger_backup_free(struct shk_ledger_backup *backup); /* removes an unfinished copy */

/* Idle work: checkpoints the WAL when it is worth it. Call when nothing waits. */
void shk_ledger_idle(struct shk_ledger *ledger);

/* Sizes for metrics. */
int64_t shk_ledger_file_bytes(const struct shk_ledger *ledger);
int64_t shk_ledger_wal_bytes(const struct shk_ledger *ledger);

#endif
