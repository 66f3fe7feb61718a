/* Whom the client believes, and as whom it is known; with certificates made here. */
#include "fixture.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <time.h>

#define LONG_MS 20000
#define CREATED "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"

struct party {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t crt;
	char *key_pem;
	char *crt_pem;
};

static void must(int code)
{
	if (code < 0)
		fail_msg("%s", gnutls_strerror(code));
}

static char *text_of(const gnutls_datum_t *datum)
{
	char *text = strndup((const char *)datum->data, datum->size);

	assert_non_null(text);
	gnutls_free(datum->data);
	return text;
}

/* ca: NULL signs itself and may sign others. dns: the name in it, or NULL: 127.0.0.1. */
static struct party make_party(const char *name, const char *dns, const struct party *ca)
{
	static const unsigned char loopback[] = {127, 0, 0, 1};
	static unsigned char serial = 1;
	struct party party;
	gnutls_datum_t out;
	time_t now = time(NULL);

	must(gnutls_x509_privkey_init(&party.key));
	must(gnutls_x509_privkey_generate(party.key, GNUTLS_PK_ECDSA,
					  GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
	must(gnutls_x509_crt_init(&party.crt));
	must(gnutls_x509_crt_set_version(party.crt, 3));
	must(gnutls_x509_crt_set_serial(party.crt, &serial, 1));
	serial++;
	must(gnutls_x509_crt_set_dn_by_oid(party.crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
					   (unsigned)strlen(name)));
	must(gnutls_x509_crt_set_activation_time(party.crt, now - 3600));
	must(gnutls_x509_crt_set_expiration_time(party.crt, now + 3600));
	must(gnutls_x509_crt_set_key(party.crt, party.key));
	must(gnutls_x509_crt_set_basic_constraints(party.crt, ca == NULL, -1));
	if (dns)
		must(gnutls_x509_crt_set_subject_alt_name(party.crt, GNUTLS_SAN_DNSNAME, dns,
							  (unsigned)strlen(dns), 0));
	else
		must(gnutls_x509_crt_set_subject_alt_name(party.crt, GNUTLS_SAN_IPADDRESS, loopback,
							  sizeof loopback, 0));
	must(gnutls_x509_crt_sign2(party.crt, ca ? ca->crt : party.crt, ca ? ca->key : party.key,
				   GNUTLS_DIG_SHA256, 0));
	must(gnutls_x509_crt_export2(party.crt, GNUTLS_X509_FMT_PEM, &out));
	party.crt_pem = text_of(&out);
	must(gnutls_x509_privkey_export2(party.key, GNUTLS_X509_FMT_PEM, &out));
	party.key_pem = text_of(&out);
	return party;
}

static void free_party(struct party *party)
{
	gnutls_x509_privkey_deinit(party->key);
	gnutls_x509_crt_deinit(party->crt);
	free(party->key_pem);
	free(party->crt_pem);
}

static void *credentials_of(const struct party *party)
{
	gnutls_certificate_credentials_t credentials;
	gnutls_x509_crt_t crt = party->crt;

	must(gnutls_certificate_allocate_credentials(&credentials));
	must(gnutls_certificate_set_x509_key(credentials, &crt, 1, party->key));
	return credentials;
}

static int before_each(void **state)
{
	(void)state;
	fixture_reset();
	return 0;
}

/* One bind to a server with that certificate. A refused one is tried to its deadline. */
static void check_bind(const struct party *server, const char *ca_pem, const char *server_name,
		       bool insecure, enum shk_kube_outcome outcome)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};
	struct shk_kube_config config = {.token = "sesame",
					 .ca_data = ca_pem,
					 .tls_server_name = server_name,
					 .insecure = insecure};
	void *credentials = credentials_of(server);
	struct server *listener;
	struct shk_kube_request request = fixture_bind(outcome == SHK_KUBE_OK ? LONG_MS : 300);
	struct shk_kube *kube;

