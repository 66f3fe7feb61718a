"""Every request that came, in order, and how it ended."""
import dataclasses

READS = ("GET", "HEAD")
LOST = "lost"    # closed without an answer
CUT = "cut"      # the client or a fault ended it in the middle


@dataclasses.dataclass
class Request:
    number: int
    at: float          # monotonic seconds
    method: str
    path: str
    query: dict
    headers: dict      # names in lower case
    body: bytes = b""
    value: object = None  # the body as JSON, None if it is none
    user: str = ""
    certificate: str = ""   # common name of the client's certificate
    outcome: object = None  # status code, LOST or CUT; None: under way
    committed: bool = False  # the work was done, whatever the client heard

    @property
    def watch(self):
        return self.query.get("watch") in ("1", "true")

    @property
    def is_write(self):
        return self.method not in READS

    def __str__(self):
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"#{self.number} {self.method} {self.path}{'?' if query else ''}{query} -> {self.outcome}"


class Journal:
    def __init__(self, changed):
        self._changed = changed
        self._requests = []

    def add(self, request):
        with self._changed:
            request.number = len(self._requests) + 1
            self._requests.append(request)
            self._changed.notify_all()

    def end(self, request, outcome):
        with self._changed:
            request.outcome = outcome
            self._changed.notify_all()

    def all(self, method=None, path_end="", after=0, **wanted):
        """Requests that match; path_end is how the path ends, after a request's number."""
        with self._changed:
            return [r for r in self._requests
                    if r.number > after and (method is None or r.method == method) and
                    r.path.endswith(path_end) and
                    all(getattr(r, name) == value for name, value in wanted.items())]

    def writes(self, after=0):
        return [r for r in self.all(after=after) if r.is_write]

    def binds(self, after=0):
        return self.all("POST", "/binding", after)

    @property
    def last(self):
        with self._changed:
            return len(self._requests)

    def __str__(self):
        return "\n".join(map(str, self.all()))
