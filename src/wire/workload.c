#include "shikiri/wire/workload.h"

#include <string.h>

#include "shikiri/base/map.h"
#include "shikiri/base/names.h"

#include "objects.h"
#include "scanner.h"
#include "text.h"
#include "tree.h"

#define DEFAULT_MAX_NODES 50
#define MOST_MAX_NODES    100000
#define MOST_LIKE_ONE     1000
#define MAX_NESTED_LISTS  4

static const char *const cut_keys[] = {"managedFields", NULL};

static const struct shk_scan_limits dry_run_limits = {
    .max_bytes = (size_t)1 << 20,
    .max_depth = 64,
    .max_depth_unread = SCANNER_MAX_DEPTH,
    .max_tokens = 400000,
    .cut_keys = cut_keys,
};

/* The pods found so far. */
struct expansion {
	struct shk_arena *arena;
	const char *namespace_; /* for manifests that state none */
	const struct shk_pod **pods;
	size_t n;
	struct shk_map seen; /* dry-run/<namespace>/<name> */
};

/* --- pods --------------------------------------------------------------------------------- */

static bool is_taken(const struct expansion *expansion, const char *namespace_, const char *name)
{
	const char *uid = shk_arena_printf(expansion->arena, "dry-run/%s/%s", namespace_, name);

	return shk_map_find(&expansion->seen, uid, NULL);
}

/* A pod as it would stand in the queue, whatever the manifest says about an earlier life. */
static enum shk_status add_pod(const struct spot *spot, struct expansion *expansion,
			       const struct shk_pod *template, const char *namespace_,
			       const char *name)
{
	const char *key = shk_arena_printf(expansion->arena, "dry-run/%s/%s", namespace_, name);
	char quoted[TEXT_QUOTED_SIZE];

	if (expansion->n == SHK_DRY_RUN_MAX_PODS)
		return shk_error_set(spot->err, SHK_E_LIMIT, "more than %d pods",
				     SHK_DRY_RUN_MAX_PODS);

	struct shk_pod *pod = SHK_NEW(expansion->arena, struct shk_pod);

	*pod = *template;
	/* A pod that waits keeps its uid, so that its own hold isn't counted against it. */
	pod->uid = template->uid && *template->uid ? template->uid : key;
	pod->namespace_ = namespace_;
	pod->name = name;
	pod->resource_version = NULL;
	pod->node_name = NULL;
	pod->phase = SHK_PHASE_PENDING;
	pod->deleting = false;
	if (!shk_map_add(&expansion->seen, key, 0))
		return spot_fail(spot, "a second pod named %s", text_quote(shk_sv(name), quoted));
	expansion->pods[expansion->n++] = pod;
	return SHK_OK;
}

/* As the API server would, but foreseeably: <generateName>0, <generateName>1 and so on. */
static const char *generated_name(const struct expansion *expansion, const char *namespace_,
				  const char *prefix)
{
	size_t i = 0;
	const char *name;

	do {
		name = shk_arena_printf(expansion->arena, "%s%zu", prefix, i++);
	} while (is_taken(expansion, namespace_, name));
	return name;
}

static enum shk_status fail_nameless(const struct spot *spot)
{
	struct spot metadata = spot_key(spot, "metadata");
	struct spot name = spot_key(&metadata, "name");

	return spot_fail(&name, "missing");
}

static enum shk_status expand_pod(const struct spot *spot, const json_t *value,
				  struct expansion *expansion)
{
	struct shk_pod pod;
	const char *generate_name;
	enum shk_status status = pod_read_template(spot, value, &pod, &generate_name);

	if (status)
		return status;

	const char *namespace_ = pod.namespace_ ? pod.namespace_ : expansion->namespace_;
	const char *name = pod.name;

	if (!name && generate_name)
		name = generated_name(expansion, namespace_, generate_name);
	if (!name)
		return fail_nameless(spot);
	return add_pod(spot, expansion, &pod, namespace_, name);
}

/* --- workloads ---------------------------------------------------------------------------- */

#define UNSTATED (-1)

struct workload_spec {
	int64_t replicas;
	int64_t parallelism;
	int64_t completions;
	const json_t *template;
	const json_t *job_template;
};

struct workload {
	struct object_meta meta;
	struct workload_spec spec;
};

