/* base64.h - what kubeconfig files and PEM blocks hold. Pure. */
#ifndef SHIKIRI_SRC_KUBE_BASE64_H
#define SHIKIRI_SRC_KUBE_BASE64_H

#include <stdbool.h>

#include "shikiri/base/str.h"

/* Appends what text stands for. Strict (padded, no stray bits, no other characters), but for line
 * breaks, which kubectl takes too. false: out is as it was before. */
bool base64_decode(struct shk_sv text, struct shk_buf *out);

#endif
