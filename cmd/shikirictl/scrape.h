/* scrape.h - metrics in Prometheus' text format, as far as doctor asks about them.
 *
 * A metric that isn't there is told apart from one that is 0: what isn't known is never fine. */
#ifndef SHIKIRICTL_SCRAPE_H
#define SHIKIRICTL_SCRAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/str.h"

struct cli_sample {
	struct shk_sv name;
	struct shk_sv labels; /* between the braces */
	double value;
};

struct cli_scrape {
	const struct cli_sample *samples;
	size_t n_samples;
	const struct shk_sv *names; /* of every metric that has a TYPE */
	size_t n_names;
};

/* Lines that are no samples are passed over. What is kept points into text. */
void cli_scrape_read(struct shk_arena *arena, struct shk_sv text, struct cli_scrape *ret_scrape);

/* Whether the daemon has this metric, if only without samples. */
bool cli_scrape_has(const struct cli_scrape *scrape, const char *name);
/* A label's value as it is written, escapes included; an empty one without data when absent. */
struct shk_sv cli_sample_label(const struct cli_sample *sample, const char *key);
/* The next sample of a metric from *at on, which moves behind it; NULL at the end. */
const struct cli_sample *cli_scrape_next(const struct cli_scrape *scrape, const char *name,
					 size_t *at);

#endif
