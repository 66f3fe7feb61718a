#include "kube.h"

#include "shikiri/kube/config.h"

#include "kubeconfig.h"

#define HEAD                                                                                       \
	"apiVersion: v1\nkind: Config\ncurrent-context: main\n"                                    \
	"contexts:\n"                                                                              \
	"- {name: main, context: {cluster: c, user: u}}\n"                                         \
	"- {name: nobody, context: {cluster: c}}\n"                                                \
	"- {name: torn, context: {user: u}}\n"                                                     \
	"- {name: lost, context: {cluster: gone, user: u}}\n"
#define CLUSTER "clusters: [{name: c, cluster: {server: 'https://api:6443'}}]\n"
#define USER    "users: [{name: u, user: {token: sesame}}]\n"

static enum shk_status read_text(const char *text, const struct shk_kube_source *source,
				 struct shk_kube_config *config, struct shk_error *err)
{
	*config = (struct shk_kube_config){.server = NULL};
	return kubeconfig_read(shk_sv(text), "/etc/k/config", source, config, err);
}

static void test_reads_what_kubectl_writes(void **state)
{
	static const char text[] =
	    HEAD "clusters:\n- name: c\n  cluster:\n    server: https://10.0.0.1:6443/prefix/\n"
		 "    certificate-authority-data: UEVN\n    tls-server-name: kube.example\n"
		 "    proxy-url: http://proxy:3128\n"
		 "users:\n- name: u\n  user:\n    tokenFile: tokens/mine\n    token: old\n"
		 "    client-certificate: /abs/tls.crt\n    client-key-data: S0VZ\n"
		 "    client-key: unused.key\n";
	const struct shk_kube_source source = {.kubeconfig = "x"};
	struct shk_kube_config config;
	struct shk_error err;

	(void)state;
	assert_int_equal(read_text(text, &source, &config, &err), SHK_OK);
	assert_string_equal(config.server, "https://10.0.0.1:6443/prefix");
	assert_string_equal(config.ca_data, "PEM");
	assert_null(config.ca_file);
	assert_string_equal(config.tls_server_name, "kube.example");
	assert_string_equal(config.proxy, "http://proxy:3128");
	assert_string_equal(config.token_file, "/etc/k/tokens/mine");
	assert_null(config.token);
	assert_string_equal(config.cert_file, "/abs/tls.crt");
	assert_string_equal(config.key_data, "KEY");
	assert_null(config.key_file);
	assert_false(config.insecure);
	shk_kube_config_fini(&config);
}

static void test_contexts(void **state)
{
	struct shk_kube_source source = {.kubeconfig = "x", .context = "nobody"};
	struct shk_kube_config config;
	struct shk_error err;

	(void)state;
	assert_int_equal(read_text(HEAD CLUSTER USER, &source, &config, &err), SHK_OK);
	assert_null(config.token);
	shk_kube_config_fini(&config);
	source.context = NULL;
	assert_int_equal(read_text(HEAD CLUSTER USER, &source, &config, &err), SHK_OK);
	assert_string_equal(config.token, "sesame");
	shk_kube_config_fini(&config);
}

/* Each sentence names the file, what in it, and never a secret. */
static void check_refused(const char *context, const char *text, enum shk_status expected,
			  const char *words)
{
	const struct shk_kube_source source = {.kubeconfig = "x", .context = context};
	struct shk_kube_config config;
	struct shk_error err = {0};

	assert_int_equal(read_text(text, &source, &config, &err), expected);
	assert_non_null(strstr(err.text, "/etc/k/config"));
	if (!strstr(err.text, words))
		fail_msg("'%s' isn't in '%s'", words, err.text);
	assert_null(strstr(err.text, "sesame"));
	assert_null(strstr(err.pointer, "sesame"));
	shk_kube_config_fini(&config);
}

