#include "bind.h"
#include "nodes.h"

#include <stdlib.h>
#include <string.h>

/* --- pods ------------------------------------------------------------------------------------ */

static enum shk_status pods_listed(struct shk_step *step, const struct shk_listed *listed,
				   struct shk_error *err)
{
	size_t n = step->world.next->pods.n;
	struct shk_object **all = shk_index_all(&step->world.next->pods, &step->arena);
	const char **gone = SHK_NEW_ARRAY(&step->arena, n, const char *);
	enum shk_status status = SHK_OK;
	size_t n_gone = 0;

	for (size_t i = 0; i < n; i++) {
		const struct shk_pod_object *pod = (const struct shk_pod_object *)all[i];

		/* A reply may have shown one that was made since. */
		if (!shk_listed_has(listed, pod->pod.uid) &&
		    !shk_version_is_older(listed->version, pod->pod.resource_version))
			gone[n_gone++] = shk_arena_strdup(&step->arena, pod->pod.uid);
	}
	/* The list is newer than every deletion that was told before it. */
	shk_live_exhume(step->state->live);
	for (size_t i = 0; i < n_gone && !status; i++)
		status = shk_pod_vanished(step, gone[i], err);
	return status;
}

static enum shk_status pod_fact(struct shk_step *step, const struct shk_fact *fact,
				struct shk_error *err)
{
	if (fact->op == SHK_FACT_LISTED)
		return pods_listed(step, &fact->listed, err);
	if (fact->op == SHK_FACT_GONE)
		return shk_pod_deleted(step, &fact->pod, err);
	return shk_pod_seen(step, &fact->pod, err);
}

/* --- namespaces and priority classes
 * ---------------------------------------------------------------
 *
 * Both are short lists that change seldom: a change makes a new list. */

/* The list under construction, by name. */
struct draft {
	struct shk_arena *arena;
	struct shk_namespace *namespaces;
	struct shk_priority_class *classes;
	size_t n_namespaces;
	size_t n_classes;
	bool is_changed;
};

static void begin_draft(struct shk_step *step, size_t more, struct draft *draft)
{
	const struct shk_cluster_object *now = step->world.next->documents->cluster;

	*draft = (struct draft){
	    .arena = &step->arena, .n_namespaces = now->n_namespaces, .n_classes = now->n_classes};
	draft->namespaces =
	    SHK_NEW_ARRAY(draft->arena, now->n_namespaces + more, struct shk_namespace);
	draft->classes =
	    SHK_NEW_ARRAY(draft->arena, now->n_classes + more, struct shk_priority_class);
	if (now->n_namespaces > 0)
		memcpy(draft->namespaces, now->namespaces,
		       now->n_namespaces * sizeof *draft->namespaces);
	if (now->n_classes > 0)
		memcpy(draft->classes, now->classes, now->n_classes * sizeof *draft->classes);
}

static void put_namespace(struct draft *draft, const struct shk_namespace *namespace_)
{
	size_t i = 0;

	while (i < draft->n_namespaces && strcmp(draft->namespaces[i].name, namespace_->name) != 0)
		i++;
	if (i < draft->n_namespaces &&
	    shk_labels_are_same(&draft->namespaces[i].labels, &namespace_->labels))
		return;
	draft->namespaces[i] = *namespace_;
	draft->n_namespaces += i == draft->n_namespaces;
	draft->is_changed = true;
}

static void put_class(struct draft *draft, const struct shk_priority_class *class_)
{
	size_t i = 0;

	while (i < draft->n_classes && strcmp(draft->classes[i].name, class_->name) != 0)
		i++;
	if (i < draft->n_classes && draft->classes[i].value == class_->value &&
	    draft->classes[i].global_default == class_->global_default)
		return;
	draft->classes[i] = *class_;
	draft->n_classes += i == draft->n_classes;
	draft->is_changed = true;
}

