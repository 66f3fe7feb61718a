/* fault_vfs.c - see fault_vfs.h. Locks pass through; there is no shared memory and no mmap. */
#include "fault_vfs.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define SECTOR 512

/* A write or truncate since the last sync. */
struct pending {
	struct pending *next;
	int64_t offset;
	int len; /* -1: truncate to offset */
	unsigned char data[];
};

/* What is known of a path while a crash is being prepared. */
struct tracked {
	struct tracked *next;
	char *path;
	unsigned char *image; /* synced bytes */
	size_t size;
	struct pending *first;
	struct pending **last;
	bool deleted;
};

struct fault_file {
	sqlite3_file base;
	struct tracked *tracked; /* NULL unless a crash is prepared */
	sqlite3_file *real;      /* lies behind this struct */
};

static struct {
	sqlite3_vfs vfs;
	sqlite3_vfs *real;
	unsigned count[FAULT_OPS];
	unsigned fail_at[FAULT_OPS]; /* 0: never */
	bool fail_forever[FAULT_OPS];
	int fail_rc[FAULT_OPS];
	bool tracking;
	bool crashed;
	enum fault_op crash_op;
	unsigned crash_at;
	struct tracked *tracked;
} fault;

/* --- tracking ------------------------------------------------------------------------------ */

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void drop_pending(struct tracked *tracked)
{
	while (tracked->first) {
		struct pending *next = tracked->first->next;

		free(tracked->first);
		tracked->first = next;
	}
	tracked->last = &tracked->first;
}

static void image_resize(struct tracked *tracked, size_t size)
{
	tracked->image = must(realloc(tracked->image, size + 1));
	if (size > tracked->size)
		memset(tracked->image + tracked->size, 0, size - tracked->size);
	tracked->size = size;
}

/* Only the first len bytes of a write. */
static void image_apply(struct tracked *tracked, const struct pending *pending, int len)
{
	size_t begin = (size_t)pending->offset;

	if (pending->len < 0) {
		image_resize(tracked, begin);
		return;
	}
	if (begin + (size_t)len > tracked->size)
		image_resize(tracked, begin + (size_t)len);
	memcpy(tracked->image + begin, pending->data, (size_t)len);
}

static void image_load(struct tracked *tracked)
{
	FILE *file = fopen(tracked->path, "rb");
	unsigned char bytes[4096];
	size_t n;

	if (!file)
		return;
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0) {
		size_t end = tracked->size;

		image_resize(tracked, end + n);
		memcpy(tracked->image + end, bytes, n);
	}
	assert(fclose(file) == 0);
}

static struct tracked *track(const char *path)
{
	struct tracked *tracked;

	for (tracked = fault.tracked; tracked; tracked = tracked->next)
		if (strcmp(tracked->path, path) == 0)
			break;
	if (tracked && !tracked->deleted)
		return tracked;
	if (!tracked) {
		tracked = must(calloc(1, sizeof(*tracked)));
		tracked->path = must(strdup(path));
		tracked->next = fault.tracked;
		fault.tracked = tracked;
	}
	drop_pending(tracked);
	image_resize(tracked, 0);
	tracked->deleted = false;
	image_load(tracked);
	return tracked;
}

static void remember(struct fault_file *file, int64_t offset, int len, const void *data)
{
	struct pending *pending;

	if (!file->tracked)
		return;
	pending = must(malloc(sizeof(*pending) + (len > 0 ? (size_t)len : 0)));
	*pending = (struct pending){.offset = offset, .len = len};
	if (len > 0)
		memcpy(pending->data, data, (size_t)len);
	*file->tracked->last = pending;
	file->tracked->last = &pending->next;
}

static void settle(struct tracked *tracked)
{
	for (const struct pending *p = tracked->first; p; p = p->next)
		image_apply(tracked, p, p->len);
	drop_pending(tracked);
}

/* --- failing ------------------------------------------------------------------------------ */

static int happens(enum fault_op op)
{
	unsigned n = ++fault.count[op];

	if (fault.tracking && op == fault.crash_op && n == fault.crash_at)
		fault.crashed = true;
	if (fault.crashed)
		return SQLITE_IOERR;
	if (fault.fail_at[op] == 0 || n < fault.fail_at[op])
		return SQLITE_OK;
	return n == fault.fail_at[op] || fault.fail_forever[op] ? fault.fail_rc[op] : SQLITE_OK;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
	return ((struct fault_file *)file)->real;
}

static int fault_close(sqlite3_file *file)
{
	return real_of(file)->pMethods->xClose(real_of(file));
}

static int fault_read(sqlite3_file *file, void *data, int len, sqlite3_int64 offset)
{
	int rc = happens(FAULT_READ);

	return rc != SQLITE_OK ? rc
			       : real_of(file)->pMethods->xRead(real_of(file), data, len, offset);
}

