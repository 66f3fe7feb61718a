/* pem.h - whether text is whole PEM, so that a half-written file isn't taken for a new one. Pure.
 *
 * The TLS library says the rest: only what is torn, empty or something else is noticed here. */
#ifndef SHIKIRI_SRC_KUBE_PEM_H
#define SHIKIRI_SRC_KUBE_PEM_H

#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

enum pem_kind { PEM_CERTIFICATES, PEM_KEY };

/* At least one certificate, or a private key that needs no password; every block complete.
 * CONFIG, with a sentence that what ("/etc/ca.crt") begins. */
enum shk_status pem_check(enum pem_kind kind, struct shk_sv text, const char *what,
			  struct shk_error *err) SHK_MUST_CHECK;

#endif
