#include "scanner.h"

#define MIB        ((size_t)1 << 20)
#define MAX_TOKENS ((size_t)400000)

const char *const scanner_unread_keys[] = {
    "managedFields",
    "images",
    "env",
    "envFrom",
    "volumeMounts",
    "containerStatuses",
    "initContainerStatuses",
    "affinity",
    "tolerations",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
    "securityContext",
    "args",
    "command",
    "ports",
    "ownerReferences",
    "topologySpreadConstraints",
    "nodeInfo",
    "volumesAttached",
    NULL,
};

const struct shk_scan_limits shk_scan_document = {
    .max_bytes = MIB,
    .max_depth = 64,
    .max_depth_unread = 64,
    .max_tokens = MAX_TOKENS,
};

const struct shk_scan_limits shk_scan_extender = {
    .max_bytes = 1024 * MIB,
    .max_depth = 64,
    .max_depth_unread = SCANNER_MAX_DEPTH,
    .max_tokens = MAX_TOKENS,
    .cut_keys = scanner_unread_keys,
};

const struct shk_scan_limits shk_scan_object = {
    .max_bytes = 4 * MIB,
    .max_depth = 64,
    .max_depth_unread = SCANNER_MAX_DEPTH,
    .max_tokens = MAX_TOKENS,
    .cut_keys = scanner_unread_keys,
};

enum shk_status shk_scan(struct shk_sv text, const struct shk_scan_limits *limits,
			 struct shk_buf *out, struct shk_error *err)
{
	struct scanner s;
	enum shk_status status = scanner_init(&s, text, limits, err);

	if (!status)
		status = out ? scanner_copy(&s, out) : scanner_value(&s);
	if (!status)
		status = scanner_end(&s);
	scanner_fini(&s);
	return status;
}
