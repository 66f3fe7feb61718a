/* test_damage.c - what SQL may not do, and bytes that somebody or something changed. */
#include "fixture.h"

#include <unistd.h>

static const char hash_a[65] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/* A ledger with a bit of everything, closed. */
static void fill(struct fixture *f)
{
	static const char *const namespaces[] = {"ns-marked"};
	static const struct shk_quota_entry quota[] = {{.unit = "gpuEquivalents", .ceiling = 8}};
	const struct shk_tenant tenant = {.name = "vision",
					  .namespaces = namespaces,
					  .n_namespaces = 1,
					  .quota = quota,
					  .n_quota = 1};
	const struct shk_ledger_audit audit = {
	    .actor = "audit-marked", .source = "s", .verb = "v", .object = "o", .before = "{}"};
	struct shk_error err;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(shk_ledger_document_put(f->ledger, "Tenant", "vision",
					  "{\"body\":\"document-marked\"}", &tenant, &err),
		  &err);
	assert_ok(shk_ledger_document_put(f->ledger, "Grant", "g", "{}", NULL, &err), &err);
	assert_ok(shk_ledger_applied_put(f->ledger, "/applied-marked", "Grant", "g", hash_a, &err),
		  &err);
	assert_ok(shk_ledger_cordon(f->ledger, "cordon-marked", true, &err), &err);
	assert_ok(shk_ledger_audit(f->ledger, &audit, &err), &err);
	assert_ok(shk_ledger_policy(f->ledger, "sha256:x", "policy-marked", &err), &err);
	assert_ok(fixture_add(f, "alloc-marked", SHK_ALLOC_RESERVED), &err);
	assert_ok(fixture_add(f, "alloc-other", SHK_ALLOC_FOREIGN), &err);
	assert_ok(shk_ledger_alloc_move(f->ledger, "alloc-marked", SHK_ALLOC_BOUND, &err), &err);
	fixture_commit(f);
	fixture_close(f);
}

/* --- SQL that the file itself refuses -------------------------------------------------------- */

static void refused_by_triggers(void **state)
{
	static const char *const tries[][2] = {
	    {"UPDATE journal SET body = 'x' WHERE seq = 3", "journal is append-only"},
	    {"DELETE FROM journal WHERE seq = 3", "journal is append-only"},
	    {"DELETE FROM journal", "journal is append-only"},
	    {"REPLACE INTO journal SELECT * FROM journal WHERE seq = 3", "follow one another"},
	    {"INSERT INTO journal SELECT seq + 100, cluster_id, epoch, ts, kind, object, body, "
	     "state_hash, prev, hash FROM journal WHERE seq = 3",
	     "follow one another"},
	    {"UPDATE audit SET actor = 'x'", "audit is append-only"},
	    {"DELETE FROM audit", "audit is append-only"},
	    {"UPDATE policy_revisions SET body = 'x'", "policy_revisions is append-only"},
	    {"DELETE FROM policy_revisions", "policy_revisions is append-only"},
	    {"UPDATE allocations SET state = 'reserved'", "cannot move so"},
	    {"UPDATE allocations SET state = 'bound' WHERE state = 'foreign'", "cannot move so"},
	    {"UPDATE allocations SET tenant = 'x'", "only the state"},
	    {"UPDATE allocations SET gpu_equivalents = 0", "only the state"},
	    {"INSERT INTO allocations SELECT * FROM allocations", "UNIQUE"},
	    {"UPDATE balances SET used = -1", "CHECK"},
	    {"UPDATE quotas SET guaranteed = 1", "CHECK"},
	    {"INSERT INTO meta VALUES (2, 'x', 1)", "CHECK"},
	    {"PRAGMA foreign_keys = ON; DELETE FROM tenants", "FOREIGN KEY"},
	    {"INSERT INTO cordons VALUES (x'00')", "cannot store BLOB"},
	};
	struct fixture *f = *state;
	char message[256];

	fill(f);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		assert_int_equal(raw_exec(f->path, tries[i][0], message), SQLITE_CONSTRAINT);
		assert_contains(message, tries[i][1]);
	}
	fixture_open(f);
	assert_string_equal(fixture_verify(f, 2), "");
}

