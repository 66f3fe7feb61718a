#include "intake.h"

#include "shikiri/base/names.h"
#include "shikiri/wire/cluster.h"
#include "shikiri/wire/watch.h"

static const char *const kind_names[SHK_KUBE_KIND_COUNT] = {
    [SHK_KUBE_NODES] = "Node",
    [SHK_KUBE_PODS] = "Pod",
    [SHK_KUBE_NAMESPACES] = "Namespace",
    [SHK_KUBE_PRIORITY_CLASSES] = "PriorityClass",
};

static enum shk_status read_id(struct shk_sv text, struct shk_facts *facts,
			       struct shk_object_id *ret_id, struct shk_error *err)
{
	return shk_object_id_read(text, &facts->arena, ret_id, err);
}

static enum shk_status decode_node(struct shk_sv text, struct shk_facts *facts,
				   struct shk_fact *fact, struct intake_object *object,
				   struct shk_error *err)
{
	enum shk_status status = shk_node_decode(text, &facts->arena, &fact->node, err);

	object->key = fact->node.name;
	object->version = fact->node.resource_version;
	return status;
}

static enum shk_status decode_pod(struct shk_sv text, struct shk_facts *facts,
				  struct shk_fact *fact, struct intake_object *object,
				  struct shk_error *err)
{
	enum shk_status status = shk_pod_decode(text, &facts->arena, &fact->pod, err);

	if (!status && (!fact->pod.uid || !fact->pod.namespace_))
		return shk_error_at(err, SHK_E_INPUT, "/metadata", "no uid or no namespace");
	object->key = fact->pod.uid;
	object->version = fact->pod.resource_version;
	return status;
}

static enum shk_status decode_namespace(struct shk_sv text, struct shk_facts *facts,
					struct shk_fact *fact, struct intake_object *object,
					struct shk_error *err)
{
	struct shk_object_id id = {0};
	enum shk_status status = shk_namespace_decode(text, &facts->arena, &fact->namespace_, err);

	if (!status)
		status = read_id(text, facts, &id, err);
	object->key = fact->namespace_.name;
	object->version = id.resource_version;
	return status;
}

static enum shk_status decode_priority_class(struct shk_sv text, struct shk_facts *facts,
					     struct shk_fact *fact, struct intake_object *object,
					     struct shk_error *err)
{
	struct shk_object_id id = {0};
	enum shk_status status =
	    shk_priority_class_decode(text, &facts->arena, &fact->priority_class, err);

	if (!status)
		status = read_id(text, facts, &id, err);
	object->key = fact->priority_class.name;
	object->version = id.resource_version;
	return status;
}

typedef enum shk_status decoder(struct shk_sv text, struct shk_facts *facts, struct shk_fact *fact,
				struct intake_object *object, struct shk_error *err);

static decoder *const decoders[SHK_KUBE_KIND_COUNT] = {
    [SHK_KUBE_NODES] = decode_node,
    [SHK_KUBE_PODS] = decode_pod,
    [SHK_KUBE_NAMESPACES] = decode_namespace,
    [SHK_KUBE_PRIORITY_CLASSES] = decode_priority_class,
};

static enum shk_status decode(enum shk_kube_kind kind, enum shk_fact_op op, struct shk_sv text,
			      struct shk_facts *facts, struct intake_object *object,
			      struct shk_error *err)
{
	struct shk_fact draft = {.kind = kind, .op = op};
	enum shk_status status = decoders[kind](text, facts, &draft, object, err);

	if (!status)
		*shk_facts_add(facts, kind, op) = draft;
	return status;
}

static bool is_other(enum shk_kube_kind kind, const struct shk_object_id *id)
{
	return id->kind && !shk_str_equals(id->kind, kind_names[kind]);
}

static bool is_name(const char *name)
{
	return name && shk_name_is_subdomain(shk_sv(name));
}

/* A node that can't be read offers nothing, whatever it offered before. */
static void add_blank_node(enum shk_fact_op op, const struct shk_object_id *id,
			   struct shk_facts *facts)
{
	struct shk_fact *fact = shk_facts_add(facts, SHK_KUBE_NODES, op);

	fact->node = (struct shk_node_facts){
	    .name = id->name,
	    .uid = id->uid,
	    .resource_version = id->resource_version,
	};
}

/* What is left of an object that decode refused, whose reason stays in err. */
static enum intake identify(enum shk_kube_kind kind, enum shk_fact_op op, struct shk_sv text,
			    struct shk_facts *facts, struct intake_object *ret_object)
{
	struct shk_object_id id;
	struct shk_error unused;

	if (read_id(text, facts, &id, &unused))
		return INTAKE_BAD;
	if (is_other(kind, &id))
		return INTAKE_OTHER;
	if (!is_name(id.name) || (kind == SHK_KUBE_PODS && !id.uid))
		return INTAKE_BAD;
	*ret_object = (struct intake_object){
	    .key = kind == SHK_KUBE_PODS ? id.uid : id.name,
	    .version = id.resource_version,
	};
	if (kind == SHK_KUBE_NODES)
		add_blank_node(op, &id, facts);
	return INTAKE_BLIND;
}

static enum intake take(enum shk_kube_kind kind, enum shk_fact_op op, struct shk_sv text,
			struct shk_facts *facts, struct intake_object *ret_object,
			struct shk_error *err)
{
	struct intake_object object = {0};

	if (decode(kind, op, text, facts, &object, err))
		return identify(kind, op, text, facts, ret_object);
	*ret_object = object;
	return INTAKE_GOOD;
}

enum intake intake_object(enum shk_kube_kind kind, enum shk_fact_op op, struct shk_sv text,
			  struct shk_facts *facts, struct intake_object *ret_object,
			  struct shk_error *err)
{
	struct shk_buf mended = {0};
	enum intake intake = take(kind, op, text, facts, ret_object, err);

	if (intake == INTAKE_BAD && shk_json_mend(text, &mended))
		intake = take(kind, op, (struct shk_sv){.data = mended.data, .len = mended.len},
			      facts, ret_object, err);
	shk_buf_fini(&mended);
	return intake;
}

enum intake intake_bookmark(enum shk_kube_kind kind, struct shk_sv text, struct shk_facts *facts,
			    const char **ret_version, struct shk_error *err)
{
	struct shk_object_id id;

	if (read_id(text, facts, &id, err))
		return INTAKE_BAD;
	if (is_other(kind, &id))
		return INTAKE_OTHER;
	*ret_version = id.resource_version;
	return INTAKE_GOOD;
}