static const struct field spec_fields[] = {
    {.key = "replicas",
     .read = read_int,
     .offset = offsetof(struct workload_spec, replicas),
     .max = INT32_MAX},
    {.key = "parallelism",
     .read = read_int,
     .offset = offsetof(struct workload_spec, parallelism),
     .max = INT32_MAX},
    {.key = "completions",
     .read = read_int,
     .offset = offsetof(struct workload_spec, completions),
     .max = INT32_MAX},
    {.key = "template", .read = read_members, .offset = offsetof(struct workload_spec, template)},
    {.key = "jobTemplate",
     .read = read_members,
     .offset = offsetof(struct workload_spec, job_template)},
};

static const struct shape spec_shape = {SHAPE_FIELDS(spec_fields)};

static const struct field workload_fields[] = {
    {.key = "metadata",
     .read = read_object,
     .offset = offsetof(struct workload, meta),
     .rule = &object_meta_shape},
    {.key = "spec",
     .read = read_object,
     .offset = offsetof(struct workload, spec),
     .rule = &spec_shape,
     .is_required = true},
};

static const struct shape workload_shape = {SHAPE_FIELDS(workload_fields)};

static enum shk_status read_workload(const struct spot *spot, const json_t *value,
				     struct workload *workload)
{
	*workload =
	    (struct workload){.spec = {.replicas = 1, .parallelism = 1, .completions = UNSTATED}};
	return decode_object(spot, value, &workload_shape, workload);
}

static enum shk_status add_pods(const struct spot *spec_spot, const struct workload_spec *spec,
				const struct object_meta *meta, int64_t n,
				struct expansion *expansion)
{
	struct spot here = spot_key(spec_spot, "template");
	const char *namespace_ = meta->namespace_ ? meta->namespace_ : expansion->namespace_;
	const char *base = meta->name;
	const char *unused; /* the template's generateName is nobody's */
	struct shk_pod pod;

	if (!spec->template)
		return spot_fail(&here, "missing");
	if (!base && meta->generate_name)
		base = shk_arena_printf(expansion->arena, "%s0", meta->generate_name);
	if (!base)
		return fail_nameless(spec_spot->above);

	enum shk_status status = pod_read_template(&here, spec->template, &pod, &unused);

	for (int64_t i = 0; !status && i < n; i++)
		status = add_pod(&here, expansion, &pod, namespace_,
				 shk_arena_printf(expansion->arena, "%s-%lld", base, (long long)i));
	return status;
}

static enum shk_status expand_replicas(const struct spot *spot, const json_t *value,
				       struct expansion *expansion)
{
	struct workload workload;
	struct spot spec = spot_key(spot, "spec");
	enum shk_status status = read_workload(spot, value, &workload);

	if (status)
		return status;
	return add_pods(&spec, &workload.spec, &workload.meta, workload.spec.replicas, expansion);
}

static enum shk_status add_job(const struct spot *spec_spot, const struct workload_spec *spec,
			       const struct object_meta *meta, struct expansion *expansion)
{
	int64_t n = spec->parallelism;

	if (spec->completions != UNSTATED && spec->completions < n)
		n = spec->completions;
	return add_pods(spec_spot, spec, meta, n, expansion);
}

static enum shk_status expand_job(const struct spot *spot, const json_t *value,
				  struct expansion *expansion)
{
	struct workload workload;
	struct spot spec = spot_key(spot, "spec");
	enum shk_status status = read_workload(spot, value, &workload);

	return status ? status : add_job(&spec, &workload.spec, &workload.meta, expansion);
}

/* One run, named like the CronJob itself. */
static enum shk_status expand_cron_job(const struct spot *spot, const json_t *value,
				       struct expansion *expansion)
{
	struct workload cron;
	struct workload job;
	struct spot cron_spec = spot_key(spot, "spec");
	struct spot template = spot_key(&cron_spec, "jobTemplate");
	struct spot job_spec = spot_key(&template, "spec");
	enum shk_status status = read_workload(spot, value, &cron);

	if (status)
		return status;
	if (!cron.spec.job_template)
		return spot_fail(&template, "missing");
	if (!cron.meta.name && !cron.meta.generate_name)
		return fail_nameless(spot);
	status = read_workload(&template, cron.spec.job_template, &job);
	return status ? status : add_job(&job_spec, &job.spec, &cron.meta, expansion);
}

/* --- manifests ---------------------------------------------------------------------------- */

typedef enum shk_status expander(const struct spot *spot, const json_t *value,
				 struct expansion *expansion);

