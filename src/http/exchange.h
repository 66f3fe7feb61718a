/* exchange.h - one request and its answer, as the handlers see them.
 *
 * Handlers know nothing of the library below. One either fills the reply, or calls
 * shk_exchange_wait and gives the answer struct to a command of the service; then finish runs
 * with the result, on the connection's thread again. Everything of an exchange happens on that
 * one thread. Memory: the arena lives as long as the exchange. */
#ifndef SHIKIRI_SRC_HTTP_EXCHANGE_H
#define SHIKIRI_SRC_HTTP_EXCHANGE_H

#include "guard.h"
#include "problem.h"
#include "shikiri/app/service.h"
#include "shikiri/base/arena.h"
#include "shikiri/base/str.h"

struct MHD_Connection;
struct shk_conn;
struct shk_route;
struct shk_server;
struct shk_waiting;
struct shk_exchange;

#define SHK_MAX_PATH_PARAMS 4
#define SHK_REQUEST_ID_SIZE 65

enum shk_listener { SHK_LISTENER_UNSET = 0, SHK_LISTENER_EXTENDER, SHK_LISTENER_ADMIN };

enum shk_stage {
	SHK_STAGE_NEW = 0,  /* the request line was read */
	SHK_STAGE_BODY,     /* admitted; the body is coming */
	SHK_STAGE_REFUSED,  /* the reply is there, the body is thrown away */
	SHK_STAGE_WAITING,  /* suspended until the service answers */
	SHK_STAGE_ANSWERED, /* the reply was handed over */
};

struct shk_reply {
	unsigned status;
	const char *type; /* media type */
	const char *allow;
	const char *etag;
	int retry_after_s; /* 0: none */
	bool dry_run;
	bool close; /* the connection can't be used any further */
	struct shk_buf body;
};

typedef void (*shk_finish)(struct shk_exchange *x, struct shk_answer *answer);

struct shk_exchange {
	struct shk_exchange *next; /* among the spares */
	unsigned holders;          /* the request, and the response that borrows the reply */

	struct shk_server *server;
	struct shk_service *service;
	struct MHD_Connection *connection;
	struct shk_conn *conn; /* NULL when the library couldn't tell */
	enum shk_stage stage;
	struct shk_waiting *waiting;
	shk_finish finish;

	struct shk_arena arena;
	struct shk_head head;
	const char *uri_end; /* where the library received it; only its address matters */
	const char *path;    /* decoded; the raw one until it was checked */
	const struct shk_param *query;
	size_t n_query;
	struct shk_param path_params[SHK_MAX_PATH_PARAMS];
	size_t n_path_params;
	const struct shk_route *route;
	char request_id[SHK_REQUEST_ID_SIZE];
	const char *peer;
	bool has_length;
	uint64_t length;   /* of the body, as stated */
	uint64_t reserved; /* taken from the listener's budget */
	struct shk_buf body;

	struct shk_reply reply;
	size_t reply_bytes;
	bool is_active; /* counted among those that a drain waits for */
	bool is_stopping;

	int64_t started_us; /* the header was complete */
	int64_t ready_us;   /* the body was complete */
	const char *pod;    /* "namespace/name", for the log */
	const char *pod_uid;
	const char *error; /* for the log */
};

/* NULL when absent. */
const char *shk_exchange_header(const struct shk_exchange *x, const char *name);
const char *shk_exchange_query(const struct shk_exchange *x, const char *name);
const char *shk_exchange_param(const struct shk_exchange *x, const char *name); /* of the path */
struct shk_sv shk_exchange_body(const struct shk_exchange *x);
/* application/yaml and its older names. */
bool shk_exchange_is_yaml(const struct shk_exchange *x);
bool shk_exchange_wants_yaml(const struct shk_exchange *x);
/* ?name=true|false; anything else becomes a problem and false. */
bool shk_exchange_flag(struct shk_exchange *x, const char *name, bool *ret_value);
/* ?dryRun=All */
bool shk_exchange_dry_run(struct shk_exchange *x, bool *ret_value);
struct shk_caller shk_exchange_caller(const struct shk_exchange *x);

/* Starts a JSON reply and returns the empty body to fill. */
struct shk_buf *shk_reply_json(struct shk_exchange *x, unsigned status);
struct shk_buf *shk_reply_text(struct shk_exchange *x, unsigned status, const char *type);
void shk_reply_problem(struct shk_exchange *x, enum shk_problem problem, const char *fmt, ...)
    SHK_PRINTF(3, 4);
/* The problem that a failed call means, with its pointer. */
void shk_reply_error(struct shk_exchange *x, const struct shk_error *err);
/* The ETag of a stored document, for If-Match. A GET is never 304: the status beside the document
 * changes without it. */
void shk_reply_etag(struct shk_exchange *x, uint64_t resource_version);
/* The body of an answer becomes the reply's: 200, or 201 when something was created. A failed
 * one becomes a problem, as does NULL, by which a finish is told that the edge stops. */
void shk_reply_answer(struct shk_exchange *x, struct shk_answer *answer);

/* Suspends the exchange. NULL when the edge stops: then finish was called with NULL. */
struct shk_answer *shk_exchange_wait(struct shk_exchange *x, shk_finish finish);

#endif
