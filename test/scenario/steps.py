"""The steps of a scenario, played against a running daemon."""
import json
import time

import cluster
import contract
from cluster import Mistake, known
from daemon import Daemon, Failure, read

EXTENDER_FIELDS = {"filter": {"filter", "nodes", "expect", "error", "says", "whole"},
                   "prioritize": {"prioritize", "nodes", "order"},
                   "bind": {"bind", "to", "expect", "uid"}}
DRY_RUN = {"verdict", "code", "node", "charge", "quotaClass", "isolation", "tenant", "trustDomain",
           "priority", "request", "nodes", "pods", "quota", "summary", "contains"}
DRY_RUN_INPUT = {"dryRun", "manifests", "namespace", "like", "options", "expect"}
STEP_FIELDS = {**EXTENDER_FIELDS, "dryRun": DRY_RUN_INPUT, "emulate": {"emulate"},
               "get": {"get", "expect", "status"}, "post": {"post", "body", "status"},
               "apply": {"apply"}, "wait": {"wait"}}


class Player:
    def __init__(self, scenario: dict, presets: dict, templates: dict, daemon: Daemon):
        self.presets, self.templates, self.daemon = presets, templates, daemon
        self.nodes = {n["name"]: cluster.node(n, templates) for n in scenario.get("nodes", [])}
        self.pods = {p.get("name", "probe"): cluster.pod(p) for p in scenario.get("pods", [])}
        self.advise = scenario.get("mode") == "advise"
        self.passed = set()     # uids that filter let pass: a hold may be theirs
        self.bound = set()
        self.last = {}          # uid: what filter said, as long as nothing changed since

    def play(self, step: dict) -> None:
        kind = next((k for k in STEP_FIELDS if k in step), None)
        if kind is None:
            raise Mistake(f"no known kind of step in {step!r}")
        known(step, STEP_FIELDS[kind], f"step {kind}")
        if kind in ("bind", "emulate", "post", "apply", "wait"):
            self.last, before = {}, self.last
            getattr(self, kind)(step, before)
        else:
            getattr(self, kind)(step)

    def pod(self, wanted) -> dict:
        if not isinstance(wanted, str):
            return cluster.pod(wanted)
        if wanted not in self.pods:
            raise Mistake(f"no pod {wanted} in the scenario")
        return self.pods[wanted]

    # --- the extender ----------------------------------------------------------------------------

    def filter(self, step: dict) -> None:
        pod = self.pod(step["filter"])
        if "whole" in step:
            return self.filter_whole(pod, step)
        asked = step.get("nodes", list(self.nodes))
        body = {"Pod": pod, "Nodes": None, "NodeNames": asked}
        if step.get("error"):
            if not read(self.daemon.verb("filter", body)).get("Error"):
                raise Failure("filter: expected an Error, got none")
            return
        uid = pod["metadata"]["uid"]
        fresh = not (uid in self.passed | self.bound or self.advise)
        report = self.dry_run_of(pod) if fresh and set(asked) & set(self.nodes) else None
        answer = self.daemon.verb("filter", body)
        got = contract.verdicts(answer, pod, asked)
        wanted = {n: step["expect"][n] for n in step["expect"]} if isinstance(
            step["expect"], dict) else dict.fromkeys(set(asked), step["expect"])
        if got != wanted:
            raise Failure("filter:\n" + contract.table(wanted, got) + "\n" + answer[:1500])
        self.check_says(step.get("says", {}), read(answer))
        self.check_same(pod, asked, answer, got)
        if report:
            whole = set(asked) == set(self.nodes)
            told = contract.agrees(report, {n: c for n, c in got.items() if n in self.nodes}, whole)
            self.check_order(pod, got, contract.ranking(told))
        if "fits" in got.values():
            self.passed.add(uid)
        self.last[uid] = got

    def filter_whole(self, pod: dict, step: dict) -> None:
        """Nodes as the request tells of them, those of an autoscaler for example."""
        items = [cluster.node(n, self.templates) for n in step["whole"]]
        answer = self.daemon.verb("filter", {"Pod": pod, "NodeNames": None, "Nodes": {
            "metadata": {}, "items": items}})
        got = contract.verdicts(answer, pod, [n["metadata"]["name"] for n in items],
                                full=True)
        if got != step["expect"]:
            raise Failure("filter:\n" + contract.table(step["expect"], got) + "\n" + answer[:1500])

    def check_says(self, says: dict, answer: dict) -> None:
        texts = {**answer["FailedNodes"], **answer["FailedAndUnresolvableNodes"]}
        for node, part in says.items():
            if part not in texts.get(node, ""):
                raise Failure(f"filter: {node} should say {part!r}, says {texts.get(node)!r}")

    def check_same(self, pod: dict, asked: list[str], answer: str, got: dict) -> None:
        """The same question in another order and with whole nodes gets the same answer."""
        again = {"Pod": pod, "Nodes": None, "NodeNames": asked[::-1] + asked[:1]}
        if (second := self.daemon.verb("filter", again)) != answer:
            raise Failure(f"filter: asked again in another order:\n{answer}\nand now\n{second}")
        if set(asked) - set(self.nodes):
            return
        full = {"Pod": pod, "NodeNames": None, "Nodes": {
            "metadata": {}, "items": [self.nodes[n] for n in asked]}}
        third = contract.verdicts(self.daemon.verb("filter", full), pod, asked, full=True)
        if third != got:
            raise Failure("filter with whole nodes differs:\n"
                          + contract.table(got, third, "names", "nodes"))

    def check_order(self, pod: dict, got: dict, ranked: list[str]) -> None:
        able = [n for n, code in got.items() if code == "fits" and n in self.nodes]
        if not able or set(able) != set(ranked):
            return
        hosts = self.hosts(pod, able, len(able))
        if hosts != ranked[:len(hosts)]:
            raise Failure(f"prioritize says {hosts}, the dry run ranks {ranked}")

    def hosts(self, pod: dict, asked: list[str], able: int) -> list[str]:
        bodies = [{"Pod": pod, "Nodes": None, "NodeNames": names} for names in (asked, asked[::-1])]
        hosts, again = (contract.order(self.daemon.verb("prioritize", b), asked, able)
                        for b in bodies)
        if hosts != again:
            raise Failure(f"prioritize depends on the order of names: {hosts}, {again}")
        return hosts

    def prioritize(self, step: dict) -> None:
        asked = step.get("nodes", list(self.nodes))
        got = self.hosts(self.pod(step["prioritize"]), asked, len(step["order"]))
        if got != step["order"]:
            raise Failure(f"prioritize: expected {step['order']}, got {got}")

    def bind(self, step: dict, before: dict) -> None:
        pod = self.pod(step["bind"])
        meta, node = pod["metadata"], step["to"]
        answer = read(self.daemon.verb("bind", {
            "PodName": meta["name"], "PodNamespace": meta["namespace"],
            "PodUID": step.get("uid", meta["uid"]), "Node": node}))
        words, wanted = answer.get("Error"), step.get("expect", "")
        if set(answer) != {"Error"} or not isinstance(words, str):
            raise Failure(f"bind: wanted only Error, got {answer}")
        code = words.partition(":")[0].partition(" ")[0]
        if code not in (wanted if isinstance(wanted, list) else [wanted]):
            raise Failure(f"bind to {node}: expected {wanted!r}, got {words!r}")
        told = before.get(meta["uid"], {}).get(node)
        if told and told != "Held" and not self.advise and "uid" not in step and told != (code or "fits"):
            raise Failure(f"bind to {node}: {words!r}, but filter had said {told}")
        if not code:
            self.bound.add(meta["uid"])

    # --- the admin API ---------------------------------------------------------------------------

    def dry_run_of(self, pod: dict) -> dict:
        manifest = json.loads(json.dumps(pod))
        for key in ("uid", "creationTimestamp"):
            manifest["metadata"].pop(key, None)
        manifest.pop("status", None)
        manifest["spec"].pop("nodeName", None)
        return self.daemon.ask("POST", "/dry-runs", manifest)

    def dryRun(self, step: dict) -> None:  # noqa: N802, named like the step
        known(step.get("expect", {}), DRY_RUN, "expect of a dry run")
        body = {}
        if "dryRun" in step and step["dryRun"]:
            pods = step["dryRun"] if isinstance(step["dryRun"], list) else [step["dryRun"]]
            body["manifests"] = [self.pod(p) for p in pods]
        body["manifests"] = body.get("manifests", []) + step.get("manifests", [])
        if "namespace" in step:
            body["namespace"] = step["namespace"]
        if "like" in step:
            body["hypotheticalNodes"] = [{"like": n, "count": c} for n, c in step["like"].items()]
        if "options" in step:
            body["options"] = step["options"]
        report = self.daemon.ask("POST", "/dry-runs", body)
        wrong = list(self.differences(step.get("expect", {}), report))
        if wrong:
            raise Failure("dry run:\n  " + "\n  ".join(wrong) + "\n" + json.dumps(report)[:3000])

    def differences(self, expect: dict, report: dict):
        first = report["pods"][0] if report.get("pods") else {}
        for key, wanted in expect.items():
            if key == "verdict":
                found = contract.lacks(wanted, report.get("verdict"), "verdict")
            elif key == "nodes":
                got = contract.node_verdicts(first)
                found = "" if got == wanted else "nodes\n" + contract.table(wanted, got)
            elif key == "pods":
                found = self.pods_differ(wanted, report.get("pods", []))
            elif key == "quota":
                found = self.quota_differs(wanted, report.get("quota", []))
            elif key == "summary":
                found = "" if wanted in report["summary"] else f"summary: {report['summary']!r}"
            elif key == "contains":
                found = "" if wanted in json.dumps(report) else f"nowhere {wanted!r}"
            elif key == "code":
                found = contract.lacks(wanted, first.get("code", ""), "code")
            else:
                found = contract.lacks(wanted, first.get(key), key)
            if found:
                yield found

    def pods_differ(self, wanted: list, got: list) -> str:
        if len(wanted) != len(got):
            return f"pods: expected {len(wanted)}, got {len(got)}"
        found = (contract.lacks(w, g, f"pods/{i}") for i, (w, g) in enumerate(zip(wanted, got)))
        return next((f for f in found if f), "")

    def quota_differs(self, wanted: dict, got: list) -> str:
        rows = {f"{q['tenant']}/{q['unit']}": q for q in got}
        found = (contract.lacks(v, rows.get(k), f"quota {k}") for k, v in wanted.items())
        return next((f for f in found if f), "")

    def emulate(self, step: dict, _before: dict) -> None:
        what = step["emulate"]
        known(what, {"gone", "pod", "node"}, "emulate")
        if "gone" in what:
            self.daemon.ask("DELETE", f"/emulate/pods/{what['gone']}")
        if "pod" in what:
            pod = cluster.pod(what["pod"])
            self.pods[pod["metadata"]["name"]] = pod
            self.daemon.ask("POST", "/emulate/pods", pod, (201,))
        if "node" in what:
            node = cluster.node(what["node"], self.templates)
            self.nodes[what["node"]["name"]] = node
            self.daemon.ask("PUT", f"/emulate/nodes/{what['node']['name']}", node)

    def get(self, step: dict) -> None:
        answer = self.daemon.ask("GET", step["get"], status=(step.get("status", 200),))
        if found := contract.lacks(step.get("expect", {}), answer, step["get"]):
            raise Failure(f"get {found}")

    def post(self, step: dict, _before: dict) -> None:
        status = (step["status"],) if "status" in step else (200, 201, 202, 204)
        self.daemon.ask("POST", step["post"], step.get("body", {}), status)

    def apply(self, step: dict, _before: dict) -> None:
        items = cluster.documents(step["apply"], self.presets)
        self.daemon.ask("POST", "/apply", {"apiVersion": "v1", "kind": "List", "items": items})

    def wait(self, step: dict, _before: dict) -> None:
        time.sleep(step["wait"])
