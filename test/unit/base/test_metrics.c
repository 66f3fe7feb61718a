#include "shikiri/base/metrics.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "death.h"
#include "shikiri/base/units.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void assert_has_line(const char *text, const char *line)
{
	size_t len = strlen(line);
	const char *at = strstr(text, line);

	while (at && (at[len] != '\n' || (at != text && at[-1] != '\n')))
		at = strstr(at + 1, line);
	if (!at)
		print_error("no line \"%s\" in:\n%s\n", line, text);
	assert_non_null(at);
}

static uint64_t number_after(const char *text, const char *start)
{
	const char *at = strstr(text, start);

	assert_non_null(at);
	return strtoull(at + strlen(start), NULL, 10);
}

static void everything_is_rendered_from_the_start(void **state)
{
	static const char *const names[] = {
#define X(symbol, name, help, label, values)                                                       \
	"# HELP " name " " help "\n# TYPE " name " counter\n" name,
	    SHK_COUNTERS(X)
#undef X
#define X(symbol, name, help, label, values)                                                       \
	"# HELP " name " " help "\n# TYPE " name " histogram\n" name "_bucket{",
		SHK_HISTOGRAMS(X)
#undef X
	};
	struct shk_buf out = {0};

	(void)state;
	shk_metrics_render(&out);

	const char *at = out.data;

	for (size_t i = 0; i < N(names); i++) {
		at = strstr(at, names[i]);
		assert_non_null(at);
		at++;
	}
	assert_true(shk_str_ends(out.data, "\n"));
	assert_has_line(out.data, "shikiri_ledger_commands_total 0");
	assert_has_line(out.data, "shikiri_http_rejected_total{why=\"overload\"} 0");
	assert_has_line(out.data,
			"shikiri_ledger_transaction_duration_seconds_bucket{le=\"+Inf\"} 0");
	assert_has_line(out.data, "shikiri_ledger_transaction_duration_seconds_sum 0.000000");
	assert_has_line(out.data, "shikiri_ledger_transaction_duration_seconds_count 0");
	shk_buf_fini(&out);
}

static void counters_count(void **state)
{
	struct shk_buf out = {0};

	(void)state;
	shk_metric_count(SHK_C_EXTENDER_REQUESTS, 0);
	shk_metric_count(SHK_C_EXTENDER_REQUESTS, 3);
	shk_metric_add(SHK_C_EXTENDER_REQUESTS, 3, 41);
	shk_metric_add(SHK_C_LEDGER_BATCHED, 0, UINT64_C(10000000000));
	assert_int_equal(shk_metric_value(SHK_C_EXTENDER_REQUESTS, 0), 1);
	assert_int_equal(shk_metric_value(SHK_C_EXTENDER_REQUESTS, 1), 0);
	assert_int_equal(shk_metric_value(SHK_C_EXTENDER_REQUESTS, 3), 42);

	shk_metrics_render(&out);
	assert_has_line(out.data, "shikiri_extender_requests_total{verb=\"filter\"} 1");
	assert_has_line(out.data, "shikiri_extender_requests_total{verb=\"prioritize\"} 0");
	assert_has_line(out.data, "shikiri_extender_requests_total{verb=\"bind\"} 42");
	assert_has_line(out.data, "shikiri_ledger_commands_total 10000000000");
	shk_buf_fini(&out);
}

/* One observation each, in the order of the buckets, so that each bucket holds all so far. */
static void observations_fall_into_buckets(void **state)
{
	static const struct {
		int64_t us;
		const char *le;
	} cases[] = {
	    {-5, "0.0001"},   {0, "0.0001"},    {100, "0.0001"},   {101, "0.00025"},
	    {250, "0.00025"}, {251, "0.0005"},  {501, "0.001"},    {1001, "0.0025"},
	    {2501, "0.005"},  {5001, "0.01"},   {10001, "0.025"},  {25001, "0.05"},
	    {50001, "0.1"},   {100001, "0.25"}, {250001, "0.5"},   {500001, "1"},
	    {1000001, "2"},   {2000000, "2"},   {2000001, "+Inf"}, {INT64_C(3600000000), "+Inf"},
	};
	struct shk_buf out = {0};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char line[128];

		shk_metric_observe_us(SHK_H_EXTENDER_SECONDS, 1, cases[i].us);
		shk_buf_clear(&out);
		shk_metrics_render(&out);
		(void)snprintf(
		    line, sizeof line,
		    "shikiri_extender_request_duration_seconds_bucket{verb=\"prioritize\","
		    "le=\"%s\"}",
		    cases[i].le);
		assert_int_equal(number_after(out.data, line), i + 1);
	}
	assert_has_line(
	    out.data,
	    "shikiri_extender_request_duration_seconds_sum{verb=\"prioritize\"} 3605.944714");
	assert_has_line(out.data,
			"shikiri_extender_request_duration_seconds_count{verb=\"prioritize\"} 20");
	assert_has_line(out.data,
			"shikiri_extender_request_duration_seconds_count{verb=\"bind\"} 0");
	shk_buf_fini(&out);
}