static void test_refuses_users(void **state)
{
	static const struct {
		const char *user;
		const char *words;
	} cases[] = {
	    {"exec: {command: aws}", "kubectl create token"},
	    {"auth-provider: {name: gcp}", "kubectl create token"},
	    {"username: a", "username"},
	    {"password: sesame", "password"},
	    {"as: root", "impersonation"},
	    {"as-groups: [g]", "impersonation"},
	    {"token: \"sesame\\r\\nX: y\"", "user u: token"},
	    {"token: [1]", "has to be a string"},
	    {"client-certificate: a.crt", "go together"},
	    {"client-key-data: S0VZ", "go together"},
	    {"client-key-data: sesame!", "base64"},
	    {"client-key-data: S0VZ=", "base64"},
	    {"client-key-data: AAAA", "base64"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[1024];

		(void)snprintf(text, sizeof text, HEAD CLUSTER "users: [{name: u, user: {%s}}]\n",
			       cases[i].user);
		check_refused(NULL, text, SHK_E_CONFIG, cases[i].words);
	}
}

static void test_refuses_clusters(void **state)
{
	static const struct {
		const char *cluster;
		const char *words;
	} cases[] = {
	    {"certificate-authority: a", "cluster c: server"},
	    {"server: api", "https://"},
	    {"server: ftp://api", "https://"},
	    {"server: http://api", "--insecure-dev"},
	    {"server: http://127.evil.example", "--insecure-dev"},
	    {"server: http://localhost.evil.example", "--insecure-dev"},
	    {"server: https://", "https://HOST"},
	    {"server: https://sesame@api", "https://HOST"},
	    {"server: 'https://api/a?b'", "https://HOST"},
	    {"server: 'https://api/a b'", "https://HOST"},
	    {"server: 'https://api', insecure-skip-tls-verify: true", "--insecure-dev"},
	    {"server: 'https://api', insecure-skip-tls-verify: 'false'", "--insecure-dev"},
	    {"server: 'https://api', tls-server-name: 'a b'", "tls-server-name"},
	    {"server: 'https://api', proxy-url: 'socks5://p'", "proxy-url"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[1024];

		(void)snprintf(text, sizeof text,
			       HEAD USER "clusters: [{name: c, cluster: {%s}}]\n",
			       cases[i].cluster);
		check_refused(NULL, text, SHK_E_CONFIG, cases[i].words);
	}
}

static void test_refuses_files(void **state)
{
	(void)state;
	check_refused(NULL, "", SHK_E_INPUT, "isn't a kubeconfig");
	check_refused(NULL, "[]", SHK_E_INPUT, "isn't a kubeconfig");
	check_refused(NULL, "a: 1\n---\nb: 2\n", SHK_E_INPUT, "isn't a kubeconfig");
	check_refused(NULL, "{", SHK_E_INPUT, "line");
	check_refused(NULL, "kind: Config\n", SHK_E_CONFIG, "--context");
	check_refused("other", HEAD CLUSTER USER, SHK_E_CONFIG, "no context is called other");
	check_refused("torn", HEAD CLUSTER USER, SHK_E_CONFIG, "context torn: cluster");
	check_refused("lost", HEAD CLUSTER USER, SHK_E_CONFIG, "no cluster is called gone");
	check_refused(NULL, HEAD CLUSTER, SHK_E_CONFIG, "no user is called u");
	check_refused(NULL, HEAD USER "clusters: [{name: c}]\n", SHK_E_CONFIG, "holds nothing");
}

static void test_accepts_for_development(void **state)
{
	static const char text[] = HEAD USER "clusters: [{name: c, cluster: {server: 'http://api', "
					     "insecure-skip-tls-verify: true}}]\n";
	const struct shk_kube_source source = {.kubeconfig = "x", .insecure_dev = true};
	struct shk_kube_config config;
	struct shk_error err;

	(void)state;
	assert_int_equal(read_text(text, &source, &config, &err), SHK_OK);
	assert_true(config.insecure);
	assert_string_equal(config.server, "http://api");
	shk_kube_config_fini(&config);
}

static void test_loopback_needs_no_tls(void **state)
{
	static const char *const urls[] = {"http://127.0.0.1:8001", "http://localhost:1",
					   "http://[::1]:8001", "http://127.1.2.3"};
	struct shk_arena arena = {0};
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
		assert_string_equal(server_url(urls[i], false, &arena, &why), urls[i]);
	shk_arena_fini(&arena);
}

static void test_file_that_is_missing(void **state)
{
	const struct shk_kube_source source = {.kubeconfig = "/nowhere/config"};
	struct shk_kube_config config;
	struct shk_error err;

	(void)state;
	assert_int_equal(shk_kube_config_load(&source, &config, &err), SHK_E_NOT_FOUND);
	assert_non_null(strstr(err.text, "/nowhere/config"));
}

/* --- in a pod ------------------------------------------------------------------------------- */

static void put_file(const char *folder, const char *name)
{
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
}

static void test_service_account(void **state)
{
	char folder[] = "/tmp/shikiri-kube-XXXXXX";
	struct shk_kube_source source = {.service_account = folder};
	struct shk_kube_config config;
	struct shk_error err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1), 0);
	assert_int_equal(setenv("KUBERNETES_SERVICE_PORT", "443", 1), 0);
	assert_false(shk_kube_config_in_cluster(folder));
	assert_int_equal(shk_kube_config_load(&source, &config, &err), SHK_E_NOT_FOUND);
	assert_non_null(strstr(err.text, "--kubeconfig"));

	put_file(folder, "token");
	put_file(folder, "ca.crt");
	assert_true(shk_kube_config_in_cluster(folder));
	assert_int_equal(shk_kube_config_load(&source, &config, &err), SHK_OK);
	assert_string_equal(config.server, "https://[fd00::1]:443");
	assert_non_null(strstr(config.token_file, "/token"));
	assert_non_null(strstr(config.ca_file, "/ca.crt"));
	shk_kube_config_fini(&config);

	assert_int_equal(setenv("KUBERNETES_SERVICE_PORT", "tcp://1", 1), 0);
	assert_int_equal(shk_kube_config_load(&source, &config, &err), SHK_E_CONFIG);
	assert_int_equal(unsetenv("KUBERNETES_SERVICE_HOST"), 0);
	assert_int_equal(shk_kube_config_load(&source, &config, &err), SHK_E_NOT_FOUND);
	assert_false(shk_kube_config_in_cluster(folder));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_what_kubectl_writes),
	    cmocka_unit_test(test_contexts),
	    cmocka_unit_test(test_refuses_users),
	    cmocka_unit_test(test_refuses_clusters),
	    cmocka_unit_test(test_refuses_files),
	    cmocka_unit_test(test_accepts_for_development),
	    cmocka_unit_test(test_loopback_needs_no_tls),
	    cmocka_unit_test(test_file_that_is_missing),
	    cmocka_unit_test(test_service_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
