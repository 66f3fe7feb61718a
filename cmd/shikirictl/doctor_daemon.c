/* doctor_daemon.c - rules on the daemon, its caller, its watches and its certificates. */
#include "doctor.h"

#include <string.h>

#include "shikiri/base/units.h"

#include "url.h"

/* The scheduler looks at a waiting pod again after 5 minutes at the latest, checked every 30 s. */
#define LONGEST_SILENCE_S   400
#define DEFAULT_STALENESS_S 90
#define ENDING_S            (30 * 86400)
#define MOST_RELISTS        12 /* in an hour */

/* --- health ---------------------------------------------------------------------------------- */

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

/* Every failed check of /readyz?verbose: "[-]ledger failed: cause". */
static void check_ready(struct doctor *doctor)
{
	const char *line = doctor->facts.ready_text;
	size_t n = doctor->n_findings;

	if (!line)
		doctor_unknown(doctor, "/readyz");
	if (!line || doctor->facts.is_ready)
		return;
	for (; line; line = next_line(line)) {
		if (shk_str_starts(line, "[-]"))
			doctor_find(doctor, "the daemon isn't ready: %.*s",
				    (int)strcspn(line + 3, "\n"), line + 3);
	}
	if (doctor->n_findings == n)
		doctor_find(doctor, "the daemon isn't ready, and doesn't say why");
}

static void check_ledger(struct doctor *doctor)
{
	const struct shk_value *verify = doctor->facts.verify;
	const struct shk_value *findings = shk_value_get(verify, "findings");

	if (!verify) {
		doctor_unknown(doctor, "the ledger's verification");
		return;
	}
	for (size_t i = 0; i < shk_value_size(findings); i++)
		doctor_find(doctor, "the ledger isn't sound: %s",
			    cli_scalar(doctor->cli, shk_value_at(findings, i)));
	if (shk_value_size(findings) == 0 && !shk_value_bool(shk_value_get(verify, "sound"), false))
		doctor_find(doctor, "the ledger isn't sound");
}

static void check_ledger_writes(struct doctor *doctor)
{
	double failed = 0;

	if (doctor_sum(doctor, "shikiri_ledger_transactions_total", "result", "failed", &failed) &&
	    failed > 0)
		doctor_find(doctor, "ledger transactions that failed since the start: %.0f",
			    failed);
}

/* --- does the scheduler call us? ------------------------------------------------------------- */

static void check_called(struct doctor *doctor)
{
	double calls = 0;
	double refused = 0;

	if (!doctor_sum(doctor, "shikiri_extender_requests_total", "verb", "filter", &calls) ||
	    calls > 0)
		return;
	refused = doctor_sum_of_any(doctor, "shikiri_client_certificates_refused_total");
	if (refused > 0)
		doctor_find(doctor,
			    "no scheduler has called filter since the daemon started; "
			    "connections refused for the client's certificate: %.0f",
			    refused);
	else
		doctor_find(doctor, "no scheduler has called filter since the daemon started");
}

static void check_silence(struct doctor *doctor)
{
	static const char waiting_name[] = "shikiri_pending_pods"; /* no sample: nobody waits */
	static const char last_name[] = "shikiri_extender_last_call_timestamp_seconds";
	double calls = 0;
	double last = 0;

	if (!doctor_has_metric(doctor, waiting_name) ||
	    !doctor_sum(doctor, "shikiri_extender_requests_total", "verb", "filter", &calls) ||
	    !(calls > 0) || !doctor_sum(doctor, last_name, "verb", "filter", &last))
		return;

	double waiting = doctor_sum_of_any(doctor, waiting_name);
	double silent_s = (double)doctor->facts.now_s - last;

	if (waiting > 0 && !(silent_s <= LONGEST_SILENCE_S))
		doctor_find(doctor,
			    "GPU pods wait (%.0f), but no scheduler has asked for %.0f minutes",
			    waiting, silent_s / 60);
}

