#include "dry_report.h"

#include "shikiri/core/reason.h"
#include "show.h"
#include "style.h"
#include "table.h"

#define BAR_CELLS   20
#define MOST_NAMES  4 /* nodes named per reason; -o wide has all */
#define MOST_GROUPS 32

/* --- pods ------------------------------------------------------------------------------------ */

static const struct cli_column pod_columns[] = {
    {.title = "POD"},
    {.title = "VERDICT"},
    {.title = "NODE"},
    {.title = "REQUEST"},
    {.title = "GPUS", .right = true},
    {.title = "ISOLATION"},
    {.title = "QUOTA"},
    {.title = "CODE", .wide = true},
    {.title = "DETAIL", .wide = true},
};

static const char *verdict_mark(struct cli *cli, const char *verdict)
{
	bool fits = shk_str_starts(verdict, "Fits");
	const char *symbol =
	    fits ? (cli->unicode ? "\xe2\x9c\x93" : "+") : (cli->unicode ? "\xe2\x9c\x97" : "x");
	const char *style = shk_str_equals(verdict, "Fits") ? CLI_GOOD : fits ? CLI_WARN : CLI_BAD;

	if (cli->format == CLI_CSV || cli->format == CLI_MARKDOWN)
		return verdict;
	return shk_arena_printf(&cli->arena, "%s%s %s" CLI_PLAIN, style, symbol, verdict);
}

static const char *pod_name(struct cli *cli, const struct shk_value *pod)
{
	return shk_arena_printf(&cli->arena, "%s/%s", cli_scalar_at(cli, pod, "namespace"),
				cli_scalar_at(cli, pod, "name"));
}

static void print_pods(struct cli *cli, const struct shk_value *pods)
{
	struct cli_table table = {.kind = "pod",
				  .columns = pod_columns,
				  .n_columns = sizeof pod_columns / sizeof pod_columns[0]};

	for (size_t i = 0; i < shk_value_size(pods); i++) {
		const struct shk_value *pod = shk_value_at(pods, i);
		const char *cells[] = {
		    pod_name(cli, pod),
		    verdict_mark(cli, cli_scalar_at(cli, pod, "verdict")),
		    cli_scalar_at(cli, pod, "node"),
		    cli_show_resources(cli, shk_value_get(pod, "request")),
		    cli_scalar_at(cli, pod, "charge.gpuEquivalents"),
		    cli_scalar_at(cli, pod, "isolation"),
		    cli_scalar_at(cli, pod, "quotaClass"),
		    cli_scalar_at(cli, pod, "code"),
		    cli_scalar_at(cli, pod, "detail"),
		};

		cli_table_row(cli, &table, cells[0], cells);
	}
	cli_table_print(cli, &table);
}

/* --- reasons --------------------------------------------------------------------------------- */

/* The nodes that refuse for one reason. */
struct group {
	const char *code;
	const char *detail; /* the same on all of them, else "" */
	const char *names;
	size_t n;
};

static struct group *find_group(struct group *groups, size_t *n, const char *code)
{
	for (size_t i = 0; i < *n; i++) {
		if (shk_str_equals(groups[i].code, code))
			return &groups[i];
	}
	if (*n == MOST_GROUPS)
		return &groups[MOST_GROUPS - 1];
	groups[*n] = (struct group){.code = code, .names = ""};
	return &groups[(*n)++];
}

static void add_to_group(struct cli *cli, struct group *group, const struct shk_value *node)
{
	const char *detail = cli_scalar_at(cli, node, "detail");

	if (group->n == 0)
		group->detail = detail;
	else if (!shk_str_equals(group->detail, detail))
		group->detail = "";
	if (group->n < MOST_NAMES)
		group->names =
		    shk_arena_printf(&cli->arena, "%s%s%s", group->names, group->n > 0 ? ", " : "",
				     cli_scalar_at(cli, node, "name"));
	group->n++;
}

static size_t group_refusals(struct cli *cli, const struct shk_value *pod, struct group *groups)
{
	const struct shk_value *nodes = shk_value_get(pod, "nodes");
	size_t n = 0;

	for (size_t i = 0; i < shk_value_size(nodes); i++) {
		const struct shk_value *node = shk_value_at(nodes, i);

		if (shk_value_bool(shk_value_get(node, "fits"), false))
			continue;
		add_to_group(cli, find_group(groups, &n, cli_scalar_at(cli, node, "code")), node);
	}
	return n;
}

