#include "feed.h"

#include <stdio.h>
#include <stdlib.h>

#include "shikiri/base/clock.h"
#include "shikiri/base/failpoint.h"
#include "shikiri/base/log.h"
#include "shikiri/base/version.h"

#define EVENT_MS      INT64_C(10000) /* an event that can't be sent by then says nothing new */
#define WATCH_MS      INT64_C(1000)
#define TELL_AGAIN_MS INT64_C(60000)

struct shk_feed {
	const struct shk_config *config; /* borrowed */
	struct shk_kube_config kube_config;
	struct shk_kube *kube;
	struct shk_queue *queue; /* borrowed, of the loop */
	char user_agent[64];

	/* Of whoever calls _watch. */
	int64_t told_ms; /* when the log heard last that all isn't well; 0: it is */
	int64_t watched_ms;
};

enum shk_status shk_feed_new(const struct shk_config *config, struct shk_feed **ret_feed,
			     struct shk_error *err)
{
	const struct shk_kube_source source = {
	    .kubeconfig = config->kubeconfig,
	    .context = config->context,
	    .insecure_dev = config->insecure_dev,
	};
	struct shk_feed *feed = calloc(1, sizeof *feed);
	enum shk_status status;

	if (!feed)
		abort();
	status = shk_kube_config_load(&source, &feed->kube_config, err);
	if (status) {
		free(feed);
		return status;
	}
	feed->config = config;
	(void)snprintf(feed->user_agent, sizeof feed->user_agent, "shikirid/%s", shk_version);
	*ret_feed = feed;
	return SHK_OK;
}

static bool take_facts(void *context, struct shk_facts *facts)
{
	struct shk_feed *feed = context;
	struct shk_command *command = shk_command_new(SHK_COMMAND_FACTS, NULL, NULL);
	enum shk_queue_result result;

	command->facts = facts;
	result = shk_queue_put(feed->queue, command);
	if (result == SHK_QUEUE_IS_FULL)
		command->facts = NULL; /* offered again */
	if (result != SHK_QUEUE_TAKEN)
		shk_command_free(command);
	return result != SHK_QUEUE_IS_FULL;
}

static void take_reply(void *context, const struct shk_kube_reply *reply)
{
	struct shk_feed *feed = context;
	struct shk_command *command;

	if (reply->verb == SHK_KUBE_EVENT)
		return; /* nobody waits for it */
	if (reply->verb == SHK_KUBE_BIND)
		shk_failpoint("bind-sent");
	command = shk_command_new(SHK_COMMAND_REPLY, NULL, NULL);
	command->reply = *reply;
	command->reply.message = shk_arena_strdup(&command->arena, reply->message);
	if (reply->pod && reply->pod->uid && reply->pod->namespace_)
		command->reply.pod = shk_pod_copy(reply->pod, &command->arena);
	else
		command->reply.pod = NULL;
	shk_queue_reply(feed->queue, command);
}

enum shk_status shk_feed_start(struct shk_feed *feed, struct shk_queue *queue,
			       struct shk_error *err)
{
	const struct shk_kube_options options = {
	    .config = &feed->kube_config,
	    .sink = {.context = feed, .facts = take_facts, .done = take_reply},
	    .user_agent = feed->user_agent,
	};

	feed->queue = queue;
	return shk_kube_start(&options, &feed->kube, err);
}

void shk_feed_stop(struct shk_feed *feed)
{
	if (feed)
		shk_kube_stop(feed->kube);
}

void shk_feed_free(struct shk_feed *feed)
{
	if (!feed)
		return;
	shk_kube_free(feed->kube);
	shk_kube_config_fini(&feed->kube_config);
	free(feed);
}

static bool writes(const struct shk_kube_request *request)
{
	return request->verb != SHK_KUBE_GET_POD;
}

bool shk_feed_send(void *context, const struct shk_kube_request *request)
{
	struct shk_feed *feed = context;

	if (!feed || !feed->kube || (feed->config->mode == SHK_MODE_ADVISE && writes(request)))
		return false;
	return shk_kube_send(feed->kube, request);
}

void shk_feed_event(struct shk_feed *feed, const struct shk_kube_request *event)
{
	struct shk_kube_request request = *event;

	request.verb = SHK_KUBE_EVENT;
	request.deadline_ms = shk_clock_boot_ms() + EVENT_MS;
	(void)shk_feed_send(feed, &request); /* events are lost first */
}

bool shk_feed_health(struct shk_feed *feed, struct shk_kube_health *ret_health)
{
	if (!feed || !feed->kube)
		return false;
	shk_kube_health(feed->kube, ret_health);
	return true;
}

int64_t shk_feed_age_ms(struct shk_feed *feed)
{
	struct shk_kube_health health;
	int64_t age_ms = 0;

	if (!shk_feed_health(feed, &health))
		return 0; /* the emulated cluster is never older than the view */
	for (int kind = 0; kind < SHK_KUBE_KIND_COUNT; kind++) {
		if (health.kinds[kind].age_ms > age_ms)
			age_ms = health.kinds[kind].age_ms;
	}
	return age_ms;
}

bool shk_feed_is_stale(struct shk_feed *feed, const struct shk_policy *policy)
{
	return shk_feed_age_ms(feed) > policy->staleness_ms;
}

void shk_feed_watch(struct shk_feed *feed, int64_t now_ms)
{
	struct shk_kube_health health;
	bool is_well;

	if (!feed || now_ms - feed->watched_ms < WATCH_MS || !shk_feed_health(feed, &health))
		return;
	feed->watched_ms = now_ms;
	is_well = health.error[0] == '\0';
	if (is_well && feed->told_ms > 0)
		shk_log(SHK_LOG_INFO, "the API server can be read again", NULL);
	if (!is_well && (feed->told_ms == 0 || now_ms - feed->told_ms >= TELL_AGAIN_MS))
		shk_log(SHK_LOG_WARN, "the API server can't be read, trying again", "error",
			health.error, NULL);
	else if (!is_well)
		return;
	feed->told_ms = is_well ? 0 : now_ms;
}
