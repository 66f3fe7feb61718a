#include "recent.h"

#include <stdio.h>
#include <string.h>

#include "shikiri/base/str.h"

#define SAME_WITHIN_MS  (INT64_C(10) * 60 * 1000)
#define WRITE_EVERY_MS  (INT64_C(60) * 1000)
#define MAX_NAME_PREFIX 236 /* 253 less a dot and 16 digits */

static struct recent_event *find(struct recent *recent, const char *uid, const char *words)
{
	for (size_t i = 0; i < RECENT_EVENTS; i++) {
		struct recent_event *event = &recent->events[i];

		if (event->words[0] && shk_str_equals(event->uid, uid) &&
		    shk_str_equals(event->words, words))
			return event;
	}
	return NULL;
}

static struct recent_event *find_room(struct recent *recent)
{
	struct recent_event *oldest = &recent->events[0];

	for (size_t i = 0; i < RECENT_EVENTS; i++) {
		struct recent_event *event = &recent->events[i];

		if (!event->words[0])
			return event;
		if (event->seen_ms < oldest->seen_ms)
			oldest = event;
	}
	return oldest;
}

/* A shortened pod name must not end in what a name's part can't end in. */
static void make_name(const char *pod, uint64_t sequence, char *ret_name, size_t size)
{
	size_t len = strnlen(pod, MAX_NAME_PREFIX);

	while (len > 1 && (pod[len - 1] == '.' || pod[len - 1] == '-'))
		len--;
	(void)snprintf(ret_name, size, "%.*s.%016llx", (int)len, pod, (unsigned long long)sequence);
}

static const struct recent_event *begin(struct recent *recent, struct recent_event *event,
					const char *pod, const char *uid, const char *words,
					int64_t now_ms)
{
	*event = (struct recent_event){.count = 1, .seen_ms = now_ms, .written_ms = now_ms};
	(void)snprintf(event->uid, sizeof event->uid, "%s", uid);
	(void)snprintf(event->words, sizeof event->words, "%s", words);
	make_name(pod, ++recent->sequence, event->name, sizeof event->name);
	return event;
}

enum recent_advice recent_note(struct recent *recent, const char *pod, const char *uid,
			       const char *words, int64_t now_ms,
			       const struct recent_event **ret_event)
{
	struct recent_event *event = find(recent, uid, words);

	if (!event || now_ms - event->seen_ms >= SAME_WITHIN_MS) {
		event = event ? event : find_room(recent);
		*ret_event = begin(recent, event, pod, uid, words, now_ms);
		return RECENT_NEW;
	}
	event->count++;
	event->seen_ms = now_ms;
	*ret_event = event;
	if (now_ms - event->written_ms < WRITE_EVERY_MS)
		return RECENT_QUIET;
	event->written_ms = now_ms;
	return RECENT_COUNT;
}

void recent_forget(struct recent *recent, const char *uid, const char *words)
{
	struct recent_event *event = find(recent, uid, words);

	if (event)
		event->words[0] = '\0';
}
