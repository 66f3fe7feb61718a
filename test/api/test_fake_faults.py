"""Every fault of the fake API server happens to those it is armed for, and to nobody else."""
import contextlib
import http.client
import json
import pathlib
import signal
import subprocess
import sys
import threading

import pytest

import pki
from api_client import Client
from fakeapi import FakeApi
from test_fake_reads import a_node, a_pod, expect_refused
from test_fake_writes import POD, binding, conditions

NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "lib" / "fake_apiserver.py"
GONE = (ConnectionError, http.client.RemoteDisconnected)


@pytest.fixture
def api():
    with FakeApi() as one:
        one.create(a_node("n1"))
        one.create(a_pod("p"))
        yield one


@pytest.fixture
def client(api):
    return Client(api)


@contextlib.contextmanager
def background(do):
    """do() in a thread; its result comes in the list."""
    results = []
    thread = threading.Thread(target=lambda: results.append(do()))
    thread.start()
    yield results
    thread.join(20)
    assert not thread.is_alive()


# --- which requests -----------------------------------------------------------------------------


def test_for_the_next_n_that_match(api, client):
    fault = api.faults.arm("status", code=500, method="GET", path="/nodes$", times=2, let_pass=1)
    codes = [client.get(path)[0] for path in (NODES, PODS, NODES, NODES, NODES)]
    assert codes == [200, 200, 500, 500, 200] and fault.hits == 2 and fault.spent


def test_until_cleared(api, client):
    fault = api.faults.arm("status", code=503, times=None)
    assert [client.get(NODES)[0] for _ in range(3)] == [503] * 3
    api.faults.clear(fault)
    assert client.get(NODES)[0] == 200


def test_watches_alone(api, client):
    api.faults.arm("status", code=500, watch=True)
    assert client.get(NODES)[0] == 200
    assert client.get(NODES, watch=1)[0] == 500


def test_unknown_kinds_are_a_mistake_of_the_test(api):
    with pytest.raises(AssertionError):
        api.faults.arm("statsu", code=500)


# --- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("code,reason", [
    (401, "Unauthorized"), (403, "Forbidden"), (410, "Expired"), (429, "TooManyRequests"),
    (500, "InternalError"), (503, "ServiceUnavailable"), (504, "Timeout")])
def test_status_codes(api, client, code, reason):
    api.faults.arm("status", code=code, retry_after=3)
    status, body, headers = client.request("POST", POD + "/binding", binding())
    expect_refused((status, body), code, reason)
    assert headers["Retry-After"] == "3" and api.node_of("p", "team") == ""
    assert [r.outcome for r in api.journal.binds()] == [code]


def test_any_body(api, client):
    api.faults.arm("body", code=200, data=b'{"kind":"NodeList","items":7}')
    assert client.get(NODES) == (200, {"kind": "NodeList", "items": 7})


@pytest.mark.parametrize("kind,done", [("lost_before", False), ("lost_after", True)])
def test_lost_replies(api, client, kind, done):
    api.faults.arm(kind, path="/binding$")
    with pytest.raises(GONE):
        client.post(POD + "/binding", binding())
    assert (api.node_of("p", "team") == "n1") is done
    bind, = api.journal.binds()
    assert (bind.outcome, bind.committed) == ("lost", done)


def test_held_before_the_work(api, client):
    """The case of a late POST: what happened meanwhile decides."""
    old = api.get("pods", "p", "team")["metadata"]["resourceVersion"]
    fault = api.faults.arm("hold_before", path="/binding$")
    with background(lambda: client.post(POD + "/binding", binding(resourceVersion=old))) as late:
        assert fault.reached.wait(10)
        assert client.patch(POD + "/status", conditions(("A", "1")))[0] == 200
        fault.release()
    assert late[0][0] == 409 and api.node_of("p", "team") == ""


def test_held_after_the_work(api, client):
    fault = api.faults.arm("hold_after", path="/binding$")
    with background(lambda: client.post(POD + "/binding", binding())) as answer:
        api.wait_for(lambda: api.node_of("p", "team") == "n1")
        assert fault.reached.is_set() and not answer
        fault.release()
    assert answer[0][0] == 201


