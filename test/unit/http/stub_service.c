#include "stub_service.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shikiri/base/clock.h"

struct due {
	struct due *next;
	struct shk_answer *answer;
	int64_t at_ms;
};

/* Several threads of the edge call in; one thread answers. All under lock. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	enum stub_pace pace;
	int delay_ms;
	bool is_stopping;
	struct due *head;
	struct due **tail;
	size_t n_binds;
} stub = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static struct shk_tenancy tenancy;
static struct shk_documents documents;
static struct shk_policy policy;
static struct shk_published empty = {.view = {.tenancy = &tenancy, .policy = &policy}};

static void give(struct shk_answer *answer)
{
	answer->status = SHK_OK;
	answer->done(answer);
}

static struct due *take_due(void)
{
	struct due *due = stub.head;

	if (!due)
		return NULL;
	if (stub.pace == STUB_NEVER && !stub.is_stopping)
		return NULL;
	if (due->at_ms > shk_clock_boot_ms() && !stub.is_stopping)
		return NULL;
	stub.head = due->next;
	if (!stub.head)
		stub.tail = &stub.head;
	return due;
}

static void *answer_all(void *context)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	(void)context;
	(void)pthread_mutex_lock(&stub.lock);
	while (!stub.is_stopping || stub.head) {
		struct due *due = take_due();

		if (due) {
			(void)pthread_mutex_unlock(&stub.lock);
			give(due->answer);
			free(due);
			(void)pthread_mutex_lock(&stub.lock);
		} else if (stub.head) {
			(void)pthread_mutex_unlock(&stub.lock);
			(void)nanosleep(&moment, NULL);
			(void)pthread_mutex_lock(&stub.lock);
		} else {
			(void)pthread_cond_wait(&stub.wake, &stub.lock);
		}
	}
	(void)pthread_mutex_unlock(&stub.lock);
	return NULL;
}

void stub_start(enum stub_pace pace, int delay_ms)
{
	tenancy.documents = &documents;
	stub.pace = pace;
	stub.delay_ms = delay_ms;
	stub.is_stopping = false;
	stub.n_binds = 0;
	stub.head = NULL;
	stub.tail = &stub.head;
	if (pthread_create(&stub.thread, NULL, answer_all, NULL) != 0)
		abort();
}

void stub_stop(void)
{
	(void)pthread_mutex_lock(&stub.lock);
	stub.is_stopping = true;
	(void)pthread_cond_signal(&stub.wake);
	(void)pthread_mutex_unlock(&stub.lock);
	(void)pthread_join(stub.thread, NULL);
}

void stub_release(void)
{
	(void)pthread_mutex_lock(&stub.lock);
	stub.pace = STUB_RACING;
	(void)pthread_cond_signal(&stub.wake);
	(void)pthread_mutex_unlock(&stub.lock);
}

size_t stub_n_binds(void)
{
	size_t n;

	(void)pthread_mutex_lock(&stub.lock);
	n = stub.n_binds;
	(void)pthread_mutex_unlock(&stub.lock);
	return n;
}

struct shk_service *stub_service(void)
{
	return (struct shk_service *)&stub; /* never looked into by the edge */
}

static void command(struct shk_answer *answer)
{
	struct due *due = NULL;
	bool is_now;

	(void)pthread_mutex_lock(&stub.lock);
	stub.n_binds++;
	is_now = stub.pace == STUB_AT_ONCE;
	if (!is_now) {
		due = calloc(1, sizeof *due);
		if (!due)
			abort();
		due->answer = answer;
		due->at_ms = shk_clock_boot_ms() + (stub.pace == STUB_LATE ? stub.delay_ms : 0);
		*stub.tail = due;
		stub.tail = &due->next;
		(void)pthread_cond_signal(&stub.wake);
	}
	(void)pthread_mutex_unlock(&stub.lock);
	if (is_now)
		give(answer);
}

const struct shk_published *shk_service_view(struct shk_service *service)
{
	(void)service;
	return &empty;
}

void shk_service_view_done(struct shk_service *service, const struct shk_published *published)
{
	(void)service;
	(void)published;
}

const struct shk_alloc *shk_published_alloc(const struct shk_published *published, const char *uid)
{
	(void)published;
	(void)uid;
	return NULL;
}

const struct shk_alloc *const *shk_published_allocs(const struct shk_published *published,
						    struct shk_arena *arena, size_t *ret_n)
{
	(void)published;
	*ret_n = 0;
	return SHK_NEW(arena, const struct shk_alloc *);
}

struct shk_moment shk_service_moment(struct shk_service *service, struct shk_arena *arena)
{
	(void)service;
	(void)arena;
	return (struct shk_moment){0};
}

