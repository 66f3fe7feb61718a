"""From a start to the first verdict: what is listed, what is adopted, what is freed."""
import pytest

import harness
import live
import shapes
from live import GPU, NODES, SHARED, eventually

PATHS = ("/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces", "/apis/scheduling.k8s.io/v1/priorityclasses")


def test_not_ready_before_all_lists_are_in(world):
    held = world.api.faults.arm("hold_before", path="/pods$", times=None)
    daemon = world.daemon().start(ready=False)
    assert held.reached.wait(20)
    pod = world.pod("early")
    assert daemon.admin.get("/readyz").status == 503
    assert set(daemon.verdicts(pod).values()) == {"NotReady"}
    assert daemon.bind(pod, "cards-a") == "NotReady" and world.api.journal.binds() == []
    world.api.faults.clear(held)
    daemon.wait_ready()
    assert daemon.passes(pod) == ["cards-a", "cards-b", "cards-c"]


def test_lists_from_the_cache_then_watches_from_their_version(world):
    rv = str(world.api.store.rv)
    world.daemon().start()
    world.api.wait_watching()
    for path in PATHS:
        requests = world.api.journal.all("GET", path)
        assert [r.query["resourceVersion"] for r in requests] == ["0", rv]
        assert [r.watch for r in requests] == [False, True]
        watch = requests[1].query
        assert watch["allowWatchBookmarks"] in ("1", "true") and 300 <= int(watch["timeoutSeconds"]) <= 600


def test_pods_without_gpus_pass_while_nothing_is_known(world):
    held = world.api.faults.arm("hold_before", path="/nodes$", times=None)
    daemon = world.daemon().start(ready=False)
    assert held.reached.wait(20)
    assert daemon.passes(world.pod("plain", {})) == NODES


def test_nodes_come_change_and_go(world):
    daemon = world.start()
    pod = world.pod("p")
    assert daemon.verdicts(pod, ["fresh"]) == {"fresh": "NodeUnknown"}
    world.api.create(shapes.cards("fresh", n=1))
    eventually(lambda: daemon.passes(pod, ["fresh"]), "the node is known")
    world.api.set_node("fresh", labels={"nvidia.com/mig.config.state": "pending"})
    eventually(lambda: daemon.verdicts(pod, ["fresh"])["fresh"] == "MigReconfiguring", "the fence is seen")
    world.api.remove("nodes", "fresh")
    eventually(lambda: daemon.verdicts(pod, ["fresh"])["fresh"] == "NodeUnknown", "the node is gone")


def test_namespaces_are_mapped_by_their_labels(world):
    documents = shapes.DOCUMENTS.replace(
        "  namespaces: [nlp]", "  namespaceSelector: {matchLabels: {team: nlp}}")
    daemon = world.start(documents=documents)

    def tenant():
        return daemon.admin.get(live.API + "/namespaces/later/tenant").json()["tenant"]
    assert tenant() == ""
    world.api.create(shapes.namespace("later", team="nlp"))
    eventually(lambda: tenant() == "nlp", "the label counts")
    world.api.change("namespaces", "later", lambda ns: ns["metadata"].update(labels={}))
    eventually(lambda: tenant() == "", "the label is gone")


