#include "offline.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/clock.h"
#include "shikiri/base/hash.h"
#include "shikiri/base/units.h"
#include "shikiri/core/plan.h"
#include "shikiri/core/request.h"
#include "shikiri/wire/documents.h"
#include "shikiri/wire/report.h"
#include "shikiri/wire/workload.h"

/* Everything that a view looks at, built once and never changed. */
struct world {
	struct shk_arena *arena;
	struct shk_policy policy;
	struct shk_documents documents;
	struct shk_cluster cluster;
	struct shk_tenancy tenancy;
	struct shk_books books;
	struct shk_map index;
	struct shk_view empty;  /* nodes without residents */
	struct shk_draft draft; /* with them */
	struct shk_moment moment;
};

static struct shk_sv text_of(const struct shk_buf *buf)
{
	return (struct shk_sv){buf->data ? buf->data : "", buf->len};
}

static enum cli_exit fail_in(const char *path, struct shk_error *err)
{
	(void)shk_error_wrap(err, "%s", path);
	return cli_fail(err);
}

/* --- reading --------------------------------------------------------------------------------- */

static enum cli_exit read_policy(struct cli *cli, struct world *world)
{
	const char *path = cli_value(cli, "policy");
	struct shk_buf text = {0};
	struct shk_error err = {0};
	enum cli_exit exit = CLI_OK;

	shk_policy_default(&world->policy);
	if (!path)
		return CLI_OK;
	exit = cli_read_file(path, &text);
	if (exit == CLI_OK &&
	    shk_policy_decode(text_of(&text), world->arena, &world->policy, &err) != SHK_OK)
		exit = fail_in(path, &err);
	shk_buf_fini(&text);
	return exit;
}

/* The built-in policy has the hash that its text would have. */
static void hash_policy(struct world *world)
{
	struct shk_buf text = {0};
	struct shk_json json = {0};
	char hex[SHK_SHA256_HEX];

	if (world->policy.hash[0] != '\0')
		return;
	shk_json_begin(&json, &text);
	shk_policy_encode(&world->policy, &json);
	shk_sha256_hex(text.data, text.len, hex);
	memcpy(world->policy.hash, "sha256:", 7);
	memcpy(world->policy.hash + 7, hex, sizeof hex);
	shk_buf_fini(&text);
}

enum cli_exit cli_read_snapshots(struct cli *cli, struct shk_cluster *cluster)
{
	size_t n = 0;
	const char **paths = cli_values(cli, "snapshot", &n);

	for (size_t i = 0; i < n; i++) {
		struct shk_buf text = {0};
		struct shk_error err = {0};
		enum cli_exit exit = cli_read_file(paths[i], &text);

		if (exit == CLI_OK &&
		    shk_cluster_read(text_of(&text), &cli->arena, cluster, &err) != SHK_OK)
			exit = fail_in(paths[i], &err);
		shk_buf_fini(&text);
		if (exit != CLI_OK)
			return exit;
	}
	if (cluster->n_nodes > 0)
		return CLI_OK;
	cli_say("error: %s: no nodes in it; it is what `kubectl get nodes,pods,namespaces,"
		"priorityclasses,resourcequotas -A -o json` prints",
		paths[0]);
	return CLI_DATA;
}

/* A document replaces the one of the same kind and name from an earlier file. */
static size_t add_document(struct shk_document *documents, size_t n,
			   const struct shk_document *document)
{
	for (size_t i = 0; i < n; i++) {
		if (documents[i].kind == document->kind &&
		    shk_str_equals(documents[i].name, document->name)) {
			documents[i] = *document;
			return n;
		}
	}
	documents[n] = *document;
	return n + 1;
}

static enum cli_exit read_document_file(struct world *world, const char *path,
					struct shk_document **documents, size_t *n)
{
	struct shk_buf text = {0};
	struct shk_error err = {0};
	const struct shk_document *more = NULL;
	size_t n_more = 0;
	enum cli_exit exit = cli_read_file(path, &text);

	if (exit == CLI_OK &&
	    shk_documents_decode(text_of(&text), world->arena, &more, &n_more, &err) != SHK_OK)
		exit = fail_in(path, &err);
	shk_buf_fini(&text);
	if (exit != CLI_OK)
		return exit;

