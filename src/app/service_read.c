#include "service_priv.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/wire/json.h"

/* --- dry run -------------------------------------------------------------------------------- */

/* The next free name, so that asking twice for nodes like one gives different ones. */
static const char *hypothetical_name(const struct shk_draft *draft, const char *like,
				     int64_t *number)
{
	const char *name;

	do {
		name = shk_arena_printf(draft->arena, "%s-hypothetical-%lld", like,
					(long long)(*number)++);
	} while (shk_view_node(&draft->view, name));
	return name;
}

static void add_hypothetical(struct shk_draft *draft, const struct shk_node *like, int64_t count)
{
	const struct shk_node_context context = {
	    .policy = draft->view.policy,
	    .documents = draft->view.tenancy->documents,
	};
	int64_t number = 0;

	for (int64_t i = 0; i < count; i++) {
		struct shk_node_facts *facts = SHK_NEW(draft->arena, struct shk_node_facts);
		struct shk_node_base *base = SHK_NEW(draft->arena, struct shk_node_base);

		*facts = *like->base->facts;
		facts->name = hypothetical_name(draft, like->base->facts->name, &number);
		facts->uid = NULL;
		shk_node_base_build(draft->arena, facts, &context, base);
		shk_draft_node(draft, base);
	}
}

enum shk_status shk_service_dry_run(struct shk_service *service,
				    const struct shk_published *published,
				    const struct shk_dry_run_request *request,
				    struct shk_arena *arena, struct shk_plan *ret_plan,
				    struct shk_error *err)
{
	struct shk_moment moment = shk_service_moment(service, arena);
	struct shk_draft draft;

	shk_draft_begin(&draft, &published->view, arena);
	for (size_t i = 0; i < request->n_hypothetical; i++) {
		const struct shk_hypothetical *wish = &request->hypothetical[i];
		const struct shk_node *like = shk_view_node(&published->view, wish->like);
		char pointer[64];

		if (like) {
			add_hypothetical(&draft, like, wish->count);
			continue;
		}
		(void)snprintf(pointer, sizeof pointer, "/hypotheticalNodes/%zu/like", i);
		return shk_error_at(err, SHK_E_NOT_FOUND, pointer, "no node %.200s", wish->like);
	}
	shk_plan_run(&draft.view, &moment, request->pods, request->n_pods, &request->options, arena,
		     ret_plan);
	return SHK_OK;
}

/* --- documents ------------------------------------------------------------------------------ */

void shk_service_export(const struct shk_published *published, struct shk_buf *out)
{
	const struct shk_documents_object *documents = shk_edition_of(published)->documents;
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "apiVersion", "v1");
	shk_json_string(&json, "kind", "List");
	shk_json_array(&json, "items");
	for (size_t i = 0; i < documents->n; i++) {
		const char *body = documents->items[i].canonical;

		shk_json_raw(&json, NULL, body, strlen(body));
	}
	shk_json_array_end(&json);
	shk_json_object_end(&json);
}

/* --- health --------------------------------------------------------------------------------- */

static void write_check(struct shk_buf *out, const char *name, const char *cause)
{
	if (!out)
		return;
	if (cause)
		shk_buf_printf(out, "[-]%s failed: %s\n", name, cause);
	else
		shk_buf_printf(out, "[+]%s ok\n", name);
}

bool shk_service_ready(struct shk_service *service, struct shk_buf *out)
{
	struct shk_loop_health health = shk_loop_health(service->loop);
	struct shk_edition *edition = shk_loop_edition(service->loop);
	bool has_nodes = edition->directory->n > 0;
	bool ready = health.ledger_ok && has_nodes && health.alive;

	shk_edition_unref(edition);
	write_check(out, "ledger", health.ledger_ok ? NULL : SHK_CAUSE_LEDGER);
	write_check(out, "cluster", has_nodes ? NULL : "no node is known");
	write_check(out, "state", health.alive ? NULL : "the state thread doesn't answer");
	if (out)
		shk_buf_printf(out, "readyz check %s\n", ready ? "passed" : "failed");
	return ready;
}
