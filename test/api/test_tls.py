"""Certificates of the two listeners and of their clients, and how they are changed."""
import http.client
import json
import re
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest

import pki
import shapes
from harness import Daemon, Raw, run

FILTER = "/scheduler/v1/filter"
CLIENT = "extendedKeyUsage=clientAuth\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory, authority):
    """TLS on both listeners, the scheduler's certificate required."""
    one = Daemon(tmp_path_factory.mktemp("daemon"), shapes.CLUSTER, shapes.DOCUMENTS,
                 args=authority.flags(), context=authority.context()).start()
    yield one
    one.stop()


@pytest.fixture
def own(tmp_path):
    """An authority that the test may change."""
    return pki.Authority(tmp_path / "own")


def counted(daemon, why):
    text = daemon.admin.get("/metrics").text
    return int(re.search(rf'client_certificates_refused_total{{why="{why}"}} (\d+)', text)[1])


def handled(daemon):
    text = daemon.admin.get("/metrics").text
    return int(re.search(r'extender_requests_total{verb="filter"} (\d+)', text)[1])


def is_let_in(daemon, context):
    """Does a verb answer? Under TLS 1.3 a client hears of its refusal with its first read."""
    body = b"{}"
    try:
        with Raw(daemon.extender.address, 10, context) as raw:
            raw.send(f"POST {FILTER} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n")
            raw.send(body)
            response = raw.read_response()
    except (ssl.SSLError, ConnectionError):
        return False
    return response is not None and response.status == 200


def refused(daemon, context, why):
    before, calls = counted(daemon, why), handled(daemon)
    assert not is_let_in(daemon, context)
    assert counted(daemon, why) == before + 1
    assert handled(daemon) == calls


def shown(listener):
    """The certificate that a new connection gets to see."""
    with listener.raw() as raw:
        return raw.sock.getpeercert(binary_form=True)


def until(what, within=20):
    end = time.monotonic() + within
    while not what():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.1)


# --- who is let in ---


def test_the_scheduler_is_let_in(served, authority):
    assert is_let_in(served, authority.context())
    answer = served.extender.post(FILTER, shapes.args(shapes.pod("a"), shapes.NODES)).json()
    assert answer["Error"] == "" and answer["NodeNames"]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_versions(served, authority, version):
    context = authority.context()
    context.minimum_version = context.maximum_version = version
    assert is_let_in(served, context)
    nobody = authority.context(client=None)
    nobody.minimum_version = nobody.maximum_version = version
    refused(served, nobody, "none")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_versions_are_not(served, authority):
    context = authority.context()
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Raw(served.admin.address, 10, context)


def test_weak_ciphers_are_not(served, authority):
    for ciphers in ("AES256-GCM-SHA384", "ECDHE+AES+SHA:@SECLEVEL=0"):
        context = authority.context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(ciphers)
        with pytest.raises((ssl.SSLError, ConnectionError)):
            Raw(served.admin.address, 10, context)


def test_without_certificate(served, authority):
    refused(served, authority.context(client=None), "none")


def test_of_another_authority(served, authority, stranger):
    refused(served, stranger.context(ca=authority), "untrusted")


def test_signed_by_itself(served, authority):
    authority.sign_by_itself("alone")
    refused(served, authority.context("alone"), "untrusted")


def test_expired(served, authority):
    authority.sign("expired", extensions=CLIENT, days=-1)
    refused(served, authority.context("expired"), "expired")


def test_servers_certificate(served, authority):
    authority.sign("server", extensions="extendedKeyUsage=serverAuth\n")
    refused(served, authority.context("server"), "purpose")


@pytest.mark.parametrize("subject", ["/CN=system:kube-controller-manager", "/CN=system",
                                     "/CN=system:kube-scheduler2", "/O=system:kube-scheduler"])
def test_of_another_name(served, authority, subject):
    authority.sign("other", subject, CLIENT)
    refused(served, authority.context("other"), "name")


def test_without_purposes(served, authority):
    """A certificate that names no purpose is good for all."""
    authority.sign("any")
    assert is_let_in(served, authority.context("any"))


