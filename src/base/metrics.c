#include "shikiri/base/metrics.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "shikiri/base/units.h"

#define MOST_LABELS 8
#define N_BOUNDS    14

struct metric {
	const char *name;
	const char *help;
	const char *label;
	const char *values;
};

struct bound {
	int64_t us;
	const char *seconds;
};

static const struct metric counters[] = {
#define X(symbol, name, help, label, values) {name, help, label, values},
    SHK_COUNTERS(X)
#undef X
};

static const struct metric histograms[] = {
#define X(symbol, name, help, label, values) {name, help, label, values},
    SHK_HISTOGRAMS(X)
#undef X
};

static const struct bound bounds[N_BOUNDS] = {
    {100, "0.0001"},  {250, "0.00025"}, {500, "0.0005"},  {1000, "0.001"}, {2500, "0.0025"},
    {5000, "0.005"},  {10000, "0.01"},  {25000, "0.025"}, {50000, "0.05"}, {100000, "0.1"},
    {250000, "0.25"}, {500000, "0.5"},  {1000000, "1"},   {2000000, "2"},
};

struct histogram {
	_Atomic uint64_t buckets[N_BOUNDS + 1]; /* each alone, not cumulative */
	_Atomic uint64_t sum_us;
};

/* Any thread adds, with relaxed order: nobody draws conclusions from one metric about another. */
static struct {
	_Atomic uint64_t counters[SHK_C_COUNT][MOST_LABELS];
	struct histogram histograms[SHK_H_COUNT][MOST_LABELS];
} instance;

static size_t count_values(const struct metric *metric)
{
	size_t n = 1;

	for (const char *c = metric->values; c && *c; c++)
		n += *c == '|';
	assert(n <= MOST_LABELS);
	return n;
}

static void add(_Atomic uint64_t *value, uint64_t n)
{
	atomic_fetch_add_explicit(value, n, memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

void shk_metric_count(enum shk_counter counter, size_t label)
{
	shk_metric_add(counter, label, 1);
}

void shk_metric_add(enum shk_counter counter, size_t label, uint64_t n)
{
	assert(label < count_values(&counters[counter]));
	add(&instance.counters[counter][label], n);
}

void shk_metric_observe_us(enum shk_histogram histogram, size_t label, int64_t us)
{
	assert(label < count_values(&histograms[histogram]));

	struct histogram *kept = &instance.histograms[histogram][label];
	size_t i = 0;

	if (us < 0)
		us = 0;
	while (i < N_BOUNDS && us > bounds[i].us)
		i++;
	add(&kept->buckets[i], 1);
	add(&kept->sum_us, (uint64_t)us);
}

uint64_t shk_metric_value(enum shk_counter counter, size_t label)
{
	assert(label < count_values(&counters[counter]));
	return load(&instance.counters[counter][label]);
}

/* Prometheus escapes in HELP texts what it escapes in labels, but for the quotation mark. */
static void put_escaped(struct shk_buf *out, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\n')
			shk_buf_puts(out, "\\n");
		else if (strchr(escaped, *text))
			shk_buf_printf(out, "\\%c", *text);
		else
			shk_buf_putc(out, *text);
	}
}

/* Writes `label="value"` for the value of the given index, nothing without labels. */
static void put_label(struct shk_buf *out, const struct metric *metric, size_t index)
{
	const char *value = metric->values;

	if (!metric->label)
		return;
	for (size_t i = 0; i < index; i++)
		value = strchr(value, '|') + 1;
	shk_buf_printf(out, "%s=\"%.*s\"", metric->label, (int)strcspn(value, "|"), value);
}

static void put_sample(struct shk_buf *out, const char *name, const char *labels, const char *value)
{
	shk_buf_puts(out, name);
	if (labels && labels[0])
		shk_buf_printf(out, "{%s}", labels);
	shk_buf_printf(out, " %s\n", value);
}

static void render_counter(struct shk_buf *out, enum shk_counter counter)
{
	const struct metric *metric = &counters[counter];
	struct shk_buf labels = {0};
	char value[24];

	shk_metric_head(out, metric->name, "counter", metric->help);
	for (size_t i = 0; i < count_values(metric); i++) {
		shk_buf_clear(&labels);
		put_label(&labels, metric, i);
		(void)snprintf(value, sizeof value, "%" PRIu64, shk_metric_value(counter, i));
		put_sample(out, metric->name, labels.data, value);
	}
	shk_buf_fini(&labels);
}

/* The count is the last bucket as read, so that they agree while others go on counting. */
static void render_buckets(struct shk_buf *out, const char *name, const struct histogram *kept,
			   const char *labels)
{
	const char *comma = labels[0] ? "," : "";
	const char *open = labels[0] ? "{" : "";
	const char *close = labels[0] ? "}" : "";
	uint64_t total = 0;

	for (size_t i = 0; i <= N_BOUNDS; i++) {
		total += load(&kept->buckets[i]);
		shk_buf_printf(out, "%s_bucket{%s%sle=\"%s\"} %" PRIu64 "\n", name, labels, comma,
			       i < N_BOUNDS ? bounds[i].seconds : "+Inf", total);
	}

	uint64_t sum_us = load(&kept->sum_us);

	shk_buf_printf(out, "%s_sum%s%s%s %" PRIu64 ".%06" PRIu64 "\n", name, open, labels, close,
		       sum_us / 1000000, sum_us % 1000000);
	shk_buf_printf(out, "%s_count%s%s%s %" PRIu64 "\n", name, open, labels, close, total);
}

static void render_histogram(struct shk_buf *out, enum shk_histogram histogram)
{
	const struct metric *metric = &histograms[histogram];
	struct shk_buf labels = {0};

	shk_metric_head(out, metric->name, "histogram", metric->help);
	for (size_t i = 0; i < count_values(metric); i++) {
		shk_buf_clear(&labels);
		shk_buf_puts(&labels, "");
		put_label(&labels, metric, i);
		render_buckets(out, metric->name, &instance.histograms[histogram][i], labels.data);
	}
	shk_buf_fini(&labels);
}

void shk_metrics_render(struct shk_buf *out)
{
	for (enum shk_counter i = 0; i < SHK_C_COUNT; i++)
		render_counter(out, i);
	for (enum shk_histogram i = 0; i < SHK_H_COUNT; i++)
		render_histogram(out, i);
}

void shk_metric_head(struct shk_buf *out, const char *name, const char *type, const char *help)
{
	shk_buf_printf(out, "# HELP %s ", name);
	put_escaped(out, help, "\\");
	shk_buf_printf(out, "\n# TYPE %s %s\n", name, type);
}

void shk_metric_sample(struct shk_buf *out, const char *name, const char *labels, int64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof text, "%" PRId64, value);
	put_sample(out, name, labels, text);
}

void shk_metric_sample_parts(struct shk_buf *out, const char *name, const char *labels,
			     int64_t parts)
{
	char text[32];

	put_sample(out, name, labels, shk_parts_exact(parts, text, sizeof text));
}

void shk_metric_label(struct shk_buf *out, const char *key, const char *value)
{
	shk_buf_printf(out, "%s%s=\"", out->len > 0 ? "," : "", key);
	put_escaped(out, value, "\\\"");
	shk_buf_putc(out, '"');
}
