#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "router.h"

#define API "/apis/shikiri.dev/v1"

static enum shk_routed find(enum shk_listener listener, const char *method, const char *path,
			    struct shk_arena *arena, struct shk_found *found)
{
	return shk_route_find(listener, method, path, arena, found);
}

static void every_row_is_complete(void **state)
{
	(void)state;
	assert_true(shk_n_routes > 20);
	for (size_t i = 0; i < shk_n_routes; i++) {
		const struct shk_route *route = &shk_routes[i];
		bool writes = strcmp(route->method, "GET") != 0;

		assert_int_not_equal(route->listener, SHK_LISTENER_UNSET);
		assert_int_not_equal(route->auth, SHK_AUTH_UNSET);
		assert_non_null(route->handle);
		assert_int_equal(route->pattern[0], '/');
		assert_true(route->body == SHK_BODY_VERB || !writes || route->max_body > 0);
		/* Only what needs no rights stands outside the prefix of the admin API. */
		if (route->auth == SHK_AUTH_OPEN)
			assert_false(writes);
		if (route->listener == SHK_LISTENER_ADMIN && route->auth == SHK_AUTH_ADMIN)
			assert_memory_equal(route->pattern, API, strlen(API));
	}
}

static void no_row_stands_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < shk_n_routes; i++) {
		for (size_t j = 0; j < i; j++)
			assert_false(strcmp(shk_routes[i].method, shk_routes[j].method) == 0 &&
				     strcmp(shk_routes[i].pattern, shk_routes[j].pattern) == 0);
	}
}

static void paths_find_their_row(void **state)
{
	struct shk_found found;
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_int_equal(
	    find(SHK_LISTENER_EXTENDER, "POST", "/scheduler/v1/filter", &arena, &found),
	    SHK_ROUTED);
	assert_string_equal(found.route->pattern, "/scheduler/v1/filter");
	assert_int_equal(found.n_params, 0);

	assert_int_equal(
	    find(SHK_LISTENER_ADMIN, "GET", API "/tenants/vision/quota", &arena, &found),
	    SHK_ROUTED);
	assert_int_equal(found.n_params, 1);
	assert_string_equal(found.params[0].name, "tenant");
	assert_string_equal(found.params[0].value, "vision");

	assert_int_equal(
	    find(SHK_LISTENER_ADMIN, "DELETE", API "/emulate/pods/ns/web-0", &arena, &found),
	    SHK_ROUTED);
	assert_int_equal(found.n_params, 2);
	assert_string_equal(found.params[1].value, "web-0");
	shk_arena_fini(&arena);
}

static void actions_are_no_names(void **state)
{
	struct shk_found found;
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_int_equal(
	    find(SHK_LISTENER_ADMIN, "POST", API "/nodes/gpu-1:cordon-gpu", &arena, &found),
	    SHK_ROUTED);
	assert_string_equal(found.params[0].value, "gpu-1");
	assert_string_equal(found.route->pattern, API "/nodes/{node}:cordon-gpu");
	assert_int_equal(
	    find(SHK_LISTENER_ADMIN, "POST", API "/nodes/gpu-1:uncordon-gpu", &arena, &found),
	    SHK_ROUTED);
	assert_string_equal(found.route->pattern, API "/nodes/{node}:uncordon-gpu");
	assert_int_equal(
	    find(SHK_LISTENER_ADMIN, "GET", API "/nodes/gpu-1:cordon-gpu", &arena, &found),
	    SHK_ROUTED_NO_METHOD);
	assert_string_equal(found.allow, "POST");
	assert_int_equal(find(SHK_LISTENER_ADMIN, "GET", API "/nodes/gpu-1:drain", &arena, &found),
			 SHK_ROUTED_NOWHERE);
	assert_int_equal(find(SHK_LISTENER_ADMIN, "POST", API "/nodes/:cordon-gpu", &arena, &found),
			 SHK_ROUTED_NOWHERE);
	assert_int_equal(find(SHK_LISTENER_ADMIN, "GET", API "/allocations/a:b", &arena, &found),
			 SHK_ROUTED);
	shk_arena_fini(&arena);
}

static void other_methods_are_told(void **state)
{
	struct shk_found found;
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	assert_int_equal(find(SHK_LISTENER_ADMIN, "PUT", API "/tenants", &arena, &found),
			 SHK_ROUTED_NO_METHOD);
	assert_string_equal(found.allow, "GET, HEAD");
	assert_int_equal(find(SHK_LISTENER_EXTENDER, "GET", "/scheduler/v1/bind", &arena, &found),
			 SHK_ROUTED_NO_METHOD);
	assert_string_equal(found.allow, "POST");
	assert_int_equal(find(SHK_LISTENER_ADMIN, "HEAD", API "/tenants", &arena, &found),
			 SHK_ROUTED);
	assert_int_equal(find(SHK_LISTENER_EXTENDER, "HEAD", "/scheduler/v1/bind", &arena, &found),
			 SHK_ROUTED_NO_METHOD);
	shk_arena_fini(&arena);
}

static void other_paths_lead_nowhere(void **state)
{
	static const char *const paths[] = {"/",
					    "/livez/",
					    "/livez/x",
					    "/Livez",
					    "/scheduler",
					    API,
					    API "/",
					    API "/tenants/",
					    API "/tenants/a/b",
					    API "/tenants/a/quota/",
					    "/scheduler/v1/filter"};
	struct shk_found found;
	struct shk_arena arena;

	(void)state;
	shk_arena_init(&arena, 0);
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		assert_int_equal(find(SHK_LISTENER_ADMIN, "GET", paths[i], &arena, &found),
				 SHK_ROUTED_NOWHERE);
	assert_int_equal(find(SHK_LISTENER_EXTENDER, "GET", "/livez", &arena, &found),
			 SHK_ROUTED_NOWHERE);
	assert_int_equal(find(SHK_LISTENER_UNSET, "GET", "/livez", &arena, &found),
			 SHK_ROUTED_NOWHERE);
	shk_arena_fini(&arena);
}

static void parameters_are_known_by_whole_words(void **state)
{
	const struct shk_route some = {.query = "limit|continue"};
	const struct shk_route all = {.query = "*"};
	const struct shk_route none = {0};

	(void)state;
	assert_true(shk_route_knows(&some, "limit"));
	assert_true(shk_route_knows(&some, "continue"));
	assert_false(shk_route_knows(&some, "limi"));
	assert_false(shk_route_knows(&some, "limits"));
	assert_false(shk_route_knows(&some, "limit|continue"));
	assert_false(shk_route_knows(&some, ""));
	assert_true(shk_route_knows(&all, "anything"));
	assert_false(shk_route_knows(&none, "limit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_row_is_complete),
	    cmocka_unit_test(no_row_stands_twice),
	    cmocka_unit_test(paths_find_their_row),
	    cmocka_unit_test(actions_are_no_names),
	    cmocka_unit_test(other_methods_are_told),
	    cmocka_unit_test(other_paths_lead_nowhere),
	    cmocka_unit_test(parameters_are_known_by_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