/* --- SQL by somebody who takes the triggers away first --------------------------------------- */

static int keep_trigger(void *context, int n, char **values, char **names)
{
	struct shk_buf *sql = context;

	(void)n;
	(void)names;
	shk_buf_printf(&sql[0], "DROP TRIGGER %s;", values[0]);
	shk_buf_printf(&sql[1], "%s;", values[1]);
	return 0;
}

static void tamper(const char *path, const char *change)
{
	struct shk_buf sql[2] = {0};
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
				      keep_trigger, sql, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql[0].data, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, change, NULL, NULL, NULL), SQLITE_OK);
	assert_true(sqlite3_total_changes(db) > 0);
	assert_int_equal(sqlite3_exec(db, sql[1].data, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	shk_buf_fini(&sql[0]);
	shk_buf_fini(&sql[1]);
}

/* What open says, else what a full verification finds first; "" when neither minds. */
static const char *found_by_anybody(struct fixture *f, bool *ret_opened)
{
	struct shk_error err;
	enum shk_status status = fixture_try_open(f, &err);
	const char *text;

	*ret_opened = status == SHK_OK;
	if (status != SHK_OK) {
		assert_int_equal(status, SHK_E_CORRUPT);
		return shk_arena_strdup(&f->arena, err.text);
	}
	text = fixture_verify(f, 3);
	fixture_close(f);
	return text;
}

static void changed_rows(void **state)
{
	static const char *const changes[][2] = {
	    {"UPDATE journal SET body = body || ' ' WHERE kind = 'alloc-add' AND object = "
	     "'alloc-marked'",
	     "journal row 9: hash does not match"},
	    {"UPDATE journal SET ts = ts + 1 WHERE seq = 1", "journal row 1: hash does not match"},
	    {"UPDATE journal SET kind = 'x' WHERE seq = 5", "journal row 5: hash does not match"},
	    {"UPDATE journal SET state_hash = zeroblob(32) WHERE seq = 5",
	     "journal row 5: hash does not match"},
	    {"UPDATE journal SET prev = zeroblob(32) WHERE seq = 5",
	     "journal row 5: hash does not match"},
	    {"UPDATE journal SET hash = zeroblob(32) WHERE seq = 5",
	     "journal row 5: hash does not match"},
	    {"UPDATE journal SET cluster_id = 'x' WHERE seq = 5",
	     "journal row 5: hash does not match"},
	    {"UPDATE journal SET epoch = 0 WHERE seq = 5", "journal row 5: hash does not match"},
	    {"DELETE FROM journal WHERE seq = 3", "journal row 3: is missing"},
	    {"DELETE FROM journal WHERE seq >= 12", "audit"}, /* replaced below */
	    {"DELETE FROM audit; DELETE FROM policy_revisions; DELETE FROM journal",
	     "the journal is empty"},
	    {"UPDATE allocations SET name = 'x' WHERE pod_uid = 'alloc-marked'",
	     "allocation alloc-marked isn't what journal row 9 says"},
	    {"UPDATE allocations SET gpu_equivalents = NULL WHERE pod_uid = 'alloc-other'",
	     "allocation alloc-other isn't what journal row 10 says"},
	    {"UPDATE allocations SET state = 'unknown' WHERE pod_uid = 'alloc-marked'",
	     "state hash of journal row"},
	    {"UPDATE allocations SET resources = 'nonsense' WHERE pod_uid = 'alloc-marked'",
	     "allocation alloc-marked can't be read"},
	    {"UPDATE allocations SET resources = 'a=01,=2' WHERE pod_uid = 'alloc-marked'",
	     "allocation alloc-marked can't be read"},
	    {"UPDATE allocations SET resources = 'b=1,a=2' WHERE pod_uid = 'alloc-marked'",
	     "allocation alloc-marked can't be read"},
	    {"UPDATE allocations SET resources = 'a=0' WHERE pod_uid = 'alloc-marked'",
	     "allocation alloc-marked can't be read"},
	    {"UPDATE allocations SET seq = 3 WHERE pod_uid = 'alloc-marked'",
	     "allocation alloc-marked isn't what journal row 3 says"},
	    {"UPDATE allocations SET seq = 9999 WHERE pod_uid = 'alloc-marked'",
	     "allocation alloc-marked isn't what journal row 9999 says"},
	    {"DELETE FROM allocations WHERE pod_uid = 'alloc-other'", "state hash of journal row"},
	    {"UPDATE tenants SET body = '{}'", "Tenant/vision isn't what journal row 3 says"},
	    {"UPDATE grants SET body = body || ' '", "Grant/g isn't what journal row 4 says"},
	    {"UPDATE grants SET resource_version = 3", "Grant/g isn't what journal row 3 says"},
	    {"UPDATE grants SET created_s = 0", "state hash of journal row"},
	    {"DELETE FROM grants", "state hash of journal row"},
	    {"UPDATE namespaces SET namespace = 'x'", "state hash of journal row"},
	    {"UPDATE quotas SET ceiling = 9", "state hash of journal row"},
	    {"UPDATE applied SET file = 'x'", "state hash of journal row"},
	    {"DELETE FROM cordons", "state hash of journal row"},
	    {"INSERT INTO cordons VALUES ('x')", "state hash of journal row"},
	    {"UPDATE balances SET used = used + 1 WHERE unit = 'gpuEquivalents'",
	     "the balance of vision in gpuEquivalents isn't the sum"},
	    {"UPDATE balances SET n = n + 1 WHERE unit = 'nvidia.com/gpu'",
	     "the balance of vision in nvidia.com/gpu isn't the sum"},
	    {"DELETE FROM balances WHERE unit = 'nvidia.com/gpu'",
	     "there is no balance of vision in nvidia.com/gpu"},
	    {"INSERT INTO balances VALUES ('x', 'y', 0, 0)", "the balance of x in y isn't the sum"},
	    {"UPDATE audit SET actor = 'x'", "the audit row of journal row 7"},
	    {"UPDATE audit SET before = NULL", "the audit row of journal row 7"},
	    {"DELETE FROM audit", "the audit row of journal row 7"},
	    {"INSERT INTO audit SELECT 3, ts, actor, source, verb, object, before, after, "
	     "request_id, reason FROM audit",
	     "1 rows of audit aren't in the journal"},
	    {"UPDATE policy_revisions SET body = 'x'", "the policy row of journal row 8"},
	    {"UPDATE policy_revisions SET hash = 'x'", "the policy row of journal row 8"},
	    {"INSERT INTO policy_revisions VALUES (3, 'x', 'y')",
	     "1 rows of policy_revisions aren't in the journal"},
	    {"PRAGMA foreign_keys = OFF; UPDATE namespaces SET tenant = 'x'",
	     "a row of namespaces refers to a missing one"},
	    {"UPDATE meta SET cluster_id = '00000000-0000-0000-0000-000000000000'",
	     "is of another cluster"},
	};
	struct fixture *f = *state;
	char good[128];
	bool opened;

	fill(f);
	(void)snprintf(good, sizeof(good), "%s.good", f->path);
	file_copy(f->path, good);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *text;

		file_copy(good, f->path);
		tamper(f->path, changes[i][0]);
		text = found_by_anybody(f, &opened);
		if (strcmp(changes[i][1], "audit") != 0) {
			assert_contains(text, changes[i][1]);
			continue;
		}
		/* A whole tail that is gone leaves a sound ledger of an earlier day, unless state
		 * changed since, as here. */
		assert_contains(text, "state hash of journal row 11");
	}
}

