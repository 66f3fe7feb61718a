#include "kube.h"

#include "bucket.h"
#include "outcome.h"

static void test_statuses(void **state)
{
	static const struct {
		int status;
		enum shk_kube_outcome outcome;
	} cases[] = {
	    {200, SHK_KUBE_OK},      {201, SHK_KUBE_OK},       {302, SHK_KUBE_REFUSED},
	    {303, SHK_KUBE_LOST},    {307, SHK_KUBE_REFUSED},  {400, SHK_KUBE_REFUSED},
	    {401, SHK_KUBE_REFUSED}, {403, SHK_KUBE_REFUSED},  {404, SHK_KUBE_NOT_FOUND},
	    {408, SHK_KUBE_LOST},    {409, SHK_KUBE_CONFLICT}, {422, SHK_KUBE_REFUSED},
	    {500, SHK_KUBE_LOST},    {503, SHK_KUBE_LOST},     {504, SHK_KUBE_LOST},
	    {0, SHK_KUBE_LOST},      {600, SHK_KUBE_LOST},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct attempt attempt = {.verb = SHK_KUBE_BIND,
					  .number = 1,
					  .complete = true,
					  .sent = true,
					  .status = cases[i].status,
					  .retry_after_s = -1};
		struct verdict verdict = outcome_judge(&attempt);

		assert_int_equal(verdict.outcome, cases[i].outcome);
		assert_false(verdict.again);
	}
}

/* A write that the server may have seen is never repeated. */
static void test_broken_attempts(void **state)
{
	static const struct {
		enum shk_kube_verb verb;
		bool sent;
		enum shk_kube_outcome outcome;
		bool again;
	} cases[] = {
	    {SHK_KUBE_BIND, true, SHK_KUBE_LOST, false},
	    {SHK_KUBE_BIND, false, SHK_KUBE_UNSENT, true},
	    {SHK_KUBE_TOUCH_POD, true, SHK_KUBE_LOST, true},
	    {SHK_KUBE_TOUCH_POD, false, SHK_KUBE_UNSENT, true},
	    {SHK_KUBE_GET_POD, true, SHK_KUBE_LOST, true},
	    {SHK_KUBE_GET_POD, false, SHK_KUBE_UNSENT, true},
	    {SHK_KUBE_EVENT, true, SHK_KUBE_LOST, false},
	    {SHK_KUBE_EVENT, false, SHK_KUBE_UNSENT, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct attempt attempt = {.verb = cases[i].verb,
					  .number = 1,
					  .sent = cases[i].sent,
					  .status = 201,
					  .retry_after_s = -1};
		struct verdict verdict = outcome_judge(&attempt);

		assert_int_equal(verdict.outcome, cases[i].outcome);
		assert_int_equal(verdict.again, cases[i].again);
	}
}

static void test_backoff_grows_to_a_second(void **state)
{
	static const int expected[] = {100, 200, 400, 800, 1000, 1000};

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct attempt attempt = {.verb = SHK_KUBE_GET_POD, .number = i + 1};

		assert_int_equal(outcome_judge(&attempt).delay_ms, expected[i]);
	}
}

static void test_reads_fail_for_good_when_too_large(void **state)
{
	struct attempt attempt = {
	    .verb = SHK_KUBE_GET_POD, .number = 1, .sent = true, .oversized = true};

	(void)state;
	assert_false(outcome_judge(&attempt).again);
	assert_int_equal(outcome_judge(&attempt).outcome, SHK_KUBE_LOST);
}

static void test_a_refused_token_is_read_once_more(void **state)
{
	struct attempt attempt = {.verb = SHK_KUBE_BIND,
				  .number = 1,
				  .complete = true,
				  .sent = true,
				  .can_refresh = true,
				  .status = 401,
				  .retry_after_s = -1};
	struct verdict verdict = outcome_judge(&attempt);

	(void)state;
	assert_true(verdict.again);
	assert_true(verdict.refresh_token);
	assert_int_equal(verdict.delay_ms, 0);
	attempt.fresh_token = true;
	verdict = outcome_judge(&attempt);
	assert_false(verdict.again);
	assert_int_equal(verdict.outcome, SHK_KUBE_REFUSED);
}

static void test_too_many_requests(void **state)
{
	static const struct {
		int retry_after_s;
		int delay_ms;
	} cases[] = {{-1, 1000}, {0, 100}, {1, 1000}, {7, 7000}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct attempt attempt = {.verb = SHK_KUBE_BIND,
					  .number = 1,
					  .complete = true,
					  .sent = true,
					  .status = 429,
					  .retry_after_s = cases[i].retry_after_s};
		struct verdict verdict = outcome_judge(&attempt);

		assert_int_equal(verdict.outcome, SHK_KUBE_UNSENT);
		assert_true(verdict.again);
		assert_int_equal(verdict.delay_ms, cases[i].delay_ms);
	}
}

static void test_retry_after(void **state)
{
	static const struct {
		const char *value;
		int seconds;
	} cases[] = {
	    {" 3\r\n", 3},
	    {"0", 0},
	    {"999999999", 3600},
	    {"99999999999999999999", 1},
	    {"", 1},
	    {"-5", 1},
	    {"1.5", 1},
	    {"soon", 1},
	    {" Wed, 21 Oct 2026 07:28:00 GMT\r\n", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(outcome_retry_after(shk_sv(cases[i].value)), cases[i].seconds);
}

static void test_a_line_of_the_head(void **state)
{
	int seconds = -1;

	(void)state;
	assert_false(outcome_header(shk_sv("Content-Length: 7\r\n"), &seconds));
	assert_false(outcome_header(shk_sv("Retry-After"), &seconds));
	assert_false(outcome_header(shk_sv("\r\n"), &seconds));
	assert_int_equal(seconds, -1);
	assert_true(outcome_header(shk_sv("rETRY-aFTER: 3\r\n"), &seconds));
	assert_int_equal(seconds, 3);
}

static unsigned take_all(struct bucket *bucket, int64_t now_ms)
{
	unsigned n = 0;

	while (bucket_take(bucket, now_ms))
		n++;
	return n;
}

static void test_bucket(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 50, 100, 1000);
	assert_int_equal(take_all(&bucket, 1000), 100);
	assert_int_equal(bucket_ready_ms(&bucket), 1020);
	assert_false(bucket_take(&bucket, 1019));
	assert_true(bucket_take(&bucket, 1020));
	assert_int_equal(take_all(&bucket, 2020), 50);
	assert_int_equal(take_all(&bucket, 1500), 0);
	assert_int_equal(take_all(&bucket, INT64_MAX), 100);
}

static void test_bucket_says_when(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 3, 1, 0);
	assert_true(bucket_ready_ms(&bucket) <= 0);
	assert_true(bucket_take(&bucket, 0));
	assert_false(bucket_take(&bucket, bucket_ready_ms(&bucket) - 1));
	assert_true(bucket_take(&bucket, bucket_ready_ms(&bucket)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_statuses),
	    cmocka_unit_test(test_broken_attempts),
	    cmocka_unit_test(test_backoff_grows_to_a_second),
	    cmocka_unit_test(test_reads_fail_for_good_when_too_large),
	    cmocka_unit_test(test_a_refused_token_is_read_once_more),
	    cmocka_unit_test(test_too_many_requests),
	    cmocka_unit_test(test_retry_after),
	    cmocka_unit_test(test_a_line_of_the_head),
	    cmocka_unit_test(test_bucket),
	    cmocka_unit_test(test_bucket_says_when),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
