#include "boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "inputs.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/hash.h"

void shk_boot_uuid(char ret_text[37])
{
	uint8_t bytes[16];
	char hex[33];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		abort();
	bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40);
	bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
	shk_hex(bytes, sizeof bytes, hex);
	(void)snprintf(ret_text, 37, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
		       hex + 20);
}

void shk_boot_fini(struct shk_boot *boot, int64_t now_s)
{
	shk_edition_unref(boot->state.current);
	shk_words_unref(boot->state.words);
	shk_live_free(boot->state.live);
	shk_ledger_close(boot->ledger, now_s);
	*boot = (struct shk_boot){.ledger = NULL};
}

/* What is read before the ledger is touched, so that a bad file changes nothing. */
struct inputs {
	struct shk_arena arena;
	struct shk_policy policy;
	struct shk_apply_input apply;
	struct shk_cluster cluster;
};

static enum shk_status read_inputs(const struct shk_config *config, struct inputs *inputs,
				   struct shk_error *err)
{
	enum shk_status status =
	    shk_inputs_policy(config->policy, &inputs->arena, &inputs->policy, err);

	if (!status)
		status = shk_inputs_applies(&config->applies, &inputs->arena, &inputs->apply, err);
	if (!status && config->snapshots.n > 0)
		status =
		    shk_inputs_snapshots(&config->snapshots, &inputs->arena, &inputs->cluster, err);
	return status;
}

static enum shk_status record_policy(const struct shk_boot *boot, int64_t now_s,
				     struct shk_error *err)
{
	const struct shk_policy_object *policy = boot->state.current->policy;
	enum shk_status status = shk_ledger_begin(boot->ledger, now_s, err);

	if (status)
		return status;
	status = shk_ledger_policy(boot->ledger, policy->policy.hash, policy->canonical, err);
	if (!status)
		status = shk_ledger_commit(boot->ledger, err);
	if (status)
		shk_ledger_rollback(boot->ledger);
	return status;
}

/* An edition without nodes, with policy and the ledger's documents in force. */
static enum shk_status load_rules(const struct inputs *inputs, struct shk_boot *boot,
				  struct shk_error *err)
{
	const struct shk_cluster *cluster = &inputs->cluster;
	struct shk_cluster_object *facts =
	    shk_cluster_object_new(cluster->namespaces, cluster->n_namespaces,
				   cluster->priority_classes, cluster->n_priority_classes);
	struct shk_policy_object *policy = shk_policy_object_new(&inputs->policy);
	struct shk_documents_object *none;
	struct shk_world world = {0};
	enum shk_status status = shk_documents_object_new(NULL, 0, facts, &none, err);

	if (!status) {
		shk_world_begin_empty(&world, policy, none);
		shk_object_unref(&none->head);
		status = shk_reconcile_rules(&world, boot->ledger, err);
	}
	if (!status)
		boot->state.current = shk_world_publish(&world, shk_ledger_seq(boot->ledger));
	shk_world_drop(&world);
	shk_object_unref(&policy->head);
	shk_object_unref(&facts->head);
	return status;
}

/* The --apply files, by the same command that a reload uses. */
static enum shk_status apply_files(const struct inputs *inputs, const struct shk_env *env,
				   struct shk_boot *boot, struct shk_error *err)
{
	const struct shk_caller caller = {.actor = "shikirid", .source = "start", .request_id = ""};
	struct shk_command *command = shk_command_new(SHK_COMMAND_RELOAD, &caller, NULL);
	struct shk_step_effects effects;
	enum shk_status status;

	shk_step_effects_init(&effects);
	command->reload = (struct shk_reload_input){.apply = inputs->apply};
	shk_state_step(&boot->state, env, &command, 1, &effects);
	status = command->result.status;
	if (status)
		*err = effects.failure.status ? effects.failure : command->result.error;
	shk_step_effects_fini(&effects);
	shk_command_free(command);
	return status ? err->status : SHK_OK;
}

