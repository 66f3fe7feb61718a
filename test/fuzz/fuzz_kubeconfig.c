/* fuzz_kubeconfig.c - any bytes as a kubeconfig; what is accepted can be used as it stands. */
#include "fuzz.h"

#include "kubeconfig.h"

static void expect_line(const char *text)
{
	for (; text && *text; text++)
		expect(*text > ' ' && *text <= '~');
}

static void expect_usable(const struct shk_kube_config *config)
{
	expect(config->server && (strncmp(config->server, "https://", 8) == 0 ||
				  strncmp(config->server, "http://", 7) == 0));
	expect(config->server[strlen(config->server) - 1] != '/');
	expect_line(config->server);
	expect_line(config->token);
	expect(!config->token || !config->token_file);
	expect(!config->ca_file || !config->ca_data);
	expect(!config->cert_file || !config->cert_data);
	expect(!config->key_file || !config->key_data);
	expect((config->cert_file || config->cert_data) == (config->key_file || config->key_data));
	expect(!config->token_file || config->token_file[0] == '/');
}

static void try_with(struct shk_sv text, bool insecure_dev)
{
	const struct shk_kube_source source = {.insecure_dev = insecure_dev};
	struct shk_kube_config config = {.server = NULL};
	struct shk_error err;
	enum shk_status status = kubeconfig_read(text, "/k/config", &source, &config, &err);

	if (status == SHK_OK) {
		expect_usable(&config);
		expect(insecure_dev || !config.insecure);
	} else {
		expect(status == SHK_E_INPUT || status == SHK_E_CONFIG);
		expect(err.status == status && strstr(err.text, "/k/config"));
	}
	shk_kube_config_fini(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_with(input(data, size), false);
	try_with(input(data, size), true);
	return 0;
}
