"""A shikirid of our own for each test, and clients that can also misbehave.

Everything is on loopback and bounded in time. A daemon is stopped by its own process id."""
import json
import os
import pathlib
import re
import select
import signal
import socket
import ssl
import subprocess
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SHIKIRI_BUILD", ROOT / "build"))
PROGRAM = BUILD / "cmd" / "shikirid" / "shikirid"
START_S = 30
STOP_S = 20
SANITIZER = re.compile(r"(ERROR|WARNING): (Address|Leak|Memory|Thread)Sanitizer|runtime error:")

API = "/apis/shikiri.dev/v1"
READY = re.compile(r"^ready extender=(https?://\S+) admin=(https?://\S+)\n$")


class Response:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers  # list of (name, value)
        self.body = body

    def header(self, name):
        for key, value in self.headers:
            if key.lower() == name.lower():
                return value
        return None

    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Raw:
    """One connection, byte by byte."""

    def __init__(self, address, timeout=10, context=None):
        self.sock = socket.create_connection(address, timeout=timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.sock = context.wrap_socket(self.sock, server_hostname=address[0])
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        if isinstance(data, str):
            data = data.encode("latin-1")
        self.sock.sendall(data)

    def send_some(self, data):
        """Sends until the other side has had enough."""
        try:
            self.send(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            pass

    def _more(self):
        try:
            data = self.sock.recv(65536)
        except ConnectionResetError:
            return False
        self.buffer += data
        return bool(data)

    def read_response(self, head_only=False):
        """The next response, or None when the connection ended instead."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._more():
                return None
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        headers = [tuple(line.split(": ", 1)) for line in lines[1:]]
        response = Response(status, headers, b"")
        if status == 100:
            return response
        length = response.header("Content-Length")
        if length is None or head_only:
            return response
        while len(self.buffer) < int(length):
            if not self._more():
                break
        response.body, self.buffer = self.buffer[: int(length)], self.buffer[int(length):]
        return response

    def read_all(self):
        """Everything until the end."""
        while self._more():
            pass
        return self.buffer

    def is_closed(self, within=3):
        """Does the other side close (with nothing more to say)?"""
        self.sock.settimeout(within)
        try:
            return not self._more()
        except socket.timeout:
            return False


class Listener:
    """An address of the daemon, and one keep-alive connection to it."""

    def __init__(self, url, context=None):
        self.url = url
        self.context = context  # of TLS
        parts = urllib.parse.urlsplit(url)
        self.address = (parts.hostname, parts.port)
        self.host = parts.netloc
        self.connection = None

    def raw(self, timeout=10):
        return Raw(self.address, timeout, self.context)

    def close(self):
        if self.connection:
            self.connection.sock.close()
            self.connection = None

    def request(self, method, path, body=None, headers=None, timeout=30):
        """One request; the connection is kept when the daemon keeps it."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}"]
        if body is not None and not isinstance(body, bytes):
            body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        data = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (body or b"")
        for attempt in (0, 1):
            fresh = self.connection is None
            if fresh:
                self.connection = self.raw(timeout)
            self.connection.sock.settimeout(timeout)
            # Refused before all was sent: the answer is there all the same.
            self.connection.send_some(data)
            response = self.connection.read_response(head_only=method == "HEAD")
            if response is not None:
                break
            self.close()  # a kept connection may have timed out meanwhile
            assert not fresh and attempt == 0, "the daemon closed without an answer"
        if (response.header("Connection") or "").lower() == "close":
            self.close()
        return response

    def get(self, path, **headers):
        return self.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def post(self, path, body=b"", content_type="application/json", headers=None):
        return self.request("POST", path, body, {"Content-Type": content_type, **(headers or {})})

    def put(self, path, body):
        return self.request("PUT", path, body, {"Content-Type": "application/json"})

    def delete(self, path):
        return self.request("DELETE", path)


DEFAULTS = {"--listen": "127.0.0.1:0", "--admin-listen": "127.0.0.1:0", "--ledger": ":memory:"}


def defaults(args):
    """Flags that keep a test to itself, where args don't say otherwise (a flag may stand once)."""
    return [text for flag, value in DEFAULTS.items() if flag not in args for text in (flag, value)]


class Daemon:
    def __init__(self, directory, snapshot=(), documents=None, policy=None, args=(), context=None):
        self.directory = pathlib.Path(directory)
        self.context = context
        self.process = None
        self.argv = [str(PROGRAM), *defaults(args)]
        if snapshot is not None:
            snapshot_file = self.directory / "snapshot.json"
            snapshot_file.write_text(json.dumps({"apiVersion": "v1", "kind": "List",
                                                 "items": list(snapshot)}))
            self.argv += ["--snapshot", str(snapshot_file)]
        for flag, text in (("--apply", documents), ("--policy", policy)):
            if text is None:
                continue
            path = self.directory / (flag.strip("-") + ".yaml")
            path.write_text(text)
            self.argv += [flag, str(path)]
        self.argv += list(args)
        self.errors = self.directory / "stderr"

    def start(self):
        with open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(self.argv, stdout=subprocess.PIPE, stderr=errors,
                                            stdin=subprocess.DEVNULL)
        line = self._ready_line()
        match = READY.match(line)
        if not match:
            self.kill()
            raise AssertionError(f"not ready: {line!r}\n{self.log()}")
        self.extender = Listener(match[1], self.context)
        self.admin = Listener(match[2], self.context)
        return self

    def _ready_line(self):
        end = time.monotonic() + START_S
        line = b""
        descriptor = self.process.stdout.fileno()
        while not line.endswith(b"\n") and time.monotonic() < end:
            if not select.select([descriptor], [], [], 0.2)[0]:
                continue
            data = os.read(descriptor, 4096)
            if not data:
                break
            line += data
        return line.decode()

    def log(self):
        return self.errors.read_text(errors="replace")

    def events(self, message):
        """Log lines with this message, as objects."""
        found = []
        for line in self.log().splitlines():
            if line.startswith("{") and json.loads(line).get("msg") == message:
                found.append(json.loads(line))
        return found

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(STOP_S)
        if self.process and self.process.stdout:
            self.process.stdout.close()

    def stop(self, expect=0):
        """Stops it as an operator would; it must go cleanly and in time."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not stop in {STOP_S} s\n{self.log()[-4000:]}")
        self.kill()
        log = self.log()
        assert not SANITIZER.search(log), log[-8000:]
        assert status == expect, f"exit status {status}\n{log[-4000:]}"


def run(*args, timeout=30):
    """shikirid for as long as it takes: status, stdout, stderr."""
    done = subprocess.run([str(PROGRAM), *map(str, args)], capture_output=True, timeout=timeout,
                          stdin=subprocess.DEVNULL)
    errors = done.stderr.decode(errors="replace")
    assert not SANITIZER.search(errors), errors
    return done.returncode, done.stdout.decode(errors="replace"), errors


def problem(response, status, code=None):
    """The response is a problem of that status; returns it."""
    assert response.status == status, response
    assert response.header("Content-Type") == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["type"].startswith("urn:shikiri:problem:")
    assert body["title"] and body["detail"]
    assert body["requestId"] == response.header("X-Request-Id")
    if code is not None:
        assert body["code"] == code
    return body
