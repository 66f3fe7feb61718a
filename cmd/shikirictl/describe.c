#include "client.h"
#include "show.h"
#include "style.h"
#include "table.h"
#include "verbs.h"

#define BAR_CELLS 24
#define LABEL     "  " CLI_DIM "%-14s" CLI_PLAIN " %s\n"

static void line(struct cli *cli, const char *label, const char *text)
{
	if (text[0] != '\0')
		shk_buf_printf(&cli->out, LABEL, label, text);
}

static void heading(struct cli *cli, const char *text)
{
	shk_buf_printf(&cli->out, "\n" CLI_BOLD "%s" CLI_PLAIN "\n", text);
}

static const char *joined(struct cli *cli, const struct shk_value *list)
{
	const char *text = "";

	for (size_t i = 0; i < shk_value_size(list); i++)
		text = shk_arena_printf(&cli->arena, "%s%s%s", text, i > 0 ? ", " : "",
					cli_scalar(cli, shk_value_at(list, i)));
	return text;
}

/* --- pods of a node or tenant ---------------------------------------------------------------- */

static const struct cli_column pod_columns[] = {
    {.title = "NAMESPACE"}, {.title = "NAME"},  {.title = "TENANT"},    {.title = "NODE"},
    {.title = "RESOURCES"}, {.title = "CLASS"}, {.title = "ISOLATION"}, {.title = "AGE"},
};

static enum cli_exit print_pods(struct cli *cli, const char *key, const char *name)
{
	const struct shk_value *list = NULL;
	struct cli_table table = {.kind = "allocation", .columns = pod_columns, .n_columns = 8};
	size_t n = 0;
	enum cli_exit exit = cli_get_list(
	    cli,
	    shk_arena_printf(&cli->arena, CLI_API "/allocations?%s=%s", key, cli_escape(cli, name)),
	    &list);

	if (exit != CLI_OK)
		return exit;

	const struct shk_value **allocs = cli_show_by_name(cli, list, &n);

	for (size_t i = 0; i < n; i++) {
		const char *cells[] = {
		    cli_scalar_at(cli, allocs[i], "namespace"),
		    cli_scalar_at(cli, allocs[i], "name"),
		    cli_scalar_at(cli, allocs[i], "tenant"),
		    cli_scalar_at(cli, allocs[i], "node"),
		    cli_show_resources(cli, shk_value_get(allocs[i], "resources")),
		    cli_scalar_at(cli, allocs[i], "quotaClass"),
		    cli_scalar_at(cli, allocs[i], "isolation"),
		    cli_show_age(cli, shk_value_get(allocs[i], "since")),
		};

		cli_table_row(cli, &table, cells[1], cells);
	}
	heading(cli, shk_arena_printf(&cli->arena, "GPU pods: %zu", n));
	if (n > 0)
		cli_table_print(cli, &table);
	return CLI_OK;
}

/* --- node ------------------------------------------------------------------------------------ */

/* "mig", "shared, mps, disguised" and who may enter. */
static const char *pool_note(struct cli *cli, const struct shk_value *pool)
{
	const char *kind = cli_scalar_at(cli, pool, "kind");
	const char *owner = cli_scalar_at(cli, pool, "owner");
	const char *access =
	    owner[0] != '\0'
		? shk_arena_printf(&cli->arena, "%s's, closed to other trust domains", owner)
		: "empty, the first one in takes it for its trust domain";

	if (!shk_str_starts(kind, "shared"))
		return kind;
	if (shk_value_bool(shk_value_get(pool, "mixed"), false))
		access = "several trust domains are in it, so it admits nobody";
	return shk_arena_printf(
	    &cli->arena, "%s, %s%s: %s", kind, cli_scalar_at(cli, pool, "sharing"),
	    shk_value_bool(shk_value_get(pool, "disguised"), false) ? ", disguised" : "", access);
}

static const char *pool_counts(struct cli *cli, const struct shk_value *pool)
{
	const char *all = cli_scalar_at(cli, pool, "allocatable");

	if (shk_str_equals(all, "0"))
		return shk_arena_printf(&cli->arena, "none of %s available, %s in use",
					cli_scalar_at(cli, pool, "capacity"),
					cli_scalar_at(cli, pool, "used"));
	return shk_arena_printf(&cli->arena, "%s of %s used, %s free",
				cli_scalar_at(cli, pool, "used"), all,
				cli_scalar_at(cli, pool, "free"));
}

static void print_pool(struct cli *cli, const struct shk_value *pool)
{
	double used = cli_show_number(shk_value_get(pool, "used"));
	double all = cli_show_number(shk_value_get(pool, "allocatable"));
	int64_t deficit = shk_value_int(shk_value_get(pool, "deficit"), 0);

	shk_buf_printf(&cli->out, "  %-24s %s  %s\n  " CLI_DIM "%-24s %s" CLI_PLAIN "\n",
		       cli_scalar_at(cli, pool, "resource"), cli_bar(cli, used, 0, all, BAR_CELLS),
		       pool_counts(cli, pool), "", pool_note(cli, pool));
	if (deficit > 0)
		shk_buf_printf(&cli->out, "  %-24s %lld more in use than the node has left\n", "",
			       (long long)deficit);
}

static enum cli_exit describe_node(struct cli *cli, const char *name)
{
	const struct shk_value *node = NULL;
	enum cli_exit exit = cli_get(
	    cli, shk_arena_printf(&cli->arena, CLI_API "/nodes/%s", cli_escape(cli, name)), &node);

	if (exit != CLI_OK)
		return exit;
	if (cli->format & CLI_STRUCTURED) {
		cli_print_value(cli, node);
		return CLI_OK;
	}

