#!/usr/bin/env python3
"""Plays kube-scheduler for the example cluster: filter, prioritize and bind for each pending pod,
told in words. Called by demo.sh; standard library only.

Exit status 0 when every decision was the one that expected.json announces, else 1."""

import argparse
import http.client
import json
import os
import subprocess
import sys
import textwrap
import urllib.parse

WIDTH = 100
NAMES = 3  # nodes named per reason


class Paint:
    """Colours for terminals; symbols say the same without them."""

    CODES = {"bold": "1", "dim": "2", "good": "38;5;36", "bad": "38;5;166", "head": "1;38;5;32"}

    def __init__(self, wanted):
        self.wanted = wanted

    def __call__(self, style, text):
        return f"\033[{self.CODES[style]}m{text}\033[0m" if self.wanted else text


def use_colors():
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and \
        os.environ.get("TERM", "dumb") != "dumb"


paint = Paint(use_colors())
# As shikirictl decides it, so that both draw alike; Python's own view of C.UTF-8 is wider.
LOCALE = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or "C"
UNICODE = LOCALE.upper().replace("-", "").endswith("UTF8")
YES, NO, RULE, DASH, SO = ("✓", "✗", "─", "·", "→") if UNICODE else ("+", "x", "-", "-", ">")


def go_json(value):
    """As encoding/json writes it: compact, with < > & escaped."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text.encode()


class Extender:
    """The extender's address and one keep-alive connection, as the scheduler has it."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)

    def call(self, verb, body):
        self.connection.request("POST", f"/scheduler/v1/{verb}", go_json(body), {
            "User-Agent": "Go-http-client/1.1", "Content-Type": "application/json",
            "Accept-Encoding": "gzip"})
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{verb}: status {response.status}")
        return answer


class Cluster:
    def __init__(self, path):
        with open(path, encoding="utf-8") as stream:
            items = json.load(stream)["items"]
        self.nodes = {i["metadata"]["name"]: i for i in items if i["kind"] == "Node"}
        pods = [i for i in items if i["kind"] == "Pod"]
        self.pending = sorted((p for p in pods if not p["spec"].get("nodeName")),
                              key=lambda p: p["metadata"]["creationTimestamp"])
        self.running = [p for p in pods if p["spec"].get("nodeName") and asks(p)
                        and p["status"]["phase"] not in ("Succeeded", "Failed")]

    def selected(self, pod):
        """The nodes that kube-scheduler's own checks leave: here, those of the nodeSelector."""
        wanted = pod["spec"].get("nodeSelector", {}).items()
        names = [name for name, node in self.nodes.items()
                 if wanted <= node["metadata"]["labels"].items()]
        # The scheduler's order isn't sorted, and differs between calls.
        turn = len(pod["metadata"]["name"]) % len(names) if names else 0
        return names[turn:] + names[:turn]


def asks(pod):
    total = {}
    for container in pod["spec"]["containers"]:
        for name, amount in container["resources"].get("limits", {}).items():
            if name.startswith("nvidia.com/"):
                total[name] = total.get(name, 0) + int(amount)
    return total


def key_of(pod):
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


class Decision:
    """What came back for one pod."""

    def __init__(self, pod, names):
        self.pod = pod
        self.names = names
        self.passed = []
        self.refusals = {}  # node -> "Code: sentence"
        self.scores = {}
        self.node = None
        self.error = ""

    def code_on(self, node):
        return self.refusals.get(node, "").split(":")[0]


def decide(extender, cluster, pod):
    decision = Decision(pod, cluster.selected(pod))
    meta = pod["metadata"]
    sent = {key: pod[key] for key in ("metadata", "spec", "status")}
    answer = extender.call("filter", {"Pod": sent, "Nodes": None, "NodeNames": decision.names})
    decision.error = answer["Error"]
    decision.passed = answer["NodeNames"] or []
    decision.refusals = {**answer["FailedNodes"], **answer["FailedAndUnresolvableNodes"]}
    if not decision.passed:
        return decision
    winner = decision.passed[0]
    if len(decision.passed) > 1:  # the scheduler skips prioritize when one node is left
        scores = extender.call("prioritize",
                               {"Pod": sent, "Nodes": None, "NodeNames": decision.passed})
        decision.scores = {s["Host"]: s["Score"] for s in scores}
        winner = max(decision.passed, key=lambda name: decision.scores.get(name, 0))
    decision.error = extender.call("bind", {
        "PodName": meta["name"], "PodNamespace": meta["namespace"], "PodUID": meta["uid"],
        "Node": winner})["Error"]
    decision.node = None if decision.error else winner
    return decision


# --- telling it ------------------------------------------------------------------------------


def say(text="", indent=0, style=None):
    for line in textwrap.wrap(text, WIDTH - indent) or [""]:
        print(" " * indent + (paint(style, line) if style else line))


def headline(text):
    print(f"\n{paint('head', text)} {paint('dim', RULE * (WIDTH - len(text) - 1))}")


def show_request(number, pod, tenant):
    wish = ", ".join(f"{n} {name.removeprefix('nvidia.com/')}" for name, n in asks(pod).items())
    who = tenant["tenant"] or "no tenant"
    domain = f" of {tenant['trustDomain']}" if tenant["trustDomain"] else ""
    print(f"\n{paint('bold', f'{number:2}  {key_of(pod)}')}  asks for {wish}  "
          f"({who}{domain}, {pod['spec']['priorityClassName']})")


