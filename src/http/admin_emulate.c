#include "handlers.h"

/* The cluster of --snapshot files is changed by hand: what an API server would tell us. */

void shk_handle_emulate_pod(struct shk_exchange *x)
{
	struct shk_caller caller = shk_exchange_caller(x);
	struct shk_answer *answer = shk_exchange_wait(x, shk_reply_answer);

	if (answer)
		shk_service_emulate_pod(x->service, shk_exchange_body(x), &caller, answer);
}

void shk_handle_emulate_pod_gone(struct shk_exchange *x)
{
	struct shk_caller caller = shk_exchange_caller(x);
	struct shk_answer *answer = shk_exchange_wait(x, shk_reply_answer);

	if (answer)
		shk_service_emulate_pod_gone(x->service, shk_exchange_param(x, "namespace"),
					     shk_exchange_param(x, "name"), &caller, answer);
}

void shk_handle_emulate_node(struct shk_exchange *x)
{
	struct shk_caller caller = shk_exchange_caller(x);
	struct shk_answer *answer = shk_exchange_wait(x, shk_reply_answer);

	if (answer)
		shk_service_emulate_node(x->service, shk_exchange_param(x, "node"),
					 shk_exchange_body(x), &caller, answer);
}
