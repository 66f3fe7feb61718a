"""What stands outside the prefix of the admin API."""
import re

import pytest

from harness import problem


def test_livez(daemon):
    response = daemon.admin.get("/livez")
    assert (response.status, response.text) == (200, "ok")
    assert response.header("Content-Type").startswith("text/plain")


def test_readyz(daemon):
    response = daemon.admin.get("/readyz")
    assert (response.status, response.text) == (200, "ok")
    verbose = daemon.admin.get("/readyz?verbose")
    assert verbose.status == 200
    *lines, last = verbose.text.splitlines()
    assert last == "readyz check passed"
    assert lines and all(line.startswith("[+]") for line in lines)
    assert any("ledger" in line for line in lines)


def test_version(daemon):
    version = daemon.admin.get("/version").json()
    assert set(version) == {"version", "git", "compiler"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", version["version"])


def test_metrics(daemon):
    response = daemon.admin.get("/metrics")
    assert response.header("Content-Type") == "text/plain; version=0.0.4"
    text = response.text
    assert text.endswith("\n")
    sample = re.compile(r'^(?:shikiri|process)_[a-z0-9_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[0-9.e+-]+$')
    typed, helped, seen = set(), set(), []
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            typed.add(line.split()[2])
        elif line.startswith("# HELP "):
            helped.add(line.split()[2])
        else:
            assert sample.match(line), line
            seen.append(line.rsplit(" ", 1)[0])
    assert typed == helped
    assert len(seen) == len(set(seen)), "a sample stands twice"
    for series in seen:
        name = series.split("{")[0]
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        assert name in typed or base in typed, series
    assert "shikiri_build_info" in typed


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics", "/version"])
def test_only_get(daemon, path):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        response = daemon.admin.request(method, path, b"")
        problem(response, 405, "MethodNotAllowed")
        assert response.header("Allow") == "GET, HEAD"


@pytest.mark.parametrize("path", ["/livez", "/metrics", "/version", "/readyz"])
def test_unknown_parameters(daemon, path):
    problem(daemon.admin.get(path + "?what=1"), 400, "UnknownParameter")


@pytest.mark.parametrize("path", ["/", "/healthz", "/ui", "/openapi.json", "/metrics/", "/Livez"])
def test_nothing_else(daemon, path):
    problem(daemon.admin.get(path), 404, "NotFound")
