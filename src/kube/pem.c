#include "pem.h"

#include <stdio.h>
#include <string.h>

#include "base64.h"

#define BEGIN  "-----BEGIN "
#define END    "-----END "
#define DASHES "-----"

struct block {
	struct shk_sv label;
	struct shk_sv body;
	struct shk_sv rest; /* what follows the block */
};

static const char *find(struct shk_sv text, const char *wanted)
{
	size_t len = strlen(wanted);

	for (size_t i = 0; i + len <= text.len; i++) {
		if (memcmp(text.data + i, wanted, len) == 0)
			return text.data + i;
	}
	return NULL;
}

static struct shk_sv from(struct shk_sv text, const char *at)
{
	return (struct shk_sv){.data = at, .len = text.len - (size_t)(at - text.data)};
}

/* The block that begins at the BEGIN at the start of text. */
static bool cut_block(struct shk_sv text, struct block *ret_block)
{
	struct shk_sv label = from(text, text.data + strlen(BEGIN));
	const char *label_end = find(label, DASHES);
	char end[128];

	if (!label_end || label_end - label.data > 64)
		return false;
	label.len = (size_t)(label_end - label.data);
	(void)snprintf(end, sizeof end, END "%.*s" DASHES, (int)label.len, label.data);

	struct shk_sv body = from(text, label_end + strlen(DASHES));
	const char *body_end = find(body, end);

	if (!body_end)
		return false;
	ret_block->label = label;
	ret_block->body = (struct shk_sv){body.data, (size_t)(body_end - body.data)};
	ret_block->rest = from(text, body_end + strlen(end));
	return true;
}

/* A DER sequence says how long it is; a torn one is longer than what is there. */
static bool is_whole_sequence(const unsigned char *der, size_t len)
{
	size_t length = 0;
	size_t head = 2;

	if (len < 2 || der[0] != 0x30)
		return false;
	if (der[1] < 0x80)
		return len == head + der[1];
	head += der[1] & 0x7FU;
	if (head > 6 || head > len)
		return false;
	for (size_t i = 2; i < head; i++)
		length = length << 8 | der[i];
	return len - head == length;
}

static bool is_sound(const struct block *block)
{
	struct shk_buf der = {0};
	bool sound = base64_decode(block->body, &der) && der.len > 0 &&
		     is_whole_sequence((const unsigned char *)der.data, der.len);

	shk_buf_fini(&der);
	return sound;
}

static bool is_wanted(enum pem_kind kind, struct shk_sv label)
{
	if (kind == PEM_CERTIFICATES)
		return shk_sv_is(label, "CERTIFICATE");
	return shk_sv_is(label, "PRIVATE KEY") || shk_sv_is(label, "RSA PRIVATE KEY") ||
	       shk_sv_is(label, "EC PRIVATE KEY");
}

enum shk_status pem_check(enum pem_kind kind, struct shk_sv text, const char *what,
			  struct shk_error *err)
{
	static const char *const nouns[] = {
	    [PEM_CERTIFICATES] = "certificate",
	    [PEM_KEY] = "private key without a password",
	};
	struct block block;
	size_t wanted = 0;
	const char *at = find(text, BEGIN);

	for (; at; at = find(block.rest, BEGIN)) {
		if (!cut_block(from(text, at), &block))
			return shk_error_set(err, SHK_E_CONFIG,
					     "%.200s: a PEM block has no end; is it still being "
					     "written?",
					     what);
		if (!is_wanted(kind, block.label))
			continue;
		if (!is_sound(&block))
			return shk_error_set(err, SHK_E_CONFIG, "%.200s: the %s is damaged", what,
					     nouns[kind]);
		wanted++;
	}
	if (wanted == 0)
		return shk_error_set(err, SHK_E_CONFIG, "%.200s: no %s (PEM) in it", what,
				     nouns[kind]);
	return SHK_OK;
}
