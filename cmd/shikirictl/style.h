/* style.h - how collected output is styled: one control byte starts a style, CLI_PLAIN ends it.
 *
 * The bytes become terminal sequences, or nothing, when the output is written. All other control
 * characters come out escaped there, so whatever a server sends can't steer the terminal. Colours
 * are Okabe and Ito's, told apart by colour-blind people too; they never stand alone for a
 * meaning. */
#ifndef SHIKIRICTL_STYLE_H
#define SHIKIRICTL_STYLE_H

#define CLI_PLAIN "\x10"
#define CLI_BOLD  "\x11"
#define CLI_DIM   "\x12"
#define CLI_GOOD  "\x13"
#define CLI_WARN  "\x14"
#define CLI_BAD   "\x15"

/* Backgrounds for trust domains, in the order in which domains are met. */
#define CLI_DOMAIN_FIRST '\x18'
#define CLI_N_DOMAINS    6

/* The terminal sequence of a style byte, or NULL. */
const char *cli_style_sequence(char style);

#endif
