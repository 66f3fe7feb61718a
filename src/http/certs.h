/* certs.h - what a listener shows and whose clients it lets in: one reading of its files.
 *
 * Immutable and counted: a connection keeps the one it began with until it is closed, so that a
 * reload touches nothing that is open. */
#ifndef SHIKIRI_SRC_HTTP_CERTS_H
#define SHIKIRI_SRC_HTTP_CERTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnutls/gnutls.h>

#include "shikiri/base/error.h"

/* PEM; borrowed. */
struct shk_certs_files {
	const char *cert; /* the listener's own first, then who signed it */
	const char *key;
	const char *client_ca; /* NULL: no client is asked for a certificate */
};

/* Which state of the files this is; of another state, another stamp. */
struct shk_certs_stamp {
	int64_t parts[3][5];
};

struct shk_certs {
	_Atomic size_t refs;
	gnutls_certificate_credentials_t credentials;
	gnutls_datum_t ticket_key; /* empty where clients are judged: who resumes isn't again */
	int64_t expires_s;
	bool judges_clients;
};

void shk_certs_stamp(const struct shk_certs_files *files, struct shk_certs_stamp *ret_stamp);
/* NOT_FOUND, PERMISSION and IO of a file; CONFIG for what is in it. */
enum shk_status shk_certs_load(const struct shk_certs_files *files, struct shk_certs **ret_certs,
			       struct shk_error *err) SHK_MUST_CHECK;
struct shk_certs *shk_certs_ref(struct shk_certs *certs);
void shk_certs_unref(struct shk_certs *certs); /* accepts NULL */

#endif
