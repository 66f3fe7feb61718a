/* router.h - which handler answers a request: one static table.
 *
 * The table is also what the documentation is checked against. */
#ifndef SHIKIRI_SRC_HTTP_ROUTER_H
#define SHIKIRI_SRC_HTTP_ROUTER_H

#include "exchange.h"

/* Who may call. Zero is nobody. */
enum shk_auth {
	SHK_AUTH_UNSET = 0,
	SHK_AUTH_OPEN,      /* probes and scrapes */
	SHK_AUTH_SCHEDULER, /* whoever the extender listener let in */
	SHK_AUTH_ADMIN,     /* --auth */
};

enum shk_body_kind {
	SHK_BODY_NONE = 0, /* not looked at, and small */
	SHK_BODY_VERB,     /* whatever its type says; --max-body */
	SHK_BODY_JSON,
	SHK_BODY_DOCUMENT, /* JSON or YAML */
};

typedef void (*shk_handler)(struct shk_exchange *x);

struct shk_route {
	enum shk_listener listener;
	const char *method; /* GET serves HEAD too */
	/* "/a/{name}:action". {name} takes one segment without ':'; {uid} any segment. */
	const char *pattern;
	shk_handler handle;
	enum shk_auth auth;
	const char *query; /* names that are known, separated by '|'; NULL: none, "*": all */
	enum shk_body_kind body;
	size_t max_body;
	bool snapshot_only;
	bool is_quiet; /* logged at debug: somebody asks every few seconds */
};

extern const struct shk_route shk_routes[];
extern const size_t shk_n_routes;

enum shk_routed { SHK_ROUTED_NOWHERE = 0, SHK_ROUTED_NO_METHOD, SHK_ROUTED };

struct shk_found {
	const struct shk_route *route; /* SHK_ROUTED */
	const char *allow;             /* SHK_ROUTED_NO_METHOD: "GET, HEAD" */
	struct shk_param params[SHK_MAX_PATH_PARAMS];
	size_t n_params;
};

/* path is decoded and checked. What has to be made lives in arena. */
enum shk_routed shk_route_find(enum shk_listener listener, const char *method, const char *path,
			       struct shk_arena *arena, struct shk_found *ret_found);

/* Does a list like "limit|continue" hold name? */
bool shk_route_knows(const struct shk_route *route, const char *name);

#endif
