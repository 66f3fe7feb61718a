#!/usr/bin/env python3
"""Kill the daemon around binds, again and again, and check what it remembers.

Every cycle starts shikirid on the same snapshot and ledger file, sends binds from several threads,
kills the process (SIGKILL) after a random moment, starts it again and compares: a bind that was
answered is there, on the node that was named; none is there twice; one that was not answered is
either there whole or not at all. Counts, quota and the journal's chain are checked as well.

    crash_loop.py [--cycles 300] [--seed 1]       SHIKIRI_BUILD names the build folder
"""
import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

PER_NODE = 8
THREADS = 8
TENANTS = ("red", "blue")


def node(name: str) -> dict:
    labels = {
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.count": str(PER_NODE),
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/gpu.memory": "81559",
        "nvidia.com/gpu.sharing-strategy": "none",
    }
    amounts = {"cpu": "256", "nvidia.com/gpu": str(PER_NODE)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"capacity": amounts, "allocatable": amounts}}


def pod(index: int) -> dict:
    tenant = TENANTS[index % len(TENANTS)]
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"p{index}", "namespace": tenant, "uid": f"uid-{index:06d}"},
            "spec": {"priority": 0, "containers": [container]}, "status": {"phase": "Pending"}}


def write_inputs(folder: str, pods: int) -> None:
    nodes = [node(f"n{i:04d}") for i in range(pods // PER_NODE + 2)]
    cluster = {"apiVersion": "v1", "kind": "List", "items": nodes + [pod(i) for i in range(pods)]}
    with open(os.path.join(folder, "cluster.json"), "w", encoding="utf-8") as file:
        json.dump(cluster, file)
    ceiling = pods // 2 - pods // 20
    documents = [{"apiVersion": "shikiri.dev/v1", "kind": "Tenant", "metadata": {"name": name},
                  "spec": {"namespaces": [name],
                           "quota": {"gpuEquivalents": {"ceiling": str(ceiling)}}}}
                 for name in TENANTS]
    with open(os.path.join(folder, "tenants.json"), "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": documents}, file)


class Daemon:
    def __init__(self, binary: str, folder: str):
        self.errors = open(os.path.join(folder, "stderr.log"), "ab")
        self.process = subprocess.Popen(
            [binary, "--snapshot", f"{folder}/cluster.json", "--apply", f"{folder}/tenants.json",
             "--ledger", f"{folder}/ledger.db", "--listen", "127.0.0.1:0",
             "--admin-listen", "127.0.0.1:0", "--log-level", "error"],
            stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL)
        timer = threading.Timer(30, self.process.kill)
        timer.start()
        line = self.process.stdout.readline().decode()
        timer.cancel()
        if not line.startswith("ready "):
            raise SystemExit(f"the daemon did not get ready: {line!r}, see {folder}/stderr.log")
        urls = dict(part.split("=", 1) for part in line.split()[1:])
        self.extender = urls["extender"].removeprefix("http://")
        self.admin = urls["admin"].removeprefix("http://")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=10)
        self.close()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=20)
        self.close()
        if code != 0:
            raise SystemExit(f"stopping exited {code}")

    def close(self) -> None:
        self.process.stdout.close()
        self.errors.close()

    def get(self, path: str) -> dict:
        connection = http.client.HTTPConnection(self.admin, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"GET {path}: {answer.status} {body[:300]!r}")
        return json.loads(body)


def bind_some(address: str, jobs: list, answered: dict, refused: dict) -> None:
    """One scheduler thread: binds its jobs in order until the daemon is gone."""
    connection = http.client.HTTPConnection(address, timeout=10)
    for index, target in jobs:
        body = json.dumps({"PodName": f"p{index}", "PodNamespace": TENANTS[index % len(TENANTS)],
                           "PodUID": f"uid-{index:06d}", "Node": target})
        try:
            connection.request("POST", "/scheduler/v1/bind", body)
            answer = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            return
        if answer["Error"] == "":
            answered[f"uid-{index:06d}"] = target
        else:
            refused[f"uid-{index:06d}"] = answer["Error"]


