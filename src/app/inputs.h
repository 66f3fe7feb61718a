/* inputs.h - the files that the daemon reads, decoded. Errors are whole sentences: file, place,
 * what is wrong. */
#ifndef SHIKIRI_APP_INPUTS_H
#define SHIKIRI_APP_INPUTS_H

#include "command.h"
#include "shikiri/app/config.h"
#include "shikiri/wire/cluster.h"

/* path NULL: the built-in policy. */
enum shk_status shk_inputs_policy(const char *path, struct shk_arena *arena,
				  struct shk_policy *ret_policy,
				  struct shk_error *err) SHK_MUST_CHECK;
/* The documents of one --apply file; each carries the file's absolute name. */
enum shk_status shk_inputs_apply(const char *path, struct shk_arena *arena,
				 const struct shk_apply_item **ret_items, size_t *ret_n,
				 struct shk_error *err) SHK_MUST_CHECK;
/* All of them, in order. */
enum shk_status shk_inputs_applies(const struct shk_texts *paths, struct shk_arena *arena,
				   struct shk_apply_input *ret_input,
				   struct shk_error *err) SHK_MUST_CHECK;
/* Adds one snapshot file to cluster. */
enum shk_status shk_inputs_snapshot(const char *path, struct shk_arena *arena,
				    struct shk_cluster *cluster,
				    struct shk_error *err) SHK_MUST_CHECK;
/* All of them; INPUT when there is no node in them. */
enum shk_status shk_inputs_snapshots(const struct shk_texts *paths, struct shk_arena *arena,
				     struct shk_cluster *ret_cluster,
				     struct shk_error *err) SHK_MUST_CHECK;

#endif
