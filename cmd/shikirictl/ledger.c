#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "shikiri/wire/json.h"

#include "client.h"
#include "verbs.h"

static enum cli_exit verify(struct cli *cli)
{
	const struct shk_value *answer = NULL;
	enum cli_exit exit = cli_get(cli, CLI_API "/ledger/verify", &answer);

	if (exit != CLI_OK)
		return exit;

	bool sound = shk_value_bool(shk_value_get(answer, "sound"), false);
	const struct shk_value *findings = shk_value_get(answer, "findings");

	if (cli->format & CLI_STRUCTURED)
		cli_print_value(cli, answer);
	else
		shk_buf_printf(&cli->out, "%s: %s rows (%s to %s), %s live allocations\n",
			       sound ? "sound" : "BROKEN", cli_scalar_at(cli, answer, "rows"),
			       cli_scalar_at(cli, answer, "firstSeq"),
			       cli_scalar_at(cli, answer, "lastSeq"),
			       cli_scalar_at(cli, answer, "allocations"));
	for (size_t i = 0; i < shk_value_size(findings); i++)
		cli_say("finding: %s", cli_scalar(cli, shk_value_at(findings, i)));
	return sound ? CLI_OK : CLI_DATA;
}

/* The daemon has a working directory of its own; the user means theirs. */
static enum cli_exit absolute(struct cli *cli, const char *path, const char **ret_path)
{
	char here[PATH_MAX];

	*ret_path = path;
	if (path[0] == '/')
		return CLI_OK;
	if (!getcwd(here, sizeof here)) {
		cli_say("error: where are we? %s",
			strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
		return CLI_FAILURE;
	}
	*ret_path = shk_arena_printf(&cli->arena, "%s/%s", here, path);
	return CLI_OK;
}

static enum cli_exit backup(struct cli *cli, const char *path)
{
	const struct shk_value *answer = NULL;
	struct shk_buf body = {0};
	struct shk_json json = {0};
	struct cli_call call = {
	    .method = "POST",
	    .path = CLI_API "/ledger:backup",
	    .content_type = "application/json",
	    .body = &body,
	};
	enum cli_exit exit = absolute(cli, path, &path);

	if (exit != CLI_OK)
		return exit;
	shk_json_begin(&json, &body);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "path", path);
	shk_json_object_end(&json);
	exit = cli_request_value(cli, &call, &answer);
	shk_buf_fini(&body);
	if (exit != CLI_OK)
		return exit;
	if (cli->format & CLI_STRUCTURED)
		cli_print_value(cli, answer);
	else
		shk_buf_printf(&cli->out, "%s: %s bytes, on the daemon's machine\n",
			       cli_scalar_at(cli, answer, "path"),
			       cli_scalar_at(cli, answer, "bytes"));
	return CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
	const char *what = cli->n_words > 0 ? cli->words[0] : "";

	if (shk_str_equals(what, "verify"))
		return cli->n_words == 1
			   ? verify(cli)
			   : cli_usage("ledger verify takes no \"%s\"", cli->words[1]);
	if (shk_str_equals(what, "backup"))
		return cli->n_words == 2 ? backup(cli, cli->words[1])
					 : cli_usage("ledger backup takes one file");
	return cli_usage("ledger what? `%s ledger verify` or `%s ledger backup FILE`", CLI_NAME,
			 CLI_NAME);
}

const struct cli_verb cli_verb_ledger = {
    .name = "ledger",
    .arguments = "verify | backup FILE",
    .summary = "prove that the ledger is sound, or copy it while it is in use",
    .more = "verify exits 65 when something is wrong with the ledger. The backup is written by the "
	    "daemon, on its machine; a relative path counts from here.",
    .formats = CLI_TABLE | CLI_STRUCTURED,
    .run = run,
};
