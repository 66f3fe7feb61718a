#include "respond.h"

#include <inttypes.h>
#include <stdio.h>

#include "router.h"
#include "server.h"
#include "shikiri/base/clock.h"
#include "shikiri/base/log.h"
#include "shikiri/base/metrics.h"

static void reply_released(void *context)
{
	struct shk_exchange *x = context;

	shk_spares_drop(&x->server->spares, x);
}

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
	if (value)
		(void)MHD_add_response_header(response, name, value); /* no memory: goes without */
}

static void add_headers(struct MHD_Response *response, const struct shk_exchange *x)
{
	const struct shk_reply *reply = &x->reply;
	char seconds[16];

	add_header(response, "Content-Type", reply->type);
	add_header(response, "X-Request-Id", x->request_id);
	add_header(response, "X-Content-Type-Options", "nosniff");
	add_header(response, "Cache-Control", "no-store");
	add_header(response, "Allow", reply->allow);
	add_header(response, "ETag", reply->etag);
	add_header(response, "Dry-Run", reply->dry_run ? "All" : NULL);
	if (reply->retry_after_s > 0) {
		(void)snprintf(seconds, sizeof seconds, "%d", reply->retry_after_s);
		add_header(response, "Retry-After", seconds);
	}
	if (reply->close || atomic_load(&x->server->is_stopping))
		add_header(response, "Connection", "close");
}

enum MHD_Result shk_respond(struct shk_exchange *x)
{
	struct shk_buf *body = &x->reply.body;
	struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
	    body->len, body->len > 0 ? body->data : NULL, reply_released, x);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	x->holders++;
	x->reply_bytes = body->len;
	add_headers(response, x);
	x->stage = SHK_STAGE_ANSWERED;
	shk_conn_await(x->conn, SHK_CONN_REPLY);
	result = MHD_queue_response(x->connection, x->reply.status, response);
	MHD_destroy_response(response);
	return result;
}

/* For a reply that the library made by itself (431, a bad Content-Length, ...). */
static unsigned reply_status(const struct shk_exchange *x)
{
	const union MHD_ConnectionInfo *info;

	if (x->reply.status != 0)
		return x->reply.status;
	info = MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_HTTP_STATUS);
	return info ? info->http_status : 0;
}

void shk_log_request(const struct shk_exchange *x, bool is_complete)
{
	enum shk_log_level level = x->route && x->route->is_quiet ? SHK_LOG_DEBUG : SHK_LOG_INFO;
	char status[12];
	char bytes[24];
	char microseconds[24];

	if (!shk_log_enabled(level))
		return;
	(void)snprintf(status, sizeof status, "%u", reply_status(x));
	(void)snprintf(bytes, sizeof bytes, "%zu", x->reply_bytes);
	(void)snprintf(microseconds, sizeof microseconds, "%" PRId64,
		       x->started_us ? shk_clock_boot_us() - x->started_us : 0);
	shk_log(level, "request", "request_id", x->request_id[0] ? x->request_id : NULL, "listener",
		shk_listener_name(x->server->options.listener), "method",
		x->head.method[0] ? x->head.method : NULL, "path", x->path, "#status", status,
		"#dur_us", microseconds, "#bytes", bytes, "peer", x->peer, "pod", x->pod, "uid",
		x->pod_uid, "err", x->error, "ended", is_complete ? NULL : "early", NULL);
}

void shk_count_refusal(const struct shk_exchange *x)
{
	unsigned status = reply_status(x);

	if (status == 413 || status == 414 || status == 431)
		shk_metric_count(SHK_C_HTTP_REJECTED, SHK_REJECTED_TOO_LARGE);
	else if (status >= 400)
		shk_metric_count(SHK_C_HTTP_REJECTED, SHK_REJECTED_FRAMING);
}
