#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shikiri/base/log.h"
#include "shikiri/wire/documents.h"

void fixture_init(struct fixture *f)
{
	*f = (struct fixture){.config = {.mode = SHK_MODE_ENFORCE}};
	(void)snprintf(f->directory, sizeof f->directory, "/tmp/shikiri-app-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	f->config.ledger = ":memory:";
	f->config.listen = "127.0.0.1:0";
	f->config.admin_listen = "127.0.0.1:0";
	shk_step_effects_init(&f->effects);
	shk_log_setup(SHK_LOG_ERROR, true);
}

void fixture_stop(struct fixture *f)
{
	shk_boot_fini(&f->boot, 0);
	f->env.ledger = NULL;
}

void fixture_fini(struct fixture *f)
{
	char command[128];

	fixture_stop(f);
	shk_step_effects_fini(&f->effects);
	shk_buf_fini(&f->snapshot);
	shk_buf_fini(&f->text);
	(void)snprintf(command, sizeof command, "rm -rf %s", f->directory);
	assert_int_equal(system(command), 0);
}

static void comma(struct fixture *f)
{
	if (f->snapshot.len > 0)
		shk_buf_puts(&f->snapshot, ",\n");
}

void fixture_raw(struct fixture *f, const char *item)
{
	comma(f);
	shk_buf_puts(&f->snapshot, item);
}

static void node(struct fixture *f, const char *name, const char *labels, const char *resource,
		 int count)
{
	comma(f);
	shk_buf_printf(&f->snapshot,
		       "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
		       "\"labels\":{%s}},\"status\":{\"capacity\":{\"cpu\":\"96\",\"%s\":\"%d\"},"
		       "\"allocatable\":{\"cpu\":\"96\",\"%s\":\"%d\"},"
		       "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
		       name, labels, resource, count, resource, count);
}

void fixture_cards(struct fixture *f, const char *name, int cards)
{
	char labels[256];

	(void)snprintf(labels, sizeof labels,
		       "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\","
		       "\"nvidia.com/gpu.count\":\"%d\",\"nvidia.com/gpu.replicas\":\"1\"",
		       cards);
	node(f, name, labels, GPU, cards);
}

void fixture_shared(struct fixture *f, const char *name, int cards, int replicas)
{
	char labels[256];

	(void)snprintf(labels, sizeof labels,
		       "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB-SHARED\","
		       "\"nvidia.com/gpu.count\":\"%d\",\"nvidia.com/gpu.replicas\":\"%d\"",
		       cards, replicas);
	node(f, name, labels, SHARED, cards * replicas);
}

void fixture_mig(struct fixture *f, const char *name, int slices)
{
	char labels[512];

	(void)snprintf(labels, sizeof labels,
		       "\"nvidia.com/mig.strategy\":\"mixed\","
		       "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\","
		       "\"nvidia.com/gpu.count\":\"%d\",\"nvidia.com/gpu.replicas\":\"1\","
		       "\"nvidia.com/mig-1g.10gb.product\":\"NVIDIA-A100-SXM4-80GB-MIG-1g.10gb\","
		       "\"nvidia.com/mig-1g.10gb.count\":\"%d\","
		       "\"nvidia.com/mig-1g.10gb.replicas\":\"1\"",
		       (slices + 6) / 7, slices);
	node(f, name, labels, MIG1, slices);
}

void fixture_pod(struct fixture *f, const char *namespace_, const char *name, const char *uid,
		 const char *resource, int count, const char *spec, const char *status)
{
	comma(f);
	shk_buf_printf(&f->snapshot,
		       "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
		       "\"namespace\":\"%s\",\"uid\":\"%s\","
		       "\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},"
		       "\"spec\":{%s%s\"containers\":[{\"name\":\"main\",\"resources\":{"
		       "\"requests\":{\"cpu\":\"1\"},\"limits\":{",
		       name, namespace_, uid, spec, *spec ? "," : "");
	if (resource)
		shk_buf_printf(&f->snapshot, "\"%s\":\"%d\"", resource, count);
	shk_buf_printf(&f->snapshot, "}}}]},\"status\":{\"phase\":\"%s\"}}",
		       *status ? status : "Pending");
}

const char *fixture_file(struct fixture *f, const char *name, const char *text)
{
	char path[sizeof f->paths[0]];
	size_t at = 0;
	FILE *file;

	while (f->paths[at][0] && !strstr(f->paths[at], name))
		at++;
	assert_true(at < 8);
	(void)snprintf(path, sizeof path, "%s/%s", f->directory, name);
	memcpy(f->paths[at], path, sizeof path);
	file = fopen(f->paths[at], "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return f->paths[at];
}

void fixture_apply_file(struct fixture *f, const char *name, const char *text)
{
	f->apply_items[f->config.applies.n++] = fixture_file(f, name, text);
	f->config.applies.items = f->apply_items;
}

enum shk_status fixture_try_boot(struct fixture *f, struct shk_error *err)
{
	struct shk_buf list = {0};
	enum shk_status status;

	shk_buf_printf(&list, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[%s]}",
		       f->snapshot.data ? f->snapshot.data : "");
	f->snapshot_items[0] = fixture_file(f, "snapshot.json", list.data);
	shk_buf_fini(&list);
	f->config.snapshots = (struct shk_texts){f->snapshot_items, 1};
	status = shk_boot(&f->config, &f->boot, err);
	if (status)
		return status;
	f->env = (struct shk_env){
	    .ledger = f->boot.ledger,
	    .now_s = 1800000000,
	    .uuid = shk_boot_uuid,
	    .commit = shk_ledger_commit,
	};
	return SHK_OK;
}

void fixture_boot(struct fixture *f)
{
	struct shk_error err = {0};

	if (fixture_try_boot(f, &err))
		fail_msg("boot: %s %s", err.pointer, err.text);
}

struct shk_command *fixture_bind_command(const char *namespace_, const char *name, const char *uid,
					 const char *node_name)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_BIND, NULL, NULL);

	command->bind = (struct shk_bind_args){
	    .name = shk_arena_strdup(&command->arena, name),
	    .namespace_ = shk_arena_strdup(&command->arena, namespace_),
	    .uid = shk_arena_strdup(&command->arena, uid),
	    .node = shk_arena_strdup(&command->arena, node_name),
	};
	return command;
}

