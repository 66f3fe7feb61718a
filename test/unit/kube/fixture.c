#include "fixture.h"

#include <pthread.h>
#include <time.h>

#include "shikiri/base/clock.h"

#include "reflector.h"

#define MOST_REPLIES 256

struct reflector {
	enum shk_kube_kind kind;
	bool is_busy;
	char path[128];
	bool is_wanted;
	int64_t silence_ms;
	int64_t last_ms;
	struct fixture_stream seen;
};

static struct {
	pthread_mutex_t lock;
	struct reflector reflectors[SHK_KUBE_KIND_COUNT];
	struct fixture_reply replies[MOST_REPLIES];
	size_t n_replies;
	bool accepts;
	size_t n_facts;
	size_t n_offers;
	const char *feed_failure;
} fixture = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
	(void)pthread_mutex_lock(&fixture.lock);
}

static void unlock(void)
{
	(void)pthread_mutex_unlock(&fixture.lock);
}

void fixture_wait(int patience)
{
	const struct timespec time = {.tv_nsec = 1000000};

	if (patience == 0)
		abort();
	(void)nanosleep(&time, NULL);
}

void fixture_reset(void)
{
	lock();
	memset(fixture.reflectors, 0, sizeof fixture.reflectors);
	memset(fixture.replies, 0, sizeof fixture.replies);
	fixture.n_replies = fixture.n_facts = fixture.n_offers = 0;
	fixture.accepts = true;
	fixture.feed_failure = NULL;
	unlock();
}

/* --- sink ------------------------------------------------------------------------------------ */

static bool take_facts(void *context, struct shk_facts *facts)
{
	bool accepts;

	(void)context;
	lock();
	accepts = fixture.accepts;
	fixture.n_offers++;
	if (accepts)
		fixture.n_facts += facts->n;
	unlock();
	if (accepts)
		shk_facts_free(facts);
	return accepts;
}

static void take_reply(void *context, const struct shk_kube_reply *reply)
{
	struct fixture_reply *mine;

	(void)context;
	lock();
	if (fixture.n_replies == MOST_REPLIES)
		abort();
	mine = &fixture.replies[fixture.n_replies];
	mine->reply = *reply;
	mine->reply.message = NULL;
	mine->reply.pod = NULL;
	(void)snprintf(mine->message, sizeof mine->message, "%s", reply->message);
	(void)snprintf(mine->pod, sizeof mine->pod, "%s", reply->pod ? reply->pod->uid : "");
	fixture.n_replies++;
	unlock();
}

void fixture_accept_facts(bool accept)
{
	lock();
	fixture.accepts = accept;
	unlock();
}

size_t fixture_facts(void)
{
	size_t n;

	lock();
	n = fixture.n_facts;
	unlock();
	return n;
}

size_t fixture_offers(void)
{
	size_t n;

	lock();
	n = fixture.n_offers;
	unlock();
	return n;
}

size_t fixture_replies(void)
{
	size_t n;

	lock();
	n = fixture.n_replies;
	unlock();
	return n;
}

const struct fixture_reply *fixture_reply(size_t i)
{
	WAIT_FOR(fixture_replies() > i);
	return &fixture.replies[i];
}

/* --- reflector ------------------------------------------------------------------------------- */

void fixture_want(enum shk_kube_kind kind, const char *path, int64_t silence_ms)
{
	struct reflector *reflector = &fixture.reflectors[kind];

	lock();
	(void)snprintf(reflector->path, sizeof reflector->path, "%s", path);
	reflector->is_wanted = true;
	reflector->silence_ms = silence_ms;
	unlock();
}

void fixture_fail_feed(const char *sentence)
{
	lock();
	fixture.feed_failure = sentence;
	unlock();
}

struct fixture_stream fixture_stream(enum shk_kube_kind kind)
{
	struct fixture_stream seen;

	lock();
	seen = fixture.reflectors[kind].seen;
	unlock();
	return seen;
}