def test_priority_classes_weigh_in_dry_runs(world):
    world.api.create({"kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 5000})
    daemon = world.start()
    manifest = shapes.pod("p", {GPU: 1}, priorityClassName="urgent")
    del manifest["spec"]["priority"]
    report = daemon.admin.post(live.API + "/dry-runs", manifest).json()
    assert report["pods"][0]["priority"] == 5000


def test_what_others_bound_is_adopted(world):
    before = world.running("before", "cards-a", {GPU: 5})
    daemon = world.start()
    record = daemon.allocation(before)
    assert (record["state"], record["node"], record["tenant"]) == ("foreign", "cards-a", "vision")
    later = world.running("later", "cards-b", {GPU: 5})
    daemon.wait_state(later, "foreign")
    assert daemon.used() == "10"
    assert daemon.passes(world.pod("p", {GPU: 4})) == ["cards-c"]
    daemon.assert_settled()


def test_pods_of_nobody_are_a_domain_of_their_own(world):
    stranger = world.running("stranger", "soft", {SHARED: 1}, ns="nobodys")
    daemon = world.start()
    assert daemon.state(stranger) == "foreign"
    assert daemon.verdicts(world.pod("p", {SHARED: 1}))["soft"] == "TrustBoundary"


def test_ended_pods_are_not_adopted(world):
    ended = world.running("ended", "cards-a")
    world.api.kubelet.set_phase("vision-train", "ended", "Succeeded")
    daemon = world.start()
    assert daemon.state(ended) == "" and daemon.used() == "0"


@pytest.fixture
def two_bound(world):
    """A daemon that bound two pods, and stopped: (daemon, pod, the other)."""
    daemon = world.start()
    pods = [world.pod(name) for name in ("goes", "stays")]
    for pod, node in zip(pods, ("cards-a", "cards-b")):
        assert daemon.bind(pod, node) == ""
    daemon.stop()
    return daemon, *pods


@pytest.mark.parametrize("phase", live.TERMINAL)
def test_what_ended_while_we_were_away_is_freed(world, two_bound, phase):
    daemon, goes, stays = two_bound
    world.api.kubelet.set_phase("vision-train", "goes", phase)
    daemon.start()
    assert (daemon.state(goes), daemon.state(stays), daemon.used()) == ("", "bound", "1")
    daemon.assert_settled()


@pytest.mark.parametrize("again", [False, True], ids=["deleted", "recreated"])
def test_what_vanished_while_we_were_away_keeps_its_place(world, two_bound, again):
    """Nobody saw it end, so it may run yet, as after a forced deletion; unless its node is gone."""
    daemon, goes, stays = two_bound
    world.api.delete_pod("goes", "vision-train")
    if again:
        world.pod("goes")
    daemon.start()
    assert (daemon.state(goes), daemon.state(stays), daemon.used()) == ("bound", "bound", "2")
    world.api.remove("nodes", "cards-a")
    daemon.wait_state(goes, "")
    assert daemon.used() == "1"
    daemon.assert_settled()


def test_a_stale_first_list_frees_nothing(world):
    """The cache that the list comes from may be older than what we did: only its later word counts."""
    before = world.api.store.rv
    daemon = world.start()
    pod = world.pod("young")
    daemon.schedule(pod)
    daemon.stop()
    fault = world.api.faults.arm("stale", path="/pods$", rv=before)
    daemon.start()
    assert fault.hits == 1
    world.seen(daemon)
    record = daemon.allocation(pod)
    assert record and record["node"] == world.node_of(pod)
    daemon.assert_settled()


def test_a_start_without_an_api_server_waits(world):
    world.api.stop()
    daemon = world.daemon().start(ready=False)
    assert set(daemon.verdicts(shapes.pod("p", {GPU: 1})).values()) == {"NotReady"}
    world.api.start()
    daemon.wait_ready()
    assert daemon.passes(world.pod("p"), ["cards-a"]) == ["cards-a"]


def test_a_start_that_does_not_wait_exits(world):
    world.api.stop()
    daemon = world.daemon()
    status, out, errors = harness.run(*daemon.argv[1:], "--wait-api=false", timeout=60)
    assert (status, out) == (69, "") and errors


@pytest.mark.parametrize("fault", [
    {"kind": "status", "code": 500}, {"kind": "status", "code": 503}, {"kind": "status", "code": 403},
    {"kind": "status", "code": 429, "retry_after": 1}, {"kind": "lost_before"}, {"kind": "lost_after"},
    {"kind": "cut", "size": 1000}, {"kind": "cut", "size": 1000, "reset": True},
    {"kind": "body", "code": 200, "data": b"{}"}, {"kind": "body", "code": 200, "data": b""},
    {"kind": "body", "code": 200, "data": b"<html>"}, {"kind": "body", "code": 302, "data": b""},
    {"kind": "slow", "size": 64, "seconds": 0.0},
], ids=lambda fault: "-".join(str(value) for value in fault.values()))
def test_a_first_list_that_fails_is_tried_again(world, fault):
    held = world.running("held", "cards-a", {GPU: 8})
    struck = world.api.faults.arm(fault.pop("kind"), path="/(nodes|pods)$", watch=False, times=2, **fault)
    daemon = world.start()
    assert struck.hits == 2 and daemon.state(held) == "foreign"
    assert daemon.passes(world.pod("p")) == ["cards-b", "cards-c"]
