/* test_life.c - allocations, documents and records through their ordinary lives. */
#include "fixture.h"

#include <limits.h>

#define OTHER_HASH "0000000000000000000000000000000000000000000000000000000000000000"

static const char hash_a[65] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/* --- allocations ---------------------------------------------------------------------------- */

static void whole_life(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(fixture_add(f, "a", SHK_ALLOC_RESERVED), &err);
	fixture_commit(f);
	assert_int_equal(fixture_state(f, "a"), SHK_ALLOC_RESERVED);
	fixture_begin(f);
	assert_ok(shk_ledger_alloc_move(f->ledger, "a", SHK_ALLOC_UNKNOWN, &err), &err);
	fixture_commit(f);
	assert_int_equal(fixture_state(f, "a"), SHK_ALLOC_UNKNOWN);
	fixture_begin(f);
	assert_ok(shk_ledger_alloc_move(f->ledger, "a", SHK_ALLOC_BOUND, &err), &err);
	fixture_commit(f);
	assert_int_equal(fixture_state(f, "a"), SHK_ALLOC_BOUND);
	assert_string_equal(fixture_verify(f, 1), "");
	fixture_begin(f);
	assert_ok(shk_ledger_alloc_end(f->ledger, "a", "deleted", &err), &err);
	fixture_commit(f);
	assert_int_equal(fixture_state(f, "a"), SHK_ALLOC_NONE);
	assert_string_equal(fixture_verify(f, 1), "");
	fixture_close(f);
	assert_int_equal(raw_number(f->path, "SELECT count(*) FROM balances"), 0);
	fixture_open(f);
	assert_string_equal(fixture_verify(f, 100), "");
}

static void all_fields_come_back(void **state)
{
	struct fixture *f = *state;
	const struct shk_amount amounts[] = {{"nvidia.com/gpu", 1 << 30},
					     {"nvidia.com/mig-1g.10gb", 3}};
	struct shk_alloc in = {
	    .uid = "u-1",
	    .namespace_ = "ns",
	    .name = "pod \"quoted\" \\ \x01",
	    .tenant = SHK_TENANT_UNKNOWN,
	    .domain = "",
	    .node = "n",
	    .resources = {.items = amounts, .n = 2},
	    .charge = {.parts = {1, 2, 3, 4}, .known = {true, false, true, true}},
	    .priority = INT64_MIN,
	    .state = SHK_ALLOC_FOREIGN,
	    .annotation = SHK_LEVEL_INVALID,
	    .since_s = 5,
	};
	const struct shk_alloc *out = NULL;
	struct shk_error err;
	uint64_t seq = 0;
	size_t n = 0;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(shk_ledger_alloc_add(f->ledger, &in, &seq, &err), &err);
	fixture_commit(f);
	fixture_close(f);
	fixture_open(f);
	assert_ok(shk_ledger_allocs(f->ledger, &f->arena, &out, &n, &err), &err);
	assert_int_equal(n, 1);
	assert_string_equal(out->uid, in.uid);
	assert_string_equal(out->namespace_, in.namespace_);
	assert_string_equal(out->name, in.name);
	assert_string_equal(out->tenant, in.tenant);
	assert_string_equal(out->domain, in.domain);
	assert_string_equal(out->node, in.node);
	assert_int_equal(out->resources.n, 2);
	assert_string_equal(out->resources.items[0].resource, "nvidia.com/gpu");
	assert_int_equal(out->resources.items[0].count, 1 << 30);
	assert_int_equal(out->resources.items[1].count, 3);
	for (int i = 0; i < SHK_UNIT_COUNT; i++) {
		assert_int_equal(out->charge.known[i], in.charge.known[i]);
		assert_int_equal(out->charge.parts[i], in.charge.known[i] ? i + 1 : 0);
	}
	assert_true(out->priority == INT64_MIN);
	assert_int_equal(out->state, SHK_ALLOC_FOREIGN);
	assert_int_equal(out->quota_class, SHK_CLASS_NONE);
	assert_int_equal(out->isolation, SHK_ISOLATION_UNKNOWN);
	assert_int_equal(out->annotation, SHK_LEVEL_INVALID);
	assert_int_equal(out->seq, seq);
	assert_int_equal(out->since_s, 5);
	assert_string_equal(fixture_verify(f, 3), "");
}

