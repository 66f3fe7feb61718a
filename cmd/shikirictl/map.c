#include <string.h>

#include "shikiri/core/geometry.h"
#include "shikiri/core/resource.h"

#include "client.h"
#include "show.h"
#include "style.h"
#include "verbs.h"

#define LABEL_WIDTH  16
#define COUNT_WIDTH  19 /* with the blanks around it */
#define CARD_CELLS   7  /* of a card whose slices the table doesn't know */
#define MOST_TENANTS 36 /* letters and digits */
#define FREE_CELL    '.'
#define GONE_CELL    'x'

static const struct cli_option options[] = {
    {"node", 0, "NODE", "this node only"},
};

/* Who stands for which letter and colour. */
struct tenant {
	const char *name;
	const char *domain;
	char letter;
	char style;
};

struct map {
	struct cli *cli;
	const struct shk_value **allocs; /* by namespace and name */
	size_t n_allocs;
	struct tenant tenants[MOST_TENANTS]; /* by name */
	size_t n_tenants;
	const char *domains[MOST_TENANTS]; /* in the order of their first tenant */
	size_t n_domains;
};

/* --- letters --------------------------------------------------------------------------------- */

static bool is_taken(const struct map *map, char letter)
{
	for (size_t i = 0; i < map->n_tenants; i++) {
		if (map->tenants[i].letter == letter)
			return true;
	}
	return false;
}

/* The first letter of the name that is still free, else any. */
static char letter_for(const struct map *map, const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *candidates = shk_arena_printf(&map->cli->arena, "%s%s", name, letters);

	for (; *candidates != '\0'; candidates++) {
		bool is_small = *candidates >= 'a' && *candidates <= 'z';
		char letter = (char)(*candidates - (is_small ? 'a' - 'A' : 0));

		if (strchr(letters, letter) && !is_taken(map, letter))
			return letter;
	}
	return '?';
}

static char style_for(struct map *map, const char *domain)
{
	size_t i = 0;

	while (i < map->n_domains && !shk_str_equals(map->domains[i], domain))
		i++;
	if (i == map->n_domains)
		map->domains[map->n_domains++] = domain;
	return (char)(CLI_DOMAIN_FIRST + i % CLI_N_DOMAINS);
}

static const struct tenant *find_tenant(const struct map *map, const char *name)
{
	for (size_t i = 0; i < map->n_tenants; i++) {
		if (shk_str_equals(map->tenants[i].name, name))
			return &map->tenants[i];
	}
	return NULL;
}

/* Keeps the list sorted by name, so that the same cluster gives the same letters. */
static void add_tenant(struct map *map, const char *name, const char *domain)
{
	size_t at = map->n_tenants;

	if (at == MOST_TENANTS || find_tenant(map, name))
		return;
	for (; at > 0 && strcmp(map->tenants[at - 1].name, name) > 0; at--)
		map->tenants[at] = map->tenants[at - 1];
	map->tenants[at] = (struct tenant){.name = name, .domain = domain};
	map->n_tenants++;
}

static void name_tenants(struct map *map)
{
	for (size_t i = 0; i < map->n_allocs; i++)
		add_tenant(map, cli_scalar_at(map->cli, map->allocs[i], "tenant"),
			   cli_scalar_at(map->cli, map->allocs[i], "trustDomain"));
	for (size_t i = 0; i < map->n_tenants; i++) {
		map->tenants[i].letter = letter_for(map, map->tenants[i].name);
		map->tenants[i].style = style_for(map, map->tenants[i].domain);
	}
}

/* --- cells ----------------------------------------------------------------------------------- */

/* Cells of one unit, to scale: compute slices; a share has no size of its own. */
static size_t unit_cells(struct cli *cli, const struct shk_value *node,
			 const struct shk_value *pool)
{
	const char *kind = cli_scalar_at(cli, pool, "kind");
	struct shk_resource name = shk_resource_parse(cli_scalar_at(cli, pool, "resource"));
	const struct shk_product_row *product =
	    shk_product_find(cli_scalar_at(cli, node, "status.product"));

	if (shk_str_equals(kind, "card"))
		return product && product->compute > 0 ? (size_t)product->compute : CARD_CELLS;
	if (shk_str_equals(kind, "mig") && name.kind == SHK_RESOURCE_IS_MIG && name.compute > 0)
		return (size_t)name.compute;
	return 1;
}

static void add_unit(struct shk_buf *out, char cell, size_t width)
{
	if (width > 1 && out->len > 0)
		shk_buf_putc(out, ' ');
	while (width-- > 0)
		shk_buf_putc(out, cell);
}

static int64_t count_of(const struct shk_value *alloc, const char *resource)
{
	return shk_value_int(shk_value_get(shk_value_get(alloc, "resources"), resource), 0);
}