static void load_nodes(struct shk_world *world, const struct shk_cluster *cluster,
		       struct shk_words *words)
{
	struct shk_facts_object **facts =
	    calloc(cluster->n_nodes + 1, sizeof(struct shk_facts_object *));

	if (!facts)
		abort();
	for (size_t i = 0; i < cluster->n_nodes; i++)
		facts[i] = shk_facts_object_new(&cluster->nodes[i], words);
	shk_world_nodes(world, facts, cluster->n_nodes);
	for (size_t i = 0; i < cluster->n_nodes; i++)
		shk_object_unref(&facts[i]->head);
	free(facts);
}

static void load_pods(struct shk_world *world, const struct shk_cluster *cluster)
{
	for (size_t i = 0; i < cluster->n_pods; i++) {
		struct shk_pod_object *pod = shk_pod_object_new(&cluster->pods[i]);

		shk_world_pod(world, pod);
		shk_object_unref(&pod->head);
	}
}

static enum shk_status load_cluster(const struct inputs *inputs, const struct shk_env *env,
				    struct shk_boot *boot, struct shk_error *err)
{
	struct shk_edition *old = boot->state.current;
	struct shk_world world;
	enum shk_status status;

	shk_world_begin(&world, old);
	load_nodes(&world, &inputs->cluster, boot->state.words);
	load_pods(&world, &inputs->cluster);
	(void)shk_world_settle(&world);
	status = shk_reconcile_allocs(&world, env, false, &boot->report, err);
	if (!status) {
		boot->state.current = shk_world_publish(&world, shk_ledger_seq(boot->ledger));
		shk_edition_unref(old);
	}
	shk_world_drop(&world);
	return status;
}

/* Rules are in force, and nothing is decided until the API server has told what there is. */
static void await_cluster(struct shk_boot *boot)
{
	struct shk_edition *old = boot->state.current;
	struct shk_world world;

	shk_world_begin(&world, old);
	shk_world_not_ready(&world, shk_live_cause(boot->state.live));
	boot->state.current = shk_world_publish(&world, shk_ledger_seq(boot->ledger));
	shk_edition_unref(old);
	shk_world_drop(&world);
}

static enum shk_status build(const struct shk_config *config, struct inputs *inputs,
			     struct shk_boot *boot, struct shk_error *err)
{
	struct shk_env env = {
	    .now_s = shk_clock_wall_s(),
	    .uuid = shk_boot_uuid,
	    .commit = shk_ledger_commit,
	};
	const struct shk_ledger_options options = {.path = config->ledger, .now_s = env.now_s};
	enum shk_status status = read_inputs(config, inputs, err);

	if (status)
		return status;
	status = shk_ledger_open(&options, &boot->ledger, err);
	if (status)
		return status;
	env.ledger = boot->ledger;
	boot->state.mode = config->mode;
	boot->state.words = shk_words_new();
	if (config->snapshots.n == 0)
		boot->state.live = shk_live_new();
	status = load_rules(inputs, boot, err);
	if (!status)
		status = record_policy(boot, env.now_s, err);
	if (!status)
		status = apply_files(inputs, &env, boot, err);
	if (!status && boot->state.live)
		await_cluster(boot);
	else if (!status)
		status = load_cluster(inputs, &env, boot, err);
	return status;
}

enum shk_status shk_boot(const struct shk_config *config, struct shk_boot *ret_boot,
			 struct shk_error *err)
{
	struct shk_boot boot = {.ledger = NULL};
	struct inputs inputs = {.apply = {.n = 0}};
	enum shk_status status;

	shk_arena_init(&inputs.arena, (size_t)64 << 10);
	status = build(config, &inputs, &boot, err);
	shk_arena_fini(&inputs.arena);
	if (status)
		shk_boot_fini(&boot, shk_clock_wall_s());
	else
		*ret_boot = boot;
	return status;
}
