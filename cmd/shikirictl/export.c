#include "client.h"
#include "verbs.h"

/* One document after another, as `apply -f` reads them. */
static void print_documents(struct cli *cli, const struct shk_value *list)
{
	const struct shk_value *items = shk_value_get(list, "items");

	for (size_t i = 0; i < shk_value_size(items); i++) {
		if (i > 0)
			shk_buf_puts(&cli->out, "---\n");
		cli_print_value(cli, shk_value_at(items, i));
	}
}

static void print_names(struct cli *cli, const struct shk_value *list)
{
	const struct shk_value *items = shk_value_get(list, "items");

	for (size_t i = 0; i < shk_value_size(items); i++) {
		const struct shk_value *item = shk_value_at(items, i);

		shk_buf_printf(&cli->out, "%s/%s\n", cli_scalar_at(cli, item, "kind"),
			       cli_scalar_at(cli, item, "metadata.name"));
	}
}

static enum cli_exit run(struct cli *cli)
{
	const struct shk_value *list = NULL;

	if (cli->n_words > 0)
		return cli_usage("export takes no \"%s\"", cli->words[0]);
	if (!cli_has(cli, "output"))
		cli->format = CLI_YAML;

	enum cli_exit exit = cli_get(cli, CLI_API "/export", &list);

	if (exit != CLI_OK)
		return exit;
	if (cli->format == CLI_JSON)
		cli_print_value(cli, list);
	else if (cli->format == CLI_YAML)
		print_documents(cli, list);
	else
		print_names(cli, list);
	return CLI_OK;
}

const struct cli_verb cli_verb_export = {
    .name = "export",
    .arguments = "",
    .summary = "all documents in force, as apply reads them",
    .formats = CLI_STRUCTURED | CLI_NAMES,
    .run = run,
};
