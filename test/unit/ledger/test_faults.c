/* test_faults.c - disks that refuse, and machines that lose power.
 *
 * After every failure a batch is there as a whole or not at all, the next open verifies, and
 * what was acknowledged is there. */
#include "fixture.h"

#include <unistd.h>

#include "../../../src/ledger/ledger_priv.h"

static const char *const kept = "kept"; /* an allocation made before anything fails */

/* One batch over several tables; its number is in every name. */
static enum shk_status batch(struct fixture *f, int number, struct shk_error *err)
{
	char first[24];
	char second[24];
	char body[32];
	enum shk_status status = shk_ledger_begin(f->ledger, NOW, err);

	if (status != SHK_OK)
		return status;
	(void)snprintf(first, sizeof(first), "a-%d", number);
	(void)snprintf(second, sizeof(second), "b-%d", number);
	(void)snprintf(body, sizeof(body), "{\"n\":%d}", number);
	status = fixture_add(f, first, SHK_ALLOC_RESERVED);
	if (status == SHK_OK)
		status = shk_ledger_document_put(f->ledger, "Grant", "g", body, NULL, err);
	if (status == SHK_OK)
		status = shk_ledger_alloc_move(f->ledger, first, SHK_ALLOC_BOUND, err);
	if (status == SHK_OK)
		status = shk_ledger_cordon(f->ledger, second, true, err);
	if (status == SHK_OK)
		status = shk_ledger_decision(f->ledger, "bind", first, "p", body, err);
	if (status == SHK_OK)
		status = fixture_add(f, second, SHK_ALLOC_FOREIGN);
	if (status != SHK_OK) {
		shk_ledger_rollback(f->ledger);
		return status;
	}
	return shk_ledger_commit(f->ledger, err);
}

static bool has_cordon(struct fixture *f, const char *node)
{
	const char *const *nodes = NULL;
	struct shk_error err;
	size_t n = 0;
	bool found = false;

	assert_ok(shk_ledger_cordons(f->ledger, &f->arena, &nodes, &n, &err), &err);
	for (size_t i = 0; i < n; i++)
		found = found || strcmp(nodes[i], node) == 0;
	return found;
}

/* Is the batch in the ledger? Fails when only a part of it is. */
static bool batch_there(struct fixture *f, int number)
{
	char first[24];
	char second[24];
	bool there;

	(void)snprintf(first, sizeof(first), "a-%d", number);
	(void)snprintf(second, sizeof(second), "b-%d", number);
	there = fixture_state(f, first) == SHK_ALLOC_BOUND;
	assert_int_equal(fixture_state(f, first), there ? SHK_ALLOC_BOUND : SHK_ALLOC_NONE);
	assert_int_equal(fixture_state(f, second), there ? SHK_ALLOC_FOREIGN : SHK_ALLOC_NONE);
	assert_int_equal(has_cordon(f, second), there);
	return there;
}

static void make_base(struct fixture *f, char good[128])
{
	struct shk_error err;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(fixture_add(f, kept, SHK_ALLOC_BOUND), &err);
	fixture_commit(f);
	fixture_close(f);
	(void)snprintf(good, 128, "%s.good", f->path);
	file_copy(f->path, good);
}

static void remove_side_files(struct fixture *f)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s-wal", f->path);
	(void)remove(name);
	(void)snprintf(name, sizeof(name), "%s-journal", f->path);
	(void)remove(name);
}

struct failure {
	enum fault_op op;
	int rc;
	enum shk_status status;
};

static const struct failure failures[] = {
    {FAULT_WRITE, SQLITE_FULL, SHK_E_FULL},
    {FAULT_WRITE, SQLITE_IOERR_WRITE, SHK_E_IO},
    {FAULT_SYNC, SQLITE_IOERR_FSYNC, SHK_E_IO},
    {FAULT_SYNC, SQLITE_FULL, SHK_E_FULL},
    {FAULT_READ, SQLITE_IOERR_READ, SHK_E_IO},
    {FAULT_TRUNCATE, SQLITE_IOERR_TRUNCATE, SHK_E_IO},
    {FAULT_DELETE, SQLITE_IOERR_DELETE, SHK_E_IO},
};

