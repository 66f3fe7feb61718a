#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "shikiri/core/reason.h"

static void every_text_is_fit_for_an_event(void **state)
{
	static const char longest[] = "nvidia.com/mig-1g.24gb.me.all.shared";
	static const char short_name[] = "mig-1g.24gb.me.all.shared";
	char text[SHK_REASON_TEXT_SIZE];

	(void)state;
	for (int i = SHK_UNDECIDED; i < SHK_FITS; i++) {
		const struct shk_reason_row *row = shk_reason_row((enum shk_reason)i);

		shk_reason_text((enum shk_reason)i, NULL, text);
		assert_true(strlen(text) <= 80);
		assert_null(strpbrk(text, "%0123456789\n"));
		assert_memory_equal(text, row->code, strlen(row->code));
		assert_true(strlen(row->help) > 20);
		if (!row->has_subject)
			continue;
		shk_reason_text((enum shk_reason)i, longest, text);
		print_message("%s\n", text);
		assert_true(strlen(text) <= 80);
		/* whole, if without its prefix */
		assert_string_equal(text + strlen(text) - strlen(short_name), short_name);
	}
}

static void subjects_stand_at_the_end_where_the_row_allows(void **state)
{
	char text[SHK_REASON_TEXT_SIZE];

	(void)state;
	assert_string_equal(shk_reason_text(SHK_REASON_QUOTA_CEILING, "gpuEquivalents", text),
			    "QuotaCeiling: would pass the tenant's ceiling of gpuEquivalents");
	assert_string_equal(shk_reason_text(SHK_REASON_TRUST_BOUNDARY, "gpu", text),
			    "TrustBoundary: would share hardware with another trust domain");
	assert_string_equal(shk_reason_text(SHK_REASON_PROFILE_NAME, "nvidia.com/%n\n", text),
			    "ProfileUnknown: no known GPU resource: nvidia.com/?n?");
}

static void codes_are_found(void **state)
{
	(void)state;
	assert_int_equal(shk_reason_find("QuotaCeiling"), SHK_REASON_QUOTA_CEILING);
	assert_int_equal(shk_reason_find("ProfileUnknown"), SHK_REASON_PROFILE_NAME);
	assert_int_equal(shk_reason_find("Undecided"), SHK_UNDECIDED);
	assert_int_equal(shk_reason_find("quotaceiling"), SHK_UNDECIDED);
	assert_string_equal(shk_reason_row((enum shk_reason)1000)->code, "Undecided");
}

static void only_counts_can_be_cured_by_eviction(void **state)
{
	(void)state;
	for (int i = SHK_UNDECIDED; i < SHK_FITS; i++) {
		bool count = i == SHK_REASON_RECLAIM_NEEDED || i == SHK_REASON_SLICES_BUSY ||
			     i == SHK_REASON_SHARES_BUSY || i == SHK_REASON_CARDS_BUSY;

		assert_int_equal(shk_reason_row((enum shk_reason)i)->class_,
				 count ? SHK_RESOLVABLE : SHK_UNRESOLVABLE);
	}
}

static void outcomes_have_names(void **state)
{
	(void)state;
	assert_string_equal(shk_outcome_name(SHK_OUTCOME_NONE), "");
	assert_string_equal(shk_outcome_name(SHK_OUTCOME_INVALID), "Invalid");
	assert_int_equal(shk_reason_row(SHK_FITS)->outcome, SHK_OUTCOME_FITS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_text_is_fit_for_an_event),
	    cmocka_unit_test(subjects_stand_at_the_end_where_the_row_allows),
	    cmocka_unit_test(codes_are_found),
	    cmocka_unit_test(only_counts_can_be_cured_by_eviction),
	    cmocka_unit_test(outcomes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
