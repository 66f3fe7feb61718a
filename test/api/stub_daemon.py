"""The admin listener of a daemon that never was: recorded answers, each test with its change."""
import http.server
import json
import threading
import time

API = "/apis/shikiri.dev/v1"
DAY = 86400
WATCHED = ("nodes", "pods", "namespaces", "priorityclasses")
VERBS = ("filter", "prioritize", "preempt", "bind")


def pool(resource, **changes):
    return {"resource": resource, "kind": "card", "sharing": "none", "disguised": False,
            "capacity": 8, "allocatable": 8, "used": 0, "free": 8, "owner": "", "mixed": False,
            **changes}


def node(name, *pools, contradiction=""):
    return {"metadata": {"name": name},
            "status": {"fence": "", "contradiction": contradiction, "pools": list(pools)}}


def quota(name, over=False):
    return {"metadata": {"name": name},
            "status": {"gpuEquivalents": {"used": "12", "overCeiling": over}}}


class Facts:
    """What a daemon says that is wired well. Metrics are {name: {labels: value}}."""

    def __init__(self):
        now = int(time.time())
        self.ready = (200, "[+]ledger ok\n[+]cluster ok\nreadyz check passed\n")
        self.nodes = [node("gpu-1", pool("nvidia.com/gpu")),
                      node("gpu-2", pool("nvidia.com/mig-1g.10gb", kind="mig"))]
        self.quotas = [quota("vision")]
        self.foreign = []
        self.verify = {"sound": True, "findings": [], "rows": 3}
        self.policy = {"spec": {"limits": {"staleness": "1m30s", "bindTimeout": "4s"}}}
        self.metrics = {
            "process_start_time_seconds": {"": now - 10 * DAY},
            "shikiri_extender_requests_total": {f'verb="{verb}"': 7 for verb in VERBS},
            "shikiri_extender_errors_total": {f'verb="{verb}"': 0 for verb in VERBS},
            "shikiri_extender_last_call_timestamp_seconds": {f'verb="{v}"': now - 5 for v in VERBS},
            "shikiri_decisions_total": {'verb="filter",result="feasible",reason=""': 7},
            "shikiri_pending_pods": {'tenant="vision"': 2},
            "shikiri_ledger_transactions_total": {'result="committed"': 7, 'result="failed"': 0},
            "shikiri_watch_age_seconds": {f'resource="{r}"': 4 for r in WATCHED},
            "shikiri_watch_relists_total": {f'resource="{r}"': 1 for r in WATCHED},
            "shikiri_certificate_expiry_timestamp_seconds": {'listener="extender"': now + 90 * DAY},
            "shikiri_bypass_pods": {'kind="foreign"': 0, 'kind="other_scheduler"': 0},
            "shikiri_trust_conflicts": {"": 0},
            "shikiri_deficit_units": {"": 0},
        }
        self.status = {}  # path: status instead of 200

    def exposition(self):
        lines = []
        for name, samples in self.metrics.items():
            lines += [f"# HELP {name} Something.", f"# TYPE {name} gauge"]
            lines += [f"{name}{{{labels}}} {value}" if labels else f"{name} {value}"
                      for labels, value in samples.items()]
        return "\n".join(lines) + "\n"

    def answer(self, path):
        lists = {"/nodes": self.nodes, "/quotas": self.quotas,
                 "/allocations?state=foreign": self.foreign}
        objects = {"/ledger/verify": self.verify, "/policy": self.policy}
        if path in self.status:
            return self.status[path], json.dumps({"title": "no", "detail": "not today"})
        if path == "/livez":
            return 200, "ok"
        if path in ("/readyz", "/readyz?verbose"):
            return self.ready
        if path == "/metrics":
            return 200, self.exposition()
        name = path.removeprefix(API)
        if name in lists:
            return 200, json.dumps({"items": lists[name], "metadata": {"continue": ""}})
        if name in objects:
            return 200, json.dumps(objects[name])
        return 404, ""


class StubDaemon:
    def __init__(self):
        self.facts = Facts()
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, body = stub.facts.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(10)
