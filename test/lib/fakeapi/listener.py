"""Sockets: accepts, reads requests, and can go away and come back on the same port."""
import contextlib
import http.server
import json
import socket
import threading
import time
import traceback
import urllib.parse

from . import journal, routes, wire as wires
from .status import Refusal

BACKLOG = 256
MAX_BODY = 1 << 24


class Connection(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def _read(self):
        """The request, with its body; None when the client left in the middle."""
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_BODY:
            return None
        body = self.rfile.read(length)
        if len(body) < length:
            return None
        parts = urllib.parse.urlsplit(self.path)
        try:
            value = json.loads(body) if body else None
        except ValueError:
            value = None
        return journal.Request(
            0, time.monotonic(), self.command, urllib.parse.unquote(parts.path),
            dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True)),
            {name.lower(): text for name, text in self.headers.items()}, body, value,
            certificate=common_name(self.connection))

    def serve(self):
        request = self._read()
        if request is None:
            self.close_connection = True
            return
        api = self.server.api
        api.journal.add(request)
        outcome = journal.CUT
        try:
            outcome = answer(api, request, self)
        except (wires.Cut, OSError):
            pass
        except Exception:  # a mistake of ours, which the test is to hear of
            api.mistakes.append(f"{request}\n{traceback.format_exc()}")
        finally:
            api.journal.end(request, outcome)
        if outcome in (journal.LOST, journal.CUT):
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = serve


def common_name(connection):
    certificate = connection.getpeercert() if hasattr(connection, "getpeercert") else None
    subject = [pair for part in (certificate or {}).get("subject", ()) for pair in part]
    return dict(subject).get("commonName", "")


def injected(plan):
    """The reply in place of the work where a fault says so: (status, pieces, headers), or None."""
    fault = plan.get("status") or plan.get("body")
    if fault is None:
        return None
    headers = [] if fault.retry_after is None else [("Retry-After", fault.retry_after)]
    data = fault.data if fault.kind == "body" else Refusal(fault.code, fault.message).body
    return fault.code, [data], headers


def send(api, request, wire, reply):
    """The journal knows before the client does, so that a test may ask as soon as it has the reply."""
    api.journal.end(request, reply[0])
    wire.answer(*reply)
    return reply[0]


def answer(api, request, connection):
    """One exchange from the request to its outcome."""
    plan = api.faults.take(request)
    wire = wires.Wire(connection.connection, connection.wfile, plan)
    if "hold_before" in plan:
        wires.pause(plan["hold_before"])
    if "lost_before" in plan:
        return journal.LOST
    reply = injected(plan)
    if reply:
        return send(api, request, wire, reply)
    try:
        reply = routes.dispatch(api, request, plan, wire)
    except Refusal as refusal:
        reply = refusal.code, [refusal.body], refusal.headers
    if reply is None:
        return 200
    if "lost_after" in plan:
        return journal.LOST
    if "hold_after" in plan:
        wires.pause(plan["hold_after"])
    return send(api, request, wire, reply)


class Listener:
    """Accepts on a loopback port; each connection has a thread."""

    def __init__(self, api, port=0, context=None):
        self.api, self.context = api, context
        self.port = port
        self._socket = None
        self._connections = set()
        self._lock = threading.Lock()

    def open(self):
        self._socket = socket.create_server(("127.0.0.1", self.port), backlog=BACKLOG)
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._socket,), daemon=True).start()

    def _accept(self, listening):
        while True:
            try:
                connection, address = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, address), daemon=True).start()

    def _serve(self, connection, address):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with self._lock:
                self._connections.add(connection)
                closed = self._socket is None
            if not closed:
                Connection(connection, address, self)
        except OSError:
            pass
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()

    def close(self):
        """Refuses new connections and ends those that there are."""
        with self._lock:
            listening, self._socket = self._socket, None
        if listening:
            listening.shutdown(socket.SHUT_RDWR)
            listening.close()
        self.drop()

    def drop(self):
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            with contextlib.suppress(OSError):
                # Not TLS's own, which would take the layer away from the thread that serves.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
