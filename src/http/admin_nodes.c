#include "handlers.h"
#include "paging.h"
#include "shikiri/wire/report.h"

/* --- nodes --- */

static void write_nodes(struct shk_exchange *x, const struct shk_view *view)
{
	struct shk_page page;
	struct shk_json json;

	if (!shk_page_begin(x, &page))
		return;
	shk_page_open(x, &json);
	for (size_t i = 0; i < view->n_nodes; i++) {
		if (shk_page_takes(&page, view->nodes[i]->base->facts->name))
			shk_report_node(view->nodes[i], &json, NULL);
	}
	shk_page_close(x, &page, &json);
}

void shk_handle_nodes(struct shk_exchange *x)
{
	const struct shk_published *published = shk_service_view(x->service);

	write_nodes(x, &published->view);
	shk_service_view_done(x->service, published);
}

static void write_node(struct shk_exchange *x, const struct shk_view *view)
{
	const char *name = shk_exchange_param(x, "node");
	const struct shk_node *node = shk_view_node(view, name);
	struct shk_json json;

	if (!node) {
		shk_reply_problem(x, SHK_PROBLEM_NOT_FOUND, "there is no node \"%s\"", name);
		return;
	}
	shk_json_begin(&json, shk_reply_json(x, 200));
	shk_report_node(node, &json, NULL);
}

void shk_handle_node(struct shk_exchange *x)
{
	const struct shk_published *published = shk_service_view(x->service);

	write_node(x, &published->view);
	shk_service_view_done(x->service, published);
}

static void cordon(struct shk_exchange *x, bool is_cordoned)
{
	struct shk_caller caller = shk_exchange_caller(x);
	struct shk_answer *answer = shk_exchange_wait(x, shk_reply_answer);

	if (answer)
		shk_service_cordon(x->service, shk_exchange_param(x, "node"), is_cordoned, &caller,
				   answer);
}

void shk_handle_node_cordon(struct shk_exchange *x)
{
	cordon(x, true);
}

void shk_handle_node_uncordon(struct shk_exchange *x)
{
	cordon(x, false);
}

/* --- allocations --- */

static bool passes(const char *wanted, const char *value)
{
	return !wanted || shk_str_equals(wanted, value);
}

static bool is_wanted(const struct shk_exchange *x, const struct shk_alloc *alloc)
{
	return passes(shk_exchange_query(x, "tenant"), alloc->tenant) &&
	       passes(shk_exchange_query(x, "namespace"), alloc->namespace_) &&
	       passes(shk_exchange_query(x, "node"), alloc->node) &&
	       passes(shk_exchange_query(x, "state"), shk_alloc_state_name(alloc->state));
}

/* A state that doesn't exist would give an empty list, which reads as "nothing is". */
static bool check_state(struct shk_exchange *x)
{
	const char *state = shk_exchange_query(x, "state");

	if (!state || shk_alloc_state_parse(state) != SHK_ALLOC_NONE)
		return true;
	shk_reply_problem(x, SHK_PROBLEM_BAD_REQUEST,
			  "state is one of reserved, unknown, bound and foreign");
	return false;
}

static void write_allocations(struct shk_exchange *x, const struct shk_published *published)
{
	size_t n;
	const struct shk_alloc *const *allocs = shk_published_allocs(published, &x->arena, &n);
	struct shk_page page;
	struct shk_json json;

	if (!check_state(x) || !shk_page_begin(x, &page))
		return;
	shk_page_open(x, &json);
	for (size_t i = 0; i < n; i++) {
		if (is_wanted(x, allocs[i]) && shk_page_takes(&page, allocs[i]->uid))
			shk_report_allocation(allocs[i], &json, NULL);
	}
	shk_page_close(x, &page, &json);
}

void shk_handle_allocations(struct shk_exchange *x)
{
	const struct shk_published *published = shk_service_view(x->service);

	write_allocations(x, published);
	shk_service_view_done(x->service, published);
}

static void write_allocation(struct shk_exchange *x, const struct shk_published *published)
{
	const char *uid = shk_exchange_param(x, "uid");
	const struct shk_alloc *alloc = shk_published_alloc(published, uid);
	struct shk_json json;

	if (!alloc) {
		shk_reply_problem(x, SHK_PROBLEM_NOT_FOUND, "the pod with uid \"%s\" holds nothing",
				  uid);
		return;
	}
	shk_json_begin(&json, shk_reply_json(x, 200));
	shk_report_allocation(alloc, &json, NULL);
}

void shk_handle_allocation(struct shk_exchange *x)
{
	const struct shk_published *published = shk_service_view(x->service);

	write_allocation(x, published);
	shk_service_view_done(x->service, published);
}
