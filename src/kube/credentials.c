#include "credentials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shikiri/base/file.h"

#include "pem.h"
#include "sealed.h"

#define TOKEN_EVERY_MS  (INT64_C(60) * 1000)
#define LOOK_EVERY_MS   (INT64_C(10) * 1000)
#define MAX_TOKEN_BYTES ((size_t)64 << 10)
#define MAX_PEM_BYTES   ((size_t)1 << 20)

/* What changes when a file is written, or another one put in its place. */
struct stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

struct material {
	enum pem_kind kind;
	const char *file; /* or data; or neither */
	const char *data;
	struct stamp stamp; /* of the file when it was read last */
	struct sealed now;
	struct sealed before; /* still named by connections that are being made */
};

enum { CA, CERT, KEY, MATERIALS };

struct credentials {
	const char *token_file;
	char *token;
	int64_t token_due_ms;
	int64_t look_due_ms;
	struct material materials[MATERIALS];
	char token_fault[256];
	char fault[256];
};

/* --- token --------------------------------------------------------------------------------- */

/* The token without the line break that editors leave behind it. */
static bool trim_token(struct shk_buf *text)
{
	while (text->len > 0 && (unsigned char)text->data[text->len - 1] <= ' ')
		text->data[--text->len] = '\0';
	for (size_t i = 0; i < text->len; i++) {
		if (text->data[i] <= ' ' || text->data[i] > '~')
			return false;
	}
	return text->len > 0;
}

static enum shk_status read_token(struct credentials *credentials, struct shk_error *err)
{
	struct shk_buf text = {0};
	enum shk_status status =
	    shk_file_read(credentials->token_file, MAX_TOKEN_BYTES, &text, err);

	if (status)
		return status;
	if (!trim_token(&text)) {
		shk_buf_fini(&text);
		return shk_error_set(err, SHK_E_CONFIG, "%.200s: no token in it",
				     credentials->token_file);
	}
	free(credentials->token);
	credentials->token = text.data;
	return SHK_OK;
}

bool credentials_refresh_token(struct credentials *credentials, int64_t now_ms)
{
	struct shk_error err = {0};

	if (!credentials->token_file)
		return false;
	credentials->token_due_ms = now_ms + TOKEN_EVERY_MS;
	(void)!read_token(credentials, &err);
	(void)snprintf(credentials->token_fault, sizeof credentials->token_fault, "%.255s",
		       err.text);
	return true;
}

/* --- certificates and keys ----------------------------------------------------------------- */

static struct material material_of(enum pem_kind kind, const char *file, const char *data)
{
	return (struct material){
	    .kind = kind, .file = file, .data = data, .now = {.fd = -1}, .before = {.fd = -1}};
}

static struct stamp stamp_of(const char *file)
{
	struct stat info;

	if (stat(file, &info) != 0)
		return (struct stamp){0};
	return (struct stamp){info.st_dev, info.st_ino, info.st_size, info.st_mtim};
}

static bool is_same(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static enum shk_status seal_checked(enum pem_kind kind, struct shk_sv text, const char *what,
				    struct sealed *ret_sealed, struct shk_error *err)
{
	enum shk_status status = pem_check(kind, text, what, err);

	return status ? status : sealed_open(text, ret_sealed, err);
}

static enum shk_status seal_file(const struct material *material, struct sealed *ret_sealed,
				 struct shk_error *err)
{
	struct shk_buf text = {0};
	enum shk_status status = shk_file_read(material->file, MAX_PEM_BYTES, &text, err);

	if (status)
		return status;
	status = seal_checked(material->kind, (struct shk_sv){text.data, text.len}, material->file,
			      ret_sealed, err);
	shk_buf_fini(&text);
	return status;
}

static void adopt(struct material *material, const struct sealed *sealed, const struct stamp *stamp)
{
	sealed_close(&material->before);
	material->before = material->now;
	material->now = *sealed;
	material->stamp = *stamp;
}

/* All of n or none: half a renewed pair would be refused by the server. The stamps are taken
 * before the files are read, so that a change in between is seen at the next look. */
static enum shk_status read_group(struct material *group, size_t n, struct shk_error *err)
{
	struct stamp stamps[MATERIALS];
	struct sealed sealed[MATERIALS];
	enum shk_status status = SHK_OK;
	size_t done = 0;

	for (; done < n && !status; done += !status) {
		struct material *material = &group[done];

		sealed[done].fd = -1;
		stamps[done] = (struct stamp){0};
		if (material->file) {
			stamps[done] = stamp_of(material->file);
			status = seal_file(material, &sealed[done], err);
		} else if (material->data) {
			status = seal_checked(material->kind, shk_sv(material->data),
					      "the data in the kubeconfig", &sealed[done], err);
		}
	}
	for (size_t i = 0; i < done; i++) {
		if (status)
			sealed_close(&sealed[i]);
		else
			adopt(&group[i], &sealed[i], &stamps[i]);
	}
	return status;
}

static bool has_changed(const struct material *group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct stamp stamp;

		if (!group[i].file)
			continue;
		stamp = stamp_of(group[i].file);
		if (!is_same(&stamp, &group[i].stamp))
			return true;
	}
	return false;
}

