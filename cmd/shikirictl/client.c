#include "client.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "shikiri/base/units.h"
#include "shikiri/base/version.h"

#include "url.h"

#define DEFAULT_SERVER  "http://127.0.0.1:8444"
#define DEFAULT_TIMEOUT "30s"
#define MAX_REPLY       (64u << 20)
#define CONNECT_MS      5000L

/* What the daemon's answers may be: the same size as a reply, lists of a large cluster. */
static const struct shk_scan_limits reply_limits = {
    .max_bytes = MAX_REPLY,
    .max_depth = 64,
    .max_depth_unread = 64,
    .max_tokens = 16u << 20,
};

struct transfer {
	CURL *curl;
	struct curl_slist *headers;
	char reason[CURL_ERROR_SIZE];
	bool too_large;
	struct cli_reply *reply;
};

static size_t on_data(char *data, size_t size, size_t n, void *context)
{
	struct transfer *transfer = context;
	size_t len = size * n;

	if (len > MAX_REPLY - transfer->reply->body.len) {
		transfer->too_large = true;
		return 0;
	}
	shk_buf_add(&transfer->reply->body, data, len);
	return len;
}

static const char *server_of(const struct cli *cli)
{
	const char *server = cli_value(cli, "server");

	if (!server)
		server = getenv("SHIKIRI_SERVER"); /* NOLINT(concurrency-mt-unsafe): one thread */
	return server && server[0] != '\0' ? server : DEFAULT_SERVER;
}

/* Whether what we send stays on this machine. */
static bool is_plain_loopback(struct cli *cli)
{
	struct cli_url url;

	return cli_url_parse(&cli->arena, server_of(cli), &url) && !url.is_https && url.is_loopback;
}

static void add_header(struct transfer *transfer, const char *header)
{
	struct curl_slist *longer = curl_slist_append(transfer->headers, header);

	/* Without memory nothing else would work either. */
	if (!longer)
		abort();
	transfer->headers = longer;
}

static enum cli_exit add_token(struct cli *cli, struct transfer *transfer)
{
	const char *path = cli_value(cli, "token-file");
	struct shk_buf text = {0};
	enum cli_exit exit = CLI_OK;

	if (!path)
		return CLI_OK;
	if (!shk_str_starts(server_of(cli), "https://") && !is_plain_loopback(cli))
		return cli_usage("a token is sent over https:// only, or to this machine");
	exit = cli_read_file(path, &text);

	size_t len = exit == CLI_OK ? strcspn(text.data, "\r\n") : 0;

	for (size_t i = 0; exit == CLI_OK && i < len; i++) {
		if (text.data[i] <= ' ' || text.data[i] > '~')
			len = 0;
	}
	if (exit == CLI_OK && len == 0) {
		cli_say("error: %s: the first line is no token", path);
		exit = CLI_DATA;
	}
	if (exit == CLI_OK)
		add_header(transfer, shk_arena_printf(&cli->arena, "Authorization: Bearer %.*s",
						      (int)len, text.data));
	shk_buf_fini(&text);
	return exit;
}

static enum cli_exit set_timeout(const struct cli *cli, CURL *curl)
{
	const char *text = cli_value(cli, "timeout");
	int64_t ms = 0;

	if (!shk_duration_ms(shk_sv(text ? text : DEFAULT_TIMEOUT), &ms) || ms < 1 || ms > INT_MAX)
		return cli_usage("--timeout is a duration like 30s or 2m, not \"%s\"", text);
	(void)curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)ms);
	(void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
			       ms < CONNECT_MS ? (long)ms : CONNECT_MS);
	return CLI_OK;
}

static void set_file(const struct cli *cli, CURL *curl, CURLoption option, const char *flag)
{
	const char *path = cli_value(cli, flag);

	if (path)
		(void)curl_easy_setopt(curl, option, path);
}

/* Options whose failure would only mean that this curl lacks a feature aren't looked at. */
static void set_common(struct cli *cli, struct transfer *transfer)
{
	CURL *curl = transfer->curl;

	(void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->reason);
	(void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	(void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	(void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
	set_file(cli, curl, CURLOPT_CAINFO, "ca");
	set_file(cli, curl, CURLOPT_SSLCERT, "cert");
	set_file(cli, curl, CURLOPT_SSLKEY, "key");
	/* A proxy that is meant for the world outside has no business with this machine. */
	if (is_plain_loopback(cli))
		(void)curl_easy_setopt(curl, CURLOPT_PROXY, "");
}

static void set_call(struct cli *cli, struct transfer *transfer, const struct cli_call *call)
{
	CURL *curl = transfer->curl;
	const char *server = server_of(cli);
	int len = (int)strlen(server);

	while (len > 0 && server[len - 1] == '/')
		len--;
	(void)curl_easy_setopt(curl, CURLOPT_URL,
			       shk_arena_printf(&cli->arena, "%.*s%s", len, server, call->path));
	(void)curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method);
	if (shk_str_equals(call->method, "POST")) {
		bool empty = !call->body || call->body->len == 0;

		(void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, empty ? "" : call->body->data);
		(void)curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE,
				       empty ? 0L : (long)call->body->len);
		/* Without a value curl leaves the header out. */
		add_header(transfer,
			   shk_arena_printf(&cli->arena, "Content-Type: %s",
					    call->content_type ? call->content_type : ""));
		add_header(transfer, "Expect:");
	}
	add_header(transfer, "Accept: application/json");
	(void)curl_easy_setopt(curl, CURLOPT_USERAGENT,
			       shk_arena_printf(&cli->arena, "%s/%s", CLI_NAME, shk_version));
	(void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer->headers);
}

/* The call didn't bring an answer. */
static enum cli_exit tell_failure(const struct cli *cli, const struct transfer *transfer,
				  CURLcode code)
{
	const char *server = server_of(cli);
	const char *why = transfer->reason[0] != '\0' ? transfer->reason : curl_easy_strerror(code);

	if (transfer->too_large) {
		cli_say("error: %s: the answer is larger than %u MiB", server, MAX_REPLY >> 20);
		return CLI_FAILURE;
	}
	if (code == CURLE_OPERATION_TIMEDOUT) {
		cli_say("error: %s didn't answer in time: %s", server, why);
		cli_say(
		    "next: give it longer with --timeout, or look at the daemon's /readyz?verbose");
		return CLI_TIMEOUT;
	}
	if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
		return cli_usage("--server is http://HOST:PORT or https://HOST:PORT, not \"%s\"",
				 server);
	cli_say("error: can't reach %s: %s", server, why);
	cli_say("next: is shikirid running there? --server URL or SHIKIRI_SERVER say where it is");
	return CLI_UNREACHABLE;
}

static enum cli_exit perform(struct cli *cli, const struct cli_call *call,
			     struct transfer *transfer)
{
	enum cli_exit exit = set_timeout(cli, transfer->curl);

	if (exit != CLI_OK)
		return exit;
	exit = add_token(cli, transfer);
	if (exit != CLI_OK)
		return exit;
	set_common(cli, transfer);
	set_call(cli, transfer, call);

	CURLcode code = curl_easy_perform(transfer->curl);

	if (code != CURLE_OK)
		return tell_failure(cli, transfer, code);
	(void)curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &transfer->reply->status);
	return CLI_OK;
}

