#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/core/resource.h"

#include "tree.h"

#define ANNOTATION_ISOLATION     "shikiri.dev/isolation"
#define ANNOTATION_ACCEPT_SHARED "shikiri.dev/accept-shared"

#define DEFAULT_GRACE_S INT64_C(30)
#define LONGEST_GRACE_S INT64_C(1000000000)

struct resources_draft {
	const json_t *requests;
	const json_t *limits;
};

struct container_draft {
	const char *name;
	const char *restart_policy;
	struct resources_draft resources;
};

struct volume_draft {
	bool has_claim;
	bool is_ephemeral;
};

struct spec_draft {
	const char *node_name;
	const char *scheduler_name;
	const char *priority_class;
	int64_t priority;
	bool has_priority;
	int64_t grace_s;
	bool is_gated;
	bool has_claims;
	const struct volume_draft *volumes;
	size_t n_volumes;
	const json_t *overhead;
	struct resources_draft resources;
	const struct container_draft *containers;
	size_t n_containers;
	const struct container_draft *init_containers;
	size_t n_init_containers;
};

struct status_draft {
	enum shk_phase phase;
	const char *reason;
};

struct pod_draft {
	struct object_meta meta;
	struct spec_draft spec;
	struct status_draft status;
};

static enum shk_status read_priority(const struct spot *spot, const struct field *field,
				     const json_t *value, void *target)
{
	struct spec_draft *spec = target;

	spec->has_priority = true;
	return read_int(spot, field, value, target);
}

/* The API takes any number here and lifts negative ones, so none is an error. */
static enum shk_status read_grace(const struct spot *spot, const struct field *field,
				  const json_t *value, void *target)
{
	int64_t *grace_s = field_at(field, target);

	if (!json_is_integer(value))
		return spot_fail(spot, "not a whole number");
	*grace_s = json_integer_value(value);
	if (*grace_s < 0)
		*grace_s = 0;
	if (*grace_s > LONGEST_GRACE_S)
		*grace_s = LONGEST_GRACE_S;
	return SHK_OK;
}

static enum shk_status read_presence(const struct spot *spot, const struct field *field,
				     const json_t *value, void *target)
{
	bool *is_present = field_at(field, target);

	(void)spot; /* whatever it is, it is there */
	(void)value;
	*is_present = true;
	return SHK_OK;
}

static enum shk_status read_phase(const struct spot *spot, const struct field *field,
				  const json_t *value, void *target)
{
	static const char *const names[] = {
	    [SHK_PHASE_PENDING] = "Pending",
	    [SHK_PHASE_RUNNING] = "Running",
	    [SHK_PHASE_SUCCEEDED] = "Succeeded",
	    [SHK_PHASE_FAILED] = "Failed",
	};
	enum shk_phase *phase = field_at(field, target);

	if (!json_is_string(value))
		return spot_fail(spot, "not a string");
	for (unsigned i = SHK_PHASE_PENDING; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(json_string_value(value), names[i]) == 0)
			*phase = (enum shk_phase)i;
	}
	return SHK_OK;
}

static const struct field resources_fields[] = {
    {.key = "requests", .read = read_members, .offset = offsetof(struct resources_draft, requests)},
    {.key = "limits", .read = read_members, .offset = offsetof(struct resources_draft, limits)},
};

static const struct shape resources_shape = {SHAPE_FIELDS(resources_fields)};

static const struct field container_fields[] = {
    {.key = "name", .read = read_text, .offset = offsetof(struct container_draft, name)},
    {.key = "restartPolicy",
     .read = read_text,
     .offset = offsetof(struct container_draft, restart_policy)},
    {.key = "resources",
     .read = read_object,
     .offset = offsetof(struct container_draft, resources),
     .rule = &resources_shape},
};

static const struct shape container_shape = {SHAPE_FIELDS(container_fields)};
static const struct list_rule container_list = {sizeof(struct container_draft), &container_shape};