/* Every node passes. */
void shk_service_filter(struct shk_service *service, const struct shk_extender_args *args,
			struct shk_arena *arena, struct shk_filter_result *ret_result)
{
	uint32_t *passed = SHK_NEW_ARRAY(arena, args->n_names, uint32_t);

	(void)service;
	for (size_t i = 0; i < args->n_names; i++)
		passed[i] = (uint32_t)i;
	*ret_result =
	    (struct shk_filter_result){.args = args, .passed = passed, .n_passed = args->n_names};
}

void shk_service_prioritize(struct shk_service *service, const struct shk_extender_args *args,
			    struct shk_arena *arena, const struct shk_host_score **ret_scores,
			    size_t *ret_n)
{
	(void)service;
	(void)args;
	(void)arena;
	*ret_scores = NULL;
	*ret_n = 0;
}

void shk_service_bind(struct shk_service *service, const struct shk_bind_args *args,
		      const struct shk_caller *caller, struct shk_answer *answer)
{
	(void)service;
	(void)args;
	(void)caller;
	command(answer);
}

void shk_service_apply(struct shk_service *service, struct shk_sv text, bool prune, bool dry_run,
		       const struct shk_caller *caller, struct shk_answer *answer)
{
	(void)service;
	(void)text;
	(void)prune;
	(void)dry_run;
	(void)caller;
	command(answer);
}

void shk_service_cordon(struct shk_service *service, const char *node, bool cordoned,
			const struct shk_caller *caller, struct shk_answer *answer)
{
	(void)service;
	(void)node;
	(void)cordoned;
	(void)caller;
	command(answer);
}

void shk_service_emulate_pod(struct shk_service *service, struct shk_sv text,
			     const struct shk_caller *caller, struct shk_answer *answer)
{
	(void)service;
	(void)text;
	(void)caller;
	answer->created = true;
	command(answer);
}

void shk_service_emulate_pod_gone(struct shk_service *service, const char *namespace_,
				  const char *name, const struct shk_caller *caller,
				  struct shk_answer *answer)
{
	(void)service;
	(void)namespace_;
	(void)name;
	(void)caller;
	command(answer);
}

void shk_service_emulate_node(struct shk_service *service, const char *name, struct shk_sv text,
			      const struct shk_caller *caller, struct shk_answer *answer)
{
	(void)service;
	(void)name;
	(void)text;
	(void)caller;
	command(answer);
}

void shk_service_ledger_verify(struct shk_service *service, struct shk_answer *answer)
{
	(void)service;
	command(answer);
}

void shk_service_ledger_backup(struct shk_service *service, const char *path,
			       const struct shk_caller *caller, struct shk_answer *answer)
{
	(void)service;
	(void)path;
	(void)caller;
	command(answer);
}

enum shk_status shk_service_dry_run(struct shk_service *service,
				    const struct shk_published *published,
				    const struct shk_dry_run_request *request,
				    struct shk_arena *arena, struct shk_plan *ret_plan,
				    struct shk_error *err)
{
	(void)service;
	(void)published;
	(void)request;
	(void)arena;
	(void)ret_plan;
	return shk_error_at(err, SHK_E_NOT_FOUND, "/hypotheticalNodes/0/like", "no such node");
}

int64_t shk_service_inventory_age_ms(struct shk_service *service)
{
	(void)service;
	return 0;
}

void shk_service_export(const struct shk_published *published, struct shk_buf *out)
{
	(void)published;
	shk_buf_puts(out, "{\"apiVersion\":\"v1\",\"items\":[],\"kind\":\"List\"}");
}

bool shk_service_ready(struct shk_service *service, struct shk_buf *out)
{
	(void)service;
	if (out)
		shk_buf_puts(out, "[+]stub ok\n");
	return true;
}

void shk_service_metrics(struct shk_service *service, struct shk_buf *out)
{
	(void)service;
	(void)out;
}

bool shk_service_admits_anyone(const struct shk_service *service)
{
	(void)service;
	return true;
}

bool shk_service_is_snapshot(const struct shk_service *service)
{
	(void)service;
	return true;
}

bool shk_config_address(const char *text, struct shk_arena *arena, const char **ret_host,
			uint16_t *ret_port)
{
	const char *colon = strrchr(text, ':');
	size_t bracket = text[0] == '[' ? 1 : 0;

	if (!colon)
		return false;
	*ret_host = shk_arena_strndup(arena, text + bracket, (size_t)(colon - text) - 2 * bracket);
	*ret_port = (uint16_t)strtoul(colon + 1, NULL, 10);
	return true;
}
