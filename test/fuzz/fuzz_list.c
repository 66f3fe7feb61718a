/* fuzz_list.c - any bytes as a list, whole and in pieces of every size that the first byte asks
 * for: the same items, end and refusal; and what is taken with sound items is JSON. */
#include "fuzz.h"

#include "shikiri/wire/scan.h"
#include "shikiri/wire/watch.h"

struct taken {
	struct shk_buf items;
	bool all_sound;
};

static enum shk_status take(void *context, struct shk_sv item, struct shk_error *err)
{
	struct taken *taken = context;
	struct shk_error unused;

	(void)err;
	expect(item.len > 0);
	taken->all_sound &= shk_scan(item, &shk_scan_object, NULL, &unused) == SHK_OK;
	shk_buf_add(&taken->items, item.data, item.len);
	shk_buf_putc(&taken->items, '\n');
	return SHK_OK;
}

static enum shk_status read_in_pieces(struct shk_sv text, size_t step, struct taken *taken,
				      size_t *ret_items, struct shk_error *err)
{
	struct shk_list_reader *reader = shk_list_reader_new(take, taken);
	struct shk_list_end end;
	enum shk_status status = SHK_OK;

	*taken = (struct taken){.all_sound = true};
	for (size_t at = 0; !status && at < text.len; at += step) {
		size_t len = text.len - at < step ? text.len - at : step;

		status = shk_list_reader_feed(reader, (struct shk_sv){text.data + at, len}, err);
	}
	if (!status)
		status = shk_list_reader_end(reader, &end, err);
	if (status)
		expect_reason(status, err);
	else
		expect(strlen(end.continue_token) <= SHK_LIST_MAX_CONTINUE);
	*ret_items = status ? 0 : end.n_items;
	shk_list_reader_free(reader);
	return status;
}

static const struct shk_scan_limits roomy = {
    .max_bytes = (size_t)1 << 24,
    .max_depth = 500,
    .max_depth_unread = 512,
    .max_tokens = (size_t)1 << 24,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step = size > 0 ? (size_t)data[0] + 1 : 1;
	struct shk_sv text = input(data + (size > 0), size > 0 ? size - 1 : 0);
	struct taken whole, pieces;
	struct shk_error err, other;
	size_t n_whole, n_pieces;
	enum shk_status status = read_in_pieces(text, text.len + 1, &whole, &n_whole, &err);

	expect(read_in_pieces(text, step, &pieces, &n_pieces, &other) == status);
	expect(n_whole == n_pieces && whole.items.len == pieces.items.len);
	expect(whole.items.len == 0 ||
	       memcmp(whole.items.data, pieces.items.data, whole.items.len) == 0);
	if (!status && whole.all_sound)
		expect(shk_scan(text, &roomy, NULL, &err) == SHK_OK);
	shk_buf_fini(&whole.items);
	shk_buf_fini(&pieces.items);
	return 0;
}
