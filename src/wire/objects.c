#include "objects.h"

#include <math.h>

#include "shikiri/base/names.h"
#include "shikiri/base/units.h"

#define LARGEST_AMOUNT (INT64_C(1) << 31)
#define LARGEST_CORES  1e12

enum shk_status read_time(const struct spot *spot, const struct field *field, const json_t *value,
			  void *target)
{
	int64_t *seconds = field_at(field, target);

	if (!json_is_string(value))
		return spot_fail(spot, "not a string");
	if (!shk_time_parse(shk_sv(json_string_value(value)), seconds))
		return spot_fail(spot, "not a time as in 2026-11-29T17:00:00Z");
	return SHK_OK;
}

enum shk_status read_members(const struct spot *spot, const struct field *field,
			     const json_t *value, void *target)
{
	if (!json_is_object(value))
		return spot_fail(spot, "not an object");
	return read_raw(spot, field, value, target);
}

enum shk_status read_has_items(const struct spot *spot, const struct field *field,
			       const json_t *value, void *target)
{
	bool *has_items = field_at(field, target);

	if (!json_is_array(value))
		return spot_fail(spot, "not a list");
	*has_items = json_array_size(value) > 0;
	return SHK_OK;
}

static enum shk_status read_deletion(const struct spot *spot, const struct field *field,
				     const json_t *value, void *target)
{
	bool *deleting = field_at(field, target);

	if (!json_is_string(value))
		return spot_fail(spot, "not a string");
	*deleting = true;
	return SHK_OK;
}

static const struct field meta_fields[] = {
    {.key = "name",
     .read = read_text,
     .offset = offsetof(struct object_meta, name),
     .rule = &text_subdomain},
    {.key = "generateName",
     .read = read_text,
     .offset = offsetof(struct object_meta, generate_name)},
    {.key = "namespace",
     .read = read_text,
     .offset = offsetof(struct object_meta, namespace_),
     .rule = &text_label},
    {.key = "uid",
     .read = read_text,
     .offset = offsetof(struct object_meta, uid),
     .rule = &text_uid},
    {.key = "resourceVersion",
     .read = read_text,
     .offset = offsetof(struct object_meta, resource_version)},
    {.key = "creationTimestamp",
     .read = read_time,
     .offset = offsetof(struct object_meta, created_s)},
    {.key = "deletionTimestamp",
     .read = read_deletion,
     .offset = offsetof(struct object_meta, deleting)},
    {.key = "annotations",
     .read = read_members,
     .offset = offsetof(struct object_meta, annotations)},
    {.key = "labels", .read = read_labels, .offset = offsetof(struct object_meta, labels)},
};

const struct shape object_meta_shape = {SHAPE_FIELDS(meta_fields)};

enum shk_status object_check_kind(const struct spot *spot, const json_t *object, const char *kind)
{
	const json_t *stated = json_object_get(object, "kind");
	struct spot here = spot_key(spot, "kind");

	if (!stated || json_is_null(stated) || shk_str_equals(json_string_value(stated), kind))
		return SHK_OK;
	return spot_fail(&here, "not %s", kind);
}

/* A number that an encoder wrote with a point, like 1.0. */
static bool whole_real(double value, int64_t *ret_amount)
{
	if (!(value >= 0 && value <= (double)LARGEST_AMOUNT) || floor(value) < value)
		return false;
	*ret_amount = (int64_t)value;
	return true;
}

static bool parse_amount(const json_t *value, int64_t *ret_amount)
{
	if (json_is_string(value))
		return shk_quantity_integer(shk_sv(json_string_value(value)), ret_amount);
	if (json_is_real(value))
		return whole_real(json_real_value(value), ret_amount);
	*ret_amount = json_integer_value(value);
	return json_is_integer(value);
}

bool amount_read(const json_t *value, int64_t *ret_amount)
{
	int64_t amount;

	if (!parse_amount(value, &amount) || amount < 0 || amount > LARGEST_AMOUNT)
		return false;
	*ret_amount = amount;
	return true;
}

int64_t cpu_read(const json_t *value)
{
	int64_t milli = 0;
	double cores = json_number_value(value); /* 0 for what isn't a number */

	if (json_is_string(value))
		return shk_quantity_milli(shk_sv(json_string_value(value)), &milli) ? milli : 0;
	if (cores > 0 && cores < LARGEST_CORES)
		milli = (int64_t)ceil(cores * 1000);
	return milli;
}
