#include "certs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnutls/x509.h>

#define MOST_BYTES ((off_t)1 << 20) /* of a file */

/* --- files --- */

static void stamp_file(const char *path, int64_t parts[5])
{
	struct stat info;

	if (!path || stat(path, &info) != 0)
		return;
	parts[0] = (int64_t)info.st_dev;
	parts[1] = (int64_t)info.st_ino;
	parts[2] = (int64_t)info.st_size;
	parts[3] = (int64_t)info.st_mtim.tv_sec;
	parts[4] = (int64_t)info.st_mtim.tv_nsec;
}

void shk_certs_stamp(const struct shk_certs_files *files, struct shk_certs_stamp *ret_stamp)
{
	*ret_stamp = (struct shk_certs_stamp){0};
	stamp_file(files->cert, ret_stamp->parts[0]);
	stamp_file(files->key, ret_stamp->parts[1]);
	stamp_file(files->client_ca, ret_stamp->parts[2]);
}

static enum shk_status read_failed(const char *path, int error, struct shk_error *err)
{
	char reason[128];

	if (strerror_r(error, reason, sizeof reason) != 0)
		reason[0] = '\0';
	if (error == ENOENT || error == ENOTDIR)
		return shk_error_set(err, SHK_E_NOT_FOUND, "%.300s: no such file", path);
	return shk_error_set(err, error == EACCES ? SHK_E_PERMISSION : SHK_E_IO, "%.300s: %s", path,
			     reason);
}

static void wipe(gnutls_datum_t *text)
{
	if (text->data)
		gnutls_memset(text->data, 0, text->size);
	free(text->data);
	*text = (gnutls_datum_t){0};
}

/* As many bytes as the file had when it was opened; fewer when it shrinks meanwhile. */
static enum shk_status read_bytes(int fd, const char *path, size_t size, gnutls_datum_t *ret_text,
				  struct shk_error *err)
{
	gnutls_datum_t text = {.data = malloc(size)};

	if (!text.data)
		abort();
	while (text.size < size) {
		ssize_t n = read(fd, text.data + text.size, size - text.size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = errno;

			wipe(&text);
			return read_failed(path, error, err);
		}
		if (n == 0)
			break;
		text.size += (unsigned)n;
	}
	*ret_text = text;
	return SHK_OK;
}

/* Into memory that can be wiped: one block of the right size, never moved. */
static enum shk_status read_file(const char *path, gnutls_datum_t *ret_text, struct shk_error *err)
{
	/* A pipe must not make us wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum shk_status status;
	struct stat info;

	if (fd < 0)
		return read_failed(path, errno, err);
	if (fstat(fd, &info) != 0)
		status = read_failed(path, errno, err);
	else if (!S_ISREG(info.st_mode) || info.st_size <= 0 || info.st_size > MOST_BYTES)
		status = shk_error_set(err, SHK_E_CONFIG,
				       "%.300s: not a file with one byte to 1 MiB", path);
	else
		status = read_bytes(fd, path, (size_t)info.st_size, ret_text, err);
	(void)close(fd); /* was only read */
	return status;
}

/* --- what is in them --- */

struct texts {
	gnutls_datum_t cert;
	gnutls_datum_t key;
	gnutls_datum_t client_ca;
};

static enum shk_status read_texts(const struct shk_certs_files *files, struct texts *texts,
				  struct shk_error *err)
{
	enum shk_status status = read_file(files->cert, &texts->cert, err);

	if (status == SHK_OK)
		status = read_file(files->key, &texts->key, err);
	if (status == SHK_OK && files->client_ca)
		status = read_file(files->client_ca, &texts->client_ca, err);
	return status;
}

static enum shk_status bad_content(const char *path, const char *what, int error,
				   struct shk_error *err)
{
	return shk_error_set(err, SHK_E_CONFIG, "%.300s: %s: %s", path, what,
			     gnutls_strerror(error));
}

static enum shk_status read_expiry(struct shk_certs *certs, const char *path,
				   const gnutls_datum_t *text, struct shk_error *err)
{
	gnutls_x509_crt_t *chain = NULL;
	unsigned n = 0;
	int error = gnutls_x509_crt_list_import2(&chain, &n, text, GNUTLS_X509_FMT_PEM, 0);

	if (error < 0 || n == 0)
		return bad_content(path, "holds no certificate in PEM", error, err);
	certs->expires_s = (int64_t)gnutls_x509_crt_get_expiration_time(chain[0]);
	for (unsigned i = 0; i < n; i++)
		gnutls_x509_crt_deinit(chain[i]);
	gnutls_free(chain);
	return SHK_OK;
}

static enum shk_status take_pair(struct shk_certs *certs, const struct shk_certs_files *files,
				 const struct texts *texts, struct shk_error *err)
{
	int error = gnutls_certificate_set_x509_key_mem2(certs->credentials, &texts->cert,
							 &texts->key, GNUTLS_X509_FMT_PEM, NULL, 0);

	if (error == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
		return shk_error_set(err, SHK_E_CONFIG, "%.200s is not the key of %.200s",
				     files->key, files->cert);
	if (error < 0)
		return bad_content(files->key, "holds no usable private key in PEM", error, err);
	return SHK_OK;
}

static enum shk_status take_client_ca(struct shk_certs *certs, const char *path,
				      const gnutls_datum_t *text, struct shk_error *err)
{
	int n =
	    gnutls_certificate_set_x509_trust_mem(certs->credentials, text, GNUTLS_X509_FMT_PEM);

	if (n <= 0)
		return bad_content(path, "holds no CA certificate in PEM", n, err);
	certs->judges_clients = true;
	return SHK_OK;
}

static enum shk_status fill(struct shk_certs *certs, const struct shk_certs_files *files,
			    const struct texts *texts, struct shk_error *err)
{
	enum shk_status status = read_expiry(certs, files->cert, &texts->cert, err);

	if (status == SHK_OK)
		status = take_pair(certs, files, texts, err);
	if (status == SHK_OK && files->client_ca)
		return take_client_ca(certs, files->client_ca, &texts->client_ca, err);
	if (status == SHK_OK && gnutls_session_ticket_key_generate(&certs->ticket_key) != 0)
		abort();
	return status;
}

static struct shk_certs *certs_new(void)
{
	struct shk_certs *certs = calloc(1, sizeof *certs);

	if (!certs || gnutls_certificate_allocate_credentials(&certs->credentials) != 0)
		abort();
	atomic_init(&certs->refs, 1);
	return certs;
}

enum shk_status shk_certs_load(const struct shk_certs_files *files, struct shk_certs **ret_certs,
			       struct shk_error *err)
{
	struct shk_certs *certs = certs_new();
	struct texts texts = {0};
	enum shk_status status = read_texts(files, &texts, err);

	if (status == SHK_OK)
		status = fill(certs, files, &texts, err);
	wipe(&texts.cert);
	wipe(&texts.key);
	wipe(&texts.client_ca);
	if (status == SHK_OK)
		*ret_certs = certs;
	else
		shk_certs_unref(certs);
	return status;
}

struct shk_certs *shk_certs_ref(struct shk_certs *certs)
{
	atomic_fetch_add(&certs->refs, 1);
	return certs;
}

void shk_certs_unref(struct shk_certs *certs)
{
	if (!certs || atomic_fetch_sub(&certs->refs, 1) > 1)
		return;
	gnutls_certificate_free_credentials(certs->credentials);
	if (certs->ticket_key.data) {
		gnutls_memset(certs->ticket_key.data, 0, certs->ticket_key.size);
		gnutls_free(certs->ticket_key.data);
	}
	free(certs);
}