static void check_bind_called(struct doctor *doctor)
{
	static const char name[] = "shikiri_decisions_total";
	const struct cli_sample *sample = NULL;
	double feasible = 0;
	double binds = 0;
	size_t at = 0;

	if (!doctor_sum(doctor, "shikiri_extender_requests_total", "verb", "bind", &binds) ||
	    !doctor_has_metric(doctor, name))
		return;
	while ((sample = cli_scrape_next(doctor->facts.metrics, name, &at)) != NULL) {
		if (shk_sv_is(cli_sample_label(sample, "verb"), "filter") &&
		    shk_sv_is(cli_sample_label(sample, "result"), "feasible"))
			feasible += sample->value;
	}
	if (feasible > 0 && !(binds > 0) && !doctor_is_adviser(doctor))
		doctor_find(doctor, "filter let pods pass (%.0f times), and bind was never called",
			    feasible);
}

static void check_unreadable(struct doctor *doctor)
{
	static const char *const verbs[] = {"filter", "prioritize", "preempt"};

	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		double errors = 0;

		if (!doctor_sum(doctor, "shikiri_extender_errors_total", "verb", verbs[i], &errors))
			return;
		if (errors > 0)
			doctor_find(doctor, "calls of %s that couldn't be read: %.0f", verbs[i],
				    errors);
	}
}

/* --- watches --------------------------------------------------------------------------------- */

static const char *const watched[] = {"nodes", "pods", "namespaces", "priorityclasses"};

#define N_WATCHED (sizeof watched / sizeof watched[0])

/* Of one watch; says so when the daemon doesn't have it. */
static const struct cli_sample *sample_of(struct doctor *doctor, const char *name,
					  const char *resource)
{
	const struct cli_sample *sample = NULL;
	size_t at = 0;

	if (!doctor_has_metric(doctor, name))
		return NULL;
	while ((sample = cli_scrape_next(doctor->facts.metrics, name, &at)) != NULL) {
		if (shk_sv_is(cli_sample_label(sample, "resource"), resource))
			return sample;
	}
	doctor_unknown(doctor, shk_arena_printf(&doctor->cli->arena, "%s of %s", name, resource));
	return NULL;
}

static double staleness_s(const struct doctor *doctor)
{
	const char *text = shk_value_string_at(doctor->facts.policy, "spec.limits.staleness");
	int64_t ms = 0;

	return shk_duration_ms(shk_sv(text), &ms) ? (double)ms / 1000 : DEFAULT_STALENESS_S;
}

static void check_watches(struct doctor *doctor)
{
	static const char name[] = "shikiri_watch_age_seconds";

	for (size_t i = 0; i < N_WATCHED; i++) {
		const struct cli_sample *age = sample_of(doctor, name, watched[i]);

		if (age && !(age->value <= staleness_s(doctor)))
			doctor_find(doctor,
				    "the API server has said nothing about %s for %.0f seconds",
				    watched[i], age->value);
	}
}

static void check_relists(struct doctor *doctor)
{
	static const char name[] = "shikiri_watch_relists_total";
	double started = 0;

	if (!doctor_sum(doctor, "process_start_time_seconds", NULL, NULL, &started))
		return;

	double hours = ((double)doctor->facts.now_s - started) / 3600;

	for (size_t i = 0; i < N_WATCHED; i++) {
		const struct cli_sample *relists = sample_of(doctor, name, watched[i]);

		if (relists && relists->value > MOST_RELISTS * (hours > 1 ? hours : 1))
			doctor_find(doctor, "%s were listed anew %.0f times in %.1f hours",
				    watched[i], relists->value, hours);
	}
}

/* --- certificates ---------------------------------------------------------------------------- */

static void judge_end(struct doctor *doctor, const char *whose, double end_s, bool is_ended)
{
	double left = end_s - (double)doctor->facts.now_s;

	if (is_ended && left <= 0)
		doctor_find(doctor, "%s has ended", whose);
	if (!is_ended && left > 0 && left < ENDING_S)
		doctor_find(doctor, "%s ends soon; days left: %.0f", whose, left / 86400);
}

