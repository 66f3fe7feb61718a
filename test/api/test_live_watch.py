"""The mirror through everything that a watch can do to it."""
import json

import pytest

import live
import shapes
from live import GPU, QUICK, eventually


def lists(world, resource="pods", after=0):
    return [r for r in world.api.journal.all("GET", f"/{resource}", after) if not r.watch]


def churn(world):
    """One pod ends, one goes, one comes: what a relist must find out by itself."""
    world.api.kubelet.set_phase("vision-train", "ends", "Succeeded")
    world.api.delete_pod("goes", "vision-train")
    return world.running("comes", "cards-b", {GPU: 4})


def populate(world):
    return [world.running(name, "cards-a", {GPU: 2}) for name in ("ends", "goes", "stays")]


def expect_churned(world, daemon, before, came):
    daemon.wait_state(came, "foreign")
    ends, goes, stays = before
    assert [daemon.state(pod) for pod in (ends, stays)] == ["", "foreign"]
    assert daemon.passes(world.pod("fits", {GPU: 4}), ["cards-b"]) == ["cards-b"]
    # If nobody saw it end it may still run, and keeps its place as long as its node is there.
    world.api.remove("nodes", "cards-a")
    daemon.wait_state(goes, "")
    assert daemon.state(stays) == "foreign"


@pytest.mark.parametrize("expired_as", ["event", "status"])
def test_expired_watches_list_again(world, expired_as):
    world.api.expired_as = expired_as
    before = populate(world)
    daemon = world.start()
    world.api.wait_watching()
    with world.api.changed:
        mark = world.api.journal.last
        world.api.stop()
        came = churn(world)
        world.api.compact()
        world.api.start()
    expect_churned(world, daemon, before, came)
    assert lists(world, after=mark)
    relist = lists(world, after=mark)[0]
    assert relist.query["resourceVersion"] != "0"


def test_a_dropped_watch_goes_on_without_a_list(world):
    before = populate(world)
    daemon = world.start()
    world.api.wait_watching()
    with world.api.changed:
        mark = world.api.journal.last
        world.api.drop_watches()
        came = churn(world)
    expect_churned(world, daemon, before, came)
    assert lists(world, after=mark) == []


def test_a_watch_that_ended_goes_on_from_the_last_bookmark(world):
    world.start()
    world.api.wait_watching()
    world.api.create(shapes.namespace("moves-the-version"))
    assert world.api.bookmark("pods") == 1
    mark = world.api.journal.last
    world.api.end_watches("pods")
    watch = world.api.wait_for(lambda: world.api.journal.all("GET", "/pods", mark, watch=True))[0]
    assert watch.query["resourceVersion"] == str(world.api.store.rv)
    assert lists(world, after=mark) == []


def test_a_relist_that_the_server_is_too_old_for(world):
    """Too large a version, as after a restore: the newest state is asked for."""
    before = populate(world)
    daemon = world.start()
    world.api.wait_watching()
    cause = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Timeout", "code": 504,
             "details": {"causes": [{"reason": "ResourceVersionTooLarge"}], "retryAfterSeconds": 1}}
    with world.api.changed:
        mark = world.api.journal.last
        world.api.stop()
        came = churn(world)
        world.api.compact()
        world.api.faults.arm("body", path="/pods$", watch=False, code=504, data=json.dumps(cause).encode())
        world.api.start()
    expect_churned(world, daemon, before, came)
    assert [r.query.get("resourceVersion", "") for r in lists(world, after=mark)][1] == ""


def test_pages_of_which_the_second_expired(world):
    for i in range(700):
        world.pod(f"many-{i:03}", {})
    before = populate(world)
    daemon = world.start()
    world.api.wait_watching()
    with world.api.changed:
        world.api.stop()
        came = churn(world)
        world.api.compact()
        world.api.faults.arm("status", path="/pods$", watch=False, code=410)
        expired = world.api.faults.arm("expired_continue", path="/pods$")
        world.api.start()
    expect_churned(world, daemon, before, came)
    assert expired.hits == 1


@pytest.mark.parametrize("fault", [
    {"kind": "status", "code": 429, "retry_after": 1}, {"kind": "status", "code": 500},
    {"kind": "status", "code": 503}, {"kind": "lost_before"},
    {"kind": "error_event", "code": 500}], ids=["429", "500", "503", "lost", "error-event"])
