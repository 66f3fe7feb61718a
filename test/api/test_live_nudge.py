"""Waiting pods that would pass now are woken, and nobody else is."""
import pytest

import shapes
from harness import API
from live import GPU, SHARED, eventually

WITHIN_S = 5  # what users are promised


def nudged(world, pod):
    return eventually(lambda: world.condition(pod), f"{pod['metadata']['name']} is nudged", WITHIN_S)


def quota(ceiling):
    return shapes.DOCUMENTS.replace('guaranteed: "12"', f'guaranteed: "{min(ceiling, 12)}"').replace(
        '"20"', f'"{ceiling}"').replace('lendable: "6"', 'lendable: "0"')


def fill(world, daemon, *nodes):
    """Whole nodes, bound by us for a tenant without limits."""
    pods = []
    for node in nodes:
        pods.append(world.pod(f"fills-{node}", {GPU: 8}, ns="nlp"))
        assert daemon.bind_error(pods[-1], node) == ""
    return pods


def expect_only(world, woken, asleep, mark):
    """Each of woken is touched, once; the others aren't, though time enough has passed for them too."""
    for pod in woken:
        nudged(world, pod)
    assert [len(world.nudges(pod, mark)) for pod in woken] == [1] * len(woken)
    assert [world.condition(pod) for pod in asleep] == [None] * len(asleep)


def test_a_raised_quota(world):
    daemon = world.start(documents=quota(2))
    small, large, other = (world.pod(f"asks-{n}", {GPU: n}) for n in (4, 7, 9))
    for pod in (small, large):
        assert daemon.verdicts(pod, ["cards-a"]) == {"cards-a": "QuotaCeiling"}
    mark = world.api.journal.last
    daemon.apply(quota(4))
    expect_only(world, [small], [large, other], mark)
    condition = world.condition(small)
    assert condition["status"] in ("True", "False") and condition["reason"]
    daemon.schedule(small)
    daemon.assert_settled()


def test_a_nudge_is_a_patch_of_the_status_alone(world):
    daemon = world.start(documents=quota(2))
    pod = world.pod("p", {GPU: 4})
    daemon.verdicts(pod)
    daemon.apply(quota(4))
    nudged(world, pod)
    request, = world.nudges(pod)
    assert set(request.value) <= {"metadata", "status", "apiVersion", "kind"}
    assert set(request.value["status"]) <= {"conditions", "$setElementOrder/conditions"}
    assert request.value["metadata"]["uid"] == pod["metadata"]["uid"]


def test_a_freed_place(world):
    daemon = world.start()
    holder, _, _ = fill(world, daemon, "cards-a", "cards-b", "cards-c")
    waits, soft = world.pod("waits", {GPU: 8}), world.pod("too-many", {GPU: 9})
    assert daemon.passes(waits) == daemon.passes(soft) == []
    mark = world.api.journal.last
    world.api.delete_pod(holder["metadata"]["name"], "nlp")
    expect_only(world, [waits], [soft], mark)
    assert daemon.schedule(waits) == "cards-a"


def test_a_pod_that_nobody_asked_about(world):
    """Its filter came before our watch showed it, or went to an earlier process."""
    daemon = world.start()
    holder, _, _ = fill(world, daemon, "cards-a", "cards-b", "cards-c")
    pod = world.pod("never-filtered", {GPU: 8})
    world.seen(daemon)
    mark = world.api.journal.last
    world.api.delete_pod(holder["metadata"]["name"], "nlp")
    expect_only(world, [pod], [], mark)


def lift_cordon(world, daemon):
    assert daemon.admin.post(f"{API}/nodes/cards-a:uncordon-gpu").status == 200


def lift_label(world, daemon):
    world.api.set_node("cards-a", labels={"nvidia.com/mig.config.state": "success"})


@pytest.mark.parametrize("fence,lift", [("GpuCordoned", lift_cordon), ("MigFailed", lift_label)])
def test_a_lifted_fence(world, fence, lift):
    for name in ("cards-b", "cards-c"):
        world.api.remove("nodes", name)
    daemon = world.start()
    if fence == "GpuCordoned":
        assert daemon.admin.post(f"{API}/nodes/cards-a:cordon-gpu").status == 200
    else:
        world.api.set_node("cards-a", labels={"nvidia.com/mig.config.state": "failed"})
    pod, other = world.pod("p"), world.pod("other", {GPU: 9})
    eventually(lambda: daemon.verdicts(pod, ["cards-a"]) == {"cards-a": fence}, "it is fenced")
    mark = world.api.journal.last
    lift(world, daemon)
    expect_only(world, [pod], [other], mark)


