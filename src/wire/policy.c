#include "document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/hash.h"
#include "shikiri/base/units.h"

#include "tree.h"

#define MICRO       INT64_C(1000000)
#define LONGEST_MS  (INT64_C(7) * 24 * 3600 * 1000)
#define MAX_SHARES  4096
#define NUMBER_SIZE 32

/* --- readers ------------------------------------------------------------------------------ */

/* Which of two words stands for true. */
struct choice {
	const char *no;
	const char *yes;
};

static enum shk_status read_choice(const struct spot *spot, const struct field *field,
				   const json_t *value, void *target)
{
	const struct choice *choice = field->rule;
	bool *is_yes = field_at(field, target);
	const char *text = json_string_value(value);

	if (!shk_str_equals(text, choice->no) && !shk_str_equals(text, choice->yes))
		return spot_fail(spot, "neither %s nor %s", choice->no, choice->yes);
	*is_yes = shk_str_equals(text, choice->yes);
	return SHK_OK;
}

/* Reals come from YAML's bare 1.3; printed with 15 digits they are what was written. */
static bool parse_micro(const json_t *value, int64_t *ret_micro)
{
	char text[NUMBER_SIZE];

	if (json_is_string(value))
		return shk_decimal_micro(shk_sv(json_string_value(value)), ret_micro);
	if (json_is_integer(value))
		(void)snprintf(text, sizeof text, "%" PRId64, (int64_t)json_integer_value(value));
	else if (json_is_real(value))
		(void)snprintf(text, sizeof text, "%.15g", json_real_value(value));
	else
		return false;
	return shk_decimal_micro(shk_sv(text), ret_micro);
}

static int compare_named(const void *a, const void *b)
{
	const struct shk_named_micro *left = a;
	const struct shk_named_micro *right = b;

	return strcmp(left->name, right->name);
}

/* const struct shk_named_micro * and count; each of field->min..max millionths. */
static enum shk_status read_micros(const struct spot *spot, const struct field *field,
				   const json_t *value, void *target)
{
	const struct shk_named_micro **list = field_at(field, target);
	void *iter = NULL;
	const char *name;
	const json_t *decimal;
	size_t n = 0;

	if (!json_is_object(value))
		return spot_fail(spot, "not an object");

	struct shk_named_micro *items =
	    SHK_NEW_ARRAY(spot->arena, json_object_size(value), struct shk_named_micro);

	while (object_next(value, &iter, &name, &decimal)) {
		struct spot here = spot_key(spot, name);
		int64_t micro;

		if (!parse_micro(decimal, &micro))
			return spot_fail(&here, "not a decimal of at most six digits");
		if (micro < field->min || micro > field->max)
			return spot_fail(&here, "%s",
					 micro < field->min ? "must be above 0" : "too large");
		items[n].name = shk_arena_strdup(spot->arena, name);
		items[n++].micro = micro;
	}
	qsort(items, n, sizeof *items, compare_named);
	*list = items;
	memcpy((char *)target + field->count, &n, sizeof n);
	return SHK_OK;
}

/* Kept in order: shk_policy_is_infrastructure searches it. */
static enum shk_status read_namespaces(const struct spot *spot, const struct field *field,
				       const json_t *value, void *target)
{
	struct shk_policy *policy = target;
	enum shk_status status = read_texts(spot, field, value, target);
	size_t n = policy->n_infrastructure_namespaces;

	if (status)
		return status;

	const char **sorted = SHK_NEW_ARRAY(spot->arena, n, const char *);

	for (size_t i = 0; i < n; i++)
		sorted[i] = policy->infrastructure_namespaces[i];
	qsort(sorted, n, sizeof *sorted, shk_str_compare);
	policy->infrastructure_namespaces = sorted;
	return SHK_OK;
}

/* --- shapes: sections of spec, all about one struct shk_policy ------------------------------ */

#define AT(member) .offset = offsetof(struct shk_policy, member)

static const struct choice deny_allow = {"deny", "allow"};
static const struct choice shared_card = {"shared", "card"};

