#!/usr/bin/env python3
"""Writes cluster.json: the example cluster, as `kubectl get nodes,pods,namespaces,priorityclasses,
resourcequotas -A -o json` prints it. Same output every time; needs Python 3.9 and nothing else.

    python3 deploy/example/make_cluster.py > deploy/example/cluster.json
"""

import hashlib
import json
import sys
from datetime import datetime, timedelta, timezone

KUBELET = "v1.36.3"
DRIVER = ("580", "95", "05")
CUDA = ("13", "0")
BORN = datetime(2026, 3, 2, 8, 0, tzinfo=timezone.utc)
NOW = datetime(2026, 11, 27, 9, 0, tzinfo=timezone.utc)

# product label, family, compute capability, MiB, server, CPUs, memory
CARDS = {
    "A100": ("NVIDIA-A100-SXM4-80GB", "ampere", ("8", "0"), 81920, "DGXA100-920-23687", 256, 2101),
    "H100": ("NVIDIA-H100-80GB-HBM3", "hopper", ("9", "0"), 81559, "DGXH100", 224, 2101),
    "H200": ("NVIDIA-H200", "hopper", ("9", "0"), 143771, "PowerEdge-XE9680", 192, 2101),
    "L40S": ("NVIDIA-L40S", "ada-lovelace", ("8", "9"), 46068, "SYS-421GE-TNRT", 128, 1051),
    "RTX": ("NVIDIA-GeForce-RTX-4090", "ada-lovelace", ("8", "9"), 24564, "ESC8000A-E12", 96, 526),
}
# (card, profile) -> MiB, multiprocessors, engines copy/decoder/encoder/jpeg/ofa, slices
PROFILES = {
    ("A100", "1g.10gb"): (9728, 14, (1, 0, 0, 0, 0), 1),
    ("A100", "2g.20gb"): (19968, 28, (2, 1, 0, 0, 0), 2),
    ("A100", "3g.40gb"): (40192, 42, (3, 2, 0, 0, 0), 3),
    ("H100", "1g.10gb"): (9984, 16, (1, 1, 0, 1, 0), 1),
}
BALANCED = {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}  # per card
COMPONENTS = [
    "container-toolkit", "dcgm", "dcgm-exporter", "device-plugin", "driver",
    "gpu-feature-discovery", "mig-manager", "node-status-exporter", "operator-validator",
]
PAUSED = ["device-plugin", "gpu-feature-discovery", "dcgm-exporter", "dcgm"]


def uid(*parts):
    digest = hashlib.sha256("/".join(parts).encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"


def suffix(*parts):
    alphabet = "bcdfghjklmnpqrstvwxz2456789"
    digest = hashlib.sha256(("name/" + "/".join(parts)).encode()).digest()
    return "".join(alphabet[b % len(alphabet)] for b in digest[:5])


def stamp(when):
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def version_of(*parts):
    return str(4_000_000 + int(hashlib.sha256("/".join(parts).encode()).hexdigest()[:6], 16))


# --- nodes -----------------------------------------------------------------------------------


def host_labels(name, gpu):
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node-role.kubernetes.io/worker": "",
        "topology.kubernetes.io/zone": "hall-" + ("b" if name.endswith("2") else "a"),
        "feature.node.kubernetes.io/kernel-version.full": "6.8.0-87-generic",
        "feature.node.kubernetes.io/kernel-version.major": "6",
        "feature.node.kubernetes.io/kernel-version.minor": "8",
        "feature.node.kubernetes.io/system-os_release.ID": "ubuntu",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID": "24.04",
    }
    if gpu:
        labels["feature.node.kubernetes.io/pci-10de.present"] = "true"
    return labels


def software_labels():
    major, minor, revision = DRIVER
    return {
        "cuda.driver-version.full": ".".join(DRIVER),
        "cuda.driver-version.major": major,
        "cuda.driver-version.minor": minor,
        "cuda.driver-version.revision": revision,
        "cuda.driver.major": major,
        "cuda.driver.minor": minor,
        "cuda.driver.rev": revision,
        "cuda.runtime-version.full": ".".join(CUDA),
        "cuda.runtime-version.major": CUDA[0],
        "cuda.runtime-version.minor": CUDA[1],
        "cuda.runtime.major": CUDA[0],
        "cuda.runtime.minor": CUDA[1],
        "gfd.timestamp": str(int((NOW - timedelta(days=9)).timestamp())),
        "gpu-driver-upgrade-state": "upgrade-done",
    }


