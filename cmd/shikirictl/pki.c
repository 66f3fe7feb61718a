#include "pki.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/random.h>

#define SERIAL_BYTES 16
#define KEY_ID_BYTES 64

struct use {
	unsigned usage;
	const char *purpose;
};

static const struct use uses[] = {
    [PKI_CA] = {GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN, NULL},
    [PKI_SERVER] = {GNUTLS_KEY_DIGITAL_SIGNATURE, GNUTLS_KP_TLS_WWW_SERVER},
    [PKI_CLIENT] = {GNUTLS_KEY_DIGITAL_SIGNATURE, GNUTLS_KP_TLS_WWW_CLIENT},
};

static int set_host(gnutls_x509_crt_t certificate, const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, host, address) == 1)
		return gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS,
							    address, sizeof(struct in_addr),
							    GNUTLS_FSAN_APPEND);
	if (inet_pton(AF_INET6, host, address) == 1)
		return gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_IPADDRESS,
							    address, sizeof(struct in6_addr),
							    GNUTLS_FSAN_APPEND);
	return gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, host,
						    (unsigned)strlen(host), GNUTLS_FSAN_APPEND);
}

static int set_serial(gnutls_x509_crt_t certificate)
{
	unsigned char serial[SERIAL_BYTES];

	if (getrandom(serial, sizeof serial, 0) != (ssize_t)sizeof serial)
		return GNUTLS_E_RANDOM_FAILED;
	/* A positive number that keeps its length. */
	serial[0] = (unsigned char)((serial[0] & 0x3f) | 0x40);
	return gnutls_x509_crt_set_serial(certificate, serial, sizeof serial);
}

static int set_names(gnutls_x509_crt_t certificate, const struct pki_wish *wish)
{
	int error =
	    gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
					  wish->common_name, (unsigned)strlen(wish->common_name));

	for (size_t i = 0; error == 0 && i < wish->n_hosts; i++)
		error = set_host(certificate, wish->hosts[i]);
	return error;
}

static int set_validity(gnutls_x509_crt_t certificate, const struct pki_wish *wish)
{
	int error = gnutls_x509_crt_set_activation_time(certificate, (time_t)wish->from_s);

	return error ? error
		     : gnutls_x509_crt_set_expiration_time(certificate, (time_t)wish->until_s);
}

/* What it is good for, and for nothing else. */
static int set_use(gnutls_x509_crt_t certificate, enum pki_use use)
{
	int error = use == PKI_CA ? gnutls_x509_crt_set_basic_constraints(certificate, 1, 0)
				  : gnutls_x509_crt_set_basic_constraints(certificate, 0, -1);

	if (!error)
		error = gnutls_x509_crt_set_key_usage(certificate, uses[use].usage);
	if (!error && uses[use].purpose)
		error = gnutls_x509_crt_set_key_purpose_oid(certificate, uses[use].purpose, 0);
	return error;
}

static int set_key_ids(gnutls_x509_crt_t certificate, gnutls_x509_crt_t issuer)
{
	unsigned char id[KEY_ID_BYTES];
	size_t size = sizeof id;
	int error = gnutls_x509_crt_get_key_id(certificate, 0, id, &size);

	if (!error)
		error = gnutls_x509_crt_set_subject_key_id(certificate, id, size);
	size = sizeof id;
	if (!error)
		error = gnutls_x509_crt_get_subject_key_id(issuer, id, &size, NULL);
	return error ? error : gnutls_x509_crt_set_authority_key_id(certificate, id, size);
}

static int fill(struct pki_pair *pair, const struct pki_wish *wish, const struct pki_pair *issuer)
{
	gnutls_x509_crt_t certificate = pair->certificate;
	int error = gnutls_x509_crt_set_version(certificate, 3);

	if (!error)
		error = gnutls_x509_crt_set_key(certificate, pair->key);
	if (!error)
		error = set_serial(certificate);
	if (!error)
		error = set_names(certificate, wish);
	if (!error)
		error = set_validity(certificate, wish);
	if (!error)
		error = set_use(certificate, wish->use);
	if (!error)
		error = set_key_ids(certificate, issuer->certificate);
	return error ? error
		     : gnutls_x509_crt_sign2(certificate, issuer->certificate, issuer->key,
					     GNUTLS_DIG_SHA256, 0);
}

static int pair_init(struct pki_pair *pair)
{
	int error = gnutls_x509_crt_init(&pair->certificate);

	return error ? error : gnutls_x509_privkey_init(&pair->key);
}

int pki_make(const struct pki_wish *wish, const struct pki_pair *ca, struct pki_pair *ret_pair)
{
	struct pki_pair pair = {0};
	int error = pair_init(&pair);

	if (!error)
		error = gnutls_x509_privkey_generate(
		    pair.key, GNUTLS_PK_ECDSA,
		    (unsigned)GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
	if (!error)
		error = fill(&pair, wish, ca ? ca : &pair);
	if (error)
		pki_pair_fini(&pair);
	else
		*ret_pair = pair;
	return error;
}

static int check_pair(const struct pki_pair *pair)
{
	unsigned char of_certificate[KEY_ID_BYTES];
	unsigned char of_key[KEY_ID_BYTES];
	size_t size = sizeof of_certificate;
	size_t key_size = sizeof of_key;
	int error = gnutls_x509_crt_get_key_id(pair->certificate, 0, of_certificate, &size);

	if (!error)
		error = gnutls_x509_privkey_get_key_id(pair->key, 0, of_key, &key_size);
	if (error)
		return error;
	return size == key_size && memcmp(of_certificate, of_key, size) == 0
		   ? 0
		   : GNUTLS_E_CERTIFICATE_KEY_MISMATCH;
}

int pki_read(const gnutls_datum_t *certificate, const gnutls_datum_t *key,
	     struct pki_pair *ret_pair)
{
	struct pki_pair pair = {0};
	int error = pair_init(&pair);

	if (!error)
		error = gnutls_x509_crt_import(pair.certificate, certificate, GNUTLS_X509_FMT_PEM);
	if (!error)
		error = gnutls_x509_privkey_import2(pair.key, key, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (!error)
		error = check_pair(&pair);
	if (error)
		pki_pair_fini(&pair);
	else
		*ret_pair = pair;
	return error;
}

int pki_print(const struct pki_pair *pair, gnutls_datum_t *ret_certificate, gnutls_datum_t *ret_key)
{
	gnutls_datum_t certificate = {0};
	int error = gnutls_x509_crt_export2(pair->certificate, GNUTLS_X509_FMT_PEM, &certificate);

	if (!error)
		error = gnutls_x509_privkey_export2_pkcs8(pair->key, GNUTLS_X509_FMT_PEM, NULL,
							  GNUTLS_PKCS_PLAIN, ret_key);
	if (error)
		gnutls_free(certificate.data);
	else
		*ret_certificate = certificate;
	return error;
}

int64_t pki_expiry_s(const struct pki_pair *pair)
{
	return (int64_t)gnutls_x509_crt_get_expiration_time(pair->certificate);
}

void pki_pair_fini(struct pki_pair *pair)
{
	if (pair->certificate)
		gnutls_x509_crt_deinit(pair->certificate);
	if (pair->key)
		gnutls_x509_privkey_deinit(pair->key);
	*pair = (struct pki_pair){0};
}
