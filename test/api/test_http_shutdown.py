"""SIGTERM while there is work."""
import json
import signal
import threading
import time

import shapes
from harness import API


def test_stops_at_once_when_idle(make_daemon):
    daemon = make_daemon()
    idle = [daemon.extender.raw() for _ in range(20)]
    begun = time.monotonic()
    daemon.stop()
    assert time.monotonic() - begun < 5
    for raw in idle:
        raw.sock.close()


def test_interrupt_stops_it_too(make_daemon):
    daemon = make_daemon()
    daemon.process.send_signal(signal.SIGINT)
    assert daemon.process.wait(15) == 0
    daemon.stop()


def test_what_is_under_way_is_answered(make_daemon):
    """A body that was announced may still come, within the ten seconds."""
    daemon = make_daemon()
    body = json.dumps(shapes.args(shapes.pod("late"), shapes.NODES))
    with daemon.extender.raw(timeout=15) as raw:
        raw.send(f"POST /scheduler/v1/filter HTTP/1.1\r\nHost: a\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n{body[:10]}")
        time.sleep(0.3)
        daemon.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        raw.send(body[10:])
        response = raw.read_response()
        assert response.status == 200
        assert response.header("Connection") == "close"
        assert raw.is_closed()
    daemon.stop()


def test_nobody_new_is_let_in(make_daemon):
    daemon = make_daemon()
    with daemon.extender.raw(timeout=15) as raw:
        raw.send("POST /scheduler/v1/filter HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
        time.sleep(0.3)
        daemon.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        try:
            with daemon.admin.raw(timeout=2) as late:
                late.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
                assert late.read_response() is None
        except OSError:
            pass
        raw.send("}")
        assert raw.read_response().status == 200
    daemon.stop()


def test_drain_is_bounded(make_daemon):
    """Somebody who sends nothing more is waited for ten seconds, not longer."""
    daemon = make_daemon()
    with daemon.extender.raw() as raw:
        raw.send("POST /scheduler/v1/filter HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{")
        time.sleep(0.3)
        begun = time.monotonic()
        daemon.stop()
        assert time.monotonic() - begun < 13


def test_stop_under_load(make_daemon):
    """Binds that run into the stop get an answer or a closed connection, never a torn one."""
    daemon = make_daemon()
    stopping = threading.Event()
    torn = []

    def hammer(number):
        i = 0
        while not stopping.is_set():
            i += 1
            body = json.dumps({"PodName": "p", "PodNamespace": "nlp", "PodUID": f"{number}-{i}",
                               "Node": "gpu-mixed"})
            try:
                with daemon.extender.raw(timeout=15) as raw:
                    raw.send(f"POST /scheduler/v1/bind HTTP/1.1\r\nHost: a\r\n"
                             f"Content-Length: {len(body)}\r\n\r\n{body}")
                    response = raw.read_response()
                    if response is not None and "Error" not in response.json():
                        torn.append(response)
            except OSError:
                pass
            except ValueError as error:
                torn.append(error)

    threads = [threading.Thread(target=hammer, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    daemon.stop()
    stopping.set()
    for thread in threads:
        thread.join(20)
    assert not torn


def test_reload_keeps_serving(make_daemon):
    daemon = make_daemon()
    daemon.process.send_signal(signal.SIGHUP)
    for _ in range(20):
        assert daemon.admin.get(API + "/tenants").status == 200
        time.sleep(0.02)
