#include "handlers.h"
#include "shikiri/wire/value.h"

void shk_handle_ledger_verify(struct shk_exchange *x)
{
	struct shk_answer *answer = shk_exchange_wait(x, shk_reply_answer);

	if (answer)
		shk_service_ledger_verify(x->service, answer);
}

/* The only member of {"path": "/..."}; NULL: the reply is a problem. */
static const char *read_path(struct shk_exchange *x)
{
	struct shk_value *value;
	struct shk_error err;
	const char *path;

	if (shk_value_parse(shk_exchange_body(x), &shk_scan_document, &value, &err) != SHK_OK) {
		shk_reply_error(x, &err);
		return NULL;
	}
	path = shk_arena_strdup(&x->arena, shk_value_string(shk_value_get(value, "path")));
	if (shk_value_size(value) != 1 || !path) {
		(void)shk_error_at(&err, SHK_E_INPUT, "/path",
				   "the body is one object with path and nothing else");
		shk_reply_error(x, &err);
		path = NULL;
	} else if (path[0] != '/') {
		(void)shk_error_at(&err, SHK_E_INPUT, "/path",
				   "the path must be absolute: it is on the daemon's machine");
		shk_reply_error(x, &err);
		path = NULL;
	}
	shk_value_free(value);
	return path;
}

void shk_handle_ledger_backup(struct shk_exchange *x)
{
	struct shk_caller caller = shk_exchange_caller(x);
	const char *path = read_path(x);
	struct shk_answer *answer;

	if (!path)
		return;
	answer = shk_exchange_wait(x, shk_reply_answer);
	if (answer)
		shk_service_ledger_backup(x->service, path, &caller, answer);
}
