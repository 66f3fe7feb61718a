#include "table.h"
#include "verbs.h"

#include "shikiri/core/reason.h"
#include "shikiri/wire/json.h"
#include "style.h"

static const char *class_word(enum shk_reason_class class_)
{
	return class_ == SHK_RESOLVABLE ? "Resolvable" : "Unresolvable";
}

/* A code may stand for two rows (a name, a weight); people look for codes. */
static bool is_repeated(enum shk_reason reason)
{
	return shk_reason_find(shk_reason_row(reason)->code) != reason;
}

static enum cli_exit unknown_code(const char *code)
{
	const char *codes[SHK_REASON_COUNT];
	size_t n = 0;

	for (enum shk_reason reason = SHK_UNDECIDED + 1; reason < SHK_FITS; reason++)
		codes[n++] = shk_reason_row(reason)->code;

	const char *nearest = shk_str_nearest(code, codes, n);

	if (nearest)
		cli_say("error: no reason code \"%s\"; did you mean %s?", code, nearest);
	else
		cli_say("error: no reason code \"%s\"; `%s explain reason` lists them", code,
			CLI_NAME);
	return CLI_NOT_FOUND;
}

static void add_reason(struct shk_json *json, enum shk_reason reason)
{
	const struct shk_reason_row *row = shk_reason_row(reason);

	shk_json_object(json, NULL);
	shk_json_string(json, "code", row->code);
	shk_json_string(json, "class", class_word(row->class_));
	shk_json_string(json, "verdict", shk_outcome_name(row->outcome));
	shk_json_string(json, "sentence", row->sentence);
	shk_json_string(json, "help", row->help);
	shk_json_object_end(json);
}

/* reason SHK_UNDECIDED: all of them as {"items":[...]}. */
static enum cli_exit print_structured(struct cli *cli, enum shk_reason reason)
{
	struct shk_buf text = {0};
	struct shk_json json = {0};
	struct shk_value *value = NULL;
	struct shk_error err = {0};
	enum cli_exit exit = CLI_OK;

	shk_json_begin(&json, &text);
	if (reason == SHK_UNDECIDED) {
		shk_json_object(&json, NULL);
		shk_json_array(&json, "items");
		for (enum shk_reason each = SHK_UNDECIDED + 1; each < SHK_FITS; each++) {
			if (!is_repeated(each))
				add_reason(&json, each);
		}
		shk_json_array_end(&json);
		shk_json_object_end(&json);
	} else {
		add_reason(&json, reason);
	}
	if (shk_value_parse((struct shk_sv){text.data, text.len}, &shk_scan_document, &value,
			    &err) != SHK_OK)
		exit = cli_fail(&err);
	else
		cli_print_value(cli, value);
	shk_value_free(value);
	shk_buf_fini(&text);
	return exit;
}

static enum cli_exit list_reasons(struct cli *cli)
{
	static const struct cli_column columns[] = {
	    {.title = "CODE"},
	    {.title = "CLASS", .wide = true},
	    {.title = "VERDICT"},
	    {.title = "SENTENCE"},
	};
	struct cli_table table = {.kind = "reason", .columns = columns, .n_columns = 4};

	if (cli->format & CLI_STRUCTURED)
		return print_structured(cli, SHK_UNDECIDED);
	for (enum shk_reason reason = SHK_UNDECIDED + 1; reason < SHK_FITS; reason++) {
		if (is_repeated(reason))
			continue;

		const struct shk_reason_row *row = shk_reason_row(reason);
		const char *cells[] = {row->code, class_word(row->class_),
				       shk_outcome_name(row->outcome), row->sentence};

		cli_table_row(cli, &table, row->code, cells);
	}
	cli_table_print(cli, &table);
	return CLI_OK;
}

static void narrate(struct cli *cli, const struct shk_reason_row *row)
{
	shk_buf_printf(&cli->out, CLI_BOLD "%s" CLI_PLAIN "\n", row->code);
	cli_wrap(cli,
		 shk_arena_printf(&cli->arena, "%s%s", row->sentence,
				  row->has_subject ? " <resource or unit>" : ""),
		 2, cli->columns);
	shk_buf_putc(&cli->out, '\n');
	cli_wrap(cli, row->help, 2, cli->columns);
	shk_buf_putc(&cli->out, '\n');
	cli_wrap(cli,
		 row->class_ == SHK_RESOLVABLE
		     ? "To the scheduler: the node could fit once pods of lower priority left, so "
		       "preemption is considered (FailedNodes)."
		     : "To the scheduler: no eviction would help, so nobody is evicted for it "
		       "(FailedAndUnresolvableNodes).",
		 2, cli->columns);
	shk_buf_printf(&cli->out, "  A dry run's verdict: %s.\n", shk_outcome_name(row->outcome));
}

static enum cli_exit run(struct cli *cli)
{
	if (cli->n_words == 0 || !shk_str_equals(cli->words[0], "reason")) {
		if (cli->n_words > 0 && shk_str_equals(cli->words[0], "pod"))
			return cli_usage(
			    "explain pod is not part of this release; dry-run the pod's "
			    "manifest instead");
		return cli_usage("explain what? `%s explain reason CODE`", CLI_NAME);
	}
	if (cli->n_words > 2)
		return cli_usage("explain reason takes one code, not \"%s\" too", cli->words[2]);
	if (cli->n_words == 1)
		return list_reasons(cli);

	enum shk_reason reason = shk_reason_find(cli->words[1]);

	if (reason == SHK_UNDECIDED || reason == SHK_FITS)
		return unknown_code(cli->words[1]);
	if (cli->format & CLI_STRUCTURED)
		return print_structured(cli, reason);
	if (cli->format == CLI_NAMES)
		shk_buf_printf(&cli->out, "reason/%s\n", cli->words[1]);
	else
		narrate(cli, shk_reason_row(reason));
	return CLI_OK;
}

const struct cli_verb cli_verb_explain = {
    .name = "explain",
    .arguments = "reason [CODE]",
    .summary = "what a reason code means and what helps",
    .more = "Without a code it lists them all, in the order in which they are checked. Needs no "
	    "daemon.",
    .formats = CLI_TABLES | CLI_STRUCTURED,
    .run = run,
};