enum cli_exit cli_exchange(struct cli *cli, const struct cli_call *call,
			   struct cli_reply *ret_reply)
{
	struct transfer transfer = {.reply = ret_reply};

	*ret_reply = (struct cli_reply){0};
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		abort();
	transfer.curl = curl_easy_init();
	if (!transfer.curl)
		abort();

	enum cli_exit exit = perform(cli, call, &transfer);

	curl_easy_cleanup(transfer.curl);
	curl_slist_free_all(transfer.headers);
	curl_global_cleanup();
	return exit;
}

enum cli_exit cli_request(struct cli *cli, const struct cli_call *call, struct cli_reply *ret_reply)
{
	enum cli_exit exit = cli_exchange(cli, call, ret_reply);

	if (exit != CLI_OK || ret_reply->status / 100 == 2)
		return exit;
	return cli_problem(cli, ret_reply);
}

enum cli_exit cli_request_value(struct cli *cli, const struct cli_call *call,
				const struct shk_value **ret_value)
{
	struct cli_reply reply = {0};
	struct shk_value *value = NULL;
	struct shk_error err = {0};
	enum cli_exit exit = cli_request(cli, call, &reply);

	if (exit == CLI_OK) {
		struct shk_sv text = {reply.body.data, reply.body.len};

		if (shk_value_parse(text, &reply_limits, &value, &err) == SHK_OK) {
			*ret_value = cli_keep(cli, value);
		} else {
			cli_say("error: %s answered something else than JSON; is it shikirid?",
				server_of(cli));
			exit = CLI_FAILURE;
		}
	}
	shk_buf_fini(&reply.body);
	return exit;
}

enum cli_exit cli_get(struct cli *cli, const char *path, const struct shk_value **ret_value)
{
	struct cli_call call = {.method = "GET", .path = path};

	return cli_request_value(cli, &call, ret_value);
}

static void add_items(struct shk_buf *text, const struct shk_value *page, size_t *n)
{
	const struct shk_value *items = shk_value_get(page, "items");

	for (size_t i = 0; i < shk_value_size(items); i++) {
		if ((*n)++ > 0)
			shk_buf_putc(text, ',');
		shk_value_print(shk_value_at(items, i), text);
	}
}

enum cli_exit cli_get_list(struct cli *cli, const char *path, const struct shk_value **ret_list)
{
	const struct shk_value *page = NULL;
	enum cli_exit exit = cli_get(cli, path, &page);
	const char *next = exit == CLI_OK ? shk_value_string_at(page, "metadata.continue") : "";
	struct shk_buf text = {0};
	size_t n = 0;

	if (exit != CLI_OK || next[0] == '\0') {
		*ret_list = page;
		return exit;
	}
	shk_buf_puts(&text, "{\"items\":[");
	add_items(&text, page, &n);
	while (exit == CLI_OK && next[0] != '\0' && text.len < MAX_REPLY) {
		exit =
		    cli_get(cli,
			    shk_arena_printf(&cli->arena, "%s%ccontinue=%s", path,
					     strchr(path, '?') ? '&' : '?', cli_escape(cli, next)),
			    &page);
		if (exit == CLI_OK) {
			add_items(&text, page, &n);
			next = shk_value_string_at(page, "metadata.continue");
		}
	}
	shk_buf_puts(&text, "],\"metadata\":{\"continue\":\"\"}}");

	struct shk_value *list = NULL;
	struct shk_error err = {0};

	if (exit == CLI_OK && shk_value_parse((struct shk_sv){text.data, text.len}, &reply_limits,
					      &list, &err) != SHK_OK)
		exit = cli_fail(&err);
	*ret_list = cli_keep(cli, list);
	shk_buf_fini(&text);
	return exit;
}

const char *cli_escape(struct cli *cli, const char *text)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	struct shk_buf escaped = {0};

	for (; *text != '\0'; text++) {
		if (strchr(plain, *text))
			shk_buf_putc(&escaped, *text);
		else
			shk_buf_printf(&escaped, "%%%02X", (unsigned)(unsigned char)*text);
	}

	const char *result =
	    shk_arena_strndup(&cli->arena, escaped.data ? escaped.data : "", escaped.len);

	shk_buf_fini(&escaped);
	return result;
}
