/* boot.h - from files to the first edition: policy, ledger, documents, and the snapshot with its
 * reconciliation, or a live cluster that hasn't been seen yet. */
#ifndef SHIKIRI_APP_BOOT_H
#define SHIKIRI_APP_BOOT_H

#include "reconcile.h"
#include "shikiri/app/config.h"
#include "state.h"

struct shk_boot {
	struct shk_state state;
	struct shk_ledger *ledger;
	struct shk_reconcile_report report;
};

/* Everything in ret_boot is the caller's: state.current, state.words, state.live, ledger. */
enum shk_status shk_boot(const struct shk_config *config, struct shk_boot *ret_boot,
			 struct shk_error *err) SHK_MUST_CHECK;
void shk_boot_fini(struct shk_boot *boot, int64_t now_s);

/* A random UUID, version 4. */
void shk_boot_uuid(char ret_text[37]);

#endif