static const struct field volume_fields[] = {
    {.key = "persistentVolumeClaim",
     .read = read_presence,
     .offset = offsetof(struct volume_draft, has_claim)},
    {.key = "ephemeral",
     .read = read_presence,
     .offset = offsetof(struct volume_draft, is_ephemeral)},
};

static const struct shape volume_shape = {SHAPE_FIELDS(volume_fields)};
static const struct list_rule volume_list = {sizeof(struct volume_draft), &volume_shape};

static const struct field spec_fields[] = {
    {.key = "nodeName", .read = read_text, .offset = offsetof(struct spec_draft, node_name)},
    {.key = "schedulerName",
     .read = read_text,
     .offset = offsetof(struct spec_draft, scheduler_name)},
    {.key = "priorityClassName",
     .read = read_text,
     .offset = offsetof(struct spec_draft, priority_class)},
    {.key = "priority",
     .read = read_priority,
     .offset = offsetof(struct spec_draft, priority),
     .min = INT32_MIN,
     .max = INT32_MAX},
    {.key = "terminationGracePeriodSeconds",
     .read = read_grace,
     .offset = offsetof(struct spec_draft, grace_s)},
    {.key = "schedulingGates",
     .read = read_has_items,
     .offset = offsetof(struct spec_draft, is_gated)},
    {.key = "resourceClaims",
     .read = read_has_items,
     .offset = offsetof(struct spec_draft, has_claims)},
    {.key = "volumes",
     .read = read_list,
     .offset = offsetof(struct spec_draft, volumes),
     .count = offsetof(struct spec_draft, n_volumes),
     .rule = &volume_list},
    {.key = "overhead", .read = read_members, .offset = offsetof(struct spec_draft, overhead)},
    {.key = "resources",
     .read = read_object,
     .offset = offsetof(struct spec_draft, resources),
     .rule = &resources_shape},
    {.key = "containers",
     .read = read_list,
     .offset = offsetof(struct spec_draft, containers),
     .count = offsetof(struct spec_draft, n_containers),
     .rule = &container_list},
    {.key = "initContainers",
     .read = read_list,
     .offset = offsetof(struct spec_draft, init_containers),
     .count = offsetof(struct spec_draft, n_init_containers),
     .rule = &container_list},
};

static const struct shape spec_shape = {SHAPE_FIELDS(spec_fields)};

static const struct field status_fields[] = {
    {.key = "phase", .read = read_phase, .offset = offsetof(struct status_draft, phase)},
    {.key = "reason", .read = read_text, .offset = offsetof(struct status_draft, reason)},
};

static const struct shape status_shape = {SHAPE_FIELDS(status_fields)};

static const struct field pod_fields[] = {
    {.key = "kind", .read = read_ignored}, /* object_check_kind looks at it */
    {.key = "metadata",
     .read = read_object,
     .offset = offsetof(struct pod_draft, meta),
     .rule = &object_meta_shape},
    {.key = "spec",
     .read = read_object,
     .offset = offsetof(struct pod_draft, spec),
     .rule = &spec_shape},
    {.key = "status",
     .read = read_object,
     .offset = offsetof(struct pod_draft, status),
     .rule = &status_shape},
};

static const struct shape pod_shape = {SHAPE_FIELDS(pod_fields)};

/* --- what containers ask for --------------------------------------------------------------- */

static size_t add_asks(struct shk_arena *arena, const json_t *amounts, bool is_request,
		       struct shk_ask *asks)
{
	void *iter = NULL;
	const char *resource;
	const json_t *value;
	size_t n = 0;

	while (amounts && object_next(amounts, &iter, &resource, &value)) {
		int64_t amount = 0;

		if (!shk_resource_is_managed(resource))
			continue;

		bool malformed = !amount_read(value, &amount);

		asks[n++] = (struct shk_ask){
		    .resource = shk_arena_strdup(arena, resource),
		    .has_request = is_request,
		    .has_limit = !is_request,
		    .malformed = malformed,
		    .request = is_request ? amount : 0,
		    .limit = is_request ? 0 : amount,
		};
	}
	return n;
}