static void every_word_is_stored(void **state)
{
	struct fixture *f = *state;
	const struct shk_alloc *out = NULL;
	struct shk_error err;
	size_t n = 0;

	fixture_open(f);
	fixture_begin(f);
	for (int i = 0; i <= SHK_ISOLATION_NODE; i++) {
		char uid[16];
		uint64_t seq = 0;
		struct shk_alloc alloc;

		(void)snprintf(uid, sizeof(uid), "u%d", i);
		alloc = fixture_alloc(uid, 1, SHK_ALLOC_BOUND);
		alloc.isolation = (enum shk_isolation_class)i;
		alloc.annotation = (enum shk_level)(i % (SHK_LEVEL_INVALID + 1));
		alloc.quota_class = (enum shk_quota_class)(i % (SHK_CLASS_BORROWED + 1));
		assert_ok(shk_ledger_alloc_add(f->ledger, &alloc, &seq, &err), &err);
	}
	fixture_commit(f);
	assert_ok(shk_ledger_allocs(f->ledger, &f->arena, &out, &n, &err), &err);
	assert_int_equal(n, SHK_ISOLATION_NODE + 1);
	for (int i = 0; i <= SHK_ISOLATION_NODE; i++) {
		assert_int_equal(out[i].isolation, i);
		assert_int_equal(out[i].annotation, i % (SHK_LEVEL_INVALID + 1));
		assert_int_equal(out[i].quota_class, i % (SHK_CLASS_BORROWED + 1));
	}
}

static void forbidden_moves(void **state)
{
	static const enum shk_alloc_state from[] = {SHK_ALLOC_RESERVED, SHK_ALLOC_UNKNOWN,
						    SHK_ALLOC_BOUND, SHK_ALLOC_FOREIGN};
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(fixture_add(f, "1", SHK_ALLOC_RESERVED), &err);
	assert_ok(fixture_add(f, "2", SHK_ALLOC_RESERVED), &err);
	assert_ok(shk_ledger_alloc_move(f->ledger, "2", SHK_ALLOC_UNKNOWN, &err), &err);
	assert_ok(fixture_add(f, "3", SHK_ALLOC_BOUND), &err);
	assert_ok(fixture_add(f, "4", SHK_ALLOC_FOREIGN), &err);
	for (int i = 0; i < 4; i++) {
		for (int to = SHK_ALLOC_NONE; to <= SHK_ALLOC_FOREIGN; to++) {
			bool may = (from[i] == SHK_ALLOC_RESERVED &&
				    (to == SHK_ALLOC_BOUND || to == SHK_ALLOC_UNKNOWN)) ||
				   (from[i] == SHK_ALLOC_UNKNOWN && to == SHK_ALLOC_BOUND);
			char uid[2] = {(char)('1' + i), '\0'};
			uint64_t seq = shk_ledger_seq(f->ledger);

			if (may)
				continue;
			assert_int_equal(
			    shk_ledger_alloc_move(f->ledger, uid, (enum shk_alloc_state)to, &err),
			    SHK_E_CONFLICT);
			assert_int_equal(shk_ledger_seq(f->ledger), seq);
		}
	}
	assert_int_equal(shk_ledger_alloc_move(f->ledger, "9", SHK_ALLOC_BOUND, &err),
			 SHK_E_NOT_FOUND);
	assert_int_equal(shk_ledger_alloc_end(f->ledger, "9", "deleted", &err), SHK_E_NOT_FOUND);
	assert_int_equal(fixture_add(f, "1", SHK_ALLOC_RESERVED), SHK_E_CONFLICT);
	assert_int_equal(fixture_add(f, "5", SHK_ALLOC_UNKNOWN), SHK_E_CONFLICT);
	assert_int_equal(fixture_add(f, "5", SHK_ALLOC_NONE), SHK_E_CONFLICT);
	/* A refusal leaves the batch whole. */
	fixture_commit(f);
	assert_int_equal(fixture_state(f, "1"), SHK_ALLOC_RESERVED);
	assert_int_equal(fixture_state(f, "4"), SHK_ALLOC_FOREIGN);
	assert_string_equal(fixture_verify(f, 100), "");
}

