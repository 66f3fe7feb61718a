/* transport.h - how every transfer is made: the one place that sets libcurl's options.
 *
 * HTTP/1.1 over TLS 1.2 or better to the configured server and nowhere else: no redirects, no
 * proxy, .netrc or certificate folder that the environment or libcurl would bring in. */
#ifndef SHIKIRI_SRC_KUBE_TRANSPORT_H
#define SHIKIRI_SRC_KUBE_TRANSPORT_H

#include <curl/curl.h>

#include "shikiri/kube/config.h"

#include "credentials.h"

struct transport {
	const struct shk_kube_config *config;
	const struct credentials *credentials;
	const char *user_agent;
	char *base;                    /* scheme, host to verify, port and prefix */
	struct curl_slist *connect_to; /* when that host isn't the one to connect to */
};

/* config and credentials are borrowed. */
void transport_init(struct transport *transport, const struct shk_kube_config *config,
		    const struct credentials *credentials, const char *user_agent);
void transport_fini(struct transport *transport);

/* One transfer. */
struct call {
	CURL *easy; /* NULL: none */
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
};

/* A GET of the path, with what we are known by. content_type: NULL without a body. The caller
 * adds callbacks and the rest; call must stay where it is. */
void call_open(struct call *call, const struct transport *transport, const char *path,
	       const char *content_type);
/* A stream has a connection of its own: whatever holds it up holds up nothing else. */
void call_make_stream(struct call *call);
void call_begin(const struct call *call, CURLM *multi);
void call_close(struct call *call, CURLM *multi); /* accepts one that isn't open */

/* libcurl's words for what went wrong. */
const char *call_error(const struct call *call, CURLcode code);

#endif
