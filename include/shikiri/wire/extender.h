/* extender.h - the types of k8s.io/kube-scheduler/extender/v1 on the wire.
 *
 * The extender types' own keys are read in any letter case (two spellings of one key are
 * duplicates), Kubernetes' keys exactly; answers are written in Go's spelling. */
#ifndef SHIKIRI_WIRE_EXTENDER_H
#define SHIKIRI_WIRE_EXTENDER_H

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"
#include "shikiri/core/model.h"
#include "shikiri/core/reason.h"

struct shk_extender_args {
	struct shk_pod pod;
	bool full_nodes;          /* the request brought node objects, and no names */
	const char *const *names; /* sorted by name, each once; of both forms */
	size_t n_names;
	/* full_nodes only, parallel to names: */
	const struct shk_node_facts *nodes;
	const struct shk_sv *node_texts; /* the object as it came, for the answer */
};

/* filter and prioritize. A pod without uid, name or namespace can't be read. Names are 1..253
 * bytes of any kind; of several full nodes with one name the first counts; when both forms are
 * there, names win. Neither form: no nodes. Text must outlive the result when full_nodes is set. */
enum shk_status shk_extender_args_decode(struct shk_sv text, struct shk_arena *arena,
					 struct shk_extender_args *ret_args,
					 struct shk_error *err) SHK_MUST_CHECK;

struct shk_bind_args {
	const char *name;
	const char *namespace_;
	const char *uid;
	const char *node;
};

enum shk_status shk_bind_args_decode(struct shk_sv text, struct shk_arena *arena,
				     struct shk_bind_args *ret_args,
				     struct shk_error *err) SHK_MUST_CHECK;

struct shk_victims {
	const char *node;
	const char *const *uids;
	size_t n_uids;
	int64_t pdb_violations;
};

struct shk_preempt_args {
	struct shk_pod pod;
	/* Of either form, sorted by node; when both are there, the meta form wins. uids are in the
	 * order of the request; a list may be empty. */
	const struct shk_victims *nodes;
	size_t n_nodes;
};

enum shk_status shk_preempt_args_decode(struct shk_sv text, struct shk_arena *arena,
					struct shk_preempt_args *ret_args,
					struct shk_error *err) SHK_MUST_CHECK;

/* One refused node of a filter answer. */
struct shk_refused_node {
	const char *name;
	const char *text; /* shk_reason_text */
	enum shk_reason_class class_;
};

struct shk_filter_result {
	const struct shk_extender_args *args; /* for the form of the answer */
	const uint32_t *passed;               /* indices into args->names, ascending */
	size_t n_passed;
	const struct shk_refused_node *refused; /* sorted by name */
	size_t n_refused;
};

void shk_filter_result_encode(const struct shk_filter_result *result, struct shk_buf *out);
/* A filter answer that carries an error only: lists and maps are there and empty. */
void shk_filter_error_encode(const char *error, struct shk_buf *out);

struct shk_host_score {
	const char *host;
	int score;
};

void shk_scores_encode(const struct shk_host_score *scores, size_t n, struct shk_buf *out);
void shk_bind_result_encode(const char *error, struct shk_buf *out); /* "" is success */
/* Nodes without victims are left out: the scheduler fails the whole call on an empty list. */
void shk_preempt_result_encode(const struct shk_victims *nodes, size_t n, struct shk_buf *out);

#endif
