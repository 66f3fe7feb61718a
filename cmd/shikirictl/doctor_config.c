/* doctor_config.c - rules on a KubeSchedulerConfiguration as a whole. */
#include "doctor.h"

#include <string.h>

#include "url.h"

#define OUR_PATH "/scheduler/v1"

/* Paths that lead to our verbs; the scheduler cuts slashes at the end. */
static bool leads_to_us(struct doctor *doctor, const struct shk_value *extender)
{
	struct cli_url url;
	size_t len = strlen(OUR_PATH);

	if (!cli_url_parse(&doctor->cli->arena, shk_value_string_at(extender, "urlPrefix"), &url))
		return false;
	return strncmp(url.path, OUR_PATH, len) == 0 &&
	       url.path[len + strspn(url.path + len, "/")] == '\0';
}

void doctor_find_extender(struct doctor *doctor)
{
	struct doctor_facts *facts = &doctor->facts;
	const struct shk_value *extenders = shk_value_get(facts->config, "extenders");

	for (size_t i = 0; i < shk_value_size(extenders); i++) {
		const struct shk_value *extender = shk_value_at(extenders, i);

		if (!leads_to_us(doctor, extender))
			continue;
		facts->n_ours++;
		facts->extender = facts->n_ours == 1 ? extender : NULL;
	}
}

static void check_kind(struct doctor *doctor)
{
	const struct shk_value *config = doctor->facts.config;
	const char *version = shk_value_string_at(config, "apiVersion");
	const char *kind = shk_value_string_at(config, "kind");

	if (!shk_str_equals(kind, "KubeSchedulerConfiguration") ||
	    !shk_str_equals(version, "kubescheduler.config.k8s.io/v1"))
		doctor_find(doctor, "the file is a %s of %s", kind[0] != '\0' ? kind : "nameless",
			    version[0] != '\0' ? version : "no version");
}

static void check_registered(struct doctor *doctor)
{
	if (doctor->facts.n_ours == 0)
		doctor_find(doctor, "no extender in the file leads to " OUR_PATH);
	if (doctor->facts.n_ours > 1)
		doctor_find(doctor, "%zu extenders in the file lead to " OUR_PATH,
			    doctor->facts.n_ours);
}

/* The scheduler refuses two bindVerbs; one that isn't ours makes us a bystander. */
static void check_binders(struct doctor *doctor)
{
	const struct shk_value *extenders = shk_value_get(doctor->facts.config, "extenders");

	if (doctor->facts.n_ours == 0) /* which another rule says */
		return;
	for (size_t i = 0; i < shk_value_size(extenders); i++) {
		const struct shk_value *extender = shk_value_at(extenders, i);

		if (shk_value_string_at(extender, "bindVerb")[0] != '\0' &&
		    !leads_to_us(doctor, extender))
			doctor_find(doctor, "the extender at %s binds pods too",
				    cli_scalar_at(doctor->cli, extender, "urlPrefix"));
	}
}

static bool is_name_of(const struct shk_value *profile, const char *name)
{
	const char *given = shk_value_string_at(profile, "schedulerName");

	return shk_str_equals(given[0] != '\0' ? given : "default-scheduler", name);
}

/* Without profiles there is one: the default scheduler's. */
static bool serves_default(const struct shk_value *config)
{
	const struct shk_value *profiles = shk_value_get(config, "profiles");
	bool serves = shk_value_size(profiles) == 0;

	for (size_t i = 0; i < shk_value_size(profiles); i++)
		serves |= is_name_of(shk_value_at(profiles, i), "default-scheduler");
	return serves;
}

static bool samples(const struct shk_value *percentage)
{
	return shk_value_int(percentage, 0) != 100;
}

/* A profile's own percentage wins over the file's. */
static void check_sampling(struct doctor *doctor)
{
	const struct shk_value *all =
	    shk_value_get(doctor->facts.config, "percentageOfNodesToScore");
	const struct shk_value *profiles = shk_value_get(doctor->facts.config, "profiles");

	if (shk_value_size(profiles) == 0 && samples(all))
		doctor_find(doctor, "the scheduler looks at a sample of the nodes");
	for (size_t i = 0; i < shk_value_size(profiles); i++) {
		const struct shk_value *profile = shk_value_at(profiles, i);
		const struct shk_value *own = shk_value_get(profile, "percentageOfNodesToScore");

		if (samples(own ? own : all))
			doctor_find(doctor, "profile %s looks at a sample of the nodes",
				    is_name_of(profile, "default-scheduler")
					? "default-scheduler"
					: cli_scalar_at(doctor->cli, profile, "schedulerName"));
	}
}

static void check_lease(struct doctor *doctor)
{
	const struct shk_value *election = shk_value_get(doctor->facts.config, "leaderElection");
	const char *lease = shk_value_string_at(election, "resourceName");

	if (serves_default(doctor->facts.config) ||
	    !shk_value_bool(shk_value_get(election, "leaderElect"), true))
		return;
	if (lease[0] == '\0' || shk_str_equals(lease, "kube-scheduler"))
		doctor_find(doctor, "a second scheduler waits for the lease of the cluster's own");
}

static void check_whole_cluster(struct doctor *doctor)
{
	const struct shk_value *extender = doctor->facts.extender;

	if (extender && serves_default(doctor->facts.config) &&
	    shk_value_size(shk_value_get(extender, "managedResources")) == 0)
		doctor_find(doctor, "every pod of the default scheduler is sent to us");
}

const struct doctor_rule doctor_config_rules[] = {
    {"ConfigKind", DOCTOR_ERROR, check_kind,
     "give the file that kube-scheduler gets with --config, a KubeSchedulerConfiguration of "
     "kubescheduler.config.k8s.io/v1"},
    {"NotRegistered", DOCTOR_ERROR, check_registered,
     "take the extender that `" CLI_NAME " scheduler-config` prints, once"},
    {"SecondBinder", DOCTOR_ERROR, check_binders,
     "take bindVerb from the other extender; only one may bind, and quota is committed at bind"},
    {"NodesSampled", DOCTOR_ERROR, check_sampling,
     "set percentageOfNodesToScore: 100; a sample may miss the only node that fits"},
    {"LeaseShared", DOCTOR_ERROR, check_lease,
     "set leaderElection.resourceName and resourceNamespace to a lease of its own"},
    {"WholeClusterManaged", DOCTOR_WARNING, check_whole_cluster,
     "list managedResources (`" CLI_NAME " scheduler-config --topology default`), so that pods "
     "without GPUs don't need us"},
};
const size_t doctor_n_config_rules = sizeof doctor_config_rules / sizeof doctor_config_rules[0];