static int compare_asks(const void *a, const void *b)
{
	const struct shk_ask *left = a;
	const struct shk_ask *right = b;

	return strcmp(left->resource, right->resource);
}

/* A request and a limit of one resource become one ask. */
static size_t merge_asks(struct shk_ask *asks, size_t n)
{
	size_t kept = 0;

	qsort(asks, n, sizeof *asks, compare_asks);
	for (size_t i = 0; i < n; i++) {
		struct shk_ask *last = kept > 0 ? &asks[kept - 1] : NULL;

		if (!last || strcmp(last->resource, asks[i].resource) != 0) {
			asks[kept++] = asks[i];
			continue;
		}
		last->has_request |= asks[i].has_request;
		last->has_limit |= asks[i].has_limit;
		last->malformed |= asks[i].malformed;
		last->request += asks[i].request; /* one of the two is 0 */
		last->limit += asks[i].limit;
	}
	return kept;
}

static size_t make_asks(struct shk_arena *arena, const json_t *requests, const json_t *limits,
			const struct shk_ask **ret_asks)
{
	size_t most = json_object_size(requests) + json_object_size(limits);
	struct shk_ask *asks = SHK_NEW_ARRAY(arena, most, struct shk_ask);
	size_t n = add_asks(arena, requests, true, asks);

	n += add_asks(arena, limits, false, asks + n);
	*ret_asks = asks;
	return merge_asks(asks, n);
}

static int64_t container_cpu(const struct resources_draft *resources)
{
	const json_t *cpu = json_object_get(resources->requests, "cpu");

	return cpu_read(cpu ? cpu : json_object_get(resources->limits, "cpu"));
}

static struct shk_container make_container(struct shk_arena *arena,
					   const struct container_draft *draft, bool is_init)
{
	struct shk_container container = {
	    .name = draft->name ? draft->name : "",
	    .init = is_init,
	    .sidecar = is_init && shk_str_equals(draft->restart_policy, "Always"),
	    .cpu_milli = container_cpu(&draft->resources),
	};

	container.n_asks =
	    make_asks(arena, draft->resources.requests, draft->resources.limits, &container.asks);
	return container;
}

static void make_containers(struct shk_arena *arena, const struct spec_draft *spec,
			    struct shk_pod *pod)
{
	size_t n = spec->n_init_containers + spec->n_containers;
	struct shk_container *containers = SHK_NEW_ARRAY(arena, n, struct shk_container);

	for (size_t i = 0; i < n; i++) {
		bool is_init = i < spec->n_init_containers;

		containers[i] =
		    make_container(arena,
				   is_init ? &spec->init_containers[i]
					   : &spec->containers[i - spec->n_init_containers],
				   is_init);
	}
	pod->containers = containers;
	pod->n_containers = n;
}

/* --- the whole pod ------------------------------------------------------------------------ */

static bool has_volumes(const struct spec_draft *spec)
{
	for (size_t i = 0; i < spec->n_volumes; i++) {
		if (spec->volumes[i].has_claim || spec->volumes[i].is_ephemeral)
			return true;
	}
	return spec->has_claims;
}

static const char *not_empty(const char *text)
{
	return text && text[0] ? text : NULL;
}

