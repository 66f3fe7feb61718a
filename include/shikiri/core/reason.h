/* reason.h - the closed list of reason codes, one row each: the order of the rows is the order
 * of the checks, and the class tells the scheduler whether evicting pods could help.
 *
 * The text goes into FailedScheduling events: the scheduler groups nodes by it and tries again
 * whenever it changes, so it is constant for a constant state: no node names, counts, ages or
 * amounts, no '%', at most 80 bytes with its code. "%s"-like places don't exist; a subject (a
 * resource or unit name) may be put at the end, where the row says so. */
#ifndef SHIKIRI_CORE_REASON_H
#define SHIKIRI_CORE_REASON_H

#include <stdbool.h>
#include <stddef.h>

/* Whether lower-priority pods leaving could make the node fit. */
enum shk_reason_class { SHK_UNRESOLVABLE = 0, SHK_RESOLVABLE };

/* What a dry run makes of it. */
enum shk_outcome {
	SHK_OUTCOME_NONE = 0,
	SHK_OUTCOME_FITS,
	SHK_OUTCOME_FITS_BY_BORROWING,
	SHK_OUTCOME_FITS_WITH_PREEMPTION,
	SHK_OUTCOME_QUOTA_EXCEEDED,
	SHK_OUTCOME_NO_FIT,
	SHK_OUTCOME_REJECTED,
	SHK_OUTCOME_INVALID,
};

const char *shk_outcome_name(enum shk_outcome outcome); /* "FitsByBorrowing" */

/* X(symbol, code, class, outcome, subject allowed, sentence, what it means and what helps).
 * ProfileUnknown and Held mean two things each in the contract; the second is a row of its own
 * with the same code. */
