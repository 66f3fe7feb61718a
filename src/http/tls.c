#include "tls.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "server.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/log.h"
#include "shikiri/base/metrics.h"

#define QUIET_MS 10000 /* between two log lines on refused clients */

enum reload_result { RELOAD_LOADED, RELOAD_FAILED };

struct shk_tls {
	enum shk_listener listener;
	struct shk_certs_files files;
	const struct shk_texts *names;
	struct shk_certs_stamp stamp; /* of the last attempt; the reloading thread's */

	pthread_mutex_t lock;
	struct shk_certs *certs; /* under the lock */

	_Atomic int64_t quiet_until_ms;
	_Atomic uint64_t n_unlogged;
};

/* Seconds since 1970; 0: no TLS there. One process has one listener of each kind. */
static _Atomic int64_t expiries[SHK_LISTENER_ADMIN + 1];

/* --- life cycle --- */

static void log_certs(const struct shk_tls *tls, const struct shk_certs *certs)
{
	bool is_over = certs->expires_s <= shk_clock_wall_s();
	char expires[24];

	(void)snprintf(expires, sizeof expires, "%" PRId64, certs->expires_s);
	shk_log(is_over ? SHK_LOG_WARN : SHK_LOG_INFO,
		is_over ? "certificate has expired" : "certificate in force", "listener",
		shk_listener_name(tls->listener), "cert", tls->files.cert, "#expires_s", expires,
		NULL);
}

/* Takes over the reference. */
static void put_in_force(struct shk_tls *tls, struct shk_certs *certs)
{
	struct shk_certs *old;

	(void)pthread_mutex_lock(&tls->lock);
	old = tls->certs;
	tls->certs = certs;
	(void)pthread_mutex_unlock(&tls->lock);
	shk_certs_unref(old);
	atomic_store(&expiries[tls->listener], certs->expires_s);
	log_certs(tls, certs);
}

enum shk_status shk_tls_new(enum shk_listener listener, const struct shk_certs_files *files,
			    const struct shk_texts *names, struct shk_tls **ret_tls,
			    struct shk_error *err)
{
	struct shk_tls *tls = calloc(1, sizeof *tls);
	struct shk_certs *certs;

	if (!tls || pthread_mutex_init(&tls->lock, NULL) != 0)
		abort();
	tls->listener = listener;
	tls->files = *files;
	tls->names = names;
	shk_certs_stamp(files, &tls->stamp);
	if (shk_certs_load(files, &certs, err) != SHK_OK) {
		shk_tls_free(tls);
		return err->status;
	}
	put_in_force(tls, certs);
	*ret_tls = tls;
	return SHK_OK;
}

void shk_tls_free(struct shk_tls *tls)
{
	if (!tls)
		return;
	atomic_store(&expiries[tls->listener], 0);
	shk_certs_unref(tls->certs);
	(void)pthread_mutex_destroy(&tls->lock); /* fails only while held */
	free(tls);
}

void shk_tls_reload(struct shk_tls *tls, bool is_asked)
{
	struct shk_certs_stamp stamp;
	struct shk_certs *certs;
	struct shk_error err;

	if (!tls)
		return;
	/* Before reading: what is written while we read has another stamp next time. */
	shk_certs_stamp(&tls->files, &stamp);
	if (!is_asked && memcmp(&stamp, &tls->stamp, sizeof stamp) == 0)
		return;
	tls->stamp = stamp;
	if (shk_certs_load(&tls->files, &certs, &err) == SHK_OK) {
		shk_metric_count(SHK_C_CERTIFICATE_RELOADS, RELOAD_LOADED);
		put_in_force(tls, certs);
		return;
	}
	shk_metric_count(SHK_C_CERTIFICATE_RELOADS, RELOAD_FAILED);
	shk_log(SHK_LOG_ERROR, "certificate not reloaded; the old one stays in force", "listener",
		shk_listener_name(tls->listener), "err", err.text, NULL);
}

/* --- connections --- */

static void log_refusal(struct shk_tls *tls, enum shk_client_verdict verdict, const char *who,
			const char *peer)
{
	int64_t now_ms = shk_clock_boot_ms();
	int64_t until_ms = atomic_load(&tls->quiet_until_ms);
	char unlogged[24];

	if (now_ms < until_ms ||
	    !atomic_compare_exchange_strong(&tls->quiet_until_ms, &until_ms, now_ms + QUIET_MS)) {
		atomic_fetch_add(&tls->n_unlogged, 1);
		return;
	}
	(void)snprintf(unlogged, sizeof unlogged, "%" PRIu64, atomic_exchange(&tls->n_unlogged, 0));
	shk_log(SHK_LOG_WARN, "client certificate refused", "listener",
		shk_listener_name(tls->listener), "peer", peer, "why",
		shk_client_verdict_name(verdict), "subject", who, "#unlogged", unlogged, NULL);
}

