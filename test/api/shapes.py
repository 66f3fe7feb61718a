"""Nodes, pods and documents, labelled as GPU Feature Discovery does it."""
import itertools

N = "nvidia.com/"
_uids = itertools.count(1)


def uid():
    return f"00000000-0000-4000-8000-{next(_uids):012d}"


def node(name, resources, labels, cpu="64", allocatable=None):
    capacity = {"cpu": cpu, "memory": "512Gi", "pods": "110", **{k: str(v) for k, v in resources.items()}}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "uid": uid(), "resourceVersion": "1",
                         "labels": {"kubernetes.io/hostname": name, N + "gpu.present": "true", **labels}},
            "spec": {},
            "status": {"capacity": capacity,
                       "allocatable": {**capacity, **{k: str(v) for k, v in (allocatable or {}).items()}},
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def gpu_labels(product, count, replicas=1, strategy="none", sharing="none", memory=81920):
    labels = {N + "gpu.product": product, N + "gpu.count": str(count),
              N + "gpu.replicas": str(replicas), N + "gpu.memory": str(memory),
              N + "gpu.sharing-strategy": sharing, N + "mig.config.state": "success"}
    if strategy != "none":
        labels[N + "mig.strategy"] = strategy
    return labels


A100 = "NVIDIA-A100-SXM4-80GB"
H100 = "NVIDIA-H100-80GB-HBM3"


def cards(name, n=8, product=H100):
    return node(name, {N + "gpu": n}, gpu_labels(product, n))


def mixed(name, profiles, n_cards=4, product=A100, replicas=1):
    """A node whose cards are all cut, each profile under its own name."""
    labels = gpu_labels(product, n_cards, 0, "mixed")
    resources = {}
    for profile, count in profiles.items():
        labels[f"{N}mig-{profile}.product"] = f"{product}-MIG-{profile}"
        labels[f"{N}mig-{profile}.count"] = str(count)
        labels[f"{N}mig-{profile}.replicas"] = str(replicas)
        resources[f"{N}mig-{profile}"] = count * replicas
    return node(name, resources, labels)


def single(name, profile="1g.10gb", n=14, product=H100):
    """A node whose slices are all alike and go by the name of a GPU."""
    labels = gpu_labels(f"{product}-MIG-{profile}", n, 1, "single", memory=9984)
    labels[N + "gpu.slices.gi"] = profile[0]
    return node(name, {N + "gpu": n}, labels)


def time_sliced(name, n_cards=2, replicas=4, product=A100):
    labels = gpu_labels(product, n_cards, replicas, sharing="time-slicing")
    return node(name, {N + "gpu.shared": n_cards * replicas}, labels)


def disguised(name, n_cards=2, replicas=4, product=A100):
    """Time-sliced, and advertised as whole GPUs."""
    labels = gpu_labels(product + "-SHARED", n_cards, replicas, sharing="time-slicing")
    return node(name, {N + "gpu": n_cards * replicas}, labels)


def mps(name, n_cards=2, replicas=8, product=A100):
    labels = gpu_labels(product, n_cards, replicas, sharing="mps")
    return node(name, {N + "gpu.shared": n_cards * replicas}, labels)


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pod(name, resources=None, ns="vision-train", **spec):
    amounts = {key: str(value) for key, value in (resources or {}).items()}
    annotations = spec.pop("annotations", {})
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": ns, "uid": spec.pop("uid", None) or uid(),
                         "resourceVersion": "1", "annotations": annotations},
            "spec": {"containers": [{"name": "main", "image": "busybox",
                                     "resources": {"requests": amounts, "limits": amounts}}],
                     "priority": spec.pop("priority", 0), **spec},
            "status": {"phase": "Pending"}}


def deployment(name, replicas, resources, ns=None):
    amounts = {key: str(value) for key, value in resources.items()}
    template = {"metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": "busybox",
                                         "resources": {"limits": amounts}}]}}
    metadata = {"name": name, **({"namespace": ns} if ns else {})}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": template}}


def args(a_pod, names):
    return {"Pod": a_pod, "Nodes": None, "NodeNames": list(names)}


def binding(a_pod, node_name):
    meta = a_pod["metadata"]
    return {"PodName": meta["name"], "PodNamespace": meta["namespace"], "PodUID": meta["uid"],
            "Node": node_name}


def tenant(name, namespaces, quota=None, domain=None):
    spec = {"namespaces": namespaces}
    if quota:
        spec["quota"] = quota
    if domain:
        spec["trustDomain"] = domain
    return {"apiVersion": "shikiri.dev/v1", "kind": "Tenant", "metadata": {"name": name}, "spec": spec}


CLUSTER = [
    cards("gpu-cards"),
    mixed("gpu-mixed", {"1g.10gb": 4, "2g.20gb": 2, "3g.40gb": 2}),
    single("gpu-single"),
    time_sliced("gpu-shared"),
    disguised("gpu-disguised"),
    mps("gpu-mps"),
    namespace("vision-train"),
    namespace("vision-serve"),
    namespace("nlp"),
]

NODES = sorted(item["metadata"]["name"] for item in CLUSTER if item["kind"] == "Node")

DOCUMENTS = """\
apiVersion: shikiri.dev/v1
kind: TrustDomain
metadata: {name: research}
spec: {isolation: mig}
---
apiVersion: shikiri.dev/v1
kind: Tenant
metadata: {name: vision}
spec:
  trustDomain: research
  namespaces: [vision-train, vision-serve]
  quota:
    gpuEquivalents: {guaranteed: "12", ceiling: "20", lendable: "6"}
---
apiVersion: shikiri.dev/v1
kind: Tenant
metadata: {name: nlp}
spec:
  namespaces: [nlp]
"""
