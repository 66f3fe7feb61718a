/* text.h - bits of input put into error texts. Private to wire; pure. */
#ifndef SHIKIRI_WIRE_TEXT_H
#define SHIKIRI_WIRE_TEXT_H

#include "shikiri/base/str.h"

#define TEXT_QUOTED_SIZE 72

/* text in double quotes, cut to about 60 bytes at a character's border ("..." at the end), with
 * control characters as '?'. Returns out. text is valid UTF-8. */
const char *text_quote(struct shk_sv text, char out[TEXT_QUOTED_SIZE]);

#endif
