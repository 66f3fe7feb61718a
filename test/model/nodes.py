"""What pods ask for and what nodes offer: requests, MIG geometry, pools, weights, fences.

The lower half of the model, see model.py.
"""
import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

PARTS = math.lcm(*range(1, 25))
PREFIX = "nvidia.com/"
GPU, GPU_SHARED = PREFIX + "gpu", PREFIX + "gpu.shared"
MIG_NAME = re.compile(r"nvidia\.com/mig-((\d+)g\.(\d+)gb(?:\.me(?:\.all)?|\.gfx|-me)?)(\.shared)?")
PROFILE = re.compile(r"(\d+)g\.(\d+)gb(?:\.me(?:\.all)?|\.gfx|-me)?")
LEVELS = {"mig": 0, "card": 1, "node": 2}
UNITS = ("gpuEquivalents", "computeSlices", "memoryGiB", "costPerHour")
SOFT = ("shared", "shared-mig")

# Deliberate mistakes that the comparison has to notice: see differential.py --mutate.
MUTATIONS = ("sidecars", "init-sum", "overhead", "replicas", "disguise", "same-pool", "slices-wall",
             "spare", "ceiling", "room", "floor", "fences", "exact-name", "adoption-order", "count",
             "annotation-limit", "reclaim", "hold-marks", "hold-quota")
MUTANT: set[str] = set()


class Invalid(Exception):
    """The pod's request or annotation can't be valid."""


# --- amounts ------------------------------------------------------------------------------------

SUFFIX = {"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1)}
SUFFIX |= {s: Fraction(1000) ** i for i, s in enumerate("kMGTPE", 1)}
SUFFIX |= {s + "i": Fraction(1024) ** i for i, s in enumerate("KMGTPE", 1)}
QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([KMGTPE]i|[numkMGTPE]?))")


def quantity(value) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise Invalid
    found = QUANTITY.fullmatch(value if isinstance(value, str) else repr(value))
    if not found:
        raise Invalid
    number, exponent, suffix = found.groups()
    return Fraction(number) * (Fraction(10) ** int(exponent) if exponent else SUFFIX[suffix])


def count(value) -> int:
    amount = quantity(value)
    if amount.denominator != 1 or amount < 0 or amount > 2**31:
        raise Invalid
    return int(amount)


def parts(amount: Fraction) -> int:
    return math.floor(amount * PARTS)


def printed(amount: int) -> str:
    """Three decimals, half up, as the answers print an amount."""
    thousandths = (2000 * amount + PARTS) // (2 * PARTS)
    return f"{thousandths // 1000}.{thousandths % 1000:03d}".rstrip("0").rstrip(".")


# --- the request --------------------------------------------------------------------------------


def container_amounts(container: dict) -> dict[str, int]:
    resources = container.get("resources") or {}
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    amounts = {}
    for name in {*requests, *limits}:
        if not name.startswith(PREFIX):
            continue
        if name not in limits:
            raise Invalid
        amounts[name] = count(limits[name])
        if name in requests and count(requests[name]) != amounts[name]:
            raise Invalid
    return amounts


def add(total: dict[str, int], more: dict[str, int]) -> dict[str, int]:
    return {name: total.get(name, 0) + more.get(name, 0) for name in {*total, *more}}


def most(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
    return {name: max(a.get(name, 0), b.get(name, 0)) for name in {*a, *b}}


@dataclass
class Request:
    vector: dict[str, int]       # what the pod takes, amounts above 0
    per_container: dict[str, int]  # the most that one container asks for


def request_of(spec: dict) -> Request:
    steady: dict[str, int] = {}
    widest: dict[str, int] = {}
    for container in spec.get("containers") or []:
        amounts = container_amounts(container)
        steady, widest = add(steady, amounts), most(widest, amounts)
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in spec.get("initContainers") or []:
        amounts = container_amounts(container)
        widest = most(widest, amounts)
        if container.get("restartPolicy") == "Always" and "sidecars" not in MUTANT:
            sidecars = add(sidecars, amounts)
            peak = most(peak, sidecars)
        else:
            peak = most(peak, add(sidecars, amounts))
    both = add(steady, sidecars)
    vector = add(both, peak) if "init-sum" in MUTANT else most(both, peak)
    overhead = {n: count(v) for n, v in (spec.get("overhead") or {}).items() if n.startswith(PREFIX)}
    if "overhead" not in MUTANT:
        vector = add(vector, overhead)
    return Request({n: v for n, v in sorted(vector.items()) if v}, widest)


def cpu_of(spec: dict) -> Fraction:
    """Of plain containers and overhead, which is what the generator writes."""
    requests = [(c.get("resources") or {}).get("requests") or {} for c in spec["containers"]]
    return sum((quantity(r.get("cpu", 0)) for r in [*requests, spec.get("overhead") or {}]), Fraction(0))


def priority_of(spec: dict) -> int:
    """Manifests may name one of the two built-in classes; pods from the API server have both."""
    built_in = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}
    return spec.get("priority", built_in.get(spec.get("priorityClassName"), 0))


