"""GET with watch=1: changes from a version on, bookmarks, and the end."""
from . import wire as wires
from .codec import to_bytes
from .lists import version
from .selectors import Selector
from .status import expired, invalid, status
from .store import ADDED, DELETED, KINDS, MODIFIED, api_version, with_type

DEFAULT_TIMEOUT_S = 3600
TICK_S = 0.5  # how long a watch may sleep without looking at its switches


class Watch:
    def __init__(self, api, request, resource, namespace, plan):
        self.api, self.store, self.request, self.resource = api, api.store, request, resource
        self.plan = plan
        query = request.query
        if "sendInitialEvents" in query:
            raise invalid("ListOptions", "", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden "
                                             "for watch unless the WatchList feature gate is enabled")
        self.selector = Selector(namespace, query)
        self.bookmarks = query.get("allowWatchBookmarks") in ("1", "true")
        self.timeout = int(query.get("timeoutSeconds") or DEFAULT_TIMEOUT_S)
        self.since = version(query.get("resourceVersion", ""))
        self.too_old = 0 < self.since < self.store.oldest
        if self.too_old and api.expired_as == "status":
            raise self._expired()

    def _expired(self):
        return expired(f"too old resource version: {self.since} ({self.store.oldest})")

    def _line(self, kind, body):
        return b'{"type":"%s","object":' % kind.encode() + body + b"}\n"

    def _error_line(self):
        """An error that the stream begins with, or None."""
        fault = self.plan.get("error_event")
        if fault:
            return self._line("ERROR", to_bytes(status(fault.code, fault.message)))
        return self._line("ERROR", self._expired().body) if self.too_old else None

    def _initial(self):
        """What is there now, when no version was given to begin from; and the index to go on from."""
        with self.store.changed:
            if self.since:
                return [], self.store.index(self.resource, self.since)
            found = [self._line(ADDED, with_type(self.resource, r.body))
                     for r in self.store.at(self.resource) if self.selector.matches(r)]
            return found, self.store.index(self.resource, self.store.rv)

    def _told(self, change):
        """The line for a change; None if the selector never saw the object."""
        before, after = self.selector.matches(change.old), self.selector.matches(change.new)
        if not before and not after:
            return None
        kind = DELETED if not after else (MODIFIED if before else ADDED)
        return self._line(kind, with_type(self.resource, change.shown.body))

    def _bookmark(self):
        kind = KINDS[self.resource]
        return self._line("BOOKMARK", to_bytes({
            "kind": kind.kind, "apiVersion": api_version(kind),
            "metadata": {"resourceVersion": str(self.store.rv), "creationTimestamp": None}}))

    def stream(self, wire):
        wire.begin_stream()
        error = self._error_line()
        if error:
            wire.body(error)
        else:
            self._follow(wire)
        wire.end_stream()

    def _follow(self, wire):
        with self.api.feeds.open(self.resource) as feed:
            lines, index = self._initial()
            end = wires.now() + self.timeout
            while lines is not None:
                for line in lines:
                    wire.body(line)
                lines, index = self._next(wire, feed, index, end)

    def _next(self, wire, feed, index, end):
        """Waits for something to say: (lines, new index); no lines when the watch is over."""
        with self.store.changed:
            while True:
                if feed.dropped or wire.client_left():
                    raise wires.Cut
                if self.api.faults.is_standing("silence", self.request):
                    self.store.changed.wait(TICK_S)
                    continue
                lines = self._news(feed, index)
                index = self.store.index(self.resource, self.store.rv)
                if lines:
                    return lines, index
                if wires.now() >= end or feed.ended:
                    return None, index
                self.store.changed.wait(min(TICK_S, max(0.0, end - wires.now()), feed.until_bookmark()))

    def _news(self, feed, index):
        told = (self._told(change) for change in self.store.changes(self.resource, index))
        lines = [line for line in told if line]
        if self.api.faults.is_standing("duplicates", self.request):
            lines = [line for line in lines for _ in (0, 1)]
        lines += feed.take_injected()
        if feed.take_bookmark() and self.bookmarks:
            lines.append(self._bookmark())
        return lines