static enum shk_status add_changed(struct fixture *f, struct shk_alloc alloc)
{
	struct shk_error err;
	uint64_t seq = 0;

	return shk_ledger_alloc_add(f->ledger, &alloc, &seq, &err);
}

static void malformed_allocations(void **state)
{
	static const struct shk_amount bad[][2] = {
	    {{"nvidia.com/gpu", 0}, {"z", 1}},
	    {{"nvidia.com/gpu", -1}, {"z", 1}},
	    {{"z", 1}, {"nvidia.com/gpu", 1}},
	    {{"a", 1}, {"a", 1}},
	    {{"a=b", 1}, {"c", 1}},
	    {{"a,b", 1}, {"c", 1}},
	    {{"", 1}, {"c", 1}},
	    {{NULL, 1}, {"c", 1}},
	};
	struct fixture *f = *state;
	struct shk_alloc good = fixture_alloc("u", 1, SHK_ALLOC_RESERVED);
	struct shk_alloc alloc = good;

	fixture_open(f);
	fixture_begin(f);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		alloc.resources = (struct shk_vector){.items = bad[i], .n = 2};
		assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	}
	alloc.resources.n = 0;
	assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	alloc = good;
	alloc.uid = "";
	assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	alloc = good;
	alloc.namespace_ = NULL;
	assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	alloc = good;
	alloc.name = NULL;
	assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	alloc = good;
	alloc.tenant = NULL;
	assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	alloc = good;
	alloc.domain = NULL;
	assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	alloc = good;
	alloc.node = "";
	assert_int_equal(add_changed(f, alloc), SHK_E_INPUT);
	fixture_commit(f);
	assert_string_equal(fixture_verify(f, 100), "");
}

static void sums_that_overflow(void **state)
{
	const struct shk_amount amounts[] = {{"nvidia.com/gpu", INT64_MAX / SHK_PARTS - 1}};
	const struct shk_amount absurd[] = {{"nvidia.com/gpu", INT64_MAX}};
	struct fixture *f = *state;
	struct shk_alloc alloc = fixture_alloc("u", 1, SHK_ALLOC_FOREIGN);

	fixture_open(f);
	fixture_begin(f);
	alloc.resources = (struct shk_vector){.items = absurd, .n = 1};
	assert_int_equal(add_changed(f, alloc), SHK_E_LIMIT);
	alloc.resources.items = amounts;
	assert_int_equal(add_changed(f, alloc), SHK_OK);
	alloc.uid = "v";
	assert_int_equal(add_changed(f, alloc), SHK_E_LIMIT);
	alloc.charge.parts[0] = -1;
	alloc.tenant = "other";
	assert_int_equal(add_changed(f, alloc), SHK_E_LIMIT);
	fixture_commit(f);
	assert_string_equal(fixture_verify(f, 100), "");
}

/* What the tables refuse although the code let it through spoils the batch. */
static void second_wall(void **state)
{
	struct fixture *f = *state;
	char uid[140];
	struct shk_error err;
	uint64_t seq;

	memset(uid, 'u', sizeof(uid));
	uid[sizeof(uid) - 1] = '\0';
	fixture_open(f);
	seq = shk_ledger_seq(f->ledger);
	fixture_begin(f);
	assert_ok(fixture_add(f, "fine", SHK_ALLOC_RESERVED), &err);
	assert_int_equal(fixture_add(f, uid, SHK_ALLOC_RESERVED), SHK_E_CONFLICT);
	assert_int_equal(fixture_add(f, "late", SHK_ALLOC_RESERVED), SHK_E_CONFLICT);
	assert_int_equal(shk_ledger_commit(f->ledger, &err), SHK_E_CONFLICT);
	assert_contains(err.text, "an earlier write of this batch failed");
	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	assert_int_equal(fixture_state(f, "fine"), SHK_ALLOC_NONE);
	fixture_begin(f);
	assert_ok(fixture_add(f, "fine", SHK_ALLOC_RESERVED), &err);
	fixture_commit(f);
	assert_string_equal(fixture_verify(f, 100), "");
}

