#include "shikiri/base/version.h"
#include "shikiri/wire/json.h"

#include <string.h>

#include "client.h"
#include "verbs.h"

static const struct cli_option options[] = {
    {"client", 0, NULL, "only this program's version"},
};

/* "0.1" of "0.1.7": what client and server should have in common. */
static size_t release_len(const char *version)
{
	const char *dot = strchr(version, '.');

	dot = dot ? strchr(dot + 1, '.') : NULL;
	return dot ? (size_t)(dot - version) : strlen(version);
}

static void warn_of_skew(const char *server)
{
	size_t len = release_len(shk_version);

	if (server[0] != '\0' &&
	    (release_len(server) != len || strncmp(server, shk_version, len) != 0))
		cli_say("warning: client %s and server %s are different releases; take the client "
			"that came with the server",
			shk_version, server);
}

static enum cli_exit print_structured(struct cli *cli, const struct shk_value *server)
{
	struct shk_buf text = {0};
	struct shk_buf server_text = {0};
	struct shk_json json = {0};
	struct shk_value *value = NULL;
	struct shk_error err = {0};
	enum cli_exit exit = CLI_OK;

	shk_json_begin(&json, &text);
	shk_json_object(&json, NULL);
	shk_json_object(&json, "client");
	shk_json_string(&json, "version", shk_version);
	shk_json_string(&json, "git", shk_version_git);
	shk_json_object_end(&json);
	if (server) {
		shk_value_print(server, &server_text);
		shk_json_raw(&json, "server", server_text.data, server_text.len);
	}
	shk_json_object_end(&json);
	if (shk_value_parse((struct shk_sv){text.data, text.len}, &shk_scan_document, &value,
			    &err) != SHK_OK)
		exit = cli_fail(&err);
	else
		cli_print_value(cli, value);
	shk_value_free(value);
	shk_buf_fini(&server_text);
	shk_buf_fini(&text);
	return exit;
}

static void print_plain(struct cli *cli, const struct shk_value *server)
{
	shk_buf_printf(&cli->out, "client %s (git %s)\n", shk_version, shk_version_git);
	if (server)
		shk_buf_printf(&cli->out, "server %s (git %s)\n",
			       cli_scalar_at(cli, server, "version"),
			       cli_scalar_at(cli, server, "git"));
}

static enum cli_exit run(struct cli *cli)
{
	const struct shk_value *server = NULL;
	enum cli_exit exit = CLI_OK;

	if (cli->n_words > 0)
		return cli_usage("version takes no \"%s\"", cli->words[0]);
	if (!cli_has(cli, "client"))
		exit = cli_get(cli, "/version", &server);
	if (server)
		warn_of_skew(cli_scalar_at(cli, server, "version"));
	if (cli->format == CLI_TABLE) {
		print_plain(cli, server);
		return exit;
	}

	enum cli_exit printed = print_structured(cli, server);

	return exit == CLI_OK ? printed : exit;
}

const struct cli_verb cli_verb_version = {
    .name = "version",
    .arguments = "[--client]",
    .summary = "of this program and of the daemon",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .formats = CLI_TABLE | CLI_STRUCTURED,
    .run = run,
};
