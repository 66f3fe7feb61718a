/* intake.h - one object's text into a fact. Private to kube; no state.
 *
 * An object that can't be decoded must neither stop the others nor be forgotten: as long as it
 * says who it is, its key stays among the listed ones, so that what was known of a pod holds; and
 * a node is told as one that isn't ready and has nothing. */
#ifndef SHIKIRI_SRC_KUBE_INTAKE_H
#define SHIKIRI_SRC_KUBE_INTAKE_H

#include "shikiri/base/str.h"
#include "shikiri/kube/kube.h"

enum intake {
	INTAKE_BAD = 0, /* nobody knows what it is; err is filled */
	INTAKE_OTHER,   /* of another kind than asked for */
	INTAKE_BLIND,   /* known by name only; err is filled */
	INTAKE_GOOD,
};

struct intake_object {
	const char *key;     /* as in shk_listed; in the arena of facts */
	const char *version; /* NULL: none stated */
};

/* Adds the fact; ret_object is written for BLIND and GOOD. */
enum intake intake_object(enum shk_kube_kind kind, enum shk_fact_op op, struct shk_sv text,
			  struct shk_facts *facts, struct intake_object *ret_object,
			  struct shk_error *err) SHK_MUST_CHECK;

/* The same for what has no more than a version; adds nothing. */
enum intake intake_bookmark(enum shk_kube_kind kind, struct shk_sv text, struct shk_facts *facts,
			    const char **ret_version, struct shk_error *err) SHK_MUST_CHECK;

#endif
