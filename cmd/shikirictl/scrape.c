#include "scrape.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 64

/* The text up to a newline, which is taken off the rest too. */
static struct shk_sv take_line(struct shk_sv *rest)
{
	const char *end = memchr(rest->data, '\n', rest->len);
	struct shk_sv line = {rest->data, end ? (size_t)(end - rest->data) : rest->len};
	size_t taken = line.len + (end ? 1 : 0);

	*rest = (struct shk_sv){rest->data + taken, rest->len - taken};
	return line;
}

static struct shk_sv skip(struct shk_sv text, size_t len)
{
	return (struct shk_sv){text.data + len, text.len - len};
}

static size_t span_name(struct shk_sv text)
{
	static const char name_chars[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
	size_t len = 0;

	while (len < text.len && text.data[len] != '\0' && strchr(name_chars, text.data[len]))
		len++;
	return len;
}

/* Where the closing brace stands; text.len when there is none. Quoted braces don't count. */
static size_t find_brace(struct shk_sv text)
{
	bool is_quoted = false;

	for (size_t i = 0; i < text.len; i++) {
		if (is_quoted && text.data[i] == '\\')
			i++;
		else if (text.data[i] == '"')
			is_quoted = !is_quoted;
		else if (text.data[i] == '}' && !is_quoted)
			return i;
	}
	return text.len;
}

/* The number that text begins with; what follows would be a timestamp. */
static bool read_number(struct shk_sv text, double *ret_value)
{
	char copy[MAX_NUMBER];
	char *end = NULL;

	while (text.len > 0 && text.data[0] == ' ')
		text = skip(text, 1);
	if (text.len == 0 || text.len >= sizeof copy)
		return false;
	memcpy(copy, text.data, text.len);
	copy[text.len] = '\0';
	*ret_value = strtod(copy, &end);
	return end != copy && (*end == '\0' || *end == ' ');
}

static bool read_sample(struct shk_sv line, struct cli_sample *ret_sample)
{
	size_t name = span_name(line);
	struct shk_sv rest = skip(line, name);

	*ret_sample = (struct cli_sample){.name = {line.data, name}};
	if (name == 0)
		return false;
	if (rest.len > 0 && rest.data[0] == '{') {
		rest = skip(rest, 1);

		size_t brace = find_brace(rest);

		if (brace == rest.len)
			return false;
		ret_sample->labels = (struct shk_sv){rest.data, brace};
		rest = skip(rest, brace + 1);
	}
	return read_number(rest, &ret_sample->value);
}

static bool read_type(struct shk_sv line, struct shk_sv *ret_name)
{
	static const char type[] = "# TYPE ";
	size_t len = sizeof type - 1;

	if (line.len < len || memcmp(line.data, type, len) != 0)
		return false;
	line = skip(line, len);
	*ret_name = (struct shk_sv){line.data, span_name(line)};
	return ret_name->len > 0;
}

void cli_scrape_read(struct shk_arena *arena, struct shk_sv text, struct cli_scrape *ret_scrape)
{
	struct shk_sv rest = text;
	size_t n_lines = 0;

	for (; rest.len > 0; n_lines++)
		(void)take_line(&rest);

	struct cli_sample *samples = SHK_NEW_ARRAY(arena, n_lines, struct cli_sample);
	struct shk_sv *names = SHK_NEW_ARRAY(arena, n_lines, struct shk_sv);

	*ret_scrape = (struct cli_scrape){.samples = samples, .names = names};
	while (text.len > 0) {
		struct shk_sv line = take_line(&text);

		if (read_type(line, &names[ret_scrape->n_names]))
			ret_scrape->n_names++;
		else if (read_sample(line, &samples[ret_scrape->n_samples]))
			ret_scrape->n_samples++;
	}
}

bool cli_scrape_has(const struct cli_scrape *scrape, const char *name)
{
	size_t at = 0;

	for (size_t i = 0; i < scrape->n_names; i++) {
		if (shk_sv_is(scrape->names[i], name))
			return true;
	}
	return cli_scrape_next(scrape, name, &at) != NULL;
}

struct shk_sv cli_sample_label(const struct cli_sample *sample, const char *key)
{
	struct shk_sv rest = sample->labels;

	while (rest.len > 0) {
		size_t name = span_name(rest);
		struct shk_sv label = {rest.data, name};
		size_t end = 0;

		rest = skip(rest, name);
		if (rest.len < 2 || rest.data[0] != '=' || rest.data[1] != '"')
			break;
		rest = skip(rest, 2);
		while (end < rest.len && rest.data[end] != '"')
			end += rest.data[end] == '\\' ? 2 : 1;
		if (end >= rest.len)
			break;
		if (shk_sv_is(label, key))
			return (struct shk_sv){rest.data, end};
		rest = skip(rest, end + 1);
		if (rest.len > 0 && rest.data[0] == ',')
			rest = skip(rest, 1);
	}
	return (struct shk_sv){NULL, 0};
}

const struct cli_sample *cli_scrape_next(const struct cli_scrape *scrape, const char *name,
					 size_t *at)
{
	while (*at < scrape->n_samples) {
		const struct cli_sample *sample = &scrape->samples[(*at)++];

		if (shk_sv_is(sample->name, name))
			return sample;
	}
	return NULL;
}
