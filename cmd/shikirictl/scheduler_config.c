#include <stdlib.h>
#include <string.h>

#include "shikiri/base/names.h"
#include "shikiri/core/resource.h"

#include "client.h"
#include "offline.h"
#include "url.h"
#include "verbs.h"

static const struct cli_option options[] = {
    {"topology", 0, "second|default", "beside the cluster's own scheduler (second), or that one"},
    {"url-prefix", 0, "URL", "where the scheduler reaches us (the Service of the manifests)"},
    {"tls-ca", 0, "FILE", "as the scheduler sees it: our CA (/etc/shikiri/tls/ca.crt)"},
    {"tls-cert", 0, "FILE", "its client certificate (/etc/shikiri/tls/tls.crt)"},
    {"tls-key", 0, "FILE", "and the key of that (/etc/shikiri/tls/tls.key)"},
    {"scheduler-name", 0, "NAME", "of the second scheduler (shikiri-scheduler)"},
    {"kubeconfig", 0, "FILE", "of the default one (/etc/kubernetes/scheduler.conf)"},
    {"advise", 0, NULL, "for a daemon with --mode advise: filter only, never in the way"},
    {"snapshot", 0, "FILE", "with default: nodes of this file, not the daemon's; repeatable"},
};

struct wiring {
	bool is_second;
	bool advises;
	bool is_https;
	const char *url;
	const char *ca;
	const char *cert;
	const char *key;
	const char *scheduler_name;
	const char *lease_namespace;
	const char *kubeconfig;
	const char *const *resources; /* sorted, none twice */
	size_t n_resources;
};

/* --- what the command line says -------------------------------------------------------------- */

/* Whether a text can stand between double quotes as it is. */
static bool is_quotable(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
			return false;
	}
	return true;
}

/* The option's value, or what it is without one. */
static enum cli_exit read_text(struct cli *cli, const char *option, const char *otherwise,
			       const char **ret_text)
{
	const char *given = cli_value(cli, option);

	*ret_text = given ? given : otherwise;
	if (!is_quotable(*ret_text))
		return cli_usage("--%s: quotes, backslashes and characters beyond ASCII can't "
				 "stand in it",
				 option);
	return CLI_OK;
}

static enum cli_exit read_topology(struct cli *cli, struct wiring *wiring)
{
	const char *topology = cli_value(cli, "topology");

	wiring->is_second = !topology || shk_str_equals(topology, "second");
	wiring->advises = cli_has(cli, "advise");
	if (!wiring->is_second && !shk_str_equals(topology, "default"))
		return cli_usage("--topology is second or default, not \"%s\"", topology);
	if (!wiring->is_second && cli_has(cli, "scheduler-name"))
		return cli_usage("--scheduler-name goes with --topology second");
	if (wiring->is_second && cli_has(cli, "kubeconfig"))
		return cli_usage("--kubeconfig goes with --topology default; a second scheduler "
				 "has its service account");
	if (wiring->is_second && cli_has(cli, "snapshot"))
		return cli_usage("--snapshot goes with --topology default; a second scheduler "
				 "manages every resource of its pods");
	return CLI_OK;
}

static enum cli_exit read_names(struct cli *cli, struct wiring *wiring)
{
	enum cli_exit exit =
	    read_text(cli, "scheduler-name", "shikiri-scheduler", &wiring->scheduler_name);

	if (exit == CLI_OK)
		exit = read_text(cli, "namespace", "shikiri-system", &wiring->lease_namespace);
	if (exit == CLI_OK)
		exit = read_text(cli, "kubeconfig", "/etc/kubernetes/scheduler.conf",
				 &wiring->kubeconfig);
	if (exit != CLI_OK)
		return exit;
	if (!shk_name_is_subdomain(shk_sv(wiring->scheduler_name)))
		return cli_usage("--scheduler-name: \"%s\" can't be a name",
				 wiring->scheduler_name);
	if (!shk_name_is_label(shk_sv(wiring->lease_namespace)))
		return cli_usage("--namespace: \"%s\" can't be a namespace",
				 wiring->lease_namespace);
	return CLI_OK;
}

