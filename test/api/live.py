"""shikirid on an API server of ours, and the part that kube-scheduler plays."""
import contextlib
import copy
import threading
import time

import harness
import shapes
from harness import API
from shapes import N

GPU = N + "gpu"
SHARED = N + "gpu.shared"
TERMINAL = ("Succeeded", "Failed")
NUDGED = "shikiri.dev/Nudged"
EVENTUALLY_S = 30

# For tests that wait for what comes after a bind's time; others would be unsure on a busy machine.
QUICK = """\
apiVersion: shikiri.dev/v1
kind: Policy
metadata: {name: quick}
spec:
  limits: {bindTimeout: 1s}
"""

CLUSTER = [
    shapes.cards("cards-a"), shapes.cards("cards-b"), shapes.cards("cards-c"), shapes.time_sliced("soft"),
    *(shapes.namespace(name) for name in ("vision-train", "vision-serve", "nlp", "nobodys")),
]
NODES = sorted(item["metadata"]["name"] for item in CLUSTER if item["kind"] == "Node")
# Beside what tests ask about: a node that only says what the daemon has seen so far.
PROBES, PROBE = "probes", N + "mig-1g.10gb"


def eventually(predicate, what, timeout=EVENTUALLY_S):
    """What predicate() returns, once it is true."""
    end = time.monotonic() + timeout
    while True:
        found = predicate()
        if found:
            return found
        assert time.monotonic() < end, f"{what}: not within {timeout} s"
        time.sleep(0.02)


@contextlib.contextmanager
def background(do, *args):
    """do(*args) in a thread; its result comes in the list, at the end of the block at the latest."""
    results = []
    thread = threading.Thread(target=lambda: results.append(do(*args)))
    thread.start()
    try:
        yield results
    finally:
        thread.join(EVENTUALLY_S)
    assert not thread.is_alive() and results, "it never returned"


class Live(harness.Daemon):
    """Restarts keep the ledger and the files; kill() and start() again are a crash."""

    def __init__(self, directory, api, documents=shapes.DOCUMENTS, policy=None, args=(), user=None,
                 ca_file=None):
        self.api = api
        self.kubeconfig = api.write_kubeconfig(directory / "kubeconfig", ca_file, **(user or {}))
        super().__init__(directory, None, documents, policy, [
            "--kubeconfig", str(self.kubeconfig), "--auth", "none",
            "--ledger", str(directory / "ledger.db"), *args])

    def start(self, ready=True):
        super().start()
        if ready:
            self.wait_ready()
        return self

    def restart(self):
        self.stop()
        return self.start()

    def is_ready(self):
        return self.admin.get("/readyz").status == 200

    def wait_ready(self):
        eventually(self.is_ready, f"readiness; requests:\n{self.api.journal}")

    # --- what kube-scheduler asks ---------------------------------------------------------------

    def ask(self, verb, body):
        """On a connection of its own, as the scheduler's binds are."""
        listener = harness.Listener(self.extender.url)
        try:
            return listener.post(f"/scheduler/v1/{verb}", body).json()
        finally:
            listener.close()

    def verdicts(self, pod, nodes=NODES):
        """{node: code}, "" for one that passes."""
        answer = self.ask("filter", shapes.args(pod, nodes))
        assert not answer.get("Error"), answer
        refused = {**answer["FailedNodes"], **answer["FailedAndUnresolvableNodes"]}
        result = {node: text.partition(":")[0] for node, text in refused.items()}
        result.update((node, "") for node in answer["NodeNames"])
        assert sorted(result) == sorted(nodes)
        return result

    def passes(self, pod, nodes=NODES):
        return sorted(node for node, code in self.verdicts(pod, nodes).items() if not code)

    def bind_error(self, pod, node):
        return self.ask("bind", shapes.binding(pod, node))["Error"]

    def bind(self, pod, node):
        """The code of the refusal, "" when it is bound."""
        return self.bind_error(pod, node).partition(":")[0]

    def schedule(self, pod, nodes=NODES):
        """Filter, prioritize and bind as one cycle of the scheduler: the node."""
        feasible = self.passes(pod, nodes)
        assert feasible, self.verdicts(pod, nodes)
        scores = self.ask("prioritize", shapes.args(pod, feasible))
        node = max(scores, key=lambda score: score["Score"])["Host"] if len(feasible) > 1 else feasible[0]
        assert self.bind_error(pod, node) == ""
        return node

    # --- what the books say ---------------------------------------------------------------------

    def allocations(self):
        answer = self.admin.get(API + "/allocations?limit=500")
        assert answer.status == 200, answer
        return {record["uid"]: record for record in answer.json()["items"]}

    def allocation(self, pod):
        return self.allocations().get(pod["metadata"]["uid"])

    def state(self, pod):
        """Of its row; "" for none."""
        record = self.allocation(pod)
        return record["state"] if record else ""

    def wait_state(self, pod, state, timeout=EVENTUALLY_S):
        return eventually(lambda: self.state(pod) == state,
                          f"{pod['metadata']['name']} {state or 'without a row'}", timeout)

    def used(self, tenant="vision", unit="gpuEquivalents"):
        return self.admin.get(f"{API}/tenants/{tenant}/quota").json()["status"][unit]["used"]

    def apply(self, text):
        answer = self.admin.post(API + "/apply", text, "application/yaml")
        assert answer.status == 200, answer

    def assert_settled(self):
        """The books and the API server agree, nothing is under way, and no rule was broken."""
        def settled():
            return ({uid: row["node"] for uid, row in self.allocations().items()
                     if row["state"] in ("bound", "foreign")} == self.gpu_pods() and
                    all(row["state"] in ("bound", "foreign") for row in self.allocations().values()))
        eventually(settled, "ledger and API server agree")
        self.api.assert_fits()
        self.api.assert_bound_once()
        assert self.admin.get(API + "/ledger/verify").json()["sound"] is True

    def gpu_pods(self):
        return {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in self.api.objects("pods")
                if pod["spec"].get("nodeName") and pod["status"]["phase"] not in TERMINAL and
                any(name.startswith(N) for container in pod["spec"]["containers"]
                    for name in container.get("resources", {}).get("limits", {}))}


