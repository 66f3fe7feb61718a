#include "client.h"
#include "verbs.h"

static bool is_ok(struct cli *cli, const struct cli_reply *reply)
{
	if (reply->status == 200)
		return true;
	cli_say("%s answered %ld%s%s", cli->words[0], reply->status,
		reply->body.len > 0 ? ": " : "", reply->body.len > 0 ? reply->body.data : "");
	return false;
}

static enum cli_exit run(struct cli *cli)
{
	struct cli_reply reply = {0};

	if (cli->n_words != 1 ||
	    !(shk_str_equals(cli->words[0], "livez") || shk_str_equals(cli->words[0], "readyz")))
		return cli_usage("probe what? `%s probe livez` or `%s probe readyz`", CLI_NAME,
				 CLI_NAME);

	const struct cli_call call = {
	    .method = "GET",
	    .path = shk_arena_printf(&cli->arena, "/%s", cli->words[0]),
	};
	enum cli_exit exit = cli_exchange(cli, &call, &reply);

	if (exit == CLI_OK && !is_ok(cli, &reply))
		exit = CLI_FAILURE;
	shk_buf_fini(&reply.body);
	return exit;
}

const struct cli_verb cli_verb_probe = {
    .name = "probe",
    .arguments = "livez|readyz",
    .summary = "does the daemon live, is it ready? (for probes that run in its container)",
    .more = "Prints nothing when it does; else says why and exits with 1, 6 or 7.",
    .run = run,
};
