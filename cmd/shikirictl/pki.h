/* pki.h - keys and certificates for trying TLS: a CA, and pairs that it signs.
 *
 * ECDSA on P-256, random serials. Nothing is read or written here: PEM texts go in and out.
 * Functions return 0 or GnuTLS' error. */
#ifndef SHIKIRICTL_PKI_H
#define SHIKIRICTL_PKI_H

#include <stddef.h>
#include <stdint.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* A zeroed one has neither. */
struct pki_pair {
	gnutls_x509_crt_t certificate;
	gnutls_x509_privkey_t key;
};

enum pki_use { PKI_UNSET = 0, PKI_CA, PKI_SERVER, PKI_CLIENT };

struct pki_wish {
	enum pki_use use;
	const char *common_name;
	const char *const *hosts; /* of a server: DNS names and addresses */
	size_t n_hosts;
	int64_t from_s;
	int64_t until_s;
};

/* ca NULL: signed by itself. */
int pki_make(const struct pki_wish *wish, const struct pki_pair *ca, struct pki_pair *ret_pair);
/* GNUTLS_E_CERTIFICATE_KEY_MISMATCH where they aren't one pair. */
int pki_read(const gnutls_datum_t *certificate, const gnutls_datum_t *key,
	     struct pki_pair *ret_pair);
/* PEM; freed with gnutls_free. */
int pki_print(const struct pki_pair *pair, gnutls_datum_t *ret_certificate,
	      gnutls_datum_t *ret_key);
int64_t pki_expiry_s(const struct pki_pair *pair);
void pki_pair_fini(struct pki_pair *pair); /* accepts a zeroed one */

#endif
