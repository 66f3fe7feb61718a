/* show.h - how nodes and quotas of the admin API look to people, for get, describe and map. */
#ifndef SHIKIRICTL_SHOW_H
#define SHIKIRICTL_SHOW_H

#include "cli.h"

/* "H100-80GB-HBM3" of "NVIDIA-H100-80GB-HBM3"; "" where there is no GPU. */
const char *cli_show_product(struct cli *cli, const struct shk_value *node);
/* "ready", or in two words why the node takes no GPU pods; "" where there is no GPU. */
const char *cli_show_state(struct cli *cli, const struct shk_value *node);
/* The same with a symbol and a colour. */
const char *cli_show_state_mark(struct cli *cli, const struct shk_value *node);
/* "mig", "shared", "card+mig": of all pools with capacity. */
const char *cli_show_kinds(struct cli *cli, const struct shk_value *node);
/* Trust domains that own its soft pools, "mixed" where several are in one. */
const char *cli_show_owners(struct cli *cli, const struct shk_value *node);
/* Whether a pool has anything to show: capacity, or holders that outlived it. */
bool cli_show_has_pool(const struct shk_value *pool);
/* "gpu.shared (mps)", "gpu (disguised)", "1g.10gb". */
const char *cli_show_pool(struct cli *cli, const struct shk_value *pool);
/* "1 mig-1g.10gb, 2 gpu" of {"nvidia.com/mig-1g.10gb":1,...} */
const char *cli_show_resources(struct cli *cli, const struct shk_value *resources);
/* The items of a list of allocations by namespace and name; n pointers in the arena. */
const struct shk_value **cli_show_by_name(struct cli *cli, const struct shk_value *list,
					  size_t *ret_n);
/* A decimal string or number; 0 for anything else ("unlimited"). */
double cli_show_number(const struct shk_value *value);
/* "3d4h" since an RFC 3339 time; "" when it is none. */
const char *cli_show_age(struct cli *cli, const struct shk_value *since);

#endif