/* A forged row that hashes right, but says what no row may say. */
static void hashes_that_fit(void **state)
{
	struct fixture *f = *state;
	bool opened;

	fill(f);
	/* The chain's last rows swapped for the first ones: links break, hashes don't. */
	tamper(f->path, "CREATE TEMP TABLE t AS SELECT * FROM journal;"
			"DELETE FROM journal WHERE seq = 6;"
			"INSERT INTO journal SELECT 6, cluster_id, epoch, ts, kind, object, body, "
			"state_hash, prev, hash FROM t WHERE seq = 5; DROP TABLE t");
	assert_contains(found_by_anybody(f, &opened), "journal row 6: hash does not match");
	assert_true(opened); /* it lies before the last checkpoint */
}

/* --- bytes ----------------------------------------------------------------------------------- */

static void flipped_markers(void **state)
{
	static const char *const markers[] = {"ns-marked",     "document-marked", "applied-marked",
					      "cordon-marked", "audit-marked",    "policy-marked",
					      "alloc-marked",  "alloc-other"};
	struct fixture *f = *state;
	size_t size = 0;
	unsigned char *bytes;
	unsigned found = 0;
	bool opened;

	fill(f);
	bytes = file_read(f->path, &size);
	for (size_t m = 0; m < sizeof(markers) / sizeof(markers[0]); m++) {
		size_t len = strlen(markers[m]);

		for (size_t at = 0; at + len < size; at++) {
			const char *text;

			if (memcmp(bytes + at, markers[m], len) != 0)
				continue;
			bytes[at + len - 1] ^= 1;
			file_write(f->path, bytes, size);
			bytes[at + len - 1] ^= 1;
			text = found_by_anybody(f, &opened);
			if (!*text)
				fail_msg("%s at %zu wasn't found", markers[m], at);
			found++;
		}
	}
	free(bytes);
	assert_true(found >= 2 * sizeof(markers) / sizeof(markers[0]));
}

