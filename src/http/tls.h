/* tls.h - TLS of a listener: the certificates in force, who may connect, reloading.
 *
 * The HTTP library does the handshake with credentials that we put on each session. They ask for
 * a client certificate without insisting on it: so that it is our function that refuses, within
 * the handshake, knows why, and counts. */
#ifndef SHIKIRI_SRC_HTTP_TLS_H
#define SHIKIRI_SRC_HTTP_TLS_H

#include <stdbool.h>

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include "exchange.h"
#include "certs.h"
#include "shikiri/app/config.h"
#include "shikiri/base/str.h"

/* TLS 1.2 with forward secrecy and 1.3, AEAD only. */
#define SHK_TLS_PRIORITIES                                                                         \
	"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-256-GCM:"             \
	"+AES-128-GCM:+CHACHA20-POLY1305:%SERVER_PRECEDENCE"

struct shk_tls; /* opaque */

/* A connection's part in it; zeroed, nobody was let in. Belongs to the connection's thread. */
struct shk_tls_part {
	struct shk_tls *tls;
	struct shk_certs *certs;
	const char *peer; /* borrowed: its address, for the log */
	bool is_admitted; /* the handshake may still be under way where no client is judged */
};

/* Reads the files; err as of shk_certs_load. names: see shk_client_judge; both borrowed. */
enum shk_status shk_tls_new(enum shk_listener listener, const struct shk_certs_files *files,
			    const struct shk_texts *names, struct shk_tls **ret_tls,
			    struct shk_error *err) SHK_MUST_CHECK;
/* After the last part has ended. Accepts NULL. */
void shk_tls_free(struct shk_tls *tls);

/* Before the handshake. part stays where it is until _end. */
void shk_tls_begin(struct shk_tls *tls, struct shk_tls_part *part, const char *peer,
		   gnutls_session_t session);
/* For the library, which has no certificate of its own: a session on which ours weren't put ends
 * here. */
int shk_tls_no_certificate(gnutls_session_t session, const gnutls_datum_t *issuers, int n_issuers,
			   const gnutls_pk_algorithm_t *algorithms, int n_algorithms,
			   gnutls_pcert_st **ret_chain, unsigned *ret_n, gnutls_privkey_t *ret_key);
void shk_tls_end(struct shk_tls_part *part); /* accepts a zeroed one */

/* Reads the files again: when asked to, else when they have changed since the last time. What
 * can't be used leaves the old ones in force and is logged once. One thread. Accepts NULL. */
void shk_tls_reload(struct shk_tls *tls, bool is_asked);

/* When the certificates in force end, of all listeners of this process. */
void shk_tls_metrics(struct shk_buf *out);

#endif
