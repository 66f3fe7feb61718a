/* fixture.h - a client against a scripted server, a sink that remembers, and a reflector that does
 * what the test says instead of the real one. */
#ifndef SHIKIRI_TEST_KUBE_FIXTURE_H
#define SHIKIRI_TEST_KUBE_FIXTURE_H

#include "kube.h"

#include "shikiri/kube/kube.h"

#include "server.h"

/* --- the client ------------------------------------------------------------------------------ */

/* Fills in the server's URL if config has none, the sink and the user agent. */
struct shk_kube *fixture_start(struct shk_kube_config *config, struct server *server,
			       unsigned binds_in_flight);

struct fixture_reply {
	struct shk_kube_reply reply; /* without message and pod */
	char message[512];
	char pod[64]; /* its uid */
};

/* The i-th that came; aborts when none comes within a while. */
const struct fixture_reply *fixture_reply(size_t i);
size_t fixture_replies(void);

/* A BIND of vision/llm-0 that is due in so many ms. */
struct shk_kube_request fixture_bind(int64_t deadline_in_ms);

/* --- the sink and the reflector --------------------------------------------------------------- */

void fixture_reset(void); /* before each test */
void fixture_accept_facts(bool accept);
size_t fixture_facts(void);  /* handed over */
size_t fixture_offers(void); /* of facts, refused ones too */

/* The reflector of the kind asks for the path once, and gives up after so much silence. */
void fixture_want(enum shk_kube_kind kind, const char *path, int64_t silence_ms);
/* Feeding fails with that sentence. */
void fixture_fail_feed(const char *sentence);

struct fixture_stream {
	int status;
	int retry_after_s;
	size_t bytes;
	size_t ended; /* so often */
	char failure[256];
};

/* As of now. */
struct fixture_stream fixture_stream(enum shk_kube_kind kind);
/* Waits until condition holds; aborts when it doesn't for a while. */
#define WAIT_FOR(condition)                                                                        \
	for (int patience_ = 20000; !(condition); patience_--)                                     \
	fixture_wait(patience_)
void fixture_wait(int patience);

#endif
