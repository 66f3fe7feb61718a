/* config.h - every setting of the daemon in one table: flag, configuration key, type, default,
 * help. Flags win over the file. Strings live in the config's arena. */
#ifndef SHIKIRI_APP_CONFIG_H
#define SHIKIRI_APP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/error.h"
#include "shikiri/base/log.h"
#include "shikiri/base/str.h"

enum shk_mode { SHK_MODE_UNSET = 0, SHK_MODE_ENFORCE, SHK_MODE_ADVISE };

/* A repeatable setting. */
struct shk_texts {
	const char **items;
	size_t n;
};

struct shk_config {
	struct shk_arena arena;
	struct shk_texts snapshots;
	const char *kubeconfig;
	const char *context;
	bool insecure_dev;
	bool wait_api;
	const char *ledger;
	const char *policy;
	struct shk_texts applies;
	enum shk_mode mode;
	const char *listen;
	const char *admin_listen;
	const char *tls_cert, *tls_key, *client_ca;
	struct shk_texts client_names;
	const char *admin_tls_cert, *admin_tls_key, *admin_client_ca;
	const char *token_file;
	struct shk_texts auths;
	int64_t max_body;
	const char *log_format; /* "json", "text" or NULL: json off a terminal */
	enum shk_log_level log_level;
	const char *config_file;
	bool check;
	bool help;
	bool version;
};

/* argv, then the file that --config names. SHK_E_INPUT: usage (exit 64), with one line that
 * names what isn't known and the nearest flag; SHK_E_CONFIG, SHK_E_NOT_FOUND: the file (78, 66). */
enum shk_status shk_config_load(int argc, char **argv, struct shk_config *ret_config,
				struct shk_error *err) SHK_MUST_CHECK;
void shk_config_fini(struct shk_config *config);

/* What can't be served together or isn't built yet (exit 78), with the way out in the sentence. */
enum shk_status shk_config_check(const struct shk_config *config,
				 struct shk_error *err) SHK_MUST_CHECK;

/* --help, from the table. */
void shk_config_help(struct shk_buf *out);

/* "127.0.0.1:8443" or "[::1]:8443": host without brackets, port 0..65535. */
bool shk_config_address(const char *text, struct shk_arena *arena, const char **ret_host,
			uint16_t *ret_port);
bool shk_config_is_loopback(const char *host);

#endif