def slice_labels(prefix, card, profile):
    memory, multiprocessors, engines, slices = PROFILES[card, profile]
    labels = {
        prefix + "memory": str(memory),
        prefix + "multiprocessors": str(multiprocessors),
        prefix + "slices.ci": str(slices),
        prefix + "slices.gi": str(slices),
    }
    for engine, n in zip(("copy", "decoder", "encoder", "jpeg", "ofa"), engines):
        labels[f"{prefix}engines.{engine}"] = str(n)
    return labels


def gpu_labels(card, **known):
    """What GPU Feature Discovery and the GPU operator write; known overrides by short key."""
    product, family, capability, memory, machine, _, _ = CARDS[card]
    labels = software_labels()
    labels.update({
        "gpu.compute.major": capability[0],
        "gpu.compute.minor": capability[1],
        "gpu.family": family,
        "gpu.machine": machine,
        "gpu.memory": str(memory),
        "gpu.mode": "compute",
        "gpu.present": "true",
        "gpu.product": product,
        "gpu.replicas": "1",
        "gpu.sharing-strategy": "none",
        "mig.capable": "true" if card in ("A100", "H100", "H200") else "false",
        "mig.strategy": "single",
        "mps.capable": "false",
    })
    for component in COMPONENTS:
        labels["gpu.deploy." + component] = "true"
    if labels["mig.capable"] == "true":
        labels.update({"mig.config": "all-disabled", "mig.config.state": "success"})
    else:
        del labels["gpu.deploy.mig-manager"]
    labels.update(known)
    return labels


def balanced_labels(cards):
    """Strategy mixed, every card cut 2 x 1g.10gb + 1 x 2g.20gb + 1 x 3g.40gb."""
    labels = gpu_labels("A100", **{
        "gpu.count": str(cards), "gpu.replicas": "0", "mig.strategy": "mixed",
        "mig.config": "all-balanced", "device-plugin.config": "mig-mixed",
    })
    for profile, per_card in BALANCED.items():
        prefix = f"mig-{profile}."
        labels.update(slice_labels(prefix, "A100", profile))
        labels.update({
            prefix + "count": str(per_card * cards),
            prefix + "product": f"{CARDS['A100'][0]}-MIG-{profile}",
            prefix + "replicas": "1",
            prefix + "sharing-strategy": "none",
        })
    return labels


def balanced_resources(cards):
    return {f"mig-{profile}": per_card * cards for profile, per_card in BALANCED.items()}


def single_labels(cards, profile):
    labels = gpu_labels("H100", **{
        "gpu.count": str(7 * cards), "mig.config": "all-" + profile,
        "gpu.product": f"{CARDS['H100'][0]}-MIG-{profile}",
    })
    labels.update(slice_labels("gpu.", "H100", profile))
    return labels


def reconfiguring_labels():
    """mig.config asks for a new layout, mig-manager has paused what holds the cards."""
    labels = balanced_labels(8)
    labels.update({"mig.config": "all-1g.10gb", "mig.config.state": "pending"})
    for component in PAUSED:
        labels["gpu.deploy." + component] = "paused-for-mig-change"
    return labels


def node_conditions():
    ready = {
        "lastHeartbeatTime": stamp(NOW), "lastTransitionTime": stamp(BORN + timedelta(minutes=4)),
        "message": "kubelet is posting ready status", "reason": "KubeletReady",
        "status": "True", "type": "Ready",
    }
    pressures = []
    for kind, reason, message in (
        ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ):
        pressures.append({
            "lastHeartbeatTime": stamp(NOW), "lastTransitionTime": stamp(BORN),
            "message": message, "reason": reason, "status": "False", "type": kind,
        })
    return pressures + [ready]


def node_amounts(cpu, memory_gib, extended):
    amounts = {
        "cpu": str(cpu), "ephemeral-storage": "3749283840Ki", "hugepages-1Gi": "0",
        "hugepages-2Mi": "0", "memory": f"{memory_gib * 1024 * 1024}Ki", "pods": "110",
    }
    for resource, n in extended.items():
        amounts["nvidia.com/" + resource] = str(n)
    return amounts


