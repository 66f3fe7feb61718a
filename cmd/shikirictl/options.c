#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

const struct cli_option cli_global_options[] = {
    {"server", 0, "URL", "admin address of the daemon (SHIKIRI_SERVER; http://127.0.0.1:8444)"},
    {"token-file", 0, "FILE", "file with the bearer token to send"},
    {"ca", 0, "FILE", "certificate authority of the daemon's certificate"},
    {"cert", 0, "FILE", "client certificate"},
    {"key", 0, "FILE", "key of the client certificate"},
    {"namespace", 'n', "NAMESPACE", "namespace of what is listed or dry-run"},
    {"all-namespaces", 'A', NULL, "of all namespaces (the default for lists)"},
    {"output", 'o', "FORMAT", "table, wide, json, yaml, name, csv or markdown"},
    {"no-headers", 0, NULL, "tables without their first line"},
    {"color", 0, "WHEN", "auto, always or never (NO_COLOR is honoured)"},
    {"timeout", 0, "DURATION", "how long a call may take (30s)"},
    {"help", 'h', NULL, "help for the command"},
    {"version", 0, NULL, "print the version"},
};
const size_t cli_n_global_options = sizeof cli_global_options / sizeof cli_global_options[0];

static const struct {
	const char *name;
	enum cli_format format;
} formats[] = {
    {"table", CLI_TABLE}, {"wide", CLI_WIDE}, {"json", CLI_JSON},         {"yaml", CLI_YAML},
    {"name", CLI_NAMES},  {"csv", CLI_CSV},   {"markdown", CLI_MARKDOWN},
};

#define N_FORMATS (sizeof formats / sizeof formats[0])

/* The i-th option of the verb, then the global ones; NULL beyond the end. */
static const struct cli_option *option_at(const struct cli_verb *verb, size_t i)
{
	size_t n_own = verb ? verb->n_options : 0;

	if (i < n_own)
		return &verb->options[i];
	return i - n_own < cli_n_global_options ? &cli_global_options[i - n_own] : NULL;
}

static const struct cli_option *find_long(const struct cli_verb *verb, const char *name, size_t len)
{
	const struct cli_option *option = NULL;

	for (size_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
		if (strlen(option->name) == len && strncmp(option->name, name, len) == 0)
			return option;
	}
	return NULL;
}

static const struct cli_option *find_letter(const struct cli_verb *verb, char letter)
{
	const struct cli_option *option = NULL;

	for (size_t i = 0; (option = option_at(verb, i)) != NULL; i++) {
		if (option->letter == letter)
			return option;
	}
	return NULL;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* Whether a global option's value stands in the next word. */
static bool takes_next(const char *word)
{
	const struct cli_option *option = NULL;

	if (word[1] == '-')
		option = find_long(NULL, word + 2, strlen(word + 2));
	else if (word[2] == '\0')
		option = find_letter(NULL, word[1]);
	return option && option->value;
}

const char *cli_find_verb(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!is_option(argv[i]))
			return argv[i];
		if (takes_next(argv[i]))
			i++;
	}
	return NULL;
}

/* What is being parsed: the words of the command line, one after another. */
struct cursor {
	char **argv;
	int argc;
	int at;
};

static enum cli_exit unknown_option(const struct cli *cli, const char *word, size_t len)
{
	const char *names[64];
	const struct cli_option *option = NULL;
	size_t n = 0;

	while (n < sizeof names / sizeof names[0] && (option = option_at(cli->verb, n)) != NULL)
		names[n++] = option->name;

	char name[64];

	if (len >= sizeof name)
		len = sizeof name - 1;
	memcpy(name, word, len);
	name[len] = '\0';

	const char *nearest = shk_str_nearest(name, names, n);

	if (nearest)
		return cli_usage("unknown flag --%s; did you mean --%s?", name, nearest);
	if (cli->verb)
		return cli_usage("unknown flag --%s; see %s %s --help", name, CLI_NAME,
				 cli->verb->name);
	return cli_usage("unknown flag --%s; see %s help", name, CLI_NAME);
}

static void give(struct cli *cli, const struct cli_option *option, const char *value)
{
	cli->given[cli->n_given].option = option;
	cli->given[cli->n_given].value = value;
	cli->n_given++;
}

/* inline_value: what stands in the same word, or NULL. */
static enum cli_exit take(struct cli *cli, const struct cli_option *option, struct cursor *cursor,
			  const char *inline_value)
{
	if (!option->value) {
		if (inline_value)
			return cli_usage("--%s takes no value", option->name);
		give(cli, option, "");
		return CLI_OK;
	}
	if (!inline_value) {
		if (cursor->at + 1 >= cursor->argc)
			return cli_usage("--%s needs a value: %s", option->name, option->value);
		inline_value = cursor->argv[++cursor->at];
	}
	if (inline_value[0] == '\0')
		return cli_usage("--%s has an empty value", option->name);
	give(cli, option, inline_value);
	return CLI_OK;
}

static enum cli_exit parse_long(struct cli *cli, struct cursor *cursor)
{
	const char *name = cursor->argv[cursor->at] + 2;
	const char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct cli_option *option = find_long(cli->verb, name, len);

	if (!option)
		return unknown_option(cli, name, len);
	return take(cli, option, cursor, equals ? equals + 1 : NULL);
}

