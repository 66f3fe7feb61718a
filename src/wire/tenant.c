/* tenant.c - the Tenant document, and selectors. */
#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/names.h"

/* --- selectors ---------------------------------------------------------------------------- */

struct requirement_draft {
	const char *key;
	unsigned op;
	const char *const *values;
	size_t n_values;
};

struct selector_draft {
	struct shk_labels match_labels;
	const struct requirement_draft *expressions;
	size_t n_expressions;
};

static const struct word op_words[] = {
    {"In", SHK_SELECTOR_IN},
    {"NotIn", SHK_SELECTOR_NOT_IN},
    {"Exists", SHK_SELECTOR_EXISTS},
    {"DoesNotExist", SHK_SELECTOR_NOT_EXISTS},
};

static const struct words ops = {op_words, sizeof op_words / sizeof op_words[0],
				 "In, NotIn, Exists or DoesNotExist"};
static const struct text_rule label_key = {shk_name_is_label_key, "a label key"};
static const struct text_rule label_value = {shk_name_is_label_value, "a label value"};

static const struct field requirement_fields[] = {
    {.key = "key",
     .read = read_text,
     .offset = offsetof(struct requirement_draft, key),
     .rule = &label_key,
     .is_required = true},
    {.key = "operator",
     .read = read_word,
     .offset = offsetof(struct requirement_draft, op),
     .rule = &ops,
     .is_required = true},
    {.key = "values",
     .read = read_texts,
     .offset = offsetof(struct requirement_draft, values),
     .count = offsetof(struct requirement_draft, n_values),
     .rule = &label_value},
};

static const struct shape requirement_shape = {SHAPE_FIELDS(requirement_fields), .is_closed = true};
static const struct list_rule requirement_list = {sizeof(struct requirement_draft),
						  &requirement_shape};

static const struct field selector_fields[] = {
    {.key = "matchLabels",
     .read = read_labels,
     .offset = offsetof(struct selector_draft, match_labels),
     .rule = &labels_checked},
    {.key = "matchExpressions",
     .read = read_list,
     .offset = offsetof(struct selector_draft, expressions),
     .count = offsetof(struct selector_draft, n_expressions),
     .rule = &requirement_list},
};

static const struct shape selector_shape = {SHAPE_FIELDS(selector_fields), .is_closed = true};

static enum shk_status check_values(const struct spot *selector, size_t index,
				    const struct requirement_draft *draft)
{
	struct spot list = spot_key(selector, "matchExpressions");
	struct spot item = spot_item(&list, index);
	struct spot values = spot_key(&item, "values");
	bool wants_values = draft->op == SHK_SELECTOR_IN || draft->op == SHK_SELECTOR_NOT_IN;

	if (wants_values && draft->n_values == 0)
		return spot_fail(&values, "missing");
	if (!wants_values && draft->n_values > 0)
		return spot_fail(&values, "this operator takes no values");
	return SHK_OK;
}

static const char *const *sorted_values(struct shk_arena *arena, const char *const *values,
					size_t n)
{
	const char **sorted = SHK_NEW_ARRAY(arena, n, const char *);

	for (size_t i = 0; i < n; i++)
		sorted[i] = values[i];
	qsort(sorted, n, sizeof *sorted, shk_str_compare);
	return sorted;
}

/* A total order, so that one selector has one form. */
static int compare_requirements(const void *a, const void *b)
{
	const struct shk_requirement *left = a;
	const struct shk_requirement *right = b;
	int order = strcmp(left->key, right->key);

	if (order != 0)
		return order;
	if (left->op != right->op)
		return left->op < right->op ? -1 : 1;
	for (size_t i = 0; i < left->n_values && i < right->n_values; i++) {
		order = strcmp(left->values[i], right->values[i]);
		if (order != 0)
			return order;
	}
	if (left->n_values != right->n_values)
		return left->n_values < right->n_values ? -1 : 1;
	return 0;
}

