/* fuzz_scrape.c - what a daemon, or whoever stands in its place, may call metrics: everything that
 * is read lies inside the text, and every sample is found again by its name. */
#include "fuzz.h"

#include "scrape.h"

#define LONGEST_NAME 200

static bool is_inside(struct shk_sv part, struct shk_sv text)
{
	return part.data >= text.data && part.len <= text.len &&
	       part.data + part.len <= text.data + text.len;
}

static void expect_found(const struct cli_scrape *scrape, const struct cli_sample *sample)
{
	char name[LONGEST_NAME] = "";
	const struct cli_sample *found = NULL;
	size_t at = 0;

	if (sample->name.len >= sizeof name)
		return;
	memcpy(name, sample->name.data, sample->name.len);
	expect(cli_scrape_has(scrape, name));
	do {
		found = cli_scrape_next(scrape, name, &at);
		expect(found != NULL);
	} while (found != sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shk_sv text = input(data, size);
	struct cli_scrape scrape;
	struct shk_arena arena;

	shk_arena_init(&arena, 4096);
	cli_scrape_read(&arena, text, &scrape);
	for (size_t i = 0; i < scrape.n_names; i++)
		expect(scrape.names[i].len > 0 && is_inside(scrape.names[i], text));
	for (size_t i = 0; i < scrape.n_samples; i++) {
		const struct cli_sample *sample = &scrape.samples[i];
		struct shk_sv label = cli_sample_label(sample, "verb");

		expect(sample->name.len > 0 && is_inside(sample->name, text));
		expect(!sample->labels.data || is_inside(sample->labels, text));
		expect(!label.data || is_inside(label, sample->labels));
		/* Each look is over all samples: enough of them show what there is to see. */
		if (i < 64)
			expect_found(&scrape, sample);
	}
	shk_arena_fini(&arena);
	return 0;
}
