#include "nodes.h"

#include <stdlib.h>
#include <string.h>

#include "shikiri/base/map.h"
#include "shikiri/base/str.h"

/* --- a changed mig.config
 * ---------------------------------------------------------------------------
 *
 * The operator's label changes at once, the state label a moment later, the devices after that. In
 * between the node still says success about a layout that is about to go. */

static const char *label(const struct shk_node_facts *facts, const char *key)
{
	const char *value = shk_labels_get(&facts->labels, key);

	return value ? value : "";
}

static uint64_t layout_of(const struct shk_node_facts *facts)
{
	uint64_t layout = 0;

	for (size_t i = 0; i < facts->n_resources; i++)
		layout = layout * 31 + shk_str_hash(facts->resources[i].resource) +
			 (uint64_t)facts->resources[i].capacity;
	return layout;
}

static bool offers_anything(const struct shk_node_facts *facts)
{
	for (size_t i = 0; i < facts->n_resources; i++) {
		if (facts->resources[i].capacity > 0)
			return true;
	}
	return false;
}

static bool is_successful(const struct shk_node_facts *facts)
{
	return strcmp(label(facts, "nvidia.com/mig.config.state"), "success") == 0;
}

static bool is_paused(const struct shk_node_facts *facts)
{
	for (size_t i = 0; i < facts->labels.n; i++) {
		if (shk_str_starts(facts->labels.items[i].key, "nvidia.com/gpu.deploy.") &&
		    shk_str_starts(facts->labels.items[i].value, "paused-for-"))
			return true;
	}
	return false;
}

/* Whether the change is seen through: the state left success and came back, or the new layout
 * shows, or nothing has spoken against it for long. */
static bool is_reshaped(struct shk_timed_node *change, const struct shk_node_object *node,
			int64_t now_ms)
{
	const struct shk_node_facts *facts = node->node.base->facts;

	if (!is_successful(facts)) {
		change->left = true;
		return false;
	}
	if (change->left || (layout_of(facts) != change->layout && offers_anything(facts)))
		return true;
	return now_ms - change->since_ms >= SHK_RESHAPE_MS && !is_paused(facts) &&
	       !node->node.base->contradiction;
}

static void note_reshape(struct shk_step *step, const struct shk_node_facts *before,
			 const struct shk_node_facts *after)
{
	struct shk_timed_node *change;

	if (strcmp(label(before, "nvidia.com/mig.config"), label(after, "nvidia.com/mig.config")) ==
	    0)
		return;
	change = shk_timed_node_put(&step->state->live->reshaping, after->name, step->env->now_ms);
	change->layout = layout_of(before);
	change->left = false;
	shk_world_mark(&step->world, SHK_MARK_RECONFIGURING, after->name, true);
}

/* The mark goes first; what is kept of it goes when the view without the mark is published, as the
 * step may be taken back. */
static void end_mark(struct shk_step *step, enum shk_mark mark, struct shk_timed_node **list,
		     const char *node)
{
	if (shk_edition_is_marked(step->world.next, mark, node))
		shk_world_mark(&step->world, mark, node, false);
	else if (!shk_edition_is_marked(step->state->current, mark, node))
		shk_timed_node_drop(list, node);
}

static void end_reshapes(struct shk_step *step)
{
	struct shk_timed_node *change = step->state->live->reshaping;

	while (change) {
		struct shk_timed_node *next = change->next;
		int64_t index = shk_edition_node_index(step->world.next, change->node);
		bool done = index < 0;

		if (!done)
			done =
			    is_reshaped(change, shk_edition_node(step->world.next, (size_t)index),
					step->env->now_ms);
		if (done)
			end_mark(step, SHK_MARK_RECONFIGURING, &step->state->live->reshaping,
				 change->node);
		change = next;
	}
}

static void end_rests(struct shk_step *step)
{
	struct shk_timed_node *resting = step->state->live->resting;

	while (resting) {
		struct shk_timed_node *next = resting->next;

		if (step->env->now_ms - resting->since_ms >= SHK_REST_MS)
			end_mark(step, SHK_MARK_RESTING, &step->state->live->resting,
				 resting->node);
		resting = next;
	}
}

void shk_nodes_tick(struct shk_step *step)
{
	end_rests(step);
	if (step->state->live->reshaping) {
		(void)shk_world_settle(&step->world);
		end_reshapes(step);
	}
}

/* --- news ------------------------------------------------------------------------------------ */

