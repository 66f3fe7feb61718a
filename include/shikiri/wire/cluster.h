/* cluster.h - Kubernetes objects into structs, and whole snapshots of them.
 *
 * Only fields that are used are read; unknown ones are skipped. Everything is copied into the
 * arena. An impossible object is an error that names kind, namespace/name and JSON pointer.
 * GPU amounts that aren't valid don't fail a pod: the ask is marked malformed and the decision
 * refuses it. */
#ifndef SHIKIRI_WIRE_CLUSTER_H
#define SHIKIRI_WIRE_CLUSTER_H

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/core/model.h"
#include "shikiri/wire/value.h"

/* One object as JSON text (shk_scan_object limits). */
enum shk_status shk_pod_decode(struct shk_sv text, struct shk_arena *arena, struct shk_pod *ret_pod,
			       struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_node_decode(struct shk_sv text, struct shk_arena *arena,
				struct shk_node_facts *ret_node, struct shk_error *err) SHK_MUST_CHECK;

/* What a List holds of the kinds we read. Arrays are in the order of the file. */
struct shk_cluster {
	const struct shk_node_facts *nodes;
	size_t n_nodes;
	const struct shk_pod *pods;
	size_t n_pods;
	const struct shk_namespace *namespaces;
	size_t n_namespaces;
	const struct shk_priority_class *priority_classes;
	size_t n_priority_classes;
	const struct shk_resource_quota *resource_quotas;
	size_t n_resource_quotas;
};

/* Reads a snapshot: a List (also PodList, NodeList, ...; nested Lists; several YAML documents) of
 * at most 64 MiB of JSON or 1 MiB of YAML. Items are decoded one by one, so that the file never
 * becomes one tree. Several calls on one cluster merge; an object that is there already
 * (kind, namespace, name) is an error, as are two pods or nodes with one uid. Pods need uid, name
 * and namespace; nodes a name. A file without nodes is fine here: the caller checks the whole. */
enum shk_status shk_cluster_read(struct shk_sv text, struct shk_arena *arena,
				 struct shk_cluster *cluster, struct shk_error *err) SHK_MUST_CHECK;

#endif
