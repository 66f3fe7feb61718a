/* document_kinds.c - what each kind of document may say. */
#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/names.h"
#include "shikiri/base/units.h"
#include "shikiri/core/resource.h"

#include "text.h"

/* --- parts that several kinds have --------------------------------------------------------- */

static const struct field meta_fields[] = {
    {.key = "name",
     .read = read_text,
     .offset = offsetof(struct document_meta, name),
     .rule = &text_subdomain,
     .is_required = true},
    {.key = "labels",
     .read = read_labels,
     .offset = offsetof(struct document_meta, labels),
     .rule = &labels_checked},
    {.key = "uid", .read = read_ignored},
    {.key = "resourceVersion", .read = read_ignored},
    {.key = "creationTimestamp", .read = read_ignored},
    {.key = "annotations", .read = read_ignored},
};

const struct shape document_meta_shape = {SHAPE_FIELDS(meta_fields), .is_closed = true};

enum shk_status read_api_version(const struct spot *spot, const struct field *field,
				 const json_t *value, void *target)
{
	(void)field; /* nothing is stored */
	(void)target;
	if (!shk_str_equals(json_string_value(value), DOCUMENT_API_VERSION))
		return spot_fail(spot, "not " DOCUMENT_API_VERSION);
	return SHK_OK;
}

enum shk_status read_level(const struct spot *spot, const struct field *field, const json_t *value,
			   void *target)
{
	static const struct word items[] = {
	    {"mig", SHK_LEVEL_MIG}, {"card", SHK_LEVEL_CARD}, {"node", SHK_LEVEL_NODE}};
	static const struct words levels = {items, 3, "mig, card or node"};
	struct field with_words = *field;

	with_words.rule = &levels;
	return read_word(spot, &with_words, value, target);
}

enum shk_status read_duration(const struct spot *spot, const struct field *field,
			      const json_t *value, void *target)
{
	int64_t *ms = field_at(field, target);
	char least[32];
	char most[32];

	if (!json_is_string(value) || !shk_duration_ms(shk_sv(json_string_value(value)), ms))
		return spot_fail(spot, "not a duration as in \"30s\" or \"1h30m\"");
	if (*ms < field->min || *ms > field->max)
		return spot_fail(spot, "not in %s..%s",
				 shk_duration_print(field->min, least, sizeof least),
				 shk_duration_print(field->max, most, sizeof most));
	return SHK_OK;
}

/* --- TrustDomain, PriorityBand, NodeFacts, Grant ------------------------------------------- */

static const struct field domain_fields[] = {
    {.key = "isolation",
     .read = read_level,
     .offset = offsetof(struct shk_trust_domain, isolation)},
};

static const struct shape domain_shape = {SHAPE_FIELDS(domain_fields), .is_closed = true};

static const struct field band_fields[] = {
    {.key = "minPriority",
     .read = read_int,
     .offset = offsetof(struct shk_band, min_priority),
     .min = INT32_MIN,
     .max = INT32_MAX},
    {.key = "maxPriority",
     .read = read_int,
     .offset = offsetof(struct shk_band, max_priority),
     .min = INT32_MIN,
     .max = INT32_MAX},
    {.key = "mayBorrow", .read = read_bool, .offset = offsetof(struct shk_band, may_borrow)},
    {.key = "reclaimable", .read = read_bool, .offset = offsetof(struct shk_band, reclaimable)},
    {.key = "minRuntime",
     .read = read_duration,
     .offset = offsetof(struct shk_band, min_runtime_ms),
     .max = INT64_MAX},
    {.key = "preempts",
     .read = read_texts,
     .offset = offsetof(struct shk_band, preempts),
     .count = offsetof(struct shk_band, n_preempts),
     .rule = &text_label},
};

static const struct shape band_shape = {SHAPE_FIELDS(band_fields), .is_closed = true};

static enum shk_status band_finish(const struct spot *spec, struct shk_band *band)
{
	struct spot min_priority = spot_key(spec, "minPriority");

	if (band->min_priority > band->max_priority)
		return spot_fail(&min_priority, "above maxPriority");
	return SHK_OK;
}

static enum shk_status read_mig_profile(const struct spot *spot, const struct field *field,
					const json_t *value, void *target)
{
	const char **profile = field_at(field, target);
	const char *text = json_string_value(value);
	struct shk_resource parsed = {.kind = SHK_RESOURCE_MALFORMED};

	if (!text || (text[0] && !shk_profile_parse(text, &parsed)))
		return spot_fail(spot, "not a MIG profile as in \"1g.10gb\"");
	*profile = shk_arena_strdup(spot->arena, parsed.profile);
	return SHK_OK;
}

static bool is_product(struct shk_sv text)
{
	return text.len > 0 && shk_name_is_label_value(text);
}

static const struct text_rule product = {is_product, "a product as in NVIDIA-A100-SXM4-80GB"};
static const struct word sharing_words[] = {
    {"none", SHK_SHARING_NONE},
    {"time-slicing", SHK_SHARING_TIME_SLICING},
    {"mps", SHK_SHARING_MPS},
};
static const struct words sharings = {sharing_words, 3, "none, time-slicing or mps"};

