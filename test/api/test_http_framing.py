"""Requests whose length or target two readers could see differently."""
import pytest

from harness import API

TARGET = {"extender": ("POST", "/scheduler/v1/filter"), "admin": ("POST", API + "/dry-runs")}
SMUGGLED = "GET /livez HTTP/1.1\r\nHost: smuggled\r\n\r\n"


@pytest.fixture(params=["extender", "admin"])
def target(request, daemon):
    method, path = TARGET[request.param]
    return getattr(daemon, request.param), method, path


def refused(listener, data, status):
    """Exactly one answer of that status, and the connection is closed."""
    with listener.raw() as raw:
        raw.send_some(data)
        response = raw.read_response()
        assert response is not None, "closed without an answer"
        assert response.status == status, response
        assert response.header("Content-Length") is not None
        assert raw.read_all() == b"", "something followed"
    return response


def post(target, headers, body=""):
    listener, method, path = target
    return f"{method} {path} HTTP/1.1\r\nHost: {listener.host}\r\n{headers}\r\n{body}"


@pytest.mark.parametrize("headers, status", [
    ("Content-Length: 5\r\nContent-Length: 5\r\n", 400),
    ("Content-Length: 5\r\nContent-Length: 30\r\n", 400),
    ("content-length: 5\r\nCONTENT-LENGTH: 5\r\n", 400),
    ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400),
    ("Content-Length: 5\r\nTransfer-Encoding: identity\r\n", 400),
    ("Transfer-Encoding: gzip\r\n", 501),
    ("Transfer-Encoding: xchunked\r\n", 501),
    ("Transfer-Encoding: identity\r\n", 501),
    ("Transfer-Encoding: gzip, chunked\r\n", 501),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\n", 411),
    ("", 411),
])
def test_length_is_stated_once(target, headers, status):
    body = "5\r\nhello\r\n0\r\n\r\n" + SMUGGLED
    refused(target[0], post(target, headers, body), status)


@pytest.mark.parametrize("headers", [
    "Content-Length: 5\r\nContent-Length: 60\r\n",
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
])
def test_second_request_is_never_dispatched(make_daemon, headers):
    daemon = make_daemon()
    body = "0\r\n\r\n" + SMUGGLED
    refused(daemon.admin, f"POST {API}/dry-runs HTTP/1.1\r\nHost: a\r\n{headers}\r\n{body}", 400)
    daemon.stop()
    assert [e["path"] for e in daemon.events("request")] == [API + "/dry-runs"]


@pytest.mark.parametrize("value", ["-1", "+5", "12x", "0x10", "99999999999999999999999", "1e3", ""])
def test_length_is_a_number(target, value):
    listener = target[0]
    with listener.raw() as raw:
        raw.send(post(target, f"Content-Length: {value}\r\n", SMUGGLED))
        response = raw.read_response()
        assert response.status in (400, 413)
        # The library answers such a request by itself, and states the status twice.
        assert SMUGGLED.encode() not in raw.read_all()
        assert raw.is_closed()


@pytest.mark.parametrize("headers", [
    "X : 1\r\n",                      # a blank before the colon
    "X-Folded: 1\r\n 2\r\n",          # obs-fold
    "X-Folded: 1\r\n\t2\r\n",
    "X(comment): 1\r\n",
    "X\x01Y: 1\r\n",
    "X: a\x01b\r\n",
    "X: a\x7fb\r\n",
    "X: a\x00b\r\n",
    "X: a\x00\r\n",
    "X: \x00\r\n",
    "Host: other\r\n",                # the second one
    "Authorization: a\r\nAuthorization: a\r\n",
])
def test_headers_are_plain(target, headers):
    refused(target[0], post(target, headers + "Content-Length: 2\r\n", "{}"), 400)


@pytest.mark.parametrize("data", [
    "GET /livez\x00 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /livez\x00/../x HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /livez?a=1\x00b HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: a\x00b\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: a\x00\r\n\r\n",
    "GET /livez HTTP/1.1\r\nHost: a\r\nX: 1\x00\r\n\r\n",
    "GET /livez HTTP/1.1\nHost: a\x00b\n\n",
])
def test_nothing_hides_behind_a_nul(listener, data):
    refused(listener, data, 400)


def test_bare_line_feeds_are_taken(daemon):
    with daemon.admin.raw() as raw:
        for ends in (("\n", "\n", "\n"), ("\r\n", "\n", "\r\n"), ("\n", "\r\n", "\n")):
            raw.send("GET /livez HTTP/1.1{}Host:a{}{}".format(*ends))
            assert raw.read_response().status == 200


