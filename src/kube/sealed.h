/* sealed.h - bytes as a file that nobody else has and that never changes.
 *
 * GnuTLS in libcurl takes certificates and keys by file name only, and reads them at each new
 * connection: the file that the user named may be half-written just then. So the content that was
 * checked is kept in anonymous memory, and libcurl is given its name under /proc/self/fd. */
#ifndef SHIKIRI_SRC_KUBE_SEALED_H
#define SHIKIRI_SRC_KUBE_SEALED_H

#include "shikiri/base/error.h"
#include "shikiri/base/str.h"

struct sealed {
	int fd; /* -1: none */
	char path[32];
};

enum shk_status sealed_open(struct shk_sv bytes, struct sealed *ret_sealed,
			    struct shk_error *err) SHK_MUST_CHECK;
void sealed_close(struct sealed *sealed); /* accepts one without a file */

#endif
