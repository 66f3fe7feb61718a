/* metrics.h - counters and histograms, one instance in the process, listed in one table.
 *
 * Counting is lock-free and safe from any thread. Gauges are not kept here: they are computed
 * from the view when somebody scrapes, by whoever renders /metrics. */
#ifndef SHIKIRI_BASE_METRICS_H
#define SHIKIRI_BASE_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/str.h"

/* X(symbol, name, help, label name or NULL, label values separated by '|' or NULL) */
#define SHK_COUNTERS(X)                                                                            \
	X(EXTENDER_REQUESTS, "shikiri_extender_requests_total", "Extender calls answered.",        \
	  "verb", "filter|prioritize|preempt|bind")                                                \
	X(EXTENDER_ERRORS, "shikiri_extender_errors_total",                                        \
	  "Extender calls answered with a non-empty Error, or that could not be read.", "verb",    \
	  "filter|prioritize|preempt|bind")                                                        \
	X(HTTP_REJECTED, "shikiri_http_rejected_total",                                            \
	  "Requests and connections turned away before a handler saw them.", "why",                \
	  "framing|path|method|too_large|deadline|overload")                                       \
	X(CLIENTS_REFUSED, "shikiri_client_certificates_refused_total",                            \
	  "TLS connections refused for the client's certificate.", "why",                          \
	  "none|untrusted|expired|purpose|name")                                                   \
	X(CERTIFICATE_RELOADS, "shikiri_certificate_reloads_total",                                \
	  "Readings of a listener's changed certificate files.", "result", "loaded|failed")        \
	X(LEDGER_TRANSACTIONS, "shikiri_ledger_transactions_total", "Ledger transactions.",        \
	  "result", "committed|failed")                                                            \
	X(LEDGER_BATCHED, "shikiri_ledger_commands_total",                                         \
	  "Commands that went into ledger transactions; divided by transactions, the mean batch.", \
	  NULL, NULL)                                                                              \
	X(PODS_ADOPTED, "shikiri_pods_adopted_total", "GPU pods found bound by somebody else.",    \
	  NULL, NULL)                                                                              \
	X(KUBELET_REFUSED, "shikiri_pods_rejected_by_kubelet_total",                               \
	  "GPU pods that kubelet did not admit after they were bound.", NULL, NULL)                \
	X(RESERVATIONS_VOIDED, "shikiri_reservations_voided_total",                                \
	  "Reservations taken back because the Binding is known not to have happened.", NULL,      \
	  NULL)                                                                                    \
	X(NUDGES, "shikiri_nudges_total",                                                          \
	  "Waiting pods touched so that their scheduler asks again.", NULL, NULL)

/* The same columns. All histograms share their bounds, 100 microseconds to 2 seconds. */
#define SHK_HISTOGRAMS(X)                                                                          \
	X(EXTENDER_SECONDS, "shikiri_extender_request_duration_seconds",                           \
	  "Time from a complete request to its answer.", "verb", "filter|prioritize|preempt|bind") \
	X(LEDGER_SECONDS, "shikiri_ledger_transaction_duration_seconds",                           \
	  "Time of one ledger transaction, its sync included.", NULL, NULL)

enum shk_counter {
#define X(symbol, name, help, label, values) SHK_C_##symbol,
	SHK_COUNTERS(X)
#undef X
	    SHK_C_COUNT
};

enum shk_histogram {
#define X(symbol, name, help, label, values) SHK_H_##symbol,
	SHK_HISTOGRAMS(X)
#undef X
	    SHK_H_COUNT
};

/* label is the index among the metric's values, 0 for a metric without labels; others abort. */
void shk_metric_count(enum shk_counter counter, size_t label);
void shk_metric_add(enum shk_counter counter, size_t label, uint64_t n);
void shk_metric_observe_us(enum shk_histogram histogram, size_t label, int64_t us);
uint64_t shk_metric_value(enum shk_counter counter, size_t label);

/* All counters and histograms in Prometheus text format, in table order. */
void shk_metrics_render(struct shk_buf *out);

/* For gauges and for counters kept elsewhere: HELP and TYPE once, then samples. labels is a
 * ready list of pairs as in `tenant="a",unit="b"`, or NULL. Label values go through _label.
 * All text is valid UTF-8. */
void shk_metric_head(struct shk_buf *out, const char *name, const char *type, const char *help);
void shk_metric_sample(struct shk_buf *out, const char *name, const char *labels, int64_t value);
/* A value in parts printed as a decimal number of units, to the nearest millionth. */
void shk_metric_sample_parts(struct shk_buf *out, const char *name, const char *labels,
			     int64_t parts);
/* Adds `key="value"` with Prometheus escaping, preceded by a comma unless out is empty. */
void shk_metric_label(struct shk_buf *out, const char *key, const char *value);

#endif
