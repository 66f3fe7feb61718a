#include "service_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inputs.h"
#include "memory.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/log.h"

static void log_start(const struct shk_boot *boot, int64_t took_ms)
{
	const struct shk_view *view = &boot->state.current->shown.view;
	struct shk_reconcile_alarms alarms = shk_reconcile_alarms(view);
	char numbers[6][24];

	(void)snprintf(numbers[0], sizeof numbers[0], "%zu", view->n_nodes);
	(void)snprintf(numbers[1], sizeof numbers[1], "%zu", boot->state.current->pods.n);
	(void)snprintf(numbers[2], sizeof numbers[2], "%zu", boot->report.kept);
	(void)snprintf(numbers[3], sizeof numbers[3], "%zu", boot->report.ended);
	(void)snprintf(numbers[4], sizeof numbers[4], "%zu", boot->report.adopted);
	(void)snprintf(numbers[5], sizeof numbers[5], "%lld", (long long)took_ms);
	shk_log(SHK_LOG_INFO, "cluster loaded", "#nodes", numbers[0], "#pods", numbers[1],
		"#allocations_kept", numbers[2], "#allocations_ended", numbers[3], "#pods_adopted",
		numbers[4], "#took_ms", numbers[5], NULL);
	if (alarms.conflicts == 0 && alarms.deficit_units == 0)
		return;
	(void)snprintf(numbers[0], sizeof numbers[0], "%zu", alarms.conflicts);
	(void)snprintf(numbers[1], sizeof numbers[1], "%lld", (long long)alarms.deficit_units);
	shk_log(SHK_LOG_WARN,
		"pools hold several trust domains or more than is allocatable, continuing",
		"#trust_conflicts", numbers[0], "#deficit_units", numbers[1], NULL);
}

static struct shk_service *service_new(const struct shk_config *config)
{
	struct shk_service *service = calloc(1, sizeof *service);

	if (!service)
		abort();
	service->config = config;
	service->started_s = shk_clock_wall_s();
	shk_queue_init(&service->queue);
	service->holds = shk_holds_new();
	service->decisions = shk_decisions_new();
	service->schedulers = shk_schedulers_new();
	service->told = shk_told_new();
	service->early = shk_early_new();
	return service;
}

/* The API server is read while the ledger is opened and verified: neither needs the other. */
static enum shk_status start_feed(struct shk_service *service, struct shk_error *err)
{
	enum shk_status status;

	if (service->config->snapshots.n > 0)
		return SHK_OK;
	status = shk_feed_new(service->config, &service->feed, err);
	if (!status)
		status = shk_feed_start(service->feed, &service->queue, err);
	return status;
}

static enum shk_status start_loop(struct shk_service *service, struct shk_error *err)
{
	const struct shk_loop_options options = {
	    .queue = &service->queue,
	    .ledger_path = service->config->ledger,
	    .holds = service->holds,
	    .decisions = service->decisions,
	    .feed = service->feed,
	    .told = service->told,
	};
	int64_t began_ms = shk_clock_boot_ms();
	struct shk_boot boot;
	enum shk_status status = shk_boot(service->config, &boot, err);

	if (status)
		return status;
	shk_memory_trim(); /* the files' trees are gone */
	if (!service->feed)
		log_start(&boot, shk_clock_boot_ms() - began_ms);
	service->loop = shk_loop_new(&boot, &options);
	return SHK_OK;
}

/* With --wait-api=false a server that can't be reached is an error at once. */
static enum shk_status wait_for_api(const struct shk_service *service, struct shk_error *err)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	struct shk_kube_health health;

	while (!service->config->wait_api && shk_feed_health(service->feed, &health)) {
		size_t listed = 0;

		for (int kind = 0; kind < SHK_KUBE_KIND_COUNT; kind++)
			listed += health.kinds[kind].listed;
		if (listed == SHK_KUBE_KIND_COUNT)
			break;
		if (health.failures > 0)
			return shk_error_set(err, SHK_E_UNAVAILABLE,
					     "the API server can't be read: %s", health.error);
		(void)nanosleep(&pause, NULL); /* cut short by a signal: asked a little sooner */
	}
	return SHK_OK;
}

