/* client.h - may this client in? Its certificate is judged here, not by the HTTP library, which
 * only asks for one.
 *
 * Any thread; nothing is kept. */
#ifndef SHIKIRI_SRC_HTTP_CLIENT_H
#define SHIKIRI_SRC_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include <gnutls/gnutls.h>

#include "shikiri/app/config.h"
#include "shikiri/base/str.h"

/* Up to _ADMITTED, the indices of the metric SHK_C_CLIENTS_REFUSED. */
enum shk_client_verdict {
	SHK_CLIENT_NONE = 0, /* it showed no certificate */
	SHK_CLIENT_UNTRUSTED,
	SHK_CLIENT_EXPIRED, /* or not valid yet */
	SHK_CLIENT_PURPOSE, /* a certificate that isn't for clients */
	SHK_CLIENT_NAME,    /* a sound one of somebody else */
	SHK_CLIENT_ADMITTED,
};

enum shk_client_name_kind {
	SHK_CLIENT_NAME_UNSET = 0,
	SHK_CLIENT_NAME_COMMON,
	SHK_CLIENT_NAME_DNS,
	SHK_CLIENT_NAME_URI,
	SHK_CLIENT_NAME_EMAIL,
	SHK_CLIENT_NAME_ADDRESS, /* 4 or 16 bytes in network order */
};

/* Borrowed from a certificate: may hold any bytes. */
struct shk_client_name {
	enum shk_client_name_kind kind;
	struct shk_sv text;
};

/* Equal as names of that kind are: DNS names in either case, addresses by value, the rest byte by
 * byte. A wildcard stands for itself only. */
bool shk_client_is_named(const struct shk_client_name *name, const char *accepted);

/* Chain against the CA of the session's credentials, validity, purpose, then a name out of
 * accepted unless that is empty. who: for the log, as the certificate states it; "" without one. */
enum shk_client_verdict shk_client_judge(gnutls_session_t session, const struct shk_texts *accepted,
					 char *who, size_t size);

/* What a verdict other than _ADMITTED is called in the log and the metric. */
const char *shk_client_verdict_name(enum shk_client_verdict verdict);

#endif
