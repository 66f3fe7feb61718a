/* recent.h - which events were told lately, so that a repeated one counts up instead of being told
 * anew. Pure. */
#ifndef SHIKIRI_SRC_KUBE_RECENT_H
#define SHIKIRI_SRC_KUBE_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_EVENTS 256
#define RECENT_WORDS  256

struct recent_event {
	char uid[129];                /* of the pod */
	char words[RECENT_WORDS + 1]; /* "": the entry is free */
	char name[254];               /* of the event */
	uint32_t count;
	int64_t seen_ms;
	int64_t written_ms; /* to the server */
};

struct recent {
	uint64_t sequence; /* goes into names: seeded with the time, so that restarts differ */
	struct recent_event events[RECENT_EVENTS];
};

enum recent_advice {
	RECENT_NEW,   /* create it under the entry's name */
	RECENT_COUNT, /* write the entry's count */
	RECENT_QUIET, /* counted, and written the next time: the last is less than a minute ago */
};

/* Counts an event; words are its reason and note, at most RECENT_WORDS long: other words for the
 * same reason are news, as when a pod waits for something else now. *ret_event is valid until the
 * next call, and finds room by forgetting the one that wasn't seen for longest. */
enum recent_advice recent_note(struct recent *recent, const char *pod, const char *uid,
			       const char *words, int64_t now_ms,
			       const struct recent_event **ret_event);
/* The server doesn't have it (any more). */
void recent_forget(struct recent *recent, const char *uid, const char *words);

#endif
