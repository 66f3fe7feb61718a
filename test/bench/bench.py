#!/usr/bin/env python3
"""Numbers for the README and for whoever changes a hot path: printed, never a gate.

    bench.py [--only filter,dry-run,bind,start] [--rounds 200]     SHIKIRI_BUILD names the build

Times are wall clock over loopback with one keep-alive connection, client included; machines
differ, so compare runs of the same minute on the same machine.
"""
import argparse
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PRODUCT = "NVIDIA-H100-80GB-HBM3"


def gpu_node(index: int) -> dict:
    labels = {f"example.com/label-{i:02d}": f"value-{i}" for i in range(40)}
    labels |= {"nvidia.com/gpu.product": PRODUCT, "nvidia.com/gpu.count": "8",
               "nvidia.com/gpu.replicas": "1", "nvidia.com/gpu.memory": "81559",
               "nvidia.com/gpu.sharing-strategy": "none", "nvidia.com/mig.strategy": "mixed",
               "nvidia.com/mig.config.state": "success"}
    amounts = {"cpu": "128", "memory": "1024Gi"}
    if index % 2:
        for profile, count in (("1g.10gb", 16), ("2g.20gb", 8), ("3g.40gb", 8)):
            labels |= {f"nvidia.com/mig-{profile}.count": str(count),
                       f"nvidia.com/mig-{profile}.replicas": "1"}
            amounts[f"nvidia.com/mig-{profile}"] = str(count)
        labels["nvidia.com/gpu.replicas"] = "0"
    else:
        amounts["nvidia.com/gpu"] = "8"
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": f"gpu-node-{index:05d}.cluster-one.example.internal",
                         "labels": labels},
            "status": {"capacity": amounts, "allocatable": amounts,
                       "images": [{"names": [f"registry.example/image-{i}:latest"]}
                                  for i in range(10)]}}


def pod(index: int, resource: str, node: str | None = None) -> dict:
    env = [{"name": f"VARIABLE_{i}", "value": "some value of a usual length"} for i in range(6 if node else 20)]
    container = {"name": "main", "image": "registry.example/train:1", "env": env,
                 "resources": {"requests": {"cpu": "1", "memory": "4Gi"},
                               "limits": {resource: "1"}}}
    spec = {"priority": 100, "schedulerName": "default-scheduler", "containers": [container],
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}
    if node:
        spec["nodeName"] = node
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"job-{index}", "namespace": f"team-{index % 8}",
                         "uid": f"00000000-0000-4000-8000-{index:012d}",
                         "creationTimestamp": "2026-11-29T12:00:00Z",
                         "labels": {"app": "train", "job": f"job-{index}"}},
            "spec": spec, "status": {"phase": "Running" if node else "Pending"}}


def write_cluster(folder: str, nodes: int, running: int, pending: int) -> list:
    items = [gpu_node(i) for i in range(nodes)]
    names = [item["metadata"]["name"] for item in items]
    for i in range(running):
        node = i % nodes
        items.append(pod(i, "nvidia.com/mig-1g.10gb" if node % 2 else "nvidia.com/gpu",
                         names[node]))
    items += [pod(1_000_000 + i, "nvidia.com/gpu") for i in range(pending)]
    with open(f"{folder}/cluster.json", "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
    tenants = [{"apiVersion": "shikiri.dev/v1", "kind": "Tenant",
                "metadata": {"name": f"team-{i}"},
                "spec": {"namespaces": [f"team-{i}"],
                         "quota": {"gpuEquivalents": {"guaranteed": "20000"}}}}
               for i in range(8)]
    with open(f"{folder}/tenants.json", "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": tenants}, file)
    return names


