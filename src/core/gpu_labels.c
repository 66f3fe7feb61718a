#include "gpu_labels.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/base/str.h"

bool shk_label_number(const struct shk_labels *labels, const char *key, int64_t *ret_value)
{
	const char *text = shk_labels_get(labels, key);
	size_t len = text ? strlen(text) : 0;
	int64_t value = 0;

	if (len == 0 || len > 9)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (text[i] - '0');
	}
	*ret_value = value;
	return true;
}

/* Cuts suffix off text in place when it is there. */
static bool cut_suffix(char *text, const char *suffix)
{
	if (!shk_str_ends(text, suffix))
		return false;
	text[strlen(text) - strlen(suffix)] = '\0';
	return true;
}

/* The last "-MIG-" of a product, or NULL. */
static char *find_mig(char *product)
{
	char *found = NULL;

	for (char *at = strstr(product, "-MIG-"); at; at = strstr(at + 1, "-MIG-"))
		found = at;
	return found;
}

static void read_product(struct shk_arena *arena, const char *label, struct shk_gpu_labels *gpu)
{
	struct shk_resource profile = {.kind = SHK_RESOURCE_MALFORMED};
	char *product = shk_arena_strdup(arena, label);

	gpu->has_product = true;
	gpu->product_shared = cut_suffix(product, "-SHARED");
	gpu->product_invalid = cut_suffix(product, "-MIG-INVALID");
	char *mig = find_mig(product);
	if (mig) {
		const char *tail = mig + strlen("-MIG-");

		/* An unreadable profile stays as it is: nothing will weigh it. */
		gpu->profile = shk_profile_parse(tail, &profile)
				   ? shk_arena_strdup(arena, profile.profile)
				   : shk_arena_strdup(arena, tail);
		*mig = '\0';
	}
	gpu->product = product;
}

static const char *read_strategy(const struct shk_labels *labels)
{
	const char *label = shk_labels_get(labels, "nvidia.com/mig.strategy");

	if (shk_str_equals(label, "single"))
		return "single";
	return shk_str_equals(label, "mixed") ? "mixed" : "none";
}

static void read_labels(struct shk_arena *arena, const struct shk_labels *labels,
			struct shk_gpu_labels *gpu)
{
	const char *product = shk_labels_get(labels, "nvidia.com/gpu.product");

	if (product && *product)
		read_product(arena, product, gpu);
	gpu->has_count = shk_label_number(labels, "nvidia.com/gpu.count", &gpu->count);
	gpu->has_replicas = shk_label_number(labels, "nvidia.com/gpu.replicas", &gpu->replicas);
	gpu->sharing = shk_sharing_parse(shk_labels_get(labels, "nvidia.com/gpu.sharing-strategy"));
	gpu->strategy = read_strategy(labels);
	(void)shk_label_number(labels, "nvidia.com/gpu.memory", &gpu->memory_mib);
	(void)shk_label_number(labels, "nvidia.com/gpu.slices.gi", &gpu->slices_gi);
}

/* --- NodeFacts ---------------------------------------------------------------------------- */

/* gpu.count as discovery would write it: cards, or slices where every card is cut. 0 when the
 * table can't tell how many slices a card gives. */
static int64_t expected_count(const struct shk_node_facts_doc *facts)
{
	const struct shk_product_row *product = shk_product_find(facts->product);
	const struct shk_profile_row *profile = NULL;

	if (*facts->mig_profile == '\0')
		return facts->cards;
	if (product)
		profile = shk_profile_find(product, facts->mig_profile);
	return profile ? facts->cards * profile->max_instances : 0;
}

static bool same_facts(const struct shk_node_facts_doc *a, const struct shk_node_facts_doc *b)
{
	return strcmp(a->product, b->product) == 0 && a->cards == b->cards &&
	       a->replicas == b->replicas && a->sharing == b->sharing &&
	       strcmp(a->mig_profile, b->mig_profile) == 0;
}

