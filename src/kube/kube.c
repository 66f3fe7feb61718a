#include "shikiri/kube/kube.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shikiri/base/clock.h"

#include "client.h"

#define DEFAULT_BINDS 16
#define DEFAULT_RATE  50
#define DEFAULT_BURST 100
#define LONGEST_WAIT  1000 /* ms; health is as old as this at most */

struct shk_kube {
	pthread_t thread;
	atomic_bool is_stopping;
	char *user_agent;
	struct client client; /* of the thread, but for its queue and waking its multi */

	pthread_mutex_t lock; /* of what follows */
	struct shk_kube_health health;
	int64_t health_ms; /* when it was so */
};

/* --- health ---------------------------------------------------------------------------------- */

static void gather_health(const struct client *client, int64_t now_ms,
			  struct shk_kube_health *health)
{
	const char *error = credentials_fault(client->credentials);

	for (size_t i = 0; i < SHK_KUBE_KIND_COUNT; i++) {
		const struct stream *stream = &client->streams[i];
		const char *complaint = reflector_error(stream->reflector);

		reflector_health(stream->reflector, now_ms, &health->kinds[i]);
		health->kinds[i].listed = stream->was_listed;
		health->failures += reflector_failures(stream->reflector);
		if (complaint[0])
			error = complaint;
	}
	(void)snprintf(health->error, sizeof health->error, "%.255s", error);
}

static void publish_health(struct shk_kube *kube, int64_t now_ms)
{
	struct shk_kube_health health = {.failures = 0};

	gather_health(&kube->client, now_ms, &health);
	(void)pthread_mutex_lock(&kube->lock);
	kube->health = health;
	kube->health_ms = now_ms;
	(void)pthread_mutex_unlock(&kube->lock);
}

/* Ages go on while the thread doesn't: facts that nobody renews aren't fresh. */
void shk_kube_health(struct shk_kube *kube, struct shk_kube_health *ret_health)
{
	int64_t since_ms;

	(void)pthread_mutex_lock(&kube->lock);
	*ret_health = kube->health;
	since_ms = shk_clock_boot_ms() - kube->health_ms;
	(void)pthread_mutex_unlock(&kube->lock);
	for (size_t i = 0; i < SHK_KUBE_KIND_COUNT; i++)
		ret_health->kinds[i].age_ms += since_ms > 0 ? since_ms : 0;
}

/* --- the loop -------------------------------------------------------------------------------- */

static void end_transfers(struct client *client)
{
	int left;

	for (CURLMsg *message = curl_multi_info_read(client->multi, &left); message;
	     message = curl_multi_info_read(client->multi, &left)) {
		CURL *easy = message->easy_handle;
		CURLcode code = message->data.result; /* message goes with its handle */
		int64_t now_ms = shk_clock_boot_ms();

		if (!streams_ended(client, easy, code, now_ms))
			(void)exchanges_ended(client, easy, code, now_ms);
	}
}

static int wait_ms(const struct client *client, int64_t next_ms, int64_t now_ms)
{
	int64_t due_ms = credentials_due_ms(client->credentials);
	int64_t wait = (next_ms < due_ms ? next_ms : due_ms) - now_ms;

	if (wait < 0)
		return 0;
	return wait < LONGEST_WAIT ? (int)wait : LONGEST_WAIT;
}

static void turn(struct shk_kube *kube)
{
	struct client *client = &kube->client;
	int64_t now_ms = shk_clock_boot_ms();
	int64_t streams_ms;
	int64_t exchanges_ms;
	int running;

	credentials_tick(client->credentials, now_ms);
	streams_ms = streams_tick(client, now_ms);
	exchanges_ms = exchanges_tick(client, now_ms);
	publish_health(kube, now_ms);
	(void)curl_multi_poll(
	    client->multi, NULL, 0,
	    wait_ms(client, streams_ms < exchanges_ms ? streams_ms : exchanges_ms, now_ms), NULL);
	(void)curl_multi_perform(client->multi, &running);
	end_transfers(client);
}

