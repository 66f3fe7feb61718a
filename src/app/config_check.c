#include "shikiri/app/config.h"

#include <arpa/inet.h>
#include <string.h>

#include "shikiri/kube/config.h"

static bool port_of(const char *text, uint16_t *ret_port)
{
	uint32_t port = 0;

	if (*text == '\0' || strlen(text) > 5)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		port = port * 10 + (uint32_t)(*text - '0');
	}
	if (port > UINT16_MAX)
		return false;
	*ret_port = (uint16_t)port;
	return true;
}

static bool is_address(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	return strcmp(host, "localhost") == 0 || inet_pton(AF_INET, host, &four) == 1 ||
	       inet_pton(AF_INET6, host, &six) == 1;
}

bool shk_config_address(const char *text, struct shk_arena *arena, const char **ret_host,
			uint16_t *ret_port)
{
	bool bracketed = text[0] == '[';
	const char *colon = bracketed ? strstr(text, "]:") : strchr(text, ':');
	uint16_t port;

	if (!colon || !port_of(colon + (bracketed ? 2 : 1), &port))
		return false;

	const char *start = text + (bracketed ? 1 : 0);
	const char *host = shk_arena_strndup(arena, start, (size_t)(colon - start));

	if (!is_address(host) || bracketed != (strchr(host, ':') != NULL))
		return false;
	*ret_host = host;
	*ret_port = port;
	return true;
}

bool shk_config_is_loopback(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	if (strcmp(host, "localhost") == 0)
		return true;
	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static enum shk_status check_cluster(const struct shk_config *config, struct shk_error *err)
{
	bool is_live = config->kubeconfig || config->context;

	if (config->snapshots.n > 0 && is_live)
		return shk_error_set(err, SHK_E_CONFIG,
				     "--snapshot and %s exclude each other: one cluster at a time",
				     config->kubeconfig ? "--kubeconfig" : "--context");
	if (config->context && !config->kubeconfig)
		return shk_error_set(err, SHK_E_CONFIG,
				     "--context %.100s: is one of a --kubeconfig FILE",
				     config->context);
	if (config->snapshots.n == 0 && !is_live && !shk_kube_config_in_cluster(NULL))
		return shk_error_set(
		    err, SHK_E_CONFIG,
		    "no cluster: give --kubeconfig FILE or --snapshot FILE, or run "
		    "as a pod with a service account");
	return SHK_OK;
}

/* One is of no use without the other. */
struct need {
	const char *flag;
	const char *needs;
	bool is_given;
	bool is_met;
};

static enum shk_status check_tls(const struct shk_config *config, struct shk_error *err)
{
	const bool cert = config->tls_cert != NULL;
	const bool key = config->tls_key != NULL;
	const bool ca = config->client_ca != NULL;
	const bool admin_cert = config->admin_tls_cert != NULL;
	const bool admin_key = config->admin_tls_key != NULL;
	const struct need needs[] = {
	    {"--tls-cert", "--tls-key", cert, key},
	    {"--tls-key", "--tls-cert", key, cert},
	    {"--client-ca", "--tls-cert", ca, cert},
	    {"--client-name", "--client-ca", config->client_names.n > 0, ca},
	    {"--admin-tls-cert", "--admin-tls-key", admin_cert, admin_key},
	    {"--admin-tls-key", "--admin-tls-cert", admin_key, admin_cert},
	    {"--admin-client-ca", "--admin-tls-cert", config->admin_client_ca != NULL, admin_cert},
	};

	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
		if (needs[i].is_given && !needs[i].is_met)
			return shk_error_set(err, SHK_E_CONFIG, "%s needs %s too", needs[i].flag,
					     needs[i].needs);
	}
	return SHK_OK;
}

/* kube is what a live cluster has unless something else is said: then nobody is let in yet. */
static enum shk_status check_auth(const struct shk_config *config, struct shk_error *err)
{
	for (size_t i = 0; i < config->auths.n; i++) {
		const char *auth = config->auths.items[i];
		bool is_default = config->snapshots.n == 0 && strcmp(auth, "kube") == 0;

		if (strcmp(auth, "none") != 0 && !is_default)
			return shk_error_set(err, SHK_E_CONFIG,
					     "--auth %s is not built yet; use --auth none on a "
					     "loopback address",
					     auth);
	}
	if (config->token_file)
		return shk_error_set(err, SHK_E_CONFIG,
				     "--token-file: --auth token is not built yet; use --auth none "
				     "on a loopback address");
	return SHK_OK;
}

/* What a listener that others can reach must have. */
struct guard {
	bool is_there;
	const char *otherwise;
};

static enum shk_status check_guards(const char *flag, const char *address,
				    const struct guard guards[2], struct shk_error *err)
{
	for (size_t i = 0; i < 2; i++) {
		if (!guards[i].is_there)
			return shk_error_set(err, SHK_E_CONFIG, "%s %.100s: %s", flag, address,
					     guards[i].otherwise);
	}
	return SHK_OK;
}

static enum shk_status check_listener(const char *flag, const char *address,
				      const struct guard guards[2], struct shk_error *err)
{
	enum shk_status status = SHK_OK;
	struct shk_arena arena;
	const char *host;
	uint16_t port;

	shk_arena_init(&arena, 0);
	if (!shk_config_address(address, &arena, &host, &port))
		status =
		    shk_error_set(err, SHK_E_CONFIG, "%s: \"%.100s\" is no address", flag, address);
	else if (!shk_config_is_loopback(host))
		status = check_guards(flag, address, guards, err);
	shk_arena_fini(&arena);
	return status;
}

static bool is_open(const struct shk_config *config)
{
	for (size_t i = 0; i < config->auths.n; i++) {
		if (strcmp(config->auths.items[i], "none") == 0)
			return true;
	}
	return config->auths.n == 0;
}

static enum shk_status check_listeners(const struct shk_config *config, struct shk_error *err)
{
	const struct guard extender[2] = {
	    {config->tls_cert != NULL, "without TLS only loopback is served; give --tls-cert, "
				       "--tls-key and --client-ca, or a loopback address"},
	    {config->client_ca != NULL, "without --client-ca any pod that reaches this address "
					"could bind; give it, or a loopback address"},
	};
	const struct guard admin[2] = {
	    {config->admin_tls_cert != NULL, "without TLS only loopback is served; give "
					     "--admin-tls-cert and --admin-tls-key, or a loopback "
					     "address"},
	    {!is_open(config), "--auth none is for loopback only; use a loopback address"},
	};
	enum shk_status status = check_listener("--listen", config->listen, extender, err);

	if (status)
		return status;
	return check_listener("--admin-listen", config->admin_listen, admin, err);
}

enum shk_status shk_config_check(const struct shk_config *config, struct shk_error *err)
{
	enum shk_status status = check_cluster(config, err);

	if (!status)
		status = check_tls(config, err);
	if (!status)
		status = check_auth(config, err);
	return status ? status : check_listeners(config, err);
}
