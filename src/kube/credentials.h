/* credentials.h - who we are and whom we trust, as of now.
 *
 * Tokens, certificates and keys are renewed under us. The token's file is read every minute and
 * when the server stops taking what we have; the others are looked at every 10 s and read when
 * they changed. What can't be read or isn't whole leaves the last good one in force.
 * One thread owns it. */
#ifndef SHIKIRI_SRC_KUBE_CREDENTIALS_H
#define SHIKIRI_SRC_KUBE_CREDENTIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "shikiri/kube/config.h"

struct credentials; /* opaque */

/* NOT_FOUND, PERMISSION, CONFIG: something that is configured can't be read. */
enum shk_status credentials_open(const struct shk_kube_config *config, int64_t now_ms,
				 struct credentials **ret_credentials,
				 struct shk_error *err) SHK_MUST_CHECK;
void credentials_close(struct credentials *credentials); /* accepts NULL */

/* Reads again what is due. */
void credentials_tick(struct credentials *credentials, int64_t now_ms);
int64_t credentials_due_ms(const struct credentials *credentials); /* the next tick */
/* The server refused the token. false: there is no file to read another from. */
bool credentials_refresh_token(struct credentials *credentials, int64_t now_ms);
bool credentials_can_refresh(const struct credentials *credentials);

const char *credentials_token(const struct credentials *credentials); /* NULL: none */
/* Files for new connections; NULL: none. They stay readable until the second change after this,
 * so 10 s at least. A changed one has another name than the two before it. */
const char *credentials_ca(const struct credentials *credentials);
const char *credentials_cert(const struct credentials *credentials);
const char *credentials_key(const struct credentials *credentials);
/* What kept the last look from being a success; "" when all is well. */
const char *credentials_fault(const struct credentials *credentials);

#endif
