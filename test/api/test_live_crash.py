"""kill -9 at every step of a bind, and what a new process makes of it."""
import pytest

from live import GPU, QUICK, background, eventually


def crash_during(daemon, world, pod, fault, node="cards-a"):
    """Kills the daemon while the fault holds its Binding."""
    def call():
        try:
            return daemon.bind(pod, node)
        except (AssertionError, OSError):
            return "crashed"
    with background(call) as answer:
        assert fault.reached.wait(20)
        daemon.wait_state(pod, "reserved")
        daemon.kill()
    assert answer == ["crashed"]


def test_before_the_work_of_the_api_server(world):
    """The POST is under way while its sender is dead; the new process makes sure that it can't land."""
    daemon = world.start()
    pod = world.aside("p", {GPU: 8})
    late = world.api.faults.arm("hold_before", path="/binding$")
    crash_during(daemon, world, pod, late)
    daemon.start(ready=False)
    daemon.wait_state(pod, "")
    daemon.wait_ready()
    assert world.nudges(pod)
    late.release()
    world.api.wait_for(lambda: world.api.journal.binds()[0].outcome is not None, "the late POST is over")
    assert world.node_of(pod) == ""
    daemon.schedule(pod)
    daemon.assert_settled()


def test_between_work_and_answer(world):
    daemon = world.start()
    pod = world.aside("p")
    held = world.api.faults.arm("hold_after", path="/binding$")
    crash_during(daemon, world, pod, held)
    held.release()
    daemon.start()
    assert (daemon.state(pod), daemon.used()) == ("bound", "1")
    assert daemon.bind(pod, "cards-a") == "" and daemon.bind(pod, "cards-b") == "AlreadyBound"
    assert len(world.api.journal.binds()) == 1
    daemon.assert_settled()


def test_it_lands_while_nobody_is_there(world):
    daemon = world.start()
    pod = world.aside("p")
    held = world.api.faults.arm("hold_before", path="/binding$")
    crash_during(daemon, world, pod, held)
    held.release()
    world.api.wait_for(lambda: world.node_of(pod) == "cards-a", "the POST landed")
    daemon.start()
    assert daemon.state(pod) == "bound"
    daemon.assert_settled()


def take(world):
    world.api.change("pods", "p", lambda pod: pod["spec"].update(nodeName="cards-c"), "vision-train")


def end(world):
    world.api.kubelet.set_phase("vision-train", "p", "Failed")


def delete(world):
    world.api.delete_pod("p", "vision-train")


def remake(world):
    delete(world)
    world.aside("p")


@pytest.mark.parametrize("move,state", [(take, "foreign"), (end, ""), (delete, "kept"), (remake, "kept")])
def test_the_pod_moved_on(world, move, state):
    daemon = world.start()
    pod = world.aside("p")
    held = world.api.faults.arm("hold_before", path="/binding$")
    crash_during(daemon, world, pod, held)
    move(world)
    held.release()
    daemon.start()
    if state == "kept":
        # It may have been bound before it went, so it may run: only its node tells that it doesn't.
        world.seen(daemon)
        assert daemon.state(pod) != ""
        world.api.remove("nodes", "cards-a")
    daemon.wait_state(pod, state.replace("kept", ""))
    daemon.assert_settled()


def test_after_the_answer(world):
    daemon = world.start()
    pods = [world.aside(f"p-{i}") for i in range(5)]
    nodes = ["cards-a", "cards-b", "cards-a", "cards-c", "cards-b"]
    assert [daemon.bind(pod, node) for pod, node in zip(pods, nodes)] == [""] * 5
    rows = daemon.allocations()
    daemon.kill()
    daemon.start()
    assert daemon.allocations() == rows
    assert [daemon.bind(pod, node) for pod, node in zip(pods, nodes)] == [""] * 5
    assert len(world.api.journal.binds()) == 5
    daemon.assert_settled()


def test_an_unknown_row_survives(world):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.seen(daemon)
    fault = world.api.faults.arm("lost_before", path="/pods/p(/|$)", times=None)
    assert daemon.bind(pod, "cards-a") == "ApiUncertain"
    daemon.kill()
    asked = fault.hits
    daemon.start(ready=False)
    eventually(lambda: fault.hits >= asked + 2, "it is asked about")
    assert daemon.state(pod) == "unknown" and daemon.bind(pod, "cards-b") != ""
    world.api.faults.clear(fault)
    daemon.wait_state(pod, "")
    daemon.wait_ready()
    daemon.schedule(pod)
    daemon.assert_settled()


def test_both_binds_of_a_scheduler_that_crashed(world):
    """A new scheduler binds the same pod elsewhere while the old one's bind still runs."""
    daemon = world.start()
    pod = world.aside("p")
    held = world.api.faults.arm("hold_before", path="/binding$")
    with background(daemon.bind, pod, "cards-a") as old:
        assert held.reached.wait(20)
        assert daemon.bind(pod, "cards-b") == "BindInProgress"
        held.release()
    assert old == [""] and daemon.bind(pod, "cards-b") == "AlreadyBound"
    daemon.assert_settled()


def test_stopping_drains(world):
    """SIGTERM in the middle of a bind: the daemon goes cleanly, and its successor knows."""
    daemon = world.start()
    pod = world.aside("p")
    held = world.api.faults.arm("hold_before", path="/binding$", seconds=0.5)
    with background(daemon.bind, pod, "cards-a"):
        assert held.reached.wait(20)
        daemon.stop()
    daemon.start()
    eventually(lambda: daemon.state(pod) in ("bound", ""), "it is resolved")
    daemon.assert_settled()
