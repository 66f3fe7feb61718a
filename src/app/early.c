#include "early.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"

#define MOST_PODS ((size_t)512)
#define UID_SIZE  129

struct shk_early {
	pthread_mutex_t lock; /* guards all */
	size_t next;
	char uids[MOST_PODS][UID_SIZE]; /* "": free */
};

struct shk_early *shk_early_new(void)
{
	struct shk_early *early = calloc(1, sizeof *early);

	if (!early || pthread_mutex_init(&early->lock, NULL) != 0)
		abort();
	return early;
}

void shk_early_free(struct shk_early *early)
{
	if (!early)
		return;
	(void)pthread_mutex_destroy(&early->lock); /* nobody holds it any more */
	free(early);
}

static bool knows(const struct shk_early *early, const char *uid)
{
	for (size_t i = 0; i < MOST_PODS; i++) {
		if (strcmp(early->uids[i], uid) == 0)
			return true;
	}
	return false;
}

void shk_early_note(struct shk_early *early, const char *uid)
{
	if (strlen(uid) >= UID_SIZE)
		return;
	shk_lock(&early->lock);
	if (!knows(early, uid)) {
		(void)snprintf(early->uids[early->next], UID_SIZE, "%s", uid);
		early->next = (early->next + 1) % MOST_PODS;
	}
	shk_unlock(&early->lock);
}

bool shk_early_arrived(struct shk_early *early, const struct shk_edition *edition)
{
	bool arrived = false;

	shk_lock(&early->lock);
	for (size_t i = 0; i < MOST_PODS; i++) {
		if (early->uids[i][0] == '\0' || !shk_edition_pod(edition, early->uids[i]))
			continue;
		early->uids[i][0] = '\0';
		arrived = true;
	}
	shk_unlock(&early->lock);
	return arrived;
}