static size_t count_nodes(const struct shk_value *pod, bool fits)
{
	const struct shk_value *nodes = shk_value_get(pod, "nodes");
	size_t n = 0;

	for (size_t i = 0; i < shk_value_size(nodes); i++)
		n += shk_value_bool(shk_value_get(shk_value_at(nodes, i), "fits"), false) == fits;
	return n;
}

static void print_group(struct cli *cli, const struct group *group)
{
	const struct shk_reason_row *row = shk_reason_row(shk_reason_find(group->code));
	const char *detail = group->detail;

	if (detail[0] == '\0')
		detail = row->has_subject ? "" : row->sentence;
	shk_buf_printf(&cli->out, "  " CLI_BAD "%-22s" CLI_PLAIN " %s%s\n", group->code,
		       group->names,
		       group->n > MOST_NAMES
			   ? shk_arena_printf(&cli->arena, " and %zu more", group->n - MOST_NAMES)
			   : "");
	cli_wrap(cli, detail, 25, cli->columns);
}

/* Nodes that never had the resource tell least, so they come last. */
static void print_groups(struct cli *cli, const struct group *groups, size_t n)
{
	const char *dull = shk_reason_row(SHK_REASON_RESOURCE_NOT_OFFERED)->code;

	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			if (shk_str_equals(groups[i].code, dull) == (pass == 1))
				print_group(cli, &groups[i]);
		}
	}
}

/* The key beside the others', where there was a choice. */
static void print_choice(struct cli *cli, const struct shk_value *pod)
{
	const struct shk_value *nodes = shk_value_get(pod, "nodes");
	size_t n = count_nodes(pod, true);
	const char *text = "";

	for (size_t i = 0; i < n && i < MOST_NAMES; i++) {
		const struct shk_value *node = shk_value_at(nodes, i);
		const struct shk_value *key = shk_value_get(node, "key");
		const char *free_slices = "";

		for (size_t k = 0; k < shk_value_size(key); k++) {
			if (shk_str_equals(shk_value_string_at(shk_value_at(key, k), "name"),
					   "freeSlicesAfter"))
				free_slices = cli_scalar_at(cli, shk_value_at(key, k), "value");
		}
		text = shk_arena_printf(&cli->arena, "%s%s%s%s%s%s", text, i > 0 ? ", then " : "",
					cli_scalar_at(cli, node, "name"),
					free_slices[0] != '\0' ? " (" : "", free_slices,
					free_slices[0] != '\0' ? " slices free afterwards)" : "");
	}
	if (n > 1)
		cli_wrap(cli, shk_arena_printf(&cli->arena, "%zu nodes fit: %s", n, text), 2,
			 cli->columns);
}

static void print_reasons(struct cli *cli, const struct shk_value *pod)
{
	struct group *groups = SHK_NEW_ARRAY(&cli->arena, MOST_GROUPS, struct group);
	size_t n = group_refusals(cli, pod, groups);
	const char *node = cli_scalar_at(cli, pod, "node");
	const char *detail = cli_scalar_at(cli, pod, "detail");

	shk_buf_printf(&cli->out, "\n" CLI_BOLD "%s" CLI_PLAIN "%s%s\n", pod_name(cli, pod),
		       node[0] != '\0' ? ": here it would go to " : ": nowhere now", node);
	if (detail[0] != '\0' && n == 0)
		cli_wrap(cli, detail, 2, cli->columns);
	print_choice(cli, pod);
	print_groups(cli, groups, n);
}

/* Whether two pods got the same answers, so that one account is enough. */
static bool is_alike(struct cli *cli, const struct shk_value *a, const struct shk_value *b)
{
	struct group *first = SHK_NEW_ARRAY(&cli->arena, MOST_GROUPS, struct group);
	struct group *second = SHK_NEW_ARRAY(&cli->arena, MOST_GROUPS, struct group);
	size_t n = group_refusals(cli, a, first);

	if (group_refusals(cli, b, second) != n ||
	    !shk_str_equals(cli_scalar_at(cli, a, "node"), cli_scalar_at(cli, b, "node")))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!shk_str_equals(first[i].code, second[i].code) || first[i].n != second[i].n)
			return false;
	}
	return true;
}

static void print_all_reasons(struct cli *cli, const struct shk_value *pods)
{
	for (size_t i = 0; i < shk_value_size(pods); i++) {
		const struct shk_value *pod = shk_value_at(pods, i);

		if (i > 0 && is_alike(cli, shk_value_at(pods, i - 1), pod))
			continue;
		print_reasons(cli, pod);
	}
}

/* --- every node, for -o wide ----------------------------------------------------------------- */

