"""What clients may write: bindings, pod status, events."""
import copy

from .status import Refusal, conflict, invalid, not_found

PRECONDITION = ("StorageError: invalid object, Code: 4, Key: /registry/pods/{}/{}, ResourceVersion: 0, "
                "AdditionalErrorMsg: Precondition failed: {} in precondition: {}, {} in object meta: {}")
MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
# Lists of a pod's status that a strategic merge joins by a key instead of replacing them.
MERGE_KEYS = {"conditions": "type", "podIPs": "ip", "hostIPs": "ip", "containerStatuses": None}
EVENT_LIMITS = {"reason": 128, "action": 128, "note": 1024, "reportingInstance": 128,
                "reportingController": 128}


# --- POST pods/binding --------------------------------------------------------------------------


def check_preconditions(pod, wanted):
    meta = pod["metadata"]
    for field, word in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        if wanted.get(field) and wanted[field] != meta[field]:
            raise conflict("pods", meta["name"], PRECONDITION.format(
                meta["namespace"], meta["name"], word, wanted[field], word, meta[field]))


def check_bindable(pod):
    name, spec = pod["metadata"]["name"], pod["spec"]
    why = None
    if pod["metadata"].get("deletionTimestamp"):
        why = f"pod {name} is being deleted, cannot be assigned to a host"
    elif spec.get("nodeName"):
        why = f'pod {name} is already assigned to node "{spec["nodeName"]}"'
    elif spec.get("schedulingGates"):
        why = f"pod {name} has non-empty .spec.schedulingGates"
    if why:
        raise conflict("pods/binding", name, why)


def set_condition(pod, **condition):
    conditions = pod.setdefault("status", {}).setdefault("conditions", [])
    conditions[:] = [c for c in conditions if c.get("type") != condition["type"]] + [condition]


def check_binding(name, binding):
    if not isinstance(binding, dict) or binding.get("kind") not in ("Binding", None, ""):
        raise Refusal(400, "the object provided is unrecognized (must be of type Binding)")
    if binding.get("metadata", {}).get("name") not in (name, None, ""):
        raise Refusal(400, "name in URL does not match name in Binding object")
    target = binding.get("target", {})
    if target.get("kind") not in ("Node", None, ""):
        raise invalid("Binding", name, f'target.kind: Unsupported value: "{target["kind"]}"')
    if not target.get("name"):
        raise invalid("Binding", name, "target.name: Required value")


def bind(store, key, binding):
    """Assigns the pod, with the binding's annotations and labels, in one step. The node needn't exist."""
    check_binding(key[1], binding)
    with store.changed:
        pod = store.get("pods", key)
        if pod is None:
            raise not_found("pods", key[1])
        meta = binding.get("metadata", {})
        check_preconditions(pod, meta)
        check_bindable(pod)
        pod["spec"]["nodeName"] = binding["target"]["name"]
        for field in ("annotations", "labels"):
            if meta.get(field):
                pod["metadata"][field] = {**pod["metadata"].get(field, {}), **meta[field]}
        set_condition(pod, type="PodScheduled", status="True")
        return store.put("pods", pod)


# --- PATCH pods/status --------------------------------------------------------------------------


def merged_list(old, new, key):
    """Items of new join the items of old that have the same key; null values and $patch take away."""
    result = [copy.deepcopy(item) for item in old]
    for item in new:
        place = next((i for i, was in enumerate(result) if was.get(key) == item.get(key)), None)
        if item.get("$patch") == "delete":
            result = [was for was in result if was.get(key) != item.get(key)]
        elif place is None:
            result.append(merged({}, item, True))
        else:
            result[place] = merged(result[place], item, True)
    return result


def merged(old, patch, strategic, field=""):
    if not isinstance(patch, dict):
        by = MERGE_KEYS.get(field) if strategic and isinstance(patch, list) else None
        return merged_list(old if isinstance(old, list) else [], patch, by) if by else copy.deepcopy(patch)
    result = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if name.startswith("$"):
            continue
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value, strategic, name)
    return result


def check_patch(name, content_type, patch):
    if content_type.partition(";")[0] not in (STRATEGIC, MERGE):
        raise Refusal(415, "the body of the request was in an unknown format - accepted media types include: "
                           f"{MERGE}, {STRATEGIC}")
    if not isinstance(patch, dict):
        raise Refusal(400, "error decoding patch")
    if patch.get("metadata", {}).get("name", name) != name:
        raise Refusal(400, "the name of the object does not match the name on the URL")


def patch_status(store, key, content_type, patch):
    """Only status, labels and annotations; metadata.uid and metadata.resourceVersion are preconditions."""
    check_patch(key[1], content_type, patch)
    strategic = content_type.startswith(STRATEGIC)
    with store.changed:
        pod = store.get("pods", key)
        if pod is None:
            raise not_found("pods", key[1])
        wanted = patch.get("metadata", {})
        current = pod["metadata"]["resourceVersion"]
        if wanted.get("resourceVersion", current) != current:
            raise conflict("pods", key[1], MODIFIED)
        check_preconditions(pod, {"uid": wanted.get("uid")})
        pod["status"] = merged(pod.get("status", {}), patch.get("status", {}), strategic, "status")
        for field in ("labels", "annotations"):
            if field in wanted:
                pod["metadata"][field] = merged(pod["metadata"].get(field, {}), wanted[field], strategic)
        return store.put("pods", pod)


# --- events -------------------------------------------------------------------------------------


def check_event(namespace, event):
    if not isinstance(event, dict):
        raise Refusal(400, "the body is not an Event")
    name = event.get("metadata", {}).get("name", "")
    required = [f for f in ("eventTime", "reportingController", "reportingInstance", "reason", "action")
                if not event.get(f)]
    long = [f for f, most in EVENT_LIMITS.items() if len(event.get(f) or "") > most]
    why = None
    if required:
        why = f"{required[0]}: Required value"
    elif long:
        why = f"{long[0]}: Invalid value: can have at most {EVENT_LIMITS[long[0]]} characters"
    elif event.get("type") not in ("Normal", "Warning"):
        why = f'type: Invalid value: "{event.get("type")}"'
    elif event.get("regarding", {}).get("namespace") != namespace:
        why = "regarding.namespace: Invalid value: does not match event.namespace"
    elif event.get("metadata", {}).get("namespace", namespace) != namespace:
        raise Refusal(400, "the namespace of the provided object does not match the namespace sent on the "
                           "request")
    if why:
        raise invalid("Event", name, why)


def create_event(store, namespace, event):
    check_event(namespace, event)
    meta = event["metadata"]
    with store.changed:
        if not meta.get("name"):
            if not meta.get("generateName"):
                raise invalid("Event", "", "name: Required value: name or generateName is required")
            meta["name"] = f"{meta['generateName']}{store.rv:08x}"
        if store.get("events", (namespace, meta["name"])):
            raise Refusal(409, f'events.events.k8s.io "{meta["name"]}" already exists', "AlreadyExists")
        meta["namespace"] = namespace
        return store.put("events", event)


def patch_event(store, key, content_type, patch):
    check_patch(key[1], content_type, patch)
    with store.changed:
        event = store.get("events", key)
        if event is None:
            raise not_found("events.events.k8s.io", key[1])
        return store.put("events", merged(event, patch, content_type.startswith(STRATEGIC)))