static void *run(void *context)
{
	struct shk_kube *kube = context;

	while (!atomic_load(&kube->is_stopping))
		turn(kube);
	exchanges_fini(&kube->client);
	return NULL;
}

/* --- life ------------------------------------------------------------------------------------ */

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

static void init_curl(void)
{
	CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);

	assert(code == CURLE_OK);
}

static void init_client(struct client *client, const struct shk_kube_options *options,
			struct credentials *credentials, int64_t now_ms)
{
	client->sink = options->sink;
	client->credentials = credentials;
	client->most_binds = options->binds_in_flight ? options->binds_in_flight : DEFAULT_BINDS;
	client->multi = curl_multi_init();
	if (!client->multi)
		abort();
	bucket_init(&client->bucket, options->rate ? options->rate : DEFAULT_RATE,
		    options->burst ? options->burst : DEFAULT_BURST, now_ms);
	/* Unlike that of a run before, even after a restart within the second. */
	client->recent.sequence =
	    (uint64_t)shk_clock_wall_s() * 1000000 + (uint64_t)shk_clock_boot_us() % 1000000;
	if (gethostname(client->instance, sizeof client->instance) != 0)
		(void)snprintf(client->instance, sizeof client->instance, "shikirid");
	client->instance[sizeof client->instance - 1] = '\0';
	queue_init(&client->queue);
	streams_init(client, now_ms);
}

static void release(struct shk_kube *kube)
{
	struct client *client = &kube->client;

	streams_fini(client);
	queue_fini(&client->queue);
	(void)curl_multi_cleanup(client->multi);
	transport_fini(&client->transport);
	credentials_close(client->credentials);
	(void)pthread_mutex_destroy(&kube->lock);
	free(kube->user_agent);
	free(kube);
}

/* Signals are for the thread that waits for them. */
static bool start_thread(struct shk_kube *kube)
{
	sigset_t all;
	sigset_t before;
	int code;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&kube->thread, NULL, run, kube);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code == 0;
}

enum shk_status shk_kube_start(const struct shk_kube_options *options, struct shk_kube **ret_kube,
			       struct shk_error *err)
{
	int64_t now_ms = shk_clock_boot_ms();
	struct credentials *credentials;
	struct shk_kube *kube;
	enum shk_status status = credentials_open(options->config, now_ms, &credentials, err);

	if (status)
		return status;
	(void)pthread_once(&curl_once, init_curl);
	kube = calloc(1, sizeof *kube);
	if (!kube)
		abort();
	kube->user_agent = strdup(options->user_agent);
	(void)pthread_mutex_init(&kube->lock, NULL);
	init_client(&kube->client, options, credentials, now_ms);
	transport_init(&kube->client.transport, options->config, credentials, kube->user_agent);
	publish_health(kube, now_ms);
	if (!start_thread(kube)) {
		release(kube);
		return shk_error_set(err, SHK_E_UNAVAILABLE, "no thread for the API server client");
	}
	*ret_kube = kube;
	return SHK_OK;
}

void shk_kube_stop(struct shk_kube *kube)
{
	if (!kube)
		return;
	atomic_store(&kube->is_stopping, true);
	(void)curl_multi_wakeup(kube->client.multi);
	(void)pthread_join(kube->thread, NULL);
}

void shk_kube_free(struct shk_kube *kube)
{
	if (kube)
		release(kube);
}

bool shk_kube_send(struct shk_kube *kube, const struct shk_kube_request *ask)
{
	struct request *request;

	if (atomic_load(&kube->is_stopping))
		return false;
	request = request_copy(ask);
	if (!queue_push(&kube->client.queue, request)) {
		request_free(request);
		return false;
	}
	(void)curl_multi_wakeup(kube->client.multi);
	return true;
}
