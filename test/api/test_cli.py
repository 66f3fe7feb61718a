"""shikirictl against a daemon that serves the example cluster: every verb, every format."""
import csv
import io
import json
import os
import re
import subprocess

import pytest

import harness

CTL = harness.BUILD / "cmd" / "shikirictl" / "shikirictl"
EXAMPLE = harness.ROOT / "deploy" / "example"
SNAPSHOT = EXAMPLE / "cluster.json"
TENANTS = EXAMPLE / "tenants.yaml"
WORKLOADS = EXAMPLE / "workloads"


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()
        assert not harness.SANITIZER.search(self.err), self.err

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return self.out.splitlines()

    def rows(self):
        return list(csv.DictReader(io.StringIO(self.out)))

    def __repr__(self):
        return f"<{self.status} out={self.out[:2000]!r} err={self.err[:2000]!r}>"


def ctl(*args, server=None, stdin=None, env=None, timeout=60):
    """shikirictl for as long as it takes. The environment is ours alone."""
    full = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            full[name] = os.environ[name]
    if server:
        full["SHIKIRI_SERVER"] = server
    done = subprocess.run([str(CTL), *map(str, args)], capture_output=True, timeout=timeout, env=full,
                          input=stdin.encode() if stdin is not None else b"")
    return Result(done)


