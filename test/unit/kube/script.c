#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
	struct reflector *reflector;
	struct shk_facts *facts;
	size_t told; /* facts that were looked at */
	int64_t now_ms;
	size_t piece; /* bytes at a time; 0: at random */
	unsigned dice;
};

static void scene_init(struct scene *scene, enum shk_kube_kind kind, size_t piece, unsigned seed)
{
	*scene = (struct scene){.now_ms = 1000000, .piece = piece, .dice = seed};
	scene->reflector = reflector_new(kind, seed, scene->now_ms);
	scene->facts = shk_facts_new();
}

static void scene_fini(struct scene *scene)
{
	reflector_free(scene->reflector);
	shk_facts_free(scene->facts);
}

static unsigned roll(struct scene *scene, unsigned below)
{
	scene->dice = scene->dice * 1664525 + 1013904223;
	return (scene->dice >> 8) % below;
}

/* --- facts as text -------------------------------------------------------------------------- */

static void put_object(struct shk_buf *out, const struct shk_fact *fact)
{
	switch (fact->kind) {
	case SHK_KUBE_NODES:
		shk_buf_printf(out, "%s%s%s%s", fact->node.name, fact->node.ready ? "+" : "-",
			       fact->node.resource_version ? "@" : "",
			       fact->node.resource_version ? fact->node.resource_version : "");
		break;
	case SHK_KUBE_PODS:
		shk_buf_printf(out, "%s(%s/%s)", fact->pod.uid, fact->pod.namespace_,
			       fact->pod.name);
		break;
	case SHK_KUBE_NAMESPACES:
		shk_buf_puts(out, fact->namespace_.name);
		break;
	case SHK_KUBE_PRIORITY_CLASSES:
		shk_buf_puts(out, fact->priority_class.name);
		break;
	case SHK_KUBE_KIND_COUNT:
		fail();
	}
}

static void put_fact(struct shk_buf *out, const struct shk_fact *fact)
{
	if (out->len > 0)
		shk_buf_puts(out, "; ");
	if (fact->op != SHK_FACT_LISTED) {
		shk_buf_puts(out, fact->op == SHK_FACT_PUT ? "put " : "gone ");
		put_object(out, fact);
		return;
	}
	shk_buf_puts(out, "listed");
	for (size_t i = 0; i < fact->listed.n; i++)
		shk_buf_printf(out, " %s", fact->listed.keys[i]);
}

static void check_facts(struct scene *scene, const char *expected)
{
	struct shk_buf out = {0};

	shk_buf_puts(&out, "");
	while (scene->told < scene->facts->n)
		put_fact(&out, &scene->facts->items[scene->told++]);
	assert_string_equal(out.data, expected);
	shk_buf_fini(&out);
}

/* --- steps ---------------------------------------------------------------------------------- */

static void check_path(const char *path, const char *expected)
{
	size_t len = strlen(expected);
	char *rest;

	if (expected[len - 1] != '*') {
		assert_string_equal(path, expected);
		return;
	}
	if (strncmp(path, expected, len - 1) != 0)
		fail_msg("%s is not %s", path, expected);
	assert_in_range(strtol(path + len - 1, &rest, 10), 300, 600);
	assert_string_equal(rest, "");
}

static void ask(struct scene *scene, const struct step *step)
{
	const char *path;
	int64_t at_ms;

	if (!reflector_due(scene->reflector, scene->now_ms, &path, &at_ms)) {
		if (at_ms > scene->now_ms + step->number)
			fail_msg("%s is due in %ld ms", step->text, (long)(at_ms - scene->now_ms));
		scene->now_ms = at_ms;
		assert_true(reflector_due(scene->reflector, scene->now_ms, &path, &at_ms));
	}
	check_path(path, step->text);
	assert_false(reflector_due(scene->reflector, scene->now_ms + 1000000, &path, &at_ms));
}

static enum shk_status feed(struct scene *scene, const char *text, struct shk_error *err)
{
	size_t left = strlen(text);
	enum shk_status status = SHK_OK;

	while (!status && left > 0) {
		size_t len = scene->piece ? scene->piece : 1 + roll(scene, 40);

		len = len < left ? len : left;
		status = reflector_feed(scene->reflector, (struct shk_sv){text, len}, scene->now_ms,
					scene->facts, err);
		text += len;
		left -= len;
	}
	return status;
}

static void check_error(const char *error, const char *words)
{
	if (!words)
		assert_string_equal(error, "");
	else if (!strstr(error, words))
		fail_msg("\"%s\" is not in \"%s\"", words, error);
}

static void take_step(struct scene *scene, const struct step *step)
{
	struct reflector *reflector = scene->reflector;
	struct shk_kube_kind_health health;
	struct shk_error err;
	const char *path;
	int64_t at_ms;

	reflector_health(reflector, scene->now_ms, &health);
	switch (step->act) {
	case ASK:
		ask(scene, step);
		return;
	case NOT_DUE:
		scene->now_ms += step->number;
		assert_false(reflector_due(reflector, scene->now_ms - 1, &path, &at_ms));
		return;
	case WAIT:
		scene->now_ms += step->number;
		return;
	case HEAD:
		reflector_head(reflector, (int)step->number, -1, scene->now_ms);
		return;
	case FEED:
		if (feed(scene, step->text, &err))
			fail_msg("%s: %s", step->text, err.text);
		return;
	case ABORT:
		assert_int_not_equal(feed(scene, step->text, &err), SHK_OK);
		return;
	case END:
		reflector_ended(reflector, step->text, scene->now_ms, scene->facts);
		return;
	case FACTS:
		check_facts(scene, step->text);
		return;
	case ERROR:
		check_error(reflector_error(reflector), step->text);
		return;
	case AGE:
		assert_int_equal(health.age_ms, step->number);
		return;
	case RELISTS:
		assert_true(health.listed);
		assert_int_equal(health.relists, step->number);
		return;
	case FAILURES:
		assert_int_equal(reflector_failures(reflector), step->number);
		return;
	case UNREAD:
		assert_int_equal(reflector_unread(reflector), step->number);
		return;
	case SILENCE:
		assert_int_equal(reflector_silence_ms(reflector) - scene->now_ms, step->number);
		return;
	case DONE:
		break;
	}
	fail();
}

void expect_script(enum shk_kube_kind kind, const struct step *steps)
{
	static const size_t pieces[] = {1000000, 1, 0, 0, 0, 0};

	for (size_t i = 0; i < N(pieces); i++) {
		struct scene scene;

		scene_init(&scene, kind, pieces[i], (unsigned)i);
		for (const struct step *step = steps; step->act != DONE; step++)
			take_step(&scene, step);
		scene_fini(&scene);
	}
}
