"""The server as a test holds it: objects, faults, journal, and questions about all of them."""
import copy
import datetime
import json
import pathlib
import ssl

from . import routes, wire
from .codec import to_bytes
from .faults import Faults
from .feeds import Feeds
from .journal import Journal
from .kubelet import Kubelet
from .listener import Listener
from .status import Refusal
from .store import KINDS, RESOURCE_OF, Store

EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
WAIT_S = 20


class FakeApi:
    """tokens: {bearer token: user}, None for nobody is asked. allow: {(verb, resource)} of all users,
    resources as in "pods/status"; None for everything. bookmarks: seconds between them, 0 for none.
    expired_as: how a watch from a forgotten version is told, "event" or "status"."""

    def __init__(self, port=0, tokens=None, allow=None, bookmarks=60.0, expired_as="event",
                 cert=None, key=None, client_ca=None):
        self.tokens, self.allow = tokens, allow
        self.bookmarks, self.expired_as = bookmarks, expired_as
        self.store = Store()
        self.changed = self.store.changed
        self.faults = Faults(self.changed)
        self.journal = Journal(self.changed)
        self.feeds = Feeds(self.changed, lambda: self.bookmarks)
        self.kubelet = Kubelet(self)
        self.mistakes = []  # what failed in here rather than in the client
        self._made = 0
        self._context = server_context(cert, key, client_ca) if cert else None
        self._listener = Listener(self, port, self._context)

    # --- life -----------------------------------------------------------------------------------

    def start(self):
        self._listener.open()
        return self

    def stop(self):
        """Nobody is served any more; start() comes back on the same port with all objects."""
        self._listener.close()
        self.drop_watches()

    def close(self):
        self.faults.clear()
        self.stop()
        assert not self.mistakes, "\n".join(self.mistakes)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    @property
    def port(self):
        return self._listener.port

    @property
    def url(self):
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}"

    def use_certificate(self, cert, key):
        """For connections to come."""
        self._context.load_cert_chain(cert, key)

    def write_kubeconfig(self, path, ca_file=None, **user):
        """user: the fields of a kubeconfig user (token, tokenFile, client-certificate ...)."""
        cluster = {"server": self.url, **({"certificate-authority": str(ca_file)} if ca_file else {})}
        path = pathlib.Path(path)
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "fake",
            "clusters": [{"name": "fake", "cluster": cluster}],
            "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "fake"}}],
            "users": [{"name": "fake", "user": {k.replace("_", "-") if k != "tokenFile" else k: str(v)
                                                for k, v in user.items()}}]}))
        return path

    # --- who may do what ------------------------------------------------------------------------

    def authenticate(self, request):
        if self.tokens is None:
            request.user = request.certificate or "system:anonymous"
            return request.user
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        request.user = self.tokens.get(token, "") if scheme.lower() == "bearer" else request.certificate
        if not request.user:
            raise Refusal(401)
        return request.user

    def authorize(self, user, verb, target):
        if self.allow is not None and (verb, target.full_resource) not in self.allow:
            raise routes.refuse_rights(user, verb, target)

    # --- objects --------------------------------------------------------------------------------

    def stamp(self):
        """Times are counted, not read: every new stamp is a second later."""
        self._made += 1
        return (EPOCH + datetime.timedelta(seconds=self._made)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def create(self, value):
        """An object as it would be after its creation. What it already has is kept."""
        value = copy.deepcopy(value)
        resource = RESOURCE_OF[value["kind"]]
        with self.changed:
            meta = value["metadata"]
            if KINDS[resource].namespaced:
                meta.setdefault("namespace", "default")
            meta.setdefault("creationTimestamp", self.stamp())
            meta.setdefault("uid", f"00000000-0000-4000-9000-{self._made:012d}")
            if resource == "pods":
                value.setdefault("spec", {})
                value.setdefault("status", {}).setdefault("phase", "Pending")
            there = self.get(resource, meta["name"], meta.get("namespace", ""))
            assert there is None, f"{meta['name']} exists"
            return self.store.put(resource, value)

    def create_all(self, values):
        return [self.create(value) for value in values]

    def get(self, resource, name, namespace=""):
        return self.store.get(resource, (namespace, name))

    def objects(self, resource):
        return [record.object() for record in self.store.at(resource)]

    def change(self, resource, name, change, namespace=""):
        """Writes the object as change() leaves it (or returns it)."""
        with self.changed:
            value = self.get(resource, name, namespace)
            assert value is not None, f"no {resource} {namespace}/{name}"
            return self.store.put(resource, change(value) or value)

    def remove(self, resource, name, namespace=""):
        """The object is gone, at once."""
        return self.store.remove(resource, (namespace, name))

    def set_node(self, name, labels=None, allocatable=None, capacity=None, ready=None):
        def change(node):
            node["metadata"].setdefault("labels", {}).update(labels or {})
            for field, amounts in (("allocatable", allocatable), ("capacity", capacity)):
                node["status"].setdefault(field, {}).update({k: str(v) for k, v in (amounts or {}).items()})
            if ready is not None:
                node["status"]["conditions"] = [{"type": "Ready", "status": "True" if ready else "Unknown"}]
        return self.change("nodes", name, change)

    def delete_pod(self, name, namespace="default", grace=30, force=False):
        """As DELETE does it: a pod without a node goes at once, another when its kubelet is done."""
        with self.changed:
            pod = self.get("pods", name, namespace)
            assert pod is not None, f"no pod {namespace}/{name}"
            if force or not pod["spec"].get("nodeName"):
                return self.remove("pods", name, namespace)

            def mark(value):
                value["metadata"].setdefault("deletionTimestamp", self.stamp())
                value["metadata"]["deletionGracePeriodSeconds"] = grace
            marked = self.change("pods", name, mark, namespace)
            return self.kubelet.terminate(namespace, name) if self.kubelet.automatic else marked

    def compact(self, rv=None):
        self.store.compact(rv)

    # --- watches --------------------------------------------------------------------------------

    def bookmark(self, resource=None):
        """A bookmark now, to the open watches that take them."""
        return self.feeds.each(resource, lambda feed: feed.ask_bookmark())

    def inject(self, resource, line):
        """Any bytes into the open watches; a newline is added."""
        return self.feeds.each(resource, lambda feed: feed.inject(line + b"\n"))

    def inject_event(self, resource, kind, value):
        return self.inject(resource, to_bytes({"type": kind, "object": value}))

    def drop_watches(self, resource=None):
        """Ends the connections of open watches in the middle."""
        return self.feeds.each(resource, lambda feed: setattr(feed, "dropped", True))

    def end_watches(self, resource=None):
        """Ends open watches as their timeout would."""
        return self.feeds.each(resource, lambda feed: setattr(feed, "ended", True))

    # --- questions ------------------------------------------------------------------------------

    def wait_for(self, predicate, what="the predicate", timeout=WAIT_S):
        """What predicate() returns, once it is true. Asked again after every change and request."""
        end = wire.now() + timeout
        with self.changed:
            while True:
                found = predicate()
                if found:
                    return found
                left = end - wire.now()
                assert left > 0, f"{what}: not within {timeout} s; requests:\n{self.journal}"
                self.changed.wait(min(left, 0.2))

    def wait_watching(self, *resources, timeout=WAIT_S):
        wanted = resources or ("nodes", "pods", "namespaces", "priorityclasses")
        self.wait_for(lambda: all(self.feeds.of(resource) for resource in wanted),
                      f"watches of {wanted}", timeout)

    def node_of(self, name, namespace="default"):
        pod = self.get("pods", name, namespace)
        return pod and pod["spec"].get("nodeName", "")

    def assignments(self):
        """{uid: node} of pods that hold a place there."""
        return {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in self.objects("pods")
                if pod["spec"].get("nodeName") and pod["status"].get("phase") not in ("Succeeded", "Failed")}

    def use_of(self, resource_name):
        """{node: amount} that the limits of live pods ask for, to be held against allocatable."""
        used = {}
        for pod in self.objects("pods"):
            node = pod["spec"].get("nodeName")
            if not node or pod["status"].get("phase") in ("Succeeded", "Failed"):
                continue
            used[node] = used.get(node, 0) + sum(
                int(c.get("resources", {}).get("limits", {}).get(resource_name, 0))
                for c in pod["spec"].get("containers", []))
        return used

    def assert_fits(self):
        """No node holds more of any nvidia.com resource than it has."""
        for node in self.objects("nodes"):
            name = node["metadata"]["name"]
            for resource_name, amount in node["status"].get("allocatable", {}).items():
                if resource_name.startswith("nvidia.com/"):
                    used = self.use_of(resource_name).get(name, 0)
                    assert used <= int(amount), f"{name}: {used} of {amount} {resource_name}"

    def assert_bound_once(self):
        """No pod ever moved from one node to another, nor lost its node."""
        seen = {}
        for change in self.store.changes("pods", 0):
            if change.new is None:
                continue
            pod = change.new.object()
            uid, node = pod["metadata"]["uid"], pod["spec"].get("nodeName", "")
            assert seen.get(uid, "") in ("", node), f"{pod['metadata']['name']}: {seen[uid]}, then {node}"
            seen[uid] = node


def server_context(cert, key, client_ca):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    if client_ca:
        context.load_verify_locations(client_ca)
        context.verify_mode = ssl.CERT_OPTIONAL  # whoever brings none has a token instead
    return context