def check(daemon: Daemon, answered: dict, sent: dict, pods: int) -> set:
    """Compares what the daemon remembers with what was answered; gives the uids it holds."""
    items = daemon.get("/apis/shikiri.dev/v1/allocations")["items"]
    held = {}
    per_node: dict = {}
    for item in items:
        if item["uid"] in held:
            raise SystemExit(f"{item['uid']} is there twice")
        held[item["uid"]] = item["node"]
        per_node[item["node"]] = per_node.get(item["node"], 0) + 1
    for uid, target in answered.items():
        if held.get(uid) != target:
            raise SystemExit(f"lost: {uid} was answered for {target}, the ledger has "
                             f"{held.get(uid)}")
    for uid, target in held.items():
        if target not in sent.get(uid, ()):
            raise SystemExit(f"{uid} is on {target}, which nobody asked for")
    over = {name: n for name, n in per_node.items() if n > PER_NODE}
    if over:
        raise SystemExit(f"nodes hold more than they have: {over}")
    for tenant in TENANTS:
        used = sum(1 for item in items if item["tenant"] == tenant)
        if used > pods // 2 - pods // 20:
            raise SystemExit(f"tenant {tenant} uses {used}, beyond its ceiling")
    return set(held)


def run(binary: str, cycles: int, seed: int) -> int:
    dice = random.Random(seed)
    pods = max(cycles * 12, 100)
    answered: dict = {}
    refused: dict = {}
    sent: dict = {}
    with tempfile.TemporaryDirectory(prefix="shikiri-crash-") as folder:
        write_inputs(folder, pods)
        next_pod = 0
        held: set = set()
        for cycle in range(cycles):
            daemon = Daemon(binary, folder)
            held = check(daemon, answered, sent, pods)
            jobs: list = [[] for _ in range(THREADS)]
            retry = [int(uid[4:]) for uid in sent if uid not in held and uid not in refused]
            fresh = range(next_pod, min(next_pod + 12, pods))
            next_pod = fresh.stop
            for index in [*retry, *fresh]:
                uid = f"uid-{index:06d}"
                # A pod whose bind was not answered is bound again, perhaps to another node.
                target = f"n{dice.randrange(pods // PER_NODE + 2):04d}"
                sent.setdefault(uid, set()).add(target)
                jobs[dice.randrange(THREADS)].append((index, target))
            threads = [threading.Thread(target=bind_some,
                                        args=(daemon.extender, job, answered, refused))
                       for job in jobs]
            for thread in threads:
                thread.start()
            time.sleep(dice.random() * 0.02)
            daemon.kill()
            for thread in threads:
                thread.join(timeout=20)
            if (cycle + 1) % 50 == 0:
                print(f"# {cycle + 1} kills, {len(answered)} binds answered, {len(held)} held",
                      flush=True)
        daemon = Daemon(binary, folder)
        held = check(daemon, answered, sent, pods)
        report = daemon.get("/apis/shikiri.dev/v1/ledger/verify")
        if not report["sound"]:
            raise SystemExit(f"the ledger is not sound: {report['findings']}")
        daemon.stop()
    # Without enough work the run would prove nothing.
    if len(answered) < cycles:
        raise SystemExit(f"only {len(answered)} binds were answered in {cycles} cycles")
    print(f"{cycles} kills, {len(answered)} binds answered, {len(held)} held, "
          f"{report['rows']} journal rows: nothing lost, nothing doubled")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=int(os.environ.get("SHK_CRASH_CYCLES", 300)))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    binary = os.path.join(os.environ.get("SHIKIRI_BUILD", "build"), "cmd/shikirid/shikirid")
    return run(binary, arguments.cycles, arguments.seed)


if __name__ == "__main__":
    sys.exit(main())
