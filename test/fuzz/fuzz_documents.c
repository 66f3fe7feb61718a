/* fuzz_documents.c - any bytes as documents; the canonical form of each decodes to itself. */
#include "fuzz.h"

#include "shikiri/wire/documents.h"

static void expect_stable(const struct shk_document *document, struct shk_arena *arena)
{
	const struct shk_document *again = NULL;
	struct shk_error err;
	size_t n = 0;
	enum shk_status status =
	    shk_documents_decode(shk_sv(document->canonical), arena, &again, &n, &err);

	if (status == SHK_E_LIMIT)
		return; /* escapes may carry it over 1 MiB */
	expect(status == SHK_OK && n == 1);
	expect(again->kind == document->kind);
	expect(strcmp(again->canonical, document->canonical) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_arena arena = {0};
	const struct shk_document *documents = NULL;
	const char *const *warnings;
	const char *object;
	const char *detail;
	struct shk_documents all;
	struct shk_error err;
	size_t n = 0;
	enum shk_status status =
	    shk_documents_decode(input(data, size), &arena, &documents, &n, &err);

	if (status) {
		expect_reason(status, &err);
		shk_arena_fini(&arena);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		expect_stable(&documents[i], &arena);
	shk_documents_collect(documents, n, &arena, &all);
	expect(all.n_tenants + all.n_domains + all.n_bands + all.n_node_facts + all.n_grants == n);
	(void)shk_documents_conflict(&all, &arena, &object, &detail);
	(void)shk_documents_warnings(&all, &arena, &warnings);
	shk_arena_fini(&arena);
	return 0;
}
