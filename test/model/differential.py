#!/usr/bin/env python3
"""Asks the daemon and the model the same questions and tells where they differ.

    differential.py [--seed N] [--count N] [--questions N] [--only] [--mutate NAME] [--self-test]

One cluster a seed. --only replays one seed and prints all of it; --mutate puts a mistake into the
model; --self-test proves that every one of the mistakes is noticed. The daemon is
$SHIKIRI_BUILD/cmd/shikirid/shikirid (default: build).
"""
import argparse
import collections
import copy
import http.client
import json
import os
import random
import select
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import model
import nodes
from generate import Generator
from model import OVER_QUOTA, REJECTED, RESOLVABLE, World
from nodes import MUTANT, UNITS

TOP = Path(__file__).resolve().parents[2]
ADMIN = "/apis/shikiri.dev/v1"
START_SECONDS = 20
SHOWN = 12


# --- the daemon ---------------------------------------------------------------------------------


class Daemon:
    """shikirid serving a snapshot; a context manager."""

    def __init__(self, folder: Path, cluster: dict, documents: list[dict], policy: dict | None):
        build = Path(os.environ.get("SHIKIRI_BUILD", TOP / "build"))
        (folder / "cluster.json").write_text(json.dumps(cluster))
        command = [build / "cmd/shikirid/shikirid", "--snapshot", folder / "cluster.json", "--ledger",
                   ":memory:", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
                   "--log-level", "warn"]
        if documents:
            (folder / "documents.yaml").write_text(stream(documents))
            command += ["--apply", folder / "documents.yaml"]
        if policy:
            (folder / "policy.yaml").write_text(json.dumps(policy))
            command += ["--policy", folder / "policy.yaml"]
        self.log = folder / "log"
        self.process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE,
                                        stderr=self.log.open("w"), stdin=subprocess.DEVNULL)
        try:
            self.connect()
        except Exception:
            self.stop()
            raise

    def connect(self) -> None:
        out = self.process.stdout
        ready = select.select([out], [], [], START_SECONDS)[0] and out.readline().decode().split()
        if not ready or ready[0] != "ready":
            raise RuntimeError(f"not ready: {self.log.read_text()[-1500:]}")
        address = dict(part.split("=", 1) for part in ready[1:])
        self.extender, self.admin = (
            http.client.HTTPConnection(address[k].removeprefix("http://"), timeout=10)
            for k in ("extender", "admin"))

    def stop(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def call(self, connection, method: str, path: str, body=None, kind="application/json"):
        data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
        connection.request(method, path, data, {"Content-Type": kind} if data else {})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:600]}")
        return json.loads(text) if text else None

    def verb(self, name: str, body: dict):
        return self.call(self.extender, "POST", "/scheduler/v1/" + name, body)

    def get(self, path: str):
        return self.call(self.admin, "GET", ADMIN + path)

    def post(self, path: str, body, kind="application/json"):
        return self.call(self.admin, "POST", ADMIN + path, body, kind)

    def items(self, path: str) -> list[dict]:
        found, token = [], ""
        while True:
            page = self.get(f"{path}?limit=200" + (f"&continue={token}" if token else ""))
            found += page["items"]
            token = page["metadata"]["continue"]
            if not token:
                return found


def stream(documents: list[dict]) -> str:
    return "".join("---\n" + json.dumps(d) + "\n" for d in documents)


class Stop(Exception):
    """Nothing more can be compared on this cluster."""


# --- one seed -----------------------------------------------------------------------------------


