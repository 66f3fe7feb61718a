#include "handlers.h"
#include "paging.h"
#include "shikiri/base/names.h"
#include "shikiri/wire/report.h"

typedef void (*report)(const struct shk_view *view, const struct shk_moment *moment,
		       const struct shk_tenant *tenant, struct shk_arena *arena,
		       struct shk_json *json, const char *key);

static void write_list(struct shk_exchange *x, const struct shk_view *view, report write)
{
	struct shk_moment moment = shk_service_moment(x->service, &x->arena);
	const struct shk_documents *documents = view->tenancy->documents;
	struct shk_page page;
	struct shk_json json;

	if (!shk_page_begin(x, &page))
		return;
	shk_page_open(x, &json);
	for (size_t i = 0; i < documents->n_tenants; i++) {
		const struct shk_tenant *tenant = &documents->tenants[i];

		if (shk_page_takes(&page, tenant->name))
			write(view, &moment, tenant, &x->arena, &json, NULL);
	}
	shk_page_close(x, &page, &json);
}

static void write_one(struct shk_exchange *x, const struct shk_view *view, report write)
{
	const char *name = shk_exchange_param(x, "tenant");
	const struct shk_tenant *tenant = shk_tenancy_tenant(view->tenancy, name);
	struct shk_moment moment;
	struct shk_json json;

	if (!tenant) {
		shk_reply_problem(x, SHK_PROBLEM_NOT_FOUND, "there is no tenant \"%s\"", name);
		return;
	}
	shk_reply_etag(x, tenant->meta.resource_version);
	moment = shk_service_moment(x->service, &x->arena);
	shk_json_begin(&json, shk_reply_json(x, 200));
	write(view, &moment, tenant, &x->arena, &json, NULL);
}

static void with_view(struct shk_exchange *x,
		      void (*act)(struct shk_exchange *x, const struct shk_view *view,
				  report write),
		      report write)
{
	const struct shk_published *published = shk_service_view(x->service);

	act(x, &published->view, write);
	shk_service_view_done(x->service, published);
}

void shk_handle_tenants(struct shk_exchange *x)
{
	with_view(x, write_list, shk_report_tenant);
}

void shk_handle_tenant(struct shk_exchange *x)
{
	with_view(x, write_one, shk_report_tenant);
}

void shk_handle_tenant_quota(struct shk_exchange *x)
{
	with_view(x, write_one, shk_report_quota);
}

void shk_handle_quotas(struct shk_exchange *x)
{
	with_view(x, write_list, shk_report_quota);
}

static void write_mapping(struct shk_exchange *x, const struct shk_view *view, const char *name)
{
	struct shk_identity identity =
	    shk_tenancy_identify(view->tenancy, view->policy, name, "", &x->arena);
	bool is_somebody = identity.reason == SHK_FITS;
	struct shk_json json;

	shk_json_begin(&json, shk_reply_json(x, 200));
	shk_json_object(&json, NULL);
	shk_json_string(&json, "namespace", name);
	shk_json_string(&json, "tenant", is_somebody ? identity.tenant_name : "");
	shk_json_string(&json, "trustDomain", is_somebody ? identity.domain : "");
	shk_json_bool(&json, "infrastructure", identity.infrastructure);
	shk_json_string(&json, "code", shk_reason_row(identity.reason)->code);
	shk_json_string(&json, "why",
			shk_tenancy_why(view->tenancy, view->policy, name, &x->arena));
	shk_json_object_end(&json);
}

void shk_handle_namespace_tenant(struct shk_exchange *x)
{
	const char *name = shk_exchange_param(x, "namespace");
	const struct shk_published *published;

	if (!shk_name_is_label(shk_sv(name))) {
		shk_reply_problem(x, SHK_PROBLEM_BAD_REQUEST, "\"%s\" can't be a namespace's name",
				  name);
		return;
	}
	published = shk_service_view(x->service);
	write_mapping(x, &published->view, name);
	shk_service_view_done(x->service, published);
}
