/* resource.h - what a resource name under nvidia.com/ says. Pure.
 *
 * Names as NVIDIA's device plugin advertises them: nvidia.com/gpu, nvidia.com/mig-<profile>,
 * both with an optional .shared; in a profile '+' is written '.', as in 1g.10gb.me. */
#ifndef SHIKIRI_CORE_RESOURCE_H
#define SHIKIRI_CORE_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>

#define SHK_RESOURCE_PREFIX     "nvidia.com/"
#define SHK_RESOURCE_GPU        "nvidia.com/gpu"
#define SHK_RESOURCE_GPU_SHARED "nvidia.com/gpu.shared"
#define SHK_PROFILE_SIZE        32

enum shk_resource_kind {
	SHK_RESOURCE_MALFORMED = 0, /* under nvidia.com/, but no name we know how to read */
	SHK_RESOURCE_IS_GPU,
	SHK_RESOURCE_IS_MIG,
};

struct shk_resource {
	enum shk_resource_kind kind;
	bool shared;                    /* ends in .shared */
	char profile[SHK_PROFILE_SIZE]; /* "1g.10gb.me", resource spelling; "" for gpu */
	int compute;                    /* g of the profile's own name */
	int gib;                        /* gb of the profile's own name */
};

bool shk_resource_is_managed(const char *name); /* begins with nvidia.com/ */
struct shk_resource shk_resource_parse(const char *name);

/* Reads "1g.10gb", "1g.10gb+me", "1g.10gb.me" ...; false for anything else. Fills profile,
 * compute and gib. */
bool shk_profile_parse(const char *text, struct shk_resource *ret_profile);

#endif
