"""Bytes to the client, and the ways in which they may fail to get there."""
import http.client
import select
import socket
import struct
import time

# Go sends small bodies with their length and others in chunks.
CHUNKED_FROM = 2048


class Cut(Exception):
    """The connection is to be ended here."""


class Wire:
    def __init__(self, connection, output, plan):
        self._connection, self._output = connection, output
        self._slow, self._cut = plan.get("slow"), plan.get("cut")
        self._sent = 0  # bytes of the body
        self._chunked = False

    def _emit(self, data):
        if self._slow is None:
            self._output.write(data)
            return
        for i in range(0, len(data), self._slow.size):
            self._output.write(data[i:i + self._slow.size])
            if self._slow.released.wait(self._slow.seconds):
                self._output.write(data[i + self._slow.size:])
                return

    def head(self, code, headers):
        lines = [f"HTTP/1.1 {code} {http.client.responses.get(code, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in headers]
        self._emit(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def body(self, data):
        """A piece of the body, whole or up to where it is to be cut."""
        if not data:
            return
        frame = (b"%x\r\n" % len(data), b"\r\n") if self._chunked else (b"", b"")
        room = None if self._cut is None else self._cut.size - self._sent
        if room is not None and room < len(data):
            self._emit(frame[0] + data[:room])
            self.abort(self._cut.reset)
        self._sent += len(data)
        self._emit(frame[0] + data + frame[1])

    def abort(self, reset=False):
        if reset:
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Cut

    def client_left(self):
        """During a stream the client has nothing to say but that it goes."""
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        return bool(poll.poll(0))

    def begin_stream(self, code=200, headers=()):
        self._chunked = True
        self.head(code, [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked"), *headers])

    def end_stream(self):
        self._emit(b"0\r\n\r\n")
        self._chunked = False

    def answer(self, code, pieces, headers=()):
        """A whole reply from an iterable of bytes."""
        pieces = iter(pieces)
        data = b""
        for piece in pieces:
            data += piece
            if len(data) >= CHUNKED_FROM:
                self.begin_stream(code, headers)
                self.body(data)
                for rest in pieces:
                    self.body(rest)
                self.end_stream()
                return
        self.head(code, [("Content-Type", "application/json"), ("Content-Length", len(data)), *headers])
        self.body(data)


def pause(fault):
    """Until the fault is released, or for its time."""
    if fault.seconds is None:
        fault.released.wait()
    else:
        fault.released.wait(fault.seconds)


def now():
    return time.monotonic()