static const struct cli_column node_columns[] = {
    {.title = "POD"},
    {.title = "NODE"},
    {.title = "RANK", .right = true},
    {.title = "SCORE", .right = true},
    {.title = "CODE"},
    {.title = "CLASS"},
    {.title = "DETAIL"},
};

static void add_nodes(struct cli *cli, struct cli_table *table, const struct shk_value *pod)
{
	const struct shk_value *nodes = shk_value_get(pod, "nodes");

	for (size_t i = 0; i < shk_value_size(nodes); i++) {
		const struct shk_value *node = shk_value_at(nodes, i);
		const char *cells[] = {
		    pod_name(cli, pod),
		    cli_scalar_at(cli, node, "name"),
		    cli_scalar_at(cli, node, "rank"),
		    cli_scalar_at(cli, node, "score"),
		    cli_scalar_at(cli, node, "code"),
		    cli_scalar_at(cli, node, "class"),
		    cli_scalar_at(cli, node, "detail"),
		};

		cli_table_row(cli, table, cells[1], cells);
	}
}

static void print_nodes(struct cli *cli, const struct shk_value *pods)
{
	struct cli_table table = {.kind = "node",
				  .columns = node_columns,
				  .n_columns = sizeof node_columns / sizeof node_columns[0]};

	for (size_t i = 0; i < shk_value_size(pods); i++)
		add_nodes(cli, &table, shk_value_at(pods, i));
	shk_buf_putc(&cli->out, '\n');
	if (table.n_rows > 0)
		cli_table_print(cli, &table);
}

/* --- quota, caveats -------------------------------------------------------------------------- */

static const struct cli_column quota_columns[] = {
    {.title = "TENANT"},
    {.title = "UNIT"},
    {.title = "USED", .right = true},
    {.title = "AFTER", .right = true},
    {.title = "GUARANTEED", .right = true},
    {.title = "CEILING", .right = true},
    {.title = "", .picture = true},
};

static void print_quota(struct cli *cli, const struct shk_value *rows)
{
	struct cli_table table = {.kind = "quota",
				  .columns = quota_columns,
				  .n_columns = sizeof quota_columns / sizeof quota_columns[0]};

	for (size_t i = 0; i < shk_value_size(rows); i++) {
		const struct shk_value *row = shk_value_at(rows, i);
		const char *cells[] = {
		    cli_scalar_at(cli, row, "tenant"),
		    cli_scalar_at(cli, row, "unit"),
		    cli_scalar_at(cli, row, "used"),
		    cli_scalar_at(cli, row, "after"),
		    cli_scalar_at(cli, row, "guaranteed"),
		    cli_scalar_at(cli, row, "ceiling"),
		    cli_bar(cli, cli_show_number(shk_value_get(row, "after")),
			    cli_show_number(shk_value_get(row, "guaranteed")),
			    cli_show_number(shk_value_get(row, "ceiling")), BAR_CELLS),
		};

		cli_table_row(cli, &table, cells[0], cells);
	}
	if (table.n_rows == 0)
		return;
	shk_buf_putc(&cli->out, '\n');
	cli_table_print(cli, &table);
}

static void print_end(struct cli *cli, const struct shk_value *report)
{
	const struct shk_value *caveats = shk_value_get(report, "caveats");

	shk_buf_putc(&cli->out, '\n');
	cli_wrap(cli,
		 shk_arena_printf(&cli->arena, "%s: %s",
				  verdict_mark(cli, cli_scalar_at(cli, report, "verdict")),
				  cli_scalar_at(cli, report, "summary")),
		 0, cli->columns);
	for (size_t i = 0; i < shk_value_size(caveats); i++) {
		shk_buf_puts(&cli->out, CLI_DIM);
		cli_wrap(cli,
			 shk_arena_printf(&cli->arena, "note: %s",
					  cli_scalar(cli, shk_value_at(caveats, i))),
			 0, cli->columns);
		shk_buf_puts(&cli->out, CLI_PLAIN);
	}
}

void cli_print_report(struct cli *cli, const struct shk_value *report)
{
	const struct shk_value *pods = shk_value_get(report, "pods");

	if (cli->format & CLI_STRUCTURED) {
		cli_print_value(cli, report);
		return;
	}
	if (shk_value_size(pods) > 0)
		print_pods(cli, pods);
	if (cli->format != CLI_TABLE && cli->format != CLI_WIDE)
		return;
	if (cli->format == CLI_WIDE)
		print_nodes(cli, pods);
	else
		print_all_reasons(cli, pods);
	print_quota(cli, shk_value_get(report, "quota"));
	print_end(cli, report);
}
