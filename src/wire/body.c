#include "body.h"

#include <stdlib.h>
#include <string.h>

#include "objects.h"

void texts_push(struct texts *texts, struct shk_sv text)
{
	if (texts->n == texts->cap) {
		texts->cap = texts->cap ? texts->cap * 2 : 1024;

		struct shk_sv *items = realloc(texts->items, texts->cap * sizeof *items);

		if (!items)
			abort();
		texts->items = items;
	}
	texts->items[texts->n++] = text;
}

void body_fini(struct body *body)
{
	scanner_fini(&body->s);
	json_decref(body->pod);
	json_decref(body->victims);
	json_decref(body->meta_victims);
	free(body->names.items);
	free(body->nodes.items);
}

static bool same_in_any_case(struct shk_sv key, const char *known)
{
	if (strlen(known) != key.len)
		return false;
	for (size_t i = 0; i < key.len; i++) {
		char c = key.data[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != known[i] &&
		    !(known[i] >= 'A' && known[i] <= 'Z' && c == known[i] - 'A' + 'a'))
			return false;
	}
	return true;
}

static enum shk_status walk_member(struct body *body, struct shk_sv key, const struct part *parts,
				   size_t n, unsigned *seen)
{
	size_t i = 0;

	while (i < n && !same_in_any_case(key, parts[i].key))
		i++;
	if (i == n)
		return scanner_value(&body->s);
	if (*seen & 1U << i) {
		struct spot root = spot_root(body->arena, body->err);
		struct spot here = spot_key(&root, parts[i].key);

		return spot_fail(&here, "duplicate key in another letter case");
	}
	*seen |= 1U << i;
	return scanner_peek(&body->s) == 'n' ? scanner_value(&body->s) : parts[i].read(body);
}

enum shk_status body_walk(struct body *body, struct shk_sv text, const struct part *parts, size_t n)
{
	unsigned seen = 0;
	bool is_end = false;
	enum shk_status status = scanner_init(&body->s, text, &shk_scan_extender, body->err);

	if (!status && scanner_peek(&body->s) != '{')
		status = shk_scan(text, &shk_scan_extender, NULL, body->err);
	if (!status && scanner_peek(&body->s) != '{')
		status = shk_error_set(body->err, SHK_E_INPUT, "not an object");
	if (!status)
		status = scanner_open(&body->s);
	while (!status && !is_end) {
		struct shk_sv key;

		status = scanner_member(&body->s, &key, &is_end);
		if (!status && !is_end)
			status = walk_member(body, key, parts, n, &seen);
	}
	return status ? status : scanner_end(&body->s);
}

enum shk_status body_take_object(struct body *body, const char *key, json_t **ret_tree)
{
	struct spot root = spot_root(body->arena, body->err);
	struct spot here = spot_key(&root, key);

	if (scanner_peek(&body->s) != '{')
		return spot_fail(&here, "not an object");
	return tree_build(&body->s, ret_tree);
}

enum shk_status body_read_pod(struct body *body)
{
	return body_take_object(body, "Pod", &body->pod);
}

enum shk_status body_decode_pod(struct body *body, struct shk_pod *ret_pod)
{
	struct spot root = spot_root(body->arena, body->err);
	struct spot here = spot_key(&root, "Pod");

	if (!body->pod)
		return spot_fail(&here, "missing");

	enum shk_status status = pod_read(&here, body->pod, ret_pod);

	return status ? status : pod_require_identity(&here, ret_pod);
}
