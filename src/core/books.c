#include "shikiri/core/books.h"

#include <string.h>

#include "shikiri/base/units.h"
#include "shikiri/core/charge.h"

static int find(const struct shk_map *index, const char *name)
{
	uint32_t found = 0;

	return shk_map_find(index, name, &found) ? (int)found : -1;
}

int shk_books_unit(const struct shk_books *books, const char *unit)
{
	return find(&books->unit_index, unit);
}

int shk_books_tenant(const struct shk_books *books, const char *tenant)
{
	return find(&books->tenant_index, tenant);
}

/* A copy of n of the items in an array of room for cap. */
static void *grown(struct shk_arena *arena, const void *items, size_t n, size_t cap, size_t size)
{
	void *fresh = shk_arena_array(arena, cap, size);

	if (n > 0)
		memcpy(fresh, items, n * size);
	return fresh;
}

static void grow_units(struct shk_books *books)
{
	size_t cap = books->cap_units ? books->cap_units * 2 : 16;

	books->units = grown(books->arena, books->units, books->n_units, cap, sizeof(char *));
	books->capacity =
	    grown(books->arena, books->capacity, books->n_units, cap, sizeof(int64_t));
	for (size_t t = 0; t < books->n_tenants; t++)
		books->accounts[t] = grown(books->arena, books->accounts[t], books->n_units, cap,
					   sizeof(struct shk_account));
	books->cap_units = cap;
}

static size_t open_unit(struct shk_books *books, const char *unit)
{
	int found = shk_books_unit(books, unit);

	if (found >= 0)
		return (size_t)found;
	if (books->n_units == books->cap_units)
		grow_units(books);
	books->units[books->n_units] = shk_arena_strdup(books->arena, unit);
	(void)shk_map_add(&books->unit_index, books->units[books->n_units],
			  (uint32_t)books->n_units);
	return books->n_units++;
}

static void grow_tenants(struct shk_books *books)
{
	size_t cap = books->cap_tenants ? books->cap_tenants * 2 : 16;

	books->tenants = grown(books->arena, books->tenants, books->n_tenants, cap, sizeof(char *));
	books->accounts = grown(books->arena, books->accounts, books->n_tenants, cap,
				sizeof(struct shk_account *));
	books->n_allocs =
	    grown(books->arena, books->n_allocs, books->n_tenants, cap, sizeof(int64_t));
	books->cap_tenants = cap;
}

static size_t open_tenant(struct shk_books *books, const char *tenant)
{
	int found = shk_books_tenant(books, tenant);

	if (found >= 0)
		return (size_t)found;
	if (books->n_tenants == books->cap_tenants)
		grow_tenants(books);
	size_t index = books->n_tenants++;
	books->tenants[index] = shk_arena_strdup(books->arena, tenant);
	(void)shk_map_add(&books->tenant_index, books->tenants[index], (uint32_t)index);
	books->accounts[index] = SHK_NEW_ARRAY(books->arena, books->cap_units, struct shk_account);
	return index;
}

void shk_books_copy(struct shk_books *ret_copy, struct shk_arena *arena,
		    const struct shk_books *from)
{
	struct shk_books copy = *from;

	copy.arena = arena;
	copy.units = SHK_NEW_ARRAY(arena, from->cap_units, const char *);
	copy.capacity =
	    grown(arena, from->capacity, from->n_units, from->cap_units, sizeof(int64_t));
	copy.tenants = SHK_NEW_ARRAY(arena, from->cap_tenants, const char *);
	copy.accounts = SHK_NEW_ARRAY(arena, from->cap_tenants, struct shk_account *);
	copy.n_allocs =
	    grown(arena, from->n_allocs, from->n_tenants, from->cap_tenants, sizeof(int64_t));
	shk_map_init(&copy.unit_index, arena, from->cap_units);
	shk_map_init(&copy.tenant_index, arena, from->cap_tenants);
	for (size_t u = 0; u < from->n_units; u++) {
		copy.units[u] = shk_arena_strdup(arena, from->units[u]);
		(void)shk_map_add(&copy.unit_index, copy.units[u], (uint32_t)u);
	}
	for (size_t t = 0; t < from->n_tenants; t++) {
		copy.tenants[t] = shk_arena_strdup(arena, from->tenants[t]);
		(void)shk_map_add(&copy.tenant_index, copy.tenants[t], (uint32_t)t);
		copy.accounts[t] = grown(arena, from->accounts[t], from->n_units, from->cap_units,
					 sizeof(struct shk_account));
	}
	*ret_copy = copy;
}