static const struct {
	const char *kind;
	const char *group; /* of apiVersion, up to the version */
	expander *expand;
} rows[] = {
    {"Pod", "v", expand_pod},
    {"Deployment", "apps/v", expand_replicas},
    {"StatefulSet", "apps/v", expand_replicas},
    {"ReplicaSet", "apps/v", expand_replicas},
    {"Job", "batch/v", expand_job},
    {"CronJob", "batch/v", expand_cron_job},
};

#define N_ROWS (sizeof rows / sizeof rows[0])

static enum shk_status refuse_kind(const struct spot *spot, const char *kind)
{
	struct spot here = spot_key(spot, "kind");
	char quoted[TEXT_QUOTED_SIZE];
	const char *of = "";

	for (size_t i = 0; i < N_ROWS; i++) {
		if (strcmp(rows[i].kind, kind) == 0)
			of = " of this apiVersion";
	}
	return spot_fail(&here,
			 "%s%s is not Pod, Deployment, StatefulSet, ReplicaSet, Job, CronJob or "
			 "List",
			 text_quote(shk_sv(kind), quoted), of);
}

static enum shk_status expand(const struct spot *spot, const json_t *value, const char *otherwise,
			      unsigned depth, struct expansion *expansion);

/* item_kind is what items are that don't say it, or NULL. */
static enum shk_status expand_list(const struct spot *spot, const json_t *value,
				   const char *item_kind, unsigned depth,
				   struct expansion *expansion)
{
	const json_t *items = json_object_get(value, "items");
	struct spot list = spot_key(spot, "items");

	if (depth > MAX_NESTED_LISTS)
		return spot_fail(spot, "lists in lists, more than %d deep", MAX_NESTED_LISTS);
	if (items && !json_is_null(items) && !json_is_array(items))
		return spot_fail(&list, "not a list");
	for (size_t i = 0; i < json_array_size(items); i++) {
		struct spot item = spot_item(&list, i);
		enum shk_status status =
		    expand(&item, json_array_get(items, i), item_kind, depth + 1, expansion);

		if (status)
			return status;
	}
	return SHK_OK;
}

/* otherwise: the kind of an object that states none, or NULL. */
static enum shk_status expand(const struct spot *spot, const json_t *value, const char *otherwise,
			      unsigned depth, struct expansion *expansion)
{
	const char *stated = member_text(value, "kind");
	const char *kind = stated ? stated : otherwise;
	const char *api_version = member_text(value, "apiVersion");
	struct spot kind_spot = spot_key(spot, "kind");

	if (!json_is_object(value))
		return spot_fail(spot, "not an object");
	if (!kind)
		return spot_fail(&kind_spot, "missing");
	for (size_t i = 0; i < N_ROWS; i++) {
		if (strcmp(kind, rows[i].kind) == 0 &&
		    (!api_version || shk_str_starts(api_version, rows[i].group)))
			return rows[i].expand(spot, value, expansion);
	}
	if (strcmp(kind, "List") == 0)
		return expand_list(spot, value, NULL, depth, expansion);
	for (size_t i = 0; i < N_ROWS; i++) {
		if (shk_str_starts(kind, rows[i].kind) &&
		    strcmp(kind + strlen(rows[i].kind), "List") == 0)
			return expand_list(spot, value, rows[i].kind, depth, expansion);
	}
	return refuse_kind(spot, kind);
}

/* --- the envelope ------------------------------------------------------------------------- */

struct envelope {
	const char *namespace_;
	const json_t *manifests;
	const struct shk_hypothetical *hypothetical;
	size_t n_hypothetical;
	struct {
		int64_t max_nodes;
		bool all_reasons;
	} options;
};

static const struct field hypothetical_fields[] = {
    {.key = "like",
     .read = read_text,
     .offset = offsetof(struct shk_hypothetical, like),
     .rule = &text_subdomain,
     .is_required = true},
    {.key = "count",
     .read = read_int,
     .offset = offsetof(struct shk_hypothetical, count),
     .min = 1,
     .max = MOST_LIKE_ONE,
     .is_required = true},
};

static const struct shape hypothetical_shape = {SHAPE_FIELDS(hypothetical_fields),
						.is_closed = true};
static const struct list_rule hypothetical_list = {sizeof(struct shk_hypothetical),
						   &hypothetical_shape};

static const struct field options_fields[] = {
    {.key = "maxNodes",
     .read = read_int,
     .offset = offsetof(struct envelope, options.max_nodes),
     .max = MOST_MAX_NODES},
    {.key = "allReasons",
     .read = read_bool,
     .offset = offsetof(struct envelope, options.all_reasons)},
};

static const struct shape options_shape = {SHAPE_FIELDS(options_fields), .is_closed = true};

