"""Bind against an API server: what is sent, and every answer that may come."""
import re

import pytest

import shapes
from live import GPU, QUICK, background, eventually

ALLOCATION = re.compile(r"^v1;(\d+)\.(\d+);([^;]+);nvidia\.com/gpu=(\d+)$")


def bindings(world):
    return [request.value for request in world.api.journal.binds()]


# --- the good case ------------------------------------------------------------------------------


def test_one_write_says_it_all(world):
    daemon = world.start()
    pod = world.aside("p", {GPU: 2})
    assert daemon.bind_error(pod, "cards-b") == ""
    sent, = bindings(world)
    meta = sent["metadata"]
    assert sent["target"] == {"apiVersion": "v1", "kind": "Node", "name": "cards-b"}
    assert (meta["name"], meta["uid"]) == ("p", pod["metadata"]["uid"])
    assert meta["resourceVersion"] == pod["metadata"]["resourceVersion"]
    assert set(meta["annotations"]) == {f"shikiri.dev/{name}" for name in (
        "allocation", "isolation-class", "quota-class", "tenant")}
    record = daemon.allocation(pod)
    said = ALLOCATION.match(meta["annotations"]["shikiri.dev/allocation"])
    assert said and (int(said[2]), said[3], said[4]) == (record["seq"], "cards-b", "2")
    assert meta["annotations"]["shikiri.dev/tenant"] == "vision"
    assert meta["annotations"]["shikiri.dev/quota-class"] == record["quotaClass"] == "guaranteed"
    assert meta["annotations"]["shikiri.dev/isolation-class"] == record["isolation"] == "card"
    assert record["state"] == "bound" and world.node_of(pod) == "cards-b"
    daemon.assert_settled()


def test_a_pod_without_gpus_is_bound_plainly(world):
    daemon = world.start()
    pod = world.aside("plain", {})
    assert daemon.bind_error(pod, "cards-b") == ""
    sent, = bindings(world)
    assert not sent["metadata"].get("annotations") and daemon.state(pod) == ""
    assert sent["metadata"]["uid"] == pod["metadata"]["uid"] and world.node_of(pod) == "cards-b"


def test_repeats_send_nothing(world):
    daemon = world.start()
    pod = world.aside("p")
    assert [daemon.bind(pod, node) for node in ("cards-a", "cards-a", "cards-b")] == ["", "", "AlreadyBound"]
    world.seen(daemon)
    assert [daemon.bind(pod, node) for node in ("cards-a", "cards-b")] == ["", "AlreadyBound"]
    assert len(bindings(world)) == 1


def test_a_pod_that_the_watch_has_not_shown_yet(world):
    daemon = world.start()
    world.deaf()
    pod = world.aside("young")
    assert daemon.bind_error(pod, "cards-a") == ""
    assert daemon.allocation(pod)["node"] == world.node_of(pod) == "cards-a"


def test_binds_decide_again(world):
    daemon = world.start()
    big, small = world.pod("big", {GPU: 8}), world.pod("small")
    assert daemon.passes(small, ["cards-a"]) == daemon.passes(big, ["cards-a"]) == ["cards-a"]
    assert daemon.bind(big, "cards-a") == ""
    assert daemon.bind(small, "cards-a") == "CardsBusy"
    assert daemon.bind(small, "nowhere") == "NodeUnknown"
    assert len(bindings(world)) == 1 and daemon.state(small) == ""


# --- who is it ----------------------------------------------------------------------------------


def forged_uid(world):
    pod = world.aside("p")
    return {**pod, "metadata": {**pod["metadata"], "uid": shapes.uid()}}


def unknown(world):
    return shapes.pod("none", {GPU: 1})


def gated(world):
    return world.aside("p", schedulingGates=[{"name": "wait"}])


def ended(world):
    world.aside("p")
    return world.api.kubelet.set_phase("vision-train", "p", "Failed")


