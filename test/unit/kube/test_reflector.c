/* test_reflector.c - each rule as a script. */
#include "script.h"

#include <stdio.h>

/* --- what a server says --------------------------------------------------------------------- */

#define NODE(name, version)                                                                        \
	"{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" version                      \
	"\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
#define LIST(version, items)                                                                       \
	"{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"" version                      \
	"\"},\"items\":[" items "]}"
#define PAGE(token, items)                                                                         \
	"{\"metadata\":{\"resourceVersion\":\"10\",\"continue\":\"" token "\"},\"items\":[" items  \
	"]}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version)                                                                          \
	EVENT("BOOKMARK", "{\"kind\":\"Node\",\"metadata\":{\"resourceVersion\":\"" version "\"}"  \
			  "}")
#define STATUS(code, reason, message)                                                              \
	"{\"kind\":\"Status\",\"code\":" code ",\"reason\":\"" reason "\",\"message\":\"" message  \
	"\"}"
#define FIRST_PATH "/api/v1/nodes?limit=500&resourceVersion=0"
#define WATCH_PATH(version)                                                                        \
	"/api/v1/nodes?watch=1&allowWatchBookmarks=true&resourceVersion=" version                  \
	"&timeoutSeconds=*"

/* A list of node a at version 10, and the watch begun. */
#define LISTED                                                                                     \
	{ASK, 0, FIRST_PATH}, {HEAD, 200, NULL}, {FEED, 0, LIST("10", NODE("a", "5"))},            \
	    {END, 0, NULL}, {FACTS, 0, "put a+@5; listed a"}, {ASK, 0, WATCH_PATH("10")},          \
	{                                                                                          \
		HEAD, 200, NULL                                                                    \
	}

