#include "decisions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/hash.h"
#include "shikiri/base/metrics.h"
#include "shikiri/wire/json.h"

#define RING 256u

static const char *const verbs[SHK_DECIDED_VERB_COUNT] = {"filter", "bind"};

struct shk_decisions {
	_Atomic uint64_t counts[SHK_DECIDED_VERB_COUNT][SHK_REASON_COUNT];
	pthread_mutex_t lock; /* guards the ring */
	struct shk_decision_record ring[RING];
	size_t first;
	size_t n;
};

struct shk_decisions *shk_decisions_new(void)
{
	struct shk_decisions *decisions = calloc(1, sizeof *decisions);

	if (!decisions || pthread_mutex_init(&decisions->lock, NULL) != 0)
		abort();
	return decisions;
}

void shk_decisions_free(struct shk_decisions *decisions)
{
	if (!decisions)
		return;
	for (size_t i = 0; i < decisions->n; i++)
		shk_decision_record_fini(&decisions->ring[(decisions->first + i) % RING]);
	(void)pthread_mutex_destroy(&decisions->lock); /* nobody waits any more */
	free(decisions);
}

void shk_decision_record_fini(struct shk_decision_record *record)
{
	free(record->uid);
	free(record->pod);
	free(record->body);
	*record = (struct shk_decision_record){0};
}

void shk_decisions_count(struct shk_decisions *decisions, enum shk_decided_verb verb,
			 enum shk_reason reason)
{
	atomic_fetch_add_explicit(&decisions->counts[verb][reason], 1, memory_order_relaxed);
}

/* Rows that share a code share a sample. */
static uint64_t count_of(struct shk_decisions *decisions, enum shk_decided_verb verb,
			 enum shk_reason reason)
{
	const char *code = shk_reason_row(reason)->code;
	uint64_t sum = 0;

	for (int i = 0; i < SHK_REASON_COUNT; i++) {
		if (strcmp(shk_reason_row((enum shk_reason)i)->code, code) != 0)
			continue;
		if (i < (int)reason)
			return 0;
		sum += atomic_load_explicit(&decisions->counts[verb][i], memory_order_relaxed);
	}
	return sum;
}

static void render_one(struct shk_decisions *decisions, enum shk_decided_verb verb,
		       enum shk_reason reason, struct shk_buf *out)
{
	uint64_t count = count_of(decisions, verb, reason);
	struct shk_buf labels = {0};

	if (count == 0)
		return;
	shk_metric_label(&labels, "verb", verbs[verb]);
	shk_metric_label(&labels, "result", reason == SHK_FITS ? "feasible" : "refused");
	shk_metric_label(&labels, "reason", shk_reason_row(reason)->code);
	shk_metric_sample(out, "shikiri_decisions_total", labels.data, (int64_t)count);
	shk_buf_fini(&labels);
}

void shk_decisions_render(struct shk_decisions *decisions, struct shk_buf *out)
{
	shk_metric_head(out, "shikiri_decisions_total", "counter",
			"Decisions by verb; the reason is that of the node that came furthest.");
	for (int verb = 0; verb < SHK_DECIDED_VERB_COUNT; verb++) {
		for (int reason = 0; reason < SHK_REASON_COUNT; reason++)
			render_one(decisions, (enum shk_decided_verb)verb, (enum shk_reason)reason,
				   out);
	}
}

/* --- records -------------------------------------------------------------------------------- */

/* Sums don't depend on the order of the candidates, which the scheduler changes at will. */
static void hash_inputs(const struct shk_question *question, char ret_hex[17])
{
	const struct shk_claim *claim = question->claim;
	uint64_t sum = shk_str_hash(claim->pod->uid) + (uint64_t)claim->priority;
	uint8_t bytes[8];

	for (size_t i = 0; i < question->n; i++) {
		const struct shk_node *node = question->candidates[i].node;

		sum += node ? node->base->name_hash : 1;
	}
	for (size_t i = 0; i < claim->resources.n; i++)
		sum = (sum ^ shk_str_hash(claim->resources.items[i].resource)) *
			  UINT64_C(1099511628211) +
		      (uint64_t)claim->resources.items[i].count;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(sum >> (56 - 8 * i));
	shk_hex(bytes, sizeof bytes, ret_hex);
}

