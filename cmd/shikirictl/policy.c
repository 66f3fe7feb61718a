#include "shikiri/wire/documents.h"

#include "client.h"
#include "verbs.h"

static enum cli_exit print_policy(struct cli *cli, const struct shk_policy *policy)
{
	struct shk_buf text = {0};
	struct shk_json json = {0};
	struct shk_value *value = NULL;
	struct shk_error err = {0};
	enum cli_exit exit = CLI_OK;

	shk_json_begin(&json, &text);
	shk_policy_encode(policy, &json);
	if (shk_value_parse((struct shk_sv){text.data, text.len}, &shk_scan_document, &value,
			    &err) != SHK_OK)
		exit = cli_fail(&err);
	else
		cli_print_value(cli, value);
	shk_value_free(value);
	shk_buf_fini(&text);
	return exit;
}

static enum cli_exit check_text(struct cli *cli, const char *path, const struct shk_buf *text)
{
	struct shk_policy policy = {0};
	struct shk_error err = {0};

	if (shk_policy_decode((struct shk_sv){text->data, text->len}, &cli->arena, &policy, &err) !=
	    SHK_OK) {
		(void)shk_error_wrap(&err, "%s", path);
		return cli_fail(&err);
	}
	if (cli->format & CLI_STRUCTURED)
		return print_policy(cli, &policy);
	if (cli->format == CLI_NAMES)
		shk_buf_printf(&cli->out, "policy/%s\n", policy.name);
	else
		shk_buf_printf(&cli->out, "%s: policy %s is sound\n%s\n", path, policy.name,
			       policy.hash);
	return CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
	struct shk_buf text = {0};

	if (cli->n_words == 0 || !shk_str_equals(cli->words[0], "check"))
		return cli_usage("policy what? `%s policy check FILE`", CLI_NAME);
	if (cli->n_words != 2)
		return cli_usage("policy check takes one file");

	enum cli_exit exit = cli_read_file(cli->words[1], &text);

	if (exit == CLI_OK)
		exit = check_text(cli, cli->words[1], &text);
	shk_buf_fini(&text);
	return exit;
}

const struct cli_verb cli_verb_policy = {
    .name = "policy",
    .arguments = "check FILE|-",
    .summary = "is a decision policy sound? (-o yaml prints it with all defaults)",
    .formats = CLI_TABLE | CLI_NAMES | CLI_STRUCTURED,
    .run = run,
};