	const struct shk_value *pools = shk_value_path(node, "status.pools");
	const char *fence = cli_scalar_at(cli, node, "status.fence");

	shk_buf_printf(&cli->out, CLI_BOLD "Node %s" CLI_PLAIN "\n",
		       cli_scalar_at(cli, node, "metadata.name"));
	line(cli, "Product", cli_scalar_at(cli, node, "status.product"));
	line(cli, "MIG strategy", cli_scalar_at(cli, node, "status.strategy"));
	line(cli, "State", cli_show_state_mark(cli, node));
	if (fence[0] != '\0')
		line(cli, "",
		     shk_arena_printf(&cli->arena, "%s; `%s explain reason %s`", fence, CLI_NAME,
				      fence));
	line(cli, "Contradiction", cli_scalar_at(cli, node, "status.contradiction"));
	heading(cli, "Pools");
	for (size_t i = 0; i < shk_value_size(pools); i++) {
		if (cli_show_has_pool(shk_value_at(pools, i)))
			print_pool(cli, shk_value_at(pools, i));
	}
	return print_pods(cli, "node", name);
}

/* --- tenant ---------------------------------------------------------------------------------- */

static const struct cli_column quota_columns[] = {
    {.title = "UNIT"},
    {.title = "USED", .right = true},
    {.title = "GUARANTEED", .right = true},
    {.title = "CEILING", .right = true},
    {.title = "LENDABLE", .right = true},
    {.title = "BORROWED", .right = true},
    {.title = "", .picture = true},
};

static enum cli_exit print_quota(struct cli *cli, const char *name)
{
	const struct shk_value *quota = NULL;
	struct cli_table table = {.kind = "unit", .columns = quota_columns, .n_columns = 7};
	enum cli_exit exit = cli_get(
	    cli, shk_arena_printf(&cli->arena, CLI_API "/tenants/%s/quota", cli_escape(cli, name)),
	    &quota);

	if (exit != CLI_OK)
		return exit;

	const struct shk_value *units = shk_value_get(quota, "spec");

	for (size_t i = 0; i < shk_value_size(units); i++) {
		const char *unit = NULL;
		const struct shk_value *spec = shk_value_member(units, i, &unit);
		const struct shk_value *status =
		    shk_value_get(shk_value_get(quota, "status"), unit);
		const char *cells[] = {
		    unit,
		    cli_scalar_at(cli, status, "used"),
		    cli_scalar_at(cli, spec, "guaranteed"),
		    cli_scalar_at(cli, spec, "ceiling"),
		    cli_scalar_at(cli, spec, "lendable"),
		    cli_scalar_at(cli, status, "borrowed"),
		    cli_bar(cli, cli_show_number(shk_value_get(status, "used")),
			    cli_show_number(shk_value_get(spec, "guaranteed")),
			    cli_show_number(shk_value_get(spec, "ceiling")), BAR_CELLS),
		};

		cli_table_row(cli, &table, unit, cells);
	}
	heading(cli, "Quota");
	if (table.n_rows > 0)
		cli_table_print(cli, &table);
	else
		shk_buf_puts(&cli->out, "  none: limited by what there is only\n");
	return CLI_OK;
}

static enum cli_exit describe_tenant(struct cli *cli, const char *name)
{
	const struct shk_value *tenant = NULL;
	enum cli_exit exit = cli_get(
	    cli, shk_arena_printf(&cli->arena, CLI_API "/tenants/%s", cli_escape(cli, name)),
	    &tenant);

	if (exit != CLI_OK)
		return exit;
	if (cli->format & CLI_STRUCTURED) {
		cli_print_value(cli, tenant);
		return CLI_OK;
	}

	const char *domain = cli_scalar_at(cli, tenant, "spec.trustDomain");

	shk_buf_printf(&cli->out, CLI_BOLD "Tenant %s" CLI_PLAIN "\n", name);
	line(cli, "Display name", cli_scalar_at(cli, tenant, "spec.displayName"));
	line(cli, "Trust domain", domain[0] != '\0' ? domain : name);
	line(cli, "Namespaces", joined(cli, shk_value_path(tenant, "status.namespaces")));
	line(cli, "Isolation", cli_scalar_at(cli, tenant, "spec.isolation"));
	line(cli, "Pods may ask", cli_scalar_at(cli, tenant, "spec.podIsolation"));
	line(cli, "Max priority", cli_scalar_at(cli, tenant, "spec.maxPriority"));
	if (shk_value_bool(shk_value_path(tenant, "spec.suspended"), false))
		line(cli, "Suspended", CLI_BAD "yes: no new GPU pods" CLI_PLAIN);
	exit = print_quota(cli, name);
	if (exit != CLI_OK)
		return exit;
	return print_pods(cli, "tenant", name);
}

static enum cli_exit run(struct cli *cli)
{
	const char *kind = cli->n_words > 0 ? cli->words[0] : "";
	bool is_node = shk_str_equals(kind, "node") || shk_str_equals(kind, "nodes");
	bool is_tenant = shk_str_equals(kind, "tenant") || shk_str_equals(kind, "tenants");

	if (!is_node && !is_tenant)
		return cli_usage(
		    "describe what? `%s describe node NAME` or `%s describe tenant NAME`", CLI_NAME,
		    CLI_NAME);
	if (cli->n_words != 2)
		return cli_usage("describe %s takes one name", kind);
	return is_node ? describe_node(cli, cli->words[1]) : describe_tenant(cli, cli->words[1]);
}

const struct cli_verb cli_verb_describe = {
    .name = "describe",
    .arguments = "node|tenant NAME",
    .summary = "everything about one node or tenant, with its pods",
    .formats = CLI_TABLE | CLI_STRUCTURED,
    .run = run,
};
