#include "doctor.h"

#include <stdarg.h>
#include <string.h>

#include "shikiri/wire/json.h"

#include "show.h"
#include "style.h"
#include "table.h"
#include "verbs.h"

#define SHOWN_NAMES 5

static const struct cli_option options[] = {
    {"scheduler-config", 0, "FILE", "look at this KubeSchedulerConfiguration too"},
    {"bypass", 0, NULL, "list the GPU pods that others bound"},
};

static const struct {
	const char *name;
	const char *mark;
	const char *style;
} severities[DOCTOR_N_SEVERITIES] = {
    {"error", "ERROR  ", CLI_BAD},
    {"warning", "WARNING", CLI_WARN},
    {"unknown", "UNKNOWN", CLI_DIM},
};

/* --- findings -------------------------------------------------------------------------------- */

static void add_finding(struct doctor *doctor, enum doctor_severity severity, const char *what)
{
	if (!doctor->findings || doctor->n_findings == doctor->capacity) {
		size_t capacity = doctor->capacity > 0 ? 2 * doctor->capacity : 32;
		struct doctor_finding *grown =
		    SHK_NEW_ARRAY(&doctor->cli->arena, capacity, struct doctor_finding);

		if (doctor->findings)
			memcpy(grown, doctor->findings, doctor->n_findings * sizeof grown[0]);
		doctor->findings = grown;
		doctor->capacity = capacity;
	}
	doctor->findings[doctor->n_findings++] =
	    (struct doctor_finding){.rule = doctor->rule, .severity = severity, .what = what};
}

void doctor_find(struct doctor *doctor, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_finding(doctor, doctor->rule->severity,
		    shk_arena_vprintf(&doctor->cli->arena, fmt, args));
	va_end(args);
}

void doctor_unknown(struct doctor *doctor, const char *fact)
{
	const struct doctor_finding *last =
	    doctor->n_findings > 0 ? &doctor->findings[doctor->n_findings - 1] : NULL;
	const char *what =
	    shk_arena_printf(&doctor->cli->arena, "not known: the daemon doesn't say %s", fact);

	/* A rule that looks at several things misses the same metric for each. */
	if (!last || last->rule != doctor->rule || !shk_str_equals(last->what, what))
		add_finding(doctor, DOCTOR_UNKNOWN, what);
}

void doctor_find_names(struct doctor *doctor, const char *text, const char *const *names, size_t n)
{
	struct shk_arena *arena = &doctor->cli->arena;
	const char *list = "";

	for (size_t i = 0; i < n && i < SHOWN_NAMES; i++)
		list = shk_arena_printf(arena, "%s%s%s", list, i > 0 ? ", " : "", names[i]);
	if (n > SHOWN_NAMES)
		list = shk_arena_printf(arena, "%s and %zu more", list, n - SHOWN_NAMES);
	doctor_find(doctor, "%s %s", text, list);
}

bool doctor_has_metric(struct doctor *doctor, const char *name)
{
	if (doctor->facts.metrics && cli_scrape_has(doctor->facts.metrics, name))
		return true;
	doctor_unknown(doctor, name);
	return false;
}

/* Samples with key="value"; a key of NULL is on all of them. */
static size_t sum_up(const struct cli_scrape *metrics, const char *name, const char *key,
		     const char *value, double *ret_sum)
{
	const struct cli_sample *sample = NULL;
	size_t n = 0;
	size_t at = 0;

	*ret_sum = 0;
	while ((sample = cli_scrape_next(metrics, name, &at)) != NULL) {
		if (key && !shk_sv_is(cli_sample_label(sample, key), value))
			continue;
		*ret_sum += sample->value;
		n++;
	}
	return n;
}

bool doctor_sum(struct doctor *doctor, const char *name, const char *key, const char *value,
		double *ret_sum)
{
	if (!doctor_has_metric(doctor, name))
		return false;
	if (sum_up(doctor->facts.metrics, name, key, value, ret_sum) > 0)
		return true;
	doctor_unknown(doctor,
		       key ? shk_arena_printf(&doctor->cli->arena, "%s of %s", name, value) : name);
	return false;
}