#define N_FAILURES (sizeof(failures) / sizeof(failures[0]))

static void refuses_everything(struct fixture *f)
{
	const struct shk_alloc *allocs = NULL;
	const struct shk_ledger_document *documents = NULL;
	const char *const *nodes = NULL;
	struct shk_ledger_backup *backup = NULL;
	struct shk_ledger_verify *verify;
	struct shk_ledger_answer answer;
	struct shk_error err;
	char hash[65];
	char copy[128];
	bool done;
	size_t n;

	(void)snprintf(copy, sizeof(copy), "%s.copy", f->path);
	assert_int_equal(shk_ledger_begin(f->ledger, NOW, &err), SHK_E_IO);
	assert_contains(err.text, "must be opened again");
	assert_int_equal(shk_ledger_allocs(f->ledger, &f->arena, &allocs, &n, &err), SHK_E_IO);
	assert_int_equal(shk_ledger_documents(f->ledger, &f->arena, &documents, &n, &err),
			 SHK_E_IO);
	assert_int_equal(shk_ledger_cordons(f->ledger, &f->arena, &nodes, &n, &err), SHK_E_IO);
	assert_int_equal(shk_ledger_applied_get(f->ledger, "f", "k", "n", hash, &err), SHK_E_IO);
	assert_int_equal(shk_ledger_idempotency_get(f->ledger, "k", "h", &f->arena, &answer, &err),
			 SHK_E_IO);
	assert_int_equal(shk_ledger_backup_new(f->ledger, copy, &backup, &err), SHK_E_IO);
	verify = shk_ledger_verify_new(f->ledger);
	assert_int_equal(shk_ledger_verify_step(verify, 1, &done, &err), SHK_E_IO);
	shk_ledger_verify_free(verify);
	shk_ledger_idle(f->ledger);
}

/* The handle after a batch that failed so. */
static void check_handle(struct fixture *f, enum shk_status status, uint64_t seq)
{
	struct shk_error err;

	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	if (status != SHK_E_FULL) {
		assert_int_equal(status, SHK_E_IO);
		refuses_everything(f);
		return;
	}
	assert_false(batch_there(f, 1));
	assert_int_equal(fixture_state(f, kept), SHK_ALLOC_BOUND);
	fault_vfs_heal(); /* there is space again */
	assert_ok(batch(f, 2, &err), &err);
	assert_true(batch_there(f, 2));
	assert_string_equal(fixture_verify(f, 1000), "");
}

/* One run with the nth operation failing; false once it isn't reached any more. */
static bool fail_once(struct fixture *f, const char *good, const struct failure *failure,
		      unsigned nth, bool forever)
{
	struct shk_error err;
	enum shk_status status;
	uint64_t seq;
	bool reached;

	remove_side_files(f);
	file_copy(good, f->path);
	fixture_open(f);
	seq = shk_ledger_seq(f->ledger);
	fault_vfs_fail(failure->op, nth, forever, failure->rc);
	nth += fault_vfs_count(failure->op);
	status = batch(f, 1, &err);
	reached = fault_vfs_count(failure->op) >= nth;
	if (status != SHK_OK) {
		assert_int_equal(status, failure->status);
		check_handle(f, status, seq);
	} else {
		assert_true(batch_there(f, 1));
	}
	fixture_close(f); /* what fails here is silent */
	reached = reached || fault_vfs_count(failure->op) >= nth;
	fault_vfs_heal();
	fixture_open(f);
	assert_int_equal(fixture_state(f, kept), SHK_ALLOC_BOUND);
	assert_true(batch_there(f, 1) || status != SHK_OK);
	assert_string_equal(fixture_verify(f, 1000), "");
	fixture_close(f);
	return reached;
}

static void every_operation_of_a_batch(void **state)
{
	struct fixture *f = *state;
	char good[128];
	unsigned runs = 0;

	make_base(f, good);
	for (size_t i = 0; i < N_FAILURES; i++)
		for (int forever = 0; forever < 2; forever++)
			for (unsigned nth = 1; nth < 300; nth++) {
				runs++;
				if (!fail_once(f, good, &failures[i], nth, forever != 0))
					break;
			}
	print_message("%u runs\n", runs);
}

