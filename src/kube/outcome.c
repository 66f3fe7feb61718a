#include "outcome.h"

#include <string.h>
#include <strings.h>

#define LEAST_DELAY_MS   100
#define MOST_DELAY_MS    1000
#define MOST_RETRY_AFTER 3600

/* The first row that holds the status decides. A redirect isn't followed and did nothing; what
 * may have been done although the answer is no (408, 5xx) stands in no row: it is lost. */
static enum shk_kube_outcome outcome_of(int status)
{
	static const struct {
		int from, to;
		enum shk_kube_outcome outcome;
	} rows[] = {
	    {200, 299, SHK_KUBE_OK},      {301, 302, SHK_KUBE_REFUSED},
	    {307, 308, SHK_KUBE_REFUSED}, {404, 404, SHK_KUBE_NOT_FOUND},
	    {408, 408, SHK_KUBE_LOST},    {409, 409, SHK_KUBE_CONFLICT},
	    {429, 429, SHK_KUBE_UNSENT},  {400, 499, SHK_KUBE_REFUSED},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (status >= rows[i].from && status <= rows[i].to)
			return rows[i].outcome;
	}
	return SHK_KUBE_LOST;
}

static int backoff_ms(unsigned number)
{
	int delay = LEAST_DELAY_MS;

	while (number-- > 1 && delay < MOST_DELAY_MS)
		delay *= 2;
	return delay < MOST_DELAY_MS ? delay : MOST_DELAY_MS;
}

/* A GET changes nothing, and a touch says the same the second time: both may be asked again
 * whatever became of the last one. Others only when it surely wasn't done. Nobody waits for an
 * event. */
static bool may_repeat(const struct attempt *attempt, enum shk_kube_outcome outcome)
{
	if (attempt->oversized)
		return false;
	if (outcome == SHK_KUBE_LOST)
		return attempt->verb == SHK_KUBE_GET_POD || attempt->verb == SHK_KUBE_TOUCH_POD;
	return outcome == SHK_KUBE_UNSENT && attempt->verb != SHK_KUBE_EVENT;
}

static struct verdict judge_broken(const struct attempt *attempt)
{
	struct verdict verdict = {.outcome = attempt->sent ? SHK_KUBE_LOST : SHK_KUBE_UNSENT};

	verdict.again = may_repeat(attempt, verdict.outcome);
	verdict.delay_ms = verdict.again ? backoff_ms(attempt->number) : 0;
	return verdict;
}

static struct verdict judge_too_many(const struct attempt *attempt)
{
	int wait_ms = (attempt->retry_after_s < 0 ? 1 : attempt->retry_after_s) * 1000;

	return (struct verdict){
	    .outcome = SHK_KUBE_UNSENT,
	    .again = true,
	    .delay_ms = wait_ms > LEAST_DELAY_MS ? wait_ms : LEAST_DELAY_MS,
	};
}

struct verdict outcome_judge(const struct attempt *attempt)
{
	struct verdict verdict;

	if (!attempt->complete)
		return judge_broken(attempt);
	if (attempt->status == 429)
		return judge_too_many(attempt);
	verdict = (struct verdict){.outcome = outcome_of(attempt->status)};
	if (attempt->status == 401 && attempt->can_refresh && !attempt->fresh_token) {
		verdict.again = true;
		verdict.refresh_token = true;
	} else if (may_repeat(attempt, verdict.outcome)) {
		verdict.again = true;
		verdict.delay_ms = backoff_ms(attempt->number);
	}
	return verdict;
}

int outcome_retry_after(struct shk_sv value)
{
	int seconds = 0;

	while (value.len > 0 && (value.data[0] == ' ' || value.data[0] == '\t'))
		value = (struct shk_sv){value.data + 1, value.len - 1};
	while (value.len > 0 && value.data[value.len - 1] <= ' ')
		value.len--;
	if (value.len == 0 || value.len > 9)
		return 1;
	for (size_t i = 0; i < value.len; i++) {
		if (value.data[i] < '0' || value.data[i] > '9')
			return 1;
		seconds = seconds * 10 + (value.data[i] - '0');
	}
	return seconds < MOST_RETRY_AFTER ? seconds : MOST_RETRY_AFTER;
}

bool outcome_header(struct shk_sv line, int *ret_retry_after_s)
{
	static const char name[] = "retry-after:";
	size_t len = strlen(name);

	if (line.len < len || strncasecmp(line.data, name, len) != 0)
		return false;
	*ret_retry_after_s = outcome_retry_after((struct shk_sv){line.data + len, line.len - len});
	return true;
}
