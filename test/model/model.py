"""What shikiri decides, written a second time from its specification and from nothing else.

World(cluster, documents, policy) reads a snapshot, the admin documents and a policy, and adopts the
bound pods. decide() gives one verdict per node name; bind() and hold() move the state on. Amounts are
exact: fractions until the end, then whole parts, PARTS to one. Left out: the packing key, preemption,
the reserve for bands, live mode.
"""
from dataclasses import dataclass, field
from fractions import Fraction

from nodes import (GPU, GPU_SHARED, LEVELS, MIG_NAME, MUTANT, PARTS, SOFT, UNITS, Invalid, Node, Policy,
                   Pool, Request, annotation, cpu_of, matches, parts, priority_of, request_of, strictest)

# Order of the checks. ProfileUnknown is asked twice: of the name, and of the node's weight.
ROWS = (
    ("InvalidRequest",), ("ProfileUnknown",), ("TenantUnknown", "TenantSuspended", "Misconfigured"),
    ("PriorityNotAllowed",), ("IsolationNotAllowed",), ("NodeUnknown",), ("GpuCordoned",),
    ("MigFailed",), ("MigReconfiguring",), ("DriverUpgrading",), ("ResourceNotOffered",),
    ("DevicesGone",), ("NodeInconsistent",), ("ProfileUnknown",), ("SharedDisguised",),
    ("SharesPerContainer",), ("IsolationFloor",), ("TrustBoundary",), ("PoolLimit",),
    ("QuotaCeiling",), ("BandMayNotBorrow",), ("QuotaBorrowUnavailable",), ("NodeTooSmall",),
    ("ReclaimNeeded",), ("SlicesBusy", "SharesBusy", "CardsBusy"), ("Held",),
)
RESOLVABLE = ("ReclaimNeeded", "SlicesBusy", "SharesBusy", "CardsBusy")
REJECTED = ("TenantUnknown", "TenantSuspended", "Misconfigured", "PriorityNotAllowed",
            "IsolationNotAllowed", "ProfileUnknown", "SharedDisguised", "SharesPerContainer",
            "IsolationFloor", "TrustBoundary", "PoolLimit")
OVER_QUOTA = ("QuotaCeiling", "BandMayNotBorrow", "QuotaBorrowUnavailable")

# --- tenancy ----------------------------------------------------------------------------------


@dataclass
class Limit:
    guaranteed: int | None
    ceiling: int | None  # None: unlimited
    lendable: int


def limit_of(entry: dict) -> Limit:
    guaranteed = parts(Fraction(entry["guaranteed"])) if "guaranteed" in entry else None
    ceiling = entry.get("ceiling", entry.get("guaranteed"))
    return Limit(guaranteed, None if ceiling == "unlimited" else parts(Fraction(ceiling)),
                 parts(Fraction(entry.get("lendable", 0))))


@dataclass(frozen=True)
class Owner:
    """Whose a pod is. tenant is None for a pod that can't be attributed."""
    kind: str  # tenant, default, infrastructure, nobody
    tenant: str | None
    domain: str | None
    code: str = ""