def example_daemon(directory):
    items = json.loads(SNAPSHOT.read_text())["items"]
    return harness.Daemon(directory, items, TENANTS.read_text()).start()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The admin URL of a daemon that no test here changes for the others."""
    one = example_daemon(tmp_path_factory.mktemp("example"))
    yield one.admin.url
    one.stop()


@pytest.fixture
def own_server(tmp_path):
    """One that the test may change."""
    one = example_daemon(tmp_path)
    yield one.admin.url
    one.stop()


def api(server, path):
    return harness.Listener(server).get(harness.API + path).json()


# --- get ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind,path", [("nodes", "/nodes"), ("tenants", "/tenants"),
                                       ("quotas", "/quotas"), ("allocations", "/allocations")])
def test_json_is_what_the_api_says(server, kind, path):
    result = ctl("get", kind, "-o", "json", server=server)
    assert (result.status, result.err) == (0, "")
    assert result.json() == api(server, path)


@pytest.mark.parametrize("kind", ["nodes", "tenants", "quotas", "allocations"])
@pytest.mark.parametrize("form", ["table", "wide", "yaml", "name", "csv", "markdown"])
def test_every_list_in_every_format(server, kind, form):
    result = ctl("get", kind, "-o", form, server=server)
    assert (result.status, result.err) == (0, "")
    assert len(result.lines()) >= 3
    assert "\033" not in result.out


def test_nodes_read_well(server):
    result = ctl("get", "nodes", server=server)
    assert max(len(line) for line in result.lines()) <= 100
    row = {line.split()[0]: line for line in result.lines()}
    assert "1g.10gb 4/16, 2g.20gb 3/8, 3g.40gb 2/8" in row["gpu-a100-01"]
    assert "MIG change" in row["gpu-a100-03"]
    assert "no devices" in row["gpu-h200-03"]
    assert "research" in row["gpu-l40s-01"] and "gpu.shared 6/16" in row["gpu-l40s-01"]
    assert "gpu (disguised) 15/16" in row["gpu-rtx-01"]


def test_quota_bars_and_numbers(server):
    rows = {(r["TENANT"], r["UNIT"]): r for r in
            ctl("get", "quotas", "-o", "csv", server=server).rows()}
    vision = rows["vision", "gpuEquivalents"]
    assert (vision["USED"], vision["GUARANTEED"], vision["CEILING"]) == ("10.071", "14", "20")
    assert "" not in vision  # the bar is for people
    assert "█" in ctl("get", "quotas", server=server).out
    assert "#" in ctl("get", "quotas", server=server, env={"LC_ALL": "C"}).out


def test_allocations_can_be_narrowed(server):
    def names(*args):
        return [r["NAME"] for r in
                ctl("get", "allocations", "-o", "csv", *args, server=server).rows()]

    everything = names()
    assert len(everything) == 73
    assert names("-A") == everything
    mine = names("-n", "vision-lab")
    assert 0 < len(mine) < len(everything) and mine == sorted(mine)
    assert set(names("--tenant", "vision")) > set(mine)
    assert len(names("--node", "gpu-rtx-01")) == 1
    assert names("--state", "reserved") == []


def test_one_object(server):
    node = ctl("get", "node", "gpu-h100-01", "-o", "json", server=server)
    assert node.json() == api(server, "/nodes/gpu-h100-01")
    assert ctl("get", "tenants", "vision", "-o", "name", server=server).out == "tenant/vision\n"
    assert "gpuEquivalents" in ctl("get", "quotas", "hosting", server=server).out
    uid = api(server, "/allocations")["items"][0]["uid"]
    assert ctl("get", "allocation", uid, "-o", "json", server=server).json()["uid"] == uid


def test_tables_without_headers(server):
    with_headers = ctl("get", "nodes", server=server).lines()
    without = ctl("get", "nodes", "--no-headers", server=server).lines()
    assert with_headers[0].startswith("NAME")
    assert len(without) == len(with_headers) - 1 and not without[0].startswith("NAME")
    assert ctl("get", "nodes", "-o", "csv", "--no-headers", server=server).lines()[0].startswith("cpu")


def test_markdown_is_a_table(server):
    lines = ctl("get", "tenants", "-o", "markdown", server=server).lines()
    assert lines[0].startswith("| NAME |") and set(lines[1]) <= set("|-:")
    assert all(line.count("|") == lines[0].count("|") for line in lines)


# --- describe, map -------------------------------------------------------------------------------


def test_describe_node(server):
    result = ctl("describe", "node", "gpu-l40s-01", server=server)
    assert result.status == 0
    for words in ("NVIDIA-L40S", "nvidia.com/gpu.shared", "10 of 16 used, 6 free",
                  "closed to other trust domains", "GPU pods: 10", "notebook-0"):
        assert words in result.out
    fenced = ctl("describe", "node", "gpu-a100-03", server=server)
    assert "explain reason MigReconfiguring" in fenced.out


def test_describe_tenant(server):
    result = ctl("describe", "tenant", "hosting", server=server)
    assert result.status == 0
    for words in ("Tenant hosting", "customers", "customer-acme", "costPerHour", "planner"):
        assert words in result.out
    as_json = ctl("describe", "tenant", "hosting", "-o", "json", server=server)
    assert as_json.json() == api(server, "/tenants/hosting")


def test_map_counts_and_letters(server):
    result = ctl("map", server=server)
    assert result.status == 0
    assert max(len(line) for line in result.lines()) <= 100
    block = result.out[result.out.index("gpu-a100-01"):result.out.index("gpu-a100-02")]
    row = next(line for line in block.splitlines() if "3g.40gb" in line)
    assert "2 of 8 free" in row
    assert row.count("VVV") == 3 and row.count("HHH") == 3 and row.count("···") == 2
    assert "research: L language V vision" in result.out
    assert "cpu-01" not in result.out
    assert "xxxx" in result.out  # of the node whose devices are gone


def test_map_of_one_node_in_ascii(server):
    result = ctl("map", "--node", "gpu-h200-01", server=server, env={"LC_ALL": "C"})
    assert result.status == 0
    assert "gpu-h200-02" not in result.out
    assert result.out.isascii() and "LLLLLLL" in result.out and "......." in result.out


def test_colors_only_when_asked_or_on_a_terminal(server):
    assert "\033[" not in ctl("map", server=server).out
    assert "\033[" in ctl("map", "--color", "always", server=server).out
    assert "\033[" not in ctl("map", "--color=never", server=server).out
    plain = re.sub(r"\033\[[0-9;]*m", "", ctl("map", "--color", "always", server=server).out)
    assert plain == ctl("map", server=server).out


# --- dry-run -------------------------------------------------------------------------------------


def offline(*args, **more):
    return ctl("dry-run", "--snapshot", SNAPSHOT, "--apply", TENANTS, *args, **more)


@pytest.mark.parametrize("name", ["inference-deployment", "sweep-job", "customer-notebook"])
def test_offline_dry_run_equals_the_daemons(server, name):
    manifest = WORKLOADS / f"{name}.yaml"
    here = offline("-f", manifest, "-o", "json")
    there = ctl("dry-run", "-f", manifest, "-o", "json", server=server)
    assert (here.status, there.status) == (0, 0)
    basis = re.compile(r'"basis": \{[^}]*\}')
    assert basis.sub("", here.out) == basis.sub("", there.out)
    assert here.json()["basis"]["policy"] == there.json()["basis"]["policy"]
    table = ctl("dry-run", "-f", manifest, server=server)
    assert offline("-f", manifest).out == table.out


def test_dry_run_tells_where_and_why(server):
    result = ctl("dry-run", "-f", WORKLOADS / "sweep-job.yaml", server=server)
    assert result.status == 0
    assert max(len(line) for line in result.lines()) <= 100
    for words in ("language-train/lr-sweep-0", "Fits", "gpu-a100-01", "MigReconfiguring",
                  "4 of 4 pods fit", "note: CPU, memory"):
        assert words in result.out
    wide = ctl("dry-run", "-f", WORKLOADS / "sweep-job.yaml", "-o", "wide", server=server)
    assert wide.out.count("gpu-h200-03") >= 4


def test_dry_run_changes_nothing(server):
    before = api(server, "/allocations")
    ctl("dry-run", "-f", WORKLOADS / "sweep-job.yaml", server=server)
    assert api(server, "/allocations") == before


def pod(resources, namespace="vision-train", annotations=None):
    return json.dumps({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "p", "namespace": namespace, "annotations": annotations or {}},
        "spec": {"priorityClassName": "batch", "containers": [
            {"name": "c", "image": "i",
             "resources": {"limits": {f"nvidia.com/{k}": v for k, v in resources.items()}}}]}})


@pytest.mark.parametrize("status,text", [
    (0, pod({"mig-1g.10gb": 1})),
    (10, pod({"mig-3g.40gb": 2}, "language-train")),
    (12, pod({"mig-3g.40gb": 6}, "customer-acme")),
    (13, pod({"mig-7g.80gb": 1})),
    (14, pod({"gpu.shared": 1}, "customer-acme")),
    (14, pod({"mig-1g.10gb": 1}, "sandbox")),
    (15, pod({"mig-1g.10gb": "1500m"})),
])
def test_exit_code_tells_the_verdict(server, status, text):
    there = ctl("dry-run", "-f", "-", "--exit-code", server=server, stdin=text)
    here = offline("-f", "-", "--exit-code", stdin=text)
    assert (there.status, here.status) == (status, status), there
    assert ctl("dry-run", "-f", "-", server=server, stdin=text).status == 0


def test_dry_run_fills_in_the_namespace(server):
    text = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
        "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/mig-1g.10gb": 1}}}]}})
    for result in (ctl("dry-run", "-n", "language-lab", "-f", "-", "-o", "json", server=server,
                       stdin=text),
                   offline("-n", "language-lab", "-f", "-", "-o", "json", stdin=text)):
        assert result.json()["pods"][0]["tenant"] == "language"


def test_hypothetical_nodes_offline_as_in_the_daemon(server):
    text = json.dumps({"namespace": "vision-train", "manifests": [json.loads(pod({"gpu": 8}))],
                       "hypotheticalNodes": [{"like": "gpu-h200-01", "count": 2}],
                       "options": {"maxNodes": 50, "allReasons": True}})
    here = offline("-f", "-", "-o", "json", stdin=text)
    there = ctl("dry-run", "-f", "-", "-o", "json", server=server, stdin=text)
    assert (here.status, there.status) == (0, 0), (here, there)
    basis = re.compile(r'"basis": \{[^}]*\}')
    assert basis.sub("", here.out) == basis.sub("", there.out)


# --- changes -------------------------------------------------------------------------------------

LATER = """\
apiVersion: shikiri.dev/v1
kind: Tenant
metadata: {name: audio}
spec:
  namespaces: [audio-lab]
  quota:
    gpuEquivalents: {guaranteed: "1"}
