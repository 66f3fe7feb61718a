/* request.h - a request as it waits for its turn, and as it goes over the wire. Pure. */
#ifndef SHIKIRI_SRC_KUBE_REQUEST_H
#define SHIKIRI_SRC_KUBE_REQUEST_H

#include "shikiri/base/arena.h"
#include "shikiri/base/str.h"
#include "shikiri/kube/kube.h"

/* On the heap, with the arena that holds the copied strings. */
struct request {
	struct request *next; /* of the queue that it is in */
	struct shk_arena arena;
	struct shk_kube_request ask;
};

struct request *request_copy(const struct shk_kube_request *ask);
void request_free(struct request *request); /* accepts NULL */

/* Why it can't be sent, as a sentence; NULL: it can. */
const char *request_fault(const struct shk_kube_request *ask);

/* What goes over the wire. */
struct message {
	const char *method;
	const char *path;         /* begins with a slash */
	const char *content_type; /* NULL without body */
	struct shk_buf body;
};

/* Of a BIND, GET_POD or TOUCH_POD without fault. Paths live in the arena. */
void message_build(const struct shk_kube_request *ask, int64_t wall_s, struct shk_arena *arena,
		   struct message *ret_message);

/* An event under that name, and one more of the same: count in all. */
void message_event(const struct shk_kube_request *ask, const char *event_name, const char *instance,
		   int64_t wall_s, struct shk_arena *arena, struct message *ret_message);
void message_series(const struct shk_kube_request *ask, const char *event_name, uint32_t count,
		    int64_t wall_s, struct shk_arena *arena, struct message *ret_message);

void message_fini(struct message *message);

#endif
