/* query.c - what is asked of the API server, as path and query. */
#include "reflector_state.h"

#include <inttypes.h>

#define PAGE_SIZE        500
#define SHORTEST_WATCH_S 300
#define LONGEST_WATCH_S  600

static const char *const paths[SHK_KUBE_KIND_COUNT] = {
    [SHK_KUBE_NODES] = "/api/v1/nodes",
    [SHK_KUBE_PODS] = "/api/v1/pods",
    [SHK_KUBE_NAMESPACES] = "/api/v1/namespaces",
    [SHK_KUBE_PRIORITY_CLASSES] = "/apis/scheduling.k8s.io/v1/priorityclasses",
};

static bool is_unreserved(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '-' || c == '_' || c == '.' || c == '~';
}

/* Versions and tokens are the server's business: any bytes. */
static void put_escaped(struct shk_buf *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (is_unreserved(*c))
			shk_buf_putc(out, *c);
		else
			shk_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*c);
	}
}

/* A limit with any version but 0 would make the server read its store instead of its cache; a
 * token brings its version along. */
static void put_list_query(struct reflector *reflector)
{
	struct shk_buf *path = &reflector->path;

	if (reflector->token.len > 0) {
		shk_buf_printf(path, "?limit=%d&continue=", PAGE_SIZE);
		put_escaped(path, reflector->token.data);
		return;
	}
	switch (reflector->from) {
	case FROM_CACHE:
		shk_buf_printf(path, "?limit=%d&resourceVersion=0", PAGE_SIZE);
		return;
	case FROM_KNOWN:
		shk_buf_puts(path, "?resourceVersion=");
		put_escaped(path, reflector->version);
		return;
	case FROM_NEWEST:
		shk_buf_printf(path, "?limit=%d", PAGE_SIZE);
		return;
	case FROM_NEWEST_WHOLE:
		return;
	}
}

static void put_watch_query(struct reflector *reflector)
{
	struct shk_buf *path = &reflector->path;
	int64_t timeout_s = backoff_random(&reflector->backoff, SHORTEST_WATCH_S, LONGEST_WATCH_S);

	shk_buf_puts(path, "?watch=1&allowWatchBookmarks=true&resourceVersion=");
	put_escaped(path, reflector->version);
	shk_buf_printf(path, "&timeoutSeconds=%" PRId64, timeout_s);
}

void reflector_make_path(struct reflector *reflector)
{
	shk_buf_clear(&reflector->path);
	shk_buf_puts(&reflector->path, paths[reflector->kind]);
	if (reflector->step == STEP_LIST)
		put_list_query(reflector);
	else
		put_watch_query(reflector);
}
