/* doctor_cluster.c - rules on the cluster as the daemon sees it. */
#include "doctor.h"

#include "show.h"

/* --- pods past us ---------------------------------------------------------------------------- */

static void check_foreign(struct doctor *doctor)
{
	size_t listed = shk_value_size(shk_value_get(doctor->facts.foreign, "items"));
	double counted = 0;

	if (!doctor->facts.foreign)
		doctor_unknown(doctor, "foreign allocations");
	if (!doctor_sum(doctor, "shikiri_bypass_pods", "kind", "foreign", &counted))
		counted = 0;
	if ((counted > 0 || listed > 0) && !doctor_is_adviser(doctor))
		doctor_find(doctor,
			    "GPU pods bound by others: %.0f; they count, but nobody asked about "
			    "trust and quota",
			    counted > (double)listed ? counted : (double)listed);
}

static void check_other_scheduler(struct doctor *doctor)
{
	double pods = 0;

	if (doctor_sum(doctor, "shikiri_bypass_pods", "kind", "other_scheduler", &pods) && pods > 0)
		doctor_find(doctor, "GPU pods that wait for a scheduler that never asked us: %.0f",
			    pods);
}

static void check_conflicts(struct doctor *doctor)
{
	double conflicts = 0;

	if (doctor_sum(doctor, "shikiri_trust_conflicts", NULL, NULL, &conflicts) && conflicts > 0)
		doctor_find(doctor, "shared pools with pods of several trust domains: %.0f",
			    conflicts);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static bool has_disguised_pool(const struct shk_value *node)
{
	const struct shk_value *pools = shk_value_path(node, "status.pools");

	for (size_t i = 0; i < shk_value_size(pools); i++) {
		const struct shk_value *pool = shk_value_at(pools, i);

		if (cli_show_has_pool(pool) &&
		    shk_value_bool(shk_value_get(pool, "disguised"), false))
			return true;
	}
	return false;
}

static void check_disguised(struct doctor *doctor)
{
	const struct shk_value *nodes = shk_value_get(doctor->facts.nodes, "items");
	size_t n_nodes = shk_value_size(nodes);
	const char **names = SHK_NEW_ARRAY(&doctor->cli->arena, n_nodes, const char *);
	size_t n = 0;

	if (!nodes)
		doctor_unknown(doctor, "nodes");
	for (size_t i = 0; i < n_nodes; i++) {
		const struct shk_value *node = shk_value_at(nodes, i);

		if (has_disguised_pool(node))
			names[n++] = cli_scalar_at(doctor->cli, node, "metadata.name");
	}
	if (n > 0)
		doctor_find_names(doctor, "shared GPUs go by the name of whole ones on", names, n);
}

static void check_contradictions(struct doctor *doctor)
{
	const struct shk_value *nodes = shk_value_get(doctor->facts.nodes, "items");

	if (!nodes)
		doctor_unknown(doctor, "nodes");
	for (size_t i = 0; i < shk_value_size(nodes); i++) {
		const struct shk_value *node = shk_value_at(nodes, i);
		const char *contradiction =
		    cli_scalar_at(doctor->cli, node, "status.contradiction");

		if (contradiction[0] != '\0')
			doctor_find(doctor, "node %s takes no GPU pods: %s",
				    cli_scalar_at(doctor->cli, node, "metadata.name"),
				    contradiction);
	}
}

static void check_deficit(struct doctor *doctor)
{
	double units = 0;

	if (doctor_sum(doctor, "shikiri_deficit_units", NULL, NULL, &units) && units > 0)
		doctor_find(doctor, "devices in use beyond what their nodes offer: %.0f", units);
}

/* --- quota ----------------------------------------------------------------------------------- */

static void check_tenant_quota(struct doctor *doctor, const struct shk_value *quota)
{
	const struct shk_value *units = shk_value_get(quota, "status");
	const struct shk_value *unit = NULL;
	const char *name = NULL;

	for (size_t i = 0; (unit = shk_value_member(units, i, &name)) != NULL; i++) {
		if (shk_value_bool(shk_value_get(unit, "overCeiling"), false))
			doctor_find(doctor, "tenant %s uses %s %s, more than its ceiling",
				    cli_scalar_at(doctor->cli, quota, "metadata.name"),
				    cli_scalar_at(doctor->cli, unit, "used"), name);
	}
}

static void check_quota(struct doctor *doctor)
{
	const struct shk_value *quotas = shk_value_get(doctor->facts.quotas, "items");

	if (!quotas)
		doctor_unknown(doctor, "quotas");
	for (size_t i = 0; i < shk_value_size(quotas); i++)
		check_tenant_quota(doctor, shk_value_at(quotas, i));
}

const struct doctor_rule doctor_cluster_rules[] = {
    {"BoundByOthers", DOCTOR_WARNING, check_foreign,
     "doctor --bypass lists them; let pods of GPU namespaces have our schedulerName and no "
     "nodeName by admission policy"},
    {"OtherScheduler", DOCTOR_WARNING, check_other_scheduler,
     "set their schedulerName to one that has our extender, by admission policy where people "
     "forget it"},
    {"TrustConflict", DOCTOR_ERROR, check_conflicts,
     "end or move the pods of all domains but one (`" CLI_NAME " map` shows them)"},
    {"SharedDisguised", DOCTOR_WARNING, check_disguised,
     "set renameByDefault: true in the device plugin's sharing configuration"},
    {"NodeInconsistent", DOCTOR_ERROR, check_contradictions,
     "restart GPU feature discovery and the device plugin there; without feature discovery write "
     "a NodeFacts document"},
    {"MoreUsedThanOffered", DOCTOR_WARNING, check_deficit,
     "look for failed devices, or a layout changed under running pods"},
    {"QuotaOverCeiling", DOCTOR_WARNING, check_quota,
     "new pods of the tenant wait until it uses less; raise the ceiling or grant for a while"},
};
const size_t doctor_n_cluster_rules = sizeof doctor_cluster_rules / sizeof doctor_cluster_rules[0];
