#include <locale.h>
#include <string.h>

#include "shikiri/base/version.h"

#include "cli.h"
#include "verbs.h"

static const struct cli_verb *const verbs[] = {
    &cli_verb_apply,    &cli_verb_export,  &cli_verb_get,     &cli_verb_describe,
    &cli_verb_map,      &cli_verb_dry_run, &cli_verb_explain, &cli_verb_cordon,
    &cli_verb_uncordon, &cli_verb_policy,  &cli_verb_ledger,  &cli_verb_scheduler_config,
    &cli_verb_certs,    &cli_verb_doctor,  &cli_verb_probe,   &cli_verb_version,
};

#define N_VERBS (sizeof verbs / sizeof verbs[0])

/* Named by the documentation for later releases: "unknown" would be the wrong answer. */
static const char *const later[] = {"completion", "create", "delete", "diff", "import",
				    "replay",     "set",    "top",    "usage"};

static const struct cli_verb *find_verb(const char *name)
{
	for (size_t i = 0; i < N_VERBS; i++) {
		if (shk_str_equals(verbs[i]->name, name))
			return verbs[i];
	}
	return NULL;
}

static enum cli_exit unknown_verb(const char *name)
{
	const char *names[N_VERBS + 1] = {"help"};

	for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
		if (shk_str_equals(later[i], name))
			return cli_usage("%s is not part of release %s", name, shk_version);
	}
	for (size_t i = 0; i < N_VERBS; i++)
		names[i + 1] = verbs[i]->name;

	const char *nearest = shk_str_nearest(name, names, N_VERBS + 1);

	if (nearest)
		return cli_usage("unknown command \"%s\"; did you mean \"%s\"?", name, nearest);
	return cli_usage("unknown command \"%s\"; see %s help", name, CLI_NAME);
}

static void print_version(struct cli *cli)
{
	shk_buf_printf(&cli->out, "%s %s (git %s)\n", CLI_NAME, shk_version, shk_version_git);
}

/* "help", "help VERB" and the absence of a verb. */
static enum cli_exit run_without_verb(struct cli *cli, const char *name, int argc, char **argv)
{
	if (name && !shk_str_equals(name, "help"))
		return unknown_verb(name);

	enum cli_exit exit = cli_parse(cli, argc, argv);

	if (exit != CLI_OK)
		return exit;
	if (cli_has(cli, "version")) {
		print_version(cli);
		return CLI_OK;
	}
	if (cli->n_words == 0) {
		cli_help(cli, verbs, N_VERBS);
		return CLI_OK;
	}

	const struct cli_verb *verb = find_verb(cli->words[0]);

	if (!verb)
		return unknown_verb(cli->words[0]);
	cli_help_verb(cli, verb);
	return CLI_OK;
}

static enum cli_exit run(struct cli *cli, int argc, char **argv)
{
	const char *name = cli_find_verb(argc, argv);

	cli->verb = name ? find_verb(name) : NULL;
	if (!cli->verb)
		return run_without_verb(cli, name, argc, argv);

	enum cli_exit exit = cli_parse(cli, argc, argv);

	if (exit != CLI_OK)
		return exit;
	if (cli_has(cli, "help")) {
		cli_help_verb(cli, cli->verb);
		return CLI_OK;
	}
	if (cli_has(cli, "version")) {
		print_version(cli);
		return CLI_OK;
	}
	exit = cli_settle_output(cli);
	if (exit != CLI_OK)
		return exit;
	return cli->verb->run(cli);
}

const struct shk_value *cli_keep(struct cli *cli, struct shk_value *value)
{
	if (cli->n_kept == cli->cap_kept) {
		size_t capacity = cli->cap_kept ? 2 * cli->cap_kept : 8;
		struct shk_value **grown = SHK_NEW_ARRAY(&cli->arena, capacity, struct shk_value *);

		if (cli->n_kept > 0)
			memcpy(grown, cli->kept, cli->n_kept * sizeof(struct shk_value *));
		cli->kept = grown;
		cli->cap_kept = capacity;
	}
	cli->kept[cli->n_kept++] = value;
	return value;
}

int main(int argc, char **argv)
{
	struct cli cli = {.columns = 100};

	/* Only for the character set of the terminal; numbers and messages stay as they are. */
	(void)setlocale(LC_CTYPE, ""); /* NOLINT(concurrency-mt-unsafe): one thread */
	shk_arena_init(&cli.arena, 64u << 10);

	enum cli_exit exit = run(&cli, argc, argv);

	if (!cli_flush(&cli) && exit == CLI_OK)
		exit = CLI_FAILURE;
	for (size_t i = 0; i < cli.n_kept; i++)
		shk_value_free(cli.kept[i]);
	shk_buf_fini(&cli.out);
	shk_arena_fini(&cli.arena);
	return (int)exit;
}
