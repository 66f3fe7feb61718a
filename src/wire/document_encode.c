/* document_encode.c - documents back into JSON. Keys are written in byte order, so that the text
 * is the canonical form that hashes and comparisons are made of. */
#include "document.h"

#include <string.h>

#include "shikiri/base/units.h"

static void put_labels(const struct shk_labels *labels, struct shk_json *json, const char *key)
{
	shk_json_object(json, key);
	for (size_t i = 0; i < labels->n; i++)
		shk_json_string(json, labels->items[i].key, labels->items[i].value);
	shk_json_object_end(json);
}

static void put_texts(const char *const *texts, size_t n, struct shk_json *json, const char *key)
{
	shk_json_array(json, key);
	for (size_t i = 0; i < n; i++)
		shk_json_string(json, NULL, texts[i]);
	shk_json_array_end(json);
}

/* --- selectors ---------------------------------------------------------------------------- */

static bool is_one_value(const struct shk_requirement *item)
{
	return item->op == SHK_SELECTOR_IN && item->n_values == 1;
}

/* Of several one-value requirements on a key only the first can be a matchLabels entry. */
static bool is_match_label(const struct shk_selector *selector, size_t i)
{
	const struct shk_requirement *item = &selector->items[i];

	if (!is_one_value(item))
		return false;
	return i == 0 || !is_one_value(item - 1) || strcmp(item[-1].key, item->key) != 0;
}

static const char *op_name(enum shk_selector_op op)
{
	switch (op) {
	case SHK_SELECTOR_IN:
		return "In";
	case SHK_SELECTOR_NOT_IN:
		return "NotIn";
	case SHK_SELECTOR_EXISTS:
		return "Exists";
	case SHK_SELECTOR_NOT_EXISTS:
		return "DoesNotExist";
	case SHK_SELECTOR_INVALID:
		break;
	}
	return "";
}

static void put_expression(const struct shk_requirement *item, struct shk_json *json)
{
	shk_json_object(json, NULL);
	shk_json_string(json, "key", item->key);
	shk_json_string(json, "operator", op_name(item->op));
	if (item->n_values > 0)
		put_texts(item->values, item->n_values, json, "values");
	shk_json_object_end(json);
}

static void put_selector(const struct shk_selector *selector, struct shk_json *json,
			 const char *key)
{
	size_t n_labels = 0;

	for (size_t i = 0; i < selector->n; i++)
		n_labels += is_match_label(selector, i);
	shk_json_object(json, key);
	if (n_labels < selector->n) {
		shk_json_array(json, "matchExpressions");
		for (size_t i = 0; i < selector->n; i++) {
			if (!is_match_label(selector, i))
				put_expression(&selector->items[i], json);
		}
		shk_json_array_end(json);
	}
	if (n_labels > 0) {
		shk_json_object(json, "matchLabels");
		for (size_t i = 0; i < selector->n; i++) {
			const struct shk_requirement *item = &selector->items[i];

			if (is_match_label(selector, i))
				shk_json_string(json, item->key, item->values[0]);
		}
		shk_json_object_end(json);
	}
	shk_json_object_end(json);
}

/* --- specs -------------------------------------------------------------------------------- */

static void put_level(enum shk_level level, struct shk_json *json, const char *key)
{
	if (level != SHK_LEVEL_NONE)
		shk_json_string(json, key, shk_level_name(level));
}

void shk_quota_encode(const struct shk_tenant *tenant, struct shk_json *json)
{
	for (size_t i = 0; i < tenant->n_quota; i++) {
		const struct shk_quota_entry *entry = &tenant->quota[i];

		shk_json_object(json, entry->unit);
		if (entry->unlimited)
			shk_json_string(json, "ceiling", "unlimited");
		else if (!entry->has_guaranteed || entry->ceiling != entry->guaranteed)
			shk_json_parts_exact(json, "ceiling", entry->ceiling);
		if (entry->has_guaranteed)
			shk_json_parts_exact(json, "guaranteed", entry->guaranteed);
		if (entry->lendable > 0)
			shk_json_parts_exact(json, "lendable", entry->lendable);
		shk_json_object_end(json);
	}
}

void shk_tenant_spec_encode(const struct shk_tenant *tenant, struct shk_json *json)
{
	if (tenant->display_name)
		shk_json_string(json, "displayName", tenant->display_name);
	put_level(tenant->isolation, json, "isolation");
	if (tenant->has_max_priority)
		shk_json_int(json, "maxPriority", tenant->max_priority);
	if (tenant->has_selector)
		put_selector(&tenant->namespace_selector, json, "namespaceSelector");
	if (tenant->n_namespaces > 0)
		put_texts(tenant->namespaces, tenant->n_namespaces, json, "namespaces");
	put_level(tenant->pod_isolation, json, "podIsolation");
	if (tenant->n_quota > 0) {
		shk_json_object(json, "quota");
		shk_quota_encode(tenant, json);
		shk_json_object_end(json);
	}
	if (tenant->suspended)
		shk_json_bool(json, "suspended", true);
	if (tenant->domain_stated)
		shk_json_string(json, "trustDomain", tenant->domain);
}

