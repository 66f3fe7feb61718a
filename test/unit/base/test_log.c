#include "shikiri/base/log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "shikiri/base/str.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define JSON_STAMP 33 /* {"ts":"2026-11-29T17:00:00.123Z", */
#define TEXT_STAMP 13 /* 17:00:00.123 and a blank */

static FILE *sink;
static int real_stderr;
static char got[16384];

static int open_sink(void **state)
{
	(void)state;
	sink = tmpfile();
	real_stderr = dup(STDERR_FILENO);
	return !sink || real_stderr < 0;
}

static int close_sink(void **state)
{
	(void)state;
	return close(real_stderr) != 0 || fclose(sink) != 0;
}

/* Between the two, stderr is the sink; after them it is cmocka's again. */
static void listen(void)
{
	assert_int_equal(ftruncate(fileno(sink), 0), 0);
	assert_int_equal(lseek(fileno(sink), 0, SEEK_SET), 0);
	assert_int_equal(dup2(fileno(sink), STDERR_FILENO), STDERR_FILENO);
}

static const char *logged(void)
{
	ssize_t n = pread(fileno(sink), got, sizeof got - 1, 0);

	assert_int_equal(dup2(real_stderr, STDERR_FILENO), STDERR_FILENO);
	assert_true(n >= 0);
	got[n] = '\0';
	return got;
}

/* '9' stands for any digit. */
static bool has_shape(const char *text, const char *shape)
{
	for (; *shape; text++, shape++) {
		bool is_digit = *text >= '0' && *text <= '9';

		if (*shape == '9' ? !is_digit : *text != *shape)
			return false;
	}
	return true;
}

static void json_lines(void **state)
{
	static const struct {
		enum shk_log_level level;
		const char *message;
		const char *key;
		const char *value;
		const char *line;
	} cases[] = {
	    {SHK_LOG_INFO, "bind", NULL, NULL, "\"level\":\"info\",\"msg\":\"bind\"}\n"},
	    {SHK_LOG_DEBUG, "", "k", "v", "\"level\":\"debug\",\"msg\":\"\",\"k\":\"v\"}\n"},
	    {SHK_LOG_WARN, "m", "k", "", "\"level\":\"warn\",\"msg\":\"m\",\"k\":\"\"}\n"},
	    {SHK_LOG_ERROR, "m", "k", NULL, "\"level\":\"error\",\"msg\":\"m\"}\n"},
	    {SHK_LOG_INFO, "m", "#n", "12", "\"level\":\"info\",\"msg\":\"m\",\"n\":12}\n"},
	    {SHK_LOG_INFO, "m", "#n", "x", "\"level\":\"info\",\"msg\":\"m\",\"n\":\"x\"}\n"},
	    {SHK_LOG_INFO, "a\"b\\c", "k\n", "\"\\\r\n\t",
	     "\"level\":\"info\",\"msg\":\"a\\\"b\\\\c\",\"k\\n\":\"\\\"\\\\\\r\\n\\t\"}\n"},
	};

	(void)state;
	shk_log_setup(SHK_LOG_DEBUG, true);
	for (size_t i = 0; i < N(cases); i++) {
		listen();
		shk_log(cases[i].level, cases[i].message, cases[i].key, cases[i].value, NULL);
		logged();
		assert_true(has_shape(got, "{\"ts\":\"9999-99-99T99:99:99.999Z\",\"level\":"));
		assert_string_equal(got + JSON_STAMP, cases[i].line);
	}
}

static void text_lines(void **state)
{
	static const struct {
		enum shk_log_level level;
		const char *message;
		const char *key;
		const char *value;
		const char *line;
	} cases[] = {
	    {SHK_LOG_INFO, "bind done", NULL, NULL, "INFO  bind done\n"},
	    {SHK_LOG_DEBUG, "m", "k", "v", "DEBUG m k=v\n"},
	    {SHK_LOG_WARN, "m", "k", "", "WARN  m k=\"\"\n"},
	    {SHK_LOG_ERROR, "m", "k", "two words", "ERROR m k=\"two words\"\n"},
	    {SHK_LOG_INFO, "m", "k", NULL, "INFO  m\n"},
	    {SHK_LOG_INFO, "m", "#k", "1.5", "INFO  m k=1.5\n"},
	    {SHK_LOG_INFO, "m", "k", "a=b", "INFO  m k=\"a=b\"\n"},
	    {SHK_LOG_INFO, "m", "k", "a\"b", "INFO  m k=\"a\\\"b\"\n"},
	    {SHK_LOG_INFO, "m", "k", "\x1b[31m", "INFO  m k=\"\\u001b[31m\"\n"},
	    {SHK_LOG_INFO, "m\x1b", "k", "a\\b", "INFO  m\\u001b k=\"a\\\\b\"\n"},
	    {SHK_LOG_INFO, "m", "k", "\xC3\xA9", "INFO  m k=\"\xC3\xA9\"\n"},
	};

	(void)state;
	shk_log_setup(SHK_LOG_DEBUG, false);
	for (size_t i = 0; i < N(cases); i++) {
		listen();
		shk_log(cases[i].level, cases[i].message, cases[i].key, cases[i].value, NULL);
		logged();
		assert_true(has_shape(got, "99:99:99.999 "));
		assert_string_equal(got + TEXT_STAMP, cases[i].line);
	}
}

