/* fault_vfs.h - an SQLite VFS over the default one that fails, or loses power, on demand.
 *
 * For tests with one thread. Operations are counted from the last fault_vfs_reset. */
#ifndef SHIKIRI_TEST_FAULT_VFS_H
#define SHIKIRI_TEST_FAULT_VFS_H

#include <stdbool.h>

#define FAULT_VFS "fault"

enum fault_op {
	FAULT_OPEN,
	FAULT_READ,
	FAULT_WRITE,
	FAULT_SYNC,
	FAULT_TRUNCATE,
	FAULT_DELETE,
	FAULT_OPS,
};

void fault_vfs_register(void);
/* No failures, counters at 0, nothing remembered. */
void fault_vfs_reset(void);
unsigned fault_vfs_count(enum fault_op op);

/* The nth operation from now on (1 is the next) gives rc; with forever, all later ones too. */
void fault_vfs_fail(enum fault_op op, unsigned nth, bool forever, int rc);
/* Until the next reset, or this with rc 0. */
void fault_vfs_heal(void);

/* From now on what was written and not yet synced is remembered; the nth operation and all after
 * it fail as if the machine were off. */
void fault_vfs_crash_at(enum fault_op op, unsigned nth);
bool fault_vfs_crashed(void);
/* Puts the files into a state that the disk may be in after the crash: synced bytes, and of the
 * later writes none (seed 0), all (seed 1) or some, torn ones among them. Close handles first. */
void fault_vfs_power_on(unsigned seed);

#endif