static void put_band_spec(const struct shk_band *band, struct shk_json *json)
{
	char text[32];

	if (band->max_priority != INT32_MAX)
		shk_json_int(json, "maxPriority", band->max_priority);
	if (!band->may_borrow)
		shk_json_bool(json, "mayBorrow", false);
	if (band->min_priority != INT32_MIN)
		shk_json_int(json, "minPriority", band->min_priority);
	if (band->min_runtime_ms > 0)
		shk_json_string(json, "minRuntime",
				shk_duration_print(band->min_runtime_ms, text, sizeof text));
	if (band->n_preempts > 0)
		put_texts(band->preempts, band->n_preempts, json, "preempts");
	if (!band->reclaimable)
		shk_json_bool(json, "reclaimable", false);
}

static void put_node_facts_spec(const struct shk_node_facts_doc *facts, struct shk_json *json)
{
	shk_json_int(json, "cards", facts->cards);
	if (facts->mig_profile[0])
		shk_json_string(json, "migProfile", facts->mig_profile);
	put_selector(&facts->node_selector, json, "nodeSelector");
	shk_json_string(json, "product", facts->product);
	if (facts->replicas != 1)
		shk_json_int(json, "replicas", facts->replicas);
	if (facts->sharing != SHK_SHARING_NONE)
		shk_json_string(json, "sharing", shk_sharing_name(facts->sharing));
}

static void put_grant_spec(const struct shk_grant *grant, struct shk_json *json)
{
	if (!grant->has_guaranteed || grant->ceiling != grant->guaranteed)
		shk_json_parts_exact(json, "ceiling", grant->ceiling);
	if (grant->has_guaranteed)
		shk_json_parts_exact(json, "guaranteed", grant->guaranteed);
	shk_json_string(json, "reason", grant->reason);
	shk_json_string(json, "tenant", grant->tenant);
	shk_json_string(json, "unit", grant->unit);
	shk_json_time(json, "until", grant->until_s);
}

/* --- documents ---------------------------------------------------------------------------- */

static const struct shk_labels *labels_of(const struct shk_document *document)
{
	static const struct shk_labels none = {NULL, 0};

	switch (document->kind) {
	case SHK_DOCUMENT_TRUST_DOMAIN:
		return &document->domain.labels;
	case SHK_DOCUMENT_TENANT:
		return &document->tenant.labels;
	case SHK_DOCUMENT_PRIORITY_BAND:
		return &document->band.labels;
	case SHK_DOCUMENT_NODE_FACTS:
		return &document->node_facts.labels;
	case SHK_DOCUMENT_GRANT:
		return &document->grant.labels;
	case SHK_DOCUMENT_UNKNOWN:
	case SHK_DOCUMENT_KIND_COUNT:
		break;
	}
	return &none;
}

static void put_spec(const struct shk_document *document, struct shk_json *json)
{
	switch (document->kind) {
	case SHK_DOCUMENT_TRUST_DOMAIN:
		put_level(document->domain.isolation, json, "isolation");
		break;
	case SHK_DOCUMENT_TENANT:
		shk_tenant_spec_encode(&document->tenant, json);
		break;
	case SHK_DOCUMENT_PRIORITY_BAND:
		put_band_spec(&document->band, json);
		break;
	case SHK_DOCUMENT_NODE_FACTS:
		put_node_facts_spec(&document->node_facts, json);
		break;
	case SHK_DOCUMENT_GRANT:
		put_grant_spec(&document->grant, json);
		break;
	case SHK_DOCUMENT_UNKNOWN:
	case SHK_DOCUMENT_KIND_COUNT:
		break;
	}
}

void shk_document_encode(const struct shk_document *document, struct shk_json *json)
{
	const struct shk_labels *labels = labels_of(document);

	shk_json_object(json, NULL);
	shk_json_string(json, "apiVersion", DOCUMENT_API_VERSION);
	shk_json_string(json, "kind", shk_document_kind_name(document->kind));
	shk_json_object(json, "metadata");
	if (labels->n > 0)
		put_labels(labels, json, "labels");
	shk_json_string(json, "name", document->name);
	shk_json_object_end(json);
	shk_json_object(json, "spec");
	put_spec(document, json);
	shk_json_object_end(json);
	shk_json_object_end(json);
}