struct shk_command *fixture_apply_command(const char *text, bool prune, bool dry_run)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_APPLY, NULL, NULL);
	const struct shk_document *documents;
	struct shk_apply_item *items;
	struct shk_error err = {0};
	size_t n;

	if (shk_documents_decode(shk_sv(text), &command->arena, &documents, &n, &err))
		fail_msg("documents: %s %s", err.pointer, err.text);
	items = SHK_NEW_ARRAY(&command->arena, n, struct shk_apply_item);
	for (size_t i = 0; i < n; i++)
		items[i].document = &documents[i];
	command->apply = (struct shk_apply_input){items, n, prune, dry_run};
	return command;
}

void fixture_run(struct fixture *f, struct shk_command *command)
{
	shk_state_step(&f->boot.state, &f->env, &command, 1, &f->effects);
	shk_buf_fini(&f->text);
	f->text = command->result.body;
	command->result.body = (struct shk_buf){0};
	if (!f->text.data)
		shk_buf_puts(&f->text, "");
	f->status = command->result.status;
	f->error = command->result.error;
	f->created = command->result.created;
	shk_command_free(command);
}

const char *fixture_bind(struct fixture *f, const char *namespace_, const char *name,
			 const char *uid, const char *node_name)
{
	fixture_run(f, fixture_bind_command(namespace_, name, uid, node_name));
	return f->text.data;
}

void fixture_apply(struct fixture *f, const char *text, bool prune, bool dry_run)
{
	fixture_run(f, fixture_apply_command(text, prune, dry_run));
}

const struct shk_view *fixture_view(const struct fixture *f)
{
	return &f->boot.state.current->shown.view;
}

const struct shk_alloc *fixture_alloc(const struct fixture *f, const char *uid)
{
	return shk_published_alloc(&f->boot.state.current->shown, uid);
}

int64_t fixture_used(const struct fixture *f, const char *node_name, const char *resource)
{
	const struct shk_node *found = shk_view_node(fixture_view(f), node_name);
	const struct shk_pool *pool;

	assert_non_null(found);
	pool = shk_node_pool(found->base, resource);
	assert_non_null(pool);
	return found->pools[pool - found->base->pools].used;
}

enum shk_status fixture_commit_fails(struct shk_ledger *ledger, struct shk_error *err)
{
	shk_ledger_rollback(ledger);
	return shk_error_set(err, SHK_E_IO, "the disk is gone");
}
