#include "live.h"

#include <stdio.h>
#include <string.h>

#include "../../../src/app/reconcile.h"
#include "shikiri/wire/cluster.h"

#define TENANTS                                                                                    \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: vision}\n"                     \
	"spec: {namespaces: [v], quota: {gpuEquivalents: {guaranteed: \"2\"}}}\n---\n"             \
	"apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: audio}\n"                      \
	"spec: {namespaces: [a]}\n"

/* --- facts ----------------------------------------------------------------------------------- */

static struct shk_fact *add(struct live *l, enum shk_kube_kind kind, enum shk_fact_op op)
{
	if (!l->facts)
		l->facts = shk_facts_new();
	return shk_facts_add(l->facts, kind, op);
}

void live_raw(struct live *l, enum shk_kube_kind kind, enum shk_fact_op op, const char *json)
{
	struct shk_fact *fact = add(l, kind, op);
	const char *text = shk_arena_strdup(&l->facts->arena, json);
	struct shk_error err = {0};
	enum shk_status status;

	if (kind == SHK_KUBE_PODS)
		status = shk_pod_decode(shk_sv(text), &l->facts->arena, &fact->pod, &err);
	else if (kind == SHK_KUBE_NODES)
		status = shk_node_decode(shk_sv(text), &l->facts->arena, &fact->node, &err);
	else if (kind == SHK_KUBE_NAMESPACES)
		status =
		    shk_namespace_decode(shk_sv(text), &l->facts->arena, &fact->namespace_, &err);
	else
		status = shk_priority_class_decode(shk_sv(text), &l->facts->arena,
						   &fact->priority_class, &err);
	if (status)
		fail_msg("%s: %s", err.pointer, err.text);
}

static void node_with(struct live *l, const char *name, const char *labels, const char *resource,
		      int n)
{
	char json[1024];

	(void)snprintf(
	    json, sizeof json,
	    "{\"metadata\":{\"name\":\"%s\",\"labels\":{%s}},\"status\":{\"capacity\":{\"cpu\":"
	    "\"96\",\"%s\":\"%d\"},\"allocatable\":{\"cpu\":\"96\",\"%s\":\"%d\"},"
	    "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
	    name, labels, resource, n, resource, n);
	live_raw(l, SHK_KUBE_NODES, SHK_FACT_PUT, json);
}

void live_node(struct live *l, const char *name, const char *labels, int cards)
{
	char all[512];

	(void)snprintf(all, sizeof all,
		       "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\","
		       "\"nvidia.com/gpu.count\":\"%d\",\"nvidia.com/gpu.replicas\":\"1\"%s%s",
		       cards, *labels ? "," : "", labels);
	node_with(l, name, all, GPU, cards);
}

void live_shared(struct live *l, const char *name, int shares)
{
	char all[512];

	(void)snprintf(all, sizeof all,
		       "\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB-SHARED\","
		       "\"nvidia.com/gpu.count\":\"1\",\"nvidia.com/gpu.replicas\":\"%d\"",
		       shares);
	node_with(l, name, all, SHARED, shares);
}

static const char *namespace_of(const char *uid)
{
	return uid[0] == 'a' ? "a" : "v";
}

static const char *pod_text(const char *uid, const char *resource, const char *node,
			    const char *phase, const char *version, char buf[1024])
{
	(void)snprintf(buf, 1024,
		       "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"%s\","
		       "\"resourceVersion\":\"%s\"},\"spec\":{\"schedulerName\":\"s\","
		       "\"terminationGracePeriodSeconds\":10,%s%s%s"
		       "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
		       "\"1\"},\"limits\":{\"%s\":\"1\"}}}]},\"status\":{\"phase\":\"%s\"}}",
		       uid, namespace_of(uid), uid, version, node ? "\"nodeName\":\"" : "",
		       node ? node : "", node ? "\"," : "", resource, phase ? phase : "Pending");
	return buf;
}

const char *live_pod_json(const char *uid, const char *node, const char *phase, const char *version,
			  char buf[1024])
{
	return pod_text(uid, GPU, node, phase, version, buf);
}

void live_pod(struct live *l, enum shk_fact_op op, const char *uid, const char *resource,
	      const char *node, const char *phase)
{
	static unsigned version = 100;
	char number[16];
	char json[1024];

	(void)snprintf(number, sizeof number, "%u", version++);
	live_raw(l, SHK_KUBE_PODS, op, pod_text(uid, resource, node, phase, number, json));
}

