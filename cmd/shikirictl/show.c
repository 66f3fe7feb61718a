#include "show.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/clock.h"
#include "shikiri/base/units.h"
#include "style.h"

#define MAX_KINDS 8

static const struct {
	const char *code;
	const char *words;
} fences[] = {
    {"GpuCordoned", "cordoned"},        {"MigFailed", "MIG failed"},
    {"MigReconfiguring", "MIG change"}, {"DriverUpgrading", "driver"},
    {"DevicesGone", "no devices"},      {"NodeInconsistent", "unclear"},
};

static const char *strip(const char *text, const char *prefix)
{
	return shk_str_starts(text, prefix) ? text + strlen(prefix) : text;
}

const char *cli_show_product(struct cli *cli, const struct shk_value *node)
{
	const char *product = cli_scalar_at(cli, node, "status.product");

	return strip(strip(product, "NVIDIA-"), "GeForce-");
}

bool cli_show_has_pool(const struct shk_value *pool)
{
	return shk_value_int(shk_value_get(pool, "capacity"), 0) > 0 ||
	       shk_value_int(shk_value_get(pool, "used"), 0) > 0;
}

/* Capacity somewhere, and nothing of it allocatable: the device plugin is down. */
static bool lost_devices(const struct shk_value *pools)
{
	bool has_capacity = false;

	for (size_t i = 0; i < shk_value_size(pools); i++) {
		const struct shk_value *pool = shk_value_at(pools, i);

		if (shk_value_int(shk_value_get(pool, "allocatable"), 0) > 0)
			return false;
		has_capacity |= shk_value_int(shk_value_get(pool, "capacity"), 0) > 0;
	}
	return has_capacity;
}

const char *cli_show_state(struct cli *cli, const struct shk_value *node)
{
	const struct shk_value *pools = shk_value_path(node, "status.pools");
	const char *fence = cli_scalar_at(cli, node, "status.fence");

	for (size_t i = 0; i < sizeof fences / sizeof fences[0]; i++) {
		if (shk_str_equals(fence, fences[i].code))
			return fences[i].words;
	}
	if (fence[0] != '\0')
		return fence;
	if (cli_scalar_at(cli, node, "status.contradiction")[0] != '\0')
		return "unclear";
	if (lost_devices(pools))
		return "no devices";
	for (size_t i = 0; i < shk_value_size(pools); i++) {
		if (cli_show_has_pool(shk_value_at(pools, i)))
			return "ready";
	}
	return "";
}

const char *cli_show_state_mark(struct cli *cli, const struct shk_value *node)
{
	const char *state = cli_show_state(cli, node);
	bool ready = shk_str_equals(state, "ready");
	const char *symbol =
	    ready ? (cli->unicode ? "\xe2\x9c\x93" : "+") : (cli->unicode ? "\xe2\x9c\x97" : "!");

	if (state[0] == '\0')
		return "";
	return shk_arena_printf(&cli->arena, "%s%s %s" CLI_PLAIN, ready ? CLI_GOOD : CLI_BAD,
				symbol, state);
}

/* A set of few words, joined in the order in which they came. */
struct words {
	const char *items[MAX_KINDS];
	size_t n;
};

static void add_word(struct words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++) {
		if (shk_str_equals(words->items[i], word))
			return;
	}
	if (words->n < MAX_KINDS && word[0] != '\0')
		words->items[words->n++] = word;
}

static const char *join(struct cli *cli, const struct words *words)
{
	const char *text = words->n > 0 ? words->items[0] : "";

	for (size_t i = 1; i < words->n; i++)
		text = shk_arena_printf(&cli->arena, "%s+%s", text, words->items[i]);
	return text;
}

const char *cli_show_kinds(struct cli *cli, const struct shk_value *node)
{
	const struct shk_value *pools = shk_value_path(node, "status.pools");
	struct words kinds = {0};

	for (size_t i = 0; i < shk_value_size(pools); i++) {
		const struct shk_value *pool = shk_value_at(pools, i);

		if (cli_show_has_pool(pool))
			add_word(&kinds, cli_scalar_at(cli, pool, "kind"));
	}
	return join(cli, &kinds);
}

