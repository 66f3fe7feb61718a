"""Events on pods: few, to the point, and never in anybody's way."""
import live
import shapes
from live import GPU, eventually


def reasons(world, pod):
    return sorted(event["reason"] for event in world.events(pod))


def told(world, pod, reason):
    return eventually(lambda: world.events(pod, reason), f"{reason} is told")


def test_a_placed_pod_is_told_of(world):
    daemon = world.start()
    pod = world.pod("p")
    node = daemon.schedule(pod)
    event, = told(world, pod, "GPUPlaced")
    assert event["type"] == "Normal" and node in event["note"]
    regarding = event["regarding"]
    assert (regarding["kind"], regarding["name"], regarding["namespace"]) == ("Pod", "p", "vision-train")
    assert [daemon.bind(pod, node) for _ in range(3)] == [""] * 3
    world.seen(daemon)
    assert reasons(world, pod).count("GPUPlaced") == 1


def test_a_waiting_pod_is_told_why_once(world):
    daemon = world.start()
    pod, other = world.pod("p", {GPU: 21}), world.pod("other", {GPU: 9})
    world.seen(daemon)
    for _ in range(5):
        assert daemon.passes(pod) == []
    event, = told(world, pod, "GPUWaiting")
    assert event["regarding"]["uid"] == pod["metadata"]["uid"] and event["note"]
    daemon.passes(other)
    told(world, other, "GPUWaiting")
    assert reasons(world, pod) == ["GPUWaiting"]


def test_a_new_reason_is_told_anew(world):
    daemon = world.start(documents=shapes.DOCUMENTS.replace('"20"', '"12"'))
    pod = world.pod("p", {GPU: 13})
    world.seen(daemon)
    assert set(daemon.verdicts(pod, ["cards-a"]).values()) == {"QuotaCeiling"}
    first, = told(world, pod, "GPUWaiting")
    daemon.apply(shapes.DOCUMENTS)
    assert daemon.verdicts(pod, ["cards-a"]) != {"cards-a": "QuotaCeiling"}

    def notes():
        return {event["note"] for event in world.events(pod, "GPUWaiting")} - {first["note"]}
    assert eventually(notes, "the new reason is told")


def test_an_adopted_pod_is_told_of(world):
    daemon = world.start()
    pod = world.running("p", "cards-b")
    event, = told(world, pod, "GPUAdopted")
    assert event["type"] == "Warning" and "cards-b" in event["note"]
    daemon.restart()
    world.seen(daemon)
    assert reasons(world, pod) == ["GPUAdopted"]


def test_borrowing_is_told_of(world):
    daemon = world.start()
    pods = [world.pod(f"p-{i}", {GPU: 8}) for i in range(2)]
    for pod in pods:
        daemon.schedule(pod)
    assert daemon.allocation(pods[1])["quotaClass"] == "borrowed"
    told(world, pods[1], "GPUBorrowing")
    told(world, pods[0], "GPUPlaced")
    assert world.events(pods[0], "GPUBorrowing") == []


def test_events_hold_up_nothing(world):
    held = world.api.faults.arm("hold_before", path="/events$", times=None)
    daemon = world.start()
    pods = [world.pod(f"p-{i}") for i in range(6)]
    for pod in pods:
        daemon.schedule(pod)
    assert held.hits >= 1 and len(daemon.allocations()) == 6
    assert daemon.passes(world.pod("next"), live.NODES)
    world.api.faults.clear(held)
    told(world, pods[0], "GPUPlaced")


def test_events_that_fail_are_let_be(world):
    fault = world.api.faults.arm("status", path="/events$", code=500, times=None)
    daemon = world.start()
    for i in range(3):
        daemon.schedule(world.pod(f"p-{i}"))
    eventually(lambda: fault.hits >= 1, "it tried")
    daemon.assert_settled()
