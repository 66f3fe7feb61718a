"""The emulated cluster, the ledger's routes, and restarts."""
import os

import pytest

import shapes
from harness import API, problem

PODS = API + "/emulate/pods"


def bind(daemon, pod, node):
    return daemon.extender.post("/scheduler/v1/bind", shapes.binding(pod, node)).json()["Error"]


def test_pod_comes_and_goes(make_daemon):
    daemon = make_daemon()
    pod = shapes.pod("web", {"nvidia.com/gpu": 8})
    response = daemon.admin.post(PODS, pod)
    assert response.status == 201
    assert response.json()["metadata"]["uid"] == pod["metadata"]["uid"]
    assert bind(daemon, pod, "gpu-cards") == ""
    second = shapes.pod("second", {"nvidia.com/gpu": 1})
    daemon.admin.post(PODS, second)
    assert bind(daemon, second, "gpu-cards").startswith("CardsBusy: ")
    assert daemon.admin.delete(PODS + "/vision-train/web").status == 200
    assert daemon.admin.get(API + "/allocations").json()["items"] == []
    assert bind(daemon, second, "gpu-cards") == ""
    problem(daemon.admin.delete(PODS + "/vision-train/web"), 404, "NotFound")


def test_uid_is_made(make_daemon):
    daemon = make_daemon()
    pod = shapes.pod("web")
    del pod["metadata"]["uid"]
    meta = daemon.admin.post(PODS, pod).json()["metadata"]
    assert (meta["namespace"], meta["name"]) == ("vision-train", "web") and meta["uid"]


def test_node_comes_and_changes(make_daemon):
    daemon = make_daemon()
    node = shapes.cards("fresh", n=2)
    assert daemon.admin.put(API + "/emulate/nodes/fresh", node).status in (200, 201)
    assert daemon.admin.get(API + "/nodes/fresh").status == 200
    pod = shapes.pod("a", {"nvidia.com/gpu": 4})
    body = shapes.args(pod, ["fresh"])
    answer = daemon.extender.post("/scheduler/v1/filter", body).json()
    assert answer["FailedAndUnresolvableNodes"]["fresh"].startswith("NodeTooSmall: ")
    assert daemon.admin.put(API + "/emulate/nodes/fresh", shapes.cards("fresh", n=4)).status == 200
    assert daemon.extender.post("/scheduler/v1/filter", body).json()["NodeNames"] == ["fresh"]
    response = daemon.admin.put(API + "/emulate/nodes/other", node)
    assert problem(response, response.status)["status"] in (400, 409, 422)


@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"kind":"Node"}', '{"metadata":{}}'])
def test_unreadable(daemon, body):
    for response in (daemon.admin.post(PODS, body), daemon.admin.put(API + "/emulate/nodes/x", body)):
        assert problem(response, response.status)["status"] in (400, 422)


def test_only_json(daemon):
    problem(daemon.admin.post(PODS, "kind: Pod", "application/yaml"), 415)


def test_verify(daemon):
    response = daemon.admin.get(API + "/ledger/verify")
    assert response.status == 200
    body = response.json()
    assert body["sound"] is True and body["findings"] == []
    assert body["rows"] >= 0 and body["lastSeq"] >= body["firstSeq"] >= 0


def test_backup(make_daemon, tmp_path):
    daemon = make_daemon()
    target = tmp_path / "copy.db"
    response = daemon.admin.post(API + "/ledger:backup", {"path": str(target)})
    assert response.status == 200, response
    assert response.json()["path"] == str(target)
    assert response.json()["bytes"] == os.path.getsize(target) > 0
    assert target.read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize("body", [{}, {"path": ""}, {"path": "relative.db"}, {"path": 7}, [], "x",
                                  {"path": "/tmp/a", "more": 1}])
def test_backup_needs_a_path(daemon, body):
    response = daemon.admin.post(API + "/ledger:backup", body)
    assert problem(response, response.status)["status"] in (400, 422)


def test_backup_to_nowhere(daemon):
    response = daemon.admin.post(API + "/ledger:backup", {"path": "/nowhere/at/all.db"})
    assert problem(response, response.status)["status"] >= 400


def test_restart_keeps_what_was_bound(make_daemon, tmp_path):
    ledger = ["--ledger", str(tmp_path / "ledger.db")]
    snapshot = shapes.CLUSTER + [shapes.pod("web", {"nvidia.com/gpu": 1}, uid="web-uid")]
    first = make_daemon(snapshot, args=ledger)
    pod = shapes.pod("web", uid="web-uid")
    assert bind(first, pod, "gpu-cards") == ""
    first.stop()
    second = make_daemon(snapshot, args=ledger)
    record = second.admin.get(API + "/allocations/web-uid").json()
    assert record["node"] == "gpu-cards" and record["state"] == "bound"
    assert bind(second, pod, "gpu-cards") == ""