/* One letter a cell: units in use by tenant, then the free ones, then those that are gone. */
static void fill_cells(const struct map *map, const struct shk_value *node,
		       const struct shk_value *pool, size_t width, struct shk_buf *out)
{
	const char *name = shk_value_string_at(node, "metadata.name");
	const char *resource = shk_value_string_at(pool, "resource");
	int64_t gone = shk_value_int(shk_value_get(pool, "capacity"), 0) -
		       shk_value_int(shk_value_get(pool, "allocatable"), 0);

	for (size_t t = 0; t < map->n_tenants; t++) {
		for (size_t i = 0; i < map->n_allocs; i++) {
			const struct shk_value *alloc = map->allocs[i];

			if (!shk_str_equals(shk_value_string_at(alloc, "node"), name) ||
			    !shk_str_equals(shk_value_string_at(alloc, "tenant"),
					    map->tenants[t].name))
				continue;
			for (int64_t n = count_of(alloc, resource); n > 0; n--)
				add_unit(out, map->tenants[t].letter, width);
		}
	}
	for (int64_t n = shk_value_int(shk_value_get(pool, "free"), 0); n > 0; n--)
		add_unit(out, FREE_CELL, width);
	for (; gone > 0; gone--)
		add_unit(out, GONE_CELL, width);
}

static char style_of_cell(const struct map *map, char cell)
{
	if (cell == GONE_CELL)
		return CLI_BAD[0];
	for (size_t i = 0; i < map->n_tenants; i++) {
		if (map->tenants[i].letter == cell)
			return map->tenants[i].style;
	}
	return CLI_PLAIN[0];
}

/* Runs of one colour begin and end with a style byte. */
static void print_cells(const struct map *map, const char *cells, size_t len)
{
	struct shk_buf *out = &map->cli->out;
	const char plain = CLI_PLAIN[0];
	char style = plain;

	for (size_t i = 0; i < len; i++) {
		char wanted = style_of_cell(map, cells[i]);

		if (wanted != style && style != plain)
			shk_buf_putc(out, plain);
		if (wanted != style && wanted != plain)
			shk_buf_putc(out, wanted);
		style = wanted;
		if (cells[i] == FREE_CELL && map->cli->unicode)
			shk_buf_puts(out, "\xc2\xb7");
		else
			shk_buf_putc(out, cells[i]);
	}
	if (style != plain)
		shk_buf_putc(out, plain);
}

/* --- nodes ----------------------------------------------------------------------------------- */

/* Who may still enter, of pools without walls inside. */
static const char *owner_note(struct cli *cli, const struct shk_value *pool)
{
	const char *owner = cli_scalar_at(cli, pool, "owner");

	if (!shk_str_starts(cli_scalar_at(cli, pool, "kind"), "shared"))
		return "";
	if (shk_value_bool(shk_value_get(pool, "mixed"), false))
		return ", closed: several domains";
	return owner[0] != '\0' ? shk_arena_printf(&cli->arena, ", only %s", owner) : ", open";
}

static const char *count_note(struct cli *cli, const struct shk_value *pool)
{
	const char *all = cli_scalar_at(cli, pool, "allocatable");

	if (shk_str_equals(all, "0"))
		return shk_arena_printf(&cli->arena, "none of %s",
					cli_scalar_at(cli, pool, "capacity"));
	return shk_arena_printf(&cli->arena, "%s of %s free", cli_scalar_at(cli, pool, "free"),
				all);
}

static void print_pool(const struct map *map, const struct shk_value *node,
		       const struct shk_value *pool, size_t room)
{
	struct cli *cli = map->cli;
	struct shk_buf cells = {0};
	const char *note = owner_note(cli, pool);
	size_t note_width = cli_width(note);

	shk_buf_printf(&cli->out, "  %-*s ", LABEL_WIDTH, cli_show_pool(cli, pool));
	fill_cells(map, node, pool, unit_cells(cli, node, pool), &cells);
	if (cells.len > room) {
		shk_buf_clear(&cells);
		fill_cells(map, node, pool, 1, &cells);
	}
	if (cells.len > room)
		shk_buf_clear(&cells);
	if (cells.len > 0)
		print_cells(map, cells.data, cells.len);
	for (size_t i = cells.len; i + note_width < room; i++)
		shk_buf_putc(&cli->out, ' ');
	shk_buf_printf(&cli->out, "  %s%s\n", count_note(cli, pool), note);
	shk_buf_fini(&cells);
}

/* The widest row of cells over all nodes, within what the terminal has. */
static size_t cells_width(const struct map *map, const struct shk_value *nodes)
{
	size_t most = map->cli->columns - LABEL_WIDTH - COUNT_WIDTH;
	size_t width = 20;

	for (size_t i = 0; i < shk_value_size(nodes); i++) {
		const struct shk_value *node = shk_value_at(nodes, i);
		const struct shk_value *pools = shk_value_path(node, "status.pools");

		for (size_t p = 0; p < shk_value_size(pools); p++) {
			const struct shk_value *pool = shk_value_at(pools, p);
			size_t unit = unit_cells(map->cli, node, pool);
			size_t n = (size_t)shk_value_int(shk_value_get(pool, "capacity"), 0);
			size_t needed = n * (unit > 1 ? unit + 1 : 1);

			if (needed > width)
				width = needed;
		}
	}
	return width < most ? width : most;
}

