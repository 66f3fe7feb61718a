#include "handlers.h"
#include "shikiri/wire/documents.h"
#include "shikiri/wire/report.h"
#include "shikiri/wire/value.h"

/* What we wrote ourselves a moment ago, to be printed in another form. */
static const struct shk_scan_limits own_text = {
    .max_bytes = (size_t)256 << 20,
    .max_depth = 64,
    .max_depth_unread = 64,
    .max_tokens = (size_t)64 << 20,
};

static void finish_apply(struct shk_exchange *x, struct shk_answer *answer)
{
	shk_reply_answer(x, answer);
	x->reply.dry_run = x->reply.status == 200 && shk_exchange_query(x, "dryRun") != NULL;
}

void shk_handle_apply(struct shk_exchange *x)
{
	struct shk_caller caller = shk_exchange_caller(x);
	struct shk_answer *answer;
	bool prune;
	bool dry_run;

	if (!shk_exchange_flag(x, "prune", &prune) || !shk_exchange_dry_run(x, &dry_run))
		return;
	answer = shk_exchange_wait(x, finish_apply);
	if (answer)
		shk_service_apply(x->service, shk_exchange_body(x), prune, dry_run, &caller,
				  answer);
}

/* Replaces the JSON of the reply by the same as YAML. */
static void turn_to_yaml(struct shk_exchange *x)
{
	struct shk_sv json = {x->reply.body.data, x->reply.body.len};
	struct shk_buf yaml = {0};
	struct shk_value *value;
	struct shk_error err;

	if (shk_value_parse(json, &own_text, &value, &err) != SHK_OK) {
		shk_reply_problem(x, SHK_PROBLEM_INTERNAL, "can't be written as YAML: %s",
				  err.text);
		return;
	}
	shk_value_print_yaml(value, &yaml);
	shk_value_free(value);
	shk_buf_fini(&x->reply.body);
	x->reply.body = yaml;
	x->reply.type = "application/yaml";
}

void shk_handle_export(struct shk_exchange *x)
{
	const struct shk_published *published = shk_service_view(x->service);

	shk_service_export(published, shk_reply_json(x, 200));
	shk_service_view_done(x->service, published);
	if (shk_exchange_wants_yaml(x))
		turn_to_yaml(x);
}

static void run_dry(struct shk_exchange *x, const struct shk_published *published,
		    const struct shk_dry_run_request *request)
{
	const struct shk_report_basis basis = {
	    .ledger_seq = published->view.ledger_seq,
	    .policy_hash = published->view.policy->hash,
	    .inventory_age_ms = shk_service_inventory_age_ms(x->service),
	};
	struct shk_plan plan;
	struct shk_error err;

	if (shk_service_dry_run(x->service, published, request, &x->arena, &plan, &err) != SHK_OK)
		shk_reply_error(x, &err);
	else
		shk_report_plan(&plan, &basis, shk_reply_json(x, 200));
}

void shk_handle_dry_runs(struct shk_exchange *x)
{
	const struct shk_published *published;
	struct shk_dry_run_request request;
	struct shk_error err;

	if (shk_dry_run_decode(shk_exchange_body(x), shk_exchange_is_yaml(x),
			       shk_exchange_query(x, "namespace"), &x->arena, &request,
			       &err) != SHK_OK) {
		shk_reply_error(x, &err);
		return;
	}
	published = shk_service_view(x->service);
	run_dry(x, published, &request);
	shk_service_view_done(x->service, published);
}

void shk_handle_policy(struct shk_exchange *x)
{
	const struct shk_published *published = shk_service_view(x->service);
	struct shk_json json;

	shk_json_begin(&json, shk_reply_json(x, 200));
	shk_policy_encode(published->view.policy, &json);
	shk_service_view_done(x->service, published);
}

void shk_handle_policy_validate(struct shk_exchange *x)
{
	struct shk_policy policy;
	struct shk_error err;
	struct shk_json json;

	if (shk_policy_decode(shk_exchange_body(x), &x->arena, &policy, &err) != SHK_OK) {
		shk_reply_error(x, &err);
		return;
	}
	shk_json_begin(&json, shk_reply_json(x, 200));
	shk_json_object(&json, NULL);
	shk_json_bool(&json, "valid", true);
	shk_json_string(&json, "name", policy.name);
	shk_json_string(&json, "hash", policy.hash);
	shk_json_object_end(&json);
}
