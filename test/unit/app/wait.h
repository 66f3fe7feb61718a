/* wait.h - answers of commands, waited for. */
#ifndef SHIKIRI_TEST_APP_WAIT_H
#define SHIKIRI_TEST_APP_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "shikiri/app/service.h"

struct waited {
	struct shk_answer answer;
	_Atomic bool done;
};

static inline void waited_done(struct shk_answer *answer)
{
	struct waited *waited = answer->context;

	atomic_store(&waited->done, true);
}

static inline void waited_init(struct waited *waited)
{
	*waited = (struct waited){.answer = {.done = waited_done}};
	waited->answer.context = waited;
}

static inline void pause_ms(long ms)
{
	const struct timespec nap = {ms / 1000, ms % 1000 * 1000000};

	(void)nanosleep(&nap, NULL);
}

/* At most 20 seconds. */
static inline bool waited_for(struct waited *waited)
{
	for (int i = 0; i < 20000 && !atomic_load(&waited->done); i++)
		pause_ms(1);
	return atomic_load(&waited->done);
}

static inline const char *waited_text(const struct waited *waited)
{
	return waited->answer.body.data ? waited->answer.body.data : "";
}

#endif
