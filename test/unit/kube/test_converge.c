/* test_converge.c - whatever a server and the network do to a reflector, once they are well what
 * its facts add up to is what the server has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reflector.h"

#define N_NODES   6
#define MAX_LOG   400
#define PAGE_SIZE 2

struct change {
	unsigned node;
	bool is_deletion;
};

/* Change i made version i + 1. */
struct server {
	unsigned dice;
	struct change log[MAX_LOG];
	unsigned version;
	unsigned oldest;         /* watches from before it are too old */
	unsigned nodes[N_NODES]; /* the version of each, 0: not there */
	bool is_well;
};

struct run {
	struct server server;
	struct reflector *reflector;
	int64_t now_ms;
	unsigned mirror[N_NODES];
	bool was_listed;
};

static unsigned roll(struct server *server, unsigned below)
{
	server->dice = server->dice * 1664525 + 1013904223;
	return (server->dice >> 8) % below;
}

static void change_something(struct server *server)
{
	unsigned node = roll(server, N_NODES);
	bool is_deletion = server->nodes[node] > 0 && roll(server, 3) == 0;

	assert_true(server->version < MAX_LOG);
	server->log[server->version++] = (struct change){.node = node, .is_deletion = is_deletion};
	server->nodes[node] = is_deletion ? 0 : server->version;
	if (roll(server, 10) == 0)
		server->oldest = server->version - roll(server, 3) % server->version;
}

/* --- the mirror ----------------------------------------------------------------------------- */

static unsigned index_of(const char *name)
{
	assert_in_range(name[1] - '0', 0, N_NODES - 1);
	return (unsigned)(name[1] - '0');
}

static bool is_listed(const struct shk_listed *listed, unsigned node)
{
	for (size_t i = 0; i < listed->n; i++) {
		if (index_of(listed->keys[i]) == node)
			return true;
	}
	return false;
}

static void take_fact(struct run *run, const struct shk_fact *fact)
{
	if (fact->op == SHK_FACT_LISTED) {
		run->was_listed = true;
		for (unsigned i = 0; i < N_NODES; i++) {
			if (!is_listed(&fact->listed, i))
				run->mirror[i] = 0;
		}
		return;
	}

	unsigned node = index_of(fact->node.name);

	run->mirror[node] = fact->op == SHK_FACT_GONE
				? 0
				: (unsigned)strtoul(fact->node.resource_version, NULL, 10);
}

static void take_facts(struct run *run, struct shk_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		take_fact(run, &facts->items[i]);
	shk_facts_free(facts);
}

/* --- answers -------------------------------------------------------------------------------- */

static void put_node(struct shk_buf *out, unsigned node, unsigned version)
{
	shk_buf_printf(out, "{\"metadata\":{\"name\":\"n%u\",\"resourceVersion\":\"%u\"}}", node,
		       version);
}

/* A page from some node on. Later pages show what is there by then, which is worse than what a
 * real server does. */
static void put_list(struct server *server, const char *path, struct shk_buf *out)
{
	const char *token = strstr(path, "continue=");
	bool is_paged = strstr(path, "limit=") && roll(server, 2) == 0;
	unsigned from = token ? (unsigned)strtoul(token + 9, NULL, 10) / 10000 : 0;
	unsigned version = token ? (unsigned)strtoul(token + 9, NULL, 10) % 10000 : server->version;
	unsigned to = is_paged && from + PAGE_SIZE < N_NODES ? from + PAGE_SIZE : N_NODES;
	const char *comma = "";

	shk_buf_puts(out, "{\"items\":[");
	for (unsigned i = from; i < to; i++) {
		if (server->nodes[i] == 0)
			continue;
		shk_buf_puts(out, comma);
		put_node(out, i, server->nodes[i]);
		comma = ",";
	}
	shk_buf_printf(out, "],\"metadata\":{\"resourceVersion\":\"%u\"", version);
	if (to < N_NODES)
		shk_buf_printf(out, ",\"continue\":\"%u\"", to * 10000 + version);
	shk_buf_puts(out, "}}");
}

static void put_events(struct server *server, unsigned from, struct shk_buf *out)
{
	for (unsigned i = from; i < server->version; i++) {
		const struct change *change = &server->log[i];

		shk_buf_printf(out, "{\"type\":\"%s\",\"object\":",
			       change->is_deletion ? "DELETED" : "MODIFIED");
		put_node(out, change->node, i + 1);
		shk_buf_puts(out, "}\n");
	}
	shk_buf_printf(out,
		       "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%u\""
		       "}}}\n",
		       server->version);
}

static int answer(struct server *server, const char *path, struct shk_buf *out)
{
	static const int troubles[] = {429, 500, 503, 410, 401, 0};
	const char *version = strstr(path, "resourceVersion=");
	unsigned from = version ? (unsigned)strtoul(version + 16, NULL, 10) : 0;

	if (!server->is_well && roll(server, 5) == 0)
		return troubles[roll(server, 6)];
	if (!strstr(path, "watch=1")) {
		put_list(server, path, out);
		return 200;
	}
	if (from >= server->oldest) {
		put_events(server, from, out);
		return 200;
	}
	if (roll(server, 2) == 0)
		return 410;
	shk_buf_puts(out, "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n");
	return 200;
}

/* --- one transfer --------------------------------------------------------------------------- */

static bool feed(struct run *run, struct shk_sv bytes, struct shk_facts *facts)
{
	struct shk_error err;

	while (bytes.len > 0) {
		size_t len = 1 + roll(&run->server, 60);

		len = len < bytes.len ? len : bytes.len;
		if (reflector_feed(run->reflector, (struct shk_sv){bytes.data, len}, run->now_ms,
				   facts, &err))
			return false;
		bytes.data += len;
		bytes.len -= len;
	}
	return true;
}

static void transfer(struct run *run)
{
	struct shk_facts *facts = shk_facts_new();
	struct shk_buf body = {0};
	const char *failure = NULL;
	const char *path;
	int64_t at_ms;

	if (!reflector_due(run->reflector, run->now_ms, &path, &at_ms)) {
		run->now_ms = at_ms;
		assert_true(reflector_due(run->reflector, run->now_ms, &path, &at_ms));
	}

	int status = answer(&run->server, path, &body);
	bool is_cut = !run->server.is_well && body.len > 0 && roll(&run->server, 3) == 0;

	if (is_cut)
		body.len = roll(&run->server, (unsigned)body.len);
	if (status > 0)
		reflector_head(run->reflector, status, -1, run->now_ms);
	if (!feed(run, (struct shk_sv){body.data, body.len}, facts))
		failure = "aborted";
	run->now_ms += 1500;
	reflector_ended(run->reflector, is_cut || status == 0 ? "cut" : failure, run->now_ms,
			facts);
	take_facts(run, facts);
	shk_buf_fini(&body);
}

static void check_run(unsigned seed)
{
	struct run run = {.server = {.dice = seed}};

	run.reflector = reflector_new(SHK_KUBE_NODES, seed, 0);
	for (unsigned i = 0; i < 60; i++) {
		for (unsigned n = roll(&run.server, 6); n > 0; n--)
			change_something(&run.server);
		transfer(&run);
	}
	run.server.is_well = true;
	for (unsigned i = 0; i < 12; i++)
		transfer(&run);
	assert_true(run.was_listed);
	assert_memory_equal(run.mirror, run.server.nodes, sizeof run.mirror);
	assert_string_equal(reflector_error(run.reflector), "");
	assert_int_equal(reflector_unread(run.reflector), 0);
	reflector_free(run.reflector);
}

static void test_converges(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 1000; seed++)
		check_run(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_converges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