static const struct field node_facts_fields[] = {
    {.key = "nodeSelector",
     .read = read_selector,
     .offset = offsetof(struct shk_node_facts_doc, node_selector),
     .is_required = true},
    {.key = "product",
     .read = read_text,
     .offset = offsetof(struct shk_node_facts_doc, product),
     .rule = &product,
     .is_required = true},
    {.key = "cards",
     .read = read_int,
     .offset = offsetof(struct shk_node_facts_doc, cards),
     .min = 1,
     .max = 64,
     .is_required = true},
    {.key = "replicas",
     .read = read_int,
     .offset = offsetof(struct shk_node_facts_doc, replicas),
     .min = 1,
     .max = 4096},
    {.key = "sharing",
     .read = read_word,
     .offset = offsetof(struct shk_node_facts_doc, sharing),
     .rule = &sharings},
    {.key = "migProfile",
     .read = read_mig_profile,
     .offset = offsetof(struct shk_node_facts_doc, mig_profile)},
};

static const struct shape node_facts_shape = {SHAPE_FIELDS(node_facts_fields), .is_closed = true};

static enum shk_status node_facts_finish(const struct spot *spec, struct shk_node_facts_doc *facts)
{
	struct spot replicas = spot_key(spec, "replicas");

	if (facts->replicas > 1 && facts->sharing == SHK_SHARING_NONE)
		return spot_fail(&replicas, "more than 1 needs sharing: time-slicing or mps");
	return SHK_OK;
}

struct grant_draft {
	const char *tenant;
	const char *unit;
	struct amount guaranteed;
	struct amount ceiling;
	int64_t until_s;
	const char *reason;
};

static bool is_not_empty(struct shk_sv text)
{
	return text.len > 0;
}

static const struct text_rule not_empty = {is_not_empty, "a reason"};

static enum shk_status read_until(const struct spot *spot, const struct field *field,
				  const json_t *value, void *target)
{
	int64_t *until_s = field_at(field, target);

	if (!json_is_string(value) || !shk_time_parse(shk_sv(json_string_value(value)), until_s))
		return spot_fail(spot, "not a time as in \"2026-12-24T18:00:00Z\"");
	return SHK_OK;
}

static enum shk_status read_unit(const struct spot *spot, const struct field *field,
				 const json_t *value, void *target)
{
	enum shk_status status = read_text(spot, field, value, target);

	return status ? status : check_unit(spot, json_string_value(value));
}

static const struct field grant_fields[] = {
    {.key = "tenant",
     .read = read_text,
     .offset = offsetof(struct grant_draft, tenant),
     .rule = &text_label,
     .is_required = true},
    {.key = "unit",
     .read = read_unit,
     .offset = offsetof(struct grant_draft, unit),
     .is_required = true},
    {.key = "guaranteed", .read = read_parts, .offset = offsetof(struct grant_draft, guaranteed)},
    {.key = "ceiling", .read = read_parts, .offset = offsetof(struct grant_draft, ceiling)},
    {.key = "until",
     .read = read_until,
     .offset = offsetof(struct grant_draft, until_s),
     .is_required = true},
    {.key = "reason",
     .read = read_text,
     .offset = offsetof(struct grant_draft, reason),
     .rule = &not_empty,
     .is_required = true},
};

static const struct shape grant_shape = {SHAPE_FIELDS(grant_fields), .is_closed = true};

/* --- one document ------------------------------------------------------------------------- */

static const struct word kind_words[] = {
    {"TrustDomain", SHK_DOCUMENT_TRUST_DOMAIN},
    {"Tenant", SHK_DOCUMENT_TENANT},
    {"PriorityBand", SHK_DOCUMENT_PRIORITY_BAND},
    {"NodeFacts", SHK_DOCUMENT_NODE_FACTS},
    {"Grant", SHK_DOCUMENT_GRANT},
};

static const struct words kinds = {kind_words, sizeof kind_words / sizeof kind_words[0],
				   "TrustDomain, Tenant, PriorityBand, NodeFacts or Grant"};

const char *shk_document_kind_name(enum shk_document_kind kind)
{
	for (size_t i = 0; i < kinds.n; i++) {
		if (kind_words[i].value == kind)
			return kind_words[i].text;
	}
	return "";
}

struct document_draft {
	enum shk_document_kind kind;
	struct document_meta meta;
	const json_t *spec;
};

static const struct field document_fields[] = {
    {.key = "apiVersion", .read = read_api_version, .is_required = true},
    {.key = "kind",
     .read = read_word,
     .offset = offsetof(struct document_draft, kind),
     .rule = &kinds,
     .is_required = true},
    {.key = "metadata",
     .read = read_object,
     .offset = offsetof(struct document_draft, meta),
     .rule = &document_meta_shape,
     .is_required = true},
    {.key = "spec",
     .read = read_raw,
     .offset = offsetof(struct document_draft, spec),
     .is_required = true},
    {.key = "status", .read = read_ignored},
};

static const struct shape document_shape = {SHAPE_FIELDS(document_fields), .is_closed = true};

