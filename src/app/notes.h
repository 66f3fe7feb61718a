/* notes.h - what happened, for people: a line in the log, an event on the pod, a count. */
#ifndef SHIKIRI_APP_NOTES_H
#define SHIKIRI_APP_NOTES_H

#include "feed.h"

/* Once their transaction is durable. */
void shk_notes_tell(const struct shk_note *notes, size_t n, struct shk_feed *feed);

#endif