static void fill_pod(struct shk_arena *arena, const struct pod_draft *draft, struct shk_pod *pod)
{
	const struct spec_draft *spec = &draft->spec;
	const json_t *pod_cpu = json_object_get(spec->resources.requests, "cpu");

	*pod = (struct shk_pod){
	    .uid = draft->meta.uid,
	    .namespace_ = draft->meta.namespace_,
	    .name = draft->meta.name,
	    .resource_version = draft->meta.resource_version,
	    .node_name = not_empty(spec->node_name),
	    .scheduler_name = not_empty(spec->scheduler_name),
	    .priority_class = not_empty(spec->priority_class),
	    .has_priority = spec->has_priority,
	    .priority = spec->priority,
	    .phase = draft->status.phase,
	    .phase_reason = not_empty(draft->status.reason),
	    .deleting = draft->meta.deleting,
	    .gated = spec->is_gated,
	    .has_volumes = has_volumes(spec),
	    .created_s = draft->meta.created_s,
	    .grace_s = spec->grace_s,
	    .overhead_cpu_milli = cpu_read(json_object_get(spec->overhead, "cpu")),
	    .has_pod_cpu = pod_cpu != NULL,
	    .pod_cpu_milli = cpu_read(pod_cpu),
	};
	make_containers(arena, spec, pod);
	pod->n_overhead = make_asks(arena, spec->overhead, NULL, &pod->overhead);
}

/* The text of an annotation; *ret_text stays NULL when there is none. */
static enum shk_status read_annotation(const struct spot *spot, const json_t *annotations,
				       const char *key, const char **ret_text)
{
	const json_t *value = json_object_get(annotations, key);
	struct spot metadata = spot_key(spot, "metadata");
	struct spot list = spot_key(&metadata, "annotations");
	struct spot here = spot_key(&list, key);

	*ret_text = NULL;
	if (!value || json_is_null(value))
		return SHK_OK;
	if (!json_is_string(value))
		return spot_fail(&here, "not a string");
	*ret_text = json_string_value(value);
	return SHK_OK;
}

static enum shk_status read_annotations(const struct spot *spot, const json_t *annotations,
					struct shk_pod *pod)
{
	const char *text;
	enum shk_status status = read_annotation(spot, annotations, ANNOTATION_ISOLATION, &text);

	if (status)
		return status;
	pod->isolation = shk_level_parse(text);
	status = read_annotation(spot, annotations, ANNOTATION_ACCEPT_SHARED, &text);
	pod->accept_shared = !status && shk_str_equals(text, "true");
	return status;
}

enum shk_status pod_read_template(const struct spot *spot, const json_t *value,
				  struct shk_pod *ret_pod, const char **ret_generate_name)
{
	struct pod_draft draft = {.spec.grace_s = DEFAULT_GRACE_S};
	enum shk_status status = decode_object(spot, value, &pod_shape, &draft);

	if (status)
		return status;
	fill_pod(spot->arena, &draft, ret_pod);
	*ret_generate_name = draft.meta.generate_name;
	return read_annotations(spot, draft.meta.annotations, ret_pod);
}

enum shk_status pod_read(const struct spot *spot, const json_t *value, struct shk_pod *ret_pod)
{
	const char *generate_name; /* for templates only */

	return pod_read_template(spot, value, ret_pod, &generate_name);
}

enum shk_status pod_require_identity(const struct spot *spot, const struct shk_pod *pod)
{
	struct spot metadata = spot_key(spot, "metadata");
	const struct {
		const char *key;
		const char *text;
	} needed[] = {{"name", pod->name}, {"namespace", pod->namespace_}, {"uid", pod->uid}};

	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
		struct spot here = spot_key(&metadata, needed[i].key);

		if (!needed[i].text)
			return spot_fail(&here, "missing");
	}
	return SHK_OK;
}

enum shk_status shk_pod_decode(struct shk_sv text, struct shk_arena *arena, struct shk_pod *ret_pod,
			       struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	struct spot metadata = spot_key(&root, "metadata");
	struct spot name = spot_key(&metadata, "name");
	struct shk_pod pod = {0};
	json_t *tree;
	enum shk_status status = tree_parse_shape(text, &shk_scan_object, &pod_shape, &tree, err);

	if (status)
		return status;
	status = object_check_kind(&root, tree, "Pod");
	if (!status)
		status = pod_read(&root, tree, &pod);
	json_decref(tree);
	if (status)
		return status;
	if (!pod.name)
		return spot_fail(&name, "missing");
	*ret_pod = pod;
	return SHK_OK;
}
