/* handlers.h - what the route table points to, by the file that it stands in. */
#ifndef SHIKIRI_SRC_HTTP_HANDLERS_H
#define SHIKIRI_SRC_HTTP_HANDLERS_H

#include "exchange.h"

/* extender_api.c */
void shk_handle_filter(struct shk_exchange *x);
void shk_handle_prioritize(struct shk_exchange *x);
void shk_handle_preempt(struct shk_exchange *x);
void shk_handle_bind(struct shk_exchange *x);

/* health.c */
void shk_handle_livez(struct shk_exchange *x);
void shk_handle_readyz(struct shk_exchange *x);
void shk_handle_metrics(struct shk_exchange *x);
void shk_handle_version(struct shk_exchange *x);

/* admin_tenants.c */
void shk_handle_tenants(struct shk_exchange *x);
void shk_handle_tenant(struct shk_exchange *x);
void shk_handle_tenant_quota(struct shk_exchange *x);
void shk_handle_quotas(struct shk_exchange *x);
void shk_handle_namespace_tenant(struct shk_exchange *x);

/* admin_nodes.c */
void shk_handle_nodes(struct shk_exchange *x);
void shk_handle_node(struct shk_exchange *x);
void shk_handle_node_cordon(struct shk_exchange *x);
void shk_handle_node_uncordon(struct shk_exchange *x);
void shk_handle_allocations(struct shk_exchange *x);
void shk_handle_allocation(struct shk_exchange *x);

/* admin_documents.c */
void shk_handle_apply(struct shk_exchange *x);
void shk_handle_export(struct shk_exchange *x);
void shk_handle_dry_runs(struct shk_exchange *x);
void shk_handle_policy(struct shk_exchange *x);
void shk_handle_policy_validate(struct shk_exchange *x);

/* admin_ledger.c */
void shk_handle_ledger_verify(struct shk_exchange *x);
void shk_handle_ledger_backup(struct shk_exchange *x);

/* admin_emulate.c */
void shk_handle_emulate_pod(struct shk_exchange *x);
void shk_handle_emulate_pod_gone(struct shk_exchange *x);
void shk_handle_emulate_node(struct shk_exchange *x);

#endif