/* Failures while opening: of an old file, of one with a log, and of a new one. */
static bool fail_open(struct fixture *f, const char *good, const struct failure *failure,
		      unsigned nth, bool forever)
{
	struct shk_error err;
	enum shk_status status;
	bool reached;

	remove_side_files(f);
	if (good)
		file_copy(good, f->path);
	else
		(void)remove(f->path);
	fault_vfs_fail(failure->op, nth, forever, failure->rc);
	nth += fault_vfs_count(failure->op);
	status = fixture_try_open(f, &err);
	reached = fault_vfs_count(failure->op) >= nth;
	if (status == SHK_OK)
		fixture_close(f);
	else
		/* Where SQLite can't read or remove a file, it may take it for another's, and to
		 * its checks a page that can't be read is a damaged one. */
		if (status != failure->status && status != SHK_E_PERMISSION &&
		    !(failure->op == FAULT_READ && status == SHK_E_CORRUPT))
			fail_msg("op %d, number %u: %s", (int)failure->op, nth, err.text);
	fault_vfs_heal();
	fixture_open(f);
	assert_int_equal(fixture_state(f, kept), good ? SHK_ALLOC_BOUND : SHK_ALLOC_NONE);
	assert_string_equal(fixture_verify(f, 1000), "");
	fixture_close(f);
	return reached;
}

static void every_operation_of_open(void **state)
{
	static const struct failure cannot_open = {FAULT_OPEN, SQLITE_CANTOPEN, SHK_E_PERMISSION};
	struct fixture *f = *state;
	char good[128];

	make_base(f, good);
	for (size_t i = 0; i <= N_FAILURES; i++)
		for (int kind = 0; kind < 4; kind++)
			for (unsigned nth = 1; nth < 300; nth++)
				if (!fail_open(f, kind & 1 ? good : NULL,
					       i < N_FAILURES ? &failures[i] : &cannot_open, nth,
					       (kind & 2) != 0))
					break;
}

/* --- statements ------------------------------------------------------------------------------ */

static enum shk_status write_everything(struct fixture *f, struct shk_error *err)
{
	static const char *const namespaces[] = {"x", "y"};
	static const struct shk_quota_entry quota[] = {{.unit = "u", .ceiling = 1},
						       {.unit = "v", .ceiling = 1}};
	static const char hash[] =
	    "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";
	const struct shk_tenant tenant = {
	    .name = "t", .namespaces = namespaces, .n_namespaces = 2, .quota = quota, .n_quota = 2};
	const struct shk_ledger_audit audit = {.actor = "a", .object = "o"};
	struct shk_ledger *ledger = f->ledger;
	enum shk_status status = fixture_add(f, "new", SHK_ALLOC_RESERVED);

	if (status == SHK_OK)
		status = shk_ledger_alloc_move(ledger, "new", SHK_ALLOC_BOUND, err);
	if (status == SHK_OK)
		status = shk_ledger_alloc_end(ledger, kept, "deleted", err);
	if (status == SHK_OK)
		status = shk_ledger_document_put(ledger, "Tenant", "t", "{2}", &tenant, err);
	if (status == SHK_OK)
		status = shk_ledger_document_delete(ledger, "Tenant", "old", err);
	if (status == SHK_OK)
		status = shk_ledger_applied_put(ledger, "/f", "Tenant", "t", hash, err);
	if (status == SHK_OK)
		status = shk_ledger_cordon(ledger, "n1", true, err);
	if (status == SHK_OK)
		status = shk_ledger_cordon(ledger, "n0", false, err);
	if (status == SHK_OK)
		status = shk_ledger_audit(ledger, &audit, err);
	if (status == SHK_OK)
		status = shk_ledger_policy(ledger, "h2", "b", err);
	if (status == SHK_OK)
		status = shk_ledger_decision(ledger, "filter", "u", "p", "{}", err);
	if (status == SHK_OK)
		status = shk_ledger_idempotency_put(ledger, "k", "h", 200, "{}", err);
	return status;
}

