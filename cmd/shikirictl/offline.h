/* offline.h - snapshot files instead of a daemon. A dry run is the same core and the same report,
 * byte for byte but for its basis. */
#ifndef SHIKIRICTL_OFFLINE_H
#define SHIKIRICTL_OFFLINE_H

#include "cli.h"
#include "shikiri/wire/cluster.h"

/* All files of --snapshot, of which there is at least one, merged into the zeroed cluster; it has
 * nodes afterwards. Says on stderr what is wrong. */
enum cli_exit cli_read_snapshots(struct cli *cli, struct shk_cluster *cluster);

/* --snapshot, --apply and --policy of the command line, and what to dry-run. The report is JSON.
 * Says on stderr what is wrong. */
enum cli_exit cli_offline_dry_run(struct cli *cli, const struct shk_buf *manifests,
				  struct shk_buf *ret_report);

#endif