void live_listed(struct live *l, enum shk_kube_kind kind, const char *const *keys)
{
	live_listed_at(l, kind, keys, "1000000000");
}

void live_listed_at(struct live *l, enum shk_kube_kind kind, const char *const *keys,
		    const char *version)
{
	struct shk_fact *fact = add(l, kind, SHK_FACT_LISTED);
	const char **kept;
	size_t n = 0;

	while (keys[n])
		n++;
	kept = SHK_NEW_ARRAY(&l->facts->arena, n, const char *);
	for (size_t i = 0; i < n; i++)
		kept[i] = shk_arena_strdup(&l->facts->arena, keys[i]);
	fact->listed = (struct shk_listed){kept, n, shk_arena_strdup(&l->facts->arena, version)};
}

void live_deliver(struct live *l)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_FACTS, NULL, NULL);

	command->facts = l->facts;
	l->facts = NULL;
	live_run(l, command);
}

/* --- running --------------------------------------------------------------------------------- */

static bool take_request(void *context, const struct shk_kube_request *request)
{
	struct live *l = context;
	struct asked *asked;
	struct shk_pair *pairs;

	if (l->refuses)
		return false;
	assert_true(l->n_asked < 64);
	asked = &l->asked[l->n_asked++];
	shk_arena_init(&asked->arena, 0);
	asked->request = *request;
	asked->request.namespace_ = shk_arena_strdup(&asked->arena, request->namespace_);
	asked->request.name = shk_arena_strdup(&asked->arena, request->name);
	asked->request.uid = shk_arena_strdup(&asked->arena, request->uid);
	asked->request.node = shk_arena_strdup(&asked->arena, request->node);
	asked->request.resource_version =
	    shk_arena_strdup(&asked->arena, request->resource_version);
	pairs = SHK_NEW_ARRAY(&asked->arena, request->annotations.n, struct shk_pair);
	for (size_t i = 0; i < request->annotations.n; i++) {
		pairs[i].key = shk_arena_strdup(&asked->arena, request->annotations.items[i].key);
		pairs[i].value =
		    shk_arena_strdup(&asked->arena, request->annotations.items[i].value);
	}
	asked->request.annotations.items = pairs;
	return true;
}

static void keep_answer(struct live *l, const struct shk_command *command)
{
	const char *text = command->result.body.data ? command->result.body.data : "";

	(void)snprintf(l->text, sizeof l->text, "%s", text);
	l->n_answered++;
}

static void keep_notes(struct live *l)
{
	l->n_notes = 0;
	for (size_t i = 0; i < l->f.effects.n_notes && i < 32; i++)
		l->notes[l->n_notes++] = l->f.effects.notes[i];
}

static void apply_ops(struct live *l)
{
	const struct shk_bindings_env env = {
	    .now_ms = l->f.env.now_ms,
	    .timeout_ms = 4000,
	    .send = take_request,
	    .context = l,
	};
	struct shk_command *answered = NULL;

	shk_bindings_apply(&l->f.boot.state.live->bindings, l->f.effects.ops, l->f.effects.n_ops,
			   &env, &answered);
	while (answered) {
		struct shk_command *next = answered->next;

		keep_answer(l, answered);
		shk_command_free(answered);
		answered = next;
	}
}

void live_run(struct live *l, struct shk_command *command)
{
	bool is_bind = command->kind == SHK_COMMAND_BIND;

	shk_step_effects_fini(&l->f.effects);
	shk_step_effects_init(&l->f.effects);
	shk_state_step(&l->f.boot.state, &l->f.env, &command, 1, &l->f.effects);
	keep_notes(l);
	if (!command->waits) {
		if (is_bind)
			keep_answer(l, command);
		shk_command_free(command);
	}
	apply_ops(l);
}

void live_tick(struct live *l, int64_t ms)
{
	l->f.env.now_ms += ms;
	live_run(l, shk_command_new(SHK_COMMAND_TICK, NULL, NULL));
}

const char *live_bind(struct live *l, const char *uid, const char *node)
{
	size_t before = l->n_answered;

	live_run(l, fixture_bind_command(namespace_of(uid), uid, uid, node));
	return l->n_answered > before ? l->text : NULL;
}