static int fault_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset)
{
	int rc = happens(FAULT_WRITE);

	if (rc != SQLITE_OK)
		return rc;
	remember((struct fault_file *)file, offset, len, data);
	return real_of(file)->pMethods->xWrite(real_of(file), data, len, offset);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	int rc = happens(FAULT_TRUNCATE);

	if (rc != SQLITE_OK)
		return rc;
	remember((struct fault_file *)file, size, -1, NULL);
	return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

/* The disk isn't synced: nothing here survives the machine that runs the test. */
static int fault_sync(sqlite3_file *file, int flags)
{
	struct tracked *tracked = ((struct fault_file *)file)->tracked;
	int rc = happens(FAULT_SYNC);

	(void)flags;
	if (rc == SQLITE_OK && tracked)
		settle(tracked);
	return rc;
}

static int fault_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int fault_lock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int fault_unlock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int fault_reserved(sqlite3_file *file, int *out)
{
	return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int fault_control(sqlite3_file *file, int op, void *arg)
{
	return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int fault_sector(sqlite3_file *file)
{
	(void)file;
	return SECTOR;
}

static int fault_traits(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods fault_methods = {
    .iVersion = 1,
    .xClose = fault_close,
    .xRead = fault_read,
    .xWrite = fault_write,
    .xTruncate = fault_truncate,
    .xSync = fault_sync,
    .xFileSize = fault_size,
    .xLock = fault_lock,
    .xUnlock = fault_unlock,
    .xCheckReservedLock = fault_reserved,
    .xFileControl = fault_control,
    .xSectorSize = fault_sector,
    .xDeviceCharacteristics = fault_traits,
};

static int fault_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *out, int flags,
		      int *out_flags)
{
	struct fault_file *file = (struct fault_file *)out;
	int rc = happens(FAULT_OPEN);

	(void)vfs;
	memset(file, 0, sizeof(*file));
	file->real = (sqlite3_file *)(file + 1);
	if (rc == SQLITE_OK)
		rc = fault.real->xOpen(fault.real, name, file->real, flags, out_flags);
	if (rc != SQLITE_OK)
		return rc;
	if (fault.tracking && name)
		file->tracked = track(name);
	file->base.pMethods = &fault_methods;
	return SQLITE_OK;
}

static int fault_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	int rc = happens(FAULT_DELETE);

	(void)vfs;
	if (rc != SQLITE_OK)
		return rc;
	for (struct tracked *t = fault.tracked; t; t = t->next)
		t->deleted = t->deleted || strcmp(t->path, name) == 0;
	return fault.real->xDelete(fault.real, name, sync);
}

/* --- what tests call ------------------------------------------------------------------------ */

void fault_vfs_register(void)
{
	if (fault.real)
		return;
	fault.real = sqlite3_vfs_find(NULL);
	fault.vfs = *fault.real;
	fault.vfs.szOsFile = (int)sizeof(struct fault_file) + fault.real->szOsFile;
	fault.vfs.zName = FAULT_VFS;
	fault.vfs.pNext = NULL;
	fault.vfs.xOpen = fault_open;
	fault.vfs.xDelete = fault_delete;
	assert(sqlite3_vfs_register(&fault.vfs, 0) == SQLITE_OK);
}

void fault_vfs_heal(void)
{
	memset(fault.fail_at, 0, sizeof(fault.fail_at));
}

void fault_vfs_reset(void)
{
	while (fault.tracked) {
		struct tracked *next = fault.tracked->next;

		drop_pending(fault.tracked);
		free(fault.tracked->image);
		free(fault.tracked->path);
		free(fault.tracked);
		fault.tracked = next;
	}
	fault_vfs_heal();
	memset(fault.count, 0, sizeof(fault.count));
	fault.tracking = false;
	fault.crashed = false;
}

unsigned fault_vfs_count(enum fault_op op)
{
	return fault.count[op];
}

void fault_vfs_fail(enum fault_op op, unsigned nth, bool forever, int rc)
{
	fault.fail_at[op] = fault.count[op] + nth;
	fault.fail_forever[op] = forever;
	fault.fail_rc[op] = rc;
}

void fault_vfs_crash_at(enum fault_op op, unsigned nth)
{
	fault.tracking = true;
	fault.crash_op = op;
	fault.crash_at = fault.count[op] + nth;
}

bool fault_vfs_crashed(void)
{
	return fault.crashed;
}

static void write_image(const struct tracked *tracked)
{
	FILE *file = fopen(tracked->path, "wb");

	assert(file);
	assert(fwrite(tracked->image, 1, tracked->size, file) == tracked->size);
	assert(fclose(file) == 0);
}

/* Bytes of a write that reached the disk. */
static int survived(const struct pending *pending, unsigned seed, unsigned *random)
{
	int sectors = pending->len / SECTOR;

	if (seed == 1 || pending->len < 0)
		return pending->len;
	*random = *random * 1103515245U + 12345U;
	switch ((*random >> 16) % 3) {
	case 0:
		return 0;
	case 1:
		return pending->len;
	default:
		return sectors > 0 ? (int)((*random >> 20) % (unsigned)sectors) * SECTOR : 0;
	}
}

void fault_vfs_power_on(unsigned seed)
{
	unsigned random = seed * 2654435761U;

	for (struct tracked *t = fault.tracked; t; t = t->next) {
		if (t->deleted)
			continue;
		for (const struct pending *p = t->first; p && seed != 0; p = p->next)
			image_apply(t, p, survived(p, seed, &random));
		write_image(t);
	}
	fault_vfs_reset();
}
