/* certificate.h - until when the certificates of a PEM file are good. */
#ifndef SHIKIRICTL_CERTIFICATE_H
#define SHIKIRICTL_CERTIFICATE_H

#include <stdint.h>

#include "cli.h"

/* When the first of them ends. Says on stderr what is wrong with the file. */
enum cli_exit cli_certificate_end(const char *path, int64_t *ret_end_s);

#endif
