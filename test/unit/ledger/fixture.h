/* fixture.h - what the tests of the ledger share: a directory, a ledger in it, short calls. */
#ifndef SHIKIRI_TEST_LEDGER_FIXTURE_H
#define SHIKIRI_TEST_LEDGER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "shikiri/base/units.h"
#include "shikiri/ledger/ledger.h"

#include "fault_vfs.h"

#define NOW INT64_C(1800000000)

struct fixture {
	char dir[64];
	char path[96];
	const char *vfs;
	struct shk_ledger *ledger;
	struct shk_arena arena;
};

/* cmocka set-up and tear-down; *state is the fixture. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

enum shk_status fixture_try_open(struct fixture *f, struct shk_error *err);
void fixture_open(struct fixture *f);
void fixture_close(struct fixture *f);
void fixture_begin(struct fixture *f);
void fixture_commit(struct fixture *f);

/* An allocation of count GPUs; uid names pod and node too. */
struct shk_alloc fixture_alloc(const char *uid, int64_t count, enum shk_alloc_state state);
enum shk_status fixture_add(struct fixture *f, const char *uid, enum shk_alloc_state state);
/* SHK_ALLOC_NONE when there is no live row. */
enum shk_alloc_state fixture_state(struct fixture *f, const char *uid);

/* Full verification in slices; the first finding, or "" (valid until the next call). */
const char *fixture_verify(struct fixture *f, size_t slice);

/* SQL on the closed file by a handle without any of our settings. */
int raw_exec(const char *path, const char *sql, char message[256]);
int64_t raw_number(const char *path, const char *sql);

void assert_ok(enum shk_status status, const struct shk_error *err);
void assert_contains(const char *text, const char *part);

/* The bytes of a file, NULL where there is none. */
unsigned char *file_read(const char *path, size_t *ret_size);
void file_write(const char *path, const void *data, size_t size);
void file_copy(const char *from, const char *to);
bool file_exists(const char *path);

#endif
