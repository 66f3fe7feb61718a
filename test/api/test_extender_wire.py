"""The four verbs: 200 for whatever is in a body, and the shape of each answer."""
import json

import pytest

import shapes
from harness import API

VERBS = ["filter", "prioritize", "preempt", "bind"]


def post(daemon, verb, body):
    response = daemon.extender.post(f"/scheduler/v1/{verb}", body)
    assert response.status == 200, response
    assert response.header("Content-Type") == "application/json"
    assert response.header("Content-Length") == str(len(response.body))
    return response.json()


def unreadable(daemon, verb, body):
    """What each verb says to a body that it can't read."""
    answer = post(daemon, verb, body)
    if verb == "prioritize":
        assert answer == []
        return "unreadable"
    if verb == "preempt":
        assert answer == {"NodeNameToMetaVictims": {}}
        return "unreadable"
    error = answer["Error"]
    assert error and "%" not in error and len(error.encode()) <= 1024
    if verb == "filter":
        assert answer == {"Nodes": None, "NodeNames": [], "FailedNodes": {},
                          "FailedAndUnresolvableNodes": {}, "Error": error}
    else:
        assert answer == {"Error": error}
    return error


def filtered(daemon, pod, names):
    """Every node exactly once: the sets of an answer without an error."""
    answer = post(daemon, "filter", shapes.args(pod, names))
    assert answer["Error"] == "" and answer["Nodes"] is None
    passed = answer["NodeNames"]
    refused = {**answer["FailedNodes"], **answer["FailedAndUnresolvableNodes"]}
    assert len(refused) == len(answer["FailedNodes"]) + len(answer["FailedAndUnresolvableNodes"])
    assert passed == sorted(passed)
    assert list(answer["FailedNodes"]) == sorted(answer["FailedNodes"])
    assert list(answer["FailedAndUnresolvableNodes"]) == sorted(answer["FailedAndUnresolvableNodes"])
    assert set(passed) | set(refused) == set(names) and not set(passed) & set(refused)
    for text in refused.values():
        assert len(text.encode()) <= 80 and "%" not in text and ": " in text
    return passed, refused


def depth(levels, inside="1"):
    return "[" * levels + inside + "]" * levels


