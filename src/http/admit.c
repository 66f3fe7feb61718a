#include "admit.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "router.h"
#include "server.h"
#include "shikiri/base/metrics.h"

#define SMALL_BODY     ((size_t)64 << 10)
#define ROOM_FOR_SMALL ((size_t)4 << 20)

static bool reject(enum shk_rejected why)
{
	shk_metric_count(SHK_C_HTTP_REJECTED, why);
	return false;
}

/* What follows on the connection can't be told from this request any more. */
static bool refuse(struct shk_exchange *x, const struct shk_refusal *refusal)
{
	shk_reply_problem(x, shk_problem_of_status(refusal->status), "%s", refusal->detail);
	x->reply.close = true;
	return reject(refusal->why);
}

static bool check_wire(struct shk_exchange *x)
{
	struct shk_framing framing;
	struct shk_refusal refusal;

	if (!shk_guard_framing(&x->head, &framing, &refusal) ||
	    !shk_guard_path(x->head.uri, &x->arena, &x->path, &refusal) ||
	    !shk_guard_query(x->head.uri, &x->arena, &x->query, &x->n_query, &refusal))
		return refuse(x, &refusal);
	x->length = framing.length;
	x->has_length = framing.has_length;
	return true;
}

static bool find_route(struct shk_exchange *x)
{
	struct shk_found found;

	switch (shk_route_find(x->server->options.listener, x->head.method, x->path, &x->arena,
			       &found)) {
	case SHK_ROUTED_NOWHERE:
		break;
	case SHK_ROUTED_NO_METHOD:
		shk_reply_problem(x, SHK_PROBLEM_METHOD_NOT_ALLOWED, "this path takes %s",
				  found.allow);
		x->reply.allow = found.allow;
		return reject(SHK_REJECTED_METHOD);
	case SHK_ROUTED:
		if (found.route->snapshot_only && !shk_service_is_snapshot(x->service))
			break;
		x->route = found.route;
		x->n_path_params = found.n_params;
		memcpy(x->path_params, found.params, sizeof found.params);
		return true;
	}
	shk_reply_problem(x, SHK_PROBLEM_NOT_FOUND, "there is no such path");
	return false;
}

/* Where a body isn't looked at, one that isn't announced isn't there. */
static bool check_length(struct shk_exchange *x)
{
	const struct shk_refusal refusal = {
	    .status = 411,
	    .why = SHK_REJECTED_FRAMING,
	    .detail = "send a Content-Length",
	};

	return x->has_length || x->route->body == SHK_BODY_NONE || refuse(x, &refusal);
}

static bool check_query(struct shk_exchange *x)
{
	for (size_t i = 0; i < x->n_query; i++) {
		if (shk_route_knows(x->route, x->query[i].name))
			continue;
		shk_reply_problem(x, SHK_PROBLEM_UNKNOWN_PARAMETER, "unknown parameter \"%s\"",
				  x->query[i].name);
		return false;
	}
	return true;
}

/* A browser states where a page that writes comes from; ours come from this very address. */
static bool is_foreign_page(const struct shk_exchange *x)
{
	const char *origin = shk_exchange_header(x, "Origin");
	const char *host = shk_exchange_header(x, "Host");

	if (!origin || strcmp(x->head.method, "GET") == 0 || strcmp(x->head.method, "HEAD") == 0)
		return false;

	const char *named = strstr(origin, "://");

	return !named || !host || strcasecmp(named + 3, host) != 0;
}

/* --auth none: whoever reaches the loopback listener. Of the others none can be checked yet. */
static bool check_admin(struct shk_exchange *x)
{
	if (!shk_service_admits_anyone(x->service)) {
		shk_reply_problem(x, SHK_PROBLEM_UNAUTHENTICATED,
				  "tokens can't be checked yet: shikirid --auth none lets "
				  "everybody in on a loopback address");
		return false;
	}
	if (!is_foreign_page(x))
		return true;
	shk_reply_problem(x, SHK_PROBLEM_FORBIDDEN, "a page of another origin may not write");
	return false;
}

static bool check_caller(struct shk_exchange *x)
{
	switch (x->route->auth) {
	case SHK_AUTH_OPEN:
	case SHK_AUTH_SCHEDULER:
		return true;
	case SHK_AUTH_ADMIN:
		return check_admin(x);
	case SHK_AUTH_UNSET:
		break;
	}
	shk_reply_problem(x, SHK_PROBLEM_FORBIDDEN, "nobody may call this");
	return false;
}

static bool check_media_type(struct shk_exchange *x)
{
	const char *type = shk_exchange_header(x, "Content-Type");

	if (x->route->body == SHK_BODY_VERB || x->length == 0 || !type)
		return true;
	if (strncasecmp(type, "application/json", 16) == 0 && strchr("; \t", type[16]))
		return true;
	if (x->route->body == SHK_BODY_DOCUMENT && shk_exchange_is_yaml(x))
		return true;
	shk_reply_problem(x, SHK_PROBLEM_MEDIA_TYPE, "send application/json%s",
			  x->route->body == SHK_BODY_DOCUMENT ? " or application/yaml" : "");
	return false;
}

static bool check_size(struct shk_exchange *x)
{
	size_t limit =
	    x->route->body == SHK_BODY_VERB ? x->server->options.max_body : x->route->max_body;

	if (x->length <= limit)
		return true;
	shk_reply_problem(x, SHK_PROBLEM_TOO_LARGE,
			  "the body has %" PRIu64 " bytes, the limit is %zu", x->length, limit);
	x->reply.close = true;
	return reject(SHK_REJECTED_TOO_LARGE);
}

/* Small bodies have some room of their own, so that a few large ones that dawdle can't keep binds
 * out. */
static bool reserve(struct shk_exchange *x)
{
	size_t before = atomic_fetch_add(&x->server->reserved, x->length);
	size_t budget = x->server->options.budget;

	if (x->length <= SMALL_BODY)
		budget += ROOM_FOR_SMALL;
	x->reserved = x->length;
	if (before + x->length <= budget)
		return true;
	shk_admit_release(x);
	shk_reply_problem(x, SHK_PROBLEM_UNAVAILABLE, "too many large requests at once");
	x->reply.close = true;
	return reject(SHK_REJECTED_OVERLOAD);
}

bool shk_admit(struct shk_exchange *x)
{
	return check_wire(x) && find_route(x) && check_length(x) && check_caller(x) &&
	       check_query(x) && check_media_type(x) && check_size(x) && reserve(x);
}

void shk_admit_release(struct shk_exchange *x)
{
	atomic_fetch_sub(&x->server->reserved, x->reserved);
	x->reserved = 0;
}
