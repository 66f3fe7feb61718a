/* cluster.h - Kubernetes objects into structs, and whole snapshots of them.
 *
 * Only fields that are used are read; unknown ones are skipped; null is the same as absent.
 * Everything is copied into the arena. A part that is read and has an impossible type or value is
 * an error with its JSON pointer. GPU amounts of pods are no errors: what isn't a whole number of
 * 0..2^31 (as a quantity or a JSON number, 1.0 included) marks the ask malformed, and the decision
 * refuses it. A node's amounts come from kubelet, so there they are errors. */
#ifndef SHIKIRI_WIRE_CLUSTER_H
#define SHIKIRI_WIRE_CLUSTER_H

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/core/model.h"
#include "shikiri/wire/value.h"

/* One object as JSON text (shk_scan_object limits). "kind" may be absent, but not another one.
 * Names are needed; a pod's uid and namespace stay NULL when they are absent. */
enum shk_status shk_pod_decode(struct shk_sv text, struct shk_arena *arena, struct shk_pod *ret_pod,
			       struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_node_decode(struct shk_sv text, struct shk_arena *arena,
				struct shk_node_facts *ret_node,
				struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_namespace_decode(struct shk_sv text, struct shk_arena *arena,
				     struct shk_namespace *ret_namespace,
				     struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_priority_class_decode(struct shk_sv text, struct shk_arena *arena,
					  struct shk_priority_class *ret_class,
					  struct shk_error *err) SHK_MUST_CHECK;

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
 * and namespace; nodes a name. A file without nodes is fine here: the caller checks the whole.
 * JSON is what begins like a JSON object or list; all else is YAML. One object of a kind that is
 * read is fine without a List around it. An item's own kind and apiVersion decide; items of typed
 * lists need none. The pointer of an error in an item is "Pod vision/llm-0: /spec/priority", of
 * bad text "line 3 column 17". On an error cluster is as it was. */
enum shk_status shk_cluster_read(struct shk_sv text, struct shk_arena *arena,
				 struct shk_cluster *cluster, struct shk_error *err) SHK_MUST_CHECK;

#endif
