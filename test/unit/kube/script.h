/* script.h - what a server does, what a reflector asks and says, step by step. */
#ifndef SHIKIRI_TEST_KUBE_SCRIPT_H
#define SHIKIRI_TEST_KUBE_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reflector.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum act {
	DONE = 0,
	ASK, /* due within number ms, and this is the path ("*" at its end: a watch's timeout) */
	NOT_DUE, /* for number ms, and the clock moves on by them */
	WAIT,    /* number ms pass */
	HEAD,    /* number is the status */
	FEED,
	ABORT, /* fed with text, it wants the transfer aborted */
	END,   /* text: why, or NULL */
	FACTS, /* all since the last time */
	ERROR, /* what reflector_error says has these words; NULL: nothing */
	AGE,
	RELISTS,
	FAILURES,
	UNREAD,
	SILENCE, /* the transfer is given up in number ms */
};

struct step {
	enum act act;
	long number;
	const char *text;
};

/* Up to DONE, with all bodies whole, byte by byte, and split at random: always the same. */
void expect_script(enum shk_kube_kind kind, const struct step *steps);

#endif
