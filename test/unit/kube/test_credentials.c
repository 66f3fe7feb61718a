#include "kube.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base64.h"
#include "credentials.h"
#include "pem.h"

#define LOOK_MS  10000
#define TOKEN_MS 60000

/* The shortest that are whole: empty sequences, told apart by the lines before them. */
#define CERT_A "a\n-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
#define CERT_B "bb\n-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
#define KEY_A  "a\n-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
#define KEY_B  "bb\n-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
#define TORN   "ccc\n-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIF"

struct files {
	char folder[32];
	char ca[64], cert[64], key[64], token[64];
	struct shk_kube_config config;
};

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void make_files(struct files *files)
{
	*files = (struct files){.folder = "/tmp/shikiri-cred-XXXXXX"};
	assert_non_null(mkdtemp(files->folder));
	(void)snprintf(files->ca, sizeof files->ca, "%s/ca.crt", files->folder);
	(void)snprintf(files->cert, sizeof files->cert, "%s/tls.crt", files->folder);
	(void)snprintf(files->key, sizeof files->key, "%s/tls.key", files->folder);
	(void)snprintf(files->token, sizeof files->token, "%s/token", files->folder);
	put_file(files->ca, CERT_A);
	put_file(files->cert, CERT_A);
	put_file(files->key, KEY_A);
	put_file(files->token, "first\n");
	files->config = (struct shk_kube_config){.ca_file = files->ca,
						 .cert_file = files->cert,
						 .key_file = files->key,
						 .token_file = files->token};
}

static void remove_files(struct files *files)
{
	(void)unlink(files->ca);
	(void)unlink(files->cert);
	(void)unlink(files->key);
	(void)unlink(files->token);
	assert_int_equal(rmdir(files->folder), 0);
}

static struct credentials *open_all(const struct files *files)
{
	struct credentials *credentials;
	struct shk_error err;

	assert_int_equal(credentials_open(&files->config, 0, &credentials, &err), SHK_OK);
	return credentials;
}

static void check_content(const char *path, const char *expected)
{
	char text[256] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, sizeof text - 1, file) > 0);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
}

static void test_changed_files_are_adopted(void **state)
{
	struct files files;
	struct credentials *credentials;
	char before[64];

	(void)state;
	make_files(&files);
	credentials = open_all(&files);
	check_content(credentials_ca(credentials), CERT_A);
	check_content(credentials_key(credentials), KEY_A);
	(void)snprintf(before, sizeof before, "%s", credentials_ca(credentials));

	put_file(files.ca, CERT_B);
	check_content(credentials_ca(credentials), CERT_A);
	credentials_tick(credentials, LOOK_MS - 1);
	check_content(credentials_ca(credentials), CERT_A);
	assert_int_equal(credentials_due_ms(credentials), LOOK_MS);
	credentials_tick(credentials, LOOK_MS);
	check_content(credentials_ca(credentials), CERT_B);
	check_content(before, CERT_A);
	assert_string_not_equal(credentials_ca(credentials), before);
	check_content(credentials_cert(credentials), CERT_A);
	credentials_close(credentials);
	remove_files(&files);
}

static void test_damaged_files_change_nothing(void **state)
{
	struct files files;
	struct credentials *credentials;

	(void)state;
	make_files(&files);
	credentials = open_all(&files);
	put_file(files.ca, TORN);
	put_file(files.cert, CERT_B);
	put_file(files.key, "");
	credentials_tick(credentials, LOOK_MS);
	check_content(credentials_ca(credentials), CERT_A);
	check_content(credentials_cert(credentials), CERT_A);
	check_content(credentials_key(credentials), KEY_A);
	assert_non_null(strstr(credentials_fault(credentials), files.ca));

	put_file(files.ca, CERT_B);
	put_file(files.key, KEY_B);
	credentials_tick(credentials, 2 * LOOK_MS);
	check_content(credentials_ca(credentials), CERT_B);
	check_content(credentials_cert(credentials), CERT_B);
	check_content(credentials_key(credentials), KEY_B);
	assert_string_equal(credentials_fault(credentials), "");

	assert_int_equal(unlink(files.ca), 0);
	credentials_tick(credentials, 3 * LOOK_MS);
	check_content(credentials_ca(credentials), CERT_B);
	assert_non_null(strstr(credentials_fault(credentials), "no such file"));
	credentials_close(credentials);
	remove_files(&files);
}

static void test_token_is_read_again(void **state)
{
	struct files files;
	struct credentials *credentials;

	(void)state;
	make_files(&files);
	credentials = open_all(&files);
	put_file(files.token, "second");
	credentials_tick(credentials, TOKEN_MS - 1);
	assert_string_equal(credentials_token(credentials), "first");
	credentials_tick(credentials, TOKEN_MS);
	assert_string_equal(credentials_token(credentials), "second");
	put_file(files.token, "third\r\n");
	assert_true(credentials_refresh_token(credentials, TOKEN_MS));
	assert_string_equal(credentials_token(credentials), "third");
	put_file(files.token, "bad\r\nX-Header: 1");
	assert_true(credentials_refresh_token(credentials, TOKEN_MS));
	assert_string_equal(credentials_token(credentials), "third");
	assert_non_null(strstr(credentials_fault(credentials), files.token));
	assert_null(strstr(credentials_fault(credentials), "bad"));
	credentials_close(credentials);
	remove_files(&files);
}

