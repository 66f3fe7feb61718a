#include "shikiri/base/units.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "death.h"

#define N(array)  (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED INT64_C(-777)

#define ZEROS_60 "000000000000000000000000000000000000000000000000000000000000"

struct parse_case {
	const char *text;
	bool is_valid;
	int64_t value;
};

static void check_parser(bool (*parse)(struct shk_sv, int64_t *), const struct parse_case *cases,
			 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t value = UNTOUCHED;
		int64_t expected = cases[i].is_valid ? cases[i].value : UNTOUCHED;
		bool is_valid = parse(shk_sv(cases[i].text), &value);

		if (is_valid != cases[i].is_valid || value != expected)
			print_error("\"%s\" gave %d, %" PRId64 "\n", cases[i].text, is_valid,
				    value);
		assert_int_equal(is_valid, cases[i].is_valid);
		assert_true(value == expected);
	}
}

static const struct parse_case integer_cases[] = {
    {"0", true, 0},
    {"1", true, 1},
    {"4", true, 4},
    {"007", true, 7},
    {"+3", true, 3},
    {"-0", true, 0},
    {"-0.0", true, 0},
    {"-0Ki", true, 0},
    {"1.0", true, 1},
    {"5.", true, 5},
    {".0", true, 0},
    {".5k", true, 500},
    {"1.G", true, 1000000000},
    {"1000m", true, 1},
    {"3000000u", true, 3},
    {"7000000000n", true, 7},
    {"0.001k", true, 1},
    {"2k", true, 2000},
    {"2M", true, 2000000},
    {"2G", true, 2000000000},
    {"2T", true, INT64_C(2000000000000)},
    {"2P", true, INT64_C(2000000000000000)},
    {"2E", true, INT64_C(2000000000000000000)},
    {"2Ki", true, 2048},
    {"1.5Ki", true, 1536},
    {"1Mi", true, 1048576},
    {"1Gi", true, 1073741824},
    {"1Ti", true, INT64_C(1) << 40},
    {"1Pi", true, INT64_C(1) << 50},
    {"1Ei", true, INT64_C(1) << 60},
    {"7Ei", true, INT64_C(7) << 60},
    {"0.0009765625Ki", true, 1},
    {"0.000000000000000000867361737988403547205962240695953369140625Ei", true, 1},
    {"0.000000000000000000867361737988403547205962240695953369140624Ei", false, 0},
    {"1e0", true, 1},
    {"1e3", true, 1000},
    {"1E3", true, 1000},
    {"1E", true, INT64_C(1000000000000000000)},
    {"1e+3", true, 1000},
    {"1E+03", true, 1000},
    {"1000e-3", true, 1},
    {"1.5e1", true, 15},
    {"1e18", true, INT64_C(1000000000000000000)},
    {"0e999999999999999999999999999", true, 0},
    {"0e-999999999999999999999999999", true, 0},
    {"9223372036854775807", true, INT64_MAX},
    {"9223372036854775807000m", true, INT64_MAX},
    {"9223372036854775.807k", true, INT64_MAX},
    {ZEROS_60 "12", true, 12},
    {"1." ZEROS_60, true, 1},
    {"9223372036854775808", false, 0},
    {"9223372036854775807000001u", false, 0},
    {"8Ei", false, 0},
    {"10E", false, 0},
    {"1e19", false, 0},
    {"1e1000", false, 0},
    {"1e99999999999", false, 0},
    {"1e4294967296", false, 0},
    {"1e-99999999999", false, 0},
    {"99999999999999999999999999999999999999999999999999999999999999", false, 0},
    {"1500m", false, 0},
    {"0.5", false, 0},
    {"1n", false, 0},
    {"1e-1", false, 0},
    {"0.3Ki", false, 0},
    {"1." ZEROS_60 "1", false, 0},
    {"1." ZEROS_60 "000", false, 0},
    {ZEROS_60 "12345", false, 0},
    {"-1", false, 0},
    {"-1n", false, 0},
    {"", false, 0},
    {NULL, false, 0},
    {"+", false, 0},
    {"-", false, 0},
    {".", false, 0},
    {"+.", false, 0},
    {"k", false, 0},
    {"Gi", false, 0},
    {".k", false, 0},
    {"e3", false, 0},
    {"1e", false, 0},
    {"1e+", false, 0},
    {"1e-", false, 0},
    {"1E+", false, 0},
    {"1e3k", false, 0},
    {"1e1.5", false, 0},
    {"1e 3", false, 0},
    {"1e+-3", false, 0},
    {"1ee3", false, 0},
    {"+-1", false, 0},
    {"--1", false, 0},
    {"1-", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1 k", false, 0},
    {"1\n", false, 0},
    {"1_000", false, 0},
    {"1,5", false, 0},
    {"1.1.1", false, 0},
    {"1..", false, 0},
    {"0x10", false, 0},
    {"1K", false, 0},
    {"1ki", false, 0},
    {"1KI", false, 0},
    {"1KiB", false, 0},
    {"1mi", false, 0},
    {"1ei", false, 0},
    {"1i", false, 0},
    {"1kk", false, 0},
    {"1U", false, 0},
    {"inf", false, 0},
    {"NaN", false, 0},
    {"\xC2\xB5", false, 0},
    {"1\xC2\xB5", false, 0},
};

static void quantity_integers(void **state)
{
	int64_t value = UNTOUCHED;

	(void)state;
	check_parser(shk_quantity_integer, integer_cases, N(integer_cases));
	assert_false(shk_quantity_integer((struct shk_sv){.data = "1\0", .len = 2}, &value));
	assert_true(shk_quantity_integer((struct shk_sv){.data = "123", .len = 2}, &value));
	assert_true(value == 12);
}

static void quantity_millis(void **state)
{
	static const struct parse_case cases[] = {
	    {"0", true, 0},
	    {"-0", true, 0},
	    {"1", true, 1000},
	    {"1500m", true, 1500},
	    {"0.5", true, 500},
	    {".25", true, 250},
	    {"1m", true, 1},
	    {"1u", true, 1},
	    {"1n", true, 1},
	    {"1001u", true, 2},
	    {"1.0001", true, 1001},
	    {"0.1e-60", true, 1},
	    {"1e-999999", true, 1},
	    {"1Ki", true, 1024000},
	    {"0.1Ki", true, 102400},
	    {"0.00001Ki", true, 11},
	    {"1e3", true, 1000000},
	    {"9223372036854775.807", true, INT64_MAX},
	    {"9223372036854775.8069", true, INT64_MAX},
	    {"9223372036854775.8061", true, INT64_MAX},
	    {"9223372036854775.8060", true, INT64_MAX - 1},
	    {"9223372036854775.8071", true, INT64_MAX},
	    {"9223372036854775.808", true, INT64_MAX},
	    {"9E", true, INT64_MAX},
	    {"1e1000", true, INT64_MAX},
	    {"-1", false, 0},
	    {"-1n", false, 0},
	    {"-1e-500", false, 0},
	    {"", false, 0},
	    {"m", false, 0},
	    {"1x", false, 0},
	    {" 1", false, 0},
	};

	(void)state;
	check_parser(shk_quantity_milli, cases, N(cases));
}

static void decimals(void **state)
{
	static const struct parse_case cases[] = {
	    {"0", true, 0},
	    {"1", true, 1000000},
	    {"0.5", true, 500000},
	    {"0.000001", true, 1},
	    {"12.345678", true, 12345678},
	    {"1.500000", true, 1500000},
	    {"00012.1", true, 12100000},
	    {"0.0", true, 0},
	    {"100000000", true, INT64_C(100000000000000)},
	    {"100000000.000000", true, INT64_C(100000000000000)},
	    {"99999999.999999", true, INT64_C(99999999999999)},
	    {"100000000.000001", false, 0},
	    {"100000001", false, 0},
	    {"9223372036854775807", false, 0},
	    {"99999999999999999999999", false, 0},
	    {"0.0000001", false, 0},
	    {"0.1234560", false, 0},
	    {"", false, 0},
	    {NULL, false, 0},
	    {".", false, 0},
	    {".5", false, 0},
	    {"5.", false, 0},
	    {"-1", false, 0},
	    {"+1", false, 0},
	    {"1e3", false, 0},
	    {"1k", false, 0},
	    {"1 ", false, 0},
	    {" 1", false, 0},
	    {"1.2.3", false, 0},
	    {"1,5", false, 0},
	    {"0x1", false, 0},
	    {"1.a", false, 0},
	};

	(void)state;
	check_parser(shk_decimal_micro, cases, N(cases));
}

static void decimals_as_parts(void **state)
{
	static const struct parse_case cases[] = {
	    {"0", true, 0},
	    {"1", true, SHK_PARTS},
	    {"0.5", true, SHK_PARTS / 2},
	    {"0.125", true, SHK_PARTS / 8},
	    {"0.000001", true, 5354},
	    {"0.000002", true, 10708},
	    {"0.333333", true, INT64_C(1784741175)},
	    {"100000000", true, SHK_PARTS * 100000000},
	    {"100000001", false, 0},
	    {"-1", false, 0},
	    {"x", false, 0},
	};

	(void)state;
	check_parser(shk_decimal_parts, cases, N(cases));
}

static void parts_are_divisible(void **state)
{
	(void)state;
	for (int64_t i = 1; i <= 24; i++)
		assert_true(SHK_PARTS % i == 0);
}

static void parts_for_reading(void **state)
{
	static const struct {
		int64_t parts;
		const char *print;
		const char *exact;
	} cases[] = {
	    {0, "0", "0"},
	    {1, "0", "0"},
	    {-1, "0", "0"},
	    {SHK_PARTS, "1", "1"},
	    {-SHK_PARTS, "-1", "-1"},
	    {SHK_PARTS * 12, "12", "12"},
	    {SHK_PARTS * 100, "100", "100"},
	    {SHK_PARTS * 7 / 4, "1.75", "1.75"},
	    {SHK_PARTS / 7 * 2, "0.286", "0.285714"},
	    {SHK_PARTS / 7, "0.143", "0.142857"},
	    {-(SHK_PARTS / 7), "-0.143", "-0.142857"},
	    {SHK_PARTS / 3, "0.333", "0.333333"},
	    {SHK_PARTS / 3 * 2, "0.667", "0.666667"},
	    {SHK_PARTS / 10, "0.1", "0.1"},
	    {SHK_PARTS / 16, "0.063", "0.0625"},
	    {SHK_PARTS - 1, "1", "1"},
	    {2677114, "0", "0.0005"},     /* just below half a thousandth */
	    {2677115, "0.001", "0.0005"}, /* just above */
	    {SHK_PARTS / 2000, "0", "0.0005"},
	    {-2677114, "0", "-0.0005"},
	    {-2677115, "-0.001", "-0.0005"},
	    {SHK_PARTS * 100000000, "100000000", "100000000"},
	    {INT64_MAX, "1722633126.744", "1722633126.743505"},
	    {INT64_MIN, "-1722633126.744", "-1722633126.743505"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char buf[32];

		assert_ptr_equal(shk_parts_print(cases[i].parts, buf, sizeof buf), buf);
		assert_string_equal(buf, cases[i].print);
		assert_ptr_equal(shk_parts_exact(cases[i].parts, buf, sizeof buf), buf);
		assert_string_equal(buf, cases[i].exact);
	}
}

static void check_round_trip(int64_t micro)
{
	char text[32];
	char again[32];
	int64_t parts;

	(void)snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64, micro / 1000000,
		       micro % 1000000);
	assert_true(shk_decimal_parts(shk_sv(text), &parts));
	shk_parts_exact(parts, again, sizeof again);

	int64_t back = UNTOUCHED;

	assert_true(shk_decimal_micro(shk_sv(again), &back));
	assert_true(back == micro);
	assert_false(strchr(again, '.') && shk_str_ends(again, "0"));
}

static void exact_inverts_decimals(void **state)
{
	const int64_t largest = INT64_C(100000000000000);

	(void)state;
	for (int64_t micro = 0; micro <= 1000000; micro++)
		check_round_trip(micro);
	for (int64_t micro = largest - 100000; micro <= largest; micro++)
		check_round_trip(micro);
	for (int64_t micro = 0; micro <= largest; micro += INT64_C(999999937))
		check_round_trip(micro);
}

static void short_buffers_are_respected(void **state)
{
	char buf[4] = "....";

	(void)state;
	shk_parts_exact(SHK_PARTS * 123456, buf, 3);
	assert_string_equal(buf, "12");
	assert_int_equal(buf[3], '.');
	shk_duration_print(5400000, buf, 3);
	assert_string_equal(buf, "1h");
	shk_time_print(0, buf, 3);
	assert_string_equal(buf, "19");
}

static void muldiv(void **state)
{
	static const struct {
		int64_t a, b, c, d;
		bool is_valid;
		int64_t value;
	} cases[] = {
	    {0, 0, 0, 1, true, 0},
	    {2, 3, 5, 7, true, 4},
	    {1, 1, 1, 2, true, 0},
	    {INT64_MAX, 1, 1, 1, true, INT64_MAX},
	    {INT64_MAX, INT64_MAX, 1, INT64_MAX, true, INT64_MAX},
	    {INT64_MAX, INT64_MAX, 4, INT64_MAX, false, 0},
	    {INT64_MAX, INT64_MAX, 5, INT64_MAX, false, 0},
	    {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, false, 0},
	    {INT64_MAX, INT64_MAX, 0, 1, true, 0},
	    {0, INT64_MAX, INT64_MAX, INT64_MAX, true, 0},
	    {INT64_MAX, 2, 1, 1, false, 0},
	    {INT64_MAX, 2, 1, 2, true, INT64_MAX},
	    {INT64_MAX, 2, 1, 3, true, INT64_C(6148914691236517204)},
	    {SHK_PARTS * 100000000, SHK_PARTS, 1000, SHK_PARTS, false, 0},
	    {SHK_PARTS * 1000000, SHK_PARTS, 1000, SHK_PARTS, true, SHK_PARTS * 1000000000},
	    {INT64_C(1) << 62, INT64_C(1) << 62, 16, INT64_MAX, false, 0},
	    {INT64_C(1) << 62, INT64_C(1) << 62, 15, INT64_MAX, false, 0},
	    {INT64_C(1) << 62, INT64_C(1) << 62, 3, INT64_MAX, true, INT64_C(6917529027641081856)},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		int64_t value = UNTOUCHED;
		bool is_valid = shk_muldiv(cases[i].a, cases[i].b, cases[i].c, cases[i].d, &value);

		assert_int_equal(is_valid, cases[i].is_valid);
		assert_true(value == (is_valid ? cases[i].value : UNTOUCHED));
	}
}

static void divide_by_zero(void)
{
	int64_t value;

	shk_muldiv(1, 1, 1, 0, &value);
}

static void multiply_negative(void)
{
	int64_t value;

	shk_muldiv(1, -1, 1, 1, &value);
}

static void muldiv_asserts_its_range(void **state)
{
	(void)state;
	assert_true(dies(divide_by_zero));
	assert_true(dies(multiply_negative));
}

static void sums(void **state)
{
	static const struct {
		int64_t a, b;
		bool is_valid;
		int64_t value;
	} cases[] = {
	    {0, 0, true, 0},
	    {1, -2, true, -1},
	    {INT64_MAX, 0, true, INT64_MAX},
	    {INT64_MAX, INT64_MIN, true, -1},
	    {INT64_MAX - 1, 1, true, INT64_MAX},
	    {INT64_MAX, 1, false, INT64_MAX},
	    {1, INT64_MAX, false, INT64_MAX},
	    {INT64_MIN, -1, false, INT64_MIN},
	    {-1, INT64_MIN, false, INT64_MIN},
	    {INT64_MIN, INT64_MIN, false, INT64_MIN},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		int64_t sum = UNTOUCHED;

		assert_int_equal(shk_add(cases[i].a, cases[i].b, &sum), cases[i].is_valid);
		assert_true(sum == (cases[i].is_valid ? cases[i].value : UNTOUCHED));
		assert_true(shk_add_saturated(cases[i].a, cases[i].b) == cases[i].value);
	}
}

static void durations(void **state)
{
	static const struct parse_case cases[] = {
	    {"0", true, 0},
	    {"0s", true, 0},
	    {"30s", true, 30000},
	    {"630s", true, 630000},
	    {"1h30m", true, 5400000},
	    {"1h30m0s", true, 5400000},
	    {"1.5s", true, 1500},
	    {"1.5h", true, 5400000},
	    {".5s", true, 500},
	    {"5.s", true, 5000},
	    {"250ms", true, 250},
	    {"1m0.25s", true, 60250},
	    {"1000us", true, 1},
	    {"1000\xC2\xB5s", true, 1},
	    {"1000\xCE\xBCs", true, 1},
	    {"1000000ns", true, 1},
	    {"500us500us", true, 1},
	    {"1s1s", true, 2000},
	    {"1s1h", true, 3601000},
	    {"0.001h", true, 3600},
	    {"0.000000277777777777h", false, 0},
	    {"0.100000000000000000s", true, 100},
	    {"0.1000000000000000000s", false, 0},
	    {"0.99999999999999999999999s", false, 0},
	    {"2562047h47m16.854s", true, INT64_C(9223372036854)},
	    {"2562047h47m16.855s", false, 0},
	    {"2562048h", false, 0},
	    {"9223372036854775807h", false, 0},
	    {"9223372036854775808ns", false, 0},
	    {"99999999999999999999s", false, 0},
	    {"1us", false, 0},
	    {"1.0005s", false, 0},
	    {"0.5ns", false, 0},
	    {"0.1ns0.9ns", false, 0},
	    {"", false, 0},
	    {NULL, false, 0},
	    {"1", false, 0},
	    {"00", false, 0},
	    {"s", false, 0},
	    {".s", false, 0},
	    {".", false, 0},
	    {"1.", false, 0},
	    {"1.5", false, 0},
	    {"1.5.5s", false, 0},
	    {"1d", false, 0},
	    {"1S", false, 0},
	    {"1h30", false, 0},
	    {"1h 30m", false, 0},
	    {" 1s", false, 0},
	    {"1s ", false, 0},
	    {"1 s", false, 0},
	    {"-1s", false, 0},
	    {"+1s", false, 0},
	    {"1e3s", false, 0},
	    {"1h-30m", false, 0},
	};

	(void)state;
	check_parser(shk_duration_ms, cases, N(cases));
}

static void durations_printed(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {
	    {0, "0s"},
	    {1, "1ms"},
	    {250, "250ms"},
	    {999, "999ms"},
	    {1000, "1s"},
	    {1500, "1.5s"},
	    {30000, "30s"},
	    {59999, "59.999s"},
	    {60000, "1m"},
	    {60250, "1m0.25s"},
	    {630000, "10m30s"},
	    {3600000, "1h"},
	    {3600500, "1h0.5s"},
	    {5400000, "1h30m"},
	    {5401010, "1h30m1.01s"},
	    {86400000, "24h"},
	    {-1500, "-1.5s"},
	    {-250, "-250ms"},
	    {-60000, "-1m"},
	    {INT64_MAX, "2562047788015h12m55.807s"},
	    {INT64_MIN, "-2562047788015h12m55.808s"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char buf[32];

		assert_ptr_equal(shk_duration_print(cases[i].ms, buf, sizeof buf), buf);
		assert_string_equal(buf, cases[i].text);
	}
}

static void durations_round_trip(void **state)
{
	(void)state;
	for (int64_t ms = 0; ms < INT64_C(9000000000000); ms += ms / 3 + 1) {
		char buf[32];
		int64_t again = UNTOUCHED;

		assert_true(
		    shk_duration_ms(shk_sv(shk_duration_print(ms, buf, sizeof buf)), &again));
		assert_true(again == ms);
	}
}

static void sizes(void **state)
{
	static const struct parse_case cases[] = {
	    {"0", true, 0},
	    {"512", true, 512},
	    {"512B", true, 512},
	    {"2kB", true, 2000},
	    {"2KB", true, 2000},
	    {"2MB", true, 2000000},
	    {"2GB", true, 2000000000},
	    {"2TB", true, INT64_C(2000000000000)},
	    {"64KiB", true, 65536},
	    {"16MiB", true, 16777216},
	    {"1GiB", true, 1073741824},
	    {"1TiB", true, INT64_C(1) << 40},
	    {"9223372036854775807", true, INT64_MAX},
	    {"8388607TiB", true, INT64_C(8388607) << 40},
	    {"8388608TiB", false, 0},
	    {"9223372036854775807B", true, INT64_MAX},
	    {"9223372036854775807kB", false, 0},
	    {"9223372036854775808", false, 0},
	    {"", false, 0},
	    {"MiB", false, 0},
	    {"16 MiB", false, 0},
	    {"16MiB ", false, 0},
	    {" 16MiB", false, 0},
	    {"1.5MiB", false, 0},
	    {"16Mi", false, 0},
	    {"16M", false, 0},
	    {"16mib", false, 0},
	    {"16MiB4", false, 0},
	    {"-1", false, 0},
	    {"+1", false, 0},
	    {"0x10", false, 0},
	};

	(void)state;
	check_parser(shk_size_bytes, cases, N(cases));
}

static void times(void **state)
{
	static const struct parse_case cases[] = {
	    {"1970-01-01T00:00:00Z", true, 0},
	    {"1970-01-01t00:00:00z", true, 0},
	    {"1969-12-31T23:59:59Z", true, -1},
	    {"2026-11-29T17:00:00Z", true, INT64_C(1795971600)},
	    {"2026-11-29T17:00:00.123456789Z", true, INT64_C(1795971600)},
	    {"2026-11-29T17:00:00.9+00:00", true, INT64_C(1795971600)},
	    {"2026-11-29T18:30:00+01:30", true, INT64_C(1795971600)},
	    {"2026-11-29T09:00:00-08:00", true, INT64_C(1795971600)},
	    {"2026-11-29T17:00:00-00:00", true, INT64_C(1795971600)},
	    {"2000-02-29T00:00:00Z", true, INT64_C(951782400)},
	    {"2000-03-01T00:00:00Z", true, INT64_C(951868800)},
	    {"2024-02-29T12:00:00Z", true, INT64_C(1709208000)},
	    {"2100-03-01T00:00:00Z", true, INT64_C(4107542400)},
	    {"1900-02-28T00:00:00Z", true, INT64_C(-2203977600)},
	    {"0000-01-01T00:00:00Z", true, INT64_C(-62167219200)},
	    {"0000-02-29T00:00:00Z", true, INT64_C(-62162121600)},
	    {"0001-01-01T00:00:00Z", true, INT64_C(-62135596800)},
	    {"9999-12-31T23:59:59Z", true, INT64_C(253402300799)},
	    {"2026-11-29T17:00:00+23:59", true, INT64_C(1795971600) - 86340},
	    {"2023-02-29T00:00:00Z", false, 0},
	    {"2100-02-29T00:00:00Z", false, 0},
	    {"2026-00-01T00:00:00Z", false, 0},
	    {"2026-13-01T00:00:00Z", false, 0},
	    {"2026-01-00T00:00:00Z", false, 0},
	    {"2026-01-32T00:00:00Z", false, 0},
	    {"2026-04-31T00:00:00Z", false, 0},
	    {"2026-11-29T24:00:00Z", false, 0},
	    {"2026-11-29T17:60:00Z", false, 0},
	    {"2026-11-29T17:00:60Z", false, 0},
	    {"2026-11-29T17:00:00", false, 0},
	    {"2026-11-29T17:00:00.Z", false, 0},
	    {"2026-11-29T17:00:00,5Z", false, 0},
	    {"2026-11-29T17:00:00 Z", false, 0},
	    {"2026-11-29T17:00:00Z ", false, 0},
	    {"2026-11-29T17:00:00ZZ", false, 0},
	    {"2026-11-29T17:00:00+24:00", false, 0},
	    {"2026-11-29T17:00:00+01:60", false, 0},
	    {"2026-11-29T17:00:00+0100", false, 0},
	    {"2026-11-29T17:00:00+01", false, 0},
	    {"2026-11-29T17:00:00+1:00", false, 0},
	    {"2026-11-29T17:00Z", false, 0},
	    {"2026-11-29 17:00:00Z", false, 0},
	    {"2026-11-29", false, 0},
	    {"2026-1-29T17:00:00Z", false, 0},
	    {"26-11-29T17:00:00Z", false, 0},
	    {"12026-11-29T17:00:00Z", false, 0},
	    {"2026/11/29T17:00:00Z", false, 0},
	    {"2026-11/29T17:00:00Z", false, 0},
	    {"-026-11-29T17:00:00Z", false, 0},
	    {"2026-11-29T1a:00:00Z", false, 0},
	    {"2026-11-29T17-00:00Z", false, 0},
	    {"", false, 0},
	    {NULL, false, 0},
	};

	(void)state;
	check_parser(shk_time_parse, cases, N(cases));
}

static void times_printed(void **state)
{
	static const struct {
		int64_t s;
		const char *text;
	} cases[] = {
	    {0, "1970-01-01T00:00:00Z"},
	    {-1, "1969-12-31T23:59:59Z"},
	    {INT64_C(1795971600), "2026-11-29T17:00:00Z"},
	    {INT64_C(951782400), "2000-02-29T00:00:00Z"},
	    {INT64_C(-62167219200), "0000-01-01T00:00:00Z"},
	    {INT64_C(253402300799), "9999-12-31T23:59:59Z"},
	    {INT64_MAX, "292277026596-12-04T15:30:07Z"},
	    {INT64_MIN, "-292277022657-01-27T08:29:52Z"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char buf[32];

		assert_ptr_equal(shk_time_print(cases[i].s, buf, sizeof buf), buf);
		assert_string_equal(buf, cases[i].text);
	}
}

/* Every day of the years that RFC 3339 has. */
static void times_round_trip(void **state)
{
	int64_t day_s = INT64_C(-62167219200);

	(void)state;
	for (int64_t s = day_s; s < INT64_C(253402300800); s += 86400 + (s / 86400 % 2)) {
		char buf[32];
		int64_t again = UNTOUCHED;

		assert_true(shk_time_parse(shk_sv(shk_time_print(s, buf, sizeof buf)), &again));
		assert_true(again == s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quantity_integers),
	    cmocka_unit_test(quantity_millis),
	    cmocka_unit_test(decimals),
	    cmocka_unit_test(decimals_as_parts),
	    cmocka_unit_test(parts_are_divisible),
	    cmocka_unit_test(parts_for_reading),
	    cmocka_unit_test(exact_inverts_decimals),
	    cmocka_unit_test(short_buffers_are_respected),
	    cmocka_unit_test(muldiv),
	    cmocka_unit_test(muldiv_asserts_its_range),
	    cmocka_unit_test(sums),
	    cmocka_unit_test(durations),
	    cmocka_unit_test(durations_printed),
	    cmocka_unit_test(durations_round_trip),
	    cmocka_unit_test(sizes),
	    cmocka_unit_test(times),
	    cmocka_unit_test(times_printed),
	    cmocka_unit_test(times_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