@pytest.mark.parametrize("headers", [
    "Host:a\r\n", "Host: \t a\r\n", "Host: a  \r\n", "Host: a\r\nX:\r\n", "Host: a\r\nX: \r\nY: 1\r\n",
    "Host: a\r\nCookie: a=b; c=d\r\n", "Host: a\r\nX: 1\r\nX: 2\r\n",
])
def test_plain_heads_are_taken(daemon, headers):
    with daemon.admin.raw() as raw:
        for _ in range(2):
            raw.send(f"GET /livez?  HTTP/1.1\r\n{headers}\r\n".replace("?  ", " "))
            assert raw.read_response().status == 200


def test_headers_without_colon(target):
    with target[0].raw() as raw:
        raw.send(post(target, "no colon here\r\nContent-Length: 2\r\n", "{}"))
        assert raw.read_response().status == 400
        assert raw.is_closed()


def test_no_host(listener):
    refused(listener, "GET /livez HTTP/1.1\r\n\r\n", 400)


def test_get_with_a_body(listener):
    refused(listener, f"GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello{SMUGGLED}",
            400)


@pytest.mark.parametrize("path", [
    "/scheduler%2fv1/filter", "/scheduler%2Fv1/filter", "/scheduler/v1/filter%00",
    "/scheduler/v1/filter%00.html", "/scheduler/v1/%2e%2e/filter", "/scheduler/v1/%2E/filter",
    "/scheduler/v1/../v1/filter", "/scheduler/./v1/filter", "//scheduler/v1/filter",
    "/scheduler//v1/filter", "/scheduler/v1/filter//", "/scheduler%5cv1/filter",
    "/scheduler\\v1/filter", "/scheduler/v1/filter%0d%0aX:1", "/scheduler/v1/filter%7f",
    "/scheduler/v1/filter%", "/scheduler/v1/filter%4", "/scheduler/v1/filter%zz",
    "/scheduler/v1/filter#x", "/scheduler/v1/fi\xe9lter", "/scheduler/v1/fil ter", "*",
    "scheduler/v1/filter", "http://evil/scheduler/v1/filter", "/..", "/.",
])
def test_path_is_canonical(listener, path):
    refused(listener, f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{{}}{SMUGGLED}",
            400)


@pytest.mark.parametrize("query", ["?a=%00", "?a=%zz", "?a=%0a", "?a=1&a=2", "?%01=1"])
def test_query_is_plain(listener, query):
    refused(listener, f"POST /scheduler/v1/filter{query} HTTP/1.1\r\nHost: a\r\n"
                      f"Content-Length: 2\r\n\r\n{{}}", 400)


@pytest.mark.parametrize("data", [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/3.0\r\n\r\n", "GET / HTTP/0.9\r\n\r\n",
    "GET / HTTX/1.1\r\n\r\n", "GET /\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\nX\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
])
def test_other_protocols(listener, data):
    """No answer but a refusal, and the connection ends."""
    with listener.raw() as raw:
        raw.send(data)
        raw.sock.settimeout(13)
        answer = raw.read_all()
    assert not answer or answer.split(b" ")[1] in (b"400", b"404", b"405", b"505"), answer


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS",
                                    "CONNECT", "PROPFIND", "post"])
@pytest.mark.parametrize("verb", ["filter", "prioritize", "preempt", "bind"])
def test_verbs_are_posted(daemon, method, verb):
    response = daemon.extender.request(method, f"/scheduler/v1/{verb}",
                                       None if method in ("GET", "HEAD") else b"{}")
    assert response.status == 405
    assert response.header("Allow") == "POST"


@pytest.mark.parametrize("path", ["/", "/filter", "/scheduler/v1", "/scheduler/v1/", "/livez",
                                  "/scheduler/v1/filter/", "/scheduler/v1/Filter",
                                  "/scheduler/v2/filter", API + "/tenants"])
def test_extender_knows_four_paths(daemon, path):
    assert daemon.extender.post(path, b"{}").status == 404
    assert daemon.extender.get(path).status == 404


def test_admin_knows_no_verbs(daemon):
    assert daemon.admin.post("/scheduler/v1/filter", b"{}").status == 404


def test_verbs_ignore_the_query(daemon):
    assert daemon.extender.post("/scheduler/v1/filter?timeout=5s", b"{}").status == 200