"""


def test_apply_export_and_prune(own_server):
    dry = ctl("apply", "-f", "-", "--dry-run", server=own_server, stdin=LATER)
    assert (dry.status, dry.out) == (0, "Tenant/audio created (dry run)\n")
    assert ctl("get", "tenants", "audio", server=own_server).status == 3
    real = ctl("apply", "-f", "-", server=own_server, stdin=LATER)
    assert (real.status, real.out) == (0, "Tenant/audio created\n")
    again = ctl("apply", "-f", "-", "-o", "json", server=own_server, stdin=LATER)
    assert again.json()["changes"][0]["operation"] == "unchanged"

    exported = ctl("export", server=own_server)
    assert exported.status == 0 and exported.out.count("apiVersion: shikiri.dev/v1") == 9
    same = ctl("apply", "-f", "-", server=own_server, stdin=exported.out)
    assert {line.split()[1] for line in same.lines()} == {"unchanged"}
    assert ctl("export", "-o", "json", server=own_server).json()["kind"] == "List"
    assert "Tenant/audio" in ctl("export", "-o", "name", server=own_server).lines()

    pruned = ctl("apply", "-f", TENANTS, "--prune", server=own_server)
    assert "Tenant/audio deleted" in pruned.lines()


def test_several_files_are_one_transaction(own_server, tmp_path):
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(LATER)
    bad.write_text("apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: x}\n"
                   "spec: {namespaces: [x], colour: red}\n")
    result = ctl("apply", "-f", good, "-f", bad, server=own_server)
    assert result.status == 65
    assert result.err.startswith("error: ") and "colour" in result.err
    assert ctl("get", "tenants", "audio", server=own_server).status == 3


def test_pruning_a_tenant_with_pods_is_a_conflict(own_server):
    result = ctl("apply", "-f", "-", "--prune", server=own_server, stdin=LATER)
    assert result.status == 4
    assert result.err.startswith("error: ") and result.out == ""
    assert ctl("get", "tenants", "audio", server=own_server).status == 3


def test_cordon_and_uncordon(own_server):
    result = ctl("cordon", "gpu-a100-02", server=own_server)
    assert (result.status, result.out) == (0, "node/gpu-a100-02 cordoned: no new GPU pods\n")
    rows = {r["NAME"]: r for r in ctl("get", "nodes", "-o", "csv", server=own_server).rows()}
    assert rows["gpu-a100-02"]["STATE"] == "cordoned"
    assert ctl("uncordon", "gpu-a100-02", "-o", "name", server=own_server).out == "node/gpu-a100-02\n"
    rows = {r["NAME"]: r for r in ctl("get", "nodes", "-o", "csv", server=own_server).rows()}
    assert rows["gpu-a100-02"]["STATE"] == "ready"
    assert ctl("cordon", "nowhere", server=own_server).status == 3


def test_ledger(own_server, tmp_path):
    result = ctl("ledger", "verify", server=own_server)
    assert result.status == 0 and result.out.startswith("sound: ")
    assert ctl("ledger", "verify", "-o", "json", server=own_server).json()["findings"] == []
    copy = tmp_path / "copy.db"
    result = ctl("ledger", "backup", copy, server=own_server)
    assert result.status == 0 and str(copy) in result.out
    assert copy.read_bytes().startswith(b"SQLite format 3\0")


def test_version_of_both(server):
    result = ctl("version", server=server)
    assert result.status == 0 and result.err == ""
    assert re.search(r"^client \d+\.\d+\.\d+ \(git \S+\)\nserver \d+\.\d+\.\d+", result.out)
    both = ctl("version", "-o", "json", server=server).json()
    assert both["client"]["version"] == both["server"]["version"]
