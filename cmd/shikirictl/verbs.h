/* verbs.h - the verbs, one file each. */
#ifndef SHIKIRICTL_VERBS_H
#define SHIKIRICTL_VERBS_H

#include "cli.h"

extern const struct cli_verb cli_verb_apply;
extern const struct cli_verb cli_verb_certs;
extern const struct cli_verb cli_verb_cordon;
extern const struct cli_verb cli_verb_describe;
extern const struct cli_verb cli_verb_doctor;
extern const struct cli_verb cli_verb_dry_run;
extern const struct cli_verb cli_verb_explain;
extern const struct cli_verb cli_verb_export;
extern const struct cli_verb cli_verb_get;
extern const struct cli_verb cli_verb_ledger;
extern const struct cli_verb cli_verb_map;
extern const struct cli_verb cli_verb_policy;
extern const struct cli_verb cli_verb_probe;
extern const struct cli_verb cli_verb_scheduler_config;
extern const struct cli_verb cli_verb_uncordon;
extern const struct cli_verb cli_verb_version;

#endif
