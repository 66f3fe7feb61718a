#include "shikiri/app/config.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/base/file.h"
#include "shikiri/base/units.h"
#include "shikiri/wire/documents.h"

#define N_SETTINGS     (sizeof settings / sizeof settings[0])
#define MAX_FILE_BYTES ((size_t)1 << 20)

enum setting_type {
	SETTING_TEXT,
	SETTING_TEXTS,  /* repeatable */
	SETTING_AUTHS,  /* repeatable, each one of none, token and kube */
	SETTING_SWITCH, /* stands alone; =true and =false are read too */
	SETTING_SIZE,
	SETTING_ADDRESS,
	SETTING_MODE,
	SETTING_FORMAT,
	SETTING_LEVEL,
};

struct setting {
	const char *flag;
	const char *key; /* in the configuration file; NULL: flag only */
	enum setting_type type;
	size_t offset;        /* in struct shk_config */
	const char *fallback; /* the default as it would be written, or NULL */
	const char *argument; /* in --help */
	const char *help;
};

#define AT(field) offsetof(struct shk_config, field)

static const struct setting settings[] = {
    {"--snapshot", "snapshot", SETTING_TEXTS, AT(snapshots), NULL, "FILE",
     "serve the cluster in FILE (repeatable, merged); no API server is contacted"},
    {"--kubeconfig", "kubeconfig", SETTING_TEXT, AT(kubeconfig), NULL, "FILE",
     "serve a live cluster"},
    {"--context", "context", SETTING_TEXT, AT(context), NULL, "NAME", "context of the kubeconfig"},
    {"--insecure-dev", "insecureDev", SETTING_SWITCH, AT(insecure_dev), NULL, NULL,
     "accept an API server that can't be verified; for trying it out"},
    {"--wait-api", "waitApi", SETTING_SWITCH, AT(wait_api), "true", "BOOL",
     "wait for the API server at start"},
    {"--ledger", "ledger", SETTING_TEXT, AT(ledger), "/var/lib/shikiri/ledger.db", "FILE",
     "the SQLite ledger; :memory: for a trial"},
    {"--policy", "policy", SETTING_TEXT, AT(policy), NULL, "FILE",
     "decision policy; built in unless given"},
    {"--apply", "apply", SETTING_TEXTS, AT(applies), NULL, "FILE",
     "documents to load into the ledger at start (repeatable)"},
    {"--mode", "mode", SETTING_MODE, AT(mode), "enforce", "MODE",
     "enforce, or advise: decide and record, but let every node pass and bind nothing"},
    {"--listen", "listen", SETTING_ADDRESS, AT(listen), "127.0.0.1:8443", "ADDR:PORT",
     "extender verbs"},
    {"--admin-listen", "adminListen", SETTING_ADDRESS, AT(admin_listen), "127.0.0.1:8444",
     "ADDR:PORT", "admin API, dashboard, metrics, health"},
    {"--tls-cert", "tlsCert", SETTING_TEXT, AT(tls_cert), NULL, "FILE",
     "certificate of the extender listener"},
    {"--tls-key", "tlsKey", SETTING_TEXT, AT(tls_key), NULL, "FILE", "its private key"},
    {"--client-ca", "clientCa", SETTING_TEXT, AT(client_ca), NULL, "FILE",
     "CA that extender clients' certificates must come from"},
    {"--client-name", "clientName", SETTING_TEXTS, AT(client_names), NULL, "NAME",
     "accepted CN or SAN of extender clients (repeatable)"},
    {"--admin-tls-cert", "adminTlsCert", SETTING_TEXT, AT(admin_tls_cert), NULL, "FILE",
     "certificate of the admin listener"},
    {"--admin-tls-key", "adminTlsKey", SETTING_TEXT, AT(admin_tls_key), NULL, "FILE",
     "its private key"},
    {"--admin-client-ca", "adminClientCa", SETTING_TEXT, AT(admin_client_ca), NULL, "FILE",
     "CA of admin clients' certificates"},
    {"--token-file", "tokenFile", SETTING_TEXT, AT(token_file), NULL, "FILE",
     "static admin tokens: sha256hex,user,\"group1,group2\" per line"},
    {"--auth", "auth", SETTING_AUTHS, AT(auths), NULL, "none|token|kube",
     "how admin callers are known (repeatable); none with --snapshot, else kube"},
    {"--max-body", "maxBody", SETTING_SIZE, AT(max_body), "16MiB", "SIZE",
     "largest request body on the extender listener"},
    {"--log-format", "logFormat", SETTING_FORMAT, AT(log_format), NULL, "json|text",
     "form of the log on stderr; json unless that is a terminal"},
    {"--log-level", "logLevel", SETTING_LEVEL, AT(log_level), "info", "LEVEL",
     "debug, info, warn or error"},
    {"--config", NULL, SETTING_TEXT, AT(config_file), NULL, "FILE",
     "YAML with the same keys in camelCase, kind DaemonConfiguration; flags win"},
    {"--check", NULL, SETTING_SWITCH, AT(check), NULL, NULL,
     "validate configuration, policy, documents and snapshot, print findings, exit"},
    {"--help", NULL, SETTING_SWITCH, AT(help), NULL, NULL, "print this and exit"},
    {"--version", NULL, SETTING_SWITCH, AT(version), NULL, NULL, "print the version and exit"},
};

