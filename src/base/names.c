#include "shikiri/base/names.h"

#include <string.h>

static bool is_digit_or_lower(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

static bool is_alphanumeric(char c)
{
	return is_digit_or_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c);
}

/* One or more characters, the first and last of them of the class, the others also of extra. */
static bool is_framed(struct shk_sv text, bool (*is_class)(char), const char *extra)
{
	if (text.len == 0 || !is_class(text.data[0]) || !is_class(text.data[text.len - 1]))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (!is_class(text.data[i]) && !is_one_of(text.data[i], extra))
			return false;
	}
	return true;
}

bool shk_name_is_label(struct shk_sv text)
{
	return text.len <= 63 && is_framed(text, is_digit_or_lower, "-");
}

/* Only the whole has a limit: Kubernetes lets one label of a pod's name exceed 63. */
bool shk_name_is_subdomain(struct shk_sv text)
{
	size_t start = 0;

	if (text.len == 0 || text.len > 253)
		return false;
	for (size_t i = 0; i <= text.len; i++) {
		if (i < text.len && text.data[i] != '.')
			continue;

		struct shk_sv label = {.data = text.data + start, .len = i - start};

		if (!is_framed(label, is_digit_or_lower, "-"))
			return false;
		start = i + 1;
	}
	return true;
}

bool shk_name_is_uid(struct shk_sv text)
{
	if (text.len < 1 || text.len > 128)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c <= ' ' || c > '~' || c == '/' || c == '\\' || c == '"')
			return false;
	}
	return true;
}

bool shk_name_is_label_key(struct shk_sv text)
{
	const char *slash = text.len > 0 ? memchr(text.data, '/', text.len) : NULL;
	struct shk_sv name = text;

	if (slash) {
		struct shk_sv prefix = {.data = text.data, .len = (size_t)(slash - text.data)};

		if (!shk_name_is_subdomain(prefix))
			return false;
		name.data = slash + 1;
		name.len = text.len - prefix.len - 1;
	}
	return name.len > 0 && shk_name_is_label_value(name);
}

bool shk_name_is_label_value(struct shk_sv text)
{
	return text.len == 0 || (text.len <= 63 && is_framed(text, is_alphanumeric, "-_."));
}