def show_selection(decision, cluster):
    selector = decision.pod["spec"].get("nodeSelector")
    if selector:
        text = ", ".join(f"{k.split('/')[-1]}={v}" for k, v in selector.items())
        say(f"nodeSelector {text}: kube-scheduler offers {len(decision.names)} of "
            f"{len(cluster.nodes)} nodes", 4, "dim")


def show_outcome(decision):
    if not decision.node:
        why = decision.error or "no node may take it now"
        print(f"    {paint('bad', f'{NO} waits')}  {why}")
        return
    others = [f"{n} {decision.scores.get(n, 0)}" for n in decision.passed if n != decision.node]
    choice = f"  score {decision.scores[decision.node]}; also fits: {', '.join(others)}" \
        if others else ""
    print(f"    {paint('good', f'{YES} bound to {decision.node}')}{choice}")


def show_refusals(decision):
    groups = {}
    for node, text in sorted(decision.refusals.items()):
        groups.setdefault(text, []).append(node)
    for text, nodes in sorted(groups.items(), key=lambda g: (len(g[1]), g[0])):
        code, _, sentence = text.partition(": ")
        names = ", ".join(nodes[:NAMES]) + (f" and {len(nodes) - NAMES} more"
                                            if len(nodes) > NAMES else "")
        print(f"      {DASH} {paint('bad', code)}: {sentence}")
        say(names, 8, "dim")


def tell_why(because, fault):
    text = textwrap.wrap(fault or because, WIDTH - 6)
    print(f"    {paint('bad' if fault else 'head', NO if fault else SO)} "
          + "\n      ".join(text))


def judge(decision, expected):
    """What is other than announced, as a sentence; "" when nothing is."""
    if expected["outcome"] == "bound":
        if decision.node != expected["node"]:
            return f"announced: bound to {expected['node']}"
        return ""
    if decision.node or decision.passed:
        return f"announced: refused for {expected['code']}"
    wrong = [n for n in expected["on"] if decision.code_on(n) != expected["code"]]
    return f"announced: {expected['code']} on {', '.join(wrong)}" if wrong else ""


class Control:
    """shikirictl, told where the daemon is."""

    def __init__(self, program, admin):
        self.program = program
        self.admin = admin

    def _run(self, *args, **options):
        # A pipe would cost shikirictl its colours, so it prints to our own stdout.
        sys.stdout.flush()
        return subprocess.run([self.program, "--server", self.admin, *args], check=True, timeout=30,
                              **options)

    def show(self, *args):
        self._run("--color", "always" if paint.wanted else "never", *args)

    def ask(self, *args):
        return json.loads(self._run("-o", "json", *args, stdout=subprocess.PIPE).stdout)


def tenant_of(control, namespace):
    parts = urllib.parse.urlsplit(control.admin)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request("GET", f"/apis/shikiri.dev/v1/namespaces/{namespace}/tenant")
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def check_books(control, plan):
    """Whether the ledger holds exactly what was announced."""
    held = {f"{a['namespace']}/{a['name']}": a for a in control.ask("get", "allocations")["items"]}
    faults = []
    for row in plan:
        record = held.get(row["pod"])
        wanted = row.get("node")
        if (record or {}).get("node") != wanted:
            faults.append(f"{row['pod']}: the ledger says {record and record['node']}")
        elif record and row.get("class", record["quotaClass"]) != record["quotaClass"]:
            faults.append(f"{row['pod']}: class {record['quotaClass']}, not {row['class']}")
    return faults


def play(args):
    cluster = Cluster(args.snapshot)
    control = Control(args.ctl, args.admin)
    extender = Extender(args.extender)
    with open(args.expected, encoding="utf-8") as stream:
        plan = json.load(stream)["pods"]
    announced = {row["pod"]: row for row in plan}

    headline("The cluster")
    say(f"Tidewater Robotics: {len(cluster.nodes)} nodes, {len(cluster.running)} GPU pods running, "
        f"{len(cluster.pending)} waiting. Vision and language trust each other (domain research); "
        "hosting runs code that customers bring (domain customers).")
    print()
    control.show("get", "nodes")
    headline("Quota before")
    control.show("get", "quotas")
    headline("Ten pods, one after another")
    faults = []
    for number, pod in enumerate(cluster.pending, 1):
        show_request(number, pod, tenant_of(control, pod["metadata"]["namespace"]))
        decision = decide(extender, cluster, pod)
        show_selection(decision, cluster)
        show_outcome(decision)
        show_refusals(decision)
        expected = announced.get(key_of(pod), {"because": ""})
        fault = judge(decision, expected) if "pod" in expected else "not announced at all"
        tell_why(expected["because"], fault)
        if fault:
            faults.append(f"{key_of(pod)}: {fault}")
    headline("Quota after")
    control.show("get", "quotas")
    headline("Who is where now")
    control.show("map")
    faults += check_books(control, plan)
    headline("Result")
    for fault in faults:
        say(f"{NO} {fault}", 0, "bad")
    if not faults:
        say(f"{YES} {len(plan)} of {len(plan)} decisions as announced in "
            "deploy/example/README.md; the ledger agrees.", 0, "good")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("extender", "admin", "ctl", "snapshot", "expected"):
        parser.add_argument(f"--{name}", required=True)
    try:
        sys.exit(play(parser.parse_args()))
    except (OSError, RuntimeError, ValueError, KeyError, subprocess.SubprocessError,
            http.client.HTTPException) as error:
        print(f"demo: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