static bool is_soft(struct cli *cli, const struct shk_value *pool)
{
	return shk_str_starts(cli_scalar_at(cli, pool, "kind"), "shared");
}

const char *cli_show_owners(struct cli *cli, const struct shk_value *node)
{
	const struct shk_value *pools = shk_value_path(node, "status.pools");
	struct words owners = {0};

	for (size_t i = 0; i < shk_value_size(pools); i++) {
		const struct shk_value *pool = shk_value_at(pools, i);

		if (!is_soft(cli, pool))
			continue;
		if (shk_value_bool(shk_value_get(pool, "mixed"), false))
			add_word(&owners, "mixed");
		add_word(&owners, cli_scalar_at(cli, pool, "owner"));
	}
	return join(cli, &owners);
}

const char *cli_show_pool(struct cli *cli, const struct shk_value *pool)
{
	const char *resource = cli_short_resource(cli_scalar_at(cli, pool, "resource"));
	const char *sharing = cli_scalar_at(cli, pool, "sharing");

	resource = strip(resource, "mig-");
	if (shk_value_bool(shk_value_get(pool, "disguised"), false))
		return shk_arena_printf(&cli->arena, "%s (disguised)", resource);
	if (is_soft(cli, pool) && shk_str_equals(sharing, "mps"))
		return shk_arena_printf(&cli->arena, "%s (mps)", resource);
	return resource;
}

const char *cli_show_resources(struct cli *cli, const struct shk_value *resources)
{
	const char *text = "";
	const char *key = NULL;

	for (size_t i = 0; i < shk_value_size(resources); i++) {
		const struct shk_value *count = shk_value_member(resources, i, &key);

		text = shk_arena_printf(&cli->arena, "%s%s%s %s", text, i > 0 ? ", " : "",
					cli_scalar(cli, count), cli_short_resource(key));
	}
	return text;
}

static int compare_by_name(const void *a, const void *b)
{
	const struct shk_value *x = *(const struct shk_value *const *)a;
	const struct shk_value *y = *(const struct shk_value *const *)b;
	int order =
	    strcmp(shk_value_string_at(x, "namespace"), shk_value_string_at(y, "namespace"));

	return order ? order
		     : strcmp(shk_value_string_at(x, "name"), shk_value_string_at(y, "name"));
}

const struct shk_value **cli_show_by_name(struct cli *cli, const struct shk_value *list,
					  size_t *ret_n)
{
	const struct shk_value *items = shk_value_get(list, "items");
	size_t n = shk_value_size(items);
	const struct shk_value **sorted =
	    SHK_NEW_ARRAY(&cli->arena, n + 1, const struct shk_value *);

	for (size_t i = 0; i < n; i++)
		sorted[i] = shk_value_at(items, i);
	qsort(sorted, n, sizeof(const struct shk_value *), compare_by_name);
	*ret_n = n;
	return sorted;
}

double cli_show_number(const struct shk_value *value)
{
	const char *text = shk_value_string(value);

	/* Only for the length of a bar: exact amounts are printed as the server wrote them. */
	return text ? strtod(text, NULL) : (double)shk_value_int(value, 0);
}

const char *cli_show_age(struct cli *cli, const struct shk_value *since)
{
	const char *text = shk_value_string(since);
	int64_t then = 0;

	if (!text || !shk_time_parse(shk_sv(text), &then))
		return "";

	int64_t age = shk_clock_wall_s() - then;

	if (age < 0)
		age = 0;
	if (age < 60)
		return shk_arena_printf(&cli->arena, "%llds", (long long)age);
	if (age < 3600)
		return shk_arena_printf(&cli->arena, "%lldm", (long long)(age / 60));
	if (age < 86400)
		return shk_arena_printf(&cli->arena, "%lldh%lldm", (long long)(age / 3600),
					(long long)(age % 3600 / 60));
	return shk_arena_printf(&cli->arena, "%lldd%lldh", (long long)(age / 86400),
				(long long)(age % 86400 / 3600));
}
