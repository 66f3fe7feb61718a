"""Limits on bytes, time and connections."""
import socket
import threading
import time

import pytest

from harness import API

BODY_LIMIT = 16 << 20


def head(listener, path="/scheduler/v1/filter", length=0, extra=""):
    return (f"POST {path} HTTP/1.1\r\nHost: {listener.host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {length}\r\n{extra}\r\n")


@pytest.mark.parametrize("extra", ["X-Long: " + "a" * 40000 + "\r\n",
                                   "".join(f"X-{i}: {i}\r\n" for i in range(2000))])
def test_large_headers(listener, extra):
    with listener.raw() as raw:
        raw.send_some(head(listener, extra=extra))
        response = raw.read_response()
        assert response is None or response.status == 431
        assert raw.is_closed()


def test_long_target(listener):
    with listener.raw() as raw:
        raw.send_some(f"GET /{'a' * 40000} HTTP/1.1\r\nHost: a\r\n\r\n")
        response = raw.read_response()
        assert response is None or response.status == 414
        assert raw.is_closed()


def test_fair_headers(daemon):
    """What an ordinary client may send passes."""
    extra = {f"X-Header-{i}": "v" * 100 for i in range(60)}
    assert daemon.admin.request("GET", "/livez", headers=extra).status == 200


def test_body_at_the_limit(daemon):
    body = b"[" + b" " * (BODY_LIMIT - 2) + b"]"
    response = daemon.extender.post("/scheduler/v1/filter", body)
    assert response.status == 200 and response.json()["Error"]


@pytest.mark.parametrize("expect", ["", "Expect: 100-continue\r\n"])
@pytest.mark.parametrize("length", [BODY_LIMIT + 1, 1 << 40, (1 << 62)])
def test_body_over_the_limit(daemon, length, expect):
    """Answered before the body comes."""
    with daemon.extender.raw() as raw:
        raw.send(head(daemon.extender, length=length, extra=expect))
        response = raw.read_response()
        assert response.status == 413
        assert response.header("Connection") == "close"
        assert raw.is_closed()


def test_body_over_the_limit_that_comes_all_the_same(daemon):
    with daemon.extender.raw() as raw:
        raw.send_some(head(daemon.extender, length=BODY_LIMIT + 1).encode() + b"x" * (BODY_LIMIT + 1))
        response = raw.read_response()
        assert response is None or response.status == 413
    assert daemon.extender.post("/scheduler/v1/filter", b"{}").status == 200


def test_max_body_is_configured(make_daemon):
    daemon = make_daemon(args=["--max-body", "64KiB"])
    assert daemon.extender.post("/scheduler/v1/filter", b" " * 65536).status == 200
    assert daemon.extender.post("/scheduler/v1/filter", b" " * 65537).status == 413
    assert daemon.extender.post("/scheduler/v1/filter", b" " * 65536).status == 200


@pytest.mark.parametrize("path, limit", [(API + "/apply", 1 << 20), (API + "/policy:validate", 1 << 20),
                                         (API + "/dry-runs", 4 << 20)])
def test_admin_bodies(daemon, path, limit):
    assert daemon.admin.post(path, b" " * (limit + 1)).status == 413
    assert daemon.admin.post(path, b" " * limit).status in (400, 413, 422)


def test_expect_continue(daemon):
    with daemon.extender.raw() as raw:
        raw.send(head(daemon.extender, length=2, extra="Expect: 100-continue\r\n"))
        assert raw.read_response().status == 100
        raw.send("{}")
        assert raw.read_response().status == 200


def test_too_many_large_bodies_at_once(make_daemon):
    """Four of the largest size are taken, more are told to come again."""
    daemon = make_daemon(args=["--max-body", "1MiB"])
    held = []
    for _ in range(4):
        raw = daemon.extender.raw()
        raw.send(head(daemon.extender, length=1 << 20) + "x")
        held.append(raw)
    time.sleep(0.3)
    with daemon.extender.raw() as raw:
        raw.send(head(daemon.extender, length=1 << 20))
        response = raw.read_response()
    assert response.status == 503
    assert response.header("Retry-After") == "1"
    for raw in held:
        raw.sock.close()
    deadline = time.monotonic() + 5
    while daemon.extender.post("/scheduler/v1/filter", b" " * (1 << 20)).status != 200:
        assert time.monotonic() < deadline, "what was held is never given back"
        time.sleep(0.05)


