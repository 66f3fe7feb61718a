"""From method and path to what is done."""
import re

from . import lists, pods
from .codec import to_bytes
from .status import SUCCESS, Refusal, not_found
from .store import KINDS, with_type
from .watches import Watch

PATH = re.compile(r"^/(?:api/v1|apis/(?P<group>[^/]+)/(?P<version>[^/]+))"
                  r"(?:/namespaces/(?P<namespace>[^/]+))?"
                  r"/(?P<resource>[^/]+)(?:/(?P<name>[^/]+)(?:/(?P<sub>[^/]+))?)?$")
VERBS = {"POST": "create", "PATCH": "patch", "PUT": "update", "DELETE": "delete"}


class Target:
    """What a path names."""

    def __init__(self, path):
        match = PATH.match(path)
        if not match or match["resource"] not in KINDS:
            raise Refusal(404)
        kind = KINDS[match["resource"]]
        if (match["group"] or "", match["version"] or "v1") != (kind.group, kind.version):
            raise Refusal(404)
        if match["namespace"] and not kind.namespaced:
            raise Refusal(404)
        self.kind, self.resource = kind, kind.resource
        self.namespace, self.name, self.sub = match["namespace"] or "", match["name"], match["sub"] or ""
        self.key = (self.namespace, self.name)

    def verb(self, request):
        if request.method != "GET":
            return VERBS.get(request.method, request.method.lower())
        return "get" if self.name else ("watch" if request.watch else "list")

    @property
    def full_resource(self):
        return f"{self.resource}/{self.sub}" if self.sub else self.resource


def refuse_rights(user, verb, target):
    group = target.kind.group
    resource = f"{target.resource}.{group}" if group else target.resource
    named = f' "{target.name}"' if target.name else ""
    where = f'in the namespace "{target.namespace}"' if target.namespace else "at the cluster scope"
    details = {"kind": target.resource, **({"name": target.name} if target.name else {}),
               **({"group": group} if group else {})}
    return Refusal(403, f'{resource}{named} is forbidden: User "{user}" cannot {verb} resource '
                        f'"{target.full_resource}" in API group "{group}" {where}', details=details)


def collection(api, request, target, plan, wire):
    if request.watch:
        Watch(api, request, target.resource, target.namespace, plan).stream(wire)
        return None
    stale = plan["stale"].rv if "stale" in plan else None
    if "expired_continue" in plan:
        raise lists.expired(lists.TOKEN_TOO_OLD)
    return 200, lists.answer(api.store, target.resource, target.namespace, request.query, stale)


def single(api, request, target, plan, wire):
    record = api.store.record(target.resource, target.key)
    if record is None:
        raise not_found(target.resource, target.name)
    return 200, [with_type(target.resource, record.body)]


def binding(api, request, target, plan, wire):
    with api.store.changed:
        pods.bind(api.store, target.key, request.value)
        request.committed = True
        api.kubelet.on_bound(target.key)
    return 201, [to_bytes(SUCCESS)]


def pod_status(api, request, target, plan, wire):
    pod = pods.patch_status(api.store, target.key, request.headers.get("content-type", ""), request.value)
    request.committed = True
    return 200, [with_type("pods", to_bytes(pod))]


def new_event(api, request, target, plan, wire):
    event = pods.create_event(api.store, target.namespace, request.value)
    request.committed = True
    return 201, [with_type("events", to_bytes(event))]


def event(api, request, target, plan, wire):
    changed = pods.patch_event(api.store, target.key, request.headers.get("content-type", ""), request.value)
    request.committed = True
    return 200, [with_type("events", to_bytes(changed))]


# (method, resource or "" for any, names an object, subresource)
ROUTES = {("GET", "", False, ""): collection, ("GET", "", True, ""): single,
          ("POST", "pods", True, "binding"): binding, ("PATCH", "pods", True, "status"): pod_status,
          ("POST", "events", False, ""): new_event, ("PATCH", "events", True, ""): event}


def find(method, target):
    named = target.name is not None
    route = (ROUTES.get((method, target.resource, named, target.sub)) or
             ROUTES.get((method, "", named, target.sub)))
    if route is None:
        raise Refusal(404)
    return route


def dispatch(api, request, plan, wire):
    """Does what the request asks for: (status, pieces), or None when the reply was sent already."""
    user = api.authenticate(request)
    target = Target(request.path)
    api.authorize(user, target.verb(request), target)
    return find(request.method, target)(api, request, target, plan, wire)
