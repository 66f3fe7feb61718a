#include "problem.h"

#include <assert.h>
#include <string.h>

#include "shikiri/wire/json.h"

struct row {
	const char *code;
	const char *type;
	unsigned status;
	const char *title;
};

static const struct row rows[] = {[SHK_PROBLEM_NONE] = {"", "", 500, ""},
#define X(symbol, code, name, status, title)                                                       \
	[SHK_PROBLEM_##symbol] = {code, "urn:shikiri:problem:" name, status, title},
				  SHK_PROBLEMS(X)
#undef X
};

unsigned shk_problem_status(enum shk_problem problem)
{
	return rows[problem].status;
}

const char *shk_problem_code(enum shk_problem problem)
{
	return rows[problem].code;
}

enum shk_problem shk_problem_of_status(unsigned status)
{
	for (size_t i = 1; i < SHK_PROBLEM_COUNT; i++) {
		if (rows[i].status == status)
			return (enum shk_problem)i;
	}
	return SHK_PROBLEM_INTERNAL;
}

enum shk_problem shk_problem_of_error(const struct shk_error *err)
{
	switch (err->status) {
	case SHK_E_INPUT:
		return strchr(err->pointer, '/') ? SHK_PROBLEM_INVALID : SHK_PROBLEM_UNREADABLE;
	case SHK_E_LIMIT:
		return SHK_PROBLEM_TOO_LARGE;
	case SHK_E_NOT_FOUND:
		return SHK_PROBLEM_NOT_FOUND;
	case SHK_E_CONFLICT:
		return SHK_PROBLEM_CONFLICT;
	case SHK_E_BUSY:
	case SHK_E_UNAVAILABLE:
		return SHK_PROBLEM_UNAVAILABLE;
	case SHK_E_PERMISSION:
	case SHK_E_IO:
	case SHK_E_FULL:
	case SHK_E_CORRUPT:
	case SHK_E_VERSION:
	case SHK_E_CONFIG:
	case SHK_OK:
		break;
	}
	return SHK_PROBLEM_INTERNAL;
}

int shk_problem_retry_after(enum shk_problem problem)
{
	return problem == SHK_PROBLEM_UNAVAILABLE ? 1 : 0;
}

void shk_problem_write(struct shk_buf *out, enum shk_problem problem, const char *detail,
		       const char *pointer, const char *request_id)
{
	const struct row *row = &rows[problem];
	struct shk_json json;

	assert(problem > SHK_PROBLEM_NONE && problem < SHK_PROBLEM_COUNT);
	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "type", row->type);
	shk_json_string(&json, "title", row->title);
	shk_json_int(&json, "status", row->status);
	shk_json_string(&json, "detail", detail);
	shk_json_string(&json, "code", row->code);
	shk_json_string(&json, "requestId", request_id);
	if (pointer && *pointer) {
		shk_json_array(&json, "errors");
		shk_json_object(&json, NULL);
		shk_json_string(&json, "pointer", pointer);
		shk_json_string(&json, "detail", detail);
		shk_json_object_end(&json);
		shk_json_array_end(&json);
	}
	shk_json_object_end(&json);
}
