/* told.h - what each waiting pod was told last, so that it hears only of changes. Any thread.
 * Bounded; when there is no room nothing is told, until pods go. */
#ifndef SHIKIRI_APP_TOLD_H
#define SHIKIRI_APP_TOLD_H

#include <stdbool.h>

#include "shikiri/core/reason.h"

struct shk_told; /* opaque */

struct shk_told *shk_told_new(void);
void shk_told_free(struct shk_told *told); /* accepts NULL */

/* true: the reason is news to the pod. */
bool shk_told_is_news(struct shk_told *told, const char *uid, enum shk_reason reason);
/* The pod is bound or gone. */
void shk_told_forget(struct shk_told *told, const char *uid);

#endif