void shk_books_init(struct shk_books *books, struct shk_arena *arena)
{
	*books = (struct shk_books){.arena = arena};
	shk_map_init(&books->unit_index, arena, 16);
	shk_map_init(&books->tenant_index, arena, 16);
	for (int unit = 0; unit < SHK_UNIT_COUNT; unit++)
		(void)open_unit(books, shk_unit_names[unit]);
}

/* An overflowing sum stays at the top, where it refuses whatever is asked. */
static void add(int64_t *sum, int64_t amount, int sign)
{
	*sum = sign > 0 ? shk_add_saturated(*sum, amount) : *sum - amount;
}

static void book(struct shk_books *books, size_t tenant, const char *unit, int64_t amount,
		 bool borrowed, int sign)
{
	size_t index = open_unit(books, unit);
	struct shk_account *account = &books->accounts[tenant][index];

	add(&account->used, amount, sign);
	if (borrowed)
		add(&account->borrowed, amount, sign);
}

static int64_t item_parts(int64_t count)
{
	int64_t parts = INT64_MAX;

	(void)shk_muldiv(count, SHK_PARTS, 1, 1, &parts);
	return parts;
}

void shk_books_alloc(struct shk_books *books, const struct shk_alloc *alloc, int sign)
{
	size_t tenant = open_tenant(books, alloc->tenant);
	bool borrowed = alloc->quota_class == SHK_CLASS_BORROWED;

	books->n_allocs[tenant] += sign;
	for (int unit = 0; unit < SHK_UNIT_COUNT; unit++) {
		if (alloc->charge.known[unit])
			book(books, tenant, shk_unit_names[unit], alloc->charge.parts[unit],
			     borrowed, sign);
	}
	for (size_t i = 0; i < alloc->resources.n; i++)
		book(books, tenant, alloc->resources.items[i].resource,
		     item_parts(alloc->resources.items[i].count), borrowed, sign);
}

static void book_pool(struct shk_books *books, const struct shk_pool *pool, int sign)
{
	struct shk_charge charge;
	size_t unit = open_unit(books, pool->resource);

	add(&books->capacity[unit], item_parts(pool->allocatable), sign);
	if (!shk_charge_weight(&pool->weight, pool->allocatable, &charge))
		return;
	for (int i = 0; i < SHK_UNIT_COUNT; i++) {
		if (charge.known[i])
			add(&books->capacity[i], charge.parts[i], sign);
	}
}

void shk_books_node(struct shk_books *books, const struct shk_node_base *base, int sign)
{
	if (base->fence != SHK_FITS || base->contradiction)
		return;
	for (size_t i = 0; i < base->n_pools; i++) {
		if (base->pools[i].kind != SHK_POOL_UNKNOWN)
			book_pool(books, &base->pools[i], sign);
	}
}

struct shk_account shk_books_get(const struct shk_books *books, const char *tenant,
				 const char *unit)
{
	int t = shk_books_tenant(books, tenant);
	int u = shk_books_unit(books, unit);

	return t >= 0 && u >= 0 ? books->accounts[t][u] : (struct shk_account){.used = 0};
}

int64_t shk_books_capacity(const struct shk_books *books, const char *unit)
{
	int u = shk_books_unit(books, unit);

	return u >= 0 ? books->capacity[u] : 0;
}
