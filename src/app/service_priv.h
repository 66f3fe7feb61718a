/* service_priv.h - what the files of the service share. */
#ifndef SHIKIRI_APP_SERVICE_PRIV_H
#define SHIKIRI_APP_SERVICE_PRIV_H

#include "decisions.h"
#include "edition.h"
#include "holds.h"
#include "loop.h"
#include "shikiri/app/service.h"

struct shk_service {
	const struct shk_config *config; /* borrowed */
	struct shk_loop *loop;
	struct shk_holds *holds;
	struct shk_decisions *decisions;
	int64_t started_s;
};

#endif