class Case:
    def __init__(self, seed: int, questions: int):
        self.seed = seed
        self.generator = Generator(seed)
        self.cluster, self.policy = self.generator.cluster(), self.generator.policy
        self.documents = self.generator.documents
        self.asked = [self.generator.question() for _ in range(questions)]
        self.random = random.Random(-seed - 1)
        self.world = World(self.cluster, self.documents, self.policy, "2026-11-30T00:00:00Z")
        self.passed = 0
        self.phase = "starting"
        self.added: set[str] = set()  # pods that the emulated cluster has seen pending
        self.failures: list[tuple[str, str]] = []  # kind, text
        self.spread = ((self.policy or {}).get("spec", {}).get("packing", {}).get("objective") == "spread")

    def check(self, kind: str, expected, got, **context) -> bool:
        if expected == got:
            self.passed += 1
            return True
        lines = [f"expected {expected!r}", f"got      {got!r}", f"while {self.phase}"]
        lines += [f"{k}: {v if isinstance(v, str) else json.dumps(v)}" for k, v in context.items()]
        self.failures.append((kind, "\n".join(lines)))
        return False

    def run(self) -> None:
        with tempfile.TemporaryDirectory(prefix="shikiri-model-") as folder:
            with Daemon(Path(folder), self.cluster, self.documents, self.policy) as self.daemon:
                for step in (self.compare_start, self.ask_all, self.ask_workload, self.ask_full_nodes,
                             self.bind_some, self.hold_some, self.change_nodes, self.move_namespaces,
                             self.lower_limits):
                    self.phase = step.__name__
                    step()
                if self.daemon.process.poll() is not None:
                    self.check("alive", None, self.daemon.process.poll(),
                               log=self.daemon.log.read_text()[-3000:])

    # -- state

    def compare_start(self) -> None:
        self.compare_nodes()
        self.compare_allocations("adopted")
        self.compare_quotas()

    def ask_all(self) -> None:
        for pod in self.asked:
            self.ask(pod)

    def compare_nodes(self) -> None:
        got = {n["metadata"]["name"]: n["status"] for n in self.daemon.items("/nodes")}
        self.check("nodes", sorted(self.world.nodes), sorted(got))
        for name, node in self.world.nodes.items():
            status = got.get(name, {})
            context = {"node": self.node_json(name), "facts": self.world.tenancy.facts, "status": status}
            pools = {p["resource"]: p for p in status.get("pools", []) if p["capacity"] > 0}
            kinds = {r: (p.kind, p.disguised) for r, p in node.pools.items() if p.capacity}
            if not node.contradictions:
                self.check("pool kinds", kinds, {
                    r: (p["kind"], bool(p.get("disguised"))) for r, p in pools.items()}, **context)
            self.check("fence", node.fence(), status.get("fence") or "", **context)
            if kinds:
                self.check("contradiction", bool(node.contradictions), bool(status.get("contradiction")),
                           model=str(node.contradictions), **context)
            for resource, pool in node.pools.items() if pools else ():
                if not pool.capacity:
                    continue
                counts = pools.get(resource, {})
                taken = self.world.taken(name, resource)
                expected = (pool.capacity, pool.allocatable, taken, max(0, pool.allocatable - taken))
                self.check("pool counts", expected, tuple(
                    counts.get(k) for k in ("capacity", "allocatable", "used", "free")), **context)

    def compare_allocations(self, when: str) -> None:
        got = {a["uid"]: a for a in self.daemon.items("/allocations")}
        self.check(f"allocations {when}", sorted(self.world.allocations), sorted(got))
        domains: dict[str, set] = collections.defaultdict(set)
        for uid, row in self.world.allocations.items():
            if uid not in got:
                continue
            answer = got[uid]
            node = self.world.nodes.get(row.node)
            context = {"allocation": answer, "node": self.node_json(row.node), "policy": self.policy}
            same = self.check("resources", row.vector, answer["resources"], **context)
            if row.owner.kind in ("tenant", "default", "infrastructure"):
                self.check("tenant", row.owner.tenant, answer["tenant"], **context)
            if row.owner.kind == "tenant":
                self.check("domain", row.owner.domain, answer["trustDomain"], **context)
            domains[row.owner.domain].add(answer.get("trustDomain"))
            if same and node and not node.contradictions:
                self.compare_charge(row.charge, answer["charge"], **context)
            if row.owner.kind == "tenant":
                self.check("quota class", row.quota_class, answer["quotaClass"], **context,
                           quota=self.quota_json(row.owner.tenant))
            promised = row.owner.kind in ("tenant", "default") or not row.wanted
            if same and node and not node.contradictions and promised:
                self.check("isolation class", row.isolation, answer["isolation"], **context)
        self.check("domains one to one", [], [d for d, names in domains.items() if d and len(names) != 1])

    def compare_charge(self, expected: dict[str, int], got: dict, **context) -> None:
        exact = {u: nodes.printed(n) for u, n in expected.items() if u in UNITS}
        self.check("charge", exact, {u: str(n) for u, n in got.items() if u in UNITS}, **context)

    # -- questions

    def ask(self, pod: dict, kinds=("filter", "dry run", "prioritize")) -> dict:
        names = [*self.world.nodes, "node-unknown"]
        self.random.shuffle(names)
        expected = self.world.decide(pod, names)
        good = self.filter(pod, names, expected)
        if good and self.random.random() < 0.2:
            self.filter(pod, self.random.sample(names, len(names)), expected)
        if good and "dry run" in kinds:
            self.dry_run(pod, expected)
        if good and "prioritize" in kinds:
            self.prioritize(pod, expected)
        return expected

    def filter(self, pod: dict, names: list[str], expected: dict) -> bool:
        doubled = names + names[:1] if self.random.random() < 0.05 else names
        answer = self.daemon.verb("filter", {"Pod": pod, "NodeNames": doubled})
        if answer["Error"]:
            return self.check("filter error", "", answer["Error"], pod=pod)
        got = {n: ("", "fits") for n in answer["NodeNames"]}
        count = sum(len(answer[k]) for k in ("NodeNames", "FailedNodes", "FailedAndUnresolvableNodes"))
        self.check("each node once, sorted", (len(names), sorted(answer["NodeNames"])),
                   (count, answer["NodeNames"]))
        for key, group in (("FailedNodes", "F"), ("FailedAndUnresolvableNodes", "U")):
            for name, text in answer[key].items():
                got[name] = (text.split(":")[0], group)
                if len(text.encode()) > 80 or "%" in text:
                    self.check("reason text", "at most 80 bytes, no %", text)
        good = self.check("nodes answered", sorted(names), sorted(got))
        for name, verdict in expected.items():
            code, group = got.get(name, ("missing", ""))
            wanted = verdict.code if code not in verdict.codes else code
            right = "fits" if verdict.fits else "F" if verdict.code in RESOLVABLE else "U"
            good &= self.check("verdict", (wanted, right), (code, group), **self.context(pod, name))
        return good

    def dry_run(self, pod: dict, expected: dict) -> None:
        body = copy.deepcopy(pod)
        for key in ("uid", "creationTimestamp"):
            body["metadata"].pop(key)
        answer = self.daemon.post("/dry-runs", {"manifests": [body]})
        if not self.check("dry run pods", 1, len(answer["pods"]), pod=pod):
            return
        self.compare_plan(pod, answer["pods"][0], expected)

    def compare_plan(self, pod: dict, told: dict, expected: dict) -> None:
        expected = {n: v for n, v in expected.items() if n in self.world.nodes}
        got = {n["name"]: n for n in told["nodes"]}
        is_invalid = any(v.code == "InvalidRequest" for v in expected.values())
        for name, verdict in expected.items():
            if is_invalid or name not in got:
                continue  # whether an invalid pod has nodes is left open
            code = "" if got[name]["fits"] else got[name]["code"]
            self.check("dry run verdict", code if code in verdict.codes else verdict.code, code,
                       **self.context(pod, name))
        if all(v.fits and not v.charge for v in expected.values()):
            self.check("dry run whole", "Fits", told["verdict"], pod=pod)
            return  # no GPU: no node is named
        fitting = {n for n, v in expected.items() if v.fits}
        if not fitting:
            self.compare_refusal(pod, told, expected)
            return
        if not self.check("dry run node", True, told["node"] in fitting, told=told["node"], pod=pod):
            return
        verdict = expected[told["node"]]
        context = self.context(pod, told["node"])
        self.compare_charge(verdict.charge, told["charge"], **context)
        self.check("dry run isolation", verdict.isolation, told["isolation"], **context)
        borrows = verdict.quota_class == "borrowed"
        self.check("dry run whole", "FitsByBorrowing" if borrows else "Fits", told["verdict"], **context)
        if self.world.tenancy.owner(pod["metadata"]["namespace"], "").kind == "tenant":
            self.check("dry run class", verdict.quota_class, told["quotaClass"], **context)

    def compare_refusal(self, pod: dict, told: dict, expected: dict) -> None:
        furthest = max(v.row for v in expected.values())
        codes = {c for v in expected.values() if v.row == furthest for c in (v.codes or (v.code,))}
        fitting = told["code"] if told["code"] in codes else sorted(codes)
        self.check("dry run code", fitting, told["code"], pod=pod)
        code = next(iter(codes))
        whole = ("Invalid" if code == "InvalidRequest" else "Rejected" if code in REJECTED else
                 "QuotaExceeded" if code in OVER_QUOTA else "NoFit")
        if told["verdict"] == "FitsWithPreemption" and whole in ("NoFit", "QuotaExceeded"):
            whole = told["verdict"]
        self.check("dry run whole", whole, told["verdict"], pod=pod, code=code)

    def prioritize(self, pod: dict, expected: dict) -> list[str]:
        fitting = [n for n, v in expected.items() if v.fits and n in self.world.nodes]
        if not fitting or not any(v.charge for v in expected.values()):
            return fitting
        self.random.shuffle(fitting)
        answer = self.daemon.verb("prioritize", {"Pod": pod, "NodeNames": fitting})
        hosts = [a["Host"] for a in sorted(answer, key=lambda a: -a["Score"])]
        count = min(10, len(fitting))
        scores = sorted((a["Score"] for a in answer), reverse=True)
        self.check("scores", list(range(10, 10 - count, -1)), scores)
        self.check("hosts", (count, set()), (len(set(hosts)), set(hosts) - set(fitting)), pod=pod)
        if not self.spread:
            self.check_order(pod, hosts)
        return hosts

    def check_order(self, pod: dict, hosts: list[str]) -> None:
        a = model.asking(pod, self.world.tenancy)
        opens = []
        for name in hosts:
            node = self.world.nodes[name]
            pools = [node.pools[r] for r in a.request.vector]
            if all(p.soft for p in pools):
                opens.append(any(not self.world.holders(name, p.resource) for p in pools))
        if a.owner.kind != "infrastructure":
            self.check("own soft pools first", sorted(opens), opens, pod=pod, hosts=hosts)
        if all(self.world.nodes[n].pools[r].kind == "mig" for n in hosts for r in a.request.vector):
            keys = [self.left_over(n, pod, a.request.vector) for n in hosts]
            self.check("least left over first", sorted(keys), keys, pod=pod, hosts=hosts)

    def left_over(self, name: str, pod: dict, vector: dict[str, int]) -> tuple[int, int]:
        """Compute slices and quarter cores that are free once the pod is there."""
        node = self.world.nodes[name]
        slices = 0
        for pool in node.pools.values():
            left = pool.allocatable - self.world.taken(name, pool.resource) - vector.get(pool.resource, 0)
            slices += max(0, left) * pool.weight["computeSlices"] if pool.weight else 0
        cpu = node.cpu - nodes.cpu_of(pod["spec"]) - sum(r.cpu for r in self.world.residents(name))
        return int(slices), max(0, int(4 * cpu))

    def ask_workload(self) -> None:
        """Several replicas in one dry run: each sees the earlier ones placed."""
        pod = copy.deepcopy(self.random.choice(self.asked))
        world = copy.copy(self.world)
        world.allocations = dict(self.world.allocations)
        template = {"metadata": {"annotations": pod["metadata"].get("annotations", {})}, "spec": pod["spec"]}
        manifest = {"apiVersion": "apps/v1", "kind": "ReplicaSet",
                    "metadata": {"name": "many", "namespace": pod["metadata"]["namespace"]},
                    "spec": {"replicas": 3, "selector": {}, "template": template}}
        answer = self.daemon.post("/dry-runs", {"manifests": [manifest]})
        kept, self.world = self.world, world
        for i, told in enumerate(answer["pods"]):
            pod["metadata"] |= {"uid": f"dry-run-{i}", "name": f"many-{i}"}
            self.check("workload name", f"many-{i}", told["name"])
            expected = world.decide(pod, list(world.nodes))
            before = len(self.failures)
            self.compare_plan(pod, told, expected)
            if len(self.failures) > before or not told["node"]:
                break
            world.bind(pod, told["node"])
        self.world = kept

    def ask_full_nodes(self) -> None:
        """Whole Node objects: known ones as we know them, others by their own data, and empty."""
        original = self.random.choice(self.cluster["items"][:len(self.world.nodes)])
        template = copy.deepcopy(original)
        template["metadata"]["name"] = "template"
        liar = copy.deepcopy(original)
        liar["metadata"]["labels"]["nvidia.com/mig.config.state"] = "failed"
        for pod in self.random.sample(self.asked, min(2, len(self.asked))):
            expected = self.world.decide(pod, [original["metadata"]["name"]])
            self.world.nodes["template"] = nodes.Node(template, self.world.tenancy.facts, self.world.policy)
            expected |= self.world.decide(pod, ["template"])
            del self.world.nodes["template"]
            answer = self.daemon.verb("filter", {"Pod": pod, "Nodes": {"items": [template, liar]}})
            got = {n["metadata"]["name"]: "" for n in answer["Nodes"]["items"]}
            for key in ("FailedNodes", "FailedAndUnresolvableNodes"):
                got |= {name: text.split(":")[0] for name, text in answer[key].items()}
            for name, verdict in expected.items():
                code = got.get(name, "missing")
                self.check("full node", code if code in verdict.codes else verdict.code, code,
                           **self.context(pod, original["metadata"]["name"]), of=name)

    # -- changes

    def change_nodes(self) -> None:
        """A cordon, and a node that becomes something else under its pods."""
        names = self.random.sample(sorted(self.world.nodes), min(2, len(self.world.nodes)))
        self.cordon(names[0], True)
        item = self.generator.another_node(names[-1])
        self.daemon.call(self.daemon.admin, "PUT", f"{ADMIN}/emulate/nodes/{names[-1]}", item)
        self.world.replace_node(item)
        self.compare_nodes()
        for pod in self.unbound()[:6]:
            self.ask(pod)
        self.cordon(names[0], False)

    def compare_quotas(self) -> None:
        got = {q["metadata"]["name"]: q["status"] for q in self.daemon.items("/quotas")}
        for tenant, limits in self.world.tenancy.quotas.items():
            for unit, limit in limits.items():
                status = got.get(tenant, {}).get(unit, {})
                used = self.world.used(tenant, unit)
                self.check("used", nodes.printed(used), status.get("used"), unit=unit,
                           quota=self.quota_json(tenant))
                over = limit.ceiling is not None and used > limit.ceiling
                self.check("over ceiling", over, status.get("overCeiling"), unit=unit,
                           quota=self.quota_json(tenant))
                if limit.guaranteed is None:
                    continue  # a mere cap takes no part in who borrows
                room = max(0, self.world.room_of(tenant, unit, ""))
                self.check("room", nodes.printed(room), status.get("room"), unit=unit, used=used,
                           quota=self.quota_json(tenant))

    def add_pending(self, pod: dict) -> None:
        self.daemon.post("/emulate/pods", pod)
        self.added.add(pod["metadata"]["uid"])

    def delete(self, namespace: str, name: str) -> None:
        self.daemon.call(self.daemon.admin, "DELETE", f"{ADMIN}/emulate/pods/{namespace}/{name}")

    def post_binding(self, pod: dict, node: str) -> str:
        meta = pod["metadata"]
        answer = self.daemon.verb("bind", {"PodName": meta["name"], "PodNamespace": meta["namespace"],
                                           "PodUID": meta["uid"], "Node": node})
        return answer["Error"].split(":")[0]

    def bind(self, pod: dict, node: str) -> None:
        context = self.context(pod, node)
        allowed = self.world.bind(pod, node)
        code = self.post_binding(pod, node)
        if not self.check("bind", code if code in allowed else allowed[0], code, **context):
            raise Stop  # what follows would differ for this alone

    def bind_some(self) -> None:
        asked = self.random.sample(self.asked, len(self.asked))
        done = 0
        for pod in asked:
            fitting, refused = self.split(pod)
            if not fitting or done == 4:
                continue
            done += 1
            self.add_pending(pod)
            if refused and self.random.random() < 0.3:
                self.bind(pod, self.random.choice(refused))
            node = self.random.choice(fitting)
            self.bind(pod, node)
            self.check("bind again", "", self.post_binding(pod, node))
            elsewhere = self.random.choice([*self.world.nodes])
            if elsewhere != node:
                self.check("bind elsewhere", "AlreadyBound", self.post_binding(pod, elsewhere), pod=pod)
            self.compare_allocations("after a bind")
            self.compare_quotas()
            self.invariants()
            self.ask(pod, ())  # only its own node passes now
            for other in [*self.rivals(pod), *self.asked[:2]]:
                if other["metadata"]["uid"] not in self.world.allocations:
                    self.ask(other)
        if self.world.allocations:
            self.forget(self.random.choice(sorted(self.world.allocations)))

    def split(self, pod: dict) -> tuple[list[str], list[str]]:
        verdicts = self.world.decide(pod, list(self.world.nodes))
        fitting = [n for n, v in verdicts.items() if v.fits and v.charge]
        return fitting, [n for n, v in verdicts.items() if not v.fits]

    def forget(self, uid: str) -> None:
        row = self.world.allocations[uid]
        self.delete(row.namespace, row.name)
        self.world.release(uid)
        self.compare_allocations("after an end")
        for pod in self.unbound()[:1]:
            self.ask(pod)

    def unbound(self) -> list[dict]:
        """Pods that no question has left a trace of."""
        return [p for p in self.asked if p["metadata"]["uid"] not in self.added]

    def rivals(self, pod: dict) -> list[dict]:
        """The same pod once for every tenant."""
        found = []
        for spaces in self.generator.tenants.values():
            rival = copy.deepcopy(pod)
            self.generator.serial += 1
            number = self.generator.serial
            rival["metadata"] |= {"name": f"rival-{number}", "namespace": self.random.choice(spaces),
                                  "uid": f"{self.seed:08x}-0000-4000-9000-{number:012x}"}
            rival["metadata"].get("annotations", {}).pop("shikiri.dev/isolation", None)
            found.append(rival)
        return found

    def ask_pending(self, pod: dict) -> None:
        """A filter for a pod that is seen pending makes, moves or ends its hold."""
        hosts = self.prioritize(pod, self.ask(pod, ()))
        self.world.holds.pop(pod["metadata"]["uid"], None)
        if hosts:
            self.world.hold(pod, hosts[0])

    def hold_some(self) -> None:
        """A pending pod that passed filter is seen by the next one."""
        holders = [p for p in self.unbound() if self.split(p)[0] and self.world.tenancy.owner(
            p["metadata"]["namespace"], "").kind != "infrastructure"]
        soft = [p for p in holders if any(self.world.nodes[n].pools[r].soft for n in self.split(p)[0]
                                          for r in nodes.request_of(p["spec"]).vector)]
        for i, pod in enumerate((soft[:2] + holders)[:3]):
            if pod["metadata"]["uid"] in self.added:
                continue
            self.add_pending(pod)
            self.ask_pending(pod)
            rivals = self.rivals(pod)
            for rival in rivals:
                self.ask(rival)
            held = self.world.holds.get(pod["metadata"]["uid"])
            if not held:
                continue
            node = held[0].node
            if i == 0 and self.random.random() < 0.5:
                self.cordon(node, True)
                self.ask_pending(pod)
                self.cordon(node, False)
            elif self.random.random() < 0.3:
                self.delete(pod["metadata"]["namespace"], pod["metadata"]["name"])
                self.world.release(pod["metadata"]["uid"])
            else:
                self.bind_past(pod, rivals)
            for rival in self.rivals(pod):
                self.ask(rival)

    def bind_past(self, pod: dict, rivals: list[dict]) -> None:
        """Binds judge by allocations alone: a hold stops nobody."""
        node = self.world.holds[pod["metadata"]["uid"]][0].node
        for contender in [*self.random.sample(rivals, min(2, len(rivals))), pod]:
            if contender is not pod:
                self.add_pending(contender)
            self.bind(contender, node)
            self.compare_allocations("after a held bind")
            self.invariants()

    def cordon(self, node: str, stop: bool) -> None:
        self.daemon.post(f"/nodes/{node}:{'cordon' if stop else 'uncordon'}-gpu", {})
        self.world.cordon(node, stop)

    def move_namespaces(self) -> None:
        """Pods that run stay with their tenant, new ones go with the namespace."""
        documents = copy.deepcopy(self.documents)
        tenants = [d["spec"] for d in documents if d["kind"] == "Tenant"]
        if len(tenants) < 2 or self.random.random() < 0.5:
            return
        one, other = self.random.sample(tenants, 2)
        taken, kept = other["namespaces"][:1], other["namespaces"][1:]
        one["namespaces"], other["namespaces"] = taken, one["namespaces"] + kept
        self.apply(documents)
        self.compare_allocations("after a move")
        for pod in self.unbound()[:6]:
            self.ask(pod)

    def apply(self, documents: list[dict]) -> None:
        self.daemon.post("/apply", stream(documents), "application/yaml")
        self.documents = documents
        self.world.set_documents(documents)

    def lower_limits(self) -> None:
        """A lower ceiling never lets through what a higher one refused."""
        before = {p["metadata"]["uid"]: set(self.split(p)[0]) for p in self.unbound()}
        documents = copy.deepcopy(self.documents)
        quotas = [d["spec"].get("quota", {}) for d in documents if d["kind"] == "Tenant"]
        for entry in [entry for quota in quotas for entry in quota.values()]:
            ceiling = entry.get("ceiling", entry.get("guaranteed"))
            if "guaranteed" in entry:
                entry["ceiling"] = entry["guaranteed"]
            else:
                entry["ceiling"] = "2" if ceiling == "unlimited" else f"{Decimal(str(ceiling)) / 2:.5f}"
        self.apply(documents)
        for pod in self.random.sample(self.unbound(), min(5, len(self.unbound()))):
            self.ask(pod)
            enabled = set(self.split(pod)[0]) - before[pod["metadata"]["uid"]]
            self.check("lowering enables nothing", set(), enabled, pod=pod)

    def invariants(self) -> None:
        """No grant beyond a ceiling, no soft pool of two domains, through our binds."""
        rows = self.daemon.items("/allocations")
        ours = [r for r in rows if r["state"] == "bound"]
        for row in ours:
            for resource in row["resources"]:
                pool = self.world.nodes[row["node"]].pools.get(resource)
                if pool and pool.soft and row["tenant"] != "_infrastructure":
                    inside = {r["trustDomain"] for r in rows if r["node"] == row["node"] and
                              resource in r["resources"] and r["tenant"] != "_infrastructure"}
                    self.check("I7: one domain in a soft pool", {row["trustDomain"]}, inside, allocation=row)
            for unit, limit in self.world.tenancy.quotas.get(row["tenant"], {}).items():
                if limit.ceiling is None or unit not in UNITS or unit not in row["charge"]:
                    continue
                used = sum(Decimal(str(r["charge"].get(unit, 0))) for r in rows
                           if r["tenant"] == row["tenant"])
                most = Decimal(limit.ceiling) / nodes.PARTS + Decimal("0.001") * len(rows)
                foreign = any(r["state"] == "foreign" for r in rows if r["tenant"] == row["tenant"])
                if Decimal(str(row["charge"][unit])) > 0 and not foreign:
                    self.check("I1: within the ceiling", True, used <= most, allocation=row)

    # -- what a reader needs to see

    def node_json(self, name: str) -> dict | None:
        return next((n for n in self.world.items["Node"] if n["metadata"]["name"] == name), None)

    def quota_json(self, tenant: str | None) -> dict | None:
        return next((d for d in self.world.documents if d["kind"] == "Tenant"
                     and d["metadata"]["name"] == tenant), None)

    def context(self, pod: dict, name: str) -> dict:
        owner = self.world.tenancy.owner(pod["metadata"]["namespace"], pod["metadata"]["uid"])
        here = [f"{r.owner.domain} {r.vector} {r.quota_class}" for r in self.world.residents(name)]
        return {"node": self.node_json(name), "pod": pod, "owner": f"{owner}", "residents": here,
                "quota": self.quota_json(owner.tenant)}


