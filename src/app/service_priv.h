/* service_priv.h - what the files of the service share. */
#ifndef SHIKIRI_APP_SERVICE_PRIV_H
#define SHIKIRI_APP_SERVICE_PRIV_H

#include "decisions.h"
#include "edition.h"
#include "holds.h"
#include <stdatomic.h>

#include "early.h"
#include "loop.h"
#include "nudge.h"
#include "schedulers.h"
#include "shikiri/app/service.h"
#include "told.h"

/* Verbs that show whether a scheduler really asks us. */
enum shk_call { SHK_CALL_FILTER, SHK_CALL_PRIORITIZE, SHK_CALL_BIND, SHK_CALL_COUNT };

struct shk_service {
	const struct shk_config *config; /* borrowed */
	struct shk_queue queue;
	struct shk_loop *loop;
	struct shk_holds *holds;
	struct shk_decisions *decisions;
	struct shk_schedulers *schedulers;
	struct shk_told *told;
	struct shk_early *early;
	struct shk_feed *feed;     /* NULL: the cluster is emulated */
	struct shk_nudger *nudger; /* NULL: nobody may be touched */
	int64_t started_s;
	_Atomic int64_t last_call_s[SHK_CALL_COUNT]; /* wall clock; 0: none yet */
};

#endif
