/* cli.h - what every verb of shikirictl shares: its options, exit statuses, input and output.
 *
 * One process, one verb, one thread. Results are collected in cli->out and written when the verb
 * has ended; messages go to stderr at once. Memory lives in cli->arena until the process ends. */
#ifndef SHIKIRICTL_CLI_H
#define SHIKIRICTL_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/str.h"
#include "shikiri/wire/value.h"

#define CLI_NAME      "shikirictl"
#define CLI_MAX_INPUT (64u << 20)

/* Exit statuses; verbs return one of these. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILURE = 1,
	CLI_NOT_FOUND = 3,
	CLI_CONFLICT = 4,
	CLI_FORBIDDEN = 5,
	CLI_UNREACHABLE = 6,
	CLI_TIMEOUT = 7,
	CLI_USAGE = 64,
	CLI_DATA = 65,
	CLI_NO_INPUT = 66,
};

enum cli_format {
	CLI_TABLE = 1,
	CLI_WIDE = 2,
	CLI_JSON = 4,
	CLI_YAML = 8,
	CLI_NAMES = 16,
	CLI_CSV = 32,
	CLI_MARKDOWN = 64,
};

#define CLI_TABLES     (CLI_TABLE | CLI_WIDE | CLI_NAMES | CLI_CSV | CLI_MARKDOWN)
#define CLI_STRUCTURED (CLI_JSON | CLI_YAML)

struct cli_option {
	const char *name;  /* without the dashes */
	char letter;       /* 0: none */
	const char *value; /* what it takes, for help; NULL: a switch */
	const char *help;
};

struct cli;

struct cli_verb {
	const char *name;
	const char *arguments; /* for help: "tenants|quotas [NAME]" */
	const char *summary;   /* one line */
	const char *more;      /* further lines of its help, or NULL */
	const struct cli_option *options;
	size_t n_options;
	unsigned formats; /* enum cli_format it can print; the lowest bit is the default */
	enum cli_exit (*run)(struct cli *cli);
};

struct cli_given {
	const struct cli_option *option;
	const char *value; /* "" for a switch */
};

struct cli {
	struct shk_arena arena;
	struct shk_buf out; /* results, with style bytes (style.h) */
	const struct cli_verb *verb;
	struct cli_given *given;
	size_t n_given;
	const char **words; /* what is no option, after the verb */
	size_t n_words;
	enum cli_format format;
	bool color;
	bool unicode;
	bool no_headers;
	size_t columns; /* of the terminal; 100 when there is none */
	struct shk_value **kept;
	size_t n_kept;
	size_t cap_kept;
};

/* main.c: value lives until the process ends; returns it. NULL is fine. */
const struct shk_value *cli_keep(struct cli *cli, struct shk_value *value);

/* --- options.c ------------------------------------------------------------------------------- */

extern const struct cli_option cli_global_options[];
extern const size_t cli_n_global_options;

/* The verb's name: the first word that isn't an option or an option's value; NULL when there is
 * none. Unknown options are left for _parse to name. */
const char *cli_find_verb(int argc, char **argv);
/* CLI_OK, or CLI_USAGE with one line on stderr. */
enum cli_exit cli_parse(struct cli *cli, int argc, char **argv);
/* Looks at -o, --color, --no-headers and the terminal. */
enum cli_exit cli_settle_output(struct cli *cli);
const char *cli_value(const struct cli *cli, const char *option); /* the last one given, or NULL */
bool cli_has(const struct cli *cli, const char *option);
/* All values of a repeatable option in order. */
const char **cli_values(struct cli *cli, const char *option, size_t *ret_n);

/* --- help.c ---------------------------------------------------------------------------------- */

void cli_help(struct cli *cli, const struct cli_verb *const *verbs, size_t n_verbs);
void cli_help_verb(struct cli *cli, const struct cli_verb *verb);

/* --- output.c -------------------------------------------------------------------------------- */

/* One line on stderr; the message is the whole line but for the newline. */
void cli_say(const char *fmt, ...) SHK_PRINTF(1, 2);
/* The same after "shikirictl: ", and CLI_USAGE. */
enum cli_exit cli_usage(const char *fmt, ...) SHK_PRINTF(1, 2);
/* "error: <pointer>: <text>", with the exit status that the error's kind has. */
enum cli_exit cli_fail(const struct shk_error *err);
/* Writes what was collected: false when stdout doesn't take it. */
bool cli_flush(struct cli *cli);
/* JSON or YAML as cli->format says. */
void cli_print_value(struct cli *cli, const struct shk_value *value);
/* A string as it is, numbers and booleans as text, "" for the rest. */
const char *cli_scalar(struct cli *cli, const struct shk_value *value);
const char *cli_scalar_at(struct cli *cli, const struct shk_value *value, const char *dotted);
/* Text broken into lines of at most width columns, each after indent blanks. */
void cli_wrap(struct cli *cli, const char *text, size_t indent, size_t width);
/* Columns that text takes: UTF-8, style bytes take none. */
size_t cli_width(const char *text);
/* "nvidia.com/gpu" -> "gpu" */
const char *cli_short_resource(const char *resource);

/* --- input.c --------------------------------------------------------------------------------- */

/* A file, or stdin for "-", of at most CLI_MAX_INPUT bytes. Says what is wrong. */
enum cli_exit cli_read_file(const char *path, struct shk_buf *ret_text);
/* Every -f of the command line as one text; several become YAML documents of one stream. */
enum cli_exit cli_read_manifests(struct cli *cli, struct shk_buf *ret_text);
/* Whether a text is JSON by its first character, else it's taken for YAML. */
bool cli_is_json(const struct shk_buf *text);

#endif
