/* admit.h - what is decided on the header alone, before a byte of the body is read. */
#ifndef SHIKIRI_SRC_HTTP_ADMIT_H
#define SHIKIRI_SRC_HTTP_ADMIT_H

#include "exchange.h"

/* Fills path, query, route, length and the rest of the exchange from its head. false: the reply
 * is there. */
bool shk_admit(struct shk_exchange *x);
/* Gives back what was taken from the listener's budget. */
void shk_admit_release(struct shk_exchange *x);

#endif
