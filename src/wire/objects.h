/* objects.h - Kubernetes objects out of a tree. Private to wire.
 *
 * Each reader takes an object of its kind, whatever "kind" says, and checks what it reads; what
 * must be there is the caller's matter, but for a node's and a namespace's name. */
#ifndef SHIKIRI_WIRE_OBJECTS_H
#define SHIKIRI_WIRE_OBJECTS_H

#include "shikiri/wire/cluster.h"

#include "fields.h"

/* metadata, of any object. */
struct object_meta {
	const char *name;
	const char *generate_name;
	const char *namespace_;
	const char *uid;
	const char *resource_version;
	int64_t created_s;
	bool deleting;
	struct shk_labels labels;
	const json_t *annotations; /* an object, or NULL; in the tree */
};

extern const struct shape object_meta_shape;

/* "kind", where the object states one. */
enum shk_status object_check_kind(const struct spot *spot, const json_t *object, const char *kind);

/* An amount of a managed resource, as a quantity or a number: 0..2^31, whole. */
bool amount_read(const json_t *value, int64_t *ret_amount);
/* Thousandths of a core; 0 for what can't be read, as CPU only ranks. */
int64_t cpu_read(const json_t *value);
/* RFC 3339 into int64_t seconds. */
field_reader read_time;
/* An object, kept as const json_t *. */
field_reader read_members;
/* A list; bool, whether it has items. */
field_reader read_has_items;

enum shk_status pod_read(const struct spot *spot, const json_t *value, struct shk_pod *ret_pod);
/* The same for the spec and the metadata of a workload's template. */
enum shk_status pod_read_template(const struct spot *spot, const json_t *value,
				  struct shk_pod *ret_pod, const char **ret_generate_name);
/* What the scheduler always sends. */
enum shk_status pod_require_identity(const struct spot *spot, const struct shk_pod *pod);

enum shk_status node_read(const struct spot *spot, const json_t *value,
			  struct shk_node_facts *ret_node);
enum shk_status namespace_read(const struct spot *spot, const json_t *value,
			       struct shk_namespace *ret_namespace);
enum shk_status priority_class_read(const struct spot *spot, const json_t *value,
				    struct shk_priority_class *ret_class);
enum shk_status resource_quota_read(const struct spot *spot, const json_t *value,
				    struct shk_resource_quota *ret_quota);

#endif