	struct shk_document *all = SHK_NEW_ARRAY(world->arena, *n + n_more, struct shk_document);

	if (*n > 0)
		memcpy(all, *documents, *n * sizeof all[0]);
	for (size_t i = 0; i < n_more; i++)
		*n = add_document(all, *n, &more[i]);
	*documents = all;
	return CLI_OK;
}

static enum cli_exit check_documents(struct world *world)
{
	const char *object = NULL;
	const char *detail = NULL;
	const char *const *warnings = NULL;

	if (shk_documents_conflict(&world->documents, world->arena, &object, &detail)) {
		cli_say("error: %s: %s", object, detail);
		return CLI_DATA;
	}

	size_t n = shk_documents_warnings(&world->documents, world->arena, &warnings);

	for (size_t i = 0; i < n; i++)
		cli_say("warning: %s", warnings[i]);
	return CLI_OK;
}

static enum cli_exit read_documents(struct cli *cli, struct world *world)
{
	size_t n_paths = 0;
	const char **paths = cli_values(cli, "apply", &n_paths);
	struct shk_document *documents = NULL;
	size_t n = 0;

	for (size_t i = 0; i < n_paths; i++) {
		enum cli_exit exit = read_document_file(world, paths[i], &documents, &n);

		if (exit != CLI_OK)
			return exit;
	}
	shk_documents_collect(documents, n, world->arena, &world->documents);
	return check_documents(world);
}

/* --- building the view ----------------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b)
{
	const struct shk_node *x = *(const struct shk_node *const *)a;
	const struct shk_node *y = *(const struct shk_node *const *)b;

	return strcmp(x->base->facts->name, y->base->facts->name);
}

static bool is_live(const struct shk_pod *pod)
{
	return pod->node_name && pod->phase != SHK_PHASE_SUCCEEDED &&
	       pod->phase != SHK_PHASE_FAILED;
}

static const struct shk_node *build_node(struct world *world, const struct shk_node_facts *facts,
					 int64_t cpu_used_milli)
{
	const struct shk_node_context context = {.policy = &world->policy,
						 .documents = &world->documents};
	struct shk_node_base *base = SHK_NEW(world->arena, struct shk_node_base);
	struct shk_node *node = SHK_NEW(world->arena, struct shk_node);

	shk_node_base_build(world->arena, facts, &context, base);
	shk_books_node(&world->books, base, +1);
	shk_node_build(world->arena, base, NULL, 0, cpu_used_milli, node);
	return node;
}

/* CPU that pods without GPUs take on each node; those with GPUs come one by one. */
static int64_t *plain_cpu(struct world *world, const struct shk_claim *claims)
{
	const struct shk_cluster *cluster = &world->cluster;
	int64_t *cpu = SHK_NEW_ARRAY(world->arena, cluster->n_nodes, int64_t);
	struct shk_map by_name = {0};

	shk_map_init(&by_name, world->arena, cluster->n_nodes);
	for (size_t i = 0; i < cluster->n_nodes; i++)
		(void)shk_map_add(&by_name, cluster->nodes[i].name, (uint32_t)i);
	for (size_t i = 0; i < cluster->n_pods; i++) {
		const struct shk_pod *pod = &cluster->pods[i];
		uint32_t node = 0;

		if (is_live(pod) && !claims[i].managed &&
		    shk_map_find(&by_name, pod->node_name, &node))
			cpu[node] = shk_add_saturated(cpu[node], claims[i].cpu_milli);
	}
	return cpu;
}

static void build_empty(struct world *world, const struct shk_claim *claims)
{
	const struct shk_cluster *cluster = &world->cluster;
	const struct shk_node **nodes =
	    SHK_NEW_ARRAY(world->arena, cluster->n_nodes, const struct shk_node *);
	const int64_t *cpu = plain_cpu(world, claims);

	shk_tenancy_build(world->arena, &world->documents, cluster->namespaces,
			  cluster->n_namespaces, &world->tenancy);
	shk_books_init(&world->books, world->arena);
	for (size_t i = 0; i < cluster->n_nodes; i++)
		nodes[i] = build_node(world, &cluster->nodes[i], cpu[i]);
	qsort(nodes, cluster->n_nodes, sizeof(const struct shk_node *), compare_nodes);
	shk_map_init(&world->index, world->arena, cluster->n_nodes);
	for (size_t i = 0; i < cluster->n_nodes; i++)
		(void)shk_map_add(&world->index, nodes[i]->base->facts->name, (uint32_t)i);
	world->empty = (struct shk_view){
	    .version = 1,
	    .nodes = nodes,
	    .n_nodes = cluster->n_nodes,
	    .node_index = &world->index,
	    .tenancy = &world->tenancy,
	    .policy = &world->policy,
	    .books = &world->books,
	    .priority_classes = cluster->priority_classes,
	    .n_priority_classes = cluster->n_priority_classes,
	};
}

