/* configuration.c - DaemonConfiguration: flags in a file. */
#include "document.h"

#include <inttypes.h>
#include <string.h>

#include "tree.h"

struct settings {
	struct shk_setting *items;
	size_t n;
};

static bool is_camel_case(const char *key)
{
	if (key[0] < 'a' || key[0] > 'z')
		return false;
	return key[strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")] ==
	       '\0';
}

static const char *scalar_text(struct shk_arena *arena, const json_t *value)
{
	if (json_is_string(value))
		return shk_arena_strdup(arena, json_string_value(value));
	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	if (json_is_integer(value))
		return shk_arena_printf(arena, "%" PRId64, (int64_t)json_integer_value(value));
	if (json_is_real(value))
		return shk_arena_printf(arena, "%.15g", json_real_value(value));
	return NULL;
}

static enum shk_status add_setting(const struct spot *spot, const char *key, const json_t *value,
				   struct settings *settings)
{
	const char *text = scalar_text(spot->arena, value);

	if (!text)
		return spot_fail(spot, "neither a string, a number nor true or false");
	settings->items[settings->n++] = (struct shk_setting){
	    .key = shk_arena_strdup(spot->arena, key),
	    .value = text,
	};
	return SHK_OK;
}

static enum shk_status add_member(const struct spot *spot, const json_t *value,
				  struct settings *settings)
{
	if (!is_camel_case(spot->key))
		return spot_fail(spot, "not a key in camelCase");
	if (json_is_null(value))
		return SHK_OK;
	if (!json_is_array(value))
		return add_setting(spot, spot->key, value, settings);
	for (size_t i = 0; i < json_array_size(value); i++) {
		struct spot item = spot_item(spot, i);
		enum shk_status status =
		    add_setting(&item, spot->key, json_array_get(value, i), settings);

		if (status)
			return status;
	}
	return SHK_OK;
}

static size_t count_settings(const json_t *document)
{
	void *iter = NULL;
	const char *key;
	const json_t *value;
	size_t n = 0;

	while (object_next(document, &iter, &key, &value))
		n += json_is_array(value) ? json_array_size(value) : 1;
	return n;
}

static enum shk_status check_kind(const struct spot *root, const json_t *document)
{
	struct spot api_version = spot_key(root, "apiVersion");
	struct spot kind = spot_key(root, "kind");

	if (!json_is_object(document))
		return spot_fail(root, "not an object");
	if (!shk_str_equals(member_text(document, "apiVersion"), DOCUMENT_API_VERSION))
		return spot_fail(&api_version, "not " DOCUMENT_API_VERSION);
	if (!shk_str_equals(member_text(document, "kind"), "DaemonConfiguration"))
		return spot_fail(&kind, "not DaemonConfiguration");
	return SHK_OK;
}

static enum shk_status read_settings(const struct spot *root, const json_t *document,
				     struct settings *settings)
{
	enum shk_status status = check_kind(root, document);
	void *iter = NULL;
	const char *key;
	const json_t *value;

	if (status)
		return status;
	settings->items = SHK_NEW_ARRAY(root->arena, count_settings(document), struct shk_setting);
	while (!status && object_next(document, &iter, &key, &value)) {
		struct spot here = spot_key(root, key);

		if (strcmp(key, "apiVersion") != 0 && strcmp(key, "kind") != 0)
			status = add_member(&here, value, settings);
	}
	return status;
}

enum shk_status shk_daemon_configuration_decode(struct shk_sv text, struct shk_arena *arena,
						const struct shk_setting **ret_settings,
						size_t *ret_n, struct shk_error *err)
{
	struct spot root = spot_root(arena, err);
	struct settings settings = {0};
	json_t *list;
	enum shk_status status = document_parse_one(text, "DaemonConfiguration", &list, err);

	if (status)
		return status;
	status = read_settings(&root, json_array_get(list, 0), &settings);
	json_decref(list);
	if (status)
		return status;
	*ret_settings = settings.items;
	*ret_n = settings.n;
	return SHK_OK;
}
