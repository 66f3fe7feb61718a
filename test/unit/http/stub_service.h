/* stub_service.h - a service that answers as a test tells it to, so that the edge can be driven
 * into the corners: answers that come at once, late, or never. */
#ifndef SHIKIRI_TEST_HTTP_STUB_SERVICE_H
#define SHIKIRI_TEST_HTTP_STUB_SERVICE_H

#include "shikiri/app/service.h"

enum stub_pace {
	STUB_AT_ONCE, /* in the caller, before the call returns */
	STUB_RACING,  /* from another thread, as soon as it can */
	STUB_LATE,    /* from another thread, after delay_ms */
	STUB_NEVER,   /* not before stub_release */
};

void stub_start(enum stub_pace pace, int delay_ms);
/* Answers what was held back, and waits until every answer was given. */
void stub_release(void);
void stub_stop(void);
struct shk_service *stub_service(void);
size_t stub_n_binds(void);

#endif