static int compare_claims(const void *a, const void *b)
{
	const struct shk_pod *x = (*(const struct shk_claim *const *)a)->pod;
	const struct shk_pod *y = (*(const struct shk_claim *const *)b)->pod;

	if (x->created_s != y->created_s)
		return x->created_s < y->created_s ? -1 : 1;
	return strcmp(x->uid, y->uid);
}

/* In the order in which the daemon adopts them at start: oldest first, then by uid. */
static void adopt(struct world *world, const struct shk_claim *claims)
{
	size_t n_pods = world->cluster.n_pods;
	const struct shk_claim **live =
	    SHK_NEW_ARRAY(world->arena, n_pods, const struct shk_claim *);
	size_t n = 0;

	for (size_t i = 0; i < n_pods; i++) {
		if (is_live(claims[i].pod) && claims[i].managed)
			live[n++] = &claims[i];
	}
	qsort(live, n, sizeof(const struct shk_claim *), compare_claims);
	shk_draft_begin(&world->draft, &world->empty, world->arena);
	for (size_t i = 0; i < n; i++) {
		const char *node = live[i]->pod->node_name;
		const struct shk_candidate place = {node, shk_view_node(&world->draft.view, node)};
		struct shk_alloc *alloc = SHK_NEW(world->arena, struct shk_alloc);

		shk_alloc_adopt(&world->draft.view, &world->moment, live[i], &place, world->arena,
				alloc);
		shk_draft_alloc(&world->draft, alloc, live[i]->cpu_milli);
	}
}

static void build(struct world *world)
{
	const struct shk_cluster *cluster = &world->cluster;
	struct shk_claim *claims = SHK_NEW_ARRAY(world->arena, cluster->n_pods, struct shk_claim);

	for (size_t i = 0; i < cluster->n_pods; i++)
		shk_claim_build(&cluster->pods[i], cluster->priority_classes,
				cluster->n_priority_classes, world->arena, &claims[i]);
	build_empty(world, claims);
	adopt(world, claims);
}

/* --- the dry run ----------------------------------------------------------------------------- */

static enum cli_exit plan(struct world *world, const struct shk_dry_run_request *request,
			  struct shk_buf *ret_report)
{
	const struct shk_report_basis basis = {.policy_hash = world->policy.hash};
	struct shk_plan plan = {0};
	struct shk_view view;
	size_t granted = shk_view_extend(&world->draft.view, request->hypothetical,
					 request->n_hypothetical, world->arena, &view);

	if (granted < request->n_hypothetical) {
		cli_say("error: /hypotheticalNodes/%zu/like: no node %s", granted,
			request->hypothetical[granted].like);
		return CLI_NOT_FOUND;
	}
	shk_plan_run(&view, &world->moment, &request->order, world->arena, &plan);
	shk_report_plan(&plan, &basis, ret_report);
	return CLI_OK;
}

enum cli_exit cli_offline_dry_run(struct cli *cli, const struct shk_buf *manifests,
				  struct shk_buf *ret_report)
{
	struct world world = {.arena = &cli->arena, .moment = {.now_s = shk_clock_wall_s()}};
	struct shk_dry_run_request request = {0};
	struct shk_error err = {0};
	enum cli_exit exit = read_policy(cli, &world);

	if (exit == CLI_OK)
		exit = read_documents(cli, &world);
	if (exit == CLI_OK)
		exit = cli_read_snapshots(cli, &world.cluster);
	if (exit != CLI_OK)
		return exit;
	hash_policy(&world);
	build(&world);
	if (shk_dry_run_decode(text_of(manifests), true, cli_value(cli, "namespace"), world.arena,
			       &request, &err) != SHK_OK)
		return cli_fail(&err);
	return plan(&world, &request, ret_report);
}
