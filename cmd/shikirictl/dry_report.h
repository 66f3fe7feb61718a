/* dry_report.h - a dry run's report as people read it, or in the format asked for. */
#ifndef SHIKIRICTL_DRY_REPORT_H
#define SHIKIRICTL_DRY_REPORT_H

#include "cli.h"

void cli_print_report(struct cli *cli, const struct shk_value *report);

#endif
