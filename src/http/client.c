#include "client.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include <gnutls/x509.h>

/* Names beyond these aren't looked at, and so don't let anybody in. */
#define MOST_NAMES   64
#define LONGEST_NAME 1024

static bool is_address(struct shk_sv bytes, const char *accepted)
{
	unsigned char address[sizeof(struct in6_addr)];
	int family = bytes.len == sizeof(struct in_addr) ? AF_INET : AF_INET6;
	size_t size = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);

	return bytes.len == size && inet_pton(family, accepted, address) == 1 &&
	       memcmp(bytes.data, address, size) == 0;
}

bool shk_client_is_named(const struct shk_client_name *name, const char *accepted)
{
	switch (name->kind) {
	case SHK_CLIENT_NAME_COMMON:
	case SHK_CLIENT_NAME_URI:
	case SHK_CLIENT_NAME_EMAIL:
		return name->text.len > 0 && shk_sv_is(name->text, accepted);
	case SHK_CLIENT_NAME_DNS:
		return name->text.len > 0 && name->text.len == strlen(accepted) &&
		       strncasecmp(name->text.data, accepted, name->text.len) == 0;
	case SHK_CLIENT_NAME_ADDRESS:
		return is_address(name->text, accepted);
	case SHK_CLIENT_NAME_UNSET:
		break;
	}
	return false;
}

static bool is_accepted(const struct shk_client_name *name, const struct shk_texts *accepted)
{
	for (size_t i = 0; i < accepted->n; i++) {
		if (shk_client_is_named(name, accepted->items[i]))
			return true;
	}
	return false;
}

static enum shk_client_name_kind kind_of(int type)
{
	switch (type) {
	case GNUTLS_SAN_DNSNAME:
		return SHK_CLIENT_NAME_DNS;
	case GNUTLS_SAN_URI:
		return SHK_CLIENT_NAME_URI;
	case GNUTLS_SAN_RFC822NAME:
		return SHK_CLIENT_NAME_EMAIL;
	case GNUTLS_SAN_IPADDRESS:
		return SHK_CLIENT_NAME_ADDRESS;
	default:
		return SHK_CLIENT_NAME_UNSET;
	}
}

static bool has_common_name(gnutls_x509_crt_t certificate, const struct shk_texts *accepted)
{
	for (unsigned i = 0; i < MOST_NAMES; i++) {
		char text[LONGEST_NAME];
		size_t len = sizeof text;
		int error = gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME,
							  i, 0, text, &len);
		const struct shk_client_name name = {SHK_CLIENT_NAME_COMMON, {text, len}};

		if (error == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			break;
		if (error == 0 && is_accepted(&name, accepted))
			return true;
	}
	return false;
}

static bool has_alternative_name(gnutls_x509_crt_t certificate, const struct shk_texts *accepted)
{
	for (unsigned i = 0; i < MOST_NAMES; i++) {
		char text[LONGEST_NAME];
		size_t len = sizeof text;
		int type = gnutls_x509_crt_get_subject_alt_name(certificate, i, text, &len, NULL);
		const struct shk_client_name name = {kind_of(type), {text, len}};

		if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			break;
		if (type >= 0 && is_accepted(&name, accepted))
			return true;
	}
	return false;
}

static enum shk_client_verdict judge_name(gnutls_session_t session, gnutls_x509_crt_t certificate,
					  const struct shk_texts *accepted, char *who, size_t size)
{
	unsigned n = 0;
	const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &n);

	if (!chain || n == 0)
		return SHK_CLIENT_NONE;
	if (gnutls_x509_crt_import(certificate, &chain[0], GNUTLS_X509_FMT_DER) != 0)
		return SHK_CLIENT_UNTRUSTED;
	if (gnutls_x509_crt_get_dn(certificate, who, &size) != 0)
		who[0] = '\0';
	if (accepted->n == 0 || has_common_name(certificate, accepted) ||
	    has_alternative_name(certificate, accepted))
		return SHK_CLIENT_ADMITTED;
	return SHK_CLIENT_NAME;
}

static enum shk_client_verdict judge_chain(gnutls_session_t session)
{
	char purpose[] = GNUTLS_KP_TLS_WWW_CLIENT;
	gnutls_typed_vdata_st wanted = {
	    .type = GNUTLS_DT_KEY_PURPOSE_OID,
	    .data = (unsigned char *)purpose,
	};
	unsigned status = 0;

	if (gnutls_certificate_verify_peers(session, &wanted, 1, &status) != 0)
		return SHK_CLIENT_UNTRUSTED;
	if (status == 0)
		return SHK_CLIENT_ADMITTED;
	/* The one ground beside the general "invalid" tells what is wrong with a sound chain. */
	switch (status & ~(unsigned)GNUTLS_CERT_INVALID) {
	case GNUTLS_CERT_EXPIRED:
	case GNUTLS_CERT_NOT_ACTIVATED:
		return SHK_CLIENT_EXPIRED;
	case GNUTLS_CERT_PURPOSE_MISMATCH:
		return SHK_CLIENT_PURPOSE;
	default:
		return SHK_CLIENT_UNTRUSTED;
	}
}

enum shk_client_verdict shk_client_judge(gnutls_session_t session, const struct shk_texts *accepted,
					 char *who, size_t size)
{
	enum shk_client_verdict name;
	enum shk_client_verdict chain;
	gnutls_x509_crt_t certificate;

	who[0] = '\0';
	if (gnutls_x509_crt_init(&certificate) != 0)
		return SHK_CLIENT_UNTRUSTED;
	name = judge_name(session, certificate, accepted, who, size);
	gnutls_x509_crt_deinit(certificate);
	if (name == SHK_CLIENT_NONE)
		return name;
	chain = judge_chain(session);
	return chain == SHK_CLIENT_ADMITTED ? name : chain;
}

const char *shk_client_verdict_name(enum shk_client_verdict verdict)
{
	static const char *const names[] = {
	    [SHK_CLIENT_NONE] = "none",       [SHK_CLIENT_UNTRUSTED] = "untrusted",
	    [SHK_CLIENT_EXPIRED] = "expired", [SHK_CLIENT_PURPOSE] = "purpose",
	    [SHK_CLIENT_NAME] = "name",       [SHK_CLIENT_ADMITTED] = "admitted",
	};

	return names[verdict];
}