/* Certificates of listeners without a sample are plain ones, for another rule. */
static void judge_certificates(struct doctor *doctor, bool is_ended)
{
	static const char name[] = "shikiri_certificate_expiry_timestamp_seconds";
	const struct cli_sample *sample = NULL;
	struct shk_arena *arena = &doctor->cli->arena;
	size_t at = 0;

	for (size_t i = 0; i < doctor->facts.n_certificates; i++) {
		const struct doctor_certificate *file = &doctor->facts.certificates[i];

		judge_end(
		    doctor,
		    shk_arena_printf(arena, "the certificate of --%s %s", file->flag, file->path),
		    (double)file->end_s, is_ended);
	}
	if (!doctor_has_metric(doctor, name))
		return;
	while ((sample = cli_scrape_next(doctor->facts.metrics, name, &at)) != NULL) {
		struct shk_sv listener = cli_sample_label(sample, "listener");

		judge_end(doctor,
			  shk_arena_printf(arena, "the certificate of the %.*s listener",
					   (int)listener.len, listener.data ? listener.data : ""),
			  sample->value, is_ended);
	}
}

static void check_ended(struct doctor *doctor)
{
	judge_certificates(doctor, true);
}

static void check_ending(struct doctor *doctor)
{
	judge_certificates(doctor, false);
}

/* A scheduler that is told a loopback address lives beside us on purpose. */
static bool is_meant_to_be_plain(struct doctor *doctor)
{
	struct cli_url url;

	return cli_url_parse(&doctor->cli->arena,
			     shk_value_string_at(doctor->facts.extender, "urlPrefix"), &url) &&
	       !url.is_https && url.is_loopback;
}

static void check_plain(struct doctor *doctor)
{
	static const char name[] = "shikiri_certificate_expiry_timestamp_seconds";
	const struct cli_sample *sample = NULL;
	size_t at = 0;

	if (is_meant_to_be_plain(doctor) || !doctor_has_metric(doctor, name))
		return;
	while ((sample = cli_scrape_next(doctor->facts.metrics, name, &at)) != NULL) {
		if (shk_sv_is(cli_sample_label(sample, "listener"), "extender"))
			return;
	}
	doctor_find(doctor, "the extender listener speaks plain HTTP: whatever runs on its machine "
			    "may bind pods");
}

const struct doctor_rule doctor_daemon_rules[] = {
    {"NotReady", DOCTOR_ERROR, check_ready,
     "GPU pods wait until it is; the daemon's log says more"},
    {"LedgerUnsound", DOCTOR_ERROR, check_ledger,
     "keep the file, restore the last backup, and compare with `" CLI_NAME " ledger verify`"},
    {"LedgerNotWritten", DOCTOR_ERROR, check_ledger_writes,
     "look at the disk of --ledger: space, errors, and that it is no network file system"},
    {"NeverCalled", DOCTOR_ERROR, check_called,
     "give kube-scheduler what `" CLI_NAME " scheduler-config` prints, restart it, and submit a "
     "GPU pod; its own log says why it can't reach us"},
    {"NotCalledLately", DOCTOR_ERROR, check_silence,
     "is the scheduler running, does it still have our extender, can it reach urlPrefix?"},
    {"BindNotCalled", DOCTOR_ERROR, check_bind_called,
     "set bindVerb: bind in our extender, and in no other; what is bound past us keeps no quota"},
    {"CallsUnreadable", DOCTOR_WARNING, check_unreadable,
     "raise --max-body if pods are large; look for a proxy between scheduler and daemon"},
    {"WatchStale", DOCTOR_ERROR, check_watches,
     "look at the API server and at the daemon's rights (docs/operations/rights.md)"},
    {"WatchRelisting", DOCTOR_WARNING, check_relists,
     "something between daemon and API server cuts long connections, or etcd is compacted early"},
    {"CertificateEnded", DOCTOR_ERROR, check_ended,
     "make a new one and put it in place; the daemon takes it up without a restart"},
    {"CertificateEnding", DOCTOR_WARNING, check_ending,
     "make a new one and put it in place; the daemon takes it up without a restart"},
    {"ListenerPlain", DOCTOR_WARNING, check_plain,
     "give --tls-cert, --tls-key and --client-ca (`" CLI_NAME " certs` makes them)"},
};
const size_t doctor_n_daemon_rules = sizeof doctor_daemon_rules / sizeof doctor_daemon_rules[0];
