/* document.h - shared by the decoders of our own documents. Private to wire. */
#ifndef SHIKIRI_WIRE_DOCUMENT_H
#define SHIKIRI_WIRE_DOCUMENT_H

#include "shikiri/wire/documents.h"

#include "fields.h"

#define DOCUMENT_API_VERSION "shikiri.dev/v1"

/* metadata: what a GET shows besides name and labels is accepted and ignored, so that it can be
 * applied again. */
struct document_meta {
	const char *name;
	struct shk_labels labels;
};

extern const struct shape document_meta_shape;

/* "apiVersion", checked; nothing is stored. */
field_reader read_api_version;
/* enum shk_level: mig, card or node. */
field_reader read_level;
/* int64_t of field->min..max milliseconds. */
field_reader read_duration;
/* struct shk_selector that isn't empty, sorted by key. */
field_reader read_selector;

/* One amount of a unit. */
struct amount {
	bool is_stated;
	bool is_unlimited;
	int64_t parts;
};
/* struct amount. rule: NULL, or any pointer where "unlimited" is allowed. */
field_reader read_parts;
extern const bool parts_may_be_unlimited;

/* A name that quotas can be about; what is wrong with another goes into the error. */
enum shk_status check_unit(const struct spot *spot, const char *unit);
/* struct shk_quota_entry *, and count; sorted by unit. */
field_reader read_quota;

extern const struct shape tenant_spec_shape; /* target: struct shk_tenant */
/* What can be said only when everything is read; name and labels are set. */
enum shk_status tenant_finish(const struct spot *spec, struct shk_tenant *tenant);

/* One document, its canonical form included. */
enum shk_status document_read(const struct spot *spot, const json_t *value,
			      struct shk_document *ret_document);

/* The one document of a text, for kinds that come alone. */
enum shk_status document_parse_one(struct shk_sv text, const char *kind, json_t **ret_list,
				   struct shk_error *err);

#endif
