"""Flags, exit statuses, and what is said on the way out."""
import json
import os
import re
import socket

import pytest

import shapes
from harness import API, defaults, run


@pytest.fixture
def snapshot(tmp_path):
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": shapes.CLUSTER}))
    return path


def serve(*args):
    """As a daemon would be started, were it not for what is wrong in args."""
    return run(*defaults(args), *args)


def fails(status, *args, says=(), start=run):
    """Ends with that status and one line on stderr that has all of says."""
    code, out, err = start(*args)
    lines = [line for line in err.splitlines() if not line.startswith("{")]
    assert code == status, (code, out, err)
    assert out == ""
    assert len(lines) == 1 and lines[0].startswith("shikirid: "), err
    for word in says:
        assert word in lines[0], lines[0]
    return lines[0]


def test_help():
    code, out, err = run("--help")
    assert code == 0 and err == ""
    for flag in ("--snapshot", "--kubeconfig", "--ledger", "--policy", "--apply", "--mode", "--listen",
                 "--admin-listen", "--max-body", "--log-format", "--log-level", "--config", "--check",
                 "--auth", "--token-file", "--tls-cert", "--client-ca", "--version"):
        assert flag in out


def test_version():
    code, out, err = run("--version")
    assert code == 0 and err == ""
    assert re.fullmatch(r"shikirid \d+\.\d+\.\d+ \(git [0-9a-z+-]+\)\n", out)


@pytest.mark.parametrize("args, says", [
    (["--snapshto", "x"], ["--snapshto", "--snapshot"]),
    (["--ledgr=x"], ["--ledgr", "--ledger"]),
    (["--snapshot"], ["--snapshot"]),
    (["--mode", "enfroce"], ["--mode", "enfroce"]),
    (["--log-level", "loud"], ["--log-level", "loud"]),
    (["--max-body", "much"], ["--max-body", "much"]),
    (["--check=maybe"], ["--check"]),
    (["--listen", "127.0.0.1"], ["--listen", "127.0.0.1"]),
    (["--admin-listen", "127.0.0.1:99999"], ["--admin-listen", "99999"]),
    (["argument"], ["argument"]),
    (["-x"], ["-x"]),
])
def test_usage(args, says):
    fails(64, *args, says=says)


def test_input_missing(tmp_path, snapshot):
    fails(66, "--snapshot", tmp_path / "nothing.json", start=serve, says=["nothing.json"])
    fails(66, "--snapshot", snapshot, "--policy", tmp_path / "nothing.yaml", start=serve, says=["nothing.yaml"])
    fails(66, "--snapshot", snapshot, "--apply", tmp_path / "nothing.yaml", start=serve, says=["nothing.yaml"])
    fails(66, "--config", tmp_path / "nothing.yaml", start=serve, says=["nothing.yaml"])


def test_bad_data(tmp_path, snapshot):
    bad = tmp_path / "bad.yaml"
    for flag, text in (("--policy", "kind: Policy\nspec: {isolation: {acrossDomains: wall}}\n"),
                       ("--apply", "apiVersion: shikiri.dev/v1\nkind: Tenant\nmetadata: {name: A}\n"),
                       ("--snapshot", '{"kind":"List","items":[{"kind":"Node","metadata":{}}]}'),
                       ("--snapshot", "{")):
        bad.write_text(text)
        args = [flag, bad] if flag == "--snapshot" else ["--snapshot", snapshot, flag, bad]
        fails(65, *args, start=serve, says=["bad.yaml"])


def test_bad_configuration(tmp_path, snapshot):
    fails(78, "--snapshot", snapshot, "--listen", "0.0.0.0:0", start=serve, says=["0.0.0.0"])
    fails(78, "--snapshot", snapshot, "--admin-listen", "192.0.2.1:0", start=serve, says=["192.0.2.1"])
    config = tmp_path / "config.yaml"
    config.write_text("apiVersion: shikiri.dev/v1\nkind: DaemonConfiguration\nlisten: [\n")
    assert run("--config", config)[0] == 78
    config.write_text("apiVersion: shikiri.dev/v1\nkind: DaemonConfiguration\nlistne: x\n")
    fails(78, "--config", config, start=serve, says=["listne"])