static void look(struct credentials *credentials)
{
	struct shk_error ca = {0};
	struct shk_error pair = {0};

	if (has_changed(&credentials->materials[CA], 1))
		(void)!read_group(&credentials->materials[CA], 1, &ca);
	if (has_changed(&credentials->materials[CERT], 2))
		(void)!read_group(&credentials->materials[CERT], 2, &pair);
	(void)snprintf(credentials->fault, sizeof credentials->fault, "%.255s",
		       ca.text[0] ? ca.text : pair.text);
}

/* --- all of it ----------------------------------------------------------------------------- */

void credentials_tick(struct credentials *credentials, int64_t now_ms)
{
	if (now_ms >= credentials->token_due_ms)
		(void)credentials_refresh_token(credentials, now_ms);
	if (now_ms < credentials->look_due_ms)
		return;
	credentials->look_due_ms = now_ms + LOOK_EVERY_MS;
	look(credentials);
}

int64_t credentials_due_ms(const struct credentials *credentials)
{
	return credentials->token_due_ms < credentials->look_due_ms ? credentials->token_due_ms
								    : credentials->look_due_ms;
}

static enum shk_status read_everything(const struct shk_kube_config *config,
				       struct credentials *credentials, struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	if (config->token)
		credentials->token = strdup(config->token);
	if (credentials->token_file)
		status = read_token(credentials, err);
	if (!status)
		status = read_group(&credentials->materials[CA], 1, err);
	if (!status)
		status = read_group(&credentials->materials[CERT], 2, err);
	return status;
}

enum shk_status credentials_open(const struct shk_kube_config *config, int64_t now_ms,
				 struct credentials **ret_credentials, struct shk_error *err)
{
	struct credentials *credentials = calloc(1, sizeof *credentials);
	enum shk_status status;

	if (!credentials)
		abort();
	*credentials = (struct credentials){
	    .token_file = config->token_file,
	    .token_due_ms = config->token_file ? now_ms + TOKEN_EVERY_MS : INT64_MAX,
	    .look_due_ms = now_ms + LOOK_EVERY_MS,
	    .materials = {material_of(PEM_CERTIFICATES, config->ca_file, config->ca_data),
			  material_of(PEM_CERTIFICATES, config->cert_file, config->cert_data),
			  material_of(PEM_KEY, config->key_file, config->key_data)},
	};
	status = read_everything(config, credentials, err);
	if (status)
		credentials_close(credentials);
	else
		*ret_credentials = credentials;
	return status;
}

void credentials_close(struct credentials *credentials)
{
	if (!credentials)
		return;
	for (size_t i = 0; i < MATERIALS; i++) {
		sealed_close(&credentials->materials[i].now);
		sealed_close(&credentials->materials[i].before);
	}
	free(credentials->token);
	free(credentials);
}

bool credentials_can_refresh(const struct credentials *credentials)
{
	return credentials->token_file;
}

const char *credentials_token(const struct credentials *credentials)
{
	return credentials->token;
}

static const char *path_of(const struct material *material)
{
	return material->now.fd >= 0 ? material->now.path : NULL;
}

const char *credentials_ca(const struct credentials *credentials)
{
	return path_of(&credentials->materials[CA]);
}

const char *credentials_cert(const struct credentials *credentials)
{
	return path_of(&credentials->materials[CERT]);
}

const char *credentials_key(const struct credentials *credentials)
{
	return path_of(&credentials->materials[KEY]);
}

const char *credentials_fault(const struct credentials *credentials)
{
	return credentials->fault[0] ? credentials->fault : credentials->token_fault;
}
