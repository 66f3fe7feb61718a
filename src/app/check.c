#include "shikiri/app/service.h"

#include "changes.h"
#include "feed.h"
#include "inputs.h"

/* --check: everything that start reads, and nothing that it writes. */

static void finding(struct shk_buf *out, const struct shk_error *err)
{
	char text[sizeof err->pointer + sizeof err->text + 2];

	shk_buf_printf(out, "%s\n", shk_error_print(err, text, sizeof text));
}

static void keep_first(enum shk_status *first, enum shk_status status)
{
	if (*first == SHK_OK)
		*first = status;
}

/* Against each other; what the ledger holds isn't looked at. */
static enum shk_status check_together(const struct shk_apply_input *input, struct shk_arena *arena,
				      struct shk_buf *out)
{
	struct shk_cluster_object *cluster = shk_cluster_object_new(NULL, 0, NULL, 0);
	struct shk_documents_object *none;
	struct shk_changes changes;
	struct shk_books books;
	struct shk_error err;
	enum shk_status status = shk_documents_object_new(NULL, 0, cluster, &none, &err);

	if (!status) {
		shk_books_init(&books, arena);
		status = shk_changes_build(none, &books, input, arena, &changes, &err);
		shk_object_unref(&none->head);
	}
	shk_object_unref(&cluster->head);
	if (status)
		finding(out, &err);
	return status;
}

static enum shk_status check_documents(const struct shk_config *config, struct shk_arena *arena,
				       struct shk_buf *out)
{
	enum shk_status first = SHK_OK;
	struct shk_apply_input input;
	struct shk_error err;

	for (size_t i = 0; i < config->applies.n; i++) {
		const struct shk_apply_item *items;
		size_t n;
		enum shk_status status =
		    shk_inputs_apply(config->applies.items[i], arena, &items, &n, &err);

		if (status)
			finding(out, &err);
		keep_first(&first, status);
	}
	if (!first && shk_inputs_applies(&config->applies, arena, &input, &err) == SHK_OK)
		first = check_together(&input, arena, out);
	return first;
}

static enum shk_status check_snapshots(const struct shk_config *config, struct shk_arena *arena,
				       struct shk_buf *out)
{
	struct shk_cluster cluster;
	struct shk_error err;
	enum shk_status status = shk_inputs_snapshots(&config->snapshots, arena, &cluster, &err);

	if (status)
		finding(out, &err);
	return status;
}

static enum shk_status check_kubeconfig(const struct shk_config *config, struct shk_buf *out)
{
	struct shk_feed *feed = NULL;
	struct shk_error err;
	enum shk_status status = shk_feed_new(config, &feed, &err);

	if (status)
		finding(out, &err);
	shk_feed_free(feed);
	return status;
}

enum shk_status shk_service_check(const struct shk_config *config, struct shk_buf *out)
{
	struct shk_policy policy;
	struct shk_arena arena;
	struct shk_error err;
	enum shk_status first = shk_config_check(config, &err);

	if (first)
		finding(out, &err);
	shk_arena_init(&arena, 0);
	if (shk_inputs_policy(config->policy, &arena, &policy, &err)) {
		finding(out, &err);
		keep_first(&first, err.status);
	}
	keep_first(&first, check_documents(config, &arena, out));
	if (config->snapshots.n > 0)
		keep_first(&first, check_snapshots(config, &arena, out));
	else if (!first)
		keep_first(&first, check_kubeconfig(config, out));
	shk_arena_fini(&arena);
	return first;
}