class Daemon:
    def __init__(self, folder: str, ledger: str):
        binary = os.path.join(os.environ.get("SHIKIRI_BUILD", "build"), "cmd/shikirid/shikirid")
        started = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "--snapshot", f"{folder}/cluster.json", "--apply", f"{folder}/tenants.json",
             "--ledger", ledger, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
             "--log-level", "error"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        line = self.process.stdout.readline().decode()
        self.ready_s = time.monotonic() - started
        urls = dict(part.split("=http://", 1) for part in line.split()[1:])
        self.extender, self.admin = urls["extender"], urls["admin"]

    def resident_mib(self) -> float:
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            line = next(row for row in file if row.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.process.stdout.close()


def timed(connection: http.client.HTTPConnection, path: str, body: bytes) -> tuple[float, bytes]:
    started = time.perf_counter()
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse().read()
    return time.perf_counter() - started, answer


def percentiles(samples: list) -> str:
    ordered = sorted(samples)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"p50 {statistics.median(ordered) * 1e3:7.2f} ms   p99 {p99 * 1e3:7.2f} ms"


def bench_filter(folder: str, rounds: int) -> None:
    for nodes in (100, 1000, 5000):
        names = write_cluster(folder, nodes, nodes, 1)
        asking = pod(1_000_000, "nvidia.com/gpu")
        body = json.dumps({"Pod": asking, "Nodes": None, "NodeNames": names}).encode()
        with Daemon(folder, ":memory:") as daemon:
            connection = http.client.HTTPConnection(daemon.extender, timeout=30)
            for verb in ("filter", "prioritize"):
                timed(connection, f"/scheduler/v1/{verb}", body)
                samples = []
                for _ in range(rounds):
                    seconds, answer = timed(connection, f"/scheduler/v1/{verb}", body)
                    samples.append(seconds)
                print(f"{verb:<11} {nodes:>5} names  {percentiles(samples)}   "
                      f"request {len(body)} B, answer {len(answer)} B")


def bench_dry_run(folder: str) -> None:
    write_cluster(folder, 1000, 1000, 0)
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment",
                  "metadata": {"name": "many", "namespace": "team-1"},
                  "spec": {"replicas": 100, "template": {"spec": pod(0, "nvidia.com/gpu")["spec"]}}}
    body = json.dumps(deployment).encode()
    with Daemon(folder, ":memory:") as daemon:
        connection = http.client.HTTPConnection(daemon.admin, timeout=60)
        samples = [timed(connection, "/apis/shikiri.dev/v1/dry-runs", body)[0] for _ in range(5)]
    print(f"dry run     100 pods on 1,000 nodes  {percentiles(samples)}")


def bench_bind(folder: str) -> None:
    for clients in (1, 8, 64):
        each = max(2000 // clients, 30)
        names = write_cluster(folder, 1000, 0, clients * each)
        cards = names[::2]
        with Daemon(folder, f"{folder}/ledger-{clients}.db") as daemon:
            refused = []

            def work(first: int) -> None:
                connection = http.client.HTTPConnection(daemon.extender, timeout=30)
                for i in range(first, first + each):
                    asked = pod(1_000_000 + i, "nvidia.com/gpu")["metadata"]
                    body = json.dumps({"PodName": asked["name"], "PodNamespace": asked["namespace"],
                                       "PodUID": asked["uid"], "Node": cards[i % len(cards)]})
                    error = json.loads(timed(connection, "/scheduler/v1/bind", body.encode())[1])
                    if error["Error"]:
                        refused.append(error["Error"])

            threads = [threading.Thread(target=work, args=(c * each,)) for c in range(clients)]
            started = time.monotonic()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            rate = clients * each / (time.monotonic() - started)
        note = f", {len(refused)} refused ({refused[0]})" if refused else ""
        print(f"bind        {clients:>3} clients  {rate:8.0f} durable binds/s{note}")


def bench_start(folder: str) -> None:
    for nodes, pods in ((1000, 10_000), (5000, 40_000)):
        write_cluster(folder, nodes, pods, 100)
        size = os.path.getsize(f"{folder}/cluster.json") / 2**20
        if size > 64:
            print(f"start       {nodes} nodes, {pods} pods: {size:.0f} MiB is over the limit")
            continue
        with Daemon(folder, f"{folder}/start-{nodes}.db") as daemon:
            first = daemon.ready_s
            resident = daemon.resident_mib()
        with Daemon(folder, f"{folder}/start-{nodes}.db") as daemon:
            again = daemon.ready_s
        print(f"start       {nodes:>5} nodes, {pods} pods ({size:.0f} MiB): ready in {first:.2f} s, "
              f"again {again:.2f} s, resident {resident:.0f} MiB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="filter,dry-run,bind,start")
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    benches = {"filter": lambda folder: bench_filter(folder, arguments.rounds),
               "dry-run": bench_dry_run, "bind": bench_bind, "start": bench_start}
    for name in arguments.only.split(","):
        with tempfile.TemporaryDirectory(prefix="shikiri-bench-") as folder:
            benches[name](folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
