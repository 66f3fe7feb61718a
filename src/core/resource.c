#include "shikiri/core/resource.h"

#include <string.h>

#include "shikiri/base/str.h"

#define MIG_PREFIX    SHK_RESOURCE_PREFIX "mig-"
#define SHARED_SUFFIX ".shared"

/* Reads 1..4 digits; returns how many there were, 0 for none or too many. */
static size_t read_digits(const char *text, int *ret_value)
{
	size_t n = 0;
	int value = 0;

	while (text[n] >= '0' && text[n] <= '9') {
		if (n == 4)
			return 0;
		value = value * 10 + (text[n] - '0');
		n++;
	}
	*ret_value = value;
	return n;
}

/* What may follow "<g>g.<m>gb": media engines (.me, -me), all of them, or graphics. */
static bool is_attribute(const char *text)
{
	static const char *const known[] = {"", ".me", ".me.all", ".gfx", "-me"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(text, known[i]) == 0)
			return true;
	}
	return false;
}

static bool parse_resource_profile(struct shk_resource *profile)
{
	const char *at = profile->profile;
	size_t n = read_digits(at, &profile->compute);

	if (n == 0 || strncmp(at + n, "g.", 2) != 0)
		return false;
	at += n + 2;
	n = read_digits(at, &profile->gib);
	if (n == 0 || strncmp(at + n, "gb", 2) != 0)
		return false;
	return is_attribute(at + n + 2);
}

bool shk_profile_parse(const char *text, struct shk_resource *ret_profile)
{
	struct shk_resource parsed = {.kind = SHK_RESOURCE_IS_MIG};
	size_t len = strlen(text);

	if (len >= SHK_PROFILE_SIZE)
		return false;
	memcpy(parsed.profile, text, len);
	for (char *plus = strchr(parsed.profile, '+'); plus; plus = strchr(plus, '+'))
		*plus = '.';
	if (!parse_resource_profile(&parsed))
		return false;
	memcpy(ret_profile->profile, parsed.profile, sizeof(parsed.profile));
	ret_profile->compute = parsed.compute;
	ret_profile->gib = parsed.gib;
	return true;
}

bool shk_resource_is_managed(const char *name)
{
	return shk_str_starts(name, SHK_RESOURCE_PREFIX);
}

static struct shk_resource parse_mig(const char *profile, size_t len)
{
	struct shk_resource resource = {.kind = SHK_RESOURCE_MALFORMED};
	const size_t suffix = strlen(SHARED_SUFFIX);

	if (len > suffix && memcmp(profile + len - suffix, SHARED_SUFFIX, suffix) == 0) {
		resource.shared = true;
		len -= suffix;
	}
	if (len >= SHK_PROFILE_SIZE || memchr(profile, '+', len))
		return (struct shk_resource){.kind = SHK_RESOURCE_MALFORMED};
	memcpy(resource.profile, profile, len);
	if (!parse_resource_profile(&resource))
		return (struct shk_resource){.kind = SHK_RESOURCE_MALFORMED};
	resource.kind = SHK_RESOURCE_IS_MIG;
	return resource;
}

struct shk_resource shk_resource_parse(const char *name)
{
	if (strcmp(name, SHK_RESOURCE_GPU) == 0)
		return (struct shk_resource){.kind = SHK_RESOURCE_IS_GPU};
	if (strcmp(name, SHK_RESOURCE_GPU_SHARED) == 0)
		return (struct shk_resource){.kind = SHK_RESOURCE_IS_GPU, .shared = true};
	if (shk_str_starts(name, MIG_PREFIX))
		return parse_mig(name + strlen(MIG_PREFIX), strlen(name) - strlen(MIG_PREFIX));
	return (struct shk_resource){.kind = SHK_RESOURCE_MALFORMED};
}
