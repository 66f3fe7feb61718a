#include "shikiri/core/reason.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/core/resource.h"

static const struct shk_reason_row rows[SHK_REASON_COUNT] = {
    [SHK_UNDECIDED] = {"Undecided", SHK_UNRESOLVABLE, SHK_OUTCOME_NO_FIT, false,
		       "no verdict was reached", "A defect of shikiri: please report it."},
#define X(symbol, code, class, outcome, subject, sentence, help)                                   \
	[SHK_REASON_##symbol] = {code, SHK_##class, SHK_OUTCOME_##outcome, subject, sentence, help},
    SHK_REASONS(X)
#undef X
	[SHK_FITS] = {"", SHK_UNRESOLVABLE, SHK_OUTCOME_FITS, false, "", ""},
};

static const char *const outcome_names[] = {
    [SHK_OUTCOME_NONE] = "",
    [SHK_OUTCOME_FITS] = "Fits",
    [SHK_OUTCOME_FITS_BY_BORROWING] = "FitsByBorrowing",
    [SHK_OUTCOME_FITS_WITH_PREEMPTION] = "FitsWithPreemption",
    [SHK_OUTCOME_QUOTA_EXCEEDED] = "QuotaExceeded",
    [SHK_OUTCOME_NO_FIT] = "NoFit",
    [SHK_OUTCOME_REJECTED] = "Rejected",
    [SHK_OUTCOME_INVALID] = "Invalid",
};

const char *shk_outcome_name(enum shk_outcome outcome)
{
	return outcome_names[outcome];
}

const struct shk_reason_row *shk_reason_row(enum shk_reason reason)
{
	return reason < SHK_REASON_COUNT ? &rows[reason] : &rows[SHK_UNDECIDED];
}

enum shk_reason shk_reason_find(const char *code)
{
	for (int i = SHK_UNDECIDED + 1; i < SHK_FITS; i++) {
		if (strcmp(rows[i].code, code) == 0)
			return (enum shk_reason)i;
	}
	return SHK_UNDECIDED;
}

/* Returns the length that the text would have without the buffer's end. */
static size_t put_text(const struct shk_reason_row *row, const char *subject, char *buf)
{
	int len = snprintf(buf, SHK_REASON_TEXT_SIZE, "%s: %s%s%s", row->code, row->sentence,
			   subject ? " " : "", subject ? subject : "");

	return len > 0 ? (size_t)len : 0;
}

const char *shk_reason_text(enum shk_reason reason, const char *subject,
			    char buf[SHK_REASON_TEXT_SIZE])
{
	const struct shk_reason_row *row = shk_reason_row(reason);
	const char *shown = row->has_subject ? subject : NULL;

	if (put_text(row, shown, buf) >= SHK_REASON_TEXT_SIZE && shown &&
	    shk_resource_is_managed(shown))
		(void)put_text(row, shown + strlen(SHK_RESOURCE_PREFIX), buf);
	for (char *at = buf; *at; at++) {
		/* Old schedulers print the text as a format string; a name may hold anything. */
		if (*at == '%' || (unsigned char)*at < ' ' || *at == '\x7f')
			*at = '?';
	}
	return buf;
}
