/* client.h - what the thread of the client owns: streams of facts, and requests.
 *
 * streams.c and exchange.c are its two halves; kube.c is the loop around them. */
#ifndef SHIKIRI_SRC_KUBE_CLIENT_H
#define SHIKIRI_SRC_KUBE_CLIENT_H

#include "bucket.h"
#include "queue.h"
#include "recent.h"
#include "reflector.h"
#include "transport.h"

/* --- streams: lists and watches -------------------------------------------------------------- */

struct stream {
	enum shk_kube_kind kind;
	struct reflector *reflector;
	struct call call;
	struct shk_facts *facts; /* not handed over yet */
	bool is_blocked;         /* the sink had no room: nothing is read */
	bool is_paused;          /* and libcurl holds bytes back for it */
	int64_t offer_ms;        /* when blocked: when to offer again */
	int status;              /* of HTTP; 0 before the head came */
	int retry_after_s;
	size_t error_bytes; /* of a body that comes with an error status */
	char failure[256];
	bool was_listed; /* and handed over */
};

/* --- exchanges: requests under way ------------------------------------------------------------ */

/* One request from its first attempt to its end. Between attempts call.easy is NULL. */
struct exchange {
	struct exchange *next;
	struct request *request;
	struct message message;
	struct call call;
	struct shk_buf answer;
	size_t sent; /* bytes of the body that libcurl took */
	bool body_taken;
	bool oversized;
	bool fresh_token;
	unsigned attempts;
	int retry_after_s;
	int64_t retry_ms;              /* when call.easy is NULL */
	enum shk_kube_outcome outcome; /* if there is no further attempt */
	int status;
	char failure[256];
};

struct client {
	struct shk_kube_sink sink;
	CURLM *multi;
	struct credentials *credentials;
	struct transport transport;
	struct stream streams[SHK_KUBE_KIND_COUNT];
	struct queue queue; /* any thread puts in, ours takes out */
	struct exchange *exchanges;
	size_t n_binds; /* of them */
	size_t n_others;
	size_t most_binds;
	struct bucket bucket;
	struct recent recent;
	char instance[129]; /* of us, in events */
};

/* Begin, go on, and end what is due; when to be called again at the latest. */
void streams_init(struct client *client, int64_t now_ms);
int64_t streams_tick(struct client *client, int64_t now_ms);
/* The transfer of a stream is over; false: it is none of them. */
bool streams_ended(struct client *client, const CURL *easy, CURLcode code, int64_t now_ms);
void streams_fini(struct client *client);

int64_t exchanges_tick(struct client *client, int64_t now_ms);
bool exchanges_ended(struct client *client, const CURL *easy, CURLcode code, int64_t now_ms);
/* Ends what waits and what is under way. */
void exchanges_fini(struct client *client);

#endif