void live_reply(struct live *l, enum shk_kube_outcome outcome, const char *pod_json)
{
	struct shk_command *command = shk_command_new(SHK_COMMAND_REPLY, NULL, NULL);
	struct shk_pod *pod = SHK_NEW(&command->arena, struct shk_pod);
	struct shk_error err;

	command->reply = (struct shk_kube_reply){
	    .id = live_asked(l)->id,
	    .verb = live_asked(l)->verb,
	    .outcome = outcome,
	    .message = outcome == SHK_KUBE_OK ? "" : "said the server",
	};
	if (pod_json) {
		const char *text = shk_arena_strdup(&command->arena, pod_json);

		assert_int_equal(shk_pod_decode(shk_sv(text), &command->arena, pod, &err), SHK_OK);
		command->reply.pod = pod;
	}
	live_run(l, command);
}

/* --- looking --------------------------------------------------------------------------------- */

const struct shk_kube_request *live_asked(const struct live *l)
{
	assert_true(l->n_asked > 0);
	return &l->asked[l->n_asked - 1].request;
}

const char *live_row(const struct live *l, const char *uid)
{
	const struct shk_alloc *row = fixture_alloc(&l->f, uid);

	return row ? shk_alloc_state_name(row->state) : "";
}

bool live_noted(const struct live *l, enum shk_note_kind kind)
{
	for (size_t i = 0; i < l->n_notes; i++) {
		if (l->notes[i].kind == kind)
			return true;
	}
	return false;
}

/* --- life ------------------------------------------------------------------------------------ */

static void boot(struct live *l)
{
	struct shk_error err = {0};

	if (shk_boot(&l->f.config, &l->f.boot, &err))
		fail_msg("boot: %s %s", err.pointer, err.text);
	l->f.env = (struct shk_env){
	    .ledger = l->f.boot.ledger,
	    .now_s = 1800000000,
	    .now_ms = 1000000,
	    .uuid = shk_boot_uuid,
	    .commit = shk_ledger_commit,
	};
}

static void put_nodes(struct live *l)
{
	live_node(l, "n1", "", 4);
	live_node(l, "n2", "", 4);
	live_shared(l, "s1", 4);
}

void live_restart(struct live *l)
{
	fixture_stop(&l->f);
	l->n_answered = 0;
	boot(l);
	put_nodes(l);
}

void live_init(struct live *l)
{
	static char ledger[sizeof l->f.directory + 16];

	*l = (struct live){.n_asked = 0};
	fixture_init(&l->f);
	fixture_apply_file(&l->f, "tenants.yaml", TENANTS);
	(void)snprintf(ledger, sizeof ledger, "%s/ledger.db", l->f.directory);
	l->f.config.ledger = ledger;
	boot(l);
	put_nodes(l);
}

void live_fini(struct live *l)
{
	for (size_t i = 0; i < l->n_asked; i++)
		shk_arena_fini(&l->asked[i].arena);
	shk_facts_free(l->facts);
	fixture_fini(&l->f);
}

static void list_kind(struct live *l, enum shk_kube_kind kind)
{
	const char *keys[32] = {NULL};
	size_t n = 0;

	for (size_t i = 0; l->facts && i < l->facts->n; i++) {
		const struct shk_fact *fact = &l->facts->items[i];

		if (fact->kind != kind || fact->op != SHK_FACT_PUT)
			continue;
		keys[n++] = kind == SHK_KUBE_PODS ? fact->pod.uid : fact->node.name;
	}
	for (size_t i = 1; i < n; i++) {
		for (size_t k = i; k > 0 && strcmp(keys[k - 1], keys[k]) > 0; k--) {
			const char *swapped = keys[k];

			keys[k] = keys[k - 1];
			keys[k - 1] = swapped;
		}
	}
	live_listed(l, kind, keys);
}

void live_ready(struct live *l)
{
	static const char *const none[] = {NULL};
	struct shk_error err = {0};

	list_kind(l, SHK_KUBE_NODES);
	list_kind(l, SHK_KUBE_PODS);
	live_listed(l, SHK_KUBE_NAMESPACES, none);
	live_listed(l, SHK_KUBE_PRIORITY_CLASSES, none);
	live_deliver(l);
	assert_true(shk_live_is_listed(l->f.boot.state.live));
	if (shk_state_reconcile(&l->f.boot.state, &l->f.env, &l->report, &err))
		fail_msg("reconcile: %s", err.text);
	live_tick(l, 0); /* looks after what is open */
	live_tick(l, 0); /* and is ready when nothing is */
}
