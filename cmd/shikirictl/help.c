#include "cli.h"

#define HELP_WIDTH 100

static void print_options(struct cli *cli, const struct cli_option *options, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct cli_option *option = &options[i];
		char letter[5] = "    ";

		if (option->letter) {
			letter[0] = '-';
			letter[1] = option->letter;
			letter[2] = ',';
		}

		const char *flag =
		    shk_arena_printf(&cli->arena, "--%s%s%s", option->name,
				     option->value ? " " : "", option->value ? option->value : "");

		shk_buf_printf(&cli->out, "  %s%-26s %s\n", letter, flag, option->help);
	}
}

void cli_help(struct cli *cli, const struct cli_verb *const *verbs, size_t n_verbs)
{
	shk_buf_puts(&cli->out,
		     CLI_NAME " talks to shikirid: GPU slices, quotas and trust domains.\n\n"
			      "Usage: " CLI_NAME " [flags] COMMAND [arguments]\n\nCommands:\n");
	for (size_t i = 0; i < n_verbs; i++)
		shk_buf_printf(&cli->out, "  %-16s %s\n", verbs[i]->name, verbs[i]->summary);
	shk_buf_puts(&cli->out,
		     "  help             this text, or the help of a command\n\nFlags:\n");
	print_options(cli, cli_global_options, cli_n_global_options);
	shk_buf_puts(
	    &cli->out,
	    "\nResults go to stdout, everything else to stderr. Exit status: 0 ok, 1 failure, "
	    "3 not found,\n4 conflict, 5 not allowed, 6 daemon unreachable, 7 timeout, "
	    "64 usage, 65 bad data, 66 no input.\n"
	    "Also installed as kubectl-shikiri: `kubectl shikiri get nodes`.\n");
}

void cli_help_verb(struct cli *cli, const struct cli_verb *verb)
{
	shk_buf_printf(&cli->out, "%s: %s\n\nUsage: %s %s %s\n", verb->name, verb->summary,
		       CLI_NAME, verb->name, verb->arguments);
	if (verb->more) {
		shk_buf_putc(&cli->out, '\n');
		cli_wrap(cli, verb->more, 0, HELP_WIDTH);
	}
	if (verb->n_options > 0) {
		shk_buf_puts(&cli->out, "\nFlags:\n");
		print_options(cli, verb->options, verb->n_options);
	}
	shk_buf_puts(&cli->out, "\nGlobal flags:\n");
	print_options(cli, cli_global_options, cli_n_global_options);
}