static void rollback_restores(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;
	uint64_t seq;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(fixture_add(f, "keep", SHK_ALLOC_BOUND), &err);
	fixture_commit(f);
	seq = shk_ledger_seq(f->ledger);
	fixture_begin(f);
	assert_ok(fixture_add(f, "drop", SHK_ALLOC_BOUND), &err);
	assert_ok(shk_ledger_alloc_end(f->ledger, "keep", "failed", &err), &err);
	assert_ok(shk_ledger_cordon(f->ledger, "n", true, &err), &err);
	shk_ledger_rollback(f->ledger);
	shk_ledger_rollback(f->ledger);
	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	assert_int_equal(fixture_state(f, "drop"), SHK_ALLOC_NONE);
	assert_int_equal(fixture_state(f, "keep"), SHK_ALLOC_BOUND);
	assert_string_equal(fixture_verify(f, 2), "");
	fixture_begin(f);
	assert_ok(fixture_add(f, "next", SHK_ALLOC_BOUND), &err);
	fixture_commit(f);
	assert_int_equal(shk_ledger_seq(f->ledger), seq + 1);
	fixture_close(f);
	fixture_open(f);
	assert_string_equal(fixture_verify(f, 2), "");
}

/* --- documents ------------------------------------------------------------------------------ */

static const struct shk_quota_entry quota[] = {
    {.unit = "gpuEquivalents", .has_guaranteed = true, .guaranteed = 4, .ceiling = 8},
    {.unit = "nvidia.com/gpu", .unlimited = true, .lendable = 1},
};

static enum shk_status put_tenant(struct fixture *f, const char *name, const char *body,
				  const char *const *namespaces, size_t n, struct shk_error *err)
{
	struct shk_tenant tenant = {.name = name,
				    .domain = name,
				    .namespaces = namespaces,
				    .n_namespaces = n,
				    .quota = quota,
				    .n_quota = 2};

	return shk_ledger_document_put(f->ledger, "Tenant", name, body, &tenant, err);
}

static void documents_come_back(void **state)
{
	static const char *const kinds[] = {"TrustDomain", "PriorityBand", "NodeFacts", "Grant"};
	static const char *const namespaces[] = {"a", "b"};
	const struct shk_ledger_document *d = NULL;
	struct fixture *f = *state;
	struct shk_error err;
	char uid[37];
	size_t n = 0;

	fixture_open(f);
	fixture_begin(f);
	for (int i = 0; i < 4; i++)
		assert_ok(
		    shk_ledger_document_put(f->ledger, kinds[i], "x", "{\"v\":1}", NULL, &err),
		    &err);
	assert_ok(put_tenant(f, "vision", "{}", namespaces, 2, &err), &err);
	fixture_commit(f);
	assert_ok(shk_ledger_documents(f->ledger, &f->arena, &d, &n, &err), &err);
	assert_int_equal(n, 5);
	assert_string_equal(d[0].kind, "Grant");
	assert_string_equal(d[1].kind, "NodeFacts");
	assert_string_equal(d[2].kind, "PriorityBand");
	assert_string_equal(d[3].kind, "Tenant");
	assert_string_equal(d[4].kind, "TrustDomain");
	assert_int_equal(strlen(d[4].uid), 36);
	assert_int_equal(d[4].resource_version, 3); /* after genesis and epoch */
	assert_int_equal(d[4].created_s, NOW);
	memcpy(uid, d[4].uid, sizeof(uid));
	assert_ok(shk_ledger_begin(f->ledger, NOW + 9, &err), &err);
	assert_ok(shk_ledger_document_put(f->ledger, "TrustDomain", "x", "{\"v\":2}", NULL, &err),
		  &err);
	fixture_commit(f);
	assert_ok(shk_ledger_documents(f->ledger, &f->arena, &d, &n, &err), &err);
	assert_string_equal(d[4].uid, uid);
	assert_string_equal(d[4].body, "{\"v\":2}");
	assert_int_equal(d[4].created_s, NOW);
	assert_int_equal(d[4].resource_version, shk_ledger_seq(f->ledger));
	assert_string_equal(fixture_verify(f, 1), "");
}