def test_a_new_node(world):
    daemon = world.start()
    pod, other = world.pod("p", {GPU: 12}), world.pod("other", {GPU: 20})
    assert daemon.passes(pod) == daemon.passes(other) == []
    mark = world.api.journal.last
    world.api.create(shapes.cards("large", n=16))
    expect_only(world, [pod], [other], mark)


def test_a_namespace_that_is_mapped(world):
    daemon = world.start()
    pod = world.pod("p", ns="nobodys")
    assert set(daemon.verdicts(pod).values()) == {"TenantUnknown"}
    daemon.apply(shapes.DOCUMENTS.replace("[nlp]", "[nlp, nobodys]"))
    nudged(world, pod)


def test_a_soft_pool_that_its_domain_left(world):
    daemon = world.start()
    first = world.pod("first", {SHARED: 1}, ns="nlp")
    assert daemon.bind(first, "soft") == ""
    pod = world.pod("p", {SHARED: 1})
    assert daemon.verdicts(pod)["soft"] == "TrustBoundary"
    world.api.delete_pod("first", "nlp")
    nudged(world, pod)


def test_readiness_after_a_restart(world):
    daemon = world.start()
    daemon.stop()
    pod, other = world.pod("p"), world.pod("other", {GPU: 9})
    plain, elsewhere = world.pod("plain", {}), world.running("runs", "cards-a")
    mark = world.api.journal.last
    daemon.start()
    expect_only(world, [pod], [other, plain, elsewhere], mark)


def test_the_oldest_of_the_highest_priority_comes_first(world):
    """Where not all would fit, those that come first in line are woken first."""
    daemon = world.start(documents=quota(4))
    daemon.stop()
    mark = world.api.journal.last
    pods = [world.pod(f"p-{i}", {GPU: 2}, priority=priority) for i, priority in enumerate((0, 9, 0, 9, 9))]
    daemon.start()
    for pod in pods:
        eventually(lambda pod=pod: world.nudges(pod), "in the end all are asked for again")
    order = [r.path.split("/")[-2] for r in world.api.journal.all("PATCH", "/status", mark)]
    assert (set(order[:2]), set(order[2:4]), order[4]) == ({"p-1", "p-3"}, {"p-4", "p-0"}, "p-2")


def test_nothing_new_wakes_nobody(world):
    daemon = world.start(documents=quota(2))
    pod = world.pod("p", {GPU: 4})
    assert daemon.passes(pod) == []
    for _ in range(3):
        daemon.verdicts(pod)
    world.api.set_node("cards-a", labels={"some": "label"})
    world.seen(daemon)
    daemon.apply(quota(3))
    marker = world.pod("marker", {GPU: 3})
    daemon.apply(quota(2))
    daemon.apply(quota(3))
    nudged(world, marker)
    assert world.condition(pod) is None


def test_a_nudge_that_fails_is_tried_again(world):
    daemon = world.start(documents=quota(2))
    pod = world.pod("p", {GPU: 4})
    daemon.verdicts(pod)
    fault = world.api.faults.arm("status", path="/status$", code=429, retry_after=1)
    daemon.apply(quota(4))
    eventually(lambda: world.condition(pod), "it is nudged")
    assert fault.hits == 1


def test_a_pod_made_again_is_not_touched_for_the_old_one(world):
    """The uid is a precondition of the patch."""
    daemon = world.start(documents=quota(2))
    pod = world.pod("p", {GPU: 4})
    daemon.verdicts(pod)
    held = world.api.faults.arm("hold_before", path="/status$")
    daemon.apply(quota(4))
    assert held.reached.wait(20)
    world.api.remove("pods", "p", "vision-train")
    again = world.pod("p", {GPU: 9})
    held.release()
    world.api.wait_for(lambda: world.nudges(pod)[0].outcome is not None, "the patch is answered")
    assert world.nudges(pod)[0].outcome == 409 and world.condition(again) is None