static enum cli_exit read_files(struct cli *cli, struct wiring *wiring)
{
	enum cli_exit exit = read_text(cli, "tls-ca", "/etc/shikiri/tls/ca.crt", &wiring->ca);

	if (exit == CLI_OK)
		exit = read_text(cli, "tls-cert", "/etc/shikiri/tls/tls.crt", &wiring->cert);
	if (exit == CLI_OK)
		exit = read_text(cli, "tls-key", "/etc/shikiri/tls/tls.key", &wiring->key);
	return exit;
}

static bool has_tls_option(const struct cli *cli)
{
	return cli_has(cli, "tls-ca") || cli_has(cli, "tls-cert") || cli_has(cli, "tls-key");
}

static enum cli_exit read_url(struct cli *cli, struct wiring *wiring)
{
	struct cli_url url;
	enum cli_exit exit =
	    read_text(cli, "url-prefix",
		      shk_arena_printf(&cli->arena, "https://shikiri.%s.svc:8443/scheduler/v1",
				       wiring->lease_namespace),
		      &wiring->url);

	if (exit != CLI_OK)
		return exit;
	if (!cli_url_parse(&cli->arena, wiring->url, &url))
		return cli_usage("--url-prefix is like https://HOST:PORT/scheduler/v1, not \"%s\"",
				 wiring->url);
	if (!url.is_https && !url.is_loopback)
		return cli_usage("--url-prefix: without https anybody on the way could bind pods; "
				 "plain http is for a loopback address only");
	if (!url.is_https && has_tls_option(cli))
		return cli_usage("--tls-ca, --tls-cert and --tls-key go with an https:// "
				 "--url-prefix");
	wiring->is_https = url.is_https;
	if (!wiring->is_second && !cli_has(cli, "url-prefix"))
		cli_say("note: a scheduler on the host's network doesn't resolve names of "
			"Services; give --url-prefix the Service's ClusterIP, and the "
			"certificate that address");
	return CLI_OK;
}

/* --- what the nodes offer -------------------------------------------------------------------- */

struct names {
	const char **items;
	size_t n;
	size_t room;
};

static void add_name(struct cli *cli, struct names *names, const char *name)
{
	/* What no node could really be named would keep the scheduler from starting. */
	if (!shk_resource_is_managed(name) || !shk_name_is_label_key(shk_sv(name)))
		return;
	if (names->n == names->room) {
		size_t room = names->room > 0 ? 2 * names->room : 64;
		const char **grown = SHK_NEW_ARRAY(&cli->arena, room, const char *);

		if (names->n > 0)
			memcpy(grown, names->items, names->n * sizeof names->items[0]);
		names->items = grown;
		names->room = room;
	}
	names->items[names->n++] = name;
}

/* A name with capacity 0 stays: kubelet keeps it, and what was there may come again. */
static enum cli_exit ask_daemon(struct cli *cli, struct names *names)
{
	const struct shk_value *list = NULL;
	enum cli_exit exit = cli_get_list(cli, CLI_API "/nodes", &list);
	const struct shk_value *nodes = shk_value_get(list, "items");

	for (size_t i = 0; exit == CLI_OK && i < shk_value_size(nodes); i++) {
		const struct shk_value *pools =
		    shk_value_path(shk_value_at(nodes, i), "status.pools");

		for (size_t p = 0; p < shk_value_size(pools); p++)
			add_name(cli, names,
				 shk_value_string_at(shk_value_at(pools, p), "resource"));
	}
	return exit;
}

static enum cli_exit read_snapshot(struct cli *cli, struct names *names)
{
	struct shk_cluster cluster = {0};
	enum cli_exit exit = cli_read_snapshots(cli, &cluster);