static const struct field envelope_fields[] = {
    {.key = "namespace",
     .read = read_text,
     .offset = offsetof(struct envelope, namespace_),
     .rule = &text_label},
    {.key = "manifests",
     .read = read_raw,
     .offset = offsetof(struct envelope, manifests),
     .is_required = true},
    {.key = "hypotheticalNodes",
     .read = read_list,
     .offset = offsetof(struct envelope, hypothetical),
     .count = offsetof(struct envelope, n_hypothetical),
     .rule = &hypothetical_list},
    {.key = "options", .read = read_object, .rule = &options_shape},
};

static const struct shape envelope_shape = {SHAPE_FIELDS(envelope_fields), .is_closed = true};

static enum shk_status read_envelope(const struct spot *root, const json_t *value,
				     struct expansion *expansion,
				     struct shk_dry_run_request *request)
{
	struct envelope envelope = {.options = {.max_nodes = DEFAULT_MAX_NODES}};
	struct spot list = spot_key(root, "manifests");
	enum shk_status status = decode_object(root, value, &envelope_shape, &envelope);

	if (status)
		return status;
	if (!json_is_array(envelope.manifests))
		return spot_fail(&list, "not a list");
	if (envelope.namespace_)
		expansion->namespace_ = envelope.namespace_;
	request->hypothetical = envelope.hypothetical;
	request->n_hypothetical = envelope.n_hypothetical;
	request->order.options.max_nodes = (size_t)envelope.options.max_nodes;
	request->order.options.all_reasons = envelope.options.all_reasons;
	for (size_t i = 0; i < json_array_size(envelope.manifests); i++) {
		struct spot item = spot_item(&list, i);

		status = expand(&item, json_array_get(envelope.manifests, i), NULL, 0, expansion);
		if (status)
			return status;
	}
	return SHK_OK;
}

static bool is_envelope(const json_t *documents)
{
	const json_t *first = json_array_get(documents, 0);

	return json_array_size(documents) == 1 && json_is_object(first) &&
	       !json_object_get(first, "kind") && json_object_get(first, "manifests");
}

static enum shk_status number_document(struct shk_error *err, size_t number)
{
	if (err->pointer[0])
		return shk_error_under(err, "document %zu: ", number);
	return shk_error_wrap(err, "document %zu", number);
}

static enum shk_status read_documents(const struct spot *root, const json_t *documents,
				      struct expansion *expansion,
				      struct shk_dry_run_request *request)
{
	size_t n = json_array_size(documents);

	if (is_envelope(documents))
		return read_envelope(root, json_array_get(documents, 0), expansion, request);
	for (size_t i = 0; i < n; i++) {
		enum shk_status status =
		    expand(root, json_array_get(documents, i), NULL, 0, expansion);

		if (status)
			return n > 1 ? number_document(root->err, i + 1) : status;
	}
	return SHK_OK;
}

static enum shk_status parse(struct shk_sv text, bool yaml_allowed, json_t **ret_documents,
			     struct shk_error *err)
{
	if (yaml_allowed)
		return tree_parse_documents(text, &dry_run_limits, ret_documents, err);
	return tree_parse_json_list(text, &dry_run_limits, ret_documents, err);
}

enum shk_status shk_dry_run_decode(struct shk_sv text, bool yaml_allowed,
				   const char *default_namespace, struct shk_arena *arena,
				   struct shk_dry_run_request *ret_request, struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	struct shk_dry_run_request request = {.order.options = {.max_nodes = DEFAULT_MAX_NODES}};
	struct expansion expansion = {
	    .arena = arena,
	    .namespace_ = default_namespace ? default_namespace : "default",
	};
	json_t *documents;

	if (!shk_name_is_label(shk_sv(expansion.namespace_)))
		return shk_error_set(err, SHK_E_INPUT, "the namespace is not a DNS label");

	enum shk_status status = parse(text, yaml_allowed, &documents, err);

	if (status)
		return status;
	expansion.pods = SHK_NEW_ARRAY(arena, SHK_DRY_RUN_MAX_PODS, const struct shk_pod *);
	shk_map_init(&expansion.seen, arena, 0);
	expansion.namespace_ = shk_arena_strdup(arena, expansion.namespace_);
	status = read_documents(&root, documents, &expansion, &request);
	json_decref(documents);
	if (status)
		return status;
	request.order.pods = expansion.pods;
	request.order.n_pods = expansion.n;
	*ret_request = request;
	return SHK_OK;
}