@pytest.mark.parametrize("accepted, names", [
    ("scheduler.example", "DNS:a.example,DNS:Scheduler.Example"), ("10.1.2.3", "IP:10.1.2.3"),
    ("fd00::7", "IP:fd00:0:0::7"), ("spiffe://c/ns/s", "URI:spiffe://c/ns/s"),
    ("ops@example.org", "email:ops@example.org"),
])
def test_alternative_names(make_daemon, authority, accepted, names):
    authority.sign("named", "/CN=somebody", f"{CLIENT}subjectAltName={names}\n")
    authority.sign("unnamed", "/CN=somebody", f"{CLIENT}subjectAltName=DNS:other,IP:10.1.2.4\n")
    daemon = make_daemon(args=[*authority.flags(), "--client-name", accepted],
                         context=authority.context())
    assert is_let_in(daemon, authority.context("named"))
    refused(daemon, authority.context("unnamed"), "name")
    assert is_let_in(daemon, authority.context())


def test_any_name_of_the_authority(make_daemon, authority, stranger):
    authority.sign("anybody", "/CN=anybody", CLIENT)
    daemon = make_daemon(args=[*authority.server_flags(), "--client-ca", authority.path("ca.crt"),
                               *authority.server_flags("--admin-")], context=authority.context())
    assert is_let_in(daemon, authority.context("anybody"))
    refused(daemon, stranger.context(ca=authority), "untrusted")


def test_certificate_is_not_asked_for(make_daemon, authority):
    """TLS alone, on loopback."""
    daemon = make_daemon(args=[*authority.server_flags(), *authority.server_flags("--admin-")],
                         context=authority.context(client=None))
    assert is_let_in(daemon, authority.context(client=None))


def test_admin_clients(make_daemon, authority, stranger):
    daemon = make_daemon(args=[*authority.server_flags("--admin-"),
                               "--admin-client-ca", authority.path("ca.crt")],
                         context=authority.context())
    assert daemon.extender.url.startswith("http://")
    assert daemon.admin.get("/livez").status == 200
    for context in (authority.context(client=None), stranger.context(ca=authority)):
        with pytest.raises((ssl.SSLError, ConnectionError, AssertionError)):
            with Raw(daemon.admin.address, 10, context) as raw:
                raw.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
                assert raw.read_response() is not None
    assert counted(daemon, "none") == 1 and counted(daemon, "untrusted") == 1


def test_refusals_are_logged_once_in_a_while(make_daemon, authority, stranger):
    daemon = make_daemon(args=authority.flags(), context=authority.context())
    for _ in range(30):
        assert not is_let_in(daemon, stranger.context(ca=authority))
    assert counted(daemon, "untrusted") == 30
    daemon.stop()
    lines = daemon.events("client certificate refused")
    assert 1 <= len(lines) <= 3
    assert lines[0]["why"] == "untrusted" and lines[0]["listener"] == "extender"
    assert lines[0]["subject"] == "CN=system:kube-scheduler" and lines[0]["peer"] == "127.0.0.1"


# --- the connection ---


def test_protocol_is_agreed_on(served, authority):
    context = authority.context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with Raw(served.extender.address, 10, context) as raw:
        assert raw.sock.selected_alpn_protocol() == "http/1.1"


def test_plain_http_to_a_tls_port(served):
    for data in ("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", "\x00" * 100, "\x16\x03\x01\xff\xff"):
        with Raw(served.extender.address) as raw:
            raw.send(data)
            raw.sock.settimeout(13)
            assert b"HTTP/" not in raw.read_all()
    assert served.extender.post(FILTER, b"{}").status == 200


def test_tls_to_a_plain_port(make_daemon, authority):
    daemon = make_daemon()
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Raw(daemon.admin.address, 15, authority.context())
    assert daemon.admin.get("/livez").status == 200


def test_handshake_that_dawdles_is_cut(served, authority):
    """One byte of it every half second: the ten seconds of a header."""
    hello = ssl.MemoryBIO()
    client = authority.context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="127.0.0.1")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    data = hello.read()
    silent = Raw(served.extender.address)
    with Raw(served.extender.address) as raw:
        begun = time.monotonic()
        raw.sock.settimeout(0.5)
        for byte in data[:60]:
            try:
                raw.send(bytes([byte]))
                if not raw.sock.recv(1):
                    break
            except socket.timeout:
                continue
            except OSError:
                break
        assert time.monotonic() - begun < 14
    assert silent.is_closed(within=5)
    silent.sock.close()
    assert 'rejected_total{why="deadline"}' in served.admin.get("/metrics").text