static struct shk_requirement from_label(struct shk_arena *arena, const struct shk_pair *pair)
{
	const char **values = SHK_NEW_ARRAY(arena, 1, const char *);

	values[0] = pair->value;
	return (struct shk_requirement){
	    .key = pair->key, .op = SHK_SELECTOR_IN, .values = values, .n_values = 1};
}

enum shk_status read_selector(const struct spot *spot, const struct field *field,
			      const json_t *value, void *target)
{
	struct shk_selector *selector = field_at(field, target);
	struct selector_draft draft = {0};
	enum shk_status status = decode_object(spot, value, &selector_shape, &draft);
	size_t n = 0;

	if (status)
		return status;
	if (draft.match_labels.n + draft.n_expressions == 0)
		return spot_fail(spot, "empty: it would match nothing");

	struct shk_requirement *items = SHK_NEW_ARRAY(
	    spot->arena, draft.match_labels.n + draft.n_expressions, struct shk_requirement);

	for (size_t i = 0; i < draft.match_labels.n; i++)
		items[n++] = from_label(spot->arena, &draft.match_labels.items[i]);
	for (size_t i = 0; i < draft.n_expressions; i++) {
		const struct requirement_draft *expression = &draft.expressions[i];

		status = check_values(spot, i, expression);
		if (status)
			return status;
		items[n++] = (struct shk_requirement){
		    .key = expression->key,
		    .op = (enum shk_selector_op)expression->op,
		    .values = sorted_values(spot->arena, expression->values, expression->n_values),
		    .n_values = expression->n_values,
		};
	}
	qsort(items, n, sizeof *items, compare_requirements);
	*selector = (struct shk_selector){.items = items, .n = n};
	return SHK_OK;
}

/* --- tenants ------------------------------------------------------------------------------ */

static enum shk_status read_tenant_selector(const struct spot *spot, const struct field *field,
					    const json_t *value, void *target)
{
	struct shk_tenant *tenant = target;

	tenant->has_selector = true;
	return read_selector(spot, field, value, target);
}

static enum shk_status read_max_priority(const struct spot *spot, const struct field *field,
					 const json_t *value, void *target)
{
	struct shk_tenant *tenant = target;

	tenant->has_max_priority = true;
	return read_int(spot, field, value, target);
}

static const struct field tenant_fields[] = {
    {.key = "displayName", .read = read_text, .offset = offsetof(struct shk_tenant, display_name)},
    {.key = "trustDomain",
     .read = read_text,
     .offset = offsetof(struct shk_tenant, domain),
     .rule = &text_label},
    {.key = "namespaces",
     .read = read_texts,
     .offset = offsetof(struct shk_tenant, namespaces),
     .count = offsetof(struct shk_tenant, n_namespaces),
     .rule = &text_label},
    {.key = "namespaceSelector",
     .read = read_tenant_selector,
     .offset = offsetof(struct shk_tenant, namespace_selector)},
    {.key = "isolation", .read = read_level, .offset = offsetof(struct shk_tenant, isolation)},
    {.key = "podIsolation",
     .read = read_level,
     .offset = offsetof(struct shk_tenant, pod_isolation)},
    {.key = "maxPriority",
     .read = read_max_priority,
     .offset = offsetof(struct shk_tenant, max_priority),
     .min = INT32_MIN,
     .max = INT32_MAX},
    {.key = "suspended", .read = read_bool, .offset = offsetof(struct shk_tenant, suspended)},
    {.key = "quota", .read = read_quota},
};

const struct shape tenant_spec_shape = {SHAPE_FIELDS(tenant_fields), .is_closed = true};

enum shk_status tenant_finish(const struct spot *spec, struct shk_tenant *tenant)
{
	(void)spec; /* nothing in a tenant contradicts itself */
	tenant->domain_stated = tenant->domain != NULL;
	if (!tenant->domain)
		tenant->domain = tenant->name;
	return SHK_OK;
}
