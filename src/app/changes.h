/* changes.h - documents against those in force: what an apply would do, before anything is done.
 * No I/O; everything is made in an arena or borrowed from the input. */
#ifndef SHIKIRI_APP_CHANGES_H
#define SHIKIRI_APP_CHANGES_H

#include "command.h"
#include "object.h"
#include "shikiri/core/books.h"
#include "shikiri/wire/json.h"

enum shk_change_operation {
	SHK_CHANGE_NONE = 0, /* reads "unchanged" */
	SHK_CHANGE_CREATED,
	SHK_CHANGE_UPDATED,
	SHK_CHANGE_DELETED,
};

struct shk_change {
	enum shk_change_operation operation;
	enum shk_document_kind kind;
	const char *name;
	const struct shk_document *document; /* the new one; NULL for a deletion */
	const char *before;                  /* canonical text, or NULL */
	const char *file;                    /* the --apply file, or NULL */
};

struct shk_changes {
	struct shk_change *items; /* by kind name, then name; each object once */
	size_t n;
	size_t n_real; /* other than unchanged */
	const char *const *warnings;
	size_t n_warnings;
};

/* INPUT: the documents contradict each other (pointer names the offender). CONFLICT: a tenant
 * with live allocations would be deleted. */
enum shk_status shk_changes_build(const struct shk_documents_object *current,
				  const struct shk_books *books,
				  const struct shk_apply_input *input, struct shk_arena *arena,
				  struct shk_changes *ret_changes,
				  struct shk_error *err) SHK_MUST_CHECK;

/* The answer of POST /apply. */
void shk_changes_encode(const struct shk_changes *changes, bool dry_run, struct shk_buf *out);

#endif