/* "-A", "-ojson", "-o json", "-An ns": the first that takes a value takes the rest. */
static enum cli_exit parse_letters(struct cli *cli, struct cursor *cursor)
{
	enum cli_exit exit = CLI_OK;

	for (const char *letter = cursor->argv[cursor->at] + 1; *letter != '\0'; letter++) {
		const struct cli_option *option = find_letter(cli->verb, *letter);

		if (!option)
			return cli_usage("unknown flag -%c in %s", *letter,
					 cursor->argv[cursor->at]);
		if (option->value)
			return take(cli, option, cursor, letter[1] ? letter + 1 : NULL);
		exit = take(cli, option, cursor, NULL);
		if (exit != CLI_OK)
			return exit;
	}
	return exit;
}

static bool is_verb_word(const struct cli *cli, const char *word, bool seen)
{
	return !seen &&
	       (cli->verb ? shk_str_equals(word, cli->verb->name) : shk_str_equals(word, "help"));
}

enum cli_exit cli_parse(struct cli *cli, int argc, char **argv)
{
	struct cursor cursor = {argv, argc, 1};
	bool only_words = false;
	bool verb_seen = false;
	size_t room = 0;

	/* A word of n letters holds n switches at most. */
	for (int i = 0; i < argc; i++)
		room += strlen(argv[i]) + 1;
	cli->given = SHK_NEW_ARRAY(&cli->arena, room, struct cli_given);
	cli->words = SHK_NEW_ARRAY(&cli->arena, (size_t)argc + 1, const char *);

	for (; cursor.at < argc; cursor.at++) {
		const char *word = argv[cursor.at];
		enum cli_exit exit = CLI_OK;

		if (only_words || !is_option(word)) {
			if (is_verb_word(cli, word, verb_seen))
				verb_seen = true;
			else
				cli->words[cli->n_words++] = word;
			continue;
		}
		if (shk_str_equals(word, "--"))
			only_words = true;
		else
			exit =
			    word[1] == '-' ? parse_long(cli, &cursor) : parse_letters(cli, &cursor);
		if (exit != CLI_OK)
			return exit;
	}
	return CLI_OK;
}

const char *cli_value(const struct cli *cli, const char *option)
{
	for (size_t i = cli->n_given; i > 0; i--) {
		if (shk_str_equals(cli->given[i - 1].option->name, option))
			return cli->given[i - 1].value;
	}
	return NULL;
}

bool cli_has(const struct cli *cli, const char *option)
{
	return cli_value(cli, option) != NULL;
}

const char **cli_values(struct cli *cli, const char *option, size_t *ret_n)
{
	const char **values = SHK_NEW_ARRAY(&cli->arena, cli->n_given + 1, const char *);
	size_t n = 0;

	for (size_t i = 0; i < cli->n_given; i++) {
		if (shk_str_equals(cli->given[i].option->name, option))
			values[n++] = cli->given[i].value;
	}
	*ret_n = n;
	return values;
}

static enum cli_exit settle_format(struct cli *cli, const char *name)
{
	unsigned allowed = cli->verb->formats;
	const char *names[N_FORMATS];
	struct shk_buf list = {0};
	size_t n = 0;

	for (size_t i = 0; i < N_FORMATS; i++) {
		if (!(allowed & formats[i].format))
			continue;
		if (n == 0 && !name)
			cli->format = formats[i].format;
		if (name && shk_str_equals(formats[i].name, name))
			cli->format = formats[i].format;
		names[n++] = formats[i].name;
	}
	if (cli->format != 0 || n == 0)
		return CLI_OK;
	for (size_t i = 0; i < n; i++)
		shk_buf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);

	enum cli_exit exit =
	    cli_usage("%s doesn't print as \"%s\"; it can do %s", cli->verb->name, name, list.data);

	shk_buf_fini(&list);
	return exit;
}

static enum cli_exit settle_color(struct cli *cli)
{
	const char *when = cli_value(cli, "color");
	const char *no_color = getenv("NO_COLOR"); /* NOLINT(concurrency-mt-unsafe): one thread */
	const char *term = getenv("TERM");         /* NOLINT(concurrency-mt-unsafe) */

	if (!when || shk_str_equals(when, "auto")) {
		cli->color = isatty(STDOUT_FILENO) && !(no_color && no_color[0] != '\0') && term &&
			     !shk_str_equals(term, "dumb");
		return CLI_OK;
	}
	cli->color = shk_str_equals(when, "always");
	if (!cli->color && !shk_str_equals(when, "never"))
		return cli_usage("--color is auto, always or never, not \"%s\"", when);
	return CLI_OK;
}

static size_t terminal_columns(void)
{
	const char *text = getenv("COLUMNS"); /* NOLINT(concurrency-mt-unsafe) */
	unsigned long columns = text ? strtoul(text, NULL, 10) : 0;

	return columns >= 40 && columns <= 400 ? columns : 100;
}

enum cli_exit cli_settle_output(struct cli *cli)
{
	enum cli_exit exit = settle_format(cli, cli_value(cli, "output"));

	if (exit == CLI_OK)
		exit = settle_color(cli);
	cli->no_headers = cli_has(cli, "no-headers");
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	cli->unicode = shk_str_equals(nl_langinfo(CODESET), "UTF-8");
	cli->columns = terminal_columns();
	return exit;
}