static void *field_of(struct shk_config *config, const struct setting *setting)
{
	return (char *)config + setting->offset;
}

static bool is_list(const struct setting *setting)
{
	return setting->type == SETTING_TEXTS || setting->type == SETTING_AUTHS;
}

static void texts_add(struct shk_config *config, struct shk_texts *texts, const char *text)
{
	const char **grown = SHK_NEW_ARRAY(&config->arena, texts->n + 1, const char *);

	for (size_t i = 0; i < texts->n; i++)
		grown[i] = texts->items[i];
	grown[texts->n] = shk_arena_strdup(&config->arena, text);
	texts->items = grown;
	texts->n++;
}

static bool is_one_of(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	return false;
}

static enum shk_status bad_value(const struct setting *setting, const char *value,
				 const char *expected, struct shk_error *err)
{
	return shk_error_set(err, SHK_E_INPUT, "%s: \"%.100s\" is not %s", setting->flag, value,
			     expected);
}

static enum shk_status set_switch(bool *field, const struct setting *setting, const char *value,
				  struct shk_error *err)
{
	if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
		return bad_value(setting, value, "true or false", err);
	*field = strcmp(value, "true") == 0;
	return SHK_OK;
}

static enum shk_status set_size(int64_t *field, const struct setting *setting, const char *value,
				struct shk_error *err)
{
	int64_t bytes;

	if (!shk_size_bytes(shk_sv(value), &bytes) || bytes <= 0)
		return bad_value(setting, value, "a size like 16MiB", err);
	*field = bytes;
	return SHK_OK;
}

static enum shk_status set_mode(enum shk_mode *field, const struct setting *setting,
				const char *value, struct shk_error *err)
{
	if (strcmp(value, "enforce") == 0)
		*field = SHK_MODE_ENFORCE;
	else if (strcmp(value, "advise") == 0)
		*field = SHK_MODE_ADVISE;
	else
		return bad_value(setting, value, "enforce or advise", err);
	return SHK_OK;
}

static enum shk_status set_address(struct shk_config *config, const struct setting *setting,
				   const char *value, struct shk_error *err)
{
	const char *host;
	uint16_t port;

	if (!shk_config_address(value, &config->arena, &host, &port))
		return bad_value(setting, value, "an address like 127.0.0.1:8443", err);
	*(const char **)field_of(config, setting) = shk_arena_strdup(&config->arena, value);
	return SHK_OK;
}

static enum shk_status set_word(struct shk_config *config, const struct setting *setting,
				const char *value, struct shk_error *err)
{
	static const char *const formats[] = {"json", "text"};
	static const char *const auths[] = {"none", "token", "kube"};

	if (setting->type == SETTING_AUTHS) {
		if (!is_one_of(value, auths, 3))
			return bad_value(setting, value, "none, token or kube", err);
		texts_add(config, field_of(config, setting), value);
		return SHK_OK;
	}
	if (!is_one_of(value, formats, 2))
		return bad_value(setting, value, "json or text", err);
	*(const char **)field_of(config, setting) = shk_arena_strdup(&config->arena, value);
	return SHK_OK;
}

static enum shk_status set_text(struct shk_config *config, const struct setting *setting,
				const char *value, struct shk_error *err)
{
	if (*value == '\0')
		return shk_error_set(err, SHK_E_INPUT, "%s: the value is empty", setting->flag);
	if (setting->type == SETTING_TEXTS)
		texts_add(config, field_of(config, setting), value);
	else
		*(const char **)field_of(config, setting) = shk_arena_strdup(&config->arena, value);
	return SHK_OK;
}

