#include "url.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "shikiri/base/str.h"

static bool is_loopback_host(const char *host)
{
	return shk_str_equals(host, "localhost") || shk_str_equals(host, "[::1]") ||
	       (shk_str_starts(host, "127.") && host[strspn(host, "0123456789.")] == '\0');
}

/* A part of the URL in the arena; NULL when it has none. */
static const char *part_of(struct shk_arena *arena, CURLU *url, CURLUPart part)
{
	char *text = NULL;
	const char *copy = NULL;

	if (curl_url_get(url, part, &text, 0) == CURLUE_OK)
		copy = shk_arena_strdup(arena, text);
	curl_free(text);
	return copy;
}

static bool read_parts(struct shk_arena *arena, CURLU *url, struct cli_url *ret_url)
{
	static const CURLUPart unwanted[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
					     CURLUPART_FRAGMENT};
	const char *scheme = part_of(arena, url, CURLUPART_SCHEME);
	const char *host = part_of(arena, url, CURLUPART_HOST);
	bool is_https = scheme && shk_str_equals(scheme, "https");

	if (!host || host[0] == '\0' || !(is_https || (scheme && shk_str_equals(scheme, "http"))))
		return false;
	for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
		if (part_of(arena, url, unwanted[i]))
			return false;
	}
	*ret_url = (struct cli_url){
	    .is_https = is_https,
	    .is_loopback = is_loopback_host(host),
	    .path = part_of(arena, url, CURLUPART_PATH),
	};
	return ret_url->path != NULL;
}

bool cli_url_parse(struct shk_arena *arena, const char *text, struct cli_url *ret_url)
{
	CURLU *url = NULL;
	bool good = false;

	/* curl also takes "http:host" and backslashes; a reader of ours need not know. */
	if (!shk_str_starts(text, "http://") && !shk_str_starts(text, "https://"))
		return false;
	url = curl_url();
	if (!url)
		abort();
	good = curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
	       read_parts(arena, url, ret_url);
	curl_url_cleanup(url);
	return good;
}
