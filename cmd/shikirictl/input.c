#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

#define CHUNK (64u << 10)

static enum cli_exit read_stream(FILE *stream, const char *path, struct shk_buf *text)
{
	size_t n = 0;

	do {
		shk_buf_reserve(text, CHUNK + 1);
		n = fread(text->data + text->len, 1, CHUNK, stream);
		text->len += n;
		text->data[text->len] = '\0';
		if (text->len > CLI_MAX_INPUT) {
			cli_say("error: %s: more than %u MiB", path, CLI_MAX_INPUT >> 20);
			return CLI_DATA;
		}
	} while (n > 0);
	if (ferror(stream)) {
		cli_say("error: %s: %s", path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
		return CLI_NO_INPUT;
	}
	return CLI_OK;
}

enum cli_exit cli_read_file(const char *path, struct shk_buf *ret_text)
{
	if (shk_str_equals(path, "-"))
		return read_stream(stdin, "stdin", ret_text);

	FILE *stream = fopen(path, "re");

	if (!stream) {
		cli_say("error: %s: %s", path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
		return CLI_NO_INPUT;
	}

	enum cli_exit exit = read_stream(stream, path, ret_text);

	(void)fclose(stream); /* only read from */
	return exit;
}

enum cli_exit cli_read_manifests(struct cli *cli, struct shk_buf *ret_text)
{
	size_t n = 0;
	const char **paths = cli_values(cli, "filename", &n);

	if (n == 0)
		return cli_usage("%s needs -f FILE (or -f - for stdin)", cli->verb->name);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			shk_buf_puts(ret_text, "\n---\n");

		enum cli_exit exit = cli_read_file(paths[i], ret_text);

		if (exit != CLI_OK)
			return exit;
	}
	if (ret_text->len > 0 && strspn(ret_text->data, " \t\r\n") < ret_text->len)
		return CLI_OK;
	cli_say("error: %s: empty", paths[0]);
	return CLI_DATA;
}

bool cli_is_json(const struct shk_buf *text)
{
	size_t blank = text->len > 0 ? strspn(text->data, " \t\r\n") : 0;

	/* A flow mapping of YAML begins like this too; JSON is what programs write. Several files
	 * joined by "---" are a YAML stream whatever each of them is. */
	return text->len > blank && (text->data[blank] == '{' || text->data[blank] == '[') &&
	       !strstr(text->data, "\n---\n");
}