/* Any byte: refused with nothing changed, or open; never a crash. */
static void flipped_anywhere(void **state)
{
	struct fixture *f = *state;
	size_t size = 0;
	size_t later = 0;
	unsigned char *bytes;
	unsigned refused = 0;
	unsigned found = 0;
	unsigned tries = 0;

	f->vfs = NULL;
	fill(f);
	bytes = file_read(f->path, &size);
	for (size_t at = 0; at < size; at += at < 200 ? 1 : 211) {
		unsigned char *after;
		struct shk_error err;
		enum shk_status status;

		bytes[at] ^= (unsigned char)(1U << (at % 8));
		file_write(f->path, bytes, size);
		status = fixture_try_open(f, &err);
		if (status == SHK_OK) {
			found += *fixture_verify(f, 1000) != '\0';
			fixture_close(f);
		} else {
			after = file_read(f->path, &later);
			/* Byte 18 says which programs may write. */
			if (status != SHK_E_CORRUPT && status != SHK_E_VERSION && at != 18)
				fail_msg("byte %zu: %s", at, err.text);
			assert_int_equal(size, later);
			assert_memory_equal(bytes, after, size);
			free(after);
			refused++;
		}
		bytes[at] ^= (unsigned char)(1U << (at % 8));
		tries++;
	}
	free(bytes);
	print_message("%u flips: %u refused, %u found by verification\n", tries, refused, found);
	assert_true(refused > 20);
}

static void cut_short(void **state)
{
	struct fixture *f = *state;
	size_t size = 0;
	unsigned char *bytes;

	fill(f);
	bytes = file_read(f->path, &size);
	/* The last page may end early where nothing was written to it. */
	for (size_t len = 1; len + 4096 < size; len += 4095) {
		struct shk_error err;

		file_write(f->path, bytes, len);
		if (fixture_try_open(f, &err) != SHK_E_CORRUPT)
			fail_msg("%zu of %zu bytes were taken for a ledger", len, size);
	}
	free(bytes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(refused_by_triggers), TEST(changed_rows),     TEST(hashes_that_fit),
	    TEST(flipped_markers),     TEST(flipped_anywhere), TEST(cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
