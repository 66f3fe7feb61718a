#include "inputs.h"

#include "shikiri/base/file.h"

#define MAX_DOCUMENT_BYTES ((size_t)1 << 20)
#define MAX_SNAPSHOT_BYTES ((size_t)64 << 20)

/* Puts the file before the place, and both into the sentence. */
static enum shk_status blame(const char *path, struct shk_error *err)
{
	struct shk_error plain = *err;
	char text[sizeof plain.pointer + sizeof plain.text + 2];

	return shk_error_set(err, plain.status, "%.200s: %s", path,
			     shk_error_print(&plain, text, sizeof text));
}

enum shk_status shk_inputs_policy(const char *path, struct shk_arena *arena,
				  struct shk_policy *ret_policy, struct shk_error *err)
{
	struct shk_buf text = {0};
	enum shk_status status;

	if (!path) {
		shk_policy_default(ret_policy);
		return SHK_OK;
	}
	status = shk_file_read(path, MAX_DOCUMENT_BYTES, &text, err);
	if (status)
		return status;
	if (shk_policy_decode((struct shk_sv){text.data, text.len}, arena, ret_policy, err))
		status = blame(path, err);
	shk_buf_fini(&text);
	return status;
}

enum shk_status shk_inputs_apply(const char *path, struct shk_arena *arena,
				 const struct shk_apply_item **ret_items, size_t *ret_n,
				 struct shk_error *err)
{
	const char *file = shk_file_absolute(path, arena);
	const struct shk_document *documents;
	struct shk_apply_item *items;
	struct shk_buf text = {0};
	enum shk_status status = shk_file_read(path, MAX_DOCUMENT_BYTES, &text, err);

	if (status)
		return status;
	if (shk_documents_decode((struct shk_sv){text.data, text.len}, arena, &documents, ret_n,
				 err))
		status = blame(path, err);
	shk_buf_fini(&text);
	if (status)
		return status;
	items = SHK_NEW_ARRAY(arena, *ret_n, struct shk_apply_item);
	for (size_t i = 0; i < *ret_n; i++)
		items[i] = (struct shk_apply_item){.document = &documents[i], .file = file};
	*ret_items = items;
	return SHK_OK;
}

enum shk_status shk_inputs_applies(const struct shk_texts *paths, struct shk_arena *arena,
				   struct shk_apply_input *ret_input, struct shk_error *err)
{
	const struct shk_apply_item **lists =
	    SHK_NEW_ARRAY(arena, paths->n, const struct shk_apply_item *);
	size_t *sizes = SHK_NEW_ARRAY(arena, paths->n, size_t);
	struct shk_apply_item *all;
	size_t n = 0;

	for (size_t i = 0; i < paths->n; i++) {
		enum shk_status status =
		    shk_inputs_apply(paths->items[i], arena, &lists[i], &sizes[i], err);

		if (status)
			return status;
		n += sizes[i];
	}
	all = SHK_NEW_ARRAY(arena, n, struct shk_apply_item);
	n = 0;
	for (size_t i = 0; i < paths->n; i++) {
		for (size_t j = 0; j < sizes[i]; j++)
			all[n++] = lists[i][j];
	}
	*ret_input = (struct shk_apply_input){.items = all, .n = n};
	return SHK_OK;
}

enum shk_status shk_inputs_snapshot(const char *path, struct shk_arena *arena,
				    struct shk_cluster *cluster, struct shk_error *err)
{
	struct shk_buf text = {0};
	enum shk_status status = shk_file_read(path, MAX_SNAPSHOT_BYTES, &text, err);

	if (status)
		return status;
	if (shk_cluster_read((struct shk_sv){text.data, text.len}, arena, cluster, err))
		status = blame(path, err);
	shk_buf_fini(&text);
	return status;
}

enum shk_status shk_inputs_snapshots(const struct shk_texts *paths, struct shk_arena *arena,
				     struct shk_cluster *ret_cluster, struct shk_error *err)
{
	struct shk_cluster cluster = {0};

	for (size_t i = 0; i < paths->n; i++) {
		enum shk_status status = shk_inputs_snapshot(paths->items[i], arena, &cluster, err);

		if (status)
			return status;
	}
	if (cluster.n_nodes == 0)
		return shk_error_set(err, SHK_E_INPUT, "%.200s: there is no node in it",
				     paths->n > 0 ? paths->items[0] : "--snapshot");
	*ret_cluster = cluster;
	return SHK_OK;
}