static enum shk_status decode_tenant(const struct spot *spec, const struct document_draft *draft,
				     struct shk_tenant *tenant)
{
	*tenant = (struct shk_tenant){.name = draft->meta.name, .labels = draft->meta.labels};

	enum shk_status status = decode_object(spec, draft->spec, &tenant_spec_shape, tenant);

	return status ? status : tenant_finish(spec, tenant);
}

static enum shk_status decode_domain(const struct spot *spec, const struct document_draft *draft,
				     struct shk_trust_domain *domain)
{
	*domain = (struct shk_trust_domain){.name = draft->meta.name, .labels = draft->meta.labels};
	return decode_object(spec, draft->spec, &domain_shape, domain);
}

static enum shk_status decode_band(const struct spot *spec, const struct document_draft *draft,
				   struct shk_band *band)
{
	*band = (struct shk_band){
	    .name = draft->meta.name,
	    .labels = draft->meta.labels,
	    .min_priority = INT32_MIN,
	    .max_priority = INT32_MAX,
	    .may_borrow = true,
	    .reclaimable = true,
	};

	enum shk_status status = decode_object(spec, draft->spec, &band_shape, band);

	return status ? status : band_finish(spec, band);
}

static enum shk_status decode_node_facts(const struct spot *spec,
					 const struct document_draft *draft,
					 struct shk_node_facts_doc *facts)
{
	*facts = (struct shk_node_facts_doc){
	    .name = draft->meta.name,
	    .labels = draft->meta.labels,
	    .replicas = 1,
	    .sharing = SHK_SHARING_NONE,
	    .mig_profile = "",
	};

	enum shk_status status = decode_object(spec, draft->spec, &node_facts_shape, facts);

	return status ? status : node_facts_finish(spec, facts);
}

static enum shk_status decode_grant(const struct spot *spec, const struct document_draft *draft,
				    struct shk_grant *grant)
{
	struct grant_draft read = {0};
	enum shk_status status = decode_object(spec, draft->spec, &grant_shape, &read);

	if (status)
		return status;
	if (!read.guaranteed.is_stated && !read.ceiling.is_stated)
		return spot_fail(spec, "neither guaranteed nor ceiling");
	*grant = (struct shk_grant){
	    .name = draft->meta.name,
	    .labels = draft->meta.labels,
	    .tenant = read.tenant,
	    .unit = read.unit,
	    .has_guaranteed = read.guaranteed.is_stated,
	    .guaranteed = read.guaranteed.parts,
	    .ceiling = read.ceiling.is_stated ? read.ceiling.parts : read.guaranteed.parts,
	    .until_s = read.until_s,
	    .reason = read.reason,
	};
	return SHK_OK;
}

static enum shk_status decode_spec(const struct spot *spec, const struct document_draft *draft,
				   struct shk_document *document)
{
	switch (draft->kind) {
	case SHK_DOCUMENT_TRUST_DOMAIN:
		return decode_domain(spec, draft, &document->domain);
	case SHK_DOCUMENT_TENANT:
		return decode_tenant(spec, draft, &document->tenant);
	case SHK_DOCUMENT_PRIORITY_BAND:
		return decode_band(spec, draft, &document->band);
	case SHK_DOCUMENT_NODE_FACTS:
		return decode_node_facts(spec, draft, &document->node_facts);
	case SHK_DOCUMENT_GRANT:
		return decode_grant(spec, draft, &document->grant);
	case SHK_DOCUMENT_UNKNOWN:
	case SHK_DOCUMENT_KIND_COUNT:
		break;
	}
	return spot_fail(spec, "of no kind");
}

/* NodeFacts are named like nodes, everything else like namespaces. */
static enum shk_status check_name(const struct spot *spot, const struct document_draft *draft)
{
	struct spot metadata = spot_key(spot, "metadata");
	struct spot name = spot_key(&metadata, "name");
	char quoted[TEXT_QUOTED_SIZE];

	if (draft->kind == SHK_DOCUMENT_NODE_FACTS || shk_name_is_label(shk_sv(draft->meta.name)))
		return SHK_OK;
	return spot_fail(&name, "%s is not a DNS label",
			 text_quote(shk_sv(draft->meta.name), quoted));
}

enum shk_status document_read(const struct spot *spot, const json_t *value,
			      struct shk_document *ret_document)
{
	struct document_draft draft = {0};
	struct spot spec = spot_key(spot, "spec");
	struct shk_buf canonical = {0};
	struct shk_json json;
	enum shk_status status = decode_object(spot, value, &document_shape, &draft);

	if (!status)
		status = check_name(spot, &draft);
	if (status)
		return status;
	*ret_document = (struct shk_document){.kind = draft.kind, .name = draft.meta.name};
	status = decode_spec(&spec, &draft, ret_document);
	if (status)
		return status;
	shk_json_begin(&json, &canonical);
	shk_document_encode(ret_document, &json);
	ret_document->canonical = shk_arena_strndup(spot->arena, canonical.data, canonical.len);
	shk_buf_fini(&canonical);
	return SHK_OK;
}