double doctor_sum_of_any(const struct doctor *doctor, const char *name)
{
	double sum = 0;

	if (doctor->facts.metrics)
		(void)sum_up(doctor->facts.metrics, name, NULL, NULL, &sum);
	return sum;
}

static void ask(struct doctor *doctor, const struct doctor_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		doctor->rule = &rules[i];
		rules[i].check(doctor);
	}
	doctor->n_rules += n;
}

static void ask_all(struct doctor *doctor)
{
	if (doctor->facts.is_reached) {
		ask(doctor, doctor_daemon_rules, doctor_n_daemon_rules);
		ask(doctor, doctor_cluster_rules, doctor_n_cluster_rules);
	}
	if (doctor->facts.config)
		ask(doctor, doctor_config_rules, doctor_n_config_rules);
	if (doctor->facts.extender)
		ask(doctor, doctor_extender_rules, doctor_n_extender_rules);
}

static size_t count(const struct doctor *doctor, enum doctor_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < doctor->n_findings; i++)
		n += doctor->findings[i].severity == severity ? 1 : 0;
	return n;
}

/* --- for programs ---------------------------------------------------------------------------- */

static const char *fix_of(const struct doctor_finding *finding)
{
	return finding->severity == DOCTOR_UNKNOWN ? "run a daemon of this release that serves a "
						     "live cluster, and call as somebody "
						     "who may read its admin API"
						   : finding->rule->fix;
}

static void write_finding(struct shk_json *json, const struct doctor_finding *finding)
{
	shk_json_object(json, NULL);
	shk_json_string(json, "id", finding->rule->id);
	shk_json_string(json, "severity", severities[finding->severity].name);
	shk_json_string(json, "what", finding->what);
	shk_json_string(json, "fix", fix_of(finding));
	shk_json_object_end(json);
}

static void write_bypass(const struct doctor *doctor, struct shk_json *json)
{
	struct shk_buf text = {0};

	if (!cli_has(doctor->cli, "bypass"))
		return;
	if (doctor->facts.foreign)
		shk_value_print(shk_value_get(doctor->facts.foreign, "items"), &text);
	if (text.len > 0)
		shk_json_raw(json, "bypass", text.data, text.len);
	else
		shk_json_null(json, "bypass");
	shk_buf_fini(&text);
}

static void write_report(const struct doctor *doctor, struct shk_buf *text)
{
	struct shk_json json;

	shk_json_begin(&json, text);
	shk_json_object(&json, NULL);
	shk_json_array(&json, "findings");
	for (int severity = 0; severity < DOCTOR_N_SEVERITIES; severity++) {
		for (size_t i = 0; i < doctor->n_findings; i++) {
			if ((int)doctor->findings[i].severity == severity)
				write_finding(&json, &doctor->findings[i]);
		}
	}
	shk_json_array_end(&json);
	shk_json_object(&json, "summary");
	shk_json_bool(&json, "reached", doctor->facts.is_reached);
	shk_json_int(&json, "rules", (int64_t)doctor->n_rules);
	for (int severity = 0; severity < DOCTOR_N_SEVERITIES; severity++)
		shk_json_int(&json, severities[severity].name,
			     (int64_t)count(doctor, (enum doctor_severity)severity));
	shk_json_object_end(&json);
	write_bypass(doctor, &json);
	shk_json_object_end(&json);
}

static enum cli_exit print_structured(struct doctor *doctor)
{
	/* Of our own making: as large as what the daemon answered. */
	static const struct shk_scan_limits limits = {
	    .max_bytes = 128u << 20,
	    .max_depth = 64,
	    .max_depth_unread = 64,
	    .max_tokens = 32u << 20,
	};
	struct shk_buf text = {0};
	struct shk_value *report = NULL;
	struct shk_error err = {0};
	enum cli_exit exit = CLI_OK;

	write_report(doctor, &text);
	if (shk_value_parse((struct shk_sv){text.data, text.len}, &limits, &report, &err) != SHK_OK)
		exit = cli_fail(&err);
	else
		cli_print_value(doctor->cli, cli_keep(doctor->cli, report));
	shk_buf_fini(&text);
	return exit;
}

/* --- for people ------------------------------------------------------------------------------ */

