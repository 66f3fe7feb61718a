"""Where would it go, over HTTP."""
import json

import pytest

import shapes
from harness import API, problem


def plan(daemon, body, query="", content_type="application/json"):
    response = daemon.admin.post(f"{API}/dry-runs{query}", body, content_type)
    assert response.status == 200, response
    return response.json()


def test_pod(daemon):
    answer = plan(daemon, shapes.pod("web", {"nvidia.com/mig-2g.20gb": 1}))
    assert answer["verdict"] == "Fits" and answer["summary"]
    assert set(answer) >= {"verdict", "summary", "basis", "pods", "quota", "caveats"}
    assert answer["basis"]["ledgerSeq"] >= 0 and answer["basis"]["policy"].startswith("sha256:")
    assert answer["basis"]["inventoryAgeSeconds"] >= 0
    pod = answer["pods"][0]
    assert (pod["namespace"], pod["name"], pod["tenant"]) == ("vision-train", "web", "vision")
    assert pod["request"] == {"nvidia.com/mig-2g.20gb": 1}
    assert pod["verdict"] == "Fits" and pod["node"] == "gpu-mixed" and pod["code"] == ""
    assert pod["charge"]["gpuEquivalents"] == "0.286"
    nodes = {node["name"]: node for node in pod["nodes"]}
    assert sorted(nodes) == shapes.NODES
    assert nodes["gpu-mixed"]["fits"] is True and nodes["gpu-mixed"]["rank"] == 1
    assert nodes["gpu-cards"]["code"] == "ResourceNotOffered"
    assert nodes["gpu-cards"]["class"] == "Unresolvable"
    quota = next(q for q in answer["quota"] if q["unit"] == "gpuEquivalents")
    assert (quota["tenant"], quota["used"], quota["after"]) == ("vision", "0", "0.286")


def test_nothing_is_written(daemon):
    before = daemon.admin.get(API + "/allocations").json()
    for _ in range(3):
        answer = plan(daemon, shapes.pod("web", {"nvidia.com/gpu": 8}))
        assert answer["verdict"] == "Fits"
    assert daemon.admin.get(API + "/allocations").json() == before


def test_workload_in_order(daemon):
    answer = plan(daemon, shapes.deployment("web", 5, {"nvidia.com/mig-1g.10gb": 1}, "nlp"))
    assert [pod["name"] for pod in answer["pods"]] == [f"web-{i}" for i in range(5)]
    assert [pod["verdict"] for pod in answer["pods"]] == ["Fits"] * 4 + ["NoFit"]
    assert answer["verdict"] == "NoFit" and answer["pods"][4]["code"] == "SlicesBusy"


def test_no_replicas(daemon):
    answer = plan(daemon, shapes.deployment("web", 0, {"nvidia.com/gpu": 1}, "nlp"))
    assert answer["verdict"] == "Fits" and answer["pods"] == []


@pytest.mark.parametrize("query, namespace, verdict", [
    ("", "default", "Rejected"), ("?namespace=nlp", "nlp", "Fits"),
    ("?namespace=vision-serve", "vision-serve", "Fits"),
])
def test_namespace_is_filled_in(daemon, query, namespace, verdict):
    answer = plan(daemon, shapes.deployment("web", 1, {"nvidia.com/gpu": 1}), query)
    assert answer["pods"][0]["namespace"] == namespace and answer["verdict"] == verdict


def test_envelope(daemon):
    body = {"namespace": "nlp", "manifests": [shapes.deployment("a", 1, {"nvidia.com/gpu": 1})],
            "hypotheticalNodes": [{"like": "gpu-cards", "count": 2}],
            "options": {"maxNodes": 2, "allReasons": True}}
    answer = plan(daemon, body)
    assert answer["verdict"] == "Fits"
    assert len(answer["pods"][0]["nodes"]) == 2


def test_more_nodes_would_do(daemon):
    pods = [shapes.pod(f"p-{i}", {"nvidia.com/gpu": 8}, ns="nlp") for i in range(3)]
    envelope = {"manifests": pods}
    assert plan(daemon, envelope)["verdict"] == "NoFit"
    envelope["hypotheticalNodes"] = [{"like": "gpu-cards", "count": 2}]
    assert plan(daemon, envelope)["verdict"] == "Fits"


def test_unknown_example_node(daemon):
    body = {"manifests": [shapes.pod("a")], "hypotheticalNodes": [{"like": "nothing", "count": 1}]}
    answer = problem(daemon.admin.post(API + "/dry-runs", body), 404, "NotFound")
    assert answer["errors"][0]["pointer"] == "/hypotheticalNodes/0/like"


def test_yaml(daemon):
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: nlp}
spec: {containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: b, namespace: nlp}
spec:
  completions: 3
  parallelism: 2
  template:
    spec: {containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: "1"}}}]}
"""
    answer = plan(daemon, text, content_type="application/yaml")
    assert [pod["name"] for pod in answer["pods"]] == ["a", "b-0", "b-1"]
    assert daemon.admin.post(API + "/dry-runs", text).status == 400, "JSON was announced"


@pytest.mark.parametrize("resources, verdict, code", [
    ({"nvidia.com/gpu": "1500m"}, "Invalid", "InvalidRequest"),
    ({"nvidia.com/tpu": 1}, "Rejected", "ProfileUnknown"),
    ({"nvidia.com/gpu": 150}, "QuotaExceeded", "QuotaCeiling"),
    ({"nvidia.com/mig-7g.80gb": 1}, "NoFit", "ResourceNotOffered"),
])
def test_verdicts(daemon, resources, verdict, code):
    answer = plan(daemon, shapes.pod("a", resources))
    assert (answer["verdict"], answer["pods"][0]["code"]) == (verdict, code)


@pytest.mark.parametrize("body", ["", "{", "[]", "null", "1", "{}"])
def test_unreadable(daemon, body):
    assert daemon.admin.post(API + "/dry-runs", body).status in (400, 422)


@pytest.mark.parametrize("change", [
    {"kind": "ConfigMap"}, {"kind": 7}, {"spec": []}, {"spec": {"containers": 7}},
])
def test_invalid(daemon, change):
    response = daemon.admin.post(API + "/dry-runs", {**shapes.pod("a"), **change})
    assert problem(response, response.status)["status"] in (400, 422)


def test_too_many_pods(daemon):
    response = daemon.admin.post(API + "/dry-runs", shapes.deployment("a", 1001, {"nvidia.com/gpu": 1}, "nlp"))
    problem(response, 413, "TooLarge")


def test_other_types(daemon):
    response = daemon.admin.post(API + "/dry-runs", json.dumps(shapes.pod("a")), "text/plain")
    problem(response, 415)


def test_same_question_same_answer(daemon):
    body = {"namespace": "nlp", "manifests": [shapes.deployment("a", 3, {"nvidia.com/gpu": 1})]}
    answers = [plan(daemon, body) for _ in range(5)]
    for answer in answers:
        del answer["basis"]["inventoryAgeSeconds"]
    assert all(answer == answers[0] for answer in answers)
