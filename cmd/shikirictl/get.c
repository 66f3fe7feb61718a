#include "client.h"
#include "show.h"
#include "style.h"
#include "table.h"
#include "verbs.h"

#define BAR_CELLS 20
#define N(array)  (sizeof(array) / sizeof(array)[0])

static const struct cli_option options[] = {
    {"tenant", 0, "TENANT", "allocations of this tenant only"},
    {"node", 0, "NODE", "allocations on this node only"},
    {"state", 0, "STATE", "allocations in this state only (reserved, unknown, bound, foreign)"},
};

struct listing {
	const char *plural;
	const char *singular;
	const char *path;
	const char *one; /* path of one object, before and after its name; NULL: no such */
	const char *one_after;
	const struct cli_column *columns;
	size_t n_columns;
	void (*add)(struct cli *cli, struct cli_table *table, const struct shk_value *item);
};

static const char *name_of(struct cli *cli, const struct shk_value *item)
{
	return cli_scalar_at(cli, item, "metadata.name");
}

static const struct shk_value *unit_at(const struct shk_value *object, const char *section,
				       const char *unit)
{
	return shk_value_get(shk_value_get(object, section), unit);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static const struct cli_column node_columns[] = {
    {.title = "NAME"},
    {.title = "PRODUCT"},
    {.title = "KIND"},
    {.title = "POOLS free/all"},
    {.title = "OWNER"},
    {.title = "STATE"},
    {.title = "STRATEGY", .wide = true},
    {.title = "DETAIL", .wide = true},
};

static const char *pools_of(struct cli *cli, const struct shk_value *node)
{
	const struct shk_value *pools = shk_value_path(node, "status.pools");
	const char *text = "";

	for (size_t i = 0; i < shk_value_size(pools); i++) {
		const struct shk_value *pool = shk_value_at(pools, i);

		if (!cli_show_has_pool(pool))
			continue;
		text =
		    shk_arena_printf(&cli->arena, "%s%s%s %s/%s", text, text[0] != '\0' ? ", " : "",
				     cli_show_pool(cli, pool), cli_scalar_at(cli, pool, "free"),
				     cli_scalar_at(cli, pool, "allocatable"));
	}
	return text;
}

static void add_node(struct cli *cli, struct cli_table *table, const struct shk_value *node)
{
	const char *cells[] = {
	    name_of(cli, node),
	    cli_show_product(cli, node),
	    cli_show_kinds(cli, node),
	    pools_of(cli, node),
	    cli_show_owners(cli, node),
	    cli_show_state(cli, node),
	    cli_scalar_at(cli, node, "status.strategy"),
	    cli_scalar_at(cli, node, "status.contradiction"),
	};

	cli_table_row(cli, table, cells[0], cells);
}

/* --- quotas ---------------------------------------------------------------------------------- */

static const struct cli_column quota_columns[] = {
    {.title = "TENANT"},
    {.title = "UNIT"},
    {.title = "USED", .right = true},
    {.title = "GUARANTEED", .right = true},
    {.title = "CEILING", .right = true},
    {.title = "BORROWED", .right = true},
    {.title = "", .picture = true},
    {.title = "LENDABLE", .right = true, .wide = true},
    {.title = "LENT", .right = true, .wide = true},
    {.title = "DELIVERABLE", .right = true, .wide = true},
};

static void add_quota_unit(struct cli *cli, struct cli_table *table, const struct shk_value *quota,
			   const char *unit)
{
	const struct shk_value *spec = unit_at(quota, "spec", unit);
	const struct shk_value *status = unit_at(quota, "status", unit);
	const char *cells[] = {
	    name_of(cli, quota),
	    unit,
	    cli_scalar_at(cli, status, "used"),
	    cli_scalar_at(cli, spec, "guaranteed"),
	    cli_scalar_at(cli, spec, "ceiling"),
	    cli_scalar_at(cli, status, "borrowed"),
	    cli_bar(cli, cli_show_number(shk_value_get(status, "used")),
		    cli_show_number(shk_value_get(spec, "guaranteed")),
		    cli_show_number(shk_value_get(spec, "ceiling")), BAR_CELLS),
	    cli_scalar_at(cli, spec, "lendable"),
	    cli_scalar_at(cli, status, "lent"),
	    cli_scalar_at(cli, status, "deliverable"),
	};

	cli_table_row(cli, table, cells[0], cells);
}

static void add_quota(struct cli *cli, struct cli_table *table, const struct shk_value *quota)
{
	const struct shk_value *spec = shk_value_get(quota, "spec");
	const char *unit = NULL;

	for (size_t i = 0; i < shk_value_size(spec); i++) {
		(void)shk_value_member(spec, i, &unit);
		add_quota_unit(cli, table, quota, unit);
	}
}

/* --- tenants --------------------------------------------------------------------------------- */

static const struct cli_column tenant_columns[] = {
    {.title = "NAME"},
    {.title = "TRUST DOMAIN"},
    {.title = "NAMESPACES"},
    {.title = "PODS", .right = true},
    {.title = "GPUS", .right = true},
    {.title = "STATE"},
    {.title = "ISOLATION", .wide = true},
    {.title = "MAX PRIORITY", .wide = true, .right = true},
    {.title = "DISPLAY NAME", .wide = true},
};

static const char *joined(struct cli *cli, const struct shk_value *list)
{
	const char *text = "";

	for (size_t i = 0; i < shk_value_size(list); i++)
		text = shk_arena_printf(&cli->arena, "%s%s%s", text, i > 0 ? "," : "",
					cli_scalar(cli, shk_value_at(list, i)));
	return text;
}

static const char *tenant_state(const struct shk_value *tenant)
{
	if (shk_value_bool(shk_value_path(tenant, "spec.suspended"), false))
		return "suspended";
	if (shk_value_size(shk_value_path(tenant, "status.overCeiling")) > 0 ||
	    shk_value_bool(shk_value_path(tenant, "status.overCeiling"), false))
		return "over ceiling";
	return "active";
}

static void add_tenant(struct cli *cli, struct cli_table *table, const struct shk_value *tenant)
{
	const char *domain = cli_scalar_at(cli, tenant, "spec.trustDomain");
	const char *cells[] = {
	    name_of(cli, tenant),
	    domain[0] != '\0' ? domain : name_of(cli, tenant),
	    joined(cli, shk_value_path(tenant, "status.namespaces")),
	    cli_scalar_at(cli, tenant, "status.allocations"),
	    cli_scalar_at(cli, tenant, "status.used.gpuEquivalents"),
	    tenant_state(tenant),
	    cli_scalar_at(cli, tenant, "spec.isolation"),
	    cli_scalar_at(cli, tenant, "spec.maxPriority"),
	    cli_scalar_at(cli, tenant, "spec.displayName"),
	};

	cli_table_row(cli, table, cells[0], cells);
}

/* --- allocations ----------------------------------------------------------------------------- */

static const struct cli_column allocation_columns[] = {
    {.title = "NAMESPACE"},
    {.title = "NAME"},
    {.title = "TENANT"},
    {.title = "NODE"},
    {.title = "RESOURCES"},
    {.title = "CLASS"},
    {.title = "ISOLATION"},
    {.title = "STATE"},
    {.title = "TRUST DOMAIN", .wide = true},
    {.title = "GPUS", .wide = true, .right = true},
    {.title = "PRIORITY", .wide = true, .right = true},
    {.title = "AGE", .wide = true, .right = true},
    {.title = "UID", .wide = true},
};

static void add_allocation(struct cli *cli, struct cli_table *table, const struct shk_value *alloc)
{
	const char *cells[] = {
	    cli_scalar_at(cli, alloc, "namespace"),
	    cli_scalar_at(cli, alloc, "name"),
	    cli_scalar_at(cli, alloc, "tenant"),
	    cli_scalar_at(cli, alloc, "node"),
	    cli_show_resources(cli, shk_value_get(alloc, "resources")),
	    cli_scalar_at(cli, alloc, "quotaClass"),
	    cli_scalar_at(cli, alloc, "isolation"),
	    cli_scalar_at(cli, alloc, "state"),
	    cli_scalar_at(cli, alloc, "trustDomain"),
	    cli_scalar_at(cli, alloc, "charge.gpuEquivalents"),
	    cli_scalar_at(cli, alloc, "priority"),
	    cli_show_age(cli, shk_value_get(alloc, "since")),
	    cli_scalar_at(cli, alloc, "uid"),
	};

	cli_table_row(cli, table, shk_arena_printf(&cli->arena, "%s/%s", cells[0], cells[1]),
		      cells);
}

/* --- the verb -------------------------------------------------------------------------------- */

static const struct listing listings[] = {
    {"nodes", "node", CLI_API "/nodes", CLI_API "/nodes/", "", node_columns, N(node_columns),
     add_node},
    {"tenants", "tenant", CLI_API "/tenants", CLI_API "/tenants/", "", tenant_columns,
     N(tenant_columns), add_tenant},
    {"quotas", "quota", CLI_API "/quotas", CLI_API "/tenants/", "/quota", quota_columns,
     N(quota_columns), add_quota},
    {"allocations", "allocation", CLI_API "/allocations", CLI_API "/allocations/", "",
     allocation_columns, N(allocation_columns), add_allocation},
};

static const struct listing *find_listing(const char *word)
{
	for (size_t i = 0; i < N(listings); i++) {
		if (shk_str_equals(word, listings[i].plural) ||
		    shk_str_equals(word, listings[i].singular))
			return &listings[i];
	}
	return NULL;
}

static enum cli_exit unknown_listing(const char *word)
{
	const char *names[N(listings)];

	for (size_t i = 0; i < N(listings); i++)
		names[i] = listings[i].plural;

	const char *nearest = shk_str_nearest(word, names, N(listings));

	if (nearest)
		return cli_usage("can't get \"%s\"; did you mean %s?", word, nearest);
	return cli_usage("can't get \"%s\"; it can get nodes, tenants, quotas and allocations",
			 word);
}

static const char *add_query(struct cli *cli, const char *path, const char *key, const char *value)
{
	bool first = path[0] != '\0' && !shk_str_ends(path, "&");

	if (!value)
		return path;
	return shk_arena_printf(&cli->arena, "%s%s%s=%s&", path, first ? "?" : "", key,
				cli_escape(cli, value));
}

/* With what --tenant, --node, --state and -n ask for. */
static const char *allocations_path(struct cli *cli, const char *path)
{
	const char *namespace_ =
	    cli_has(cli, "all-namespaces") ? NULL : cli_value(cli, "namespace");
	const char *query = add_query(cli, path, "namespace", namespace_);

	query = add_query(cli, query, "tenant", cli_value(cli, "tenant"));
	query = add_query(cli, query, "node", cli_value(cli, "node"));
	query = add_query(cli, query, "state", cli_value(cli, "state"));
	if (!shk_str_ends(query, "&"))
		return query;
	return shk_arena_strndup(&cli->arena, query, shk_sv(query).len - 1);
}

/* Everything comes by name, but allocations, which come by uid. */
static void add_all(struct cli *cli, const struct listing *listing, struct cli_table *table,
		    const struct shk_value *answer)
{
	size_t n = 0;
	const struct shk_value **sorted = cli_show_by_name(cli, answer, &n);
	const struct shk_value *items = shk_value_get(answer, "items");
	bool by_uid = listing->add == add_allocation;

	for (size_t i = 0; i < n; i++)
		listing->add(cli, table, by_uid ? sorted[i] : shk_value_at(items, i));
}

static void print(struct cli *cli, const struct listing *listing, const struct shk_value *answer,
		  bool is_list)
{
	struct cli_table table = {.kind = listing->singular,
				  .columns = listing->columns,
				  .n_columns = listing->n_columns};

	if (cli->format & CLI_STRUCTURED) {
		cli_print_value(cli, answer);
		return;
	}
	if (!is_list)
		listing->add(cli, &table, answer);
	if (is_list)
		add_all(cli, listing, &table, answer);
	cli_table_print(cli, &table);
}

static enum cli_exit run(struct cli *cli)
{
	const struct shk_value *answer = NULL;
	enum cli_exit exit = CLI_OK;

	if (cli->n_words == 0)
		return cli_usage("get what? nodes, tenants, quotas or allocations");

	const struct listing *listing = find_listing(cli->words[0]);

	if (!listing)
		return unknown_listing(cli->words[0]);
	if (cli->n_words > 2)
		return cli_usage("get takes one name, not \"%s\" too", cli->words[2]);

	bool is_list = cli->n_words == 1;

	if (listing->add != add_allocation &&
	    (cli_has(cli, "tenant") || cli_has(cli, "node") || cli_has(cli, "state")))
		return cli_usage("--tenant, --node and --state narrow allocations, not %s",
				 listing->plural);
	if (is_list)
		exit = cli_get_list(cli,
				    listing->add == add_allocation
					? allocations_path(cli, listing->path)
					: listing->path,
				    &answer);
	else
		exit = cli_get(cli,
			       shk_arena_printf(&cli->arena, "%s%s%s", listing->one,
						cli_escape(cli, cli->words[1]), listing->one_after),
			       &answer);
	if (exit == CLI_OK)
		print(cli, listing, answer, is_list);
	return exit;
}

const struct cli_verb cli_verb_get = {
    .name = "get",
    .arguments = "nodes|tenants|quotas|allocations [NAME]",
    .summary = "list nodes, tenants, quotas or allocations",
    .more =
	"An allocation's name is its pod's uid. -n, --tenant, --node and --state narrow the list "
	"of allocations.",
    .options = options,
    .n_options = N(options),
    .formats = CLI_TABLES | CLI_STRUCTURED,
    .run = run,
};
