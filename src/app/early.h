/* early.h - pods that filter refused before the watch showed them.
 *
 * The scheduler may see a pod before we do. If it is refused then, and nothing changes afterwards,
 * nobody would ask again; so once such a pod comes, the waiting pods are looked at. Any thread.
 * Bounded: the oldest are forgotten first. */
#ifndef SHIKIRI_APP_EARLY_H
#define SHIKIRI_APP_EARLY_H

#include <stdbool.h>

#include "edition.h"

struct shk_early; /* opaque */

struct shk_early *shk_early_new(void);
void shk_early_free(struct shk_early *early); /* accepts NULL */

void shk_early_note(struct shk_early *early, const char *uid);
/* true: some have come since. Each is told of once. */
bool shk_early_arrived(struct shk_early *early, const struct shk_edition *edition);

#endif
