/* doctor.h - what doctor looks at, and the rules that make findings of it.
 *
 * Facts are gathered first, then every rule is asked once. A rule reads facts only: it makes no
 * call, looks at no clock and prints nothing. A fact that couldn't be had makes its rules say
 * "not known", never "fine". */
#ifndef SHIKIRICTL_DOCTOR_H
#define SHIKIRICTL_DOCTOR_H

#include "cli.h"
#include "scrape.h"

enum doctor_severity {
	DOCTOR_ERROR = 0, /* trust, quota or placement isn't what it should be */
	DOCTOR_WARNING,   /* works, and will bite */
	DOCTOR_UNKNOWN,   /* couldn't be seen */
	DOCTOR_N_SEVERITIES,
};

struct doctor_certificate {
	const char *flag; /* where it was named */
	const char *path;
	int64_t end_s;
};

#define DOCTOR_MAX_CERTIFICATES 2

/* NULL is not known, but for config: that is not given. */
struct doctor_facts {
	int64_t now_s;
	bool is_reached;        /* the daemon answered; without it nothing below is known of it */
	const char *ready_text; /* of /readyz?verbose */
	bool is_ready;
	const struct cli_scrape *metrics;
	const struct shk_value *nodes; /* lists of the admin API */
	const struct shk_value *quotas;
	const struct shk_value *foreign; /* allocations */
	const struct shk_value *verify;
	const struct shk_value *policy;
	const struct shk_value *config;   /* KubeSchedulerConfiguration */
	const struct shk_value *extender; /* ours in it; NULL when there is none, or several */
	size_t n_ours;                    /* extenders that lead to us */
	struct doctor_certificate certificates[DOCTOR_MAX_CERTIFICATES];
	size_t n_certificates;
};

struct doctor;

struct doctor_rule {
	const char *id;
	enum doctor_severity severity;
	void (*check)(struct doctor *doctor);
	const char *fix;
};

struct doctor_finding {
	const struct doctor_rule *rule;
	enum doctor_severity severity; /* the rule's, or unknown */
	const char *what;
};

struct doctor {
	struct cli *cli;
	struct doctor_facts facts;
	const struct doctor_rule *rule; /* being asked */
	struct doctor_finding *findings;
	size_t n_findings;
	size_t capacity;
	size_t n_rules; /* that were asked */
};

/* The rule being asked found something. */
void doctor_find(struct doctor *doctor, const char *fmt, ...) SHK_PRINTF(2, 3);
/* It couldn't look: "fact" is what is missing. */
void doctor_unknown(struct doctor *doctor, const char *fact);
/* doctor_find with a list of names after the text: "text: a, b, c and 4 more". */
void doctor_find_names(struct doctor *doctor, const char *text, const char *const *names, size_t n);

/* Whether the daemon has a metric; the rule says "not known" when it doesn't. */
bool doctor_has_metric(struct doctor *doctor, const char *name);
/* The sum over its samples with key="value", of which there must be one; key NULL: over all. */
bool doctor_sum(struct doctor *doctor, const char *name, const char *key, const char *value,
		double *ret_sum);
/* The sum over whatever samples there are, 0 without any: where none says nothing bad. */
double doctor_sum_of_any(const struct doctor *doctor, const char *name);

/* doctor_gather.c: CLI_OK even when the daemon can't be reached (facts.is_reached; *ret_call then
 * has the exit status of that), but not for files that were given and can't be read. */
enum cli_exit doctor_gather(struct doctor *doctor, enum cli_exit *ret_call);

/* Rules by what they need: an answering daemon for doctor_daemon.c and doctor_cluster.c, the
 * configuration of a scheduler for doctor_config.c, our extender in it for doctor_extender.c. */
extern const struct doctor_rule doctor_daemon_rules[];
extern const size_t doctor_n_daemon_rules;
extern const struct doctor_rule doctor_cluster_rules[];
extern const size_t doctor_n_cluster_rules;
extern const struct doctor_rule doctor_config_rules[];
extern const size_t doctor_n_config_rules;
extern const struct doctor_rule doctor_extender_rules[];
extern const size_t doctor_n_extender_rules;

/* doctor_extender.c: the scheduler is known to ask for advice only. That others bind is then no
 * finding: it is what advice means. */
bool doctor_is_adviser(const struct doctor *doctor);

/* doctor_config.c: finds our extender in facts.config. */
void doctor_find_extender(struct doctor *doctor);

#endif