def annotation(pod: dict, name: str) -> str | None:
    return (pod["metadata"].get("annotations") or {}).get("shikiri.dev/" + name)


# --- MIG geometry -------------------------------------------------------------------------------


@dataclass
class Product:
    memory: int | None = None
    slices: int | None = None
    units: int | None = None
    profiles: dict[str, tuple[int, int | None, int]] = field(default_factory=dict)  # g, m, max


def read_geometry(path: Path) -> dict[str, Product]:
    """Label to product; the table is one key, list entry or {row} a line."""
    known: dict[str, Product] = {}
    product = Product()
    number = {"null": None}
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#", maxsplit=1)[0].rstrip()
        if re.match(r"\s*- id: ", line):
            product = Product()
        elif found := re.match(r"\s+(memoryGiB|computeSlices|memoryUnits): (\w+)", line):
            key = {"memoryGiB": "memory", "computeSlices": "slices", "memoryUnits": "units"}[found[1]]
            setattr(product, key, None if found[2] in number else int(found[2]))
        elif found := re.match(r"\s+- \{name: ([^,]+),\s*compute: (\d+), units: (\w+),\s*max: (\d+)", line):
            m = None if found[3] in number else int(found[3])
            product.profiles[found[1]] = (int(found[2]), m, int(found[4]))
        elif found := re.match(r"\s+- ([\w.-]+)$", line):
            known[found[1]] = product
    return known


GEOMETRY = read_geometry(Path(__file__).resolve().parents[2] / "policies/mig-geometry.yaml")

# --- policy -----------------------------------------------------------------------


class Policy:
    def __init__(self, document: dict | None):
        spec = (document or {}).get("spec", {})
        isolation, sharing, units = (spec.get(k, {}) for k in ("isolation", "sharing", "units"))
        self.across = isolation.get("acrossDomains", "mig")
        self.allows_disguised = isolation.get("sharedDisguised", "deny") == "allow"
        self.vgpu_is_shared = isolation.get("vgpu", "shared") == "shared"
        self.infrastructure = isolation.get("infrastructureNamespaces", ["gpu-operator", "kube-system"])
        self.allows_unmapped = isolation.get("unmappedNamespace", "deny") == "allow"
        most_shares = sharing.get("maxSharesPerContainer", {})
        self.most_shares = {"time-slicing": most_shares.get("timeSlicing", 0),
                            "mps": most_shares.get("mps", 1)}
        self.spare = sharing.get("spareSoftPools", 2)
        self.mig_charge = units.get("migCharge", "dominant")
        self.factors = {k: Fraction(v) for k, v in units.get("modelFactors", {}).items()}
        prices = units.get("pricesPerHour", {
            "NVIDIA-A100-SXM4-80GB": "3.5", "NVIDIA-H100-80GB-HBM3": "4.5", "NVIDIA-H200": "6.0",
            "NVIDIA-L40S": "1.5", "NVIDIA-GeForce-RTX-4090": "0.8"})
        self.prices = {k: Fraction(v) for k, v in prices.items()}


def matches(selector: dict | None, labels: dict) -> bool:
    wanted = (selector or {}).get("matchLabels", {})
    return bool(wanted) and all(labels.get(k) == v for k, v in wanted.items())


def strictest(*levels: str) -> str:
    return max(levels, key=LEVELS.get)


# --- nodes --------------------------------------------------------------------------------------


@dataclass
class Pool:
    resource: str
    kind: str
    capacity: int
    allocatable: int
    sharing: str = ""      # time-slicing or mps, of soft pools
    disguised: bool = False
    replicas: int = 1
    profile: str = ""      # of mig and shared-mig
    weight: dict[str, Fraction] | None = None  # per unit asked for; None: can't be weighed

    @property
    def soft(self) -> bool:
        return self.kind in SOFT


def natural(value: str | None) -> int | None:
    return int(value) if value is not None and re.fullmatch(r"\d+", value) else None


