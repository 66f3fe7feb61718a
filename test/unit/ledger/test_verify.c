/* test_verify.c - full verification and copies, both in slices while the ledger goes on. */
#include "fixture.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../src/ledger/ledger_priv.h"

static double seconds(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Uids are spread, so that changes fall before and behind any cursor. */
static void uid_of(unsigned i, char uid[16])
{
	(void)snprintf(uid, 16, "%04x-%u", (i * 40503U) & 0xffff, i);
}

static void add_many(struct fixture *f, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		char uid[16];

		if (i % 1000 == 0 || i == from)
			fixture_begin(f);
		uid_of(i, uid);
		assert_int_equal(fixture_add(f, uid, SHK_ALLOC_RESERVED), SHK_OK);
		if (i % 1000 == 999 || i + 1 == to)
			fixture_commit(f);
	}
}

static void change_some(struct fixture *f, unsigned step)
{
	struct shk_error err;
	char uid[16];

	fixture_begin(f);
	uid_of(step % 900, uid);
	if (fixture_state(f, uid) == SHK_ALLOC_RESERVED)
		assert_ok(shk_ledger_alloc_move(f->ledger, uid, SHK_ALLOC_BOUND, &err), &err);
	uid_of((step * 7) % 900, uid);
	if (fixture_state(f, uid) != SHK_ALLOC_NONE)
		assert_ok(shk_ledger_alloc_end(f->ledger, uid, "deleted", &err), &err);
	uid_of(100000 + step, uid);
	assert_int_equal(fixture_add(f, uid, SHK_ALLOC_BOUND), SHK_OK);
	assert_ok(shk_ledger_cordon(f->ledger, uid, true, &err), &err);
	assert_ok(shk_ledger_applied_put(
		      f->ledger, "/f", "Tenant", uid,
		      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", &err),
		  &err);
	if (step % 11 == 0)
		shk_ledger_rollback(f->ledger);
	else
		fixture_commit(f);
}

static void written_between_slices(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_verify *verify;
	const struct shk_ledger_report *report;
	const struct shk_alloc *allocs = NULL;
	uint64_t last;
	bool done = false;
	unsigned steps = 0;
	size_t n = 0;
	struct shk_error err;

	fixture_open(f);
	add_many(f, 0, 900);
	last = shk_ledger_seq(f->ledger);
	verify = shk_ledger_verify_new(f->ledger);
	assert_null(shk_ledger_verify_new(f->ledger));
	while (!done) {
		assert_ok(shk_ledger_verify_step(verify, 13, &done, &err), &err);
		/* Rollbacks start the tables anew, so let it end some day. */
		if (!done && steps < 300)
			change_some(f, steps++);
	}
	assert_int_equal(steps, 300);
	report = shk_ledger_verify_report(verify);
	assert_ok(shk_ledger_allocs(f->ledger, &f->arena, &allocs, &n, &err), &err);
	if (report->n_findings > 0)
		fail_msg("%s", report->findings[0]);
	assert_int_equal(report->first_seq, 1);
	assert_int_equal(report->last_seq, last);
	assert_int_equal(report->rows, last);
	assert_int_equal(report->allocations, n);
	assert_ok(shk_ledger_verify_step(verify, 13, &done, &err), &err);
	assert_true(done);
	shk_ledger_verify_free(verify);
	shk_ledger_verify_free(NULL);
}

static void not_within_a_batch(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_verify *verify;
	struct shk_ledger_backup *backup = NULL;
	struct shk_error err;
	char copy[128];
	bool done;

	(void)snprintf(copy, sizeof(copy), "%s.copy", f->path);
	fixture_open(f);
	verify = shk_ledger_verify_new(f->ledger);
	assert_ok(shk_ledger_backup_new(f->ledger, copy, &backup, &err), &err);
	fixture_begin(f);
	assert_int_equal(shk_ledger_verify_step(verify, 1, &done, &err), SHK_E_CONFLICT);
	assert_int_equal(shk_ledger_backup_step(backup, 1, &done, &err), SHK_E_CONFLICT);
	shk_ledger_rollback(f->ledger);
	/* The ledger may go first. */
	fixture_close(f);
	assert_int_equal(shk_ledger_verify_step(verify, 1, &done, &err), SHK_E_UNAVAILABLE);
	assert_int_equal(shk_ledger_backup_step(backup, 1, &done, &err), SHK_E_UNAVAILABLE);
	assert_int_equal(shk_ledger_verify_report(verify)->n_findings, 0);
	shk_ledger_verify_free(verify);
	shk_ledger_backup_free(backup);
	shk_ledger_backup_free(NULL);
	(void)snprintf(copy, sizeof(copy), "%s.copy.part", f->path);
	assert_false(file_exists(copy));
}

/* More findings than the report has room for are counted. */
static void many_findings(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_verify *verify;
	struct shk_error err;
	bool done = false;

	fixture_open(f);
	add_many(f, 0, 60);
	f->ledger->privileged = true;
	assert_ok(shk_ledger_sql_exec(f->ledger->db, "DROP TRIGGER journal_no_update", &err), &err);
	assert_ok(shk_ledger_sql_exec(f->ledger->db, "UPDATE journal SET body = body || 'x'", &err),
		  &err);
	f->ledger->privileged = false;
	verify = shk_ledger_verify_new(f->ledger);
	while (!done)
		assert_ok(shk_ledger_verify_step(verify, 7, &done, &err), &err);
	assert_contains(shk_ledger_verify_report(verify)->findings[0], "journal_no_update");
	assert_contains(shk_ledger_verify_report(verify)->findings[31], "hash does not match");
	/* The schema, each of 62 rows, each of 60 first rows of allocations. */
	assert_int_equal(shk_ledger_verify_report(verify)->n_findings, 1 + 62);
	shk_ledger_verify_free(verify);
}

static void ten_thousand_rows(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_verify *verify;
	struct shk_error err;
	double worst = 0;
	double begin;
	bool done = false;

	fixture_open(f);
	add_many(f, 0, 10000);
	begin = seconds();
	verify = shk_ledger_verify_new(f->ledger);
	assert_ok(shk_ledger_verify_step(verify, 200, &done, &err), &err); /* integrity_check */
	print_message("10k rows: first step %.1f ms", (seconds() - begin) * 1e3);
	while (!done) {
		double before = seconds();

		assert_ok(shk_ledger_verify_step(verify, 200, &done, &err), &err);
		if (seconds() - before > worst)
			worst = seconds() - before;
	}
	print_message(", worst slice of 200 rows %.1f ms, all %.1f ms\n", worst * 1e3,
		      (seconds() - begin) * 1e3);
	assert_int_equal(shk_ledger_verify_report(verify)->n_findings, 0);
	assert_int_equal(shk_ledger_verify_report(verify)->allocations, 10000);
	assert_true(shk_ledger_verify_report(verify)->rows > 10010); /* checkpoints */
	shk_ledger_verify_free(verify);
	fixture_close(f);
	assert_true(raw_number(f->path, "SELECT count(*) FROM journal WHERE kind = 'checkpoint'") >
		    9);
}

static void forty_thousand_allocations(void **state)
{
	struct fixture *f = *state;
	const struct shk_alloc *allocs = NULL;
	struct shk_error err;
	double begin;
	size_t n = 0;

	f->vfs = NULL;
	fixture_open(f);
	begin = seconds();
	add_many(f, 0, 40000);
	print_message("40k allocations: added in %.2f s, ", seconds() - begin);
	fixture_close(f);
	begin = seconds();
	fixture_open(f);
	print_message("opened in %.0f ms, ", (seconds() - begin) * 1e3);
	begin = seconds();
	assert_ok(shk_ledger_allocs(f->ledger, &f->arena, &allocs, &n, &err), &err);
	print_message("loaded in %.0f ms, file %.1f MiB\n", (seconds() - begin) * 1e3,
		      (double)shk_ledger_file_bytes(f->ledger) / (1 << 20));
	assert_int_equal(n, 40000);
}

/* Informational: one bind is two commits. */
static void commit_rate(void **state)
{
	struct fixture *f = *state;
	double begin;

	f->vfs = NULL;
	fixture_open(f);
	begin = seconds();
	for (unsigned i = 0; i < 200; i++) {
		char uid[16];

		uid_of(i, uid);
		fixture_begin(f);
		assert_int_equal(fixture_add(f, uid, SHK_ALLOC_RESERVED), SHK_OK);
		fixture_commit(f);
	}
	print_message("200 commits of one row: %.2f ms each\n", (seconds() - begin) * 1e3 / 200);
}

/* --- copies ----------------------------------------------------------------------------------- */

static void copy_while_writing(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_backup *backup = NULL;
	struct shk_ledger_backup *other = NULL;
	struct stat st;
	struct shk_error err;
	char copy[128];
	char part[140];
	bool done = false;
	unsigned steps = 0;
	uint64_t seq = 0;

	(void)snprintf(copy, sizeof(copy), "%s.copy", f->path);
	(void)snprintf(part, sizeof(part), "%s.part", copy);
	file_write(part, "left by somebody", 16);
	fixture_open(f);
	add_many(f, 0, 900);
	/* What is in the way stays. */
	assert_int_equal(shk_ledger_backup_new(f->ledger, copy, &backup, &err), SHK_E_CONFLICT);
	assert_true(file_exists(part));
	assert_int_equal(unlink(part), 0);
	assert_ok(shk_ledger_backup_new(f->ledger, copy, &backup, &err), &err);
	assert_int_equal(shk_ledger_backup_new(f->ledger, part, &other, &err), SHK_E_BUSY);
	while (!done) {
		seq = shk_ledger_seq(f->ledger);
		assert_ok(shk_ledger_backup_step(backup, 16, &done, &err), &err);
		assert_int_equal(file_exists(copy), done);
		/* A rollback makes SQLite copy from the start. */
		if (!done && steps < 40)
			change_some(f, steps++);
		if (steps == 5)
			shk_ledger_idle(f->ledger);
	}
	assert_true(steps > 5);
	assert_int_equal(shk_ledger_backup_step(backup, 16, &done, &err), SHK_E_UNAVAILABLE);
	shk_ledger_backup_free(backup);
	assert_true(file_exists(copy));
	assert_false(file_exists(part));
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(shk_ledger_backup_new(f->ledger, copy, &backup, &err), SHK_E_CONFLICT);
	fixture_close(f);
	memcpy(f->path, copy, strlen(copy) + 1);
	fixture_open(f);
	assert_int_equal(shk_ledger_seq(f->ledger), seq + 1); /* and the new epoch */
	assert_string_equal(fixture_verify(f, 1000), "");
	change_some(f, 1000);
}

static void copies_that_fail(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_backup *backup = NULL;
	struct shk_error err;
	char copy[128];
	char part[140];
	bool done = false;

	(void)snprintf(copy, sizeof(copy), "%s.copy", f->path);
	(void)snprintf(part, sizeof(part), "%s.part", copy);
	fixture_open(f);
	add_many(f, 0, 300);
	assert_int_equal(shk_ledger_backup_new(f->ledger, "/nowhere/copy", &backup, &err),
			 SHK_E_NOT_FOUND);
	assert_int_equal(mkdir(part, 0700), 0);
	assert_int_not_equal(shk_ledger_backup_new(f->ledger, copy, &backup, &err), SHK_OK);
	assert_int_equal(rmdir(part), 0);
	/* The disk fills up: the copy goes, the ledger doesn't mind. */
	for (unsigned nth = 1; !done && nth < 400; nth += 7) {
		enum shk_status status = SHK_OK;

		fault_vfs_fail(FAULT_WRITE, nth, true, SQLITE_FULL);
		assert_ok(shk_ledger_backup_new(f->ledger, copy, &backup, &err), &err);
		while (status == SHK_OK && !done)
			status = shk_ledger_backup_step(backup, 8, &done, &err);
		fault_vfs_heal();
		if (status != SHK_OK) {
			assert_int_equal(status, SHK_E_FULL);
			assert_int_equal(shk_ledger_backup_step(backup, 8, &done, &err),
					 SHK_E_UNAVAILABLE);
		}
		shk_ledger_backup_free(backup);
		assert_int_equal(file_exists(copy), done);
		assert_false(file_exists(part));
		fixture_begin(f);
		assert_ok(shk_ledger_cordon(f->ledger, "n", nth % 2 == 0, &err), &err);
		fixture_commit(f);
	}
	assert_true(done);
	assert_int_equal(unlink(copy), 0);
	fault_vfs_fail(FAULT_OPEN, 1, false, SQLITE_CANTOPEN);
	assert_int_equal(shk_ledger_backup_new(f->ledger, copy, &backup, &err), SHK_E_PERMISSION);
	/* Somebody else made the target meanwhile. */
	assert_ok(shk_ledger_backup_new(f->ledger, copy, &backup, &err), &err);
	file_write(copy, "x", 1);
	assert_int_equal(shk_ledger_backup_step(backup, 100000, &done, &err), SHK_E_CONFLICT);
	shk_ledger_backup_free(backup);
	assert_false(file_exists(part));
	fault_vfs_fail(FAULT_SYNC, 1, false, SQLITE_IOERR_FSYNC);
	assert_int_equal(unlink(copy), 0);
	assert_ok(shk_ledger_backup_new(f->ledger, copy, &backup, &err), &err);
	assert_int_equal(shk_ledger_backup_step(backup, 100000, &done, &err), SHK_E_IO);
	shk_ledger_backup_free(backup);
	assert_string_equal(fixture_verify(f, 1000), "");
}

/* A name without a directory is one in the working directory. */
static void copy_beside_us(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_backup *backup = NULL;
	struct shk_error err;
	char here[256];
	bool done = false;

	assert_non_null(getcwd(here, sizeof(here)));
	fixture_open(f);
	assert_int_equal(chdir(f->dir), 0);
	assert_ok(shk_ledger_backup_new(f->ledger, "copy", &backup, &err), &err);
	assert_ok(shk_ledger_backup_step(backup, 100000, &done, &err), &err);
	assert_true(done);
	shk_ledger_backup_free(backup);
	assert_true(file_exists("copy"));
	assert_int_equal(chdir(here), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(written_between_slices), TEST(not_within_a_batch),         TEST(many_findings),
	    TEST(ten_thousand_rows),      TEST(forty_thousand_allocations), TEST(commit_rate),
	    TEST(copy_while_writing),     TEST(copies_that_fail),           TEST(copy_beside_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