static const struct field isolation_fields[] = {
    {.key = "acrossDomains", .read = read_level, AT(across_domains)},
    {.key = "sharedDisguised", .read = read_choice, AT(allow_disguised), .rule = &deny_allow},
    {.key = "vgpu", .read = read_choice, AT(vgpu_is_card), .rule = &shared_card},
    {.key = "infrastructureNamespaces",
     .read = read_namespaces,
     AT(infrastructure_namespaces),
     .count = offsetof(struct shk_policy, n_infrastructure_namespaces),
     .rule = &text_label},
    {.key = "unmappedNamespace", .read = read_choice, AT(allow_unmapped), .rule = &deny_allow},
};

static const struct field shares_fields[] = {
    {.key = "timeSlicing", .read = read_int, AT(max_shares_time_slicing), .max = MAX_SHARES},
    {.key = "mps", .read = read_int, AT(max_shares_mps), .max = MAX_SHARES},
};

static const struct shape shares_shape = {SHAPE_FIELDS(shares_fields), .is_closed = true};

static const struct field sharing_fields[] = {
    {.key = "maxSharesPerContainer", .read = read_object, .rule = &shares_shape},
    {.key = "spareSoftPools", .read = read_int, AT(spare_soft_pools), .max = 1000},
};

static const struct word charge_words[] = {
    {"dominant", SHK_MIG_CHARGE_DOMINANT},
    {"compute", SHK_MIG_CHARGE_COMPUTE},
    {"memory", SHK_MIG_CHARGE_MEMORY},
};
static const struct words charges = {charge_words, 3, "dominant, compute or memory"};

static const struct field units_fields[] = {
    {.key = "migCharge", .read = read_word, AT(mig_charge), .rule = &charges},
    {.key = "modelFactors",
     .read = read_micros,
     AT(model_factors),
     .count = offsetof(struct shk_policy, n_model_factors),
     .min = 1,
     .max = 1000 * MICRO},
    {.key = "pricesPerHour",
     .read = read_micros,
     AT(prices),
     .count = offsetof(struct shk_policy, n_prices),
     .max = 1000000 * MICRO},
};

static const struct word objective_words[] = {
    {"pack", SHK_OBJECTIVE_PACK},
    {"spread", SHK_OBJECTIVE_SPREAD},
};
static const struct words objectives = {objective_words, 2, "pack or spread"};

static const struct word export_words[] = {
    {"rank", SHK_EXPORT_RANK},
    {"linear", SHK_EXPORT_LINEAR},
};
static const struct words exports = {export_words, 2, "rank or linear"};

static const struct field packing_fields[] = {
    {.key = "objective", .read = read_word, AT(objective), .rule = &objectives},
    {.key = "quantumMilli", .read = read_int, AT(quantum_milli), .min = 1, .max = 1000},
    {.key = "export", .read = read_word, AT(export_form), .rule = &exports},
    {.key = "reserve",
     .read = read_micros,
     AT(reserve),
     .count = offsetof(struct shk_policy, n_reserve),
     .max = MICRO},
};

static const struct field preemption_fields[] = {
    {.key = "askedForOurRefusals", .read = read_bool, AT(preempt_for_our_refusals)},
    {.key = "acrossDomains", .read = read_bool, AT(preempt_across_domains)},
};

static const struct field holds_fields[] = {
    {.key = "ttl", .read = read_duration, AT(hold_ttl_ms), .max = LONGEST_MS},
    {.key = "ttlWithVolumes", .read = read_duration, AT(hold_ttl_volumes_ms), .max = LONGEST_MS},
};

static const struct field limits_fields[] = {
    {.key = "staleness", .read = read_duration, AT(staleness_ms), .min = 1, .max = LONGEST_MS},
    {.key = "bindTimeout", .read = read_duration, AT(bind_timeout_ms), .min = 1, .max = LONGEST_MS},
};