static void histograms_without_labels(void **state)
{
	struct shk_buf out = {0};

	(void)state;
	shk_metric_observe_us(SHK_H_LEDGER_SECONDS, 0, 700);
	shk_metrics_render(&out);
	assert_has_line(out.data,
			"shikiri_ledger_transaction_duration_seconds_bucket{le=\"0.0005\"} 0");
	assert_has_line(out.data,
			"shikiri_ledger_transaction_duration_seconds_bucket{le=\"0.001\"} 1");
	assert_has_line(out.data, "shikiri_ledger_transaction_duration_seconds_sum 0.000700");
	assert_has_line(out.data, "shikiri_ledger_transaction_duration_seconds_count 1");
	shk_buf_fini(&out);
}

static void *count_much(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		shk_metric_count(SHK_C_HTTP_REJECTED, 5);
		shk_metric_observe_us(SHK_H_EXTENDER_SECONDS, 2, 1);
	}
	return unused;
}

static void threads_lose_nothing(void **state)
{
	struct shk_buf out = {0};
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < N(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_much, NULL), 0);
	for (size_t i = 0; i < N(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(shk_metric_value(SHK_C_HTTP_REJECTED, 5), 80000);
	shk_metrics_render(&out);
	assert_has_line(out.data,
			"shikiri_extender_request_duration_seconds_count{verb=\"preempt\"} 80000");
	shk_buf_fini(&out);
}

static void samples_of_others(void **state)
{
	struct shk_buf out = {0};

	(void)state;
	shk_metric_head(&out, "shikiri_x", "gauge", "A \\ and a\nbreak and a \".");
	shk_metric_sample(&out, "shikiri_x", NULL, -3);
	shk_metric_sample(&out, "shikiri_x", "", INT64_MIN);
	shk_metric_sample(&out, "shikiri_x", "a=\"b\"", INT64_MAX);
	shk_metric_sample_parts(&out, "shikiri_x", "a=\"c\"", SHK_PARTS * 5 / 4);
	shk_metric_sample_parts(&out, "shikiri_x", NULL, -SHK_PARTS / 7);
	assert_string_equal(out.data, "# HELP shikiri_x A \\\\ and a\\nbreak and a \".\n"
				      "# TYPE shikiri_x gauge\n"
				      "shikiri_x -3\n"
				      "shikiri_x -9223372036854775808\n"
				      "shikiri_x{a=\"b\"} 9223372036854775807\n"
				      "shikiri_x{a=\"c\"} 1.25\n"
				      "shikiri_x -0.142857\n");
	shk_buf_fini(&out);
}

static void labels_are_escaped(void **state)
{
	struct shk_buf out = {0};

	(void)state;
	shk_metric_label(&out, "a", "plain");
	shk_metric_label(&out, "b", "q\"b\\n\nend");
	shk_metric_label(&out, "c", "");
	assert_string_equal(out.data, "a=\"plain\",b=\"q\\\"b\\\\n\\nend\",c=\"\"");
	shk_buf_fini(&out);
}

static void count_wrong_label(void)
{
	shk_metric_count(SHK_C_EXTENDER_REQUESTS, 4);
}

static void read_wrong_label(void)
{
	(void)shk_metric_value(SHK_C_LEDGER_BATCHED, 1);
}

static void observe_wrong_label(void)
{
	shk_metric_observe_us(SHK_H_LEDGER_SECONDS, 1, 1);
}

static void labels_out_of_range_abort(void **state)
{
	(void)state;
	assert_true(dies(count_wrong_label));
	assert_true(dies(read_wrong_label));
	assert_true(dies(observe_wrong_label));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(everything_is_rendered_from_the_start),
	    cmocka_unit_test(counters_count),
	    cmocka_unit_test(observations_fall_into_buckets),
	    cmocka_unit_test(histograms_without_labels),
	    cmocka_unit_test(threads_lose_nothing),
	    cmocka_unit_test(samples_of_others),
	    cmocka_unit_test(labels_are_escaped),
	    cmocka_unit_test(labels_out_of_range_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
