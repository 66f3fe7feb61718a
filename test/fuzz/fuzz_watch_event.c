/* fuzz_watch_event.c - any bytes as a watch: its lines, its events, and what they hold. */
#include "fuzz.h"

#include "shikiri/wire/scan.h"
#include "shikiri/wire/watch.h"

static void check_object(const struct shk_event *event)
{
	struct shk_arena arena = {0};
	struct shk_object_id id;
	struct shk_api_status answer;
	struct shk_error err;
	enum shk_status status = shk_object_id_read(event->object, &arena, &id, &err);

	expect(event->object.data[0] == '{');
	if (status)
		expect_reason(status, &err);
	if (!status && event->type == SHK_EVENT_ERROR) {
		expect(shk_api_status_read(event->object, &arena, &answer, &err) == SHK_OK);
		expect(answer.reason && answer.message && answer.code >= 0);
		expect(answer.retry_after_s >= -1);
	}
	shk_arena_fini(&arena);
}

/* What was mended has nothing left to mend, and is as long. */
static void check_mending(struct shk_sv line)
{
	struct shk_buf once = {0};
	struct shk_buf twice = {0};

	if (shk_json_mend(line, &once)) {
		expect(once.len == line.len);
		expect(!shk_json_mend((struct shk_sv){once.data, once.len}, &twice));
	}
	shk_buf_fini(&once);
	shk_buf_fini(&twice);
}

static void check_line(struct shk_sv line)
{
	struct shk_event event;
	struct shk_error err;
	enum shk_status status = shk_event_read(line, &event, &err);

	check_mending(line);
	if (status) {
		expect_reason(status, &err);
		return;
	}
	expect(event.object.data >= line.data);
	expect(event.object.data + event.object.len <= line.data + line.len);
	check_object(&event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step = size > 0 ? (size_t)data[0] + 1 : 1;
	struct shk_lines lines = {0};
	size_t newlines = 0;
	size_t n_lines = 0;

	for (size_t at = 1; at < size; at++)
		newlines += data[at] == '\n';
	for (size_t at = 1; at < size; at += step) {
		struct shk_sv line;
		struct shk_sv bytes = input(data + at, size - at < step ? size - at : step);

		while (shk_lines_next(&lines, &bytes, &line)) {
			n_lines++;
			check_line(line);
		}
		expect(bytes.len == 0);
	}
	expect(n_lines == newlines);
	shk_lines_fini(&lines);
	return 0;
}
