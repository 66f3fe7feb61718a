#include "transport.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/str.h"

/* Shorter than two looks for changed certificates, so that an idle connection made with old ones
 * is gone before their file name could be used again. */
#define IDLE_S 15L

/* --- where to ------------------------------------------------------------------------------ */

/* With a name of its own to verify, the URL has that name and CONNECT_TO leads elsewhere. */
static void redirect_name(struct transport *transport)
{
	const char *server = transport->config->server;
	const char *host = strstr(server, "://") + 3;
	size_t authority = strcspn(host, "/");
	size_t name = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
	bool has_port = name < authority;
	struct shk_buf text = {0};

	shk_buf_printf(&text, "%.*s%s%s", (int)(host - server), server,
		       transport->config->tls_server_name, host + name);
	transport->base = text.data;
	text = (struct shk_buf){0};
	shk_buf_printf(&text, "::%.*s%s", (int)authority, host, has_port ? "" : ":443");
	transport->connect_to = curl_slist_append(NULL, text.data);
	if (!transport->connect_to)
		abort();
	shk_buf_fini(&text);
}

void transport_init(struct transport *transport, const struct shk_kube_config *config,
		    const struct credentials *credentials, const char *user_agent)
{
	*transport = (struct transport){
	    .config = config, .credentials = credentials, .user_agent = user_agent};
	if (config->tls_server_name && shk_str_starts(config->server, "https://")) {
		redirect_name(transport);
		return;
	}
	transport->base = strdup(config->server);
	if (!transport->base)
		abort();
}

void transport_fini(struct transport *transport)
{
	free(transport->base);
	curl_slist_free_all(transport->connect_to);
	*transport = (struct transport){.base = NULL};
}

/* --- options ------------------------------------------------------------------------------- */

/* libcurl refuses options that it wasn't built with, and what it doesn't know it doesn't do. */
static void must(CURLcode code)
{
	assert(code == CURLE_OK);
}

static const struct {
	CURLoption option;
	long value;
} numbers[] = {
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_FOLLOWLOCATION, 0},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    {CURLOPT_SSL_SESSIONID_CACHE, 0},
    {CURLOPT_CA_CACHE_TIMEOUT, 0},
    {CURLOPT_CONNECTTIMEOUT, 10},
    {CURLOPT_TCP_KEEPALIVE, 1},
    {CURLOPT_TCP_KEEPIDLE, 10},
    {CURLOPT_TCP_KEEPINTVL, 10},
    {CURLOPT_MAXAGE_CONN, IDLE_S},
    {CURLOPT_HEADEROPT, CURLHEADER_SEPARATE},
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
};

static void set_policy(CURL *easy, const struct transport *transport)
{
	const struct shk_kube_config *config = transport->config;
	bool is_tls = shk_str_starts(config->server, "https://");

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		must(curl_easy_setopt(easy, numbers[i].option, numbers[i].value));
	must(curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, is_tls ? "https" : "http"));
	must(curl_easy_setopt(easy, CURLOPT_PROXY, config->proxy ? config->proxy : ""));
	must(curl_easy_setopt(easy, CURLOPT_NOPROXY, ""));
	must(curl_easy_setopt(easy, CURLOPT_USERAGENT, transport->user_agent));
	must(curl_easy_setopt(easy, CURLOPT_CONNECT_TO, transport->connect_to));
}

static void set_identity(CURL *easy, const struct transport *transport)
{
	const struct credentials *credentials = transport->credentials;
	bool insecure = transport->config->insecure;

	must(curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, insecure ? 0L : 1L));
	must(curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, insecure ? 0L : 2L));
	if (credentials_ca(credentials)) {
		must(curl_easy_setopt(easy, CURLOPT_CAINFO, credentials_ca(credentials)));
		must(curl_easy_setopt(easy, CURLOPT_CAPATH, NULL));
	}
	if (credentials_cert(credentials)) {
		must(curl_easy_setopt(easy, CURLOPT_SSLCERT, credentials_cert(credentials)));
		must(curl_easy_setopt(easy, CURLOPT_SSLKEY, credentials_key(credentials)));
	}
}

/* --- one transfer -------------------------------------------------------------------------- */

static void add_header(struct call *call, const char *name, const char *value)
{
	struct shk_buf line = {0};
	struct curl_slist *longer;

	shk_buf_printf(&line, "%s: %s", name, value);
	longer = curl_slist_append(call->headers, line.data);
	shk_buf_fini(&line);
	if (!longer)
		abort();
	call->headers = longer;
}

static void add_headers(struct call *call, const struct transport *transport,
			const char *content_type)
{
	const char *token = credentials_token(transport->credentials);

	add_header(call, "Accept", "application/json");
	/* Empty: libcurl would wait for the server's 100 before it sends a large body. */
	add_header(call, "Expect", "");
	if (content_type)
		add_header(call, "Content-Type", content_type);
	if (!token)
		return;

	struct shk_buf value = {0};

	shk_buf_printf(&value, "Bearer %s", token);
	add_header(call, "Authorization", value.data);
	shk_buf_fini(&value);
}

void call_open(struct call *call, const struct transport *transport, const char *path,
	       const char *content_type)
{
	struct shk_buf url = {0};

	*call = (struct call){.easy = curl_easy_init()};
	if (!call->easy)
		abort();
	set_policy(call->easy, transport);
	set_identity(call->easy, transport);
	add_headers(call, transport, content_type);
	shk_buf_printf(&url, "%s%s", transport->base, path);
	must(curl_easy_setopt(call->easy, CURLOPT_URL, url.data));
	must(curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->headers));
	must(curl_easy_setopt(call->easy, CURLOPT_ERRORBUFFER, call->error));
	shk_buf_fini(&url);
}

void call_begin(const struct call *call, CURLM *multi)
{
	CURLMcode code = curl_multi_add_handle(multi, call->easy);

	assert(code == CURLM_OK);
}

void call_make_stream(struct call *call)
{
	must(curl_easy_setopt(call->easy, CURLOPT_FRESH_CONNECT, 1L));
	must(curl_easy_setopt(call->easy, CURLOPT_FORBID_REUSE, 1L));
}

void call_close(struct call *call, CURLM *multi)
{
	if (!call->easy)
		return;
	(void)curl_multi_remove_handle(multi, call->easy);
	curl_easy_cleanup(call->easy);
	curl_slist_free_all(call->headers);
	call->easy = NULL;
	call->headers = NULL;
}

const char *call_error(const struct call *call, CURLcode code)
{
	return call->error[0] ? call->error : curl_easy_strerror(code);
}