class Tenancy:
    def __init__(self, documents: list[dict], namespaces: dict[str, dict], policy: Policy, now: str):
        by_kind: dict[str, dict[str, dict]] = {}
        for d in documents:
            by_kind.setdefault(d["kind"], {})[d["metadata"]["name"]] = d["spec"]
        self.tenants = by_kind.get("Tenant", {})
        self.domains = by_kind.get("TrustDomain", {})
        self.bands = list(by_kind.get("PriorityBand", {}).values())
        self.facts = list(by_kind.get("NodeFacts", {}).values())
        self.namespaces, self.policy = namespaces, policy
        self.quotas = {name: {unit: limit_of(entry) for unit, entry in spec.get("quota", {}).items()}
                       for name, spec in self.tenants.items()}
        for grant in by_kind.get("Grant", {}).values():
            limit = self.quotas.get(grant["tenant"], {}).get(grant["unit"])
            if not limit or grant["until"] <= now:
                continue
            if limit.guaranteed is not None and "guaranteed" in grant:
                limit.guaranteed += parts(Fraction(grant["guaranteed"]))
            if limit.ceiling is not None:
                limit.ceiling += parts(Fraction(grant.get("ceiling", grant.get("guaranteed", 0))))

    def owner(self, namespace: str, uid: str) -> Owner:
        if namespace in self.policy.infrastructure:
            return Owner("infrastructure", "_infrastructure", None)
        names = [t for t, s in self.tenants.items() if namespace in s.get("namespaces", [])]
        if not names or "exact-name" in MUTANT:
            labels = self.namespaces.get(namespace, {})
            names += [t for t, s in self.tenants.items() if t not in names and
                      matches(s.get("namespaceSelector"), labels)]
        if len(names) > 1:
            return Owner("nobody", None, f"pod {uid}", "Misconfigured")
        if names:
            return Owner("tenant", names[0], self.tenants[names[0]].get("trustDomain", names[0]))
        if self.policy.allows_unmapped:
            return Owner("default", "default", f"namespace {namespace}")
        return Owner("nobody", None, f"pod {uid}", "TenantUnknown")

    def pod_limit(self, owner: Owner) -> str:
        """How far the owner's pods may tighten their isolation."""
        spec = self.tenants.get(owner.tenant, {}) if owner.kind == "tenant" else {}
        return strictest(spec.get("podIsolation", "mig"), spec.get("isolation", "mig"))

    def level(self, owner: Owner, wanted: str | None) -> str:
        """The wall that a pod with this annotation wants towards other domains."""
        level = self.policy.across
        if owner.kind == "tenant":
            level = strictest(level, self.domains.get(owner.domain, {}).get("isolation", "mig"),
                              self.tenants[owner.tenant].get("isolation", "mig"))
        if wanted is not None:
            limit = "node" if "annotation-limit" in MUTANT else self.pod_limit(owner)
            # What somebody else bound with a level that we can't read wants all that it may.
            level = strictest(level, min(wanted, limit, key=LEVELS.get) if wanted in LEVELS else limit)
        return level

    def may_borrow(self, priority: int) -> bool:
        return all(band.get("mayBorrow", True) for band in self.bands
                   if band["minPriority"] <= priority <= band["maxPriority"])


# --- allocations --------------------------------------------------------------------------------


@dataclass
class Allocation:
    uid: str
    namespace: str
    name: str
    owner: Owner
    node: str
    vector: dict[str, int]
    charge: dict[str, int]
    priority: int
    wanted: str | None   # annotation
    quota_class: str
    isolation: str
    cpu: Fraction = Fraction(0)


@dataclass
class Verdict:
    node: str
    code: str = ""             # "": fits
    row: int = len(ROWS)
    codes: tuple[str, ...] = ()  # where the specification leaves the choice
    quota_class: str = ""
    isolation: str = ""
    charge: dict[str, int] = field(default_factory=dict)

    @property
    def fits(self) -> bool:
        return not self.code


@dataclass
class Asking:
    """A pod on its way through the checks."""
    uid: str
    request: Request
    owner: Owner
    priority: int
    wanted: str | None
    accepts_shared: bool


def asking(pod: dict, tenancy: Tenancy) -> Asking:
    meta = pod["metadata"]
    wanted = annotation(pod, "isolation")
    request = request_of(pod["spec"])
    return Asking(meta["uid"], request, tenancy.owner(meta["namespace"], meta["uid"]),
                  priority_of(pod["spec"]), wanted, annotation(pod, "accept-shared") == "true")