static bool same_resources(const struct shk_node_facts *a, const struct shk_node_facts *b)
{
	if (a->n_resources != b->n_resources)
		return false;
	for (size_t i = 0; i < a->n_resources; i++) {
		if (strcmp(a->resources[i].resource, b->resources[i].resource) != 0 ||
		    a->resources[i].capacity != b->resources[i].capacity ||
		    a->resources[i].allocatable != b->resources[i].allocatable)
			return false;
	}
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* kubelet writes a node every few minutes; mostly nothing of it is news to us. */
static bool is_same(const struct shk_node_facts *a, const struct shk_node_facts *b)
{
	return a->ready == b->ready && a->unschedulable == b->unschedulable &&
	       a->cpu_milli == b->cpu_milli && same_text(a->uid, b->uid) && same_resources(a, b) &&
	       shk_labels_are_same(&a->labels, &b->labels);
}

/* Nodes that came or changed in one delivery, to be put into the world together. */
struct arrivals {
	struct shk_arena *arena;
	struct shk_facts_object **items;
	size_t n;
	size_t cap;
	struct shk_map by_name;
};

static void begin_arrivals(struct arrivals *arrivals)
{
	arrivals->n = 0;
	shk_map_init(&arrivals->by_name, arrivals->arena, arrivals->cap);
}

static void put_together(struct shk_step *step, struct arrivals *arrivals)
{
	if (arrivals->n == 0)
		return;
	shk_world_nodes(&step->world, arrivals->items, arrivals->n);
	for (size_t i = 0; i < arrivals->n; i++)
		shk_object_unref(&arrivals->items[i]->head);
	begin_arrivals(arrivals);
}

/* The same name twice in one delivery: the later one counts. Takes the reference; name lives as
 * long as the delivery. */
static void arrive(struct arrivals *arrivals, const char *name, struct shk_facts_object *facts)
{
	uint32_t at = (uint32_t)arrivals->n;

	if (shk_map_add(&arrivals->by_name, name, at)) {
		arrivals->items[arrivals->n++] = facts;
		return;
	}
	(void)shk_map_find(&arrivals->by_name, name, &at); /* just found to be there */
	shk_object_unref(&arrivals->items[at]->head);
	arrivals->items[at] = facts;
}

static void seen(struct shk_step *step, const struct shk_node_facts *facts,
		 struct arrivals *arrivals)
{
	int64_t index = shk_edition_node_index(step->world.next, facts->name);
	const struct shk_node_facts *before = NULL;

	if (index >= 0)
		before = &shk_edition_node(step->world.next, (size_t)index)->base->facts->facts;
	if (before && is_same(before, facts) && arrivals->n == 0)
		return;
	if (before)
		note_reshape(step, before, facts);
	arrive(arrivals, facts->name, shk_facts_object_new(facts, step->state->words));
}

/* Kubelet's word about a pod ends with its node. */
static enum shk_status release_lingering(struct shk_step *step, const char *node,
					 struct shk_error *err)
{
	struct shk_linger *linger = step->state->live->lingers;
	enum shk_status status = SHK_OK;

	while (linger && !status) {
		struct shk_linger *next = linger->next;
		const struct shk_alloc_object *row =
		    shk_edition_alloc(step->world.next, linger->uid);

		if (strcmp(linger->node, node) == 0 && row)
			status = shk_step_alloc_end(step, &row->alloc, "deleted", err);
		linger = next;
	}
	return status;
}

static enum shk_status gone(struct shk_step *step, const char *const *names, size_t n,
			    struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	if (n == 0)
		return SHK_OK;
	shk_world_nodes_gone(&step->world, names, n);
	for (size_t i = 0; i < n && !status; i++) {
		status = release_lingering(step, names[i], err);
		if (shk_edition_is_marked(step->world.next, SHK_MARK_RESTING, names[i]))
			shk_world_mark(&step->world, SHK_MARK_RESTING, names[i], false);
		if (shk_edition_is_marked(step->world.next, SHK_MARK_RECONFIGURING, names[i]))
			shk_world_mark(&step->world, SHK_MARK_RECONFIGURING, names[i], false);
	}
	return status;
}

static enum shk_status listed(struct shk_step *step, const struct shk_listed *names,
			      struct shk_error *err)
{
	const struct shk_directory *directory = step->world.next->directory;
	const char **missing = SHK_NEW_ARRAY(&step->arena, directory->n, const char *);
	size_t n = 0;

	for (size_t i = 0; i < directory->n; i++) {
		if (!shk_listed_has(names, directory->names[i]))
			missing[n++] = shk_arena_strdup(&step->arena, directory->names[i]);
	}
	return gone(step, missing, n, err);
}

enum shk_status shk_nodes_take(struct shk_step *step, const struct shk_fact *facts, size_t n,
			       struct shk_error *err)
{
	struct arrivals arrivals = {
	    .arena = &step->arena,
	    .items = SHK_NEW_ARRAY(&step->arena, n, struct shk_facts_object *),
	    .cap = n,
	};
	enum shk_status status = SHK_OK;

	begin_arrivals(&arrivals);
	for (size_t i = 0; i < n && !status; i++) {
		const char *name = facts[i].node.name;

		if (facts[i].op == SHK_FACT_PUT) {
			seen(step, &facts[i].node, &arrivals);
			continue;
		}
		put_together(step, &arrivals);
		status = facts[i].op == SHK_FACT_LISTED ? listed(step, &facts[i].listed, err)
							: gone(step, &name, 1, err);
	}
	put_together(step, &arrivals);
	if (step->state->live->reshaping)
		end_reshapes(step);
	return status;
}