	for (size_t i = 0; exit == CLI_OK && i < cluster.n_nodes; i++) {
		for (size_t r = 0; r < cluster.nodes[i].n_resources; r++)
			add_name(cli, names, cluster.nodes[i].resources[r].resource);
	}
	return exit;
}

static enum cli_exit read_resources(struct cli *cli, struct wiring *wiring)
{
	struct names names = {0};
	size_t n = 0;
	enum cli_exit exit =
	    cli_has(cli, "snapshot") ? read_snapshot(cli, &names) : ask_daemon(cli, &names);

	if (exit != CLI_OK)
		return exit;
	if (names.n == 0) {
		cli_say("error: no node offers anything under " SHK_RESOURCE_PREFIX "; an empty "
			"list would send every pod of the cluster to us");
		return CLI_FAILURE;
	}
	qsort(names.items, names.n, sizeof names.items[0], shk_str_compare);
	for (size_t i = 0; i < names.n; i++) {
		if (n == 0 || !shk_str_equals(names.items[n - 1], names.items[i]))
			names.items[n++] = names.items[i];
	}
	wiring->resources = names.items;
	wiring->n_resources = n;
	return CLI_OK;
}

/* --- the text -------------------------------------------------------------------------------- */

static const char head[] =
    "# For kube-scheduler --config; printed by `" CLI_NAME " scheduler-config`.\n"
    "apiVersion: kubescheduler.config.k8s.io/v1\n"
    "kind: KubeSchedulerConfiguration\n";

static const char sampling[] =
    "# Every node is looked at: a sample may miss the only one that fits.\n"
    "percentageOfNodesToScore: 100\n";

/* Decides where shikiri doesn't: among nodes that it ranks alike or while it can't be asked. */
static const char packing_profile[] = "  plugins:\n"
				      "    score:\n"
				      "      disabled:\n"
				      "      - name: NodeResourcesBalancedAllocation\n"
				      "  pluginConfig:\n"
				      "  - name: NodeResourcesFit\n"
				      "    args:\n"
				      "      scoringStrategy:\n"
				      "        type: MostAllocated\n"
				      "        resources:\n"
				      "        - name: cpu\n"
				      "          weight: 1\n"
				      "        - name: memory\n"
				      "          weight: 1\n"
				      "        - name: nvidia.com/gpu\n"
				      "          weight: 5\n"
				      "  - name: PodTopologySpread\n"
				      "    args:\n"
				      "      defaultingType: List\n"
				      "      defaultConstraints: []\n";

static const char deciding_verbs[] =
    "  filterVerb: filter\n"
    "  prioritizeVerb: prioritize\n"
    "  preemptVerb: preempt\n"
    "  bindVerb: bind\n"
    "  # One point of ours outweighs all that the scheduler's own scores add up to.\n"
    "  weight: 150\n"
    "  # An extender that may be ignored would let pods be bound past trust and quota.\n"
    "  ignorable: false\n";

static const char advising_verbs[] = "  filterVerb: filter\n"
				     "  # Advice is never in the way.\n"
				     "  ignorable: true\n";

static void put_profiles(const struct wiring *wiring, struct shk_buf *out)
{
	if (wiring->is_second) {
		/* A lease of its own: the cluster's scheduler holds the usual one. */
		shk_buf_printf(out,
			       "leaderElection:\n  leaderElect: true\n  resourceName: \"%s\"\n"
			       "  resourceNamespace: \"%s\"\n",
			       wiring->scheduler_name, wiring->lease_namespace);
		shk_buf_puts(out, sampling);
		shk_buf_printf(out, "profiles:\n- schedulerName: \"%s\"\n", wiring->scheduler_name);
		shk_buf_puts(out, packing_profile);
		return;
	}
	shk_buf_printf(out, "clientConnection:\n  kubeconfig: \"%s\"\n", wiring->kubeconfig);
	shk_buf_puts(out, "leaderElection:\n  leaderElect: true\n");
	shk_buf_puts(out, sampling);
	/* Its scoring places everybody's pods and stays as it is. */
	shk_buf_puts(out, "profiles:\n- schedulerName: default-scheduler\n");
}

