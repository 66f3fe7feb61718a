/* offline.h - a dry run against a snapshot file instead of a daemon: the same core, the same
 * report, byte for byte but for its basis. */
#ifndef SHIKIRICTL_OFFLINE_H
#define SHIKIRICTL_OFFLINE_H

#include "cli.h"

/* --snapshot, --apply and --policy of the command line, and what to dry-run. The report is JSON.
 * Says on stderr what is wrong. */
enum cli_exit cli_offline_dry_run(struct cli *cli, const struct shk_buf *manifests,
				  struct shk_buf *ret_report);

#endif