static void start_nudger(struct shk_service *service)
{
	const struct shk_nudger_options options = {
	    .loop = service->loop,
	    .holds = service->holds,
	    .feed = service->feed,
	    .schedulers = service->schedulers,
	    .early = service->early,
	};

	if (service->feed && service->config->mode != SHK_MODE_ADVISE)
		service->nudger = shk_nudger_new(&options);
}

enum shk_status shk_service_start(const struct shk_config *config, struct shk_service **ret_service,
				  struct shk_error *err)
{
	struct shk_service *service = service_new(config);
	enum shk_status status = start_feed(service, err);

	if (!status)
		status = start_loop(service, err);
	if (!status)
		status = wait_for_api(service, err);
	if (status) {
		shk_service_stop(service);
		return status;
	}
	start_nudger(service);
	*ret_service = service;
	return SHK_OK;
}

void shk_service_stop(struct shk_service *service)
{
	if (!service)
		return;
	shk_nudger_free(service->nudger);
	shk_feed_stop(service->feed);
	shk_loop_free(service->loop);
	shk_queue_fini(&service->queue);
	shk_feed_free(service->feed);
	shk_holds_free(service->holds);
	shk_decisions_free(service->decisions);
	shk_schedulers_free(service->schedulers);
	shk_told_free(service->told);
	shk_early_free(service->early);
	free(service);
}

bool shk_service_admits_anyone(const struct shk_service *service)
{
	const struct shk_texts *auths = &service->config->auths;

	for (size_t i = 0; i < auths->n; i++) {
		if (strcmp(auths->items[i], "none") == 0)
			return true;
	}
	return false;
}

bool shk_service_is_snapshot(const struct shk_service *service)
{
	return service->config->snapshots.n > 0;
}

/* --- views ---------------------------------------------------------------------------------- */

const struct shk_published *shk_service_view(struct shk_service *service)
{
	return &shk_loop_edition(service->loop)->shown;
}

void shk_service_view_done(struct shk_service *service, const struct shk_published *published)
{
	(void)service;
	if (published)
		shk_edition_unref(shk_edition_of(published)->self);
}

const struct shk_alloc *shk_published_alloc(const struct shk_published *published, const char *uid)
{
	const struct shk_alloc_object *object = shk_edition_alloc(shk_edition_of(published), uid);

	return object ? &object->alloc : NULL;
}

static int compare_allocs(const void *a, const void *b)
{
	const struct shk_alloc *x = *(const struct shk_alloc *const *)a;
	const struct shk_alloc *y = *(const struct shk_alloc *const *)b;

	return strcmp(x->uid, y->uid);
}

const struct shk_alloc *const *shk_published_allocs(const struct shk_published *published,
						    struct shk_arena *arena, size_t *ret_n)
{
	const struct shk_index *index = &shk_edition_of(published)->allocs;
	struct shk_object **objects = shk_index_all(index, arena);
	const struct shk_alloc **allocs = SHK_NEW_ARRAY(arena, index->n, const struct shk_alloc *);

	for (size_t i = 0; i < index->n; i++)
		allocs[i] = &((struct shk_alloc_object *)objects[i])->alloc;
	qsort(allocs, index->n, sizeof(void *), compare_allocs);
	*ret_n = index->n;
	return allocs;
}

struct shk_moment shk_service_moment(struct shk_service *service, struct shk_arena *arena)
{
	struct shk_moment moment = {.now_s = shk_clock_wall_s()};

	moment.holds = shk_holds_live(service->holds, shk_clock_boot_ms(), arena, &moment.n_holds);
	return moment;
}

int64_t shk_service_inventory_age_ms(struct shk_service *service)
{
	return shk_feed_age_ms(service->feed);
}