def test_held_for_a_time(api, client):
    api.faults.arm("hold_before", seconds=0.01)
    assert client.get(NODES)[0] == 200


def test_clearing_lets_go(api, client):
    fault = api.faults.arm("hold_before")
    with background(lambda: client.get(NODES)) as answer:
        assert fault.reached.wait(10)
        api.faults.clear()
    assert answer[0][0] == 200


# --- lists --------------------------------------------------------------------------------------


def test_stale_lists(api, client):
    old = api.store.rv
    api.create(a_pod("q"))
    api.remove("pods", "p", "team")
    api.faults.arm("stale", rv=old)
    status, body = client.get(PODS, resourceVersion=0)
    assert [i["metadata"]["name"] for i in body["items"]] == ["p"]
    assert body["metadata"]["resourceVersion"] == str(old)
    assert client.names(PODS, resourceVersion=0) == ["q"]


def test_expired_tokens(api, client):
    api.create(a_pod("q"))
    api.faults.arm("expired_continue")
    token = client.get(PODS, limit=1)[1]["metadata"]["continue"]
    expect_refused(client.get(PODS, limit=1, **{"continue": token}), 410, "Expired")
    assert client.names(PODS, limit=1, **{"continue": token}) == ["q"]


# --- bytes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7])
def test_slow_bytes_are_all_there(api, client, size):
    expected = client.get(NODES)
    api.faults.arm("slow", size=size, seconds=0.0)
    assert client.get(NODES) == expected


def test_slow_bytes_go_on_when_released(api, client):
    fault = api.faults.arm("slow", size=1, seconds=None)
    with background(lambda: client.get(NODES)[0]) as answer:
        assert fault.reached.wait(10) and not answer
        fault.release()
    assert answer == [200]


@pytest.mark.parametrize("reset", [False, True])
def test_a_watch_is_cut_at_a_byte(api, client, reset):
    with client.watch(NODES, resourceVersion=0) as watch:
        line = watch.reply.readline()
    for k in (0, 1, len(line) - 1):
        fault = api.faults.arm("cut", watch=True, size=k, reset=reset)
        with client.watch(NODES, resourceVersion=0) as watch:
            received, why = read_until_cut(watch.reply)
        # A reset may overtake the bytes before it.
        assert line.startswith(received) and (reset or len(received) == k) and fault.hits == 1
        assert isinstance(why, ConnectionResetError) is reset


def read_until_cut(reply):
    """The bytes that came, and what ended them."""
    received = b""
    try:
        while True:
            data = reply.read1(1)
            assert data, "it ended properly"
            received += data
    except (http.client.IncompleteRead, ConnectionError) as error:
        return received, error


def test_a_list_is_cut(api, client):
    api.faults.arm("cut", size=10)
    with pytest.raises(http.client.IncompleteRead):
        client.get(NODES)
    assert api.journal.all()[0].outcome == "cut"


# --- watches ------------------------------------------------------------------------------------


def test_a_watch_begins_with_an_error(api, client):
    api.faults.arm("error_event", code=500, message="etcdserver: no leader")
    with client.watch(PODS, resourceVersion=0) as watch:
        kind, value = watch.next()
        assert (watch.status, kind, value["code"]) == (200, "ERROR", 500)
        assert value["message"] == "etcdserver: no leader"
        assert watch.next() is None


def test_silence_and_after(api, client):
    fault = api.faults.arm("silence", watch=True, times=None)
    with client.watch(PODS, resourceVersion=api.store.rv, allowWatchBookmarks="true") as watch:
        api.wait_watching("pods")
        api.create(a_pod("q"))
        api.bookmark()
        watch.connection.sock.settimeout(0.2)
        with pytest.raises(TimeoutError):
            watch.connection.sock.recv(1)
        api.faults.clear(fault)
        watch.connection.sock.settimeout(10)
        assert b'"name":"q"' in watch.connection.sock.recv(4096)