static enum shk_status read_everything(struct fixture *f, struct shk_error *err)
{
	const struct shk_alloc *allocs = NULL;
	const struct shk_ledger_document *documents = NULL;
	const char *const *nodes = NULL;
	struct shk_ledger_answer answer;
	struct shk_ledger_verify *verify;
	char hash[65];
	bool done = false;
	size_t n;
	enum shk_status status = shk_ledger_allocs(f->ledger, &f->arena, &allocs, &n, err);

	if (status == SHK_OK)
		status = shk_ledger_documents(f->ledger, &f->arena, &documents, &n, err);
	if (status == SHK_OK)
		status = shk_ledger_cordons(f->ledger, &f->arena, &nodes, &n, err);
	if (status == SHK_OK)
		status = shk_ledger_applied_get(f->ledger, "/f", "Tenant", "t", hash, err);
	if (status == SHK_OK)
		status = shk_ledger_idempotency_get(f->ledger, "k", "h", &f->arena, &answer, err);
	verify = shk_ledger_verify_new(f->ledger);
	while (status == SHK_OK && !done)
		status = shk_ledger_verify_step(verify, 5, &done, err);
	assert_int_equal(shk_ledger_verify_report(verify)->n_findings, 0);
	shk_ledger_verify_free(verify);
	return status;
}

static int stop(void *context)
{
	unsigned *left = context;

	if (*left > 0)
		--*left;
	return *left == 0;
}

/* Stops SQLite at the nth instruction of its machine; false once that many aren't run. */
static bool interrupt_at(unsigned nth)
{
	const struct shk_tenant old = {.name = "old"};
	struct shk_ledger_options options = {.path = ":memory:", .now_s = NOW};
	struct fixture f = {0};
	unsigned left = nth;
	struct shk_error err;
	uint64_t seq;
	enum shk_status status;

	assert_ok(shk_ledger_open(&options, &f.ledger, &err), &err);
	fixture_begin(&f);
	assert_ok(fixture_add(&f, kept, SHK_ALLOC_BOUND), &err);
	assert_ok(shk_ledger_document_put(f.ledger, "Tenant", "old", "{}", &old, &err), &err);
	assert_ok(shk_ledger_cordon(f.ledger, "n0", true, &err), &err);
	assert_ok(shk_ledger_policy(f.ledger, "h", "b", &err), &err);
	fixture_commit(&f);
	seq = shk_ledger_seq(f.ledger);
	sqlite3_progress_handler(f.ledger->db, 1, stop, &left);
	status = shk_ledger_begin(f.ledger, NOW, &err);
	if (status == SHK_OK) {
		status = write_everything(&f, &err);
		if (status == SHK_OK)
			status = shk_ledger_commit(f.ledger, &err);
		else
			shk_ledger_rollback(f.ledger);
	}
	if (status == SHK_OK)
		seq = shk_ledger_seq(f.ledger);
	if (status == SHK_OK)
		status = read_everything(&f, &err);
	sqlite3_progress_handler(f.ledger->db, 0, NULL, NULL);
	assert_int_equal(shk_ledger_seq(f.ledger), seq);
	assert_true(status == SHK_OK || status == SHK_E_IO);
	if (status != SHK_OK && f.ledger->dead.status == SHK_OK)
		assert_ok(read_everything(&f, &err), &err); /* a check that was stopped */
	shk_arena_fini(&f.arena);
	fixture_close(&f);
	return status != SHK_OK;
}

static void interrupted_anywhere(void **state)
{
	unsigned runs = 0;

	(void)state;
	for (unsigned nth = 1; interrupt_at(nth); nth += 1 + nth / 100)
		runs++;
	print_message("%u interruptions\n", runs);
	assert_true(runs > 100);
}

/* --- power ------------------------------------------------------------------------------------ */

#define N_BATCHES 6