class World:
    """The API server with CLUSTER in it, and daemons that belong to one test."""

    def __init__(self, directory, api):
        self.directory, self.api = directory, api
        api.create_all([*CLUSTER, shapes.mixed(PROBES, {"1g.10gb": 7}, 1)])
        self._daemons = []

    def daemon(self, **what):
        directory = self.directory / f"live-{len(self._daemons)}"
        directory.mkdir()
        self._daemons.append(Live(directory, self.api, **what))
        return self._daemons[-1]

    def start(self, **what):
        """A daemon that is ready and knows which scheduler is its own."""
        first = self.pod("first-asked", {PROBE: 1}, ns="kube-system")
        daemon = self.daemon(**what).start()
        assert daemon.passes(first, [PROBES]) == [PROBES]
        self.api.remove("pods", "first-asked", "kube-system")
        return daemon

    def aside(self, name, resources=None, **spec):
        """A pod of a scheduler that never asks filter about it, so that no nudge of ours moves its
        version in the middle of a bind."""
        return self.pod(name, resources, schedulerName="aside", **spec)

    def pod(self, name, resources=None, ns="vision-train", **spec):
        """A pending pod as the API server keeps it."""
        spec.setdefault("schedulerName", "shikiri")
        amounts = {GPU: 1} if resources is None else resources
        return self.api.create(shapes.pod(name, amounts, ns, **spec))

    def running(self, name, node, resources=None, ns="vision-train", **spec):
        """A pod that somebody else bound."""
        value = self.pod(name, resources, ns, nodeName=node, **spec)
        return self.api.kubelet.set_phase(ns, value["metadata"]["name"], "Running")

    def now(self, pod):
        """The pod as it is now; None when it is gone."""
        return self.api.get("pods", pod["metadata"]["name"], pod["metadata"]["namespace"])

    def node_of(self, pod):
        return self.now(pod)["spec"].get("nodeName", "")

    def touch(self, pod):
        """Somebody else changes the pod: its version moves."""
        def change(value):
            annotations = value["metadata"].setdefault("annotations", {})
            annotations["touched"] = str(int(annotations.get("touched", "0")) + 1)
        meta = pod["metadata"]
        return self.api.change("pods", meta["name"], change, meta["namespace"])

    def assign(self, pod, node):
        """Another binder."""
        meta = pod["metadata"]
        return self.api.change("pods", meta["name"], lambda value: value["spec"].update(nodeName=node),
                               meta["namespace"])

    def deaf(self, resource="pods"):
        """From now on the daemon's watch of it says nothing, until the fault is cleared."""
        return self.api.faults.arm("silence", path=f"/{resource}$", watch=True, times=None)

    def seen(self, daemon):
        """All that happened to pods so far has reached the daemon: what came after it has."""
        name = f"probe-{self.api.store.rv}"
        probe = self.running(name, PROBES, {PROBE: 1}, ns="kube-system")
        daemon.wait_state(probe, "foreign")
        self.api.kubelet.terminate("kube-system", name)
        daemon.wait_state(probe, "")

    def nudges(self, pod, after=0):
        """Requests that touched the pod's status."""
        meta = pod["metadata"]
        path = f"/namespaces/{meta['namespace']}/pods/{meta['name']}/status"
        return self.api.journal.all("PATCH", path, after)

    def condition(self, pod):
        return next((c for c in self.now(pod)["status"].get("conditions", []) if c["type"] == NUDGED), None)

    def events(self, pod, reason=None):
        return [event for event in self.api.objects("events")
                if event["regarding"].get("uid") == pod["metadata"]["uid"] and
                reason in (None, event["reason"])]

    def close(self):
        """Daemons must go cleanly whatever the API server does."""
        self.api.faults.clear()
        for daemon in self._daemons:
            daemon.stop()


def without(pod, *path):
    """A copy of the pod that lacks the field."""
    value = copy.deepcopy(pod)
    part = value
    for name in path[:-1]:
        part = part[name]
    part.pop(path[-1])
    return value
