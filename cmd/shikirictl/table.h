/* table.h - rows under titles: aligned for people, CSV or Markdown for other programs. */
#ifndef SHIKIRICTL_TABLE_H
#define SHIKIRICTL_TABLE_H

#include "cli.h"

struct cli_column {
	const char *title;
	bool wide;    /* in -o wide and csv only */
	bool right;   /* numbers */
	bool picture; /* for people only */
};

struct cli_table {
	const char *kind; /* for -o name: "node" */
	const struct cli_column *columns;
	size_t n_columns;
	const char **cells;
	const char **names; /* of the rows, for -o name */
	size_t n_rows;
	size_t capacity;
};

/* cells: n_columns strings, borrowed until printed; NULL or "" prints as "-" for people. */
void cli_table_row(struct cli *cli, struct cli_table *table, const char *name,
		   const char *const *cells);
/* In the format of cli; nothing but a word on stderr when there are no rows. */
void cli_table_print(struct cli *cli, const struct cli_table *table);

/* used of ceiling as width cells, with a mark at guaranteed: "######|..". Amounts in any unit;
 * ceiling 0: scaled to the largest of the two others. */
const char *cli_bar(struct cli *cli, double used, double guaranteed, double ceiling, size_t width);

#endif