static enum shk_status set_value(struct shk_config *config, const struct setting *setting,
				 const char *value, struct shk_error *err)
{
	switch (setting->type) {
	case SETTING_TEXT:
	case SETTING_TEXTS:
		return set_text(config, setting, value, err);
	case SETTING_AUTHS:
	case SETTING_FORMAT:
		return set_word(config, setting, value, err);
	case SETTING_SWITCH:
		return set_switch(field_of(config, setting), setting, value, err);
	case SETTING_SIZE:
		return set_size(field_of(config, setting), setting, value, err);
	case SETTING_ADDRESS:
		return set_address(config, setting, value, err);
	case SETTING_MODE:
		return set_mode(field_of(config, setting), setting, value, err);
	case SETTING_LEVEL:
		if (!shk_log_level_parse(value, field_of(config, setting)))
			return bad_value(setting, value, "debug, info, warn or error", err);
		return SHK_OK;
	}
	return shk_error_set(err, SHK_E_INPUT, "%s can't be set", setting->flag);
}

static void set_defaults(struct shk_config *config)
{
	struct shk_error ignored;

	for (size_t i = 0; i < N_SETTINGS; i++) {
		/* Defaults are constants that a test reads once. */
		if (settings[i].fallback)
			(void)set_value(config, &settings[i], settings[i].fallback, &ignored);
	}
}

static bool sv_is_flag(struct shk_sv text, const struct setting *setting)
{
	return shk_sv_is(text, setting->flag);
}

static const struct setting *find_flag(struct shk_sv text)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		if (sv_is_flag(text, &settings[i]))
			return &settings[i];
	}
	return NULL;
}

static enum shk_status unknown_flag(const char *argument, struct shk_error *err)
{
	const char *names[N_SETTINGS];
	char flag[64];

	if (argument[0] != '-')
		return shk_error_set(err, SHK_E_INPUT, "unexpected argument \"%.100s\"", argument);
	for (size_t i = 0; i < N_SETTINGS; i++)
		names[i] = settings[i].flag;
	(void)snprintf(flag, sizeof flag, "%.*s", (int)strcspn(argument, "="), argument);

	const char *nearest = shk_str_nearest(flag, names, N_SETTINGS);

	if (!nearest)
		return shk_error_set(err, SHK_E_INPUT, "unknown flag %s; see --help", flag);
	return shk_error_set(err, SHK_E_INPUT, "unknown flag %s; did you mean %s?", flag, nearest);
}

/* One flag at argv[*at]; *at then stands on its last word. */
static enum shk_status read_flag(int argc, char **argv, int *at, struct shk_config *config,
				 bool *seen, struct shk_error *err)
{
	const char *argument = argv[*at];
	const char *equals = strchr(argument, '=');
	size_t len = equals ? (size_t)(equals - argument) : strlen(argument);
	const struct setting *setting = find_flag((struct shk_sv){argument, len});
	const char *value = equals ? equals + 1 : NULL;

	if (!setting)
		return unknown_flag(argument, err);
	if (!value && setting->type == SETTING_SWITCH)
		value = "true";
	if (!value && *at + 1 >= argc)
		return shk_error_set(err, SHK_E_INPUT, "%s needs a value", setting->flag);
	if (!value)
		value = argv[++*at];
	if (seen[setting - settings] && !is_list(setting))
		return shk_error_set(err, SHK_E_INPUT, "%s is given twice", setting->flag);
	seen[setting - settings] = true;
	return set_value(config, setting, value, err);
}

static enum shk_status read_flags(int argc, char **argv, struct shk_config *config, bool *seen,
				  struct shk_error *err)
{
	for (int i = 1; i < argc; i++) {
		enum shk_status status = read_flag(argc, argv, &i, config, seen, err);

		if (status)
			return status;
	}
	return SHK_OK;
}

static const struct setting *find_key(const char *key)
{
	for (size_t i = 0; i < N_SETTINGS; i++) {
		if (settings[i].key && strcmp(settings[i].key, key) == 0)
			return &settings[i];
	}
	return NULL;
}

static enum shk_status unknown_key(const char *key, struct shk_error *err)
{
	const char *names[N_SETTINGS];
	size_t n = 0;