def test_duplicates(api, client):
    api.faults.arm("duplicates", times=None)
    with client.watch(PODS, resourceVersion=api.store.rv) as watch:
        api.create(a_pod("q"))
        api.create(a_pod("r"))
        assert [name for _, name in watch.names(4)] == ["q", "q", "r", "r"]


def test_anything_can_be_said(api, client):
    with client.watch(PODS, resourceVersion=api.store.rv) as watch:
        api.wait_watching("pods")
        api.inject("pods", b"not JSON")
        api.inject_event("pods", "WONDER", {"kind": "Pod"})
        assert watch.reply.readline() == b"not JSON\n"
        assert watch.next() == ("WONDER", {"kind": "Pod"})


# --- the server itself --------------------------------------------------------------------------


def test_it_goes_and_comes_back(api, client):
    port = api.port
    with client.watch(PODS, resourceVersion=api.store.rv) as watch:
        api.wait_watching("pods")
        api.stop()
        assert read_until_cut(watch.reply)[0] == b""
    with pytest.raises(ConnectionRefusedError):
        client.get(NODES)
    api.start()
    assert api.port == port and client.names(NODES) == ["n1"]


def test_the_journal_tells_it_all(api, client):
    client.get(NODES, limit=5)
    client.post(POD + "/binding", binding())
    read, write = api.journal.all()
    assert (read.query, read.outcome, read.number) == ({"limit": "5"}, 200, 1)
    assert (write.value["target"]["name"], write.headers["content-type"]) == ("n1", "application/json")
    assert api.journal.writes() == api.journal.binds() == [write] and read.at <= write.at
    assert str(write) == f"#2 POST {POD}/binding -> 201"


def test_mistakes_of_the_server_itself_are_told():
    api = FakeApi().start()
    api.kubelet = None
    api.create(a_pod("p"))
    with pytest.raises(GONE):
        Client(api).post(POD + "/binding", binding())
    with pytest.raises(AssertionError, match="on_bound"):
        api.close()


def test_tls_and_client_certificates(tmp_path):
    authority = pki.Authority(tmp_path)
    anonymous, known = authority.context(client=None), authority.context()
    with FakeApi(tokens={}, cert=authority.path("tls.crt"), key=authority.path("tls.key"),
                 client_ca=authority.path("ca.crt")) as api:
        assert Client(api, context=anonymous).get(NODES)[0] == 401
        assert Client(api, context=known).get(NODES)[0] == 200
        assert api.journal.all()[-1].user == "system:kube-scheduler" and api.url.startswith("https://")


# --- alone --------------------------------------------------------------------------------------


class Served:
    def __init__(self, *args):
        self.process = subprocess.Popen([sys.executable, PROGRAM, *map(str, args)],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rpartition(":")[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(20) == 0
        self.process.stdout.close()


def test_stand_alone(tmp_path):
    objects, config = tmp_path / "objects.json", tmp_path / "config"
    objects.write_text(json.dumps({"kind": "List", "items": [a_node("n1"), a_pod("p")]}))
    with Served("--objects", objects, "--kubeconfig", config, "--token", "t") as served:
        config = json.loads(config.read_text())
        assert config["clusters"][0]["cluster"]["server"] == served.url
        client = Client(served, {"Authorization": f"Bearer {config['users'][0]['user']['token']}"})
        assert client.names(NODES) == ["n1"] and Client(served).get(NODES)[0] == 401


def test_synthetic_sizes():
    with Served("--nodes", 30, "--pods", 250) as served:
        client = Client(served)
        nodes, pods = client.get(NODES)[1]["items"], client.get(PODS, resourceVersion=0)[1]["items"]
    assert (len(nodes), len(pods)) == (30, 250)
    assert 11_000 < len(json.dumps(nodes[7])) < 14_000 and 2_500 < len(json.dumps(pods[7])) < 3_600
    assert len({pod["metadata"]["uid"] for pod in pods}) == 250
    assert sorted({pod["status"]["phase"] for pod in pods}) == ["Pending", "Running"]
    by_node = [pod["spec"].get("nodeName") for pod in pods]
    assert by_node.count(None) == 10 and by_node.count("node-00000") == 8
