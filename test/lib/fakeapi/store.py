"""Objects, their one resourceVersion, and the history that watches and old lists are told from."""
import bisect
import collections
import json
import threading

from .codec import to_bytes

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"
START_RV = 1000

Kind = collections.namedtuple("Kind", "resource group version kind namespaced")
KINDS = {k.resource: k for k in (
    Kind("nodes", "", "v1", "Node", False),
    Kind("pods", "", "v1", "Pod", True),
    Kind("namespaces", "", "v1", "Namespace", False),
    Kind("priorityclasses", "scheduling.k8s.io", "v1", "PriorityClass", False),
    Kind("events", "events.k8s.io", "v1", "Event", True))}
RESOURCE_OF = {k.kind: k.resource for k in KINDS.values()}

# shown: the record as a watch shows it; old and new: what was and what is, None for nothing.
Change = collections.namedtuple("Change", "rv type old new shown")


def api_version(kind):
    return f"{kind.group}/{kind.version}" if kind.group else kind.version


def with_type(resource, body):
    """Alone or in a watch an object says what it is; as an item of a list it doesn't."""
    kind = KINDS[resource]
    return b'{"kind":"%s","apiVersion":"%s",' % (kind.kind.encode(), api_version(kind).encode()) + body[1:]


class Record:
    """One object at one version, as bytes; never changed."""
    __slots__ = ("key", "rv", "body", "_fields")

    def __init__(self, key, rv, body):
        self.key, self.rv, self.body = key, rv, body
        self._fields = None

    def object(self):
        """A copy of its own for every caller."""
        return json.loads(self.body)

    def fields(self):
        """What selectors can ask for: (fields, labels)."""
        if self._fields is None:
            value = self.object()
            meta, spec = value["metadata"], value.get("spec", {})
            self._fields = ({"metadata.name": self.key[1], "metadata.namespace": self.key[0],
                             "spec.nodeName": spec.get("nodeName", ""),
                             "spec.schedulerName": spec.get("schedulerName", ""),
                             "status.phase": value.get("status", {}).get("phase", "")},
                            meta.get("labels") or {})
        return self._fields


class Store:
    """All under one lock, which is also the condition that every change is told by."""

    def __init__(self, start_rv=START_RV):
        self.changed = threading.Condition(threading.RLock())
        self.rv = start_rv
        self.oldest = start_rv  # what happened at or before it has been compacted
        self._records = {resource: {} for resource in KINDS}
        self._history = {resource: [] for resource in KINDS}

    def _commit(self, resource, key, kind, new, shown):
        old = self._records[resource].pop(key, None)
        if new is not None:
            self._records[resource][key] = new
        self._history[resource].append(Change(self.rv, kind, old, new, shown))
        self.changed.notify_all()

    def put(self, resource, value):
        """The object as stored. One that says nothing new moves nothing."""
        with self.changed:
            value = {name: part for name, part in value.items() if name not in ("kind", "apiVersion")}
            meta = value["metadata"]
            key = (meta.get("namespace", ""), meta["name"])
            old = self._records[resource].get(key)
            if old is not None:
                meta["resourceVersion"] = str(old.rv)
                if old.object() == value:
                    return value
            self.rv += 1
            meta["resourceVersion"] = str(self.rv)
            record = Record(key, self.rv, to_bytes(value))
            self._commit(resource, key, MODIFIED if old else ADDED, record, record)
            return value

    def load(self, resource, bodies):
        """Many objects as bytes, put down without a history: [(key, bytes with the version in)]."""
        with self.changed:
            for key, body in bodies:
                self._records[resource][key] = Record(key, self.rv, body)
            self.oldest = self.rv

    def remove(self, resource, key):
        with self.changed:
            old = self._records[resource].get(key)
            if old is None:
                return None
            self.rv += 1
            last = old.object()
            last["metadata"]["resourceVersion"] = str(self.rv)
            self._commit(resource, key, DELETED, None, Record(key, self.rv, to_bytes(last)))
            return last

    def get(self, resource, key):
        with self.changed:
            record = self._records[resource].get(key)
            return record.object() if record else None

    def record(self, resource, key):
        with self.changed:
            return self._records[resource].get(key)

    def at(self, resource, rv=None):
        """Records in order of their keys, as they are or as they were after rv."""
        with self.changed:
            state = dict(self._records[resource])
            history = self._history[resource]
            for change in reversed(history[self.index(resource, rv):] if rv is not None else []):
                key = change.shown.key
                state.pop(key, None)
                if change.old is not None:
                    state[key] = change.old
            return [state[key] for key in sorted(state)]

    def index(self, resource, rv):
        """Of the first change after rv."""
        return bisect.bisect_right(self._history[resource], rv, key=lambda change: change.rv)

    def changes(self, resource, index):
        with self.changed:
            return self._history[resource][index:]

    def compact(self, rv=None):
        """Forgets the history up to rv (all of it): lists and watches from before it are expired."""
        with self.changed:
            self.oldest = self.rv if rv is None else rv
            self.changed.notify_all()
