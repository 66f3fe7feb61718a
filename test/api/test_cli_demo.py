"""The example cluster and the demo's driver keep what their README promises."""
import json
import os
import re
import subprocess
import sys

import harness
from test_cli import CTL, EXAMPLE, SNAPSHOT, TENANTS, example_daemon

DEMO = harness.ROOT / "deploy" / "demo.py"


def play(daemon, expected=EXAMPLE / "expected.json"):
    done = subprocess.run(
        [sys.executable, str(DEMO), "--extender", daemon.extender.url, "--admin", daemon.admin.url,
         "--ctl", str(CTL), "--snapshot", str(SNAPSHOT), "--expected", str(expected)],
        capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_cluster_file_is_what_its_generator_writes():
    done = subprocess.run([sys.executable, str(EXAMPLE / "make_cluster.py")], capture_output=True,
                          timeout=60, check=True)
    assert done.stdout == SNAPSHOT.read_bytes()


def test_healthy_nodes_contradict_nothing(tmp_path):
    daemon = example_daemon(tmp_path)
    nodes = daemon.admin.get(harness.API + "/nodes").json()["items"]
    daemon.stop()
    assert {n["metadata"]["name"]: n["status"]["contradiction"] for n in nodes} == \
        {n["metadata"]["name"]: "" for n in nodes}
    assert [n["metadata"]["name"] for n in nodes if n["status"]["fence"]] == ["gpu-a100-03"]


def test_check_accepts_the_example():
    status, out, err = harness.run("--check", "--snapshot", SNAPSHOT, "--apply", TENANTS)
    assert (status, out) == (0, ""), (out, err)


def test_demo_decides_as_announced(tmp_path):
    daemon = example_daemon(tmp_path)
    status, out, err = play(daemon)
    assert (status, err) == (0, ""), out
    assert "10 of 10 decisions as announced" in out
    assert max(len(line) for line in out.splitlines()) <= 100
    daemon.stop()


def test_demo_fails_when_something_is_other_than_announced(tmp_path):
    plan = json.loads((EXAMPLE / "expected.json").read_text())
    plan["pods"][2]["node"] = "gpu-l40s-02"
    other = tmp_path / "expected.json"
    other.write_text(json.dumps(plan))
    daemon = example_daemon(tmp_path)
    status, out, _ = play(daemon, other)
    daemon.stop()
    assert status == 1
    assert "announced: bound to gpu-l40s-02" in out


def test_readme_lists_the_pending_pods_as_expected():
    rows = re.findall(r"^\| `([a-z-]+/[a-z0-9-]+)` \|[^|]*\| ([^|]*) \|",
                      (EXAMPLE / "README.md").read_text(), re.M)
    plan = json.loads((EXAMPLE / "expected.json").read_text())["pods"]
    assert [pod for pod, _ in rows] == [row["pod"] for row in plan]
    for (_, outcome), row in zip(rows, plan):
        assert row.get("node", row.get("code")) in outcome
