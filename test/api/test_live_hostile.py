"""Objects and answers that no honest server sends: they harm neither the daemon nor its books."""
import json

import pytest

import shapes
from live import GPU, QUICK, eventually

HUGE = "x" * 70_000


def pod_with(**meta):
    return {"kind": "Pod", "apiVersion": "v1", "spec": {"nodeName": "cards-a", "containers": []},
            "status": {"phase": "Running"},
            "metadata": {"name": "odd", "namespace": "vision-train", "uid": "odd-uid",
                         "resourceVersion": "999999", **meta}}


def deep(n):
    value = []
    for _ in range(n):
        value = [value]
    return value


LINES = {
    "not json": b"hello",
    "half": b'{"type":"ADDED","object":{"kind":"Pod"',
    "empty line": b"",
    "null": b"null",
    "array": b"[]",
    "no object": b'{"type":"ADDED"}',
    "null object": b'{"type":"ADDED","object":null}',
    "number as object": b'{"type":"MODIFIED","object":7}',
    "no type": json.dumps({"object": pod_with()}).encode(),
    "unknown type": json.dumps({"type": "WONDER", "object": pod_with()}).encode(),
    "other kind": json.dumps({"type": "ADDED", "object": {**pod_with(), "kind": "Secret"}}).encode(),
    "no metadata": b'{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}}',
    "no name": json.dumps({"type": "ADDED", "object": pod_with(name="")}).encode(),
    "name with slashes": json.dumps({"type": "ADDED", "object": pod_with(name="../../nodes/x")}).encode(),
    "number as uid": json.dumps({"type": "ADDED", "object": pod_with(uid=7)}).encode(),
    "long uid": json.dumps({"type": "ADDED", "object": pod_with(uid=HUGE)}).encode(),
    "no version": json.dumps({"type": "ADDED", "object": pod_with(resourceVersion="")}).encode(),
    "words as version": json.dumps({"type": "BOOKMARK", "object": {
        "kind": "Pod", "metadata": {"resourceVersion": "new&watch=0"}}}).encode(),
    "controls in the version": json.dumps({"type": "BOOKMARK", "object": {
        "kind": "Pod", "metadata": {"resourceVersion": "1\r\nX: y"}}}).encode(),
    "long version": json.dumps({"type": "BOOKMARK", "object": {
        "kind": "Pod", "metadata": {"resourceVersion": "9" * 5000}}}).encode(),
    "duplicate keys": b'{"type":"ADDED","type":"DELETED","object":{"kind":"Pod","metadata":{}}}',
    "nul byte": b'{"type":"ADDED",\x00"object":{}}',
    "bad utf-8": b'{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"\xff\xfe"}}}',
    "deep": json.dumps({"type": "ADDED", "object": {"kind": "Pod", "metadata": deep(900)}}).encode(),
    "huge": b'{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"' + b"x" * 20_000_000 + b'"}}}',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
@pytest.mark.parametrize("resource", ["pods", "nodes"])
def test_lines_of_a_watch(world, resource, line):
    daemon = world.start()
    pod = world.pod("p", {GPU: 3})
    node = daemon.schedule(pod)
    world.api.wait_watching()
    assert world.api.inject(resource, line) == 1
    late = world.running("late", "cards-c", {GPU: 2})
    daemon.wait_state(late, "foreign")
    world.api.create(shapes.cards("late-node"))
    eventually(lambda: daemon.passes(late, ["late-node"]) or daemon.verdicts(late, ["late-node"]) != {
        "late-node": "NodeUnknown"}, "the node is seen")
    rows = daemon.allocations()
    assert set(rows) <= {pod["metadata"]["uid"], late["metadata"]["uid"], "odd-uid"}
    assert rows[pod["metadata"]["uid"]]["node"] == node
    assert [r.path for r in world.api.journal.all() if ".." in r.path] == []
    assert [r.query for r in world.api.journal.all() if r.query.get("watch") == "0" or "X" in r.headers] == []


LISTS = {
    "items is no list": {"kind": "PodList", "metadata": {"resourceVersion": "5"}, "items": {}},
    "items of numbers": {"kind": "PodList", "metadata": {"resourceVersion": "5"}, "items": [1, None, "x"]},
    "no version": {"kind": "PodList", "metadata": {}, "items": []},
    "no items": {"kind": "PodList", "metadata": {"resourceVersion": "5"}},
    "other kind": {"kind": "SecretList", "metadata": {"resourceVersion": "5"}, "items": []},
    "endless pages": {"kind": "PodList", "metadata": {"resourceVersion": "5", "continue": HUGE}, "items": []},
    "a status": {"kind": "Status", "status": "Failure", "code": 500},
    "an array": [],
}


@pytest.mark.parametrize("value", LISTS.values(), ids=LISTS.keys())
def test_lists_that_cannot_be_read_free_nothing(world, value):
    daemon = world.start()
    pod = world.pod("p")
    daemon.schedule(pod)
    daemon.stop()
    data = json.dumps(value).encode()
    fault = world.api.faults.arm("body", path="/pods$", watch=False, code=200, data=data)
    daemon.start()
    assert fault.hits == 1 and daemon.state(pod) == "bound"
    daemon.assert_settled()


ANSWERS = {"not json": b"<html>", "empty": b"", "null": b"null", "other": b'{"kind":"Pod"}',
           "failure in 201": b'{"kind":"Status","status":"Failure","code":409}', "huge": b"x" * 5_000_000}


@pytest.mark.parametrize("data", ANSWERS.values(), ids=ANSWERS.keys())
@pytest.mark.parametrize("code", [409, 500])
def test_odd_answers_to_a_binding(world, code, data):
    """What can't be read says nothing: the pod itself is asked."""
    daemon = world.start(policy=QUICK)
    pod = world.pod("p")
    world.api.faults.arm("body", path="/binding$", code=code, data=data)
    if daemon.bind(pod, "cards-a") != "":
        eventually(lambda: any(daemon.bind(pod, node) == "" for node in daemon.passes(pod)[:1]),
                   "a later cycle binds it")
    daemon.assert_settled()


def test_hostile_names_stay_out_of_paths(world):
    daemon = world.start()
    mark = world.api.journal.last
    for name in ("../p", "a/b", "a%2fb", "a?x=y", "A", "", "a" * 300, "a b", "a\r\nX: y"):
        pod = shapes.pod("p", {GPU: 1})
        pod["metadata"]["name"] = name
        assert daemon.bind(pod, "cards-a") != ""
        pod = shapes.pod("p", {GPU: 1}, ns=name)
        assert daemon.bind(pod, "cards-a") != ""
    assert {r.path for r in world.api.journal.all(after=mark)} <= {"/api/v1/namespaces/vision-train/pods/p"}
    assert world.api.journal.writes(mark) == []


@pytest.mark.parametrize("amount", ["1e30", "-3", "0.5", "9223372036854775808", "many", ""])
def test_amounts_that_cannot_be(world, amount):
    daemon = world.start()
    odd = world.running("odd", "cards-a", {GPU: amount})
    world.seen(daemon)
    assert daemon.is_ready() and daemon.state(odd) in ("", "foreign")
    assert daemon.passes(world.pod("p"), ["cards-b"]) == ["cards-b"]
    assert daemon.restart().is_ready()


def test_many_objects_are_bounded(world):
    daemon = world.start()
    world.api.create_all([shapes.cards(f"many-{i:04}", n=1) for i in range(300)])
    names = [f"many-{i:04}" for i in range(300)]
    pod = world.pod("p")
    eventually(lambda: set(daemon.verdicts(pod, names).values()) == {""}, "all are known")