#define SHK_REASONS(X)                                                                             \
	X(NOT_READY, "NotReady", UNRESOLVABLE, NO_FIT, true, "can't decide now:",                  \
	  "The cluster has not been seen completely, what is known is too old, or the ledger "     \
	  "can't be written. GPU pods wait; nothing that runs is touched. See /readyz?verbose.")   \
	X(INVALID_REQUEST, "InvalidRequest", UNRESOLVABLE, INVALID, false,                         \
	  "the GPU request or the isolation annotation is not valid",                              \
	  "GPU amounts are whole numbers, with request equal to limit (or only the limit given); " \
	  "shikiri.dev/isolation is mig, card or node. Correct the pod template.")                 \
	X(PROFILE_NAME, "ProfileUnknown", UNRESOLVABLE, REJECTED, true, "no known GPU resource:",  \
	  "The name under nvidia.com/ is neither gpu, gpu.shared nor mig-<profile>, or it is a "   \
	  "profile that neither the geometry table nor the node's labels can weigh. Ask for a "    \
	  "resource that `shikirictl get nodes` lists.")                                           \
	X(TENANT_UNKNOWN, "TenantUnknown", UNRESOLVABLE, REJECTED, false,                          \
	  "the namespace belongs to no tenant",                                                    \
	  "No Tenant document names this namespace and no selector matches it. An administrator "  \
	  "adds it to a tenant's namespaces, or sets isolation.unmappedNamespace: allow.")         \
	X(TENANT_SUSPENDED, "TenantSuspended", UNRESOLVABLE, REJECTED, false,                      \
	  "the tenant is suspended",                                                               \
	  "An administrator set suspended: true on the tenant. Its running pods go on.")           \
	X(MISCONFIGURED, "Misconfigured", UNRESOLVABLE, REJECTED, false,                           \
	  "the namespace matches more than one tenant",                                            \
	  "The selectors of two tenants match this namespace. Name the namespace in one tenant's " \
	  "namespaces: an exact name wins over selectors.")                                        \
	X(PRIORITY_NOT_ALLOWED, "PriorityNotAllowed", UNRESOLVABLE, REJECTED, false,               \
	  "the pod's priority is above what its tenant may use",                                   \
	  "The tenant's maxPriority is lower than the pod's priority. Use a lower PriorityClass "  \
	  "or ask for a higher maxPriority.")                                                      \
	X(ISOLATION_NOT_ALLOWED, "IsolationNotAllowed", UNRESOLVABLE, REJECTED, false,             \
	  "the isolation annotation asks for more than the tenant may",                            \
	  "One pod that asks for card or node isolation locks others out, so the tenant's "        \
	  "podIsolation says how far its pods may go. Ask for less, or raise podIsolation.")       \
	X(NODE_UNKNOWN, "NodeUnknown", UNRESOLVABLE, NO_FIT, false, "the node is not known",       \
	  "The scheduler named a node that shikiri has not seen (yet). It is asked again as soon " \
	  "as the node appears.")                                                                  \
	X(GPU_CORDONED, "GpuCordoned", UNRESOLVABLE, NO_FIT, false,                                \
	  "an administrator stopped new GPU pods on the node",                                     \
	  "The node's GPUs were cordoned; pods that run there stay. Uncordon it to go on.")        \
	X(MIG_FAILED, "MigFailed", UNRESOLVABLE, NO_FIT, false,                                    \
	  "the node's last MIG change failed",                                                     \
	  "nvidia.com/mig.config.state is failed: nobody knows the card's layout. Look at the "    \
	  "mig-manager's log, then set nvidia.com/mig.config again.")                              \
	X(MIG_RECONFIGURING, "MigReconfiguring", UNRESOLVABLE, NO_FIT, false,                      \
	  "the node's MIG layout is being changed",                                                \
	  "mig-manager is at work (mig.config.state isn't success, or components are paused for "  \
	  "it). Usually over within minutes; if not, see the mig-manager's log.")                  \
	X(DRIVER_UPGRADING, "DriverUpgrading", UNRESOLVABLE, NO_FIT, false,                        \
	  "the node's GPU driver is being upgraded",                                               \
	  "The GPU operator's upgrade controller has the node. It returns by itself.")             \
	X(RESOURCE_NOT_OFFERED, "ResourceNotOffered", UNRESOLVABLE, NO_FIT, true,                  \
	  "the node does not offer",                                                               \
	  "The node has no resource of this name. A MIG profile must be cut first; a shared GPU "  \
	  "has the name nvidia.com/gpu.shared where the plugin renames it.")                       \
	X(DEVICES_GONE, "DevicesGone", UNRESOLVABLE, NO_FIT, true, "no healthy devices of",        \
	  "Capacity is there, allocatable is 0: the device plugin is down or every device is "     \
	  "unhealthy. Restart the plugin pod and look at its log.")                                \
	X(NODE_INCONSISTENT, "NodeInconsistent", UNRESOLVABLE, NO_FIT, false,                      \
	  "the node's GPU labels and resources contradict each other",                             \
	  "What the node says about its GPUs can't all be true, so nothing is promised there. "    \
	  "`shikirictl describe node` names the contradiction; often GPU Feature Discovery or "    \
	  "the "                                                                                   \
	  "kubelet needs a restart.")                                                              \
	X(PROFILE_UNKNOWN, "ProfileUnknown", UNRESOLVABLE, REJECTED, true, "nothing can weigh",    \
	  "The name under nvidia.com/ is neither gpu, gpu.shared nor mig-<profile>, or it is a "   \
	  "profile that neither the geometry table nor the node's labels can weigh. Ask for a "    \
	  "resource that `shikirictl get nodes` lists.")                                           \
	X(SHARED_DISGUISED, "SharedDisguised", UNRESOLVABLE, REJECTED, true,                       \
	  "shared, though its name is",                                                            \
	  "The node time-slices this resource but does not rename it to .shared, so the pod "      \
	  "would "                                                                                 \
	  "get a share where it asked for the whole. Set renameByDefault: true in the plugin's "   \
	  "sharing config, or accept it with shikiri.dev/accept-shared: \"true\".")                \
	X(SHARES_PER_CONTAINER, "SharesPerContainer", UNRESOLVABLE, REJECTED, true,                \
	  "one container asks for too many of",                                                    \
	  "Two shares of a GPU give no more compute than one, may be the same card, and under "    \
	  "MPS "                                                                                   \
	  "the plugin fails the pod. Ask for 1 per container.")                                    \
	X(ISOLATION_FLOOR, "IsolationFloor", UNRESOLVABLE, REJECTED, true,                         \
	  "the annotation rules out shares of",                                                    \
	  "Time-sliced and MPS shares have no hardware wall. Ask for a MIG slice or a card, or "   \
	  "drop the annotation.")                                                                  \
	X(TRUST_BOUNDARY, "TrustBoundary", UNRESOLVABLE, REJECTED, false,                          \
	  "would share hardware with another trust domain",                                        \
	  "Somebody of another trust domain holds what is too thinly walled off from this. "       \
	  "Across "                                                                                \
	  "a trust boundary only hardware partitions are shared. Ask for a MIG slice or a card, "  \
	  "or wait until the pool is free.")                                                       \
	X(POOL_LIMIT, "PoolLimit", UNRESOLVABLE, REJECTED, true,                                   \
	  "the domain needs no further pool of",                                                   \
	  "A trust domain may open empty shared pools only as its running shares need them, plus " \
	  "sharing.spareSoftPools. Use the shares it already has.")                                \
	X(QUOTA_CEILING, "QuotaCeiling", UNRESOLVABLE, QUOTA_EXCEEDED, true,                       \
	  "would pass the tenant's ceiling of",                                                    \
	  "Used plus asked is more than the tenant's ceiling in this unit, or the unit can't "     \
	  "price this product. Wait, ask for less, or have the ceiling raised.")                   \
	X(BAND_MAY_NOT_BORROW, "BandMayNotBorrow", UNRESOLVABLE, QUOTA_EXCEEDED, true,             \
	  "over the guarantee of",                                                                 \
	  "The tenant's guarantee in this unit is used up and pods of this priority band may not " \
	  "borrow. Wait, or run it in a band that may.")                                           \
	X(QUOTA_BORROW_UNAVAILABLE, "QuotaBorrowUnavailable", UNRESOLVABLE, QUOTA_EXCEEDED, true,  \
	  "nothing left to borrow of",                                                             \
	  "The tenant is over its guarantee, and what the others don't use is promised to them "   \
	  "or "                                                                                    \
	  "borrowed already.")                                                                     \
	X(RESERVED_FOR_BAND, "ReservedForBand", UNRESOLVABLE, NO_FIT, false,                       \
	  "the free cards are kept for a higher priority band",                                    \
	  "packing.reserve keeps a share of the cards for a band above this pod's priority.")      \
	X(NODE_TOO_SMALL, "NodeTooSmall", UNRESOLVABLE, NO_FIT, true,                              \
	  "the whole node has less of",                                                            \
	  "Even an empty node of this kind could not hold the pod. Split it over several pods.")   \
	X(RECLAIM_NEEDED, "ReclaimNeeded", RESOLVABLE, NO_FIT, false,                              \
	  "in use by borrowers, to be reclaimed",                                                  \
	  "The pod is inside its tenant's guarantee and borrowed allocations stand in its place; " \
	  "preemption takes them back where it is set up.")                                        \
	X(SLICES_BUSY, "SlicesBusy", RESOLVABLE, NO_FIT, true, "too many in use of",               \
	  "The node has MIG slices of this profile, but not enough free ones. Wait, or see "       \
	  "`shikirictl map` for profiles that are free.")                                          \
	X(SHARES_BUSY, "SharesBusy", RESOLVABLE, NO_FIT, true, "too many in use of",               \
	  "The node's shared pool has not enough free shares.")                                    \
	X(CARDS_BUSY, "CardsBusy", RESOLVABLE, NO_FIT, true, "too many in use of",                 \
	  "The node has whole cards, but not enough free ones.")                                   \
	X(HELD, "Held", UNRESOLVABLE, NO_FIT, false, "held for another pod",                       \
	  "Another pod is about to enter: a soft pool of another trust domain, a preemptor's "     \
	  "slot, or this pod is already bound to another node. It lasts seconds.")                 \
	X(REFUSED_BY_KUBELET, "Held", UNRESOLVABLE, NO_FIT, false,                                 \
	  "kubelet refused a pod here just now",                                                   \
	  "The node's kubelet turned a pod away that should have fitted: its devices are not "     \
	  "what the node says. The node is left alone for ten seconds.")

enum shk_reason {
	SHK_UNDECIDED = 0, /* nobody wrote a verdict: reads as a refusal */
#define X(symbol, ...) SHK_REASON_##symbol,
	SHK_REASONS(X)
#undef X
	    SHK_FITS,
	SHK_REASON_COUNT,
};

struct shk_reason_row {
	const char *code;
	enum shk_reason_class class_;
	enum shk_outcome outcome;
	bool has_subject;
	const char *sentence;
	const char *help;
};

/* The row of a reason; of UNDECIDED and FITS rows with the codes "Undecided" and "". */
const struct shk_reason_row *shk_reason_row(enum shk_reason reason);
/* By code; the first row of a code that stands twice; UNDECIDED when there is none. */
enum shk_reason shk_reason_find(const char *code);

#define SHK_REASON_TEXT_SIZE 81
/* "<Code>: <sentence> <subject>", at most 80 bytes: a long subject loses its nvidia.com/, and what
 * a pod may have spelled beyond that is cut. subject may be NULL. */
const char *shk_reason_text(enum shk_reason reason, const char *subject,
			    char buf[SHK_REASON_TEXT_SIZE]);

#endif
