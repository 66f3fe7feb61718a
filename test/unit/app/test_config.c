#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shikiri/app/config.h"

#define MOST_ARGUMENTS 16

/* words: separated by blanks. */
static enum shk_status load(const char *words, struct shk_config *config, struct shk_error *err)
{
	char *argv[MOST_ARGUMENTS] = {(char[]){"shikirid"}};
	char *text = strdup(words);
	char *at = text;
	enum shk_status status;
	int argc = 1;

	while (*at) {
		argv[argc++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	*err = (struct shk_error){.status = SHK_OK};
	status = shk_config_load(argc, argv, config, err);
	free(text);
	return status;
}

static void has_the_defaults_of_the_contract(void **state)
{
	struct shk_config config;
	struct shk_error err;

	(void)state;
	assert_int_equal(load("", &config, &err), SHK_OK);
	assert_int_equal(config.snapshots.n, 0);
	assert_string_equal(config.ledger, "/var/lib/shikiri/ledger.db");
	assert_null(config.policy);
	assert_int_equal(config.mode, SHK_MODE_ENFORCE);
	assert_string_equal(config.listen, "127.0.0.1:8443");
	assert_string_equal(config.admin_listen, "127.0.0.1:8444");
	assert_int_equal(config.max_body, 16 << 20);
	assert_int_equal(config.log_level, SHK_LOG_INFO);
	assert_null(config.log_format);
	assert_true(config.wait_api);
	assert_int_equal(config.auths.n, 1);
	assert_string_equal(config.auths.items[0], "kube");
	shk_config_fini(&config);
}

static void reads_both_forms_of_flags(void **state)
{
	struct shk_config config;
	struct shk_error err;

	(void)state;
	assert_int_equal(load("--snapshot a.json --snapshot=b.json --ledger=:memory: --mode advise "
			      "--max-body 1MiB --wait-api=false --check --log-level=debug",
			      &config, &err),
			 SHK_OK);
	assert_int_equal(config.snapshots.n, 2);
	assert_string_equal(config.snapshots.items[0], "a.json");
	assert_string_equal(config.snapshots.items[1], "b.json");
	assert_string_equal(config.ledger, ":memory:");
	assert_int_equal(config.mode, SHK_MODE_ADVISE);
	assert_int_equal(config.max_body, 1 << 20);
	assert_false(config.wait_api);
	assert_true(config.check);
	assert_int_equal(config.log_level, SHK_LOG_DEBUG);
	assert_string_equal(config.auths.items[0], "none");
	shk_config_fini(&config);
}

static void refuses_usage_with_one_line(void **state)
{
	static const struct {
		const char *words;
		const char *text;
	} cases[] = {
	    {"--snapshto x", "unknown flag --snapshto; did you mean --snapshot?"},
	    {"--ledgr=x", "unknown flag --ledgr; did you mean --ledger?"},
	    {"--qqqqqqqqqqqq", "unknown flag --qqqqqqqqqqqq; see --help"},
	    {"file", "unexpected argument \"file\""},
	    {"--ledger", "--ledger needs a value"},
	    {"--ledger=", "--ledger: the value is empty"},
	    {"--ledger a --ledger b", "--ledger is given twice"},
	    {"--mode foo", "--mode: \"foo\" is not enforce or advise"},
	    {"--max-body lots", "--max-body: \"lots\" is not a size like 16MiB"},
	    {"--max-body 0", "--max-body: \"0\" is not a size like 16MiB"},
	    {"--listen 8443", "--listen: \"8443\" is not an address like 127.0.0.1:8443"},
	    {"--auth basic", "--auth: \"basic\" is not none, token or kube"},
	    {"--log-format xml", "--log-format: \"xml\" is not json or text"},
	    {"--log-level loud", "--log-level: \"loud\" is not debug, info, warn or error"},
	    {"--check=maybe", "--check: \"maybe\" is not true or false"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct shk_config config;
		struct shk_error err;

		assert_int_equal(load(cases[i].words, &config, &err), SHK_E_INPUT);
		assert_string_equal(err.text, cases[i].text);
	}
}

static void refuses_what_cannot_be_served(void **state)
{
	static const struct {
		const char *words;
		const char *part;
	} cases[] = {
	    {"", "no cluster: give --kubeconfig FILE or --snapshot FILE, or run as a pod"},
	    {"--kubeconfig k --snapshot s", "--snapshot and --kubeconfig exclude each other"},
	    {"--context c --snapshot s", "--snapshot and --context exclude each other"},
	    {"--context c", "--context c: is one of a --kubeconfig FILE"},
	    {"--snapshot s --auth token", "--auth token is not built yet; use --auth none"},
	    {"--snapshot s --auth none --auth kube", "--auth kube is not built yet"},
	    {"--snapshot s --token-file t", "--token-file: --auth token is not built yet"},
	    {"--snapshot s --tls-cert c", "--tls-cert needs --tls-key too"},
	    {"--snapshot s --tls-key k", "--tls-key needs --tls-cert too"},
	    {"--snapshot s --client-ca a", "--client-ca needs --tls-cert too"},
	    {"--snapshot s --tls-cert c --tls-key k --client-name n",
	     "--client-name needs --client-ca too"},
	    {"--snapshot s --admin-tls-cert c", "--admin-tls-cert needs --admin-tls-key too"},
	    {"--snapshot s --admin-tls-key k", "--admin-tls-key needs --admin-tls-cert too"},
	    {"--snapshot s --admin-client-ca a", "--admin-client-ca needs --admin-tls-cert too"},
	    {"--snapshot s --listen 0.0.0.0:1", "--listen 0.0.0.0:1: without TLS only loopback"},
	    {"--snapshot s --listen [::]:1", "--listen [::]:1: without TLS only loopback"},
	    {"--snapshot s --listen 0.0.0.0:1 --tls-cert c --tls-key k",
	     "--listen 0.0.0.0:1: without --client-ca any pod"},
	    {"--snapshot s --admin-listen 10.0.0.1:1",
	     "--admin-listen 10.0.0.1:1: without TLS only loopback"},
	    {"--snapshot s --admin-listen 10.0.0.1:1 --admin-tls-cert c --admin-tls-key k "
	     "--admin-client-ca a",
	     "--admin-listen 10.0.0.1:1: --auth none is for loopback only"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct shk_config config;
		struct shk_error err;

		assert_int_equal(load(cases[i].words, &config, &err), SHK_OK);
		assert_int_equal(shk_config_check(&config, &err), SHK_E_CONFIG);
		if (!strstr(err.text, cases[i].part))
			fail_msg("\"%s\": %s", cases[i].words, err.text);
		shk_config_fini(&config);
	}
}

static void accepts_what_is_guarded(void **state)
{
	static const char *const cases[] = {
	    "--snapshot s",
	    "--snapshot s --listen 127.0.0.1:0 --admin-listen [::1]:0",
	    "--snapshot s --listen localhost:8443 --auth none",
	    "--kubeconfig k",
	    "--kubeconfig k --context c --insecure-dev --mode advise",
	    "--snapshot s --tls-cert c --tls-key k --admin-tls-cert c --admin-tls-key k",
	    "--snapshot s --listen 0.0.0.0:1 --tls-cert c --tls-key k --client-ca a",
	    "--snapshot s --listen [::]:1 --tls-cert c --tls-key k --client-ca a --client-name n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct shk_config config;
		struct shk_error err;

		assert_int_equal(load(cases[i], &config, &err), SHK_OK);
		assert_int_equal(shk_config_check(&config, &err), SHK_OK);
		shk_config_fini(&config);
	}
}

static void reads_addresses(void **state)
{
	static const char *const bad[] = {
	    "",      "127.0.0.1",     ":1",          "127.0.0.1:",  "1.2.3.4:65536", "::1:1",
	    "[::1]", "[127.0.0.1]:1", "host.name:1", "127.0.0.1:+1"};
	struct shk_arena arena;
	const char *host;
	uint16_t port;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_true(shk_config_address("127.0.0.1:65535", &arena, &host, &port));
	assert_string_equal(host, "127.0.0.1");
	assert_int_equal(port, 65535);
	assert_true(shk_config_address("[::1]:0", &arena, &host, &port));
	assert_string_equal(host, "::1");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(shk_config_address(bad[i], &arena, &host, &port));
	assert_true(shk_config_is_loopback("127.1.2.3"));
	assert_true(shk_config_is_loopback("::1"));
	assert_false(shk_config_is_loopback("128.0.0.1"));
	assert_false(shk_config_is_loopback("::"));
	shk_arena_fini(&arena);
}

static const char *write_file(const char *text)
{
	static char path[64];
	int fd;

	(void)snprintf(path, sizeof path, "/tmp/shikiri-config-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(close(fd), 0);
	return path;
}

static enum shk_status load_file(const char *text, const char *flags, struct shk_config *config,
				 struct shk_error *err)
{
	const char *path = write_file(text);
	char words[256];
	enum shk_status status;

	(void)snprintf(words, sizeof words, "--config %s %s", path, flags);
	status = load(words, config, err);
	assert_int_equal(unlink(path), 0);
	return status;
}

#define HEAD "apiVersion: shikiri.dev/v1\nkind: DaemonConfiguration\n"

static void flags_win_over_the_file(void **state)
{
	struct shk_config config;
	struct shk_error err = {0};

	(void)state;
	if (load_file(HEAD "snapshot: [a, b]\nledger: /x\nmaxBody: 2MiB\nadminListen: 127.0.0.1:1\n"
			   "waitApi: false\n",
		      "--ledger /y --snapshot c", &config, &err))
		fail_msg("%s", err.text);
	assert_int_equal(config.snapshots.n, 1);
	assert_string_equal(config.snapshots.items[0], "c");
	assert_string_equal(config.ledger, "/y");
	assert_int_equal(config.max_body, 2 << 20);
	assert_string_equal(config.admin_listen, "127.0.0.1:1");
	assert_false(config.wait_api);
	shk_config_fini(&config);
	assert_int_equal(load_file(HEAD "snapshot: [a, b]\n", "", &config, &err), SHK_OK);
	assert_int_equal(config.snapshots.n, 2);
	shk_config_fini(&config);
}

static void names_what_is_wrong_in_the_file(void **state)
{
	static const struct {
		const char *text;
		const char *part;
	} cases[] = {
	    {HEAD "ledgr: x\n", "unknown key ledgr; did you mean ledger?"},
	    {HEAD "config: x\n", "unknown key config"},
	    {HEAD "mode: foo\n", "--mode: \"foo\" is not enforce or advise"},
	    {HEAD "ledger: [a, b]\n", "ledger takes one value"},
	    {"kind: Policy\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct shk_config config;
		struct shk_error err;

		assert_int_equal(load_file(cases[i].text, "", &config, &err), SHK_E_CONFIG);
		if (!strstr(err.text, cases[i].part))
			fail_msg("%s", err.text);
	}
}

static void a_missing_file_is_missing(void **state)
{
	struct shk_config config;
	struct shk_error err;

	(void)state;
	assert_int_equal(load("--config /nowhere/at/all", &config, &err), SHK_E_NOT_FOUND);
	assert_int_equal(load("--config /nowhere/at/all --help", &config, &err), SHK_OK);
	assert_true(config.help);
	shk_config_fini(&config);
}

static void help_lists_every_flag(void **state)
{
	static const char *const flags[] = {"--snapshot FILE", "--kubeconfig FILE",
					    "--context NAME",  "--ledger FILE",
					    "--policy FILE",   "--apply FILE",
					    "--mode MODE",     "--listen ADDR:PORT",
					    "--token-file",    "--auth",
					    "--max-body SIZE", "--log-format json|text",
					    "--log-level",     "--config FILE",
					    "--check",         "--admin-listen ADDR:PORT"};
	struct shk_buf out = {0};

	(void)state;
	shk_config_help(&out);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		assert_non_null(strstr(out.data, flags[i]));
	shk_buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(has_the_defaults_of_the_contract),
	    cmocka_unit_test(reads_both_forms_of_flags),
	    cmocka_unit_test(refuses_usage_with_one_line),
	    cmocka_unit_test(refuses_what_cannot_be_served),
	    cmocka_unit_test(accepts_what_is_guarded),
	    cmocka_unit_test(reads_addresses),
	    cmocka_unit_test(flags_win_over_the_file),
	    cmocka_unit_test(names_what_is_wrong_in_the_file),
	    cmocka_unit_test(a_missing_file_is_missing),
	    cmocka_unit_test(help_lists_every_flag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