static void several_pairs_keep_their_order(void **state)
{
	(void)state;
	shk_log_setup(SHK_LOG_INFO, true);
	listen();
	shk_log(SHK_LOG_INFO, "m", "a", "1", "b", NULL, "#c", "3", NULL);
	logged();
	assert_string_equal(got + JSON_STAMP,
			    "\"level\":\"info\",\"msg\":\"m\",\"a\":\"1\",\"c\":3}\n");
}

#define FFFD "\xEF\xBF\xBD"

static void characters(void **state)
{
	static const struct {
		const char *raw;
		const char *shown;
	} cases[] = {
	    {"\x01", "\\u0001"},
	    {"\x1f", "\\u001f"},
	    {" ", " "},
	    {"~", "~"},
	    {"\x7f", "\\u007f"},
	    {"\xC2\x80", "\\u0080"},
	    {"\xC2\x9B", "\\u009b"},
	    {"\xC2\x9F", "\\u009f"},
	    {"\xC2\xA0", "\xC2\xA0"},
	    {"\xDF\xBF", "\xDF\xBF"},
	    {"\xE0\xA0\x80", "\xE0\xA0\x80"},
	    {"\xED\x9F\xBF", "\xED\x9F\xBF"},
	    {"\xEE\x80\x80", "\xEE\x80\x80"},
	    {"\xF0\x90\x80\x80", "\xF0\x90\x80\x80"},
	    {"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
	    {"\x80", FFFD},
	    {"\xC3", FFFD},
	    {"\xC3x", FFFD "x"},
	    {"\xC0\xAF", FFFD FFFD},
	    {"\xC1\x9B", FFFD FFFD},
	    {"\xE2\x82", FFFD FFFD},
	    {"\xE0\x9F\xBF", FFFD FFFD FFFD},
	    {"\xED\xA0\x80", FFFD FFFD FFFD},
	    {"\xF0\x8F\xBF\xBF", FFFD FFFD FFFD FFFD},
	    {"\xF4\x90\x80\x80", FFFD FFFD FFFD FFFD},
	    {"\xF8\x88\x80\x80\x80", FFFD FFFD FFFD FFFD FFFD},
	    {"\xFF", FFFD},
	};

	(void)state;
	shk_log_setup(SHK_LOG_INFO, true);
	for (size_t i = 0; i < N(cases); i++) {
		char expected[64];

		listen();
		shk_log(SHK_LOG_INFO, "m", "k", cases[i].raw, NULL);
		logged();
		(void)snprintf(expected, sizeof expected,
			       "\"level\":\"info\",\"msg\":\"m\",\"k\":\"%s\"}\n", cases[i].shown);
		assert_string_equal(got + JSON_STAMP, expected);
	}
}

static void numbers_stay_numbers(void **state)
{
	static const struct {
		const char *value;
		bool is_bare;
	} cases[] = {
	    {"0", true},
	    {"-1", true},
	    {"12.50", true},
	    {"0.5", true},
	    {"", false},
	    {"-", false},
	    {"01", false},
	    {"1.", false},
	    {".5", false},
	    {"1e5", false},
	    {"+1", false},
	    {"1 ", false},
	    {"0x1", false},
	    {"NaN", false},
	    {"--1", false},
	    {"1.2.3", false},
	    {"12345678901234567890123456789012345678901", false},
	};

	(void)state;
	shk_log_setup(SHK_LOG_INFO, true);
	for (size_t i = 0; i < N(cases); i++) {
		const char *quote = cases[i].is_bare ? "" : "\"";
		char expected[80];

		listen();
		shk_log(SHK_LOG_INFO, "m", "#k", cases[i].value, NULL);
		logged();
		(void)snprintf(expected, sizeof expected, "\"msg\":\"m\",\"k\":%s%s%s}\n", quote,
			       cases[i].value, quote);
		assert_string_equal(strstr(got, "\"msg\""), expected);
	}
}

static char *repeated(const char *unit, size_t n)
{
	size_t len = strlen(unit);
	char *text = test_malloc(n * len + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * len, unit, len);
	text[n * len] = '\0';
	return text;
}

static void long_values_are_cut(void **state)
{
	static const char *const units[] = {"x",   "\n", "\x01", "\xC3\xA9", "\xF0\x9F\x98\x80",
					    "\xFF"};

	(void)state;
	shk_log_setup(SHK_LOG_INFO, true);
	for (size_t i = 0; i < N(units); i++) {
		char *text = repeated(units[i], 100000);

		listen();
		shk_log(SHK_LOG_INFO, text, text, "v", "k", text, "last", "here", NULL);
		logged();
		assert_true(strlen(got) <= 8192);
		assert_true(strlen(got) > 4096);
		assert_non_null(strstr(got, "...\":\"v\",\"k\":\""));
		assert_true(shk_str_ends(got, "...\",\"last\":\"here\"}\n"));
		test_free(text);
	}
}

static void what_does_not_fit_is_counted(void **state)
{
	char *text = repeated("x", 3000);

	(void)state;
	shk_log_setup(SHK_LOG_INFO, true);
	listen();
	shk_log(SHK_LOG_INFO, text, "a", text, "b", text, "c", text, "d", text, "e", "small", NULL);
	logged();
	assert_true(strlen(got) <= 8192);
	assert_non_null(strstr(got, "\"b\":\"xxx"));
	assert_null(strstr(got, "\"c\":"));
	assert_null(strstr(got, "\"d\":"));
	assert_non_null(strstr(got, "...\",\"e\":\"small\",\"cut\":2}\n"));

	shk_log_setup(SHK_LOG_INFO, false);
	listen();
	shk_log(SHK_LOG_INFO, text, "a", text, "b", text, "c", text, "d", text, "e", "small", NULL);
	logged();
	assert_true(strlen(got) <= 8192);
	assert_non_null(strstr(got, "... e=small cut=2\n"));
	test_free(text);
}

static void levels(void **state)
{
	static const char *const names[] = {"debug", "info", "warn", "error"};
	static const char *const wrong[] = {"", "INFO", "warning", "inf", "infos", "0"};
	enum shk_log_level level = SHK_LOG_WARN;

	(void)state;
	for (size_t i = 0; i < N(wrong); i++)
		assert_false(shk_log_level_parse(wrong[i], &level));
	assert_int_equal(level, SHK_LOG_WARN);
	for (size_t i = 0; i < N(names); i++) {
		assert_true(shk_log_level_parse(names[i], &level));
		assert_int_equal(level, i);
		shk_log_setup(level, false);
		for (size_t k = 0; k < N(names); k++) {
			listen();
			shk_log((enum shk_log_level)k, "m", NULL);
			assert_int_equal(shk_log_enabled((enum shk_log_level)k), k >= i);
			assert_int_equal(strlen(logged()) > 0, k >= i);
		}
	}
}

static void the_default_is_info_as_text(void **state)
{
	(void)state;
	assert_false(shk_log_enabled(SHK_LOG_DEBUG));
	assert_true(shk_log_enabled(SHK_LOG_INFO));
	listen();
	shk_log(SHK_LOG_INFO, "m", NULL);
	logged();
	assert_string_equal(got + TEXT_STAMP, "INFO  m\n");
}

static void errno_survives(void **state)
{
	(void)state;
	shk_log_setup(SHK_LOG_INFO, false);
	listen();
	assert_int_equal(close(STDERR_FILENO), 0);
	errno = ENOENT;
	shk_log(SHK_LOG_ERROR, "lost", NULL);

	int kept = errno;

	assert_string_equal(logged(), "");
	assert_int_equal(kept, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_default_is_info_as_text),
	    cmocka_unit_test(json_lines),
	    cmocka_unit_test(text_lines),
	    cmocka_unit_test(several_pairs_keep_their_order),
	    cmocka_unit_test(characters),
	    cmocka_unit_test(numbers_stay_numbers),
	    cmocka_unit_test(long_values_are_cut),
	    cmocka_unit_test(what_does_not_fit_is_counted),
	    cmocka_unit_test(levels),
	    cmocka_unit_test(errno_survives),
	};

	return cmocka_run_group_tests(tests, open_sink, close_sink);
}