static void print_finding(struct cli *cli, const struct doctor_finding *finding)
{
	shk_buf_printf(&cli->out, "%s%s" CLI_PLAIN " " CLI_BOLD "%s" CLI_PLAIN "\n",
		       severities[finding->severity].style, severities[finding->severity].mark,
		       finding->rule->id);
	cli_wrap(cli, finding->what, 8, cli->columns);
	if (finding->severity != DOCTOR_UNKNOWN)
		cli_wrap(cli, shk_arena_printf(&cli->arena, "fix: %s", finding->rule->fix), 8,
			 cli->columns);
}

static void print_bypass(struct doctor *doctor)
{
	static const struct cli_column columns[] = {
	    {.title = "NAMESPACE"}, {.title = "NAME"},      {.title = "NODE"},
	    {.title = "TENANT"},    {.title = "RESOURCES"}, {.title = "SINCE"},
	};
	struct cli *cli = doctor->cli;
	struct cli_table table = {.kind = "pod", .columns = columns, .n_columns = 6};
	size_t n = 0;
	const struct shk_value **foreign = cli_show_by_name(cli, doctor->facts.foreign, &n);

	for (size_t i = 0; i < n; i++) {
		const char *cells[] = {
		    cli_scalar_at(cli, foreign[i], "namespace"),
		    cli_scalar_at(cli, foreign[i], "name"),
		    cli_scalar_at(cli, foreign[i], "node"),
		    cli_scalar_at(cli, foreign[i], "tenant"),
		    cli_show_resources(cli, shk_value_get(foreign[i], "resources")),
		    cli_show_age(cli, shk_value_get(foreign[i], "since")),
		};

		cli_table_row(cli, &table, cells[1], cells);
	}
	shk_buf_putc(&cli->out, '\n');
	if (n > 0)
		cli_table_print(cli, &table);
	else
		shk_buf_printf(&cli->out, "%s\n",
			       doctor->facts.foreign ? "no GPU pod was bound by others"
						     : "who was bound by others isn't known");
}

static void print_report(struct doctor *doctor)
{
	struct cli *cli = doctor->cli;

	for (int severity = 0; severity < DOCTOR_N_SEVERITIES; severity++) {
		for (size_t i = 0; i < doctor->n_findings; i++) {
			if ((int)doctor->findings[i].severity == severity)
				print_finding(cli, &doctor->findings[i]);
		}
	}
	if (doctor->n_findings == 0)
		shk_buf_printf(&cli->out, CLI_GOOD "nothing wrong" CLI_PLAIN " by %zu rules\n",
			       doctor->n_rules);
	else
		shk_buf_printf(&cli->out,
			       "errors: %zu, warnings: %zu, not known: %zu, of %zu rules\n",
			       count(doctor, DOCTOR_ERROR), count(doctor, DOCTOR_WARNING),
			       count(doctor, DOCTOR_UNKNOWN), doctor->n_rules);
	if (cli_has(cli, "bypass"))
		print_bypass(doctor);
}

static enum cli_exit run(struct cli *cli)
{
	struct doctor doctor = {.cli = cli};
	enum cli_exit call = CLI_OK;

	if (cli->n_words > 0)
		return cli_usage("doctor takes no \"%s\"", cli->words[0]);

	enum cli_exit exit = doctor_gather(&doctor, &call);

	if (exit != CLI_OK)
		return exit;
	ask_all(&doctor);
	if (!doctor.facts.config)
		cli_say("note: what the scheduler is told isn't looked at without "
			"--scheduler-config FILE");
	if (cli->format & CLI_STRUCTURED)
		exit = print_structured(&doctor);
	else
		print_report(&doctor);
	if (exit != CLI_OK || call != CLI_OK)
		return exit != CLI_OK ? exit : call;
	return doctor.n_findings > 0 ? CLI_FAILURE : CLI_OK;
}

const struct cli_verb cli_verb_doctor = {
    .name = "doctor",
    .arguments = "[--bypass] [--scheduler-config FILE]",
    .summary = "what is wired wrongly, and the fix",
    .more =
	"Exits with 0 when nothing is wrong, 1 when something is or can't be known, and 5, 6 or "
	"7 when the daemon can't be asked. --cert and --ca files are looked at too.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .formats = CLI_TABLE | CLI_STRUCTURED,
    .run = run,
};
