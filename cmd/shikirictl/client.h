/* client.h - calls to the daemon's admin API. Failures are told on stderr here, once. */
#ifndef SHIKIRICTL_CLIENT_H
#define SHIKIRICTL_CLIENT_H

#include "cli.h"

#define CLI_API "/apis/shikiri.dev/v1"

struct cli_call {
	const char *method;       /* "GET" */
	const char *path;         /* from the root, escaped, with its query */
	const char *content_type; /* NULL: no body */
	const struct shk_buf *body;
};

struct cli_reply {
	long status;
	struct shk_buf body;
};

/* CLI_OK for an answer of any status; else the exit status that fits, already told. The caller
 * frees ret_reply->body in both cases. */
enum cli_exit cli_exchange(struct cli *cli, const struct cli_call *call,
			   struct cli_reply *ret_reply);
/* CLI_OK for a 2xx answer; else the exit status that fits, already told. The caller frees
 * ret_reply->body in both cases. */
enum cli_exit cli_request(struct cli *cli, const struct cli_call *call,
			  struct cli_reply *ret_reply);
/* The answer to a call as a value, kept until the process ends. */
enum cli_exit cli_request_value(struct cli *cli, const struct cli_call *call,
				const struct shk_value **ret_value);
enum cli_exit cli_get(struct cli *cli, const char *path, const struct shk_value **ret_value);
/* All pages of a list as one {"items":[...]}. path may have a query. */
enum cli_exit cli_get_list(struct cli *cli, const char *path, const struct shk_value **ret_list);
/* A path segment or query value with everything but letters, digits and -._~ escaped. */
const char *cli_escape(struct cli *cli, const char *text);

/* problem.c: tells an application/problem+json (or whatever else came) and gives the status. */
enum cli_exit cli_problem(struct cli *cli, const struct cli_reply *reply);

#endif
