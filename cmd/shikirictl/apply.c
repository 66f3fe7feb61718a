#include "client.h"
#include "verbs.h"

static const struct cli_option options[] = {
    {"filename", 'f', "FILE", "documents to apply, - for stdin; may be repeated"},
    {"dry-run", 0, NULL, "say what would change, change nothing"},
    {"prune", 0, NULL, "delete documents that the files don't hold"},
};

static void print_changes(struct cli *cli, const struct shk_value *answer)
{
	const struct shk_value *changes = shk_value_get(answer, "changes");
	const char *suffix = cli_has(cli, "dry-run") ? " (dry run)" : "";

	for (size_t i = 0; i < shk_value_size(changes); i++) {
		const struct shk_value *change = shk_value_at(changes, i);

		shk_buf_printf(&cli->out, "%s/%s", cli_scalar_at(cli, change, "kind"),
			       cli_scalar_at(cli, change, "name"));
		if (cli->format != CLI_NAMES)
			shk_buf_printf(&cli->out, " %s%s", cli_scalar_at(cli, change, "operation"),
				       suffix);
		shk_buf_putc(&cli->out, '\n');
	}
}

static void tell_warnings(struct cli *cli, const struct shk_value *answer)
{
	const struct shk_value *warnings = shk_value_get(answer, "warnings");

	for (size_t i = 0; i < shk_value_size(warnings); i++)
		cli_say("warning: %s", cli_scalar(cli, shk_value_at(warnings, i)));
}

static enum cli_exit post(struct cli *cli, const struct shk_buf *text)
{
	const struct shk_value *answer = NULL;
	struct cli_call call = {
	    .method = "POST",
	    .path = shk_arena_printf(&cli->arena, CLI_API "/apply?prune=%s%s",
				     cli_has(cli, "prune") ? "true" : "false",
				     cli_has(cli, "dry-run") ? "&dryRun=All" : ""),
	    .content_type = cli_is_json(text) ? "application/json" : "application/yaml",
	    .body = text,
	};
	enum cli_exit exit = cli_request_value(cli, &call, &answer);

	if (exit != CLI_OK)
		return exit;
	tell_warnings(cli, answer);
	if (cli->format & CLI_STRUCTURED)
		cli_print_value(cli, answer);
	else
		print_changes(cli, answer);
	return CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
	struct shk_buf text = {0};

	if (cli->n_words > 0)
		return cli_usage("apply takes files with -f, not \"%s\"", cli->words[0]);

	enum cli_exit exit = cli_read_manifests(cli, &text);

	if (exit == CLI_OK)
		exit = post(cli, &text);
	shk_buf_fini(&text);
	return exit;
}

const struct cli_verb cli_verb_apply = {
    .name = "apply",
    .arguments = "-f FILE|- [--dry-run] [--prune]",
    .summary = "load tenants, trust domains, bands, node facts and grants, all or nothing",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .formats = CLI_TABLE | CLI_NAMES | CLI_STRUCTURED,
    .run = run,
};