static void write_reasons(const struct shk_decision *decision, struct shk_json *json)
{
	size_t counts[SHK_REASON_COUNT] = {0};

	for (size_t i = 0; i < decision->n; i++)
		counts[decision->verdicts[i].reason]++;
	shk_json_object(json, "refused");
	for (int i = 0; i < SHK_REASON_COUNT; i++) {
		const char *code = shk_reason_row((enum shk_reason)i)->code;

		if (i == SHK_REASON_PROFILE_NAME)
			counts[i] += counts[SHK_REASON_PROFILE_UNKNOWN];
		if (i != SHK_FITS && i != SHK_REASON_PROFILE_UNKNOWN && counts[i] > 0)
			shk_json_int(json, code, (int64_t)counts[i]);
	}
	shk_json_object_end(json);
}

static void write_request(const struct shk_claim *claim, struct shk_json *json)
{
	shk_json_object(json, "request");
	for (size_t i = 0; i < claim->resources.n; i++)
		shk_json_int(json, claim->resources.items[i].resource,
			     claim->resources.items[i].count);
	shk_json_object_end(json);
}

static void write_body(const struct shk_view *view, const struct shk_moment *moment,
		       const struct shk_question *question, const struct shk_decision *decision,
		       struct shk_buf *out)
{
	const struct shk_candidate *best =
	    decision->n_feasible > 0 ? &question->candidates[decision->order[0]] : NULL;
	struct shk_json json;
	char inputs[17];

	hash_inputs(question, inputs);
	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_time(&json, "at", moment->now_s);
	shk_json_int(&json, "view", (int64_t)view->version);
	shk_json_int(&json, "ledgerSeq", (int64_t)view->ledger_seq);
	shk_json_string(&json, "policy", view->policy->hash);
	shk_json_string(&json, "inputs", inputs);
	shk_json_string(&json, "tenant", decision->identity.tenant_name);
	shk_json_int(&json, "priority", question->claim->priority);
	write_request(question->claim, &json);
	shk_json_int(&json, "holds", (int64_t)moment->n_holds);
	shk_json_int(&json, "nodes", (int64_t)decision->n);
	shk_json_int(&json, "feasible", (int64_t)decision->n_feasible);
	if (best)
		shk_json_string(&json, "first", best->name);
	write_reasons(decision, &json);
	shk_json_object_end(&json);
}

static char *copy_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

static void push(struct shk_decisions *decisions, struct shk_decision_record record)
{
	struct shk_decision_record lost = {0};

	if (pthread_mutex_lock(&decisions->lock) != 0)
		abort();
	if (decisions->n == RING) {
		lost = decisions->ring[decisions->first];
		decisions->first = (decisions->first + 1) % RING;
		decisions->n--;
	}
	decisions->ring[(decisions->first + decisions->n) % RING] = record;
	decisions->n++;
	if (pthread_mutex_unlock(&decisions->lock) != 0)
		abort();
	shk_decision_record_fini(&lost);
}

void shk_decisions_record(struct shk_decisions *decisions, const struct shk_view *view,
			  const struct shk_moment *moment, const struct shk_question *question,
			  const struct shk_decision *decision)
{
	const struct shk_pod *pod = question->claim->pod;
	struct shk_buf body = {0};
	struct shk_buf name = {0};

	write_body(view, moment, question, decision, &body);
	shk_buf_printf(&name, "%s/%s", pod->namespace_, pod->name);
	push(decisions, (struct shk_decision_record){copy_text(pod->uid), name.data, body.data});
}

size_t shk_decisions_take(struct shk_decisions *decisions, struct shk_decision_record *out,
			  size_t max)
{
	size_t n = 0;

	if (pthread_mutex_lock(&decisions->lock) != 0)
		abort();
	while (n < max && decisions->n > 0) {
		out[n++] = decisions->ring[decisions->first];
		decisions->first = (decisions->first + 1) % RING;
		decisions->n--;
	}
	if (pthread_mutex_unlock(&decisions->lock) != 0)
		abort();
	return n;
}
