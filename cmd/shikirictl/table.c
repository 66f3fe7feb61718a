#include "table.h"

#include <string.h>

#include "style.h"

void cli_table_row(struct cli *cli, struct cli_table *table, const char *name,
		   const char *const *cells)
{
	if (table->n_rows == table->capacity) {
		size_t capacity = table->capacity ? 2 * table->capacity : 16;
		const char **grown =
		    SHK_NEW_ARRAY(&cli->arena, capacity * table->n_columns, const char *);
		const char **names = SHK_NEW_ARRAY(&cli->arena, capacity, const char *);

		if (table->n_rows > 0) {
			memcpy(grown, table->cells,
			       table->n_rows * table->n_columns * sizeof grown[0]);
			memcpy(names, table->names, table->n_rows * sizeof names[0]);
		}
		table->cells = grown;
		table->names = names;
		table->capacity = capacity;
	}
	memcpy(table->cells + table->n_rows * table->n_columns, cells,
	       table->n_columns * sizeof cells[0]);
	table->names[table->n_rows] = name;
	table->n_rows++;
}

static const char *cell_at(const struct cli_table *table, size_t row, size_t column)
{
	const char *cell = table->cells[row * table->n_columns + column];

	return cell ? cell : "";
}

static bool is_shown(const struct cli *cli, const struct cli_column *column)
{
	bool for_people = cli->format == CLI_TABLE || cli->format == CLI_WIDE;

	if (column->picture && !for_people)
		return false;
	return !column->wide || cli->format == CLI_WIDE || cli->format == CLI_CSV;
}

static void pad(struct shk_buf *out, size_t n)
{
	while (n-- > 0)
		shk_buf_putc(out, ' ');
}

/* --- for people ------------------------------------------------------------------------------ */

static size_t column_width(const struct cli *cli, const struct cli_table *table, size_t column)
{
	size_t width = cli->no_headers ? 0 : cli_width(table->columns[column].title);

	if (width == 0)
		width = 1; /* for the dash of an empty cell */
	for (size_t row = 0; row < table->n_rows; row++) {
		size_t cell = cli_width(cell_at(table, row, column));

		if (cell > width)
			width = cell;
	}
	return width;
}

/* The last column shown; it isn't padded. */
static size_t last_shown(const struct cli *cli, const struct cli_table *table)
{
	size_t last = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		if (is_shown(cli, &table->columns[i]))
			last = i;
	}
	return last;
}

static void print_aligned_row(struct cli *cli, const struct cli_table *table, const size_t *widths,
			      const char *const *cells, const char *absent)
{
	size_t last = last_shown(cli, table);

	for (size_t i = 0; i <= last; i++) {
		const struct cli_column *column = &table->columns[i];
		const char *cell = cells[i] && cells[i][0] != '\0' ? cells[i] : absent;

		if (!is_shown(cli, column))
			continue;

		size_t space = widths[i] - cli_width(cell);

		if (column->right)
			pad(&cli->out, space);
		shk_buf_puts(&cli->out, cell);
		if (i == last)
			break;
		if (!column->right)
			pad(&cli->out, space);
		pad(&cli->out, 2);
	}
	while (cli->out.data[cli->out.len - 1] == ' ')
		cli->out.len--;
	shk_buf_putc(&cli->out, '\n');
}

static void print_aligned(struct cli *cli, const struct cli_table *table)
{
	size_t *widths = SHK_NEW_ARRAY(&cli->arena, table->n_columns, size_t);
	const char **titles = SHK_NEW_ARRAY(&cli->arena, table->n_columns, const char *);

	for (size_t i = 0; i < table->n_columns; i++) {
		widths[i] = column_width(cli, table, i);
		titles[i] = table->columns[i].title;
	}
	if (!cli->no_headers) {
		shk_buf_puts(&cli->out, CLI_BOLD);
		print_aligned_row(cli, table, widths, titles, "");
		shk_buf_puts(&cli->out, CLI_PLAIN);
	}
	for (size_t row = 0; row < table->n_rows; row++)
		print_aligned_row(cli, table, widths, table->cells + row * table->n_columns, "-");
}

/* --- for programs ---------------------------------------------------------------------------- */

static void csv_cell(struct shk_buf *out, const char *cell)
{
	if (!strpbrk(cell, "\",\r\n")) {
		shk_buf_puts(out, cell);
		return;
	}
	shk_buf_putc(out, '"');
	for (; *cell != '\0'; cell++) {
		if (*cell == '"')
			shk_buf_putc(out, '"');
		shk_buf_putc(out, *cell);
	}
	shk_buf_putc(out, '"');
}

