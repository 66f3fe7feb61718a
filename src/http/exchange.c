#include "exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "router.h"
#include "server.h"
#include "waiting.h"

static const char *find_param(const struct shk_param *params, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(params[i].name, name) == 0)
			return params[i].value;
	}
	return NULL;
}

const char *shk_exchange_header(const struct shk_exchange *x, const char *name)
{
	return shk_header_get(x->head.headers, x->head.n_headers, name);
}

const char *shk_exchange_query(const struct shk_exchange *x, const char *name)
{
	return find_param(x->query, x->n_query, name);
}

const char *shk_exchange_param(const struct shk_exchange *x, const char *name)
{
	return find_param(x->path_params, x->n_path_params, name);
}

struct shk_sv shk_exchange_body(const struct shk_exchange *x)
{
	return (struct shk_sv){.data = x->body.data ? x->body.data : "", .len = x->body.len};
}

/* Parameters of the type ("; charset=utf-8") don't matter: we read UTF-8 or refuse. */
static bool is_media_type(const char *text, const char *type)
{
	size_t len = strlen(type);

	return strncasecmp(text, type, len) == 0 && strchr("; \t,", text[len]) != NULL;
}

static bool is_yaml_type(const char *text)
{
	return is_media_type(text, "application/yaml") || is_media_type(text, "text/yaml") ||
	       is_media_type(text, "application/x-yaml");
}

bool shk_exchange_is_yaml(const struct shk_exchange *x)
{
	const char *type = shk_exchange_header(x, "Content-Type");

	return type && is_yaml_type(type);
}

bool shk_exchange_wants_yaml(const struct shk_exchange *x)
{
	const char *accept = shk_exchange_header(x, "Accept");

	return accept && is_yaml_type(accept);
}

bool shk_exchange_flag(struct shk_exchange *x, const char *name, bool *ret_value)
{
	const char *text = shk_exchange_query(x, name);

	*ret_value = text && strcmp(text, "true") == 0;
	if (!text || *ret_value || strcmp(text, "false") == 0)
		return true;
	shk_reply_problem(x, SHK_PROBLEM_BAD_REQUEST, "%s is true or false", name);
	return false;
}

bool shk_exchange_dry_run(struct shk_exchange *x, bool *ret_value)
{
	const char *text = shk_exchange_query(x, "dryRun");

	*ret_value = text != NULL;
	if (!text || strcmp(text, "All") == 0)
		return true;
	shk_reply_problem(x, SHK_PROBLEM_BAD_REQUEST, "dryRun knows no value but All");
	return false;
}

struct shk_caller shk_exchange_caller(const struct shk_exchange *x)
{
	return (struct shk_caller){
	    .actor = "anonymous",
	    .source = x->peer,
	    .request_id = x->request_id,
	};
}

struct shk_buf *shk_reply_text(struct shk_exchange *x, unsigned status, const char *type)
{
	shk_buf_clear(&x->reply.body);
	x->reply.status = status;
	x->reply.type = type;
	return &x->reply.body;
}

struct shk_buf *shk_reply_json(struct shk_exchange *x, unsigned status)
{
	return shk_reply_text(x, status, "application/json");
}

static void write_problem(struct shk_exchange *x, enum shk_problem problem, const char *detail,
			  const char *pointer)
{
	struct shk_buf *out = shk_reply_text(x, shk_problem_status(problem), SHK_PROBLEM_TYPE);

	shk_problem_write(out, problem, detail, pointer, x->request_id);
	x->reply.retry_after_s = shk_problem_retry_after(problem);
	x->error = shk_arena_strdup(&x->arena, detail);
}

void shk_reply_problem(struct shk_exchange *x, enum shk_problem problem, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	const char *detail = shk_arena_vprintf(&x->arena, fmt, args);
	va_end(args);
	write_problem(x, problem, detail, NULL);
}

void shk_reply_error(struct shk_exchange *x, const struct shk_error *err)
{
	write_problem(x, shk_problem_of_error(err), err->text, err->pointer);
}

void shk_reply_etag(struct shk_exchange *x, uint64_t resource_version)
{
	if (resource_version > 0)
		x->reply.etag = shk_arena_printf(&x->arena, "\"%" PRIu64 "\"", resource_version);
}

void shk_reply_answer(struct shk_exchange *x, struct shk_answer *answer)
{
	if (!answer) {
		shk_reply_problem(x, SHK_PROBLEM_UNAVAILABLE, "the daemon is stopping");
		return;
	}
	if (answer->status != SHK_OK) {
		shk_reply_error(x, &answer->error);
		return;
	}

	struct shk_buf *out = shk_reply_json(x, answer->created ? 201 : 200);

	if (answer->body.len == 0) {
		shk_buf_puts(out, "{}");
		return;
	}
	shk_buf_fini(out);
	*out = answer->body;
	answer->body = (struct shk_buf){0};
}

struct shk_answer *shk_exchange_wait(struct shk_exchange *x, shk_finish finish)
{
	x->waiting = shk_gate_wait(shk_server_gate(x->server), x->connection);
	if (!x->waiting) {
		finish(x, NULL);
		return NULL;
	}
	x->finish = finish;
	x->stage = SHK_STAGE_WAITING;
	return shk_waiting_answer(x->waiting);
}
