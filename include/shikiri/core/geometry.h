/* geometry.h - what NVIDIA's MIG-capable cards can be cut into.
 *
 * The table is made at build time from policies/mig-geometry.yaml (see policies/README.md for
 * where its facts come from), so no file is read at run time. Pure, constant data. */
#ifndef SHIKIRI_CORE_GEOMETRY_H
#define SHIKIRI_CORE_GEOMETRY_H

#include <stddef.h>
#include <stdint.h>

struct shk_profile_row {
	const char *name;  /* resource spelling: "1g.10gb.me" */
	int compute;       /* g: compute slices */
	int memory_units;  /* m: placement units; 0 where they aren't known */
	int gib;           /* nominal memory, from the name */
	int max_instances; /* on one card */
	uint32_t starts;   /* bit i: may start at unit i; 0 where unknown */
};

struct shk_product_row {
	const char *id;            /* "A100-80GB" */
	const char *const *labels; /* values of nvidia.com/gpu.product, NULL-terminated */
	int gib;                   /* nominal memory of the card; 0 unknown */
	int compute;               /* G: compute slices of the card */
	int memory_units;          /* M; 0 where placement units aren't known */
	const struct shk_profile_row *profiles;
	size_t n_profiles;
};

extern const struct shk_product_row shk_products[];
extern const size_t shk_n_products;

/* By the product label without -SHARED and -MIG-...; NULL when the table lacks it. */
const struct shk_product_row *shk_product_find(const char *product);
const struct shk_profile_row *shk_profile_find(const struct shk_product_row *product,
					       const char *profile);

#endif
