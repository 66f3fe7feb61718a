/* fixture.c - see fixture.h. */
#include "fixture.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/shikiri-ledger-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof(f->path), "%s/ledger.db", f->dir);
	fault_vfs_register();
	fault_vfs_reset();
	f->vfs = FAULT_VFS;
	*state = f;
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	DIR *dir;
	struct dirent *entry;

	fixture_close(f);
	dir = opendir(f->dir);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		char name[400];

		(void)snprintf(name, sizeof(name), "%s/%s", f->dir, entry->d_name);
		if (entry->d_name[0] != '.')
			assert_int_equal(remove(name), 0);
	}
	assert_int_equal(closedir(dir), 0);
	assert_int_equal(rmdir(f->dir), 0);
	shk_arena_fini(&f->arena);
	fault_vfs_reset();
	free(f);
	return 0;
}

enum shk_status fixture_try_open(struct fixture *f, struct shk_error *err)
{
	struct shk_ledger_options options = {.path = f->path, .vfs = f->vfs, .now_s = NOW};

	return shk_ledger_open(&options, &f->ledger, err);
}

void fixture_open(struct fixture *f)
{
	struct shk_error err;

	assert_ok(fixture_try_open(f, &err), &err);
}

void fixture_close(struct fixture *f)
{
	shk_ledger_close(f->ledger, NOW + 1);
	f->ledger = NULL;
}

void fixture_begin(struct fixture *f)
{
	struct shk_error err;

	assert_ok(shk_ledger_begin(f->ledger, NOW, &err), &err);
}

void fixture_commit(struct fixture *f)
{
	struct shk_error err;

	assert_ok(shk_ledger_commit(f->ledger, &err), &err);
}

struct shk_alloc fixture_alloc(const char *uid, int64_t count, enum shk_alloc_state state)
{
	static struct shk_amount amount[2];

	amount[0] = (struct shk_amount){"nvidia.com/gpu", count};
	amount[1] = (struct shk_amount){"nvidia.com/mig-1g.10gb", 1};
	return (struct shk_alloc){
	    .uid = uid,
	    .namespace_ = "vision-train",
	    .name = uid,
	    .tenant = "vision",
	    .domain = "research",
	    .node = "node-1",
	    .resources = {.items = amount, .n = count % 2 == 0 ? 2 : 1},
	    .charge = {.parts = {count * SHK_PARTS, 7 * count * SHK_PARTS, 0, 3},
		       .known = {true, true, false, true}},
	    .priority = -5,
	    .state = state,
	    .quota_class = SHK_CLASS_GUARANTEED,
	    .isolation = SHK_ISOLATION_CARD,
	    .annotation = SHK_LEVEL_CARD,
	    .since_s = NOW,
	};
}

enum shk_status fixture_add(struct fixture *f, const char *uid, enum shk_alloc_state state)
{
	struct shk_alloc alloc = fixture_alloc(uid, 2, state);
	struct shk_error err;
	uint64_t seq = 0;
	enum shk_status status = shk_ledger_alloc_add(f->ledger, &alloc, &seq, &err);

	if (status == SHK_OK)
		assert_true(seq > 0 && seq == shk_ledger_seq(f->ledger));
	return status;
}

enum shk_alloc_state fixture_state(struct fixture *f, const char *uid)
{
	enum shk_alloc_state state = SHK_ALLOC_NONE;
	const struct shk_alloc *allocs = NULL;
	struct shk_arena arena = {0};
	struct shk_error err;
	size_t n = 0;

	assert_ok(shk_ledger_allocs(f->ledger, &arena, &allocs, &n, &err), &err);
	for (size_t i = 0; i < n; i++)
		if (strcmp(allocs[i].uid, uid) == 0)
			state = allocs[i].state;
	shk_arena_fini(&arena);
	return state;
}

const char *fixture_verify(struct fixture *f, size_t slice)
{
	struct shk_ledger_verify *verify = shk_ledger_verify_new(f->ledger);
	const struct shk_ledger_report *report;
	const char *first = "";
	bool done = false;

	assert_non_null(verify);
	while (!done) {
		struct shk_error err;

		assert_ok(shk_ledger_verify_step(verify, slice, &done, &err), &err);
	}
	report = shk_ledger_verify_report(verify);
	if (report->n_findings > 0)
		first = shk_arena_strdup(&f->arena, report->findings[0]);
	shk_ledger_verify_free(verify);
	return first;
}

int raw_exec(const char *path, const char *sql, char message[256])
{
	sqlite3 *db = NULL;
	int rc;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	if (message)
		(void)snprintf(message, 256, "%s", sqlite3_errmsg(db));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return rc;
}

int64_t raw_number(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	int64_t number;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	number = sqlite3_column_int64(stmt, 0);
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return number;
}

void assert_ok(enum shk_status status, const struct shk_error *err)
{
	if (status != SHK_OK)
		fail_msg("%d: %s", status, err->text);
}

void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" lacks \"%s\"", text, part);
}

unsigned char *file_read(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	unsigned char *data;

	*ret_size = 0;
	if (!file)
		return NULL;
	assert_int_equal(fstat(fileno(file), &st), 0);
	data = malloc((size_t)st.st_size + 1);
	assert_non_null(data);
	*ret_size = fread(data, 1, (size_t)st.st_size, file);
	assert_int_equal(fclose(file), 0);
	return data;
}

void file_write(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void file_copy(const char *from, const char *to)
{
	size_t size = 0;
	unsigned char *data = file_read(from, &size);

	assert_non_null(data);
	file_write(to, data, size);
	free(data);
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}
