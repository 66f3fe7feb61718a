/* shikirid: flags, configuration, service, edge; then signals until it is told to go. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "shikiri/app/config.h"
#include "shikiri/app/service.h"
#include "shikiri/base/error.h"
#include "shikiri/base/log.h"
#include "shikiri/base/version.h"
#include "shikiri/http/edge.h"

#include "process.h"

#define DRAIN_MS  10000
#define REFRESH_S 5 /* between two looks at the certificate files */

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
	struct shk_error err;
	enum shk_status status = shk_service_check(config, &findings);
	int printed;

	if (shk_edge_check(config, &err) != SHK_OK) {
		shk_buf_printf(&findings, "%s\n", err.text);
		status = SHK_E_CONFIG;
	}
	printed = print(&findings);
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

/* Until it is told to go: the signal. */
static int obey_signals(struct shk_service *service, struct shk_edge *edge, const sigset_t *signals)
{
	const struct timespec moment = {.tv_sec = REFRESH_S};

	for (;;) {
		int received = sigtimedwait(signals, NULL, &moment);

		if (received == SIGTERM || received == SIGINT)
			return received;
		if (received == SIGHUP) {
			shk_service_reload(service);
			shk_edge_reload(edge);
		} else {
			shk_edge_refresh(edge);
		}
	}
}

static void serve(struct shk_service *service, struct shk_edge *edge, const sigset_t *signals)
{
	(void)printf("ready extender=%s admin=%s\n", shk_edge_extender_url(edge),
		     shk_edge_admin_url(edge));
	(void)fflush(stdout); /* nobody reads it: we serve all the same */
	shk_log(SHK_LOG_INFO, "ready", "extender", shk_edge_extender_url(edge), "admin",
		shk_edge_admin_url(edge), "version", shk_version, "git", shk_version_git, NULL);

	int received = obey_signals(service, edge, signals);

	shk_log(SHK_LOG_INFO, "stopping", "signal", received == SIGINT ? "SIGINT" : "SIGTERM",
		NULL);
}

static int run(const struct shk_config *config)
{
	struct shk_service *service;
	struct shk_edge *edge;
	struct shk_error err;
	sigset_t signals;

	shikirid_setup_process(&signals);
	/* Before the ledger is opened, and perhaps made. */
	if (shk_edge_check(config, &err) != SHK_OK)
		return fail(&err);
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