@pytest.mark.parametrize("sent", ["", "POST /sched", "POST /scheduler/v1/filter HTTP/1.1\r\nHost: a\r\n",
                                  "POST /scheduler/v1/filter HTTP/1.1\r\nHost: a\r\n"
                                  "Content-Length: 100\r\n\r\n{\"Pod\":"])
def test_client_goes_in_the_middle(listener, sent):
    for _ in range(20):
        with listener.raw() as raw:
            raw.send(sent)
    assert listener.post("/scheduler/v1/filter", b"{}").status in (200, 404)


def test_client_half_closes_in_the_middle(listener):
    """The library may miss it; it doesn't take until the deadline to notice."""
    for sent in (head(listener, length=100) + "{", "GET /nowh", "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"):
        with listener.raw() as raw:
            raw.send(sent)
            raw.sock.shutdown(socket.SHUT_WR)
            while raw.read_response():
                pass
            assert raw.is_closed(within=5)


def drip(listener, start, result, key):
    """A byte every half second: how long until the other side has had enough?"""
    with listener.raw() as raw:
        raw.send(start)
        begun = time.monotonic()
        raw.sock.settimeout(0.5)
        while time.monotonic() - begun < 20:
            try:
                raw.send("a")
                if not raw.sock.recv(4096):
                    break
            except socket.timeout:
                continue
            except OSError:
                break
        result[key] = time.monotonic() - begun


def test_slow_clients_are_cut(daemon):
    """Header, second header of a kept connection, and body: ten seconds for each."""
    result = {}
    starts = {}
    for name in ("extender", "admin"):
        listener = getattr(daemon, name)
        path = "/scheduler/v1/filter" if name == "extender" else API + "/dry-runs"
        starts[name, "nothing"] = (listener, "")
        starts[name, "line"] = (listener, "POST /schedu")
        starts[name, "header"] = (listener, f"POST {path} HTTP/1.1\r\nHost: a\r\nX: ")
        starts[name, "body"] = (listener, head(listener, path, 1000))
        starts[name, "refused body"] = (listener, head(listener, "/nowhere", 1000))
        starts[name, "second"] = (listener, f"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"
                                            f"POST {path} HTTP/1.1\r\nHost: a\r\nX: ")
    threads = [threading.Thread(target=drip, args=(*start, result, key))
               for key, start in starts.items()]
    for thread in threads:
        thread.start()
    # Meanwhile nobody else waits.
    for _ in range(20):
        begun = time.monotonic()
        assert daemon.admin.get("/livez").status == 200
        assert time.monotonic() - begun < 2
        time.sleep(0.1)
    for thread in threads:
        thread.join(30)
    for key in starts:
        assert 8 < result[key] < 13, (key, result[key])
    assert 'shikiri_http_rejected_total{why="deadline"}' in daemon.admin.get("/metrics").text


def test_silent_connection_is_cut_and_idle_one_kept(daemon):
    silent = daemon.extender.raw()
    kept = daemon.extender.raw()
    request = head(daemon.extender, length=2) + "{}"
    kept.send(request)
    assert kept.read_response().status == 200
    assert silent.is_closed(within=13)
    kept.send(request)  # older than ten seconds, and idle between two requests
    assert kept.read_response().status == 200
    kept.sock.close()
    silent.sock.close()


def test_many_idle_connections(daemon):
    idle = [daemon.extender.raw() for _ in range(500)]
    begun = time.monotonic()
    assert daemon.extender.post("/scheduler/v1/filter", b"{}").status == 200
    assert time.monotonic() - begun < 2
    for raw in idle:
        raw.sock.close()