static void test_what_cannot_be_read_stops_the_start(void **state)
{
	struct files files;
	struct credentials *credentials;
	struct shk_error err;

	(void)state;
	make_files(&files);
	put_file(files.token, " \n");
	assert_int_equal(credentials_open(&files.config, 0, &credentials, &err), SHK_E_CONFIG);
	put_file(files.token, "t");
	put_file(files.key, CERT_A);
	assert_int_equal(credentials_open(&files.config, 0, &credentials, &err), SHK_E_CONFIG);
	assert_non_null(strstr(err.text, "private key"));
	assert_int_equal(unlink(files.ca), 0);
	assert_int_equal(credentials_open(&files.config, 0, &credentials, &err), SHK_E_NOT_FOUND);
	remove_files(&files);
}

static void test_data_needs_no_files(void **state)
{
	const struct shk_kube_config config = {
	    .ca_data = CERT_A, .cert_data = CERT_A, .key_data = KEY_A, .token = "t"};
	const struct shk_kube_config torn = {.ca_data = TORN};
	const struct shk_kube_config none = {.token = NULL};
	struct credentials *credentials;
	struct shk_error err;

	(void)state;
	assert_int_equal(credentials_open(&config, 0, &credentials, &err), SHK_OK);
	check_content(credentials_key(credentials), KEY_A);
	assert_string_equal(credentials_token(credentials), "t");
	assert_false(credentials_can_refresh(credentials));
	assert_false(credentials_refresh_token(credentials, 0));
	credentials_close(credentials);
	assert_int_equal(credentials_open(&torn, 0, &credentials, &err), SHK_E_CONFIG);
	assert_int_equal(credentials_open(&none, 0, &credentials, &err), SHK_OK);
	assert_null(credentials_ca(credentials));
	assert_null(credentials_cert(credentials));
	assert_null(credentials_token(credentials));
	credentials_close(credentials);
}

static void test_pem(void **state)
{
	static const struct {
		enum pem_kind kind;
		const char *text;
		enum shk_status status;
	} cases[] = {
	    {PEM_CERTIFICATES, CERT_A CERT_B, SHK_OK},
	    {PEM_CERTIFICATES, CERT_A KEY_A, SHK_OK},
	    {PEM_KEY, CERT_A KEY_A, SHK_OK},
	    {PEM_CERTIFICATES, "", SHK_E_CONFIG},
	    {PEM_CERTIFICATES, KEY_A, SHK_E_CONFIG},
	    {PEM_CERTIFICATES, CERT_A TORN, SHK_E_CONFIG},
	    {PEM_CERTIFICATES, "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
	     SHK_E_CONFIG},
	    {PEM_CERTIFICATES, "-----BEGIN CERTIFICATE-----\nMAI=\n-----END CERTIFICATE-----",
	     SHK_E_CONFIG},
	    {PEM_CERTIFICATES, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
	     SHK_E_CONFIG},
	    {PEM_CERTIFICATES, "-----BEGIN CERTIFICATE-----", SHK_E_CONFIG},
	    {PEM_CERTIFICATES, "-----BEGIN ", SHK_E_CONFIG},
	    {PEM_KEY,
	     "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----",
	     SHK_E_CONFIG},
	};
	struct shk_error err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(pem_check(cases[i].kind, shk_sv(cases[i].text), "f", &err),
				 cases[i].status);
}

static void test_base64(void **state)
{
	static const struct {
		const char *text;
		const char *bytes; /* NULL: refused */
	} cases[] = {
	    {"", ""},           {"Zg==", "f"},        {"Zm8=", "fo"},
	    {"Zm9v", "foo"},    {"Zm9vYg==", "foob"}, {"Zm\r\n9v\n", "foo"},
	    {"Zg", NULL},       {"Zg=", NULL},        {"Zg===", NULL},
	    {"Zh==", NULL},     {"Zm9=", NULL},       {"Z", NULL},
	    {"Zg==Zg==", NULL}, {"=", NULL},          {"Zm 9v", NULL},
	    {"Zm9-", NULL},     {"====", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct shk_buf out = {0};
		bool decoded;

		shk_buf_puts(&out, "x");
		decoded = base64_decode(shk_sv(cases[i].text), &out);
		assert_int_equal(decoded, cases[i].bytes != NULL);
		shk_buf_putc(&out, '\0');
		assert_string_equal(out.data + 1, decoded ? cases[i].bytes : "");
		shk_buf_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_changed_files_are_adopted),
	    cmocka_unit_test(test_damaged_files_change_nothing),
	    cmocka_unit_test(test_token_is_read_again),
	    cmocka_unit_test(test_what_cannot_be_read_stops_the_start),
	    cmocka_unit_test(test_data_needs_no_files),
	    cmocka_unit_test(test_pem),
	    cmocka_unit_test(test_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