static void equal_document_is_no_change(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;
	uint64_t seq;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(put_tenant(f, "t", "{}", NULL, 0, &err), &err);
	seq = shk_ledger_seq(f->ledger);
	assert_ok(put_tenant(f, "t", "{}", NULL, 0, &err), &err);
	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	fixture_commit(f);
	assert_int_equal(shk_ledger_seq(f->ledger), seq + 1); /* what was derived */
}

static void wrong_documents(void **state)
{
	struct fixture *f = *state;
	struct shk_tenant tenant = {.name = "t"};
	struct shk_error err;

	fixture_open(f);
	fixture_begin(f);
	assert_int_equal(shk_ledger_document_put(f->ledger, "Pod", "x", "{}", NULL, &err),
			 SHK_E_INPUT);
	assert_int_equal(shk_ledger_document_put(f->ledger, "Tenant", "x", "{}", NULL, &err),
			 SHK_E_INPUT);
	assert_int_equal(shk_ledger_document_put(f->ledger, "Grant", "x", "{}", &tenant, &err),
			 SHK_E_INPUT);
	assert_int_equal(shk_ledger_document_delete(f->ledger, "Pod", "x", &err), SHK_E_INPUT);
	assert_int_equal(shk_ledger_document_delete(f->ledger, "Grant", "x", &err),
			 SHK_E_NOT_FOUND);
	fixture_commit(f);
}

static void derived_tables_follow(void **state)
{
	static const char *const ab[] = {"a", "b"};
	static const char *const c[] = {"c"};
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(put_tenant(f, "one", "{1}", ab, 2, &err), &err);
	assert_ok(put_tenant(f, "two", "{1}", c, 1, &err), &err);
	assert_ok(put_tenant(f, "gone", "{1}", NULL, 0, &err), &err);
	assert_ok(shk_ledger_document_delete(f->ledger, "Tenant", "gone", &err), &err);
	fixture_commit(f);
	/* They swap: only at the end does each namespace have one tenant. */
	fixture_begin(f);
	assert_ok(put_tenant(f, "one", "{wrong}", ab, 2, &err), &err);
	assert_ok(put_tenant(f, "one", "{2}", c, 1, &err), &err);
	assert_ok(put_tenant(f, "two", "{2}", ab, 2, &err), &err);
	fixture_commit(f);
	assert_string_equal(fixture_verify(f, 1), "");
	fixture_close(f);
	assert_int_equal(raw_number(f->path, "SELECT count(*) FROM namespaces"), 3);
	assert_int_equal(
	    raw_number(f->path, "SELECT count(*) FROM namespaces WHERE tenant = 'two'"), 2);
	assert_int_equal(raw_number(f->path, "SELECT sum(guaranteed) FROM quotas"), 8);
	fixture_open(f);
	fixture_begin(f);
	assert_ok(shk_ledger_document_delete(f->ledger, "Tenant", "one", &err), &err);
	assert_ok(shk_ledger_document_delete(f->ledger, "Tenant", "two", &err), &err);
	fixture_commit(f);
	assert_string_equal(fixture_verify(f, 1), "");
	fixture_close(f);
	assert_int_equal(raw_number(f->path, "SELECT count(*) FROM namespaces"), 0);
	assert_int_equal(raw_number(f->path, "SELECT count(*) FROM quotas"), 0);
}