def placed(world):
    return world.assign(world.aside("p"), "cards-c")


@pytest.mark.parametrize("who,codes", [
    (forged_uid, {"UidMismatch"}), (unknown, {"PodUnknown", "PodGone"}), (gated, {"PodGated"}),
    (ended, {"PodGone"}), (placed, {"AlreadyBound"})], ids=lambda who: getattr(who, "__name__", ""))
@pytest.mark.parametrize("seen", [True, False], ids=["seen", "unseen"])
def test_who_is_refused(world, who, codes, seen):
    """By what the mirror shows or, where it shows nothing, by a GET; nothing is sent for them."""
    daemon = world.start()
    if not seen:
        world.deaf()
    pod = who(world)
    if seen:
        world.seen(daemon)
    assert daemon.bind(pod, "cards-a") in codes
    assert bindings(world) == [] and daemon.state(pod) in ("", "foreign")


# --- answers that are a no ----------------------------------------------------------------------


def change(world, pod):
    world.touch(pod)


def take(world, pod):
    world.assign(pod, "cards-c")


def delete(world, pod):
    world.api.delete_pod(pod["metadata"]["name"], pod["metadata"]["namespace"])


def remake(world, pod):
    delete(world, pod)
    world.pod(pod["metadata"]["name"])


def close_gate(world, pod):
    world.api.change("pods", "p", lambda value: value["spec"].update(schedulingGates=[{"name": "wait"}]),
                     "vision-train")


def mark_deleted(world, pod):
    world.api.change("pods", "p", lambda value: value["metadata"].update(
        deletionTimestamp="2026-01-01T00:00:00Z", deletionGracePeriodSeconds=30), "vision-train")


@pytest.mark.parametrize("what,codes,posts", [
    (change, {""}, 2), (take, {"AlreadyBound"}, 1), (delete, {"PodGone"}, 1),
    (remake, {"UidMismatch", "PodGone"}, 1), (close_gate, {"PodGated"}, 1), (mark_deleted, {"PodGone"}, 1)],
    ids=["stale", "taken", "deleted", "remade", "gated", "going"])
def test_what_changed_without_our_knowing(world, what, codes, posts):
    """The Binding's preconditions catch it; only a version that moved is tried once more."""
    daemon = world.start()
    pod = world.aside("p")
    world.seen(daemon)
    fault = world.deaf()
    what(world, pod)
    assert daemon.bind(pod, "cards-a") in codes
    assert len(bindings(world)) == posts
    world.api.faults.clear(fault)
    daemon.assert_settled()
    assert daemon.state(pod) == {"stale": "bound", "taken": "foreign"}.get(
        {change: "stale", take: "taken"}.get(what), "")


def test_a_conflict_is_tried_once_more_and_not_for_ever(world):
    daemon = world.start()
    pod = world.aside("p")
    world.api.faults.arm("status", path="/binding$", code=409, times=None)
    assert daemon.bind(pod, "cards-a") == "ApiRefused"
    assert len(bindings(world)) == 2
    world.api.faults.clear()
    daemon.wait_state(pod, "")
    assert daemon.used() == "0" and daemon.bind(pod, "cards-b") == ""
    daemon.assert_settled()


@pytest.mark.parametrize("code", [400, 403, 422])
def test_a_definite_no_frees_at_once(world, code):
    daemon = world.start()
    pod = world.aside("p")
    fault = world.api.faults.arm("status", path="/binding$", code=code, message="policy says no", times=None)
    text = daemon.bind_error(pod, "cards-a")
    assert text.startswith("ApiRefused: ") and "policy says no" in text and fault.hits == 1
    daemon.wait_state(pod, "")
    assert daemon.used() == "0" and world.node_of(pod) == ""
    world.api.faults.clear()
    assert daemon.bind(pod, "cards-b") == ""


