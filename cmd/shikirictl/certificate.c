#include "certificate.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

static int64_t first_end(gnutls_x509_crt_t *certificates, unsigned n)
{
	int64_t end = INT64_MAX;

	for (unsigned i = 0; i < n; i++) {
		int64_t this_end = gnutls_x509_crt_get_expiration_time(certificates[i]);

		if (this_end < end)
			end = this_end;
		gnutls_x509_crt_deinit(certificates[i]);
	}
	gnutls_free(certificates);
	return end;
}

enum cli_exit cli_certificate_end(const char *path, int64_t *ret_end_s)
{
	struct shk_buf text = {0};
	gnutls_x509_crt_t *certificates = NULL;
	unsigned n = 0;
	enum cli_exit exit = cli_read_file(path, &text);
	const gnutls_datum_t pem = {(unsigned char *)text.data, (unsigned)text.len};

	if (exit == CLI_OK &&
	    gnutls_x509_crt_list_import2(&certificates, &n, &pem, GNUTLS_X509_FMT_PEM, 0) < 0) {
		cli_say("error: %s: no PEM certificate in it", path);
		exit = CLI_DATA;
	}
	if (exit == CLI_OK)
		*ret_end_s = first_end(certificates, n);
	shk_buf_fini(&text);
	return exit;
}