class World:
    def __init__(self, cluster: dict, documents: list[dict], policy: dict | None,
                 now: str = "2026-01-01T00:00:00Z"):
        items = {kind: [i for i in cluster["items"] if i["kind"] == kind]
                 for kind in ("Node", "Pod", "Namespace")}
        self.policy = Policy(policy)
        self.namespaces = {n["metadata"]["name"]: n["metadata"].get("labels") or {}
                           for n in items["Namespace"]}
        self.now = now
        self.items = items
        self.set_documents(documents)
        self.allocations: dict[str, Allocation] = {}
        self.holds: dict[str, tuple[Allocation, str | None]] = {}  # with the soft pool it marks
        self.adopt(items["Pod"])

    def set_documents(self, documents: list[dict]) -> None:
        self.documents = documents
        self.tenancy = Tenancy(documents, self.namespaces, self.policy, self.now)
        self.nodes = {n["metadata"]["name"]: Node(n, self.tenancy.facts, self.policy)
                      for n in self.items["Node"]}
        self.capacities: dict[str, int] | None = None

    def replace_node(self, item: dict) -> None:
        name = item["metadata"]["name"]
        self.items["Node"] = [item if n["metadata"]["name"] == name else n for n in self.items["Node"]]
        cordoned = self.nodes[name].cordoned
        self.nodes[name] = Node(item, self.tenancy.facts, self.policy)
        self.nodes[name].cordoned = cordoned
        self.capacities = None

    def cordon(self, node: str, stop: bool) -> None:
        self.nodes[node].cordoned = stop
        self.capacities = None

    def adopt(self, pods: list[dict]) -> None:
        live = [p for p in pods if p["spec"].get("nodeName") and
                (p.get("status") or {}).get("phase") not in ("Succeeded", "Failed")]
        key = (lambda p: p["metadata"]["uid"]) if "adoption-order" in MUTANT else (
            lambda p: (p["metadata"]["creationTimestamp"], p["metadata"]["uid"]))
        for pod in sorted(live, key=key):
            a = asking(pod, self.tenancy)
            if not a.request.vector:
                continue
            node = self.nodes.get(pod["spec"]["nodeName"])
            charge = node.charge(a.request.vector) if node else {
                r: n * PARTS for r, n in a.request.vector.items()}
            inside = not any(over for _, over in self.guarantees(a, charge))
            row = self.record(pod, a, pod["spec"]["nodeName"], charge,
                              "guaranteed" if inside else "borrowed")
            allowed = a.wanted if a.wanted in (None, "mig", "card") or (
                self.tenancy.pod_limit(a.owner) == "node") else None
            row.isolation = self.wall(a, row.node)
            if row.isolation in ("mig", "card") and a.owner.kind != "infrastructure" and (
                    self.tenancy.level(a.owner, allowed) == "node"):
                row.isolation = "node"

    def record(self, pod: dict, a: Asking, node: str, charge: dict, quota_class: str) -> Allocation:
        meta = pod["metadata"]
        row = Allocation(a.uid, meta["namespace"], meta["name"], a.owner, node, a.request.vector,
                         charge, a.priority, a.wanted, quota_class, self.isolation_class(a, node),
                         cpu_of(pod["spec"]))
        self.allocations[a.uid] = row
        return row

    def release(self, uid: str) -> None:
        self.allocations.pop(uid, None)
        self.holds.pop(uid, None)

    def bind(self, pod: dict, node: str) -> tuple[str, ...]:
        """The codes that a refusal may have, or ("",) and the pod is bound. Holds don't count."""
        a = asking(pod, self.tenancy)
        holds, self.holds = self.holds, {}
        verdict = self.decide(pod, [node])[node]
        self.holds = {uid: h for uid, h in holds.items() if uid != a.uid or verdict.code}
        if verdict.fits:
            self.record(pod, a, node, verdict.charge, verdict.quota_class)
        return verdict.codes or (verdict.code,)

    def hold(self, pod: dict, node: str) -> None:
        """The pod, seen pending, passed a filter and would go to this node."""
        a = asking(pod, self.tenancy)
        verdict = self.decide(pod, [node])[node]
        row = Allocation(a.uid, "", "", a.owner, node, a.request.vector, verdict.charge, a.priority,
                         a.wanted, verdict.quota_class, verdict.isolation)
        soft = [r for r in a.request.vector if self.nodes[node].pools[r].soft]
        marked = soft[0] if soft and a.owner.kind != "infrastructure" else None
        self.holds[a.uid] = (row, marked)

    # -- sums

    def residents(self, node: str) -> list[Allocation]:
        return [a for a in self.allocations.values() if a.node == node]

    def holders(self, node: str, resource: str) -> list[Allocation]:
        """Those in a pool who are somebody's: the infrastructure's pods own nothing."""
        return [a for a in self.residents(node)
                if a.vector.get(resource) and a.owner.kind != "infrastructure"]

    def taken(self, node: str, resource: str) -> int:
        return sum(a.vector.get(resource, 0) for a in self.residents(node))

    def used(self, tenant: str | None, unit: str, but: str = "") -> int:
        held = [] if "hold-quota" in MUTANT else [row for row, _ in self.holds.values()]
        rows = [*self.allocations.values(), *held]
        return sum(a.charge.get(unit, 0) for a in rows if a.owner.tenant == tenant and a.uid != but)

    def capacity(self, unit: str) -> int:
        if self.capacities is None:
            self.capacities = {}
            for node in self.nodes.values():
                if node.fence() or node.contradictions:
                    continue
                for pool in node.pools.values():
                    for u, n in node.charge({pool.resource: pool.allocatable}).items():
                        self.capacities[u] = self.capacities.get(u, 0) + n
        return self.capacities.get(unit, 0)

    # -- quota

    def guarantees(self, a: Asking, charge: dict[str, int]) -> list[tuple[str, bool]]:
        """The units with a guarantee that the charge touches, and whether it goes past it."""
        return [(unit, self.used(a.owner.tenant, unit, a.uid) + charge[unit] > limit.guaranteed)
                for unit, limit in self.limits(a).items()
                if limit.guaranteed is not None and charge.get(unit, 0) > 0]

    def limits(self, a: Asking) -> dict[str, Limit]:
        return self.tenancy.quotas.get(a.owner.tenant, {}) if a.owner.kind == "tenant" else {}

    def over_ceiling(self, a: Asking, node: Node, charge: dict[str, int]) -> bool:
        for unit, limit in self.limits(a).items():
            if unit in UNITS and any(unit not in (node.pools[r].weight or {}) for r in a.request.vector):
                return True
            ask = charge.get(unit, 0)
            if ask and limit.ceiling is not None:
                total = self.used(a.owner.tenant, unit, a.uid) + ask
                if total > limit.ceiling or ("ceiling" in MUTANT and total == limit.ceiling):
                    return True
        return False

    def room_of(self, tenant: str | None, unit: str, uid: str) -> int:
        """What the tenant can still get when the others take what is theirs; uid's hold aside."""
        promised = 0
        for other in {None, "default", "_infrastructure", *self.tenancy.tenants} - {tenant}:
            use = self.used(other, unit, uid)
            limit = self.tenancy.quotas.get(other, {}).get(unit)
            if limit and limit.guaranteed is not None and "room" not in MUTANT:
                use = max(use, limit.guaranteed - limit.lendable)
            promised += use
        return self.capacity(unit) - promised - self.used(tenant, unit, uid)

    def quota(self, a: Asking, node: Node, charge: dict[str, int]) -> tuple[str, str]:
        """Code or "", and the quota class."""
        if a.owner.kind == "infrastructure":
            return "", "guaranteed"
        if self.over_ceiling(a, node, charge):
            return "QuotaCeiling", ""
        over = [unit for unit, is_over in self.guarantees(a, charge) if is_over]
        if not over:
            return "", "guaranteed"
        if not self.tenancy.may_borrow(a.priority):
            return "BandMayNotBorrow", ""
        if any(charge[unit] > self.room_of(a.owner.tenant, unit, a.uid) for unit in over):
            return "QuotaBorrowUnavailable", ""
        return "", "borrowed"

    # -- trust

    def isolation_class(self, a: Asking, node: str) -> str:
        wall = self.wall(a, node)
        if wall in ("mig", "card") and a.owner.kind != "infrastructure" and (
                self.tenancy.level(a.owner, a.wanted) == "node"):
            return "node"
        return wall

    def wall(self, a: Asking, node_name: str) -> str:
        """What stands between holders of the pools that the pod takes."""
        node = self.nodes.get(node_name)
        pools = [node.pools.get(r) if node else None for r in a.request.vector]
        if any(p is None or p.kind == "unknown" for p in pools):
            return ""
        soft = [p.sharing for p in pools if p.soft]
        if soft:
            return "shared" if "time-slicing" in soft else "mps"
        return "mig" if any(p.kind == "mig" for p in pools) else "card"

    def crosses(self, a: Asking, node: Node) -> bool:
        mine = [node.pools[r] for r in a.request.vector]
        level = self.tenancy.level(a.owner, a.wanted)
        for other in self.residents(node.name):
            if other.owner.kind == "infrastructure" or other.owner.domain == a.owner.domain:
                continue
            theirs = [node.pools.get(r) or Pool(r, "unknown", 0, 0) for r in other.vector]
            wall = strictest(level, self.tenancy.level(other.owner, other.wanted))
            if not all(is_apart(p, q, wall) for p in mine for q in theirs):
                return True
        return False

    def opens_too_many(self, a: Asking, node: Node, resource: str) -> bool:
        pool = node.pools[resource]
        if not pool.soft or self.holders(node.name, resource):
            return False
        owned = shares = 0
        for other in self.nodes.values():
            if not (other.pools.get(resource) and other.pools[resource].soft):
                continue
            here = self.holders(other.name, resource)
            shares += sum(r.vector[resource] for r in here if r.owner.domain == a.owner.domain)
            owned += bool(here) and all(r.owner.domain == a.owner.domain for r in here)
        needed = -(-(shares + a.request.vector[resource]) // pool.capacity)
        return owned >= needed + self.policy.spare + ("spare" in MUTANT)

    def is_marked(self, a: Asking, node: Node, resource: str) -> bool:
        if not node.pools[resource].soft or self.holders(node.name, resource) or "hold-marks" in MUTANT:
            return False
        return any(marked == resource and row.node == node.name and uid != a.uid and
                   row.owner.domain != a.owner.domain for uid, (row, marked) in self.holds.items())

    # -- verdicts

    def decide(self, pod: dict, names: list[str]) -> dict[str, Verdict]:
        code = ""
        a = None
        try:
            a = asking(pod, self.tenancy)
            if not a.request.vector:
                return {name: Verdict(name) for name in names}
            code, row = self.pod_checks(a)
        except Invalid:
            code, row = "InvalidRequest", 0
        live = self.allocations.get(pod["metadata"]["uid"])
        if live:
            return {n: Verdict(n) if n == live.node else Verdict(n, "Held", len(ROWS) - 1)
                    for n in names}
        if code:
            return {name: Verdict(name, code, row) for name in names}
        return {name: self.node_checks(a, name) for name in names}

    def pod_checks(self, a: Asking) -> tuple[str, int]:
        if a.wanted is not None and a.wanted not in LEVELS:
            return "InvalidRequest", 0
        if any(r not in (GPU, GPU_SHARED) and not MIG_NAME.fullmatch(r) for r in a.request.vector):
            return "ProfileUnknown", 1
        if a.owner.kind == "infrastructure":
            return "", 0
        tenant = self.tenancy.tenants.get(a.owner.tenant, {}) if a.owner.kind == "tenant" else {}
        if a.owner.code or tenant.get("suspended"):
            return a.owner.code or "TenantSuspended", 2
        if a.priority > tenant.get("maxPriority", a.priority):
            return "PriorityNotAllowed", 3
        if a.wanted and LEVELS[a.wanted] > LEVELS[self.tenancy.pod_limit(a.owner)]:
            return "IsolationNotAllowed", 4
        return "", 0

    def node_checks(self, a: Asking, name: str) -> Verdict:
        node = self.nodes.get(name)
        if not node:
            return refusal(name, "NodeUnknown")
        if node.fence():
            return refusal(name, node.fence())
        vector = a.request.vector
        if any(r not in node.pools or not node.pools[r].capacity for r in vector):
            return refusal(name, "ResourceNotOffered")
        pools = [node.pools[r] for r in vector]
        if any(p.allocatable == 0 for p in pools):
            return refusal(name, "DevicesGone")
        if node.contradictions:
            return refusal(name, "NodeInconsistent")
        if any(p.weight is None for p in pools):
            return refusal(name, "ProfileUnknown")
        if a.owner.kind != "infrastructure":
            code = self.sharing_checks(a, node, pools)
            if code:
                return refusal(name, code)
        charge = node.charge(vector)
        code, quota_class = self.quota(a, node, charge)
        if code:
            return refusal(name, code)
        codes = self.count_checks(a, node, pools, charge, quota_class)
        if codes:
            return refusal(name, *codes)
        if a.owner.kind != "infrastructure" and any(self.is_marked(a, node, r) for r in vector):
            return refusal(name, "Held")
        return Verdict(name, quota_class=quota_class, charge=charge,
                       isolation=self.isolation_class(a, name))

    def sharing_checks(self, a: Asking, node: Node, pools: list[Pool]) -> str:
        if not (a.accepts_shared or self.policy.allows_disguised) and any(p.disguised for p in pools):
            return "SharedDisguised"
        for pool in pools:
            limit = self.policy.most_shares.get(pool.sharing, 0) if pool.soft else 0
            if limit and a.request.per_container.get(pool.resource, 0) > limit:
                return "SharesPerContainer"
        if a.wanted and any(p.soft for p in pools) and "floor" not in MUTANT:
            return "IsolationFloor"
        if self.crosses(a, node):
            return "TrustBoundary"
        if any(self.opens_too_many(a, node, p.resource) for p in pools):
            return "PoolLimit"
        return ""

    def count_checks(self, a: Asking, node: Node, pools: list[Pool], charge: dict[str, int],
                     quota_class: str) -> tuple[str, ...]:
        """The codes that may be given, none when the counts suffice."""
        vector = a.request.vector
        if any(vector[p.resource] > p.allocatable for p in pools):
            return ("NodeTooSmall",)
        full = [p for p in pools
                if vector[p.resource] > p.allocatable - self.taken(node.name, p.resource)]
        if not full:
            return ()
        inside = quota_class == "guaranteed" and self.guarantees(a, charge)
        if inside and a.owner.kind == "tenant" and all(
                any((r.quota_class == "borrowed" or "reclaim" in MUTANT) and r.owner.tenant != a.owner.tenant
                    and r.vector.get(p.resource) for r in self.residents(node.name)) for p in full):
            return ("ReclaimNeeded",)
        kinds = {p.kind for p in full}
        codes = (("SlicesBusy", {"mig"}), ("SharesBusy", set(SOFT)), ("CardsBusy", {"card"}))
        return tuple(code for code, of in codes if kinds & of)


def refusal(name: str, *codes: str) -> Verdict:
    row = max(i for i, row in enumerate(ROWS) if codes[0] in row)
    return Verdict(name, codes[0], row, codes)


def is_apart(p: Pool, q: Pool, wall: str) -> bool:
    """Whether holders of the two pools of one node, of two domains, may stand so at this wall."""
    if p.soft and p.resource == q.resource:
        return "same-pool" in MUTANT
    if wall == "node":
        return False
    if wall == "mig" or "card" in (p.kind, q.kind):
        return True
    kinds = {p.kind, q.kind}
    if kinds == {"mig"}:
        return "slices-wall" in MUTANT
    return kinds in ({"shared", "mig"}, {"shared", "shared-mig"})
