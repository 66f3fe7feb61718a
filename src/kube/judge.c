/* judge.c - what an answer that isn't the one asked for means. */
#include "reflector_state.h"

#include <string.h>

/* Older servers name no cause. */
static bool is_too_large(const struct shk_api_status *status)
{
	return status && (status->is_too_large ||
			  strstr(status->message, "Too large resource version") != NULL);
}

static bool has_reason(const struct shk_api_status *status, const char *reason)
{
	return status && strcmp(status->reason, reason) == 0;
}

enum reflector_verdict reflector_judge(int code, const struct shk_api_status *status)
{
	static const struct {
		int first, last;
		enum reflector_verdict verdict;
	} rows[] = {
	    {400, 400, VERDICT_REFUSED}, {401, 401, VERDICT_RETRY},   {402, 402, VERDICT_REFUSED},
	    {403, 403, VERDICT_RETRY},   {404, 407, VERDICT_REFUSED}, {408, 408, VERDICT_RETRY},
	    {409, 409, VERDICT_REFUSED}, {410, 410, VERDICT_EXPIRED}, {411, 428, VERDICT_REFUSED},
	    {429, 429, VERDICT_RETRY},   {430, 499, VERDICT_REFUSED}, {500, 500, VERDICT_INTERNAL},
	};

	if (is_too_large(status))
		return VERDICT_TOO_LARGE;
	if (has_reason(status, "Expired") || has_reason(status, "Gone"))
		return VERDICT_EXPIRED;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (code >= rows[i].first && code <= rows[i].last)
			return rows[i].verdict;
	}
	return VERDICT_RETRY;
}
