"""shikirictl when things go wrong: exit statuses, one error on stderr, nothing on stdout; and
servers that aren't shikirid or mean harm."""
import http.server
import json
import os
import socket
import subprocess
import threading

import pytest

import harness
from test_cli import CTL, SNAPSHOT, TENANTS, WORKLOADS, ctl


@pytest.fixture
def fake():
    """A server that answers everything as it is told to, and remembers what it was asked."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            self.server.asked.append((self.command, self.path, dict(self.headers),
                                      self.rfile.read(length)))
            status, headers, body = self.server.reply
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = []
    server.reply = (200, {}, b"{}")
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def failed(result, status):
    """It failed with this status, said so, and printed no result."""
    assert result.status == status, result
    assert result.out == "", result
    assert result.err.startswith(("error: ", "shikirictl: ")), result
    return result.err


# --- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("args,words", [
    (["gte", "nodes"], '"gte"; did you mean "get"?'),
    (["frobnicate"], "frobnicate"),
    (["replay"], "replay is not part of release"),
    (["get"], "get what?"),
    (["get", "node5"], "did you mean nodes?"),
    (["get", "nodes", "a", "b"], '"b"'),
    (["get", "nodes", "--no-header"], "--no-header; did you mean --no-headers?"),
    (["get", "nodes", "-z"], "-z"),
    (["get", "nodes", "-o", "jsn"], '"jsn"; it can do table'),
    (["get", "nodes", "-o"], "--output needs a value"),
    (["get", "nodes", "--no-headers=1"], "--no-headers takes no value"),
    (["get", "nodes", "--color", "blue"], "blue"),
    (["get", "nodes", "--timeout", "soon"], "soon"),
    (["get", "nodes", "--server", "ftp://x"], "ftp://x"),
    (["get", "nodes", "--tenant", "vision"], "narrow allocations"),
    (["map", "-o", "json"], "it can do table"),
    (["apply"], "needs -f"),
    (["dry-run"], "needs -f"),
    (["dry-run", "-f", "x", "--apply", "y"], "--apply needs --snapshot"),
    (["dry-run", "-f", "x", "--policy", "y"], "--policy needs --snapshot"),
    (["explain"], "explain reason CODE"),
    (["explain", "pod", "a/b"], "not part of this release"),
    (["policy"], "policy check FILE"),
    (["policy", "check"], "takes one file"),
    (["ledger"], "ledger verify"),
    (["ledger", "backup"], "takes one file"),
    (["cordon"], "one node"),
    (["describe", "pod", "x"], "describe node NAME"),
    (["help", "gte"], "gte"),
])
def test_usage_is_one_line_and_64(args, words):
    err = failed(ctl(*args), 64)
    assert words in err and err.count("\n") == 1


def test_help_for_everything():
    top = ctl("help")
    assert top.status == 0 and top.err == ""
    assert ctl().out == ctl("--help").out == top.out
    verbs = [line.split()[0] for line in top.out.split("Commands:\n")[1].split("\n\n")[0].splitlines()]
    assert {"get", "dry-run", "map", "version", "uncordon"} <= set(verbs)
    for verb in set(verbs) - {"help"}:
        text = ctl("help", verb).out
        assert text.startswith(f"{verb}: ") and "Usage: shikirictl " + verb in text
        assert ctl(verb, "--help").out == text == ctl(verb, "-h").out
        assert max(map(len, text.splitlines())) <= 100


def test_version_flag_and_other_name(tmp_path):
    plugin = tmp_path / "kubectl-shikiri"
    plugin.symlink_to(CTL)
    text = ctl("--version").out
    assert text.startswith("shikirictl 0.") and "(git " in text
    assert ctl("version", "--client").status == 0
    done = subprocess.run([str(plugin), "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == text


# --- input ---------------------------------------------------------------------------------------


def test_missing_and_bad_input(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("kind: Policy\napiVersion: shikiri.dev/v1\nmetadata: {name: x}\n"
                   "spec: {packing: {objective: tidy}}\n")
    empty = tmp_path / "empty.yaml"
    empty.write_text("\n")
    absent = tmp_path / "absent"
    assert "absent" in failed(ctl("policy", "check", absent), 66)
    assert "/spec/packing/objective" in failed(ctl("policy", "check", bad), 65)
    assert "empty" in failed(ctl("apply", "-f", empty), 65)
    failed(ctl("apply", "-f", absent), 66)
    failed(ctl("policy", "check", tmp_path), 66)  # a folder
    failed(ctl("dry-run", "--snapshot", absent, "-f", WORKLOADS / "sweep-job.yaml"), 66)
    failed(ctl("dry-run", "--snapshot", TENANTS, "-f", WORKLOADS / "sweep-job.yaml"), 65)
    failed(ctl("dry-run", "--snapshot", SNAPSHOT, "--apply", bad, "-f",
               WORKLOADS / "sweep-job.yaml"), 65)
    failed(ctl("dry-run", "--snapshot", SNAPSHOT, "-f", TENANTS), 65)


def test_policy_check_of_the_shipped_ones(tmp_path):
    for policy in sorted((harness.ROOT / "policies").glob("*.yaml")):
        if "kind: Policy" not in policy.read_text():
            continue
        result = ctl("policy", "check", policy)
        assert result.status == 0 and "is sound\nsha256:" in result.out
        whole = tmp_path / "whole.json"
        whole.write_text(ctl("policy", "check", policy, "-o", "json").out)
        assert ctl("policy", "check", whole).out.splitlines()[1] == result.out.splitlines()[1]


def test_explain_every_code():
    codes = [r["CODE"] for r in ctl("explain", "reason", "-o", "csv").rows()]
    assert len(codes) == len(set(codes)) > 20
    for code in codes:
        result = ctl("explain", "reason", code)
        assert result.status == 0 and result.out.startswith(code + "\n")
        assert ctl("explain", "reason", code, "-o", "json").json()["code"] == code
    assert "TrustBoundary" in failed(ctl("explain", "reason", "TrustBoundry"), 3)


# --- servers -------------------------------------------------------------------------------------


def test_nobody_there():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        err = failed(ctl("get", "nodes", server=url), 6)
        assert url in err and "next: " in err
        result = ctl("version", server=url)
    assert result.status == 6 and result.out.startswith("client ")


def test_a_server_that_never_answers():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert "--timeout" in failed(ctl("get", "nodes", "--timeout", "300ms", server=url), 7)


@pytest.mark.parametrize("status,exit_status", [
    (400, 65), (401, 5), (403, 5), (404, 3), (409, 4), (412, 4), (413, 65), (422, 65), (428, 4),
    (500, 1), (503, 6), (302, 1)])
def test_problems_become_exit_statuses(fake, status, exit_status):
    fake.reply = (status, {"Content-Type": "application/problem+json", "Location": fake.url + "/x"},
                  json.dumps({"title": "Not so", "detail": "because", "status": status,
                              "requestId": "r-1",
                              "errors": [{"pointer": "/spec/x", "detail": "no number"}]}).encode())
    err = failed(ctl("get", "nodes", server=fake.url), exit_status)
    assert err.startswith("error: Not so: because\n  /spec/x: no number\n")
    assert len(fake.asked) == 1  # no redirect is followed
    fake.reply = (status, {}, b"<html>nginx</html>")
    assert "is it shikirid?" in failed(ctl("get", "nodes", server=fake.url), exit_status)


def test_an_answer_that_is_no_json(fake):
    fake.reply = (200, {}, b"hello")
    failed(ctl("get", "nodes", server=fake.url), 1)
    fake.reply = (200, {}, b"[" * 10000)
    failed(ctl("get", "nodes", server=fake.url), 1)


EVIL = "a\x1b]0;owned\x07\x9b31m\u202eb\nc"


@pytest.mark.parametrize("form", ["table", "wide", "json", "yaml", "csv", "markdown", "name"])
def test_control_characters_never_reach_the_terminal(fake, form):
    node = {"metadata": {"name": EVIL}, "spec": {},
            "status": {"product": EVIL, "strategy": EVIL, "contradiction": EVIL, "fence": EVIL,
                       "pools": [{"resource": EVIL, "kind": EVIL, "capacity": 1, "free": 1,
                                  "allocatable": 1, "used": 0, "owner": EVIL}]}}
    fake.reply = (200, {}, json.dumps({"items": [node], "metadata": {"continue": ""}}).encode())
    result = ctl("get", "nodes", "-o", form, server=fake.url)
    assert result.status == 0
    assert not set(result.out) & set("\x1b\x07\x9b\u202e")
    if form in ("table", "csv", "name", "markdown"):
        assert "\nc" not in result.out  # nor does a name begin a line of its own
    if form == "json":
        assert result.json()["items"][0]["metadata"]["name"] == EVIL


def test_control_characters_in_an_error(fake):
    fake.reply = (404, {}, json.dumps({"title": EVIL, "detail": EVIL}).encode())
    err = failed(ctl("get", "nodes", server=fake.url), 3)
    assert not set(err) & set("\x1b\x07\x9b\u202e")


def test_lists_are_read_page_by_page(fake):
    pages = {"": (["a", "b"], "t&1"), "t&1": (["c"], "")}
    handler = fake.RequestHandlerClass

    def answer(self):
        from urllib.parse import parse_qs, urlsplit
        token = parse_qs(urlsplit(self.path).query).get("continue", [""])[0]
        names, following = pages[token]
        body = json.dumps({"items": [{"metadata": {"name": n}} for n in names],
                           "metadata": {"continue": following}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    handler.do_GET = answer
    assert ctl("get", "nodes", "-o", "name", server=fake.url).lines() == ["node/a", "node/b", "node/c"]
    assert len(ctl("get", "nodes", "-o", "json", server=fake.url).json()["items"]) == 3


def test_token_is_sent_and_not_over_plain_http_elsewhere(fake, tmp_path):
    token = tmp_path / "token"
    token.write_text("s3cret-token\n")
    fake.reply = (200, {}, b'{"items":[]}')
    result = ctl("get", "nodes", "--token-file", token, server=fake.url)
    assert result.status == 0
    assert fake.asked[0][2]["Authorization"] == "Bearer s3cret-token"
    for elsewhere in ("http://192.0.2.1:1", "http://127.0.0.1.example:1", "http://127.example",
                      "http://127.0.0.1:80@192.0.2.1:1", "http://localhost.example"):
        err = failed(ctl("get", "nodes", "--token-file", token, "--server", elsewhere), 64)
        assert "s3cret" not in err
    token.write_text("two words\n")
    assert "two words" not in failed(ctl("get", "nodes", "--token-file", token, server=fake.url), 65)
    failed(ctl("get", "nodes", "--token-file", tmp_path / "none", server=fake.url), 66)


def test_names_are_escaped_in_paths(fake):
    ctl("get", "nodes", "../x?y#z", server=fake.url)
    assert fake.asked[0][1] == "/apis/shikiri.dev/v1/nodes/..%2Fx%3Fy%23z"


def test_version_skew_is_told(fake):
    fake.reply = (200, {}, b'{"version":"9.8.7","git":"abc"}')
    result = ctl("version", server=fake.url)
    assert result.status == 0 and "server 9.8.7" in result.out and "warning: client" in result.err


def test_options_stand_anywhere_and_flags_win_over_the_environment(fake):
    fake.reply = (200, {}, b'{"items":[]}')
    for args in (["--server", fake.url, "get", "nodes", "-ojson"],
                 ["get", "--server=" + fake.url, "nodes", "--output=json"],
                 ["get", "-o", "json", "nodes", "--server", fake.url + "/"]):
        result = ctl(*args, server="http://192.0.2.1:1")
        assert result.status == 0 and result.json() == {"items": []}
    assert {path for _, path, _, _ in fake.asked} == {"/apis/shikiri.dev/v1/nodes"}


def test_no_proxy_for_this_machine(fake):
    fake.reply = (200, {}, b'{"items":[]}')
    env = {"http_proxy": "http://192.0.2.1:1", "LC_ALL": "C.UTF-8"}
    assert ctl("get", "nodes", "-o", "json", server=fake.url, env=env).status == 0


def test_a_closed_stdout_is_a_failure():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([str(CTL), "help"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert done.returncode != 0
