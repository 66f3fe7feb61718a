/* names.h - which strings may be names. Pure. */
#ifndef SHIKIRI_BASE_NAMES_H
#define SHIKIRI_BASE_NAMES_H

#include <stdbool.h>

#include "shikiri/base/str.h"

bool shk_name_is_label(struct shk_sv text); /* DNS-1123 label, 1..63: namespaces, tenants */
/* DNS-1123 subdomain, 1..253, with labels of any length as Kubernetes has it: pods, nodes */
bool shk_name_is_subdomain(struct shk_sv text);
bool shk_name_is_uid(struct shk_sv text);       /* 1..128 printable ASCII, no blanks, no / \ " */
bool shk_name_is_label_key(struct shk_sv text); /* [prefix/]name, as Kubernetes label keys */
/* 0..63 of [A-Za-z0-9-_.], the first and the last alphanumeric */
bool shk_name_is_label_value(struct shk_sv text);

#endif