static void test_list_then_watch(void **state)
{
	static const struct step steps[] = {
	    {ASK, 0, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {SILENCE, 60000, NULL},
	    {FEED, 0, LIST("10", NODE("b", "5") "," NODE("a", "7"))},
	    {FACTS, 0, "put b+@5; put a+@7"},
	    {WAIT, 50, NULL},
	    {AGE, 50, NULL},
	    {END, 0, NULL},
	    {AGE, 0, NULL},
	    {RELISTS, 0, NULL},
	    {FACTS, 0, "listed a b"},
	    {ASK, 0, WATCH_PATH("10")},
	    {HEAD, 200, NULL},
	    {SILENCE, 150000, NULL},
	    {WAIT, 20000, NULL},
	    {SILENCE, 130000, NULL},
	    {AGE, 20000, NULL},
	    {FEED, 0, EVENT("ADDED", NODE("c", "11")) EVENT("MODIFIED", NODE("a", "12"))},
	    {FACTS, 0, "put c+@11; put a+@12"},
	    {AGE, 0, NULL},
	    {SILENCE, 150000, NULL},
	    {FEED, 0, EVENT("DELETED", NODE("b", "13"))},
	    {FACTS, 0, "gone b+@13"},
	    {WAIT, 60000, NULL},
	    {FEED, 0, BOOKMARK("99")},
	    {AGE, 0, NULL},
	    {FACTS, 0, ""},
	    {WAIT, 300000, NULL},
	    {END, 0, NULL},
	    {ASK, 0, WATCH_PATH("99")},
	    {FAILURES, 0, NULL},
	    {ERROR, 0, NULL},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

static void test_pages(void **state)
{
	static const struct step steps[] = {
	    {ASK, 0, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, PAGE("a+/=", NODE("b", "1"))},
	    {END, 0, NULL},
	    {FACTS, 0, "put b+@1"},
	    {ASK, 0, "/api/v1/nodes?limit=500&continue=a%2B%2F%3D"},
	    {HEAD, 200, NULL},
	    {FEED, 0, PAGE("x", NODE("a", "2"))},
	    {END, 0, NULL},
	    {ASK, 0, "/api/v1/nodes?limit=500&continue=x"},
	    {HEAD, 200, NULL},
	    {FEED, 0, PAGE("", NODE("c", "3"))},
	    {END, 0, NULL},
	    {FACTS, 0, "put a+@2; put c+@3; listed a b c"},
	    {ASK, 0, WATCH_PATH("10")},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

/* What came before the token expired isn't listed: the whole list is read again. */
static void test_page_expires(void **state)
{
	static const struct step steps[] = {
	    {ASK, 0, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, PAGE("x", NODE("b", "1"))},
	    {END, 0, NULL},
	    {ASK, 0, "/api/v1/nodes?limit=500&continue=x"},
	    {HEAD, 410, NULL},
	    {FEED, 0, STATUS("410", "Expired", "too old")},
	    {END, 0, NULL},
	    {FAILURES, 1, NULL},
	    {ASK, 0, "/api/v1/nodes"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("20", NODE("c", "3"))},
	    {END, 0, NULL},
	    {FACTS, 0, "put b+@1; put c+@3; listed c"},
	    {ASK, 0, WATCH_PATH("20")},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

static void test_a_list_that_breaks_begins_again(void **state)
{
	static const struct step steps[] = {
	    {ASK, 0, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, PAGE("x", NODE("b", "1"))},
	    {END, 0, NULL},
	    {ASK, 0, "/api/v1/nodes?limit=500&continue=x"},
	    {HEAD, 200, NULL},
	    {FEED, 0, "{\"items\":["},
	    {END, 0, "reset by peer"},
	    {ERROR, 0, "list: reset by peer"},
	    {ASK, 800, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, "{\"items\":[]"},
	    {END, 0, NULL},
	    {ERROR, 0, "too soon"},
	    {ASK, 1600, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {ABORT, 0, "<html>"},
	    {END, 0, "aborted"},
	    {ERROR, 0, "not valid JSON"},
	    {ASK, 3200, FIRST_PATH},
	    {END, 0, "connection refused"},
	    {ASK, 6400, FIRST_PATH},
	    {END, 0, NULL},
	    {ERROR, 0, "no answer"},
	    {FAILURES, 5, NULL},
	    {ASK, 12800, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, "{\"items\":[],\"metadata\":{}}"},
	    {END, 0, NULL},
	    {ERROR, 0, "no resourceVersion"},
	    {ASK, 25600, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("3", "")},
	    {END, 0, NULL},
	    {ERROR, 0, NULL},
	    {FACTS, 0, "put b+@1; listed"},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

static void test_watch_expires(void **state)
{
	static const struct step steps[] = {
	    LISTED,
	    {ABORT, 0, EVENT("ERROR", STATUS("410", "Expired", "too old resource version"))},
	    {END, 0, "aborted"},
	    {ERROR, 0, "watch: the watch was ended with 410 Expired: too old"},
	    {ASK, 800, "/api/v1/nodes?resourceVersion=10"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("30", NODE("z", "29"))},
	    {END, 0, NULL},
	    {RELISTS, 1, NULL},
	    {FACTS, 0, "put z+@29; listed z"},
	    {ASK, 0, WATCH_PATH("30")},
	    {HEAD, 410, NULL},
	    {END, 0, NULL},
	    {ASK, 1600, "/api/v1/nodes?limit=500"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("40", "")},
	    {END, 0, NULL},
	    {FACTS, 0, "listed"},
	    {ASK, 0, WATCH_PATH("40")},
	    {HEAD, 200, NULL},
	    {FEED, 0, BOOKMARK("41")},
	    {ABORT, 0, EVENT("ERROR", STATUS("410", "Gone", ""))},
	    {END, 0, "aborted"},
	    {ASK, 3200, "/api/v1/nodes?resourceVersion=41"},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

static void test_relist_expires(void **state)
{
	static const struct step expired[] = {
	    LISTED,
	    {END, 0, "reset"},
	    {ASK, 800, WATCH_PATH("10")},
	    {HEAD, 410, NULL},
	    {FEED, 0, "gone"},
	    {END, 0, NULL},
	    {ASK, 1600, "/api/v1/nodes?resourceVersion=10"},
	    {HEAD, 410, NULL},
	    {END, 0, NULL},
	    {ASK, 0, "/api/v1/nodes?limit=500"},
	    {HEAD, 410, NULL},
	    {END, 0, NULL},
	    {ASK, 6400, "/api/v1/nodes?limit=500"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("9", "")},
	    {END, 0, NULL},
	    {FACTS, 0, "listed"},
	    {ASK, 0, WATCH_PATH("9")},
	    {DONE, 0, NULL},
	};
	static const struct step too_large[] = {
	    LISTED,
	    {HEAD, 410, NULL},
	    {END, 0, NULL},
	    {ASK, 800, "/api/v1/nodes?resourceVersion=10"},
	    {HEAD, 504, NULL},
	    {FEED, 0,
	     "{\"code\":504,\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
	     "\"ResourceVersionTooLarge\"}]}}"},
	    {END, 0, NULL},
	    {ASK, 0, "/api/v1/nodes?limit=500"},
	    {DONE, 0, NULL},
	};
	static const struct step too_large_in_words[] = {
	    LISTED,
	    {HEAD, 410, NULL},
	    {END, 0, NULL},
	    {ASK, 800, "/api/v1/nodes?resourceVersion=10"},
	    {HEAD, 500, NULL},
	    {FEED, 0, STATUS("500", "Timeout", "Too large resource version: 10, current: 5")},
	    {END, 0, NULL},
	    {ERROR, 0, "answered with 500: Too large"},
	    {ASK, 0, "/api/v1/nodes?limit=500"},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, expired);
	expect_script(SHK_KUBE_NODES, too_large);
	expect_script(SHK_KUBE_NODES, too_large_in_words);
}

/* None of these says anything about the version, so it is kept and nothing is listed again. */
static void test_watch_is_refused(void **state)
{
	static const int codes[] = {401, 403, 408, 429, 500, 502, 503, 504};

	(void)state;
	for (size_t i = 0; i < N(codes); i++) {
		const struct step steps[] = {
		    LISTED,
		    {FEED, 0, BOOKMARK("17")},
		    {END, 0, "reset"},
		    {ASK, 800, WATCH_PATH("17")},
		    {HEAD, codes[i], NULL},
		    {FEED, 0, STATUS("0", "", "why not")},
		    {END, 0, NULL},
		    {ERROR, 0, "why not"},
		    {ASK, 1600, WATCH_PATH("17")},
		    {END, 0, "connection refused"},
		    {ASK, 3200, WATCH_PATH("17")},
		    {HEAD, codes[i], NULL},
		    {END, 0, NULL},
		    {ASK, 6400, WATCH_PATH("17")},
		    {HEAD, codes[i], NULL},
		    {END, 0, NULL},
		    {ASK, 12800, WATCH_PATH("17")},
		    {HEAD, codes[i], NULL},
		    {END, 0, NULL},
		    {ASK, 25600, WATCH_PATH("17")},
		    {HEAD, 200, NULL},
		    {FEED, 0, BOOKMARK("18")},
		    {ERROR, 0, NULL},
		    {FAILURES, 6, NULL},
		    {RELISTS, 0, NULL},
		    {FACTS, 0, ""},
		    {DONE, 0, NULL},
		};

		expect_script(SHK_KUBE_NODES, steps);
	}
}

/* The same would be refused again. */
static void test_watch_is_refused_for_good(void **state)
{
	static const int codes[] = {400, 404, 422};

	(void)state;
	for (size_t i = 0; i < N(codes); i++) {
		const struct step steps[] = {
		    LISTED,
		    {END, 0, "reset"},
		    {ASK, 800, WATCH_PATH("10")},
		    {HEAD, codes[i], NULL},
		    {END, 0, NULL},
		    {ASK, 1600, "/api/v1/nodes?resourceVersion=10"},
		    {HEAD, codes[i], NULL},
		    {END, 0, NULL},
		    {ASK, 3200, "/api/v1/nodes?limit=500"},
		    {DONE, 0, NULL},
		};

		expect_script(SHK_KUBE_NODES, steps);
	}
}

static void test_retry_after(void **state)
{
	static const struct {
		int seconds;
		int64_t least_ms, most_ms;
	} cases[] = {{-1, 0, 800}, {0, 0, 800}, {7, 7000, 7000}, {1000000, 120000, 120000}};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct reflector *reflector = reflector_new(SHK_KUBE_NODES, 3, 0);
		struct shk_facts *facts = shk_facts_new();
		const char *path;
		int64_t at_ms;

		assert_true(reflector_due(reflector, 0, &path, &at_ms));
		reflector_head(reflector, 429, cases[i].seconds, 0);
		reflector_ended(reflector, NULL, 0, facts);
		(void)reflector_due(reflector, -1, &path, &at_ms);
		assert_in_range(at_ms, cases[i].least_ms, cases[i].most_ms);
		shk_facts_free(facts);
		reflector_free(reflector);
	}
}

static void test_internal_errors_are_bounded(void **state)
{
#define INTERNAL                                                                                   \
	{HEAD, 200, NULL}, {ABORT, 0, EVENT("ERROR", STATUS("500", "InternalError", "oh"))},       \
	{                                                                                          \
		END, 0, "aborted"                                                                  \
	}
	static const struct step steps[] = {
	    LISTED,
	    INTERNAL,
	    {ASK, 800, WATCH_PATH("10")},
	    INTERNAL,
	    {ASK, 1600, WATCH_PATH("10")},
	    INTERNAL,
	    {ASK, 3200, WATCH_PATH("10")},
	    INTERNAL,
	    {ASK, 6400, "/api/v1/nodes?resourceVersion=10"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("20", "")},
	    {END, 0, NULL},
	    {FACTS, 0, "listed"},
	    {ASK, 0, WATCH_PATH("20")},
	    INTERNAL,
	    {ASK, 12800, WATCH_PATH("20")},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

static void test_short_watches_are_failures(void **state)
{
	static const struct step steps[] = {
	    LISTED,
	    {WAIT, 999, NULL},
	    {END, 0, NULL},
	    {FAILURES, 1, NULL},
	    {ERROR, 0, "ended at once"},
	    {ASK, 800, WATCH_PATH("10")},
	    {HEAD, 200, NULL},
	    {WAIT, 1000, NULL},
	    {END, 0, NULL},
	    {FAILURES, 1, NULL},
	    {ERROR, 0, NULL},
	    {ASK, 0, WATCH_PATH("10")},
	    {HEAD, 200, NULL},
	    {FEED, 0, BOOKMARK("11")},
	    {WAIT, 300, NULL},
	    {END, 0, NULL},
	    {FAILURES, 1, NULL},
	    {NOT_DUE, 700, NULL},
	    {ASK, 0, WATCH_PATH("11")},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

static void test_a_cut_event_comes_again(void **state)
{
	static const struct step steps[] = {
	    LISTED,
	    {FEED, 0, EVENT("MODIFIED", NODE("a", "11"))},
	    {FEED, 0, "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"a\","},
	    {END, 0, "reset"},
	    {FACTS, 0, "put a+@11"},
	    {ASK, 800, WATCH_PATH("11")},
	    {HEAD, 200, NULL},
	    {FEED, 0, EVENT("DELETED", NODE("a", "12"))},
	    {FACTS, 0, "gone a+@12"},
	    {UNREAD, 0, NULL},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

static void test_versions_are_opaque(void **state)
{
	static const struct step steps[] = {
	    {ASK, 0, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("a&b c", "")},
	    {END, 0, NULL},
	    {ASK, 0, WATCH_PATH("a%26b%20c")},
	    {HEAD, 200, NULL},
	    {FEED, 0, BOOKMARK("Z-_.~9") EVENT("MODIFIED", "{\"metadata\":{\"name\":\"n\"}}")},
	    {WAIT, 5000, NULL},
	    {END, 0, NULL},
	    {FACTS, 0, "listed; put n-"},
	    {ASK, 0, WATCH_PATH("Z-_.~9")},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

/* What can't be read offers nothing, stays listed, and stops nobody. */
static void test_unreadable_nodes(void **state)
{
#define BAD_NODE(name, version)                                                                    \
	"{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" version                      \
	"\"},\"spec\":{\"unschedulable\":7}}"
	static const struct step steps[] = {
	    {ASK, 0, FIRST_PATH},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("10", NODE("a", "5") "," BAD_NODE("b", "6"))},
	    {END, 0, NULL},
	    {FACTS, 0, "put a+@5; put b-@6; listed a b"},
	    {UNREAD, 1, NULL},
	    {ERROR, 0, "/spec/unschedulable"},
	    {ASK, 0, WATCH_PATH("10")},
	    {HEAD, 200, NULL},
	    {FEED, 0, EVENT("MODIFIED", BAD_NODE("a", "11")) EVENT("ADDED", NODE("c", "12"))},
	    {FACTS, 0, "put a-@11; put c+@12"},
	    {UNREAD, 2, NULL},
	    {FEED, 0, EVENT("DELETED", BAD_NODE("a", "13"))},
	    {FACTS, 0, "gone a-@13"},
	    {UNREAD, 3, NULL},
	    {FEED, 0, "no JSON\n" EVENT("SYNC", "{}") EVENT("ADDED", "{\"metadata\":{}}")},
	    {UNREAD, 6, NULL},
	    {FEED, 0, EVENT("BOOKMARK", "{}") EVENT("ADDED", "{\"kind\":\"Pod\"}")},
	    {UNREAD, 6, NULL},
	    {FACTS, 0, ""},
	    {ABORT, 0, EVENT("ERROR", STATUS("410", "Expired", ""))},
	    {END, 0, "aborted"},
	    {ASK, 800, "/api/v1/nodes?resourceVersion=13"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("20", "")},
	    {END, 0, NULL},
	    {ERROR, 0, NULL},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

/* A list that doesn't say whom it holds would make them vanish. */
static void test_nameless_items_spoil_a_list(void **state)
{
	static const char *const items[] = {"{\"metadata\":{}}", "7", "{\"kind\":\"Pod\"}",
					    "{\"metadata\":{\"name\":\"a\",\"name\":\"a\"}}"};

	(void)state;
	for (size_t i = 0; i < N(items); i++) {
		char list[200];

		(void)snprintf(list, sizeof list,
			       "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[%s]}",
			       items[i]);

		const struct step steps[] = {
		    {ASK, 0, FIRST_PATH},   {HEAD, 200, NULL}, {ABORT, 0, list},
		    {END, 0, "aborted"},    {FACTS, 0, ""},    {ERROR, 0, "the list has an item"},
		    {ASK, 800, FIRST_PATH}, {DONE, 0, NULL},
		};

		expect_script(SHK_KUBE_NODES, steps);
	}
}

static void test_pods(void **state)
{
#define POD(uid, rest)                                                                             \
	"{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"" uid                         \
	"\",\"resourceVersion\":\"6\"" rest "}"
	static const struct step steps[] = {
	    {ASK, 0, "/api/v1/pods?limit=500&resourceVersion=0"},
	    {HEAD, 200, NULL},
	    {FEED, 0,
	     LIST("10",
		  POD("u-2", "}") "," POD("u-1", ",\"annotations\":{\"a\":\"\\u0000\"}}") "," POD(
		      "u-3", "},\"spec\":7"))},
	    {END, 0, NULL},
	    {FACTS, 0, "put u-2(n/p); put u-1(n/p); listed u-1 u-2 u-3"},
	    {UNREAD, 1, NULL},
	    {ASK, 0,
	     "/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds=*"},
	    {HEAD, 200, NULL},
	    {FEED, 0,
	     EVENT("MODIFIED", POD("u-1", ",\"annotations\":{\"a\":\"\\u0000\"}}"))
		 EVENT("DELETED", POD("u-2", "}"))
		     EVENT("ADDED", "{\"metadata\":{\"name\":\"p\",\"uid\":\"u-4\"}}")},
	    {FACTS, 0, "put u-1(n/p); gone u-2(n/p)"},
	    {UNREAD, 2, NULL},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_PODS, steps);
}

static void test_small_kinds(void **state)
{
	static const struct step namespaces[] = {
	    {ASK, 0, "/api/v1/namespaces?limit=500&resourceVersion=0"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("1", "{\"metadata\":{\"name\":\"b\"}},{\"metadata\":{\"name\":\"a\"}}")},
	    {END, 0, NULL},
	    {FACTS, 0, "put b; put a; listed a b"},
	    {ASK, 0,
	     "/api/v1/namespaces?watch=1&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds="
	     "*"},
	    {HEAD, 200, NULL},
	    {FEED, 0,
	     EVENT("DELETED", "{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"22\"}}")},
	    {FACTS, 0, "gone b"},
	    {END, 0, "reset"},
	    {ASK, 800,
	     "/api/v1/namespaces?watch=1&allowWatchBookmarks=true&resourceVersion=22&"
	     "timeoutSeconds=*"},
	    {DONE, 0, NULL},
	};
	static const struct step classes[] = {
	    {ASK, 0, "/apis/scheduling.k8s.io/v1/priorityclasses?limit=500&resourceVersion=0"},
	    {HEAD, 200, NULL},
	    {FEED, 0, LIST("1", "{\"metadata\":{\"name\":\"high\"},\"value\":5}")},
	    {END, 0, NULL},
	    {FACTS, 0, "put high; listed high"},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NAMESPACES, namespaces);
	expect_script(SHK_KUBE_PRIORITY_CLASSES, classes);
}

static void test_health_forgets_failures(void **state)
{
	static const struct step steps[] = {
	    {ASK, 0, FIRST_PATH},    {END, 0, "refused"},       {ASK, 800, FIRST_PATH},
	    {END, 0, "refused"},     {ASK, 1600, FIRST_PATH},   {END, 0, "refused"},
	    {ASK, 3200, FIRST_PATH}, {HEAD, 200, NULL},         {FEED, 0, LIST("1", "")},
	    {END, 0, NULL},          {ASK, 0, WATCH_PATH("1")}, {HEAD, 200, NULL},
	    {WAIT, 120000, NULL},    {END, 0, "reset"},         {ASK, 800, WATCH_PATH("1")},
	    {DONE, 0, NULL},
	};

	(void)state;
	expect_script(SHK_KUBE_NODES, steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_list_then_watch),
	    cmocka_unit_test(test_pages),
	    cmocka_unit_test(test_page_expires),
	    cmocka_unit_test(test_a_list_that_breaks_begins_again),
	    cmocka_unit_test(test_watch_expires),
	    cmocka_unit_test(test_relist_expires),
	    cmocka_unit_test(test_watch_is_refused),
	    cmocka_unit_test(test_watch_is_refused_for_good),
	    cmocka_unit_test(test_retry_after),
	    cmocka_unit_test(test_internal_errors_are_bounded),
	    cmocka_unit_test(test_short_watches_are_failures),
	    cmocka_unit_test(test_a_cut_event_comes_again),
	    cmocka_unit_test(test_versions_are_opaque),
	    cmocka_unit_test(test_unreadable_nodes),
	    cmocka_unit_test(test_nameless_items_spoil_a_list),
	    cmocka_unit_test(test_pods),
	    cmocka_unit_test(test_small_kinds),
	    cmocka_unit_test(test_health_forgets_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
