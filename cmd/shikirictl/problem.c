#include "client.h"

static enum cli_exit exit_of(long status)
{
	switch (status) {
	case 401:
	case 403:
		return CLI_FORBIDDEN;
	case 404:
		return CLI_NOT_FOUND;
	case 409:
	case 412:
	case 428:
		return CLI_CONFLICT;
	case 400:
	case 413:
	case 415:
	case 422:
		return CLI_DATA;
	case 408:
	case 504:
		return CLI_TIMEOUT;
	case 502:
	case 503:
		return CLI_UNREACHABLE;
	default:
		return CLI_FAILURE;
	}
}

/* What to try, where the answer itself doesn't say. */
static const char *next_step(long status)
{
	switch (status) {
	case 401:
		return "say who you are with --token-file FILE, or --cert and --key";
	case 403:
		return "ask whoever administers shikiri for the right to do this";
	case 404:
		return "`" CLI_NAME " get` lists what there is";
	case 412:
		return "somebody changed it in between: look again, then repeat";
	case 502:
	case 503:
		return "the daemon isn't ready; /readyz?verbose on the same address says why";
	default:
		return NULL;
	}
}

static void tell_places(struct cli *cli, const struct shk_value *problem)
{
	const struct shk_value *errors = shk_value_get(problem, "errors");

	for (size_t i = 0; i < shk_value_size(errors); i++) {
		const struct shk_value *error = shk_value_at(errors, i);
		const char *pointer = cli_scalar_at(cli, error, "pointer");

		cli_say("  %s%s%s", pointer, pointer[0] != '\0' ? ": " : "",
			cli_scalar_at(cli, error, "detail"));
	}
}

static void tell_problem(struct cli *cli, const struct cli_reply *reply,
			 const struct shk_value *problem)
{
	const char *title = cli_scalar_at(cli, problem, "title");
	const char *detail = cli_scalar_at(cli, problem, "detail");
	const char *hint = cli_scalar_at(cli, problem, "hint");
	const char *request = cli_scalar_at(cli, problem, "requestId");

	cli_say("error: %s%s%s", title, title[0] != '\0' && detail[0] != '\0' ? ": " : "", detail);
	tell_places(cli, problem);
	if (hint[0] == '\0')
		hint = next_step(reply->status);
	if (hint)
		cli_say("next: %s", hint);
	if (reply->status >= 500 && request[0] != '\0')
		cli_say("request: %s (in the daemon's log)", request);
}

enum cli_exit cli_problem(struct cli *cli, const struct cli_reply *reply)
{
	struct shk_value *problem = NULL;
	struct shk_error err = {0};
	struct shk_sv text = {reply->body.data, reply->body.len};

	if (reply->body.len > 0 &&
	    shk_value_parse(text, &shk_scan_document, &problem, &err) == SHK_OK &&
	    (shk_value_get(problem, "title") || shk_value_get(problem, "detail"))) {
		tell_problem(cli, reply, problem);
	} else {
		cli_say("error: the server answered with status %ld and no explanation; is it "
			"shikirid?",
			reply->status);
	}
	(void)cli_keep(cli, problem);
	return exit_of(reply->status);
}
