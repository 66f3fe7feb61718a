"""What frees a place, and what doesn't."""
import pytest

import shapes
from live import GPU, SHARED, TERMINAL, eventually

FULL = {GPU: 8}


def bound(world, daemon, name="p", resources=None, node="cards-a", **spec):
    pod = world.pod(name, FULL if resources is None else resources, **spec)
    assert daemon.bind_error(pod, node) == ""
    return pod


@pytest.mark.parametrize("phase", TERMINAL)
def test_an_ended_pod_frees_once(world, phase):
    daemon = world.start()
    pod = bound(world, daemon)
    world.api.kubelet.set_phase("vision-train", "p", phase)
    daemon.wait_state(pod, "")
    assert daemon.used() == "0"
    world.api.delete_pod("p", "vision-train")
    world.seen(daemon)
    assert daemon.used() == "0"
    bound(world, daemon, "next")
    daemon.assert_settled()


def test_an_ordinary_deletion_frees_at_its_end(world):
    daemon = world.start()
    pod = bound(world, daemon)
    world.api.kubelet.automatic = False
    world.api.delete_pod("p", "vision-train")
    world.seen(daemon)
    assert daemon.state(pod) == "bound"  # a deletion timestamp alone frees nothing
    world.api.kubelet.terminate("vision-train", "p")
    daemon.wait_state(pod, "")
    daemon.assert_settled()


def force(world, daemon, pod):
    meta = pod["metadata"]
    world.api.delete_pod(meta["name"], meta["namespace"], force=True)
    world.seen(daemon)


def test_a_forced_deletion_keeps_place_domain_and_charge(world):
    daemon = world.start()
    pod, soft = bound(world, daemon), bound(world, daemon, "soft", {SHARED: 1}, "soft")
    force(world, daemon, pod)
    force(world, daemon, soft)
    assert daemon.state(pod) != "" and daemon.used() == "8.25"
    assert daemon.bind(world.pod("next"), "cards-a") == "CardsBusy"
    assert daemon.bind(world.pod("stranger", {SHARED: 1}, ns="nlp"), "soft") == "TrustBoundary"


def test_a_forced_deletion_frees_after_its_grace(world):
    daemon = world.start()
    pod = bound(world, daemon, terminationGracePeriodSeconds=0)
    force(world, daemon, pod)
    assert daemon.state(pod) != ""
    daemon.wait_state(pod, "", timeout=60)
    bound(world, daemon, "next")


def test_a_forced_deletion_on_a_node_that_goes(world):
    daemon = world.start()
    pod = bound(world, daemon)
    force(world, daemon, pod)
    assert daemon.state(pod) != ""
    world.api.remove("nodes", "cards-a")
    daemon.wait_state(pod, "")


def test_the_same_name_again_is_another_pod(world):
    daemon = world.start()
    pod = bound(world, daemon)
    force(world, daemon, pod)
    again = world.pod("p")
    assert daemon.bind(again, "cards-b") == "" and daemon.state(pod) != ""


@pytest.mark.parametrize("what", ["not ready", "gone"])
def test_nodes_release_nothing(world, what):
    daemon = world.start()
    pod = bound(world, daemon)
    if what == "gone":
        world.api.remove("nodes", "cards-a")
    else:
        world.api.set_node("cards-a", ready=False)
    world.seen(daemon)
    assert (daemon.state(pod), daemon.used()) == ("bound", "8")
    daemon.restart()
    assert (daemon.state(pod), daemon.used()) == ("bound", "8")


def test_late_events_revive_nobody(world):
    daemon = world.start()
    pod = bound(world, daemon)
    old = world.now(pod)
    world.api.delete_pod("p", "vision-train")
    daemon.wait_state(pod, "")
    world.api.inject_event("pods", "MODIFIED", {"kind": "Pod", "apiVersion": "v1", **old})
    world.seen(daemon)
    assert daemon.state(pod) == "" and daemon.used() == "0"


def test_a_pod_that_kubelet_refused_leaves_its_node_alone(world):
    daemon = world.start()
    world.api.kubelet.refuse_next()
    pod = bound(world, daemon, resources={GPU: 1})
    daemon.wait_state(pod, "")
    waiting = world.pod("waiting")
    assert daemon.verdicts(waiting)["cards-a"] == "Held"
    assert daemon.bind(waiting, "cards-a") == "Held"
    assert daemon.passes(waiting) == ["cards-b", "cards-c"]
    eventually(lambda: "cards-a" in daemon.passes(waiting), "ten seconds pass")
    assert daemon.bind(waiting, "cards-a") == ""


def test_a_pod_that_failed_by_itself_holds_nothing(world):
    daemon = world.start()
    pod = bound(world, daemon, resources={GPU: 1})
    daemon.wait_state(pod, "bound")
    world.api.kubelet.set_phase("vision-train", "p", "Failed", reason="Error")
    daemon.wait_state(pod, "")
    assert "cards-a" in daemon.passes(world.pod("next"))


def test_a_namespace_that_moves_takes_its_new_pods_along(world):
    daemon = world.start()
    pod = bound(world, daemon)
    daemon.apply(shapes.DOCUMENTS.replace("[vision-train, vision-serve]", "[vision-serve]")
                 .replace("[nlp]", "[nlp, vision-train]"))
    later = bound(world, daemon, "later", node="cards-b")
    assert (daemon.allocation(pod)["tenant"], daemon.allocation(later)["tenant"]) == ("vision", "nlp")
    daemon.restart()
    assert (daemon.allocation(pod)["tenant"], daemon.allocation(later)["tenant"]) == ("vision", "nlp")
