/* test_open.c - paths, other processes, other versions, and what a refused open leaves behind. */
#include "fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../src/ledger/ledger_priv.h"

static const char *self; /* argv[0], for a second process */

/* --- paths ---------------------------------------------------------------------------------- */

static void refuse_path(struct fixture *f, const char *path, enum shk_status status,
			const char *text)
{
	struct shk_ledger_options options = {.path = path, .now_s = NOW};
	struct shk_ledger *ledger = NULL;
	struct shk_error err;

	assert_int_equal(shk_ledger_open(&options, &ledger, &err), status);
	assert_int_equal(err.status, status);
	assert_contains(err.text, text);
	assert_contains(err.text, f->dir);
	assert_null(ledger);
}

static void a_missing_file_is_not_made_where_it_must_exist(void **state)
{
	struct fixture *f = *state;
	const struct shk_ledger_options options = {.path = f->path, .must_exist = true};
	struct shk_ledger *ledger = NULL;
	struct shk_error err;

	assert_int_equal(shk_ledger_open(&options, &ledger, &err), SHK_E_NOT_FOUND);
	assert_contains(err.text, "is gone");
	assert_false(file_exists(f->path));
	fixture_open(f);
	fixture_close(f);
	assert_ok(shk_ledger_open(&options, &ledger, &err), &err);
	shk_ledger_close(ledger, 0);
}

