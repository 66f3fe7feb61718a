"""Calls that real kube-schedulers made, answered by us."""
import json
import pathlib

import pytest

CAPTURES = pathlib.Path(__file__).resolve().parents[1] / "data" / "captures"
REQUESTS = sorted(CAPTURES.rglob("*.request.json"))
HEADERS = {"User-Agent": "Go-http-client/1.1", "Content-Type": "application/json",
           "Accept-Encoding": "gzip"}


def test_there_are_captures():
    assert len(REQUESTS) >= 20


@pytest.mark.parametrize("path", REQUESTS, ids=lambda p: f"{p.parent.name}/{p.name[:-13]}")
def test_capture(daemon, path):
    verb = path.name.split(".")[0].split("-")[-1]
    if verb not in ("filter", "prioritize", "bind"):
        verb = "preempt"
    body = path.read_bytes()
    request = json.loads(body)
    response = daemon.extender.request("POST", f"/scheduler/v1/{verb}", body, HEADERS)
    assert response.status == 200
    assert response.header("Content-Encoding") is None
    answer = response.json()
    check = {"filter": check_filter, "prioritize": check_prioritize, "preempt": check_preempt,
             "bind": check_bind}
    check[verb](request, answer)


def names_of(request):
    if request["NodeNames"] is not None:
        return request["NodeNames"]
    return [node["metadata"]["name"] for node in request["Nodes"]["items"]]


def check_filter(request, answer):
    assert answer["Error"] == ""
    if request["NodeNames"] is not None:
        assert answer["Nodes"] is None
        passed = answer["NodeNames"]
    else:
        assert answer["NodeNames"] is None
        by_name = {node["metadata"]["name"]: node for node in request["Nodes"]["items"]}
        passed = [node["metadata"]["name"] for node in answer["Nodes"]["items"]]
        assert all(node == by_name[node["metadata"]["name"]] for node in answer["Nodes"]["items"])
    everywhere = passed + list(answer["FailedNodes"]) + list(answer["FailedAndUnresolvableNodes"])
    assert sorted(everywhere) == sorted(names_of(request))


def check_prioritize(request, answer):
    hosts = [entry["Host"] for entry in answer]
    assert set(hosts) <= set(names_of(request)) and len(set(hosts)) == len(hosts)
    assert [entry["Score"] for entry in answer] == list(range(10, 10 - len(answer), -1))


def check_preempt(request, answer):
    assert request["NodeNameToMetaVictims"] or request["NodeNameToVictims"]
    assert answer == {"NodeNameToMetaVictims": {}}


def check_bind(request, answer):
    assert request["PodUID"]
    assert answer["Error"], "the pod isn't in our cluster"
