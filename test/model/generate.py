"""Random clusters, documents, policies and pods, all from one seed.

Mostly sane, so that many pods fit, with single defects thrown in: each fence, contradiction and
signal of disguised sharing, odd quantities, foreign pods that break a rule.
"""
import random

from nodes import GEOMETRY

A100, A100_40, H100, H200, A30 = ("NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-SXM4-40GB",
                                  "NVIDIA-H100-80GB-HBM3", "NVIDIA-H200", "NVIDIA-A30")
RTX, RTX5000 = "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "NVIDIA-RTX-PRO-5000-Blackwell"
NVL, L40S, T4 = "NVIDIA-H100-NVL", "NVIDIA-L40S", "Tesla-T4"
MIG_PRODUCTS = (A100, A100, H100, A100_40, A30, RTX, RTX5000, H200)
PRODUCTS = (A100, H100, L40S, T4, A30, H200)
MEMORY = {A100: 81920, A100_40: 40960, H100: 81559, H200: 143771, A30: 24576, RTX: 97887,
          RTX5000: 48935, NVL: 95830, L40S: 46068, T4: 15360, "Custom-X1": 65000}
NOW = "2026-01-01T00:00:00Z"


class Generator:
    def __init__(self, seed: int):
        self.seed = seed
        self.random = random.Random(seed)
        self.serial = 0
        self.documents: list[dict] = []
        self.nodes: list[dict] = []
        self.pods: list[dict] = []
        self.policy = self.make_policy()
        self.choose_theme()
        self.make_tenants()
        for i in range(self.random.choice((1, 2, 3, 4, 5, 6, 8, 10, 14))):
            self.make_node(f"node-{i:02d}")
        self.resources = sorted({r for n in self.nodes for r in n["status"]["capacity"]
                                 if r.startswith("nvidia.com/")}) or ["nvidia.com/gpu"]
        self.make_grants()
        crowd = self.pick((1, 3, 3, 8))
        for _ in range(self.random.randrange(0, crowd * len(self.nodes) + 2)):
            self.make_bound()
        for _ in range(self.random.randrange(3)):
            self.pods.append(self.pod(self.a_namespace()) | {"status": {"phase": "Pending"}})

    # --- small help

    def chance(self, percent: float) -> bool:
        return self.random.random() * 100 < percent

    def pick(self, values):
        return self.random.choice(list(values))

    def document(self, kind: str, name: str, spec: dict) -> None:
        self.documents.append({"apiVersion": "shikiri.dev/v1", "kind": kind,
                               "metadata": {"name": name}, "spec": spec})

    def cluster(self) -> dict:
        spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n, "labels": labels}}
                  for n, labels in self.namespaces.items()]
        return {"apiVersion": "v1", "kind": "List", "items": self.nodes + spaces + self.pods}

    # --- policy

    def make_policy(self) -> dict | None:
        if self.chance(20):
            return None
        pick, chance = self.pick, self.chance
        spec: dict = {"isolation": {}, "sharing": {}, "units": {}, "packing": {}}
        isolation = spec["isolation"]
        isolation["acrossDomains"] = pick(("mig", "mig", "mig", "card", "node"))
        isolation["sharedDisguised"] = pick(("deny", "allow"))
        isolation["vgpu"] = pick(("shared", "card"))
        isolation["unmappedNamespace"] = pick(("deny", "allow"))
        if chance(50):
            isolation["infrastructureNamespaces"] = pick(
                ([], ["gpu-operator"], ["gpu-operator", "infra"], ["gpu-operator", "ns-0"]))
        spec["sharing"]["maxSharesPerContainer"] = {"timeSlicing": pick((0, 0, 1, 2, 3)),
                                                    "mps": pick((1, 1, 0, 2))}
        spec["sharing"]["spareSoftPools"] = pick((0, 0, 1, 2))
        spec["units"]["migCharge"] = pick(("dominant", "compute", "memory"))
        if chance(60):
            spec["units"]["modelFactors"] = {p: pick(("1.3", "0.5", "2", "0.333", "1.000001"))
                                             for p in self.random.sample(PRODUCTS, 3)}
        if chance(50):
            spec["units"]["pricesPerHour"] = {p: pick(("1", "3.5", "4.333333", "0.000001", "12.25", "0"))
                                              for p in self.random.sample(PRODUCTS, 4)}
        spec["packing"]["objective"] = pick(("pack", "pack", "pack", "spread"))
        spec["packing"]["quantumMilli"] = pick((1, 40, 100))
        spec["holds"] = {"ttl": "600s"}  # no hold lapses on a slow machine
        return {"apiVersion": "shikiri.dev/v1", "kind": "Policy", "metadata": {"name": "random"},
                "spec": {k: v for k, v in spec.items() if v}}

    # --- tenants

    def make_tenants(self) -> None:
        pick, chance = self.pick, self.chance
        domains = [f"domain-{i}" for i in range(self.random.randint(1, 4))]
        for name in domains:
            if chance(60):
                self.document("TrustDomain", name, {"isolation": pick(("mig", "mig", "mig", "card", "node"))})
        self.namespaces: dict[str, dict] = {"gpu-operator": {}, "infra": {}, "stray": {"team": "none"},
                                            "stray-2": {}}
        self.tenants: dict[str, list[str]] = {}
        for i in range(self.random.randint(1, 6)):
            name = f"tenant-{i}"
            spec: dict = {"namespaces": [f"ns-{i}", f"ns-{i}-hidden"]}
            self.namespaces[f"ns-{i}"] = pick(({"team": f"team-{i}"}, {"env": "any"}, {}))
            self.tenants[name] = [f"ns-{i}", f"ns-{i}", f"ns-{i}", f"ns-{i}-hidden"]
            if chance(75):
                spec["trustDomain"] = pick(domains)
            if chance(50):
                spec["namespaceSelector"] = {"matchLabels": {"team": f"team-{i}"}}
                self.namespaces[f"ns-{i}-selected"] = {"team": f"team-{i}", "env": "any"}
                self.tenants[name].append(f"ns-{i}-selected")
            if chance(25):
                spec["isolation"] = pick(("mig", "card", "node"))
            if chance(40):
                spec["podIsolation"] = pick(("mig", "card", "node"))
            if chance(25):
                spec["maxPriority"] = pick((0, 1000, 100000))
            if chance(7):
                spec["suspended"] = True
            if chance(15) and i:
                spec["namespaceSelector"] = {"matchLabels": {"env": "any"}}
            if chance(75):
                spec["quota"] = {unit: self.limit(unit) for unit in self.random.sample(
                    ("gpuEquivalents", "gpuEquivalents", "computeSlices", "memoryGiB", "costPerHour",
                     "nvidia.com/gpu", "nvidia.com/gpu.shared", self.a_profile(),
                     self.a_profile() + ".shared"),
                    self.random.randint(1, 3))}
            self.document("Tenant", name, spec)
        if chance(60):
            self.document("PriorityBand", "batch", {"minPriority": 0, "maxPriority": 999, "mayBorrow":
                                                    chance(80), "reclaimable": True})
            if chance(30):
                self.document("PriorityBand", "plain", {"minPriority": 1000, "maxPriority": 9999})
            self.document("PriorityBand", "serving", {"minPriority": 900000, "maxPriority": 1000000,
                                                      "mayBorrow": chance(20), "reclaimable": False,
                                                      "preempts": ["batch"]})

    def limit(self, unit: str) -> dict:
        scale = {"memoryGiB": 60, "computeSlices": 6, "costPerHour": 3}.get(unit, 1)
        amount = self.pick((0, 1, 1, 2, 2, 3, 4, 6, 8, 12, 20)) * scale
        def text(n):
            if self.chance(75):
                return self.pick((str(n), n, f"{n}.0"))
            return f"{n}.{self.pick(('5', '142857', '25', '000001'))}"
        if self.chance(30):
            return {"ceiling": text(amount) if self.chance(85) else "unlimited"}
        entry = {"guaranteed": text(amount)}
        if self.chance(60):
            more = amount + 1 + self.pick((0, 1, 2, 8, 20)) * scale
            entry["ceiling"] = text(more) if self.chance(75) else "unlimited"
        if self.chance(50):
            entry["lendable"] = str(self.random.randint(0, amount))
        return entry

    def make_grants(self) -> None:
        listed = [(d["metadata"]["name"], unit, entry) for d in self.documents if d["kind"] == "Tenant"
                  for unit, entry in d["spec"].get("quota", {}).items()]
        listed += [(t, self.pick(("gpuEquivalents", "nvidia.com/gpu")), {}) for t in self.tenants
                   if self.chance(8)]
        for i, (tenant, unit, entry) in enumerate(listed):
            if self.chance(20):
                until = self.pick(("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z"))
                amounts = self.pick(({"guaranteed": "1", "ceiling": "1"}, {"guaranteed": "1", "ceiling": "2"},
                                     {"guaranteed": "1"}, {"ceiling": "2"}))
                self.document("Grant", f"grant-{i}", {
                    "tenant": tenant, "unit": unit, "until": until, "reason": "demo"} | amounts)

    # --- nodes

    def choose_theme(self) -> None:
        """A cluster has few kinds of nodes, so that a pod finds several that offer what it asks."""
        makers = (self.cards, self.cards, self.mixed, self.mixed, self.mixed, self.single, self.sliced,
                  self.sliced, self.sliced, self.sliced_mig, self.sliced_mig, self.sliced_single,
                  self.vgpu, self.gke, self.facts, self.facts, self.unknown_mig, self.cpu_only)
        self.makers = self.random.sample(makers, self.random.randint(1, 4))
        self.mig_products = self.random.sample(MIG_PRODUCTS, 2)
        self.theme = {p: self.random.sample(list(GEOMETRY[p].profiles), 3) for p in self.mig_products}
        self.renames = self.pick((0, 50, 100))

    def a_profile(self) -> str:
        return "nvidia.com/mig-" + self.pick(self.theme[self.pick(self.mig_products)])

    def make_node(self, name: str) -> None:
        makers = self.makers
        self.labels: dict[str, str] = {"kubernetes.io/hostname": name}
        self.capacity: dict[str, int] = {}
        self.pick(makers)()
        self.allocatable = dict(self.capacity)
        if self.chance(15):
            self.labels["nvidia.com/mig.config.state"] = "success"
            self.labels["nvidia.com/gpu-driver-upgrade-state"] = self.pick(
                ("upgrade-done", "upgrade-required"))
            self.labels["nvidia.com/gpu.deploy.driver"] = self.pick(("true", "false"))
        if self.chance(25):
            self.mutate()
        amounts = [{k: str(v) for k, v in amounts.items()} for amounts in (self.capacity, self.allocatable)]
        cpu = self.pick(("16", "32", "64", "63500m"))
        for a in amounts:
            a |= {"cpu": cpu, "memory": "256Gi", "pods": "110"}
        self.nodes.append({"apiVersion": "v1", "kind": "Node",
                           "metadata": {"name": name, "uid": f"uid-{name}", "labels": self.labels,
                                        "creationTimestamp": "2025-01-01T00:00:00Z"},
                           "spec": {}, "status": {"capacity": amounts[0], "allocatable": amounts[1]}})

    def another_node(self, name: str) -> dict:
        """What the node may look like later: made anew by the same rules."""
        kept, self.nodes = self.nodes, []
        self.makers = [m for m in self.makers if m != self.facts] or [self.cards]
        self.make_node(name)
        item = self.nodes[0]
        self.nodes = kept
        return item

    def describe(self, product: str, number: int, replicas: int, sharing="none", memory=None,
                 strategy=None) -> None:
        values = {"gpu.product": product, "gpu.count": number, "gpu.replicas": replicas,
                  "gpu.sharing-strategy": sharing, "gpu.present": "true",
                  "gpu.memory": memory or MEMORY.get(product.split("-MIG-")[0].removesuffix("-SHARED"))}
        if strategy:
            values["mig.strategy"] = strategy
        self.labels |= {"nvidia.com/" + k: str(v) for k, v in values.items() if v is not None}

    def describe_profile(self, product: str, profile: str, number: int, replicas=1, sharing="none",
                         memory=None) -> None:
        suffix = "-SHARED" if replicas > 1 and self.chance(50) else ""
        values = {"product": f"{product}-MIG-{profile}{suffix}", "count": number, "replicas": replicas,
                  "sharing-strategy": sharing, "slices.gi": profile.split("g.")[0],
                  "memory": memory or 1024 * int(profile.split("g.")[1].split("gb")[0])}
        self.labels |= {f"nvidia.com/mig-{profile}.{k}": str(v) for k, v in values.items()}

    def cards(self) -> None:
        product = self.pick((*PRODUCTS, "Custom-X1"))
        number = self.pick((1, 2, 4, 8))
        self.describe(product, number, 1, strategy=self.pick((None, None, "single", "mixed")))
        self.capacity["nvidia.com/gpu"] = number

    def profiles(self, product: str) -> list[str]:
        return self.random.sample(self.theme[product], self.random.randint(1, 3))

    def mixed(self) -> None:
        product = self.pick(self.mig_products)
        whole = self.pick((0, 0, 0, 1, 2))
        self.describe(product, whole + 2, 1 if whole else 0, strategy="mixed")
        if whole:
            self.capacity["nvidia.com/gpu"] = whole
        for profile in self.profiles(product):
            number = self.random.randint(1, 4)
            self.describe_profile(product, profile, number)
            self.capacity[f"nvidia.com/mig-{profile}"] = number

    def single(self, replicas=1, renamed=False, sharing="none") -> None:
        product = self.pick(self.mig_products)
        profile = self.pick(self.theme[product])
        number = GEOMETRY[product].profiles[profile][2] * self.pick((1, 2))
        suffix = "-SHARED" if replicas > 1 and not renamed and sharing == "time-slicing" else ""
        gib = int(profile.split("g.")[1].split("gb")[0].split(".")[0])
        self.describe(f"{product}-MIG-{profile}{suffix}", number, replicas, sharing, gib * 1024, "single")
        self.labels["nvidia.com/gpu.slices.gi"] = profile[0]
        self.capacity["nvidia.com/gpu.shared" if renamed else "nvidia.com/gpu"] = number * replicas

    def sliced_single(self) -> None:
        sharing = self.pick(("time-slicing", "time-slicing", "mps"))
        self.single(self.pick((2, 3)), self.chance(self.renames), sharing)

    def sliced(self) -> None:
        product, number = self.pick((*PRODUCTS, L40S, T4)), self.pick((1, 1, 2, 4))
        replicas = self.pick((2, 2, 3, 4, 4, 7, 10))
        sharing = self.pick(("time-slicing", "time-slicing", "mps"))
        renamed = self.chance(self.renames)
        suffix = "" if renamed or self.chance(30) else "-SHARED"
        strategy = self.pick((None, "single", "mixed"))
        beside = self.pick((0, 1, 2)) if strategy == "mixed" else 0  # cards cut by MIG, counted too
        self.describe(product + suffix, number + beside, replicas, sharing, strategy=strategy)
        self.capacity["nvidia.com/gpu.shared" if renamed else "nvidia.com/gpu"] = number * replicas

    def sliced_mig(self) -> None:
        product = self.pick(self.mig_products)
        whole = self.pick((0, 0, 1))
        self.describe(product, whole + 1, 1 if whole else 0, strategy="mixed")
        if whole:
            self.capacity["nvidia.com/gpu"] = whole
        for profile in self.profiles(product):
            number = self.random.randint(1, 2)
            replicas = self.pick((1, 2, 2, 4))
            renamed = replicas > 1 and self.chance(self.renames)
            sharing = self.pick(("time-slicing", "mps")) if replicas > 1 else "none"
            self.describe_profile(product, profile, number, replicas, sharing)
            self.capacity[f"nvidia.com/mig-{profile}" + (".shared" if renamed else "")] = number * replicas

    def vgpu(self) -> None:
        self.cards()
        self.labels["nvidia.com/vgpu.present"] = self.pick(("true", "true", "false"))

    def gke(self) -> None:
        product, number, clients = self.pick((A100, T4, L40S)), self.pick((1, 2)), self.pick((1, 2, 4))
        self.labels["cloud.google.com/gke-accelerator"] = "nvidia-gpu"
        if clients > 1:
            self.labels["cloud.google.com/gke-max-shared-clients-per-gpu"] = str(clients)
        if clients > 1 and self.chance(70):
            self.labels["cloud.google.com/gke-gpu-sharing-strategy"] = self.pick(("time-sharing", "mps"))
        if self.chance(80):
            self.describe(product, number, 1)
        self.capacity["nvidia.com/gpu"] = number * clients

    def facts(self) -> None:
        product, number = self.pick((A100, A30, L40S, H100, T4)), self.pick((1, 2, 4))
        name = f"facts-{len(self.documents)}"
        self.labels["agentpool"] = name
        spec = {"nodeSelector": {"matchLabels": {"agentpool": name}}, "product": product,
                "cards": number, "replicas": 1, "sharing": "none"}
        kind = self.pick(("cards", "cards", "sliced", "mig"))
        amount = number
        if kind == "sliced":
            spec |= {"replicas": self.pick((2, 4)), "sharing": self.pick(("time-slicing", "mps"))}
            amount = number * spec["replicas"]
        elif kind == "mig" and product in GEOMETRY:
            spec["migProfile"] = self.pick(GEOMETRY[product].profiles)
            amount = number * GEOMETRY[product].profiles[spec["migProfile"]][2]
        self.capacity["nvidia.com/gpu.shared" if kind == "sliced" and self.chance(50) else
                      "nvidia.com/gpu"] = amount
        if self.chance(15):
            self.labels["nvidia.com/gpu.product"] = self.pick((product, A100))
        if self.chance(10):
            self.labels["nvidia.com/gpu.count"] = self.pick((str(number), "2"))
        if spec["replicas"] == 1 and self.chance(50):
            del spec["replicas"], spec["sharing"]
        self.document("NodeFacts", name, spec)
        if self.chance(12):
            again = dict(spec, cards=self.pick((number, number + 1)))
            self.document("NodeFacts", name + "-again", again)

    def unknown_mig(self) -> None:
        """Profiles that the table lacks, weighed by labels or not at all."""
        product = self.pick((NVL, "Custom-X1", A30, RTX5000))
        profile = self.pick(("1g.11gb", "3g.44gb", "2g.9gb.me", "1g.8gb-me"))
        number = self.pick((1, 2, 4))
        if self.chance(35):
            memory = 1024 * int(profile.split("g.")[1].split("gb")[0])
            self.describe(f"{product}-MIG-{profile}", number, 1, memory=memory, strategy="single")
            if self.chance(70):
                self.labels["nvidia.com/gpu.slices.gi"] = profile[0]
            self.capacity["nvidia.com/gpu"] = number
            return
        self.describe(product, 2, 0, strategy="mixed")
        self.describe_profile(product, profile, number, memory=self.pick((None, 10999, 22000)))
        self.capacity[f"nvidia.com/mig-{profile}"] = number
        if self.chance(25):
            lost = self.pick((f"mig-{profile}.memory", f"mig-{profile}.slices.gi", "gpu.memory"))
            self.labels.pop("nvidia.com/" + lost, None)

    def cpu_only(self) -> None:
        self.labels["node-role"] = "cpu"

    def mutate(self) -> None:
        """One defect."""
        labels, pick = self.labels, self.pick
        resource = pick(self.capacity) if self.capacity else "nvidia.com/gpu"
        family = "nvidia.com/" + ("gpu" if resource.startswith("nvidia.com/gpu") else
                                  resource.removeprefix("nvidia.com/").removesuffix(".shared"))
        which = self.random.randrange(20)
        if which == 0:
            labels["nvidia.com/mig.config.state"] = pick(("pending", "rebooting", "failed", "odd"))
        elif which == 1:
            labels["nvidia.com/gpu.deploy." + pick(("device-plugin", "dcgm"))] = pick(
                ("paused-for-mig-change", "paused-for-driver-upgrade"))
        elif which == 2:
            labels["nvidia.com/gpu-driver-upgrade-state"] = pick(
                ("cordon-required", "upgrade-failed", "drain-required"))
        elif which in (3, 4) and resource in self.capacity:
            self.allocatable[resource] = pick((0, max(0, self.capacity[resource] - 1)))
        elif which == 5 and resource in self.capacity:
            self.capacity[resource] += 1
            self.allocatable[resource] = self.capacity[resource]
        elif which == 6:
            labels[family + ".count"] = pick(("0", "3", "x"))
        elif which == 7:
            labels[family + ".replicas"] = pick(("0", "4"))
        elif which in (8, 9):
            labels.pop(family + pick((".count", ".replicas", ".product", ".memory")), None)
        elif which == 10 and family == "nvidia.com/gpu" and "agentpool" not in labels:
            labels["nvidia.com/gpu.product"] = A100 + "-MIG-INVALID"
        elif which == 11:
            extra = resource.removesuffix(".shared") if resource.endswith(".shared") else resource + ".shared"
            self.capacity[extra] = self.allocatable[extra] = self.capacity.get(resource, 2)
        elif which == 12:
            labels[family + ".sharing-strategy"] = pick(("time-slicing", "mps"))
        elif which == 13 and family + ".product" in labels:
            labels[family + ".product"] += "-SHARED" if not labels[family + ".product"].endswith("D") else ""
        elif which == 14:
            labels["cloud.google.com/gke-max-shared-clients-per-gpu"] = pick(("1", "2"))
        elif which == 15 and not any(r.startswith("nvidia.com/mig-") for r in self.capacity):
            labels["cloud.google.com/gke-gpu-sharing-strategy"] = pick(("mps", "time-sharing"))
        elif which == 16:
            labels["nvidia.com/vgpu.present"] = "true"
        elif which == 17:
            self.capacity["nvidia.com/gpu"] = self.allocatable["nvidia.com/gpu"] = pick((0, 1, 5))
        elif which == 18:
            self.capacity["nvidia.com/strange"] = self.allocatable["nvidia.com/strange"] = 2
        elif which == 19 and self.capacity:
            self.capacity[resource] = self.allocatable[resource] = 0

    # --- pods

    def a_namespace(self) -> str:
        if self.chance(5):
            return self.pick(("gpu-operator", "infra"))
        if self.chance(5):
            return self.pick(("stray", "stray-2", "nowhere"))
        return self.pick(self.tenants[self.pick(self.tenants)])

    def pod(self, namespace: str) -> dict:
        self.serial += 1
        return {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": f"pod-{self.serial}", "namespace": namespace,
                             "uid": f"{self.seed:08x}-0000-4000-8000-{self.serial:012x}",
                             "creationTimestamp": f"2025-0{self.random.randint(1, 9)}-01T00:00:0"
                                                  f"{self.random.randrange(10)}Z"},
                "spec": {"schedulerName": "default-scheduler",
                         "containers": [{"name": "main", "image": "x"}]}}

    def make_bound(self) -> None:
        usable = [n for n in self.nodes if any(r.startswith("nvidia.com/") and r != "nvidia.com/strange"
                                               for r in n["status"]["capacity"])]
        if not usable:
            return
        node = self.pick(usable)
        name = node["metadata"]["name"] if self.chance(97) else self.pick(self.nodes)["metadata"]["name"]
        namespace = self.a_namespace()
        keeper = random.Random(f"{self.seed}/{name}").choice(list(self.tenants))
        if self.chance(75):
            namespace = self.pick(self.tenants[keeper])
        pod = self.pod(namespace)
        resource = self.pick(r for r in node["status"]["capacity"]
                             if r.startswith("nvidia.com/") and r != "nvidia.com/strange")
        if self.chance(2):
            resource = self.pick(("nvidia.com/strange", "nvidia.com/gpu", "nvidia.com/gpu.shared"))
        self.ask(pod, {resource: self.pick((1, 1, 1, 2))}, plain=True)
        if self.chance(20):
            pod["spec"]["priority"] = self.pick((0, 500, 950000))
        if self.chance(8):
            pod["metadata"]["annotations"] = {
                "shikiri.dev/isolation": self.pick(("mig", "card", "node", "odd"))}
        pod["spec"]["nodeName"] = name if self.chance(97) else "node-gone"
        pod["status"] = {"phase": self.pick(("Running", "Running", "Running", "Pending", "Unknown",
                                             "Succeeded", "Failed"))}
        if self.chance(5):
            pod["metadata"]["deletionTimestamp"] = "2025-12-01T00:00:00Z"
        self.pods.append(pod)

    def ask(self, pod: dict, vector: dict[str, int], plain=False) -> None:
        """Spreads a request over the pod's containers."""
        spec = pod["spec"]
        main = spec["containers"][0]
        for resource, amount in vector.items():
            self.put(main, resource, amount, plain)
        if self.chance(60):
            main.setdefault("resources", {}).setdefault("requests", {})["cpu"] = self.pick(
                ("1", "500m", "2", "4"))
        resource = self.pick(vector)
        if self.chance(8):
            spec["containers"].append({"name": "second", "image": "x"})
            self.put(spec["containers"][1], resource, 1, plain)
        if self.chance(20):
            for i in range(self.random.randint(1, 3)):
                init = {"name": f"init-{i}", "image": "x"}
                if self.chance(50):
                    init["restartPolicy"] = "Always"
                if self.chance(75):
                    self.put(init, self.pick(vector), self.pick((1, 1, 2)), plain)
                spec.setdefault("initContainers", []).append(init)
        if self.chance(4):
            spec["overhead"] = {resource: "1", "cpu": "100m"}

    def put(self, container: dict, resource: str, amount: int, plain: bool) -> None:
        resources = container.setdefault("resources", {})
        text = str(amount) if plain or self.chance(80) else self.pick(
            (f"{amount}000m", f"{amount}e0", amount, f"{amount}.0", f"0.00{amount}k", f"+{amount}"))
        resources.setdefault("limits", {})[resource] = text
        if plain or self.chance(60):
            resources.setdefault("requests", {})[resource] = str(amount) if self.chance(80) else text

    def question(self) -> dict:
        """A pod that isn't in the snapshot."""
        pod = self.pod(self.a_namespace())
        vector = {self.pick(self.resources): self.pick((1, 1, 1, 1, 1, 2, 2, 3, 5))}
        if self.chance(6):
            vector[self.pick(self.resources)] = 1
        if self.chance(2):
            vector = {self.pick(("nvidia.com/strange", "nvidia.com/mig-1g", "nvidia.com/mig-1c.2g.20gb",
                                 "nvidia.com/gpu.shared.shared", "nvidia.com/mig-9g.99gb", "nvidia.com/GPU",
                                 "nvidia.com/mig-1g.5gb.extra", "nvidia.com/mig-1g.5gb+me")): 1}
        self.ask(pod, vector)
        if self.chance(4):
            pod["spec"] |= self.pick((
                {"resources": {"limits": {"nvidia.com/gpu": "4"}, "requests": {"nvidia.com/gpu": "4"}}},
                {"ephemeralContainers": [{"name": "debug",
                                          "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
                {"priorityClassName": "system-node-critical"}, {"nodeSelector": {"a": "b"}}))
        if self.chance(3):
            self.spoil(pod["spec"]["containers"][0], self.pick(vector))
        notes = {}
        if self.chance(12):
            notes["shikiri.dev/isolation"] = self.pick(("mig", "mig", "card", "node", "strong", ""))
        if self.chance(40):
            notes["shikiri.dev/accept-shared"] = self.pick(("true", "true", "true", "false", "yes"))
        if notes:
            pod["metadata"]["annotations"] = notes
        if self.chance(40):
            pod["spec"]["priority"] = self.pick((0, 500, 5000, 950000))
        pod["status"] = {"phase": "Pending"}
        return pod

    def spoil(self, container: dict, resource: str) -> None:
        """A request that can't be valid, or one of nothing."""
        resources = container["resources"]
        resources.pop("requests", None)
        which = self.random.randrange(5)
        if which == 0:
            resources["limits"][resource] = self.pick(("-1", "0.5", True, "abc", [1], {}, "1500m", 1.5))
        elif which == 1:
            resources["requests"] = {resource: "7"}
        elif which == 2:
            resources["requests"] = {resource: resources.pop("limits")[resource]}
        else:
            resources["limits"][resource] = self.pick(("0", 0, "0m", "1e3", "2147483649"))
