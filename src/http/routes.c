#include "router.h"

#include "handlers.h"

#define API "/apis/shikiri.dev/v1"

#define KIB ((size_t)1024)
#define MIB (KIB * 1024)

#define VERB(path_, handler_)                                                                      \
	{                                                                                          \
		.listener = SHK_LISTENER_EXTENDER, .method = "POST", .pattern = (path_),           \
		.handle = (handler_), .auth = SHK_AUTH_SCHEDULER, .query = "*",                    \
		.body = SHK_BODY_VERB                                                              \
	}
#define PROBE(path_, handler_, query_)                                                             \
	{                                                                                          \
		.listener = SHK_LISTENER_ADMIN, .method = "GET", .pattern = (path_),               \
		.handle = (handler_), .auth = SHK_AUTH_OPEN, .query = (query_), .is_quiet = true   \
	}
#define READ(path_, handler_, query_)                                                              \
	{                                                                                          \
		.listener = SHK_LISTENER_ADMIN, .method = "GET", .pattern = API path_,             \
		.handle = (handler_), .auth = SHK_AUTH_ADMIN, .query = (query_)                    \
	}
#define WRITE(method_, path_, handler_, query_, body_, max_)                                       \
	{                                                                                          \
		.listener = SHK_LISTENER_ADMIN, .method = (method_), .pattern = API path_,         \
		.handle = (handler_), .auth = SHK_AUTH_ADMIN, .query = (query_), .body = (body_),  \
		.max_body = (max_)                                                                 \
	}
#define EMULATE(method_, path_, handler_, body_)                                                   \
	{                                                                                          \
		.listener = SHK_LISTENER_ADMIN, .method = (method_), .pattern = API path_,         \
		.handle = (handler_), .auth = SHK_AUTH_ADMIN, .body = (body_),                     \
		.max_body = 4 * MIB, .snapshot_only = true                                         \
	}

/* Of patterns that match the same path, the first one counts: actions stand before objects. */
const struct shk_route shk_routes[] = {
    VERB("/scheduler/v1/filter", shk_handle_filter),
    VERB("/scheduler/v1/prioritize", shk_handle_prioritize),
    VERB("/scheduler/v1/preempt", shk_handle_preempt),
    VERB("/scheduler/v1/bind", shk_handle_bind),

    PROBE("/livez", shk_handle_livez, NULL),
    PROBE("/readyz", shk_handle_readyz, "verbose"),
    PROBE("/metrics", shk_handle_metrics, NULL),
    PROBE("/version", shk_handle_version, NULL),

    READ("/tenants", shk_handle_tenants, "limit|continue"),
    READ("/tenants/{tenant}", shk_handle_tenant, NULL),
    READ("/tenants/{tenant}/quota", shk_handle_tenant_quota, NULL),
    READ("/quotas", shk_handle_quotas, "limit|continue"),
    READ("/namespaces/{namespace}/tenant", shk_handle_namespace_tenant, NULL),

    WRITE("POST", "/nodes/{node}:cordon-gpu", shk_handle_node_cordon, NULL, SHK_BODY_NONE,
	  64 * KIB),
    WRITE("POST", "/nodes/{node}:uncordon-gpu", shk_handle_node_uncordon, NULL, SHK_BODY_NONE,
	  64 * KIB),
    READ("/nodes", shk_handle_nodes, "limit|continue"),
    READ("/nodes/{node}", shk_handle_node, NULL),

    READ("/allocations", shk_handle_allocations, "tenant|namespace|node|state|limit|continue"),
    READ("/allocations/{uid}", shk_handle_allocation, NULL),

    WRITE("POST", "/apply", shk_handle_apply, "prune|dryRun", SHK_BODY_DOCUMENT, MIB),
    READ("/export", shk_handle_export, NULL),
    WRITE("POST", "/dry-runs", shk_handle_dry_runs, "namespace", SHK_BODY_DOCUMENT, 4 * MIB),
    WRITE("POST", "/policy:validate", shk_handle_policy_validate, NULL, SHK_BODY_DOCUMENT, MIB),
    READ("/policy", shk_handle_policy, NULL),

    READ("/ledger/verify", shk_handle_ledger_verify, NULL),
    WRITE("POST", "/ledger:backup", shk_handle_ledger_backup, NULL, SHK_BODY_JSON, 64 * KIB),

    EMULATE("POST", "/emulate/pods", shk_handle_emulate_pod, SHK_BODY_JSON),
    EMULATE("DELETE", "/emulate/pods/{namespace}/{name}", shk_handle_emulate_pod_gone,
	    SHK_BODY_NONE),
    EMULATE("PUT", "/emulate/nodes/{node}", shk_handle_emulate_node, SHK_BODY_JSON),
};

const size_t shk_n_routes = sizeof shk_routes / sizeof shk_routes[0];
