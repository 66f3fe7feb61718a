"""From the short forms of a scenario to Kubernetes objects and shikiri documents."""
import copy
import datetime
import re
import uuid

GROUP = "nvidia.com/"
PLAIN = {"cpu", "memory", "pods", "ephemeral-storage"}
NODE_KEYS = {"is", "name", "labels", "offers", "capacity", "allocatable", "conditions", "spec"}
POD_KEYS = {"name", "in", "on", "takes", "containers", "init", "overhead", "annotations", "labels",
            "priority", "created", "phase", "spec", "uid"}


class Mistake(Exception):
    """The scenario itself is written wrongly."""


def known(what: dict, allowed: set, where: str) -> None:
    if not isinstance(what, dict):
        raise Mistake(f"{where}: wanted a map, got {what!r}")
    if odd := set(what) - allowed:
        raise Mistake(f"{where}: unknown {', '.join(sorted(map(str, odd)))}")


def merged(base: dict, over: dict) -> dict:
    """over on top of base, maps key by key; null takes a key away."""
    result = copy.deepcopy(base)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def text(value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def resources(amounts: dict) -> dict:
    """{gpu: 1} means {nvidia.com/gpu: "1"}; names with a slash and Kubernetes' own stay."""
    return {name if "/" in name or name in PLAIN else GROUP + name: text(amount)
            for name, amount in amounts.items() if amount is not None}


# --- nodes ---------------------------------------------------------------------------------------


def node_parts(short: dict, templates: dict) -> dict:
    known(short, NODE_KEYS, f"node {short.get('name')}")
    base = {"labels": {}, "capacity": {}, "allocatable": {}, "spec": {}}
    if "is" in short:
        if short["is"] not in templates:
            raise Mistake(f"no node template {short['is']}")
        base = node_parts(templates[short["is"]], templates)
    offers = short.get("offers", {})
    for part, keys in (("labels", ["labels"]), ("capacity", ["offers", "capacity"]),
                       ("allocatable", ["offers", "allocatable"]), ("spec", ["spec"])):
        for key in keys:
            base[part] = merged(base[part], short.get(key, {}))
    base["conditions"] = short.get("conditions", base.get("conditions", {"Ready": "True"}))
    if not isinstance(offers, dict):
        raise Mistake("offers: wanted a map")
    return base


def node(short: dict, templates: dict) -> dict:
    parts = node_parts(short, templates)
    name = short["name"]
    labels = {"kubernetes.io/hostname": name, **{k: text(v) for k, v in parts["labels"].items()}}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "uid": uid("node", name), "labels": labels},
            "spec": parts["spec"],
            "status": {"capacity": resources(parts["capacity"]),
                       "allocatable": resources(parts["allocatable"]),
                       "conditions": [{"type": t, "status": text(s)}
                                      for t, s in parts["conditions"].items()]}}


# --- pods ----------------------------------------------------------------------------------------


def uid(*names: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(names)))


def container(name: str, amounts: dict) -> dict:
    amounts = dict(amounts)
    result = {"name": name, "image": "registry.example/app:1"}
    if amounts.pop("sidecar", False):
        result["restartPolicy"] = "Always"
    if set(amounts) & {"limits", "requests"}:
        result["resources"] = {key: resources(amounts[key]) for key in amounts}
    elif amounts:
        result["resources"] = {"limits": resources(amounts), "requests": resources(amounts)}
    return result


def pod(short: dict) -> dict:
    known(short, POD_KEYS, f"pod {short.get('name')}")
    name, namespace = short.get("name", "probe"), short["in"]
    bodies = short.get("containers", [short.get("takes", {})])
    spec = {"schedulerName": "default-scheduler",
            "containers": [container(f"c{i}", c) for i, c in enumerate(bodies)]}
    if "init" in short:
        spec["initContainers"] = [container(f"i{i}", c) for i, c in enumerate(short["init"])]
    if "overhead" in short:
        spec["overhead"] = resources(short["overhead"])
    if "priority" in short:
        spec["priority"] = short["priority"]
    if "on" in short:
        spec["nodeName"] = short["on"]
    metadata = {"name": name, "namespace": namespace,
                "uid": short.get("uid", uid("pod", namespace, name)),
                "creationTimestamp": short.get("created", "2026-11-02T08:00:00Z")}
    for key in ("labels", "annotations"):
        if key in short:
            metadata[key] = {k: text(v) for k, v in short[key].items()}
    phase = short.get("phase", "Running" if "on" in short else "Pending")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
            "spec": merged(spec, short.get("spec", {})), "status": {"phase": phase}}


# --- documents and the snapshot ------------------------------------------------------------------


def times(value, now: datetime.datetime):
    """"now+2s" anywhere in a document is a time."""
    if isinstance(value, dict):
        return {k: times(v, now) for k, v in value.items()}
    if isinstance(value, list):
        return [times(v, now) for v in value]
    if isinstance(value, str) and (found := re.fullmatch(r"now([+-]\d+)s", value)):
        return (now + datetime.timedelta(seconds=int(found[1]))).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


def documents(wanted, presets: dict) -> list[dict]:
    """A list of documents and names of presets; {kind, name, ...} is short for the whole form."""
    result = []
    now = datetime.datetime.now(datetime.timezone.utc)
    for item in [wanted] if isinstance(wanted, str) else wanted or []:
        if isinstance(item, str):
            if item not in presets:
                raise Mistake(f"no documents preset {item}")
            result += documents(presets[item], presets)
            continue
        item = times(dict(item), now)
        if "metadata" not in item:
            kind, name = item.pop("kind"), item.pop("name")
            item = {"kind": kind, "metadata": {"name": name}, "spec": item}
        result.append({"apiVersion": "shikiri.dev/v1", **item})
    return result


def namespaces(scenario: dict, pods: list[dict]) -> list[dict]:
    """Those written down, and those of pods; null says the cluster doesn't list it."""
    wanted = {p["metadata"]["namespace"]: {} for p in pods}
    wanted.update(scenario.get("namespaces", {}))
    return [{"apiVersion": "v1", "kind": "Namespace",
             "metadata": {"name": name, "uid": uid("namespace", name),
                          "labels": {"kubernetes.io/metadata.name": name, **labels}}}
            for name, labels in wanted.items() if labels is not None]


def snapshot(scenario: dict, templates: dict) -> dict:
    pods = [pod(p) for p in scenario.get("pods", [])]
    items = [node(n, templates) for n in scenario.get("nodes", [])]
    items += namespaces(scenario, pods) + pods + scenario.get("objects", [])
    return {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}
