"""A small Kubernetes API server for tests: the semantics that a client may lean on, and every fault.

It keeps objects in memory, counts one resourceVersion for all of them, and answers lists, watches,
bindings, status patches and events as kube-apiserver does. Nothing is left to chance: uids and
stamps are counted, faults happen when a test arms them, and time passes only where a test says so."""
from .api import FakeApi
from .faults import Fault
from .store import ADDED, DELETED, MODIFIED

__all__ = ["FakeApi", "Fault", "ADDED", "DELETED", "MODIFIED"]
