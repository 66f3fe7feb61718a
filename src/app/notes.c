#include "notes.h"

#include "shikiri/base/log.h"
#include "shikiri/base/metrics.h"
#include "shikiri/base/str.h"

struct note_row {
	const char *message;
	const char *event; /* its reason; NULL: none */
	const char *text;  /* of the event; detail comes before it */
	enum shk_log_level level;
	bool warning;
};

static const struct note_row rows[SHK_NOTE_KIND_COUNT] = {
    [SHK_NOTE_PLACED] = {"pod placed", "GPUPlaced", "placed", SHK_LOG_DEBUG, false},
    [SHK_NOTE_BORROWING] = {"pod borrows", "GPUBorrowing",
			    "beyond the tenant's guarantee: borrowed, and may be reclaimed",
			    SHK_LOG_DEBUG, false},
    [SHK_NOTE_ADOPTED] = {"pod was bound by somebody else, adopted", "GPUAdopted",
			  "bound without shikiri: counted, and not checked", SHK_LOG_WARN, true},
    [SHK_NOTE_VOIDED] = {"reservation taken back", NULL, NULL, SHK_LOG_INFO, false},
    [SHK_NOTE_LINGERS] = {"pod vanished without having ended, its place is kept", NULL, NULL,
			  SHK_LOG_INFO, false},
    [SHK_NOTE_UNCOUNTED] = {"pod was bound by somebody else and can't be counted", NULL, NULL,
			    SHK_LOG_WARN, false},
    [SHK_NOTE_UNRESOLVED] = {"what became of a Binding can't be found out, trying again", NULL,
			     NULL, SHK_LOG_WARN, false},
    [SHK_NOTE_KUBELET_REFUSED] = {"kubelet refused a pod, leaving the node alone", NULL, NULL,
				  SHK_LOG_WARN, false},
};

static void tell_pod(const struct shk_note *note, const struct note_row *row, struct shk_feed *feed)
{
	struct shk_kube_request event = {
	    .namespace_ = note->namespace_,
	    .name = note->pod,
	    .uid = note->uid,
	    .reason = row->event,
	    .warning = row->warning,
	};
	struct shk_buf text = {0};

	shk_buf_printf(&text, "%s on %s: %s", note->detail, note->node, row->text);
	event.message = text.data;
	shk_feed_event(feed, &event);
	shk_buf_fini(&text);
}

static void count(enum shk_note_kind kind)
{
	if (kind == SHK_NOTE_ADOPTED)
		shk_metric_count(SHK_C_PODS_ADOPTED, 0);
	if (kind == SHK_NOTE_VOIDED)
		shk_metric_count(SHK_C_RESERVATIONS_VOIDED, 0);
	if (kind == SHK_NOTE_KUBELET_REFUSED)
		shk_metric_count(SHK_C_KUBELET_REFUSED, 0);
}

void shk_notes_tell(const struct shk_note *notes, size_t n, struct shk_feed *feed)
{
	for (size_t i = 0; i < n; i++) {
		const struct shk_note *note = &notes[i];
		const struct note_row *row = &rows[note->kind];

		count(note->kind);
		shk_log(row->level, row->message, "namespace", note->namespace_, "pod", note->pod,
			"uid", note->uid, "node", note->node, "detail", note->detail, NULL);
		if (row->event && feed)
			tell_pod(note, row, feed);
	}
}
