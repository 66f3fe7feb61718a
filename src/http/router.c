#include "router.h"

#include <string.h>

/* One segment of a pattern and of a path: up to the next '/'. */
struct segment {
	const char *data;
	size_t len;
};

static struct segment first_segment(const char *path)
{
	return (struct segment){.data = path + 1, .len = strcspn(path + 1, "/")};
}

static bool segment_is(struct segment segment, const char *text, size_t len)
{
	return segment.len == len && memcmp(segment.data, text, len) == 0;
}

static void add_param(struct shk_found *found, struct shk_arena *arena, struct segment name,
		      struct segment value)
{
	found->params[found->n_params++] = (struct shk_param){
	    .name = shk_arena_strndup(arena, name.data, name.len),
	    .value = shk_arena_strndup(arena, value.data, value.len),
	};
}

/* pattern is "literal", "{name}" or "{name}:action". */
static bool match_segment(struct segment pattern, struct segment segment, struct shk_arena *arena,
			  struct shk_found *found)
{
	if (pattern.data[0] != '{')
		return segment_is(segment, pattern.data, pattern.len);

	const char *close = memchr(pattern.data, '}', pattern.len);
	struct segment name = {pattern.data + 1, (size_t)(close - pattern.data) - 1};
	struct segment action = {close + 1, pattern.len - name.len - 2};

	if (segment.len <= action.len || found->n_params == SHK_MAX_PATH_PARAMS)
		return false;
	segment.len -= action.len;
	if (memcmp(segment.data + segment.len, action.data, action.len) != 0)
		return false;
	if (memchr(segment.data, ':', segment.len) && !segment_is(name, "uid", 3))
		return false;
	add_param(found, arena, name, segment);
	return true;
}

static bool match_path(const char *pattern, const char *path, struct shk_arena *arena,
		       struct shk_found *found)
{
	found->n_params = 0;
	while (*pattern && *path) {
		struct segment wanted = first_segment(pattern);
		struct segment got = first_segment(path);

		if (!match_segment(wanted, got, arena, found))
			return false;
		pattern = wanted.data + wanted.len;
		path = got.data + got.len;
	}
	return *pattern == '\0' && *path == '\0';
}

static const char *served_by(const char *method)
{
	return strcmp(method, "HEAD") == 0 ? "GET" : method;
}

static bool is_sibling(const struct shk_route *a, const struct shk_route *b)
{
	return a->listener == b->listener && strcmp(a->pattern, b->pattern) == 0;
}

static const char *list_methods(const struct shk_route *sibling, struct shk_arena *arena)
{
	const char *list = "";

	for (size_t i = 0; i < shk_n_routes; i++) {
		const struct shk_route *route = &shk_routes[i];

		if (!is_sibling(route, sibling))
			continue;
		list = shk_arena_printf(arena, "%s%s%s%s", list, *list ? ", " : "", route->method,
					strcmp(route->method, "GET") == 0 ? ", HEAD" : "");
	}
	return list;
}

static const struct shk_route *find_method(const struct shk_route *sibling, const char *method)
{
	for (size_t i = 0; i < shk_n_routes; i++) {
		if (is_sibling(&shk_routes[i], sibling) &&
		    strcmp(shk_routes[i].method, method) == 0)
			return &shk_routes[i];
	}
	return NULL;
}

enum shk_routed shk_route_find(enum shk_listener listener, const char *method, const char *path,
			       struct shk_arena *arena, struct shk_found *ret_found)
{
	*ret_found = (struct shk_found){0};
	for (size_t i = 0; i < shk_n_routes; i++) {
		const struct shk_route *route = &shk_routes[i];

		if (route->listener != listener ||
		    !match_path(route->pattern, path, arena, ret_found))
			continue;
		ret_found->route = find_method(route, served_by(method));
		if (ret_found->route)
			return SHK_ROUTED;
		ret_found->allow = list_methods(route, arena);
		return SHK_ROUTED_NO_METHOD;
	}
	return SHK_ROUTED_NOWHERE;
}

bool shk_route_knows(const struct shk_route *route, const char *name)
{
	size_t len = strlen(name);

	if (!route->query)
		return false;
	if (strcmp(route->query, "*") == 0)
		return true;
	for (const char *at = route->query; *at;) {
		size_t word = strcspn(at, "|");

		if (word == len && memcmp(at, name, len) == 0)
			return true;
		at += word + (at[word] == '|');
	}
	return false;
}
