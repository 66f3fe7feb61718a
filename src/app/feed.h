/* feed.h - the API server's client on one side, the state thread on the other.
 *
 * Facts and replies become commands of the state thread; its requests and events go to the client.
 * In advise mode nothing that writes is sent, whoever asks. */
#ifndef SHIKIRI_APP_FEED_H
#define SHIKIRI_APP_FEED_H

#include "queue.h"
#include "shikiri/app/config.h"
#include "shikiri/kube/kube.h"
#include "state.h"

struct shk_feed; /* opaque */

/* Reads how the API server is reached; nothing is sent yet. config must outlive it. */
enum shk_status shk_feed_new(const struct shk_config *config, struct shk_feed **ret_feed,
			     struct shk_error *err) SHK_MUST_CHECK;
/* Facts and replies go into queue from now on. */
enum shk_status shk_feed_start(struct shk_feed *feed, struct shk_queue *queue,
			       struct shk_error *err) SHK_MUST_CHECK;
/* Requests that are open get their replies before this returns. Accepts NULL. */
void shk_feed_stop(struct shk_feed *feed);
/* Stopped, or never started, and nobody uses it any more. Accepts NULL. */
void shk_feed_free(struct shk_feed *feed);

/* Writes to the log when the API server can't be read any more, again now and then while that
 * lasts, and when it is over. To be called every second or so, by one thread; NULL does nothing. */
void shk_feed_watch(struct shk_feed *feed, int64_t now_ms);

/* Any thread from here on; NULL stands for an emulated cluster. */

/* false: it can't be sent, and there will be no reply. */
bool shk_feed_send(void *feed, const struct shk_kube_request *request);
/* An event on the pod, if there is room: nothing waits for it. */
void shk_feed_event(struct shk_feed *feed, const struct shk_kube_request *event);
/* Since the API server said something of the kind that it has been silent about for longest. */
int64_t shk_feed_age_ms(struct shk_feed *feed);
/* Whether that is longer than the policy allows, so that nothing is decided. */
bool shk_feed_is_stale(struct shk_feed *feed, const struct shk_policy *policy);
/* false when there is no client to ask. */
bool shk_feed_health(struct shk_feed *feed, struct shk_kube_health *ret_health);

#endif
