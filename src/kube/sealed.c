#define _GNU_SOURCE /* memfd_create */
#include "sealed.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, struct shk_sv bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(fd, bytes.data, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = (struct shk_sv){bytes.data + n, bytes.len - (size_t)n};
	}
	return true;
}

enum shk_status sealed_open(struct shk_sv bytes, struct sealed *ret_sealed, struct shk_error *err)
{
	struct sealed sealed = {.fd = memfd_create("shikiri", MFD_CLOEXEC)};

	if (sealed.fd < 0 || !write_all(sealed.fd, bytes)) {
		sealed_close(&sealed);
		return shk_error_set(err, SHK_E_IO, "no memory file for a certificate or key");
	}
	(void)snprintf(sealed.path, sizeof sealed.path, "/proc/self/fd/%d", sealed.fd);
	*ret_sealed = sealed;
	return SHK_OK;
}

void sealed_close(struct sealed *sealed)
{
	if (sealed->fd >= 0)
		(void)close(sealed->fd);
	sealed->fd = -1;
}
