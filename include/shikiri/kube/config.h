/* config.h - where the API server is and how it is told who we are.
 *
 * From a kubeconfig file or, without one, from the service account that the cluster gives a pod.
 * Files that it names (tokens, certificates) are read by the client, again and again, as they are
 * renewed under us; here only their names are kept, absolute. */
#ifndef SHIKIRI_KUBE_CONFIG_H
#define SHIKIRI_KUBE_CONFIG_H

#include <stdbool.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"

/* Each pair of file and data: at most one is set, data is PEM (or the token) itself. */
struct shk_kube_config {
	struct shk_arena arena;
	const char
	    *server; /* "https://10.0.0.1:6443", a path prefix may follow; no slash at the end */
	const char *tls_server_name;   /* to verify the server's name by; NULL: that of server */
	const char *ca_file, *ca_data; /* neither: the system's store */
	const char *token_file, *token;
	const char *cert_file, *cert_data;
	const char *key_file, *key_data;
	const char *proxy; /* NULL: none, whatever the environment says */
	bool insecure;     /* the server's certificate isn't verified */
};

struct shk_kube_source {
	const char *kubeconfig; /* NULL: the service account in service_account */
	const char *context;    /* NULL: the file's current-context */
	bool insecure_dev;      /* accept insecure-skip-tls-verify, and plain http off loopback */
	const char
	    *service_account; /* folder; NULL: /var/run/secrets/kubernetes.io/serviceaccount */
};

/* NOT_FOUND: no such file, or no service account here. CONFIG: what the file says can't be used,
 * with the way out in the sentence. INPUT: the file can't be read as a kubeconfig. */
enum shk_status shk_kube_config_load(const struct shk_kube_source *source,
				     struct shk_kube_config *ret_config,
				     struct shk_error *err) SHK_MUST_CHECK;
void shk_kube_config_fini(struct shk_kube_config *config);

/* Whether this process runs as a pod with a service account. */
bool shk_kube_config_in_cluster(const char *service_account);

#endif
