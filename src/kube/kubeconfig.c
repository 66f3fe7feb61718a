#include "kubeconfig.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/base/names.h"
#include "shikiri/wire/value.h"

#include "base64.h"

#define OFFER "put a token there instead, as `kubectl create token ACCOUNT` prints one"

struct reader {
	const char *file;
	const char *folder; /* of file, for the names in it that are relative */
	bool insecure_dev;
	struct shk_kube_config *config;
	struct shk_error *err;
};

/* A named entry of one of the lists: "user dev of /home/me/.kube/config". */
struct entry {
	const char *noun;
	const char *name;
	const struct shk_value *value;
};

static enum shk_status refuse(const struct reader *reader, const struct entry *entry,
			      const char *key, const char *why)
{
	return shk_error_set(reader->err, SHK_E_CONFIG, "%.150s: %s %.60s: %s%s%s", reader->file,
			     entry->noun, entry->name, key, key[0] ? ": " : "", why);
}

static enum shk_status find_entry(const struct reader *reader, const struct shk_value *root,
				  const char *list, struct entry *entry)
{
	const struct shk_value *items = shk_value_get(root, list);

	for (size_t i = 0; shk_value_is_array(items) && i < shk_value_size(items); i++) {
		const struct shk_value *item = shk_value_at(items, i);
		const char *name = shk_value_string(shk_value_get(item, "name"));

		if (!shk_str_equals(name, entry->name))
			continue;
		entry->value = shk_value_get(item, entry->noun);
		if (!shk_value_is_object(entry->value))
			return refuse(reader, entry, "", "the entry holds nothing");
		return SHK_OK;
	}
	return shk_error_set(reader->err, SHK_E_CONFIG, "%.150s: no %s is called %.100s",
			     reader->file, entry->noun, entry->name);
}

/* NULL when absent or empty, as kubectl takes it. */
static enum shk_status read_text(const struct reader *reader, const struct entry *entry,
				 const char *key, const char **ret_text)
{
	const struct shk_value *value = shk_value_get(entry->value, key);
	const char *text = shk_value_string(value);

	*ret_text = NULL;
	if (value && !text)
		return refuse(reader, entry, key, "it has to be a string");
	if (text && text[0])
		*ret_text = shk_arena_strdup(&reader->config->arena, text);
	return SHK_OK;
}

static enum shk_status read_data(const struct reader *reader, const struct entry *entry,
				 const char *key, const char **ret_data)
{
	struct shk_buf data = {0};
	const char *text;
	enum shk_status status = read_text(reader, entry, key, &text);

	*ret_data = NULL;
	if (status || !text)
		return status;
	if (!base64_decode(shk_sv(text), &data) || data.len == 0 ||
	    memchr(data.data, '\0', data.len))
		status = refuse(reader, entry, key, "it isn't base64 of a PEM text");
	else
		*ret_data = shk_arena_strndup(&reader->config->arena, data.data, data.len);
	shk_buf_fini(&data);
	return status;
}

static enum shk_status read_file_name(const struct reader *reader, const struct entry *entry,
				      const char *key, const char **ret_file)
{
	const char *text;
	enum shk_status status = read_text(reader, entry, key, &text);

	*ret_file = NULL;
	if (status || !text)
		return status;
	*ret_file = text[0] == '/'
			? text
			: shk_arena_printf(&reader->config->arena, "%s/%s", reader->folder, text);
	return SHK_OK;
}

/* KEY names a file, KEY-data holds its content and goes first, as kubectl has it. */
static enum shk_status read_pem(const struct reader *reader, const struct entry *entry,
				const char *key, const char **ret_file, const char **ret_data)
{
	const char *data_key = shk_arena_printf(&reader->config->arena, "%s-data", key);
	enum shk_status status = read_data(reader, entry, data_key, ret_data);

	if (!status)
		status = read_file_name(reader, entry, key, ret_file);
	if (!status && *ret_data)
		*ret_file = NULL;
	return status;
}