static void wrong_paths(void **state)
{
	struct fixture *f = *state;
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/none/ledger.db", f->dir);
	refuse_path(f, path, SHK_E_NOT_FOUND, "the directory doesn't exist");
	refuse_path(f, f->dir, SHK_E_CONFIG, "is a directory");
	fixture_open(f);
	fixture_close(f);
	(void)snprintf(path, sizeof(path), "%s/link", f->dir);
	assert_int_equal(symlink(f->path, path), 0);
	refuse_path(f, path, SHK_E_CONFIG, "is a symbolic link");
	(void)snprintf(path, sizeof(path), "%s/pipe", f->dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	refuse_path(f, path, SHK_E_CONFIG, "isn't a regular file");
	(void)snprintf(path, sizeof(path), "%s/ledger.db/x", f->dir);
	refuse_path(f, path, SHK_E_NOT_FOUND, "the directory doesn't exist");
}

static int run_as_nobody(struct fixture *f, const char *path, const char *text)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
			_exit(2);
		refuse_path(f, path, SHK_E_PERMISSION, text);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void no_permission(void **state)
{
	struct fixture *f = *state;
	char path[128];

	fixture_open(f);
	fixture_close(f);
	assert_int_equal(chmod(f->path, 0), 0);
	assert_int_equal(chmod(f->dir, 0555), 0);
	assert_int_equal(run_as_nobody(f, f->path, "may not be written"), 0);
	(void)snprintf(path, sizeof(path), "%s/new.db", f->dir);
	assert_int_equal(run_as_nobody(f, path, "may not be written"), 0);
	assert_int_equal(chmod(f->path, 0666), 0);
	/* The file may be written, but no log can be made beside it. */
	assert_int_equal(run_as_nobody(f, f->path, "may not be written"), 0);
	assert_int_equal(chmod(f->dir, 0700), 0);
}

static void file_mode(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char wal[128];
	mode_t old = umask(0);

	fixture_open(f);
	umask(old);
	fixture_begin(f);
	assert_int_equal(fixture_add(f, "a", SHK_ALLOC_BOUND), SHK_OK);
	fixture_commit(f);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	(void)snprintf(wal, sizeof(wal), "%s-wal", f->path);
	assert_int_equal(stat(wal, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(shk_ledger_file_bytes(f->ledger) > 0);
	assert_int_equal(shk_ledger_wal_bytes(f->ledger), st.st_size);
	fixture_close(f);
	assert_false(file_exists(wal));
	(void)snprintf(wal, sizeof(wal), "%s-shm", f->path);
	assert_false(file_exists(wal));
}

/* --- what isn't ours ------------------------------------------------------------------------- */

/* The open fails so, and neither the file nor a log beside it changes. */
static void refuse_unchanged(struct fixture *f, enum shk_status status, const char *text)
{
	char wal[128];
	size_t sizes[4];
	unsigned char *bytes[4];
	struct shk_error err;

	(void)snprintf(wal, sizeof(wal), "%s-wal", f->path);
	bytes[0] = file_read(f->path, &sizes[0]);
	bytes[1] = file_read(wal, &sizes[1]);
	assert_int_equal(fixture_try_open(f, &err), status);
	assert_contains(err.text, text);
	bytes[2] = file_read(f->path, &sizes[2]);
	bytes[3] = file_read(wal, &sizes[3]);
	assert_int_equal(sizes[0], sizes[2]);
	assert_memory_equal(bytes[0], bytes[2], sizes[0]);
	assert_int_equal(!bytes[1], !bytes[3]);
	assert_int_equal(sizes[1], sizes[3]);
	if (bytes[1])
		assert_memory_equal(bytes[1], bytes[3], sizes[1]);
	for (int i = 0; i < 4; i++)
		free(bytes[i]);
}

static void not_a_ledger(void **state)
{
	static const char text[] = "kind: Tenant\n";
	struct fixture *f = *state;
	char page[8192];

	file_write(f->path, text, sizeof(text));
	refuse_unchanged(f, SHK_E_CORRUPT, "is not a database");
	memset(page, 'x', sizeof(page));
	file_write(f->path, page, sizeof(page));
	refuse_unchanged(f, SHK_E_CORRUPT, "is not a database");
	assert_int_equal(remove(f->path), 0);
	file_write(f->path, "", 0);
	assert_int_equal(raw_exec(f->path, "CREATE TABLE t(x)", NULL), SQLITE_OK);
	refuse_unchanged(f, SHK_E_CORRUPT, "no shikiri ledger");
	assert_int_equal(raw_exec(f->path, "PRAGMA journal_mode = WAL", NULL), SQLITE_OK);
	refuse_unchanged(f, SHK_E_CORRUPT, "no shikiri ledger");
	assert_int_equal(raw_exec(f->path, "PRAGMA application_id = 1399352140", NULL), SQLITE_OK);
	refuse_unchanged(f, SHK_E_CORRUPT, "has no schema version");
	assert_int_equal(raw_exec(f->path, "PRAGMA user_version = -3", NULL), SQLITE_OK);
	refuse_unchanged(f, SHK_E_CORRUPT, "has no schema version");
	assert_int_equal(raw_exec(f->path, "PRAGMA user_version = 1", NULL), SQLITE_OK);
	refuse_unchanged(f, SHK_E_CORRUPT, "isn't as schema 1 has it");
}

static void empty_file_is_new(void **state)
{
	struct fixture *f = *state;

	file_write(f->path, "", 0);
	fixture_open(f);
	assert_int_equal(shk_ledger_seq(f->ledger), 2);
	assert_int_equal(shk_ledger_epoch(f->ledger), 1);
	assert_int_equal(strlen(shk_ledger_cluster_id(f->ledger)), 36);
}

static void changed_schema(void **state)
{
	static const char *const changes[][2] = {
	    {"DROP TRIGGER journal_no_update", "trigger journal_no_update isn't"},
	    {"DROP INDEX namespaces_tenant", "index namespaces_tenant isn't"},
	    {"CREATE TABLE zzz(x)", "table zzz isn't"},
	    {"CREATE TRIGGER aaa AFTER INSERT ON cordons BEGIN DELETE FROM cordons; END",
	     "trigger aaa isn't"},
	    {"DROP TABLE meta", "table meta isn't"},
	    {"DELETE FROM meta", "has no cluster id"},
	    {"UPDATE meta SET schema = 7", "the header says schema 1, the tables 7"},
	    {"PRAGMA user_version = 9", "the header says schema 9, the tables 1"},
	    {"PRAGMA application_id = 0", "no shikiri ledger"},
	};
	struct fixture *f = *state;
	char good[128];

	fixture_open(f);
	fixture_close(f);
	(void)snprintf(good, sizeof(good), "%s.good", f->path);
	file_copy(f->path, good);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		file_copy(good, f->path);
		assert_int_equal(raw_exec(f->path, changes[i][0], NULL), SQLITE_OK);
		refuse_unchanged(f, SHK_E_CORRUPT, changes[i][1]);
	}
}

/* --- other processes ------------------------------------------------------------------------- */

static int second_process(const char *path)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		execl("/proc/self/exe", self, "--open", path, (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static int open_and_tell(const char *path)
{
	struct shk_ledger_options options = {.path = path, .now_s = NOW};
	struct shk_ledger *ledger = NULL;
	struct shk_error err;
	enum shk_status status = shk_ledger_open(&options, &ledger, &err);

	if (status != SHK_OK && !strstr(err.text, "is held by another process"))
		return 98;
	shk_ledger_close(ledger, NOW);
	return -status;
}

static void held_by_another(void **state)
{
	struct fixture *f = *state;

	f->vfs = NULL;
	fixture_open(f);
	assert_int_equal(second_process(f->path), -SHK_E_BUSY);
	fixture_begin(f);
	assert_int_equal(fixture_add(f, "a", SHK_ALLOC_BOUND), SHK_OK);
	assert_int_equal(second_process(f->path), -SHK_E_BUSY);
	fixture_commit(f);
	assert_int_equal(second_process(f->path), -SHK_E_BUSY);
	assert_string_equal(fixture_verify(f, 10), "");
	fixture_close(f);
	assert_int_equal(second_process(f->path), 0);
	fixture_open(f);
	assert_int_equal(shk_ledger_epoch(f->ledger), 3);
}

static void killed_without_close(void **state)
{
	struct fixture *f = *state;
	char wal[128];
	struct shk_error err;
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		fixture_open(f);
		fixture_begin(f);
		if (fixture_add(f, "a", SHK_ALLOC_RESERVED) != SHK_OK)
			_exit(1);
		fixture_commit(f);
		fixture_begin(f);
		if (fixture_add(f, "b", SHK_ALLOC_RESERVED) != SHK_OK)
			_exit(1);
		_exit(0); /* as if killed: nothing is closed */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	(void)snprintf(wal, sizeof(wal), "%s-wal", f->path);
	assert_true(file_exists(wal));
	/* A log without its file isn't taken for a new ledger. */
	{
		char aside[128];

		(void)snprintf(aside, sizeof(aside), "%s.aside", f->path);
		assert_int_equal(rename(f->path, aside), 0);
		assert_int_equal(fixture_try_open(f, &err), SHK_E_CORRUPT);
		assert_contains(err.text, "is missing or empty");
		assert_false(file_exists(f->path));
		assert_int_equal(rename(aside, f->path), 0);
	}
	fixture_open(f);
	assert_int_equal(shk_ledger_wal_bytes(f->ledger), 0); /* moved into the file at open */
	assert_int_equal(fixture_state(f, "a"), SHK_ALLOC_RESERVED);
	assert_int_equal(fixture_state(f, "b"), SHK_ALLOC_NONE);
	assert_int_equal(shk_ledger_epoch(f->ledger), 2);
	assert_string_equal(fixture_verify(f, 10), "");
}

/* A broken file is refused with the log of the killed process untouched. */
static void broken_with_log(void **state)
{
	struct fixture *f = *state;
	size_t size = 0;
	unsigned char *bytes;
	pid_t pid;
	int status = 0;

	fixture_open(f);
	fixture_close(f);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		fixture_open(f);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	bytes = file_read(f->path, &size);
	for (size_t page = 4096; page < size; page += 4096)
		bytes[page] = 0x77; /* no b-tree begins so */
	file_write(f->path, bytes, size);
	free(bytes);
	refuse_unchanged(f, SHK_E_CORRUPT, "");
}

/* --- other versions -------------------------------------------------------------------------- */

static const char *const next_sql[] = {"CREATE TABLE later(x TEXT PRIMARY KEY) STRICT", NULL};
static const char *const state_sql[] = {"UPDATE cordons SET node = node || '.x'", NULL};
static const char *const wrong_sql[] = {"CREATE TABLE later2(x)", "CREATE TABLE meta(x)", NULL};

static struct shk_ledger_migration steps[3];

static enum shk_status open_as(struct fixture *f, int version, struct shk_error *err)
{
	struct shk_ledger_options options = {.path = f->path, .vfs = f->vfs, .now_s = NOW};
	static struct shk_ledger_schema schema;

	schema = (struct shk_ledger_schema){.steps = steps, .version = version};
	return shk_ledger_open_schema(&options, &schema, &f->ledger, err);
}

static void migrations(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;
	char cluster[37];

	steps[0] = shk_ledger_schema.steps[0];
	steps[1] = (struct shk_ledger_migration){.sql = next_sql};
	steps[2] = (struct shk_ledger_migration){.sql = state_sql, .changes_state = true};
	fixture_open(f);
	memcpy(cluster, shk_ledger_cluster_id(f->ledger), sizeof(cluster));
	fixture_begin(f);
	assert_int_equal(fixture_add(f, "a", SHK_ALLOC_BOUND), SHK_OK);
	assert_ok(shk_ledger_cordon(f->ledger, "n", true, &err), &err);
	fixture_commit(f);
	fixture_close(f);
	assert_ok(open_as(f, 2, &err), &err);
	assert_string_equal(shk_ledger_cluster_id(f->ledger), cluster);
	assert_string_equal(fixture_verify(f, 10), "");
	fixture_close(f);
	refuse_unchanged(f, SHK_E_VERSION,
			 "written by a newer shikiri (schema 2, this one knows 1)");
	assert_int_equal(raw_number(f->path, "PRAGMA user_version"), 2);
	assert_int_equal(
	    raw_number(f->path, "SELECT count(*) FROM journal WHERE kind = 'migration'"), 1);
	assert_ok(open_as(f, 3, &err), &err);
	assert_int_equal(fixture_state(f, "a"), SHK_ALLOC_BOUND);
	assert_string_equal(fixture_verify(f, 10), "");
	fixture_close(f);
	assert_ok(open_as(f, 3, &err), &err);
}

static void failed_migration(void **state)
{
	struct fixture *f = *state;
	size_t size = 0;
	size_t later = 0;
	unsigned char *bytes;
	unsigned char *after;
	struct shk_error err;

	steps[0] = shk_ledger_schema.steps[0];
	steps[1] = (struct shk_ledger_migration){.sql = wrong_sql};
	fixture_open(f);
	fixture_close(f);
	bytes = file_read(f->path, &size);
	assert_int_not_equal(open_as(f, 2, &err), SHK_OK);
	assert_contains(err.text, "schema 2");
	after = file_read(f->path, &later);
	assert_int_equal(size, later);
	assert_memory_equal(bytes, after, size);
	free(bytes);
	free(after);
	/* A step that touches state without saying so is found out. */
	steps[1] = (struct shk_ledger_migration){.sql = state_sql};
	fixture_open(f);
	fixture_begin(f);
	assert_ok(shk_ledger_cordon(f->ledger, "n", true, &err), &err);
	fixture_commit(f);
	fixture_close(f);
	assert_int_equal(open_as(f, 2, &err), SHK_E_CORRUPT);
	assert_contains(err.text, "state hash");
	fixture_open(f);
}

/* A program that will be: its meta table may look otherwise. */
static void much_newer(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	fixture_close(f);
	assert_int_equal(raw_exec(f->path, "DROP TABLE meta; PRAGMA user_version = 40", NULL),
			 SQLITE_OK);
	refuse_unchanged(f, SHK_E_VERSION, "schema 40, this one knows 1");
}

/* --- settings -------------------------------------------------------------------------------- */

static void settings_in_force(void **state)
{
	static const struct {
		const char *sql;
		const char *value;
	} expected[] = {
	    {"PRAGMA journal_mode", "wal"},
	    {"PRAGMA synchronous", "2"},
	    {"PRAGMA foreign_keys", "1"},
	    {"PRAGMA cell_size_check", "1"},
	    {"PRAGMA temp_store", "2"},
	    {"PRAGMA trusted_schema", "0"},
	    {"PRAGMA page_size", "4096"},
	    {"PRAGMA locking_mode", "exclusive"},
	    {"PRAGMA journal_size_limit", "67108864"},
	};
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	assert_int_not_equal(shk_ledger_sql_exec(f->ledger->db, "PRAGMA synchronous = OFF", &err),
			     SHK_OK);
	assert_int_not_equal(shk_ledger_sql_exec(f->ledger->db, "ATTACH ':memory:' AS x", &err),
			     SHK_OK);
	assert_int_not_equal(shk_ledger_sql_exec(f->ledger->db, "DROP TABLE meta", &err), SHK_OK);
	assert_int_not_equal(shk_ledger_sql_exec(f->ledger->db, "SELECT load_extension('x')", &err),
			     SHK_OK);
	f->ledger->privileged = true;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const char *value = "";

		assert_ok(
		    shk_ledger_sql_query(f->ledger->db, expected[i].sql, &f->arena, &value, &err),
		    &err);
		assert_string_equal(value, expected[i].value);
	}
	f->ledger->privileged = false;
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(a_missing_file_is_not_made_where_it_must_exist),
	    TEST(no_permission),
	    TEST(file_mode),
	    TEST(wrong_paths),
	    TEST(no_permission),
	    TEST(file_mode),
	    TEST(not_a_ledger),
	    TEST(empty_file_is_new),
	    TEST(changed_schema),
	    TEST(held_by_another),
	    TEST(killed_without_close),
	    TEST(broken_with_log),
	    TEST(migrations),
	    TEST(failed_migration),
	    TEST(much_newer),
	    TEST(settings_in_force),
	};

	self = argv[0];
	if (argc == 3 && strcmp(argv[1], "--open") == 0)
		return open_and_tell(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
