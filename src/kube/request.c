#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shikiri/base/names.h"
#include "shikiri/base/units.h"
#include "shikiri/wire/json.h"

#define MAX_TEXT ((size_t)1000) /* an event's note may have 1,024 bytes */
#define MAX_WORD ((size_t)128)  /* reason, and the name of an instance */

/* --- copies -------------------------------------------------------------------------------- */

/* At most max bytes, and no torn character at the end. */
static const char *copy_text(struct shk_arena *arena, const char *text, size_t max)
{
	size_t len = text ? strlen(text) : 0;

	if (len > max) {
		len = max;
		while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
	}
	return text ? shk_arena_strndup(arena, text, len) : NULL;
}

static struct shk_labels copy_labels(struct shk_arena *arena, const struct shk_labels *labels)
{
	struct shk_pair *items = SHK_NEW_ARRAY(arena, labels->n, struct shk_pair);

	for (size_t i = 0; i < labels->n; i++) {
		items[i].key = shk_arena_strdup(arena, labels->items[i].key);
		items[i].value = shk_arena_strdup(arena, labels->items[i].value);
	}
	return (struct shk_labels){.items = items, .n = labels->n};
}

struct request *request_copy(const struct shk_kube_request *ask)
{
	struct request *request = calloc(1, sizeof *request);
	struct shk_arena *arena;

	if (!request)
		abort();
	arena = &request->arena;
	shk_arena_init(arena, 1024);
	request->ask = *ask;
	request->ask.namespace_ = shk_arena_strdup(arena, ask->namespace_);
	request->ask.name = shk_arena_strdup(arena, ask->name);
	request->ask.uid = shk_arena_strdup(arena, ask->uid);
	request->ask.resource_version = shk_arena_strdup(arena, ask->resource_version);
	request->ask.node = shk_arena_strdup(arena, ask->node);
	request->ask.annotations = copy_labels(arena, &ask->annotations);
	request->ask.reason = copy_text(arena, ask->reason, MAX_WORD);
	request->ask.message = copy_text(arena, ask->message, MAX_TEXT);
	return request;
}

void request_free(struct request *request)
{
	if (!request)
		return;
	shk_arena_fini(&request->arena);
	free(request);
}

/* --- what may be sent ---------------------------------------------------------------------- */

static bool is_version(const char *text)
{
	return !text || shk_name_is_uid(shk_sv(text));
}

static bool has_reason(const struct shk_kube_request *ask)
{
	return ask->reason && ask->reason[0] && ask->message;
}

static const char *pod_fault(const struct shk_kube_request *ask)
{
	if (!shk_name_is_label(shk_sv(ask->namespace_)))
		return "not sent: the namespace's name is no name";
	if (!shk_name_is_subdomain(shk_sv(ask->name)))
		return "not sent: the pod's name is no name";
	return NULL;
}

const char *request_fault(const struct shk_kube_request *ask)
{
	const char *fault = pod_fault(ask);
	bool is_known = ask->verb > SHK_KUBE_NOTHING && ask->verb <= SHK_KUBE_EVENT;

	if (!is_known)
		return "not sent: no such verb";
	if (fault || ask->verb == SHK_KUBE_GET_POD)
		return fault;
	if (!shk_name_is_uid(shk_sv(ask->uid)))
		return "not sent: the pod's uid is missing or no uid";
	if (ask->verb != SHK_KUBE_BIND)
		return has_reason(ask) ? NULL : "not sent: it lacks a reason and a message";
	if (!shk_name_is_subdomain(shk_sv(ask->node)))
		return "not sent: the node's name is no name";
	return is_version(ask->resource_version) ? NULL
						 : "not sent: the pod's version is no version";
}

/* --- over the wire ------------------------------------------------------------------------- */

/* Names were checked: none of their characters means anything in a URL. */
static const char *pod_path(const struct shk_kube_request *ask, const char *below,
			    struct shk_arena *arena)
{
	return shk_arena_printf(arena, "/api/v1/namespaces/%s/pods/%s%s", ask->namespace_,
				ask->name, below);
}

static void write_binding(const struct shk_kube_request *ask, struct shk_json *json)
{
	shk_json_object(json, NULL);
	shk_json_string(json, "apiVersion", "v1");
	shk_json_string(json, "kind", "Binding");
	shk_json_object(json, "metadata");
	shk_json_string(json, "name", ask->name);
	shk_json_string(json, "namespace", ask->namespace_);
	shk_json_string(json, "uid", ask->uid);
	if (ask->resource_version)
		shk_json_string(json, "resourceVersion", ask->resource_version);
	if (ask->annotations.n > 0) {
		shk_json_object(json, "annotations");
		for (size_t i = 0; i < ask->annotations.n; i++)
			shk_json_string(json, ask->annotations.items[i].key,
					ask->annotations.items[i].value);
		shk_json_object_end(json);
	}
	shk_json_object_end(json);
	shk_json_object(json, "target");
	shk_json_string(json, "apiVersion", "v1");
	shk_json_string(json, "kind", "Node");
	shk_json_string(json, "name", ask->node);
	shk_json_object_end(json);
	shk_json_object_end(json);
}