static const struct shape isolation_shape = {SHAPE_FIELDS(isolation_fields), .is_closed = true};
static const struct shape sharing_shape = {SHAPE_FIELDS(sharing_fields), .is_closed = true};
static const struct shape units_shape = {SHAPE_FIELDS(units_fields), .is_closed = true};
static const struct shape packing_shape = {SHAPE_FIELDS(packing_fields), .is_closed = true};
static const struct shape preemption_shape = {SHAPE_FIELDS(preemption_fields), .is_closed = true};
static const struct shape holds_shape = {SHAPE_FIELDS(holds_fields), .is_closed = true};
static const struct shape limits_shape = {SHAPE_FIELDS(limits_fields), .is_closed = true};

static const struct field spec_fields[] = {
    {.key = "isolation", .read = read_object, .rule = &isolation_shape},
    {.key = "sharing", .read = read_object, .rule = &sharing_shape},
    {.key = "units", .read = read_object, .rule = &units_shape},
    {.key = "packing", .read = read_object, .rule = &packing_shape},
    {.key = "preemption", .read = read_object, .rule = &preemption_shape},
    {.key = "holds", .read = read_object, .rule = &holds_shape},
    {.key = "limits", .read = read_object, .rule = &limits_shape},
};

static const struct shape spec_shape = {SHAPE_FIELDS(spec_fields), .is_closed = true};

static const struct field meta_fields[] = {
    {.key = "name", .read = read_text, AT(name), .rule = &text_label},
    {.key = "labels", .read = read_ignored},
    {.key = "uid", .read = read_ignored},
    {.key = "resourceVersion", .read = read_ignored},
    {.key = "creationTimestamp", .read = read_ignored},
    {.key = "annotations", .read = read_ignored},
};

static const struct shape meta_shape = {SHAPE_FIELDS(meta_fields), .is_closed = true};

static enum shk_status read_policy_kind(const struct spot *spot, const struct field *field,
					const json_t *value, void *target)
{
	(void)field; /* nothing is stored */
	(void)target;
	if (!shk_str_equals(json_string_value(value), "Policy"))
		return spot_fail(spot, "not Policy");
	return SHK_OK;
}

static const struct field policy_fields[] = {
    {.key = "apiVersion", .read = read_api_version, .is_required = true},
    {.key = "kind", .read = read_policy_kind, .is_required = true},
    {.key = "metadata", .read = read_object, .rule = &meta_shape},
    {.key = "spec", .read = read_object, .rule = &spec_shape},
    {.key = "status", .read = read_ignored},
};

static const struct shape policy_shape = {SHAPE_FIELDS(policy_fields), .is_closed = true};

enum shk_status shk_policy_decode(struct shk_sv text, struct shk_arena *arena,
				  struct shk_policy *ret_policy, struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	struct shk_policy policy;
	json_t *list;
	enum shk_status status = document_parse_one(text, "Policy", &list, err);

	if (status)
		return status;
	shk_policy_default(&policy);
	status = decode_object(&root, json_array_get(list, 0), &policy_shape, &policy);
	json_decref(list);
	if (status)
		return status;
	shk_policy_fill_hash(&policy);
	*ret_policy = policy;
	return SHK_OK;
}

/* --- encoding: keys in byte order ----------------------------------------------------------- */

static void put_micros(const struct shk_named_micro *items, size_t n, struct shk_json *json,
		       const char *key)
{
	shk_json_object(json, key);
	for (size_t i = 0; i < n; i++) {
		char text[NUMBER_SIZE];
		int len = snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64,
				   items[i].micro / MICRO, items[i].micro % MICRO);

		while (text[len - 1] == '0')
			text[--len] = '\0';
		if (text[len - 1] == '.')
			text[--len] = '\0';
		shk_json_string(json, items[i].name, text);
	}
	shk_json_object_end(json);
}

static void put_duration(int64_t ms, struct shk_json *json, const char *key)
{
	char text[NUMBER_SIZE];

	shk_json_string(json, key, shk_duration_print(ms, text, sizeof text));
}

static const char *word_of(const struct words *words, unsigned value)
{
	for (size_t i = 0; i < words->n; i++) {
		if (words->items[i].value == value)
			return words->items[i].text;
	}
	return "";
}