static void put_tls(const struct wiring *wiring, struct shk_buf *out)
{
	if (!wiring->is_https)
		return;
	shk_buf_printf(out,
		       "  enableHTTPS: true\n  tlsConfig:\n    caFile: \"%s\"\n"
		       "    certFile: \"%s\"\n    keyFile: \"%s\"\n",
		       wiring->ca, wiring->cert, wiring->key);
}

static void put_resources(const struct wiring *wiring, struct shk_buf *out)
{
	if (wiring->is_second) {
		shk_buf_puts(out,
			     "  # Empty is every pod of this scheduler: no new MIG profile is ever "
			     "left out.\n  managedResources: []\n");
		return;
	}
	shk_buf_puts(out, "  # What the nodes offer; print this file again when they offer more.\n"
			  "  managedResources:\n");
	for (size_t i = 0; i < wiring->n_resources; i++)
		shk_buf_printf(out, "  - name: \"%s\"\n    ignoredByScheduler: false\n",
			       wiring->resources[i]);
}

static void put_configuration(const struct wiring *wiring, struct shk_buf *out)
{
	shk_buf_puts(out, head);
	put_profiles(wiring, out);
	shk_buf_printf(out, "extenders:\n- urlPrefix: \"%s\"\n", wiring->url);
	shk_buf_puts(out, wiring->advises ? advising_verbs : deciding_verbs);
	shk_buf_puts(out, "  nodeCacheCapable: true\n  httpTimeout: 10s\n");
	put_tls(wiring, out);
	put_resources(wiring, out);
}

/* -o json and yaml are read from the very text, so they can't say anything else. */
static enum cli_exit print_structured(struct cli *cli, const struct shk_buf *text)
{
	struct shk_value *documents = NULL;
	struct shk_error err = {0};

	if (shk_value_parse_yaml((struct shk_sv){text->data, text->len}, &documents, &err) !=
	    SHK_OK)
		return cli_fail(&err);
	cli_print_value(cli, shk_value_at(cli_keep(cli, documents), 0));
	return CLI_OK;
}

static enum cli_exit print(struct cli *cli, const struct wiring *wiring)
{
	struct shk_buf text = {0};
	enum cli_exit exit = CLI_OK;

	put_configuration(wiring, &text);
	if (cli->format & CLI_STRUCTURED)
		exit = print_structured(cli, &text);
	else
		shk_buf_add(&cli->out, text.data, text.len);
	shk_buf_fini(&text);
	return exit;
}

static enum cli_exit run(struct cli *cli)
{
	static enum cli_exit (*const readers[])(struct cli *, struct wiring *) = {
	    read_topology, read_names, read_files, read_url};
	struct wiring wiring = {0};

	if (cli->n_words > 0)
		return cli_usage("scheduler-config takes no \"%s\"", cli->words[0]);
	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
		enum cli_exit exit = readers[i](cli, &wiring);

		if (exit != CLI_OK)
			return exit;
	}

	enum cli_exit exit = wiring.is_second ? CLI_OK : read_resources(cli, &wiring);

	return exit == CLI_OK ? print(cli, &wiring) : exit;
}

const struct cli_verb cli_verb_scheduler_config = {
    .name = "scheduler-config",
    .arguments = "[--topology second|default] [--url-prefix URL] [--snapshot FILE]",
    .summary = "print a KubeSchedulerConfiguration that registers shikiri",
    .more = "The form for the cluster's own scheduler lists what the nodes offer, as the daemon or "
	    "--snapshot shows them; the form for a second scheduler asks nobody. -n is the "
	    "namespace of the second scheduler's lease and of the Service (shikiri-system). "
	    "-o yaml and -o json are the same without comments.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .formats = CLI_TABLE | CLI_STRUCTURED,
    .run = run,
};
