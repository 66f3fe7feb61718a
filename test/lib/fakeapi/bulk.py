"""Clusters of a stated size, made as bytes from one template a kind, for measuring a start."""
from .codec import to_bytes

NODE_BYTES, POD_BYTES = 12_000, 3_000
NAMESPACES = 20
NVIDIA = "nvidia.com/"


def node_template():
    labels = {"kubernetes.io/hostname": "@NAME@", NVIDIA + "gpu.present": "true",
              NVIDIA + "gpu.product": "NVIDIA-H100-80GB-HBM3", NVIDIA + "gpu.count": "8",
              NVIDIA + "gpu.replicas": "1", NVIDIA + "gpu.memory": "81920",
              NVIDIA + "gpu.sharing-strategy": "none", NVIDIA + "mig.config.state": "success"}
    amounts = {"cpu": "128", "memory": "1024Gi", "pods": "110", NVIDIA + "gpu": "8"}
    return {"metadata": {"name": "@NAME@", "uid": "@UID@", "resourceVersion": "@RV@",
                         "creationTimestamp": "2026-01-01T00:00:00Z", "labels": labels},
            "spec": {"podCIDR": "10.0.0.0/24"},
            "status": {"capacity": amounts, "allocatable": amounts,
                       "conditions": [{"type": "Ready", "status": "True"}], "images": []}}


def pod_template():
    asked = {NVIDIA + "gpu": "1", "cpu": "4", "memory": "16Gi"}
    container = {"name": "main", "image": "registry.example/train:1", "env": [],
                 "resources": {"requests": asked, "limits": asked}}
    return {"metadata": {"name": "@NAME@", "namespace": "@NAMESPACE@", "uid": "@UID@",
                         "resourceVersion": "@RV@", "creationTimestamp": "2026-01-01T00:00:00Z",
                         "labels": {"app": "train"}},
            "spec": {"nodeName": "@NODE@", "schedulerName": "shikiri", "priority": 0,
                     "containers": [container]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}


def padded(template, place, item, size):
    """The template with items in place, what real objects carry and we don't read, up to the size."""
    while len(to_bytes(template)) + len(to_bytes(item(len(place)))) < size:
        place.append(item(len(place)))
    return to_bytes(template)


def image(i):
    name = f"registry.example/team/image-{i:03d}"
    return {"names": [f"{name}@sha256:{i:064d}", f"{name}:1"], "sizeBytes": 1_000_000 + i}


def variable(i):
    return {"name": f"SETTING_{i:03d}", "value": f"value of setting {i:03d}"}


def filled(template, rv, **values):
    for name, value in {**values, "rv": rv}.items():
        template = template.replace(b"@%s@" % name.upper().encode(), str(value).encode())
    return template


def load(api, nodes, pods):
    """So many nodes with eight cards each, and pods on them in turn; those without a card are pending."""
    node, pod = node_template(), pod_template()
    node_bytes = padded(node, node["status"]["images"], image, NODE_BYTES)
    pod_bytes = padded(pod, pod["spec"]["containers"][0]["env"], variable, POD_BYTES)
    free = pod_bytes.replace(b'"nodeName":"@NODE@",', b"").replace(b'"Running"', b'"Pending"')
    rv = api.store.rv
    api.store.load("nodes", [node_row(i, rv, node_bytes) for i in range(nodes)])
    for i in range(NAMESPACES):
        api.create({"kind": "Namespace", "metadata": {"name": f"team-{i:02d}"}})
    api.store.load("pods", [pod_row(i, nodes, rv, pod_bytes, free) for i in range(pods)])


def node_row(i, rv, template):
    name = f"node-{i:05d}"
    return ("", name), filled(template, rv, name=name, uid=f"00000000-0000-4000-a000-{i:012d}")


def pod_row(i, nodes, rv, placed, free):
    name, namespace = f"pod-{i:06d}", f"team-{i % NAMESPACES:02d}"
    return (namespace, name), filled(
        placed if i < 8 * nodes else free, rv, name=name, namespace=namespace,
        node=f"node-{i % max(nodes, 1):05d}", uid=f"00000000-0000-4000-b000-{i:012d}")
