#include "shikiri/wire/extender.h"

#include "shikiri/wire/json.h"

static void put_passed_names(const struct shk_filter_result *result, struct shk_json *json)
{
	shk_json_null(json, "Nodes");
	shk_json_array(json, "NodeNames");
	for (size_t i = 0; i < result->n_passed; i++)
		shk_json_string(json, NULL, result->args->names[result->passed[i]]);
	shk_json_array_end(json);
}

/* The objects as they came, so that nothing that we don't read is lost on the way. */
static void put_passed_nodes(const struct shk_filter_result *result, struct shk_json *json)
{
	shk_json_object(json, "Nodes");
	shk_json_object(json, "metadata");
	shk_json_object_end(json);
	shk_json_array(json, "items");
	for (size_t i = 0; i < result->n_passed; i++) {
		struct shk_sv text = result->args->node_texts[result->passed[i]];

		shk_json_raw(json, NULL, text.data, text.len);
	}
	shk_json_array_end(json);
	shk_json_object_end(json);
	shk_json_null(json, "NodeNames");
}

static void put_refused(const struct shk_filter_result *result, enum shk_reason_class class_,
			const char *key, struct shk_json *json)
{
	shk_json_object(json, key);
	for (size_t i = 0; i < result->n_refused; i++) {
		const struct shk_refused_node *node = &result->refused[i];

		if (node->class_ == class_)
			shk_json_string(json, node->name, node->text);
	}
	shk_json_object_end(json);
}

void shk_filter_result_encode(const struct shk_filter_result *result, struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	if (result->args->full_nodes)
		put_passed_nodes(result, &json);
	else
		put_passed_names(result, &json);
	put_refused(result, SHK_RESOLVABLE, "FailedNodes", &json);
	put_refused(result, SHK_UNRESOLVABLE, "FailedAndUnresolvableNodes", &json);
	shk_json_string(&json, "Error", "");
	shk_json_object_end(&json);
}

void shk_filter_error_encode(const char *error, struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_null(&json, "Nodes");
	shk_json_array(&json, "NodeNames");
	shk_json_array_end(&json);
	shk_json_object(&json, "FailedNodes");
	shk_json_object_end(&json);
	shk_json_object(&json, "FailedAndUnresolvableNodes");
	shk_json_object_end(&json);
	shk_json_string(&json, "Error", error);
	shk_json_object_end(&json);
}

void shk_scores_encode(const struct shk_host_score *scores, size_t n, struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_array(&json, NULL);
	for (size_t i = 0; i < n; i++) {
		shk_json_object(&json, NULL);
		shk_json_string(&json, "Host", scores[i].host);
		shk_json_int(&json, "Score", scores[i].score);
		shk_json_object_end(&json);
	}
	shk_json_array_end(&json);
}

void shk_bind_result_encode(const char *error, struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "Error", error);
	shk_json_object_end(&json);
}

/* The scheduler dies of a null among the pods, and fails the call on an empty list. */
void shk_preempt_result_encode(const struct shk_victims *nodes, size_t n, struct shk_buf *out)
{
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_object(&json, "NodeNameToMetaVictims");
	for (size_t i = 0; i < n; i++) {
		if (nodes[i].n_uids == 0)
			continue;
		shk_json_object(&json, nodes[i].node);
		shk_json_array(&json, "Pods");
		for (size_t k = 0; k < nodes[i].n_uids; k++) {
			shk_json_object(&json, NULL);
			shk_json_string(&json, "UID", nodes[i].uids[k]);
			shk_json_object_end(&json);
		}
		shk_json_array_end(&json);
		shk_json_int(&json, "NumPDBViolations", nodes[i].pdb_violations);
		shk_json_object_end(&json);
	}
	shk_json_object_end(&json);
	shk_json_object_end(&json);
}
