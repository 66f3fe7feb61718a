#include "kubeconfig.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SERVICE_ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static const char *folder_of(const char *service_account)
{
	return service_account ? service_account : SERVICE_ACCOUNT;
}

static const char *named_file(const char *folder, const char *name, struct shk_arena *arena)
{
	return shk_arena_printf(arena, "%s/%s", folder, name);
}

/* Read once at start, before there are threads that could change the environment. */
static const char *variable(const char *name)
{
	const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe) */

	return value && value[0] ? value : NULL;
}

bool shk_kube_config_in_cluster(const char *service_account)
{
	struct shk_arena arena = {0};
	const char *token = named_file(folder_of(service_account), "token", &arena);
	bool is_pod = variable("KUBERNETES_SERVICE_HOST") && access(token, F_OK) == 0;

	shk_arena_fini(&arena);
	return is_pod;
}

static const char *server_from(const char *host, const char *port, struct shk_arena *arena,
			       const char **ret_why)
{
	bool is_ipv6 = strchr(host, ':') && host[0] != '[';
	const char *text =
	    shk_arena_printf(arena, is_ipv6 ? "https://[%s]:%s" : "https://%s:%s", host, port);

	*ret_why = "it has to be a number";
	if (strspn(port, "0123456789") != strlen(port) || strlen(port) > 5)
		return NULL;
	return server_url(text, false, arena, ret_why);
}

enum shk_status in_cluster_read(const char *service_account, struct shk_kube_config *config,
				struct shk_error *err)
{
	const char *host = variable("KUBERNETES_SERVICE_HOST");
	const char *port = variable("KUBERNETES_SERVICE_PORT");
	const char *folder = folder_of(service_account);
	const char *why;

	if (!host || !port)
		return shk_error_set(err, SHK_E_NOT_FOUND,
				     "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT aren't "
				     "set, so this isn't a pod; name a file with --kubeconfig");
	config->server = server_from(host, port, &config->arena, &why);
	if (!config->server)
		return shk_error_set(err, SHK_E_CONFIG,
				     "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT give no "
				     "server: %s",
				     why);
	config->token_file = named_file(folder, "token", &config->arena);
	config->ca_file = named_file(folder, "ca.crt", &config->arena);
	if (access(config->token_file, F_OK) != 0 || access(config->ca_file, F_OK) != 0)
		return shk_error_set(err, SHK_E_NOT_FOUND,
				     "%.300s has no token and ca.crt; give the pod a service "
				     "account (automountServiceAccountToken), or name a file with "
				     "--kubeconfig",
				     folder);
	return SHK_OK;
}