/* --- cluster ------------------------------------------------------------------------------- */

static enum shk_status read_server(const struct reader *reader, const struct entry *cluster)
{
	struct shk_kube_config *config = reader->config;
	const char *text;
	const char *why;
	enum shk_status status = read_text(reader, cluster, "server", &text);

	if (status)
		return status;
	if (!text)
		return refuse(reader, cluster, "server", "it is missing");
	config->server = server_url(text, reader->insecure_dev, &config->arena, &why);
	return config->server ? SHK_OK : refuse(reader, cluster, "server", why);
}

static enum shk_status read_insecure(const struct reader *reader, const struct entry *cluster)
{
	static const char key[] = "insecure-skip-tls-verify";
	struct shk_kube_config *config = reader->config;

	/* Whatever isn't plainly false asks for it. */
	config->insecure = shk_value_get(cluster->value, key) &&
			   shk_value_bool(shk_value_get(cluster->value, key), true);
	if (!config->insecure)
		return SHK_OK;
	if (!reader->insecure_dev)
		return refuse(reader, cluster, key,
			      "anybody could pose as the server; name its CA with "
			      "certificate-authority (--insecure-dev accepts this for a test)");
	if (config->ca_file || config->ca_data)
		return refuse(reader, cluster, key, "it contradicts certificate-authority");
	return SHK_OK;
}

static enum shk_status read_proxy(const struct reader *reader, const struct entry *cluster)
{
	struct shk_kube_config *config = reader->config;
	enum shk_status status = read_text(reader, cluster, "proxy-url", &config->proxy);

	if (status || !config->proxy)
		return status;
	if (!shk_str_starts(config->proxy, "http://") && !shk_str_starts(config->proxy, "https://"))
		return refuse(reader, cluster, "proxy-url",
			      "it has to begin with http:// or https://");
	return SHK_OK;
}

static enum shk_status read_cluster(const struct reader *reader, const struct entry *cluster)
{
	struct shk_kube_config *config = reader->config;
	enum shk_status status = read_server(reader, cluster);

	if (!status)
		status = read_pem(reader, cluster, "certificate-authority", &config->ca_file,
				  &config->ca_data);
	if (!status)
		status = read_text(reader, cluster, "tls-server-name", &config->tls_server_name);
	if (!status && config->tls_server_name &&
	    !shk_name_is_subdomain(shk_sv(config->tls_server_name)))
		status = refuse(reader, cluster, "tls-server-name", "it has to be a DNS name");
	if (!status)
		status = read_proxy(reader, cluster);
	if (!status)
		status = read_insecure(reader, cluster);
	return status;
}

/* --- user ---------------------------------------------------------------------------------- */

static enum shk_status refuse_what_we_lack(const struct reader *reader, const struct entry *user)
{
	static const struct {
		const char *key;
		const char *why;
	} refused[] = {
	    {"exec", "no program is run for credentials; " OFFER},
	    {"auth-provider", "auth providers aren't supported; " OFFER},
	    {"username", "names with passwords aren't supported; " OFFER},
	    {"password", "names with passwords aren't supported; " OFFER},
	    {"as", "impersonation isn't supported; " OFFER},
	    {"as-uid", "impersonation isn't supported; " OFFER},
	    {"as-groups", "impersonation isn't supported; " OFFER},
	    {"as-user-extra", "impersonation isn't supported; " OFFER},
	};

	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		if (shk_value_get(user->value, refused[i].key))
			return refuse(reader, user, refused[i].key, refused[i].why);
	}
	return SHK_OK;
}

/* It becomes a header line. */
static bool is_token(const char *text)
{
	for (; *text; text++) {
		if (*text <= ' ' || *text > '~')
			return false;
	}
	return true;
}

