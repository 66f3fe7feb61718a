/* doctor_extender.c - rules on our extender in a KubeSchedulerConfiguration. */
#include "doctor.h"

#include "shikiri/base/units.h"
#include "shikiri/core/resource.h"

#include "url.h"

#define LEAST_WEIGHT       150
#define LEAST_TIMEOUT_MS   10000
#define SCHEDULERS_DEFAULT 5000 /* its httpTimeout when none is given */

static bool flag_of(const struct doctor *doctor, const char *dotted)
{
	return shk_value_bool(shk_value_path(doctor->facts.extender, dotted), false);
}

static const char *text_of(const struct doctor *doctor, const char *dotted)
{
	return shk_value_string_at(doctor->facts.extender, dotted);
}

/* Filter and nothing else: what `scheduler-config --advise` prints. */
bool doctor_is_adviser(const struct doctor *doctor)
{
	return doctor->facts.extender && text_of(doctor, "bindVerb")[0] == '\0' &&
	       text_of(doctor, "prioritizeVerb")[0] == '\0' &&
	       text_of(doctor, "preemptVerb")[0] == '\0';
}

static void check_adviser(struct doctor *doctor)
{
	if (doctor_is_adviser(doctor))
		doctor_find(doctor, "the scheduler asks for advice only: nothing is enforced");
}

static void check_verbs(struct doctor *doctor)
{
	static const struct {
		const char *key;
		const char *verb;
	} verbs[] = {{"filterVerb", "filter"},
		     {"prioritizeVerb", "prioritize"},
		     {"preemptVerb", "preempt"},
		     {"bindVerb", "bind"}};
	size_t n = doctor_is_adviser(doctor) ? 1 : sizeof verbs / sizeof verbs[0];

	for (size_t i = 0; i < n; i++) {
		const char *given = text_of(doctor, verbs[i].key);

		if (!shk_str_equals(given, verbs[i].verb))
			doctor_find(doctor, "%s is \"%s\", not %s", verbs[i].key, given,
				    verbs[i].verb);
	}
}

static void check_ignorable(struct doctor *doctor)
{
	if (flag_of(doctor, "ignorable") && !doctor_is_adviser(doctor))
		doctor_find(doctor, "when we fail, the scheduler binds pods without us");
}

static void check_full_nodes(struct doctor *doctor)
{
	if (!flag_of(doctor, "nodeCacheCapable"))
		doctor_find(doctor, "the scheduler sends whole nodes with every call");
}

static void check_weight(struct doctor *doctor)
{
	int64_t weight = shk_value_int(shk_value_get(doctor->facts.extender, "weight"), 0);

	if (!doctor_is_adviser(doctor) && weight < LEAST_WEIGHT)
		doctor_find(doctor, "weight is %lld: the scheduler's own scores can outvote ours",
			    (long long)weight);
}

static void check_timeout(struct doctor *doctor)
{
	const char *text = text_of(doctor, "httpTimeout");
	const char *budget = shk_value_string_at(doctor->facts.policy, "spec.limits.bindTimeout");
	int64_t timeout_ms = SCHEDULERS_DEFAULT;
	int64_t bind_ms = 0;

	if (text[0] != '\0' && !shk_duration_ms(shk_sv(text), &timeout_ms)) {
		doctor_find(doctor, "httpTimeout \"%s\" is no duration", text);
		return;
	}
	if (timeout_ms < LEAST_TIMEOUT_MS ||
	    (shk_duration_ms(shk_sv(budget), &bind_ms) && timeout_ms <= bind_ms))
		doctor_find(doctor,
			    "httpTimeout is %s: a bind that takes its time would be given up",
			    text[0] != '\0' ? text : "5s, the default");
}

static void check_verification(struct doctor *doctor)
{
	bool has_ca = text_of(doctor, "tlsConfig.caFile")[0] != '\0' ||
		      text_of(doctor, "tlsConfig.caData")[0] != '\0';

	if (flag_of(doctor, "tlsConfig.insecure"))
		doctor_find(doctor, "tlsConfig.insecure: the scheduler takes anybody for us");
	else if (flag_of(doctor, "enableHTTPS") && !has_ca)
		doctor_find(doctor, "enableHTTPS without a CA: the scheduler takes anybody for us");
}