# --- many seeds ---------------------------------------------------------------------------------


def run(seed: int, questions: int) -> Case:
    case = Case(seed, questions)
    try:
        case.run()
    except Stop:
        pass
    except (OSError, RuntimeError, KeyError, http.client.HTTPException) as problem:
        case.failures.append(("broken off", f"{type(problem).__name__}: {problem}"))
    return case


def verdicts(seed: int, questions: int) -> list:
    case = Case(seed, questions)
    rows = [(uid, r.charge, r.quota_class) for uid, r in sorted(case.world.allocations.items())]
    return rows + [[(v.code, v.charge) for v in case.world.decide(p, [*case.world.nodes]).values()]
                   for p in case.asked]


def self_test(first: int, questions: int) -> int:
    """Each mistake in the model shows up as a difference to the daemon."""
    passed = failed = 0
    for name in nodes.MUTATIONS:
        noticed, tries, seed = False, 0, first
        while not noticed and tries < 20 and seed < first + 400:
            MUTANT.clear()
            right = verdicts(seed, questions)
            MUTANT.add(name)
            if name.startswith("hold") or verdicts(seed, questions) != right:
                tries += 1
                noticed = bool(run(seed, questions).failures)
            seed += 1
        MUTANT.clear()
        is_proof = noticed and not run(seed - 1, questions).failures
        print(f"{'ok' if is_proof else 'NOT NOTICED'}: mistake {name}, seed {seed - 1}")
        passed, failed = passed + is_proof, failed + (not is_proof)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="clusters")
    parser.add_argument("--questions", type=int, default=25, help="pods asked about per cluster")
    parser.add_argument("--only", action="store_true", help="this one seed, with all its differences")
    parser.add_argument("--mutate", choices=nodes.MUTATIONS)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        return self_test(args.seed, args.questions)
    if args.mutate:
        MUTANT.add(args.mutate)
    compared = passed = failed = 0
    kinds: collections.Counter = collections.Counter()
    first: dict[str, int] = {}
    for seed in range(args.seed, args.seed + (1 if args.only else args.count)):
        case = run(seed, args.questions)
        compared += case.passed + len(case.failures)
        passed, failed = passed + (not case.failures), failed + bool(case.failures)
        for kind, text in case.failures:
            summary = kind + ": " + ", ".join(" ".join(line.split()) for line in text.splitlines()[:2])
            kinds[summary] += 1
            first.setdefault(summary, seed)
            if args.only or kinds[summary] == 1 and len(kinds) <= SHOWN:
                print(f"seed {seed}: {kind}\n    " + text.replace("\n", "\n    "))
                print(f"    again: test/model/differential.py --seed {seed} --only")
    for summary, number in kinds.most_common(40):
        print(f"{number} times, first with seed {first[summary]}: {summary}")
    print(f"{compared} comparisons; clusters on which daemon and model agree in all:")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
