#include "service_priv.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
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

enum shk_status shk_service_start(const struct shk_config *config, struct shk_service **ret_service,
				  struct shk_error *err)
{
	int64_t began_ms = shk_clock_boot_ms();
	struct shk_service *service;
	struct shk_boot boot;
	enum shk_status status = shk_boot(config, &boot, err);

	if (status)
		return status;
#ifdef __GLIBC__
	(void)malloc_trim(0); /* the files' trees are gone; whether that helps isn't our matter */
#endif
	log_start(&boot, shk_clock_boot_ms() - began_ms);
	service = calloc(1, sizeof *service);
	if (!service)
		abort();
	service->config = config;
	service->started_s = shk_clock_wall_s();
	service->holds = shk_holds_new();
	service->decisions = shk_decisions_new();

	const struct shk_loop_options options = {
	    .ledger_path = config->ledger,
	    .holds = service->holds,
	    .decisions = service->decisions,
	};

	service->loop = shk_loop_new(&boot, &options);
	*ret_service = service;
	return SHK_OK;
}

void shk_service_stop(struct shk_service *service)
{
	if (!service)
		return;
	shk_loop_free(service->loop);
	shk_holds_free(service->holds);
	shk_decisions_free(service->decisions);
	free(service);
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
	(void)service;
	return 0; /* the emulated cluster is never older than the view */
}