/* The label that contradicts the document, or NULL. */
static const char *disagreeing_label(const struct shk_gpu_labels *gpu,
				     const struct shk_node_facts_doc *facts)
{
	const char *strategy = shk_labels_get(gpu->labels, "nvidia.com/mig.strategy");
	int64_t count = expected_count(facts);
	bool cut = *facts->mig_profile != '\0';

	if (gpu->has_product && (strcmp(gpu->product, facts->product) != 0 ||
				 strcmp(gpu->profile, facts->mig_profile) != 0))
		return "gpu.product";
	if (gpu->product_shared && facts->sharing == SHK_SHARING_NONE)
		return "gpu.product";
	if (gpu->has_count && count > 0 && gpu->count != count)
		return "gpu.count";
	if (gpu->has_replicas && gpu->replicas != facts->replicas)
		return "gpu.replicas";
	if (gpu->sharing != SHK_SHARING_UNKNOWN && gpu->sharing != facts->sharing)
		return "gpu.sharing-strategy";
	if (cut && strategy && strcmp(strategy, "single") != 0)
		return "mig.strategy";
	return NULL;
}

/* Puts the document in the place of labels that are missing. */
static void fill_in(struct shk_gpu_labels *gpu, const struct shk_node_facts_doc *facts)
{
	int64_t count = expected_count(facts);

	if (!gpu->has_product) {
		gpu->has_product = true;
		gpu->product = facts->product;
		gpu->profile = facts->mig_profile;
	}
	if (!gpu->has_count && count > 0) {
		gpu->has_count = true;
		gpu->count = count;
	}
	if (!gpu->has_replicas) {
		gpu->has_replicas = true;
		gpu->replicas = facts->replicas;
	}
	if (gpu->sharing == SHK_SHARING_UNKNOWN)
		gpu->sharing = facts->sharing;
	if (*facts->mig_profile != '\0')
		gpu->strategy = "single";
}

static void apply_documents(struct shk_arena *arena, const struct shk_documents *documents,
			    struct shk_gpu_labels *gpu)
{
	const struct shk_node_facts_doc *first = NULL;

	for (size_t i = 0; i < documents->n_node_facts; i++) {
		const struct shk_node_facts_doc *facts = &documents->node_facts[i];

		if (!shk_selector_matches(&facts->node_selector, gpu->labels))
			continue;
		if (!first)
			first = facts;
		else if (!same_facts(first, facts) && !gpu->disagreement)
			gpu->disagreement =
			    shk_arena_printf(arena, "NodeFacts %s and %s differ about this node",
					     first->name, facts->name);
	}
	if (!first || gpu->disagreement)
		return;
	const char *label = disagreeing_label(gpu, first);
	if (label)
		gpu->disagreement = shk_arena_printf(
		    arena, "NodeFacts %s and the label nvidia.com/%s disagree", first->name, label);
	else
		fill_in(gpu, first);
}

void shk_gpu_labels_read(struct shk_arena *arena, const struct shk_labels *labels,
			 const struct shk_documents *documents, struct shk_gpu_labels *ret_gpu)
{
	struct shk_gpu_labels gpu = {.labels = labels, .product = "", .profile = ""};

	read_labels(arena, labels, &gpu);
	if (documents)
		apply_documents(arena, documents, &gpu);
	*ret_gpu = gpu;
}

/* --- one profile ---------------------------------------------------------------------------- */

static const char *mig_key(const char *profile, const char *what, char *buf, size_t size)
{
	(void)snprintf(buf, size, "nvidia.com/mig-%s.%s", profile, what);
	return buf;
}

void shk_mig_labels_read(const struct shk_labels *labels, const char *profile,
			 struct shk_mig_labels *ret_mig)
{
	struct shk_mig_labels mig = {.has_count = false};
	char key[96];

	mig.has_count =
	    shk_label_number(labels, mig_key(profile, "count", key, sizeof(key)), &mig.count);
	mig.has_replicas =
	    shk_label_number(labels, mig_key(profile, "replicas", key, sizeof(key)), &mig.replicas);
	mig.sharing = shk_sharing_parse(
	    shk_labels_get(labels, mig_key(profile, "sharing-strategy", key, sizeof(key))));
	const char *product = shk_labels_get(labels, mig_key(profile, "product", key, sizeof(key)));
	mig.product_shared = product && shk_str_ends(product, "-SHARED");
	(void)shk_label_number(labels, mig_key(profile, "memory", key, sizeof(key)),
			       &mig.memory_mib);
	(void)shk_label_number(labels, mig_key(profile, "slices.gi", key, sizeof(key)),
			       &mig.slices_gi);
	*ret_mig = mig;
}
