#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/metrics.h"

/* Every well-formed POST gets 200: the scheduler throws the body of any other status away. */

/* Label values of the extender metrics, in their order. */
enum verb { VERB_FILTER, VERB_PRIORITIZE, VERB_PREEMPT, VERB_BIND };

#define LONGEST_ERROR 1024

static void count(const struct shk_exchange *x, enum verb verb)
{
	shk_metric_count(SHK_C_EXTENDER_REQUESTS, verb);
	if (x->error)
		shk_metric_count(SHK_C_EXTENDER_ERRORS, verb);
	shk_metric_observe_us(SHK_H_EXTENDER_SECONDS, verb, shk_clock_boot_us() - x->ready_us);
}

/* Older schedulers print the text as a format string. */
static void drop_percent(char *text)
{
	for (char *c = strchr(text, '%'); c; c = strchr(c, '%'))
		*c = '_';
}

static const char *error_text(struct shk_exchange *x, const struct shk_error *err)
{
	char *text = shk_arena_alloc(&x->arena, LONGEST_ERROR);

	(void)shk_error_print(err, text, LONGEST_ERROR);
	drop_percent(text);
	x->error = text;
	return text;
}

static void note_pod(struct shk_exchange *x, const char *namespace_, const char *name,
		     const char *uid)
{
	x->pod =
	    shk_arena_printf(&x->arena, "%s/%s", namespace_ ? namespace_ : "", name ? name : "");
	x->pod_uid = uid;
}

/* NULL when the body can't be read; then x->error says why. */
static const struct shk_extender_args *read_args(struct shk_exchange *x)
{
	struct shk_extender_args *args = SHK_NEW(&x->arena, struct shk_extender_args);
	struct shk_error err;

	if (shk_extender_args_decode(shk_exchange_body(x), &x->arena, args, &err) != SHK_OK) {
		(void)error_text(x, &err);
		return NULL;
	}
	note_pod(x, args->pod.namespace_, args->pod.name, args->pod.uid);
	return args;
}

void shk_handle_filter(struct shk_exchange *x)
{
	struct shk_buf *out = shk_reply_json(x, 200);
	const struct shk_extender_args *args = read_args(x);
	struct shk_filter_result result;

	if (args) {
		shk_service_filter(x->service, args, &x->arena, &result);
		shk_filter_result_encode(&result, out);
	} else {
		shk_filter_error_encode(x->error, out);
	}
	count(x, VERB_FILTER);
}

void shk_handle_prioritize(struct shk_exchange *x)
{
	struct shk_buf *out = shk_reply_json(x, 200);
	const struct shk_extender_args *args = read_args(x);
	const struct shk_host_score *scores = NULL;
	size_t n = 0;

	if (args)
		shk_service_prioritize(x->service, args, &x->arena, &scores, &n);
	shk_scores_encode(scores, n, out);
	count(x, VERB_PRIORITIZE);
}

/* Nobody is evicted for us yet: no candidate is left over. */
void shk_handle_preempt(struct shk_exchange *x)
{
	struct shk_buf *out = shk_reply_json(x, 200);
	struct shk_preempt_args args;
	struct shk_error err;

	if (shk_preempt_args_decode(shk_exchange_body(x), &x->arena, &args, &err) != SHK_OK)
		(void)error_text(x, &err);
	else
		note_pod(x, args.pod.namespace_, args.pod.name, args.pod.uid);
	shk_preempt_result_encode(NULL, 0, out);
	count(x, VERB_PREEMPT);
}

static void reply_bind(struct shk_exchange *x, const char *error)
{
	shk_bind_result_encode(error, shk_reply_json(x, 200));
	if (*error)
		x->error = error;
	count(x, VERB_BIND);
}

static void finish_bind(struct shk_exchange *x, struct shk_answer *answer)
{
	char *text;

	if (!answer) {
		reply_bind(x, "LedgerUnavailable: the daemon is stopping");
		return;
	}
	if (answer->status != SHK_OK) {
		reply_bind(x, error_text(x, &answer->error));
		return;
	}
	text = shk_arena_strndup(&x->arena, answer->body.data ? answer->body.data : "",
				 answer->body.len < LONGEST_ERROR ? answer->body.len
								  : LONGEST_ERROR - 1);
	drop_percent(text);
	reply_bind(x, text);
}

void shk_handle_bind(struct shk_exchange *x)
{
	struct shk_caller caller = shk_exchange_caller(x);
	struct shk_bind_args args;
	struct shk_error err;
	struct shk_answer *answer;

	if (shk_bind_args_decode(shk_exchange_body(x), &x->arena, &args, &err) != SHK_OK) {
		reply_bind(x, error_text(x, &err));
		return;
	}
	note_pod(x, args.namespace_, args.name, args.uid);
	answer = shk_exchange_wait(x, finish_bind);
	if (answer)
		shk_service_bind(x->service, &args, &caller, answer);
}
