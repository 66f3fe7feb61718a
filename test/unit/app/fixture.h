/* fixture.h - a service's state without threads: files in a directory of its own, booted. */
#ifndef SHIKIRI_TEST_APP_FIXTURE_H
#define SHIKIRI_TEST_APP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../src/app/boot.h"
#include "../../../src/app/command.h"
#include "../../../src/app/holds.h"
#include "../../../src/app/state.h"

#define GPU    "nvidia.com/gpu"
#define SHARED "nvidia.com/gpu.shared"
#define MIG1   "nvidia.com/mig-1g.10gb"

struct fixture {
	char directory[64];
	struct shk_buf snapshot; /* items of a List, without its ends */
	struct shk_config config;
	struct shk_texts applies;
	const char *apply_items[8];
	char paths[8][128];
	const char *snapshot_items[1];
	struct shk_boot boot;
	struct shk_env env;
	struct shk_step_effects effects;
	struct shk_buf text; /* of the last answer */
	enum shk_status status;
	struct shk_error error;
	bool created;
};

void fixture_init(struct fixture *f);
void fixture_fini(struct fixture *f);

void fixture_cards(struct fixture *f, const char *name, int cards);
void fixture_shared(struct fixture *f, const char *name, int cards, int replicas);
void fixture_mig(struct fixture *f, const char *name, int slices);
/* extra: members of spec or "" ("\"nodeName\":\"n1\""), status and metadata likewise. */
void fixture_pod(struct fixture *f, const char *namespace_, const char *name, const char *uid,
		 const char *resource, int count, const char *spec, const char *status);
void fixture_raw(struct fixture *f, const char *item); /* one object */

/* Writes a file and gives its path. */
const char *fixture_file(struct fixture *f, const char *name, const char *text);
void fixture_apply_file(struct fixture *f, const char *name, const char *text);

/* Boots from what was said; asserts that it works, unless expected is an error. */
void fixture_boot(struct fixture *f);
enum shk_status fixture_try_boot(struct fixture *f, struct shk_error *err);
/* Ends the service and keeps files and ledger. */
void fixture_stop(struct fixture *f);

struct shk_command *fixture_bind_command(const char *namespace_, const char *name, const char *uid,
					 const char *node);
struct shk_command *fixture_apply_command(const char *text, bool prune, bool dry_run);
/* Runs one command and keeps its result in the fixture. Takes the command. */
void fixture_run(struct fixture *f, struct shk_command *command);
/* The bind's text: "" is success. */
const char *fixture_bind(struct fixture *f, const char *namespace_, const char *name,
			 const char *uid, const char *node);
void fixture_apply(struct fixture *f, const char *text, bool prune, bool dry_run);

const struct shk_view *fixture_view(const struct fixture *f);
const struct shk_alloc *fixture_alloc(const struct fixture *f, const char *uid);
int64_t fixture_used(const struct fixture *f, const char *node, const char *resource);

/* env.commit replacements. */
enum shk_status fixture_commit_fails(struct shk_ledger *ledger, struct shk_error *err);

#endif
