/* edition.h - one published state of the world: what a view looks at, and who keeps it alive.
 *
 * Immutable once published and counted; consecutive editions share what didn't change. Nodes
 * hang on chunks of 64, so that a new edition takes a reference per chunk, not per node. */
#ifndef SHIKIRI_APP_EDITION_H
#define SHIKIRI_APP_EDITION_H

#include "index.h"
#include "object.h"
#include "shikiri/app/service.h"

#define SHK_CHUNK_NODES ((size_t)64)

struct shk_chunk {
	struct shk_object head;
	struct shk_node_object *nodes[SHK_CHUNK_NODES]; /* references; NULL beyond the last node */
};

/* Which node stands where. Shared for as long as no node comes or goes. */
struct shk_directory {
	struct shk_object head;
	struct shk_arena arena; /* names and map */
	struct shk_map map;     /* name -> index */
	const char **names;     /* by index, so sorted */
	size_t n;
};

struct shk_edition {
	struct shk_published shown; /* first: a pointer to it is one to the edition */
	struct shk_object head;
	struct shk_edition *self; /* for who has it as const and gives a reference back */
	struct shk_arena arena;   /* books, nodes, chunk list */
	uint64_t loosened;        /* grows with each change that may let a refused pod pass */
	struct shk_books books;
	struct shk_directory *directory;
	struct shk_chunk **chunks;
	size_t n_chunks;
	const struct shk_node **nodes;          /* shown.view.nodes, for who builds it */
	struct shk_index allocs;                /* uid -> alloc object */
	struct shk_index pods;                  /* uid -> pod object */
	struct shk_index pod_names;             /* namespace/name -> pod object */
	struct shk_index marks[SHK_MARK_COUNT]; /* node name -> name object */
	struct shk_documents_object *documents;
	struct shk_policy_object *policy;
};

/* An empty edition that is the caller's to build. Takes references to both. */
struct shk_edition *shk_edition_new(struct shk_policy_object *policy,
				    struct shk_documents_object *documents);
/* One that says the same as from, for the caller to change. */
struct shk_edition *shk_edition_next(const struct shk_edition *from);
struct shk_edition *shk_edition_ref(struct shk_edition *edition);
void shk_edition_unref(struct shk_edition *edition); /* accepts NULL */

/* Points the view at what the edition holds now. */
void shk_edition_show(struct shk_edition *edition);

/* Borrowed; NULL when there is none. */
struct shk_pod_object *shk_edition_pod(const struct shk_edition *edition, const char *uid);
struct shk_pod_object *shk_edition_pod_named(const struct shk_edition *edition,
					     const char *namespace_, const char *name);
struct shk_alloc_object *shk_edition_alloc(const struct shk_edition *edition, const char *uid);
struct shk_node_object *shk_edition_node(const struct shk_edition *edition, size_t index);
bool shk_edition_is_marked(const struct shk_edition *edition, enum shk_mark mark, const char *node);
/* -1 when the cluster has no such node. */
int64_t shk_edition_node_index(const struct shk_edition *edition, const char *name);

/* The edition behind a view that _service_view gave. */
const struct shk_edition *shk_edition_of(const struct shk_published *published);

#endif
