/* shikirid: flags, configuration, service, edge; then signals until it is told to go. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

#include "shikiri/app/config.h"
#include "shikiri/app/service.h"
#include "shikiri/base/error.h"
#include "shikiri/base/log.h"
#include "shikiri/base/version.h"
#include "shikiri/http/edge.h"

#define DRAIN_MS 10000

/* What an error means to whoever started us. */
static int exit_status(enum shk_status status)
{
	switch (status) {
	case SHK_OK:
		return EX_OK;
	case SHK_E_INPUT:
	case SHK_E_LIMIT:
	case SHK_E_CONFLICT:
	case SHK_E_CORRUPT:
	case SHK_E_VERSION:
		return EX_DATAERR;
	case SHK_E_NOT_FOUND:
		return EX_NOINPUT;
	case SHK_E_UNAVAILABLE:
		return EX_UNAVAILABLE;
	case SHK_E_IO:
	case SHK_E_FULL:
		return EX_IOERR;
	case SHK_E_BUSY:
		return EX_TEMPFAIL;
	case SHK_E_PERMISSION:
		return EX_NOPERM;
	case SHK_E_CONFIG:
		return EX_CONFIG;
	}
	return EX_SOFTWARE;
}

static int fail(const struct shk_error *err)
{
	char text[sizeof err->pointer + sizeof err->text + 2];

	(void)fprintf(stderr, "shikirid: %s\n", shk_error_print(err, text, sizeof text));
	return exit_status(err->status);
}

/* A file that is wrong is data, but a flag that is wrong is usage. */
static int fail_usage(const struct shk_error *err)
{
	int status = fail(err);

	return err->status == SHK_E_INPUT ? EX_USAGE : status;
}

static int print(const struct shk_buf *text)
{
	if (text->len > 0)
		(void)fwrite(text->data, 1, text->len, stdout);
	return fflush(stdout) == 0 ? EX_OK : EX_IOERR;
}

static int print_help(void)
{
	struct shk_buf text = {0};
	int status;

	shk_config_help(&text);
	status = print(&text);
	shk_buf_fini(&text);
	return status;
}

static int check(const struct shk_config *config)
{
	struct shk_buf findings = {0};
	enum shk_status status = shk_service_check(config, &findings);
	int printed = print(&findings);

	shk_buf_fini(&findings);
	if (status == SHK_OK)
		return printed;
	return status == SHK_E_CONFIG ? EX_CONFIG : EX_DATAERR;
}

static void setup_log(const struct shk_config *config)
{
	bool is_json = config->log_format ? strcmp(config->log_format, "json") == 0
					  : isatty(STDERR_FILENO) == 0;

	shk_log_setup(config->log_level, is_json);
}

/* Request buffers are reused rather than mapped and unmapped each time: a first touch of a page
 * costs more than the request. */
static void setup_memory(void)
{
	/* No other thread runs yet. NOLINTBEGIN(concurrency-mt-unsafe) */
	(void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest that glibc accepts */
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
	(void)mallopt(M_ARENA_MAX, 4);
	/* NOLINTEND(concurrency-mt-unsafe) */
}

static void setup_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* refused: we serve with what there is */
}

/* Before any thread starts, so that all inherit the mask and only serve() gets signals. */
static void setup_signals(sigset_t *ret_signals)
{
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(ret_signals);
	(void)sigaddset(ret_signals, SIGTERM);
	(void)sigaddset(ret_signals, SIGINT);
	(void)sigaddset(ret_signals, SIGHUP);
	if (pthread_sigmask(SIG_BLOCK, ret_signals, NULL) != 0)
		abort();
}

static void serve(struct shk_service *service, const struct shk_edge *edge, const sigset_t *signals)
{
	int received;

	(void)printf("ready extender=%s admin=%s\n", shk_edge_extender_url(edge),
		     shk_edge_admin_url(edge));
	(void)fflush(stdout); /* nobody reads it: we serve all the same */
	shk_log(SHK_LOG_INFO, "ready", "extender", shk_edge_extender_url(edge), "admin",
		shk_edge_admin_url(edge), "version", shk_version, "git", shk_version_git, NULL);
	while (sigwait(signals, &received) == 0 && received == SIGHUP)
		shk_service_reload(service);
	shk_log(SHK_LOG_INFO, "stopping", "signal", received == SIGINT ? "SIGINT" : "SIGTERM",
		NULL);
}

static int run(const struct shk_config *config)
{
	struct shk_service *service;
	struct shk_edge *edge;
	struct shk_error err;
	sigset_t signals;

	setup_memory();
	setup_descriptors();
	setup_signals(&signals);
	if (shk_service_start(config, &service, &err) != SHK_OK)
		return fail(&err);
	if (shk_edge_start(config, service, &edge, &err) != SHK_OK) {
		shk_service_stop(service);
		return fail(&err);
	}
	serve(service, edge, &signals);
	shk_edge_stop(edge, DRAIN_MS);
	shk_service_stop(service);
	shk_log(SHK_LOG_INFO, "stopped", NULL);
	return EX_OK;
}

static int obey(const struct shk_config *config)
{
	struct shk_error err;

	if (config->help)
		return print_help();
	if (config->version)
		return printf("shikirid %s (git %s)\n", shk_version, shk_version_git) < 0;
	setup_log(config);
	if (shk_config_check(config, &err) != SHK_OK)
		return fail(&err);
	return config->check ? check(config) : run(config);
}

int main(int argc, char **argv)
{
	struct shk_config config;
	struct shk_error err;
	int status;

	if (shk_config_load(argc, argv, &config, &err) != SHK_OK)
		return fail_usage(&err);
	status = obey(&config);
	shk_config_fini(&config);
	return status;
}
