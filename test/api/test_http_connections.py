"""Keep-alive, order, ids, and what stands in every answer."""
import re
import threading

import pytest

import shapes
from harness import API, problem

FILTER = "/scheduler/v1/filter"


def message(listener, method, path, body="", extra=""):
    return (f"{method} {path} HTTP/1.1\r\nHost: {listener.host}\r\nContent-Length: {len(body)}\r\n"
            f"{extra}\r\n{body}")


def test_connection_is_reused(daemon):
    with daemon.extender.raw() as raw:
        for _ in range(50):
            raw.send(message(daemon.extender, "POST", FILTER, "{}"))
            response = raw.read_response()
            assert response.status == 200
            assert response.header("Connection") is None


@pytest.mark.parametrize("method, path, body", [
    ("GET", "/nowhere", None), ("POST", "/nowhere", b"x" * 60000), ("DELETE", "/livez", b"{}"),
    ("GET", "/livez?x=1", None), ("POST", API + "/apply?x=1", b"{}"),
    ("POST", API + "/dry-runs", b"nonsense"), ("PUT", API + "/tenants", b"{}"),
])
def test_connection_survives_a_refusal(daemon, method, path, body):
    daemon.admin.close()
    with daemon.admin.raw() as raw:
        for _ in range(3):
            text = (body or b"").decode()
            raw.send(message(daemon.admin, method, path, text) if body is not None else
                     f"{method} {path} HTTP/1.1\r\nHost: a\r\n\r\n")
            assert raw.read_response().status >= 400
        raw.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        assert raw.read_response().text == "ok"


def test_connection_close_is_honoured(listener):
    with listener.raw() as raw:
        raw.send("GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        response = raw.read_response()
        assert response.status == 404 and response.header("Connection") == "close"
        assert raw.is_closed()


def test_http_1_0(daemon):
    with daemon.admin.raw() as raw:
        raw.send("GET /livez HTTP/1.0\r\n\r\n")
        assert raw.read_response().status == 200
        assert raw.is_closed()


def test_pipelined_requests_are_answered_in_order(daemon):
    pods = [shapes.pod(f"p-{i}") for i in range(20)]
    with daemon.extender.raw() as raw:
        data = ""
        for i, pod in enumerate(pods):
            body = f'{{"Pod":null,"NodeNames":["{i}"]}}'
            data += message(daemon.extender, "POST", FILTER, body, f"X-Request-Id: r{i}\r\n")
        raw.send(data)
        for i in range(len(pods)):
            response = raw.read_response()
            assert response.status == 200
            assert response.header("X-Request-Id") == f"r{i}"


def test_pipelined_binds_are_answered_in_order(daemon):
    """They wait for the state thread in between."""
    with daemon.extender.raw() as raw:
        for i in range(10):
            body = f'{{"PodName":"p","PodNamespace":"nlp","PodUID":"gone-{i}","Node":"n"}}'
            raw.send(message(daemon.extender, "POST", "/scheduler/v1/bind", body,
                             f"X-Request-Id: b{i}\r\n"))
        for i in range(10):
            response = raw.read_response()
            assert response.status == 200
            assert response.header("X-Request-Id") == f"b{i}"


@pytest.mark.parametrize("path", ["/livez", "/version", "/metrics", API + "/tenants", "/nowhere"])
def test_head(daemon, path):
    got = daemon.admin.get(path)
    head = daemon.admin.request("HEAD", path)
    assert head.status == got.status and head.body == b""
    assert head.header("Content-Type") == got.header("Content-Type")
    if path not in ("/metrics", "/nowhere"):
        assert head.header("Content-Length") == got.header("Content-Length")


@pytest.mark.parametrize("path", ["/livez", "/nowhere", FILTER])
def test_every_answer_states_its_length(listener, path):
    for method in ("GET", "POST"):
        response = listener.request(method, path, b"{}" if method == "POST" else None)
        assert response.header("Content-Length") == str(len(response.body))
        assert response.header("Transfer-Encoding") is None


@pytest.mark.parametrize("given", ["a", "A.b_c-1", "x" * 64])
def test_request_id_is_echoed(listener, given):
    response = listener.request("GET", "/nowhere", headers={"X-Request-Id": given})
    assert response.header("X-Request-Id") == given
    assert problem(response, 404)["requestId"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "a\"b", "ä", "a;b", "../a"])
def test_bad_request_id_is_replaced(listener, given):
    response = listener.request("GET", "/nowhere", headers={"X-Request-Id": given})
    made = response.header("X-Request-Id")
    assert made != given and re.fullmatch(r"[0-9a-f]{24}", made)


def test_request_ids_differ(listener):
    ids = {listener.get("/nowhere").header("X-Request-Id") for _ in range(50)}
    assert len(ids) == 50


@pytest.mark.parametrize("path", ["/livez", API + "/tenants", "/nowhere", API + "/export"])
def test_security_headers(daemon, path):
    response = daemon.admin.get(path)
    assert response.header("X-Content-Type-Options") == "nosniff"
    assert response.header("Cache-Control") == "no-store"


def test_access_log(make_daemon):
    daemon = make_daemon()
    pod = shapes.pod("train-7", {"nvidia.com/gpu": 1})
    daemon.extender.request("POST", FILTER, shapes.args(pod, shapes.NODES), {"X-Request-Id": "seen"})
    daemon.admin.get("/livez")
    daemon.stop()
    lines = daemon.events("request")
    assert len(lines) == 1, "probes are logged at debug"
    line = lines[0]
    assert line["request_id"] == "seen" and line["listener"] == "extender"
    assert (line["method"], line["path"], line["status"]) == ("POST", FILTER, 200)
    assert line["bytes"] > 0 and line["dur_us"] >= 0
    assert line["pod"] == "vision-train/train-7" and line["uid"] == pod["metadata"]["uid"]


def test_log_lines_cannot_be_forged(make_daemon):
    daemon = make_daemon()
    with daemon.admin.raw() as raw:
        raw.send("GET /a\x1b[31m\x01 HTTP/1.1\r\nHost: a\r\n\r\n")
        assert raw.read_response().status == 400
    daemon.stop()
    log = daemon.log()
    assert "\x1b" not in log and "\x01" not in log


def test_concurrent_binds(make_daemon):
    """64 clients at once; each gets an answer of its own."""
    daemon = make_daemon()
    pods = [shapes.pod(f"p-{i}", {"nvidia.com/mig-1g.10gb": 1}, ns="nlp") for i in range(64)]
    for pod in pods:
        assert daemon.admin.post(API + "/emulate/pods", pod).status == 201
    answers = {}

    def bind(i):
        with daemon.extender.raw(timeout=30) as raw:
            import json
            body = json.dumps(shapes.binding(pods[i], "gpu-mixed"))
            raw.send(message(daemon.extender, "POST", "/scheduler/v1/bind", body))
            answers[i] = raw.read_response()

    threads = [threading.Thread(target=bind, args=(i,)) for i in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == 64
    assert all(answer.status == 200 for answer in answers.values())
    errors = [answer.json()["Error"] for answer in answers.values()]
    assert errors.count("") == 4, "the node has four slices"
    assert all(error.startswith("SlicesBusy: ") for error in errors if error)