/* Opens and closes twice; how many batches were acknowledged. */
static int work(struct fixture *f)
{
	struct shk_error err;
	int done = 0;

	for (int round = 0; round < 2; round++) {
		if (fixture_try_open(f, &err) != SHK_OK)
			return done;
		f->ledger->wal_retry = 30; /* a checkpoint between batches too */
		for (int i = 0; i < N_BATCHES / 2; i++) {
			if (batch(f, round * N_BATCHES / 2 + i, &err) != SHK_OK) {
				fixture_close(f);
				return done;
			}
			done++;
		}
		fixture_close(f);
	}
	return done;
}

static bool crash_once(struct fixture *f, enum fault_op op, unsigned nth, unsigned seed)
{
	bool crashed;
	int acknowledged;

	remove_side_files(f);
	(void)remove(f->path);
	fault_vfs_reset();
	fault_vfs_crash_at(op, nth);
	acknowledged = work(f);
	crashed = fault_vfs_crashed();
	fault_vfs_power_on(seed);
	fixture_open(f);
	for (int i = 0; i < acknowledged; i++)
		if (!batch_there(f, i))
			fail_msg("op %d, number %u, seed %u: batch %d was lost", (int)op, nth, seed,
				 i);
	/* The one under way may be there, later ones can't. */
	if (acknowledged < N_BATCHES)
		(void)batch_there(f, acknowledged);
	for (int i = acknowledged + 1; i < N_BATCHES; i++)
		assert_false(batch_there(f, i));
	assert_string_equal(fixture_verify(f, 1000), "");
	fixture_close(f);
	return crashed;
}

static void crashes(struct fixture *f, enum fault_op op, unsigned seeds)
{
	unsigned runs = 0;

	for (unsigned nth = 1; nth < 1000; nth++) {
		bool crashed = true;

		for (unsigned seed = 0; seed < seeds; seed++) {
			crashed = crash_once(f, op, nth, seed);
			runs++;
		}
		if (!crashed)
			break;
	}
	print_message("%u crashes\n", runs);
}

static void power_lost_at_each_sync(void **state)
{
	crashes(*state, FAULT_SYNC, 6);
}

static void power_lost_at_each_write(void **state)
{
	crashes(*state, FAULT_WRITE, 2);
}

static void power_lost_at_each_delete(void **state)
{
	crashes(*state, FAULT_DELETE, 2);
	crashes(*state, FAULT_TRUNCATE, 2);
}

/* --- the log --------------------------------------------------------------------------------- */

static void log_stays_small(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	f->ledger->wal_retry = 100;
	for (int i = 0; i < 60; i++) {
		assert_ok(batch(f, i, &err), &err);
		f->ledger->wal_retry = 100;
	}
	assert_true(shk_ledger_wal_bytes(f->ledger) < 200 * 4120);
	/* Idle work waits until it pays. */
	shk_ledger_idle(f->ledger);
	f->ledger->wal_retry = SHK_LEDGER_WAL_FORCED;
	for (int i = 60; f->ledger->wal_frames < 256; i++)
		assert_ok(batch(f, i, &err), &err);
	fixture_begin(f);
	shk_ledger_idle(f->ledger);
	assert_true(f->ledger->wal_frames >= 256);
	shk_ledger_rollback(f->ledger);
	shk_ledger_idle(f->ledger);
	assert_int_equal(f->ledger->wal_frames, 0);
}

/* A checkpoint that fails loses nothing and is tried again. */
static void checkpoint_fails(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	for (int i = 0; f->ledger->wal_frames < 256; i++)
		assert_ok(batch(f, i, &err), &err);
	fault_vfs_fail(FAULT_WRITE, 1, true, SQLITE_FULL);
	shk_ledger_idle(f->ledger);
	assert_true(f->ledger->wal_frames >= 256);
	fault_vfs_heal();
	assert_true(batch_there(f, 0));
	shk_ledger_idle(f->ledger);
	assert_int_equal(f->ledger->wal_frames, 0);
	assert_string_equal(fixture_verify(f, 1000), "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(every_operation_of_a_batch),
	    TEST(every_operation_of_open),
	    TEST(interrupted_anywhere),
	    TEST(power_lost_at_each_sync),
	    TEST(power_lost_at_each_write),
	    TEST(power_lost_at_each_delete),
	    TEST(log_stays_small),
	    TEST(checkpoint_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