/* The scheme of urlPrefix decides; enableHTTPS doesn't change it. */
static void check_transport(struct doctor *doctor)
{
	struct cli_url url;

	if (!cli_url_parse(&doctor->cli->arena, text_of(doctor, "urlPrefix"), &url))
		return;
	if (!url.is_https && !url.is_loopback)
		doctor_find(doctor, "calls go over the network in plain HTTP");
	if (url.is_https && text_of(doctor, "tlsConfig.certFile")[0] == '\0' &&
	    text_of(doctor, "tlsConfig.certData")[0] == '\0')
		doctor_find(doctor, "the scheduler has no client certificate to show us");
}

/* --- managedResources ------------------------------------------------------------------------ */

static bool is_listed(const struct shk_value *managed, const char *resource)
{
	for (size_t i = 0; i < shk_value_size(managed); i++) {
		if (shk_str_equals(shk_value_string_at(shk_value_at(managed, i), "name"), resource))
			return true;
	}
	return false;
}

struct missing {
	const char **names;
	size_t n;
	size_t room;
};

static void add_missing(struct missing *missing, const char *name)
{
	for (size_t i = 0; i < missing->n; i++) {
		if (shk_str_equals(missing->names[i], name))
			return;
	}
	if (missing->n < missing->room)
		missing->names[missing->n++] = name;
}

static void check_managed(struct doctor *doctor)
{
	const struct shk_value *managed = shk_value_get(doctor->facts.extender, "managedResources");
	const struct shk_value *nodes = shk_value_get(doctor->facts.nodes, "items");
	const char *names[64];
	struct missing missing = {.names = names, .room = sizeof names / sizeof names[0]};

	if (shk_value_size(managed) == 0)
		return;
	if (!nodes)
		doctor_unknown(doctor, "what the nodes offer");
	for (size_t i = 0; i < shk_value_size(nodes); i++) {
		const struct shk_value *pools =
		    shk_value_path(shk_value_at(nodes, i), "status.pools");

		for (size_t p = 0; p < shk_value_size(pools); p++) {
			const char *name =
			    cli_scalar_at(doctor->cli, shk_value_at(pools, p), "resource");

			if (!is_listed(managed, name))
				add_missing(&missing, name);
		}
	}
	if (missing.n > 0)
		doctor_find_names(doctor, "managedResources lacks", missing.names, missing.n);
}

static void check_ignored(struct doctor *doctor)
{
	const struct shk_value *managed = shk_value_get(doctor->facts.extender, "managedResources");

	for (size_t i = 0; i < shk_value_size(managed); i++) {
		const struct shk_value *row = shk_value_at(managed, i);
		const char *name = cli_scalar_at(doctor->cli, row, "name");

		if (shk_resource_is_managed(name) &&
		    shk_value_bool(shk_value_get(row, "ignoredByScheduler"), false))
			doctor_find(doctor, "the scheduler doesn't count %s any more", name);
	}
}

const struct doctor_rule doctor_extender_rules[] = {
    {"AdviceOnly", DOCTOR_WARNING, check_adviser,
     "once the advice is good, run --mode enforce and register all verbs (`" CLI_NAME
     " scheduler-config`)"},
    {"VerbMissing", DOCTOR_ERROR, check_verbs,
     "set filterVerb, prioritizeVerb, preemptVerb and bindVerb; without bind nothing is committed, "
     "without preempt pods are evicted for nodes that we refuse"},
    {"Ignorable", DOCTOR_ERROR, check_ignorable, "set ignorable: false"},
    {"FullNodes", DOCTOR_ERROR, check_full_nodes,
     "set nodeCacheCapable: true; names are a hundredth of the bytes, and the scheduler's own "
     "scoring is wrong without it"},
    {"WeightLow", DOCTOR_WARNING, check_weight, "set weight: 150"},
    {"TimeoutShort", DOCTOR_WARNING, check_timeout,
     "set httpTimeout: 10s, and more where the policy's bindTimeout comes near it"},
    {"ServerUnverified", DOCTOR_ERROR, check_verification,
     "set tlsConfig.caFile, and no insecure; enableHTTPS alone skips verification silently"},
    {"TransportOpen", DOCTOR_ERROR, check_transport,
     "use https:// with tlsConfig.caFile, certFile and keyFile; plain HTTP is for loopback"},
    {"ResourcesUnmanaged", DOCTOR_ERROR, check_managed,
     "print `" CLI_NAME " scheduler-config --topology default` again; pods that ask for what isn't "
     "listed are bound past us"},
    {"ResourcesIgnored", DOCTOR_ERROR, check_ignored,
     "set ignoredByScheduler: false; its count of what pods take is our safety net"},
};
const size_t doctor_n_extender_rules =
    sizeof doctor_extender_rules / sizeof doctor_extender_rules[0];
