#include "client.h"
#include "verbs.h"

static enum cli_exit change(struct cli *cli, const char *action, const char *done)
{
	const struct shk_value *node = NULL;

	if (cli->n_words != 1)
		return cli_usage("%s takes one node", cli->verb->name);

	struct cli_call call = {
	    .method = "POST",
	    .path = shk_arena_printf(&cli->arena, CLI_API "/nodes/%s:%s",
				     cli_escape(cli, cli->words[0]), action),
	};
	enum cli_exit exit = cli_request_value(cli, &call, &node);

	if (exit != CLI_OK)
		return exit;
	if (cli->format & CLI_STRUCTURED)
		cli_print_value(cli, node);
	else
		shk_buf_printf(&cli->out, "node/%s%s\n", cli->words[0],
			       cli->format == CLI_NAMES ? "" : done);
	return CLI_OK;
}

static enum cli_exit run_cordon(struct cli *cli)
{
	return change(cli, "cordon-gpu", " cordoned: no new GPU pods");
}

static enum cli_exit run_uncordon(struct cli *cli)
{
	return change(cli, "uncordon-gpu", " uncordoned");
}

const struct cli_verb cli_verb_cordon = {
    .name = "cordon",
    .arguments = "NODE",
    .summary = "let no new GPU pods onto a node; those that run there stay",
    .more = "Only GPU pods are kept off; `kubectl cordon` keeps off all.",
    .formats = CLI_TABLE | CLI_NAMES | CLI_STRUCTURED,
    .run = run_cordon,
};

const struct cli_verb cli_verb_uncordon = {
    .name = "uncordon",
    .arguments = "NODE",
    .summary = "let GPU pods onto a node again",
    .formats = CLI_TABLE | CLI_NAMES | CLI_STRUCTURED,
    .run = run_uncordon,
};