def test_port_taken(snapshot):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        fails(74, "--snapshot", snapshot, "--listen", address, start=serve, says=[address])
        fails(74, "--snapshot", snapshot, "--admin-listen", address, start=serve, says=[address])


def test_ledger_is_held(make_daemon, tmp_path, snapshot):
    ledger = tmp_path / "ledger.db"
    make_daemon(args=["--ledger", str(ledger)])
    fails(75, "--snapshot", snapshot, "--ledger", ledger, says=[str(ledger)], start=serve)


def test_ledger_is_none(tmp_path, snapshot):
    ledger = tmp_path / "ledger.db"
    ledger.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    fails(65, "--snapshot", snapshot, "--ledger", ledger, start=serve, says=[str(ledger)])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_ledger_may_not_be_written(tmp_path, snapshot):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    fails(77, "--snapshot", snapshot, "--ledger", closed / "ledger.db", start=serve)


def test_check(tmp_path, snapshot):
    documents = tmp_path / "documents.yaml"
    documents.write_text(shapes.DOCUMENTS)
    code, out, err = serve("--snapshot", snapshot, "--apply", documents, "--check")
    assert (code, err) == (0, ""), (out, err)
    documents.write_text(shapes.DOCUMENTS.replace("[nlp]", "[vision-train]"))
    code, out, _ = serve("--snapshot", snapshot, "--apply", documents, "--check")
    assert code == 65 and "vision-train" in out
    code, _, err = serve("--snapshot", snapshot, "--listen", "0.0.0.0:1", "--check")
    assert code == 78 and "0.0.0.0" in err
    assert not (tmp_path / "ledger.db").exists()


def test_ready_line_and_ipv6(make_daemon):
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 here")
    daemon = make_daemon(args=["--listen", "[::1]:0", "--admin-listen", "[::1]:0"])
    assert daemon.extender.url.startswith("http://[::1]:")
    assert daemon.admin.get("/livez").status == 200
    assert daemon.extender.post("/scheduler/v1/filter", b"{}").status == 200


def test_localhost(make_daemon):
    daemon = make_daemon(args=["--listen", "localhost:0"])
    assert daemon.extender.post("/scheduler/v1/filter", b"{}").status == 200


def test_configuration_file(make_daemon, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("apiVersion: shikiri.dev/v1\nkind: DaemonConfiguration\n"
                      "maxBody: 64KiB\nlogFormat: text\n")
    daemon = make_daemon(args=["--config", str(config)])
    assert daemon.extender.post("/scheduler/v1/filter", b" " * 65537).status == 413
    daemon.stop()
    assert "INFO" in daemon.log() and '{"ts"' not in daemon.log()


def test_advise(make_daemon):
    daemon = make_daemon(args=["--mode", "advise"])
    pod = shapes.pod("a", {"nvidia.com/gpu": 100}, ns="nobody")
    assert daemon.admin.post(API + "/emulate/pods", pod).status == 201
    answer = daemon.extender.post("/scheduler/v1/filter", shapes.args(pod, ["x", "gpu-cards"])).json()
    assert answer["NodeNames"] == ["gpu-cards", "x"] and answer["FailedNodes"] == {}
    error = daemon.extender.post("/scheduler/v1/bind", shapes.binding(pod, "x")).json()["Error"]
    assert error.startswith("AdviseOnly")


def test_log_level(make_daemon):
    quiet = make_daemon(args=["--log-level", "error"])
    quiet.admin.get(API + "/tenants")
    quiet.stop()
    assert quiet.log() == ""
    loud = make_daemon(args=["--log-level", "debug"])
    loud.admin.get("/livez")
    loud.stop()
    assert [e["path"] for e in loud.events("request")] == ["/livez"]