/* The file goes first: a token beside it is the one that was written when it was made. */
static enum shk_status read_token(const struct reader *reader, const struct entry *user)
{
	struct shk_kube_config *config = reader->config;
	enum shk_status status = read_file_name(reader, user, "tokenFile", &config->token_file);

	if (!status)
		status = read_text(reader, user, "token", &config->token);
	if (status)
		return status;
	if (config->token && !is_token(config->token))
		return refuse(reader, user, "token", "it holds blanks or other odd characters");
	if (config->token_file)
		config->token = NULL;
	return SHK_OK;
}

static enum shk_status read_user(const struct reader *reader, const struct entry *user)
{
	struct shk_kube_config *config = reader->config;
	enum shk_status status = refuse_what_we_lack(reader, user);

	if (!status)
		status = read_token(reader, user);
	if (!status)
		status = read_pem(reader, user, "client-certificate", &config->cert_file,
				  &config->cert_data);
	if (!status)
		status = read_pem(reader, user, "client-key", &config->key_file, &config->key_data);
	if (status)
		return status;
	if ((config->cert_file || config->cert_data) != (config->key_file || config->key_data))
		return refuse(reader, user, "",
			      "client-certificate and client-key go together; one is missing");
	return SHK_OK;
}

/* --- context ------------------------------------------------------------------------------- */

/* Which context, and what cluster and user it names. */
static enum shk_status follow_context(const struct reader *reader, const struct shk_value *root,
				      const char *name, struct entry *cluster, struct entry *user)
{
	struct entry context = {.noun = "context", .name = name};
	enum shk_status status;

	if (!context.name)
		context.name = shk_value_string_at(root, "current-context");
	if (!context.name[0])
		return shk_error_set(reader->err, SHK_E_CONFIG,
				     "%.150s: no current-context; choose one with --context",
				     reader->file);
	status = find_entry(reader, root, "contexts", &context);
	if (status)
		return status;
	*cluster = (struct entry){"cluster", shk_value_string_at(context.value, "cluster"), NULL};
	*user = (struct entry){"user", shk_value_string_at(context.value, "user"), NULL};
	if (!cluster->name[0])
		return refuse(reader, &context, "cluster", "it is missing");
	status = find_entry(reader, root, "clusters", cluster);
	if (!status && user->name[0])
		status = find_entry(reader, root, "users", user);
	return status;
}

static enum shk_status read_root(const struct reader *reader, const struct shk_value *root,
				 const char *context)
{
	struct entry cluster = {.noun = NULL};
	struct entry user = {.noun = NULL};
	enum shk_status status = follow_context(reader, root, context, &cluster, &user);

	if (!status)
		status = read_cluster(reader, &cluster);
	/* A context without a user is what `kubectl proxy` on loopback needs. */
	if (!status && user.value)
		status = read_user(reader, &user);
	return status;
}

enum shk_status kubeconfig_read(struct shk_sv text, const char *file,
				const struct shk_kube_source *source,
				struct shk_kube_config *config, struct shk_error *err)
{
	const char *slash = strrchr(file, '/');
	struct reader reader = {
	    .file = file,
	    .folder = shk_arena_strndup(&config->arena, file, slash ? (size_t)(slash - file) : 0),
	    .insecure_dev = source->insecure_dev,
	    .config = config,
	    .err = err,
	};
	struct shk_value *documents;
	const struct shk_value *root;
	enum shk_status status = shk_value_parse_yaml(text, &documents, err);

	if (status)
		return shk_error_set(err, SHK_E_INPUT, "%.150s: %s%s%s", file, err->pointer,
				     err->pointer[0] ? ": " : "", err->text);
	root = shk_value_at(documents, 0);
	if (shk_value_size(documents) != 1 || !shk_value_is_object(root))
		status = shk_error_set(err, SHK_E_INPUT, "%.150s: this isn't a kubeconfig", file);
	else
		status = read_root(&reader, root, source->context);
	shk_value_free(documents);
	return status;
}