static void namespace_of_two(void **state)
{
	static const char *const a[] = {"a"};
	struct fixture *f = *state;
	struct shk_error err;
	uint64_t seq;

	fixture_open(f);
	seq = shk_ledger_seq(f->ledger);
	fixture_begin(f);
	assert_ok(put_tenant(f, "one", "{}", a, 1, &err), &err);
	assert_ok(put_tenant(f, "two", "{}", a, 1, &err), &err);
	assert_int_equal(shk_ledger_commit(f->ledger, &err), SHK_E_CONFLICT);
	assert_contains(err.text, "namespace a belongs to another tenant");
	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	assert_string_equal(fixture_verify(f, 1), "");
}

static void quota_that_contradicts(void **state)
{
	static const struct shk_quota_entry wrong[] = {
	    {.unit = "u", .has_guaranteed = true, .guaranteed = 4, .ceiling = 3}};
	struct shk_tenant tenant = {.name = "t", .quota = wrong, .n_quota = 1};
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(shk_ledger_document_put(f->ledger, "Tenant", "t", "{}", &tenant, &err), &err);
	assert_int_equal(shk_ledger_commit(f->ledger, &err), SHK_E_CONFLICT);
	assert_contains(err.text, "quota of t for u");
}

/* --- records -------------------------------------------------------------------------------- */

static void applied_files(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;
	char hash[65];
	uint64_t seq;

	fixture_open(f);
	assert_ok(shk_ledger_applied_get(f->ledger, "/f", "Tenant", "x", hash, &err), &err);
	assert_string_equal(hash, "");
	fixture_begin(f);
	assert_ok(shk_ledger_applied_put(f->ledger, "/f", "Tenant", "x", hash_a, &err), &err);
	seq = shk_ledger_seq(f->ledger);
	assert_ok(shk_ledger_applied_put(f->ledger, "/f", "Tenant", "x", hash_a, &err), &err);
	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	assert_ok(shk_ledger_applied_put(f->ledger, "/f", "Tenant", "y", hash_a, &err), &err);
	assert_ok(shk_ledger_applied_put(f->ledger, "/f", "Tenant", "x", OTHER_HASH, &err), &err);
	assert_ok(shk_ledger_applied_put(f->ledger, "/e", "Z", "x", OTHER_HASH, &err), &err);
	fixture_commit(f);
	assert_ok(shk_ledger_applied_get(f->ledger, "/f", "Tenant", "x", hash, &err), &err);
	assert_string_equal(hash, OTHER_HASH);
	assert_ok(shk_ledger_applied_get(f->ledger, "/f", "Tenant", "y", hash, &err), &err);
	assert_string_equal(hash, hash_a);
	assert_string_equal(fixture_verify(f, 1), "");
}

static void cordons(void **state)
{
	struct fixture *f = *state;
	const char *const *nodes = NULL;
	struct shk_error err;
	uint64_t seq;
	size_t n = 9;

	fixture_open(f);
	assert_ok(shk_ledger_cordons(f->ledger, &f->arena, &nodes, &n, &err), &err);
	assert_int_equal(n, 0);
	fixture_begin(f);
	for (int i = 40; i > 0; i--) {
		char name[16];

		(void)snprintf(name, sizeof(name), "n%02d", i);
		assert_ok(shk_ledger_cordon(f->ledger, name, true, &err), &err);
	}
	seq = shk_ledger_seq(f->ledger);
	assert_ok(shk_ledger_cordon(f->ledger, "n07", true, &err), &err);
	assert_ok(shk_ledger_cordon(f->ledger, "n99", false, &err), &err);
	assert_int_equal(shk_ledger_cordon(f->ledger, "", true, &err), SHK_E_INPUT);
	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	assert_ok(shk_ledger_cordon(f->ledger, "n01", false, &err), &err);
	fixture_commit(f);
	assert_ok(shk_ledger_cordons(f->ledger, &f->arena, &nodes, &n, &err), &err);
	assert_int_equal(n, 39);
	assert_string_equal(nodes[0], "n02");
	assert_string_equal(nodes[38], "n40");
	assert_string_equal(fixture_verify(f, 7), "");
}