def node(name, number, card, labels, capacity, allocatable=None, extra=None):
    cpu, memory = CARDS[card][5:7] if card else (64, 526)
    all_labels = host_labels(name, card is not None)
    all_labels.update({"nvidia.com/" + key: value for key, value in labels.items()})
    all_labels.update(extra or {})
    spec = {"podCIDR": f"10.42.{number}.0/24", "podCIDRs": [f"10.42.{number}.0/24"]}
    if card:
        spec["taints"] = [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {
                "node.alpha.kubernetes.io/ttl": "0",
                "volumes.kubernetes.io/controller-managed-attach-detach": "true",
            },
            "creationTimestamp": stamp(BORN),
            "labels": all_labels,
            "name": name,
            "resourceVersion": version_of("node", name),
            "uid": uid("node", name),
        },
        "spec": spec,
        "status": {
            "addresses": [
                {"address": f"10.20.0.{10 + number}", "type": "InternalIP"},
                {"address": name, "type": "Hostname"},
            ],
            "allocatable": node_amounts(
                cpu - 1, memory - 4, capacity if allocatable is None else allocatable),
            "capacity": node_amounts(cpu, memory, capacity),
            "conditions": node_conditions(),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": uid("boot", name),
                "containerRuntimeVersion": "containerd://2.1.4",
                "kernelVersion": "6.8.0-87-generic",
                "kubeProxyVersion": "",
                "kubeletVersion": KUBELET,
                "machineID": uid("machine", name).replace("-", ""),
                "operatingSystem": "linux",
                "osImage": "Ubuntu 24.04.3 LTS",
                "systemUUID": uid("system", name),
            },
        },
    }


def nodes():
    pool = "tidewater.example/pool"
    balanced = balanced_resources(8)
    none = dict.fromkeys(balanced, 0)
    shared = {"gpu.count": "4", "gpu.replicas": "4", "gpu.sharing-strategy": "time-slicing"}
    return [
        node("cpu-01", 10, None, {}, {}, extra={pool: "general"}),
        node("gpu-a100-01", 1, "A100", balanced_labels(8), balanced, extra={pool: "slices"}),
        node("gpu-a100-02", 2, "A100", balanced_labels(8), balanced, extra={pool: "slices"}),
        node("gpu-a100-03", 3, "A100", reconfiguring_labels(), balanced, none, {pool: "slices"}),
        node("gpu-h100-01", 4, "H100", single_labels(8, "1g.10gb"), {"gpu": 56},
             extra={pool: "serving"}),
        node("gpu-h200-01", 5, "H200", gpu_labels("H200", **{"gpu.count": "8"}), {"gpu": 8},
             extra={pool: "training"}),
        node("gpu-h200-02", 6, "H200", gpu_labels("H200", **{"gpu.count": "8"}), {"gpu": 8},
             extra={pool: "training"}),
        node("gpu-h200-03", 7, "H200", gpu_labels("H200", **{"gpu.count": "8"}), {"gpu": 8},
             {"gpu": 0}, {pool: "training"}),
        node("gpu-l40s-01", 8, "L40S",
             gpu_labels("L40S", **shared, **{"device-plugin.config": "time-slicing-4"}),
             {"gpu": 0, "gpu.shared": 16}, extra={pool: "notebooks"}),
        node("gpu-l40s-02", 9, "L40S",
             gpu_labels("L40S", **{
                 "gpu.count": "4", "gpu.replicas": "8", "gpu.sharing-strategy": "mps",
                 "mps.capable": "true", "device-plugin.config": "mps-8"}),
             {"gpu": 0, "gpu.shared": 32}, extra={pool: "notebooks"}),
        node("gpu-rtx-01", 11, "RTX",
             gpu_labels("RTX", **shared, **{
                 "gpu.product": CARDS["RTX"][0] + "-SHARED",
                 "device-plugin.config": "time-slicing-4-not-renamed"}),
             {"gpu": 16}, extra={pool: "render"}),
    ]


# --- pods ------------------------------------------------------------------------------------

PRIORITIES = {"batch": 1000, "interactive": 100000, "serving": 900000,
              "system-node-critical": 2000001000}
