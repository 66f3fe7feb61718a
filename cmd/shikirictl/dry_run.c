#include "client.h"
#include "dry_report.h"
#include "offline.h"
#include "verbs.h"

static const struct cli_option options[] = {
    {"filename", 'f', "FILE", "Pod, Deployment, Job and other manifests; - for stdin"},
    {"exit-code", 0, NULL, "tell the verdict by the exit status"},
    {"snapshot", 0, "FILE", "decide here, against this cluster; may be repeated"},
    {"apply", 0, "FILE", "with --snapshot: tenants and other documents; may be repeated"},
    {"policy", 0, "FILE", "with --snapshot: the policy (built in)"},
};

static const struct {
	const char *verdict;
	int exit;
} verdict_exits[] = {
    {"Fits", 0},           {"FitsByBorrowing", 10}, {"FitsWithPreemption", 11},
    {"QuotaExceeded", 12}, {"NoFit", 13},           {"Rejected", 14},
    {"Invalid", 15},
};

static enum cli_exit exit_of_verdict(const char *verdict)
{
	for (size_t i = 0; i < sizeof verdict_exits / sizeof verdict_exits[0]; i++) {
		if (shk_str_equals(verdict, verdict_exits[i].verdict))
			return (enum cli_exit)verdict_exits[i].exit;
	}
	return CLI_FAILURE;
}

static enum cli_exit ask_daemon(struct cli *cli, const struct shk_buf *manifests,
				const struct shk_value **ret_report)
{
	const char *namespace_ = cli_value(cli, "namespace");
	struct cli_call call = {
	    .method = "POST",
	    .path = CLI_API "/dry-runs",
	    .content_type = cli_is_json(manifests) ? "application/json" : "application/yaml",
	    .body = manifests,
	};

	if (namespace_)
		call.path = shk_arena_printf(&cli->arena, "%s?namespace=%s", call.path,
					     cli_escape(cli, namespace_));
	return cli_request_value(cli, &call, ret_report);
}

static enum cli_exit decide_here(struct cli *cli, const struct shk_buf *manifests,
				 const struct shk_value **ret_report)
{
	/* Reports of our own making: as large as a thousand pods on fifty nodes each. */
	static const struct shk_scan_limits limits = {
	    .max_bytes = 256u << 20,
	    .max_depth = 64,
	    .max_depth_unread = 64,
	    .max_tokens = 64u << 20,
	};
	struct shk_buf text = {0};
	struct shk_value *value = NULL;
	struct shk_error err = {0};
	enum cli_exit exit = cli_offline_dry_run(cli, manifests, &text);

	if (exit == CLI_OK &&
	    shk_value_parse((struct shk_sv){text.data, text.len}, &limits, &value, &err) != SHK_OK)
		exit = cli_fail(&err);
	if (exit == CLI_OK)
		*ret_report = cli_keep(cli, value);
	shk_buf_fini(&text);
	return exit;
}

static enum cli_exit check_options(struct cli *cli)
{
	if (cli->n_words > 0)
		return cli_usage("dry-run takes manifests with -f, not \"%s\"", cli->words[0]);
	if (cli_has(cli, "snapshot"))
		return CLI_OK;
	if (cli_has(cli, "apply"))
		return cli_usage("--apply needs --snapshot; a daemon has documents of its own");
	if (cli_has(cli, "policy"))
		return cli_usage("--policy needs --snapshot; a daemon has a policy of its own");
	return CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
	const struct shk_value *report = NULL;
	struct shk_buf manifests = {0};
	enum cli_exit exit = check_options(cli);

	if (exit == CLI_OK)
		exit = cli_read_manifests(cli, &manifests);
	if (exit == CLI_OK)
		exit = cli_has(cli, "snapshot") ? decide_here(cli, &manifests, &report)
						: ask_daemon(cli, &manifests, &report);
	shk_buf_fini(&manifests);
	if (exit != CLI_OK)
		return exit;
	cli_print_report(cli, report);
	return cli_has(cli, "exit-code") ? exit_of_verdict(shk_value_string_at(report, "verdict"))
					 : CLI_OK;
}

const struct cli_verb cli_verb_dry_run = {
    .name = "dry-run",
    .arguments = "-f FILE|- [-n NAMESPACE] [--exit-code] [--snapshot FILE [--apply FILE]]",
    .summary = "where would it go, why not elsewhere, and the quota afterwards",
    .more = "Nothing is written anywhere. With --snapshot no daemon is asked.\n"
	    "-o wide lists every node. --exit-code: 0 fits, 10 fits by borrowing, 11 needs "
	    "preemption, 12 quota, 13 doesn't fit, 14 rejected, 15 invalid.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .formats = CLI_TABLES | CLI_STRUCTURED,
    .run = run,
};