struct reflector *reflector_new(enum shk_kube_kind kind, uint64_t seed, int64_t now_ms)
{
	(void)seed;
	lock();
	fixture.reflectors[kind].kind = kind;
	fixture.reflectors[kind].last_ms = now_ms;
	unlock();
	return &fixture.reflectors[kind];
}

void reflector_free(struct reflector *reflector)
{
	(void)reflector;
}

bool reflector_due(struct reflector *reflector, int64_t now_ms, const char **ret_path,
		   int64_t *ret_at_ms)
{
	bool is_due;

	lock();
	is_due = reflector->is_wanted && !reflector->is_busy;
	if (is_due) {
		reflector->is_wanted = false;
		reflector->is_busy = true;
		reflector->last_ms = now_ms;
	}
	unlock();
	*ret_path = reflector->path;
	*ret_at_ms = now_ms + 5;
	return is_due;
}

void reflector_head(struct reflector *reflector, int http_status, int retry_after_s, int64_t now_ms)
{
	lock();
	reflector->seen.status = http_status;
	reflector->seen.retry_after_s = retry_after_s;
	reflector->last_ms = now_ms;
	unlock();
}

/* Every line is a fact. */
enum shk_status reflector_feed(struct reflector *reflector, struct shk_sv bytes, int64_t now_ms,
			       struct shk_facts *facts, struct shk_error *err)
{
	const char *failure;

	lock();
	failure = fixture.feed_failure;
	reflector->seen.bytes += bytes.len;
	reflector->last_ms = now_ms;
	unlock();
	for (size_t i = 0; i < bytes.len; i++) {
		if (bytes.data[i] == '\n')
			(void)shk_facts_add(facts, reflector->kind, SHK_FACT_PUT);
	}
	return failure ? shk_error_set(err, SHK_E_INPUT, "%s", failure) : SHK_OK;
}

void reflector_ended(struct reflector *reflector, const char *failure, int64_t now_ms,
		     struct shk_facts *facts)
{
	(void)facts;
	lock();
	reflector->is_busy = false;
	reflector->last_ms = now_ms;
	(void)snprintf(reflector->seen.failure, sizeof reflector->seen.failure, "%s",
		       failure ? failure : "");
	reflector->seen.ended++;
	unlock();
}

int64_t reflector_silence_ms(const struct reflector *reflector)
{
	int64_t at_ms;

	lock();
	at_ms = reflector->last_ms + reflector->silence_ms;
	unlock();
	return at_ms;
}

void reflector_health(const struct reflector *reflector, int64_t now_ms,
		      struct shk_kube_kind_health *ret_health)
{
	lock();
	*ret_health = (struct shk_kube_kind_health){.listed = reflector->seen.bytes > 0,
						    .age_ms = now_ms - reflector->last_ms};
	unlock();
}

const char *reflector_error(const struct reflector *reflector)
{
	return reflector->seen.failure;
}

uint64_t reflector_failures(const struct reflector *reflector)
{
	return reflector->seen.failure[0] != '\0';
}

/* --- client ---------------------------------------------------------------------------------- */

struct shk_kube *fixture_start(struct shk_kube_config *config, struct server *server,
			       unsigned binds_in_flight)
{
	struct shk_kube_options options = {.config = config,
					   .sink = {.facts = take_facts, .done = take_reply},
					   .user_agent = "shikiri-test/1",
					   .binds_in_flight = binds_in_flight};
	struct shk_kube *kube;
	struct shk_error err;

	if (!config->server)
		config->server =
		    shk_arena_printf(&config->arena, "http://127.0.0.1:%u", server_port(server));
	assert_int_equal(shk_kube_start(&options, &kube, &err), SHK_OK);
	return kube;
}

struct shk_kube_request fixture_bind(int64_t deadline_in_ms)
{
	return (struct shk_kube_request){
	    .verb = SHK_KUBE_BIND,
	    .id = 1,
	    .namespace_ = "vision",
	    .name = "llm-0",
	    .uid = "u-1",
	    .resource_version = "42",
	    .node = "gpu-1",
	    .reason = "Freed",
	    .message = "a slot is free",
	    .deadline_ms = shk_clock_boot_ms() + deadline_in_ms,
	};
}