/* listed NULL: the one called name goes; else all that it lacks. */
static void drop(struct draft *draft, enum shk_kube_kind kind, const char *name,
		 const struct shk_listed *listed)
{
	bool is_namespace = kind == SHK_KUBE_NAMESPACES;
	size_t n = is_namespace ? draft->n_namespaces : draft->n_classes;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const char *key = is_namespace ? draft->namespaces[i].name : draft->classes[i].name;
		bool goes = listed ? !shk_listed_has(listed, key) : strcmp(key, name) == 0;

		if (goes)
			continue;
		if (is_namespace)
			draft->namespaces[kept++] = draft->namespaces[i];
		else
			draft->classes[kept++] = draft->classes[i];
	}
	draft->is_changed = draft->is_changed || kept < n;
	if (is_namespace)
		draft->n_namespaces = kept;
	else
		draft->n_classes = kept;
}

static void small_fact(struct draft *draft, const struct shk_fact *fact)
{
	const char *name =
	    fact->kind == SHK_KUBE_NAMESPACES ? fact->namespace_.name : fact->priority_class.name;

	if (fact->op == SHK_FACT_LISTED)
		drop(draft, fact->kind, NULL, &fact->listed);
	else if (fact->op == SHK_FACT_GONE)
		drop(draft, fact->kind, name, NULL);
	else if (fact->kind == SHK_KUBE_NAMESPACES)
		put_namespace(draft, &fact->namespace_);
	else
		put_class(draft, &fact->priority_class);
}

static enum shk_status end_draft(struct shk_step *step, const struct draft *draft,
				 struct shk_error *err)
{
	struct shk_cluster_object *cluster;
	struct shk_documents_object *documents;
	enum shk_status status;

	if (!draft->is_changed)
		return SHK_OK;
	cluster = shk_cluster_object_new(draft->namespaces, draft->n_namespaces, draft->classes,
					 draft->n_classes);
	status = shk_documents_object_again(step->world.next->documents, cluster, &documents, err);
	shk_object_unref(&cluster->head);
	if (status)
		return status;
	shk_world_cluster(&step->world, documents);
	shk_object_unref(&documents->head);
	return SHK_OK;
}

/* --- one delivery ---------------------------------------------------------------------------- */

static bool is_small(const struct shk_fact *fact)
{
	return fact->kind == SHK_KUBE_NAMESPACES || fact->kind == SHK_KUBE_PRIORITY_CLASSES;
}

/* Facts of one sort that follow each other are taken together. */
static size_t run_length(const struct shk_facts *facts, size_t from)
{
	size_t to = from;

	while (to < facts->n && is_small(&facts->items[to]) == is_small(&facts->items[from]) &&
	       (facts->items[to].kind == SHK_KUBE_NODES) ==
		   (facts->items[from].kind == SHK_KUBE_NODES))
		to++;
	return to - from;
}

static enum shk_status take_small(struct shk_step *step, const struct shk_fact *facts, size_t n,
				  struct shk_error *err)
{
	struct draft draft;

	begin_draft(step, n, &draft);
	for (size_t i = 0; i < n; i++)
		small_fact(&draft, &facts[i]);
	return end_draft(step, &draft, err);
}

static enum shk_status take_run(struct shk_step *step, const struct shk_fact *facts, size_t n,
				struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	if (is_small(&facts[0]))
		return take_small(step, facts, n, err);
	if (facts[0].kind == SHK_KUBE_NODES)
		return shk_nodes_take(step, facts, n, err);
	for (size_t i = 0; i < n && !status; i++)
		status = pod_fact(step, &facts[i], err);
	return status;
}

enum shk_status shk_facts_run(struct shk_step *step, struct shk_command *command,
			      struct shk_error *err)
{
	const struct shk_facts *facts = command->facts;
	enum shk_status status = SHK_OK;

	command->changed = true;
	for (size_t i = 0; i < facts->n && !status; i++) {
		size_t n = run_length(facts, i);

		status = take_run(step, &facts->items[i], n, err);
		i += n - 1;
	}
	for (size_t i = 0; i < facts->n && !status; i++) {
		if (facts->items[i].op == SHK_FACT_LISTED)
			step->state->live->listed |= 1U << facts->items[i].kind;
	}
	return status;
}
