/* url.h - what an http address says, by curl's own reading of it. */
#ifndef SHIKIRICTL_URL_H
#define SHIKIRICTL_URL_H

#include <stdbool.h>

#include "shikiri/base/arena.h"

struct cli_url {
	bool is_https; /* else plain http */
	bool is_loopback;
	const char *path; /* "/" when there is none */
};

/* False unless text is http:// or https:// with a host, and without user, query and fragment. */
bool cli_url_parse(struct shk_arena *arena, const char *text, struct cli_url *ret_url);

#endif