	for (size_t i = 0; i < N_SETTINGS; i++) {
		if (settings[i].key)
			names[n++] = settings[i].key;
	}

	const char *nearest = shk_str_nearest(key, names, n);

	if (!nearest)
		return shk_error_set(err, SHK_E_CONFIG, "unknown key %.100s", key);
	return shk_error_set(err, SHK_E_CONFIG, "unknown key %.100s; did you mean %s?", key,
			     nearest);
}

static enum shk_status read_setting(const struct shk_setting *entry, struct shk_config *config,
				    const bool *by_flag, bool *seen, struct shk_error *err)
{
	const struct setting *setting = find_key(entry->key);

	if (!setting)
		return unknown_key(entry->key, err);
	if (by_flag[setting - settings])
		return SHK_OK;
	if (seen[setting - settings] && !is_list(setting))
		return shk_error_set(err, SHK_E_CONFIG, "%s takes one value", entry->key);
	seen[setting - settings] = true;
	if (set_value(config, setting, entry->value, err))
		err->status = SHK_E_CONFIG;
	else
		return SHK_OK;
	return err->status;
}

static enum shk_status read_settings(struct shk_sv text, struct shk_config *config,
				     const bool *by_flag, struct shk_error *err)
{
	const struct shk_setting *entries;
	bool seen[N_SETTINGS] = {false};
	size_t n;

	if (shk_daemon_configuration_decode(text, &config->arena, &entries, &n, err))
		return err->status = SHK_E_CONFIG;
	for (size_t i = 0; i < n; i++) {
		enum shk_status status = read_setting(&entries[i], config, by_flag, seen, err);

		if (status)
			return status;
	}
	return SHK_OK;
}

static enum shk_status read_file(struct shk_config *config, const bool *by_flag,
				 struct shk_error *err)
{
	struct shk_buf text = {0};
	enum shk_status status = shk_file_read(config->config_file, MAX_FILE_BYTES, &text, err);

	if (status == SHK_E_NOT_FOUND)
		return shk_error_wrap(err, "--config");
	if (status) {
		err->status = SHK_E_CONFIG;
		return shk_error_wrap(err, "--config");
	}
	status = read_settings((struct shk_sv){text.data, text.len}, config, by_flag, err);
	shk_buf_fini(&text);
	return status ? shk_error_wrap(err, "%s", config->config_file) : SHK_OK;
}

static enum shk_status load(int argc, char **argv, struct shk_config *config, struct shk_error *err)
{
	bool by_flag[N_SETTINGS] = {false};
	enum shk_status status;

	set_defaults(config);
	status = read_flags(argc, argv, config, by_flag, err);
	if (status)
		return status;
	if (config->config_file && !config->help && !config->version) {
		status = read_file(config, by_flag, err);
		if (status)
			return status;
	}
	if (config->auths.n == 0)
		texts_add(config, &config->auths, config->snapshots.n > 0 ? "none" : "kube");
	return SHK_OK;
}

enum shk_status shk_config_load(int argc, char **argv, struct shk_config *ret_config,
				struct shk_error *err)
{
	struct shk_config config = {0};
	enum shk_status status;

	shk_arena_init(&config.arena, 0);
	status = load(argc, argv, &config, err);
	if (status) {
		shk_arena_fini(&config.arena);
		return status;
	}
	*ret_config = config;
	return SHK_OK;
}

void shk_config_fini(struct shk_config *config)
{
	shk_arena_fini(&config->arena);
	*config = (struct shk_config){0};
}

void shk_config_help(struct shk_buf *out)
{
	shk_buf_puts(out,
		     "usage: shikirid [flags]\n\n"
		     "Scheduler extender for GPUs: MIG slices, shared replicas and whole cards,\n"
		     "kept apart between trust domains.\n\n");
	for (size_t i = 0; i < N_SETTINGS; i++) {
		const struct setting *setting = &settings[i];
		char left[64];

		(void)snprintf(left, sizeof left, "%s%s%s", setting->flag,
			       setting->argument ? " " : "",
			       setting->argument ? setting->argument : "");
		shk_buf_printf(out, "  %-28s %s", left, setting->help);
		if (setting->fallback)
			shk_buf_printf(out, " (%s)", setting->fallback);
		shk_buf_putc(out, '\n');
	}
}
