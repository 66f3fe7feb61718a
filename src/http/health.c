#include "handlers.h"
#include "server.h"
#include "shikiri/base/metrics.h"
#include "shikiri/base/version.h"
#include "shikiri/wire/json.h"

#define TEXT "text/plain; charset=utf-8"

/* Answering at all is the proof of life. */
void shk_handle_livez(struct shk_exchange *x)
{
	shk_buf_puts(shk_reply_text(x, 200, TEXT), "ok");
}

void shk_handle_readyz(struct shk_exchange *x)
{
	struct shk_buf *out = shk_reply_text(x, 200, TEXT);
	bool is_ready = shk_service_ready(x->service, out);

	if (x->is_stopping) {
		shk_buf_clear(out);
		shk_buf_puts(out, "[-]shikirid is stopping\nreadyz check failed\n");
		is_ready = false;
	}
	if (!is_ready) {
		x->reply.status = 503;
	} else if (!shk_exchange_query(x, "verbose")) {
		shk_buf_clear(out);
		shk_buf_puts(out, "ok");
	}
}

void shk_handle_metrics(struct shk_exchange *x)
{
	struct shk_buf *out = shk_reply_text(x, 200, "text/plain; version=0.0.4");

	shk_metrics_render(out);
	shk_tls_metrics(out);
	shk_service_metrics(x->service, out);
}

void shk_handle_version(struct shk_exchange *x)
{
	struct shk_json json;

	shk_json_begin(&json, shk_reply_json(x, 200));
	shk_json_object(&json, NULL);
	shk_json_string(&json, "version", shk_version);
	shk_json_string(&json, "git", shk_version_git);
	shk_json_string(&json, "compiler", shk_version_compiler);
	shk_json_object_end(&json);
}