class Node:
    def __init__(self, item: dict, facts: list[dict], policy: Policy):
        self.name = item["metadata"]["name"]
        self.policy = policy
        self.labels = dict(item["metadata"].get("labels") or {})
        status = item.get("status") or {}
        self.capacity = {k: count(v) for k, v in (status.get("capacity") or {}).items()
                         if k.startswith(PREFIX)}
        self.allocatable = {k: count(v) for k, v in (status.get("allocatable") or {}).items()
                            if k.startswith(PREFIX)}
        self.cpu = quantity((status.get("allocatable") or {}).get("cpu", 0))
        self.cordoned = False
        self.contradictions: list[str] = []
        self.apply_facts([f for f in facts if matches(f.get("nodeSelector"), self.labels)])
        self.read_product()
        self.pools = {name: self.pool(name) for name in self.capacity}
        self.contradict()

    def label(self, name: str) -> str | None:
        return self.labels.get(PREFIX + name)

    def number(self, name: str) -> int | None:
        return natural(self.label(name))

    # -- what stands in for labels

    def apply_facts(self, facts: list[dict]) -> None:
        stated = [facts_as_labels(f) for f in facts]
        if any(s != stated[0] for s in stated):
            self.contradictions.append("6: documents disagree")
        for name, value in stated[0].items() if stated else ():
            here = self.label(name)
            if name == "gpu.product" and here and stated[0]["gpu.sharing-strategy"] != "none":
                here = here.removesuffix("-SHARED")
            unreadable = value.isdigit() and natural(here) is None  # as good as none, also to the facts
            if here is not None and here != value and not unreadable:
                self.contradictions.append(f"6: {name}")
        if stated and not self.contradictions:
            for name, value in stated[0].items():
                if value.isdigit():
                    self.labels[PREFIX + name] = value
                self.labels.setdefault(PREFIX + name, value)

    def read_product(self) -> None:
        label = self.label("gpu.product") or ""
        self.suffixed_shared = label.endswith("-SHARED")
        label = label.removesuffix("-SHARED")
        self.strategy = self.label("mig.strategy") or "none"
        self.product, _, profile = label.partition("-MIG-")
        self.single = profile if self.strategy == "single" and profile != "INVALID" else ""
        self.invalid = profile == "INVALID"
        self.table = GEOMETRY.get(self.product)

    # -- pools

    def pool(self, name: str) -> Pool:
        pool = Pool(name, "unknown", self.capacity[name], self.allocatable.get(name, 0))
        mig = MIG_NAME.fullmatch(name)
        if name in (GPU, GPU_SHARED):
            self.read_gpu(pool)
        elif mig:
            self.read_mig(pool, mig[1], bool(mig[4]))
        if pool.kind != "unknown":
            pool.weight = self.weigh(pool)
        return pool

    def signals(self, pool: Pool, family: str) -> bool:
        """The labels of a family (gpu, mig-<profile>) say that its devices are shared."""
        devices = self.number(family + ".count")
        return ((self.number(family + ".replicas") or 0) > 1
                or self.label(family + ".sharing-strategy") in ("time-slicing", "mps")
                or (self.label(family + ".product") or "").endswith("-SHARED")
                or (devices is not None and pool.capacity > devices and "disguise" not in MUTANT))

    def read_gpu(self, pool: Pool) -> None:
        gke = "cloud.google.com/gke-"
        clients = natural(self.labels.get(gke + "max-shared-clients-per-gpu")) or 0
        disguised = (self.signals(pool, "gpu") or clients > 1
                     or bool(self.labels.get(gke + "gpu-sharing-strategy"))
                     or (self.label("vgpu.present") == "true" and self.policy.vgpu_is_shared))
        pool.disguised = disguised and pool.resource == GPU
        soft = disguised or pool.resource == GPU_SHARED
        pool.profile = self.single
        pool.kind = ("shared-mig" if soft else "mig") if self.single else "shared" if soft else "card"
        if soft:
            mps = "mps" in (self.label("gpu.sharing-strategy"), self.labels.get(gke + "gpu-sharing-strategy"))
            pool.sharing = "mps" if mps else "time-slicing"
        replicas = self.number("gpu.replicas") or 0
        devices = self.number("gpu.count")
        by_label = replicas > 1 and (self.strategy == "mixed" or not devices)
        pool.replicas = max(1, replicas if by_label else pool.capacity // (devices or pool.capacity or 1))

    def read_mig(self, pool: Pool, profile: str, named_shared: bool) -> None:
        family = "mig-" + profile
        pool.profile = profile
        signals = self.signals(pool, family)
        pool.disguised = signals and not named_shared
        pool.kind = "shared-mig" if signals or named_shared else "mig"
        if pool.soft:
            mps = self.label(family + ".sharing-strategy") == "mps"
            pool.sharing = "mps" if mps else "time-slicing"
            pool.replicas = max(1, self.number(family + ".replicas") or 0)

    # -- weights

    def weigh(self, pool: Pool) -> dict[str, Fraction] | None:
        table = self.table or Product()
        slices, units = table.slices or 7, table.units or 8
        if not pool.profile:
            compute = share = Fraction(1)
            memory_mib = self.number("gpu.memory")
            memory = table.memory or (memory_mib and math.ceil(Fraction(memory_mib, 1024)))
            weight = {"computeSlices": Fraction(slices)}
        else:
            shape = self.shape(pool.profile, units)
            if shape is None:
                return None
            compute, share, memory = Fraction(shape[0], slices), shape[1], shape[2]
            weight = {"computeSlices": Fraction(shape[0])}
        gpus = {"dominant": max(compute, share), "compute": compute, "memory": share}
        gpu = gpus[self.policy.mig_charge]
        weight["gpuEquivalents"] = gpu * self.policy.factors.get(self.product, 1)
        if memory:
            weight["memoryGiB"] = Fraction(memory)
        if self.product in self.policy.prices:
            weight["costPerHour"] = gpu * self.policy.prices[self.product]
        replicas = pool.replicas if pool.soft and "replicas" not in MUTANT else 1
        return {unit: amount / replicas for unit, amount in weight.items()}

    def shape(self, profile: str, units: int) -> tuple[int, Fraction, int] | None:
        """Compute slices, part of the card's memory, GiB."""
        found = PROFILE.fullmatch(profile)
        if not found:
            return None
        gib = int(found[2])
        if self.table and profile in self.table.profiles:
            g, m, _ = self.table.profiles[profile]
            return g, Fraction(m, units) if m else Fraction(gib, self.table.memory), gib
        if self.single:
            g, slice_mib = self.number("gpu.slices.gi"), self.number("gpu.memory")
            card_mib = self.table.memory * 1024 if self.table and self.table.memory else None
        else:
            g, slice_mib = self.number(f"mig-{profile}.slices.gi"), self.number(f"mig-{profile}.memory")
            card_mib = self.number("gpu.memory")
        if not g or not slice_mib or not card_mib:
            return None
        m = math.ceil(Fraction(units * slice_mib, card_mib))
        if m > units or g > ((self.table or Product()).slices or 7):
            return None  # a slice larger than its card
        return g, Fraction(m, units), gib

    def charge(self, vector: dict[str, int]) -> dict[str, int]:
        """Parts in every unit that can be told; floors once per resource and unit."""
        total: dict[str, int] = {}
        for resource, amount in vector.items():
            pool = self.pools.get(resource)
            total[resource] = amount * PARTS
            for unit, weight in ((pool and pool.weight) or {}).items():
                total[unit] = total.get(unit, 0) + parts(amount * weight)
        return total

    # -- fences and contradictions

    def fence(self) -> str:
        if "fences" in MUTANT:
            return ""
        state = self.label("mig.config.state")
        deploy = {v for k, v in self.labels.items() if k.startswith(PREFIX + "gpu.deploy.")}
        upgrade = self.label("gpu-driver-upgrade-state")
        if self.cordoned:
            return "GpuCordoned"
        if state == "failed":
            return "MigFailed"
        if state not in (None, "success") or "paused-for-mig-change" in deploy:
            return "MigReconfiguring"
        if "paused-for-driver-upgrade" in deploy or upgrade not in (
                None, "upgrade-done", "upgrade-required"):
            return "DriverUpgrading"
        return ""

    def contradict(self) -> None:
        say = self.contradictions.append
        offered = {r for r, n in self.allocatable.items() if n > 0}
        if self.invalid or (self.number("gpu.replicas") == 0 and GPU in offered):
            say("1")
        for resource in offered:
            if resource + ".shared" in offered:
                say(f"2: {resource}")
        devices = self.number("gpu.count")
        if offered & {GPU, GPU_SHARED}:
            if not self.label("gpu.product") or devices is None or self.number("gpu.replicas") is None:
                say("3: gpu")
        for resource in offered:
            if mig := MIG_NAME.fullmatch(resource):
                labels = [self.number(f"mig-{mig[1]}.{x}") for x in ("count", "replicas")]
                if None in labels or not self.label("gpu.product"):
                    say(f"3: {resource}")
        for pool in self.pools.values():
            if mig := MIG_NAME.fullmatch(pool.resource):
                number, replicas = (self.number(f"mig-{mig[1]}.{x}") for x in ("count", "replicas"))
                if pool.capacity and number is not None and number * max(1, replicas or 0) != pool.capacity:
                    say(f"4: {pool.resource}")
        if devices == 0:
            say("5: no device")
        elif devices and self.strategy != "mixed" and self.capacity.get(GPU, 0) % devices:
            if "count" not in MUTANT:
                say("5: no multiple")


def facts_as_labels(facts: dict) -> dict[str, str]:
    """The labels that GPU Feature Discovery would have written."""
    product, cards, profile = facts["product"], facts["cards"], facts.get("migProfile", "")
    labels = {"gpu.replicas": str(facts.get("replicas", 1)),
              "gpu.sharing-strategy": facts.get("sharing", "none")}
    if profile:
        most_of_it = GEOMETRY[product].profiles[profile][2]
        return labels | {"gpu.product": f"{product}-MIG-{profile}", "mig.strategy": "single",
                         "gpu.count": str(cards * most_of_it)}
    return labels | {"gpu.product": product, "gpu.count": str(cards)}