OWNERS = {"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1",
          "DaemonSet": "apps/v1"}


def container(name, image, asks, cpu, memory):
    amounts = {"cpu": cpu, "memory": memory}
    amounts.update({"nvidia.com/" + resource: str(n) for resource, n in asks.items()})
    return {
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "name": name,
        "resources": {"limits": dict(amounts), "requests": dict(amounts)},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [{
            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            "name": "kube-api-access", "readOnly": True,
        }],
    }


def token_volume():
    return {
        "name": "kube-api-access",
        "projected": {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}],
                               "name": "kube-root-ca.crt"}},
                {"downwardAPI": {"items": [{
                    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                    "path": "namespace"}]}},
            ],
        },
    }


def tolerations():
    lasting = [{"effect": "NoExecute", "key": f"node.kubernetes.io/{key}", "operator": "Exists",
                "tolerationSeconds": 300} for key in ("not-ready", "unreachable")]
    return [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"}] + lasting


def pod_status(created, phase, containers, waiting=None):
    def condition(kind, status, when, **more):
        return {"lastProbeTime": None, "lastTransitionTime": stamp(when), "status": status,
                "type": kind, **more}

    if phase == "Pending":
        return {"phase": "Pending", "qosClass": "Guaranteed"}
    started = created + timedelta(seconds=21)
    ended = started + timedelta(hours=2)
    state = {"running": {"startedAt": stamp(started)}}
    if phase == "Succeeded":
        state = {"terminated": {"exitCode": 0, "finishedAt": stamp(ended), "reason": "Completed",
                                "startedAt": stamp(started)}}
    if waiting:
        state = {"waiting": {"message": "back-off 5m0s restarting failed container",
                             "reason": waiting}}
    ready = phase == "Running" and waiting is None
    kinds = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")
    conditions = [condition(kind, "True" if ready or kind == "Initialized" else "False", started)
                  for kind in kinds]
    return {
        "conditions": conditions + [condition("PodScheduled", "True", created)],
        "containerStatuses": [{
            "image": c["image"], "imageID": "", "lastState": {}, "name": c["name"], "ready": ready,
            "restartCount": 41 if waiting else 0, "started": ready, "state": state,
        } for c in containers],
        "phase": phase,
        "qosClass": "Guaranteed",
        "startTime": stamp(created),
    }


def pod(namespace, name, owner, created, asks, *, node_name=None, priority="batch", phase=None,
        selector=None, annotations=None, cpu="4", memory="32Gi", waiting=None):
    kind, owner_name = owner if owner else (None, None)
    app = owner_name or name
    spec_containers = [container("main", f"{namespace.split('-')[0]}/{app}:2.4", asks, cpu, memory)]
    metadata = {
        "creationTimestamp": stamp(created),
        "generation": 1,
        "labels": {"app.kubernetes.io/name": app},
        "name": name,
        "namespace": namespace,
        "resourceVersion": version_of("pod", namespace, name),
        "uid": uid("pod", namespace, name),
    }
    if annotations:
        metadata["annotations"] = annotations
    if kind:
        metadata["generateName"] = owner_name + "-"
        metadata["ownerReferences"] = [{
            "apiVersion": OWNERS[kind], "blockOwnerDeletion": True, "controller": True,
            "kind": kind, "name": owner_name, "uid": uid(kind, namespace, owner_name)}]
    spec = {
        "containers": spec_containers,
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": PRIORITIES[priority],
        "priorityClassName": priority,
        "restartPolicy": "Never" if kind in ("Job", None) else "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccount": "default",
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": tolerations(),
        "volumes": [token_volume()],
    }
    if node_name:
        spec["nodeName"] = node_name
    if selector:
        spec["nodeSelector"] = selector
    phase = phase or ("Running" if node_name else "Pending")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec,
            "status": pod_status(created, phase, spec_containers, waiting)}