def test_too_many_requests_are_sent_again_later(world):
    daemon = world.start()
    pod = world.aside("p")
    world.api.faults.arm("status", path="/binding$", code=429, retry_after=1)
    assert daemon.bind_error(pod, "cards-a") == ""
    first, second = world.api.journal.binds()
    assert (first.outcome, second.outcome) == (429, 201) and second.at - first.at >= 1
    daemon.assert_settled()


def test_too_many_requests_to_the_end(world):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.api.faults.arm("status", path="/binding$", code=429, retry_after=1, times=None)
    assert daemon.bind(pod, "cards-a") in ("ApiRefused", "ApiUncertain")
    world.api.faults.clear()
    daemon.wait_state(pod, "")
    assert world.node_of(pod) == "" and daemon.bind(pod, "cards-b") == ""
    daemon.assert_settled()


# --- several at once ----------------------------------------------------------------------------


def test_one_binding_for_two_calls(world):
    daemon = world.start()
    pod = world.aside("p")
    held = world.api.faults.arm("hold_before", path="/binding$")
    with background(daemon.bind, pod, "cards-a") as first, background(daemon.bind, pod, "cards-a") as second:
        assert held.reached.wait(20)
        daemon.wait_state(pod, "reserved")
        assert daemon.bind(pod, "cards-b") == "BindInProgress"
        held.release()
    assert (first, second, len(bindings(world))) == ([""], [""], 1)
    daemon.assert_settled()


def test_while_a_bind_runs_filter_knows_its_node(world):
    daemon = world.start()
    pod = world.aside("p", {GPU: 8})
    held = world.api.faults.arm("hold_before", path="/binding$")
    with background(daemon.bind, pod, "cards-b") as answer:
        daemon.wait_state(pod, "reserved")
        assert daemon.verdicts(pod) == {"cards-a": "Held", "cards-b": "", "cards-c": "Held", "soft": "Held"}
        assert daemon.used() == "8"
        held.release()
    assert answer == [""]


def test_at_most_sixteen_bindings_are_under_way(world):
    documents = shapes.DOCUMENTS.replace('guaranteed: "12"', 'guaranteed: "24"').replace('"20"', '"24"')
    daemon = world.start(documents=documents)
    pods = [world.aside(f"p-{i:02}") for i in range(24)]
    held = world.api.faults.arm("hold_before", path="/binding$", times=None)
    most = []

    def under_way():
        most.append(sum(1 for request in world.api.journal.binds() if request.outcome is None))
        return most[-1] == 16
    threads = [background(daemon.bind, pod, f"cards-{'abc'[i // 8]}") for i, pod in enumerate(pods)]
    answers = [thread.__enter__() for thread in threads]
    world.api.wait_for(under_way, "sixteen bindings")
    eventually(lambda: len(daemon.allocations()) == 24, "all are reserved")
    under_way()
    world.api.faults.clear(held)
    for thread in threads:
        thread.__exit__(None, None, None)
    assert answers == [[""]] * 24 and max(most) == 16
    daemon.assert_settled()


def test_a_late_read_of_an_older_namesake(world):
    """A GET from before a relist shows a pod that is gone; the one that has its name now stays."""
    daemon = world.start()
    world.api.wait_watching()
    deaf = world.deaf()
    old = world.pod("p")
    late = world.api.faults.arm("hold_after", method="GET", path="/pods/p$")
    with background(daemon.bind, old, "cards-b") as answer:
        assert late.reached.wait(20)
        with world.api.changed:
            world.api.delete_pod("p", "vision-train")
            new = world.assign(world.pod("p"), "cards-a")
            world.api.compact()
            world.api.faults.clear(deaf)
            world.api.drop_watches("pods")
        daemon.wait_state(new, "foreign")
        late.release()
    assert answer[0].partition(":")[0] in ("PodGone", "UidMismatch")
    world.api.kubelet.set_phase("vision-train", "p", "Succeeded")
    daemon.wait_state(new, "")
    daemon.assert_settled()