MALFORMED = {
    "nothing": "",
    "blank": "  \n",
    "null": "null",
    "number": "1",
    "string": '"a"',
    "array": "[]",
    "empty object": "{}",
    "truncated": '{"Pod":{"metadata":',
    "truncated string": '{"Pod":"',
    "truncated escape": '{"Pod":"\\u12',
    "trailing bytes": "{} x",
    "two values": "{}{}",
    "comment": "{/* */}",
    "single quotes": "{'Pod':1}",
    "trailing comma": '{"a":1,}',
    "NaN": '{"a":NaN}',
    "leading zero": '{"a":01}',
    "plus": '{"a":+1}',
    "bare word": "{a:1}",
    "byte order mark": "\ufeff{}",
    "raw control": '{"a":"\x01"}',
    "lone surrogate": '{"a":"\\ud800"}',
    "duplicate keys": '{"a":1,"a":2}',
    "duplicate spellings": '{"Pod":{},"pod":{}}',
    "null pod": '{"Pod":null}',
    "pod is a list": '{"Pod":[]}',
    "pod without metadata": '{"Pod":{}}',
    "percent": '{"Pod":"%s%n%d"}',
    "depth": depth(65),
    "large depth": depth(100000),
    "many tokens": "[" + "{}," * 2_000_000 + "{}]",
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed(daemon, verb, name):
    unreadable(daemon, verb, MALFORMED[name])


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("body", [b"{\"a\":\"\xff\"}", b"{\"a\":\"\xc0\x80\"}", b"\x00", b"{\x00}",
                                  b"{\"a\":\"\xed\xa0\x80\"}", b"\x1f\x8b\x08\x00"])
def test_not_utf8(daemon, verb, body):
    unreadable(daemon, verb, body)


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/yaml", ""])
def test_content_type_is_not_looked_at(daemon, content_type):
    response = daemon.extender.post("/scheduler/v1/filter",
                                    json.dumps(shapes.args(shapes.pod("a"), ["n"])), content_type)
    assert response.json()["NodeNames"] == ["n"]


@pytest.mark.parametrize("field", ["uid", "name", "namespace"])
def test_pod_has_an_identity(daemon, field):
    pod = shapes.pod("a")
    for value in (None, "", 7, []):
        pod["metadata"][field] = value
        unreadable(daemon, "filter", shapes.args(pod, ["n"]))
    del pod["metadata"][field]
    for verb in ("filter", "prioritize"):
        unreadable(daemon, verb, shapes.args(pod, ["n"]))


@pytest.mark.parametrize("names", ["n", 7, {}, [7], [None], [["n"]], [{}], [""], ["x" * 254]])
def test_names_are_a_list_of_names(daemon, names):
    unreadable(daemon, "filter", {"Pod": shapes.pod("a"), "NodeNames": names})


@pytest.mark.parametrize("field", ["PodName", "PodNamespace", "PodUID", "Node"])
def test_bind_needs_all_four(daemon, field):
    args = shapes.binding(shapes.pod("a"), "gpu-cards")
    for value in (None, "", 7, ["x"]):
        unreadable(daemon, "bind", {**args, field: value})
    del args[field]
    unreadable(daemon, "bind", args)


def test_keys_in_any_letter_case(daemon):
    pod = shapes.pod("a")
    for pod_key, names_key in (("Pod", "NodeNames"), ("pod", "nodenames"), ("POD", "nodeNames")):
        answer = post(daemon, "filter", {pod_key: pod, names_key: ["b", "a"], "NODES": None})
        assert answer["NodeNames"] == ["a", "b"]
    unreadable(daemon, "filter", '{"Pod":%s,"NodeNames":[],"nodenames":[]}' % json.dumps(pod))
    # Kubernetes' own keys are exact: Go would take them in any case, its encoder never writes so.
    pod["Metadata"] = pod.pop("metadata")
    unreadable(daemon, "filter", shapes.args(pod, ["a"]))


def test_unknown_keys_are_skipped(daemon):
    args = {**shapes.args(shapes.pod("a"), ["n"]), "Future": {"a": [1, {"b": None}]}}
    args["Pod"]["spec"]["future"] = [1.5e300, "\u00e4", {"x": False}]
    assert post(daemon, "filter", args)["NodeNames"] == ["n"]


@pytest.mark.parametrize("levels, is_fine", [(400, True), (513, False)])
def test_depth_where_nobody_reads(daemon, levels, is_fine):
    args = json.dumps(shapes.args(shapes.pod("a"), ["n"]))
    args = args.replace('"annotations": {}', '"managedFields": ' + depth(levels))
    assert "managedFields" in args
    if is_fine:
        assert post(daemon, "filter", args)["NodeNames"] == ["n"]
    else:
        unreadable(daemon, "filter", args)


def test_depth_where_we_read(daemon):
    args = shapes.args(shapes.pod("a"), ["n"])
    for levels, is_fine in ((40, True), (65, False)):
        text = json.dumps(args).replace('"annotations": {}', '"x": ' + depth(levels))
        if is_fine:
            assert post(daemon, "filter", text)["NodeNames"] == ["n"]
        else:
            unreadable(daemon, "filter", text)


def test_zero_names(daemon):
    for names in ([], None):
        answer = post(daemon, "filter", {"Pod": shapes.pod("a", {"nvidia.com/gpu": 1}),
                                         "Nodes": None, "NodeNames": names})
        assert answer == {"Nodes": None, "NodeNames": [], "FailedNodes": {},
                          "FailedAndUnresolvableNodes": {}, "Error": ""}
    assert post(daemon, "prioritize", shapes.args(shapes.pod("a", {"nvidia.com/gpu": 1}), [])) == []


def test_repeated_names_count_once(daemon):
    pod = shapes.pod("a", {"nvidia.com/gpu": 1})
    answer = post(daemon, "filter", shapes.args(pod, ["gpu-cards", "nowhere"] * 50))
    assert answer["NodeNames"] == ["gpu-cards"]
    assert list(answer["FailedAndUnresolvableNodes"]) == ["nowhere"]


def test_ten_thousand_names(daemon):
    names = [f"node-{i:05d}.rack.example" for i in range(10000)] + shapes.NODES
    passed, refused = filtered(daemon, shapes.pod("a", {"nvidia.com/gpu": 1}), names[::-1])
    assert "gpu-cards" in passed
    assert refused["node-00000.rack.example"].startswith("NodeUnknown: ")
    passed, refused = filtered(daemon, shapes.pod("b"), names)
    assert len(passed) == len(names) and not refused


def test_strange_names_come_back_as_they_were(daemon):
    names = [" ", "a\"b", "a\\b", "a\nb", "\u00e4", "\U0001f600", "<&>", "x" * 253]
    passed, refused = filtered(daemon, shapes.pod("a", {"nvidia.com/gpu": 1}), names)
    assert set(refused) == set(names) and not passed
    passed, _ = filtered(daemon, shapes.pod("a"), names)
    assert set(passed) == set(names)


def test_pod_without_gpus_gets_all_nodes(daemon):
    names = shapes.NODES + ["unknown-node"]
    for resources in ({}, {"cpu": 4}, {"nvidia.com/gpu": 0}, {"amd.com/gpu": 1}):
        passed, _ = filtered(daemon, shapes.pod("a", resources), names)
        assert set(passed) == set(names)


@pytest.mark.parametrize("resource, node", [
    ("nvidia.com/mig-2g.20gb", "gpu-mixed"), ("nvidia.com/gpu.shared", "gpu-shared"),
])
def test_gpu_pod_finds_its_node(daemon, resource, node):
    passed, refused = filtered(daemon, shapes.pod("a", {resource: 1}), shapes.NODES)
    assert node in passed
    assert refused["gpu-cards"].startswith("ResourceNotOffered: ")


def test_whole_gpus(daemon):
    passed, refused = filtered(daemon, shapes.pod("a", {"nvidia.com/gpu": 1}), shapes.NODES)
    assert passed == ["gpu-cards", "gpu-single"]
    assert refused["gpu-disguised"].startswith("SharedDisguised: ")
    passed, _ = filtered(daemon, shapes.pod("a", {"nvidia.com/gpu": 8}), shapes.NODES)
    assert "gpu-cards" in passed


def test_unmapped_namespace(daemon):
    passed, refused = filtered(daemon, shapes.pod("a", {"nvidia.com/gpu": 1}, ns="nobody"), shapes.NODES)
    assert not passed
    assert all(text.startswith("TenantUnknown: ") for text in refused.values())


def test_reasons_are_constant(daemon):
    pod = shapes.pod("a", {"nvidia.com/gpu": 9})
    texts = {json.dumps(post(daemon, "filter", shapes.args(pod, shapes.NODES))) for _ in range(20)}
    assert len(texts) == 1


def test_order_of_names_changes_nothing(daemon):
    pod = shapes.pod("a", {"nvidia.com/gpu": 1})
    one = post(daemon, "filter", shapes.args(pod, shapes.NODES))
    assert one == post(daemon, "filter", shapes.args(pod, shapes.NODES[::-1]))
    one = post(daemon, "prioritize", shapes.args(pod, ["gpu-cards", "gpu-single"]))
    assert one == post(daemon, "prioritize", shapes.args(pod, ["gpu-single", "gpu-cards"]))


def test_prioritize(make_daemon):
    nodes = [shapes.cards(f"node-{i:02d}") for i in range(15)] + [shapes.namespace("nlp")]
    daemon = make_daemon(nodes)
    names = [f"node-{i:02d}" for i in range(15)]
    scores = post(daemon, "prioritize", shapes.args(shapes.pod("a", {"nvidia.com/gpu": 1}, ns="nlp"), names))
    assert [entry["Score"] for entry in scores] == list(range(10, 0, -1))
    assert len({entry["Host"] for entry in scores}) == 10
    assert all(set(entry) == {"Host", "Score"} for entry in scores)


def test_full_nodes(daemon):
    """Nodes in, nodes out; those we don't know are judged by their own data."""
    known = next(n for n in shapes.CLUSTER if n["metadata"]["name"] == "gpu-cards")
    template = shapes.cards("template-1")
    small = shapes.cards("template-2", n=1)
    body = {"Pod": shapes.pod("a", {"nvidia.com/gpu": 4}), "NodeNames": None,
            "Nodes": {"metadata": {}, "items": [template, small, known]}}
    answer = post(daemon, "filter", body)
    assert answer["Error"] == "" and answer["NodeNames"] is None
    assert [n["metadata"]["name"] for n in answer["Nodes"]["items"]] == ["gpu-cards", "template-1"]
    assert answer["Nodes"]["items"][1] == template
    assert answer["FailedAndUnresolvableNodes"]["template-2"].startswith("NodeTooSmall: ")


def test_names_win_over_nodes(daemon):
    body = {"Pod": shapes.pod("a"), "NodeNames": ["x"], "Nodes": {"items": [shapes.cards("y")]}}
    answer = post(daemon, "filter", body)
    assert answer["NodeNames"] == ["x"] and answer["Nodes"] is None


def test_preempt_evicts_nobody(daemon):
    body = {"Pod": shapes.pod("a", {"nvidia.com/gpu": 1}, priority=1000), "NodeNameToVictims": None,
            "NodeNameToMetaVictims": {"gpu-cards": {"Pods": [{"UID": "x"}], "NumPDBViolations": 0}}}
    assert post(daemon, "preempt", body) == {"NodeNameToMetaVictims": {}}


def test_bind_says_what_is_wrong(daemon):
    pod = shapes.pod("never-seen", {"nvidia.com/gpu": 1})
    error = post(daemon, "bind", shapes.binding(pod, "gpu-cards"))["Error"]
    assert error.startswith("PodUnknown")


def test_bind(make_daemon):
    daemon = make_daemon()
    pod = shapes.pod("train", {"nvidia.com/gpu": 2})
    assert daemon.admin.post(API + "/emulate/pods", pod).status == 201
    for _ in range(2):  # a repeat is the same answer
        assert post(daemon, "bind", shapes.binding(pod, "gpu-cards")) == {"Error": ""}
    error = post(daemon, "bind", shapes.binding(pod, "gpu-single"))["Error"]
    assert error.startswith("AlreadyBound")
    other = {**pod, "metadata": {**pod["metadata"], "uid": shapes.uid()}}
    assert post(daemon, "bind", shapes.binding(other, "gpu-cards"))["Error"].startswith("UidMismatch")


def test_metrics_count_verbs(make_daemon):
    daemon = make_daemon()
    for verb in VERBS:
        post(daemon, verb, "nonsense")
    text = daemon.admin.get("/metrics").text
    for verb in VERBS:
        assert f'shikiri_extender_requests_total{{verb="{verb}"}} 1\n' in text
        assert f'shikiri_extender_errors_total{{verb="{verb}"}} 1\n' in text
        assert f'shikiri_extender_request_duration_seconds_count{{verb="{verb}"}} 1\n' in text