# namespace, owner kind, owner, node, how many, resource, each, priority class
RUNNING = [
    ("language-train", "Job", "pretrain-base", "gpu-h200-01", 1, "gpu", 6, "batch"),
    ("vision-train", "Job", "detector-v9", "gpu-h200-02", 1, "gpu", 4, "batch"),
    ("vision-train", "Job", "ablation", "gpu-a100-01", 6, "mig-1g.10gb", 1, "batch"),
    ("vision-train", "StatefulSet", "tracker", "gpu-a100-01", 3, "mig-2g.20gb", 1, "batch"),
    ("vision-train", "StatefulSet", "pose", "gpu-a100-01", 3, "mig-3g.40gb", 1, "batch"),
    ("language-train", "Job", "eval-nightly", "gpu-a100-01", 4, "mig-1g.10gb", 1, "batch"),
    ("language-train", "Job", "distil", "gpu-a100-02", 3, "mig-1g.10gb", 1, "batch"),
    ("language-train", "StatefulSet", "reward", "gpu-a100-02", 1, "mig-3g.40gb", 1, "batch"),
    ("customer-acme", "ReplicaSet", "chat-api", "gpu-h100-01", 8, "gpu", 1, "serving"),
    ("customer-acme", "ReplicaSet", "inspect-api", "gpu-a100-01", 2, "mig-2g.20gb", 1, "serving"),
    ("customer-acme", "ReplicaSet", "planner", "gpu-a100-01", 3, "mig-3g.40gb", 1, "serving"),
    ("customer-borealis", "ReplicaSet", "ranker", "gpu-a100-02", 2, "mig-3g.40gb", 1, "serving"),
    ("customer-borealis", "ReplicaSet", "rerank", "gpu-a100-02", 1, "mig-2g.20gb", 1, "serving"),
    ("customer-borealis", "ReplicaSet", "tagger", "gpu-a100-01", 2, "mig-1g.10gb", 1, "serving"),
    ("customer-borealis", "ReplicaSet", "search", "gpu-h100-01", 4, "gpu", 1, "serving"),
    ("vision-lab", "ReplicaSet", "labeler", "gpu-h100-01", 6, "gpu", 1, "interactive"),
    ("vision-lab", "StatefulSet", "notebook", "gpu-l40s-01", 7, "gpu.shared", 1, "interactive"),
    ("language-lab", "StatefulSet", "notebook", "gpu-l40s-01", 3, "gpu.shared", 1, "interactive"),
    ("language-lab", "ReplicaSet", "embed-cache", "gpu-l40s-02", 12, "gpu.shared", 1,
     "interactive"),
]

ACCEPT = {"shikiri.dev/accept-shared": "true"}
TRAINING = {"tidewater.example/pool": "training"}
RENDER = {"tidewater.example/pool": "render"}

# In the order in which they were made: namespace, name, asks, priority class, more
PENDING = [
    ("vision-train", "segmenter-0", {"mig-1g.10gb": 1}, "batch", {}),
    ("customer-acme", "embedder-0", {"mig-2g.20gb": 1}, "serving", {}),
    ("language-lab", "notebook-mei", {"gpu.shared": 1}, "interactive", {}),
    ("customer-acme", "notebook-sam", {"gpu.shared": 1}, "interactive", {}),
    ("vision-lab", "render-hq", {"gpu": 1}, "interactive", {"selector": RENDER}),
    ("vision-lab", "render-preview", {"gpu": 1}, "interactive",
     {"selector": RENDER, "annotations": ACCEPT}),
    ("language-train", "pretrain-tail", {"gpu": 2}, "batch", {"selector": TRAINING}),
    ("customer-borealis", "finetune-0", {"gpu": 4}, "batch", {"selector": TRAINING}),
    ("customer-acme", "planner-canary", {"mig-3g.40gb": 1}, "serving", {}),
    ("sandbox", "gpu-burn", {"mig-1g.10gb": 1}, "batch", {}),
]


def running_pods():
    pods = []
    created = NOW - timedelta(days=6)
    for namespace, kind, owner, node_name, n, resource, each, priority in RUNNING:
        for i in range(n):
            tail = str(i) if kind == "StatefulSet" else suffix(namespace, owner, str(i))
            name = f"{owner}-{tail}"
            created += timedelta(minutes=23)
            pods.append(pod(namespace, name, (kind, owner), created, {resource: each},
                            node_name=node_name, priority=priority))
    created += timedelta(minutes=23)
    pods.append(pod("vision-lab", "render-turntable", None, created, {"gpu": 1},
                    node_name="gpu-rtx-01", priority="interactive", selector=RENDER,
                    annotations=ACCEPT))
    pods.append(pod("vision-train", "ablation-done-" + suffix("done"), ("Job", "ablation-done"),
                    created - timedelta(hours=30), {"mig-1g.10gb": 1}, node_name="gpu-a100-02",
                    phase="Succeeded"))
    pods.append(pod("vision-train", "loader-" + suffix("loader"), ("ReplicaSet", "loader"),
                    created, {}, node_name="cpu-01", cpu="8"))
    return pods


