/* waiting.h - connections that are suspended until the state thread has answered.
 *
 * The order that makes this safe: the connection is suspended first, then the command is given
 * to the service, so that an answer can't come before there is something to resume. Waitings
 * are shared by the exchange and by the service; whoever comes last frees. An edge that stops
 * closes its gate: every suspended connection is resumed without an answer, and an answer that
 * comes later finds nobody. */
#ifndef SHIKIRI_SRC_HTTP_WAITING_H
#define SHIKIRI_SRC_HTTP_WAITING_H

#include "shikiri/app/service.h"

struct MHD_Connection;
struct shk_gate; /* opaque; outlives its edge while answers are due */
struct shk_waiting;

struct shk_gate *shk_gate_new(void);
/* Resumes everybody and lets nobody in any more. */
void shk_gate_close(struct shk_gate *gate);
void shk_gate_unref(struct shk_gate *gate); /* accepts NULL */

/* Suspends the connection; from its own handler only. NULL when the gate is closed. */
struct shk_waiting *shk_gate_wait(struct shk_gate *gate, struct MHD_Connection *connection);
/* What the service answers into. */
struct shk_answer *shk_waiting_answer(struct shk_waiting *waiting);
/* After the connection was resumed: the answer, or NULL when the gate closed before it came. */
struct shk_answer *shk_waiting_collect(struct shk_waiting *waiting);
/* The exchange is done with it. Accepts NULL. */
void shk_waiting_unref(struct shk_waiting *waiting);

#endif
