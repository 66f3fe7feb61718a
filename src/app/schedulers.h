/* schedulers.h - whose pods are ours: names of schedulers that have called us, or placed pods
 * through us. Any thread. Bounded; a name that finds no room is nobody's. */
#ifndef SHIKIRI_APP_SCHEDULERS_H
#define SHIKIRI_APP_SCHEDULERS_H

#include <stdbool.h>

struct shk_schedulers; /* opaque */

struct shk_schedulers *shk_schedulers_new(void);
void shk_schedulers_free(struct shk_schedulers *schedulers); /* accepts NULL */

void shk_schedulers_learn(struct shk_schedulers *schedulers, const char *name);
/* While none is known, after a restart, everybody's pods are. */
bool shk_schedulers_has(struct shk_schedulers *schedulers, const char *name);

#endif
