"""What goes wrong, armed by a test for the next n requests that match, or until cleared."""
import dataclasses
import re
import threading

KINDS = ("status",           # answers code, without work
         "lost_before",      # closes the connection instead of working
         "lost_after",       # works, and closes the connection instead of answering
         "hold_before",      # waits before the work until released, or for a time
         "hold_after",       # the same between work and answer
         "body",             # answers these bytes with that code, whatever was asked
         "slow",             # sends so many bytes at a time, with a pause between
         "cut",              # ends the connection after so many bytes of the body
         "stale",            # a list as it was at rv
         "expired_continue",  # 410 for whatever follows a first page
         "error_event",      # a watch begins with an ERROR event of that code, and ends
         "silence",          # a watch stays open and says nothing
         "duplicates")       # a watch says everything twice


@dataclasses.dataclass
class Fault:
    kind: str
    method: str = ""         # of the requests it is for; "": any
    path: str = ""           # searched for in the path as a regular expression
    watch: bool | None = None
    times: int | None = 1    # None: until cleared
    let_pass: int = 0        # so many matching requests go unharmed first
    code: int = 0
    message: str | None = None
    retry_after: int | None = None
    data: bytes = b""
    size: int = 0            # bytes at a time, or until the cut
    seconds: float | None = None  # of a pause; None for a hold: until released
    reset: bool = False      # a cut is a reset rather than an end
    rv: int = 0
    hits: int = 0
    reached: threading.Event = dataclasses.field(default_factory=threading.Event)
    released: threading.Event = dataclasses.field(default_factory=threading.Event)

    def release(self):
        self.released.set()

    def matches(self, request):
        return ((not self.method or self.method == request.method) and
                re.search(self.path, request.path) is not None and
                (self.watch is None or self.watch == request.watch) and
                (self.kind != "expired_continue" or "continue" in request.query))

    @property
    def spent(self):
        return self.times is not None and self.hits >= self.times


class Faults:
    def __init__(self, changed):
        self._changed = changed
        self._armed = []

    def arm(self, kind, **what):
        assert kind in KINDS, kind
        fault = Fault(kind, **what)
        with self._changed:
            self._armed.append(fault)
            self._changed.notify_all()
        return fault

    def clear(self, *faults):
        """These, or all; whoever is held by one goes on."""
        with self._changed:
            for fault in list(faults or self._armed):
                fault.release()
                if fault in self._armed:
                    self._armed.remove(fault)
            self._changed.notify_all()

    def take(self, request):
        """Those that strike this request, by kind."""
        taken = {}
        with self._changed:
            for fault in self._armed:
                if fault.spent or fault.kind in taken or not fault.matches(request):
                    continue
                if fault.let_pass:
                    fault.let_pass -= 1
                    continue
                fault.hits += 1
                fault.reached.set()
                taken[fault.kind] = fault
        return taken

    def is_standing(self, kind, request):
        """Whether one of that kind is armed now, for a watch that is already open."""
        with self._changed:
            return any(fault.kind == kind and fault.matches(request) for fault in self._armed)
