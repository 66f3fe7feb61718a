/* kubeconfig.h - the two places that a configuration comes from. */
#ifndef SHIKIRI_SRC_KUBE_KUBECONFIG_H
#define SHIKIRI_SRC_KUBE_KUBECONFIG_H

#include "shikiri/base/str.h"
#include "shikiri/kube/config.h"

/* The text of a kubeconfig, which stands in the file of that absolute name (not opened). Fills
 * config, whose arena is in use already; on an error what it holds is of no use. */
enum shk_status kubeconfig_read(struct shk_sv text, const char *file,
				const struct shk_kube_source *source,
				struct shk_kube_config *config,
				struct shk_error *err) SHK_MUST_CHECK;

enum shk_status in_cluster_read(const char *service_account, struct shk_kube_config *config,
				struct shk_error *err) SHK_MUST_CHECK;

/* Checks a server's URL and copies it without slashes at its end. NULL: it can't be used, and
 * *ret_why says so. plain_http: allowed off loopback too. */
const char *server_url(const char *text, bool plain_http, struct shk_arena *arena,
		       const char **ret_why);

#endif