static const char *chosen(const struct choice *choice, bool is_yes)
{
	return is_yes ? choice->yes : choice->no;
}

static void put_isolation(const struct shk_policy *policy, struct shk_json *json)
{
	shk_json_object(json, "isolation");
	shk_json_string(json, "acrossDomains", shk_level_name(policy->across_domains));
	shk_json_array(json, "infrastructureNamespaces");
	for (size_t i = 0; i < policy->n_infrastructure_namespaces; i++)
		shk_json_string(json, NULL, policy->infrastructure_namespaces[i]);
	shk_json_array_end(json);
	shk_json_string(json, "sharedDisguised", chosen(&deny_allow, policy->allow_disguised));
	shk_json_string(json, "unmappedNamespace", chosen(&deny_allow, policy->allow_unmapped));
	shk_json_string(json, "vgpu", chosen(&shared_card, policy->vgpu_is_card));
	shk_json_object_end(json);
}

static void put_packing(const struct shk_policy *policy, struct shk_json *json)
{
	shk_json_object(json, "packing");
	shk_json_string(json, "export", word_of(&exports, policy->export_form));
	shk_json_string(json, "objective", word_of(&objectives, policy->objective));
	shk_json_int(json, "quantumMilli", policy->quantum_milli);
	put_micros(policy->reserve, policy->n_reserve, json, "reserve");
	shk_json_object_end(json);
}

static void put_sharing(const struct shk_policy *policy, struct shk_json *json)
{
	shk_json_object(json, "sharing");
	shk_json_object(json, "maxSharesPerContainer");
	shk_json_int(json, "mps", policy->max_shares_mps);
	shk_json_int(json, "timeSlicing", policy->max_shares_time_slicing);
	shk_json_object_end(json);
	shk_json_int(json, "spareSoftPools", policy->spare_soft_pools);
	shk_json_object_end(json);
}

static void put_units(const struct shk_policy *policy, struct shk_json *json)
{
	shk_json_object(json, "units");
	shk_json_string(json, "migCharge", word_of(&charges, policy->mig_charge));
	put_micros(policy->model_factors, policy->n_model_factors, json, "modelFactors");
	put_micros(policy->prices, policy->n_prices, json, "pricesPerHour");
	shk_json_object_end(json);
}

static void put_spec(const struct shk_policy *policy, struct shk_json *json)
{
	shk_json_object(json, "spec");
	shk_json_object(json, "holds");
	put_duration(policy->hold_ttl_ms, json, "ttl");
	put_duration(policy->hold_ttl_volumes_ms, json, "ttlWithVolumes");
	shk_json_object_end(json);
	put_isolation(policy, json);
	shk_json_object(json, "limits");
	put_duration(policy->bind_timeout_ms, json, "bindTimeout");
	put_duration(policy->staleness_ms, json, "staleness");
	shk_json_object_end(json);
	put_packing(policy, json);
	shk_json_object(json, "preemption");
	shk_json_bool(json, "acrossDomains", policy->preempt_across_domains);
	shk_json_bool(json, "askedForOurRefusals", policy->preempt_for_our_refusals);
	shk_json_object_end(json);
	put_sharing(policy, json);
	put_units(policy, json);
	shk_json_object_end(json);
}

void shk_policy_encode(const struct shk_policy *policy, struct shk_json *json)
{
	shk_json_object(json, NULL);
	shk_json_string(json, "apiVersion", DOCUMENT_API_VERSION);
	shk_json_string(json, "kind", "Policy");
	shk_json_object(json, "metadata");
	shk_json_string(json, "name", policy->name);
	shk_json_object_end(json);
	put_spec(policy, json);
	shk_json_object_end(json);
}

void shk_policy_fill_hash(struct shk_policy *policy)
{
	static const char prefix[] = "sha256:";
	struct shk_buf text = {0};
	struct shk_json json;

	shk_json_begin(&json, &text);
	shk_policy_encode(policy, &json);
	memcpy(policy->hash, prefix, sizeof prefix);
	shk_sha256_hex(text.data, text.len, policy->hash + sizeof prefix - 1);
	shk_buf_fini(&text);
}