def test_a_watch_that_fails_to_open_is_opened_again(world, fault):
    before = populate(world)
    daemon = world.start()
    world.api.wait_watching()
    what = dict(fault)
    with world.api.changed:
        struck = world.api.faults.arm(what.pop("kind"), path="/pods$", watch=True, times=1, **what)
        world.api.drop_watches("pods")
        came = churn(world)
    expect_churned(world, daemon, before, came)
    assert struck.hits == 1


def event_line(world, name):
    """An ADDED event as the watch sends it, but for its uid and version."""
    pod = {"kind": "Pod", "apiVersion": "v1", **world.api.get("pods", name, "vision-train")}
    return len(json.dumps({"type": "ADDED", "object": pod}, separators=(",", ":"))) + 1


# The edges and a spread between; every byte is the reflector's own test.
@pytest.mark.parametrize("part,reset", [
    (0.0, False), (0.01, False), (0.5, False), (0.99, False), (1.0, False), (0.3, True)])
def test_a_watch_cut_in_the_middle_of_an_event(world, part, reset):
    daemon = world.start()
    world.api.wait_watching()
    length = event_line(world, world.running("sample", "cards-b")["metadata"]["name"])
    fault = world.api.faults.arm("cut", path="/pods$", watch=True, size=int(part * length), reset=reset)
    world.api.end_watches("pods")
    world.api.wait_for(lambda: fault.hits == 1, "the watch is opened again")
    pod = world.running("split", "cards-a")
    daemon.wait_state(pod, "foreign")
    assert daemon.used() == "2"
    daemon.assert_settled()


def test_events_split_at_every_byte(world):
    fault = world.api.faults.arm("slow", path="/(pods|nodes)$", size=1, seconds=0.0, times=None)
    before = populate(world)
    daemon = world.start()
    came = churn(world)
    expect_churned(world, daemon, before, came)
    assert fault.hits >= 2


def test_everything_twice(world):
    world.api.faults.arm("duplicates", watch=True, times=None)
    daemon = world.start()
    pod = world.pod("p", {GPU: 2})
    daemon.schedule(pod)
    came = world.running("other", "cards-b", {GPU: 2})
    daemon.wait_state(came, "foreign")
    assert daemon.used() == "4"
    world.api.delete_pod("p", "vision-train")
    daemon.wait_state(pod, "")
    daemon.assert_settled()


STALE = QUICK.replace("bindTimeout: 1s", "staleness: 2s")


@pytest.mark.parametrize("resource", ["pods", "nodes"])
def test_a_view_that_is_too_old_decides_nothing(world, resource):
    world.api.bookmarks = 0.2
    daemon = world.start(policy=STALE)
    pod = world.pod("p")
    eventually(lambda: daemon.passes(pod), "it passes")
    world.deaf(resource)
    world.api.faults.arm("status", path=f"/{resource}$", watch=False, code=500, times=None)
    eventually(lambda: set(daemon.verdicts(pod).values()) == {"NotReady"}, "the view is stale")
    assert not daemon.is_ready() and daemon.bind(pod, "cards-a") == "NotReady"
    assert world.api.journal.binds() == []
    assert daemon.passes(world.pod("plain", {})) == live.NODES
    world.api.faults.clear()
    eventually(lambda: daemon.passes(pod), "it passes again")
    assert daemon.is_ready()


def test_bookmarks_keep_a_quiet_view_fresh(world):
    world.api.bookmarks = 0.2
    daemon = world.start(policy=STALE)
    pod = world.pod("p")
    eventually(lambda: daemon.passes(pod), "it passes")
    answers = set()

    def bookmarked():
        answers.update(daemon.verdicts(pod, ["cards-a"]).values())
        return world.api.feeds.of("pods")[0].bookmarks_told >= 20
    eventually(bookmarked, "twice the limit in bookmarks")
    assert answers == {""}


def test_an_api_server_that_goes_and_comes_back(world):
    before = populate(world)
    daemon = world.start()
    world.api.wait_watching()
    world.api.stop()
    pod = world.pod("p")
    assert daemon.bind(pod, "cards-c") != ""
    came = churn(world)
    world.api.start()
    expect_churned(world, daemon, before, came)
    eventually(lambda: daemon.bind(pod, "cards-c") == "", "it is bound")
