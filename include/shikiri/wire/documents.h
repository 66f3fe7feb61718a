/* documents.h - the admin documents of apiVersion shikiri.dev/v1, and the policy.
 *
 * JSON or YAML, several documents in a stream, a v1 List too. Unknown fields, kinds and values
 * are errors with a pointer ("/spec/quota/gpuEquivalents/ceiling: not a decimal"), prefixed by the
 * document's number when there is more than one ("document 2: /spec/..."). What GET and export
 * show besides (uid, resourceVersion, creationTimestamp, annotations, status) is accepted and
 * ignored. Amounts are decimal strings or whole numbers; a bare 0.5 is refused, so that no
 * amount ever passes through a double. */
#ifndef SHIKIRI_WIRE_DOCUMENTS_H
#define SHIKIRI_WIRE_DOCUMENTS_H

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/core/policy.h"
#include "shikiri/core/tenancy.h"
#include "shikiri/wire/json.h"
#include "shikiri/wire/value.h"

enum shk_document_kind {
	SHK_DOCUMENT_UNKNOWN = 0,
	SHK_DOCUMENT_TRUST_DOMAIN,
	SHK_DOCUMENT_TENANT,
	SHK_DOCUMENT_PRIORITY_BAND,
	SHK_DOCUMENT_NODE_FACTS,
	SHK_DOCUMENT_GRANT,
	SHK_DOCUMENT_KIND_COUNT,
};

const char *shk_document_kind_name(enum shk_document_kind kind); /* "TrustDomain" */

struct shk_document {
	enum shk_document_kind kind;
	const char *name;
	const char *canonical; /* compact JSON with sorted keys, as shk_document_encode writes it */
	union {
		struct shk_trust_domain domain;
		struct shk_tenant tenant;
		struct shk_band band;
		struct shk_node_facts_doc node_facts;
		struct shk_grant grant;
	};
};

/* Order of the stream. A name that stands twice for one kind is an error. */
enum shk_status shk_documents_decode(struct shk_sv text, struct shk_arena *arena,
				     const struct shk_document **ret_documents, size_t *ret_n,
				     struct shk_error *err) SHK_MUST_CHECK;

/* Sorts documents into the lists that the core reads. */
void shk_documents_collect(const struct shk_document *documents, size_t n, struct shk_arena *arena,
			   struct shk_documents *ret_documents);

/* What speaks against these documents as a whole: a namespace named twice, overlapping bands,
 * a tenant whose own name is a domain that others use. Writes the sentence and "Kind/name" of
 * the offender into arena strings; false when nothing does. */
bool shk_documents_conflict(const struct shk_documents *documents, struct shk_arena *arena,
			    const char **ret_object, const char **ret_detail);

/* Sentences worth telling whoever applies these documents (a trust domain without a document, a
 * tenant looser than its domain, a grant on a unit without a limit). Returns how many. */
size_t shk_documents_warnings(const struct shk_documents *documents, struct shk_arena *arena,
			      const char *const **ret_warnings);

/* The document as JSON (apiVersion, kind, metadata, spec) that decodes to itself. What equals its
 * default is left out, a ceiling that equals the guarantee too; selectors are sorted. */
void shk_document_encode(const struct shk_document *document, struct shk_json *json);
/* Only the members of spec, or of spec.quota, into an object that is open already. */
void shk_tenant_spec_encode(const struct shk_tenant *tenant, struct shk_json *json);
void shk_quota_encode(const struct shk_tenant *tenant, struct shk_json *json);

/* One Policy document. Fields that are left out have the defaults of shk_policy_default; hash is
 * filled. */
enum shk_status shk_policy_decode(struct shk_sv text, struct shk_arena *arena,
				  struct shk_policy *ret_policy,
				  struct shk_error *err) SHK_MUST_CHECK;
void shk_policy_encode(const struct shk_policy *policy, struct shk_json *json);
/* For a policy that wasn't decoded, as the built-in one: fills hash. */
void shk_policy_fill_hash(struct shk_policy *policy);

/* kind DaemonConfiguration: a flat list of camelCase keys and their values as text, in file
 * order; a list value gives one entry per item. Which keys exist is app's table. */
struct shk_setting {
	const char *key;
	const char *value;
};

enum shk_status shk_daemon_configuration_decode(struct shk_sv text, struct shk_arena *arena,
						const struct shk_setting **ret_settings,
						size_t *ret_n,
						struct shk_error *err) SHK_MUST_CHECK;

#endif