	fixture_reset();
	listener = server_start(steps, 1, credentials);
	config.server =
	    shk_arena_printf(&config.arena, "https://127.0.0.1:%u", server_port(listener));
	kube = fixture_start(&config, listener, 0);
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, outcome);
	shk_kube_stop(kube);
	shk_kube_free(kube);
	assert_int_equal(server_requests(listener), outcome == SHK_KUBE_OK);
	server_stop(listener);
	gnutls_certificate_free_credentials(credentials);
	shk_kube_config_fini(&config);
}

static void test_server_is_verified(void **state)
{
	struct party ca = make_party("ca", "ca", NULL);
	struct party other = make_party("other", "other", NULL);
	struct party server = make_party("server", NULL, &ca);

	(void)state;
	check_bind(&server, ca.crt_pem, NULL, false, SHK_KUBE_OK);
	check_bind(&server, other.crt_pem, NULL, false, SHK_KUBE_UNSENT);
	check_bind(&server, NULL, NULL, true, SHK_KUBE_OK);
	free_party(&server);
	free_party(&other);
	free_party(&ca);
}

static void test_name_is_verified(void **state)
{
	struct party ca = make_party("ca", "ca", NULL);
	struct party server = make_party("server", "kube.example", &ca);

	(void)state;
	check_bind(&server, ca.crt_pem, NULL, false, SHK_KUBE_UNSENT);
	check_bind(&server, ca.crt_pem, "kube.example", false, SHK_KUBE_OK);
	check_bind(&server, ca.crt_pem, "kube2.example", false, SHK_KUBE_UNSENT);
	free_party(&server);
	free_party(&ca);
}

/* Set by the server's library while it shakes hands. */
static char client_name[64];

static int note_client(gnutls_session_t session)
{
	unsigned n = 0;
	const gnutls_datum_t *list = gnutls_certificate_get_peers(session, &n);
	size_t size = sizeof client_name;
	gnutls_x509_crt_t crt;

	if (n == 0)
		return GNUTLS_E_NO_CERTIFICATE_FOUND;
	must(gnutls_x509_crt_init(&crt));
	must(gnutls_x509_crt_import(crt, &list[0], GNUTLS_X509_FMT_DER));
	must(gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0, client_name,
					   &size));
	gnutls_x509_crt_deinit(crt);
	return 0;
}

static void test_client_certificate_is_shown(void **state)
{
	static const struct server_step steps[] = {{CREATED, THEN_KEEP, 0}};
	struct party ca = make_party("ca", "ca", NULL);
	struct party us = make_party("system:shikiri", "us", &ca);
	struct party them = make_party("server", NULL, &ca);
	struct shk_kube_config config = {
	    .ca_data = ca.crt_pem, .cert_data = us.crt_pem, .key_data = us.key_pem};
	gnutls_certificate_credentials_t credentials = credentials_of(&them);
	struct shk_kube_request request = fixture_bind(LONG_MS);
	struct server *server;
	struct shk_kube *kube;

	(void)state;
	gnutls_certificate_set_verify_function(credentials, note_client);
	server = server_start(steps, 1, credentials);
	config.server =
	    shk_arena_printf(&config.arena, "https://127.0.0.1:%u", server_port(server));
	kube = fixture_start(&config, server, 0);
	assert_true(shk_kube_send(kube, &request));
	assert_int_equal(fixture_reply(0)->reply.outcome, SHK_KUBE_OK);
	assert_string_equal(client_name, "system:shikiri");
	assert_null(strstr(server_request(server, 0), "Authorization"));
	shk_kube_stop(kube);
	shk_kube_free(kube);
	server_stop(server);
	gnutls_certificate_free_credentials(credentials);
	shk_kube_config_fini(&config);
	free_party(&them);
	free_party(&us);
	free_party(&ca);
}

#define TEST(name) cmocka_unit_test_setup(name, before_each)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_server_is_verified),
	    TEST(test_name_is_verified),
	    TEST(test_client_certificate_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