def operator_pods():
    """The device plugin of every GPU node: stopped for the MIG change, broken on one node."""
    pods = []
    for item in nodes():
        name = item["metadata"]["name"]
        if not name.startswith("gpu-"):
            continue
        owner = "nvidia-mig-manager" if name == "gpu-a100-03" else "nvidia-device-plugin-daemonset"
        pods.append(pod("gpu-operator", f"{owner}-{suffix(owner, name)}", ("DaemonSet", owner),
                        BORN + timedelta(hours=1), {}, node_name=name,
                        priority="system-node-critical", cpu="100m", memory="128Mi",
                        waiting="CrashLoopBackOff" if name == "gpu-h200-03" else None))
    return pods


def pending_pods():
    pods = []
    for i, (namespace, name, asks, priority, more) in enumerate(PENDING):
        created = NOW - timedelta(minutes=30) + timedelta(minutes=2 * i)
        pods.append(pod(namespace, name, None, created, asks, priority=priority, **more))
    return pods


# --- the rest ----------------------------------------------------------------------------------


def cluster_object(api_version, kind, name, **fields):
    metadata = {
        "creationTimestamp": stamp(BORN + timedelta(hours=2)), "name": name,
        "resourceVersion": version_of(kind, name), "uid": uid(kind, name),
    }
    metadata.update(fields.pop("metadata", {}))
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def namespaces():
    customer = {"tidewater.example/customer": "true"}
    rows = [("customer-acme", customer), ("customer-borealis", customer), ("default", {}),
            ("gpu-operator", {}), ("kube-system", {}), ("language-lab", {}),
            ("language-train", {}), ("sandbox", {}), ("vision-lab", {}), ("vision-train", {})]
    return [cluster_object("v1", "Namespace", name,
                           metadata={"labels": {"kubernetes.io/metadata.name": name, **labels}},
                           spec={"finalizers": ["kubernetes"]}, status={"phase": "Active"})
            for name, labels in rows]


def priority_classes():
    rows = [("batch", 1000, True, "training and sweeps; may be preempted"),
            ("interactive", 100000, False, "a person is waiting"),
            ("serving", 900000, False, "customers are waiting"),
            ("system-cluster-critical", 2000000000, False,
             "Used for system critical pods that must run in the cluster, but can be moved to "
             "another node if necessary."),
            ("system-node-critical", 2000001000, False,
             "Used for system critical pods that must not be moved from their current node.")]
    items = []
    for name, value, is_default, description in rows:
        item = cluster_object("scheduling.k8s.io/v1", "PriorityClass", name, value=value,
                              description=description, preemptionPolicy="PreemptLowerPriority")
        if is_default:
            item["globalDefault"] = True
        items.append(item)
    return items


def resource_quotas():
    """The second one counts nothing: Kubernetes ignores limits.nvidia.com/gpu."""
    rows = [("customer-acme", "gpu", {"requests.nvidia.com/mig-3g.40gb": "4"},
             {"requests.nvidia.com/mig-3g.40gb": "4"}),
            ("vision-lab", "gpu", {"limits.nvidia.com/gpu": "2"}, {})]
    return [cluster_object("v1", "ResourceQuota", name, metadata={"namespace": namespace},
                           spec={"hard": hard}, status={"hard": hard, "used": used})
            for namespace, name, hard, used in rows]


def main():
    pods = running_pods() + operator_pods() + pending_pods()
    pods.sort(key=lambda p: (p["metadata"]["namespace"], p["metadata"]["name"]))
    items = nodes() + pods + namespaces() + priority_classes() + resource_quotas()
    snapshot = {"apiVersion": "v1", "items": items, "kind": "List",
                "metadata": {"resourceVersion": ""}}
    json.dump(snapshot, sys.stdout, indent=4, sort_keys=True, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
