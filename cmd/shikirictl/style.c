#include "style.h"

#include <stddef.h>

#define N_MARKS 6

/* Okabe-Ito in the 256-colour cube, black on light and white on dark. */
static const char *const domains[CLI_N_DOMAINS] = {
    "\x1b[38;5;231;48;5;25m", /* blue */
    "\x1b[38;5;16;48;5;214m", /* orange */
    "\x1b[38;5;231;48;5;29m", /* bluish green */
    "\x1b[38;5;16;48;5;175m", /* reddish purple */
    "\x1b[38;5;16;48;5;221m", /* yellow */
    "\x1b[38;5;16;48;5;117m", /* sky blue */
};

/* From CLI_PLAIN on. */
static const char *const marks[N_MARKS] = {
    "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[38;5;36m", "\x1b[38;5;178m", "\x1b[38;5;166m",
};

const char *cli_style_sequence(char style)
{
	int mark = style - CLI_PLAIN[0];
	int domain = style - CLI_DOMAIN_FIRST;

	if (mark >= 0 && mark < N_MARKS)
		return marks[mark];
	return domain >= 0 && domain < CLI_N_DOMAINS ? domains[domain] : NULL;
}