static void markdown_cell(struct shk_buf *out, const char *cell)
{
	for (; *cell != '\0'; cell++) {
		if (*cell == '|')
			shk_buf_putc(out, '\\');
		shk_buf_putc(out, *cell);
	}
}

static void print_separated_row(struct cli *cli, const struct cli_table *table,
				const char *const *cells)
{
	bool csv = cli->format == CLI_CSV;
	bool first = true;

	for (size_t i = 0; i < table->n_columns; i++) {
		if (!is_shown(cli, &table->columns[i]))
			continue;
		if (csv) {
			shk_buf_puts(&cli->out, first ? "" : ",");
			csv_cell(&cli->out, cells[i] ? cells[i] : "");
		} else {
			shk_buf_puts(&cli->out, first ? "| " : " | ");
			markdown_cell(&cli->out, cells[i] ? cells[i] : "");
		}
		first = false;
	}
	shk_buf_puts(&cli->out, csv ? "\n" : " |\n");
}

static void print_markdown_rule(struct cli *cli, const struct cli_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		if (is_shown(cli, &table->columns[i]))
			shk_buf_puts(&cli->out, table->columns[i].right ? "|---:" : "|---");
	}
	shk_buf_puts(&cli->out, "|\n");
}

static void print_separated(struct cli *cli, const struct cli_table *table)
{
	const char **titles = SHK_NEW_ARRAY(&cli->arena, table->n_columns, const char *);

	for (size_t i = 0; i < table->n_columns; i++)
		titles[i] = table->columns[i].title;
	if (!cli->no_headers) {
		print_separated_row(cli, table, titles);
		if (cli->format == CLI_MARKDOWN)
			print_markdown_rule(cli, table);
	}
	for (size_t row = 0; row < table->n_rows; row++)
		print_separated_row(cli, table, table->cells + row * table->n_columns);
}

void cli_table_print(struct cli *cli, const struct cli_table *table)
{
	if (table->n_rows == 0 && (cli->format == CLI_TABLE || cli->format == CLI_WIDE)) {
		cli_say("nothing to list");
		return;
	}
	if (cli->format == CLI_NAMES) {
		for (size_t row = 0; row < table->n_rows; row++)
			shk_buf_printf(&cli->out, "%s/%s\n", table->kind, table->names[row]);
		return;
	}
	if (cli->format == CLI_CSV || cli->format == CLI_MARKDOWN)
		print_separated(cli, table);
	else
		print_aligned(cli, table);
}

/* --- bars ------------------------------------------------------------------------------------ */

static size_t cells_of(double amount, double whole, size_t width)
{
	if (whole <= 0 || amount <= 0)
		return 0;

	double cells = amount / whole * (double)width + 0.5;

	return cells >= (double)width ? width : (size_t)cells;
}

/* The cells from one end to another, full ones first, in one colour. */
static void add_cells(struct cli *cli, struct shk_buf *bar, const char *style, size_t n,
		      size_t full)
{
	const char *full_cell = cli->unicode ? "\xe2\x96\x88" : "#";
	const char *free_cell = cli->unicode ? "\xc2\xb7" : ".";

	shk_buf_puts(bar, style);
	for (size_t i = 0; i < n; i++)
		shk_buf_puts(bar, i < full ? full_cell : free_cell);
	shk_buf_puts(bar, CLI_PLAIN);
}

const char *cli_bar(struct cli *cli, double used, double guaranteed, double ceiling, size_t width)
{
	double most = used > guaranteed ? used : guaranteed;
	double whole = ceiling > 0 ? ceiling : most;
	size_t full = cells_of(used, whole, width);
	size_t mark = cells_of(guaranteed, whole, width);
	struct shk_buf bar = {0};

	if (mark == 0) {
		add_cells(cli, &bar, CLI_GOOD, width, full);
	} else {
		add_cells(cli, &bar, CLI_GOOD, mark, full);
		shk_buf_putc(&bar, '|');
		add_cells(cli, &bar, CLI_WARN, width - mark, full > mark ? full - mark : 0);
	}

	const char *text = shk_arena_strndup(&cli->arena, bar.data, bar.len);

	shk_buf_fini(&bar);
	return text;
}