static void audit_and_policy(void **state)
{
	const struct shk_ledger_audit row = {.actor = "ana",
					     .source = "file:/x",
					     .verb = "apply",
					     .object = "Tenant/v",
					     .after = "{}",
					     .request_id = "r1"};
	const struct shk_ledger_audit empty = {0};
	struct fixture *f = *state;
	struct shk_error err;
	uint64_t seq;

	fixture_open(f);
	fixture_begin(f);
	assert_ok(shk_ledger_audit(f->ledger, &row, &err), &err);
	assert_ok(shk_ledger_audit(f->ledger, &empty, &err), &err);
	assert_ok(shk_ledger_policy(f->ledger, "sha256:1", "{1}", &err), &err);
	seq = shk_ledger_seq(f->ledger);
	assert_ok(shk_ledger_policy(f->ledger, "sha256:1", "{1}", &err), &err);
	assert_int_equal(shk_ledger_seq(f->ledger), seq);
	assert_ok(shk_ledger_policy(f->ledger, "sha256:2", "{2}", &err), &err);
	assert_ok(shk_ledger_policy(f->ledger, "sha256:1", "{1}", &err), &err);
	assert_int_equal(shk_ledger_seq(f->ledger), seq + 2);
	fixture_commit(f);
	assert_string_equal(fixture_verify(f, 1), "");
	fixture_close(f);
	assert_int_equal(raw_number(f->path, "SELECT count(*) FROM audit"), 2);
	assert_int_equal(raw_number(f->path, "SELECT count(*) FROM policy_revisions"), 3);
}

static void history(void **state)
{
	const struct shk_ledger_audit row = {.actor = "ana", .verb = "apply", .object = "o"};
	struct fixture *f = *state;
	const struct shk_ledger_audit_row *audits = NULL;
	const struct shk_ledger_journal_row *rows = NULL;
	struct shk_error err;
	size_t n = 0;

	fixture_open(f);
	fixture_begin(f);
	for (int i = 0; i < 5; i++)
		assert_ok(shk_ledger_audit(f->ledger, &row, &err), &err);
	fixture_commit(f);
	assert_ok(shk_ledger_audits(f->ledger, (struct shk_ledger_slice){0, 3}, &f->arena, &audits,
				    &n, &err),
		  &err);
	assert_int_equal(n, 3);
	assert_int_equal(audits[0].seq, 7);
	assert_int_equal(audits[0].ts, NOW);
	assert_string_equal(audits[0].row.actor, "ana");
	assert_null(audits[0].row.before);
	assert_ok(shk_ledger_audits(f->ledger, (struct shk_ledger_slice){audits[2].seq, 3},
				    &f->arena, &audits, &n, &err),
		  &err);
	assert_int_equal(n, 2);
	assert_int_equal(audits[1].seq, 3);
	assert_ok(shk_ledger_journal(f->ledger, (struct shk_ledger_slice){2, 3}, &f->arena, &rows,
				     &n, &err),
		  &err);
	assert_int_equal(n, 3);
	assert_int_equal(rows[0].seq, 2);
	assert_int_equal(rows[0].epoch, 1);
	assert_string_equal(rows[0].kind, "epoch");
	assert_string_equal(rows[1].kind, "audit");
	assert_string_equal(rows[1].object, "o");
	assert_int_equal(strlen(rows[1].hash), 64);
	assert_ok(shk_ledger_journal(f->ledger, (struct shk_ledger_slice){UINT64_MAX, 3}, &f->arena,
				     &rows, &n, &err),
		  &err);
	assert_int_equal(n, 0);
}

