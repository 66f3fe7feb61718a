/* edge.h - the two listeners: the extender verbs, and the admin API with health and metrics.
 *
 * Each is a libmicrohttpd daemon with threads and limits of its own, so that an admin client can
 * never make the scheduler wait. */
#ifndef SHIKIRI_HTTP_EDGE_H
#define SHIKIRI_HTTP_EDGE_H

#include "shikiri/app/config.h"
#include "shikiri/app/service.h"
#include "shikiri/base/error.h"

struct shk_edge; /* opaque */

/* Can the certificate files be used? SHK_E_CONFIG for what is in them, SHK_E_NOT_FOUND,
 * SHK_E_PERMISSION and SHK_E_IO for the files. */
enum shk_status shk_edge_check(const struct shk_config *config,
			       struct shk_error *err) SHK_MUST_CHECK;
/* Binds both listeners and serves. Port 0 picks a free port. Statuses: as of _check, SHK_E_CONFIG
 * for an address that can't be parsed, SHK_E_IO where the port is taken. The config outlives the
 * edge. */
enum shk_status shk_edge_start(const struct shk_config *config, struct shk_service *service,
			       struct shk_edge **ret_edge, struct shk_error *err) SHK_MUST_CHECK;
/* "http://127.0.0.1:34567", https:// with TLS */
const char *shk_edge_extender_url(const struct shk_edge *edge);
const char *shk_edge_admin_url(const struct shk_edge *edge);
/* Reads the certificate files again: _reload always, _refresh when they have changed (to be called
 * every few seconds). New connections get the new certificates, open ones keep theirs; what can't
 * be used leaves the old in force and is logged. One thread. */
void shk_edge_reload(struct shk_edge *edge);
void shk_edge_refresh(struct shk_edge *edge);
/* Stops accepting, waits up to drain_ms for what is being answered, closes. */
void shk_edge_stop(struct shk_edge *edge, int64_t drain_ms);

#endif