/* The uid is a precondition: a pod made anew under the name is left alone. */
static void write_touch(const struct shk_kube_request *ask, int64_t wall_s, struct shk_json *json)
{
	shk_json_object(json, NULL);
	shk_json_object(json, "metadata");
	shk_json_string(json, "uid", ask->uid);
	shk_json_object_end(json);
	shk_json_object(json, "status");
	shk_json_array(json, "conditions");
	shk_json_object(json, NULL);
	shk_json_string(json, "type", "shikiri.dev/Nudged");
	shk_json_string(json, "status", "True");
	shk_json_string(json, "reason", ask->reason);
	shk_json_string(json, "message", ask->message);
	shk_json_time(json, "lastTransitionTime", wall_s);
	shk_json_object_end(json);
	shk_json_array_end(json);
	shk_json_object_end(json);
	shk_json_object_end(json);
}

void message_build(const struct shk_kube_request *ask, int64_t wall_s, struct shk_arena *arena,
		   struct message *ret_message)
{
	struct message message = {.method = "GET", .path = pod_path(ask, "", arena)};
	struct shk_json json;

	shk_json_begin(&json, &message.body);
	if (ask->verb == SHK_KUBE_BIND) {
		message.method = "POST";
		message.path = pod_path(ask, "/binding", arena);
		message.content_type = "application/json";
		write_binding(ask, &json);
	} else if (ask->verb == SHK_KUBE_TOUCH_POD) {
		message.method = "PATCH";
		message.path = pod_path(ask, "/status", arena);
		message.content_type = "application/strategic-merge-patch+json";
		write_touch(ask, wall_s, &json);
	}
	*ret_message = message;
}

void message_fini(struct message *message)
{
	shk_buf_fini(&message->body);
}

/* --- events -------------------------------------------------------------------------------- */

/* A MicroTime is a time whose fraction has to be there. */
static void write_micro_time(struct shk_json *json, const char *key, int64_t wall_s)
{
	char whole[32];
	char text[48];

	(void)shk_time_print(wall_s, whole, sizeof whole);
	(void)snprintf(text, sizeof text, "%.*s.000000Z", (int)strcspn(whole, "Z"), whole);
	shk_json_string(json, key, text);
}

static void write_regarding(const struct shk_kube_request *ask, struct shk_json *json)
{
	shk_json_object(json, "regarding");
	shk_json_string(json, "apiVersion", "v1");
	shk_json_string(json, "kind", "Pod");
	shk_json_string(json, "namespace", ask->namespace_);
	shk_json_string(json, "name", ask->name);
	shk_json_string(json, "uid", ask->uid);
	shk_json_object_end(json);
}

static const char *events_path(const struct shk_kube_request *ask, const char *slash,
			       const char *name, struct shk_arena *arena)
{
	return shk_arena_printf(arena, "/apis/events.k8s.io/v1/namespaces/%s/events%s%s",
				ask->namespace_, slash, name);
}

void message_event(const struct shk_kube_request *ask, const char *event_name, const char *instance,
		   int64_t wall_s, struct shk_arena *arena, struct message *ret_message)
{
	struct message message = {.method = "POST",
				  .path = events_path(ask, "", "", arena),
				  .content_type = "application/json"};
	struct shk_json json;

	shk_json_begin(&json, &message.body);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "apiVersion", "events.k8s.io/v1");
	shk_json_string(&json, "kind", "Event");
	shk_json_object(&json, "metadata");
	shk_json_string(&json, "name", event_name);
	shk_json_string(&json, "namespace", ask->namespace_);
	shk_json_object_end(&json);
	write_micro_time(&json, "eventTime", wall_s);
	shk_json_string(&json, "reportingController", "shikiri.dev/extender");
	shk_json_string(&json, "reportingInstance", copy_text(arena, instance, MAX_WORD));
	shk_json_string(&json, "action", "Scheduling");
	shk_json_string(&json, "reason", ask->reason);
	write_regarding(ask, &json);
	shk_json_string(&json, "note", ask->message);
	shk_json_string(&json, "type", ask->warning ? "Warning" : "Normal");
	shk_json_object_end(&json);
	*ret_message = message;
}

void message_series(const struct shk_kube_request *ask, const char *event_name, uint32_t count,
		    int64_t wall_s, struct shk_arena *arena, struct message *ret_message)
{
	struct message message = {.method = "PATCH",
				  .path = events_path(ask, "/", event_name, arena),
				  .content_type = "application/merge-patch+json"};
	struct shk_json json;

	shk_json_begin(&json, &message.body);
	shk_json_object(&json, NULL);
	shk_json_object(&json, "series");
	shk_json_int(&json, "count", count);
	write_micro_time(&json, "lastObservedTime", wall_s);
	shk_json_object_end(&json);
	shk_json_object_end(&json);
	*ret_message = message;
}
