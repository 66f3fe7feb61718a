#include "kubeconfig.h"

#include <string.h>

#define HTTP  "http://"
#define HTTPS "https://"

/* Of host and port: digits, letters and what names and IPv6 addresses have. */
static bool is_authority(struct shk_sv text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-:[]";

	for (size_t i = 0; i < text.len; i++) {
		if (!strchr(allowed, text.data[i]))
			return false;
	}
	return text.len > 0 && text.data[0] != ':';
}

static bool is_path(const char *text)
{
	for (; *text; text++) {
		if (*text <= ' ' || *text > '~' || strchr("?#\"\\%<>", *text))
			return false;
	}
	return true;
}

static struct shk_sv host_of(struct shk_sv authority)
{
	const char *end = authority.data[0] == '[' ? memchr(authority.data, ']', authority.len)
						   : memchr(authority.data, ':', authority.len);

	if (end)
		authority.len = (size_t)(end - authority.data) + (*end == ']');
	return authority;
}

/* 127.0.0.0/8 by its digits alone: "127.evil.example" is a name. */
static bool is_loopback(struct shk_sv host)
{
	if (shk_sv_is(host, "localhost") || shk_sv_is(host, "[::1]"))
		return true;
	if (host.len < 4 || memcmp(host.data, "127.", 4) != 0)
		return false;
	for (size_t i = 0; i < host.len; i++) {
		if (!strchr("0123456789.", host.data[i]))
			return false;
	}
	return true;
}

const char *server_url(const char *text, bool plain_http, struct shk_arena *arena,
		       const char **ret_why)
{
	bool is_plain = shk_str_starts(text, HTTP);
	const char *rest = text + strlen(is_plain ? HTTP : HTTPS);
	struct shk_sv authority;
	char *url;

	*ret_why = "it has to be a URL that begins with https://";
	if (!is_plain && !shk_str_starts(text, HTTPS))
		return NULL;
	authority = (struct shk_sv){.data = rest, .len = strcspn(rest, "/")};
	*ret_why = "it has to be https://HOST[:PORT][/PREFIX] and nothing else";
	if (!is_authority(authority) || !is_path(rest + authority.len))
		return NULL;
	*ret_why = "plain http would show the token to the network; use https "
		   "(--insecure-dev accepts it for a test)";
	if (is_plain && !plain_http && !is_loopback(host_of(authority)))
		return NULL;
	url = shk_arena_strdup(arena, text);
	for (size_t len = strlen(url); url[len - 1] == '/'; len--)
		url[len - 1] = '\0';
	return url;
}
