#include "schedulers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"

#define MOST_NAMES 64
#define NAME_SIZE  254 /* of a DNS subdomain, terminated */

struct shk_schedulers {
	pthread_mutex_t lock; /* guards all */
	size_t n;
	char names[MOST_NAMES][NAME_SIZE];
};

struct shk_schedulers *shk_schedulers_new(void)
{
	struct shk_schedulers *schedulers = calloc(1, sizeof *schedulers);

	if (!schedulers || pthread_mutex_init(&schedulers->lock, NULL) != 0)
		abort();
	return schedulers;
}

void shk_schedulers_free(struct shk_schedulers *schedulers)
{
	if (!schedulers)
		return;
	(void)pthread_mutex_destroy(&schedulers->lock); /* nobody holds it any more */
	free(schedulers);
}

static bool knows(const struct shk_schedulers *schedulers, const char *name)
{
	for (size_t i = 0; i < schedulers->n; i++) {
		if (strcmp(schedulers->names[i], name) == 0)
			return true;
	}
	return false;
}

void shk_schedulers_learn(struct shk_schedulers *schedulers, const char *name)
{
	if (!name || strlen(name) >= NAME_SIZE)
		return;
	shk_lock(&schedulers->lock);
	if (!knows(schedulers, name) && schedulers->n < MOST_NAMES)
		(void)snprintf(schedulers->names[schedulers->n++], NAME_SIZE, "%s", name);
	shk_unlock(&schedulers->lock);
}

bool shk_schedulers_has(struct shk_schedulers *schedulers, const char *name)
{
	bool has;

	shk_lock(&schedulers->lock);
	has = schedulers->n == 0 || (name && knows(schedulers, name));
	shk_unlock(&schedulers->lock);
	return has;
}
