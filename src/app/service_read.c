#include "service_priv.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/wire/json.h"

/* --- dry run -------------------------------------------------------------------------------- */

enum shk_status shk_service_dry_run(struct shk_service *service,
				    const struct shk_published *published,
				    const struct shk_dry_run_request *request,
				    struct shk_arena *arena, struct shk_plan *ret_plan,
				    struct shk_error *err)
{
	struct shk_moment moment = shk_service_moment(service, arena);
	char pointer[64];
	struct shk_view view;
	size_t granted = shk_view_extend(&published->view, request->hypothetical,
					 request->n_hypothetical, arena, &view);

	if (granted < request->n_hypothetical) {
		(void)snprintf(pointer, sizeof pointer, "/hypotheticalNodes/%zu/like", granted);
		return shk_error_at(err, SHK_E_NOT_FOUND, pointer, "no node %.200s",
				    request->hypothetical[granted].like);
	}
	shk_plan_run(&view, &moment, &request->order, arena, ret_plan);
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

/* Why nothing is decided by the cluster as we know it, or NULL. */
static const char *cluster_cause(struct shk_service *service, const struct shk_edition *edition)
{
	const struct shk_view *view = &edition->shown.view;

	if (!service->feed)
		return edition->directory->n > 0 ? NULL : "no node is known";
	if (view->not_ready && strcmp(view->not_ready, SHK_CAUSE_LEDGER) != 0)
		return view->not_ready;
	return shk_feed_is_stale(service->feed, view->policy) ? SHK_CAUSE_STALE : NULL;
}

static void write_watches(struct shk_service *service, struct shk_buf *out)
{
	struct shk_kube_health health;

	if (!out || !shk_feed_health(service->feed, &health))
		return;
	for (int kind = 0; kind < SHK_KUBE_KIND_COUNT; kind++)
		shk_buf_printf(out, "[%c]%s %s, last news %lld s ago\n",
			       health.kinds[kind].listed ? '+' : '-',
			       shk_kube_kind_name((enum shk_kube_kind)kind),
			       health.kinds[kind].listed ? "listed" : "not listed yet",
			       (long long)(health.kinds[kind].age_ms / 1000));
	if (health.error[0] != '\0')
		shk_buf_printf(out, "[i]last failure: %s\n", health.error);
}

bool shk_service_ready(struct shk_service *service, struct shk_buf *out)
{
	struct shk_loop_health health = shk_loop_health(service->loop);
	struct shk_edition *edition = shk_loop_edition(service->loop);
	const char *cause = cluster_cause(service, edition);
	bool ready = health.ledger_ok && !cause && health.alive;

	shk_edition_unref(edition);
	write_check(out, "ledger", health.ledger_ok ? NULL : SHK_CAUSE_LEDGER);
	write_check(out, "cluster", cause);
	write_check(out, "state", health.alive ? NULL : "the state thread doesn't answer");
	write_watches(service, out);
	if (out)
		shk_buf_printf(out, "readyz check %s\n", ready ? "passed" : "failed");
	return ready;
}
