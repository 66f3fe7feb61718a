#include "shikiri/kube/config.h"

#include "shikiri/base/file.h"

#include "kubeconfig.h"

#define MAX_FILE_BYTES ((size_t)1 << 20)

static enum shk_status load_file(const struct shk_kube_source *source,
				 struct shk_kube_config *config, struct shk_error *err)
{
	const char *file = shk_file_absolute(source->kubeconfig, &config->arena);
	struct shk_buf text = {0};
	enum shk_status status = shk_file_read(file, MAX_FILE_BYTES, &text, err);

	if (status)
		return status;
	status = kubeconfig_read((struct shk_sv){text.data, text.len}, file, source, config, err);
	shk_buf_fini(&text);
	return status;
}

enum shk_status shk_kube_config_load(const struct shk_kube_source *source,
				     struct shk_kube_config *ret_config, struct shk_error *err)
{
	struct shk_kube_config config = {.server = NULL};
	enum shk_status status = source->kubeconfig
				     ? load_file(source, &config, err)
				     : in_cluster_read(source->service_account, &config, err);

	if (status) {
		shk_kube_config_fini(&config);
		return status;
	}
	*ret_config = config;
	return SHK_OK;
}

void shk_kube_config_fini(struct shk_kube_config *config)
{
	if (!config)
		return;
	shk_arena_fini(&config->arena);
	*config = (struct shk_kube_config){.server = NULL};
}
