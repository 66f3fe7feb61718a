/* respond.h - the reply of an exchange on its way out, and its line in the log. */
#ifndef SHIKIRI_SRC_HTTP_RESPOND_H
#define SHIKIRI_SRC_HTTP_RESPOND_H

#include <microhttpd.h>

#include "exchange.h"

/* Hands the reply to the library, which borrows it until the exchange has no holder. */
enum MHD_Result shk_respond(struct shk_exchange *x);
/* One line; probes at debug. is_complete: the client took the whole reply. */
void shk_log_request(const struct shk_exchange *x, bool is_complete);
/* Counts a request that the library refused before we saw it. */
void shk_count_refusal(const struct shk_exchange *x);

#endif