static bool has_pools(const struct shk_value *node)
{
	const struct shk_value *pools = shk_value_path(node, "status.pools");

	for (size_t i = 0; i < shk_value_size(pools); i++) {
		if (cli_show_has_pool(shk_value_at(pools, i)))
			return true;
	}
	return false;
}

static void print_node(const struct map *map, const struct shk_value *node, size_t room)
{
	struct cli *cli = map->cli;
	const struct shk_value *pools = shk_value_path(node, "status.pools");

	shk_buf_printf(&cli->out, CLI_BOLD "%s" CLI_PLAIN "  %s  %s\n",
		       cli_scalar_at(cli, node, "metadata.name"), cli_show_product(cli, node),
		       cli_show_state_mark(cli, node));
	for (size_t i = 0; i < shk_value_size(pools); i++) {
		if (cli_show_has_pool(shk_value_at(pools, i)))
			print_pool(map, node, shk_value_at(pools, i), room);
	}
}

static void print_legend(const struct map *map)
{
	struct cli *cli = map->cli;

	shk_buf_putc(&cli->out, '\n');
	for (size_t d = 0; d < map->n_domains; d++) {
		shk_buf_printf(&cli->out, "%s%s:", d > 0 ? "   " : "",
			       map->domains[d][0] != '\0' ? map->domains[d] : "infrastructure");
		for (size_t i = 0; i < map->n_tenants; i++) {
			if (!shk_str_equals(map->tenants[i].domain, map->domains[d]))
				continue;
			shk_buf_printf(&cli->out, " %c%c" CLI_PLAIN " %s", map->tenants[i].style,
				       map->tenants[i].letter, map->tenants[i].name);
		}
	}
	shk_buf_printf(&cli->out, "%s%s free   " CLI_BAD "x" CLI_PLAIN " not available\n",
		       map->n_domains > 0 ? "   " : "", cli->unicode ? "\xc2\xb7" : ".");
	shk_buf_puts(&cli->out, CLI_DIM
		     "A slice is as wide as its share of a card; a shared replica is "
		     "one mark. Which card serves it is\nthe device plugin's choice." CLI_PLAIN
		     "\n");
}

static enum cli_exit load(struct map *map, const struct shk_value **ret_nodes)
{
	struct cli *cli = map->cli;
	const char *name = cli_value(cli, "node");
	const struct shk_value *allocs = NULL;
	const char *escaped = name ? cli_escape(cli, name) : NULL;
	enum cli_exit exit =
	    name ? cli_get(cli, shk_arena_printf(&cli->arena, CLI_API "/nodes/%s", escaped),
			   ret_nodes)
		 : cli_get_list(cli, CLI_API "/nodes", ret_nodes);

	if (exit == CLI_OK)
		exit = cli_get_list(
		    cli,
		    name ? shk_arena_printf(&cli->arena, CLI_API "/allocations?node=%s", escaped)
			 : CLI_API "/allocations",
		    &allocs);
	if (exit == CLI_OK)
		map->allocs = cli_show_by_name(cli, allocs, &map->n_allocs);
	return exit;
}

static enum cli_exit run(struct cli *cli)
{
	struct map *map = SHK_NEW(&cli->arena, struct map);
	const struct shk_value *answer = NULL;

	map->cli = cli;
	if (cli->n_words > 0)
		return cli_usage("map takes no \"%s\"; one node is --node NODE", cli->words[0]);

	enum cli_exit exit = load(map, &answer);

	if (exit != CLI_OK)
		return exit;
	name_tenants(map);

	const struct shk_value *nodes = shk_value_get(answer, "items");
	size_t room = cells_width(map, nodes);
	size_t n = 0;

	if (!nodes && has_pools(answer)) {
		print_node(map, answer, cli->columns - LABEL_WIDTH - COUNT_WIDTH);
		n++;
	}
	for (size_t i = 0; i < shk_value_size(nodes); i++) {
		if (!has_pools(shk_value_at(nodes, i)))
			continue;
		print_node(map, shk_value_at(nodes, i), room);
		n++;
	}
	if (n > 0)
		print_legend(map);
	else
		cli_say("no GPUs here");
	return CLI_OK;
}

const struct cli_verb cli_verb_map = {
    .name = "map",
    .arguments = "[--node NODE]",
    .summary = "a picture of every card, slice and share: whose it is and what is free",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .formats = CLI_TABLE,
    .run = run,
};
