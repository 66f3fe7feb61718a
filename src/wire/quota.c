/* quota.c - amounts, units and quota entries of documents. */
#include "document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/core/resource.h"

const bool parts_may_be_unlimited = true;

static bool parse_parts(const json_t *value, int64_t *ret_parts)
{
	char text[32];

	if (json_is_string(value))
		return shk_decimal_parts(shk_sv(json_string_value(value)), ret_parts);
	if (!json_is_integer(value))
		return false;
	(void)snprintf(text, sizeof text, "%" PRId64, (int64_t)json_integer_value(value));
	return shk_decimal_parts(shk_sv(text), ret_parts);
}

enum shk_status read_parts(const struct spot *spot, const struct field *field, const json_t *value,
			   void *target)
{
	struct amount *amount = field_at(field, target);
	const char *or_unlimited = field->rule ? " or \"unlimited\"" : "";

	amount->is_stated = true;
	amount->is_unlimited = field->rule && shk_str_equals(json_string_value(value), "unlimited");
	if (amount->is_unlimited || parse_parts(value, &amount->parts))
		return SHK_OK;
	if (json_is_real(value))
		return spot_fail(spot, "a fraction must be in quotes, as in \"0.5\"");
	return spot_fail(spot, "not a decimal of at most six digits%s", or_unlimited);
}

enum shk_status check_unit(const struct spot *spot, const char *unit)
{
	for (size_t i = 0; i < SHK_UNIT_COUNT; i++) {
		if (strcmp(unit, shk_unit_names[i]) == 0)
			return SHK_OK;
	}
	if (shk_resource_is_managed(unit)) {
		if (shk_resource_parse(unit).kind != SHK_RESOURCE_MALFORMED)
			return SHK_OK;
		return spot_fail(spot, "neither nvidia.com/gpu, nvidia.com/gpu.shared nor a "
				       "well-formed nvidia.com/mig-<profile>");
	}

	const char *nearest = shk_str_nearest(unit, shk_unit_names, SHK_UNIT_COUNT);

	if (nearest)
		return spot_fail(spot, "unknown unit, did you mean \"%s\"?", nearest);
	return spot_fail(spot, "unknown unit");
}

struct entry_draft {
	struct amount guaranteed;
	struct amount ceiling;
	struct amount lendable;
};

static const struct field entry_fields[] = {
    {.key = "guaranteed", .read = read_parts, .offset = offsetof(struct entry_draft, guaranteed)},
    {.key = "ceiling",
     .read = read_parts,
     .offset = offsetof(struct entry_draft, ceiling),
     .rule = &parts_may_be_unlimited},
    {.key = "lendable", .read = read_parts, .offset = offsetof(struct entry_draft, lendable)},
};

static const struct shape entry_shape = {SHAPE_FIELDS(entry_fields), .is_closed = true};

static enum shk_status check_entry(const struct spot *spot, const struct entry_draft *draft)
{
	struct spot guaranteed = spot_key(spot, "guaranteed");
	struct spot lendable = spot_key(spot, "lendable");

	if (!draft->guaranteed.is_stated && !draft->ceiling.is_stated)
		return spot_fail(spot, "neither guaranteed nor ceiling");
	if (draft->lendable.is_stated && !draft->guaranteed.is_stated)
		return spot_fail(&lendable, "nothing is guaranteed that could be lent");
	if (draft->guaranteed.is_stated && draft->ceiling.is_stated &&
	    !draft->ceiling.is_unlimited && draft->guaranteed.parts > draft->ceiling.parts)
		return spot_fail(&guaranteed, "more than the ceiling");
	return SHK_OK;
}

static enum shk_status read_entry(const struct spot *spot, const json_t *value,
				  struct shk_quota_entry *entry)
{
	struct entry_draft draft = {0};
	enum shk_status status = check_unit(spot, spot->key);

	if (!status)
		status = decode_object(spot, value, &entry_shape, &draft);
	if (!status)
		status = check_entry(spot, &draft);
	if (status)
		return status;
	*entry = (struct shk_quota_entry){
	    .unit = shk_arena_strdup(spot->arena, spot->key),
	    .has_guaranteed = draft.guaranteed.is_stated,
	    .unlimited = draft.ceiling.is_unlimited,
	    .guaranteed = draft.guaranteed.parts,
	    .ceiling = draft.ceiling.is_stated ? draft.ceiling.parts : draft.guaranteed.parts,
	    .lendable = draft.lendable.parts,
	};
	return SHK_OK;
}

static int compare_entries(const void *a, const void *b)
{
	const struct shk_quota_entry *left = a;
	const struct shk_quota_entry *right = b;

	return strcmp(left->unit, right->unit);
}

enum shk_status read_quota(const struct spot *spot, const struct field *field, const json_t *value,
			   void *target)
{
	struct shk_tenant *tenant = target;
	void *iter = NULL;
	const char *unit;
	const json_t *entry;
	size_t n = 0;

	(void)field; /* there is one quota in a tenant */
	if (!json_is_object(value))
		return spot_fail(spot, "not an object");

	struct shk_quota_entry *quota =
	    SHK_NEW_ARRAY(spot->arena, json_object_size(value), struct shk_quota_entry);

	while (object_next(value, &iter, &unit, &entry)) {
		struct spot here = spot_key(spot, unit);
		enum shk_status status;

		if (json_is_null(entry))
			continue;
		status = read_entry(&here, entry, &quota[n]);
		if (status)
			return status;
		n++;
	}
	qsort(quota, n, sizeof *quota, compare_entries);
	tenant->quota = quota;
	tenant->n_quota = n;
	return SHK_OK;
}