static void decisions_ring(void **state)
{
	struct fixture *f = *state;
	struct shk_error err;

	fixture_open(f);
	for (int batch = 0; batch < 3; batch++) {
		fixture_begin(f);
		for (int i = 0; i < SHK_DECISIONS_KEPT / 2; i++)
			assert_ok(shk_ledger_decision(f->ledger, "filter", "u", "ns/p", "{}", &err),
				  &err);
		fixture_commit(f);
	}
	fixture_close(f);
	assert_int_equal(raw_number(f->path, "SELECT count(*) FROM decisions"), SHK_DECISIONS_KEPT);
	assert_int_equal(raw_number(f->path, "SELECT min(id) FROM decisions"),
			 SHK_DECISIONS_KEPT / 2 + 1);
}

static void idempotency(void **state)
{
	struct fixture *f = *state;
	struct shk_ledger_answer answer;
	struct shk_error err;

	fixture_open(f);
	assert_ok(shk_ledger_idempotency_get(f->ledger, "k", "h", &f->arena, &answer, &err), &err);
	assert_false(answer.found);
	fixture_begin(f);
	assert_ok(shk_ledger_idempotency_put(f->ledger, "k", "h", 201, "{}", &err), &err);
	assert_ok(shk_ledger_idempotency_put(f->ledger, "k", "h", 500, "late", &err), &err);
	assert_int_equal(shk_ledger_idempotency_put(f->ledger, "k", "g", 201, "{}", &err),
			 SHK_E_CONFLICT);
	fixture_commit(f);
	assert_ok(shk_ledger_idempotency_get(f->ledger, "k", "h", &f->arena, &answer, &err), &err);
	assert_true(answer.found);
	assert_int_equal(answer.status, 201);
	assert_string_equal(answer.body, "{}");
	assert_int_equal(shk_ledger_idempotency_get(f->ledger, "k", "g", &f->arena, &answer, &err),
			 SHK_E_CONFLICT);
	/* A day later the key is new. */
	assert_ok(shk_ledger_begin(f->ledger, NOW + 86399, &err), &err);
	assert_ok(shk_ledger_idempotency_get(f->ledger, "k", "h", &f->arena, &answer, &err), &err);
	assert_true(answer.found);
	fixture_commit(f);
	assert_ok(shk_ledger_begin(f->ledger, NOW + 86400, &err), &err);
	assert_ok(shk_ledger_idempotency_get(f->ledger, "k", "g", &f->arena, &answer, &err), &err);
	assert_false(answer.found);
	assert_ok(shk_ledger_idempotency_put(f->ledger, "k", "g", 200, "[]", &err), &err);
	fixture_commit(f);
	assert_ok(shk_ledger_idempotency_get(f->ledger, "k", "g", &f->arena, &answer, &err), &err);
	assert_string_equal(answer.body, "[]");
}

static void in_memory(void **state)
{
	struct shk_ledger_options options = {.path = ":memory:", .now_s = NOW};
	struct fixture *f = *state;
	struct shk_error err;

	assert_ok(shk_ledger_open(&options, &f->ledger, &err), &err);
	fixture_begin(f);
	assert_ok(fixture_add(f, "a", SHK_ALLOC_BOUND), &err);
	fixture_commit(f);
	assert_string_equal(fixture_verify(f, 100), "");
	assert_int_equal(shk_ledger_file_bytes(f->ledger), 0);
	assert_int_equal(shk_ledger_wal_bytes(f->ledger), 0);
	shk_ledger_idle(f->ledger);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(whole_life),
	    TEST(all_fields_come_back),
	    TEST(every_word_is_stored),
	    TEST(forbidden_moves),
	    TEST(malformed_allocations),
	    TEST(sums_that_overflow),
	    TEST(second_wall),
	    TEST(rollback_restores),
	    TEST(documents_come_back),
	    TEST(equal_document_is_no_change),
	    TEST(wrong_documents),
	    TEST(derived_tables_follow),
	    TEST(namespace_of_two),
	    TEST(quota_that_contradicts),
	    TEST(applied_files),
	    TEST(cordons),
	    TEST(audit_and_policy),
	    TEST(history),
	    TEST(decisions_ring),
	    TEST(idempotency),
	    TEST(in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