def test_client_goes_within_the_handshake(served):
    for size in (0, 1, 5, 40):
        for _ in range(20):
            with Raw(served.extender.address) as raw:
                raw.send(b"\x16\x03\x01\x01\x00" + b"\x01" * size if size else b"")
    assert served.extender.post(FILTER, b"{}").status == 200


def test_many_connections(served, authority):
    """200 at the same time, all of them kept and used twice."""
    context = authority.context()
    raws, failures = [], []

    def connect():
        try:
            for _ in range(10):
                raws.append(Raw(served.extender.address, 30, context))
        except OSError as error:
            failures.append(error)

    threads = [threading.Thread(target=connect) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and len(raws) == 200
    body = json.dumps(shapes.args(shapes.pod("a"), shapes.NODES))
    for _ in range(2):
        for raw in raws:
            raw.send(f"POST {FILTER} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        for raw in raws:
            response = raw.read_response()
            assert response.status == 200 and response.json()["Error"] == ""
    for raw in raws:
        raw.sock.close()


def test_large_bodies(served):
    """Many TLS records, each read as it comes."""
    nodes = [f"node-{i:06}" for i in range(100000)]
    answer = served.extender.post(FILTER, shapes.args(shapes.pod("a"), nodes)).json()
    assert len(answer["FailedNodes"]) + len(answer["FailedAndUnresolvableNodes"]) \
        + len(answer["NodeNames"]) == len(nodes) or answer["Error"]


def test_a_library_client(served, authority):
    """Not our own bytes: what Python's HTTP client makes of it."""
    host, port = served.extender.address
    connection = http.client.HTTPSConnection(host, port, timeout=10, context=authority.context())
    for _ in range(3):
        connection.request("POST", FILTER, json.dumps(shapes.args(shapes.pod("a"), shapes.NODES)))
        response = connection.getresponse()
        assert response.status == 200 and json.loads(response.read())["Error"] == ""
    connection.close()


def test_shikirictl_over_tls(served, authority, stranger):
    def get_nodes(ca):
        return subprocess.run([str(pki.PROGRAM), "get", "nodes", "--server", served.admin.url,
                               "--ca", ca.path("ca.crt")], capture_output=True, text=True, timeout=30)

    done = get_nodes(authority)
    assert done.returncode == 0 and "gpu-cards" in done.stdout, done.stderr
    done = get_nodes(stranger)
    assert done.returncode != 0 and done.stdout == "" and done.stderr


# --- changing them ---


def ask(raw):
    raw.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    return raw.read_response().status


@pytest.mark.parametrize("how", ["signal", "change"])
def test_reload(make_daemon, own, how):
    daemon = make_daemon(args=own.flags(), context=own.context())
    kept = daemon.admin.raw()
    assert ask(kept) == 200
    old = shown(daemon.admin)
    own.renew("--days", "30")
    if how == "signal":
        daemon.process.send_signal(signal.SIGHUP)
    until(lambda: shown(daemon.admin) != old)
    until(lambda: shown(daemon.extender) != old)
    assert ask(kept) == 200
    assert kept.sock.getpeercert(binary_form=True) == old
    kept.sock.close()
    text = daemon.admin.get("/metrics").text
    ends = int(re.search(r'expiry_timestamp_seconds{listener="admin"} (\d+)', text)[1])
    assert 29 * 86400 < ends - time.time() <= 30 * 86400
    assert 'reloads_total{result="failed"} 0' in text
    assert is_let_in(daemon, own.context())


def test_client_authority_is_changed(make_daemon, own, stranger):
    """Open connections go on; new ones are judged by the new authority."""
    daemon = make_daemon(args=own.flags(), context=own.context())
    assert not is_let_in(daemon, stranger.context(ca=own))
    ours, theirs = own.context(), stranger.context(ca=own)
    request = f"POST {FILTER} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{{}}"
    with daemon.extender.raw() as kept:
        kept.send(request)
        assert kept.read_response().status == 200
        (own.directory / "ca.crt").write_bytes((stranger.directory / "ca.crt").read_bytes())
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: is_let_in(daemon, theirs))
        kept.send(request)
        assert kept.read_response().status == 200
    assert not is_let_in(daemon, ours)


@pytest.mark.parametrize("fault", ["half", "empty", "gone", "other key", "bad authority"])
def test_bad_files_leave_the_old_in_force(make_daemon, own, fault):
    daemon = make_daemon(args=own.flags(), context=own.context())
    old = shown(daemon.extender)
    context = own.context()
    cert, key, ca = (own.directory / name for name in ("tls.crt", "tls.key", "ca.crt"))
    whole = {path: path.read_bytes() for path in (cert, key, ca)}
    if fault == "half":
        cert.write_bytes(whole[cert][:300])
    elif fault == "empty":
        key.write_bytes(b"")
    elif fault == "gone":
        key.unlink()
    elif fault == "other key":
        key.write_bytes((own.directory / "client.key").read_bytes())
    else:
        ca.write_bytes(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    message = "certificate not reloaded; the old one stays in force"
    until(lambda: [e for e in daemon.events(message) if e["listener"] == "extender"])
    assert shown(daemon.extender) == old and is_let_in(daemon, context)
    time.sleep(6)  # looked at once more meanwhile
    lines = [e for e in daemon.events(message) if e["listener"] == "extender"]
    assert len(lines) == 1 and str(own.directory) in lines[0]["err"]
    for path, data in whole.items():
        path.write_bytes(data)
    until(lambda: len([e for e in daemon.events("certificate in force")
                       if e["listener"] == "extender"]) == 2)
    assert shown(daemon.extender) == old and is_let_in(daemon, context)


def test_reload_under_load(make_daemon, own):
    """Certificates change all the time, and no request fails."""
    daemon = make_daemon(args=own.flags(), context=own.context())
    context = own.context()
    stopping, failures, n = threading.Event(), [], []

    def call():
        while not stopping.is_set():
            if is_let_in(daemon, context):
                n.append(1)
            else:
                failures.append(1)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        own.renew()
        daemon.process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
    stopping.set()
    for thread in threads:
        thread.join(20)
    assert n and not failures


# --- start ---


def fails(status, *args, says):
    code, out, err = run("--ledger", ":memory:", "--listen", "127.0.0.1:0", "--admin-listen",
                         "127.0.0.1:0", *args)
    assert code == status and out == "", (code, out, err)
    lines = [line for line in err.splitlines() if not line.startswith("{")]
    assert len(lines) == 1 and all(word in lines[0] for word in says), err


def test_start_with_bad_files(tmp_path, authority):
    snapshot = tmp_path / "cluster.json"
    snapshot.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": shapes.CLUSTER}))
    cert, key, ca = (authority.path(name) for name in ("tls.crt", "tls.key", "ca.crt"))
    bad = tmp_path / "bad.pem"
    bad.write_text("nonsense")
    base = ["--snapshot", snapshot]
    fails(78, *base, "--tls-cert", cert, says=["--tls-cert", "--tls-key"])
    fails(66, *base, "--tls-cert", tmp_path / "none.crt", "--tls-key", key, says=["none.crt"])
    fails(66, *base, "--tls-cert", cert, "--tls-key", key, "--client-ca", tmp_path / "none",
          says=["none"])
    fails(78, *base, "--tls-cert", bad, "--tls-key", key, says=["bad.pem"])
    fails(78, *base, "--tls-cert", cert, "--tls-key", bad, says=["bad.pem"])
    fails(78, *base, "--tls-cert", cert, "--tls-key", authority.path("client.key"),
          says=["client.key", "tls.crt"])
    fails(78, *base, "--admin-tls-cert", cert, "--admin-tls-key", key, "--admin-client-ca", bad,
          says=["bad.pem"])
    fails(78, *base, "--tls-cert", cert, "--tls-key", tmp_path, says=[str(tmp_path)])


def test_check_reads_certificates(tmp_path, authority):
    snapshot = tmp_path / "cluster.json"
    snapshot.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": shapes.CLUSTER}))
    args = ["--check", "--snapshot", snapshot, "--tls-cert", authority.path("tls.crt"), "--tls-key"]
    assert run(*args, authority.path("tls.key"))[:2] == (0, "")
    code, out, _ = run(*args, authority.path("client.key"))
    assert code == 78 and "client.key" in out


def test_beyond_loopback(make_daemon, authority):
    daemon = make_daemon(args=["--listen", "0.0.0.0:0", *authority.flags()],
                         context=authority.context())
    assert daemon.extender.url.startswith("https://0.0.0.0:")
    daemon.extender.address = ("127.0.0.1", daemon.extender.address[1])
    assert is_let_in(daemon, authority.context())
    refused(daemon, authority.context(client=None), "none")
