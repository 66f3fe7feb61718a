/* yaml_scalar.h - what a plain YAML scalar means. Private to wire; pure.
 *
 * As Kubernetes reads it (sigs.k8s.io/yaml, YAML 1.1): yes/no/on/off are booleans, 0777 is
 * octal, y/n and 12:30:45 are strings. A real that is a whole number counts as an integer, as
 * it does once Kubernetes has made JSON of it. */
#ifndef SHIKIRI_WIRE_YAML_SCALAR_H
#define SHIKIRI_WIRE_YAML_SCALAR_H

#include <stdint.h>

#include "shikiri/base/str.h"

enum yaml_scalar_type {
	YAML_SCALAR_STRING,
	YAML_SCALAR_NULL,
	YAML_SCALAR_TRUE,
	YAML_SCALAR_FALSE,
	YAML_SCALAR_INTEGER,
	YAML_SCALAR_REAL,
	YAML_SCALAR_NOT_FINITE, /* .inf, .nan: JSON has no such value */
	YAML_SCALAR_TOO_LARGE,  /* an integer of more than 64 bits */
};

/* text is terminated. ret_real is written for REAL only. */
enum yaml_scalar_type yaml_scalar_read(struct shk_sv text, int64_t *ret_integer, double *ret_real);

#endif
