#include "edition.h"

#include <stdlib.h>
#include <string.h>

static void free_edition(struct shk_object *object)
{
	struct shk_edition *edition = (void *)((char *)object - offsetof(struct shk_edition, head));

	for (size_t i = 0; i < edition->n_chunks; i++)
		shk_object_unref(&edition->chunks[i]->head);
	if (edition->directory)
		shk_object_unref(&edition->directory->head);
	shk_index_fini(&edition->allocs);
	shk_index_fini(&edition->pods);
	shk_index_fini(&edition->pod_names);
	for (int mark = 0; mark < SHK_MARK_COUNT; mark++)
		shk_index_fini(&edition->marks[mark]);
	shk_object_unref(&edition->documents->head);
	shk_object_unref(&edition->policy->head);
	shk_arena_fini(&edition->arena);
	free(edition);
}

static void free_directory(struct shk_object *object)
{
	struct shk_directory *directory = (struct shk_directory *)object;

	shk_arena_fini(&directory->arena);
	free(directory);
}

static struct shk_edition *edition_alloc(size_t arena_bytes, struct shk_policy_object *policy,
					 struct shk_documents_object *documents)
{
	struct shk_edition *edition = calloc(1, sizeof *edition);

	if (!edition)
		abort();
	shk_object_init(&edition->head, free_edition);
	edition->self = edition;
	shk_arena_init(&edition->arena, arena_bytes);
	edition->policy = (struct shk_policy_object *)shk_object_ref(&policy->head);
	edition->documents = (struct shk_documents_object *)shk_object_ref(&documents->head);
	return edition;
}

struct shk_edition *shk_edition_new(struct shk_policy_object *policy,
				    struct shk_documents_object *documents)
{
	struct shk_edition *edition = edition_alloc(0, policy, documents);

	edition->directory = shk_object_alloc(sizeof *edition->directory, free_directory);
	shk_arena_init(&edition->directory->arena, 0);
	shk_map_init(&edition->directory->map, &edition->directory->arena, 0);
	shk_books_init(&edition->books, &edition->arena);
	shk_edition_show(edition);
	return edition;
}

static void share_chunks(struct shk_edition *edition, const struct shk_edition *from)
{
	edition->chunks = SHK_NEW_ARRAY(&edition->arena, from->n_chunks, struct shk_chunk *);
	edition->n_chunks = from->n_chunks;
	for (size_t i = 0; i < from->n_chunks; i++)
		edition->chunks[i] = (struct shk_chunk *)shk_object_ref(&from->chunks[i]->head);
	edition->nodes =
	    SHK_NEW_ARRAY(&edition->arena, from->directory->n, const struct shk_node *);
	if (from->directory->n > 0)
		memcpy(edition->nodes, from->nodes, from->directory->n * sizeof(void *));
}

struct shk_edition *shk_edition_next(const struct shk_edition *from)
{
	size_t bytes = from->directory->n * sizeof(void *) + from->n_chunks * sizeof(void *) + 4096;
	struct shk_edition *edition = edition_alloc(bytes, from->policy, from->documents);

	edition->shown = from->shown;
	edition->loosened = from->loosened;
	edition->directory = (struct shk_directory *)shk_object_ref(&from->directory->head);
	share_chunks(edition, from);
	shk_index_copy(&edition->allocs, &from->allocs);
	shk_index_copy(&edition->pods, &from->pods);
	shk_index_copy(&edition->pod_names, &from->pod_names);
	for (int mark = 0; mark < SHK_MARK_COUNT; mark++)
		shk_index_copy(&edition->marks[mark], &from->marks[mark]);
	shk_books_copy(&edition->books, &edition->arena, &from->books);
	shk_edition_show(edition);
	return edition;
}

struct shk_edition *shk_edition_ref(struct shk_edition *edition)
{
	(void)shk_object_ref(&edition->head); /* inside the edition */
	return edition;
}

void shk_edition_unref(struct shk_edition *edition)
{
	if (edition)
		shk_object_unref(&edition->head);
}

void shk_edition_show(struct shk_edition *edition)
{
	struct shk_view *view = &edition->shown.view;

	view->nodes = edition->nodes;
	view->n_nodes = edition->directory->n;
	view->node_index = &edition->directory->map;
	view->tenancy = &edition->documents->tenancy;
	view->policy = &edition->policy->policy;
	view->books = &edition->books;
	view->priority_classes = edition->documents->cluster->classes;
	view->n_priority_classes = edition->documents->cluster->n_classes;
}

struct shk_pod_object *shk_edition_pod(const struct shk_edition *edition, const char *uid)
{
	return (struct shk_pod_object *)shk_index_get(&edition->pods, uid);
}

struct shk_pod_object *shk_edition_pod_named(const struct shk_edition *edition,
					     const char *namespace_, const char *name)
{
	struct shk_object *found;
	struct shk_buf key = {0};

	shk_buf_printf(&key, "%s/%s", namespace_, name);
	found = shk_index_get(&edition->pod_names, key.data);
	shk_buf_fini(&key);
	return (struct shk_pod_object *)found;
}

struct shk_alloc_object *shk_edition_alloc(const struct shk_edition *edition, const char *uid)
{
	return (struct shk_alloc_object *)shk_index_get(&edition->allocs, uid);
}

struct shk_node_object *shk_edition_node(const struct shk_edition *edition, size_t index)
{
	return edition->chunks[index / SHK_CHUNK_NODES]->nodes[index % SHK_CHUNK_NODES];
}

bool shk_edition_is_marked(const struct shk_edition *edition, enum shk_mark mark, const char *node)
{
	return shk_index_get(&edition->marks[mark], node) != NULL;
}

int64_t shk_edition_node_index(const struct shk_edition *edition, const char *name)
{
	uint32_t index;

	return shk_map_find(&edition->directory->map, name, &index) ? (int64_t)index : -1;
}

const struct shk_edition *shk_edition_of(const struct shk_published *published)
{
	return (const struct shk_edition *)published;
}
