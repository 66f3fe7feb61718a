/* fuzz_ledger_file.c - any bytes as a ledger: refused with nothing changed, or sound enough to be
 * verified, written and opened again. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shikiri/ledger/ledger.h"

#define NOW   INT64_C(1800000000)
#define SLICE 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void write_file(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	expect(file != NULL);
	expect(fwrite(data, 1, size, file) == size);
	expect(fclose(file) == 0);
}

static void expect_unchanged(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *now = malloc(size + 1);

	expect(file && now);
	expect(fread(now, 1, size + 1, file) == size);
	expect(size == 0 || memcmp(now, data, size) == 0);
	expect(fclose(file) == 0);
	free(now);
}

static void remove_files(void)
{
	static const char *const suffixes[] = {"", "-wal", "-journal", "-shm"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[80];

		(void)snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		(void)remove(name); /* most aren't there */
	}
}

static bool verifies(struct shk_ledger *ledger)
{
	struct shk_ledger_verify *verify = shk_ledger_verify_new(ledger);
	struct shk_error err;
	bool done = false;
	bool sound;

	while (!done)
		if (shk_ledger_verify_step(verify, SLICE, &done, &err) != SHK_OK)
			break;
	sound = done && shk_ledger_verify_report(verify)->n_findings == 0;
	shk_ledger_verify_free(verify);
	return sound;
}

static void read_all(struct shk_ledger *ledger)
{
	const struct shk_alloc *allocs = NULL;
	const struct shk_ledger_document *documents = NULL;
	const char *const *nodes = NULL;
	struct shk_arena arena = {0};
	struct shk_error err;
	size_t n = 0;

	expect(shk_ledger_allocs(ledger, &arena, &allocs, &n, &err) == SHK_OK);
	expect(shk_ledger_documents(ledger, &arena, &documents, &n, &err) == SHK_OK);
	expect(shk_ledger_cordons(ledger, &arena, &nodes, &n, &err) == SHK_OK);
	shk_arena_fini(&arena);
}

static void write_some(struct shk_ledger *ledger)
{
	struct shk_error err;

	expect(shk_ledger_begin(ledger, NOW, &err) == SHK_OK);
	expect(shk_ledger_cordon(ledger, "fuzz", true, &err) == SHK_OK);
	expect(shk_ledger_commit(ledger, &err) == SHK_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_ledger_options options = {.path = path, .now_s = NOW};
	struct shk_ledger *ledger = NULL;
	struct shk_error err;
	bool sound;

	if (!path[0])
		(void)snprintf(path, sizeof(path), "/tmp/fuzz-ledger-%ld.db", (long)getpid());
	remove_files();
	write_file(data, size);
	if (shk_ledger_open(&options, &ledger, &err) != SHK_OK) {
		expect_unchanged(data, size);
		remove_files();
		return 0;
	}
	sound = verifies(ledger);
	if (sound) {
		read_all(ledger);
		write_some(ledger);
	}
	shk_ledger_close(ledger, NOW);
	ledger = NULL;
	if (sound) {
		expect(shk_ledger_open(&options, &ledger, &err) == SHK_OK);
		expect(verifies(ledger));
		shk_ledger_close(ledger, NOW);
	}
	remove_files();
	return 0;
}