/* So that the client's log says why. It is gone already: nothing is lost. */
static void alert(gnutls_session_t session, enum shk_client_verdict verdict)
{
	static const gnutls_alert_description_t alerts[] = {
	    [SHK_CLIENT_NONE] = GNUTLS_A_CERTIFICATE_REQUIRED,
	    [SHK_CLIENT_UNTRUSTED] = GNUTLS_A_UNKNOWN_CA,
	    [SHK_CLIENT_EXPIRED] = GNUTLS_A_CERTIFICATE_EXPIRED,
	    [SHK_CLIENT_PURPOSE] = GNUTLS_A_UNSUPPORTED_CERTIFICATE,
	    [SHK_CLIENT_NAME] = GNUTLS_A_ACCESS_DENIED,
	};

	(void)gnutls_alert_send(session, GNUTLS_AL_FATAL, alerts[verdict]);
}

/* Within the handshake, after the client has proven that the key is its own. */
static int judge(gnutls_session_t session)
{
	struct shk_tls_part *part = gnutls_session_get_ptr(session);
	char who[256];
	enum shk_client_verdict verdict =
	    shk_client_judge(session, part->tls->names, who, sizeof who);

	if (verdict == SHK_CLIENT_ADMITTED) {
		part->is_admitted = true;
		return 0;
	}
	shk_metric_count(SHK_C_CLIENTS_REFUSED, verdict);
	log_refusal(part->tls, verdict, who, part->peer);
	alert(session, verdict);
	return GNUTLS_E_CERTIFICATE_ERROR;
}

static struct shk_certs *certs_in_force(struct shk_tls *tls)
{
	struct shk_certs *certs;

	(void)pthread_mutex_lock(&tls->lock);
	certs = shk_certs_ref(tls->certs);
	(void)pthread_mutex_unlock(&tls->lock);
	return certs;
}

void shk_tls_begin(struct shk_tls *tls, struct shk_tls_part *part, const char *peer,
		   gnutls_session_t session)
{
	struct shk_certs *certs = certs_in_force(tls);

	*part = (struct shk_tls_part){.tls = tls, .certs = certs, .peer = peer};
	/* The library's own use of the pointer is with pre-shared keys only. */
	gnutls_session_set_ptr(session, part);
	if (gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, certs->credentials) != 0)
		abort();
	if (certs->judges_clients) {
		gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
		gnutls_session_set_verify_function(session, judge);
		return;
	}
	gnutls_certificate_server_set_request(session, GNUTLS_CERT_IGNORE);
	/* Fails for want of memory: then each handshake is a full one. */
	(void)gnutls_session_ticket_enable_server(session, &certs->ticket_key);
	part->is_admitted = true;
}

/* GnuTLS decides what is passed.
 * NOLINTBEGIN(readability-function-size, readability-non-const-parameter) */
int shk_tls_no_certificate(gnutls_session_t session, const gnutls_datum_t *issuers, int n_issuers,
			   const gnutls_pk_algorithm_t *algorithms, int n_algorithms,
			   gnutls_pcert_st **ret_chain, unsigned *ret_n, gnutls_privkey_t *ret_key)
{
	(void)session;
	(void)issuers;
	(void)n_issuers;
	(void)algorithms;
	(void)n_algorithms;
	(void)ret_chain;
	(void)ret_n;
	(void)ret_key;
	return -1;
}
/* NOLINTEND(readability-function-size, readability-non-const-parameter) */

void shk_tls_end(struct shk_tls_part *part)
{
	shk_certs_unref(part->certs);
	*part = (struct shk_tls_part){0};
}

void shk_tls_metrics(struct shk_buf *out)
{
	static const char name[] = "shikiri_certificate_expiry_timestamp_seconds";

	shk_metric_head(out, name, "gauge",
			"When the listener's certificate ends, in seconds since unix epoch.");
	for (enum shk_listener i = SHK_LISTENER_EXTENDER; i <= SHK_LISTENER_ADMIN; i++) {
		int64_t expires_s = atomic_load(&expiries[i]);
		struct shk_buf labels = {0};

		shk_metric_label(&labels, "listener", shk_listener_name(i));
		if (expires_s != 0)
			shk_metric_sample(out, name, labels.data, expires_s);
		shk_buf_fini(&labels);
	}
}
